//! The log: what sessions say in it, and what is done with its lines.

use super::events::is_news;
use crate::{
    kernel::event::{Envelope, Event, Outcome, Stop},
    tui::{
        effect::Effect,
        state::{
            State,
            log::{Kind, Said},
            transcript::Scroll,
        },
    },
};

/// Takes in what an event says that the person should be able to read again.
#[expect(clippy::wildcard_enum_match_arm, reason = "the rest is work that goes on")]
pub(super) fn happened(state: &mut State, envelope: &Envelope) {
    let (kind, text) = match &envelope.event {
        Event::ExchangeFinished {
            outcome: Outcome::Failed { message } | Outcome::Limit { message },
        }
        | Event::SessionFinished {
            outcome: Outcome::Failed { message } | Outcome::Limit { message },
        }
        | Event::TurnFinished { stop: Stop::Failed { message }, .. } => {
            (Kind::Fault, message.clone())
        }
        Event::SessionResumed { notice: Some(notice) } => (Kind::Warning, notice.clone()),
        Event::PutAside { things, .. } => {
            let names: Vec<_> =
                things.iter().map(|thing| thing.was.display().to_string()).collect();
            let what = names.join(", ");
            (Kind::Warning, format!("A run made {what}, which other programs obey."))
        }
        _ => return,
    };
    // A turn that failed ends its exchange, and that may end its session: one fault, said once.
    let again = state.status.log.just_said(envelope.at, &text, envelope.session);
    if is_news(state, envelope.at) && !again {
        state.status.log.put(envelope.at, kind, &text, Some(envelope.session));
    }
}

fn chosen(state: &State, row: usize) -> Option<Said> {
    state.status.log.shown(&state.records.filter).get(row).map(|said| (*said).clone())
}

/// Goes to the session of which it was said.
pub(super) fn open(state: &mut State, row: usize) {
    let Some(session) = chosen(state, row).and_then(|said| said.session) else { return };
    state.popup = None;
    state.sessions.show(session);
    if let Some(node) = state.sessions.node_mut() {
        node.transcript.scroll = Scroll::Follow;
    }
}

/// The chosen line with its time, to be used elsewhere.
pub(super) fn copy(state: &mut State, row: usize) -> Vec<Effect> {
    let Some(said) = chosen(state, row) else { return Vec::new() };
    let (day, second) = (state.records.day(said.at), state.records.second(said.at));
    let text = format!("{day} {second} {}", said.text);
    // Not said in the log that is being read.
    state.status.show("Copied, if the terminal allows it.", state.now.at);
    vec![Effect::Copy(text)]
}

/// Shows the person what this program wrote for its developers.
pub(super) fn visit(state: &mut State) -> Vec<Effect> {
    match state.status.log.file.clone() {
        Some(file) => vec![Effect::Visit(file)],
        None => {
            state.status.show("No log is written for developers.", state.now.at);
            Vec::new()
        }
    }
}
