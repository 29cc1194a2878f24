//! What is asked about, laid out in rows: nothing of it is cut.

use std::sync::Arc;

use ratatui::text::{Line, Span};

use super::{
    parts,
    question::{self, Head, facts_role, head_of},
};
use crate::tui::{
    clean,
    diff::LEAST_FOR_SIDES,
    highlight,
    row::{self, Hit, Row},
    state::{
        State,
        look::Look,
        waiting::{Compare, Laid, Sheet, Waiting},
    },
    theme::{Mark, Role},
    words,
    wrap::{Layout, wrap_with},
};

/// Deceiving characters that are named; more are counted.
const DECEITS: usize = 12;

/// All rows of what is asked about, at this width.
pub(in crate::tui) fn laid(state: &State, waiting: &Waiting, width: usize) -> Arc<Vec<Row>> {
    let Some(paper) = &waiting.paper else {
        let text = Span::styled("   …", state.look.style(Role::Quiet));
        return Arc::new(vec![Row::of_words(Line::from(text))]);
    };
    let compare = match why_not_sides(waiting, width) {
        Some(_) => Compare::Unified,
        None => state.queue.compare,
    };
    let key = (width, state.look.revision(), compare);
    if let Some(laid) = waiting.laid.borrow().as_ref()
        && laid.key == key
    {
        return laid.rows.clone();
    }
    let mut rows = warned(state, "monitor", paper.monitor.as_slice(), width);
    rows.extend(warned(state, "wider", &paper.wider, width));
    rows.extend(warning(state, paper.deceits.as_slice(), width));
    rows.extend(head(state, waiting, width));
    rows.extend(sheet(state, &paper.sheet, compare, width));
    let rows = Arc::new(rows);
    *waiting.laid.borrow_mut() = Some(Laid { key, rows: rows.clone(), found: None });
    rows
}

/// Where a word is found in them.
pub(in crate::tui) fn found(
    state: &State,
    waiting: &Waiting,
    width: usize,
    word: &str,
) -> Arc<Vec<Hit>> {
    let rows = laid(state, waiting, width);
    let mut kept = waiting.laid.borrow_mut();
    let Some(kept) = kept.as_mut() else { return Arc::default() };
    match &kept.found {
        Some((known, hits)) if known == word => hits.clone(),
        Some(_) | None => {
            let hits = Arc::new(row::find(&rows, word));
            kept.found = Some((word.to_owned(), hits.clone()));
            hits
        }
    }
}

/// Why both sides cannot stand beside each other, if they cannot.
pub(in crate::tui) fn why_not_sides(waiting: &Waiting, width: usize) -> Option<String> {
    match waiting.paper.as_ref().map(|paper| &paper.sheet) {
        Some(Sheet::Diff(diff)) if diff.new_file => Some("A new file has one side.".to_owned()),
        Some(Sheet::Diff(_)) if width < LEAST_FOR_SIDES => {
            Some(format!("Side by side needs {LEAST_FOR_SIDES} columns; the question has {width}."))
        }
        Some(Sheet::Diff(_)) => None,
        Some(Sheet::Code(_) | Sheet::Fields(_) | Sheet::Line(..) | Sheet::Text(_)) | None => {
            Some("Only a change to a file has two sides.".to_owned())
        }
    }
}

/// The rows of one line; a mark before each but the first tells that no line begins there.
pub(super) fn rows_of(
    look: &Look,
    line: &Line<'_>,
    width: usize,
    hanging: usize,
) -> impl Iterator<Item = Row> + use<> {
    let mut lines = wrap_with(line, Layout::exact(width).hanging(hanging));
    let indent = " ".repeat(hanging);
    let mark = clean::pad_left(&format!("{} ", look.mark(Mark::GoesOn)), hanging);
    for line in lines.iter_mut().skip(1) {
        if let Some(first) = line.spans.first_mut().filter(|first| first.content == indent) {
            *first = Span::styled(mark.clone(), look.style(Role::Quiet));
        }
    }
    Row::of_line(lines, hanging)
}

/// The object in full, and the facts, where the headline has no room for them.
fn head(state: &State, waiting: &Waiting, width: usize) -> Vec<Row> {
    let Some(paper) = &waiting.paper else { return Vec::new() };
    let look = &state.look;
    let cells = clean::width(&waiting.object());
    let (object, facts) = match head_of(waiting, width) {
        Head::Whole => return Vec::new(),
        Head::ObjectBelow => (true, false),
        Head::FactsBelow => (waiting.effect().len() + cells + 4 > width, true),
    };
    let mut rows = Vec::new();
    if object {
        let mut spans = vec![Span::raw("   ")];
        spans.extend(paper.object.iter().map(|piece| {
            let role = if piece.escape { Role::Escape } else { Role::Text };
            Span::styled(piece.text.clone(), look.style(role))
        }));
        rows.extend(rows_of(look, &Line::from(spans), width, 3));
    }
    if facts {
        let text = format!("   {}", question::facts(waiting, width).join(&look.dot()));
        let (base, escape) = (look.style(facts_role(waiting)), look.style(Role::Escape));
        let line = Line::from(clean::spans(&text, base, escape));
        let lines = wrap_with(&line, Layout::words(width.saturating_sub(1)).hanging(3));
        rows.extend(lines.into_iter().map(Row::of_words));
    }
    rows
}

