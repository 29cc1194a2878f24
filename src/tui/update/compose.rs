//! What is written in the composer, what is offered for it, and where it goes.

mod before;
mod drafts;

pub(super) use self::{
    before::search,
    drafts::{kept, not_started},
};

use super::{attach, slash, tree};
use crate::{
    kernel::{command::Command, id::SessionId},
    tui::{
        effect::{Effect, Start},
        files::Found,
        hints,
        keymap::{Edit, Go},
        slash as commands,
        state::{
            Focus, State,
            composer::{Queued, When},
            draft::Draft,
            offered::{Kind, Looks, Offer, Offered},
            status::Player,
            transcript::Scroll,
        },
        view,
    },
};

/// A key that edits; what it does where words of before are searched is for their words.
pub(super) fn edit(state: &mut State, edit: Edit) -> Vec<Effect> {
    if edit == Edit::Send {
        return send(state, When::AfterTurn);
    }
    if before::writes(state, |words| {
        words.edit(edit);
    }) {
        return Vec::new();
    }
    if edit == Edit::Up
        && state.composer.draft.is_empty()
        && let Some(session) = state.heard_by()
        && let Some(text) = state.composer.take_back(session)
    {
        return vec![Effect::Send(Command::TakeBack { session, text })];
    }
    let rows = view::composer::layout(state);
    state.composer.edit(edit, rows);
    Vec::new()
}

pub(super) fn typed(state: &mut State, c: char) {
    if !before::writes(state, |words| words.type_char(c)) {
        state.composer.draft.type_char(c);
    }
}

pub(super) fn pasted(state: &mut State, text: &str, write: &dyn Fn(&mut Draft)) -> Vec<Effect> {
    if before::writes(state, write) {
        return Vec::new();
    }
    write(&mut state.composer.draft);
    attach::pasted(state, text)
}

/// Sends the draft: as words, as a command, or as Python by hand.
pub(in crate::tui) fn send(state: &mut State, when: When) -> Vec<Effect> {
    let now = state.now.at;
    let text = state.composer.draft.text();
    if text.trim().is_empty() {
        return Vec::new();
    }
    match state.composer.draft.leads() {
        Some('!') => return run(state),
        Some('/') => match commands::read(&text) {
            Some(commands::Line::Does(word, rest)) => {
                state.composer.take();
                return slash::run(state, word, &rest);
            }
            Some(commands::Line::Unknown(why)) => {
                state.status.say(why, now);
                return Vec::new();
            }
            None => {}
        },
        Some(_) | None => {}
    }
    if let Some(effects) = attach::before_sending(state, when) {
        return effects;
    }
    if waits(state) {
        return Vec::new();
    }
    if let Some(session) = state.sessions.viewed() {
        if let Some(effects) = tree::send(state, session) {
            return effects;
        }
        let draft = state.composer.take();
        let words = draft.words();
        let works = state.sessions.node().is_some_and(|node| node.doing.works());
        if let Some(node) = state.sessions.node_mut() {
            node.transcript.scroll = Scroll::Follow;
        }
        if works {
            let text = words.text.clone();
            state.composer.queued.push(Queued { to: session, text, draft, when });
        }
        return vec![Effect::Send(match when {
            When::AfterTurn => Command::Send { session, words },
            When::NextStep => Command::Steer { session, words },
        })];
    }
    if matches!(state.place.player, Player::Nobody { .. }) {
        let text = no_model(state);
        state.status.say(text, now);
        return Vec::new();
    }
    begin(state, true)
}

/// Whether what is written is for a session that is not there yet, which is said: it stays in the
/// composer until that one hears it.
fn waits(state: &mut State) -> bool {
    let waits = state.is_beginning();
    if waits {
        state.status.say("The session is not there yet: your words wait for it.", state.now.at);
    }
    waits
}

/// Said where there is nobody who would answer.
pub(super) fn no_model(state: &State) -> String {
    let key = hints::shows(&state.controls, Go::Commands);
    format!("No model. {key}: take the tour, or connect one.")
}

