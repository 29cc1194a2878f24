//! What the letters of a question do, and what becomes of those that were text.

use std::sync::Arc;

use super::{edit, input, several, trust, wider};
use crate::{
    kernel::{
        capability::Body,
        command::Command,
        event::Origin,
        gate::approval::{Answer, Scope, Then},
        id::ApprovalId,
    },
    tui::{
        effect::Effect,
        keymap::{Action, Go, Key, Letter, Move, Place},
        layout::Room,
        paper,
        row::Hit,
        state::{
            Focus, Popup, State,
            draft::Draft,
            waiting::{Compare, Form, Search, Waiting},
        },
        view,
    },
};

/// A letter that has passed the guard.
pub(super) fn letter(state: &mut State, id: ApprovalId, letter: char) -> Vec<Effect> {
    let letter = match state.controls.keys.action(Place::Question, Key::letter(letter)) {
        Some(Action::Answer(letter)) => letter,
        Some(action) => return input::act(state, action),
        None => return Vec::new(),
    };
    says(state, id, letter)
}

/// What a letter does that is known to be meant for that question.
pub(in crate::tui) fn says(state: &mut State, id: ApprovalId, letter: Letter) -> Vec<Effect> {
    if state.queue.get(id).is_some_and(trust::is_asked) {
        return trust::letter(state, id, letter);
    }
    match letter {
        Letter::Yes => answer(id, Answer::Allow { scope: Scope::Once }),
        Letter::No => answer(id, Answer::Deny { because: None, then: Then::GoOn }),
        Letter::StopTurn => answer(id, Answer::Deny { because: None, then: Then::StopTurn }),
        Letter::Because => {
            state.queue.form = Some(Form::Because(id, Draft::default()));
            Vec::new()
        }
        Letter::Edit => {
            edit::open(state, id);
            Vec::new()
        }
        Letter::Several => {
            several::open(state, id);
            Vec::new()
        }
        Letter::Wider => {
            // A rule that cannot be read whole is not saved.
            let narrow = state.drawn.layout.room == Room::Narrow;
            let small = narrow.then_some("wider: needs a window of 60x15");
            match small.or_else(|| state.queue.get(id).and_then(Waiting::not_offered)) {
                Some(why) => state.status.say(why, state.now.at),
                None => wider::open(state, id),
            }
            Vec::new()
        }
    }
}

/// Confirms the form that is open.
pub(in crate::tui) fn confirm(state: &mut State) -> Vec<Effect> {
    if matches!(state.popup, Some(Popup::Several { .. })) {
        return several::yes(state);
    }
    if matches!(state.queue.form, Some(Form::Wider(_))) {
        return wider::save(state);
    }
    match state.queue.form.take() {
        Some(Form::Because(id, words)) => {
            let words = words.text();
            state.composer.remember(&words);
            let because = Some(words).filter(|words| !words.trim().is_empty());
            answer(id, Answer::Deny { because, then: Then::GoOn })
        }
        Some(Form::Edit(edit)) => edit::confirm(state, edit),
        Some(form @ Form::Search(_)) => {
            state.queue.form = Some(form);
            Vec::new()
        }
        Some(Form::Wider(_)) | None => Vec::new(),
    }
}

pub(in crate::tui) fn answer(approval: ApprovalId, answer: Answer) -> Vec<Effect> {
    vec![Effect::Send(Command::Answer { approval, answer })]
}

/// A letter was not meant for the question: it is text, and its writer goes on writing.
pub(super) fn typed(state: &mut State, letter: char) {
    match &state.queue.form {
        Some(Form::Because(..) | Form::Search(_) | Form::Edit(_))
            if state.focus == Focus::Question =>
        {
            write(state, |draft| draft.type_char(letter));
        }
        Some(_) | None => {
            state.composer.draft.type_char(letter);
            if matches!(state.focus, Focus::Question | Focus::Start) {
                state.focus = Focus::Composer;
            }
        }
    }
}

/// A question is over. Words that were being written for it are kept.
pub(super) fn gone(state: &mut State, id: ApprovalId) -> Option<Waiting> {
    let (waiting, words) = state.queue.remove(id);
    if let Some(words) = words {
        state.composer.give_back(&*words);
    }
    waiting
}

/// The keys of a question that do not answer it.
pub(super) fn act(state: &mut State, action: Action) {
    let Some(seen) = state.drawn.question.clone() else { return };
    let declined = state.queue.current().map(|waiting| waiting.question.id);
    if action == Action::Go(Go::NextQuestion) {
        state.queue.step(true);
    } else if action == Action::Go(Go::PreviousQuestion) {
        state.queue.step(false);
    } else if action == Action::Go(Go::NextPane) {
        state.queue.declined = declined;
        state.focus = Focus::Composer;
    } else if action == Action::Open
        && let Some(waiting) = state.queue.current_mut()
    {
        waiting.zoomed = !waiting.zoomed;
    } else if let (Action::Move(by), Some(waiting)) = (action, state.queue.current_mut()) {
        let last = seen.last();
        let page = seen.rows.saturating_sub(1).max(1);
        waiting.top = match by {
            Move::Up | Move::PreviousCell => seen.top.saturating_sub(1),
            // The row that then says what is above takes the place of one more.
            Move::Down | Move::NextCell if seen.noted && seen.top == 0 => 2,
            Move::Down | Move::NextCell => seen.top + 1,
            Move::PageUp => seen.top.saturating_sub(page),
            Move::PageDown => seen.top + page,
            Move::Home => 0,
            Move::End => last,
        }
        .min(last);
    }
}

