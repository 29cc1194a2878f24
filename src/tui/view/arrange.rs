//! What of the state decides where everything is.

use ratatui::layout::{Rect, Size};

use super::{composer, question, right};
use crate::{
    kernel::id::CallId,
    tui::{
        layout::{Columns, Layout, Room, There},
        state::{Focus, Popup, State},
    },
};

/// Lays the screen out for a size.
pub(in crate::tui) fn arrange(state: &State, size: Size) -> Layout {
    below(state, state.popup, size)
}

fn below(state: &State, popup: Option<Popup>, size: Size) -> Layout {
    let sizes = &state.panes.sizes;
    let zoomed = state.panes.zoomed(state.focus, popup);
    let columns = Columns::of(size, sizes, zoomed);
    if zoomed && popup.is_some() {
        return Layout {
            room: columns.room,
            status: columns.status,
            popup: columns.main,
            ..Layout::default()
        };
    }
    let alone = zoomed.then_some(state.focus);
    let asks = state.queue.current().is_some_and(|waiting| {
        let declined = state.queue.declined == Some(waiting.question.id);
        // One thing at a time: to whoever writes, that is what they write.
        let writes = columns.room == Room::Narrow
            && state.focus == Focus::Composer
            && (declined || !state.composer.draft.is_empty());
        popup.is_none() && !writes
    });
    let foot = u16::from(columns.room == Room::Plain);
    let area = Rect { height: columns.main.height.saturating_sub(foot), ..columns.main };
    let composer = match alone {
        Some(Focus::Composer) => area.height * 2 / 3,
        Some(_) | None => composer::rows(state, area),
    };
    let area = Rect { height: area.height.saturating_sub(composer), ..area };
    let there = There {
        session: state.sessions.viewed().is_some(),
        composer,
        question: match asks {
            // All there is, whatever it needs.
            true if columns.room == Room::Narrow => columns.main.height,
            true => question::rows(state, area, columns.room),
            false => 0,
        },
        outputs: outputs(state, popup, size),
        plan: right::lines(state, Focus::Plan),
        changes: right::lines(state, Focus::Changes),
        away: right::lines(state, Focus::Away),
        alone,
    };
    Layout::of(&columns, sizes, &there)
}

/// The outputs that are shown at that size, from the top.
fn outputs(state: &State, popup: Option<Popup>, size: Size) -> Vec<CallId> {
    let sizes = &state.panes.sizes;
    let zoomed = state.panes.zoomed(state.focus, popup);
    let columns = Columns::of(size, sizes, zoomed);
    if popup == Some(Popup::Output) && columns.room > Room::Tiny {
        return state.output.pinned(usize::from(columns.main.height / 8).max(1));
    }
    if let (true, Focus::Output(call)) = (zoomed, state.focus) {
        return vec![call];
    }
    let covered = popup.is_some() || state.queue.current().is_some();
    match columns.room {
        _ if zoomed => Vec::new(),
        Room::Full => state.output.shown(columns.outputs(sizes)),
        Room::Wide if !covered => state.output.pinned(columns.outputs(sizes)),
        Room::Wide | Room::Tiny | Room::Narrow | Room::Plain => Vec::new(),
    }
}

/// The outputs that are in sight on the screen as it was drawn last.
pub(in crate::tui) fn in_sight(state: &State) -> Vec<CallId> {
    outputs(state, state.popup, Size { width: state.drawn.width, height: state.drawn.height })
}

/// The panes that are there when no list lies over them, in the order in which tab visits them.
pub(in crate::tui) fn panes(state: &State) -> Vec<Focus> {
    let size = Size { width: state.drawn.width, height: state.drawn.height };
    let layout = below(state, None, size);
    let mut panes: Vec<Focus> = layout.panes.iter().map(|(pane, _)| *pane).collect();
    if layout.room <= Room::Narrow {
        panes = vec![Focus::Composer, Focus::Transcript];
        if state.queue.current().is_some() {
            panes.insert(1, Focus::Question);
        }
    }
    if state.sessions.viewed().is_none() {
        panes.retain(|pane| matches!(pane, Focus::Composer | Focus::Question));
        if state.place.starts_empty() {
            panes.insert(0, Focus::Start);
        }
    } else if layout.room == Room::Tiny {
        panes.retain(|pane| *pane != Focus::Transcript);
    }
    panes
}
