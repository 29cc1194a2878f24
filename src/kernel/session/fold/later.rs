//! What was said to a session and is not yet part of its conversation, and how long ago somebody
//! spoke.

use crate::kernel::{id::SignalId, message::Message};

/// In the order in which it came.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Later {
    said: Vec<Said>,
    requests: u32,
}

#[derive(Clone, Debug, PartialEq)]
enum Said {
    /// By the person, or as the task by the agent above.
    Words(String),
    /// By footplate, of what the person did.
    Note(String),
    /// By another agent, as the model is told.
    Signal(SignalId, String),
}

impl Later {
    pub(super) fn said(&mut self, text: String) {
        self.requests = 0;
        self.said.push(Said::Words(text));
    }

    pub(super) fn noted(&mut self, text: String) {
        self.said.push(Said::Note(text));
    }

    /// A request went to the model.
    pub(super) fn asked(&mut self) {
        self.requests += 1;
    }

    /// Requests since there were words.
    pub(super) fn requests(&self) -> u32 {
        self.requests
    }

    /// A signal came; one that comes twice counts once.
    pub(super) fn signal(&mut self, id: SignalId, told: Option<String>) {
        if let Some(told) = told
            && !self.signals().contains(&id)
        {
            self.said.push(Said::Signal(id, told));
        }
    }

    /// The model learns of it in another way.
    pub(super) fn taken(&mut self, id: SignalId) {
        self.said.retain(|said| !matches!(said, Said::Signal(known, _) if *known == id));
    }

    pub(super) fn signals(&self) -> Vec<SignalId> {
        let signals = self.said.iter().filter_map(|said| match said {
            Said::Words(_) | Said::Note(_) => None,
            Said::Signal(id, _) => Some(*id),
        });
        signals.collect()
    }

    /// The words in it.
    pub(super) fn spoken(&self) -> impl Iterator<Item = &String> {
        self.said.iter().filter_map(|said| match said {
            Said::Words(text) => Some(text),
            Said::Note(_) | Said::Signal(..) => None,
        })
    }

    pub(super) fn has_words(&self) -> bool {
        self.said.iter().any(|said| matches!(said, Said::Words(_)))
    }

    /// Takes words and notes, and leaves the signals for the next request.
    pub(super) fn words(&mut self) -> Vec<Message> {
        let words = self.said.extract_if(.., |said| !matches!(said, Said::Signal(..)));
        words.map(Said::into).collect()
    }

    /// Takes all.
    pub(super) fn all(&mut self) -> Vec<Message> {
        self.said.drain(..).map(Said::into).collect()
    }
}

impl From<Said> for Message {
    fn from(said: Said) -> Self {
        match said {
            Said::Words(text) | Said::Note(text) => Self::User(text),
            Said::Signal(_, text) => Self::Agent(text),
        }
    }
}
