//! What the tree of sessions does: nothing by itself, for all of it is asked of the host.

use super::events;
use crate::{
    kernel::{
        command::Command,
        id::SessionId,
        port::{Listed, NotResumed, Numbered, When, Whereabouts},
    },
    tui::{
        effect::{Effect, Start},
        keymap::Edit,
        state::{
            Focus, Popup, State,
            draft::Draft,
            status::Player,
            tree::{Below, By, Reading, Row, Watched},
        },
    },
};

/// What a row is about.
enum Chosen {
    /// A session that is known whole: it runs here, or is looked at.
    Known(SessionId),
    /// One of the list.
    Listed(SessionId, Whereabouts),
}

impl Chosen {
    fn id(&self) -> SessionId {
        match self {
            Self::Known(id) | Self::Listed(id, _) => *id,
        }
    }
}

fn row(state: &State) -> Option<Row> {
    state.tree().get(state.sessions.cursor)
}

fn chosen(state: &State) -> Option<Chosen> {
    match row(state)? {
        Row::Session(twig) | Row::Program { twig, .. } => Some(Chosen::Known(twig.session)),
        Row::Listed(at) => {
            let listed = state.sessions.tree.listed.get(at)?;
            Some(Chosen::Listed(listed.session.spec.id, listed.place.clone()))
        }
        Row::Ended { .. } | Row::Others(_) => None,
    }
}

fn say(state: &mut State, text: impl Into<String>) -> Vec<Effect> {
    state.status.say(text, state.now.at);
    Vec::new()
}

/// The session that no agent started; an agent goes with its session.
fn root(state: &mut State) -> Option<Chosen> {
    let chosen = chosen(state)?;
    if state.sessions.get(chosen.id()).is_some_and(|node| node.spec.parent.is_some()) {
        state.status.say("An agent goes with its session: choose that one.", state.now.at);
        return None;
    }
    Some(chosen)
}

/// enter: shows what is chosen; what another process has is asked about first.
pub(super) fn open(state: &mut State) -> Vec<Effect> {
    match row(state) {
        Some(Row::Ended { twig, .. }) => state.sessions.tree.spread(twig.session),
        Some(Row::Others(_)) => state.sessions.tree.others_open = !state.sessions.tree.others_open,
        Some(Row::Session(_) | Row::Program { .. } | Row::Listed(_)) => match chosen(state) {
            Some(Chosen::Listed(session, Whereabouts::There(_))) => {
                state.popup = Some(Popup::Held { session });
            }
            Some(Chosen::Listed(session, place)) => return watch(state, session, place),
            Some(Chosen::Known(session)) => show(state, session),
            None => {}
        },
        None => {}
    }
    Vec::new()
}

fn show(state: &mut State, session: SessionId) {
    state.sessions.show(session);
    state.popup = None;
    state.focus = Focus::Composer;
}

/// Looks at a session that does not run here.
fn watch(state: &mut State, root: SessionId, place: Whereabouts) -> Vec<Effect> {
    let mut effects = leave(state);
    let watched = Watched { root, place, asks: Vec::new(), wanted: false };
    state.sessions.tree.watched = Some(watched);
    state.sessions.prefer(Some(root));
    state.popup = None;
    state.focus = Focus::Composer;
    effects.push(Effect::Send(Command::Watch { session: root }));
    effects
}

/// Looks no more at what was looked at.
fn leave(state: &mut State) -> Vec<Effect> {
    let Some(watched) = state.sessions.tree.watched.take() else { return Vec::new() };
    let gone = state.sessions.forget(watched.root);
    state.output.runs.retain(|run| !gone.contains(&run.session));
    state.sessions.tree.beside.retain(|_, session| !gone.contains(session));
    state.records.forget(&gone);
    if state.sessions.tree.form.words.take_if(|(to, _)| *to == watched.root).is_some() {
        state.status.say("It was not carried on, and nothing was said.", state.now.at);
    }
    sift(state);
    vec![Effect::Send(Command::Unwatch { session: watched.root })]
}

/// enter, where another process has it.
pub(super) fn watch_held(state: &mut State) -> Vec<Effect> {
    let Some(Popup::Held { session }) = state.popup else { return Vec::new() };
    let place = place(state, session);
    watch(state, session, place)
}

/// Where the list says that a session runs.
pub(in crate::tui) fn place(state: &State, session: SessionId) -> Whereabouts {
    let listed = state.sessions.tree.listed.iter().find(|one| one.session.spec.id == session);
    // Whoever asks about one that is not listed yet was told that somebody has it.
    listed.map_or(Whereabouts::There(None), |listed| listed.place.clone())
}

