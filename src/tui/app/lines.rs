//! The loop around the line mode: lines in, lines out, and the effects between, done as the screen's are.

mod reader;
mod writer;

use std::{
    io::{self, IsTerminal as _},
    sync::Arc,
    time::Duration,
};

use tokio::{
    signal::unix::{Signal as Listener, SignalKind, signal},
    task::JoinSet,
    time::Instant,
};

use self::{
    reader::{Read, Reader},
    writer::Writer,
};
use super::{
    BATCH, Farewell, Keep, Opening, Remember, attached, editor, now, opening, outputs,
    outside::Kept, slow::slow, told::Told, work, written::Writing,
};
use crate::{
    kernel::{event::Envelope, patience::within, port::Desk},
    tui::{
        effect::{Effect, Start},
        lines::{self, Heard, Lines, Source, Step, rendered::Rendered},
        message::{Came, Message},
        terminal::Signal,
    },
};

/// How long a signal leaves for the last lines.
const PARTING: Duration = Duration::from_secs(1);

type Begin = Arc<dyn Fn(Start) -> Result<super::Beginning, String> + Send + Sync>;

/// Runs the line mode on standard input and output until the person leaves it, or nothing more comes and
/// nothing goes on. What happened before `began` is told in short; `owed` messages were sent already. An error means that the input cannot
/// be read at all. Dropping the future loses nothing but what was not written yet.
pub async fn run_lines(
    desk: Arc<dyn Desk>,
    opening: Opening,
    began: jiff::Timestamp,
    owed: usize,
) -> io::Result<Farewell> {
    let source = if io::stdin().is_terminal() { Source::Terminal } else { Source::Pipe };
    let signals = Signals::listen()?;
    let state = opening::first(&opening);
    let told = Told { events: desk.subscribe(), news: opening.news };
    let app = App {
        desk,
        lines: Lines::new(state, source, began, owed),
        rendered: Rendered::new(source),
        begin: opening.begin,
        keep: opening.look.own.keep,
        kept: Kept::of(opening.remember as Remember, opening.here.cache),
        work: JoinSet::new(),
        writing: Writing::in_folder(opening.here.drafts),
        wanted: None,
        signal: None,
        reader: Reader::start(source)?,
        writer: Writer::start(),
        signals,
        told,
    };
    app.run().await
}

/// The line mode and all it is connected to.
struct App {
    desk: Arc<dyn Desk>,
    lines: Lines,
    rendered: Rendered,
    told: Told,
    begin: Begin,
    keep: Keep,
    kept: Kept,
    work: JoinSet<Came>,
    writing: Writing,
    /// A text that is to be edited outside.
    wanted: Option<editor::Wanted>,
    signal: Option<Signal>,
    signals: Signals,
    reader: Reader,
    writer: Writer,
}

/// Those that end something; a stop and its end are the system's to do, since nothing has to be restored.
struct Signals {
    interrupt: Listener,
    terminate: Listener,
    hangup: Listener,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// The next one. Losing the future loses none.
    async fn next(&mut self) -> Signal {
        tokio::select! {
            biased;
            _ = self.hangup.recv() => Signal::Hangup,
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.interrupt.recv() => Signal::Interrupt,
        }
    }
}

impl App {
    async fn run(mut self) -> io::Result<Farewell> {
        let first = lines::begin(&mut self.lines);
        self.step(first);
        loop {
            if let Some(leave) = self.lines.leave() {
                self.finish().await;
                let session = self.lines.state().sessions.viewed();
                return Ok(Farewell { leave, signal: self.signal, session });
            }
            if let Some(wanted) = self.wanted.take() {
                self.edit(wanted).await;
                continue;
            }
            let keep = self.lines.state().composer.drafts.deadline();
            tokio::select! {
                biased;
                // No arm loses anything when another one is first: each takes one whole thing.
                signal = self.signals.next() => self.signalled(signal),
                wrote = self.writer.wrote() => match wrote {
                    Ok(mark) => mark.into_iter().for_each(|mark| self.reader.ask(mark)),
                    Err(writer::Gone) => self.signalled(Signal::Hangup),
                },
                // What is said is for the session that comes, so it waits for that one.
                Some(read) = self.reader.next(), if !self.lines.state().is_beginning() => {
                    self.read(read);
                }
                Some(came) = self.work.join_next() => match came {
                    Ok(came) => self.tell(Message::Came(came)),
                    Err(error) => tracing::error!(%error, "work of the line mode was lost"),
                },
                // Who cannot take more is not told more.
                Some(event) = self.told.events.recv(), if self.writer.has_room() => {
                    self.happened(event);
                }
                Some(news) = self.told.news.recv() => self.tell(Message::Told(news)),
                () = tokio::time::sleep_until(keep.unwrap_or_else(Instant::now)), if keep.is_some() => {
                    self.tick();
                }
            }
        }
    }

    /// Waits until all is written; where a signal ends it, no longer than a terminal that is there takes.
    async fn finish(&mut self) {
        let written = self.writer.finish();
        match self.signal {
            Some(_) => drop(within(PARTING, written).await),
            None => written.await,
        }
    }

    fn signalled(&mut self, signal: Signal) {
        match signal {
            Signal::Interrupt => self.hear(Heard::Interrupted(now())),
            Signal::Terminate
            | Signal::Hangup
            | Signal::Suspend
            | Signal::Continue
            | Signal::Resized => {
                self.signal = Some(signal);
                self.tell(Message::Signalled);
            }
        }
    }

    fn read(&mut self, read: Read) {
        match read {
            Read::Burst(at, burst) => self.hear(Heard::Typed(at, burst)),
            Read::Reached(at, mark, begun) => self.hear(Heard::Reached(at, mark, begun)),
            Read::Ended(at) => self.hear(Heard::Ended(at)),
        }
    }

