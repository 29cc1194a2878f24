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
    asked: bool,
    stale: bool,
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

    /// There is more to read of the shown run: what to ask for, unless it is being asked already.
    pub fn want(&mut self) -> Option<(SessionId, CallId)> {
        if self.asked {
            self.stale = true;
            return None;
        }
        let run = self.shown()?;
        let wanted = (run.session, run.call);
        self.asked = true;
        Some(wanted)
    }

    /// Lines came; true if there is more to ask for.
    pub fn came(&mut self, call: CallId, page: Option<OutputPage>) -> bool {
        self.asked = false;
        let page = page.unwrap_or_default();
        if self.of != Some(call) {
            self.above = 0;
        } else if self.above > 0 {
            // A view that was moved holds its text.
            let more = page.total.saturating_sub(self.page.total);
            self.above = (self.above + usize::try_from(more).unwrap_or(0)).min(page.lines.len());
        }
        self.of = Some(call);
        self.page = page;
        let other = self.shown().is_some_and(|run| self.of != Some(run.call));
        std::mem::take(&mut self.stale) || other
    }

    /// Running time used by a run, and whether its clock stands still.
    pub fn used(&self, call: CallId) -> Option<(Duration, bool)> {
        self.clocks.get(&call).map(|reading| (reading.spent, reading.held))
    }
}
