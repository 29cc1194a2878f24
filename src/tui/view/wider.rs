//! The form of a yes for more than once: the rule as it is saved, and what it would have matched.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::{
    Room, composer,
    pen::{Keys, Pen, inset, split_bottom, split_top},
    question,
};
use crate::{
    kernel::gate::rule::Lasting,
    tui::{
        clean,
        hints::Hints,
        keymap::{Action, Place},
        state::{
            Focus, State,
            records::{
                past::{MOST, Past},
                wider::Wider,
            },
            waiting::Waiting,
        },
        theme::{Mark, Role},
        words,
        wrap::{Layout, wrap_with},
    },
};

/// From this width on the calls so far stand beside the rule.
const BESIDE: u16 = 72;

/// Rows below the rule for what is to be said of it.
const NOTES: u16 = 4;

/// Title, headline, the rule above the text, the one below it, and the keys.
const FIXED: usize = 5;

fn left(width: u16) -> u16 {
    if width >= BESIDE { width * 21 / 40 } else { width }
}

pub(super) fn rows(wider: &Wider, area: Rect) -> usize {
    let width = usize::from(left(area.width)).saturating_sub(3).max(1);
    FIXED + (text(wider, width) + usize::from(NOTES)).max(10)
}

/// The rows of the text.
fn text(wider: &Wider, width: usize) -> usize {
    let (lines, ..) = wider.draft.shown();
    lines.iter().map(|line| clean::width(line) / width + 1).sum()
}

pub(super) fn draw(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    waiting: &Waiting,
    wider: &Wider,
) -> Option<(u16, u16)> {
    let here = state.focus == Focus::Question;
    let dot = pen.look.dot();
    question::title(state, pen, area, waiting, &format!("wider{dot}"), here);
    let (_, rest) = split_top(area, 1);
    question::headline(pen, rest, waiting, Room::Plain);
    let (_, rest) = split_top(rest, 1);
    let (rest, keys) = split_bottom(rest, 1);
    offers(state, pen, keys, wider);
    let (rest, below) = split_bottom(rest, u16::from(rest.height > 4));
    pen.rule(below, 0, Keys::Elsewhere, Vec::new(), Vec::new());
    let count = wider.past.iter().filter(|past| past.matched).count();
    let of = match wider.past.len() {
        MOST => format!("the last {}", words::count(MOST, "call")),
        all => format!("{} so far", words::count(all, "call")),
    };
    let matches = format!("matches {count} of {of}");
    let (head, body) = split_top(rest, 1);
    let width = left(area.width);
    let field = Rect { width, ..body };
    let notes = match field.height {
        8.. => NOTES,
        5..8 => 1,
        ..5 => 0,
    };
    let (field, about) = split_bottom(field, notes);
    let all = text(wider, usize::from(width.saturating_sub(2)).max(1));
    let title = if all > usize::from(field.height) {
        format!("saved as it stands: {} of {all} rows in sight", field.height)
    } else {
        "saved exactly as it stands here".to_owned()
    };
    let title = vec![pen.span(title, Role::Quiet)];
    if width < area.width {
        pen.rule(Rect { width, ..head }, 0, Keys::Elsewhere, title, Vec::new());
        let title = vec![pen.span(matches, Role::Quiet)];
        pen.rule(inset(head, width, 0), 0, Keys::Elsewhere, title, Vec::new());
        let column = Line::from(pen.mark(Mark::Column));
        for row in 0..body.height {
            pen.line(inset(body, width, 0), row, column.clone());
        }
        calls(state, pen, inset(body, width + 2, 0), wider);
    } else {
        let right = vec![pen.span(matches, Role::Quiet)];
        pen.rule(head, 0, Keys::Elsewhere, title, right);
    }
    let cursor = composer::text(pen, inset(field, 1, 1), &wider.draft, here);
    say(pen, inset(about, 1, 1), wider);
    cursor.filter(|_| here)
}

