//! A screen to play stories on: the real state, update and view, with time and events as told.

mod away;
mod desk;
mod file;
mod happens;
mod outside;
mod pictures;
mod questions;
mod rules;
mod runs;
mod written;

use std::{sync::Arc, time::Duration};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use jiff::Timestamp;
use ratatui::{Terminal, backend::TestBackend};
use tokio::time::Instant;

pub(super) use self::pictures::attached;
pub(super) use self::questions::{
    LEX, capability, code_question, made_ready, packages_question, program_question, python,
    result, shell_question, write_question,
};
pub(super) use self::rules::{program, rule};
use self::runs::part_of;
use super::{
    diff,
    effect::Effect,
    highlight,
    message::{Came, Input, Message},
    paper,
    state::{
        Drawn, Moment, State,
        look::Look,
        status::{Check, Place, Player},
        waiting::Sheet,
    },
    theme::{Depth, Mark, Marks, Theme},
    update::update,
    view::view,
};
use crate::kernel::{
    change::Planned,
    clock::Reading,
    id::{ApprovalId, CallId},
    port::{Form, OutputPage},
};

/// What the guard's rules are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trace {
    /// A letter, or anything else that came from the person.
    Letter(char),
    Stir,
    /// A frame showed the letters of this question as live keys.
    Live(ApprovalId),
}

pub(super) struct Stage {
    pub(super) state: State,
    /// What was asked of the outside and not done by the stage itself.
    pub(super) effects: Vec<Effect>,
    /// What an output holds when it is read.
    pub(super) page: OutputPage,
    /// What was written, with what undoing it would do.
    pub(super) planned: Vec<Planned>,
    /// A file before and after any of it.
    pub(super) texts: (String, String),
    /// The files that can be looked at.
    pub(super) disk: file::Disk,
    pub(super) clocks: Vec<(CallId, Reading)>,
    pub(super) desk: desk::Desk,
    terminal: Terminal<TestBackend>,
    start: Moment,
    ms: u64,
    seq: u64,
    /// What the guard's rules are about, with the millisecond.
    pub(super) traces: Vec<(u64, Trace)>,
    pub(super) lays_out: bool,
    /// How fast frames reach the terminal; none are drawn by themselves if false.
    pub(super) draws: bool,
}

impl Stage {
    pub(super) fn new(width: u16, height: u16) -> Self {
        let place = Place {
            workspace: "tally".into(),
            player: Player::Model("claude".into()),
            ..Place::default()
        };
        Self::at(width, height, place)
    }

    pub(super) fn at(width: u16, height: u16, place: Place) -> Self {
        let start = Moment {
            at: Instant::now(),
            wall: "2026-11-29T12:00:00Z".parse::<Timestamp>().unwrap(),
        };
        let look = Look::new(Theme::dark(Depth::True), Marks::unicode());
        let place = Place { seal: place.seal.or(Some(Form::Full)), ..place };
        let mut stage = Self {
            state: State::new(place, look, Vec::new(), start),
            effects: Vec::new(),
            page: OutputPage::default(),
            planned: Vec::new(),
            texts: ("one\ntwo\n".into(), "one\n\tthree\n".into()),
            disk: file::Disk::default(),
            clocks: Vec::new(),
            desk: desk::Desk::default(),
            terminal: Terminal::new(TestBackend::new(width, height)).unwrap(),
            start,
            ms: 0,
            seq: 0,
            traces: Vec::new(),
            lays_out: true,
            draws: true,
        };
        stage.draw();
        stage
    }

    pub(super) fn first_start(width: u16, height: u16) -> Self {
        let check = |mark, text: &str| Check { mark, text: text.into() };
        let looked_for = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"];
        let place = Place {
            workspace: "tally".into(),
            player: Player::Nobody { looked_for: looked_for.map(str::to_owned).to_vec() },
            checks: vec![
                check(Mark::Done, "uv 0.9.13, Python 3.13"),
                check(Mark::Done, "seal: full"),
                check(Mark::Done, "terminal: 256 colours"),
                check(Mark::Done, "git"),
                check(Mark::Queued, "disk …"),
                check(Mark::Queued, "ollama …"),
            ],
            ..Place::default()
        };
        Self::at(width, height, place)
    }

    pub(super) fn ms(&self) -> u64 {
        self.ms
    }

