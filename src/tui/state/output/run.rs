//! One run of a program, and what is shown of what it printed.

use jiff::Timestamp;

use crate::{
    kernel::{
        id::{CallId, SessionId},
        port::OutputPage,
    },
    tui::effect::Part,
};

/// Lines around those in sight that are read with them.
const AROUND: u64 = 150;

/// Lines that are surely enough for any screen.
const SCREEN: u64 = 300;

/// Where the view of an output stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// At the end, whatever comes.
    #[default]
    Follow,
    /// With this row of this line at the top, whatever comes.
    Held {
        top: u64,
        row: usize,
        /// The lines there were when it was held.
        seen: u64,
    },
}

/// Whether lines that are too long go on in the next row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wrap {
    #[default]
    Cut,
    Rows,
}

/// One run.
#[derive(Clone, Debug)]
pub struct Run {
    pub call: CallId,
    pub session: SessionId,
    pub program: String,
    pub limit_ms: u64,
    pub lines: u64,
    pub since: Timestamp,
    /// How it ended, and what it used.
    pub ended: Option<(String, u64)>,
    /// It goes on beside the call that began it.
    pub beside: bool,
    pub pinned: bool,
    pub look: Look,
    pub wrap: Wrap,
    /// Lines around those in sight, once they were read; forgotten when it is out of sight.
    pub page: Option<OutputPage>,
    /// How much of it was told of so far, and how much of that was asked for, in which part.
    news: u64,
    asked: Option<(u64, Part)>,
}

impl Run {
    /// A run that begins, and has printed nothing that was read.
    pub fn new(
        call: CallId,
        session: SessionId,
        program: &str,
        limit_ms: u64,
        since: Timestamp,
    ) -> Self {
        Self {
            call,
            session,
            program: program.to_owned(),
            limit_ms,
            lines: 0,
            since,
            ended: None,
            beside: false,
            pinned: false,
            look: Look::default(),
            wrap: Wrap::default(),
            page: None,
            news: 1,
            asked: None,
        }
    }

    /// There may be more of it than was read.
    pub fn told(&mut self) {
        self.news += 1;
    }

    /// The lines there are, as far as is known.
    pub fn total(&self) -> u64 {
        self.page.as_ref().map_or(0, |page| page.total).max(self.lines)
    }

    /// Lines that came below a view that is held.
    pub fn below(&self) -> u64 {
        match self.look {
            Look::Follow => 0,
            Look::Held { seen, .. } => self.total().saturating_sub(seen),
        }
    }

    /// The line of that number, if it was read.
    pub fn line(&self, number: u64) -> Option<&str> {
        let page = self.page.as_ref()?;
        let at = usize::try_from(number.checked_sub(page.first)?).ok()?;
        page.lines.get(at).map(String::as_str)
    }

    /// Nobody looks at it any more.
    pub(super) fn forget(&mut self) {
        self.page = None;
    }

    /// What is to be read of it for a pane, if anything is.
    pub(super) fn wants(&self) -> Option<Part> {
        let part = match self.look {
            Look::Follow => Part::Last,
            Look::Held { top, .. } => {
                let page = self.page.as_ref();
                let end = |page: &OutputPage| page.first + page.lines.len() as u64;
                let all = page.is_some_and(|page| {
                    page.first <= top && (top + SCREEN).min(page.total) <= end(page)
                });
                if all {
                    return None;
                }
                Part::From(top.saturating_sub(AROUND))
            }
        };
        (self.page.is_none() || self.asked != Some((self.news, part))).then_some(part)
    }

    /// What is to be read of it for its last lines below its text.
    pub(super) fn wants_last(&self) -> Option<Part> {
        (self.asked.map(|(news, _)| news) != Some(self.news)).then_some(Part::Last)
    }

    pub(super) fn asked(&mut self, part: Part) {
        self.asked = Some((self.news, part));
    }

    /// What was asked for last came.
    pub(super) fn came(&mut self, page: OutputPage) {
        let end = page.first + page.lines.len() as u64;
        let from = match self.asked {
            Some((_, Part::From(line))) => Some(line),
            Some((_, Part::Last)) | None => None,
        };
        match (&mut self.look, from) {
            (Look::Held { top, row, seen }, Some(from)) if from <= *top => {
                if page.first > *top && end > *top {
                    // What was there is kept no more.
                    (*top, *row) = (page.first, 0);
                }
                *top = (*top).min(page.total.saturating_sub(1));
                *seen = (*seen).min(page.total);
            }
            // It was asked for before the view was moved, and tells nothing of where that is now.
            (Look::Held { .. }, _) => return,
            (Look::Follow, Some(_)) if end < page.total => return,
            (Look::Follow, _) => {}
        }
        self.page = Some(page);
    }
}