/// What is wrong with the rule, or how long it lasts.
fn say(pen: &mut Pen<'_>, area: Rect, wider: &Wider) {
    let mut lines = Vec::new();
    match (&wider.says, &wider.others) {
        (Some(Err(fault)), _) => {
            let mark = pen.look.mark(Mark::Warning);
            let place = format!("line {}", fault.line);
            lines.push((format!("{mark} {place}: {}", fault.fault), Role::Warn));
            lines.push((fault.hint.clone(), Role::Quiet));
        }
        (_, Some(Err(why))) => {
            lines.push((format!("{} {why}", pen.look.mark(Mark::Warning)), Role::Warn));
        }
        (_, Some(Ok(_)) | None) => {
            if wider.draft.text().contains("\"**\"") {
                lines.push(("** stands for any further arguments".to_owned(), Role::Quiet));
            }
            let kept = match wider.lasting {
                Lasting::Session => "Kept with this session, then gone.",
                Lasting::File => "Kept in your rules, for every session from now on.",
            };
            lines.push((kept.to_owned(), Role::Text));
        }
    }
    let width = usize::from(area.width).max(1);
    let wrapped = lines.into_iter().flat_map(|(text, role)| {
        let line = Line::from(pen.spans(&text, role));
        wrap_with(&line, Layout::words(width))
    });
    let wrapped: Vec<_> = wrapped.take(usize::from(area.height)).collect();
    // Against the bottom, so that the text above has a blank row where there is room.
    let first = usize::from(area.height) - wrapped.len();
    for (at, line) in wrapped.into_iter().enumerate() {
        pen.line(area, u16::try_from(first + at).unwrap_or(u16::MAX), line);
    }
}

fn offers(state: &State, pen: &mut Pen<'_>, area: Rect, wider: &Wider) {
    let able = matches!(wider.says, Some(Ok(_))) && !matches!(wider.others, Some(Err(_)));
    let save = match &wider.others {
        Some(Ok(others)) if *others > 0 && area.width < BESIDE => {
            format!("save: answers {}", others + 1)
        }
        Some(Ok(others)) if *others > 0 => {
            format!("save: answers this and {others} more")
        }
        _ => "save: answers this".to_owned(),
    };
    let other = match wider.lasting {
        Lasting::Session => "always",
        Lasting::File => "this session",
    };
    let mut spans = vec![Span::raw(" ")];
    if able {
        let key = state.controls.key(Place::Wider, Action::Confirm);
        spans.push(pen.span(format!("{key} {save}"), Role::Bright));
    } else {
        spans.push(pen.mark(Mark::KeyOff));
        spans.push(pen.span(format!(" {save}"), Role::Quiet));
    }
    let hints = Hints::of(&state.controls, Place::Wider).with(Action::Lasting, other);
    let hints = hints.leave("back, still open");
    let used = words::cells(&Line::from(spans.clone())) + 3;
    let rest = hints.within(usize::from(area.width).saturating_sub(used));
    spans.push(pen.span(format!("   {rest}"), Role::Bright));
    pen.line(area, 0, Line::from(spans));
}

/// The calls so far: those the rule would have matched, first those that were refused, then the rest.
fn calls(state: &State, pen: &mut Pen<'_>, area: Rect, wider: &Wider) {
    let of = |keep: &dyn Fn(&&Past) -> bool| wider.past.iter().filter(keep).collect::<Vec<_>>();
    let refused = of(&|past| past.matched && past.refused);
    let let_through = of(&|past| past.matched && !past.refused);
    let rest = of(&|past| !past.matched);
    let mut matched = Vec::new();
    for past in &refused {
        matched.push(entry(state, pen, past, Mark::Warning));
        let text = format!("  {}you said no to this one", " ".repeat(7));
        matched.push(Line::from(pen.span(text, Role::Warn)));
    }
    matched.extend(let_through.iter().map(|past| entry(state, pen, past, Mark::Done)));
    let others = rest.iter().map(|past| entry(state, pen, past, Mark::Separator));
    let others: Vec<_> = others.collect();
    let height = usize::from(area.height);
    let below = if others.is_empty() { 0 } else { (others.len() + 1).min((height / 3).max(3)) };
    let rows = cut(pen, matched, height.saturating_sub(below));
    let room = height - rows.len();
    let mut all = rows;
    if !others.is_empty() {
        all.push(Line::from(pen.span("not matched", Role::Quiet)));
        all.extend(cut(pen, others, room.saturating_sub(1)));
    }
    for (at, line) in all.into_iter().enumerate() {
        pen.line(area, u16::try_from(at).unwrap_or(u16::MAX), line);
    }
}

fn entry(state: &State, pen: &Pen<'_>, past: &Past, mark: Mark) -> Line<'static> {
    let role = if past.matched { Role::Text } else { Role::Quiet };
    let at = state.records.minute(past.at);
    let mut spans = vec![pen.mark(mark), pen.span(format!(" {at}  "), Role::Quiet)];
    spans.extend(pen.spans(&past.words, role));
    Line::from(spans)
}

/// So many rows of them; where there are more, the last one says how many.
fn cut(pen: &Pen<'_>, mut lines: Vec<Line<'static>>, rows: usize) -> Vec<Line<'static>> {
    if lines.len() > rows {
        let more = lines.len() - rows.saturating_sub(1);
        lines.truncate(rows.saturating_sub(1));
        if rows > 0 {
            let text = format!("{} {more} more", pen.look.mark(Mark::Gap));
            lines.push(Line::from(pen.span(text, Role::Quiet)));
        }
    }
    lines
}
