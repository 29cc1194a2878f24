//! What was said and done in one session, in order.

mod calls;
pub mod cells;
mod done;
pub mod find;
mod made;
mod near;
mod pictures;
mod scan;
mod scroll;
mod written;

use std::{collections::HashMap, ops::Range};

use jiff::Timestamp;

use self::{
    cells::Cells,
    made::{code, object, output_lines},
    scan::Scan,
};
pub use self::{made::tail, scroll::Scroll};
use crate::{
    kernel::{
        capability::{Body as Effect, Category},
        event::{Call, Origin},
        gate::approval::Question,
        id::CallId,
        invoke::ToolResult,
    },
    tui::{
        cell::{Body, Called, Cell, Fold, Kind, Nested, Progress, is_long},
        theme::Mark,
    },
};

/// More cells of one part are not acted on: all of them would have to be here.
pub const LONGEST_PART: usize = 2_048;

/// The cells of one session.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    pub cells: Cells,
    pub scroll: Scroll,
    /// The cell that keys act on: the first of its part.
    pub here: Option<usize>,
    /// So many are in the terminal's scrollback.
    pub printed: usize,
    /// A word that is looked for.
    pub find: Option<find::Find>,
    /// Which cell a call is in: its own, or that of the run that made it.
    calls: HashMap<CallId, usize>,
    /// How far the live text was read.
    scan: Scan,
    /// The cells that may hold rows for the screen.
    near: Range<usize>,
}

impl Transcript {
    /// Whether a part begins with this cell. The paragraphs of one text are one part.
    pub fn begins(&self, at: usize) -> bool {
        let text = |at: usize| matches!(self.cells.kind(at), Some(Kind::Text | Kind::GoesOn));
        at == 0 || !text(at) || !text(at - 1)
    }

    /// The cells of the part that keys act on: of a very long one, the first.
    pub fn part(&self) -> Option<Range<usize>> {
        let here = self.here.filter(|at| *at < self.cells.len())?;
        let most = self.cells.len().min(here + LONGEST_PART);
        let end = (here + 1..most).find(|at| self.begins(*at));
        Some(here..end.unwrap_or(most))
    }

    fn push(&mut self, body: Body) -> usize {
        self.cells.push(Cell::new(body))
    }

    /// Somebody spoke.
    pub fn said(&mut self, text: &str) {
        self.end_text();
        let fold = if is_long(text) { Fold::Part } else { Fold::Full };
        self.push(Body::Said { text: text.to_owned(), fold });
    }

    /// A notice; the same one twice in a row is one.
    pub fn notice(&mut self, mark: Mark, text: impl Into<String>) {
        let text = text.into();
        self.end_text();
        if let Some(Cell { body: Body::Notice { text: last, .. }, .. }) = self.cells.last()
            && *last == text
        {
            return;
        }
        self.push(Body::Notice { mark, text });
    }

    /// An agent was started.
    pub fn agent(&mut self, body: Body) {
        self.end_text();
        self.push(body);
    }

    /// Something new begins: runs that went well fold, unless someone looks at them. The newest
    /// run is what the model speaks of now, so its last lines stay.
    pub fn fold_finished(&mut self) {
        if self.scroll != Scroll::Follow {
            return;
        }
        let open = |cell: &Cell| match &cell.body {
            Body::Code(code) => code.progress == Progress::Done && code.fold == Fold::Part,
            Body::Said { .. }
            | Body::Text { .. }
            | Body::Thinking(_)
            | Body::Call(_)
            | Body::Agent { .. }
            | Body::Notice { .. } => false,
        };
        let mut runs =
            self.cells.here().rev().filter(|(_, cell)| matches!(cell.body, Body::Code(_)));
        let _newest = runs.next();
        let open: Vec<_> = runs.filter(|(_, cell)| open(cell)).map(|(at, _)| at).collect();
        for at in open {
            if let Some(cell) = self.cells.get_mut(at)
                && let Body::Code(code) = &mut cell.body
            {
                code.fold = Fold::Shut;
                cell.touch();
            }
        }
    }

    /// A question about a call waits.
    pub fn asked(&mut self, question: &Question) {
        let progress = Progress::Asking;
        self.call(&question.call, question.category, progress);
        let object = question.preview.object.clone();
        let facts = question.preview.facts.iter().filter(|fact| fact.starts_with(['+', '−']));
        let object = facts.fold(object, |object, fact| format!("{object} {fact}"));
        self.change(question.call.id, |called| called.object = object);
        if let Some(nested) =
            self.code_of(question.call.id).and_then(|code| code.nested(question.call.id))
        {
            nested.asks = Some(question.id);
        }
        if let (Some(code), Effect::Code { .. }) =
            (self.code_of(question.call.id), &question.preview.body)
        {
            code.fold = Fold::Part;
        }
    }

    /// A question about a call is over, one way or the other; what follows says how.
    pub fn settled(&mut self, call: CallId, progress: Progress) {
        self.progress(call, progress);
    }

    /// A call began.
    pub fn started(&mut self, call: &Call, category: Category, at: Timestamp) {
        if category == Category::Read
            && !matches!(&*call.name, "execute_code" | "process.run")
            && let Some(parent) = call.parent
            && let Some(at) = self.calls.get(&parent).copied()
        {
            // Counted with the run; a line for each of 400 reads helps nobody.
            if let Some(Cell { body: Body::Code(code), .. }) = self.cells.get_mut(at) {
                // Agents have lines of their own.
                if !call.name.starts_with("agents.") {
                    code.reads.put(call);
                }
                return;
            }
        }
        self.call(call, category, Progress::Running { since: at });
    }

