//! What is asked about, in rows: nothing of it is cut, and only what is in sight is laid out.

use std::{ops::Range, sync::Arc};

use ratatui::text::{Line, Span};

use super::{
    parts,
    question::{self, Head, facts_role, head_of},
};
use crate::{
    kernel::capability::Body,
    tui::{
        clean,
        diff::LEAST_FOR_SIDES,
        ink::Brush,
        row::{self, Hit, Row},
        sheet::{AT_ONCE, Index, Shape},
        state::{
            State,
            look::Look,
            waiting::{Around, Compare, Paper, Sheet, Waiting},
        },
        theme::{Mark, Role},
        words,
        wrap::{Layout, wrap_with},
    },
};

/// The rows of a question: what is asked about, and what our own words say around it.
pub(in crate::tui) struct Rows {
    around: Arc<[Vec<Row>; 2]>,
    text: Text,
}

/// What is asked about.
enum Text {
    /// Not there yet, in words.
    Coming(Row),
    Laid(Arc<Sheet>, Arc<Index>),
}

impl Rows {
    pub(in crate::tui) fn total(&self) -> usize {
        let text = match &self.text {
            Text::Coming(_) => 1,
            Text::Laid(_, index) => index.total(),
        };
        self.around[0].len() + text + self.around[1].len()
    }

    /// Whether all of it can be read.
    pub(super) fn is_there(&self) -> bool {
        matches!(self.text, Text::Laid(..))
    }

    /// These rows; no others are laid out.
    pub(in crate::tui) fn range(&self, look: &Look, wanted: Range<usize>) -> Vec<Row> {
        let [above, below] = &*self.around;
        let text = match &self.text {
            Text::Coming(_) => 1,
            Text::Laid(_, index) => index.total(),
        };
        let inside = |from: usize, count: usize| {
            let start = wanted.start.max(from).min(from + count) - from;
            start..wanted.end.clamp(from, from + count).max(from + start) - from
        };
        let mut rows = above[inside(0, above.len())].to_vec();
        let part = inside(above.len(), text);
        match &self.text {
            Text::Coming(row) => rows.extend(part.map(|_| row.clone())),
            Text::Laid(sheet, index) => {
                let style = |role| look.style(role);
                rows.extend(index.rows(sheet, part, Brush { style: &style, marks: look.marks }));
            }
        }
        rows.extend_from_slice(&below[inside(above.len() + text, below.len())]);
        rows
    }
}

/// The rows of a question at this width. A long text has to be made ready for it off the loop, and
/// until that was done there is a word that says so.
pub(in crate::tui) fn laid(state: &State, waiting: &Waiting, width: usize) -> Rows {
    let coming = |text: &str| {
        Text::Coming(Row::of_words(Line::styled(text.to_owned(), state.look.style(Role::Quiet))))
    };
    let Some(paper) = &waiting.paper else {
        return Rows { around: Arc::default(), text: coming("   …") };
    };
    let shape = shape(state, waiting, width);
    let mut laid = waiting.laid.borrow_mut();
    if paper.bytes <= AT_ONCE && laid.index.as_ref().is_none_or(|index| index.shape() != shape) {
        laid.index = Some(Arc::new(Index::of(&paper.sheet, shape)));
        laid.found = None;
    }
    let text = match &laid.index {
        Some(index) if index.shape() == shape => Text::Laid(paper.sheet.clone(), index.clone()),
        Some(_) | None => coming("   preparing…"),
    };
    let key = (width, state.look.revision());
    let around = match &laid.around {
        Some(known) if known.key == key => known.rows.clone(),
        Some(_) | None => {
            let rows = Arc::new(around(state, waiting, paper, width));
            laid.around = Some(Around { key, rows: rows.clone() });
            rows
        }
    };
    Rows { around, text }
}

/// How the text of a question is laid out at this width.
pub(in crate::tui) fn shape(state: &State, waiting: &Waiting, width: usize) -> Shape {
    let compare = match why_not_sides(waiting, width) {
        Some(_) => Compare::Unified,
        None => state.queue.compare,
    };
    Shape { width, compare }
}

