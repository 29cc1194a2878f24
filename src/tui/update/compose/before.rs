//! The search in the words of before.

use crate::tui::state::{
    State,
    draft::Draft,
    offered::{Kind, Offer, Offered},
};

/// Writes to the words by which those of before are searched, if they are.
pub(super) fn writes(state: &mut State, write: impl FnOnce(&mut Draft)) -> bool {
    if let Some(Offered { kind: Kind::History { words, .. }, .. }) = &mut state.composer.offered {
        write(words);
        let words = words.text();
        find(state, &words);
        return true;
    }
    false
}

/// Begins to search the words of before.
pub(in crate::tui::update) fn search(state: &mut State) {
    let before = state.composer.draft.clone();
    let kind = Kind::History { words: Draft::default(), before };
    state.composer.offered = Some(Offered { kind, rows: Vec::new(), row: 0, fit: 0 });
    find(state, "");
}

/// The words of before that hold these, the newest first; small letters stand for great ones as well.
fn find(state: &mut State, words: &str) {
    let small = words.to_lowercase();
    let holds = |text: &&String| match words == small {
        true => text.to_lowercase().contains(&small),
        false => text.contains(words),
    };
    let mut rows: Vec<Offer> = Vec::new();
    for text in state.composer.history().iter().rev().filter(holds) {
        if rows.iter().any(|row| row.text == *text) {
            continue;
        }
        let lines = text.lines().count();
        rows.push(Offer {
            shown: text.trim().lines().next().unwrap_or_default().chars().take(400).collect(),
            note: if lines > 1 { crate::tui::words::count(lines, "line") } else { String::new() },
            text: text.clone(),
        });
    }
    if let Some(offered) = &mut state.composer.offered {
        (offered.row, offered.fit, offered.rows) = (0, rows.len(), rows);
    }
}

/// Leaves it; the draft is what it was.
pub(super) fn leave(state: &mut State) {
    if let Some(Offered { kind: Kind::History { before, .. }, .. }) = state.composer.offered.take()
    {
        state.composer.draft = before;
    }
}
