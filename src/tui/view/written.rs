//! What was written through the gate: the changes, what one of them changed, and what undoing would do.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::pen::{Keys, Pen, inset, split_bottom, split_top};
use crate::{
    kernel::{
        change::{Planned, Undo, Why},
        event::Origin,
    },
    tui::{
        clean,
        hints::Hints,
        keymap::{Action, Move, Part, Place},
        state::{
            DrawnChange, State,
            records::written::{View, Written},
        },
        theme::{Mark, Role},
        words,
        wrap::{Layout, wrap_with},
    },
};

/// From this width on what was changed stands beside the list.
const BESIDE: u16 = 60;

/// Gives what of a change is in sight.
pub(super) fn draw(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    chosen: usize,
) -> Option<DrawnChange> {
    pen.clear(area);
    let written = &state.records.written;
    let (head, rest) = split_top(area, 1);
    let (rest, keys) = split_bottom(rest, 1);
    let sum = |of: fn(&Planned) -> u64| written.all.iter().map(of).sum::<u64>();
    let (more, fewer) = (sum(|it| it.recorded.change.more), sum(|it| it.recorded.change.fewer));
    let full = written.all.get(chosen).filter(|_| written.view != View::Beside);
    let count = written.all.len();
    let dot = pen.look.dot();
    let right = match full {
        _ if count == 0 => String::new(),
        // Alone, its own amount is what counts.
        Some(planned) => {
            let change = &planned.recorded.change;
            let lines = words::lines(change.more, change.fewer);
            format!("{lines}{dot}{} of {count}", chosen + 1)
        }
        None => {
            format!("{}{dot}{}", words::count(count, "change"), words::lines(more, fewer))
        }
    };
    let mut title = vec![pen.span("changes", Role::Bright)];
    if let Some(planned) = full {
        title.push(pen.span(format!(" {} ", pen.look.mark(Mark::Path)), Role::Bright));
        // The end of a path says more than its beginning.
        let room = usize::from(head.width).saturating_sub(clean::width(&right) + 18);
        let path = words::tail(&planned.recorded.change.shown, room);
        title.extend(pen.name(&path, Role::Bright));
    }
    let right = Some(right).filter(|right| !right.is_empty());
    let right = right.map(|right| pen.span(right, Role::Quiet)).into_iter().collect();
    pen.rule(head, 0, Keys::Here, title, right);
    let compared_now = written.compared.as_ref();
    let new = compared_now.and_then(|compared| compared.diff()).is_some_and(|diff| diff.new_file);
    pen.hints(keys, keys_of(state, written, new));
    if written.all.is_empty() {
        let text = match &written.fault {
            Some(fault) => fault.clone(),
            None if written.reading => "Looking at the files…".to_owned(),
            None => "Nothing was written through the gate.".to_owned(),
        };
        pen.text(inset(rest, 1, 0), 0, &text, Role::Quiet);
        return None;
    }
    let rest = below(state, pen, rest, written);
    if full.is_some() {
        return compared(state, pen, rest, written, chosen);
    }
    let width = if rest.width >= BESIDE { (rest.width / 3).max(27) } else { rest.width };
    let list = Rect { width, ..rest };
    entries(state, pen, list, written, chosen);
    if width == rest.width {
        return None;
    }
    let column = Line::from(pen.mark(Mark::Column));
    for row in 0..rest.height {
        pen.line(inset(rest, width, 0), row, column.clone());
    }
    compared(state, pen, inset(rest, width + 1, 0), written, chosen)
}

/// What undoing would do, or what became of it; gives what is left above.
fn below(state: &State, pen: &mut Pen<'_>, area: Rect, written: &Written) -> Rect {
    let mut lines = Vec::new();
    let title = if let Some(undo) = &written.undo {
        let names = undo.iter().map(|planned| clean::width(&planned.recorded.change.shown));
        let most = if area.width < BESIDE { 0 } else { usize::from(area.width) / 3 };
        let names = names.max().unwrap_or(0).min(most);
        for planned in undo {
            lines.push(intent(state, pen, planned, names));
        }
        format!("undo {} of {}?", written.able(), words::count(undo.len(), "change"))
    } else {
        for (done, text) in &written.told {
            let mark = if *done { Mark::Undo } else { Mark::Warning };
            let mut spans = vec![Span::raw("  "), pen.mark(mark), Span::raw(" ")];
            spans.extend(pen.spans(words::first_line(text), Role::Text));
            lines.push(Line::from(spans));
        }
        "undone".to_owned()
    };
    if lines.is_empty() {
        return area;
    }
    let width = usize::from(area.width).max(1);
    let lines: Vec<_> =
        lines.iter().flat_map(|line| wrap_with(line, Layout::words(width).hanging(4))).collect();
    let most = (area.height / 2).max(2);
    let rows = u16::try_from(lines.len() + 1).unwrap_or(u16::MAX).min(most);
    let (above, below) = split_bottom(area, rows);
    pen.rule(below, 0, Keys::Elsewhere, vec![pen.span(title, Role::Bright)], Vec::new());
    let room = usize::from(rows.saturating_sub(1));
    let cut = lines.len() > room;
    let shown = if cut { room.saturating_sub(1) } else { room };
    let left = lines.len() - lines.len().min(shown);
    for (at, line) in lines.into_iter().take(shown).enumerate() {
        pen.line(below, u16::try_from(at + 1).unwrap_or(u16::MAX), line);
    }
    if cut {
        let text = format!("    {} {left} more rows", pen.look.mark(Mark::Gap));
        pen.text(below, rows.saturating_sub(1), &text, Role::Quiet);
    }
    above
}

