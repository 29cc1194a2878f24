//! What is asked beside the questions of calls, and in second steps of their answers.

use super::{
    Lines, Wanted,
    ask::{self, Open, say_in},
    lists,
    words::{self, Word, spelled},
};
use crate::{
    kernel::{
        command::Command,
        gate::approval::{NotAnswered, Scope},
        id::{ApprovalId, CallId, SessionId},
        port::{When, Whereabouts},
    },
    tui::{
        clean,
        effect::Effect,
        keymap::Part,
        state::{Leave, draft::Draft, edit::Edit, waiting::Form},
        update::{steps, whereabouts},
    },
};

/// Lines of an edited value that are told again to whoever wrote them.
const EDITED: usize = 40;

/// Calls of before that are told with a rule.
const PAST: usize = 5;

/// `wider`: the narrowest rule, as it would be saved.
pub(super) fn wider(lines: &mut Lines, id: ApprovalId) -> Vec<Effect> {
    steps::wider(&mut lines.state, id);
    rule(lines, id)
}

/// Says the rule as it stands. What it would come to is said when the host has told it.
fn rule(lines: &mut Lines, id: ApprovalId) -> Vec<Effect> {
    let effects = lines.settle();
    let Some(Form::Wider(wider)) = &lines.state.queue.form else { return effects };
    let text = wider.draft.text();
    let fault = match &wider.says {
        Some(Err(fault)) => Some(fault.fault.to_string()),
        Some(Ok(_)) | None => None,
    };
    let matched: Vec<_> = wider.past.iter().filter(|past| past.matched).collect();
    let count = format!("It matches {} of {} calls so far.", matched.len(), wider.past.len());
    let last: Vec<_> = matched
        .iter()
        .rev()
        .take(PAST)
        .map(|past| {
            let refused = if past.refused { ", to which you said no" } else { "" };
            format!("matched: {}{refused}", past.words)
        })
        .collect();
    lines.open = Open::Wider(id);
    lines.say("RULE, saved exactly as it stands here:");
    for line in text.split('\n') {
        let line = spelled(&clean::asked_pieces(line, 0));
        say_in(lines, &line);
    }
    match &fault {
        Some(fault) => say_in(lines, &format!("It cannot be saved: {fault}.")),
        None => {
            say_in(lines, &count);
            for line in last {
                say_in(lines, &line);
            }
        }
    }
    if fault.is_some() || !effects.iter().any(|effect| matches!(effect, Effect::Consider(..))) {
        offer_rule(lines);
    }
    effects
}

fn offer_rule(lines: &mut Lines) {
    say_in(lines, "Type: save, always or session for how long it holds, edit, back.");
    ask::ask_again(lines);
}

/// What the host says that the rule would come to.
pub(super) fn considered(
    lines: &mut Lines,
    id: ApprovalId,
    scope: &Scope,
    came: &Result<usize, NotAnswered>,
) {
    if lines.open != Open::Wider(id) {
        return;
    }
    if !matches!(&lines.state.queue.form, Some(Form::Wider(wider)) if wider.scope() == *scope) {
        return;
    }
    match came {
        Ok(0) => {}
        Ok(others) => say_in(lines, &format!("It answers {others} more that wait.")),
        Err(why) => say_in(lines, &why.to_string()),
    }
    offer_rule(lines);
}

pub(super) fn wider_says(lines: &mut Lines, id: ApprovalId, word: &Word) -> Vec<Effect> {
    use crate::kernel::gate::rule::Lasting;
    let Some(Form::Wider(wider)) = &lines.state.queue.form else { return Vec::new() };
    let lasting = wider.lasting;
    if *word == Word::Save {
        let effects = steps::save(&mut lines.state);
        let sent = !effects.is_empty();
        let effects = lines.after(effects);
        if !sent {
            ask::ask_again(lines);
        }
        return effects;
    }
    if matches!(word, Word::Always | Word::Session) {
        let wanted = if *word == Word::Always { Lasting::File } else { Lasting::Session };
        if lasting != wanted {
            steps::switch(&mut lines.state);
        }
        return rule(lines, id);
    }
    if *word == Word::Edit {
        let text = wider.draft.text();
        return vec![Effect::Editor { question: id, field: None, text }];
    }
    back(lines)
}

/// Back to the question, which is said again.
fn back(lines: &mut Lines) -> Vec<Effect> {
    lines.state.queue.form = None;
    lines.open = Open::Nothing;
    Vec::new()
}

/// `edit`: hands the arguments to the person's own editor.
pub(super) fn edit(lines: &mut Lines, id: ApprovalId) -> Vec<Effect> {
    steps::edit(&mut lines.state, id);
    if !matches!(lines.state.queue.form, Some(Form::Edit(_))) {
        let effects = lines.after(Vec::new());
        ask::ask_again(lines);
        return effects;
    }
    lines.open = Open::Edited(id);
    steps::editor(&mut lines.state, Part::Whole)
}

