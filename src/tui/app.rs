//! The loop around state and view: the one asynchronous file of the screen. It waits for whatever
//! comes first, applies it, and draws when a frame is due; it never waits for work.

mod answers;
mod attached;
mod editor;
mod effects;
mod keys;
mod lines;
mod opening;
mod outputs;
mod outside;
mod own;
mod pictures;
mod slow;
mod stops;
mod told;
mod work;
mod written;

use std::{collections::VecDeque, io, sync::Arc};

use ratatui::{Frame, layout::Size};
use tokio::{task::JoinSet, time::Instant};

use self::{
    answers::Answer,
    keys::{Key, Keys},
    outside::Kept,
    own::Files,
    slow::slow,
    told::Told,
    written::Writing,
};
use super::{
    effect::Start,
    frame::{FrameClock, Pace},
    message::{Came, Input, Message, News},
    picture::How,
    state::{Drawn, Moment, State},
    terminal::{Last, Progress, Signal, Signals, Terminal, Tty, Wanted, Wishes},
    theme::Theme,
    update::update,
    view,
};
use crate::config::{Mouse, Notice, Surface};
use crate::kernel::{
    event::{Envelope, Event},
    port::Desk,
};

pub use self::answers::Measure;
pub use self::lines::run_lines;
pub use self::opening::{Beginning, Dress, Farewell, Here, Manners, Meant, Opening, Remember};
pub use self::own::{Keep, Own};
pub use super::state::status::{Check, Player};

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
    let surface = match opening.manners.surface {
        Surface::Whole | Surface::Lines => Wanted::Whole,
        Surface::Inline => Wanted::Rows { reflows: opening.manners.reflows },
    };
    let mouse =
        opening.manners.mouse == Mouse::Footplate && opening.manners.surface == Surface::Whole;
    let wishes = Wishes { mouse, keyboard: true, surface, wrapped: opening.manners.in_tmux };
    let last = Last::of(surface)?;
    let terminal = Terminal::enter(tty.try_clone()?, tty, Size { width, height }, wishes)?;
    terminal.restore().on_panic();
    terminal.restore().on_abort(last)?;
    let keys = Keys::of_terminal()?;
    Box::pin(App::new(desk, opening, terminal, keys).run(Some(signals))).await
}

/// The screen and all it is connected to.
struct App {
    desk: Arc<dyn Desk>,
    state: State,
    terminal: Terminal,
    frames: FrameClock,
    keys: Keys,
    told: Told,
    files: Files,
    begin: Arc<dyn Fn(Start) -> Result<Beginning, String> + Send + Sync>,
    work: JoinSet<Came>,
    kept: Kept,
    /// A frame that is on its way to the terminal.
    drawn: Option<Drawn>,
    signal: Option<Signal>,
    /// A text that is to be edited outside.
    wanted: Option<editor::Wanted>,
    notice: Notice,
    writing: Writing,
}

impl App {
    fn new(desk: Arc<dyn Desk>, opening: Opening, terminal: Terminal, keys: Keys) -> Self {
        let depth = opening.look.theme.depth();
        let mut state = opening::first(&opening);
        let own = opening.look.own;
        let files = Files::new(&own, depth);
        state.look.show_pictures(files.asked.how());
        Self {
            told: Told { events: desk.subscribe(), news: opening.news },
            files,
            desk,
            state,
            terminal,
            frames: FrameClock::default(),
            keys,
            begin: opening.begin,
            work: JoinSet::new(),
            kept: Kept::of(opening.remember, opening.here.cache),
            drawn: None,
            signal: None,
            wanted: None,
            notice: opening.manners.notice,
            writing: Writing::in_folder(opening.here.drafts),
        }
    }

