//! What keys do with an output: scrolling, searching, pinning, and taking its text elsewhere.

use crate::{
    kernel::id::CallId,
    tui::{
        clean,
        effect::Effect,
        hints,
        keymap::{Edit, Go, Move, Output},
        state::{
            DrawnOutput, Popup, State,
            output::{Look, Run, Search, Wrap},
        },
        wrap::{Layout, rows},
    },
};

/// Rows a line takes.
fn rows_of(run: &Run, number: u64, width: usize) -> usize {
    match run.wrap {
        Wrap::Cut => 1,
        Wrap::Rows => {
            let line = run.line(number).map(clean::shown).unwrap_or_default();
            rows(&line, Layout::exact(width.max(1))).count().max(1)
        }
    }
}

/// Moves the view of the output that has the keys.
pub(super) fn scroll(state: &mut State, by: Move) {
    let Some(call) = state.output_here() else { return };
    scroll_of(state, call, by, 1);
}

/// Moves the view of an output by so many steps.
pub(super) fn scroll_of(state: &mut State, call: CallId, by: Move, steps: usize) {
    let Some(drawn) = state.drawn.outputs.iter().find(|drawn| drawn.call == call).copied() else {
        return;
    };
    let Some(run) = state.output.run_mut(call) else { return };
    let page = drawn.rows.saturating_sub(1).max(1);
    let from = match run.look {
        Look::Follow => drawn.top,
        Look::Held { top, row, .. } => (top, row),
    };
    let to = match by {
        Move::Up | Move::PreviousCell => Some(up(run, from, steps, &drawn)),
        Move::PageUp => Some(up(run, from, page * steps, &drawn)),
        Move::Down | Move::NextCell => down(run, from, steps, &drawn),
        Move::PageDown => down(run, from, page * steps, &drawn),
        Move::Home => Some((0, 0)),
        Move::End => None,
    };
    match to {
        // All of it is in sight.
        Some(to) if run.look == Look::Follow && to == drawn.top && by != Move::Home => {}
        Some(to) => hold(run, to),
        None => run.look = Look::Follow,
    }
}

fn hold(run: &mut Run, (top, row): (u64, usize)) {
    let seen = match run.look {
        Look::Held { seen, .. } => seen,
        Look::Follow => run.total(),
    };
    run.look = Look::Held { top, row, seen };
}

fn up(run: &Run, mut at: (u64, usize), steps: usize, drawn: &DrawnOutput) -> (u64, usize) {
    if run.wrap == Wrap::Cut {
        return (at.0.saturating_sub(steps as u64), 0);
    }
    for _ in 0..steps {
        at = match at {
            (0, 0) => break,
            (line, 0) => (line - 1, rows_of(run, line - 1, drawn.width) - 1),
            (line, row) => (line, row - 1),
        };
    }
    at
}

/// Further down, or nothing where that is the end.
fn down(run: &Run, from: (u64, usize), steps: usize, drawn: &DrawnOutput) -> Option<(u64, usize)> {
    let mut at = from;
    if run.wrap == Wrap::Cut {
        at = (at.0 + steps as u64, 0);
    } else {
        for _ in 0..steps {
            let rows = rows_of(run, at.0, drawn.width);
            at = if at.1 + 1 < rows { (at.0, at.1 + 1) } else { (at.0 + 1, 0) };
        }
    }
    // Whether there is as much below as fits.
    let total = run.total();
    let mut left = 0;
    let mut line = at.0;
    while line < total && left < drawn.rows + at.1 {
        left += rows_of(run, line, drawn.width);
        line += 1;
    }
    (left > drawn.rows + at.1 || line < total).then_some(at)
}

pub(super) fn act(state: &mut State, what: Output) -> Vec<Effect> {
    if let Some(Popup::Picture { at }) = state.popup {
        return super::picture::save(state, at).into_iter().collect();
    }
    let Some(call) = state.output_here() else { return Vec::new() };
    let top = state.drawn.outputs.iter().find(|drawn| drawn.call == call).map(|drawn| drawn.top);
    let Some(run) = state.output.run_mut(call) else { return Vec::new() };
    match what {
        Output::Follow => match run.look {
            Look::Follow => hold(run, top.unwrap_or_default()),
            Look::Held { .. } => run.look = Look::Follow,
        },
        Output::Wrap => {
            run.wrap = match run.wrap {
                Wrap::Cut => Wrap::Rows,
                Wrap::Rows => Wrap::Cut,
            };
            if let Look::Held { row, .. } = &mut run.look {
                *row = 0;
            }
        }
        Output::Save => super::save::ask(state, call),
        Output::Pin => {
            state.output.pin(call);
            let pinned = state.output.run(call).is_some_and(|run| run.pinned);
            let text = if pinned { "Pinned: it keeps its pane." } else { "No longer pinned." };
            state.status.say(text, state.now.at);
        }
        Output::Close => {
            let goes_on = run.ended.is_none();
            state.output.close(call);
            state.popup.take_if(|popup| *popup == Popup::Output);
            state.focus = state.beside();
            if goes_on {
                let key = hints::shows(&state.controls, Go::Output);
                let text = format!("Closed; the program goes on. {key} shows it.");
                state.status.say(text, state.now.at);
            }
        }
        Output::Next | Output::Previous => state.output.step(what == Output::Next),
    }
    Vec::new()
}

