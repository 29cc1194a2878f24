//! Lines laid out in rows of a given width.
//!
//! Expects text that went through `clean`; time is linear in what is laid out, and rows are made
//! one at a time, so a caller pays for the rows it takes.

use std::collections::VecDeque;
use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::GraphemeCursor;

use super::clean::clusters;

/// Where a line may be broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Break {
    /// Between words, and inside a word only where it is wider than a row. Spaces that fall on a
    /// break and do not fit are not drawn.
    Words,
    /// Wherever the row is full; every space is drawn. For text that is asked about.
    Anywhere,
}

/// How a line is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    pub width: usize,
    pub breaks: Break,
    /// Cells left free at the start of every row but the first.
    pub hanging: usize,
}

impl Layout {
    /// Word wrap without an indent.
    pub fn words(width: usize) -> Self {
        Self { width, breaks: Break::Words, hanging: 0 }
    }

    /// Rows filled to the last cell, nothing left out.
    pub fn exact(width: usize) -> Self {
        Self { width, breaks: Break::Anywhere, hanging: 0 }
    }

    pub fn hanging(self, hanging: usize) -> Self {
        Self { hanging, ..self }
    }

    /// The indent of later rows; on a screen too narrow for it there is none.
    fn indent(self) -> usize {
        if self.hanging + 2 <= self.width { self.hanging } else { 0 }
    }
}

/// Word wrap that keeps styles. At least one row, except at width 0, where there is none.
pub fn wrap(line: &Line<'_>, width: usize) -> Vec<Line<'static>> {
    wrap_with(line, Layout::words(width))
}

/// As [`wrap`], laid out as told.
pub fn wrap_with(line: &Line<'_>, layout: Layout) -> Vec<Line<'static>> {
    let text: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
    let styles = styles(line, &text);
    let mut at = 0;
    rows(&text, layout)
        .enumerate()
        .map(|(row, range)| {
            let mut spans = Vec::new();
            if row > 0 && layout.indent() > 0 {
                spans.push(Span::raw(" ".repeat(layout.indent())));
            }
            while styles.get(at).is_some_and(|(end, _)| *end <= range.start) {
                at += 1;
            }
            let mut from = range.start;
            for (end, style) in &styles[at..] {
                if from >= range.end {
                    break;
                }
                let to = (*end).min(range.end);
                spans.push(Span::styled(text[from..to].to_owned(), *style));
                from = to;
            }
            Line { spans, style: line.style, alignment: line.alignment }
        })
        .collect()
}

/// Word wrap of unstyled text.
pub fn wrap_text(text: &str, width: usize) -> Vec<&str> {
    rows(text, Layout::words(width)).map(|range| &text[range]).collect()
}

/// The rows of one line as byte ranges, made as they are asked for.
pub fn rows(text: &str, layout: Layout) -> Rows<'_> {
    rows_from(text, layout, 0)
}

/// As [`rows`], from the row on that begins at this byte.
pub fn rows_from(text: &str, layout: Layout, at: usize) -> Rows<'_> {
    Rows { text, layout, at, first: at == 0 }
}

/// The last `rows` rows of a line of any length, at the cost of about those rows. Breaks may
/// differ from those of the whole line, but they stay where they are while the line grows.
pub fn wrap_tail(text: &str, width: usize, rows_wanted: usize) -> Vec<&str> {
    /// The window starts at a multiple of this, so that it rarely moves.
    const BLOCK: usize = 64 * 1024;
    if width == 0 || rows_wanted == 0 {
        return Vec::new();
    }
    let mut reach = rows_wanted.saturating_mul(width).saturating_mul(4).max(BLOCK);
    loop {
        let start = text.len().saturating_sub(reach) / BLOCK * BLOCK;
        let start = cluster_start(text, start);
        let tail = &text[start..];
        let mut last = VecDeque::with_capacity(rows_wanted.min(1024));
        for range in rows(tail, Layout::words(width)) {
            if last.len() == rows_wanted {
                last.pop_front();
            }
            last.push_back(&tail[range]);
        }
        if last.len() == rows_wanted || start == 0 {
            return last.into();
        }
        reach = reach.saturating_mul(4);
    }
}

