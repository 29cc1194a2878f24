//! The arguments of a call while they are edited: a field a row, what was changed marked.

use ratatui::{
    layout::Rect,
    text::{Line, Span as Text},
};
use serde_json::Value;

use super::{
    composer,
    pen::{Pen, inset, split_bottom, split_top},
    question,
};
use crate::tui::{
    clean,
    hints::Hints,
    keymap::{Action, Move, Part, Place},
    state::{
        Focus, State,
        draft::Draft,
        edit::{Edit, Field, Kind, Span},
        waiting::Waiting,
    },
    theme::{Mark, Role},
    words,
    wrap::wrap_text,
};

/// Cells before a value: bar, name, mark.
fn margin(edit: &Edit) -> usize {
    let names = edit.fields.iter().map(|field| clean::width(&field.name));
    names.max().unwrap_or(0).clamp(8, 16) + 6
}

/// One row of the form, and where the cursor stands in it.
struct Row {
    label: String,
    changed: bool,
    text: String,
    right: String,
    here: bool,
    cursor: Option<usize>,
}

pub(super) fn rows(edit: &Edit, width: usize) -> usize {
    3 + warned(edit) + verdict(edit, width).len() + laid(edit, width).len()
}

/// Deceiving characters that are named; more are counted.
const NAMED: usize = 3;

/// The rows that warn of them.
fn warned(edit: &Edit) -> usize {
    let count = edit.deceits.count;
    usize::from(count > 0) + count.min(NAMED)
}

fn warn(pen: &mut Pen<'_>, area: Rect, edit: &Edit) {
    let count = edit.deceits.count;
    let mark = pen.look.mark(Mark::Warning);
    let what = words::count(count, "character");
    let first = if count > NAMED { format!(" The first {NAMED}:") } else { String::new() };
    let text = format!(" {mark} {what} here can deceive the eye.{first}");
    pen.text(area, 0, &text, Role::Warn);
    for (at, (place, deceit)) in edit.deceits.first.iter().take(NAMED).enumerate() {
        let place = clean::truncate(&clean::shown(place), 16);
        let line = Line::from(vec![
            pen.span(format!("   {}  ", clean::pad(&place, 10)), Role::Quiet),
            pen.span(format!("⟨U+{:04X}⟩", u32::from(deceit.char)), Role::Escape),
            pen.span(format!("  {}", deceit.why), Role::Text),
        ]);
        pen.line(area, u16::try_from(at + 1).unwrap_or(u16::MAX), line);
    }
}

pub(super) fn draw(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    waiting: &Waiting,
    edit: &Edit,
) -> Option<(u16, u16)> {
    let here = state.focus == Focus::Question;
    question::title(state, pen, area, waiting, &format!("edit{}", pen.look.dot()), here);
    let (_, rest) = split_top(area, 1);
    let call = &waiting.question;
    let effect = call.category.name().to_uppercase();
    let left = vec![pen.span(format!("{effect}  {}", call.call.name), Role::Bright)];
    let right = format!("{} of {} changed", edit.changed(), edit.fields.len());
    let right = Line::from(pen.span(right, Role::Quiet));
    pen.apart(inset(rest, 1, 1), 0, Line::from(left), right);
    let (_, rest) = split_top(rest, 1);
    let width = usize::from(area.width);
    let (rest, keys) = split_bottom(rest, 1);
    let hints = Hints::of(&state.controls, Place::Edit)
        .with(Action::Confirm, "yes, as edited")
        .with(Action::Move(Move::NextCell), "next")
        .with(Action::Editor(Part::Field), "in $EDITOR")
        .leave("back, unchanged");
    pen.hints(keys, hints);
    let said = verdict(edit, width);
    let (rest, foot) = split_bottom(rest, u16::try_from(said.len()).unwrap_or(1));
    let (mark, role) = match edit.fault {
        Some(_) => (Mark::Failed, Role::Bad),
        None => (Mark::Done, Role::Quiet),
    };
    for (y, text) in said.iter().enumerate() {
        let mark = if y == 0 { pen.mark(mark) } else { Text::raw(" ") };
        let mut spans = vec![Text::raw(" "), mark, Text::raw(" ")];
        spans.extend(pen.spans(text, role));
        pen.line(foot, u16::try_from(y).unwrap_or(0), Line::from(spans));
    }
    let (rest, warning) = split_bottom(rest, u16::try_from(warned(edit)).unwrap_or(0));
    if warning.height > 0 {
        warn(pen, warning, edit);
    }
    let margin = margin(edit);
    let rows = laid(edit, width);
    let height = usize::from(rest.height);
    let at = rows.iter().position(|row| row.cursor.is_some() || row.here).unwrap_or(0);
    let top = (at + 2).saturating_sub(height).min(rows.len().saturating_sub(height));
    let mut cursor = None;
    for (y, row) in rows.iter().skip(top).take(height).enumerate() {
        let y = u16::try_from(y).unwrap_or(0);
        let bar = if row.here { pen.mark(Mark::Here) } else { Text::raw(" ") };
        let plus = if row.changed { pen.mark(Mark::Add) } else { Text::raw(" ") };
        let role = if row.here { Role::Bright } else { Role::Text };
        let left = vec![
            Text::raw(" "),
            bar,
            Text::raw(" "),
            pen.span(clean::pad(&row.label, margin - 5), Role::Quiet),
            plus,
            Text::raw(" "),
            pen.span(row.text.clone(), role),
        ];
        let right = Line::from(pen.spans(&row.right, Role::Quiet));
        pen.apart(inset(rest, 0, 1), y, Line::from(left), right);
        if let Some(column) = row.cursor {
            let x = u16::try_from(margin + column).unwrap_or(u16::MAX);
            cursor =
                Some((rest.x.saturating_add(x).min(rest.right().saturating_sub(1)), rest.y + y));
        }
    }
    let hidden = rows.len().saturating_sub(height);
    if hidden > 0 {
        let below = hidden - top;
        let said = match (top, below) {
            (0, _) => format!("  {} below", words::count(below, "row")),
            (_, 0) => format!("  {} above", words::count(top, "row")),
            _ => format!("  {top} rows above, {below} below"),
        };
        let cells = clean::width(&said);
        let x = u16::try_from(width.saturating_sub(cells + 1)).unwrap_or(0);
        pen.text(inset(rest, x, 0), rest.height.saturating_sub(1), &said, Role::Quiet);
    }
    cursor.filter(|_| here)
}

