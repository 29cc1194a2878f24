//! Moving through a transcript, folding it, and looking for a word in it.

use crate::tui::{
    cell::{Body, Cell, Fold, Scene, column, is_long, rows},
    effect::Effect,
    keymap::{Action, Jump, Move, Place},
    row,
    state::{
        Focus, State,
        draft::Draft,
        sessions::Node,
        transcript::{LONGEST_PART, Scroll, cells::Slot, find::Find},
    },
    words,
};

fn scene<'a>(state: &'a State) -> Scene<'a> {
    Scene {
        width: state.drawn.transcript.width,
        look: &state.look,
        controls: &state.controls,
        now: state.now.wall,
        sessions: &state.sessions,
        output: &state.output,
        queue: &state.queue,
        speaker: "",
    }
}

/// Scrolls, or goes from part to part.
pub(super) fn scroll(state: &mut State, by: Move) {
    let seen = state.drawn.transcript;
    let Some(node) = state.sessions.node() else { return };
    let log = &node.transcript;
    let (cells, scene) = (&log.cells, scene(state));
    let page = seen.height.saturating_sub(2).max(1);
    let part = |mut range: Box<dyn Iterator<Item = usize>>| range.find(|at| log.begins(*at));
    let top = match by {
        Move::Up => column::up(cells, &scene, seen.top, 1),
        Move::PageUp => column::up(cells, &scene, seen.top, page),
        Move::Down => column::down(cells, &scene, seen.top, 1),
        Move::PageDown => column::down(cells, &scene, seen.top, page),
        Move::Home => (0, 0),
        Move::End => column::follow(cells, &scene, seen.height),
        Move::PreviousCell => {
            let end = log.here.unwrap_or(cells.len()).min(cells.len());
            if let Some(at) = part(Box::new((0..end).rev())) {
                visit(state, (at, 0));
            }
            return;
        }
        Move::NextCell => {
            let start = log.here.map_or(0, |at| at + 1).min(cells.len());
            if let Some(at) = part(Box::new(start..cells.len())) {
                visit(state, (at, 0));
            }
            return;
        }
    };
    settle(state, top);
    let Some(log) = state.sessions.node_mut().map(|node| &mut node.transcript) else { return };
    match by {
        Move::Home if log.here.is_some() => log.here = Some(0),
        Move::End if log.here.is_some() => {
            log.here = (0..log.cells.len()).rev().find(|at| log.begins(*at));
        }
        Move::Home | Move::End => {}
        Move::Up | Move::PageUp | Move::Down | Move::PageDown => keep_in_sight(state, top),
        Move::PreviousCell | Move::NextCell => {}
    }
}

/// Has the keys act on a part that is in sight, where the view moved on from the one they acted on.
fn keep_in_sight(state: &mut State, top: column::Spot) {
    let height = state.drawn.transcript.height;
    let Some(node) = state.sessions.node() else { return };
    let (log, scene) = (&node.transcript, scene(state));
    let Some(part) = log.part() else { return };
    let first = top.min(column::follow(&log.cells, &scene, height)).0;
    let last = column::down(&log.cells, &scene, top, height.saturating_sub(1)).0;
    if part.start <= last && first < part.end {
        return;
    }
    let seen = (first..=last).filter(|at| log.begins(*at));
    let nearest = if part.start > last { seen.max() } else { seen.min() };
    // All that is in sight may be of one part that began above.
    let nearest = nearest.or_else(|| (0..=first).rev().find(|at| log.begins(*at)));
    if let Some(node) = state.sessions.node_mut() {
        node.transcript.here = nearest;
    }
}

/// Puts this spot at the top, or follows the end where nothing is below.
fn settle(state: &mut State, top: column::Spot) {
    let seen = state.drawn.transcript;
    let Some(node) = state.sessions.node() else { return };
    let at_end = column::rest(&node.transcript.cells, &scene(state), top) <= seen.height;
    if let Some(node) = state.sessions.node_mut() {
        let (cell, row) = top;
        node.transcript.scroll = if at_end { Scroll::Follow } else { Scroll::Held { cell, row } };
    }
}

/// Has the keys act on the part of this spot, and brings it into sight if it is not.
fn visit(state: &mut State, spot: column::Spot) {
    let seen = state.drawn.transcript;
    let Some(node) = state.sessions.node_mut() else { return };
    let log = &mut node.transcript;
    log.here = (0..=spot.0).rev().find(|at| log.begins(*at));
    let Some(node) = state.sessions.node() else { return };
    let (cells, scene) = (&node.transcript.cells, scene(state));
    let last = column::down(cells, &scene, seen.top, seen.height.saturating_sub(1));
    if !(seen.top..=last).contains(&spot) {
        let top = column::up(cells, &scene, spot, seen.height / 4);
        settle(state, top);
    }
}

