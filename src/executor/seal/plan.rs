//! What a launcher is told: plain data that crosses one `exec` as words.

use std::{
    ffi::{OsStr, OsString},
    os::{
        fd::RawFd,
        unix::ffi::{OsStrExt, OsStringExt},
    },
    path::{Path, PathBuf},
};

use super::{Form, Level};

/// What one run may do. It holds no secret: other programs of the machine can read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What it may do by itself.
    pub level: Level,
    /// By what it is held to that.
    pub form: Form,
    /// The folder to run in.
    pub cwd: PathBuf,
    /// What may be read, and run, with all that is below.
    pub reads: Vec<PathBuf>,
    /// What may be written, with all that is below.
    pub writes: Vec<PathBuf>,
    /// What may not be written although it lies below what may; it is there already. Of two of
    /// these paths, the one that lies in the other counts.
    pub guarded: Vec<PathBuf>,
    /// Whether it reaches the network; sockets of this machine alone stay out of reach.
    pub network: bool,
    /// Whether it is at a terminal of its own, which is what it reads from.
    pub terminal: bool,
    /// The host's socket that the run inherits, by its number.
    pub channel: Option<RawFd>,
    /// The socket on which the launcher tells what becomes of the run, by its number.
    pub report: Option<RawFd>,
    /// The folder among those that is the run's own and goes with it.
    pub scratch: Option<PathBuf>,
    /// How much it may use.
    pub limits: Limits,
}

/// How much one run may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory of one process.
    pub memory: u64,
    /// Bytes of memory of all processes together.
    pub total_memory: u64,
    /// Seconds of processor time, of one process and of all together.
    pub cpu: u64,
    /// Bytes of one file.
    pub file_size: u64,
    /// Processes and threads at a time.
    pub processes: u64,
    /// Open files of one process.
    pub open_files: u64,
    /// Bytes in the scratch folder, and in files that have no name any more.
    pub scratch: u64,
    /// Files and folders in the scratch folder.
    pub entries: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 8 << 30,
            total_memory: 8 << 30,
            cpu: 3600,
            file_size: 4 << 30,
            processes: 1024,
            open_files: 4096,
            scratch: 8 << 30,
            entries: 100_000,
        }
    }
}

impl Limits {
    /// The usual ones, on a machine with that many bytes of memory and cores. A process has no more
    /// than the machine has, and all together half of it where that is more than usual; and no more
    /// processes than the cores can end in half a second, all of them at work.
    #[must_use]
    pub fn on_machine(memory: u64, cores: u64) -> Self {
        let usual = Self::default();
        Self {
            memory: usual.memory.min(memory),
            total_memory: usual.total_memory.max(memory / 2).min(memory),
            processes: 256 + 64 * cores,
            ..usual
        }
    }

    /// The usual ones on this machine.
    pub fn here() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
        #[cfg(target_os = "linux")]
        let memory = {
            let machine = rustix::system::sysinfo();
            machine.totalram.saturating_mul(u64::from(machine.mem_unit.max(1)))
        };
        #[cfg(not(target_os = "linux"))]
        let memory = u64::MAX;
        Self::on_machine(memory, cores)
    }
}

/// Why words are no plan.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPlan {
    /// One of them.
    #[error("{0:?} is no word of a plan")]
    Word(OsString),
    /// One that is not there.
    #[error("the plan does not say {0}")]
    Missing(&'static str),
}

const LEVELS: [Level; 3] = [Level::Sealed, Level::Workspace, Level::Open];
const FORMS: [Form; 4] = [Form::Full, Form::WithoutNamespaces, Form::Profile, Form::None];

/// The one network there is to be reached.
const HOST: &str = "host";
/// The one terminal there is to be at.
const OWN: &str = "own";

