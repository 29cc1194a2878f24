//! The loop around state and view: the one asynchronous file of the screen. It waits for whatever
//! comes first, applies it, and draws when a frame is due; it never waits for work.

mod editor;
mod keys;
mod opening;
mod work;

use std::{collections::VecDeque, io, sync::Arc, time::Duration};

use ratatui::layout::Size;
use tokio::{sync::mpsc, task::JoinSet, time::Instant};

use self::keys::{Key, Keys};
use super::{
    effect::{Effect, Start},
    frame::{FrameClock, Pace},
    message::{Came, Input, Message, News},
    state::{Drawn, Moment, Popup, State, look::Look, status::Place},
    terminal::{Progress, Signal, Signals, Terminal, Tty, Wishes},
    theme::{Theme, watch},
    update::update,
    view,
};
use crate::config::{Mouse, Notice};
use crate::kernel::{
    event::{Envelope, Event},
    port::Desk,
};

pub use self::opening::{Beginning, Farewell, Opening};
pub use super::state::status::{Check, Player};

/// A turn of the loop that takes longer than this is a fault, and is logged as one.
const SLOW: Duration = Duration::from_millis(50);

/// Events applied before keys are looked at again.
const BATCH: usize = 256;

/// Runs the screen on the terminal behind standard output until the person leaves it. The terminal
/// is given back on every way out. An error means that there is no terminal or that it went away.
/// Dropping the future gives the terminal back and loses nothing but the screen.
pub async fn run(desk: Arc<dyn Desk>, opening: Opening) -> io::Result<Farewell> {
    let tty = Tty::stdout()?;
    // Before the size is asked for, so that no change of it is missed.
    let signals = Signals::listen()?;
    let (width, height) = crossterm::terminal::size()?;
    let wishes = Wishes { mouse: opening.mouse == Mouse::Footplate, keyboard: true };
    let terminal = Terminal::enter(tty.try_clone()?, tty, Size { width, height }, wishes)?;
    terminal.restore().on_panic();
    let keys = Keys::of_terminal();
    App::new(desk, opening, terminal, keys).run(Some(signals)).await
}

/// The screen and all it is connected to.
struct App {
    desk: Arc<dyn Desk>,
    state: State,
    terminal: Terminal,
    frames: FrameClock,
    keys: Keys,
    events: mpsc::UnboundedReceiver<Arc<Envelope>>,
    news: mpsc::UnboundedReceiver<News>,
    themes: mpsc::UnboundedReceiver<Result<Theme, String>>,
    /// Kept so that the theme's file goes on being watched.
    _watch: Option<super::theme::Watch>,
    begin: Arc<dyn Fn(Start) -> Result<Beginning, String> + Send + Sync>,
    work: JoinSet<Came>,
    memory: work::Memory,
    /// A frame that is on its way to the terminal.
    drawn: Option<Drawn>,
    signal: Option<Signal>,
    /// A text that is to be edited outside.
    wanted: Option<editor::Wanted>,
    notice: Notice,
}

impl App {
    fn new(desk: Arc<dyn Desk>, opening: Opening, terminal: Terminal, keys: Keys) -> Self {
        let look = Look::new(opening.theme, opening.marks);
        let depth = look.theme.depth();
        let place = Place {
            workspace: opening.workspace,
            player: opening.player,
            mode: opening.mode,
            runs: opening.runs,
            checks: opening.looked_at,
            last_here: opening.last_here,
            carries_on: opening.session.is_some(),
            ..Place::default()
        };
        let mut state = State::new(place, look, opening.history, now());
        state.sessions.prefer(opening.session);
        state.records.zone = jiff::tz::TimeZone::system();
        state.records.home = opening.home;
        state.panes.sizes = opening.sizes;
        state.sessions.tree.here = opening.folder;
        state.popup = opening.held.map(|session| Popup::Held { session });
        let (tell, themes) = mpsc::unbounded_channel();
        let watch = opening.theme_file.as_deref().and_then(|file| {
            let changed = move |theme: Result<Theme, _>| {
                let theme = theme.map_err(|fault: super::theme::ThemeError| fault.to_string());
                // Fails only when the screen is gone.
                let _ = tell.send(theme);
            };
            watch(file, depth, changed)
                .map_err(|fault| state.status.say(fault.to_string(), state.now.at))
                .ok()
        });
        Self {
            events: desk.subscribe(),
            desk,
            state,
            terminal,
            frames: FrameClock::default(),
            keys,
            news: opening.news,
            themes,
            _watch: watch,
            begin: opening.begin,
            work: JoinSet::new(),
            memory: work::Memory::of(opening.remember),
            drawn: None,
            signal: None,
            wanted: None,
            notice: opening.notice,
        }
    }

