//! The program in a pseudo-terminal, and when each of its bytes came: what the screen shows is made
//! of them after the clock was read, so that nothing here is measured with it.

use std::{
    fs,
    io::{Read as _, Write},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::support::Place;

const ROWS: u16 = 40;
const COLS: u16 = 120;

/// How long anything may take before the bench gives up.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running program and what it wrote.
pub struct Glass {
    /// When it was started.
    pub begun: Instant,
    _master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    chunks: Receiver<(Instant, Vec<u8>)>,
    parser: vt100::Parser,
    written: usize,
}

impl Glass {
    pub fn start(place: &Place, arguments: &[&str]) -> Self {
        let size = PtySize { rows: ROWS, cols: COLS, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_footplate"));
        command.env_clear();
        for (name, value) in place.environment() {
            command.env(name, value);
        }
        command.cwd(place.work());
        command.args(arguments);
        let mut output = pair.master.try_clone_reader().unwrap();
        let keys = pair.master.take_writer().unwrap();
        let (came, chunks) = channel();
        std::thread::spawn(move || {
            let mut bytes = vec![0; 64 << 10];
            while let Ok(length @ 1..) = output.read(&mut bytes) {
                if came.send((Instant::now(), bytes[..length].to_vec())).is_err() {
                    return;
                }
            }
        });
        let begun = Instant::now();
        let child = pair.slave.spawn_command(command).unwrap();
        Self {
            begun,
            _master: pair.master,
            keys,
            child,
            chunks,
            parser: vt100::Parser::new(ROWS, COLS, 0),
            written: 0,
        }
    }

    /// When the screen was first as wanted.
    pub fn until(&mut self, what: &str, wanted: impl Fn(&vt100::Screen) -> bool) -> Instant {
        let end = Instant::now() + PATIENCE;
        let mut at = Instant::now();
        while !wanted(self.parser.screen()) {
            match self.chunks.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok((came, bytes)) => {
                    at = came;
                    self.take(&bytes);
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!("never saw {what}; last screen:\n{}", self.parser.screen().contents())
                }
            }
        }
        at
    }

    /// When the screen first held that text.
    pub fn shows(&mut self, text: &str) -> Instant {
        self.until(text, |screen| screen.rows(0, COLS).any(|row| row.contains(text)))
    }

    /// Lets so much time pass, and takes in what comes meanwhile.
    pub fn rest(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while let Ok((_, bytes)) =
            self.chunks.recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            self.take(&bytes);
        }
    }

    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Types that many letters, a little time between them, and gives how long each took to be seen.
    pub fn echoes(&mut self, count: usize) -> Vec<Duration> {
        let mut typed = String::new();
        let mut times = Vec::new();
        for at in 0..count {
            if at % 40 == 0 {
                self.press("\x15");
                typed.clear();
                self.rest(Duration::from_millis(40));
            }
            let letter = char::from(b'a' + u8::try_from(at % 26).unwrap());
            typed.push(letter);
            let begun = Instant::now();
            self.press(&letter.to_string());
            times.push(self.shows(&format!("› {typed}")).saturating_duration_since(begun));
            // Nobody types in step with frames.
            self.rest(Duration::from_millis(11 + (at as u64 * 7) % 13));
        }
        times
    }

    /// Bytes the program has written to its terminal so far.
    pub fn written(&mut self) -> usize {
        self.rest(Duration::ZERO);
        self.written
    }

    /// Processor time of the program so far.
    pub fn cpu(&self) -> Duration {
        let stat = self.of_process("stat");
        let fields: Vec<_> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        let ticks = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
        // A hundredth of a second each.
        Duration::from_millis(10 * ticks)
    }

    /// Resident memory, in kilobytes.
    pub fn resident(&self) -> u64 {
        self.memory("VmRSS:")
    }

    /// The most there was since it was forgotten.
    pub fn peak(&self) -> u64 {
        self.memory("VmHWM:")
    }

    pub fn forget_peak(&self) {
        let pid = self.child.process_id().unwrap();
        fs::write(format!("/proc/{pid}/clear_refs"), "5").unwrap();
    }

    fn memory(&self, line: &str) -> u64 {
        let status = self.of_process("status");
        let line = status.lines().find_map(|it| it.strip_prefix(line)).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    fn of_process(&self, file: &str) -> String {
        let pid = self.child.process_id().unwrap();
        fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap()
    }

    fn take(&mut self, bytes: &[u8]) {
        self.written += bytes.len();
        self.parser.process(bytes);
    }
}

impl Drop for Glass {
    fn drop(&mut self) {
        // One that has ended already needs no killing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
