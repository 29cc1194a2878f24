//! What sessions say to each other, in the transcripts of both.

use crate::{
    kernel::{
        event::{Envelope, Event},
        id::SignalId,
        signal::Signal,
    },
    tui::{
        state::{
            State,
            sessions::{Node, Sessions},
        },
        theme::Mark,
    },
};

/// Shows a signal where it was sent and where it came.
pub(super) fn apply(state: &mut State, envelope: &Envelope) {
    let sessions = &mut state.sessions;
    if let Event::SignalSent { to, what, .. } = &envelope.event {
        let name = match sessions.get(*to) {
            Some(other) => other.called().to_owned(),
            None => "an agent".to_owned(),
        };
        let said = match what {
            Signal::Words { text } => Some(format!("To {name}: {text}")),
            Signal::Stop => Some(format!("Stops {name}.")),
            Signal::Ended { .. } | Signal::Program { .. } => None,
        };
        tell(sessions, envelope, said);
    }
    if let Event::SignalReceived { signal, agent, what, .. } = &envelope.event {
        let name = agent.last().map_or("an agent", String::as_str);
        match what {
            Signal::Words { text } => {
                tell(sessions, envelope, Some(format!("From {name}: {text}")))
            }
            Signal::Program { ended } => {
                let said = format!("{} {}.", ended.program, ended.how());
                tell(sessions, envelope, Some(said));
            }
            Signal::Stop => tell(sessions, envelope, Some(format!("Stopped by {name}."))),
            // Where a script waits for it nothing more is to be said.
            Signal::Ended { .. } => {
                if let Some(node) = sessions.get_mut(envelope.session) {
                    node.untold.push((*signal, name.to_owned()));
                }
            }
        }
    }
    if let Event::SignalTaken { signal, .. } = &envelope.event
        && let Some(node) = sessions.get_mut(envelope.session)
    {
        node.untold.retain(|(known, _)| known != signal);
    }
}

/// A request begins: its model is told of the agents that are over.
pub(super) fn told(node: &mut Node) {
    let over: Vec<(SignalId, String)> = std::mem::take(&mut node.untold);
    let names: Vec<_> = over.iter().map(|(_, name)| name.as_str()).collect();
    let told = match names.split_last() {
        None => return,
        Some((one, [])) => format!("Told that {one} is over."),
        Some((last, others)) => format!("Told that {} and {last} are over.", others.join(", ")),
    };
    node.transcript.notice(Mark::Note, told);
}

fn tell(sessions: &mut Sessions, envelope: &Envelope, said: Option<String>) {
    if let (Some(said), Some(node)) = (said, sessions.get_mut(envelope.session)) {
        node.transcript.notice(Mark::Note, said);
    }
}
