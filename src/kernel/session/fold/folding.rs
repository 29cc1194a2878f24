//! A journal that comes event by event.

use super::{Session, span::Talk};
use crate::kernel::event::{Envelope, Event};

/// The fold of a journal that comes event by event.
#[derive(Debug, Default)]
pub struct Folding {
    begun: bool,
    session: Option<Session>,
    returns: Vec<u64>,
}

impl Folding {
    /// The fold of a journal in which the conversation is known to go back to before these messages
    /// (`conversation_rewound`): so it has all that stood there, also where a summary stood for it.
    pub fn returning(returns: Vec<u64>) -> Self {
        Self { returns, ..Self::default() }
    }

    /// Takes the next event in.
    pub fn take(&mut self, envelope: &Envelope) {
        if let Some(session) = &mut self.session {
            session.apply(envelope.seq, &envelope.event);
        } else if let (false, Event::SessionStarted { spec }) = (self.begun, &envelope.event) {
            let talk = Talk::returning(std::mem::take(&mut self.returns));
            self.session = Some(Session { talk, ..Session::new(spec.clone()) });
        }
        self.begun = true;
    }

    /// The session; absent if its first event was not `session_started`.
    pub fn session(self) -> Option<Session> {
        self.session
    }
}
