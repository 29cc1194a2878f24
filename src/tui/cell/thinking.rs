//! What a model thought: in sight while it thinks, and one row once it speaks or acts.

use jiff::Timestamp;
use ratatui::text::{Line, Span};
use serde::{Deserialize, Serialize};

use super::{
    Fold,
    rows::{Scene, fit},
};
use crate::tui::{
    theme::{Mark, Role},
    words,
    wrap::{Layout, wrap_with},
};

/// How many bytes of the end are laid out while more comes.
const LIVE: usize = 8 << 10;

/// One stretch of thinking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thinking {
    pub text: String,
    /// When it began, and when the last of it came.
    pub began: Timestamp,
    pub last: Timestamp,
    pub live: bool,
    /// Whether it is one row: it has no part between that and all.
    pub fold: Fold,
}

impl Thinking {
    pub fn new(at: Timestamp) -> Self {
        Self { text: String::new(), began: at, last: at, live: true, fold: Fold::Full }
    }
}

pub(super) fn rows(thinking: &Thinking, scene: &Scene<'_>) -> Vec<Line<'static>> {
    let mut out = vec![head(thinking, scene)];
    if thinking.fold == Fold::Shut {
        return out;
    }
    let quiet = scene.look.style(Role::Quiet);
    let text = thinking.text.trim_end();
    let from = if thinking.live { start(text) } else { 0 };
    if from > 0 {
        let above = words::count(text[..from].lines().count().max(1), "line");
        let gap = scene.look.mark(Mark::Gap);
        out.push(Line::styled(format!("  {gap} {above} above"), quiet));
    }
    for line in text[from..].split('\n') {
        let mut spans = vec![Span::raw("  ")];
        spans.extend(scene.spans(line, Role::Quiet));
        out.extend(wrap_with(&Line::from(spans), Layout::words(scene.width).hanging(2)));
    }
    out
}

/// The start of the last lines, so that no more of what grows is laid out than a screen has room for.
fn start(text: &str) -> usize {
    let Some(from) = text.len().checked_sub(LIVE) else { return 0 };
    let from = text.ceil_char_boundary(from);
    text[from..].find('\n').map_or(from, |end| from + end + 1)
}

fn head(thinking: &Thinking, scene: &Scene<'_>) -> Line<'static> {
    let fold = if thinking.fold == Fold::Shut { Mark::Folded } else { Mark::Open };
    let mut spans = vec![scene.mark(fold), Span::raw(" ")];
    if thinking.live {
        spans.extend([scene.mark(Mark::Running), Span::raw(" ")]);
    }
    let until = if thinking.live { scene.now } else { thinking.last };
    let seconds = words::seconds(thinking.began, until);
    let text = if thinking.live {
        format!("thinking   {}", words::clock(seconds))
    } else {
        let lines = words::count(thinking.text.trim().lines().count(), "line");
        format!("thought for {}, {lines}", words::lasted(seconds))
    };
    spans.push(Span::styled(text, scene.look.style(Role::Quiet)));
    fit(spans, scene.width)
}
