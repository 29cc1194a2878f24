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
pub(super) const MODE_ROWS: u16 = 7;

/// Rows the second step of a stop takes.
pub(super) fn stop_rows(state: &State, session: SessionId) -> u16 {
    if state.sessions.at_work_below(session) > 0 { 6 } else { 5 }
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
    for (at, (text, note, role)) in choices.iter().enumerate() {
        let bar = if at == chosen { pen.mark(Mark::Here) } else { Span::raw(" ") };
        let role = if at == chosen && *role == Role::Text { Role::Bright } else { *role };
        let left = Line::from(vec![Span::raw(" "), bar, Span::raw(" "), pen.span(*text, role)]);
        // The name of a row is never cut, what it means is.
        let room = usize::from(area.width).saturating_sub(words::cells(&left) + 3);
        let note = words::fit(Line::from(pen.span(*note, Role::Quiet)), room);
        pen.apart(inset(area, 0, 1), row, left, note);
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
    let title = format!("mode of {}{}now {}", node.spec.agent(), pen.look.dot(), node.mode.name());
    let title = pen.spans(&title, Role::Bright);
    pen.rule(area, 0, Keys::Here, title, Vec::new());
    let choices = Mode::ALL.map(|mode| match mode {
        Mode::Plan => ("plan", "reads run, all else is refused unasked", Role::Text),
        Mode::Default => ("default", "reads run, all else asks", Role::Text),
        Mode::AcceptEdits => {
            ("accept-edits", "writes in this folder run too, all else asks", Role::Text)
        }
        Mode::Guarded => {
            ("guarded", "for long work; today it asks as accept-edits does", Role::Text)
        }
        Mode::Auto => ("auto", "nothing asks: programs, network, files anywhere", Role::Warn),
    });
    rows(pen, area, 1, &choices, (chosen, keys(state, Place::Mode, "leave it")));
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
    let path = node.spec.path.join(&format!(" {} ", pen.look.mark(Mark::Path)));
    let title = pen.spans(&format!("stop? {path}"), Role::Bright);
    pen.rule(area, 0, Keys::Here, title, Vec::new());
    let mark = state_mark(&state.sessions, &state.queue, session);
    let mut left = vec![Span::raw("   "), pen.mark(mark), Span::raw(" ")];
    // What ends has to be read whole.
    if area.width >= 60 {
        left.extend(pen.spans(&clean::truncate(&state_words(state, session), 34), Role::Text));
    }
    let asks = state.queue.of_session(session).len();
    let works = node.doing.works();
    let ends = match asks {
        _ if !works => "agents below it are at work".to_owned(),
        0 => "its turn ends, agents below it go on".to_owned(),
        _ => format!("its turn ends, {} withdrawn", words::count(asks, "question")),
    };
    let ends = Line::from(pen.span(ends, Role::Quiet));
    pen.apart(inset(area, 0, 1), 1, Line::from(left), ends);
    let stop = format!("stop the turn of {}", clean::shown(node.spec.agent()));
    let kept = if works { "what was said and printed is kept" } else { "it rests" };
    let mut choices = vec![
        ("let it go on", "", Role::Text),
        (stop.as_str(), kept, if works { Role::Text } else { Role::Quiet }),
    ];
    let below = words::count(state.sessions.at_work_below(session), "agent");
    let all = format!("stop it and {below} below it, for good");
    if stop_rows(state, session) > 5 {
        choices.push((all.as_str(), "what they had in hand ends too", Role::Text));
    }
    rows(pen, area, 2, &choices, (chosen, keys(state, Place::Stop, "let it go on")));
}
