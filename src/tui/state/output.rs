//! The programs that run or have run, and which of them have a pane.

mod run;

use std::{collections::HashMap, time::Duration};

pub use self::run::{Look, Run, Wrap};
use super::{draft::Draft, transcript::tail};
use crate::{
    kernel::{
        clock::Reading,
        id::{CallId, SessionId},
        port::OutputPage,
    },
    tui::effect::Part,
};

/// Lines of an output that are kept for the screen.
pub const LINES: usize = 500;

/// Bytes of a line that are kept for the screen; the rest is in its file.
pub const LINE: usize = 8 << 10;

/// Programs remembered after they have ended.
const REMEMBERED: usize = 32;

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
    /// What is looked for in one of them.
    pub search: Option<Search>,
    /// The name of the file into which one is to be saved, while it is written.
    pub file: Draft,
    /// Lines that are on their way.
    reading: Option<CallId>,
}

/// A word that is looked for in an output.
#[derive(Clone, Debug)]
pub struct Search {
    pub call: CallId,
    pub word: Draft,
    /// The lines that have it, and whether those are all.
    pub found: Vec<u64>,
    pub more: bool,
    /// The one in sight.
    pub at: usize,
    /// It is being looked for.
    pub looking: bool,
}

impl Search {
    /// Nothing is looked for yet.
    pub fn of(call: CallId) -> Self {
        let word = Draft::default();
        Self { call, word, found: Vec::new(), more: false, at: 0, looking: false }
    }
}

impl Output {
    /// Forgets what ran in these sessions.
    pub fn forget(&mut self, sessions: &[SessionId]) {
        self.runs.retain(|run| !sessions.contains(&run.session));
        let known: Vec<_> = self.runs.iter().map(|run| run.call).collect();
        self.slots.retain(|call| known.contains(call));
        self.chosen = self.chosen.filter(|call| known.contains(call));
        self.search = self.search.take().filter(|search| known.contains(&search.call));
    }

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
                let is = |of: fn(&Run) -> bool| run.is_some_and(of);
                (is(|run| run.pinned), is(|run| run.ended.is_none()), is(|run| run.lines > 0))
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
    ) -> Option<(SessionId, CallId, Part)> {
        for run in self.runs.iter_mut().filter(|run| !in_sight.contains(&run.call)) {
            run.forget();
        }
        if self.reading.is_some() {
            return None;
        }
        let wants = |run: &Run| {
            let seen = if in_sight.contains(&run.call) { run.wants() } else { None };
            let runs = run.ended.is_none() && Some(run.session) == viewed;
            seen.or_else(|| if runs { run.wants_last() } else { None })
        };
        let found = self.runs.iter_mut().rev().find_map(|run| Some((wants(run)?, run)));
        let (part, run) = found?;
        run.asked(part);
        self.reading = Some(run.call);
        Some((run.session, run.call, part))
    }

    /// Lines came, or could not be read; gives the session they are of, and the last of them where
    /// they reach the end.
    pub fn came(
        &mut self,
        call: CallId,
        page: Option<OutputPage>,
    ) -> Option<(SessionId, Vec<String>)> {
        self.reading = None;
        let page = page?;
        let run = self.runs.iter_mut().find(|run| run.call == call)?;
        let at_end = page.first + page.lines.len() as u64 >= page.total;
        let last = at_end.then(|| tail(&page.lines));
        run.came(page);
        last.map(|last| (run.session, last))
    }

    /// Chooses this one for the pane that shows one.
    pub fn choose(&mut self, call: CallId) {
        self.chosen = Some(call);
    }

    /// Chooses the run after or before the one that is shown.
    pub fn step(&mut self, forward: bool) {
        let current = self.current().map(|run| run.call);
        let at = self.runs.iter().position(|run| Some(run.call) == current).unwrap_or(0);
        let by = if forward { 1 } else { self.runs.len().saturating_sub(1) };
        let next = self.runs.get((at + by) % self.runs.len().max(1));
        self.chosen = next.map(|run| run.call);
    }

    /// Takes the pane of a run away; the program goes on.
    pub fn close(&mut self, call: CallId) {
        self.slots.retain(|slot| *slot != call);
        if let Some(run) = self.run_mut(call) {
            run.pinned = false;
            run.look = Look::Follow;
        }
        self.chosen = self.slots.last().copied();
    }

    /// Keeps the pane of a run where it is, or no longer.
    pub fn pin(&mut self, call: CallId) {
        if !self.slots.contains(&call) {
            self.slots.push(call);
        }
        if let Some(run) = self.run_mut(call) {
            run.pinned = !run.pinned;
        }
    }

    /// Running time used by a run, and whether its clock stands still.
    pub fn used(&self, call: CallId) -> Option<(Duration, bool)> {
        self.clocks.get(&call).map(|reading| (reading.spent, reading.held))
    }
}
