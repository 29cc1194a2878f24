//! What `footplate doctor` looks at, thing by thing.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use rustix::fs::{Access, access, statvfs};
use tokio::process::Command;

use crate::{
    cli::{
        checks::{self, Finding, State},
        exit::Failure,
        setup::{self, variable},
    },
    config::{Config, Home},
    executor::{
        Local,
        seal::{self, Cause, Facts, Form, Probe, Refused},
    },
    kernel::text,
    model::{Key, Models, scripted::Pace},
    tui::{
        keymap::Keymap,
        picture::Means,
        theme::{Depth, Theme},
    },
};

/// What should be free for outputs, and for a Python of our own.
const ENOUGH: u64 = 500 << 20;

/// The longest that a program may take to say its version.
const LONGEST: Duration = Duration::from_secs(10);

/// Which seal there is, found by trying.
pub(super) async fn probe(launcher: Option<&Path>) -> Probe {
    let none = |fault: String| Probe {
        form: Form::None,
        refused: vec![Refused { form: Form::Full, fault }],
    };
    let Some(launcher) = launcher.map(Path::to_owned) else {
        return none("this program does not know its own place on disk".to_owned());
    };
    let probe = tokio::task::spawn_blocking(move || seal::probe(&launcher)).await;
    probe.unwrap_or_else(|error| none(error.to_string()))
}

/// The words for what came of trying.
pub(super) fn seal_of(probe: &Probe, facts: &Facts) -> Finding {
    const NAME: &str = "seal";
    let says = match probe.form {
        Form::Full => "full: namespaces, rules over files, filtered system calls, limits",
        Form::WithoutNamespaces => "no user namespaces here: sealed by Landlock and seccomp alone",
        Form::Profile => "profile: the sandbox of macOS, limits",
        Form::None => "this system has no seal: every run asks first",
    };
    let mut finding = Finding::good(NAME, says);
    match probe.form {
        Form::Full => return finding,
        Form::Profile => {
            // The best there is on that system, so nothing can be done about it.
            finding.why.push(
                "a process that begins a session of its own may outlive its run there".to_owned(),
            );
            return finding;
        }
        Form::WithoutNamespaces | Form::None => finding.state = State::Weaker,
    }
    for refused in &probe.refused {
        let cause = Cause::of(refused, facts);
        finding.why.push(format!("{}: {}", refused.form.name(), refused.fault));
        // Two forms may stumble over the same.
        for (list, line) in [(&mut finding.why, cause.why), (&mut finding.how, cause.how)] {
            if !list.contains(&line) {
                list.push(line);
            }
        }
    }
    if probe.refused.is_empty() {
        let cause = Cause::of_no_form(facts);
        finding.why.push(cause.why);
        finding.how.push(cause.how);
    }
    finding
}

/// The same finding about a program, with what the program says of itself.
pub(in crate::cli) async fn with_version(finding: Finding, executor: &Local) -> Finding {
    match finding.state {
        State::Good => match said(Path::new(&finding.says), &["--version"], &[]).await {
            Ok(version) => Finding { says: format!("{version}, {}", finding.says), ..finding },
            Err(fault) => Finding::broken(
                finding.name,
                format!("{} does not run: {fault}", finding.says),
                "install it anew, or put another first in PATH",
            ),
        },
        // It can be fetched if there is pip.
        State::Weaker if finding.name == "uv" => {
            let Some(python) = executor.program("python3") else { return finding };
            match said(&python, &["-I", "-m", "pip", "--version"], &[]).await {
                Ok(_) => finding,
                Err(_) => Finding::broken(
                    finding.name,
                    "not found, and python3 has no pip to fetch it with: no Python can run",
                    "install uv (https://docs.astral.sh/uv), or pip",
                ),
            }
        }
        State::Weaker | State::Broken => finding,
    }
}

