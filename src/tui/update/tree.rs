//! What the tree of sessions does: nothing by itself, for all of it is asked of the host.

mod forms;
mod list;

use super::events;
use crate::{
    kernel::{
        command::Command,
        gate::approval::Question,
        id::SessionId,
        port::{NotResumed, When, Whereabouts},
    },
    tui::{
        effect::{Effect, Start},
        keymap::Place,
        state::{
            Focus, Popup, State,
            draft::Draft,
            status::Player,
            tree::{Reading, Row, Watched},
        },
        theme::Mark,
    },
};

pub(super) use self::{
    forms::{
        choose_said, delete, delete_chosen, deleted, fork, go_back, name, rename, rename_chosen,
        renamed, said, told,
    },
    list::{chosen_there, edit, filter, fold, hold, list, listed, order, sift, step_back, write},
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
pub(in crate::tui) fn watch(state: &mut State, root: SessionId, place: Whereabouts) -> Vec<Effect> {
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
    state.output.forget(&gone);
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

pub(in crate::tui) fn carry_on(state: &mut State, session: SessionId, when: When) -> Vec<Effect> {
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
            let send =
                words.map(|(session, draft)| Command::Send { session, words: draft.words() });
            effects.extend(send.map(Effect::Send));
        }
        Err(why) => {
            if let Some((_, draft)) = words {
                state.composer.give_back(draft);
            }
            if let Some(watched) = &mut state.sessions.tree.watched {
                watched.wanted &= watched.root != session;
            }
            if let NotResumed::Failed(why) = why {
                state.status.fault(why, state.now.at);
            }
        }
    }
    effects
}

/// Asks whether the chosen session is to be stopped; elsewhere than in the tree, the one in view.
pub(super) fn stop(state: &mut State) {
    let session = match (state.key_place(), chosen(state)) {
        (Place::Sessions, Some(Chosen::Known(session))) => Some(session),
        (Place::Sessions, _) => None,
        (_, _) => state.sessions.viewed(),
    };
    let Some(session) = session else {
        state.status.say("There is no session to stop.", state.now.at);
        return;
    };
    if let Some(why) = state.sessions.why_not(session) {
        state.status.say(why, state.now.at);
        return;
    }
    let works = state.sessions.get(session).is_some_and(|node| node.doing.works());
    if works || state.sessions.at_work_below(session) > 0 {
        state.popup = Some(Popup::Stop { session, row: 0 });
    } else {
        state.status.say("Nothing to stop: it is not at work.", state.now.at);
    }
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
        let text = super::compose::no_model(state);
        return say(state, &text);
    }
    start(state)
}

/// Has one started. From now on the keys are for it.
pub(super) fn start(state: &mut State) -> Vec<Effect> {
    if state.place.starting.is_some() {
        return say(state, "The session is being started.");
    }
    (state.popup, state.focus) = (None, Focus::Composer);
    state.place.starting = Some(Draft::default());
    vec![Effect::Start { what: Start::Here, message: None }]
}

/// Brings a session into view by its number: the oldest here is the first.
pub(super) fn by_number(state: &mut State, number: usize) {
    match state.sessions.roots().get(number - 1).copied() {
        Some(session) => show(state, session),
        None => state.status.say(format!("There is no session {number} here."), state.now.at),
    }
}

/// A question came up in a session that runs elsewhere, where it is answered; whether it did.
pub(super) fn asked_there(state: &mut State, question: &Question, at: jiff::Timestamp) -> bool {
    let session = question.session;
    if state.sessions.watched(session).is_none() {
        return false;
    }
    if let Some(watched) = &mut state.sessions.tree.watched {
        watched.asks.push((question.clone(), at));
    }
    let effect = question.category.name().to_uppercase();
    if let Some(node) = state.sessions.get_mut(session) {
        let said = format!("Waits for an answer there: {effect} {}", question.preview.object);
        node.transcript.notice(Mark::ClockHeld, said);
    }
    true
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
            | Command::Steer { session, .. }
            | Command::TakeBack { session, .. }
            | Command::Run { session, .. }
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
