//! What the mouse does. It acts only on what the last frame showed where it points; where it points
//! outside of everything, it does nothing.

use ratatui::layout::{Rect, Size};

use super::{moves, output, panes, question, transcript};
use crate::tui::{
    effect::Effect,
    keymap::Move,
    layout::{Edge, Room},
    state::{
        Focus, Popup, State,
        output::Look,
        pointer::{Held, Point, Pointed, Selection},
    },
    view,
};

/// Lines by one notch of the wheel.
const NOTCH: usize = 3;

/// Applies what the mouse did. `live` says whether an answer could be given just before it.
pub(super) fn apply(state: &mut State, pointed: Pointed, live: bool) -> Vec<Effect> {
    let (now, at) = (state.now.at, (pointed.x, pointed.y));
    match pointed.what {
        Point::Press if state.status.away.is_behind() || state.panes.pointer.only_fronts(now) => {
            Vec::new()
        }
        Point::Press => {
            let second = state.panes.pointer.pressed(at, now);
            press(state, at, second, live)
        }
        Point::Drag => drag(state, at),
        Point::Release => release(state, at),
        Point::WheelUp => wheel(state, at, Move::Up),
        Point::WheelDown => wheel(state, at, Move::Down),
        Point::Other => Vec::new(),
    }
}

fn press(state: &mut State, at: (u16, u16), second: bool, live: bool) -> Vec<Effect> {
    state.panes.pointer.held = None;
    if let Some((id, letter, area)) = label(state, at).filter(|_| live) {
        state.panes.pointer.held = Some(Held::Answer(id, letter, area));
        return Vec::new();
    }
    if let Some(edge) = edge(state, at) {
        state.panes.pointer.held = Some(Held::Edge(edge));
        return Vec::new();
    }
    if state.popup.is_some() && state.drawn.layout.popup.contains(at.into()) {
        state.panes.pointer.held = Some(Held::Text(selection(state.drawn.layout.popup, at)));
        return Vec::new();
    }
    let Some(pane) = state.drawn.layout.pane_at(at.0, at.1) else { return Vec::new() };
    let area = state.drawn.layout.at(pane);
    state.panes.pointer.held = Some(Held::Text(selection(area, at)));
    click(state, pane, area, at, second)
}

fn selection(pane: Rect, at: (u16, u16)) -> Selection {
    // Its rule is no text of it.
    let pane = Rect { y: pane.y + 1, height: pane.height.saturating_sub(1), ..pane };
    let none = Selection { pane, from: at, to: at, moved: false };
    let at = none.nearest(at.0, at.1);
    Selection { from: at, to: at, ..none }
}

/// The live key of the question in that cell.
fn label(state: &State, at: (u16, u16)) -> Option<(crate::kernel::id::ApprovalId, char, Rect)> {
    let drawn = state.drawn.question.as_ref().filter(|drawn| drawn.live)?;
    let found = drawn.labels.iter().find(|(_, area)| area.contains(at.into()))?;
    Some((drawn.id, found.0, found.1))
}

/// What can be moved there. Of a rule only its line, where no words stand.
fn edge(state: &State, at: (u16, u16)) -> Option<Edge> {
    let edges = state.drawn.layout.edges.iter();
    let found = edges.filter(|(_, area)| area.contains(at.into()));
    found.map(|(edge, _)| *edge).next()
}

/// A press in a pane: it has the keys now, and what is there is chosen or folded.
fn click(state: &mut State, pane: Focus, area: Rect, at: (u16, u16), second: bool) -> Vec<Effect> {
    if state.focus == Focus::Question && pane != Focus::Question && state.queue.form.is_some() {
        // What is being written there is left by esc.
        return Vec::new();
    }
    if view::panes(state).contains(&pane) && state.popup.is_none() {
        state.focus = pane;
    }
    let Some(row) = at.1.checked_sub(area.y + 1).map(usize::from) else {
        if second {
            // The rule of a pane, twice.
            panes::zoom(state);
        }
        return Vec::new();
    };
    match pane {
        Focus::Sessions => state.sessions.cursor = moves::row_of_sessions(state, area, row),
        Focus::Waiting => state.queue.cursor = row / 3,
        Focus::Plan | Focus::Changes | Focus::Away => {
            let lines = view::lines(state, pane);
            state.panes.row = row.min(lines.saturating_sub(1));
        }
        Focus::Transcript => {
            transcript::clicked(state, row, second);
            return Vec::new();
        }
        Focus::Start | Focus::Composer | Focus::Question | Focus::Output(_) => {}
    }
    let opens = matches!(pane, Focus::Sessions | Focus::Waiting | Focus::Changes | Focus::Away);
    if second && opens && state.focus == pane { panes::open(state) } else { Vec::new() }
}