/// The Python that scripts run with, or will run with.
pub(in crate::cli) async fn python(executor: &Local, uv: &Finding) -> Finding {
    const NAME: &str = "python";
    const HOW: &str = "install Python 3.9 or newer";
    let version = async |python: &Path| {
        const CODE: &str = "import sys; print('%d.%d.%d' % sys.version_info[:3])";
        said(python, &["-I", "-S", "-c", CODE], &[]).await
    };
    let ours = executor.python();
    if ours.is_file()
        && let Ok(version) = version(&ours).await
    {
        return Finding::good(NAME, format!("{version}, {}", ours.display()));
    }
    let found = match (executor.uv(), uv.state) {
        (Ok(Some(uv)), State::Good) => {
            // As the environment of runs will be made: nothing fetched, nothing kept.
            const QUIET: [(&str, &str); 4] = [
                ("UV_PYTHON_DOWNLOADS", "never"),
                ("UV_OFFLINE", "1"),
                ("UV_NO_CONFIG", "1"),
                ("UV_NO_CACHE", "1"),
            ];
            let find = ["python", "find", "--system", "--no-project", ">=3.9"];
            said(&uv, &find, &QUIET).await.map(PathBuf::from)
        }
        _ => executor.program("python3").ok_or_else(|| "there is no python3".to_owned()),
    };
    match found {
        Ok(python) => match version(&python).await {
            Ok(version) => Finding::good(
                NAME,
                format!("{version}, {}; set up on the first run", python.display()),
            ),
            Err(fault) => {
                Finding::broken(NAME, format!("{} does not run: {fault}", python.display()), HOW)
            }
        },
        Err(fault) => Finding::broken(NAME, format!("none to be found: {fault}"), HOW),
    }
}

/// The first line that a program prints; the error is the last that it complains of.
async fn said(program: &Path, arguments: &[&str], more: &[(&str, &str)]) -> Result<String, String> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .envs(["PATH", "HOME"].into_iter().filter_map(|name| Some((name, setup::raw(name)?))))
        .env("LANG", "C.UTF-8")
        .envs(more.iter().map(|(name, value)| (OsStr::new(name), OsStr::new(value))))
        // Not where we are: what lies there has no part in it.
        .current_dir("/")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let output = tokio::time::timeout(LONGEST, command.output()).await;
    let output = output.map_err(|_| format!("it took more than {} s", LONGEST.as_secs()))?;
    let output = output.map_err(|error| error.to_string())?;
    let line = |bytes: &[u8], last: bool| {
        let text = text::clean(bytes);
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let line = if last { lines.next_back() } else { lines.next() };
        line.map(str::to_owned)
    };
    if output.status.success() {
        return line(&output.stdout, false).ok_or_else(|| "it says nothing".to_owned());
    }
    Err(line(&output.stderr, true).unwrap_or_else(|| output.status.to_string()))
}

/// A folder of ours: whether it can be written, or made, and how much room there is.
pub(in crate::cli) fn folder(name: &'static str, path: &Path) -> Finding {
    const HOW: &str = "make it writable, or set FOOTPLATE_HOME to a folder that is";
    let shown = path.display();
    // What is not there yet is made in the nearest that is.
    let there = path.ancestors().find(|there| there.symlink_metadata().is_ok());
    let there = there.unwrap_or(Path::new("/"));
    if !there.is_dir() {
        let says = format!("{shown}: {} is no folder", there.display());
        return Finding::broken(name, says, "move it away, or set FOOTPLATE_HOME");
    }
    if let Err(error) = access(there, Access::WRITE_OK | Access::EXEC_OK) {
        let says = match there == path {
            true => format!("{shown} cannot be written: {error}"),
            false => format!("{shown} cannot be made in {}: {error}", there.display()),
        };
        return Finding::broken(name, says, HOW);
    }
    // A file system without a size has no room that could be told.
    let disk = statvfs(there).ok().filter(|disk| disk.f_blocks > 0);
    room(name, path, disk.map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize)))
}

/// The words for a folder that can be written, with so many bytes free.
pub(super) fn room(name: &'static str, path: &Path, free: Option<u64>) -> Finding {
    let shown = path.display();
    match free {
        Some(free) if free < ENOUGH => Finding::weaker(
            name,
            format!("{shown}, only {} free", bytes(free)),
            "make room on that disk, or set FOOTPLATE_HOME to a folder on another",
        ),
        Some(free) => Finding::good(name, format!("{shown}, {} free", bytes(free))),
        None => Finding::good(name, shown.to_string()),
    }
}

fn bytes(count: u64) -> String {
    match count {
        0..1_000_000_000 => format!("{} MB", count / 1_000_000),
        1_000_000_000.. => format!("{} GB", count / 1_000_000_000),
    }
}

/// The person's settings.
pub(super) fn configuration(home: &Home, fault: Option<&Failure>) -> Finding {
    const NAME: &str = "config";
    let file = home.config_file();
    match fault {
        Some(fault) => Finding::broken(NAME, &*fault.what, &*fault.hint),
        None if file.exists() => Finding::good(NAME, file.display().to_string()),
        None => Finding::good(NAME, format!("as it comes; yours goes into {}", file.display())),
    }
}