impl Plan {
    /// The words a launcher is given.
    pub fn words(&self) -> Vec<OsString> {
        let limits = &self.limits;
        let numbers = [
            ("memory", limits.memory),
            ("total-memory", limits.total_memory),
            ("cpu", limits.cpu),
            ("file-size", limits.file_size),
            ("processes", limits.processes),
            ("open-files", limits.open_files),
            ("scratch-size", limits.scratch),
            ("scratch-entries", limits.entries),
        ];
        let mut words = vec![
            word("level", OsStr::new(self.level.name())),
            word("form", OsStr::new(self.form.name())),
            word("cwd", self.cwd.as_os_str()),
        ];
        for (key, paths) in
            [("read", &self.reads), ("write", &self.writes), ("guard", &self.guarded)]
        {
            words.extend(paths.iter().map(|path| word(key, path.as_os_str())));
        }
        words.extend(self.scratch.iter().map(|path| word("scratch", path.as_os_str())));
        for (key, socket) in [("channel", self.channel), ("report", self.report)] {
            words.extend(socket.map(|number| word(key, OsStr::new(&number.to_string()))));
        }
        words.extend(self.network.then(|| word("network", OsStr::new(HOST))));
        words.extend(self.terminal.then(|| word("terminal", OsStr::new(OWN))));
        let number = |(key, number): (&str, u64)| word(key, OsStr::new(&number.to_string()));
        words.extend(numbers.map(number));
        words
    }

    /// The plan that those words are. Each word but a path stands once; the last one counts.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, NoPlan> {
        let (mut level, mut form, mut cwd) = (None, None, None);
        let (mut reads, mut writes, mut guarded) = (Vec::new(), Vec::new(), Vec::new());
        let (mut channel, mut report, mut scratch) = (None, None, None);
        let (mut network, mut terminal) = (false, false);
        let mut limits = Limits::default();
        for word in words {
            let Some((key, value)) = parts(&word) else { return Err(NoPlan::Word(word)) };
            let text = value.to_str().unwrap_or_default();
            let path = Path::new(value);
            let paths = match key {
                "read" => Some(&mut reads),
                "write" => Some(&mut writes),
                "guard" => Some(&mut guarded),
                _ => None,
            };
            let known = match (key, paths) {
                (_, Some(paths)) => {
                    paths.push(path.to_owned());
                    path.is_absolute()
                }
                ("level", _) => {
                    level = LEVELS.into_iter().find(|level| level.name() == text);
                    level.is_some()
                }
                ("form", _) => {
                    form = FORMS.into_iter().find(|form| form.name() == text);
                    form.is_some()
                }
                ("cwd", _) => {
                    cwd = Some(path.to_owned());
                    path.is_absolute()
                }
                ("network", _) => {
                    network = text == HOST;
                    network
                }
                ("terminal", _) => {
                    terminal = text == OWN;
                    terminal
                }
                ("scratch", _) => {
                    scratch = Some(path.to_owned());
                    path.is_absolute()
                }
                ("channel", _) => socket(&mut channel, text),
                ("report", _) => socket(&mut report, text),
                ("memory", _) => set(&mut limits.memory, text),
                ("total-memory", _) => set(&mut limits.total_memory, text),
                ("cpu", _) => set(&mut limits.cpu, text),
                ("file-size", _) => set(&mut limits.file_size, text),
                ("processes", _) => set(&mut limits.processes, text),
                ("open-files", _) => set(&mut limits.open_files, text),
                ("scratch-size", _) => set(&mut limits.scratch, text),
                ("scratch-entries", _) => set(&mut limits.entries, text),
                _ => false,
            };
            if !known {
                return Err(NoPlan::Word(word));
            }
        }
        Ok(Self {
            level: level.ok_or(NoPlan::Missing("its level"))?,
            form: form.ok_or(NoPlan::Missing("its form"))?,
            cwd: cwd.ok_or(NoPlan::Missing("where to run"))?,
            reads,
            writes,
            guarded,
            network,
            terminal,
            channel,
            report,
            scratch,
            limits,
        })
    }
}

fn word(key: &str, value: &OsStr) -> OsString {
    OsString::from_vec([key.as_bytes(), b"=", value.as_bytes()].concat())
}