/// What the monitor says, and what it may do beyond the usual: a row each, whatever has to be
/// scrolled below.
fn warned(state: &State, what: &str, lines: &[Vec<clean::Piece>], width: usize) -> Vec<Row> {
    let look = &state.look;
    let (warn, escape) = (look.style(Role::Warn), look.style(Role::Escape));
    lines
        .iter()
        .flat_map(|line| {
            let label = format!(" {} {what}  ", look.mark(Mark::Warning));
            let column = clean::width(&label);
            let mut spans = vec![Span::styled(label, warn)];
            spans.extend(line.iter().map(|piece| {
                Span::styled(piece.text.clone(), if piece.escape { escape } else { warn })
            }));
            rows_of(look, &Line::from(spans), width, column)
        })
        .collect()
}

fn warning(state: &State, deceits: &[(String, clean::Deceit)], width: usize) -> Vec<Row> {
    if deceits.is_empty() {
        return Vec::new();
    }
    let look = &state.look;
    let warn = look.style(Role::Warn);
    let what = match deceits.len() {
        1 => "1 character here can deceive the eye. It is shown as its code:".to_owned(),
        count => format!(
            "{} characters here can deceive the eye. Each is shown as its code:",
            words::grouped(count as u64)
        ),
    };
    let head = Line::styled(format!(" {} {what}", look.mark(Mark::Warning)), warn);
    let mut rows = wrap_with(&head, Layout::words(width).hanging(3));
    for (place, deceit) in deceits.iter().take(DECEITS) {
        let code = format!("⟨U+{:04X}⟩", u32::from(deceit.char));
        let line = Line::from(vec![
            Span::styled(format!("   {place:<8}  "), look.style(Role::Quiet)),
            Span::styled(code, look.style(Role::Escape)),
            Span::styled(format!("  {}", deceit.why), look.style(Role::Text)),
        ]);
        rows.extend(wrap_with(&line, Layout::words(width).hanging(13)));
    }
    if deceits.len() > DECEITS {
        let text = format!("   {} {} more", look.mark(Mark::Gap), deceits.len() - DECEITS);
        rows.push(Line::styled(text, look.style(Role::Quiet)));
    }
    rows.into_iter().map(Row::of_words).collect()
}

fn sheet(state: &State, sheet: &Sheet, compare: Compare, width: usize) -> Vec<Row> {
    let look = &state.look;
    let (text, quiet) = (look.style(Role::Text), look.style(Role::Quiet));
    let escape = look.style(Role::Escape);
    match sheet {
        Sheet::Diff(diff) => match compare {
            Compare::Unified => diff.draw(width, &look.theme, look.marks),
            Compare::Sides => diff.draw_sides(width, &look.theme, look.marks),
        },
        Sheet::Code(lines) => lines
            .iter()
            .enumerate()
            .flat_map(|(at, (line, colours))| {
                let mut spans = vec![Span::styled(format!(" {:>4}  ", at + 1), quiet)];
                // Colours are worth less than to see what deceives.
                match clean::deceits(line).is_empty() {
                    true => spans.extend(highlight::styled(line, colours, &look.theme).spans),
                    false => spans.extend(clean::asked_at(line, 0, text, escape)),
                }
                rows_of(look, &Line::from(spans), width, 7)
            })
            .collect(),
        Sheet::Fields(all) => fields(state, all, width),
        Sheet::Line(programs, all) => {
            let mut rows = parts::rows(state, programs.as_deref(), width);
            rows.extend(fields(state, all, width));
            rows.extend(parts::compound(state, programs.as_deref(), width));
            rows
        }
        Sheet::Text(lines) => lines
            .iter()
            .flat_map(|line| {
                let mut spans = vec![Span::raw("   ")];
                spans.extend(clean::asked_at(line, 3, text, escape));
                rows_of(look, &Line::from(spans), width, 3)
            })
            .collect(),
    }
}

fn fields(state: &State, fields: &[(String, String)], width: usize) -> Vec<Row> {
    let look = &state.look;
    fields
        .iter()
        .flat_map(|(label, value)| {
            let mut spans = vec![Span::styled(format!("   {label:<8}"), look.style(Role::Quiet))];
            let (text, escape) = (look.style(Role::Text), look.style(Role::Escape));
            spans.extend(clean::asked_at(value, 11, text, escape));
            rows_of(look, &Line::from(spans), width, 11)
        })
        .collect()
}