    pub(super) fn now(&self) -> Moment {
        Moment {
            at: self.start.at + Duration::from_millis(self.ms),
            wall: self.start.wall + Duration::from_millis(self.ms),
        }
    }

    pub(super) fn send(&mut self, message: Message) {
        let mut trace = None;
        if let Message::Input(_, input) = &message {
            trace = Some(Trace::Stir);
            if let Input::Key(key) = input
                && let (KeyCode::Char(c), true) = (key.code, key.modifiers.is_empty())
            {
                trace = Some(Trace::Letter(c));
            }
        }
        if let Message::Drawn(_, drawn) = &message {
            let live = drawn.question.as_ref().filter(|seen| seen.live);
            trace = live.map(|seen| Trace::Live(seen.id));
        }
        self.traces.extend(trace.map(|trace| (self.ms, trace)));
        let mut messages = std::collections::VecDeque::from([message]);
        while let Some(message) = messages.pop_front() {
            for effect in update(&mut self.state, message) {
                match effect {
                    Effect::Prepare(question) => {
                        let paper = Arc::new(paper::of(&question));
                        let capability = capability(&question.call.name).map(Arc::new);
                        let came = Came::Prepared(question.id, paper, capability);
                        messages.push_back(Message::Came(came));
                    }
                    effect @ (Effect::LayOut(..) | Effect::LayOutChange(..) | Effect::Find(..))
                        if self.lays_out =>
                    {
                        messages.extend(made_ready(effect).map(Message::Came));
                    }
                    Effect::Colour(session, call, code) => {
                        let came = Came::Coloured(session, call, highlight::highlight(&code));
                        messages.push_back(Message::Came(came));
                    }
                    Effect::ReadOutput(_, call, part) => {
                        let came = Came::Output(call, Some(part_of(&self.page, part)));
                        messages.push_back(Message::Came(came));
                    }
                    Effect::FindInOutput(_, call, word) => {
                        let has = |(_, line): &(u64, &String)| line.to_lowercase().contains(&word);
                        let lines = (self.page.first..).zip(&self.page.lines).filter(has);
                        let lines = lines.map(|(number, _)| number).collect();
                        let came = Came::Lines { call, word, lines, more: false };
                        messages.push_back(Message::Came(came));
                    }
                    Effect::ReadChanges(session) => {
                        let came = Came::Changes(session, Ok(self.planned.clone()));
                        messages.push_back(Message::Came(came));
                    }
                    Effect::PlanUndo(_, calls) => {
                        let all = self.planned.iter();
                        let chosen = all.filter(|planned| calls.contains(&planned.recorded.call));
                        let came = Came::Planned(calls.clone(), Ok(chosen.cloned().collect()));
                        messages.push_back(Message::Came(came));
                    }
                    Effect::Compare(_, call) => {
                        let diff = diff::Diff::new(Some(&self.texts.0), &self.texts.1);
                        let sheet = Arc::new(Sheet::Diff(diff));
                        let came = Came::Compared(call, Ok(sheet));
                        messages.push_back(Message::Came(came));
                    }
                    Effect::Consider(approval, scope) => {
                        let came = Came::Considered(approval, scope, Ok(self.desk.considered));
                        messages.push_back(Message::Came(came));
                    }
                    Effect::Paint(wanted, how, count) => {
                        messages.push_back(self.desk.paints(wanted, how, count));
                    }
                    Effect::ReadRules(of) => messages.push_back(self.desk.rules(of)),
                    Effect::ListSessions => messages.push_back(self.listed()),
                    Effect::ReadSaid(session) => messages.push_back(self.said(session)),
                    Effect::FindFiles(_, words) => messages.push_back(self.desk.finds(words)),
                    Effect::File(root, path, ask) => {
                        let read = self.reader(ask.clone(), &root, &path);
                        messages.extend(read.map(|read| Message::Came(Came::File(path, read))));
                    }
                    Effect::ReadDraft(of) => messages.extend(self.desk.draft(of)),
                    Effect::KeepDraft(of, text) => drop(self.desk.drafts.insert(of, text)),
                    Effect::PutAway(session, page, cells) => {
                        self.desk.outside.put(session, page, &cells);
                    }
                    asks @ (Effect::BringBack(..) | Effect::FindOutside(..))
                        if !self.desk.outside.waits =>
                    {
                        messages.extend(self.desk.outside.came(asks).map(Message::Came));
                    }
                    other @ (Effect::Send(_)
                    | Effect::BringBack(..)
                    | Effect::FindOutside(..)
                    | Effect::LayOut(..)
                    | Effect::LayOutChange(..)
                    | Effect::Find(..)
                    | Effect::Resume(..)
                    | Effect::Delete(_)
                    | Effect::Rename(..)
                    | Effect::Start { .. }
                    | Effect::Copy(_)
                    | Effect::ReadPicture(_)
                    | Effect::SaveOutput(..)
                    | Effect::PageOutput(..)
                    | Effect::SavePicture(..)
                    | Effect::Remember(_)
                    | Effect::Notify(_)
                    | Effect::Editor { .. }
                    | Effect::Visit(_)
                    | Effect::VisitLine(..)
                    | Effect::KeysFile
                    | Effect::RulesFile
                    | Effect::Keep(_)
                    | Effect::ReadTheme(_)
                    | Effect::Suspend) => self.effects.push(other),
                }
            }
        }
    }

