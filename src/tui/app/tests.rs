use std::{
    io::Write,
    sync::{Condvar, Mutex},
    time::Duration,
};

use pretty_assertions::assert_eq;
use tokio::sync::mpsc::{self, UnboundedSender};

use super::*;
use crate::{
    kernel::{
        BoxFuture,
        clock::Reading,
        command::Command,
        gate::{
            Placed,
            approval::{Answer, NotAnswered, Scope},
            policy::Runs,
        },
        id::{ApprovalId, CallId, SessionId},
        message::Words,
        port::{OutputPage, Sequel, StartError, StoreError},
        spec::{Mode, SessionSpec},
    },
    tui::{
        keymap::Keymap,
        stage::{LEX, write_question},
        state::Leave,
        terminal::LineMode,
        theme::{Depth, Marks, Theme},
    },
};

/// How long anything may take on a slow and busy machine before a test gives up.
const PATIENCE: Duration = Duration::from_mins(5);

/// A terminal that shows what was written to it.
#[derive(Clone)]
struct Glass(Arc<(Mutex<vt100::Parser>, Condvar)>);

impl Glass {
    fn new() -> Self {
        Self(Arc::new((Mutex::new(vt100::Parser::new(24, 80, 0)), Condvar::new())))
    }

    /// Blocks until the screen satisfies `seen`; fails with the last screen.
    async fn wait_until(
        &self,
        what: &'static str,
        seen: impl Fn(&str) -> bool + Send + 'static,
    ) -> String {
        let glass = self.clone();
        let wait = move || {
            let (parser, changed) = &*glass.0;
            let wanted = |parser: &mut vt100::Parser| !seen(&parser.screen().contents());
            let limit = PATIENCE;
            let (parser, out) =
                changed.wait_timeout_while(parser.lock().unwrap(), limit, wanted).unwrap();
            let text = parser.screen().contents();
            assert!(!out.timed_out(), "never saw {what}; last screen:\n{text}");
            text
        };
        tokio::task::spawn_blocking(wait).await.unwrap()
    }
}

