//! Going from pane to pane, and moving in them.

use ratatui::layout::Size;

use super::{
    away, compose, controls, file, log, palette, picture, question, records, several, themes,
    transcript, tree, written,
};
use crate::{
    kernel::{command::Command, id::ApprovalId, signal::Extent, spec::Mode},
    tui::{
        effect::Effect,
        keymap::{Action, Go, Grow, Place},
        layout::Room,
        state::{
            Focus, Leave, Popup, State, filter::Filter, records::written::View,
            transcript::cells::Slot,
        },
        view,
    },
};

pub(super) fn go(state: &mut State, go: Go) {
    match go {
        Go::Question => {
            let hidden = state.popup.take().is_some();
            state.queue.form = None;
            if state.focus == Focus::Question && !hidden {
                state.queue.step(true);
            } else if let Some(oldest) = state.queue.ordered().first().map(|next| next.question.id)
            {
                if state.queue.current().is_none() {
                    state.queue.choose(oldest);
                }
                state.focus = Focus::Question;
            }
        }
        Go::NextQuestion | Go::PreviousQuestion => question::act(state, Action::Go(go)),
        Go::NextPane | Go::PreviousPane if matches!(state.popup, Some(Popup::Help { .. })) => {
            help(state, go == Go::NextPane);
        }
        Go::NextPane if state.focus == Focus::Question && state.queue.form.is_none() => {
            question::act(state, Action::Go(go));
        }
        Go::NextPane if state.queue.current().is_some() && state.focus == Focus::Composer => {
            state.focus = Focus::Question;
        }
        Go::NextPane | Go::PreviousPane => {
            if state.queue.form.is_some() && state.focus == Focus::Question {
                return;
            }
            state.popup = None;
            step(state, go == Go::NextPane);
        }
        Go::Help => {
            let of = match (state.popup, state.key_place()) {
                (Some(Popup::Help { of, .. }), _) => of,
                (Some(Popup::Commands), _) => state.controls.palette.from,
                (_, here) => here,
            };
            themes::leave(state);
            state.records.filter = Filter::default();
            state.popup = Some(Popup::Help { of, top: 0 });
        }
        Go::Commands => palette::open(state),
        Go::Themes => themes::open(state),
        Go::KeysFile => {}
        Go::Sessions => {
            state.sessions.tree.filter = Filter::default();
            swap(state, Popup::Sessions);
            tree::sift(state);
            state.sessions.cursor = state.tree().place(state.sessions.viewed());
        }
        Go::Session(number) => tree::by_number(state, usize::from(number)),
        Go::Waiting => {
            state.records.filter = Filter::default();
            swap(state, Popup::Waiting { row: 0 });
        }
        Go::Changes => list_of(state, Popup::Changes { row: 0 }),
        Go::Grants => list_of(state, Popup::Grants { row: 0 }),
        Go::Decisions => list_of(state, Popup::Decisions { row: 0 }),
        Go::Files => file::choose(state, None),
        Go::Log => {
            state.records.filter = Filter::default();
            swap(state, Popup::Log { row: 0 });
        }
        Go::Mode => mode(state),
        Go::Picture => picture::open(state),
        Go::Output => output(state),
        Go::Away => {
            let pane = view::panes(state).contains(&Focus::Away);
            away::open(state, pane);
        }
        Go::Back => state.sessions.go_back(),
        Go::Forward => state.sessions.go_forward(),
        Go::Parent => state.sessions.go_up(),
    }
}

/// The help of another place.
fn help(state: &mut State, forward: bool) {
    let Some(Popup::Help { of, top }) = &mut state.popup else { return };
    let at = Place::ALL.iter().position(|place| place == of).unwrap_or(0);
    let by = if forward { 1 } else { Place::ALL.len() - 1 };
    (*of, *top) = (Place::ALL[(at + by) % Place::ALL.len()], 0);
}

/// Opens the list of modes, at the one there is.
fn mode(state: &mut State) {
    let Some(node) = state.sessions.node() else {
        state.status.say("A mode belongs to a session.", state.now.at);
        return;
    };
    let row = Mode::ALL.iter().position(|mode| *mode == node.mode).unwrap_or(0);
    state.popup = match state.popup {
        Some(Popup::Mode { .. }) => None,
        Some(_) | None => Some(Popup::Mode { row }),
    };
}

/// Goes to the pane of the output, where the screen has room for one.
fn output(state: &mut State) {
    let panes = view::panes(state);
    let current = state.output.current().map(|run| Focus::Output(run.call));
    let shown = |pane: &&Focus| matches!(pane, Focus::Output(_));
    let pane = current.filter(|pane| panes.contains(pane));
    match pane.or(panes.iter().find(shown).copied()) {
        Some(pane) => {
            state.popup = None;
            state.focus = pane;
        }
        None => swap(state, Popup::Output),
    }
}