    /// Much time passes, of which only the end is seen.
    pub(super) fn passes(&mut self, ms: u64) {
        let draws = std::mem::replace(&mut self.draws, false);
        self.wait(ms);
        self.draws = draws;
        self.draw();
    }

    /// Time passes, a frame at a time where frames are drawn.
    pub(super) fn wait(&mut self, ms: u64) {
        let end = self.ms + ms;
        while self.ms < end {
            self.ms = (self.ms + 50).min(end);
            self.send(Message::Tick(self.now(), self.clocks.clone()));
            if self.draws {
                self.draw();
            }
        }
    }

    pub(super) fn draw(&mut self) {
        let mut drawn = Drawn::default();
        self.terminal.draw(|frame| drawn = view(&self.state, frame)).unwrap();
        self.send(Message::Drawn(self.now(), Box::new(drawn)));
    }

    pub(super) fn resize(&mut self, width: u16, height: u16) {
        self.terminal.backend_mut().resize(width, height);
        self.send(Message::Input(self.now(), Input::Resized));
        self.draw();
    }

    /// What a person sees.
    pub(super) fn screen(&mut self) -> String {
        self.draw();
        self.terminal.backend().to_string()
    }

    /// Where the terminal's cursor stands.
    pub(super) fn cursor(&mut self) -> (u16, u16) {
        let at = self.terminal.get_cursor_position().unwrap();
        (at.x, at.y)
    }

    pub(super) fn buffer(&self) -> &ratatui::buffer::Buffer {
        self.terminal.backend().buffer()
    }

    /// A key that a finger pressed, even if the clock stands still since the one before.
    pub(super) fn press(&mut self, code: KeyCode, modifiers: KeyModifiers) {
        self.state.guard.haste(None, self.now().at);
        let key = KeyEvent::new(code, modifiers);
        self.send(Message::Input(self.now(), Input::Key(key)));
    }

    /// Keys by their names: `y`, `esc`, `ctrl+g`, `F2`, `shift+tab`.
    pub(super) fn key(&mut self, name: &str) {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = name;
        for (prefix, modifier) in [
            ("ctrl+", KeyModifiers::CONTROL),
            ("alt+", KeyModifiers::ALT),
            ("shift+", KeyModifiers::SHIFT),
        ] {
            if let Some(tail) = rest.strip_prefix(prefix) {
                modifiers |= modifier;
                rest = tail;
            }
        }
        let code = match rest {
            "enter" => KeyCode::Enter,
            "esc" => KeyCode::Esc,
            "tab" => KeyCode::Tab,
            "up" => KeyCode::Up,
            "down" => KeyCode::Down,
            "left" => KeyCode::Left,
            "right" => KeyCode::Right,
            "pgup" => KeyCode::PageUp,
            "pgdn" => KeyCode::PageDown,
            "home" => KeyCode::Home,
            "end" => KeyCode::End,
            "backspace" => KeyCode::Backspace,
            f if f.len() > 1 && f.starts_with('F') => KeyCode::F(f[1..].parse().unwrap()),
            c => KeyCode::Char(c.chars().next().unwrap()),
        };
        self.press(code, modifiers);
    }

    /// Types a text, a letter each 60 ms.
    pub(super) fn types(&mut self, text: &str) {
        for c in text.chars() {
            self.press(KeyCode::Char(c), KeyModifiers::NONE);
            self.wait(60);
        }
    }
}
