//! How a terminal is taken and given back, and what it is told.

mod drawing;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use pretty_assertions::assert_eq;
use ratatui::text::Line;

use super::*;

/// A terminal that remembers what it was told, and can be stopped.
#[derive(Clone, Default)]
pub(super) struct Fake(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    line: Vec<&'static str>,
    stopped: bool,
    gone: bool,
}

impl Fake {
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.0.0.lock().unwrap().bytes.clone()).unwrap()
    }

    pub(super) fn line(&self) -> Vec<&'static str> {
        self.0.0.lock().unwrap().line.clone()
    }

    fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.0.0.lock().unwrap());
        self.0.1.notify_all();
    }
}

impl Write for Fake {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.1.wait_while(self.0.0.lock().unwrap(), |s| s.stopped).unwrap();
        if state.gone {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        state.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl LineMode for Fake {
    fn raw(&mut self) -> io::Result<()> {
        self.set(|state| state.line.push("raw"));
        Ok(())
    }

    fn cooked(&mut self) -> io::Result<()> {
        self.set(|state| state.line.push("cooked"));
        Ok(())
    }
}

const ALL: Wishes = Wishes { mouse: true, keyboard: true, surface: Wanted::Whole, wrapped: false };

pub(super) fn enter(fake: &Fake) -> Terminal {
    Terminal::enter(fake.clone(), fake.clone(), Size::new(20, 3), ALL).unwrap()
}

/// The modes that are on at the end of these bytes, each with how often it is.
fn left_on(text: &str) -> Vec<String> {
    let mut on: Vec<String> = Vec::new();
    for part in text.split("\x1b[").skip(1) {
        let end = part.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(part.len() - 1);
        let (code, last) = (&part[..end], &part[end..=end]);
        let opposite = |name: &str, on: &mut Vec<String>| {
            let at = on.iter().position(|known| known == name);
            assert!(at.is_some() || name == "?2026" || name == "?25", "{name} was never on");
            on.retain(|known| known != name);
        };
        match (code, last) {
            ("?25", "h") => opposite("?25", &mut on),
            ("?25", "l") => on.push(code.to_owned()),
            (code, "h") if code.starts_with('?') => on.push(code.to_owned()),
            (code, "l") if code.starts_with('?') => opposite(code, &mut on),
            ("22;2", "t") => on.push("title".to_owned()),
            ("23;2", "t") => opposite("title", &mut on),
            (">1", "u") => on.push("keyboard".to_owned()),
            ("<1", "u") => opposite("keyboard", &mut on),
            _ => {}
        }
    }
    on
}

#[tokio::test]
async fn leaving_undoes_every_mode_once() {
    let fake = Fake::default();
    let mut terminal = enter(&fake);
    terminal.wait_ready().await;
    let entered = fake.text();
    for mode in ["?1049", "?2004", "?1004", "?1000", "?1002", "?1006", "?25", "title", "keyboard"] {
        assert!(left_on(&entered).contains(&mode.to_owned()), "{mode} is not set: {entered:?}");
    }
    terminal.set_progress(Progress::Busy);
    assert!(terminal.draw(|frame| frame.render_widget(Line::from("hello"), frame.area())).unwrap());
    terminal.wait_ready().await;
    terminal.leave().unwrap();
    let text = fake.text();
    assert_eq!(left_on(&text), Vec::<String>::new());
    assert!(text[entered.len()..].contains("\x1b]9;4;3\x07\x1b[?2026h"));
    assert!(text.ends_with("\x1b[23;2t"), "the first is undone last: {text:?}");
    assert_eq!(text.matches("\x1b]9;4;0\x07").count(), 1);
    assert_eq!(fake.line(), ["raw", "cooked"]);

    // The other ways out find nothing to do.
    terminal.restore().undo().unwrap();
    drop(terminal);
    assert_eq!(fake.text(), text);
    assert_eq!(fake.line(), ["raw", "cooked"]);
}

#[tokio::test]
async fn a_drop_is_a_way_out_as_well() {
    let fake = Fake::default();
    let terminal = enter(&fake);
    terminal.wait_ready().await;
    drop(terminal);
    assert_eq!(left_on(&fake.text()), Vec::<String>::new());
    assert_eq!(fake.line(), ["raw", "cooked"]);
}

#[tokio::test]
async fn coming_back_sets_the_modes_again_and_draws_in_full() {
    let fake = Fake::default();
    let mut terminal = enter(&fake);
    let hello = |frame: &mut Frame<'_>| frame.render_widget(Line::from("hello"), frame.area());
    terminal.set_title("tally");
    terminal.wait_ready().await;
    terminal.draw(hello).unwrap();
    terminal.wait_ready().await;
    terminal.continued().unwrap();
    terminal.wait_ready().await;
    let before = fake.text().len();
    terminal.draw(hello).unwrap();
    terminal.wait_ready().await;
    assert!(fake.text()[before..].contains("hello"));
    assert_eq!(fake.text().matches("\x1b]2;tally\x07").count(), 2);
    terminal.leave().unwrap();
    assert_eq!(left_on(&fake.text()), Vec::<String>::new());
    assert_eq!(fake.line(), ["raw", "cooked", "raw", "cooked"]);
}

#[tokio::test]
async fn a_terminal_that_is_gone_is_told() {
    let fake = Fake::default();
    let mut terminal = enter(&fake);
    terminal.wait_ready().await;
    fake.set(|state| state.gone = true);
    terminal.bell();
    terminal.flush();
    terminal.wait_ready().await;
    assert_eq!(terminal.draw(|_| {}).unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    assert!(terminal.leave().is_err());
    assert_eq!(fake.line(), ["raw", "cooked"], "the line settings come back all the same");
}

#[tokio::test]
async fn titles_notices_and_copies_cannot_carry_commands() {
    let fake = Fake::default();
    let mut terminal = enter(&fake);
    terminal.wait_ready().await;
    let before = fake.text().len();
    terminal.set_title("a\x07\x1b]0;b\u{202e}");
    terminal.notify("4;3");
    assert!(terminal.copy("text"));
    assert!(!terminal.copy(&"x".repeat(COPY_LIMIT + 1)));
    terminal.flush();
    terminal.wait_ready().await;
    let written = fake.text()[before..].to_owned();
    assert!(
        written
            .starts_with("\x1b]2;a⟨U+0007⟩⟨U+001B⟩]0;b⟨U+202E⟩\x07\x1b]9;\x07\x1b]52;c;dGV4dA==")
    );
}

#[tokio::test]
async fn in_tmux_a_notice_is_wrapped_and_what_lasts_is_not() {
    let fake = Fake::default();
    let wishes = Wishes { wrapped: true, ..ALL };
    let mut terminal =
        Terminal::enter(fake.clone(), fake.clone(), Size::new(20, 3), wishes).unwrap();
    terminal.wait_ready().await;
    let before = fake.text().len();
    terminal.notify("a question\x07\x1b\\");
    terminal.set_progress(Progress::Paused);
    terminal.flush();
    terminal.wait_ready().await;
    let written = fake.text()[before..].to_owned();
    assert_eq!(
        written,
        "\x1bPtmux;\x1b\x1b]9;a question⟨U+0007⟩⟨U+001B⟩\\\x07\x1b\\\x1b]9;4;4;100\x07"
    );
}

#[tokio::test]
async fn the_mouse_is_heard_and_left_again_and_undone_only_while_it_is_heard() {
    let fake = Fake::default();
    let mut terminal = enter(&fake);
    terminal.hear_mouse(true);
    terminal.flush();
    terminal.wait_ready().await;
    let entered = fake.text().len();
    terminal.hear_mouse(false);
    terminal.flush();
    terminal.wait_ready().await;
    assert_eq!(fake.text()[entered..], *"\x1b[?1006l\x1b[?1002l\x1b[?1000l");
    terminal.hear_mouse(true);
    terminal.flush();
    terminal.hear_mouse(false);
    terminal.flush();
    terminal.wait_ready().await;
    terminal.leave().unwrap();
    assert_eq!(left_on(&fake.text()), Vec::<String>::new());
}

/// A panic with a screen ends the program, so this is looked at from outside.
#[test]
fn a_panic_gives_the_terminal_back_and_is_read_on_the_screen_of_before() {
    const INSIDE: &str = "FOOTPLATE_TEST_PANIC";
    if std::env::var_os(INSIDE).is_some() {
        let terminal =
            Terminal::enter(io::stdout(), Fake::default(), Size::new(20, 3), ALL).unwrap();
        terminal.restore().on_panic();
        let (_keep, wait): (Sender<()>, Receiver<()>) = channel();
        std::thread::spawn(|| panic!("a boiler burst"));
        // The hook ends the program from the other thread.
        let _ = wait.recv_timeout(Duration::from_mins(5));
        return;
    }
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", "--test-threads=1"])
        .arg(std::thread::current().name().unwrap())
        .env(INSIDE, "1")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(101));
    let screen = String::from_utf8(output.stdout).unwrap();
    assert_eq!(left_on(&screen), Vec::<String>::new());
    assert!(String::from_utf8_lossy(&output.stderr).contains("a boiler burst"));
}

/// The other end, which does not become the terminal of whoever runs the tests: its end would be theirs.
pub(super) fn opened(master: &dyn portable_pty::MasterPty) -> std::fs::File {
    use rustix::fs::{Mode, OFlags};
    let name = master.tty_name().unwrap();
    rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap().into()
}

#[test]
fn the_line_settings_of_a_real_terminal_come_back() {
    use portable_pty::{PtySize, native_pty_system};
    use rustix::termios::{LocalModes, tcgetattr};

    let pair = native_pty_system().openpty(PtySize::default()).unwrap();
    let open = || opened(&*pair.master);
    let modes = || tcgetattr(open()).unwrap().local_modes;
    let before = modes();
    let mut tty = Tty::new(open()).unwrap();
    tty.raw().unwrap();
    tty.raw().unwrap();
    assert!(!modes().intersects(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG));
    tty.resume_output();
    tty.cooked().unwrap();
    assert_eq!(modes(), before);
    tty.cooked().unwrap();
    assert_eq!(modes(), before);
    assert!(Tty::new(tempfile::tempfile().unwrap()).is_err());
}

#[tokio::test]
async fn signals_come_as_values() {
    let mut signals = Signals::listen().unwrap();
    let pid = rustix::process::getpid();
    for (raised, expected, code) in [
        (rustix::process::Signal::TERM, Signal::Terminate, Some(143)),
        (rustix::process::Signal::HUP, Signal::Hangup, Some(129)),
        (rustix::process::Signal::INT, Signal::Interrupt, Some(130)),
        (rustix::process::Signal::TSTP, Signal::Suspend, None),
    ] {
        rustix::process::kill_process(pid, raised).unwrap();
        assert_eq!(signals.next().await, expected);
        assert_eq!(expected.exit_code(), code);
    }
}
