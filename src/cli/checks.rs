//! What is known of this computer, for the first screen and for `footplate doctor`.

use std::{path::Path, time::Duration};

use serde::Serialize;

use super::setup::variable;
use crate::{
    config::{Config, Glyphs, Pictures, Screen, Surface},
    executor::{Local, seal::Form},
    tui::{
        app::Check,
        picture::Finder,
        theme::{Depth, Mark, Marks},
    },
};

/// How it is with one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    /// It works.
    Good,
    /// It works, but could be better.
    Weaker,
    /// It does not work, and is needed.
    Broken,
}

impl State {
    pub(super) fn mark(self) -> Mark {
        match self {
            Self::Good => Mark::Done,
            Self::Weaker => Mark::Warning,
            Self::Broken => Mark::Failed,
        }
    }
}

/// What was found of one thing: each text is one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    pub(super) name: &'static str,
    pub(super) state: State,
    /// How it is.
    pub(super) says: String,
    /// Why it is so, where there is more to say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) why: Vec<String>,
    /// How to get what is missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) how: Vec<String>,
}

impl Finding {
    pub(super) fn good(name: &'static str, says: impl Into<String>) -> Self {
        Self { name, state: State::Good, says: says.into(), why: Vec::new(), how: Vec::new() }
    }

    pub(super) fn weaker(
        name: &'static str,
        says: impl Into<String>,
        how: impl Into<String>,
    ) -> Self {
        Self { state: State::Weaker, how: vec![how.into()], ..Self::good(name, says) }
    }

    pub(super) fn broken(
        name: &'static str,
        says: impl Into<String>,
        how: impl Into<String>,
    ) -> Self {
        Self { state: State::Broken, how: vec![how.into()], ..Self::good(name, says) }
    }

    /// Its line on the first screen; what is well needs no more than `good`.
    fn brief(&self, good: &str) -> Check {
        let text = match self.state {
            State::Good => good.to_owned(),
            State::Weaker | State::Broken => format!("{} {}", self.name, self.says),
        };
        Check { mark: self.state.mark(), text }
    }
}

/// The lines of the first screen; nothing here may block.
pub(super) fn all(executor: &Local, depth: Depth) -> Vec<Check> {
    let colours = Check { mark: Mark::Done, text: format!("terminal: {}", colours(depth)) };
    vec![uv(executor).brief("uv"), seal(), colours, git(executor).brief("git"), disk()]
}

/// The uv that runs would use, or how one will be got.
pub(super) fn uv(executor: &Local) -> Finding {
    const NAME: &str = "uv";
    match executor.uv() {
        Ok(Some(uv)) => Finding::good(NAME, uv.display().to_string()),
        Ok(None) if executor.program("python3").is_some() => Finding::weaker(
            NAME,
            "not found: fetched with pip on the first run",
            "to have it before, install it: https://docs.astral.sh/uv",
        ),
        Ok(None) => Finding::broken(
            NAME,
            "not found, nor a python3 to fetch it with: no Python can run",
            "install uv (https://docs.astral.sh/uv), or python3 with pip",
        ),
        Err(error) => {
            let how = error.message.lines().nth(1).unwrap_or_default();
            Finding::broken(NAME, "is not where FOOTPLATE_UV says: no Python can run", how)
        }
    }
}

/// Where the line about the seal stands.
pub(super) const SEAL: usize = 1;

/// Where the line about uv and Python stands, and that about the disk.
pub(super) const UV: usize = 0;
pub(super) const DISK: usize = 4;

/// The place of a model on this computer among them, where it is looked for.
pub(super) const OLLAMA: usize = 5;

/// Not known until somebody answered there.
pub(super) fn ollama() -> Check {
    Check { mark: Mark::Queued, text: "ollama …".to_owned() }
}

/// What came of asking the server of ollama on this computer for its models.
pub(super) fn ollama_of(models: Option<&[String]>) -> Check {
    let (mark, text) = match models {
        None => (Mark::Withdrawn, "no ollama answers here".to_owned()),
        Some([]) => (Mark::Warning, "ollama has no model: ollama pull …".to_owned()),
        Some([one]) => (Mark::Done, format!("ollama: {one}, c takes it")),
        Some(models) => (Mark::Done, format!("ollama: {} models, c takes one", models.len())),
    };
    Check { mark, text }
}

/// How long ollama is waited for.
pub(super) const OLLAMA_PATIENCE: Duration = Duration::from_secs(2);

/// What uv and Python said of themselves: `uv 0.9.13, Python 3.13.1`.
pub(super) fn python_of(uv: &Finding, python: &Finding) -> Check {
    if uv.state != State::Good {
        return uv.brief("uv");
    }
    let uv = uv.says.split([',', '(']).next().unwrap_or_default().trim();
    let version = python.says.split(',').next().unwrap_or_default();
    match python.state {
        State::Good => Check { mark: Mark::Done, text: format!("{uv}, Python {version}") },
        State::Weaker | State::Broken => python.brief("Python"),
    }
}

/// How much room there is for what is kept, in `disk`'s words.
pub(super) fn disk_of(disk: &Finding, home: &Path) -> Check {
    let says = disk.says.replace(&home.display().to_string(), "");
    let says = says.trim_start_matches([',', ' ']);
    Check { mark: disk.state.mark(), text: format!("disk: {says}") }
}