/// The person's keys and theme, where they are theirs.
pub(super) fn own(home: &Home, config: &Config) -> Vec<Finding> {
    let mut found = Vec::new();
    let keys = home.keys_file();
    if let Ok(source) = std::fs::read_to_string(&keys) {
        found.push(match Keymap::read("keys.toml", &source) {
            Ok(keymap) => Finding::good("keys", format!("{}, {}", keymap.words(), keys.display())),
            Err(fault) => {
                let says = format!("{}:{}: {}", keys.display(), fault.line, fault.what);
                Finding::weaker("keys", says, fault.hint)
            }
        });
    }
    if let Some(name) = &config.theme {
        let file = home.config.join("themes").join(format!("{name}.toml"));
        let built_in = Theme::built_in(name, Depth::True).is_some();
        found.push(match std::fs::read_to_string(&file) {
            Ok(source) => match Theme::parse(&file.display().to_string(), &source, Depth::True) {
                Ok(_) => Finding::good("theme", format!("{name}, {}", file.display())),
                Err(fault) => Finding::weaker("theme", fault.to_string(), fault.hint),
            },
            Err(_) if built_in => Finding::good("theme", name.clone()),
            Err(_) => {
                let known = Theme::BUILT_IN.map(|(name, _)| name).join(", ");
                let says = format!("there is no theme {name:?}");
                Finding::broken("theme", says, format!("there is {known}"))
            }
        });
    }
    found
}

/// Who would answer, and which keys there are: their names alone.
pub(super) fn model(config: Config) -> Finding {
    const NAME: &str = "model";
    let models = Models::new(config.providers, variable, Pace::Instant);
    let (mut set, mut missing) = (Vec::new(), Vec::new());
    for provider in models.available() {
        match provider.key {
            Key::Present(variable) => set.push(variable),
            Key::Missing(variable) => missing.push(variable),
            Key::NotNeeded => {}
        }
    }
    let keys = match set.is_empty() {
        true => "no key is set".to_owned(),
        false => format!("set: {}", set.join(", ")),
    };
    let Some(chosen) = models.choose(config.model.as_deref()) else {
        return match set.is_empty() {
            true => Finding::weaker(
                NAME,
                "none is connected; there is the tour",
                format!("set one of {}; or name a server in the config file", missing.join(", ")),
            ),
            false => Finding::weaker(
                NAME,
                format!("none is chosen; {keys}"),
                "--model PROVIDER/NAME, or model = \"PROVIDER/NAME\" in the config file",
            ),
        };
    };
    match models.resolve(&chosen) {
        Ok(_) => Finding::good(NAME, format!("{chosen}; {keys}")),
        Err(error) => {
            let error = Failure::in_two_lines(error);
            Finding::broken(NAME, format!("{}; {keys}", error.what), error.hint)
        }
    }
}

/// Who judges calls, if anybody does.
pub(super) fn monitor(config: &Config) -> Finding {
    const NAME: &str = "monitor";
    let Some(set) = &config.monitor else {
        return Finding::good(NAME, "none is set: modes, rules and you decide alone");
    };
    let models = Models::new(config.providers.clone(), variable, Pace::Instant);
    match setup::monitor(config, &models) {
        Ok(_) => Finding::good(
            NAME,
            format!(
                "{} judges what would run unasked; asks you after {} s",
                set.model, set.timeout_s
            ),
        ),
        Err(error) => Finding::broken(NAME, &*error.what, &*error.hint),
    }
}

/// What the screen is drawn on; `around` knows which variables are set.
pub(super) fn terminal(
    is_terminal: bool,
    (depth, is_utf8, pictures): (Depth, bool, Means),
    around: impl Fn(&str) -> bool,
) -> Finding {
    const NAME: &str = "terminal";
    let mut says = vec![checks::colours(depth)];
    says.push(if is_utf8 { "UTF-8" } else { "no UTF-8: drawn in ASCII" });
    let surroundings = [
        ("TMUX", "in tmux"),
        ("STY", "in screen"),
        ("ZELLIJ", "in zellij"),
        ("SSH_CONNECTION", "over ssh"),
    ];
    says.extend(surroundings.iter().filter(|(name, _)| around(name)).map(|(_, words)| *words));
    says.push(pictures.words());
    if !is_terminal {
        says.push("not what this goes to now");
    }
    let mut finding = Finding::good(NAME, says.join(", "));
    if !is_utf8 {
        finding.state = State::Weaker;
        finding.how.push("set LANG to a UTF-8 locale, such as C.UTF-8".to_owned());
    }
    if depth == Depth::Sixteen {
        finding.how.push("for more colours: COLORTERM=truecolor, if it has them".to_owned());
    }
    if around("TMUX") {
        finding.how.push("for copying out of tmux: tmux set -g set-clipboard on".to_owned());
    }
    finding
}
