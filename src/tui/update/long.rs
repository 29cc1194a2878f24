//! Long texts that are asked about: what has to be known before any of their rows can be drawn, or a
//! word in them be gone to, is found off the loop.

use std::sync::Arc;

use crate::{
    kernel::id::ApprovalId,
    tui::{
        effect::Effect,
        row::Hit,
        sheet::Index,
        state::{
            State,
            waiting::{Form, Making},
        },
        view,
    },
};

/// Asks for what the last frame could not show, one thing at a time for each question.
pub(super) fn follow(state: &State) -> Vec<Effect> {
    unlaid(state).into_iter().chain(unfound(state)).collect()
}

fn unlaid(state: &State) -> Option<Effect> {
    let unlaid = state.drawn.unlaid?;
    let waiting = state.queue.get(unlaid.question)?;
    let paper = waiting.paper.as_ref()?;
    let mut laid = waiting.laid.borrow_mut();
    let known = laid.index.as_ref().is_some_and(|index| index.shape() == unlaid.shape);
    if known || laid.making.is_some() {
        return None;
    }
    laid.making = Some(Making::Index);
    Some(Effect::LayOut(unlaid.question, paper.sheet.clone(), unlaid.shape))
}

fn unfound(state: &State) -> Option<Effect> {
    let Some(Form::Search(search)) = &state.queue.form else { return None };
    let waiting = state.queue.get(search.question).filter(|waiting| waiting.is_long())?;
    let paper = waiting.paper.as_ref()?;
    let mut laid = waiting.laid.borrow_mut();
    let word = search.word.text();
    let known = laid.found.as_ref().is_some_and(|(known, _)| *known == word);
    let index = laid.index.clone().filter(|_| !known && laid.making.is_none())?;
    laid.making = Some(Making::Hits);
    Some(Effect::Find(search.question, paper.sheet.clone(), index, word, state.look.marks))
}

/// It is known where the rows of a question begin.
pub(super) fn laid_out(state: &mut State, id: ApprovalId, index: Arc<Index>) {
    if let Some(waiting) = state.queue.get_mut(id) {
        let laid = waiting.laid.get_mut();
        (laid.index, laid.found, laid.making) = (Some(index), None, None);
    }
}

/// It is known where a word is.
pub(super) fn found(
    state: &mut State,
    id: ApprovalId,
    index: &Arc<Index>,
    word: &str,
    hits: Vec<Hit>,
) {
    let Some(waiting) = state.queue.get_mut(id) else { return };
    let laid = waiting.laid.get_mut();
    laid.making = None;
    // Rows may be other rows by now.
    if laid.index.as_ref().is_some_and(|known| Arc::ptr_eq(known, index))
        && let Some(waiting) = state.queue.get(id)
    {
        view::sheet::found_in_text(state, waiting, index.shape().width, word, hits);
        super::question::look(state);
    }
}