/// Shows what has the keys alone, or everything again.
pub(super) fn zoom(state: &mut State) {
    if state.panes.unzoom() {
        return;
    }
    let list = match (state.popup, state.focus) {
        (None, Focus::Sessions) => Some(Popup::Sessions),
        (None, Focus::Waiting) => Some(Popup::Waiting { row: state.queue.cursor }),
        (None, Focus::Changes) => Some(Popup::Changes { row: 0 }),
        (popup, _) => popup,
    };
    if list != state.popup {
        // As a list it says more of each, so that is what is shown.
        match list {
            Some(popup @ Popup::Changes { .. }) => list_of(state, popup),
            Some(popup) => swap(state, popup),
            None => {}
        }
    }
    state.panes.zoom(state.focus, state.popup);
}

/// Makes what has the keys larger or smaller.
pub(super) fn size(state: &mut State, grow: Grow) -> Vec<Effect> {
    let size = Size { width: state.drawn.width, height: state.drawn.height };
    let room = Room::of(size.width, size.height);
    let mut sizes = *state.panes.sizes.of(room);
    let step = |value: u16, up: bool, by: u16| {
        if up { value.saturating_add(by) } else { value.saturating_sub(by) }
    };
    let right = room == Room::Full;
    match (grow, state.focus) {
        (Grow::Width(up), Focus::Sessions | Focus::Waiting) => sizes.left = step(sizes.left, up, 1),
        (Grow::Width(up), Focus::Plan | Focus::Changes | Focus::Away) => {
            sizes.right = step(sizes.right, up, 1);
        }
        (Grow::Width(up), Focus::Output(_)) if right => sizes.right = step(sizes.right, up, 1),
        (Grow::Width(up), _) if right => sizes.right = step(sizes.right, !up, 1),
        (Grow::Width(up), _) => sizes.left = step(sizes.left, !up, 1),
        (Grow::Height(up), Focus::Sessions) => sizes.upper = step(sizes.upper, up, 20),
        (Grow::Height(up), Focus::Waiting) => sizes.upper = step(sizes.upper, !up, 20),
        (Grow::Height(up), Focus::Output(_)) if !right => sizes.below = step(sizes.below, up, 1),
        (Grow::Height(up), Focus::Output(_) | Focus::Plan | Focus::Changes | Focus::Away) => {
            let up = up == matches!(state.focus, Focus::Output(_));
            let now = match sizes.outputs {
                0 => state.drawn.layout.outputs_share(),
                share => share,
            };
            sizes.outputs = step(now, up, 20);
        }
        (Grow::Height(up), _) if !right => sizes.below = step(sizes.below, !up, 1),
        (Grow::Height(_), _) => {}
    }
    if state.panes.sizes.put(room, size, sizes) {
        return vec![Effect::Remember(state.panes.sizes)];
    }
    if !room.has_columns() {
        let said = "Sizes can be set from 100 columns and 30 rows on.";
        state.status.say(said, state.now.at);
    }
    Vec::new()
}

/// Opens a list over the transcript.
fn swap(state: &mut State, popup: Popup) {
    let same = |open: Popup| std::mem::discriminant(&open) == std::mem::discriminant(&popup);
    if state.popup.is_some_and(same) {
        state.popup = None;
    } else {
        state.popup = Some(popup);
    }
}

/// Opens a list of what was decided, made anew.
fn list_of(state: &mut State, popup: Popup) {
    state.records.stale = true;
    state.records.filter = Filter::default();
    state.records.written.open();
    swap(state, popup);
}

fn step(state: &mut State, forward: bool) {
    state.panes.unzoom();
    let panes = view::panes(state);
    let at = panes.iter().position(|pane| *pane == state.focus).unwrap_or(0);
    let by = if forward { 1 } else { panes.len() - 1 };
    let mut next = panes[(at + by) % panes.len()];
    if !forward && state.focus == Focus::Question && next == Focus::Composer {
        // The other key goes there. An empty composer would give the keys back, and nobody got past it.
        next = panes[(at + 2 * by) % panes.len()];
    }
    state.focus = next;
    match state.focus {
        Focus::Transcript => {
            if let Some(node) = state.sessions.node_mut() {
                let cells = &node.transcript.cells;
                let opens = |at: &usize| cells.slot(*at).is_some_and(Slot::opens);
                let last = (0..cells.len()).rev().find(opens);
                node.transcript.here = last;
            }
        }
        Focus::Sessions => {
            state.sessions.cursor = state.tree().place(state.sessions.viewed());
        }
        Focus::Plan | Focus::Changes | Focus::Away => state.panes.row = 0,
        Focus::Start | Focus::Composer | Focus::Question | Focus::Output(_) | Focus::Waiting => {}
    }
}

