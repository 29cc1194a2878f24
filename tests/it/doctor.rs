//! `footplate doctor`, on a computer that has next to nothing, and on one that has what is needed.

use std::{
    fs,
    io::Write as _,
    os::unix::{fs::PermissionsExt as _, process::CommandExt as _},
    path::PathBuf,
    process::Command,
};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::Ran;

const KEY: &str = "sk-of-nobody-123";

/// A computer with an empty home, and programs that only say their version.
struct Bare {
    root: TempDir,
}

impl Bare {
    fn new(programs: &[(&str, &str)]) -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["bin", "home", "user"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        for (name, says) in programs {
            let program = root.path().join("bin").join(name);
            fs::write(&program, format!("#!/bin/sh\n{says}\n")).unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self { root }
    }

    /// One with a uv that finds a Python.
    fn complete() -> Self {
        let bare = Self::new(&[("python3", "echo 3.12.1"), ("git", "echo git version 2.40.1")]);
        let python = bare.at("bin/python3");
        let find =
            format!("case $1 in python) echo {};; *) echo uv 9.9.9;; esac", python.display());
        let uv = bare.at("bin/uv");
        fs::write(&uv, format!("#!/bin/sh\n{find}\n")).unwrap();
        fs::set_permissions(&uv, fs::Permissions::from_mode(0o755)).unwrap();
        bare
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn doctor(&self, arguments: &[&str]) -> Ran {
        Ran(self.command(arguments).output().unwrap())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_footplate"));
        command
            .arg("doctor")
            .args(arguments)
            .env_clear()
            .env("PATH", self.at("bin"))
            .env("HOME", self.at("user"))
            .env("LANG", "C.UTF-8")
            .env("TERM", "xterm-256color")
            .env("TMPDIR", std::env::temp_dir())
            .env("FOOTPLATE_HOME", self.at("home"))
            .env("OPENAI_API_KEY", KEY)
            // Nobody listens there.
            .env("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
            .current_dir(self.root.path());
        command
    }

    fn is_untouched(&self) -> bool {
        let is_empty = |folder: PathBuf| fs::read_dir(folder).unwrap().next().is_none();
        is_empty(self.at("home")) && is_empty(self.at("user"))
    }
}

fn of<'a>(told: &'a Value, name: &str) -> &'a Value {
    let checks = told["checks"].as_array().unwrap();
    checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("{name}: {told}"))
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout()).unwrap_or_else(|_| panic!("{}", ran.stdout()))
}

#[test]
fn a_computer_without_uv_or_python_is_told_how_to_get_them_and_nothing_is_made() {
    let bare = Bare::new(&[]);
    let ran = bare.doctor(&[]);
    let text = ran.stdout();
    assert_eq!((ran.code(), &*ran.stderr()), (1, ""), "{text}");
    for line in
        ["✗ uv ", "✗ python ", "▲ git ", " data ", " cache ", "✓ config ", "✓ monitor ", " seal "]
    {
        assert!(text.contains(line), "{line:?} in {text}");
    }
    assert!(text.contains("install uv (https://docs.astral.sh/uv)"), "{text}");
    assert!(text.contains("OPENAI_API_KEY") && !text.contains(KEY), "{text}");
    assert!(bare.is_untouched());
}

#[test]
fn a_python_without_pip_gets_no_uv_and_one_with_pip_does() {
    let pip = "case \"$*\" in *pip*) exit PIP;; *) echo 3.11.2;; esac";
    for (code, exit, state) in [("0", 0, "weaker"), ("1", 1, "broken")] {
        let bare =
            Bare::new(&[("python3", &pip.replace("PIP", code).replace("exit 0", "echo pip"))]);
        let ran = bare.doctor(&["--json"]);
        let told = json(&ran);
        assert_eq!((ran.code(), &of(&told, "uv")["state"]), (exit, &state.into()), "{told}");
        assert!(of(&told, "python")["says"].as_str().unwrap().starts_with("3.11.2"), "{told}");
        assert!(bare.is_untouched());
    }
}

#[test]
fn what_is_needed_and_there_exits_0_whatever_the_seal() {
    let bare = Bare::complete();
    let ran = bare.doctor(&["--json"]);
    let told = json(&ran);
    assert_eq!(ran.code(), 0, "{told}");
    assert_eq!(told["works"], true);
    let says = |name: &str| of(&told, name)["says"].as_str().unwrap().to_owned();
    assert!(says("uv").starts_with("uv 9.9.9, "), "{told}");
    assert!(says("python").starts_with("3.12.1, "), "{told}");
    assert!(says("git").starts_with("git version 2.40.1, "), "{told}");
    assert!(says("terminal").starts_with("256 colours, UTF-8"), "{told}");
    assert!(!of(&told, "seal")["says"].as_str().unwrap().is_empty());
    let forms = ["full", "without-namespaces", "profile", "none"];
    assert!(forms.iter().any(|form| told["seal"] == *form), "{told}");
    assert_eq!(told["system"]["system"], std::env::consts::OS);
    assert!(bare.is_untouched());
}

