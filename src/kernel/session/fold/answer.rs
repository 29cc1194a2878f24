//! The last answer of a model, until it and the results of its calls are part of the conversation.

use std::mem;

use crate::kernel::{
    event::Stop,
    invoke::ToolResult,
    message::{LONGEST_THINKING, ModelCall, Thought},
};

/// An answer that is being written, or whose calls are being made.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Answer {
    /// Its text so far.
    pub(super) text: String,
    /// Its calls, with the results that have come.
    pub(super) calls: Vec<(ModelCall, Option<ToolResult>)>,
    /// What goes back with the calls of what was thought.
    pub(super) thoughts: Vec<Thought>,
    /// Whether it is still being written.
    pub(super) arrives: bool,
    /// What was thought, as it was streamed.
    thinking: String,
}

impl Answer {
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.calls.is_empty()
    }

    /// Some more was thought. What is longer than is ever kept does not go back anyway.
    pub(super) fn thinks(&mut self, more: &str) {
        if self.thinking.len() <= LONGEST_THINKING {
            self.thinking.push_str(more);
        }
    }

    /// It ended so, with these calls.
    pub(super) fn finish(&mut self, stop: &Stop, calls: &[ModelCall], thoughts: &[Thought]) {
        self.arrives = false;
        self.calls = calls.iter().map(|call| (call.clone(), None)).collect();
        self.thoughts = with_words(&mem::take(&mut self.thinking), thoughts);
        self.note(match stop {
            Stop::End | Stop::Calls => return,
            Stop::Length => "\n[cut off at the model's limit of length]",
            Stop::Interrupted => "\n[stopped by the person]",
            Stop::Failed { .. } => "\n[cut off: the provider failed]",
        });
    }

    /// The program ended while it was being written, if it was.
    pub(super) fn lost(&mut self) {
        if mem::take(&mut self.arrives) {
            self.note("\n[cut off: the program ended]");
        }
    }

    /// An answer that never began is no message; some providers refuse an empty one.
    fn note(&mut self, note: &str) {
        if !self.text.is_empty() {
            self.text.push_str(note);
        }
    }
}

/// The thoughts with their words. They go back all or not at all, so where a damaged journal lacks some
/// of what was streamed there are none.
fn with_words(streamed: &str, thoughts: &[Thought]) -> Vec<Thought> {
    let mut rest = streamed;
    let whole = thoughts.iter().map(|thought| {
        let (own, after) = rest.split_at_checked(thought.streamed)?;
        rest = after;
        let words = thought.words.clone().unwrap_or_else(|| own.to_owned());
        Some(Thought { words: Some(words), ..thought.clone() })
    });
    whole.collect::<Option<_>>().unwrap_or_default()
}
