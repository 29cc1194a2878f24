//! How a view of a transcript is held.

/// Where the view of a transcript stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scroll {
    /// At the end, whatever comes.
    #[default]
    Follow,
    /// With this row of this cell at the top, whatever comes.
    Held { cell: usize, row: usize },
}