/// To the next of its kind, or to the one before; the way ends at both ends.
pub(super) fn jump(state: &mut State, to: Jump) {
    let Some(node) = state.sessions.node() else { return };
    let (of, what): (fn(&Slot<'_>) -> bool, _) = match to {
        Jump::NextError | Jump::PreviousError => (|slot| slot.is_error(), "error"),
        Jump::NextChange | Jump::PreviousChange => (|slot| slot.is_change(), "change"),
    };
    let cells = &node.transcript.cells;
    let here = node.transcript.here;
    let is = |at: &usize| cells.slot(*at).as_ref().is_some_and(of);
    let (found, end) = match to {
        Jump::NextError | Jump::NextChange => {
            let start = here.map_or(state.drawn.transcript.top.0, |at| at + 1);
            ((start..cells.len()).find(is), "below")
        }
        Jump::PreviousError | Jump::PreviousChange => {
            let end = here.unwrap_or(cells.len()).min(cells.len());
            ((0..end).rev().find(is), "above")
        }
    };
    match found {
        Some(at) => visit(state, (at, 0)),
        None => state.status.say(format!("No {what} {end}."), state.now.at),
    }
}

/// Opens the part that keys act on: a run a step further, an agent as the session it is.
pub(super) fn open(state: &mut State) {
    let Some(cell) = chosen(state) else { return };
    let agent = match &mut cell.body {
        Body::Code(code) => {
            code.fold = match code.fold {
                Fold::Shut => Fold::Part,
                Fold::Part => Fold::Full,
                Fold::Full => Fold::Shut,
            };
            None
        }
        Body::Thinking(thinking) => {
            thinking.fold = if thinking.fold == Fold::Shut { Fold::Full } else { Fold::Shut };
            None
        }
        Body::Said { text, fold } if is_long(text) => {
            *fold = if *fold == Fold::Full { Fold::Part } else { Fold::Full };
            None
        }
        Body::Agent { session, .. } => Some(*session),
        Body::Said { .. } | Body::Text { .. } | Body::Call(_) | Body::Notice { .. } => None,
    };
    cell.touch();
    if let Some(session) = agent {
        state.sessions.show(session);
    }
}

/// Folds the part that keys act on, or opens it whole.
pub(super) fn fold(state: &mut State, to: Fold) {
    let Some(cell) = chosen(state) else { return };
    match &mut cell.body {
        Body::Code(code) => code.fold = to,
        Body::Thinking(thinking) => thinking.fold = to,
        Body::Said { fold, .. } => *fold = to,
        Body::Text { .. } | Body::Call(_) | Body::Agent { .. } | Body::Notice { .. } => return,
    }
    cell.touch();
}

fn chosen(state: &mut State) -> Option<&mut Cell> {
    let log = &mut state.sessions.node_mut()?.transcript;
    log.cells.get_mut(log.here?)
}

/// Copies the part that keys act on, as it was written.
pub(super) fn copy(state: &mut State) -> Vec<Effect> {
    let text = state.sessions.node().and_then(|node| {
        let cells = node.transcript.cells.range(node.transcript.part()?)?;
        Some(cells.iter().map(|cell| cell.body.copied()).collect::<String>())
    });
    let count =
        state.sessions.node().and_then(|node| node.transcript.part()).map(|part| part.len());
    match text {
        Some(text) => {
            let said = match count {
                Some(LONGEST_PART..) => format!(
                    "Copied the first {} paragraphs, if the terminal allows it.",
                    words::grouped(LONGEST_PART as u64)
                ),
                Some(_) | None => "Copied, if the terminal allows it.".to_owned(),
            };
            state.status.say(said, state.now.at);
            vec![Effect::Copy(text)]
        }
        None => {
            let key = state.controls.key(Place::Transcript, Action::Move(Move::PreviousCell));
            state.status.say(format!("{key} chooses a part to copy."), state.now.at);
            Vec::new()
        }
    }
}

/// Begins to look for a word.
pub(super) fn search(state: &mut State) {
    let top = state.drawn.transcript.top.0;
    if let Some(node) = state.sessions.node_mut() {
        node.transcript.find = Some(Find::from((node.transcript.scroll, top)));
    }
}

/// Ends it; whether there was a search.
pub(super) fn leave(state: &mut State) -> bool {
    let here = state.focus == Focus::Transcript && state.popup.is_none();
    let node = state.sessions.node_mut().filter(|_| here);
    node.is_some_and(|node| node.transcript.find.take().is_some())
}

/// The word that is looked for, while it is written.
pub(super) fn word(state: &mut State) -> Option<&mut Draft> {
    Some(&mut state.sessions.node_mut()?.transcript.find.as_mut()?.word)
}

/// The word is another one: looks from where the search began, and goes back there where nothing
/// is found.
pub(super) fn sought(state: &mut State) {
    let node = state.sessions.node_mut().filter(|_| state.focus == Focus::Transcript);
    let Some(Node { transcript, .. }) = node else { return };
    let Some(find) = &mut transcript.find else { return };
    let (scroll, from) = find.began;
    find.again(&transcript.cells, from);
    if find.hits.is_empty() {
        transcript.scroll = scroll;
    } else {
        look(state);
    }
}

/// To the next part in which the word stands, or to the one before.
pub(super) fn next(state: &mut State, forward: bool) {
    let Some(Node { transcript, .. }) = state.sessions.node_mut() else { return };
    let Some(find) = &mut transcript.find else { return };
    let Some(at) = find.cell() else { return sought(state) };
    // More may have come meanwhile.
    find.again(&transcript.cells, at);
    if let count @ 1.. = find.hits.len() {
        find.at = (find.at + if forward { 1 } else { count - 1 }) % count;
        look(state);
    }
}

/// A key that moves, while a word is looked for.
pub(super) fn seek(state: &mut State, by: Move) {
    match by {
        Move::Up => next(state, false),
        Move::Down
        | Move::PageUp
        | Move::PageDown
        | Move::Home
        | Move::End
        | Move::PreviousCell
        | Move::NextCell => scroll(state, by),
    }
}

/// Brings what is looked at into sight, and opens it if it is folded away.
pub(super) fn look(state: &mut State) {
    let Some(node) = state.sessions.node() else { return };
    let Some(find) = &node.transcript.find else { return };
    let Some(at) = find.cell() else { return };
    let word = find.word.text();
    if row_of(state, node, at, &word).is_none()
        && let Some(node) = state.sessions.node_mut()
        && let Some(cell) = node.transcript.cells.get_mut(at)
    {
        unfold(cell);
    }
    let Some(node) = state.sessions.node() else { return };
    let row = row_of(state, node, at, &word).unwrap_or(0);
    visit(state, (at, row));
}

fn unfold(cell: &mut Cell) {
    match &mut cell.body {
        Body::Code(code) => code.fold = Fold::Full,
        Body::Thinking(thinking) => thinking.fold = Fold::Full,
        Body::Said { fold, .. } => *fold = Fold::Full,
        Body::Text { .. } | Body::Call(_) | Body::Agent { .. } | Body::Notice { .. } => return,
    }
    cell.touch();
}

/// The first row of a cell in which the word is drawn.
fn row_of(state: &State, node: &Node, at: usize, word: &str) -> Option<usize> {
    let cells = &node.transcript.cells;
    let laid = rows(cells.get(at)?, &scene(state));
    let hits = row::find(&row::each(&laid), word);
    let (first, _) = hits.first()?.first()?;
    Some(first + usize::from(column::gap(cells, at)))
}

/// The transcript stays where it is, whatever comes.
pub(super) fn hold(state: &mut State) {
    let (cell, row) = state.drawn.transcript.top;
    if let Some(node) = state.sessions.node_mut()
        && node.transcript.scroll == Scroll::Follow
    {
        node.transcript.scroll = Scroll::Held { cell, row };
    }
}

/// A press in that row: its part is chosen. The first row of a run folds it; an agent is entered by the
/// second press.
pub(super) fn clicked(state: &mut State, row: usize, second: bool) {
    let Some(node) = state.sessions.node() else { return };
    let cells = &node.transcript.cells;
    let at = column::down(cells, &scene(state), state.drawn.transcript.top, row);
    let Some(cell) = cells.get(at.0).filter(|cell| cell.opens()) else { return };
    let enters = matches!(cell.body, Body::Agent { .. });
    let opens = if enters { second } else { at.1 == 0 };
    if let Some(node) = state.sessions.node_mut() {
        node.transcript.here = Some(at.0);
    }
    if opens {
        open(state);
    }
}
