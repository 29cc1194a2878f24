//! What was said to a session and is not yet part of its conversation, and how long ago somebody
//! spoke.

use crate::kernel::{
    event::Outcome, id::SignalId, message::Message, picture::Picture, signal::Signal,
    spec::SessionSpec,
};

/// A message, with the number of the event in which somebody said it.
pub(super) type Told = (Option<u64>, Message);

/// Whether a signal begins an exchange in a session that rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wakes {
    Yes,
    No,
}

impl Wakes {
    /// The stop of an agent begins nothing where a person speaks: it was their will, and they can say
    /// what comes next. An agent goes on, since another has its answer.
    fn by(what: &Signal, to: &SessionSpec) -> Self {
        let is_stop =
            matches!(what, Signal::Ended { ending } if ending.outcome == Outcome::Stopped);
        if is_stop && to.parent.is_none() { Self::No } else { Self::Yes }
    }
}

/// In the order in which it came.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Later {
    said: Vec<Said>,
    requests: u32,
}

#[derive(Clone, Debug, PartialEq)]
enum Said {
    /// By the person, with what they showed, or as the task by the agent above.
    Words(u64, String, Vec<Picture>),
    /// By footplate, of what the person did.
    Note(String),
    /// By another agent, as the model is told.
    Signal { id: SignalId, told: String, wakes: Wakes },
}

impl Later {
    /// In the event of that number.
    pub(super) fn said(&mut self, seq: u64, text: String, pictures: Vec<Picture>) {
        self.requests = 0;
        self.said.push(Said::Words(seq, text, pictures));
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

    /// A signal came from an agent to the session of that description; one that comes twice counts
    /// once.
    pub(super) fn signal(
        &mut self,
        id: SignalId,
        what: &Signal,
        agent: &[String],
        to: &SessionSpec,
    ) {
        // As its receiver addresses it, if it is below.
        let below = agent.strip_prefix(to.path.as_slice());
        let told = what.told(&below.unwrap_or(agent).join("/"));
        if let Some(told) = told
            && !self.signals().contains(&id)
        {
            self.said.push(Said::Signal { id, told, wakes: Wakes::by(what, to) });
        }
    }

    /// The model learns of it in another way.
    pub(super) fn taken(&mut self, id: SignalId) {
        self.said.retain(|said| !matches!(said, Said::Signal { id: known, .. } if *known == id));
    }

    pub(super) fn signals(&self) -> Vec<SignalId> {
        let signals = self.said.iter().filter_map(|said| match said {
            Said::Words(..) | Said::Note(_) => None,
            Said::Signal { id, .. } => Some(*id),
        });
        signals.collect()
    }

    /// The words in it, with the number of their event.
    pub(super) fn spoken(&self) -> impl Iterator<Item = (u64, &str)> {
        self.said.iter().filter_map(|said| match said {
            Said::Words(seq, text, _) => Some((*seq, text.as_str())),
            Said::Note(_) | Said::Signal { .. } => None,
        })
    }

    /// Whether one of the signals wakes.
    pub(super) fn wakes(&self) -> bool {
        self.said.iter().any(|said| matches!(said, Said::Signal { wakes: Wakes::Yes, .. }))
    }

    pub(super) fn has_words(&self) -> bool {
        self.said.iter().any(|said| matches!(said, Said::Words(..)))
    }

    /// Takes words and notes, and leaves the signals for the next request.
    pub(super) fn words(&mut self) -> Vec<Told> {
        let words = self.said.extract_if(.., |said| !matches!(said, Said::Signal { .. }));
        words.map(Said::into).collect()
    }

    /// Takes all.
    pub(super) fn all(&mut self) -> Vec<Told> {
        self.said.drain(..).map(Said::into).collect()
    }
}

impl From<Said> for Told {
    fn from(said: Said) -> Self {
        match said {
            Said::Words(seq, text, pictures) => (Some(seq), Message::User { text, pictures }),
            Said::Note(text) => (None, Message::said(text)),
            Said::Signal { told, .. } => (None, Message::Agent(told)),
        }
    }
}