    /// A call has its result. One that was refused is told of what category, and has a row also where
    /// nobody was asked: a script can hide it from its own output.
    pub fn finished(&mut self, call: &Call, refused: Option<Category>, result: &ToolResult) {
        let known = self.calls.contains_key(&call.id);
        let unasked = result.ok || call.origin != Origin::Model;
        if !known && unasked && call.parent.is_some() && refused.is_none() {
            // A read of a run, or one that could not even be judged: the run's own output tells.
            return;
        }
        if !known {
            self.call(call, refused.unwrap_or(Category::Read), Progress::Asking);
        }
        let call = call.id;
        let started =
            self.find(call).is_some_and(|progress| matches!(progress, Progress::Running { .. }));
        self.progress(call, Progress::of_result(result, started));
        let pictured = self.cell_of(call).is_some_and(|at| !self.cells.pictures(at).is_empty());
        if let Some(code) = self.code_of(call)
            && code.call == call
        {
            code.output = tail(&output_lines(result, pictured));
            if let (Some(over), false) = (&code.over, result.ok) {
                code.progress = Progress::Limit(over.clone());
            }
            if code.stopped && !result.ok {
                code.progress = Progress::Stopped("what it did so far is done".to_owned());
            }
        }
        self.touch(call);
    }

    /// A run that goes on has printed this last.
    pub fn printed(&mut self, call: CallId, last: Vec<String>) {
        if let Some(code) = self.code_of(call)
            && code.call == call
            && !code.progress.is_over()
        {
            code.output = last;
        }
    }

    /// What is still open was cut off: the program that ran it is gone.
    pub fn interrupted(&mut self) {
        self.end_text();
        // What is outside is over.
        for at in self.cells.numbers_here() {
            let Some(cell) = self.cells.get_mut(at) else { continue };
            let cut = |progress: &mut Progress| {
                if matches!(progress, Progress::Running { .. }) {
                    let why = "interrupted; its effect is unknown";
                    *progress = Progress::Unknown(why.to_owned());
                } else if *progress == Progress::Asking {
                    *progress = Progress::Stopped("interrupted before it began".to_owned());
                }
            };
            match &mut cell.body {
                Body::Code(code) => {
                    cut(&mut code.progress);
                    code.effects.iter_mut().for_each(|nested| cut(&mut nested.called.progress));
                }
                Body::Call(called) => cut(&mut called.progress),
                Body::Said { .. }
                | Body::Text { .. }
                | Body::Thinking(_)
                | Body::Agent { .. }
                | Body::Notice { .. } => {
                    continue;
                }
            }
            cell.touch();
        }
    }

    fn touch(&mut self, call: CallId) {
        if let Some(cell) = self.calls.get(&call).and_then(|at| self.cells.get_mut(*at)) {
            cell.touch();
        }
    }

    fn find(&self, call: CallId) -> Option<&Progress> {
        match &self.cells.get(*self.calls.get(&call)?)?.body {
            Body::Code(code) if code.call == call => Some(&code.progress),
            Body::Code(code) => code.effects.find(call).map(|nested| &nested.called.progress),
            Body::Call(called) => Some(&called.progress),
            Body::Said { .. }
            | Body::Text { .. }
            | Body::Thinking(_)
            | Body::Agent { .. }
            | Body::Notice { .. } => None,
        }
    }

    fn progress(&mut self, call: CallId, progress: Progress) {
        if let Some(code) = self.code_of(call)
            && code.call == call
        {
            code.progress = progress;
            return;
        }
        self.change(call, |called| called.progress = progress);
    }

    /// Changes the line of a call that is no run.
    fn change(&mut self, call: CallId, change: impl FnOnce(&mut Called)) {
        let Some(cell) = self.calls.get(&call).and_then(|at| self.cells.get_mut(*at)) else {
            return;
        };
        cell.touch();
        match &mut cell.body {
            Body::Code(code) => {
                if let Some(nested) = code.nested(call) {
                    nested.asks = None;
                    change(&mut nested.called);
                }
            }
            Body::Call(called) => change(called),
            Body::Said { .. }
            | Body::Text { .. }
            | Body::Thinking(_)
            | Body::Agent { .. }
            | Body::Notice { .. } => {}
        }
    }

    /// Makes the place for a call, or moves it on.
    fn call(&mut self, call: &Call, category: Category, progress: Progress) {
        if self.calls.contains_key(&call.id) {
            self.progress(call.id, progress);
            return;
        }
        let line = match call.origin {
            Origin::Python { line } => line,
            Origin::Model | Origin::Person => None,
        };
        let parent = call.parent.and_then(|parent| self.calls.get(&parent).copied());
        let called = || Called {
            name: call.name.clone(),
            category,
            object: object(&call.input),
            progress: progress.clone(),
        };
        if call.name != "execute_code"
            && let Some(at) = parent
            && let Some(cell) = self.cells.get_mut(at)
            && let Body::Code(code) = &mut cell.body
        {
            let (call, called) = (call.id, called());
            code.effects.push(Nested { call, line, asks: None, called });
            cell.touch();
            self.calls.insert(call, at);
            return;
        }
        self.end_text();
        let body = if call.name == "execute_code" {
            Body::Code(Box::new(code(call, progress)))
        } else {
            Body::Call(called())
        };
        let at = self.push(body);
        self.calls.insert(call.id, at);
    }
}
