//! The arguments of a call, edited before a yes.

use crate::{
    kernel::{
        gate::approval::{Answer, EDIT_REFUSED, Question},
        id::ApprovalId,
    },
    tui::{
        clean,
        effect::Effect,
        keymap::{self, Move, Part},
        state::{Focus, State, edit::Edit, waiting::Form},
    },
};

use super::question;

/// Opens the arguments of a question.
pub(in crate::tui) fn open(state: &mut State, id: ApprovalId) {
    let Some(waiting) = state.queue.get(id) else { return };
    let Some(capability) = waiting.capability.clone() else {
        let name = clean::name(&waiting.question.call.name);
        let why = format!("Not edited: what {name} takes is not known here.");
        state.status.say(why, state.now.at);
        return;
    };
    match Edit::of(&waiting.question, capability) {
        Some(edit) => state.queue.form = Some(Form::Edit(edit)),
        None => state.status.say("Not edited: it has no arguments.", state.now.at),
    }
}

fn editing(state: &mut State) -> Option<&mut Edit> {
    match &mut state.queue.form {
        Some(Form::Edit(edit)) => Some(edit),
        Some(Form::Because(..) | Form::Wider(_) | Form::Search(_)) | None => None,
    }
}

/// An editing key.
pub(super) fn write(state: &mut State, key: keymap::Edit) {
    let Some(edit) = editing(state) else { return };
    if key == keymap::Edit::Send {
        edit.enter();
    } else if key != keymap::Edit::Backspace || !edit.drop_item() {
        let moved = edit.draft().is_some_and(|draft| draft.edit(key));
        if !moved && matches!(key, keymap::Edit::Up | keymap::Edit::Down) {
            edit.row(key == keymap::Edit::Down);
        }
    }
    edit.check();
}

/// To another field.
pub(super) fn step(state: &mut State, by: Move) {
    let Some(edit) = editing(state) else { return };
    match by {
        Move::NextCell => edit.step(true),
        Move::PreviousCell => edit.step(false),
        Move::Down | Move::PageDown | Move::End => edit.row(true),
        Move::Up | Move::PageUp | Move::Home => edit.row(false),
    }
}

/// Yes, as edited.
pub(super) fn confirm(state: &mut State, edit: Edit) -> Vec<Effect> {
    match edit.input() {
        Ok(_) if edit.changed() == 0 => {
            let text = "Nothing was changed. A plain yes is for that.";
            state.status.say(text, state.now.at);
        }
        Ok(input) if edit.fault.is_none() => {
            let id = edit.question;
            state.queue.sent = Some(edit);
            return question::answer(id, Answer::AllowEdited { input });
        }
        Ok(_) | Err(_) => {
            state.status.say("Not sent: it is not valid as it stands.", state.now.at);
        }
    }
    state.queue.form = Some(Form::Edit(edit));
    Vec::new()
}

/// Hands the field, or all of it, to the person's own editor.
pub(in crate::tui) fn editor(state: &mut State, part: Part) -> Vec<Effect> {
    let Some(edit) = editing(state) else { return Vec::new() };
    let field = match part {
        Part::Field => Some(edit.at.0),
        Part::Whole => None,
    };
    let (question, text) = (edit.question, edit.text(field));
    vec![Effect::Editor { question, field, text }]
}

/// A text came back from it.
pub(in crate::tui) fn came(
    state: &mut State,
    id: ApprovalId,
    field: Option<usize>,
    text: Result<String, String>,
) {
    let edit = editing(state).filter(|edit| edit.question == id);
    let taken = match (edit, text) {
        (Some(edit), Ok(text)) => edit.take(field, &text),
        (_, Err(why)) => Err(why),
        (None, Ok(_)) => Err("Not taken: the question is gone.".to_owned()),
    };
    if let Err(why) = taken {
        state.status.fault(why, state.now.at);
    }
}

/// Whether a question went because its edited arguments were refused; they are kept for when it
/// comes back.
pub(super) fn refused(state: &mut State, id: ApprovalId, reason: &str) -> bool {
    let Some(why) = reason.strip_prefix(EDIT_REFUSED) else { return false };
    match &mut state.queue.sent {
        Some(sent) if sent.question == id => sent.fault = Some(why.to_owned()),
        Some(_) | None => {}
    }
    state.status.say(format!("Not done, asked again: {why}"), state.now.at);
    true
}

/// A question goes to come again, since its file was changed: what was being written for it is kept.
pub(super) fn changed(state: &mut State, id: ApprovalId) {
    const WHY: &str = "Its file was changed meanwhile: go back, and see what it would do now.";
    if let Some(mut edit) = editing(state).filter(|edit| edit.question == id).cloned() {
        edit.fault = Some(WHY.to_owned());
        state.queue.sent = Some(edit);
    }
}

/// A question is there; if it is the one whose edit was refused, the edit goes on.
pub(super) fn again(state: &mut State, question: &Question) {
    let sent = state.queue.sent.take_if(|sent| sent.call == question.call.id);
    let Some(mut sent) = sent.filter(|sent| sent.fault.is_some()) else { return };
    sent.question = question.id;
    state.queue.choose(question.id);
    if state.queue.form.is_none()
        && state.focus == Focus::Composer
        && state.composer.draft.is_empty()
    {
        state.focus = Focus::Question;
    }
    if state.queue.form.is_none() {
        state.queue.form = Some(Form::Edit(sent));
    }
}
