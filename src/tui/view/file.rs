//! A file, with the numbers of its lines, or what was changed in it last.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::{
    composer,
    pen::{Keys, Pen, inset, split_bottom, split_top},
    search,
};
use crate::tui::{
    clean,
    hints::Hints,
    ink::Brush,
    keymap::{Action, Move, Part, Place},
    row,
    state::{
        Drawn, DrawnFile, State,
        file::{Field, Side, Viewed},
        waiting::Compare,
    },
    theme::{Mark, Role},
    words,
    wrap::{Layout, wrap_with},
};

/// Draws it. Gives the place of the cursor, where something is typed.
pub(super) fn draw(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    drawn: &mut Drawn,
) -> Option<(u16, u16)> {
    pen.clear(area);
    let file = state.panes.viewer.file.as_ref()?;
    let (head, rest) = split_top(area, 1);
    let (rest, keys) = split_bottom(rest, 1);
    let (rest, field) = split_bottom(rest, u16::from(file.field.is_some()));
    pen.hints(keys, keys_of(state, file));
    let cursor = typed(state, pen, field, file);
    if let (Side::Change(how), Some(change)) = (file.side, &file.change) {
        drawn.change = super::compared::draw(state, pen, rest, change, how);
        title(state, pen, head, file, None);
        return cursor;
    }
    drawn.file = text(state, pen, rest, file);
    title(state, pen, head, file, drawn.file);
    cursor
}

/// What of the file is in sight.
fn text(state: &State, pen: &mut Pen<'_>, area: Rect, file: &Viewed) -> Option<DrawnFile> {
    let height = usize::from(area.height);
    let none = DrawnFile { rows: height, first: 0, last: 0 };
    let said = |pen: &mut Pen<'_>, text: &str| {
        let inner = inset(area, 1, 1);
        let line = Line::from(pen.spans(text, Role::Quiet));
        let rows = wrap_with(&line, Layout::words(usize::from(inner.width).max(1)));
        for (y, line) in (0..area.height).zip(rows) {
            pen.line(inner, y, line);
        }
    };
    if let Some(fault) = &file.fault {
        said(pen, &fault.to_string());
        return Some(none);
    }
    let Some(page) = &file.page else { return Some(none) };
    if page.lines.is_empty() {
        said(pen, "An empty file.");
        return Some(none);
    }
    let Some((sheet, index)) = file.laid(usize::from(area.width)) else { return Some(none) };
    // Where it is not read yet, it comes with the next frame.
    let Some(top) = file.first(&index, height) else { return Some(none) };
    let style = |role| state.look.style(role);
    let brush = Brush { style: &style, marks: state.look.marks };
    let rows = index.rows(&sheet, top..top + height, brush);
    let line_of = |row: usize| page.first + index.spot(row).0 as u64;
    let count = rows.len();
    for (at, row) in rows.iter().enumerate() {
        let y = u16::try_from(at).unwrap_or(u16::MAX);
        pen.line(area, y, row.line.clone());
        if file.line == Some(line_of(top + at)) {
            pen.line(area, y, Line::from(pen.mark(Mark::Here)));
        }
    }
    if let (Some(Field::Word(_)), false) = (&file.field, file.seek.word.is_empty()) {
        for hit in row::find(&rows, &file.seek.word) {
            let here = hit.first().is_some_and(|(row, _)| Some(line_of(top + row)) == file.line);
            let role = if here { Role::Select } else { Role::Match };
            search::paint(pen, area, &hit, 0, role);
        }
    }
    let (first, last) = (line_of(top), line_of(top + count.max(1) - 1));
    Some(DrawnFile { rows: height, first, last })
}

/// The rule: which file, where the view stands, and what is to be known of it.
fn title(state: &State, pen: &mut Pen<'_>, area: Rect, file: &Viewed, drawn: Option<DrawnFile>) {
    let path = &file.of.path;
    let (name, inside) = match path.strip_prefix(&file.of.root) {
        Ok(inside) => (inside.display().to_string(), true),
        Err(_) => (state.records.short(path), false),
    };
    let mut right = Vec::new();
    let mut fact = |pen: &Pen<'_>, text: String, role: Role| {
        if !right.is_empty() {
            right.push(pen.span(pen.look.dot(), Role::Quiet));
        }
        right.push(pen.span(text, role));
    };
    let wide = area.width >= 60;
    if let Some(at) = file.changed {
        let mark = pen.look.mark(Mark::Warning);
        let when = state.records.minute(at);
        let text =
            if wide { format!("{mark} changed {when}, read again") } else { mark.to_owned() };
        fact(pen, text, Role::Warn);
    }
    if !inside && wide {
        fact(pen, "outside of the folder".to_owned(), Role::Warn);
    }
    match (file.side, drawn, &file.page) {
        (Side::Change(_), ..) => {
            let change = file.change.as_ref().and_then(|change| change.diff());
            let sum = change.map(|diff| diff.summary(state.look.marks)).unwrap_or_default();
            let what = if wide { "what was changed last" } else { "last change" };
            fact(pen, format!("{what}{}{sum}", pen.look.dot()), Role::Quiet);
        }
        (Side::Now, Some(drawn), Some(page)) if !page.lines.is_empty() => {
            if file.asked.last {
                fact(pen, "reading to the end…".to_owned(), Role::Quiet);
            }
            let first = words::grouped(drawn.first + 1);
            let text = match file.count {
                Some(all) => format!("line {first} of {}", words::grouped(all)),
                None if !page.counted => "the end · counting its lines…".to_owned(),
                None => format!("line {first} of ?"),
            };
            fact(pen, text, Role::Quiet);
            if page.crlf && wide {
                fact(pen, "CRLF".to_owned(), Role::Quiet);
            }
        }
        (Side::Now, ..) => {}
    }
    let title = pen.spans(&name, Role::Bright);
    pen.rule(area, 0, Keys::Here, title, right);
}