/// Not known until it was looked at.
fn disk() -> Check {
    Check { mark: Mark::Queued, text: "disk …".to_owned() }
}

/// Not known until it was tried.
fn seal() -> Check {
    Check { mark: Mark::Queued, text: "seal …".to_owned() }
}

/// What holds the runs that ask to be held, once it was tried.
pub(super) fn seal_of(form: Form) -> Check {
    let (mark, text) = match form {
        Form::Full => (Mark::Done, "seal: full"),
        Form::Profile => (Mark::Done, "seal: the sandbox of macOS"),
        Form::WithoutNamespaces => {
            (Mark::Warning, "seal: without namespaces; footplate doctor says more")
        }
        Form::None => (Mark::Warning, "no seal here: every run asks; footplate doctor says more"),
    };
    Check { mark, text: text.to_owned() }
}

pub(super) fn colours(depth: Depth) -> &'static str {
    match depth {
        Depth::None => "no colours",
        Depth::Sixteen => "16 colours",
        Depth::Many => "256 colours",
        Depth::True => "all colours",
    }
}

pub(super) fn git(executor: &Local) -> Finding {
    match executor.program("git") {
        Some(git) => Finding::good("git", git.display().to_string()),
        None => Finding::weaker("git", "not found: agents share one folder", "install git"),
    }
}

/// What the terminal says it can show.
pub(super) fn depth() -> Depth {
    let [no_color, colorterm, term] = ["NO_COLOR", "COLORTERM", "TERM"].map(variable);
    Depth::detect(no_color.as_deref(), colorterm.as_deref(), term.as_deref())
}

/// What lines and marks are drawn with on a terminal of this kind.
pub(super) fn marks(glyphs: Glyphs) -> Marks {
    match glyphs {
        Glyphs::Unicode if is_utf8() => Marks::unicode(),
        Glyphs::Unicode | Glyphs::Ascii => Marks::ascii(),
    }
}

/// Whether tmux stands between us and the terminal.
pub(super) fn in_tmux() -> bool {
    variable("TMUX").is_some()
}

/// Whether a terminal of this kind breaks its rows anew when it gets narrower, as most do by now.
pub(super) fn reflows() -> bool {
    let term = variable("TERM").unwrap_or_default();
    let cuts = ["linux", "screen", "st-", "rxvt", "vt"].iter().any(|kind| term.starts_with(kind));
    in_tmux() || !(cuts || variable("XTERM_VERSION").is_some())
}

/// What is known, without asking it, of how the terminal shows pictures. What goes into a scrollback
/// is text.
pub(super) fn pictures(screen: Screen) -> Finder {
    let unicode = screen.glyphs == Glyphs::Unicode && is_utf8();
    let wanted = match screen.surface {
        Surface::Whole => screen.pictures,
        Surface::Inline | Surface::Lines => Pictures::Off,
    };
    Finder::of(wanted, (depth(), unicode), variable)
}

/// How many pixels a cell of the terminal has, if it says so.
pub(super) fn cell() -> Option<(u16, u16)> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    let width = size.ws_xpixel.checked_div(size.ws_col)?;
    let height = size.ws_ypixel.checked_div(size.ws_row)?;
    (width > 0 && height > 0).then_some((width, height))
}

/// Whether the terminal is to be asked for its ground: nobody chose a theme, and nothing else tells.
pub(super) fn asks_ground(config: &Config) -> bool {
    config.theme.is_none() && ground().is_none() && depth() > Depth::None
}

/// Whether the terminal says that its ground is light; some say it in a variable.
pub(super) fn ground() -> Option<bool> {
    is_light(&variable("COLORFGBG")?)
}

/// Of `15;0` and the like the last is the ground, as one of sixteen colours.
fn is_light(colours: &str) -> Option<bool> {
    let ground: u8 = colours.rsplit(';').next()?.parse().ok()?;
    (ground < 16).then_some(ground == 7 || ground > 8)
}

/// Whether the terminal is told to expect UTF-8.
pub(super) fn is_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable).unwrap_or_default();
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8") || cfg!(target_os = "macos")
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn a_terminal_may_say_in_a_variable_that_it_is_light() {
        for (colours, expected) in [
            ("15;0", Some(false)),
            ("0;15", Some(true)),
            ("0;default;7", Some(true)),
            ("7;8", Some(false)),
            ("0;default", None),
            ("0;231", None),
            ("", None),
        ] {
            assert_eq!(is_light(colours), expected, "{colours}");
        }
    }

    #[test]
    fn the_first_screen_says_in_a_few_words_what_was_found() {
        let uv = Finding::good("uv", "uv 0.9.13 (abc 2026-01-01), /usr/bin/uv");
        let python = Finding::good("python", "3.13.1, /usr/bin/python3; set up on the first run");
        assert_eq!(python_of(&uv, &python).text, "uv 0.9.13, Python 3.13.1");
        let none = Finding::broken("python", "none to be found: no", "install it");
        assert_eq!(python_of(&uv, &none).mark, Mark::Failed);
        let home = Path::new("/home/me/data");
        let disk = Finding::good("disk", "/home/me/data, 41 GB free");
        assert_eq!(disk_of(&disk, home).text, "disk: 41 GB free");
        let models = ["a".to_owned(), "b".to_owned()];
        assert_eq!(ollama_of(Some(&models)).text, "ollama: 2 models, c takes one");
        assert_eq!(ollama_of(None).text, "no ollama answers here");
    }
}
