//! Pages of transcripts that lie outside: what is far goes there, what is near comes back, and a word is
//! looked for there as well.

use super::transcript;
use crate::{
    config::Surface,
    kernel::id::SessionId,
    tui::{
        cell::Cell,
        effect::Effect,
        state::{State, transcript::cells::PAGE},
        view,
    },
};

/// What is far in the session in view, and in the one that grew, goes; and what is near comes.
pub(super) fn follow(state: &mut State, grew: Option<SessionId>) -> Vec<Effect> {
    let viewed = state.sessions.viewed();
    let view = state.drawn.transcript;
    let unprinted = match state.panes.surface {
        Surface::Inline => view::MOST_PRINTED,
        Surface::Whole | Surface::Lines => 0,
    };
    let mut effects = Vec::new();
    let both = [viewed, grew.filter(|grew| Some(*grew) != viewed)];
    for session in both.into_iter().flatten() {
        let Some(node) = state.sessions.get_mut(session) else { continue };
        let seen = (Some(session) == viewed).then_some(view);
        let (leaving, wanted) = node.transcript.keep_near(seen, unprinted);
        for gone in leaving {
            let cells = gone.cells.map(|cells| Effect::PutAway(session, gone.page, cells));
            effects.extend(cells);
        }
        effects.extend(wanted.into_iter().map(|page| Effect::BringBack(session, page)));
        let log = &mut node.transcript;
        let asks = log.find.as_mut().and_then(|find| find.asks(&log.cells));
        effects.extend(asks.map(|(word, pages)| Effect::FindOutside(session, word, pages)));
    }
    effects
}

/// A page is back, or cannot be had.
pub(super) fn back(
    state: &mut State,
    session: SessionId,
    page: usize,
    cells: Result<Vec<Cell>, String>,
) {
    if let Err(why) = &cells {
        tracing::error!(%session, page, why, "a part of a transcript cannot be read back");
    }
    let Some(node) = state.sessions.get_mut(session) else { return };
    node.transcript.cells.came(page, cells);
    let looked_at = node.transcript.find.as_ref().and_then(|find| find.cell());
    if state.sessions.viewed() == Some(session) && looked_at.is_some_and(|at| at / PAGE == page) {
        transcript::look(state);
    }
}

/// A word was looked for outside.
pub(super) fn found(state: &mut State, session: SessionId, word: &str, cells: Vec<usize>) {
    let Some(node) = state.sessions.get_mut(session) else { return };
    let log = &mut node.transcript;
    let Some(find) = log.find.as_mut() else { return };
    let looked_at = find.cell();
    if !find.came(word, cells) || find.word.text() != word {
        return;
    }
    find.again(&log.cells, looked_at.unwrap_or(find.began.1));
    if looked_at.is_none() && !find.hits.is_empty() && state.sessions.viewed() == Some(session) {
        transcript::look(state);
    }
}
