//! What was written through the gate, which of it is chosen, and what undoing that would do.

use std::{collections::BTreeSet, path::PathBuf};

use crate::{
    kernel::{
        change::{Planned, UNDO, Undo},
        event::{Envelope, Event, Origin},
        id::{CallId, SessionId},
    },
    tui::state::{compared::Compared, waiting::Compare},
};

/// How what one of them changed is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// Beside the list, where there is room.
    #[default]
    Beside,
    /// In the place of the list.
    Full,
    /// Likewise, both sides beside each other.
    Sides,
}

impl View {
    pub fn compare(self) -> Compare {
        match self {
            Self::Beside | Self::Full => Compare::Unified,
            Self::Sides => Compare::Sides,
        }
    }
}

/// The list.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// The session whose list it is.
    pub of: Option<SessionId>,
    /// The last change first, as the host told them.
    pub all: Vec<Planned>,
    pub chosen: BTreeSet<CallId>,
    /// What undoing the chosen ones would do, while that is being asked.
    pub undo: Option<Vec<Planned>>,
    /// What one of them changed, line by line.
    pub compared: Option<Compared>,
    /// What became of what was undone, each with whether it was.
    pub told: Vec<(bool, String)>,
    /// Why there is no list.
    pub fault: Option<String>,
    pub view: View,
    /// The file whose last change is to be chosen when the list comes.
    pub wanted: Option<PathBuf>,
    /// The calls that are writing.
    writing: BTreeSet<CallId>,
    /// Something was written since the list was made.
    pub stale: bool,
    /// It is being made.
    pub reading: bool,
}

impl Written {
    /// As it is when the list is opened: looked at anew, and nothing chosen.
    pub fn open(&mut self) {
        let told = if self.undo.is_none() { std::mem::take(&mut self.told) } else { Vec::new() };
        let (writing, reading) = (std::mem::take(&mut self.writing), self.reading);
        *self = Self { told, writing, reading, stale: true, ..Self::default() };
    }

    /// Takes in what an event says of files.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest writes nothing")]
    pub fn take(&mut self, envelope: &Envelope) {
        match &envelope.event {
            Event::ChangeBegun { call, .. } => {
                self.writing.insert(*call);
                self.stale = true;
            }
            Event::CallFinished { call, origin: Origin::Person, result, .. }
                if result.name == UNDO =>
            {
                self.writing.remove(call);
                self.stale = true;
                let why = result.content.get("message").and_then(serde_json::Value::as_str);
                let text = why.map_or_else(|| result.text(), str::to_owned);
                self.told.push((result.ok, text));
            }
            Event::CallFinished { call, .. } if self.writing.remove(call) => self.stale = true,
            _ => {}
        }
    }

    /// The chosen ones; the one in that row if there are none.
    pub fn meant(&self, row: usize) -> Vec<CallId> {
        if self.chosen.is_empty() {
            self.all.get(row).map(|planned| planned.recorded.call).into_iter().collect()
        } else {
            self.chosen.iter().copied().collect()
        }
    }

    /// How many of those that are asked about would be undone.
    pub fn able(&self) -> usize {
        let undo = self.undo.iter().flatten();
        undo.filter(|planned| !matches!(planned.undo, Undo::LeaveAlone(_))).count()
    }
}
