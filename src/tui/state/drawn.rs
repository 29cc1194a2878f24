//! What the last frame showed, as it told.

use ratatui::layout::Rect;

use crate::{
    kernel::{
        id::{ApprovalId, CallId, SessionId},
        picture::PictureId,
    },
    tui::{layout::Layout, picture, sheet::Shape},
};

/// What the last frame showed: the screen acts only on what was really there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    pub width: u16,
    pub height: u16,
    pub question: Option<DrawnQuestion>,
    /// The transcript's rows in sight, and the first of them.
    pub transcript: DrawnText,
    /// The outputs in sight.
    pub outputs: Vec<DrawnOutput>,
    /// The change that is in sight, where one is.
    pub change: Option<DrawnChange>,
    /// The file that is in sight, where one is.
    pub file: Option<DrawnFile>,
    /// Where everything is.
    pub layout: Layout,
    /// A text that is not made ready to be drawn.
    pub unlaid: Option<Unlaid>,
    /// The text that is selected by the mouse.
    pub selected: Option<String>,
    /// So many cells of that session are in the terminal's scrollback now.
    pub printed: Option<(SessionId, usize)>,
    /// The row from which a text over the transcript is in sight to its end: the last to begin at.
    pub last: usize,
    /// The pictures in sight that are more than cells.
    pub pictures: Vec<DrawnPicture>,
}

/// A picture on the screen of which the terminal has to be sent something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnPicture {
    pub picture: PictureId,
    pub shape: picture::Shape,
    pub area: Rect,
}

/// An output on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnOutput {
    pub call: CallId,
    /// Rows and cells of text.
    pub rows: usize,
    pub width: usize,
    /// The line at the top, and the row of it.
    pub top: (u64, usize),
}

/// What one change made of a file, on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnChange {
    pub call: CallId,
    /// Rows for it.
    pub rows: usize,
    /// How it could not be drawn yet.
    pub unlaid: Option<Shape>,
}

/// A file on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnFile {
    /// Rows for it.
    pub rows: usize,
    /// The lines in sight, from 0.
    pub first: u64,
    pub last: u64,
}

/// A text that has to be made ready off the loop before any of it can be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unlaid {
    pub question: ApprovalId,
    pub shape: Shape,
}

/// A question on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnQuestion {
    pub id: ApprovalId,
    /// The letters were shown as live keys.
    pub live: bool,
    /// The cells it was laid out for.
    pub width: usize,
    pub top: usize,
    /// Rows of its text in sight, and in all.
    pub rows: usize,
    pub total: usize,
    /// A row above or below them says how many are out of sight.
    pub noted: bool,
    /// The letters that answer, with their words' places.
    pub labels: Vec<(char, Rect)>,
}

impl DrawnQuestion {
    /// The last row that may be asked for as the first; with fewer rows below it, the view ends there.
    pub fn last(&self) -> usize {
        self.total.saturating_sub(if self.noted { 1 } else { self.rows })
    }
}

/// A transcript on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawnText {
    pub width: usize,
    pub height: usize,
    pub top: (usize, usize),
    /// The cells of which something was in sight end here.
    pub end: usize,
    /// Rows below the last one in sight.
    pub below: usize,
}