/// Starts a session with what is in the draft.
fn begin(state: &mut State, says: bool) -> Vec<Effect> {
    let draft = state.composer.take();
    let message = says.then(|| draft.words());
    state.place.starting = Some(draft);
    vec![Effect::Start { what: Start::Here, message }]
}

/// Runs the draft as Python, in the session in view or in a new one.
fn run(state: &mut State) -> Vec<Effect> {
    if waits(state) {
        return Vec::new();
    }
    let Some(session) = state.sessions.viewed() else { return begin(state, false) };
    if let Some(why) = state.sessions.why_not(session) {
        state.status.say(why, state.now.at);
        return Vec::new();
    }
    if let Some(node) = state.sessions.node_mut() {
        node.transcript.scroll = Scroll::Follow;
    }
    let draft = state.composer.take();
    by_hand(session, &draft.text()).into_iter().collect()
}

/// What a session that was started for such a line is to run.
pub(super) fn by_hand(session: SessionId, text: &str) -> Option<Effect> {
    let code = text.strip_prefix('!')?;
    // A blank after the mark is no indentation.
    let code = code.strip_prefix(' ').unwrap_or(code).to_owned();
    (!code.trim().is_empty()).then(|| Effect::Send(Command::Run { session, code }))
}

/// enter on what is offered: it is taken, and a command is done at once.
pub(super) fn open(state: &mut State) -> Vec<Effect> {
    if let Some(Offered {
        kind: Kind::File { looks: looks @ (Looks::On | Looks::Taking), .. },
        ..
    }) = &mut state.composer.offered
    {
        // Nobody has seen what fits: what is listed fitted other words.
        *looks = Looks::Taking;
        return Vec::new();
    }
    let does = match &state.composer.offered {
        Some(Offered { kind: Kind::Command { .. }, .. }) => true,
        Some(Offered { kind: Kind::File { .. }, rows, .. }) if rows.is_empty() => true,
        Some(_) | None => false,
    };
    let effects = complete(state);
    if does { send(state, When::AfterTurn) } else { effects }
}

/// tab on what is offered: it is put in the draft.
pub(super) fn complete(state: &mut State) -> Vec<Effect> {
    let Some(offered) = state.composer.offered.take() else { return Vec::new() };
    let chosen = offered.chosen().cloned();
    match (offered.kind, chosen) {
        (Kind::Command { .. }, Some(offer)) => {
            let word = offer.text.trim_start_matches('/');
            let more = commands::Word::ALL
                .into_iter()
                .any(|known| known.name() == word && known.takes() != commands::Takes::Nothing);
            state.composer.draft = Draft::of(&offer.text);
            if more {
                state.composer.draft.type_char(' ');
            }
        }
        (Kind::File { .. }, Some(offer)) => {
            state.composer.draft.name(&offer.text);
            // What is in a folder is offered next.
            if !offer.text.ends_with('/') {
                state.composer.draft.type_char(' ');
            }
            return attach::named(state, &format!("@{}", offer.text));
        }
        (Kind::History { .. }, Some(offer)) => state.composer.draft = Draft::of(&offer.text),
        (Kind::History { before, .. }, None) => state.composer.draft = before,
        (Kind::Command { .. } | Kind::File { .. } | Kind::Shut { .. }, None)
        | (Kind::Shut { .. }, Some(_)) => {}
    }
    Vec::new()
}

/// esc closes what is offered; whether it was open.
pub(super) fn leave(state: &mut State) -> bool {
    if state.focus != Focus::Composer || !state.offers() {
        return false;
    }
    let words = match state.composer.offered.take().map(|offered| offered.kind) {
        Some(Kind::History { before, .. }) => {
            state.composer.draft = before;
            return true;
        }
        Some(Kind::Command { line }) => line,
        Some(Kind::File { words, .. }) => words,
        Some(Kind::Shut { .. }) | None => return false,
    };
    let kind = Kind::Shut { words };
    state.composer.offered = Some(Offered { kind, rows: Vec::new(), row: 0, fit: 0 });
    true
}