    async fn run(mut self, mut signals: Option<Signals>) -> io::Result<Farewell> {
        self.frames.request(Pace::Key, Instant::now());
        loop {
            self.draw()?;
            if let Some(leave) = self.state.leave {
                self.terminal.leave()?;
                let session = self.state.sessions.viewed();
                return Ok(Farewell { leave, signal: self.signal, session });
            }
            if let Some(wanted) = self.wanted.take() {
                self.edit(wanted, &mut signals).await?;
                continue;
            }
            let wake = self.wake();
            tokio::select! {
                biased;
                // No arm loses anything when another one is first: each takes one whole thing.
                signal = next(&mut signals) => self.signalled(signal)?,
                // What the person has seen comes before what they press; it is once a frame.
                () = self.terminal.wait_ready(), if self.drawn.is_some() || self.late() => {
                    self.reached();
                }
                key = self.keys.next() => self.key(key)?,
                Some(came) = self.work.join_next() => self.came(came),
                Some(event) = self.events.recv() => self.happened(event),
                Some(news) = self.news.recv() => self.turn(Message::Told(news), Pace::Key),
                Some(theme) = self.themes.recv() => self.turn(Message::Themed(theme), Pace::Key),
                () = tokio::time::sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {
                    self.tick();
                }
            }
        }
    }

    /// When to look again if nothing comes: a frame is due, or a clock on the screen goes on.
    fn wake(&self) -> Option<Instant> {
        let frame = self.frames.next_deadline().filter(|_| self.terminal.ready());
        [frame, self.state.deadline()].into_iter().flatten().min()
    }

    /// A frame is due, and the terminal has not taken the last one yet.
    fn late(&self) -> bool {
        self.frames.due(Instant::now()) && !self.terminal.ready()
    }

    fn draw(&mut self) -> io::Result<()> {
        let at = Instant::now();
        if !self.frames.due(at) || !self.terminal.ready() {
            self.terminal.flush();
            return Ok(());
        }
        self.reached();
        // The frame lets time pass, and what was pressed before comes before that.
        self.keys.try_next().map_or(Ok(()), |key| self.key(key))?;
        self.apply(Message::Tick(now(), self.clocks()));
        self.terminal.set_title(&view::title(&self.state));
        self.terminal.set_progress(
            match (self.state.queue.asking(), self.state.sessions.at_work()) {
                (0, 0) => Progress::None,
                (0, _) => Progress::Busy,
                _ => Progress::Paused,
            },
        );
        let mut drawn = Drawn::default();
        let state = &self.state;
        if self.terminal.draw(|frame| drawn = view::view(state, frame))? {
            self.drawn = Some(drawn);
            self.frames.drawn(at);
        }
        slow("draw", at);
        Ok(())
    }

    /// The last frame is on the terminal: from now on the person can have seen it.
    fn reached(&mut self) {
        if let Some(drawn) = self.drawn.take() {
            self.apply(Message::Drawn(now(), drawn));
        }
    }

    fn tick(&mut self) {
        let due = self.state.deadline().is_some_and(|deadline| deadline <= Instant::now());
        if due {
            self.turn(Message::Tick(now(), self.clocks()), Pace::Key);
        }
    }

    fn clocks(&self) -> Vec<(crate::kernel::id::CallId, crate::kernel::clock::Reading)> {
        let running = self.state.output.running();
        running.filter_map(|call| Some((call, self.desk.clock(call)?))).collect()
    }

    fn key(&mut self, key: Key) -> io::Result<()> {
        let mut key = Some(key);
        while let Some(next) = key {
            match next {
                Key::Pressed(at, input) => self.turn(Message::Input(at, input), Pace::Key),
                Key::Resized(at, size) => {
                    self.terminal.resize(size)?;
                    self.turn(Message::Input(at, Input::Resized), Pace::Key);
                }
                Key::Closed => {
                    self.signal = Some(Signal::Hangup);
                    self.turn(Message::Signalled, Pace::Key);
                }
            }
            key = self.keys.try_next();
        }
        Ok(())
    }

    /// All events that are there, a batch at a time so that keys never wait for a flood of them.
    fn happened(&mut self, first: Arc<Envelope>) {
        let mut event = Some(first);
        for _ in 0..BATCH {
            let Some(next) = event else { break };
            let pace = if matches!(next.event, Event::TextStreamed { .. }) {
                Pace::Stream
            } else if matches!(next.event, Event::OutputWritten { .. }) {
                Pace::Output
            } else {
                Pace::Key
            };
            self.turn(Message::Happened(next), pace);
            event = self.events.try_recv().ok();
        }
        if let Some(left) = event {
            self.turn(Message::Happened(left), Pace::Stream);
        }
    }

    fn came(&mut self, came: Result<Came, tokio::task::JoinError>) {
        match came {
            Ok(came) => {
                let output = matches!(came, Came::Output(..));
                let pace = if output { Pace::Output } else { Pace::Key };
                self.turn(Message::Came(came), pace);
            }
            // A panic has already ended the screen; what is left is work that was dropped.
            Err(error) => tracing::error!(%error, "work of the screen was lost"),
        }
    }

