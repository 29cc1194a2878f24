//! Stories in lines, with time and events as told.

mod answers;
mod interleavings;
mod telling;

use std::{collections::VecDeque, sync::Arc, time::Duration};

use tokio::time::Instant;

use super::{Burst, Heard, Line, Lines, Source, begin, rendered::Rendered, update};
use crate::{
    kernel::{
        command::Command,
        event::{Decider, Envelope, Event, Seal},
        gate::approval::{Answer, NotAnswered, Question},
        id::{ApprovalId, CallId, SessionId},
        port::{Form, OutputPage},
        spec::{Limits, Mode, SessionSpec},
    },
    tui::{
        effect::Effect,
        message::{Came, Message},
        paper,
        stage::{LEX, capability, python},
        state::{
            Moment, State,
            look::Look,
            status::{Place, Player},
        },
        theme::{Depth, Marks, Theme},
    },
};

/// The line mode, what it said, and what it wanted.
pub(super) struct Talk {
    pub(super) lines: Lines,
    rendered: Rendered,
    /// All that was written.
    pub(super) out: String,
    /// What was asked of the outside and not done by the stage itself.
    pub(super) effects: Vec<Effect>,
    /// What is written reaches its reader at once.
    pub(super) reaches: bool,
    /// Nothing waits behind an event.
    pub(super) rests: bool,
    /// The marks that were not told of yet.
    pub(super) marks: Vec<u64>,
    pub(super) page: OutputPage,
    pub(super) considered: Result<usize, NotAnswered>,
    start: Moment,
    pub(super) ms: u64,
    seq: u64,
}

impl Talk {
    pub(super) fn new(source: Source) -> Self {
        let start = Moment {
            at: Instant::now(),
            wall: "2026-11-29T12:00:00Z".parse::<jiff::Timestamp>().unwrap(),
        };
        let look = Look::new(Theme::dark(Depth::None), Marks::unicode());
        let place = Place {
            workspace: "tally".into(),
            player: Player::Model("claude".into()),
            seal: Some(Form::Full),
            ..Place::default()
        };
        let state = State::new(place, look, Vec::new(), start);
        let mut talk = Self {
            lines: Lines::new(state, source, start.wall, 0),
            rendered: Rendered::new(source),
            out: String::new(),
            effects: Vec::new(),
            reaches: true,
            rests: true,
            marks: Vec::new(),
            page: OutputPage::default(),
            considered: Ok(0),
            start,
            ms: 0,
            seq: 0,
        };
        let first = begin(&mut talk.lines);
        talk.out.push_str(&talk.rendered.text(&first.lines));
        talk
    }

    pub(super) fn now(&self) -> Moment {
        Moment {
            at: self.start.at + Duration::from_millis(self.ms),
            wall: self.start.wall + Duration::from_millis(self.ms),
        }
    }

    pub(super) fn wait(&mut self, ms: u64) {
        self.ms += ms;
    }

    pub(super) fn hear(&mut self, heard: Heard) {
        let mut all = VecDeque::from([heard]);
        while let Some(heard) = all.pop_front() {
            let step = update(&mut self.lines, heard);
            self.out.push_str(&self.rendered.text(&step.lines));
            for line in &step.lines {
                let (Line::Says(text) | Line::Prompt(text) | Line::Wrote(text)) = line;
                assert!(!text.contains(char::is_control), "{text:?}");
            }
            self.marks.extend(step.mark);
            for effect in step.effects {
                let came = match effect {
                    Effect::Prepare(question) => {
                        let paper = Arc::new(paper::of(&question));
                        let capability = capability(&question.call.name).map(Arc::new);
                        Came::Prepared(question.id, paper, capability)
                    }
                    Effect::ReadOutput(_, call, part) => {
                        let from = match part {
                            crate::tui::effect::Part::Last => 0,
                            crate::tui::effect::Part::From(line) => line,
                        };
                        let at = usize::try_from(from).unwrap().min(self.page.lines.len());
                        let page = OutputPage {
                            first: from,
                            lines: self.page.lines[at..].to_vec(),
                            ..self.page.clone()
                        };
                        Came::Output(call, Some(page))
                    }
                    Effect::Consider(approval, scope) => {
                        Came::Considered(approval, scope, self.considered.clone())
                    }
                    Effect::ReadDraft(_) | Effect::KeepDraft(..) => continue,
                    other => {
                        self.effects.push(other);
                        continue;
                    }
                };
                all.push_back(Heard::Told(Message::Came(came)));
            }
        }
        if self.reaches {
            self.reach();
        }
    }

    /// All that was said so far is known to be written.
    pub(super) fn reach(&mut self) {
        for mark in std::mem::take(&mut self.marks) {
            self.hear(Heard::Reached(self.now(), mark, String::new()));
        }
    }