/// See [`rows`].
#[derive(Debug, Clone)]
pub struct Rows<'a> {
    text: &'a str,
    layout: Layout,
    at: usize,
    first: bool,
}

impl Iterator for Rows<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        if self.layout.width == 0 || (self.at >= self.text.len() && !self.first) {
            return None;
        }
        let indent = if self.first { 0 } else { self.layout.indent() };
        self.first = false;
        #[cfg(test)]
        super::tally::row();
        let start = self.at;
        let (end, next) = match self.layout.breaks {
            Break::Anywhere => self.fill(self.layout.width - indent),
            Break::Words => self.words(self.layout.width - indent),
        };
        self.at = next;
        Some(start..end)
    }
}

impl Rows<'_> {
    /// Takes clusters until the row is full; one that is wider than the row stands alone.
    fn fill(&self, room: usize) -> (usize, usize) {
        let mut end = self.at;
        let mut used = 0;
        for (cluster, cells) in clusters(&self.text[self.at..]) {
            if used + cells > room && end > self.at {
                break;
            }
            used += cells;
            end += cluster.len();
        }
        (end, end)
    }

    /// Where the row ends, and where the next one starts.
    fn words(&self, room: usize) -> (usize, usize) {
        let mut end = self.at;
        let mut used = 0;
        // The last place the row may end at: behind a space, or beside a wide character.
        let mut good: Option<usize> = None;
        let mut only_spaces = true;
        for (cluster, cells) in clusters(&self.text[self.at..]) {
            let space = cluster == " ";
            if cells > 1 && end > self.at && !opens_tight(&self.text[..end]) {
                good = Some(end);
            }
            if used + cells > room && end > self.at {
                if space && !only_spaces {
                    // The row is full and the word with it: the spaces hang, undrawn.
                    let spaces = self.text[end..].bytes().take_while(|&b| b == b' ').count();
                    return (end, end + spaces);
                }
                let end = good.unwrap_or(end);
                return (end, end);
            }
            used += cells;
            end += cluster.len();
            only_spaces &= space;
            if (space && !only_spaces) || cells > 1 {
                good = Some(end);
            }
        }
        (end, end)
    }
}

/// Whether a break right here would leave an opening bracket alone at the end of a row.
fn opens_tight(before: &str) -> bool {
    before.ends_with(['(', '[', '{', '"', '「', '『', '（'])
}

/// The ends of the spans, moved to the borders of clusters, with their styles.
fn styles(line: &Line<'_>, text: &str) -> Vec<(usize, Style)> {
    let mut end = 0;
    line.spans
        .iter()
        .map(|span| {
            end += span.content.len();
            (cluster_start(text, end), span.style)
        })
        .collect()
}

