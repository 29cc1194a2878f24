//! The seal, from inside: hostile and honest programs in every form and level there is here, as
//! root and as nobody. Where this machine cannot make a form, its rows say so.

use std::{
    fs,
    io::Write as _,
    os::unix::{
        fs::{MetadataExt, PermissionsExt},
        net::UnixDatagram,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use footplate::executor::seal::{Form, Level, Limits, Plan, SUBCOMMAND, profile};
use tempfile::TempDir;
use tokio::sync::{Semaphore, SemaphorePermit};

mod bounds;
mod ends;
mod packages;
mod pictures;
mod projects;
mod runs;
mod terminals;
mod whole;
mod wider;

const PROGRAM: &str = env!("CARGO_BIN_EXE_footplate");
const PYTHON: &str = "/usr/bin/python3";
const NOBODY: &str = "65534";

/// Held by what takes the whole machine for a moment, and by what gives a run its last second to clean
/// up: one of the two at a time.
static QUIET: Semaphore = Semaphore::const_new(1);

/// The same, for who cannot await it.
fn quiet() -> SemaphorePermit<'static> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(QUIET.acquire()).unwrap()
}

/// As whom a program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum User {
    /// Whoever runs the tests.
    Us,
    /// Somebody without a right of their own.
    Nobody,
}

/// The users, forms and levels that can be tried here; what cannot is said.
fn rows() -> Vec<(User, Form, Level)> {
    let mut rows = Vec::new();
    for user in [User::Us, User::Nobody] {
        for form in [Form::Full, Form::WithoutNamespaces] {
            match trial(user, form) {
                Ok(()) => rows.extend([Level::Sealed, Level::Workspace].map(|l| (user, form, l))),
                Err(why) => skipped(&format!("{form:?} as {user:?}: {why}")),
            }
        }
    }
    rows
}

/// To the terminal itself: what a test prints is not shown when it passes.
fn skipped(what: &str) {
    let _ = writeln!(std::io::stderr(), "not tried here: {what}");
}

fn trial(user: User, form: Form) -> Result<(), String> {
    if !Path::new(PYTHON).exists() {
        return Err(format!("there is no {PYTHON}"));
    }
    let scene = Scene::new();
    let output = scene.run(user, &scene.plan(form, Level::Sealed), &["/usr/bin/true", "true"]);
    if output.status.success() { Ok(()) } else { Err(format!("{output:?}")) }
}

/// A workspace, a home with a secret beside it, and a process to be left alone.
struct Scene {
    root: TempDir,
    victim: Child,
    listening: UnixDatagram,
    abstracted: UnixDatagram,
}

