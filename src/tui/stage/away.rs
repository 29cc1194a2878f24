//! Stories in which nobody looks for a while.

use super::{LEX, Stage, program_question, write_question};
use crate::{
    kernel::{
        change::{Before, Change},
        event::{Event, ExitStatus, Outcome, Stop},
        message::Usage,
    },
    tui::message::{Input, Message},
};

impl Stage {
    pub(in crate::tui) fn looks_away(&mut self) {
        self.send(Message::Input(self.now(), Input::FocusLost));
    }

    pub(in crate::tui) fn is_back(&mut self) {
        self.send(Message::Input(self.now(), Input::FocusGained));
        self.draw();
    }

    /// A session with two agents at work.
    pub(in crate::tui) fn crew(width: u16, height: u16) -> Self {
        let mut stage = Self::new(width, height);
        stage.at_work();
        stage.runs(1, 10, "main.py", LEX);
        stage.session(2, &["fix-parser", "cases"], Some(1), "write cases");
        stage.session(3, &["fix-parser", "perf"], Some(1), "measure it");
        stage
    }

    /// Everything that can happen while nobody looks.
    pub(in crate::tui) fn much_happens(&mut self) {
        let draws = std::mem::replace(&mut self.draws, false);
        self.wait(60_000);
        self.streams(2, "Nine cases are written.\n\nAll of them pass.");
        self.ends(2, Outcome::Done);
        self.wait(60_000);
        self.runs(3, 30, "measure.py", "print(1)");
        self.wait(61_000);
        let used = ExitStatus::TimedOut;
        let event = Event::ExecutionFinished {
            call: 30.into(),
            status: used,
            ran_ms: 60_000,
            excluded_ms: 0,
        };
        self.event(3.into(), event);
        self.ends(3, Outcome::Limit { message: "The budget of 4k tokens is used up.".into() });
        let change = Change {
            path: "/home/me/tally/docs/tabs.md".into(),
            shown: "docs/tabs.md".into(),
            before: Before::Nothing,
            after: None,
            more: 12,
            fewer: 4,
            undoes: None,
        };
        self.event(1.into(), Event::ChangeBegun { call: 31.into(), change });
        self.asks(program_question(2, 1, &["fix-parser"]));
        self.wait(60_000);
        let reason = "its run ended".to_owned();
        let gone = Event::ApprovalWithdrawn {
            approval: 2.into(),
            reason,
            waited_ms: 60_000,
            excluded_ms: 60_000,
        };
        self.event(1.into(), gone);
        self.asks(write_question(1));
        self.wait(60_000);
        self.draws = draws;
    }

    pub(in crate::tui) fn ends(&mut self, session: u128, outcome: Outcome) {
        let over = Event::TurnFinished {
            stop: Stop::End,
            usage: Usage::default(),
            calls: Vec::new(),
            thoughts: Vec::new(),
        };
        self.event(session.into(), over);
        self.event(session.into(), Event::ExchangeFinished { outcome });
    }
}
