//! A text as it is drawn, with the roles of its parts: laid out from any row on, at the cost of the
//! rows that are taken.

use ratatui::{style::Style, text::Span};
use std::ops::Range;

use super::{
    clean::{self, Piece},
    theme::{Mark, Marks, Role},
    wrap::{self, Layout, cluster_start},
};

/// What rows are drawn with.
#[derive(Clone, Copy)]
pub struct Brush<'a> {
    pub style: &'a dyn Fn(Role) -> Style,
    pub marks: Marks,
}

impl Brush<'_> {
    /// For rows of which only the text counts.
    pub fn of_text(marks: Marks) -> Self {
        Self { style: &|_| Style::new(), marks }
    }

    pub fn span(self, text: impl Into<String>, role: Role) -> Span<'static> {
        Span::styled(text.into(), (self.style)(role))
    }

    pub fn mark(self, mark: Mark) -> &'static str {
        self.marks.get(mark)
    }
}

/// Text in its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ink {
    text: String,
    /// Where a part ends, and its role.
    parts: Vec<(usize, Role)>,
}

impl Ink {
    /// Pieces of a text in this role, codes of hidden characters in their own.
    pub fn of(pieces: Vec<Piece>, role: Role) -> Self {
        let mut ink = Self::default();
        for piece in pieces {
            ink.push(&piece.text, if piece.escape { Role::Escape } else { role });
        }
        ink
    }

    /// A line in colours, each a range of the text as it is; those that do not fit it are ignored.
    pub fn coloured(text: &str, colours: &[(Range<usize>, Role)]) -> Self {
        let (mut ink, mut column, mut from) = (Self::default(), 0, 0);
        let mut add = |part: &str, role: Role| {
            for piece in clean::pieces_at(part, column, clean::TAB_STOP) {
                column += clean::width(&piece.text);
                ink.push(&piece.text, if piece.escape { Role::Escape } else { role });
            }
        };
        for (range, role) in colours {
            if range.start < from || text.get(range.clone()).is_none() {
                continue;
            }
            add(&text[from..range.start], Role::Text);
            add(&text[range.clone()], *role);
            from = range.end;
        }
        add(&text[from..], Role::Text);
        ink
    }

    pub fn push(&mut self, text: &str, role: Role) {
        if text.is_empty() {
            return;
        }
        self.text.push_str(text);
        match self.parts.last_mut() {
            Some((end, last)) if *last == role => *end = self.text.len(),
            _ => self.parts.push((self.text.len(), role)),
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The rows of it, from the one on that begins at this byte.
    pub fn rows(&self, room: usize, from: usize) -> impl Iterator<Item = Range<usize>> {
        wrap::rows_from(&self.text, Layout::exact(room), from)
    }

    /// A range of it as spans.
    pub fn spans(&self, range: Range<usize>, style: &dyn Fn(Role) -> Style) -> Vec<Span<'static>> {
        let first = self.parts.partition_point(|(end, _)| *end <= range.start);
        let mut from = range.start;
        let mut spans = Vec::new();
        for (end, role) in &self.parts[first..] {
            if from >= range.end {
                break;
            }
            // A cluster is never cut between two styles.
            let to = cluster_start(&self.text, *end).min(range.end);
            if to > from {
                spans.push(Span::styled(self.text[from..to].to_owned(), style(*role)));
                from = to;
            }
        }
        spans
    }
}