    /// All events that are there, a batch at a time so that no line waits for a flood of them.
    fn happened(&mut self, first: Arc<Envelope>) {
        self.tick();
        let mut event = Some(first);
        for _ in 0..BATCH {
            let Some(next) = event else { break };
            self.hear(Heard::Told(Message::Happened(next)));
            event = self.told.events.try_recv().ok();
        }
        match event {
            Some(left) => self.hear(Heard::Told(Message::Happened(left))),
            None => self.hear(Heard::Quiet),
        }
    }

    fn tell(&mut self, message: Message) {
        self.tick();
        self.hear(Heard::Told(message));
    }

    /// Lets time pass, and reads the clocks of the runs.
    fn tick(&mut self) {
        let running = self.lines.state().output.running();
        let clocks = running.filter_map(|call| Some((call, self.desk.clock(call)?))).collect();
        self.hear(Heard::Told(Message::Tick(now(), clocks)));
    }

    fn hear(&mut self, heard: Heard) {
        let at = Instant::now();
        let step = lines::update(&mut self.lines, heard);
        self.step(step);
        slow("line", at);
    }

    /// Writes what is said, and does what is wanted.
    fn step(&mut self, step: Step) {
        let text = self.rendered.text(&step.lines);
        if !text.is_empty() || step.mark.is_some() {
            self.writer.write(text, step.mark);
        }
        for effect in step.effects {
            if let Some(came) = self.effect(effect) {
                self.hear(Heard::Told(Message::Came(came)));
            }
        }
    }

    /// Does one thing; gives what came of it where that is known at once.
    fn effect(&mut self, effect: Effect) -> Option<Came> {
        let (work, desk) = (&mut self.work, self.desk.clone());
        match effect {
            Effect::Send(command) => return work::send(work, &*desk, command),
            Effect::Start { what, message } => {
                work::start(work, desk, self.begin.clone(), what, message);
            }
            Effect::ListSessions => work::list(work, desk),
            Effect::Resume(session, when) => work::resume(work, desk, session, when),
            Effect::Delete(session) => {
                work::delete(work, desk, session, self.writing.file(session));
            }
            Effect::Rename(session, name) => work::rename(work, desk, session, name),
            Effect::ReadSaid(session) => work::read_said(work, desk, session),
            Effect::ReadOutput(session, call, part) => {
                outputs::read(work, desk, session, call, part);
            }
            Effect::PageOutput(session, call) => {
                self.wanted = Some(editor::Wanted::Output { desk, session, call });
            }
            Effect::ReadChanges(of) => work::read_changes(work, desk, of),
            Effect::PlanUndo(session, calls) => work::plan_undo(work, desk, session, calls),
            Effect::Consider(approval, scope) => {
                let came = desk.consider(approval, &scope);
                return Some(Came::Considered(approval, scope, came));
            }
            Effect::ReadRules(of) => work::read_rules(work, desk, of),
            Effect::ReadPicture(wanted) => {
                attached::read(work, desk, std::env::home_dir(), wanted);
            }
            Effect::ReadDraft(session) => self.writing.read(work, session),
            Effect::KeepDraft(session, text) => {
                self.writing.keep(work, self.lines.leave(), session, text);
            }
            Effect::Prepare(what) => work::prepare(work, desk, what),
            Effect::Editor { question, field, text } => {
                self.wanted = Some(editor::Wanted::Text { question, field, text });
            }
            Effect::Visit(file) => self.wanted = Some(editor::Wanted::File(file, None)),
            Effect::VisitLine(file, line) => {
                self.wanted = Some(editor::Wanted::File(file, Some(line)));
            }
            Effect::Remember(sizes) => self.kept.sizes.keep(work, sizes),
            Effect::PutAway(of, page, cells) => self.kept.pages.put(work, of, page, cells),
            Effect::BringBack(of, page) => self.kept.pages.read(work, of, page),
            Effect::FindOutside(of, word, pages) => {
                self.kept.pages.find(work, of, word, pages);
            }
            Effect::Keep(setting) => work::keep(work, self.keep.clone(), setting),
            // Of a picture, which there is none of.
            Effect::FindInOutput(..)
            | Effect::SaveOutput(..)
            | Effect::Paint(..)
            | Effect::SavePicture(..)
            | Effect::Compare(..)
            | Effect::FindFiles(..)
            | Effect::Colour(..)
            | Effect::LayOut(..)
            | Effect::LayOutChange(..)
            | Effect::File(..)
            | Effect::Find(..)
            | Effect::Copy(_)
            | Effect::Notify(_)
            | Effect::ReadTheme(_)
            | Effect::KeysFile
            | Effect::RulesFile
            | Effect::Suspend => {}
        }
        None
    }

    /// Gives the terminal to an editor until it ends. What happens meanwhile is told afterwards.
    async fn edit(&mut self, wanted: editor::Wanted) {
        self.writer.finish().await;
        self.reader.pause().await;
        let named = editor::named();
        let came = {
            let mut came = std::pin::pin!(wanted.done(&named));
            loop {
                tokio::select! {
                    biased;
                    came = &mut came => break Ok(came),
                    signal = self.signals.next() => match signal {
                        // A key of the editor; it has it too.
                        Signal::Interrupt => {}
                        Signal::Terminate
                        | Signal::Hangup
                        | Signal::Suspend
                        | Signal::Continue
                        | Signal::Resized => break Err(signal),
                    },
                }
            }
        };
        self.reader.resume();
        match came {
            Ok(came) => self.tell(Message::Came(came)),
            Err(signal) => self.signalled(signal),
        }
    }
}