impl Scene {
    fn new() -> Self {
        use std::os::linux::net::SocketAddrExt as _;
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        for (file, text) in [
            ("outside/file", "unchanged"),
            ("outside/home/.ssh/id", "a secret"),
            ("outside/home/.bashrc", "unchanged"),
            ("work/file", "unchanged"),
            ("work/src/main.py", "unchanged"),
            ("work/.git/config", "unchanged"),
            ("work/.venv/bin/python", "unchanged"),
            ("scratch/.keep", ""),
            ("hostile.py", include_str!("seal/hostile.py")),
            ("honest.py", include_str!("seal/honest.py")),
            ("network.py", include_str!("seal/network.py")),
        ] {
            fs::create_dir_all(at(file).parent().unwrap()).unwrap();
            fs::write(at(file), text).unwrap();
        }
        let listening = UnixDatagram::bind(at("outside/socket")).unwrap();
        let name = at("outside/socket").to_str().unwrap().to_owned();
        let address = std::os::unix::net::SocketAddr::from_abstract_name(name).unwrap();
        let abstracted = UnixDatagram::bind_addr(&address).unwrap();
        for socket in [&listening, &abstracted] {
            socket.set_nonblocking(true).unwrap();
        }
        // Nobody may do all of it where nothing but the seal forbids.
        for path in all_below(root.path()) {
            let mode = if path.is_dir() { 0o777 } else { 0o666 };
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
        let victim = Command::new("sleep").arg("600").stdout(Stdio::null()).spawn().unwrap();
        Self { root, victim, listening, abstracted }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(path)
    }

    fn plan(&self, form: Form, level: Level) -> Plan {
        let mut reads: Vec<PathBuf> =
            ["/usr", "/etc/ld.so.cache", "/proc"].iter().map(PathBuf::from).collect();
        reads.extend(
            ["work", "scratch", "hostile.py", "honest.py", "network.py"].map(|path| self.at(path)),
        );
        let mut writes = vec![self.at("scratch")];
        let mut guarded = Vec::new();
        match (level, form) {
            (Level::Workspace, Form::Full) => {
                writes.push(self.at("work"));
                guarded.extend([".git", ".venv"].map(|name| self.at("work").join(name)));
            }
            (Level::Workspace, _) => {
                writes.extend(["file", "src"].map(|name| self.at("work").join(name)));
            }
            (Level::Sealed | Level::Open, _) => {}
        }
        Plan {
            level,
            form,
            cwd: self.at("work"),
            reads,
            writes,
            guarded,
            network: false,
            terminal: false,
            channel: None,
            report: None,
            scratch: Some(self.at("scratch")),
            // The smallest number of processes that the system takes as a bound.
            limits: Limits { processes: 301, cpu: 60, ..Limits::default() },
        }
    }

    fn run(&self, user: User, plan: &Plan, program: &[&str]) -> Output {
        let mut command = match user {
            User::Us => Command::new(PROGRAM),
            User::Nobody => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", PROGRAM]);
                command
            }
        };
        command
            .arg(SUBCOMMAND)
            .args(plan.words())
            .arg("--")
            .args(program)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("TMPDIR", self.at("scratch"))
            .env("LEVEL", plan.level.name())
            .env("FORM", plan.form.name())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    fn python(&self, user: User, plan: &Plan, file: &str, arguments: &[&str]) -> String {
        let file = self.at(file);
        let mut program = vec![PYTHON, "python3", file.to_str().unwrap()];
        program.extend(arguments);
        let output = self.run(user, plan, &program);
        let (out, err) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{user:?} {plan:?}\n{:?}\n{out}{err}", output.status);
        assert_eq!(err, "", "{out}");
        out.into_owned()
    }

    /// All that lies here but the scratch folder: names, modes, times and bytes.
    fn picture(&self) -> Vec<String> {
        let mut all = all_below(self.root.path());
        all.retain(|path| !path.starts_with(self.at("scratch")) && *path != self.root.path());
        picture(&all)
    }
}

/// Names, modes, times and bytes.
fn picture(all: &[PathBuf]) -> Vec<String> {
    let picture = |path: &PathBuf| {
        let file = fs::symlink_metadata(path).unwrap();
        let bytes = if file.is_file() { fs::read(path).unwrap() } else { Vec::new() };
        format!("{} {:o} {} {bytes:?}", path.display(), file.mode(), file.mtime_nsec())
    };
    all.iter().map(picture).collect()
}

impl Drop for Scene {
    fn drop(&mut self) {
        // It has no more to do.
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}

fn all_below(root: &Path) -> Vec<PathBuf> {
    let mut all = vec![root.to_owned()];
    let mut at = 0;
    while let Some(path) = all.get(at).cloned() {
        if path.is_dir() && !path.is_symlink() {
            let mut entries: Vec<_> =
                fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
            entries.sort();
            all.extend(entries);
        }
        at += 1;
    }
    all
}

/// Whether the number of processes is bounded: not for an administrator without namespaces.
fn counts_processes(user: User, form: Form) -> bool {
    let is_root = user == User::Us && rustix::process::geteuid().is_root();
    if is_root && form == Form::WithoutNamespaces {
        skipped("a fork bomb as root without namespaces: the system does not bound root's");
        return false;
    }
    true
}

#[test]
fn a_hostile_program_is_refused_everything_and_changes_nothing() {
    let _quiet = quiet();
    for (user, form, level) in rows() {
        let mut scene = Scene::new();
        let before = scene.picture();
        let paths = ["outside", "work", "scratch"].map(|path| scene.at(path));
        let host = scene.victim.id().to_string();
        let bomb = if counts_processes(user, form) { "1" } else { "0" };
        let mut arguments: Vec<&str> = paths.iter().map(|path| path.to_str().unwrap()).collect();
        let listening = scene.at("outside/socket");
        arguments.extend([&*host, listening.to_str().unwrap(), bomb]);
        let said = scene.python(user, &scene.plan(form, level), "hostile.py", &arguments);
        let row = format!("{user:?} {form:?} {level:?}");
        let done: Vec<_> = said.lines().filter(|line| !line.contains(": refused ")).collect();
        assert!(done.is_empty(), "{row}: {done:#?}");
        assert!(said.lines().count() > 60, "{row}: it tried too little:\n{said}");
        assert_eq!(scene.picture(), before, "{row}");
        assert!(scene.victim.try_wait().unwrap().is_none(), "{row}: the other process was ended");
        for socket in [&scene.listening, &scene.abstracted] {
            assert!(socket.recv(&mut [0; 8]).is_err(), "{row}: a socket was reached");
        }
    }
}

#[test]
fn an_honest_program_finds_what_it_needs() {
    for (user, form, level) in rows() {
        let scene = Scene::new();
        let work = scene.at("work");
        let said =
            scene.python(user, &scene.plan(form, level), "honest.py", &[work.to_str().unwrap()]);
        assert_eq!(said, "fine\n", "{user:?} {form:?} {level:?}");
    }
}

#[test]
fn a_daemon_ends_with_its_run() {
    for (user, form, level) in rows() {
        let scene = Scene::new();
        let mark = format!("{}.5", 100_000 + std::process::id());
        let script =
            format!("setsid sleep {mark} >/dev/null 2>&1 & (setsid sh -c 'sleep {mark}' &)");
        scene.run(user, &scene.plan(form, level), &["/usr/bin/sh", "sh", "-c", &script]);
        assert_eq!(running(&mark), 0, "{user:?} {form:?} {level:?}");
    }
}

/// How many programs have this among their words.
fn running(mark: &str) -> usize {
    let has_mark = |entry: &fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(mark)
    };
    fs::read_dir("/proc").unwrap().flatten().filter(has_mark).count()
}

#[test]
fn how_a_program_ended_is_passed_on() {
    for (user, form, level) in rows() {
        let scene = Scene::new();
        for (script, expected) in [("exit 0", 0), ("exit 3", 3), ("kill -9 $$", 137)] {
            let output =
                scene.run(user, &scene.plan(form, level), &["/usr/bin/sh", "sh", "-c", script]);
            assert_eq!(output.status.code(), Some(expected), "{user:?} {form:?} {script}");
        }
    }
}

#[test]
fn what_cannot_be_sealed_does_not_run() {
    let scene = Scene::new();
    let made = scene.at("scratch/made");
    let touch = ["/usr/bin/touch", "touch", made.to_str().unwrap()];
    let plan = scene.plan(Form::None, Level::Sealed);
    assert_eq!(scene.run(User::Us, &plan, &touch).status.code(), Some(126));
    for (user, form, level) in rows() {
        let mut plan = scene.plan(form, level);
        plan.cwd = scene.at("gone");
        assert!(!scene.run(user, &plan, &touch).status.success());
    }
    assert!(!made.exists());
}

#[test]
fn the_trial_of_a_profile_ends_well_only_where_something_is_refused() {
    let trial = ["/bin/sh", "sh", "-c", profile::TRIAL];
    for (user, form, level) in rows() {
        let scene = Scene::new();
        let plan = Plan { cwd: scene.at("scratch"), ..scene.plan(form, level) };
        let plan = Plan { writes: vec![scene.at("scratch")], ..plan };
        let output = scene.run(user, &plan, &trial);
        assert!(output.status.success(), "{user:?} {form:?}: {output:?}");
    }
    let scene = Scene::new();
    let mut open = Command::new(trial[0]);
    let output = open.args(&trial[2..]).current_dir(scene.at("scratch")).output().unwrap();
    assert!(matches!(output.status.code(), Some(97 | 98)), "{output:?}");
    let left = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "trial");
    assert!(!all_below(scene.root.path()).iter().any(left));
}