fn drag(state: &mut State, at: (u16, u16)) -> Vec<Effect> {
    match &mut state.panes.pointer.held {
        Some(Held::Edge(edge)) => {
            let size = Size { width: state.drawn.width, height: state.drawn.height };
            let floor = state.drawn.layout.at(Focus::Composer).y;
            state.panes.sizes.drag(*edge, size, floor, at);
        }
        Some(Held::Text(selection)) => {
            let to = selection.nearest(at.0, at.1);
            let first = !selection.moved && to != selection.from;
            selection.moved |= to != selection.from;
            selection.to = to;
            if first {
                hold(state);
            }
        }
        Some(Held::Answer(..)) | None => {}
    }
    Vec::new()
}

/// Text that is being selected stays where it is.
fn hold(state: &mut State) {
    for drawn in &state.drawn.outputs {
        if let Some(run) = state.output.run_mut(drawn.call)
            && run.look == Look::Follow
        {
            run.look = Look::Held { top: drawn.top.0, row: drawn.top.1, seen: run.total() };
        }
    }
    transcript::hold(state);
}

fn release(state: &mut State, at: (u16, u16)) -> Vec<Effect> {
    match state.panes.pointer.held {
        Some(Held::Answer(id, letter, area)) => {
            state.panes.pointer.held = None;
            let there = area.contains(at.into());
            let same = state.queue.current().is_some_and(|waiting| waiting.question.id == id);
            if there && same && state.focus == Focus::Question && state.queue.form.is_none() {
                return question::letter(state, id, letter);
            }
        }
        Some(Held::Edge(_)) => {
            state.panes.pointer.held = None;
            let room = Room::of(state.drawn.width, state.drawn.height);
            if room.has_columns() {
                return vec![Effect::Remember(state.panes.sizes)];
            }
        }
        Some(Held::Text(selection)) if selection.moved => state.panes.pointer.copies = true,
        Some(Held::Text(_)) | None => state.panes.pointer.held = None,
    }
    Vec::new()
}

/// A frame showed what is selected: it is copied, once.
pub(super) fn copied(state: &mut State) -> Vec<Effect> {
    let Some(text) = state.drawn.selected.take().filter(|_| state.panes.pointer.copies) else {
        return Vec::new();
    };
    state.panes.pointer.copies = false;
    state.panes.pointer.held = None;
    if text.trim().is_empty() {
        return Vec::new();
    }
    let lines = text.lines().count();
    let said = format!("Copied: {}.", crate::tui::words::count(lines, "line"));
    state.status.say(said, state.now.at);
    vec![Effect::Copy(text)]
}

fn wheel(state: &mut State, at: (u16, u16), by: Move) -> Vec<Effect> {
    let open = state.popup.is_some() && state.drawn.layout.popup.contains(at.into());
    if open {
        match (state.popup, state.output_here()) {
            (Some(Popup::Output), Some(call)) => output::scroll_of(state, call, by, NOTCH),
            _ => moves::scroll(state, by),
        }
        return Vec::new();
    }
    match state.drawn.layout.pane_at(at.0, at.1) {
        Some(Focus::Output(call)) => output::scroll_of(state, call, by, NOTCH),
        Some(Focus::Transcript) => (0..NOTCH).for_each(|_| transcript::scroll(state, by)),
        Some(Focus::Question) if state.queue.form.is_none() => {
            for _ in 0..NOTCH {
                question::act(state, crate::tui::keymap::Action::Move(by));
            }
        }
        Some(pane) if pane == state.focus => moves::scroll(state, by),
        Some(_) | None => {}
    }
    Vec::new()
}
