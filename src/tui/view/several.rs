//! The questions of one script, to be answered together.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::pen::{Keys, Pen, inset, split_bottom, split_top};
use crate::tui::{
    clean,
    hints::Hints,
    keymap::{Action, Place},
    state::{State, waiting::Waiting},
    theme::{Mark, Role},
    update::asker,
    words,
};

/// Narrower than this, a row says what is asked and whether it was seen, and no more.
const NARROW: u16 = 60;

/// Its rule, a row a question, and the keys.
pub(super) fn rows(state: &State, area: Rect) -> u16 {
    let all = u16::try_from(state.queue.of_script().len()).unwrap_or(u16::MAX);
    all.saturating_add(2).min(area.height)
}

pub(super) fn draw(state: &State, pen: &mut Pen<'_>, area: Rect, row: usize) {
    pen.clear(area);
    let all = state.queue.of_script();
    let dot = pen.look.dot();
    let path = format!(" {} ", pen.look.mark(Mark::Path));
    let several = &state.queue.several;
    let mut title = vec![pen.span(format!("several{dot}"), Role::Bright)];
    if let Some(first) = all.first() {
        let who = state.way(first.question.session, &first.question.path, 40);
        let script = first.script.clone().unwrap_or_else(|| asker(first));
        title.extend(pen.spans(&format!("{who}{path}{script}"), Role::Bright));
    }
    title.push(pen.span(format!("{dot}{} wait", all.len()), Role::Bright));
    if several.gone > 0 {
        title.push(pen.span(format!("{dot}{} gone meanwhile", several.gone), Role::Warn));
    }
    let mut right = Vec::new();
    if let Some(oldest) = all.iter().map(|waiting| waiting.asked).min() {
        let clock = pen.look.clock(words::seconds(oldest, state.now.wall));
        right = vec![
            pen.mark(Mark::ClockHeld),
            pen.span(format!(" clock held {clock}"), Mark::ClockHeld.role()),
        ];
    }
    pen.rule(area, 0, Keys::Here, title, right);
    let (_, rest) = split_top(area, 1);
    let (rest, keys) = split_bottom(rest, 1);
    let height = usize::from(rest.height);
    let row = row.min(all.len().saturating_sub(1));
    let first = (row + 1).saturating_sub(height);
    for (at, waiting) in all.iter().enumerate().skip(first).take(height) {
        let y = u16::try_from(at - first).unwrap_or(0);
        let (left, right) = entry(state, pen, waiting, area.width < NARROW);
        pen.apart(inset(rest, 0, 1), y, left, right);
        if at == row {
            pen.line(rest, y, Line::from(pen.mark(Mark::Here)));
        }
    }
    let count = several.chosen.len();
    let these = if count == 1 { "this 1".to_owned() } else { format!("these {count}") };
    let (yes, no) = match area.width < NARROW {
        true => (format!("yes to {count}"), format!("no to {count}")),
        false => (
            format!("yes, once, to {these}"),
            if count == 1 { "no to it" } else { "no to them" }.to_owned(),
        ),
    };
    let hints = Hints::of(&state.controls, Place::Several)
        .when(count > 0, Action::Confirm, &yes)
        .with(Action::Open, "see")
        .with(Action::Choose, "choose")
        .when(count > 0, Action::Refuse, &no)
        .leave("back");
    pen.hints(keys, hints);
    let hidden = all.len().saturating_sub(height);
    if hidden > 0 {
        let said = format!(" {first} above, {} below ", hidden - first);
        let x = usize::from(area.width).saturating_sub(clean::width(&said) + 22);
        pen.text(inset(area, u16::try_from(x).unwrap_or(0), 20), 0, &said, Role::Quiet);
    }
}

fn entry(
    state: &State,
    pen: &Pen<'_>,
    waiting: &Waiting,
    narrow: bool,
) -> (Line<'static>, Line<'static>) {
    let question = &waiting.question;
    let chosen = state.queue.several.chosen.contains(&question.id);
    let effect = question.category.name().to_uppercase();
    let effect = if narrow { format!("{effect} ") } else { clean::pad(&effect, 10) };
    let mut left = vec![
        pen.span(if chosen { "   [x] " } else { "   [ ] " }, Role::Bright),
        pen.span(effect, Role::Bright),
    ];
    left.extend(pen.name(&waiting.object(), Role::Text));
    let line = super::script::asking_line(waiting).map(|line| format!("line {line}"));
    let fact = question.preview.facts.first().filter(|fact| fact.starts_with(['+', '−'])).cloned();
    let says = state.queue.why_not_chosen(waiting).unwrap_or("seen");
    let facts = [line.unwrap_or_default(), fact.unwrap_or_default()];
    // Why it cannot be chosen is said wherever it is.
    let right = match narrow {
        true if says == "see it first" => "not seen".to_owned(),
        true => says.to_owned(),
        false => format!(
            "  {}  {}  {}",
            clean::pad(&facts[0], 8),
            clean::pad(&facts[1], 10),
            clean::pad(says, 21)
        ),
    };
    (Line::from(left), Line::from(Span::styled(right, pen.style(Role::Quiet))))
}
