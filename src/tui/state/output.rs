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

/// One run of a program, and what is shown of what it printed.
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
    pub pinned: bool,
    /// Its lines, once they were read; forgotten when it is out of sight.
    pub page: Option<OutputPage>,
    /// Rows above the end; 0 follows.
    pub above: usize,
    /// How much of it was told of so far, and how much of that was asked for.
    news: u64,
    asked: u64,
}

/// All of them, and which have a pane.
#[derive(Clone, Debug, Default)]
pub struct Output {
    pub runs: Vec<Run>,
    pub clocks: HashMap<CallId, Reading>,
    /// Those that have a pane where there is room for many, from the top. One keeps its place until
    /// another one takes it, so that nothing moves.
    slots: Vec<CallId>,
    /// The one that was chosen for the pane that shows one.
    chosen: Option<CallId>,
    /// Lines that are on their way.
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
            since,
            ended: None,
            pinned: false,
            page: None,
            above: 0,
            news: 1,
            asked: 0,
        }
    }

    /// There may be more of it than was read.
    pub fn told(&mut self) {
        self.news += 1;
    }

    fn came(&mut self, page: OutputPage) {
        if let Some(known) = &self.page
            && self.above > 0
        {
            // A view that was moved holds its text.
            let more = page.total.saturating_sub(known.total);
            self.above = (self.above + usize::try_from(more).unwrap_or(0)).min(page.lines.len());
        }
        self.page = Some(page);
    }
}

impl Output {
    /// A program began. Its pane is a new one, or that of one that has ended.
    pub fn begin(&mut self, run: Run) {
        if self.runs.len() >= REMEMBERED
            && let Some(at) = self.runs.iter().position(|run| run.ended.is_some() && !run.pinned)
        {
            let gone = self.runs.remove(at).call;
            self.slots.retain(|call| *call != gone);
        }
        match self.slots.iter().position(|call| self.is_over(*call)) {
            Some(at) => self.slots[at] = run.call,
            None => self.slots.push(run.call),
        }
        self.chosen = self.chosen.filter(|call| !self.is_over(*call));
        self.runs.push(run);
    }

    /// Whether its place is free for another one.
    fn is_over(&self, call: CallId) -> bool {
        self.run(call).is_none_or(|run| run.ended.is_some() && !run.pinned)
    }

    /// The one that was chosen, else the newest that runs, else the newest of all.
    pub fn current(&self) -> Option<&Run> {
        let chosen = self.chosen.and_then(|call| self.run(call));
        let running = || self.runs.iter().rev().find(|run| run.ended.is_none());
        chosen.or_else(running).or(self.runs.last())
    }

    /// Those that have a pane where there is room for so many, from the top.
    pub fn shown(&self, most: usize) -> Vec<CallId> {
        let mut shown = self.slots.clone();
        while shown.len() > most {
            let spare = |call: &CallId| {
                let run = self.run(*call);
                (run.is_some_and(|run| run.pinned), run.is_some_and(|run| run.ended.is_none()))
            };
            let least = (0..shown.len()).min_by_key(|at| (spare(&shown[*at]), *at));
            least.map(|at| shown.remove(at));
        }
        shown
    }

    /// The current one and those that were pinned, as far as there is room for so many.
    pub fn pinned(&self, most: usize) -> Vec<CallId> {
        let Some(current) = self.current().map(|run| run.call) else { return Vec::new() };
        let pinned = |call: &CallId| self.run(*call).is_some_and(|run| run.pinned);
        let slots = self.slots.iter().copied();
        let mut shown: Vec<_> = slots.filter(|call| *call == current || pinned(call)).collect();
        if !shown.contains(&current) {
            shown.insert(0, current);
        }
        while shown.len() > most.max(1) {
            let other = shown.iter().rposition(|call| *call != current).unwrap_or(0);
            shown.remove(other);
        }
        shown
    }

    pub fn run(&self, call: CallId) -> Option<&Run> {
        self.runs.iter().find(|run| run.call == call)
    }

    pub fn run_mut(&mut self, call: CallId) -> Option<&mut Run> {
        self.runs.iter_mut().find(|run| run.call == call)
    }

    /// The runs whose clocks are to be read.
    pub fn running(&self) -> impl Iterator<Item = CallId> {
        self.runs.iter().filter(|run| run.ended.is_none()).map(|run| run.call)
    }

    /// What is to be read next, one at a time: those in sight, then those that run in the session in
    /// view, whose last lines stand below their text.
    pub fn want(
        &mut self,
        in_sight: &[CallId],
        viewed: Option<SessionId>,
    ) -> Option<(SessionId, CallId)> {
        for run in &mut self.runs {
            if !in_sight.contains(&run.call) {
                run.page = None;
            }
        }
        if self.reading.is_some() {
            return None;
        }
        let behind = |run: &Run| {
            if in_sight.contains(&run.call) {
                run.asked < run.news || run.page.is_none()
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
        let run = self.run_mut(call)?;
        run.came(page);
        Some(run.session)
    }

    /// Running time used by a run, and whether its clock stands still.
    pub fn used(&self, call: CallId) -> Option<(Duration, bool)> {
        self.clocks.get(&call).map(|reading| (reading.spent, reading.held))
    }
}
