//! What is known of this computer, for the first screen and for `footplate doctor`.

use std::{net::TcpStream, time::Duration};

use serde::Serialize;

use super::setup::variable;
use crate::{
    config::Glyphs,
    executor::{Local, seal::Form},
    tui::{
        app::Check,
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
    vec![uv(executor).brief("uv"), seal(), colours, git(executor).brief("git")]
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

/// The place of a model on this computer among them, where it is looked for.
pub(super) const OLLAMA: usize = 4;

/// Not known until somebody answered there.
pub(super) fn ollama() -> Check {
    Check { mark: Mark::Queued, text: "ollama …".to_owned() }
}

/// Whether a server listens where ollama's is on this computer; nothing is said to it. Blocks for a
/// third of a second at most for each of its addresses.
pub(super) fn ollama_of(base_url: &str) -> Check {
    const PATIENCE: Duration = Duration::from_millis(300);
    let addresses = reqwest::Url::parse(base_url).ok().and_then(|url| {
        let here = matches!(url.host_str()?, "localhost" | "127.0.0.1" | "[::1]");
        here.then(|| url.socket_addrs(|| None).ok()).flatten()
    });
    let mut addresses = addresses.unwrap_or_default();
    addresses.retain(|address| address.ip().is_loopback());
    let answers = addresses.iter().any(|at| TcpStream::connect_timeout(at, PATIENCE).is_ok());
    let (mark, text) = match answers {
        true => (Mark::Done, "ollama's port answers"),
        false => (Mark::Withdrawn, "no ollama on this computer"),
    };
    Check { mark, text: text.to_owned() }
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

/// Whether the terminal is told to expect UTF-8.
pub(super) fn is_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable).unwrap_or_default();
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8") || cfg!(target_os = "macos")
}