/// Whether it could run as it stands, in rows.
fn verdict(edit: &Edit, width: usize) -> Vec<String> {
    let text = match &edit.fault {
        Some(fault) => clean::shown(fault).into_owned(),
        None if width < 60 => "Valid: this is what runs.".to_owned(),
        None => "Valid. This is what runs and what the log says; the model is told you edited."
            .to_owned(),
    };
    let rows = wrap_text(&text, width.saturating_sub(3)).into_iter();
    rows.take(4).map(str::to_owned).collect()
}

fn laid(edit: &Edit, width: usize) -> Vec<Row> {
    let room = width.saturating_sub(margin(edit) + 1).max(1);
    let mut rows = Vec::new();
    for (at, field) in edit.fields.iter().enumerate() {
        let here = |item: usize| edit.at == (at, item);
        let was = if field.is_changed() { was(field) } else { String::new() };
        let first = rows.len();
        match &field.kind {
            _ if field.is_left_out() && edit.at.0 != at => rows.push(own("not set", false)),
            Kind::Text(draft) | Kind::Word(draft, _) | Kind::Json(draft) => {
                push(&mut rows, draft, (here(0), field.is_changed()), (room, field.span));
            }
            Kind::Items(items) => {
                for (item, draft) in items.iter().enumerate() {
                    push(&mut rows, draft, (here(item), field.is_new(item)), (room, field.span));
                }
                if items.is_empty() {
                    rows.push(own("empty", here(0)));
                }
            }
            Kind::Elsewhere(value, _) => {
                let text = format!("{}, written in $EDITOR only", size(value));
                rows.push(own(&text, here(0)));
            }
        }
        if let Some(row) = rows.get_mut(first) {
            row.label = clean::shown(&field.name).into_owned();
            row.right = was;
        }
        // What it was has a row of its own where it has no room.
        let wanted =
            rows.get(first).map_or(0, |row| clean::width(&row.text) + clean::width(&row.right));
        if wanted + 3 > room
            && let Some(row) = rows.get_mut(first)
            && !row.right.is_empty()
        {
            let text = std::mem::take(&mut row.right);
            rows.push(Row { right: text, ..own("", false) });
        }
    }
    rows
}

fn own(text: &str, here: bool) -> Row {
    let (label, right) = (String::new(), String::new());
    Row { label, changed: false, text: text.to_owned(), right, here, cursor: None }
}

fn push(
    rows: &mut Vec<Row>,
    draft: &Draft,
    (here, changed): (bool, bool),
    (room, span): (usize, Span),
) {
    let (lines, (line, column)) = match span {
        Span::Name => composer::laid_name(draft, room),
        Span::Lines => composer::laid(draft, room),
    };
    for (at, text) in lines.into_iter().enumerate() {
        let cursor = (here && at == line).then_some(column);
        rows.push(Row { changed, cursor, here, ..own(&text, here) });
    }
}

/// What was asked for, in a few words.
fn was(field: &Field) -> String {
    const MOST: usize = 40;
    let text = match &field.was {
        None => "not set".to_owned(),
        Some(Value::String(text)) if text.len() <= MOST && !text.contains('\n') => text.clone(),
        Some(Value::Bool(true)) => "yes".to_owned(),
        Some(Value::Bool(false)) => "no".to_owned(),
        Some(Value::Array(items)) if items.iter().all(Value::is_string) => {
            words::count(items.len(), "item")
        }
        Some(value) => match value.to_string() {
            text if text.len() <= MOST => text,
            _ => size(value),
        },
    };
    format!("was {text}")
}

fn size(value: &Value) -> String {
    match value.as_str() {
        Some(text) => format!("{} bytes", words::grouped(text.len() as u64)),
        None => format!("{} bytes of JSON", words::grouped(value.to_string().len() as u64)),
    }
}