/// Carries on what is chosen, at once or as soon as it is let go.
pub(super) fn resume(state: &mut State) -> Vec<Effect> {
    let (session, when) = match (state.popup, chosen(state)) {
        (Some(Popup::Held { session }), _) => (session, When::LetGo),
        (_, Some(Chosen::Listed(session, Whereabouts::There(_)))) => {
            state.popup = Some(Popup::Held { session });
            return Vec::new();
        }
        (_, Some(Chosen::Listed(session, _))) => (session, When::Now),
        (_, Some(Chosen::Known(session))) => {
            let session = state.sessions.root(session);
            match state.sessions.watched(session).map(|watched| &watched.place) {
                None => return say(state, "It runs here already."),
                Some(Whereabouts::There(_)) => (session, When::LetGo),
                Some(Whereabouts::Free | Whereabouts::Here) => (session, When::Now),
            }
        }
        (_, None) => return Vec::new(),
    };
    carry_on(state, session, when)
}

fn carry_on(state: &mut State, session: SessionId, when: When) -> Vec<Effect> {
    let mut effects = Vec::new();
    if state.sessions.watched(session).is_none() {
        let place = place(state, session);
        effects = watch(state, session, place);
    }
    state.popup = None;
    if let Some(watched) = &mut state.sessions.tree.watched {
        if watched.wanted {
            return effects;
        }
        watched.wanted = true;
        if let (When::LetGo, Whereabouts::There(by)) = (when, &watched.place) {
            let by = by.as_deref().unwrap_or("the other footplate");
            let said = format!("Taken over as soon as {by} lets go. Until then you watch.");
            state.status.say(said, state.now.at);
        }
    }
    effects.push(Effect::Resume(session, when));
    effects
}

/// Words for a session that is looked at: they carry it on where it is free. Whether it is one.
pub(super) fn send(state: &mut State, session: SessionId) -> Option<Vec<Effect>> {
    let watched = state.sessions.watched(session)?;
    let (root, free) = (watched.root, watched.place == Whereabouts::Free);
    let why = state.sessions.why_not(session).unwrap_or_default();
    if !free || root != session {
        return Some(say(state, why));
    }
    let words = state.composer.take();
    state.sessions.tree.form.words = Some((root, words));
    Some(carry_on(state, root, When::Now))
}

/// A session was carried on here, or was not.
pub(super) fn resumed(
    state: &mut State,
    session: SessionId,
    came: Result<Option<String>, NotResumed>,
) -> Vec<Effect> {
    let words = state.sessions.tree.form.words.take_if(|(to, _)| *to == session);
    let mut effects = list(state);
    match came {
        Ok(notice) => {
            let mine = state.sessions.tree.watched.take_if(|watched| watched.root == session);
            for (question, at) in mine.into_iter().flat_map(|watched| watched.asks) {
                effects.extend(events::asked(state, &question, at));
            }
            let said = notice.map_or_else(String::new, |notice| format!(" {notice}"));
            state.status.say(format!("Carried on here.{said}"), state.now.at);
            let send = words.map(|(session, text)| Command::Send { session, text });
            effects.extend(send.map(Effect::Send));
        }
        Err(why) => {
            if let Some((_, text)) = words {
                state.composer.give_back(&text);
            }
            if let Some(watched) = &mut state.sessions.tree.watched {
                watched.wanted &= watched.root != session;
            }
            if let NotResumed::Failed(why) = why {
                state.status.say(why, state.now.at);
            }
        }
    }
    effects
}

/// Folds what is chosen, or shows what is below it.
pub(super) fn fold(state: &mut State, below: Below) {
    match row(state) {
        Some(Row::Session(twig)) if twig.below != Below::Nothing => {
            if below == Below::Folded && twig.below == Below::Folded {
                return to_parent(state, twig.session);
            }
            state.sessions.tree.fold(twig.session, below);
        }
        Some(Row::Session(twig)) if below == Below::Folded => to_parent(state, twig.session),
        Some(Row::Ended { twig, .. }) => {
            if (below == Below::Shown) != state.sessions.tree.is_spread(twig.session) {
                state.sessions.tree.spread(twig.session);
            }
        }
        Some(Row::Others(_)) => state.sessions.tree.others_open = below == Below::Shown,
        Some(Row::Session(_) | Row::Program { .. } | Row::Listed(_)) | None => {}
    }
}