/// Does something to the text of the form that is open.
pub(super) fn write(state: &mut State, edit: impl FnOnce(&mut Draft)) {
    let Some(draft) = state.queue.writing() else { return };
    let before = draft.text();
    edit(draft);
    let changed = draft.text() != before;
    match &mut state.queue.form {
        Some(Form::Search(search)) if changed => {
            search.at = 0;
            look(state);
        }
        Some(Form::Edit(edit)) if changed => edit.check(),
        Some(_) | None => {}
    }
}

/// Shows changes side by side, or no longer; also those of the questions to come.
pub(super) fn compare(state: &mut State) {
    let (Some(seen), Some(waiting)) = (&state.drawn.question, state.queue.current()) else {
        return;
    };
    let why_not = view::sheet::why_not_sides(waiting, seen.width);
    state.queue.compare = match (state.queue.compare, why_not) {
        (Compare::Sides, None) => Compare::Unified,
        (Compare::Unified, None) => Compare::Sides,
        (_, Some(why)) => {
            state.status.say(why, state.now.at);
            return;
        }
    };
    // Rows are other rows now.
    state.queue.unsee();
}

/// Begins to look for a word.
pub(super) fn search(state: &mut State) {
    if let Some(question) = state.queue.current().map(|waiting| waiting.question.id) {
        let search = Search { question, word: Draft::default(), at: 0 };
        state.queue.form = Some(Form::Search(search));
    }
}

/// Goes to the next place where the word is found, or to the one before.
pub(super) fn next_found(state: &mut State, forward: bool) {
    let count = match found(state) {
        Some(hits) if !hits.is_empty() => hits.len(),
        Some(_) | None => return,
    };
    if let Some(Form::Search(search)) = &mut state.queue.form {
        let by = if forward { 1 } else { count - 1 };
        search.at = (search.at + by) % count;
        look(state);
    }
}

/// Where the word is found that is looked for.
fn found(state: &State) -> Option<Arc<Vec<Hit>>> {
    let Some(Form::Search(search)) = &state.queue.form else { return None };
    let waiting = state.queue.get(search.question)?;
    let width = state.drawn.question.as_ref()?.width;
    view::sheet::found(state, waiting, width, &search.word.text())
}

/// Brings the place that is looked at into sight.
pub(super) fn look(state: &mut State) {
    let (Some(hits), Some(seen)) = (found(state), state.drawn.question.clone()) else { return };
    let Some(Form::Search(search)) = &state.queue.form else { return };
    let Some((row, _)) = hits.get(search.at).and_then(|hit| hit.first()).cloned() else { return };
    if let Some(waiting) = state.queue.get_mut(seen.id)
        && !(seen.top..seen.top + seen.rows).contains(&row)
    {
        let last = seen.last();
        waiting.top = row.saturating_sub(seen.rows / 3).min(last);
    }
}

/// What is asked about, as it is.
pub(super) fn copy(state: &mut State) -> Vec<Effect> {
    let Some(waiting) = state.queue.current() else { return Vec::new() };
    let text = match &waiting.question.preview.body {
        Body::Diff { new: text, .. } | Body::Code { code: text, .. } | Body::Text { text } => {
            text.clone()
        }
        Body::Program { argv, .. } => paper::line(argv),
        Body::Packages { asked, .. } => asked.join("\n"),
    };
    state.status.say("Copied, if the terminal allows it.", state.now.at);
    vec![Effect::Copy(text)]
}

/// Shows the script around the line that asks.
pub(super) fn script(state: &mut State) {
    let Some(waiting) = state.queue.current() else { return };
    if view::script::of(state, waiting).is_none() {
        state.status.say("No script asks this.", state.now.at);
        return;
    }
    let above = usize::from(state.drawn.height) / 3;
    let top = view::script::asking_line(waiting).map_or(0, |line| line.saturating_sub(above));
    state.popup = Some(Popup::Script { top });
}

/// Who asks, as its title says: `main.py:12`, or the tool.
pub(crate) fn asker(waiting: &Waiting) -> String {
    let question = &waiting.question;
    let script = waiting.script.clone().unwrap_or_else(|| "main.py".to_owned());
    match question.call.origin {
        Origin::Python { .. } if matches!(question.preview.body, Body::Packages { .. }) => {
            format!("{script}, before it runs")
        }
        Origin::Python { line: Some(line) } => format!("{script}:{line}"),
        Origin::Python { line: None } => script,
        Origin::Model => {
            if let Body::Code { filename, .. } = &question.preview.body {
                return filename.clone();
            }
            question.call.name.clone()
        }
        Origin::Person => question.call.name.clone(),
    }
}
