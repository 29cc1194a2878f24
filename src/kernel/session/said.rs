//! What people said in a conversation, and nothing else of it: for whoever counts messages.

use jiff::Timestamp;

use crate::kernel::{
    event::{Envelope, Event},
    port::Kinds,
};

/// The words of people in a conversation as it is now, in order. What a summary stands for belongs to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said(Vec<Words>);

/// Words of a person, or of the agent above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// The number of their event.
    pub seq: u64,
    /// When they were said.
    pub at: Timestamp,
    /// They themselves.
    pub text: String,
}

impl Said {
    /// The types of events that it takes in: no other changes it.
    pub const KINDS: Kinds = &["message_sent", "conversation_rewound"];

    /// Takes the next event in.
    pub fn take(&mut self, envelope: &Envelope) {
        if let Event::MessageSent { text, .. } = &envelope.event {
            let (seq, at, text) = (envelope.seq, envelope.at, text.clone());
            self.0.push(Words { seq, at, text });
        } else if let Event::ConversationRewound { to } = envelope.event {
            self.0.retain(|words| words.seq < to);
        }
    }

    /// All of them: the number that a copy or a way back names is the place here, from 1.
    pub fn all(&self) -> &[Words] {
        &self.0
    }

    /// Those of that number.
    pub fn numbered(&self, number: usize) -> Option<&Words> {
        self.0.get(number.checked_sub(1)?)
    }
}