fn intent(state: &State, pen: &Pen<'_>, planned: &Planned, names: usize) -> Line<'static> {
    let mark = match planned.undo {
        Undo::Restore { .. } | Undo::Remove => Mark::Undo,
        Undo::LeaveAlone(_) => Mark::Warning,
    };
    let recorded = &planned.recorded;
    let time = |at| state.records.minute(at);
    let text = planned.undo.words(time, recorded.at);
    let mut spans = vec![Span::raw("  "), pen.mark(mark), Span::raw(" ")];
    let gap = names.saturating_sub(clean::width(&clean::name(&recorded.change.shown))) + 2;
    spans.extend(pen.name(&recorded.change.shown, Role::Bright));
    spans.push(Span::raw(" ".repeat(gap)));
    spans.extend(pen.spans(&text, Role::Text));
    Line::from(spans)
}

/// Two rows a change: the file, and who wrote it when.
fn entries(state: &State, pen: &mut Pen<'_>, area: Rect, written: &Written, chosen: usize) {
    let room = usize::from(area.height / 2).max(1);
    let first = (chosen + 1).saturating_sub(room);
    for (at, planned) in written.all.iter().enumerate().skip(first).take(room) {
        let row = u16::try_from(2 * (at - first)).unwrap_or(0);
        let recorded = &planned.recorded;
        let mark = match &planned.undo {
            Undo::Restore { .. } | Undo::Remove => Mark::CanUndo,
            Undo::LeaveAlone(Why::Undone) => Mark::Undo,
            Undo::LeaveAlone(_) => Mark::Warning,
        };
        let picked = written.chosen.contains(&recorded.call);
        let picked = pen.span(if picked { "[x] " } else { "[ ] " }, Role::Quiet);
        let mut left = vec![picked, pen.mark(mark), Span::raw(" ")];
        left.extend(pen.name(&recorded.change.shown, Role::Text));
        let mut amount = Vec::new();
        for (sign, count) in [("+", recorded.change.more), ("−", recorded.change.fewer)] {
            if count > 0 {
                amount.push(format!("{sign}{}", words::grouped(count)));
            }
        }
        let right = Line::from(pen.span(amount.join(" "), Role::Quiet));
        let inner = inset(area, 1, 1);
        pen.apart(inner, row, Line::from(left), right);
        let time = state.records.minute(recorded.at);
        let room = usize::from(inner.width).saturating_sub(clean::width(&time) + 8);
        let who = format!("      {}", clean::shown(&who(state, planned, room)));
        let at_time = Line::from(pen.span(time, Role::Quiet));
        pen.apart(inner, row + 1, Line::from(pen.span(who, Role::Quiet)), at_time);
        if at == chosen {
            pen.line(area, row, Line::from(pen.mark(Mark::Here)));
            pen.line(area, row + 1, Line::from(pen.mark(Mark::Here)));
        }
    }
}

/// `main.py:12`, or the agent and the line; in little room the line alone.
fn who(state: &State, planned: &Planned, room: usize) -> String {
    let recorded = &planned.recorded;
    let agent = recorded.agents.last().cloned().unwrap_or_default();
    let node = state.sessions.get(recorded.session);
    let script = recorded.parent.zip(node).and_then(|(call, node)| node.transcript.code(call));
    let script = script.map(|code| code.filename.clone());
    match (script, recorded.origin) {
        (Some(script), Origin::Python { line: Some(line) }) => format!("{script}:{line}"),
        (Some(script), _) => script,
        (None, Origin::Python { line: Some(line) }) => {
            let whole = format!("{agent}, line {line}");
            if clean::width(&whole) <= room { whole } else { format!("line {line}") }
        }
        (None, _) => agent,
    }
}

fn compared(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    written: &Written,
    chosen: usize,
) -> Option<DrawnChange> {
    let here = written.all.get(chosen).map(|planned| planned.recorded.call);
    let compared = written.compared.as_ref().filter(|compared| Some(compared.call) == here)?;
    super::compared::draw(state, pen, area, compared, written.view.compare())
}

/// What can be done here.
fn keys_of<'a>(state: &'a State, written: &Written, new: bool) -> Hints<'a> {
    let moves = [Action::Move(Move::Up), Action::Move(Move::Down)];
    let of = |place| Hints::of(&state.controls, place);
    if written.all.is_empty() {
        return of(Place::Changes).leave("back");
    }
    if written.undo.is_some() {
        let able = written.able();
        let hints = match able {
            0 => of(Place::Undo).says("nothing to undo"),
            able => of(Place::Undo).with(Action::Confirm, &format!("undo {able}")),
        };
        return hints.with(Action::Choose, "choose").moves(moves, "move").leave("keep");
    }
    let hints = of(Place::Changes);
    let open = Action::Editor(Part::Whole);
    match written.view {
        View::Beside => hints
            .with(Action::Choose, "choose")
            .with(Action::Undo, "undo…")
            .with(Action::Open, "in full")
            .when(!new, Action::Compare, "side by side")
            .with(Action::File, "read")
            .with(open, "open")
            .leave("back"),
        View::Full | View::Sides => {
            let other = if written.view == View::Full { "side by side" } else { "unified" };
            hints
                .moves(moves, "scroll")
                .with(Action::Undo, "undo…")
                .when(!new || written.view == View::Sides, Action::Compare, other)
                .with(Action::File, "read")
                .with(open, "open")
                .leave("back to the list")
        }
    }
}

/// The cells that what was changed has in full.
pub(in crate::tui) fn width(state: &State) -> usize {
    usize::from(state.drawn.layout.popup.width)
}