    pub(super) fn event(&mut self, session: u128, event: Event) {
        let session = SessionId::from(session);
        let envelope = Envelope { v: 1, seq: self.seq, at: self.now().wall, session, event };
        self.seq += 1;
        let clocks = self.lines.state.output.clocks.clone().into_iter().collect();
        self.hear(Heard::Told(Message::Tick(self.now(), clocks)));
        self.hear(Heard::Told(Message::Happened(Arc::new(envelope))));
        if self.rests {
            self.hear(Heard::Quiet);
        }
    }

    /// Somebody writes a line, and nothing else.
    pub(super) fn types(&mut self, line: &str) {
        let burst = Burst { lines: vec![line.to_owned()], goes_on: false };
        self.hear(Heard::Typed(self.now(), burst));
    }

    /// As [`Self::types`], once what was said could be read.
    pub(super) fn answers(&mut self, line: &str) {
        self.wait(500);
        self.types(line);
    }

    /// Several lines come at once.
    pub(super) fn pastes(&mut self, lines: &[&str]) {
        let lines = lines.iter().map(|line| (*line).to_owned()).collect();
        self.hear(Heard::Typed(self.now(), Burst { lines, goes_on: false }));
    }

    pub(super) fn session(&mut self, number: u128, path: &[&str], parent: Option<u128>) {
        let spec = SessionSpec {
            id: number.into(),
            parent: parent.map(Into::into),
            path: path.iter().map(|part| (*part).to_owned()).collect(),
            workspace: "/home/me/tally".into(),
            model: "anthropic/claude".into(),
            mode: Mode::Default,
            tools: Vec::new(),
            modules: Vec::new(),
            limits: Limits::default(),
            instructions: String::new(),
            agents: None,
            view: crate::kernel::spec::View::Whole,
            worktree: None,
            workflow: None,
        };
        self.event(number, Event::SessionStarted { spec });
    }

    pub(super) fn says(&mut self, session: u128, text: &str) {
        self.event(session, Event::MessageSent { text: text.into(), pictures: Vec::new() });
        self.event(session, Event::TurnStarted { turn: 1, model: "claude".into() });
    }

    pub(super) fn streams(&mut self, session: u128, text: &str) {
        self.event(session, Event::TextStreamed { text: text.into() });
    }

    /// The first session, and its run with call 10 that is held at line 12.
    pub(super) fn at_work(&mut self) {
        self.session(1, &["fix-parser"], None);
        self.says(1, "make the lexer accept tabs, and keep the old tests green");
        self.streams(1, "Three samples change, all of them in indent/.");
        self.runs(1, 10, "main.py", LEX);
    }

    pub(super) fn runs(&mut self, session: u128, call: u128, file: &str, code: &str) {
        let category = crate::kernel::capability::Category::Read;
        let by = Decider::Mode { mode: Mode::Default };
        let decision = crate::kernel::event::Decision::allowed(by);
        let started = python(call, file, code);
        let subject = crate::kernel::gate::subject::Subject::Other;
        self.event(session, Event::CallStarted { call: started, category, decision, subject });
        let call = CallId::from(call);
        let program = file.to_owned();
        let (seal, form) = (Seal::Sealed, Form::Full);
        let started = Event::ExecutionStarted { call, program, seal, form, limit_ms: 60_000 };
        self.event(session, started);
    }

    pub(super) fn prints(&mut self, session: u128, call: u128, lines: &[String]) {
        let total = lines.len() as u64;
        self.page = OutputPage { first: 0, total, lines: lines.to_vec() };
        self.event(session, Event::OutputWritten { call: call.into(), bytes: 1, lines: total });
    }

    pub(super) fn asks(&mut self, question: Question) {
        let session = question.session;
        let at = self.now().wall;
        let event = Event::ApprovalRequested { question };
        let envelope = Envelope { v: 1, seq: self.seq, at, session, event };
        self.seq += 1;
        self.hear(Heard::Told(Message::Happened(Arc::new(envelope))));
    }

    pub(super) fn answered(
        &mut self,
        session: u128,
        approval: u128,
        answer: Answer,
        waited_ms: u64,
    ) {
        let approval = ApprovalId::from(approval);
        let by = Decider::Person;
        let event =
            Event::ApprovalAnswered { approval, answer, by, waited_ms, excluded_ms: waited_ms };
        self.event(session, event);
    }

    /// What was said since the last time.
    #[track_caller]
    pub(super) fn said(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    /// The answers that were sent since the last time, with their questions.
    pub(super) fn sent(&mut self) -> Vec<(ApprovalId, Answer)> {
        let sent = |effect: Effect| match effect {
            Effect::Send(Command::Answer { approval, answer }) => Some((approval, answer)),
            _ => None,
        };
        std::mem::take(&mut self.effects).into_iter().filter_map(sent).collect()
    }
}
