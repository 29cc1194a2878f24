//! A text in the person's own editor, while the screen is theirs.

use std::{
    ffi::OsString,
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitStatus,
    sync::Arc,
};

use tokio::process::Command;

use super::{App, Signal, Signals, next, now};
use crate::{
    kernel::{
        id::{ApprovalId, CallId, SessionId},
        port::Desk,
    },
    tui::message::{Came, Input, Message},
};

/// What is to be edited, and what for.
pub(super) enum Wanted {
    Text {
        question: ApprovalId,
        field: Option<usize>,
        text: String,
    },
    /// A file, as it stands, at a line of it where the editor takes one.
    File(PathBuf, Option<u64>),
    /// All that a program printed so far, to read.
    Output {
        desk: Arc<dyn Desk>,
        session: SessionId,
        call: CallId,
    },
}

/// The editor that the environment names, as other programs find it.
pub(super) fn named() -> OsString {
    let set = ["VISUAL", "EDITOR"].into_iter().filter_map(std::env::var_os);
    set.into_iter().find(|name| !name.is_empty()).unwrap_or_else(|| "vi".into())
}

/// The pager that the environment names.
fn pager() -> OsString {
    let set = std::env::var_os("PAGER").filter(|name| !name.is_empty());
    set.unwrap_or_else(|| "less".into())
}

impl App {
    /// Gives the terminal to the editor until it ends. The sessions go on meanwhile; their events
    /// wait for the screen.
    pub(super) async fn edit(
        &mut self,
        wanted: Wanted,
        signals: &mut Option<Signals>,
    ) -> std::io::Result<()> {
        self.keys.pause().await;
        self.terminal.leave()?;
        let came = {
            let editor = named();
            let mut came = std::pin::pin!(wanted.done(&editor));
            loop {
                tokio::select! {
                    biased;
                    came = &mut came => break Some(came),
                    signal = next(signals) => match signal {
                        // Keys of the editor; it has them too.
                        Signal::Interrupt | Signal::Resized | Signal::Continue => {}
                        Signal::Suspend => {
                            if let Err(error) = self.terminal.stop() {
                                tracing::info!(%error, "not suspended under an editor");
                            }
                        }
                        Signal::Terminate | Signal::Hangup => {
                            self.signal = Some(signal);
                            break None;
                        }
                    },
                }
            }
        };
        let Some(came) = came else {
            self.apply(Message::Signalled);
            return Ok(());
        };
        self.terminal.take_again()?;
        self.keys.resume();
        self.back();
        self.apply(Message::Input(now(), Input::FocusGained));
        self.apply(Message::Came(came));
        Ok(())
    }
}

impl Wanted {
    /// What came of it. Dropping this ends the editor.
    pub(super) async fn done(self, editor: &OsString) -> Came {
        match self {
            Self::Text { question, field, text } => {
                Came::Edited(question, field, edited(editor, &text).await)
            }
            Self::Output { desk, session, call } => {
                Came::Visited(paged(&pager(), &*desk, session, call).await)
            }
            // An editor would make a new one.
            Self::File(file, _) if !file.exists() => {
                Came::Visited(Err(format!("{} is not there any more.", file.display())))
            }
            Self::File(file, line) => {
                let failed = |error: std::io::Error| format!("Not opened: {error}.");
                let arguments = at_line(editor, &file, line);
                Came::Visited(match run_with(editor, &arguments).await {
                    Ok(status) => ended(editor, status),
                    Err(error) => Err(failed(error)),
                })
            }
        }
    }
}

/// Runs the editor on a file. The variable may hold options, as a shell reads them.
async fn run(editor: &OsString, file: &Path) -> std::io::Result<ExitStatus> {
    run_with(editor, &[file.as_os_str().to_owned()]).await
}

async fn run_with(editor: &OsString, arguments: &[OsString]) -> std::io::Result<ExitStatus> {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg("exec $0 \"$@\"").arg(editor).args(arguments);
    shell.kill_on_drop(true).status().await
}

/// How the editor is told of a file and a line; one that is not known is told of the file alone.
fn at_line(editor: &OsString, file: &Path, line: Option<u64>) -> Vec<OsString> {
    let name = editor.to_string_lossy();
    let name = name.split_whitespace().next().unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or_default();
    let whole = file.as_os_str().to_owned();
    let behind = |line: u64| {
        let mut place = whole.clone();
        place.push(format!(":{line}"));
        place
    };
    match (name, line) {
        (
            "vi" | "vim" | "nvim" | "gvim" | "view" | "ex" | "nano" | "pico" | "emacs"
            | "emacsclient" | "kak" | "micro" | "mg" | "joe" | "jed" | "ne" | "mcedit" | "vis",
            Some(line),
        ) => vec![format!("+{line}").into(), whole],
        ("code" | "codium" | "cursor" | "windsurf", Some(line)) => {
            vec!["--goto".into(), behind(line)]
        }
        ("hx" | "helix" | "subl" | "zed", Some(line)) => vec![behind(line)],
        (_, _) => vec![whole],
    }
}