    async fn run(mut self, mut signals: Option<Signals>) -> io::Result<Farewell> {
        self.frames.request(Pace::Key, Instant::now());
        loop {
            self.draw()?;
            if let Some(leave) = self.state.place.leave {
                self.last_words().await;
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
                keys = self.keys.next() => self.keys(keys)?,
                Some(came) = self.work.join_next() => self.came(came),
                Some(event) = self.told.events.recv() => self.happened(event),
                Some(news) = self.told.news.recv() => self.turn(Message::Told(news), Pace::Key),
                Some(message) = self.files.next() => self.turn(message, Pace::Key),
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
        self.keys.try_next().map_or(Ok(()), |keys| self.keys(keys))?;
        self.apply(Message::Tick(now(), self.clocks()));
        self.terminal.set_title(&view::title(&self.state));
        // Beside rows that are the terminal's own, so is the mouse.
        let heard = self.state.controls.mouse == Mouse::Footplate
            && self.state.panes.surface == Surface::Whole;
        self.terminal.hear_mouse(heard);
        self.terminal.set_progress(
            match (self.state.queue.asking(), self.state.sessions.at_work()) {
                (0, 0) => Progress::None,
                (0, _) => Progress::Busy,
                _ => Progress::Paused,
            },
        );
        let mut drawn = Drawn::default();
        let (state, window) = (&self.state, self.terminal.window());
        let done = match view::inline(state, window) {
            None => self.terminal.draw_with(|frame| {
                drawn = view::view(state, frame);
                pictures::plates(&state.look, &drawn)
            })?,
            Some(inline) => {
                let live = |frame: &mut Frame<'_>| drawn = view::live(state, window, frame);
                let done = self.terminal.draw_rows(&inline.above, inline.rows, live)?;
                drawn.printed = inline.printed;
                done
            }
        };
        if done {
            self.drawn = Some(drawn);
            self.frames.drawn(at);
            self.terminal.ask(&self.files.asked.questions(at));
        }
        slow("draw", at);
        Ok(())
    }

    /// The last frame is on the terminal: from now on the person can have seen it.
    fn reached(&mut self) {
        if let Some(drawn) = self.drawn.take() {
            self.apply(Message::Drawn(now(), Box::new(drawn)));
        }
    }

    fn tick(&mut self) {
        let past = |deadline: Option<Instant>| deadline.is_some_and(|at| at <= Instant::now());
        let (due, changes) = (past(self.state.deadline()), past(self.state.changes()));
        if due {
            self.apply(Message::Tick(now(), self.clocks()));
        }
        if changes {
            self.frames.request(Pace::Key, Instant::now());
        }
    }

    fn clocks(&self) -> Vec<(crate::kernel::id::CallId, crate::kernel::clock::Reading)> {
        let running = self.state.output.running();
        running.filter_map(|call| Some((call, self.desk.clock(call)?))).collect()
    }

    fn keys(&mut self, together: Vec<Key>) -> io::Result<()> {
        let mut together = Some(together);
        while let Some(next) = together {
            let mut keys = Vec::with_capacity(next.len());
            for key in next {
                let (given, answer) = self.files.asked.take(key);
                keys.extend(given);
                self.answered(answer);
            }
            for key in keys::gathered(keys) {
                self.one_key(key)?;
            }
            together = self.keys.try_next();
        }
        Ok(())
    }

    /// What the terminal says of itself.
    fn answered(&mut self, answer: Option<Answer>) {
        match answer {
            Some(Answer::Ground(ground)) if ground.lightness() > 50.0 => {
                let theme = Theme::light(self.state.look.theme.depth());
                self.turn(Message::Themed(Ok(theme)), Pace::Key);
            }
            Some(Answer::Picture(told)) => {
                let how = self.files.asked.told(&told);
                self.show_pictures(how);
            }
            Some(Answer::Ground(_)) | None => {}
        }
    }

    fn show_pictures(&mut self, how: Option<How>) {
        if let Some(how) = how {
            self.turn(Message::Told(News::Pictures(how)), Pace::Key);
        }
    }

    fn one_key(&mut self, key: Key) -> io::Result<()> {
        match key {
            Key::Pressed(at, input) => self.turn(Message::Input(at, input), Pace::Key),
            Key::Resized(at, size) => {
                self.terminal.resize(size);
                let how = self.files.asked.look();
                self.show_pictures(how);
                self.turn(Message::Input(at, Input::Resized), Pace::Size);
            }
            Key::Closed => {
                self.signal = Some(Signal::Hangup);
                self.turn(Message::Signalled, Pace::Key);
            }
        }
        Ok(())
    }

    /// All events that are there, a batch at a time so that keys never wait for a flood of them.
    fn happened(&mut self, first: Arc<Envelope>) {
        let mut event = Some(first);
        for _ in 0..BATCH {
            let Some(next) = event else { break };
            let pace = if matches!(
                next.event,
                Event::TextStreamed { .. } | Event::ThinkingStreamed { .. }
            ) {
                Pace::Stream
            } else if matches!(next.event, Event::OutputWritten { .. }) {
                Pace::Output
            } else {
                Pace::Key
            };
            self.turn(Message::Happened(next), pace);
            event = self.told.events.try_recv().ok();
        }
        if let Some(left) = event {
            self.turn(Message::Happened(left), Pace::Stream);
        }
    }

    fn came(&mut self, came: Result<Came, tokio::task::JoinError>) {
        match came {
            // What is on the screen already needs no frame.
            Ok(Came::Listed(Ok(list))) if list == self.state.sessions.tree.listed => {
                self.apply(Message::Came(Came::Listed(Ok(list))));
            }
            Ok(Came::Nothing) => self.apply(Message::Came(Came::Nothing)),
            Ok(came) => {
                let output = matches!(came, Came::Output(..));
                let pace = if output { Pace::Output } else { Pace::Key };
                self.turn(Message::Came(came), pace);
            }
            // A panic has already ended the screen; what is left is work that was dropped.
            Err(error) => tracing::error!(%error, "work of the screen was lost"),
        }
    }

    /// Applies a message and asks for a frame.
    fn turn(&mut self, message: Message, pace: Pace) {
        self.apply(message);
        // Rather a little later than empty.
        let pace = if self.state.awaits_rows() { Pace::Read } else { pace };
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

#[cfg(test)]
mod tests;