/// The files that were looked for.
pub(super) fn found(state: &mut State, of: &str, found: Found) -> Vec<Effect> {
    let Some(offered) = &mut state.composer.offered else { return Vec::new() };
    let Kind::File { words, looks, cut } = &mut offered.kind else { return Vec::new() };
    if words != of {
        return Vec::new();
    }
    let taken = std::mem::replace(looks, Looks::Done) == Looks::Taking;
    (*cut, offered.fit, offered.row) = (found.cut, found.fit, 0);
    let row = |name: crate::tui::files::Name| Offer {
        shown: name.path,
        note: String::new(),
        text: name.text,
    };
    offered.rows = found.names.into_iter().map(row).collect();
    if taken { open(state) } else { Vec::new() }
}

/// Lets what is offered, and the drafts, follow what was written and which session is in view.
pub(super) fn follow(state: &mut State) -> Vec<Effect> {
    let mut effects = drafts::follow(state);
    effects.extend(offer(state));
    effects
}

fn offer(state: &mut State) -> Vec<Effect> {
    if let Some(Offered { kind: Kind::History { .. }, .. }) = &state.composer.offered {
        if state.focus != Focus::Composer || state.popup.is_some() {
            before::leave(state);
        }
        return Vec::new();
    }
    let draft = &state.composer.draft;
    let writes = state.focus == Focus::Composer && state.popup.is_none();
    let command = match draft.line() {
        Some(line) if line.starts_with('/') => {
            let rows = commands::offers(line);
            // A whole command is not offered again, and a path is none.
            (!matches!(&rows[..], [(only, _)] if only == line) && !rows.is_empty())
                .then(|| (line.to_owned(), rows))
        }
        Some(_) | None => None,
    };
    // In Python, that sign is an operator.
    let python = draft.leads() == Some('!');
    let file = draft.named().filter(|_| !python).map(str::to_owned);
    let shut = match &state.composer.offered {
        Some(Offered { kind: Kind::Shut { words }, .. }) => Some(words.clone()),
        Some(_) | None => None,
    };
    let closed = |line: &str| shut.as_deref().is_some_and(|shut| line.starts_with(shut));
    match (command, file) {
        _ if !writes => state.composer.offered = None,
        (Some((line, _)), _) if closed(&line) => {}
        (_, Some(words)) if closed(&words) => {}
        (Some((line, rows)), _) => {
            let same = matches!(&state.composer.offered,
                Some(Offered { kind: Kind::Command { line: known }, .. }) if *known == line);
            if !same {
                let row =
                    |(text, note): (String, String)| Offer { shown: text.clone(), note, text };
                let rows: Vec<_> = rows.into_iter().map(row).collect();
                let (fit, kind) = (rows.len(), Kind::Command { line });
                state.composer.offered = Some(Offered { kind, rows, row: 0, fit });
            }
        }
        (None, Some(words)) => {
            let (rows, fit) = match state.composer.offered.take() {
                Some(Offered { kind: Kind::File { words: known, looks, cut }, rows, row, fit })
                    if known == words =>
                {
                    let kind = Kind::File { words: known, looks, cut };
                    state.composer.offered = Some(Offered { kind, rows, row, fit });
                    return Vec::new();
                }
                // What fitted the letters before stays until there is something new: nothing jumps.
                Some(Offered { kind: Kind::File { .. }, rows, fit, .. }) => (rows, fit),
                Some(_) | None => (Vec::new(), 0),
            };
            let kind = Kind::File { words: words.clone(), looks: Looks::On, cut: false };
            state.composer.offered = Some(Offered { kind, rows, row: 0, fit });
            let node = state.sessions.node();
            let folder = node.map_or(&state.place.folder, |node| &node.spec.workspace);
            return vec![Effect::FindFiles(folder.clone(), words)];
        }
        (None, None) => state.composer.offered = None,
    }
    Vec::new()
}

/// Takes the draft away; ↑ has it back.
pub(super) fn clear(state: &mut State) {
    if let Some(Offered { kind: Kind::History { .. }, .. }) = state.composer.offered {
        before::leave(state);
        return;
    }
    state.composer.take();
    state.status.say("Draft emptied; ↑ has it back.", state.now.at);
}
