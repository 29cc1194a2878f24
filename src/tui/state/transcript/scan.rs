//! Where a growing text has come to rest.

/// Lines of a code block after which the part above is left alone.
const BLOCK: usize = 48;

/// Looks for the place up to which a growing text will not change any more; what was read is not
/// read again.
#[derive(Clone, Debug, Default)]
pub(super) struct Scan {
    /// The start of the first line that is not whole.
    at: usize,
    fence: Option<Fence>,
    /// Behind the last blank line.
    end: Option<usize>,
}

/// A code block that is open.
#[derive(Clone, Debug)]
struct Fence {
    /// The line that opened it.
    line: String,
    /// Its lines so far in this text.
    lines: usize,
}

impl Fence {
    fn opened_by(line: &str) -> Option<Self> {
        let mark = ["```", "~~~"].into_iter().any(|mark| line.trim_start().starts_with(mark));
        mark.then(|| Self { line: line.to_owned(), lines: 0 })
    }

    fn closed_by(&self, line: &str) -> bool {
        let mark = self.line.trim_start().get(..3).unwrap_or("```");
        let rest = line.trim().trim_start_matches(['`', '~']);
        line.trim_start().starts_with(mark) && rest.is_empty()
    }
}

/// Where a text may be parted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) end: usize,
    /// The line that opened the code block which goes on behind it.
    pub(super) inside: Option<String>,
}

impl Scan {
    /// For a text that begins inside a code block opened by this line.
    pub(super) fn inside(line: &str) -> Self {
        Self { fence: Fence::opened_by(line), ..Self::default() }
    }

    /// Where the text may be parted: behind a blank line outside of a code block, once something
    /// stands there that is not indented (which could belong to a list); or within a long block,
    /// between two of its lines.
    pub(super) fn part(&mut self, text: &str) -> Option<Part> {
        while let Some(length) = text[self.at..].find('\n') {
            if let Some(part) = self.long(text) {
                return Some(part);
            }
            let line = &text[self.at..self.at + length];
            if let Some(end) = self.begins(line) {
                return Some(Part { end, inside: None });
            }
            let next = self.at + length + 1;
            match &mut self.fence {
                Some(fence) if fence.closed_by(line) => self.fence = None,
                Some(fence) => fence.lines += 1,
                None if line.trim().is_empty() && !text[..next].trim().is_empty() => {
                    self.end = Some(next);
                }
                None => {
                    self.end = None;
                    self.fence = Fence::opened_by(line);
                }
            }
            self.at = next;
        }
        let end = self.begins(&text[self.at..]).map(|end| Part { end, inside: None });
        end.or_else(|| self.long(text))
    }

    /// Whether a code block has become long, and goes on.
    fn long(&self, text: &str) -> Option<Part> {
        let fence = self.fence.as_ref()?;
        let long = fence.lines >= BLOCK && !fence.line.starts_with(char::is_whitespace);
        (long && self.at < text.len())
            .then(|| Part { end: self.at, inside: Some(fence.line.clone()) })
    }

    /// Whether this line, whole or not, begins another paragraph.
    fn begins(&self, line: &str) -> Option<usize> {
        let indented = line.is_empty() || line.starts_with(char::is_whitespace);
        self.end.filter(|end| *end == self.at && !indented)
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::tui::{
        cell::{Body, Cell},
        state::transcript::Transcript,
    };

    /// The texts of a transcript of nothing else, and the code blocks they go on with.
    fn parts<'a>(transcript: &'a Transcript) -> Vec<(&'a str, Option<&'a str>)> {
        let part = |cell: &'a Cell| {
            let Body::Text { text, live: false, inside } = &cell.body else {
                panic!("only text was streamed")
            };
            (text.as_str(), inside.as_deref())
        };
        transcript.cells.here().map(|(_, cell)| part(cell)).collect()
    }

    #[test]
    fn a_paragraph_is_over_when_another_one_begins() {
        for (text, expected) in [
            ("one", None),
            ("one\n\n", None),
            ("one\n\ntwo", Some(5)),
            ("one\n\ntwo\n\nthree", Some(5)),
            ("```\na\n\nb", None),
            ("```\na\n\nb\n```\n\nc", Some(14)),
            ("1. a\n\n   more", None),
            ("1. a\n\n   more\n\nnext", Some(15)),
            ("\n\ntext", None),
        ] {
            let part = Scan::default().part(text).map(|part| part.end);
            assert_eq!(part, expected, "{text:?}");
        }
    }

    #[test]
    fn streamed_text_is_kept_whole_however_it_is_cut() {
        let text = "First.\n\n- a\n- b\n\n```py\nx\n\ny\n```\n\nLast.";
        for size in 1..9 {
            let mut transcript = Transcript::default();
            let chars: Vec<char> = text.chars().collect();
            for piece in chars.chunks(size) {
                transcript.streamed(&piece.iter().collect::<String>());
            }
            transcript.end_text();
            let whole: String = parts(&transcript).iter().map(|(text, _)| *text).collect();
            assert_eq!(whole, text);
            assert_eq!(transcript.cells.len(), 4, "in pieces of {size}");
        }
    }

    #[test]
    fn a_long_code_block_comes_to_rest_part_by_part() {
        let code: String = (0..200).map(|n| format!("line {n}\n")).collect();
        let text = format!("Look:\n\n```py\n{code}```\n\nDone.");
        let mut transcript = Transcript::default();
        for piece in text.split_inclusive(' ') {
            transcript.streamed(piece);
        }
        transcript.end_text();
        let parts = parts(&transcript);
        assert_eq!(parts.iter().map(|(text, _)| *text).collect::<String>(), text);
        let inside: Vec<_> = parts.iter().map(|(_, inside)| *inside).collect();
        let py = Some("```py");
        assert_eq!(inside, [None, None, py, py, py, py, None]);
    }
}