fn to_parent(state: &mut State, session: SessionId) {
    let parent = state.sessions.get(session).and_then(|node| node.spec.parent);
    if parent.is_some() {
        state.sessions.cursor = state.tree().place(parent);
    }
}

/// The other order. The list holds what is chosen in it.
pub(super) fn order(state: &mut State) {
    state.sessions.tree.order = match state.sessions.tree.order {
        By::Attention => By::Age,
        By::Age => By::Attention,
    };
    sift(state);
}

/// Asks whether the chosen session is to be stopped.
pub(super) fn stop(state: &mut State) {
    let Some(Chosen::Known(session)) = chosen(state) else { return };
    if let Some(why) = state.sessions.why_not(session) {
        state.status.say(why, state.now.at);
        return;
    }
    let works = state.sessions.get(session).is_some_and(|node| node.doing.works());
    if works || state.sessions.at_work_below(session) > 0 {
        state.popup = Some(Popup::Stop { session, row: 0 });
    } else {
        state.status.say("It does not work now.", state.now.at);
    }
}

/// Asks whether the chosen session is to be deleted.
pub(super) fn delete(state: &mut State) -> Vec<Effect> {
    let Some(chosen) = root(state) else { return Vec::new() };
    let session = chosen.id();
    let place = match chosen {
        Chosen::Listed(_, place) => place,
        Chosen::Known(_) => match state.sessions.watched(session) {
            Some(watched) => watched.place.clone(),
            None => Whereabouts::Here,
        },
    };
    match place {
        Whereabouts::Free => state.popup = Some(Popup::Delete { session, row: 0 }),
        Whereabouts::Here => {
            return say(state, "It runs here. Once footplate was left, it can be deleted.");
        }
        Whereabouts::There(by) => {
            let by = by.unwrap_or_else(|| "another footplate".to_owned());
            return say(state, format!("Not deleted: {by} has it."));
        }
    }
    Vec::new()
}

/// enter, where it is asked whether to delete.
pub(super) fn delete_chosen(state: &mut State) -> Vec<Effect> {
    let Some(Popup::Delete { session, row }) = state.popup.take() else { return Vec::new() };
    state.popup = Some(Popup::Sessions);
    if row == 0 {
        return Vec::new();
    }
    let mut effects = match state.sessions.watched(session) {
        Some(_) => leave(state),
        None => Vec::new(),
    };
    effects.push(Effect::Delete(session));
    effects
}

/// It is gone, or why it is not.
pub(super) fn deleted(state: &mut State, came: Result<(), String>) -> Vec<Effect> {
    let said = came.map_or_else(|why| format!("Not deleted: {why}"), |()| "Deleted.".to_owned());
    state.status.say(said, state.now.at);
    list(state)
}

/// Goes to where words for the chosen session are written.
pub(super) fn message(state: &mut State) -> Vec<Effect> {
    match chosen(state) {
        Some(Chosen::Known(session)) => show(state, session),
        Some(Chosen::Listed(..)) => return open(state),
        None => {}
    }
    Vec::new()
}

/// Begins a session.
pub(super) fn add(state: &mut State) -> Vec<Effect> {
    if matches!(state.place.player, Player::Nobody { .. }) {
        return say(state, "No model. ctrl+c, esc, then enter: the tour.");
    }
    if state.place.starting.is_some() {
        return say(state, "The session is being started.");
    }
    state.popup = None;
    state.place.starting = Some(String::new());
    vec![Effect::Start { what: Start::Here, message: None }]
}

/// Begins to write another name for the chosen session.
pub(super) fn rename(state: &mut State) {
    let Some(chosen) = root(state) else { return };
    let session = chosen.id();
    let called = match chosen {
        Chosen::Known(_) => state.sessions.get(session).map(|node| node.called().to_owned()),
        Chosen::Listed(..) => {
            let listed = state.sessions.tree.listed.iter();
            let mut listed = listed.filter(|one| one.session.spec.id == session);
            listed.next().and_then(|one| one.session.called().map(str::to_owned))
        }
    };
    let mut name = Draft::default();
    called.unwrap_or_default().chars().take(80).for_each(|c| name.type_char(c));
    state.sessions.tree.form.name = name;
    state.popup = Some(Popup::Rename { session });
}

/// enter, where a name is written.
pub(super) fn rename_chosen(state: &mut State) -> Vec<Effect> {
    let Some(Popup::Rename { session }) = state.popup else { return Vec::new() };
    let name = state.sessions.tree.form.name.text();
    if name.trim().is_empty() {
        return say(state, "A name needs a letter.");
    }
    state.popup = Some(Popup::Sessions);
    let mut effects = vec![Effect::Send(Command::Rename { session, name })];
    effects.extend(list(state));
    effects
}