fn parts(word: &OsStr) -> Option<(&str, &OsStr)> {
    let bytes = word.as_bytes();
    let border = bytes.iter().position(|&byte| byte == b'=')?;
    let key = std::str::from_utf8(&bytes[..border]).ok()?;
    Some((key, OsStr::from_bytes(&bytes[border + 1..])))
}

/// Never one of the three that every program has.
fn socket(place: &mut Option<RawFd>, text: &str) -> bool {
    *place = text.parse().ok();
    place.is_some_and(|number| number > 2)
}

fn set(limit: &mut u64, text: &str) -> bool {
    text.parse().is_ok_and(|number| {
        *limit = number;
        true
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plan() -> Plan {
        Plan {
            level: Level::Workspace,
            form: Form::Full,
            cwd: "/w".into(),
            reads: vec!["/usr".into(), "/a=b".into()],
            writes: vec!["/w".into()],
            guarded: vec!["/w/.git".into()],
            network: true,
            terminal: true,
            channel: Some(7),
            report: Some(8),
            scratch: Some("/s".into()),
            limits: Limits { memory: 1, ..Limits::default() },
        }
    }

    fn path() -> impl Strategy<Value = PathBuf> {
        let name = proptest::collection::vec(1..=u8::MAX, 0..12);
        name.prop_map(|name| Path::new("/").join(OsStr::from_bytes(&name)))
    }

    fn paths() -> impl Strategy<Value = Vec<PathBuf>> {
        proptest::collection::vec(path(), 0..4)
    }

    proptest! {
           #[test]
           fn a_plan_survives_the_words_it_travels_in(
               level in proptest::sample::select(&LEVELS[..]),
               form in proptest::sample::select(&FORMS[..]),
               (reads, writes, guarded) in (paths(), paths(), paths()),
               (channel, report) in (proptest::option::of(3..4000), proptest::option::of(3..4000)),
               (network, terminal) in any::<(bool, bool)>(),
               memory: u64,
               size: u64,
               scratch in proptest::option::of(path()),
           ) {
               let (total_memory, entries) = (memory ^ 1, size ^ 1);
               let limits = Limits {
    memory, total_memory, scratch: size, entries, ..Limits::default() };
               let cwd = PathBuf::from("/c");
               let plan = Plan {
                   level, form, cwd, reads, writes, guarded, network, terminal, channel, report, scratch, limits,
               };
               prop_assert_eq!(Plan::parse(plan.words()), Ok(plan));
           }

           #[test]
           fn no_words_make_it_panic(words: Vec<String>) {
               let _ = Plan::parse(words.into_iter().map(OsString::from));
           }
       }

    #[test]
    fn no_process_may_have_more_memory_than_the_machine_has() {
        const GIGABYTE: u64 = 1 << 30;
        for (machine, one, all) in [(2, 2, 2), (16, 8, 8), (64, 8, 32)] {
            let limits = Limits::on_machine(machine * GIGABYTE, 2);
            let expected = (one * GIGABYTE, all * GIGABYTE);
            assert_eq!((limits.memory, limits.total_memory), expected, "{machine}");
        }
    }

    #[test]
    fn what_is_no_plan_is_refused_and_never_guessed() {
        for word in [
            "",
            "level",
            "level=loose",
            "form=",
            "read=relative",
            "cwd=.",
            "network=",
            "terminal=host",
            "memory=-1",
        ] {
            let words = plan().words().into_iter().chain([OsString::from(word)]);
            assert_eq!(Plan::parse(words), Err(NoPlan::Word(word.into())), "{word}");
        }
        for (left_out, missing) in [("level=", "its level"), ("form=", "its form")] {
            let words = plan().words().into_iter();
            let words = words.filter(|word| !word.as_bytes().starts_with(left_out.as_bytes()));
            assert_eq!(Plan::parse(words), Err(NoPlan::Missing(missing)));
        }
        for number in ["0", "2", "-1", "x"] {
            let word = OsString::from(format!("channel={number}"));
            assert_eq!(Plan::parse([word.clone()]), Err(NoPlan::Word(word)), "{number}");
        }
    }
}
