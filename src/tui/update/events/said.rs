//! What is said of an answer.

use crate::{
    kernel::{
        event::Decider,
        gate::approval::{Answer, Scope, Then},
    },
    tui::{
        hints,
        keymap::Go,
        state::{State, waiting::Waiting},
    },
};

/// The line that tells of a person's answer; what nobody answered has none.
pub(super) fn toast(
    state: &State,
    waiting: &Waiting,
    answer: &Answer,
    by: &Decider,
) -> Option<String> {
    let grants = hints::shows(&state.controls, Go::Grants);
    let object = &waiting.question.preview.object;
    match (by, answer) {
        (Decider::Person, Answer::Allow { scope: Scope::Once }) => {
            // The clock of a script runs again only when nothing else of it is open.
            let clock = match waiting.question.script.map(|script| state.queue.of(script)) {
                None => String::new(),
                Some(0) => " The clock runs again.".to_owned(),
                Some(1) => " 1 more of it waits.".to_owned(),
                Some(others) => format!(" {others} more of it wait."),
            };
            Some(format!("Yes, once: {object}.{clock}"))
        }
        (Decider::Person, Answer::Allow { scope: Scope::Session { .. } }) => {
            Some(format!("Saved for this session; {grants} shows it, and takes it back."))
        }
        (Decider::Person, Answer::AllowEdited { .. }) => {
            Some("Yes, as edited. The model is told.".to_owned())
        }
        (Decider::Person, Answer::Deny { then: Then::GoOn, .. }) => {
            Some("No. The model was told, and goes on.".to_owned())
        }
        (Decider::Person, Answer::Deny { then: Then::StopTurn, .. }) => {
            Some("No. The turn is stopped; agents below it go on.".to_owned())
        }
        (Decider::Person, Answer::Allow { scope: Scope::Always { .. } }) => {
            Some(format!("Saved for always, in your rules; {grants} shows it."))
        }
        (
            Decider::Grant
            | Decider::Rule { .. }
            | Decider::Mode { .. }
            | Decider::Monitor(_)
            | Decider::Nobody
            | Decider::Record { .. }
            | Decider::Expiry,
            _,
        ) => None,
    }
}
