//! The text of an effect in rows. Where each line begins is found once, off the loop where the text
//! is long, and from then on only the rows in sight are laid out, however many there are.

mod index;

use ratatui::text::Span;

pub use self::index::Index;
use super::{
    clean,
    diff::Columns,
    ink::{Brush, Ink},
    state::waiting::{Compare, Sheet},
    theme::{Mark, Role},
};

/// A text of more bytes is not laid out by the screen itself.
pub const AT_ONCE: usize = 64 * 1024;

/// More places where a word is found are not kept.
pub const MOST_FOUND: usize = 10_000;

/// What rows depend on, looks apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub width: usize,
    pub compare: Compare,
}

impl Sheet {
    /// The bytes of its texts.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Diff(diff) => diff.rows.iter().map(|row| row.text.len()).sum(),
            Self::Code(_, lines) => lines.iter().map(|(line, _)| line.len()).sum(),
            Self::Fields(fields) | Self::Line(_, fields) => {
                fields.iter().map(|(_, value)| value.len()).sum()
            }
            Self::Text(lines) => lines.iter().map(String::len).sum(),
        }
    }

    /// How many texts it has.
    fn texts(&self) -> usize {
        match self {
            Self::Diff(diff) => diff.rows.len(),
            Self::Code(_, lines) => lines.len(),
            Self::Fields(fields) | Self::Line(_, fields) => fields.len(),
            Self::Text(lines) => lines.len(),
        }
    }

    fn text(&self, at: usize) -> &str {
        match self {
            Self::Diff(diff) => diff.rows.get(at).map(|row| row.text.as_str()),
            Self::Code(_, lines) => lines.get(at).map(|(line, _)| line.as_str()),
            Self::Fields(fields) | Self::Line(_, fields) => {
                fields.get(at).map(|(_, value)| value.as_str())
            }
            Self::Text(lines) => lines.get(at).map(String::as_str),
        }
        .unwrap_or_default()
    }

    /// Whether a text is drawn as it is, a cell a byte.
    fn is_plain(&self, at: usize) -> bool {
        let ended = match self {
            Self::Diff(diff) => diff.rows.get(at).is_some_and(|row| !row.unended),
            Self::Code(..) | Self::Fields(_) | Self::Line(..) | Self::Text(_) => true,
        };
        let coloured = match self {
            Self::Code(_, lines) => lines.get(at).is_some_and(|(_, colours)| !colours.is_empty()),
            Self::Diff(_) | Self::Fields(_) | Self::Line(..) | Self::Text(_) => false,
        };
        ended && !coloured && clean::is_plain(self.text(at))
    }

    fn role(&self, at: usize) -> Role {
        match self {
            Self::Diff(diff) => diff.rows.get(at).map_or(Role::Text, |row| row.role()),
            Self::Code(..) | Self::Fields(_) | Self::Line(..) | Self::Text(_) => Role::Text,
        }
    }

    /// A text as it is drawn: what deceives, as its code.
    fn ink(&self, at: usize) -> Ink {
        match self {
            Self::Diff(diff) => diff.rows.get(at).map(|row| row.ink()).unwrap_or_default(),
            Self::Code(_, lines) => match lines.get(at) {
                // Colours are worth less than to see what deceives.
                Some((line, colours)) if clean::deceits(line).is_empty() => {
                    Ink::coloured(line, colours)
                }
                Some((line, _)) => Ink::of(clean::asked_pieces(line, 0), Role::Text),
                None => Ink::default(),
            },
            Self::Fields(_) | Self::Line(..) | Self::Text(_) => {
                Ink::of(clean::asked_pieces(self.text(at), self.hanging()), Role::Text)
            }
        }
    }

    /// Cells before a text that has no numbers.
    fn hanging(&self) -> usize {
        match self {
            Self::Code(first, lines) => digits(first + lines.len()) + 3,
            Self::Fields(_) | Self::Line(..) => 11,
            Self::Diff(_) | Self::Text(_) => 3,
        }
    }

    /// Cells for a text.
    fn room(&self, shape: Shape) -> usize {
        match (self, shape.compare) {
            (Self::Diff(diff), Compare::Unified) => diff.room(shape.width),
            (Self::Diff(diff), Compare::Sides) => Columns::new(shape.width, diff.digits()).room(),
            (Self::Code(..) | Self::Fields(_) | Self::Line(..) | Self::Text(_), _) => {
                shape.width.saturating_sub(self.hanging()).max(1)
            }
        }
    }

    /// What stands before a text.
    fn margin(&self, at: usize, first: bool, width: usize, brush: Brush<'_>) -> Vec<Span<'static>> {
        let label = match self {
            Self::Diff(diff) => {
                let row = diff.rows.get(at);
                return row.map(|row| diff.margin(row, first, width, brush)).unwrap_or_default();
            }
            _ if !first => {
                let mark = format!("{} ", brush.mark(Mark::GoesOn));
                clean::pad_left(&mark, self.hanging())
            }
            Self::Code(first, lines) => {
                let digits = digits(first + lines.len());
                format!(" {:>digits$}  ", first + at + 1)
            }
            Self::Fields(fields) | Self::Line(_, fields) => {
                let label = fields.get(at).map_or("", |(label, _)| label.as_str());
                format!("   {label:<8}")
            }
            Self::Text(_) => "   ".to_owned(),
        };
        vec![brush.span(label, Role::Quiet)]
    }
}

/// The cells of the numbers of lines.
fn digits(lines: usize) -> usize {
    (lines.max(1).ilog10() as usize + 1).max(4)
}

#[cfg(test)]
mod tests;
