//! What a model says and thinks, while it comes.

use jiff::Timestamp;

use super::{Scroll, Transcript, scan::Scan};
use crate::tui::cell::{Body, Cell, Fold, Thinking};

impl Transcript {
    /// The model thought some more.
    pub fn thought(&mut self, more: &str, at: Timestamp) {
        if self.thinking().is_none() {
            // Nothing to see begins nothing.
            if more.trim().is_empty() {
                return;
            }
            self.end_text();
            self.push(Body::Thinking(Box::new(Thinking::new(at))));
        }
        if let Some(thinking) = self.thinking() {
            thinking.text.push_str(more);
            thinking.last = at;
        }
    }

    /// What it thinks was over then, if it thought.
    pub fn thought_until(&mut self, at: Timestamp) {
        if let Some(thinking) = self.thinking() {
            thinking.last = at;
        }
        self.end_thinking();
    }

    fn thinking(&mut self) -> Option<&mut Thinking> {
        match &mut self.cells.last_mut()?.body {
            Body::Thinking(thinking) if thinking.live => Some(thinking),
            Body::Thinking(_)
            | Body::Said { .. }
            | Body::Text { .. }
            | Body::Code(_)
            | Body::Call(_)
            | Body::Agent { .. }
            | Body::Notice { .. } => None,
        }
    }

    /// It speaks or acts, or has stopped. What it thought folds, unless someone looks elsewhere and what
    /// they see would move.
    fn end_thinking(&mut self) {
        let follows = self.scroll == Scroll::Follow;
        let Some(thinking) = self.thinking() else { return };
        thinking.live = false;
        thinking.text.shrink_to_fit();
        if follows {
            thinking.fold = Fold::Shut;
        }
    }

    /// The model wrote. A paragraph that is over becomes a cell of its own, so that a long answer
    /// is not laid out again and again.
    pub fn streamed(&mut self, more: &str) {
        self.end_thinking();
        if !matches!(self.cells.last(), Some(Cell { body: Body::Text { live: true, .. }, .. })) {
            self.push(Body::Text { text: String::new(), live: true, inside: None });
            self.scan = Scan::default();
        }
        let Some(Cell { body: Body::Text { text, .. }, .. }) = self.cells.last_mut() else {
            return;
        };
        text.push_str(more);
        while let Some(Cell { body: Body::Text { text, .. }, .. }) = self.cells.last_mut()
            && let Some(part) = self.scan.part(text)
        {
            let rest = text.split_off(part.end);
            self.end_text();
            self.scan = part.inside.as_deref().map(Scan::inside).unwrap_or_default();
            self.push(Body::Text { text: rest, live: true, inside: part.inside });
        }
    }

    /// The model's text is over for now.
    pub fn end_text(&mut self) {
        self.end_thinking();
        let Some(cell) = self.cells.last_mut() else { return };
        let Body::Text { text, live, inside } = &mut cell.body else { return };
        *live = false;
        // It had room to grow, or for all that came with it.
        text.shrink_to_fit();
        if text.trim().is_empty() && inside.is_none() {
            self.cells.pop();
        } else {
            cell.touch();
        }
    }
}
