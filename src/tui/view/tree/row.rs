//! What a row of the tree says.

use ratatui::text::Span;

use super::super::{lists::state_words, pen::Pen};
use crate::{
    kernel::{message::Usage, port::Whereabouts},
    tui::{
        state::{
            State,
            tree::{Below, Row, Twig},
        },
        theme::{Mark, Role},
        words,
    },
};

/// How much room the lines of the tree have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lines {
    Wide,
    /// In a column, or on a small screen.
    Tight,
}

/// What stands before a row: its number, the lines of the tree, and whether it is folded.
fn before(state: &State, pen: &Pen<'_>, twig: &Twig, lines: Lines) -> Vec<Span<'static>> {
    let mut text = String::new();
    // The first cell is for the bar.
    let (edge, step) = match lines {
        Lines::Wide => ("   ", "  "),
        Lines::Tight => (" ", " "),
    };
    let number = state.sessions.roots().iter().position(|root| *root == twig.session);
    match number.filter(|number| *number < 9 && twig.depth == 0) {
        Some(number) => text.push_str(&format!(" {} ", number + 1)),
        None if twig.depth == 0 => text.push_str("   "),
        None => text.push_str(edge),
    }
    for depth in 1..twig.depth {
        let rail = 1_u64.checked_shl(depth as u32).is_some_and(|bit| twig.rails & bit != 0);
        text.push_str(step);
        text.push_str(if rail { pen.look.mark(Mark::Column) } else { " " });
        text.push(' ');
    }
    let mut spans = vec![pen.span(text, Role::Quiet)];
    if twig.depth > 0 {
        let mark = if twig.last { Mark::LastChild } else { Mark::MeetsRight };
        spans.push(pen.span(format!("{step}{} ", pen.look.mark(mark)), Role::Quiet));
    }
    match twig.below {
        Below::Nothing if twig.depth == 0 => spans.push(Span::raw("  ")),
        Below::Nothing => {}
        Below::Shown => spans.extend([pen.mark(Mark::Open), Span::raw(" ")]),
        Below::Folded => spans.extend([pen.mark(Mark::Folded), Span::raw(" ")]),
    }
    spans
}

/// What a row says: mark, name, and what it is at.
pub(super) struct Said {
    pub(super) before: Vec<Span<'static>>,
    pub(super) mark: Mark,
    pub(super) name: String,
    pub(super) state: String,
    pub(super) time: Option<i64>,
    pub(super) used: Usage,
}

pub(super) fn said(state: &State, pen: &Pen<'_>, row: Row, lines: Lines) -> Option<Said> {
    #[cfg(test)]
    crate::tui::tally::row();
    Some(match row {
        Row::Session(twig) => {
            let node = state.sessions.get(twig.session)?;
            let mark = state.tree_mark(twig.session);
            Said {
                before: before(state, pen, &twig, lines),
                mark,
                name: node.called().to_owned(),
                state: state_words(state, twig.session),
                time: node.time(state.now.wall),
                used: twig.used,
            }
        }
        Row::Ended { twig, count } => Said {
            before: before(state, pen, &twig, lines),
            mark: Mark::Done,
            name: format!("{count} ended"),
            state: String::new(),
            time: None,
            used: twig.used,
        },
        Row::Program { twig, call } => {
            let run = state.output.runs.iter().find(|run| run.call == call);
            Said {
                before: before(state, pen, &twig, lines),
                mark: Mark::Running,
                name: run.map_or_else(|| "a program".to_owned(), |run| run.program.clone()),
                state: "program, goes on beside".to_owned(),
                time: run.map(|run| words::seconds(run.since, state.now.wall)),
                used: Usage::default(),
            }
        }
        Row::Listed(at) => {
            let listed = state.sessions.tree.listed.get(at)?;
            let session = &listed.session;
            let (mark, words) = match &listed.place {
                Whereabouts::There(by) => {
                    let by = by.as_deref().unwrap_or("another footplate");
                    let text = match lines {
                        Lines::Wide => format!("open in {by}"),
                        Lines::Tight => "open elsewhere".to_owned(),
                    };
                    (Mark::Warning, text)
                }
                Whereabouts::Free | Whereabouts::Here => {
                    let ago = ago(session.changed, state.now.wall);
                    let open = if lines == Lines::Wide { ", not open" } else { "" };
                    (Mark::Idle, format!("{ago}{open}"))
                }
            };
            Said {
                before: vec![Span::raw(if lines == Lines::Wide { "     " } else { "   " })],
                mark,
                name: session.called().unwrap_or("(nothing said)").to_owned(),
                state: words,
                time: None,
                used: Usage::default(),
            }
        }
        Row::Others(_) => return None,
    })
}

pub(super) fn others(
    state: &State,
    pen: &Pen<'_>,
    count: usize,
    lines: Lines,
) -> Vec<Span<'static>> {
    let mark = if state.sessions.tree.others_open { Mark::Open } else { Mark::Folded };
    let text = match lines {
        Lines::Wide => format!(" {} in other folders", words::count(count, "session")),
        Lines::Tight => format!(" {} in other folders", words::grouped(count as u64)),
    };
    vec![Span::raw("   "), pen.mark(mark), pen.span(text, Role::Quiet)]
}

/// `4 min ago`, `2 h ago`, `3 days ago`.
fn ago(then: jiff::Timestamp, now: jiff::Timestamp) -> String {
    let minutes = words::seconds(then, now) / 60;
    match minutes {
        0..60 => format!("{minutes} min ago"),
        60..2880 => format!("{} h ago", minutes / 60),
        _ => format!("{} days ago", minutes / 1440),
    }
}
