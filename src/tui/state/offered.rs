//! What is offered for what is being written: files, commands, or words of before.

use super::draft::Draft;

/// A short list over the composer.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered {
    pub kind: Kind,
    pub rows: Vec<Offer>,
    pub row: usize,
    /// How many there are in all, where more fit than are listed.
    pub fit: usize,
}

/// What it lists.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Commands for this line.
    Command { line: String },
    /// Files for these words; `cut` where not all of the folder was looked at.
    File { words: String, looks: Looks, cut: bool },
    /// Words of before that hold these; the draft that was there.
    History { words: Draft, before: Draft },
    /// Nothing for these words any more: the person closed it.
    Shut { words: String },
}

/// How far files are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    /// The rows are those of other words.
    On,
    /// Likewise, and enter was pressed: the best is taken when it is known.
    Taking,
    Done,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What a person sees; it may hold anything.
    pub shown: String,
    pub note: String,
    /// What is put in the draft.
    pub text: String,
}

impl Offered {
    /// Whether it is there to be seen and takes keys.
    pub fn is_open(&self) -> bool {
        match self.kind {
            Kind::Command { .. } => !self.rows.is_empty(),
            Kind::File { .. } | Kind::History { .. } => true,
            Kind::Shut { .. } => false,
        }
    }

    pub fn chosen(&self) -> Option<&Offer> {
        self.rows.get(self.row)
    }
}