impl Write for Glass {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.0.lock().unwrap().process(bytes);
        self.0.1.notify_all();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl LineMode for Glass {
    fn raw(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn cooked(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A host that remembers what it was asked.
#[derive(Default)]
pub(super) struct Host {
    events: Mutex<Option<UnboundedSender<Arc<Envelope>>>>,
    sent: Mutex<Vec<Command>>,
    /// Nobody waits for an answer any more.
    late: bool,
}

impl Host {
    fn happens(&self, event: Event) {
        let at = jiff::Timestamp::now();
        let envelope = Envelope { v: 1, seq: 0, at, session: 1.into(), event };
        let events = self.events.lock().unwrap();
        events.as_ref().unwrap().send(Arc::new(envelope)).unwrap();
    }
}

impl Desk for Host {
    fn subscribe(&self) -> crate::kernel::port::Watch {
        let (tell, told) = mpsc::unbounded_channel();
        *self.events.lock().unwrap() = Some(tell);
        told.into()
    }

    fn send(&self, command: Command) -> Result<(), NotAnswered> {
        self.sent.lock().unwrap().push(command);
        if self.late { Err(NotAnswered::NobodyWaits) } else { Ok(()) }
    }

    fn begin(&self, command: Command) -> Result<Option<Sequel>, NotAnswered> {
        let in_vain = matches!(command, Command::Fork { .. });
        self.send(command)?;
        let why = || -> Sequel { Box::pin(async { Err("Not copied: no room.".to_owned()) }) };
        Ok(in_vain.then(why))
    }

    fn rules(&self, _: SessionId) -> Vec<Placed> {
        Vec::new()
    }

    fn consider(&self, _: ApprovalId, _: &Scope) -> Result<usize, NotAnswered> {
        Ok(0)
    }

    fn start(&self, spec: SessionSpec, message: Option<Words>) -> Result<SessionId, StartError> {
        let session = spec.id;
        self.happens(Event::SessionStarted { spec });
        if let Some(text) = message {
            self.happens(Event::said(text.text));
        }
        Ok(session)
    }

    fn output(
        &self,
        _: SessionId,
        _: CallId,
        _: usize,
    ) -> BoxFuture<'_, Result<OutputPage, StoreError>> {
        Box::pin(async { Ok(OutputPage::default()) })
    }

    fn clock(&self, _: CallId) -> Option<Reading> {
        None
    }
}

/// The screen, running.
struct Running {
    host: Arc<Host>,
    glass: Glass,
    keys: mpsc::Sender<Vec<Key>>,
    screen: tokio::task::JoinHandle<io::Result<Farewell>>,
}

impl Running {
    fn start(host: Host) -> Self {
        let (host, glass, keys, app) = built(host);
        Self { host, glass, keys, screen: tokio::spawn(app.run(None)) }
    }

    fn types(&self, text: &str) {
        for c in text.chars() {
            self.pressed(now(), crossterm::event::KeyCode::Char(c));
        }
    }

    /// Waits for a frame with live letters, and for the one after it: by then the screen knows that
    /// the first was seen. The clock of the question goes on, so it comes.
    async fn sees_live_letters(&self) {
        let live = |screen: &str| screen.contains("y yes, once");
        let first = self.glass.wait_until("live letters", live).await;
        let next = move |screen: &str| live(screen) && screen != first;
        self.glass.wait_until("the next second", next).await;
    }

    /// Somebody who has seen the letters presses one, a moment later.
    fn answers(&self, letter: char) {
        let mut at = now();
        at.at += Duration::from_millis(200);
        let key = crossterm::event::KeyEvent::from(crossterm::event::KeyCode::Char(letter));
        self.keys.try_send(vec![Key::Pressed(at, Input::Key(key))]).unwrap();
    }

    /// A key, by fingers that had come to rest: all that was typed at once counts as a paste.
    fn press(&self, code: crossterm::event::KeyCode) {
        let mut at = now();
        at.at += Duration::from_millis(500);
        self.pressed(at, code);
    }

    fn pressed(&self, at: Moment, code: crossterm::event::KeyCode) {
        let key = crossterm::event::KeyEvent::new(code, crossterm::event::KeyModifiers::NONE);
        self.keys.try_send(vec![Key::Pressed(at, Input::Key(key))]).unwrap();
    }
}

/// A screen that nothing has been drawn on, and what it is connected to.
fn built(host: Host) -> (Arc<Host>, Glass, mpsc::Sender<Vec<Key>>, App) {
    let (host, glass) = (Arc::new(host), Glass::new());
    let size = Size { width: 80, height: 24 };
    let terminal = Terminal::enter(glass.clone(), glass.clone(), size, Wishes::default()).unwrap();
    let (keys, pressed) = mpsc::channel(1000);
    let (_, news) = mpsc::unbounded_channel();
    let opening = Opening {
        here: Here {
            name: "tally".into(),
            folder: "/home/me/tally".into(),
            home: None,
            drafts: None,
            cache: None,
            log: None,
        },
        player: Player::Model("claude".into()),
        mode: Mode::Default,
        runs: Runs::BySeal,
        session: None,
        looked_at: Vec::new(),
        last_here: None,
        begin: Arc::new(|_| Ok(Beginning { spec: spec(), message: None })),
        look: Dress {
            theme: Theme::dark(Depth::None),
            marks: Marks::unicode(),
            motion: crate::config::Motion::Full,
            own: Own {
                theme: None,
                themes: Vec::new(),
                asks_ground: false,
                pictures: crate::tui::picture::Finder::default(),
                measure: || None,
                keymap: Keymap::default(),
                keys: "/no/such/folder/keys.toml".into(),
                rules: "/no/such/folder/rules.toml".into(),
                keep: Arc::new(|_| Ok(())),
            },
        },
        history: Vec::new(),
        sizes: crate::tui::layout::Remembered::default(),
        remember: Arc::new(|_| Ok(())),
        manners: Manners {
            mouse: Mouse::Terminal,
            surface: Surface::Whole,
            notice: Notice::Bell,
            reflows: true,
            in_tmux: false,
        },
        news,
    };
    let app = App::new(host.clone(), opening, terminal, Keys::of(pressed));
    (host, glass, keys, app)
}

fn spec() -> SessionSpec {
    SessionSpec {
        path: vec!["fix-parser".into()],
        workspace: "/tmp/tally".into(),
        model: "anthropic/claude".into(),
        ..SessionSpec::sample(1)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_start_a_session_and_a_live_letter_answers_its_question() {
    let running = Running::start(Host::default());
    running.types("hello there");
    running.glass.wait_until("the draft", |screen| screen.contains("› hello there")).await;
    running.press(crossterm::event::KeyCode::Enter);
    running.glass.wait_until("the session", |screen| screen.contains("you    hello there")).await;
    let question = write_question(1);
    running.host.happens(Event::ApprovalRequested { question });
    running.sees_live_letters().await;
    running.answers('y');
    let yes = Answer::Allow { scope: Scope::Once };
    let answered = Event::ApprovalAnswered {
        approval: 1.into(),
        answer: yes.clone(),
        by: crate::kernel::event::Decider::Person,
        waited_ms: 1,
        excluded_ms: 1,
    };
    let end = Instant::now() + PATIENCE;
    while running.host.sent.lock().unwrap().is_empty() {
        assert!(Instant::now() < end, "the answer was never sent");
        tokio::task::yield_now().await;
    }
    running.host.happens(answered);
    running.glass.wait_until("the toast", |screen| screen.contains("Yes, once: src/lex.rs.")).await;
    let asked = Command::Answer { approval: 1.into(), answer: yes };
    assert_eq!(*running.host.sent.lock().unwrap(), [asked]);
}

#[tokio::test]
async fn a_copy_that_cannot_be_made_is_told_of() {
    let (_host, _glass, _keys, mut app) = built(Host::default());
    let command = Command::Fork { session: 1.into(), before: None };
    assert!(app.effect(crate::tui::effect::Effect::Send(command)).is_none());
    let came = app.work.join_next().await.unwrap().unwrap();
    update(&mut app.state, Message::Came(came));
    let said = app.state.status.toast(app.state.now.at);
    assert_eq!(said, Some("Not copied: no room."));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_are_answered_during_a_flood_and_all_of_it_arrives() {
    let running = Running::start(Host::default());
    running.host.happens(Event::SessionStarted { spec: spec() });
    running.host.happens(Event::said(LEX));
    for word in 0..20_000 {
        let end = if word % 100 == 99 { "\n\n" } else { " " };
        running.host.happens(Event::TextStreamed { text: format!("word{word}{end}") });
    }
    running.types("still here");
    running.glass.wait_until("the echo", |screen| screen.contains("› still here")).await;
    running.glass.wait_until("the end", |screen| screen.contains("word19999")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_screen_ends_when_its_keys_do() {
    let running = Running::start(Host::default());
    running.glass.wait_until("the screen", |screen| screen.contains("Say what you want")).await;
    drop(running.keys);
    let farewell = running.screen.await.unwrap().unwrap();
    assert_eq!(farewell.leave, Leave::Signal);
    assert_eq!(farewell.signal, Some(Signal::Hangup));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_comes_too_late_is_said_to() {
    let running = Running::start(Host { late: true, ..Host::default() });
    running.host.happens(Event::SessionStarted { spec: spec() });
    running.host.happens(Event::ApprovalRequested { question: write_question(1) });
    running.sees_live_letters().await;
    running.answers('y');
    running.glass.wait_until("the news", |screen| screen.contains("Not done: main.py:12")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_is_on_the_screen_with_the_next_frame_whatever_comes_with_it() {
    let (host, glass, _keys, mut app) = built(Host::default());
    host.happens(Event::SessionStarted { spec: spec() });
    host.happens(Event::said(LEX));
    let first = app.told.events.recv().await.unwrap();
    app.happened(first);
    app.draw().unwrap();
    app.terminal.wait_ready().await;
    // Text alone waits for its turn; a question among it does not.
    let words = |count: usize| (0..count).map(|_| Event::TextStreamed { text: "word ".into() });
    words(100).for_each(|event| host.happens(event));
    host.happens(Event::ApprovalRequested { question: write_question(1) });
    words(100).for_each(|event| host.happens(event));
    let first = app.told.events.recv().await.unwrap();
    app.happened(first);
    assert!(app.told.events.try_recv().is_err(), "all of it came at once");
    assert!(app.wake().is_some_and(|wake| wake <= Instant::now()), "the loop waits for nothing");
    app.draw().unwrap();
    app.terminal.wait_ready().await;
    let screen = glass.0.0.lock().unwrap().screen().contents();
    for part in ["WRITE", "src/lex.rs", "yes, once", "no, because"] {
        assert!(screen.contains(part), "no {part} in the next frame:\n{screen}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_sizes_at_once_are_one_frame_of_the_last() {
    let (host, glass, _keys, mut app) = built(Host::default());
    host.happens(Event::SessionStarted { spec: spec() });
    let first = app.told.events.recv().await.unwrap();
    app.happened(first);
    app.draw().unwrap();
    app.terminal.wait_ready().await;
    app.reached();
    let before = glass.0.0.lock().unwrap().screen().contents();
    let sizes = (0..1_000_u16).map(|n| Size { width: 20 + n % 180, height: 5 + n % 55 });
    let last = Size { width: 60, height: 20 };
    let moment = now();
    let keys = sizes.chain([last]).map(|size| Key::Resized(moment, size)).collect();
    app.keys(keys).unwrap();
    assert_eq!(glass.0.0.lock().unwrap().screen().contents(), before, "nothing is drawn for them");
    glass.0.0.lock().unwrap().screen_mut().set_size(last.height, last.width);
    let frame = app.frames.next_deadline().unwrap();
    assert!(app.wake().is_some_and(|wake| wake <= frame), "the loop would not wake for it");
    tokio::time::sleep_until(frame).await;
    app.draw().unwrap();
    assert!(!app.frames.due(Instant::now()) && app.drawn.is_some(), "one is enough");
    app.terminal.wait_ready().await;
    let screen = glass.0.0.lock().unwrap().screen().contents();
    assert!(screen.contains("nothing waits") && screen.lines().count() <= 20, "{screen}");
}