#[test]
fn a_fault_in_the_settings_or_a_folder_in_the_way_is_named_and_exits_1() {
    let bare = Bare::complete();
    fs::create_dir(bare.at("home/config")).unwrap();
    fs::write(bare.at("home/config/config.toml"), "modle = \"x\"\n").unwrap();
    let ran = bare.doctor(&[]);
    let text = ran.stdout();
    assert_eq!(ran.code(), 1, "{text}");
    assert!(text.contains("✗ config") && text.contains("config.toml:1:1"), "{text}");
    assert!(text.contains("did you mean `model`?"), "{text}");

    let bare = Bare::complete();
    fs::write(bare.at("home/cache"), "").unwrap();
    let told = json(&bare.doctor(&["--json"]));
    assert_eq!(of(&told, "cache")["state"], "broken", "{told}");
    assert_eq!(told["works"], false);
    assert_eq!(bare.at("home/cache").metadata().unwrap().len(), 0);
}

#[test]
fn whether_a_monitor_is_set_is_said_and_one_that_cannot_be_asked_is_broken() {
    for (model, state, says) in [
        ("openai/judge", "good", "openai/judge judges what would run unasked; asks you after 10 s"),
        ("anthropic/judge", "broken", "the monitor cannot be asked: no key for anthropic"),
    ] {
        let bare = Bare::complete();
        fs::create_dir(bare.at("home/config")).unwrap();
        let settings = format!("[approval.monitor]\nmodel = \"{model}\"\n");
        fs::write(bare.at("home/config/config.toml"), settings).unwrap();
        let told = json(&bare.doctor(&["--json"]));
        let monitor = of(&told, "monitor");
        assert_eq!(monitor["state"], state, "{told}");
        assert!(monitor["says"].as_str().unwrap().starts_with(says), "{told}");
        assert!(!told.to_string().contains(KEY));
    }
    let none = json(&Bare::complete().doctor(&["--json"]));
    assert!(of(&none, "monitor")["says"].as_str().unwrap().starts_with("none is set"), "{none}");
}

#[test]
fn a_home_that_cannot_be_written_is_named_and_exits_1() {
    let bare = Bare::complete();
    for (folder, mode) in [("", 0o755), ("home", 0o555)] {
        fs::set_permissions(bare.at(folder), fs::Permissions::from_mode(mode)).unwrap();
    }
    let mut command = bare.command(&["--json"]);
    if rustix::process::geteuid().is_root() {
        // To root nothing is closed.
        command.uid(65534).gid(65534);
    }
    let told = json(&Ran(command.output().unwrap()));
    assert_eq!(told["works"], false, "{told}");
    for name in ["data", "cache", "state"] {
        let says = of(&told, name)["says"].as_str().unwrap();
        assert!(says.contains("cannot be made in"), "{told}");
    }
    assert!(bare.is_untouched());
}

#[cfg(target_os = "linux")]
#[test]
fn where_no_namespaces_can_be_made_the_seal_is_weaker_and_says_why() {
    let bare = Bare::complete();
    let doctor = bare.command(&["--json"]);
    // The limit of a namespace of its own, so that nothing but this program is bound by it.
    let limited =
        "echo 0 > /proc/sys/user/max_user_namespaces && PATH=$1 exec \"$0\" doctor --json";
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "sh", "-c", limited]);
    command.arg(doctor.get_program()).arg(bare.at("bin")).env_clear();
    command.envs(doctor.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let ran = match command.output() {
        Ok(output) if output.status.success() => Ran(output),
        other => {
            let _ =
                writeln!(std::io::stderr(), "not tried here: a limit of no namespaces: {other:?}");
            return;
        }
    };
    let told = json(&ran);
    let seal = of(&told, "seal");
    assert_eq!(seal["state"], "weaker", "{told}");
    assert_ne!(told["seal"], "full");
    let why = seal["why"].to_string();
    assert!(why.contains("full: cannot make namespaces") && why.contains("is 0"), "{told}");
    assert!(seal["how"][0].as_str().unwrap().contains("sysctl user.max_user_namespaces"), "{told}");
}
