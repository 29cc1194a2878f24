//! The programs that run, and the last lines of the one that is shown.

use std::{collections::HashMap, time::Duration};

use jiff::Timestamp;

use crate::kernel::{
    clock::Reading,
    id::{CallId, SessionId},
    port::OutputPage,
};

/// Lines of an output that are kept for the screen.
pub const LINES: usize = 500;

/// Programs remembered after they have ended.
const REMEMBERED: usize = 32;

/// One run of a program.
#[derive(Clone, Debug)]
pub struct Run {
    pub call: CallId,
    pub session: SessionId,
    pub program: String,
    pub limit_ms: u64,
    pub lines: u64,
    /// How much of it was told of so far, and how much of that was asked for.
    news: u64,
    asked: u64,
    pub since: Timestamp,
    /// How it ended, and what it used.
    pub ended: Option<(String, u64)>,
}

/// What the pane knows.
#[derive(Clone, Debug, Default)]
pub struct Output {
    pub runs: Vec<Run>,
    pub page: OutputPage,
    /// Whose lines those are.
    pub of: Option<CallId>,
    /// Rows above the end; 0 follows.
    pub above: usize,
    pub clocks: HashMap<CallId, Reading>,
    /// Its lines are on their way.
    reading: Option<CallId>,
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
            news: 1,
            asked: 0,
            since,
            ended: None,
        }
    }

    /// There may be more of it than was read.
    pub fn told(&mut self) {
        self.news += 1;
    }
}

impl Output {
    /// A program began; it is the one that is shown now.
    pub fn begin(&mut self, run: Run) {
        if self.runs.len() >= REMEMBERED
            && let Some(at) = self.runs.iter().position(|run| run.ended.is_some())
        {
            self.runs.remove(at);
        }
        self.runs.push(run);
    }

    /// The newest that runs, else the newest of all.
    pub fn shown(&self) -> Option<&Run> {
        let running = self.runs.iter().rev().find(|run| run.ended.is_none());
        running.or(self.runs.last())
    }

    pub fn run_mut(&mut self, call: CallId) -> Option<&mut Run> {
        self.runs.iter_mut().find(|run| run.call == call)
    }

    /// The runs whose clocks are to be read.
    pub fn running(&self) -> impl Iterator<Item = CallId> {
        self.runs.iter().filter(|run| run.ended.is_none()).map(|run| run.call)
    }

    /// What is to be read next, one at a time: the shown run, then those that run in the session
    /// in view, whose last lines stand below their text.
    pub fn want(&mut self, viewed: Option<SessionId>) -> Option<(SessionId, CallId)> {
        if self.reading.is_some() {
            return None;
        }
        let shown = self.shown().map(|run| run.call);
        let behind = |run: &Run| {
            if Some(run.call) == shown {
                run.asked < run.news || self.of != shown
            } else {
                run.asked < run.news && run.ended.is_none() && Some(run.session) == viewed
            }
        };
        let at = self.runs.iter().rposition(behind)?;
        let run = &mut self.runs[at];
        run.asked = run.news;
        self.reading = Some(run.call);
        Some((run.session, run.call))
    }

    /// Lines came; gives the session they are of.
    pub fn came(&mut self, call: CallId, page: OutputPage) -> Option<SessionId> {
        self.reading = None;
        if self.shown().is_some_and(|run| run.call == call) {
            if self.of != Some(call) {
                self.above = 0;
            } else if self.above > 0 {
                // A view that was moved holds its text.
                let more = page.total.saturating_sub(self.page.total);
                self.above =
                    (self.above + usize::try_from(more).unwrap_or(0)).min(page.lines.len());
            }
            self.of = Some(call);
            self.page = page;
        }
        self.runs.iter().find(|run| run.call == call).map(|run| run.session)
    }

    /// Running time used by a run, and whether its clock stands still.
    pub fn used(&self, call: CallId) -> Option<(Duration, bool)> {
        self.clocks.get(&call).map(|reading| (reading.spent, reading.held))
    }
}
