//! Text and cells: how wide a text is, how it is cut, and how what cannot be seen is shown.
//!
//! Text reaches the screen decoded, but it is still someone else's: nothing here lets a control
//! character, a direction override or an invisible letter through to the terminal.

mod deceit;

use std::borrow::Cow;

use ratatui::buffer::CellWidth;
use ratatui::style::Style;
use ratatui::text::Span;
use unicode_segmentation::UnicodeSegmentation;

pub use deceit::{Deceit, Deceits, asked_at, asked_pieces, deceits, deceits_of_name, revealed};

/// The distance of tab stops, as every terminal has it.
pub const TAB_STOP: usize = 8;

/// More marks than this on one letter are an attack on the rows above it, not writing.
const MARKS_ON_A_LETTER: usize = 8;

/// A run of text, either as it stands or the shown code of one hidden character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub text: String,
    pub escape: bool,
}

/// The text with every hidden or controlling character as a code (`⟨U+202E⟩`) and tabs expanded
/// from column 0. The result holds no control character at all, a line end included.
pub fn shown(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(pieces(text).into_iter().map(|piece| piece.text).collect())
}

/// As [`shown`], for a name: it is no table, and a tab in it is hidden like anything else.
pub fn name(text: &str) -> Cow<'_, str> {
    if text.contains('\t') {
        return Cow::Owned(shown(&text.replace('\t', &code('\t'))).into_owned());
    }
    shown(text)
}

/// As [`name`], as spans.
pub fn name_spans(text: &str, base: Style, escape: Style) -> Vec<Span<'static>> {
    let mut out = Vec::new();
    for (at, part) in text.split('\t').enumerate() {
        if at > 0 {
            out.push(Span::styled(code('\t'), escape));
        }
        out.extend(spans(part, base, escape));
    }
    out
}

/// As [`shown`], keeping apart what is text and what is the code of a hidden character, so that
/// text which merely looks like such a code is not drawn as one.
pub fn pieces(text: &str) -> Vec<Piece> {
    pieces_at(text, 0, TAB_STOP)
}

/// As [`pieces`], for text that starts in a later column.
pub fn pieces_at(text: &str, start_column: usize, stop: usize) -> Vec<Piece> {
    let hidden = hidden_chars(text);
    build(text, &hidden, start_column, stop)
}

/// The text as spans: the codes of hidden characters in `escape`, all else in `base`.
pub fn spans(text: &str, base: Style, escape: Style) -> Vec<Span<'static>> {
    spans_at(text, 0, base, escape)
}

/// As [`spans`], for text that starts in a later column.
pub fn spans_at(text: &str, column: usize, base: Style, escape: Style) -> Vec<Span<'static>> {
    pieces_at(text, column, TAB_STOP)
        .into_iter()
        .map(|piece| Span::styled(piece.text, if piece.escape { escape } else { base }))
        .collect()
}

/// Replaces each tab by the spaces to its next stop, counted in cells from `start_column`.
pub fn expand_tabs(text: &str, start_column: usize, stop: usize) -> Cow<'_, str> {
    if !text.contains('\t') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + stop);
    let mut column = start_column;
    for (at, part) in text.split('\t').enumerate() {
        if at > 0 {
            let fill = to_next_stop(column, stop);
            out.extend(std::iter::repeat_n(' ', fill));
            column += fill;
        }
        out.push_str(part);
        column += width(part);
    }
    Cow::Owned(out)
}

/// The cells this text takes when drawn, cluster by cluster, exactly as the screen counts them.
pub fn width(text: &str) -> usize {
    if is_plain(text) {
        return text.len();
    }
    clusters(text).map(|(_, cells)| cells).sum()
}

/// The text if it fits, else its beginning and `…`, never wider than `cells`.
pub fn truncate(text: &str, cells: usize) -> String {
    let mut used = 0;
    let mut at = 0;
    let mut cut = 0;
    for (cluster, wide) in clusters(text) {
        used += wide;
        at += cluster.len();
        if used > cells {
            return if cells == 0 { String::new() } else { format!("{}…", &text[..cut]) };
        }
        if used < cells {
            cut = at;
        }
    }
    text.to_owned()
}