    fn signalled(&mut self, signal: Signal) -> io::Result<()> {
        match signal {
            Signal::Interrupt | Signal::Terminate | Signal::Hangup => {
                self.signal = Some(signal);
                self.turn(Message::Signalled, Pace::Key);
            }
            Signal::Suspend => self.suspend(),
            Signal::Continue => {
                self.terminal.continued()?;
                self.back();
            }
            Signal::Resized => {
                let (width, height) = crossterm::terminal::size()?;
                self.key(Key::Resized(now(), Size { width, height }))?;
            }
        }
        Ok(())
    }

    fn suspend(&mut self) {
        if let Err(error) = self.terminal.suspend() {
            self.apply(Message::Came(Came::NotSuspended(format!("Not suspended: {error}."))));
        }
        self.back();
    }

    /// Here again after a stop: the window may have another size, and keys from before are old.
    fn back(&mut self) {
        self.drawn = None;
        if let Ok((width, height)) = crossterm::terminal::size()
            && let Err(error) = self.terminal.resize(Size { width, height })
        {
            tracing::warn!(%error, "the terminal could not be laid out again");
        }
        self.turn(Message::Input(now(), Input::FocusGained), Pace::Key);
    }

    /// Applies a message and asks for a frame.
    fn turn(&mut self, message: Message, pace: Pace) {
        self.apply(message);
        self.frames.request(pace, Instant::now());
    }

    /// Applies a message and what follows from it at once.
    fn apply(&mut self, message: Message) {
        let mut messages = VecDeque::from([message]);
        while let Some(message) = messages.pop_front() {
            let (name, at) = (message.name(), Instant::now());
            let effects = update(&mut self.state, message);
            for effect in effects {
                messages.extend(self.effect(effect));
            }
            slow(name, at);
        }
    }

    /// Has an effect done; what is known of it at once comes back.
    fn effect(&mut self, effect: Effect) -> Option<Message> {
        match effect {
            Effect::Send(command) => {
                return work::send(&*self.desk, command).map(Message::Came);
            }
            Effect::Start { what, message } => {
                work::start(&mut self.work, self.desk.clone(), self.begin.clone(), what, message);
            }
            Effect::ListSessions => work::list(&mut self.work, self.desk.clone()),
            Effect::Resume(session, when) => {
                work::resume(&mut self.work, self.desk.clone(), session, when);
            }
            Effect::Delete(session) => work::delete(&mut self.work, self.desk.clone(), session),
            Effect::ReadSaid(session) => {
                work::read_said(&mut self.work, self.desk.clone(), session);
            }
            Effect::ReadOutput(session, call) => {
                work::read_output(&mut self.work, self.desk.clone(), session, call);
            }
            Effect::ReadChanges(of) => work::read_changes(&mut self.work, self.desk.clone(), of),
            Effect::PlanUndo(session, calls) => {
                work::plan_undo(&mut self.work, self.desk.clone(), session, calls);
            }
            Effect::Compare(session, call) => {
                work::compare(&mut self.work, self.desk.clone(), session, call);
            }
            Effect::Consider(approval, scope) => {
                let came = self.desk.consider(approval, &scope);
                return Some(Message::Came(Came::Considered(approval, scope, came)));
            }
            Effect::ReadRules(of) => work::read_rules(&mut self.work, self.desk.clone(), of),
            Effect::Colour(of, call, code) => work::colour(&mut self.work, of, call, code),
            Effect::Prepare(what) => work::prepare(&mut self.work, self.desk.clone(), what),
            Effect::LayOut(of, sheet, shape) => work::lay_out(&mut self.work, of, sheet, shape),
            Effect::Find(question, sheet, index, word, marks) => {
                work::find(&mut self.work, question, (sheet, index), word, marks);
            }
            Effect::Editor { question, field, text } => {
                self.wanted = Some(editor::Wanted::Text { question, field, text });
            }
            Effect::Visit(file) => self.wanted = Some(editor::Wanted::File(file)),
            Effect::Remember(sizes) => self.memory.keep(&mut self.work, sizes),
            Effect::Notify(text) => match self.notice {
                Notice::Bell => self.terminal.bell(),
                Notice::Osc9 => self.terminal.notify(&text),
                Notice::Off => {}
            },
            Effect::Copy(text) => {
                if !self.terminal.copy(&text) {
                    let why = "Not copied: too long for a clipboard.".to_owned();
                    return Some(Message::Told(News::Said(why)));
                }
            }
            Effect::Suspend => self.suspend(),
        }
        None
    }
}

/// The next signal, where any are listened to.
async fn next(signals: &mut Option<Signals>) -> Signal {
    match signals {
        Some(signals) => signals.next().await,
        None => std::future::pending().await,
    }
}

/// Now, by both clocks.
fn now() -> Moment {
    Moment { at: Instant::now(), wall: jiff::Timestamp::now() }
}

fn slow(what: &str, since: Instant) {
    let took = since.elapsed();
    if took > SLOW {
        tracing::warn!(what, ms = took.as_millis(), "the screen was slow");
    }
}

#[cfg(test)]
mod tests;
