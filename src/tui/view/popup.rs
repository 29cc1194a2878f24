//! Quitting, where something would end with it.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::{
    choice,
    lists::state_words,
    pen::{Keys, Pen, inset},
};
use crate::tui::{
    cell::state_mark,
    clean,
    keymap::Place,
    state::{State, sessions::Branch},
    theme::{Mark, Role},
    words,
};

fn at_work(state: &State) -> Vec<Branch> {
    let rows = state.sessions.rows().into_iter();
    rows.filter(|row| {
        let works = state.sessions.get(row.session).is_some_and(|node| node.doing.works());
        works || !state.queue.of_session(row.session).is_empty()
    })
    .collect()
}

/// At most so many sessions are named.
const NAMED: usize = 8;

/// The rule, the choices with what they mean, and the keys.
fn fixed(width: u16) -> usize {
    5 + usize::from(choice::note_rows(width))
}

/// How many sessions are named in a list of that height; those that are not are counted in a row.
fn named(all: usize, area: Rect) -> usize {
    let room = usize::from(area.height).saturating_sub(fixed(area.width)).min(NAMED);
    if all > room { room.saturating_sub(usize::from(room < NAMED)) } else { all }
}

pub(super) fn quit_rows(state: &State, body: Rect) -> u16 {
    let all = at_work(state).len() + state.programs().count();
    let named = named(all, body);
    let rows = fixed(body.width) + named + usize::from(all > named);
    u16::try_from(rows).unwrap_or(u16::MAX)
}

pub(super) fn quit(state: &State, pen: &mut Pen<'_>, area: Rect, chosen: usize) {
    pen.clear(area);
    let busy = at_work(state);
    let (agents, questions) = (state.sessions.at_work(), state.queue.calls());
    let programs: Vec<_> = state.programs().collect();
    let mut why = Vec::new();
    if agents > 0 {
        why.push(format!("{agents} at work"));
    }
    if !programs.is_empty() {
        let verb = if programs.len() == 1 { "goes" } else { "go" };
        why.push(format!("{} {verb} on", words::count(programs.len(), "program")));
    }
    if questions > 0 {
        why.push(format!(
            "{} {}",
            words::count(questions, "question"),
            if questions == 1 { "waits" } else { "wait" }
        ));
    }
    let title = vec![pen.span(format!("quit? {}", why.join(", ")), Role::Bright)];
    pen.rule(area, 0, Keys::Here, title, Vec::new());
    let mut row = 1;
    // The rows that were asked for have room for as many.
    let all = busy.len() + programs.len();
    let room = usize::from(area.height).saturating_sub(fixed(area.width));
    let named = if all > room { room.saturating_sub(1) } else { all };
    let narrow = area.width < 60;
    for branch in busy.iter().take(named) {
        let mark = state_mark(&state.sessions, &state.queue, branch.session);
        let name = state.sessions.get(branch.session).map_or("", |node| node.called());
        let mut left = vec![Span::raw("   "), pen.mark(mark), Span::raw(" ")];
        left.extend(pen.spans(&clean::pad(&clean::shown(name), 11), Role::Text));
        left.extend(pen.spans(&format!(" {}", state_words(state, branch.session)), Role::Quiet));
        let asks = matches!(mark, Mark::Needs | Mark::NotNow);
        let ends = match (asks, narrow) {
            (true, true) => "withdrawn",
            (true, false) => "withdrawn: nothing is done",
            (false, true) => "kept",
            (false, false) => "kept to the last word shown",
        };
        pen.apart(
            inset(area, 0, 1),
            row,
            Line::from(left),
            Line::from(pen.span(ends, Role::Quiet)),
        );
        row += 1;
    }
    for program in programs.iter().take(named.saturating_sub(busy.len())) {
        let mut left = vec![Span::raw("   "), pen.mark(Mark::Running), Span::raw(" ")];
        left.extend(pen.spans(&program.program, Role::Text));
        let ends = Line::from(pen.span("ends with footplate", Role::Quiet));
        pen.apart(inset(area, 0, 1), row, Line::from(left), ends);
        row += 1;
    }
    if all > named {
        let text = format!("   {} {} more", pen.look.mark(Mark::Gap), all - named);
        pen.text(area, row, &text, Role::Quiet);
        row += 1;
    }
    let rows = [
        ("stay", "", Role::Text),
        ("stop all, keep all, and quit", "then: footplate --continue", Role::Text),
        ("quit when all have ended", "questions stay open until then", Role::Text),
    ];
    choice::rows(pen, area, row, &rows, (chosen, choice::keys(state, Place::Quit, "stay")));
}