/// The beginning of a text that is wider than `cells`, or all of it: as much of a line of any length
/// as a row of that width has to look at.
pub fn beginning(text: &str, cells: usize) -> &str {
    let (mut used, mut at) = (0, 0);
    for (cluster, wide) in clusters(text) {
        used += wide;
        at += cluster.len();
        if used > cells {
            break;
        }
    }
    &text[..at]
}

/// As [`truncate`], and filled with spaces on the right to exactly `cells`.
pub fn pad(text: &str, cells: usize) -> String {
    let mut out = truncate(text, cells);
    out.extend(std::iter::repeat_n(' ', cells.saturating_sub(width(&out))));
    out
}

/// As [`pad`], with the spaces on the left.
pub fn pad_left(text: &str, cells: usize) -> String {
    let cut = truncate(text, cells);
    let fill = cells.saturating_sub(width(&cut));
    format!("{}{cut}", " ".repeat(fill))
}

/// The characters as people count them, each with its width in cells. A control character has
/// none, for it is never drawn.
pub fn clusters(text: &str) -> Clusters<'_> {
    Clusters { text }
}

/// See [`clusters`].
#[derive(Debug, Clone)]
pub struct Clusters<'a> {
    text: &'a str,
}

impl<'a> Iterator for Clusters<'a> {
    type Item = (&'a str, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        let first = *bytes.first()?;
        // A printable ASCII letter stands alone unless something beyond ASCII may join it.
        let alone = matches!(first, b' '..=b'~') && bytes.get(1).is_none_or(u8::is_ascii);
        let length = if alone { 1 } else { self.text.graphemes(true).next()?.len() };
        let (cluster, rest) = self.text.split_at(length);
        self.text = rest;
        let cells = match alone {
            true => 1,
            false if cluster.contains(char::is_control) => 0,
            false => usize::from(cluster.cell_width()),
        };
        Some((cluster, cells))
    }
}

/// Nothing to hide, nothing to expand, one cell a byte.
pub(super) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

fn to_next_stop(column: usize, stop: usize) -> usize {
    let stop = stop.max(1);
    stop - column % stop
}

pub(super) fn code(c: char) -> String {
    format!("⟨U+{:04X}⟩", u32::from(c))
}

/// Cuts the text at the given (sorted) positions of characters to be shown as their codes.
fn build(text: &str, hidden: &[usize], start_column: usize, stop: usize) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    let mut column = start_column;
    let mut from = 0;
    let plain = |part: &str, column: &mut usize, out: &mut Vec<Piece>| {
        if !part.is_empty() {
            let text = expand_tabs(part, *column, stop).into_owned();
            *column += width(&text);
            out.push(Piece { text, escape: false });
        }
    };
    for &at in hidden {
        plain(&text[from..at], &mut column, &mut out);
        let Some(c) = text[at..].chars().next() else { break };
        let code = code(c);
        column += width(&code);
        out.push(Piece { text: code, escape: true });
        from = at + c.len_utf8();
    }
    plain(&text[from..], &mut column, &mut out);
    out
}

/// Where the characters stand that are never drawn as themselves.
fn hidden_chars(text: &str) -> Vec<usize> {
    #[cfg(test)]
    super::tally::text(text.len());
    let mut found = Vec::new();
    let mut before: Option<char> = None;
    let mut marks = 0;
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let after = rest.peek().map(|&(_, c)| c);
        let mark = !c.is_ascii() && is_mark(c);
        marks = if mark { marks + 1 } else { 0 };
        let hidden = match deceit::invisible(c) {
            Some(_) => !deceit::belongs(before, c, after),
            // A mark with nothing under it has no cell, and a heap of them leaves its own.
            None => mark && (before.is_none() || marks > MARKS_ON_A_LETTER),
        };
        if hidden && c != '\t' {
            found.push(at);
        }
        // What is shown as a code can carry no mark.
        before = if hidden { None } else { Some(c) };
    }
    found
}

fn is_mark(c: char) -> bool {
    unicode_width::UnicodeWidthChar::width(c) == Some(0)
}

#[cfg(test)]
mod tests;