/// A text came back from the editor, for a rule or for arguments.
pub(super) fn edited(
    lines: &mut Lines,
    id: ApprovalId,
    text: Result<String, String>,
) -> Vec<Effect> {
    let now = lines.state.now.at;
    if let (Open::Wider(open), Some(Form::Wider(wider))) = (lines.open, &mut lines.state.queue.form)
        && open == id
    {
        match text {
            Ok(text) => wider.draft = Draft::of(text.trim_end()),
            Err(why) => lines.state.status.say(why, now),
        }
        return rule(lines, id);
    }
    let failed = text.is_err();
    steps::edited(&mut lines.state, id, None, text);
    let effects = lines.after(Vec::new());
    let Some(Form::Edit(edit)) = &lines.state.queue.form else { return effects };
    if failed || edit.changed() == 0 {
        if !failed {
            lines.say("Nothing was changed.");
        }
        back(lines);
        return effects;
    }
    let told = changes(edit);
    let fault = edit.fault.clone();
    lines.say("EDITED, to run as it stands here:");
    for line in told {
        say_in(lines, &line);
    }
    match fault {
        Some(fault) => {
            say_in(lines, &format!("It cannot run like that: {fault}. Type: edit, back."))
        }
        None => say_in(lines, "Type: yes, to say yes to it as edited; edit, back."),
    }
    ask::ask_again(lines);
    effects
}

/// The arguments that are others now.
fn changes(edit: &Edit) -> Vec<String> {
    let mut out = Vec::new();
    for field in edit.fields.iter().filter(|field| field.is_changed()) {
        let text = match field.value() {
            Ok(Some(serde_json::Value::String(text))) => text,
            Ok(Some(value)) => value.to_string(),
            Ok(None) => "not set".to_owned(),
            Err(why) => why,
        };
        let count = text.lines().count();
        for line in text.lines().take(EDITED) {
            out.push(format!("{}: {}", field.name, spelled(&clean::asked_pieces(line, 0))));
        }
        if count > EDITED {
            out.push(format!(
                "{}: {} more, as you wrote them.",
                field.name,
                words::lines(count - EDITED)
            ));
        }
    }
    for (place, deceit) in &edit.deceits.first {
        let code = u32::from(deceit.char);
        out.push(format!("{place}: character U+{code:04X} can deceive the eye: {}.", deceit.why));
    }
    out
}

pub(super) fn edited_says(lines: &mut Lines, id: ApprovalId, word: &Word) -> Vec<Effect> {
    if *word == Word::Yes {
        let effects = steps::confirm(&mut lines.state);
        if effects.is_empty() {
            let effects = lines.after(effects);
            ask::ask_again(lines);
            return effects;
        }
        lines.open = Open::Sent(id);
        return effects;
    }
    if *word == Word::Edit {
        return steps::editor(&mut lines.state, Part::Whole);
    }
    back(lines)
}

/// What undoing would do came.
pub(super) fn undo(lines: &mut Lines, calls: Vec<CallId>, told: Vec<String>, able: usize) {
    lines.say(format!("UNDO {able} of {}:", crate::tui::words::count(told.len(), "change")));
    for line in told {
        say_in(lines, &line);
    }
    if able == 0 {
        lines.say("Nothing of it can be undone.");
        return;
    }
    lines.numbered.undo = calls;
    lines.open = Open::Undo;
    say_in(lines, "Type: yes, or back.");
    ask::ask_again(lines);
}

pub(super) fn undo_says(lines: &mut Lines, word: &Word) -> Vec<Effect> {
    lines.open = Open::Nothing;
    lines.announce();
    let calls = std::mem::take(&mut lines.numbered.undo);
    let root = lists::root(lines);
    match (word, root) {
        (Word::Yes, Some(session)) => vec![Effect::Send(Command::Undo { session, calls })],
        _ => {
            lines.say("Nothing is undone.");
            Vec::new()
        }
    }
}

/// Something would end with the program.
pub(super) fn quit(lines: &mut Lines) {
    let (at_work, waits) = (lines.state.sessions.at_work(), lines.state.queue.calls());
    lines.say(format!("QUIT? {at_work} at work, {waits} waiting for you. All is kept."));
    say_in(lines, "What is at work ends with footplate; what asks is withdrawn, and not done.");
    say_in(lines, "Type: quit; when done, to quit when all have ended; back.");
    lines.open = Open::Quit;
    ask::ask_again(lines);
}

pub(super) fn quit_says(lines: &mut Lines, word: &Word) -> Vec<Effect> {
    lines.open = Open::Nothing;
    lines.announce();
    if *word == Word::Quit {
        lines.state.place.leave = Some(Leave::Quit);
    } else {
        lines.state.place.leaving = *word == Word::WhenDone;
        let said = if *word == Word::WhenDone { "Quits when all have ended." } else { "Goes on." };
        lines.say(said);
    }
    lines.settle()
}

/// Another process has that session.
pub(super) fn held(lines: &mut Lines, session: SessionId) {
    let by = match whereabouts(&lines.state, session) {
        Whereabouts::There(Some(by)) => by,
        Whereabouts::There(None) | Whereabouts::Free | Whereabouts::Here => {
            "another footplate".to_owned()
        }
    };
    lines.say(format!("The session is open in {by}. Only one can carry it on."));
    say_in(
        lines,
        "Type: watch, to hear what happens there; wait, to carry it on here as soon as it is let go; back.",
    );
    lines.open = Open::Held(session);
    ask::ask_again(lines);
}

pub(super) fn held_says(lines: &mut Lines, session: SessionId, word: &Word) -> Vec<Effect> {
    lines.open = Open::Nothing;
    lines.announce();
    let effects = if *word == Word::Watch {
        let place = whereabouts(&lines.state, session);
        steps::watch(&mut lines.state, session, place)
    } else if *word == Word::Wait {
        steps::carry_on(&mut lines.state, session, When::LetGo)
    } else {
        Vec::new()
    };
    lines.after(effects)
}

/// What is wanted of a list that is being made.
pub(super) fn want(lines: &mut Lines, wanted: Wanted, effect: Effect) -> Vec<Effect> {
    lines.numbered.wanted = Some(wanted);
    vec![effect]
}
