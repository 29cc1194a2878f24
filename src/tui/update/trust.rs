//! The rules of a project, asked about once: they would let calls run that nobody is asked about.

use std::path::Path;

use crate::{
    kernel::{
        capability::{Body, Category, Preview, Reach},
        command::Command,
        event::{Call, Origin},
        gate::{approval::Question, subject::Subject},
        id::ApprovalId,
        port::{Trusting, Untrusted},
    },
    tui::{
        effect::Effect,
        keymap::Letter,
        state::{
            State,
            waiting::{About, Waiting},
        },
        words,
    },
};

/// Said when it is put off.
pub(in crate::tui) const NOT_NOW: &str = "Not now; the next start asks again.";

pub(super) fn is_asked(waiting: &Waiting) -> bool {
    matches!(waiting.about, About::Rules(_))
}

/// Asks, in the place and by the keys of every question. What was asked about another text of the same
/// file is not asked any more.
pub(super) fn ask(state: &mut State, id: ApprovalId, rules: Untrusted) -> Vec<Effect> {
    let same =
        |waiting: &&Waiting| matches!(&waiting.about, About::Rules(old) if old.file == rules.file);
    let asked: Vec<_> =
        state.queue.ordered().into_iter().filter(same).map(|waiting| waiting.question.id).collect();
    for old in asked {
        super::question::gone(state, old);
    }
    let question = Question {
        id,
        session: 0.into(),
        path: vec![name_of(&rules.folder)],
        call: Call {
            id: 0.into(),
            name: "rules of this project".to_owned(),
            input: serde_json::Value::Null,
            origin: Origin::Person,
            parent: None,
        },
        category: Category::Execute,
        preview: Preview {
            object: state.records.short(&rules.file),
            facts: vec![format!("{} would allow unasked", words::count(rules.allows, "rule"))],
            wider: Vec::new(),
            reach: Reach::Workspace,
            body: Body::Text { text: rules.text.clone() },
            subject: Subject::Other,
        },
        script: None,
        monitor: None,
    };
    let prepare = Effect::Prepare(Box::new(question.clone()));
    state.queue.ask(About::Rules(rules), question, state.now.wall);
    vec![prepare]
}

fn name_of(folder: &Path) -> String {
    folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned()
}

/// A letter that has passed the guard.
pub(super) fn letter(state: &mut State, id: ApprovalId, letter: Letter) -> Vec<Effect> {
    let said = match letter {
        Letter::Yes => Trusting::Yes,
        Letter::No => Trusting::Never,
        Letter::Edit => {
            let why = "Not edited here: change the file, and you are asked about that.";
            state.status.say(why, state.now.at);
            return Vec::new();
        }
        Letter::Because | Letter::StopTurn | Letter::Several | Letter::Wider => {
            state.status.say("Here: y, n, or not now.", state.now.at);
            return Vec::new();
        }
    };
    let why_not = state.queue.get(id).and_then(Waiting::not_offered);
    if let (Trusting::Yes, Some(why)) = (said, why_not) {
        state.status.say(why, state.now.at);
        return Vec::new();
    }
    let (waiting, _) = state.queue.remove(id);
    let Some(About::Rules(rules)) = waiting.map(|waiting| waiting.about) else { return Vec::new() };
    let text = match said {
        Trusting::Yes => "Trusted: its rules count now.",
        Trusting::Never => "Never. What it denies still counts.",
    };
    // If it cannot be kept, that is told in the place of this.
    state.status.say(text, state.now.at);
    vec![Effect::Send(Command::Judge { project: rules.folder, text: rules.text, said })]
}