/// Shows an output in the pager. Dropping this ends it.
async fn paged(
    pager: &OsString,
    desk: &dyn Desk,
    session: SessionId,
    call: CallId,
) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("Not shown: {error}.");
    let file = tempfile::Builder::new().prefix("footplate-").suffix(".txt").tempfile();
    let file = file.map_err(failed)?;
    let into = file.reopen().map_err(failed)?;
    let copied = super::outputs::copy(desk, session, call, into).await;
    copied.map_err(|error| format!("Not shown: {error}."))?;
    let status = run(pager, file.path()).await.map_err(failed)?;
    match status.code() {
        Some(126 | 127) => {
            let named = pager.to_string_lossy();
            Err(format!("Not shown: there is no pager {named:?}. Set PAGER to one."))
        }
        Some(_) | None => Ok(()),
    }
}

fn ended(editor: &OsString, status: ExitStatus) -> Result<(), String> {
    let named = editor.to_string_lossy();
    match status.code() {
        Some(0) => Ok(()),
        Some(126 | 127) => {
            Err(format!("Not edited: there is no editor {named:?}. Set EDITOR to one."))
        }
        Some(code) => Err(format!("Not edited: {named} ended with status {code}.")),
        None => Err(format!("Not edited: {named} was ended by a signal.")),
    }
}

/// The text as the editor left it; an error is for the person. Dropping it ends the editor.
async fn edited(editor: &OsString, text: &str) -> Result<String, String> {
    let kept = |error: std::io::Error| format!("Not edited: {error}.");
    let mut file =
        tempfile::Builder::new().prefix("footplate-").suffix(".txt").tempfile().map_err(kept)?;
    file.write_all(text.as_bytes()).map_err(kept)?;
    file.flush().map_err(kept)?;
    ended(editor, run(editor, file.path()).await.map_err(kept)?)?;
    read(file.path(), text)
}

fn read(path: &Path, before: &str) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("Not edited: {error}."))?;
    let mut text = String::from_utf8(bytes)
        .map_err(|_| "Not edited: what came back is not UTF-8.".to_owned())?;
    // Editors end the last line, whether it was ended before or not.
    if !before.ends_with('\n') && text.ends_with('\n') {
        text.pop();
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    async fn check(script: &str, text: &str, expected: Result<&str, &str>) {
        let folder = tempfile::tempdir().unwrap();
        let editor = folder.path().join("ed");
        std::fs::write(&editor, format!("#!/bin/sh\n{script}\n")).unwrap();
        let run = OsString::from(format!("/bin/sh {}", editor.display()));
        let edited = edited(&run, text).await;
        let edited = edited.map_err(|error| error.replace(&*run.to_string_lossy(), "ed"));
        assert_eq!(edited.as_deref().map_err(String::as_str), expected, "{script}");
    }

    #[tokio::test]
    async fn a_text_comes_back_as_the_editor_left_it() {
        check("echo more >> \"$1\"", "one\n", Ok("one\nmore\n")).await;
        check("echo >> \"$1\"", "one", Ok("one")).await;
        check(":", "one \u{1b}", Ok("one \u{1b}")).await;
    }

    #[test]
    fn an_editor_is_told_the_line_in_its_own_way_or_not_at_all() {
        let told = |editor: &str, line| {
            let all = at_line(&editor.into(), Path::new("/a b"), line);
            all.into_iter().map(|part| part.into_string().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(told("/usr/bin/vim -u NONE", Some(7)), ["+7", "/a b"]);
        assert_eq!(told("code --wait", Some(7)), ["--goto", "/a b:7"]);
        assert_eq!(told("hx", Some(7)), ["/a b:7"]);
        assert_eq!(told("my-own", Some(7)), ["/a b"]);
        assert_eq!(told("vim", None), ["/a b"]);
    }

    #[tokio::test]
    async fn an_editor_that_fails_or_is_not_there_changes_nothing() {
        check("echo x > \"$1\"; exit 3", "one", Err("Not edited: ed ended with status 3.")).await;
        check("kill -9 $$", "one", Err("Not edited: ed was ended by a signal.")).await;
        let bad = "printf '\\377' > \"$1\"";
        check(bad, "one", Err("Not edited: what came back is not UTF-8.")).await;
        let gone = edited(&"/no/such/editor".into(), "one").await;
        let expected = "Not edited: there is no editor \"/no/such/editor\". Set EDITOR to one.";
        assert_eq!(gone, Err(expected.to_owned()));
    }
}