/// Our own words above what is asked about, and below it.
fn around(state: &State, waiting: &Waiting, paper: &Paper, width: usize) -> [Vec<Row>; 2] {
    let mut above = warned(state, "monitor", paper.monitor.as_slice(), width);
    above.extend(warned(state, "beyond", &paper.wider, width));
    above.extend(warning(state, &paper.deceits, width));
    above.extend(head(state, waiting, width));
    let mut below = Vec::new();
    if let Sheet::Line(programs, _) = &*paper.sheet {
        above.extend(parts::rows(state, programs.as_deref(), width));
        below.extend(parts::compound(state, programs.as_deref(), width));
    }
    if let Sheet::Diff(diff) = &*paper.sheet
        && diff.rows.is_empty()
    {
        // There is something to be seen all the same, or nobody could say that they saw it.
        let words = match diff.new_file {
            true => "   an empty file",
            false => "   the very text that stands there",
        };
        let text = Span::styled(words, state.look.style(Role::Quiet));
        below.push(Row::of_words(Line::from(text)));
    }
    [above, below]
}

/// Where a word is found in them; absent as long as that is not known.
pub(in crate::tui) fn found(
    state: &State,
    waiting: &Waiting,
    width: usize,
    word: &str,
) -> Option<Arc<Vec<Hit>>> {
    let rows = laid(state, waiting, width);
    let Text::Laid(sheet, index) = &rows.text else { return None };
    let known = waiting.laid.borrow().found.clone();
    match known {
        Some((known, hits)) if known == word => Some(hits),
        Some(_) | None if waiting.is_long() => None,
        Some(_) | None => {
            let hits = index.find(sheet, word, Brush::of_text(state.look.marks));
            Some(keep(&rows, waiting, word, hits))
        }
    }
}

/// Takes in where a word was found in the text of a question.
pub(in crate::tui) fn found_in_text(
    state: &State,
    waiting: &Waiting,
    width: usize,
    word: &str,
    hits: Vec<Hit>,
) {
    keep(&laid(state, waiting, width), waiting, word, hits);
}

fn keep(rows: &Rows, waiting: &Waiting, word: &str, hits: Vec<Hit>) -> Arc<Vec<Hit>> {
    let [above, below] = &*rows.around;
    let (head, foot) = (row::find(above, word), row::find(below, word));
    let end = rows.total() - below.len();
    let all = head.into_iter().chain(hits.into_iter().map(|hit| row::below(hit, above.len())));
    let all = all.chain(foot.into_iter().map(|hit| row::below(hit, end)));
    let all = Arc::new(all.collect::<Vec<_>>());
    waiting.laid.borrow_mut().found = Some((word.to_owned(), all.clone()));
    all
}

/// Why both sides cannot stand beside each other, if they cannot.
pub(in crate::tui) fn why_not_sides(waiting: &Waiting, width: usize) -> Option<String> {
    match waiting.paper.as_ref().map(|paper| &*paper.sheet) {
        Some(Sheet::Diff(diff)) if diff.new_file => Some("A new file has one side.".to_owned()),
        Some(Sheet::Diff(_)) if width < LEAST_FOR_SIDES => {
            Some(format!("Side by side needs {LEAST_FOR_SIDES} columns; the question has {width}."))
        }
        Some(Sheet::Diff(_)) => None,
        Some(Sheet::Code(..) | Sheet::Fields(_) | Sheet::Line(..) | Sheet::Text(_)) | None => {
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
    // Of a program, each argument has a row anyway.
    if object && !matches!(waiting.question.preview.body, Body::Program { .. }) {
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

fn warning(state: &State, deceits: &clean::Deceits, width: usize) -> Vec<Row> {
    if deceits.count == 0 {
        return Vec::new();
    }
    let look = &state.look;
    let warn = look.style(Role::Warn);
    let what = match deceits.count {
        1 => "1 character here can deceive the eye. It is shown as its code:".to_owned(),
        count => format!(
            "{} characters here can deceive the eye. Each is shown as its code:",
            words::grouped(count as u64)
        ),
    };
    let head = Line::styled(format!(" {} {what}", look.mark(Mark::Warning)), warn);
    let mut rows = wrap_with(&head, Layout::words(width).hanging(3));
    for (place, deceit) in &deceits.first {
        let code = format!("⟨U+{:04X}⟩", u32::from(deceit.char));
        let line = Line::from(vec![
            Span::styled(format!("   {place:<8}  "), look.style(Role::Quiet)),
            Span::styled(code, look.style(Role::Escape)),
            Span::styled(format!("  {}", deceit.why), look.style(Role::Text)),
        ]);
        rows.extend(wrap_with(&line, Layout::words(width).hanging(13)));
    }
    if deceits.count > deceits.first.len() {
        let more = words::grouped((deceits.count - deceits.first.len()) as u64);
        let text = format!("   {} {more} more", look.mark(Mark::Gap));
        rows.push(Line::styled(text, look.style(Role::Quiet)));
    }
    rows.into_iter().map(Row::of_words).collect()
}
