//! What happens in sessions, as their journals would tell it.

use std::sync::Arc;

use super::Stage;
use crate::{
    kernel::{
        event::{Decider, Envelope, Event},
        gate::approval::{Answer, Question},
        id::{ApprovalId, SessionId},
        message::{Delay, Usage},
        spec::SessionSpec,
    },
    tui::message::Message,
};

impl Stage {
    pub(in crate::tui) fn event(&mut self, session: SessionId, event: Event) {
        let envelope = Envelope { v: 1, seq: self.seq, at: self.now().wall, session, event };
        self.seq += 1;
        self.send(Message::Happened(Arc::new(envelope)));
    }

    /// A session is there and was told something.
    pub(in crate::tui) fn session(
        &mut self,
        number: u128,
        path: &[&str],
        parent: Option<u128>,
        says: &str,
    ) {
        let spec = SessionSpec {
            parent: parent.map(Into::into),
            path: path.iter().map(|part| (*part).to_owned()).collect(),
            workspace: "/home/me/tally".into(),
            model: "anthropic/claude".into(),
            ..SessionSpec::sample(number)
        };
        self.event(number.into(), Event::SessionStarted { spec });
        if !says.is_empty() {
            self.event(number.into(), Event::said(says));
            let turn = Event::TurnStarted { turn: 1, model: "claude".into() };
            self.event(number.into(), turn);
        }
    }

    pub(in crate::tui) fn streams(&mut self, session: u128, text: &str) {
        self.event(session.into(), Event::TextStreamed { text: text.into() });
    }

    pub(in crate::tui) fn thinks(&mut self, session: u128, text: &str) {
        self.event(session.into(), Event::ThinkingStreamed { text: text.into() });
    }

    /// The provider gives no answer, and is asked again after a wait.
    pub(in crate::tui) fn waits_for_the_provider(&mut self, session: u128, wait_ms: u64) {
        let delay = Delay { why: "529 overloaded".into(), wait_ms, next: 2, of: 3 };
        self.event(session.into(), Event::AnswerDelayed(delay));
    }

    pub(in crate::tui) fn turn_ends(&mut self, session: u128, input: u64, output: u64) {
        let event = Event::TurnFinished {
            stop: crate::kernel::event::Stop::Calls,
            usage: Usage { input, output, ..Usage::default() },
            calls: Vec::new(),
            thoughts: Vec::new(),
        };
        self.event(session.into(), event);
    }

    pub(in crate::tui) fn asks(&mut self, question: Question) {
        self.event(question.session, Event::ApprovalRequested { question });
    }

    pub(in crate::tui) fn answered(&mut self, session: u128, id: ApprovalId, answer: Answer) {
        self.event(
            session.into(),
            Event::ApprovalAnswered {
                approval: id,
                answer,
                by: Decider::Person,
                waited_ms: 1000,
                excluded_ms: 1000,
            },
        );
    }

    /// The first session of most stories, at work on the lexer.
    pub(in crate::tui) fn at_work(&mut self) {
        self.session(
            1,
            &["fix-parser"],
            None,
            "make the lexer accept tabs, and keep the old tests green",
        );
        self.streams(
            1,
            "The lexer skips blanks in one place and counts columns in another. I compare the old \
             rule with the new one on your samples before I touch a file.",
        );
        self.turn_ends(1, 11_000, 400);
    }
}
