//! The program in a real pseudo-terminal, with a screen made from the bytes it writes.

use std::{
    io::{Read as _, Write},
    sync::{Arc, Condvar, Mutex},
    time::Duration,
};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

use super::support::{PATIENCE, Place};

/// A running program and what its terminal shows.
pub struct App {
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<Seen>,
}

struct Seen {
    state: Mutex<Terminal>,
    changed: Condvar,
}

struct Terminal {
    parser: vt100::Parser,
    bytes: Vec<u8>,
    closed: bool,
}

impl App {
    /// Starts the program with these arguments on a screen of this size.
    pub fn start(place: &Place, size: (u16, u16), arguments: &[&str]) -> Self {
        Self::start_as(place, size, env!("CARGO_BIN_EXE_footplate"), arguments)
    }

    /// Starts a shell that controls jobs, with the program as `$FOOTPLATE`.
    pub fn start_shell(place: &Place, size: (u16, u16), script: &str) -> Self {
        Self::start_as(place, size, "sh", &["-mc", script])
    }

    fn start_as(place: &Place, size: (u16, u16), program: &str, arguments: &[&str]) -> Self {
        let (rows, cols) = size;
        let pair = native_pty_system()
            .openpty(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 })
            .unwrap();
        let mut command = CommandBuilder::new(program);
        command.env_clear();
        command.env("FOOTPLATE", env!("CARGO_BIN_EXE_footplate"));
        for (name, value) in place.environment() {
            command.env(name, value);
        }
        command.cwd(place.work());
        command.args(arguments);
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let seen = Arc::new(Seen {
            state: Mutex::new(Terminal {
                parser: vt100::Parser::new(rows, cols, 0),
                bytes: Vec::new(),
                closed: false,
            }),
            changed: Condvar::new(),
        });
        let mut output = pair.master.try_clone_reader().unwrap();
        let reader = seen.clone();
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            loop {
                let read = output.read(&mut chunk).unwrap_or(0);
                let mut state = reader.state.lock().unwrap();
                state.parser.process(&chunk[..read]);
                state.bytes.extend_from_slice(&chunk[..read]);
                state.closed = read == 0;
                reader.changed.notify_all();
                if read == 0 {
                    return;
                }
            }
        });
        let keys = pair.master.take_writer().unwrap();
        Self { master: pair.master, keys, child, seen }
    }

    /// Waits until the screen is as wanted; fails with the last screen.
    pub fn wait_until(&self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let state = self.seen.state.lock().unwrap();
        let unwanted =
            |state: &mut Terminal| !state.closed && !wanted(&state.parser.screen().contents());
        let (state, _) = self.seen.changed.wait_timeout_while(state, PATIENCE, unwanted).unwrap();
        let screen = state.parser.screen().contents();
        assert!(wanted(&screen), "never saw {what}; last screen:\n{screen}");
        screen
    }

    /// Waits until a question about that can be answered. Its keys are live once the program knows
    /// that they were drawn; a second frame with another second on its clock proves that.
    pub fn asks(&self, effect: &str) -> String {
        let seconds = |screen: &str| {
            let rule = screen.lines().find(|line| line.contains("━ ! ")).unwrap_or_default();
            (screen.contains(effect) && screen.contains("y yes, once")).then(|| rule.to_owned())
        };
        let first = self.wait_until(effect, |screen| seconds(screen).is_some());
        self.wait_until("the clock of the question", |screen| {
            seconds(screen).is_some_and(|rule| Some(rule) != seconds(&first))
        })
    }

    /// Waits until the screen holds that text.
    pub fn wait_for(&self, text: &str) -> String {
        self.wait_until(text, |screen| screen.contains(text))
    }

    /// All bytes that were ever written to the terminal.
    pub fn bytes(&self) -> Vec<u8> {
        self.seen.state.lock().unwrap().bytes.clone()
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits for what was typed, and rests as fingers do: what comes right behind keys that came all at
    /// once counts as more of a paste.
    #[expect(clippy::disallowed_methods, reason = "it is how long fingers rest")]
    pub fn rests(&self, until: &str) {
        self.wait_for(until);
        std::thread::sleep(Duration::from_millis(500));
    }

    /// Pastes text as a terminal does.
    pub fn paste(&mut self, text: &str) {
        self.press(&format!("\x1b[200~{text}\x1b[201~"));
    }

    /// Changes the size of the window.
    pub fn resize(&mut self, size: (u16, u16)) {
        let (rows, cols) = size;
        // The parser loses count where a character is wider, or a frame of before longer, than all of it.
        let (tall, wide) = (rows.max(4), cols.max(4));
        self.seen.state.lock().unwrap().parser.screen_mut().set_size(tall, wide);
        self.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Waits for the end of the program.
    pub fn ended(&mut self) -> ExitStatus {
        let status = self.child.wait().unwrap();
        let state = self.seen.state.lock().unwrap();
        let open = |state: &mut Terminal| !state.closed;
        drop(self.seen.changed.wait_timeout_while(state, PATIENCE, open).unwrap());
        status
    }
}

impl Drop for App {
    fn drop(&mut self) {
        // One that has ended already needs no killing.
        let _ = self.child.kill();
    }
}
