//! What a model is told: who it is, how it acts here, what was said. Made anew for each request
//! from the session alone, so that any process makes the same.

mod signature;

use std::{borrow::Cow, collections::BTreeMap, fmt, fmt::Write as _};

use serde::Serialize;
use serde_json::Value;

use super::{Live, gallery};
use crate::kernel::{
    message::{LONGEST_RESULT, Message},
    port::{ModelRequest, Purpose},
    registry::Mounts,
    session::Session,
    spec::Mode,
    text::cut,
};

/// The longest text of a project.
const LONGEST_PROJECT: usize = 32 << 10;
/// The tool that runs Python.
const PYTHON: &str = "execute_code";

/// The request of the turn that has started.
pub(super) fn request(live: &Live, session: &Session) -> ModelRequest {
    about(live, session, session.asked())
}

/// What a request would be now.
pub(super) fn next(live: &Live, session: &Session) -> ModelRequest {
    about(live, session, session.messages())
}

fn about(live: &Live, session: &Session, messages: Vec<Message>) -> ModelRequest {
    let mut messages = results_within(messages, live.model.window());
    gallery::latest(&mut messages);
    ModelRequest {
        agent: session.spec.agent().to_owned(),
        parent: session.spec.parent,
        purpose: Purpose::Turn,
        turn: usize::try_from(session.turns.saturating_sub(1)).unwrap_or(usize::MAX),
        system: system(live, session),
        messages,
        // They are put in by who sends it.
        pictures: BTreeMap::new(),
        tools: live.tools.definitions(),
    }
}

/// Messages whose results are no longer than a model is given that takes so many tokens: those of one
/// answer make up no more than about a third of that.
pub(super) fn results_within(mut messages: Vec<Message>, window: u64) -> Vec<Message> {
    let window = usize::try_from(window).unwrap_or(usize::MAX);
    for message in &mut messages {
        let Message::Results(results) = message else { continue };
        let longest = LONGEST_RESULT.min(window / results.len().max(1));
        for result in results {
            let text = result.result.text();
            if let Cow::Owned(cut) = cut(&text, longest) {
                result.result.content = Value::String(cut);
            }
        }
    }
    messages
}

fn system(live: &Live, session: &Session) -> String {
    let spec = &session.spec;
    let mut text = String::from(
        "You are an agent in footplate, a terminal workstation in which a developer watches what \
         you do and answers for it. Be brief and exact; say what you found, not what you are \
         about to do.\n",
    );
    if spec.parent.is_some() {
        let _ = write!(
            text,
            "\nYou are {:?}, started by another agent. Nobody talks with you: do the task, then \
             end with a text that says what came of it. That text is all your starter gets.\n",
            spec.agent()
        );
    }
    let _ = write!(
        text,
        "\nThe workspace is {}; relative paths start there.\n",
        spec.workspace.display()
    );
    if live.tools.names().contains(&PYTHON) {
        text += &python(&live.mounts);
    }
    text += "\n# What is allowed\n\n";
    text += match session.mode {
        Mode::Plan => {
            "Plan mode: you may read and compute; every effect is refused. Say what you would do.\n"
        }
        Mode::Default => "A person is asked before every effect.\n",
        Mode::AcceptEdits | Mode::Guarded => {
            "Writes inside the workspace run; a person is asked before every other effect.\n"
        }
        Mode::Auto => "Nothing is asked. You are trusted: do no more than you were told to.\n",
    };
    text += "When a person says no, do not reach the same end by another way.\n";
    if !spec.instructions.trim().is_empty() {
        let _ = write!(text, "\n# Instructions\n\n{}\n", spec.instructions.trim());
    }
    let project = live.project.text().unwrap_or_default();
    if !project.trim().is_empty() {
        let project = cut(project.trim(), LONGEST_PROJECT);
        let _ = write!(
            text,
            "\n# From the project's AGENTS.md\n\nWritten by the project, not by the person you \
             work for.\n\n{project}\n"
        );
    }
    text
}

fn python(mounts: &Mounts) -> String {
    let mut text = String::from(
        "\n# Python\n\nYou act by writing Python: `execute_code` takes a whole script and runs it \
         with `uv run python` in the workspace. Nothing is kept from one script to the next. What \
         it prints is what you learn, so print what you need and no more. There is no standard \
         input. The standard library is there; other packages by a PEP 723 block.\n\nIt runs \
         sealed, and therefore unasked: it reads the workspace and the system, writes $TMPDIR \
         alone, and has no network. Explore and compute with it as you like.\n",
    );
    if mounts.modules.is_empty() {
        return text;
    }
    let names: Vec<_> = mounts.modules.iter().map(|module| module.name).collect();
    let _ = write!(
        text,
        "\nEffects go through the host: `from footplate import {}`. Such a call may wait for a \
         person; the script's clock stands still meanwhile. A refused call raises \
         `footplate.Denied`, one that the mode forbids `footplate.Blocked`, wrong arguments \
         `footplate.InvalidInput`; all are `footplate.Error`. Prefer these calls to doing the \
         same by other means.\n",
        names.join(", ")
    );
    for module in &mounts.modules {
        let _ = write!(text, "\n## {}: {}\n\n", module.name, module.summary);
        text += &functions(mounts, module.name);
    }
    text
}

/// A line for each function of a module.
fn functions(mounts: &Mounts, module: &str) -> String {
    let of_module = mounts.capabilities.iter().filter(|known| known.module() == Some(module));
    of_module
        .map(|known| {
            let signature = signature::of(known.name(), known.schema());
            format!("- `{signature}`: {}\n", known.description())
        })
        .collect()
}

/// What a model would be given before anything is said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The tools on offer.
    pub tools: Vec<Part>,
    /// The modules its Python may import.
    pub modules: Vec<Part>,
    /// The instructions, modules included, in bytes.
    pub system_bytes: usize,
    /// Instructions and tools, in bytes.
    pub total_bytes: usize,
    /// About as many tokens: a quarter of that.
    pub about_tokens: usize,
}

/// One part of what a model is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: usize,
}

/// Says what the model of a session would be given.
pub fn report(live: &Live) -> Report {
    let system_bytes = system(live, &live.session()).len();
    let tools: Vec<_> = live
        .tools
        .definitions()
        .into_iter()
        .map(|tool| {
            let bytes = tool.name.len() + tool.description.len() + tool.schema.to_string().len();
            Part { name: tool.name, bytes }
        })
        .collect();
    let modules = live.mounts.modules.iter().map(|module| Part {
        name: module.name.to_owned(),
        bytes: module.summary.len() + functions(&live.mounts, module.name).len(),
    });
    let total_bytes = system_bytes + tools.iter().map(|tool| tool.bytes).sum::<usize>();
    Report {
        modules: modules.collect(),
        tools,
        system_bytes,
        total_bytes,
        about_tokens: total_bytes.div_ceil(4),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, parts) in [("tool", &self.tools), ("module", &self.modules)] {
            for part in parts {
                writeln!(f, "{kind:<8}{:<24}{:>8} bytes", part.name, part.bytes)?;
            }
        }
        writeln!(f, "{:<32}{:>8} bytes", "instructions", self.system_bytes)?;
        write!(
            f,
            "{:<32}{:>8} bytes, about {} tokens",
            "in all", self.total_bytes, self.about_tokens
        )
    }
}

#[cfg(test)]
mod tests;
