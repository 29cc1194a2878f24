//! The row of keys of a question, and the one below it.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::{
    Room,
    pen::{Pen, inset},
    sheet,
};
use crate::tui::{
    clean,
    hints::Hints,
    keymap::{Action, Go, Letter, Move, Place},
    state::{
        Focus, State,
        waiting::{About, Compare, Waiting},
    },
    theme::{Mark, Role},
};

/// One offer of the row of keys: the key, its words, whether it is live, and the cells to the next.
type Offer = (&'static str, &'static str, bool, usize);

/// Draws the rows: the answers, and what else a key does here. Gives the places of the keys that are
/// live.
pub(super) fn draw(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    waiting: &Waiting,
    live: bool,
    room: Room,
) -> Vec<(char, Rect)> {
    let area = inset(area, 1, 0);
    let why_not = waiting.not_offered();
    let wider = live && why_not.is_none();
    if let About::Rules(_) = waiting.about {
        let (yes, never) = match room {
            Room::Narrow => ("trust", "never"),
            Room::Tiny | Room::Plain | Room::Wide | Room::Full => {
                ("yes, trust this text", "never, for this text")
            }
        };
        let labels = answers(pen, area, 0, &[("y", yes, wider, 5), ("n", never, live, 0)]);
        if room != Room::Narrow {
            others(state, pen, area, waiting, why_not);
        }
        return labels;
    }
    if room == Room::Narrow {
        let row = [
            ("y", "yes, once", live, 4),
            ("n", "no", live, 2),
            ("f", "because…", live, 2),
            ("N", "stop", live, 0),
        ];
        return answers(pen, area, 0, &row);
    }
    let gap: [usize; 5] = if area.width >= 88 { [7, 4, 4, 6, 6] } else { [5, 2, 2, 4, 3] };
    let edits = live && waiting.capability.is_some();
    let row = [
        ("y", "yes, once", live, gap[0]),
        ("n", "no", live, gap[1]),
        ("f", "no, because…", live, gap[2]),
        ("N", "no, stop the turn", live, gap[3]),
        ("e", "edit", edits, gap[4]),
        ("w", "wider…", wider, 0),
    ];
    let labels = answers(pen, area, 0, &row);
    others(state, pen, area, waiting, why_not);
    labels
}

/// What else a key does here, as far as there is room; and why a yes is not on offer.
fn others(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    waiting: &Waiting,
    why_not: Option<&'static str>,
) {
    if state.focus != Focus::Question {
        let answers = Hints::of(&state.controls, state.key_place());
        let answers = answers.with(Action::Go(Go::NextPane), "answers; until then").joined("");
        let text = format!("{answers} your keys are text");
        pen.text(area, 1, text.trim_start(), Role::Quiet);
        return;
    }
    let full = if waiting.zoomed { "smaller" } else { "in full" };
    let seen = state.drawn.question.as_ref();
    let more = seen.is_some_and(|seen| seen.total > seen.rows);
    let at_end = seen.is_some_and(|seen| seen.top > 0 && seen.top + seen.rows >= seen.total);
    let hint = |action, does: &str| {
        Hints::of(&state.controls, Place::Question).with(action, does).joined("")
    };
    let far = match at_end {
        true => hint(Action::Move(Move::Home), "first line"),
        false => hint(Action::Move(Move::End), "last line"),
    };
    let width = usize::from(area.width) + 1;
    let sides = match (state.queue.compare, sheet::why_not_sides(waiting, width)) {
        (_, Some(_)) => (0, String::new()),
        (Compare::Unified, None) => (8, hint(Action::Compare, "side by side")),
        (Compare::Sides, None) => (8, hint(Action::Compare, "unified")),
    };
    let of_script = |other: &&Waiting| {
        waiting.question.script.is_some() && other.question.script == waiting.question.script
    };
    let together = state.queue.ordered().into_iter().filter(of_script).count() > 1;
    let several = state.queue.asking() + state.queue.put_off() > 1;
    let later = match waiting.about {
        About::Call if state.queue.several.looked_at == Some(waiting.question.id) => {
            "back to the list"
        }
        About::Call => "not now",
        About::Rules(_) => "not now: the next start asks",
    };
    let others = Hints::of(&state.controls, Place::Question)
        .moves([Action::Go(Go::PreviousQuestion), Action::Go(Go::NextQuestion)], "next");
    // In the order in which they stand; what has the lower number goes first where it is narrow.
    let mut offers = vec![
        (9, hint(Action::Open, full)),
        (if more { 5 } else { 0 }, far),
        sides,
        (if more { 4 } else { 0 }, hint(Action::Search, "search")),
        (if waiting.source.is_some() { 2 } else { 0 }, hint(Action::Script, "script")),
        (if together { 6 } else { 0 }, hint(Action::Answer(Letter::Several), "several…")),
        (1, hint(Action::Copy, "copy")),
        (if several { 7 } else { 0 }, others.joined("")),
        (9, hint(Action::Leave, later)),
    ];
    offers.retain(|(rank, text)| *rank > 0 && !text.is_empty());
    let room =
        usize::from(area.width).saturating_sub(why_not.map_or(1, |why| clean::width(why) + 3));
    let width = |offers: &[(u8, String)]| {
        offers.iter().map(|(_, text)| clean::width(text) + 3).sum::<usize>().saturating_sub(3)
    };
    while width(&offers) > room
        && let Some(least) = (0..offers.len()).min_by_key(|at| offers[*at].0)
    {
        offers.remove(least);
    }
    let offers: Vec<_> = offers.into_iter().map(|(_, text)| text).collect();
    let left = Line::from(pen.span(offers.join("   "), Role::Quiet));
    let right = pen.span(why_not.unwrap_or_default(), Role::Quiet);
    let right = if why_not.is_some() { Line::from(right) } else { Line::default() };
    pen.apart(inset(area, 0, 1), 1, left, right);
}

fn answers(pen: &mut Pen<'_>, area: Rect, row: u16, offers: &[Offer]) -> Vec<(char, Rect)> {
    let mut spans = Vec::new();
    let (mut labels, mut x) = (Vec::new(), area.x);
    for (key, words, live, gap) in offers {
        if *live {
            spans.push(pen.span(*key, Role::Need));
            spans.push(pen.span(format!(" {words}"), Role::Bright));
        } else {
            spans.push(pen.mark(Mark::KeyOff));
            spans.push(pen.span(format!(" {words}"), Role::Quiet));
        }
        spans.push(Span::raw(" ".repeat(*gap)));
        let cells = u16::try_from(clean::width(words) + 2).unwrap_or(u16::MAX);
        if let (true, Some(letter)) = (*live, key.chars().next()) {
            let label = Rect { x, y: area.y + row, width: cells, height: 1 };
            labels.push((letter, label.intersection(area)));
        }
        x = x.saturating_add(cells).saturating_add(u16::try_from(*gap).unwrap_or(0));
    }
    pen.line(area, row, Line::from(spans));
    labels
}