fn keys_of<'a>(state: &'a State, file: &Viewed) -> Hints<'a> {
    let hints = Hints::of(&state.controls, Place::File);
    let edit = Action::Editor(Part::Whole);
    match (file.side, &file.change) {
        _ if file.field.is_some() => hints,
        (Side::Change(how), _) => {
            let (changed, sides) = match how {
                Compare::Unified => ("the file", "side by side"),
                Compare::Sides => ("unified", "the file"),
            };
            hints
                .with(Action::Changed, changed)
                .with(Action::Compare, sides)
                .with(edit, "edit")
                .leave("back")
        }
        (Side::Now, change) => hints
            .with(Action::Search, "search")
            .with(Action::Line, "line")
            .when(change.is_some(), Action::Changed, "what was changed")
            .when(change.is_some(), Action::Compare, "side by side")
            .with(edit, "edit")
            .with(Action::Copy, "copy")
            .leave("back"),
    }
}

/// The field at the bottom.
fn typed(state: &State, pen: &mut Pen<'_>, area: Rect, file: &Viewed) -> Option<(u16, u16)> {
    match &file.field {
        None => None,
        Some(Field::Word(word)) => {
            let count = file.seek.lines.as_ref().filter(|_| file.seek.word == word.text());
            search::field(state, pen, area, (word, file.seek.at), count.map(Vec::len))
        }
        Some(Field::Line(number)) => {
            let hints =
                Hints::of(&state.controls, state.key_place()).with(Action::Open, "go there");
            let right = Line::from(pen.span(hints.leave("back").joined("   "), Role::Quiet));
            let taken = u16::try_from(words::cells(&right)).unwrap_or(u16::MAX).saturating_add(2);
            let left = Line::from(pen.span("line", Role::Quiet));
            pen.apart(inset(area, 1, 1), 0, left, right);
            composer::text(pen, inset(area, 6, taken), number, true)
        }
    }
}

/// Rows of the list of files: always the same, so that nothing moves while one types.
pub(super) const ROWS: u16 = 14;

/// The list from which a file is chosen.
pub(super) fn choice(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    row: usize,
) -> Option<(u16, u16)> {
    pen.clear(area);
    let choice = &state.panes.viewer.choice;
    let (head, rest) = split_top(area, 1);
    let title = match choice.given {
        Some(_) => "files of this part",
        None => "open a file, to read it",
    };
    let cut = if choice.found.cut { "not all of the folder was looked at" } else { "" };
    let title = vec![pen.span(title, Role::Bright)];
    let right = if cut.is_empty() { Vec::new() } else { vec![pen.span(cut, Role::Warn)] };
    pen.rule(head, 0, Keys::Here, title.clone(), right);
    let (field, rest) = split_top(rest, 1);
    pen.line(inset(field, 1, 0), 0, Line::from(pen.mark(Mark::Path)));
    let cursor = composer::text(pen, inset(field, 3, 1), &choice.words, true);
    let (list, keys) = split_bottom(rest, 1);
    let hints = Hints::of(&state.controls, Place::Files)
        .with(Action::Open, "open")
        .moves([Action::Move(Move::Up), Action::Move(Move::Down)], "choose")
        .leave("back");
    pen.hints(keys, hints);
    let names = &choice.found.names;
    if names.is_empty() {
        pen.text(inset(list, 3, 1), 0, "No file has these letters in its name.", Role::Quiet);
        return cursor;
    }
    let height = usize::from(list.height);
    let row = row.min(names.len() - 1);
    let first = (row + 1).saturating_sub(height);
    let right = pen.ends((first, height, names.len()), cut, head.width);
    pen.rule(head, 0, Keys::Here, title, right);
    for (at, name) in names.iter().enumerate().skip(first).take(height) {
        let y = u16::try_from(at - first).unwrap_or(0);
        let bar = if at == row { pen.mark(Mark::Here) } else { Span::raw(" ") };
        let role = if at == row { Role::Bright } else { Role::Text };
        let mut spans = vec![bar, Span::raw("  ")];
        // A name is hostile as well: a look-alike or a hidden letter is shown as its code.
        let (base, escape) = (pen.style(role), pen.style(Role::Escape));
        spans.extend(clean::asked_at(&name.path, 3, base, escape));
        pen.line(inset(list, 0, 1), y, Line::from(spans));
    }
    cursor
}