/// enter, where it opens something.
pub(super) fn open(state: &mut State) -> Vec<Effect> {
    match state.key_place() {
        Place::Offers => return compose::open(state),
        Place::Question => question::act(state, Action::Open),
        Place::Files => file::open_chosen(state),
        Place::Search if state.popup == Some(Popup::File) => file::next(state, true),
        Place::Search if state.focus == Focus::Transcript => transcript::next(state, true),
        Place::Search => question::next_found(state, true),
        Place::Several => several::see(state),
        Place::Sessions => return tree::open(state),
        Place::Held => return tree::watch_held(state),
        Place::Delete => return tree::delete_chosen(state),
        Place::Said => tree::choose_said(state),
        Place::Rewind => return tree::go_back(state),
        Place::Waiting => {
            if let Some(id) = chosen(state) {
                state.queue.choose(id);
                state.popup = None;
                state.focus = Focus::Question;
            }
        }
        Place::Decisions => {
            if let Some(Popup::Decisions { row }) = state.popup {
                records::open(state, row);
            }
        }
        Place::Log => {
            if let Some(Popup::Log { row }) = state.popup {
                log::open(state, row);
            }
        }
        Place::Quit => match state.popup {
            Some(Popup::Quit { row: 1 }) => state.place.leave = Some(Leave::Quit),
            Some(Popup::Quit { row: 2 }) => {
                state.place.leaving = true;
                state.popup = None;
                let key = state.controls.key(Place::Everywhere, Action::Quit);
                let shows = if key.is_empty() { key } else { format!(" {key} shows what runs.") };
                let text = format!("Quits when all have ended.{shows}");
                state.status.say(text, state.now.at);
            }
            _ => {
                state.place.leaving = false;
                state.popup = None;
            }
        },
        Place::Mode => {
            if let (Some(Popup::Mode { row }), Some(session)) =
                (state.popup.take(), state.sessions.viewed())
                && let Some(mode) = Mode::ALL.get(row).copied()
            {
                return vec![Effect::Send(Command::SetMode { session, mode })];
            }
        }
        Place::Stop => {
            if let Some(Popup::Stop { session, row: row @ 1.. }) = state.popup.take() {
                let stop = match row {
                    1 => Command::Interrupt { session },
                    _ => Command::Cancel { session, extent: Extent::Subtree },
                };
                return vec![Effect::Send(stop)];
            }
        }
        Place::Transcript => transcript::open(state),
        Place::Lines if state.popup.is_none() && state.focus == Focus::Changes => {
            let file = view::touched(state).get(state.panes.row).map(|file| file.path.clone());
            list_of(state, Popup::Changes { row: 0 });
            // The list comes later; then its row is the one that was chosen here.
            state.records.written.wanted = file;
        }
        Place::Lines => match (state.popup, state.focus) {
            (Some(Popup::Away { row }), _) => return away::visit(state, row),
            (None, Focus::Away) => return away::visit(state, state.panes.row),
            _ => {}
        },
        Place::Find => super::output::next(state, true),
        Place::Changes => written::show(state, View::Full),
        Place::Grants => {
            if let Some(Popup::Grants { row }) = state.popup {
                records::decided_by(state, row);
            }
        }
        Place::Connect => return controls::connect(state),
        Place::Commands => return palette::run(state),
        Place::Themes => return themes::keep(state),
        Place::Everywhere
        | Place::File
        | Place::Start
        | Place::Composer
        | Place::Because
        | Place::Wider
        | Place::Edit
        | Place::Output
        | Place::Script
        | Place::Rename
        | Place::Save
        | Place::Picture
        | Place::Undo
        | Place::Filter
        | Place::Help => {}
    }
    Vec::new()
}

/// The question of the chosen row.
fn chosen(state: &State) -> Option<ApprovalId> {
    let row = match state.popup {
        Some(Popup::Waiting { row }) => row,
        _ => state.queue.cursor,
    };
    state.inbox().get(row).map(|waiting| waiting.question.id)
}

/// Shows what the script of the chosen row asks for.
pub(super) fn several(state: &mut State) {
    if let Some(id) = chosen(state) {
        several::open(state, id);
    }
}

/// Puts the question of the chosen row off, or takes it up again.
pub(super) fn not_now(state: &mut State) {
    if let Some(id) = chosen(state) {
        state.queue.toggle(id);
    }
}