/// Shows all of it in the person's own pager.
pub(super) fn page(state: &State, call: CallId) -> Vec<Effect> {
    let run = state.output.run(call);
    run.map(|run| Effect::PageOutput(run.session, call)).into_iter().collect()
}

/// The lines in sight, for the clipboard.
pub(super) fn copy(state: &mut State, call: CallId) -> Vec<Effect> {
    let drawn = state.drawn.outputs.iter().find(|drawn| drawn.call == call).copied();
    let (Some(run), Some(drawn)) = (state.output.run(call), drawn) else { return Vec::new() };
    let lines = (drawn.top.0..drawn.top.0 + drawn.rows as u64).filter_map(|line| run.line(line));
    let lines: Vec<&str> = lines.collect();
    let said = format!("Copied: {}.", crate::tui::words::count(lines.len(), "line"));
    let text = lines.join("\n");
    state.status.say(said, state.now.at);
    vec![Effect::Copy(text)]
}

/// Opens the field of the search.
pub(super) fn search(state: &mut State, call: CallId) {
    state.output.search = Some(Search::of(call));
}

/// Writes the word that is looked for, and looks for it. Whether there is one.
pub(super) fn write(state: &mut State, edit: impl FnOnce(&mut Search)) -> Vec<Effect> {
    if !state.finding() {
        return Vec::new();
    }
    let Some(search) = &mut state.output.search else { return Vec::new() };
    let before = search.word.text();
    edit(search);
    let word = search.word.text();
    if word == before {
        return Vec::new();
    }
    (search.found, search.more, search.at) = (Vec::new(), false, 0);
    search.looking = !word.is_empty();
    let call = search.call;
    if word.is_empty() {
        return Vec::new();
    }
    let session = state.output.run(call).map(|run| run.session);
    session.map(|session| Effect::FindInOutput(session, call, word)).into_iter().collect()
}

pub(super) fn edit(state: &mut State, edit: Edit) -> Vec<Effect> {
    write(state, |search| {
        search.word.edit(edit);
    })
}

/// It was looked for: the first place that is not above what is in sight comes into sight.
pub(super) fn found(state: &mut State, call: CallId, word: &str, lines: Vec<u64>, more: bool) {
    let top = state.drawn.outputs.iter().find(|drawn| drawn.call == call).map(|drawn| drawn.top.0);
    let Some(search) = &mut state.output.search else { return };
    if search.call != call || search.word.text() != word {
        return;
    }
    search.looking = false;
    let next = lines.partition_point(|line| *line < top.unwrap_or(0));
    search.at = if next < lines.len() { next } else { 0 };
    (search.found, search.more) = (lines, more);
    show(state);
}

/// The next place, or the one before.
pub(super) fn next(state: &mut State, forward: bool) {
    let Some(search) = &mut state.output.search else { return };
    let count = search.found.len();
    if count > 0 {
        search.at = (search.at + if forward { 1 } else { count - 1 }) % count;
        show(state);
    }
}

fn show(state: &mut State) {
    let Some(search) = &state.output.search else { return };
    let Some(line) = search.found.get(search.at).copied() else { return };
    let drawn = state.drawn.outputs.iter().find(|drawn| drawn.call == search.call).copied();
    let Some(run) = state.output.run_mut(search.call) else { return };
    let (top, rows) = drawn.map_or((0, 1), |drawn| (drawn.top.0, drawn.rows as u64));
    if line < top || line >= top + rows {
        hold(run, (line.saturating_sub(rows / 3), 0));
    } else {
        hold(run, drawn.map_or((line, 0), |drawn| drawn.top));
    }
}

/// esc in a search ends it; whether there was one.
pub(super) fn leave(state: &mut State) -> bool {
    state.finding() && state.output.search.take().is_some()
}
