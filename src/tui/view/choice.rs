//! Short lists in which one row is chosen: the mode, and what is to be stopped.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::{
    lists::state_words,
    pen::{Keys, Pen, inset, split_top},
};
use crate::{
    kernel::{id::SessionId, spec::Mode},
    tui::{
        cell::state_mark,
        clean,
        hints::Hints,
        keymap::{Action, Move, Place},
        state::State,
        theme::{Mark, Role},
        words,
    },
};

/// Rows the list of modes takes: its rule, a row a mode, and the keys.
pub(super) fn mode_rows(width: u16) -> u16 {
    7 + note_rows(width)
}

/// Rows the second step of a stop takes.
pub(super) fn stop_rows(state: &State, session: SessionId, width: u16) -> u16 {
    5 + u16::from(state.sessions.at_work_below(session) > 0) + note_rows(width)
}

/// Narrower than this, what a row means stands below the list, of the chosen one.
const NARROW: u16 = 60;

/// Rows that [`rows`] needs below its choices, where their notes have no room beside them.
pub(super) fn note_rows(width: u16) -> u16 {
    u16::from(width < NARROW)
}

/// One row to choose: its words, what they mean, and the role of the words.
pub(super) type Choice<'a> = (&'a str, &'a str, Role);

/// Draws the rows to choose from, and below them the keys.
pub(super) fn rows(
    pen: &mut Pen<'_>,
    area: Rect,
    row: u16,
    choices: &[Choice<'_>],
    (chosen, keys): (usize, Hints<'_>),
) {
    let mut row = row;
    let below = note_rows(area.width) > 0;
    let names = choices.iter().map(|(text, ..)| clean::width(text)).max().unwrap_or(0);
    for (at, (text, note, role)) in choices.iter().enumerate() {
        let bar = if at == chosen { pen.mark(Mark::Here) } else { Span::raw(" ") };
        let role = if at == chosen && *role == Role::Text { Role::Bright } else { *role };
        let mut line = vec![Span::raw(" "), bar, Span::raw(" ")];
        if below {
            line.push(pen.span(*text, role));
        } else {
            line.push(pen.span(clean::pad(text, names + 3), role));
            line.push(pen.span(*note, Role::Quiet));
        }
        pen.line(inset(area, 0, 1), row, Line::from(line));
        row += 1;
    }
    if below {
        let note = choices.get(chosen).map_or("", |(_, note, _)| note);
        pen.text(inset(area, 3, 1), row, note, Role::Quiet);
        row += 1;
    }
    pen.hints(split_top(area, row).1, keys);
}

/// The keys of such a list in that place.
pub(super) fn keys<'a>(state: &'a State, place: Place, stay: &str) -> Hints<'a> {
    Hints::of(&state.controls, place)
        .moves([Action::Move(Move::Up), Action::Move(Move::Down)], "choose")
        .with(Action::Open, "do it")
        .leave(stay)
}

/// The modes, strictest first, and what each lets run.
pub(super) fn mode(state: &State, pen: &mut Pen<'_>, area: Rect, chosen: usize) {
    pen.clear(area);
    let Some(node) = state.sessions.node() else { return };
    let now = format!("{}now {}", pen.look.dot(), node.mode.name());
    let room = usize::from(area.width).saturating_sub(clean::width(&now) + 14);
    let title = format!("mode of {}{now}", clean::truncate(&clean::name(node.called()), room));
    let title = pen.spans(&title, Role::Bright);
    pen.rule(area, 0, Keys::Here, title, Vec::new());
    let choices = Mode::ALL.map(|mode| match mode {
        Mode::Plan => ("plan", "reads run, all else is refused", Role::Text),
        Mode::Default => ("default", "reads run, all else asks", Role::Text),
        Mode::AcceptEdits => ("accept-edits", "writes in this folder run as well", Role::Text),
        Mode::Guarded => ("guarded", "so far it asks as accept-edits does", Role::Text),
        Mode::Auto => ("auto", "everything runs, nothing is asked", Role::Warn),
    });
    rows(pen, area, 1, &choices, (chosen, keys(state, Place::Mode, "back")));
}

/// The second step of a stop names what ends, and what does not.
pub(super) fn stop(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    session: SessionId,
    chosen: usize,
) {
    pen.clear(area);
    let Some(node) = state.sessions.get(session) else { return };
    let path = state.way_to(node, usize::from(area.width).saturating_sub(12));
    let title = pen.spans(&format!("stop? {path}"), Role::Bright);
    pen.rule(area, 0, Keys::Here, title, Vec::new());
    let mark = state_mark(&state.sessions, &state.queue, session);
    let mut left = vec![Span::raw("   "), pen.mark(mark), Span::raw(" ")];
    // What ends has to be read whole.
    if area.width >= NARROW {
        left.extend(pen.spans(&clean::truncate(&state_words(state, session), 34), Role::Text));
    }
    let asks = state.queue.of_session(session).len();
    let works = node.doing.works();
    let ends = match asks {
        _ if !works => "agents below it are at work".to_owned(),
        0 => "its turn ends, agents below go on".to_owned(),
        _ => format!("its turn ends, {} withdrawn", words::count(asks, "question")),
    };
    let ends = pen.span(ends, Role::Quiet);
    if area.width < NARROW {
        left.push(ends);
        pen.line(area, 1, Line::from(left));
    } else {
        pen.apart(inset(area, 0, 1), 1, Line::from(left), Line::from(ends));
    }
    let name = clean::truncate(&clean::name(node.called()), 24);
    let stop = format!("stop the turn of {name}");
    let kept = if works { "what was said and printed is kept" } else { "it rests" };
    let mut choices = vec![
        ("let it go on", "", Role::Text),
        (stop.as_str(), kept, if works { Role::Text } else { Role::Quiet }),
    ];
    let below = words::count(state.sessions.at_work_below(session), "agent");
    let all = format!("stop it and {below} below, for good");
    if state.sessions.at_work_below(session) > 0 {
        choices.push((all.as_str(), "what they had in hand ends too", Role::Text));
    }
    rows(pen, area, 2, &choices, (chosen, keys(state, Place::Stop, "let it go on")));
}
