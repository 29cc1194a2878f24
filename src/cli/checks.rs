//! What is known of this computer, for the first screen.

use std::{env, path::PathBuf};

use super::setup::variable;
use crate::{
    config::Home,
    executor::seal::Form,
    tui::{
        app::Check,
        theme::{Depth, Mark},
    },
};

/// One line each; nothing here may block.
pub(super) fn all(home: &Home, depth: Depth) -> Vec<Check> {
    vec![uv(home), seal(), colours(depth), git()]
}

fn uv(home: &Home) -> Check {
    if let Some(named) = variable("FOOTPLATE_UV").map(PathBuf::from) {
        return match named.is_file() {
            true => good("uv"),
            false => warning("FOOTPLATE_UV names no uv: no Python can run"),
        };
    }
    if home.data.join("uv/bin/uv").is_file() || on_path("uv") {
        return good("uv");
    }
    warning("uv not found: fetched with pip on the first run")
}

/// Where the line about the seal stands.
pub(super) const SEAL: usize = 1;

/// Not known until it was tried.
fn seal() -> Check {
    Check { mark: Mark::Queued, text: "seal …".to_owned() }
}

/// What holds the runs that ask to be held, once it was tried.
pub(super) fn seal_of(form: Form) -> Check {
    match form {
        Form::Full => good("seal: full"),
        Form::WithoutNamespaces => warning("seal: without namespaces"),
        Form::None => warning("no seal here: every run asks"),
    }
}

fn colours(depth: Depth) -> Check {
    match depth {
        Depth::None => good("terminal: no colours"),
        Depth::Sixteen => good("terminal: 16 colours"),
        Depth::Many => good("terminal: 256 colours"),
        Depth::True => good("terminal: all colours"),
    }
}

fn git() -> Check {
    if on_path("git") { good("git") } else { warning("git not found: agents share one folder") }
}

fn on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn good(text: &str) -> Check {
    Check { mark: Mark::Done, text: text.to_owned() }
}

fn warning(text: &str) -> Check {
    Check { mark: Mark::Warning, text: text.to_owned() }
}
