//! Where a growing text has come to rest.

/// Looks for the end of a paragraph in a text that grows; what was read is not read again.
#[derive(Clone, Debug, Default)]
pub(super) struct Scan {
    /// The start of the first line that is not whole.
    at: usize,
    fence: Option<&'static str>,
    /// Behind the last blank line.
    end: Option<usize>,
}

impl Scan {
    /// Where a paragraph ends that will not change any more: behind a blank line outside of a
    /// fence, once something stands there that is not indented (which could belong to a list).
    pub(super) fn paragraph_end(&mut self, text: &str) -> Option<usize> {
        while let Some(length) = text[self.at..].find('\n') {
            let line = &text[self.at..self.at + length];
            if let Some(end) = self.begins(line) {
                return Some(end);
            }
            let next = self.at + length + 1;
            let trimmed = line.trim_start();
            match self.fence {
                Some(open) => {
                    let rest = trimmed.trim_end().trim_start_matches(['`', '~']);
                    if trimmed.starts_with(open) && rest.is_empty() {
                        self.fence = None;
                    }
                }
                None if trimmed.starts_with("```") => self.fence = Some("```"),
                None if trimmed.starts_with("~~~") => self.fence = Some("~~~"),
                None if trimmed.is_empty() && !text[..next].trim().is_empty() => {
                    self.end = Some(next);
                }
                None => self.end = None,
            }
            self.at = next;
        }
        self.begins(&text[self.at..])
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
    use crate::tui::{cell::Body, state::transcript::Transcript};

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
            assert_eq!(Scan::default().paragraph_end(text), expected, "{text:?}");
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
            let whole: String = transcript
                .cells
                .iter()
                .map(|cell| match &cell.body {
                    Body::Text { text, live: false } => text.as_str(),
                    _ => panic!("only text was streamed"),
                })
                .collect();
            assert_eq!(whole, text);
            assert_eq!(transcript.cells.len(), 4, "in pieces of {size}");
        }
    }
}