/// Asks for a copy of the chosen session, which then stands in the tree.
pub(super) fn fork(state: &mut State) -> Vec<Effect> {
    let session = match state.popup {
        Some(Popup::Held { session }) => session,
        _ => match root(state) {
            Some(chosen) => chosen.id(),
            None => return Vec::new(),
        },
    };
    if let Some(Popup::Held { .. }) = state.popup {
        state.popup = None;
    }
    state.status.say("A copy begins, and asks for everything again.", state.now.at);
    vec![Effect::Send(Command::Fork { session, before: None })]
}

/// Shows what was said in a session, to go back to before that.
pub(super) fn said(state: &mut State) -> Vec<Effect> {
    let session = match state.popup {
        Some(_) => root(state).map(|chosen| chosen.id()),
        None => state.sessions.viewed().map(|session| state.sessions.root(session)),
    };
    let Some(session) = session else { return Vec::new() };
    state.sessions.tree.form.said = Vec::new();
    state.popup = Some(Popup::Said { session, row: 0 });
    vec![Effect::ReadSaid(session)]
}

/// What was said came.
pub(super) fn told(state: &mut State, of: SessionId, came: Result<Vec<Numbered>, String>) {
    let Some(Popup::Said { session, row }) = &mut state.popup else { return };
    match came {
        Ok(said) if *session == of => {
            *row = said.len().saturating_sub(1);
            state.sessions.tree.form.said = said;
        }
        Ok(_) => {}
        Err(why) => state.status.say(why, state.now.at),
    }
}

/// enter, where what was said is listed.
pub(super) fn choose_said(state: &mut State) {
    let Some(Popup::Said { session, row }) = state.popup else { return };
    if let Some(said) = state.sessions.tree.form.said.get(row) {
        state.popup = Some(Popup::Rewind { session, before: said.number, row: 0 });
    }
}

/// enter, where it is asked how to go back.
pub(super) fn go_back(state: &mut State) -> Vec<Effect> {
    let Some(Popup::Rewind { session, before, row }) = state.popup.take() else {
        return Vec::new();
    };
    match row {
        1 => {
            state.status.say("A copy begins, and asks for everything again.", state.now.at);
            vec![Effect::Send(Command::Fork { session, before: Some(before) })]
        }
        2 => match state.sessions.get(session).map(|_| state.sessions.why_not(session)) {
            Some(None) => vec![Effect::Send(Command::Rewind { session, before })],
            Some(Some(why)) => say(state, why),
            None => say(state, "It does not run here: r carries it on."),
        },
        _ => Vec::new(),
    }
}

/// Brings a session into view by its number: the oldest here is the first.
pub(super) fn by_number(state: &mut State, number: usize) {
    match state.sessions.roots().get(number - 1).copied() {
        Some(session) => show(state, session),
        None => state.status.say(format!("There is no session {number} here."), state.now.at),
    }
}

/// Has the list made.
pub(super) fn list(state: &mut State) -> Vec<Effect> {
    if let Reading::Since(_) = state.sessions.tree.reading {
        return Vec::new();
    }
    state.sessions.tree.reading = Reading::Since(state.now.at);
    vec![Effect::ListSessions]
}

/// The list came. What is chosen stays chosen.
pub(super) fn listed(state: &mut State, came: Result<Vec<Listed>, String>) {
    state.sessions.tree.came(state.now.at);
    match came {
        Ok(listed) => state.sessions.tree.listed = listed,
        Err(why) => {
            state.status.say(why, state.now.at);
            return;
        }
    }
    let root = state.sessions.tree.watched.as_ref().map(|watched| watched.root);
    if let Some(root) = root {
        let place = place(state, root);
        if let Some(watched) = &mut state.sessions.tree.watched
            && place != Whereabouts::Here
        {
            watched.place = place;
        }
    }
    sift(state);
}

/// Finds out anew which rows there are, and holds the chosen one.
pub(super) fn sift(state: &mut State) {
    let held = chosen(state).map(|chosen| chosen.id());
    let known: std::collections::BTreeSet<_> = state.sessions.iter().map(|(id, _)| *id).collect();
    state.sessions.tree.sift(|id| known.contains(&id));
    let rows = state.tree();
    let is_it = |row: Row| match row {
        Row::Session(twig) => Some(twig.session) == held,
        Row::Listed(at) => {
            let listed = state.sessions.tree.listed.get(at);
            listed.is_some_and(|listed| Some(listed.session.spec.id) == held)
        }
        Row::Ended { .. } | Row::Program { .. } | Row::Others(_) => false,
    };
    let last = rows.len().saturating_sub(1);
    let found = (0..rows.len()).find(|at| held.is_some() && rows.get(*at).is_some_and(is_it));
    state.sessions.cursor = found.unwrap_or(state.sessions.cursor.min(last));
}