/// The first border between clusters at or behind this byte.
pub(super) fn cluster_start(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    let bytes = text.as_bytes();
    let ascii = |at: usize| bytes.get(at).is_none_or(|b| matches!(b, b' '..=b'~'));
    if at == 0 || at >= text.len() || (ascii(at - 1) && ascii(at)) {
        return at.min(text.len());
    }
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(false) => cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len()),
        Ok(true) | Err(_) => at,
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;
    use ratatui::style::{Color, Modifier};

    use super::*;
    use crate::tui::clean::{shown, width};

    fn plain(lines: &[Line<'_>]) -> Vec<String> {
        lines.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn words_are_kept_whole() {
        for (input, width, expected) in [
            ("", 5, vec![""]),
            ("abc", 0, vec![]),
            ("one two three", 7, vec!["one two", "three"]),
            ("one two three", 8, vec!["one two ", "three"]),
            ("one  two", 3, vec!["one", "two"]),
            ("abcdefgh", 3, vec!["abc", "def", "gh"]),
            ("ab cdefgh", 4, vec!["ab ", "cdef", "gh"]),
            ("  indented text", 10, vec!["  indented", "text"]),
            ("     x", 3, vec!["   ", "  x"]),
            ("全角文字です", 5, vec!["全角", "文字", "です"]),
            ("a全角", 3, vec!["a全", "角"]),
            ("全", 1, vec!["全"]),
            ("👩\u{200d}👧👩\u{200d}👧", 3, vec!["👩\u{200d}👧", "👩\u{200d}👧"]),
        ] {
            assert_eq!(wrap_text(input, width), expected, "{input:?} in {width}");
        }
    }

    #[test]
    fn exact_rows_leave_nothing_out() {
        let line = Line::from("cargo  test --lib");
        assert_eq!(plain(&wrap_with(&line, Layout::exact(6))), ["cargo ", " test ", "--lib"]);
    }

    #[test]
    fn later_rows_hang() {
        let rows = wrap_with(&Line::from("- one two three"), Layout::words(9).hanging(2));
        assert_eq!(plain(&rows), ["- one two", "  three"]);
        // No room for the indent: the text is what counts.
        let rows = wrap_with(&Line::from("abc"), Layout::words(1).hanging(4));
        assert_eq!(plain(&rows), ["a", "b", "c"]);
    }

    #[test]
    fn styles_stay_on_their_text() {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let line = Line::from(vec![Span::raw("one t"), Span::styled("wo three", bold)])
            .style(Style::new().fg(Color::Red));
        let rows = wrap(&line, 7);
        assert_eq!(rows[0].spans, [Span::raw("one t"), Span::styled("wo", bold)]);
        assert_eq!(rows[1].spans, [Span::styled("three", bold)]);
        assert!(rows.iter().all(|row| row.style.fg == Some(Color::Red)));
    }

    #[test]
    fn a_span_border_does_not_cut_a_cluster() {
        let line = Line::from(vec![Span::raw("👩\u{200d}"), Span::raw("👧x")]);
        assert_eq!(wrap(&line, 2)[0].spans, [Span::raw("👩\u{200d}👧")]);
    }

    #[test]
    fn the_tail_of_a_huge_line_stays_steady() {
        let mut line = "word ".repeat(2_000_000);
        let before: Vec<String> = wrap_tail(&line, 80, 10).iter().map(|r| r.to_string()).collect();
        assert_eq!(before.len(), 10);
        line.push_str(&"more ".repeat(16));
        let rows = wrap_tail(&line, 80, 10);
        // One more row: what was last is now last but one, and has only grown.
        assert_eq!(rows[..8], before[1..9]);
        assert!(rows[8].starts_with(&before[9]));
        assert_eq!(wrap_tail("one two", 3, 5), ["one", "two"]);
        assert_eq!(wrap_tail(&"全".repeat(200_000), 3, 2), ["全", "全"]);
    }

    proptest! {
        #[test]
        fn rows_never_exceed_the_width_and_lose_no_text(
            parts in proptest::collection::vec("\\PC{0,12}|[a-z ]{0,20}| {0,9}", 0..6),
            columns in 2usize..24,
            hanging in 0usize..6,
            exact: bool,
        ) {
            let spans: Vec<String> = parts.iter().map(|part| shown(part).into_owned()).collect();
            let line = Line::from(spans.iter().map(|s| Span::raw(s.as_str())).collect::<Vec<_>>());
            let text = spans.concat();
            let widest = clusters(&text).map(|(_, cells)| cells).max().unwrap_or(0);
            let breaks = if exact { Break::Anywhere } else { Break::Words };
            let layout = Layout { width: columns, breaks, hanging };
            let indent = " ".repeat(layout.indent());
            let mut again = String::new();
            for (at, row) in wrap_with(&line, layout).iter().enumerate() {
                let row = row.to_string();
                prop_assert!(width(&row) <= columns.max(widest + indent.len()));
                again.push_str(if at == 0 { &row } else { &row[indent.len()..] });
            }
            if exact {
                prop_assert_eq!(again, text);
            } else {
                prop_assert_eq!(again.replace(' ', ""), text.replace(' ', ""));
            }
        }
    }
}
