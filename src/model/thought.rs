//! What a model thinks before and between what it says: shown as it comes, and kept as it was, for a
//! provider wants its own back with the calls that followed from it.

use super::text::clean;
use crate::kernel::message::{LONGEST_THINKING, Thought};

/// What is shown in the place of what goes beyond the bound.
const MORE: &str = "\n[… more of it is not kept]";

/// The thinking of one answer while it is read.
#[derive(Debug, Default)]
pub(super) struct Thinking {
    blocks: Vec<Block>,
    /// Bytes of all blocks, which are bounded.
    bytes: usize,
    /// Bytes of the answer's text so far, as it was handed on.
    pub(super) said: usize,
}

/// One block.
#[derive(Debug)]
struct Block {
    /// The format's own number for it.
    index: u64,
    kind: &'static str,
    words: String,
    signature: String,
    after_text: usize,
    after_calls: usize,
}

impl Thinking {
    /// Begins a block of that kind, which comes after so many calls.
    pub(super) fn begin(&mut self, index: u64, kind: &'static str, after_calls: usize) {
        let after_text = self.said;
        let (words, signature) = (String::new(), String::new());
        self.blocks.push(Block { index, kind, words, signature, after_text, after_calls });
    }

    /// More words of the block with that number. Gives what is to be shown of them.
    pub(super) fn words(&mut self, index: u64, more: &str) -> String {
        if !self.fits(more.len()) {
            return String::new();
        }
        if self.bytes > LONGEST_THINKING {
            return MORE.to_owned();
        }
        let Some(block) = self.block(index) else { return String::new() };
        block.words.push_str(more);
        more.to_owned()
    }

    /// More of the signature of the block with that number.
    pub(super) fn signature(&mut self, index: u64, more: &str) {
        if self.fits(more.len())
            && let Some(block) = self.block(index)
        {
            block.signature.push_str(more);
        }
    }

    /// What has to come back, if the answer calls: all of it, or nothing where it was too much.
    pub(super) fn finish(self) -> Vec<Thought> {
        if self.bytes > LONGEST_THINKING {
            return Vec::new();
        }
        let thoughts = self.blocks.into_iter().map(|block| {
            let shown = clean(&block.words);
            Thought {
                // Whoever asked knows the name.
                from: String::new(),
                kind: block.kind.to_owned(),
                signature: block.signature,
                streamed: shown.len(),
                words: (shown != block.words).then_some(block.words),
                after_text: block.after_text,
                after_calls: block.after_calls,
            }
        });
        thoughts.collect()
    }

    /// Counts so many bytes more; false where it was too much before.
    fn fits(&mut self, more: usize) -> bool {
        let fits = self.bytes <= LONGEST_THINKING;
        self.bytes = self.bytes.saturating_add(more);
        fits
    }

    fn block(&mut self, index: u64) -> Option<&mut Block> {
        self.blocks.iter_mut().rev().find(|block| block.index == index)
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn what_comes_back_is_what_came_and_what_is_shown_is_clean() {
        let mut thinking = Thinking::default();
        thinking.begin(0, "thinking", 0);
        assert_eq!(thinking.words(0, "is it\r"), "is it\r");
        assert_eq!(thinking.words(0, "\n\u{1b}x"), "\n\u{1b}x");
        thinking.signature(0, "si");
        thinking.signature(0, "gn");
        thinking.said = 4;
        thinking.begin(2, "redacted_thinking", 1);
        thinking.signature(2, "data");
        assert_eq!(thinking.words(9, "of no block"), "");
        let thought = |kind: &str, signature: &str| Thought {
            from: String::new(),
            kind: kind.to_owned(),
            signature: signature.to_owned(),
            streamed: 0,
            words: None,
            after_text: 0,
            after_calls: 0,
        };
        assert_eq!(
            thinking.finish(),
            [
                Thought {
                    streamed: "is it\n⟨U+001B⟩x".len(),
                    words: Some("is it\r\n\u{1b}x".to_owned()),
                    ..thought("thinking", "sign")
                },
                Thought { after_text: 4, after_calls: 1, ..thought("redacted_thinking", "data") },
            ]
        );
    }

    #[test]
    fn more_than_is_kept_is_said_once_and_does_not_go_back() {
        let mut thinking = Thinking::default();
        thinking.begin(0, "thinking", 0);
        let half = "x".repeat(LONGEST_THINKING / 2);
        let shown = [0; 4].map(|index| thinking.words(index, &half));
        assert_eq!(shown.each_ref().map(String::len), [half.len(), half.len(), MORE.len(), 0]);
        assert_eq!(thinking.finish(), []);
    }
}
