//! A place of its own for each test: home, workspace, a small fixed environment, and the program.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::OnceLock,
    time::Duration,
};

use footplate::executor::seal::{Form, available};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A home and a workspace that nothing else uses; both are gone afterwards.
pub struct Place {
    root: TempDir,
    more: Vec<(&'static str, OsString)>,
}

impl Place {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for name in ["home", "work", "user"] {
            fs::create_dir(root.path().join(name)).unwrap();
        }
        Self { root, more: Vec::new() }
    }

    /// With more in the environment of every program.
    pub fn with(self, more: &[(&'static str, &str)]) -> Self {
        Self { more: more.iter().map(|&(name, value)| (name, value.into())).collect(), ..self }
    }

    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    pub fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    /// The person's home.
    pub fn user(&self) -> PathBuf {
        self.root.path().join("user")
    }

    /// Writes a model script and gives the `--model` that plays it.
    pub fn script(&self, script: &Value) -> String {
        let path = self.root.path().join("script.json");
        fs::write(&path, script.to_string()).unwrap();
        format!("scripted:{}", path.display())
    }

    /// The environment of every program here: nothing of the person's who runs the tests.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        let fixed = vec![
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("HOME", self.user().into()),
            ("LANG", "C.UTF-8".into()),
            ("TERM", "xterm-256color".into()),
            ("TZ", "UTC".into()),
            ("FOOTPLATE_HOME", self.home().into()),
            ("FOOTPLATE_UV", uv().into()),
        ];
        fixed.into_iter().chain(self.more.clone()).collect()
    }

    /// The program, in the workspace.
    pub fn footplate(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_footplate"));
        command.env_clear().envs(self.environment()).current_dir(self.work());
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran(self.footplate().args(arguments).output().unwrap())
    }

    /// Every journal, oldest first, as its lines.
    pub fn journals(&self) -> Vec<Vec<Value>> {
        let Ok(sessions) = fs::read_dir(self.home().join("data/sessions")) else {
            return Vec::new();
        };
        let mut folders: Vec<_> = sessions.map(|entry| entry.unwrap().path()).collect();
        folders.sort();
        folders.iter().map(|folder| lines(&folder.join("journal.jsonl"))).collect()
    }

    /// How many sessions there are.
    pub fn journals_there(&self) -> usize {
        fs::read_dir(self.home().join("data/sessions")).map_or(0, Iterator::count)
    }

    /// The one journal there is.
    pub fn journal(&self) -> Vec<Value> {
        let mut all = self.journals();
        assert_eq!(all.len(), 1, "one session");
        all.remove(0)
    }
}

fn lines(journal: &Path) -> Vec<Value> {
    let text = fs::read_to_string(journal).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Whether a run can be sealed on this machine; says so to the terminal where it cannot.
pub fn seals() -> bool {
    static FORM: OnceLock<Form> = OnceLock::new();
    let form = FORM.get_or_init(|| available(Path::new(env!("CARGO_BIN_EXE_footplate"))));
    if *form == Form::None {
        let _ = writeln!(std::io::stderr(), "not tried here: what needs a seal");
    }
    *form != Form::None
}

/// The events of one type.
pub fn of_type<'a>(journal: &'a [Value], name: &str) -> Vec<&'a Value> {
    journal.iter().filter(|line| line["type"] == name).collect()
}

/// What a run of the program left.
pub struct Ran(pub Output);

impl Ran {
    pub fn code(&self) -> i32 {
        self.0.status.code().unwrap_or(-1)
    }

    pub fn stdout(&self) -> String {
        String::from_utf8(self.0.stdout.clone()).unwrap()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8(self.0.stderr.clone()).unwrap()
    }
}

/// How long anything may take on a slow and busy machine before a test gives up.
pub const PATIENCE: Duration = Duration::from_mins(5);

/// No process of a run is there longer than two seconds once it is stopped; and what a machine may
/// need on top of that where hundreds of processes want it and other tests run.
pub const GONE: Duration = Duration::from_secs(2 + 118);

/// A script of one turn that runs some Python, and one that ends.
pub fn runs(code: &str) -> Value {
    calls(json!({ "code": code }))
}

/// As [`runs`], unsealed: it asks first, on every machine.
pub fn runs_open(code: &str) -> Value {
    calls(json!({ "code": code, "seal": "open" }))
}

fn calls(arguments: Value) -> Value {
    json!({ "turns": [
        { "text": "I run it.", "calls": [{ "name": "execute_code", "arguments": arguments }] },
        { "text": "That was all." },
    ] })
}

/// A `uv` to run with: the one on the path, or one fetched once with pip into the target folder.
pub fn uv() -> &'static Path {
    static UV: OnceLock<PathBuf> = OnceLock::new();
    UV.get_or_init(|| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&path).map(|dir| dir.join("uv")).find(|uv| uv.is_file());
        found.unwrap_or_else(|| fetched("uv").join("bin/uv"))
    })
}

/// A folder with that package in it, fetched once with pip into the target folder.
pub fn fetched(package: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(package);
    fs::create_dir_all(&folder).unwrap();
    let mut lock = fd_lock::RwLock::new(File::create(folder.join("lock")).unwrap());
    let _one_at_a_time = lock.write().unwrap();
    let whole = folder.join("whole");
    if !whole.is_file() {
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade"];
        let into = [OsStr::new("--target"), folder.as_os_str(), OsStr::new(package)];
        let fetched = Command::new("python3").args(pip).args(into).output().unwrap();
        assert!(fetched.status.success(), "{}", String::from_utf8_lossy(&fetched.stderr));
        File::create(whole).unwrap();
    }
    folder
}