/// Begins to type what the tree is narrowed by, or ends it.
pub(super) fn filter(state: &mut State, typing: bool) {
    if typing && state.popup.is_none() {
        state.popup = Some(Popup::Sessions);
    }
    state.sessions.tree.filter.typing = typing;
}

/// esc: first what the tree is narrowed by goes, then a step back. Whether that was all.
pub(super) fn step_back(state: &mut State) -> bool {
    match state.popup {
        Some(Popup::Sessions) if state.sessions.tree.filter.is_on() => {
            state.sessions.tree.filter = Default::default();
            sift(state);
        }
        Some(Popup::Held { .. } | Popup::Delete { .. } | Popup::Rename { .. }) => {
            state.popup = Some(Popup::Sessions);
        }
        Some(Popup::Rewind { session, before, .. }) => {
            let said = &state.sessions.tree.form.said;
            let row = said.iter().position(|said| said.number == before).unwrap_or(0);
            state.popup = Some(Popup::Said { session, row });
        }
        _ => return false,
    }
    true
}

/// The text of an open list that takes the keys, if one does.
pub(super) fn field(state: &mut State) -> Option<&mut Draft> {
    match state.popup {
        Some(Popup::Sessions) if state.sessions.tree.filter.typing => {
            Some(&mut state.sessions.tree.filter.words)
        }
        Some(Popup::Rename { .. }) => Some(&mut state.sessions.tree.form.name),
        _ => None,
    }
}

/// What is written there counts at once; whether there was a text.
pub(super) fn write(state: &mut State, edit: impl FnOnce(&mut Draft)) -> bool {
    let Some(draft) = field(state) else { return false };
    edit(draft);
    if state.popup == Some(Popup::Sessions) {
        sift(state);
        state.sessions.cursor = 0;
    }
    true
}

/// An edit of that text; enter is no line there.
pub(super) fn edit(state: &mut State, edit: Edit) -> bool {
    write(state, |draft| {
        draft.edit(edit);
    })
}

/// Keeps the list up to date while it is in sight, and looks no more at what nobody looks at.
pub(super) fn follow(state: &mut State) -> Vec<Effect> {
    let mut effects = Vec::new();
    let tree = &state.sessions.tree;
    let shown = state.drawn.layout.room.has_columns()
        || matches!(state.popup, Some(Popup::Sessions | Popup::Held { .. }));
    let first = tree.reading == Reading::Never && shown;
    if first || state.list_due().is_some_and(|due| due <= state.now.at) {
        effects.extend(list(state));
    }
    let elsewhere = |watched: &Watched| {
        let viewed = state.sessions.viewed().map(|viewed| state.sessions.root(viewed));
        let there = state.sessions.get(watched.root).is_some();
        there
            && !watched.wanted
            && viewed != Some(watched.root)
            && state.popup != Some(Popup::Sessions)
    };
    if state.sessions.tree.watched.as_ref().is_some_and(elsewhere) {
        effects.extend(leave(state));
    }
    effects
}

/// Nothing is done in a session that does not run here.
pub(super) fn refuse(state: &mut State, effects: &mut Vec<Effect>) {
    let mut why = None;
    effects.retain(|effect| {
        let Effect::Send(command) = effect else { return true };
        let session = match command {
            Command::Send { session, .. }
            | Command::Interrupt { session }
            | Command::Cancel { session, .. }
            | Command::SetMode { session, .. }
            | Command::RevokeSaved { session, .. }
            | Command::Undo { session, .. }
            | Command::Rewind { session, .. } => *session,
            Command::Answer { .. }
            | Command::Revoke { .. }
            | Command::ReadRules
            | Command::Judge { .. }
            | Command::Fork { .. }
            | Command::Watch { .. }
            | Command::Unwatch { .. }
            | Command::Delete { .. }
            | Command::Rename { .. } => return true,
        };
        let not = state.sessions.why_not(session);
        let keep = not.is_none();
        why = why.take().or(not);
        keep
    });
    if let Some(why) = why {
        state.status.say(why, state.now.at);
    }
}
