//! Runs of Python in stories.

use serde_json::json;

use super::{Stage, python, result};
use crate::kernel::{
    capability::Category,
    event::{Decider, Decision, Event, ExitStatus, Origin, Seal},
    gate::subject::Subject,
    port::{Form, OutputPage},
};

use crate::tui::{effect::Part, state::output::LINES};

impl Stage {
    /// Python begins to run.
    pub(in crate::tui) fn runs(&mut self, session: u128, call: u128, filename: &str, code: &str) {
        let call_started = Event::CallStarted {
            call: python(call, filename, code),
            category: Category::Execute,
            decision: Decision::allowed(Decider::Person),
            subject: Subject::Other,
        };
        self.event(session.into(), call_started);
        let execution = Event::ExecutionStarted {
            call: call.into(),
            program: filename.into(),
            seal: Seal::Sealed,
            form: Form::Full,
            limit_ms: 60_000,
        };
        self.event(session.into(), execution);
    }

    /// And ends well, having printed this.
    pub(in crate::tui) fn run_ends(
        &mut self,
        session: u128,
        call: u128,
        ran_ms: u64,
        printed: &str,
    ) {
        let status = ExitStatus::Exited { code: 0 };
        let finished =
            Event::ExecutionFinished { call: call.into(), status, ran_ms, excluded_ms: 0 };
        self.event(session.into(), finished);
        let result = result("execute_code", true, json!(printed));
        self.event(
            session.into(),
            Event::CallFinished {
                call: call.into(),
                parent: None,
                origin: Origin::Model,
                result,
                decision: None,
            },
        );
    }
}

/// What is read of an output: so many lines from that one on, or the last ones.
pub(super) fn part_of(page: &OutputPage, part: Part) -> OutputPage {
    let all = page.lines.len();
    let skip = match part {
        Part::Last => all.saturating_sub(LINES),
        Part::From(line) => usize::try_from(line.saturating_sub(page.first)).unwrap(),
    };
    let lines = page.lines.iter().skip(skip).take(LINES).cloned().collect();
    OutputPage { lines, first: page.first + skip as u64, total: page.total }
}
