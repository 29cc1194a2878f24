//! Moving within whatever has the keys.

use ratatui::layout::Rect;

use super::{palette, question, transcript, written};
use crate::{
    kernel::spec::Mode,
    tui::{
        keymap::{Action, Move, Place},
        state::{Focus, Popup, State},
        view,
    },
};

/// Moves within whatever has the keys.
pub(super) fn scroll(state: &mut State, by: Move) {
    match state.key_place() {
        Place::Start => state.place.row = step_in(state.place.row, 3, 1, by),
        Place::Mode => {
            if let Some(Popup::Mode { row }) = &mut state.popup {
                *row = step_in(*row, Mode::ALL.len(), 1, by);
            }
        }
        Place::Delete | Place::Said | Place::Rewind => {
            let said = state.sessions.tree.form.said.len();
            match &mut state.popup {
                Some(Popup::Delete { row, .. }) => *row = step_in(*row, 2, 1, by),
                Some(Popup::Rewind { row, .. }) => *row = step_in(*row, 3, 1, by),
                Some(Popup::Said { row, .. }) => *row = step_in(*row, said, 10, by),
                _ => {}
            }
        }
        Place::Picture => super::picture::step(state, by),
        Place::Stop => {
            if let Some(Popup::Stop { session, row }) = &mut state.popup {
                let rows = if state.sessions.at_work_below(*session) > 0 { 3 } else { 2 };
                *row = step_in(*row, rows, 1, by);
            }
        }
        Place::Quit => {
            if let Some(Popup::Quit { row }) = &mut state.popup {
                *row = step_in(*row, 3, 1, by);
            }
        }
        Place::Help | Place::Script => {
            let last = state.drawn.last;
            if let Some(Popup::Help { top, .. } | Popup::Script { top }) = &mut state.popup {
                *top = step_in((*top).min(last), last + 1, 10, by);
            }
        }
        Place::Sessions => {
            let rows = state.tree().len();
            state.sessions.cursor = step_in(state.sessions.cursor, rows, 10, by);
        }
        Place::Waiting => {
            let rows = state.inbox().len();
            match &mut state.popup {
                Some(Popup::Waiting { row }) => *row = step_in(*row, rows, 10, by),
                _ => state.queue.cursor = step_in(state.queue.cursor, rows, 10, by),
            }
        }
        Place::Output => super::output::scroll(state, by),
        Place::Find if by == Move::Up => super::output::next(state, false),
        Place::Find => super::output::scroll(state, by),
        Place::Lines if let Some(Popup::Away { row }) = &mut state.popup => {
            let lines = state.status.away.told.as_ref().map_or(0, |told| told.news.len());
            *row = step_in(*row, lines, 10, by);
        }
        Place::Lines => {
            let lines = view::lines(state, state.focus);
            state.panes.row = step_in(state.panes.row, lines, 10, by);
        }
        Place::Search if state.popup == Some(Popup::File) && by == Move::Up => {
            super::file::next(state, false);
        }
        Place::Search if state.popup == Some(Popup::File) => super::file::scroll(state, by),
        Place::Search if state.focus == Focus::Transcript => transcript::seek(state, by),
        Place::Search if by == Move::Up => question::next_found(state, false),
        Place::Question | Place::Search => question::act(state, Action::Move(by)),
        Place::Edit => super::edit::step(state, by),
        Place::Several => {
            let rows = state.queue.of_script().len();
            if let Some(Popup::Several { row }) = &mut state.popup {
                *row = step_in(*row, rows, 10, by);
            }
        }
        Place::Changes if written::scroll(state, by) => {}
        Place::Changes | Place::Undo | Place::Grants | Place::Decisions => {
            let rows = match state.popup {
                Some(Popup::Changes { .. }) => state.records.written.all.len(),
                Some(Popup::Grants { .. }) => state.records.rules.rows(&state.records.filter).len(),
                _ => state.records.decisions.shown(&state.records.filter).len(),
            };
            if let Some(Popup::Changes { row } | Popup::Grants { row } | Popup::Decisions { row }) =
                &mut state.popup
            {
                *row = step_in(*row, rows, 10, by);
            }
        }
        Place::File => super::file::scroll(state, by),
        Place::Files => {
            let rows = state.panes.viewer.choice.found.names.len();
            if let Some(Popup::Files { row }) = &mut state.popup {
                *row = step_in(*row, rows, 10, by);
            }
        }
        Place::Log => {
            let rows = state.status.log.shown(&state.records.filter).len();
            if let Some(Popup::Log { row }) = &mut state.popup {
                *row = step_in(*row, rows, 10, by);
            }
        }
        Place::Offers => {
            if let Some(offered) = &mut state.composer.offered {
                offered.row = step_in(offered.row, offered.rows.len(), 8, by);
            }
        }
        Place::Commands => palette::choose(state, by),
        Place::Connect => {
            let models = state.controls.models.len();
            if let Some(Popup::Connect { row }) = &mut state.popup {
                *row = step_in(*row, models, 10, by);
            }
        }
        Place::Because
        | Place::Wider
        | Place::Filter
        | Place::Themes
        | Place::Held
        | Place::Save
        | Place::Rename => {}
        Place::Transcript | Place::Composer | Place::Everywhere => transcript::scroll(state, by),
    }
}

pub(super) fn step_in(at: usize, count: usize, page: usize, by: Move) -> usize {
    let last = count.saturating_sub(1);
    match by {
        Move::Up | Move::PreviousCell => at.saturating_sub(1),
        Move::Down | Move::NextCell => at + 1,
        Move::PageUp => at.saturating_sub(page),
        Move::PageDown => at + page,
        Move::Home => 0,
        Move::End => last,
    }
    .min(last)
}

/// The row of the tree of sessions that is drawn in that row of its pane.
pub(super) fn row_of_sessions(state: &State, area: Rect, row: usize) -> usize {
    let rows = state.tree();
    let here = state.focus == Focus::Sessions;
    let mark = if here { state.sessions.cursor } else { rows.place(state.sessions.viewed()) };
    let first = (mark + 1).saturating_sub(usize::from(area.height.saturating_sub(1)));
    (first + row).min(rows.len().saturating_sub(1))
}
