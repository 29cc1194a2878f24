//! The last row: what needs you, always at the same place, and then the rest as far as it fits.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::{
    away,
    pen::{Pen, inset},
};
use crate::{
    kernel::{money::Money, port::Form, spec::Mode},
    tui::{
        clean,
        hints::Hints,
        keymap::{Action, Go},
        state::{Focus, Popup, State, status::Player},
        theme::{Mark, Role},
        words,
    },
};

/// Cells for what needs you, always; and where there is no room to name a key.
const NEEDS: u16 = 23;
const NEEDS_NARROW: u16 = 17;

/// Narrower than this, what is said in passing stands in the rule above the composer.
const NARROW: u16 = 60;

/// What is said in passing, where this line has no room for it.
pub(super) fn passing(state: &State, width: u16) -> Option<&str> {
    state.status.toast(state.now.at).filter(|_| width < NARROW)
}

pub(super) fn line(state: &State, pen: &mut Pen<'_>, area: Rect) {
    let parts = parts(state, pen);
    let narrow = area.width < NARROW;
    let cells = |keep: fn(Part) -> bool| -> usize {
        let kept = parts.iter().filter(|(part, _)| keep(*part));
        kept.map(|(_, span)| clean::width(&span.content) + 3).sum()
    };
    // Its key is named where nothing goes for that which has to stay.
    let least = cells(|part| matches!(part, Part::Mode | Part::Seal)).saturating_sub(3);
    let named = !narrow || least + usize::from(NEEDS) <= usize::from(area.width);
    let (taken, margin) = match (narrow, named) {
        (false, _) => (NEEDS, 1),
        (true, true) => (NEEDS, 0),
        (true, false) => (NEEDS_NARROW, 0),
    };
    let needs = needs(state, pen, named);
    pen.line(Rect { width: taken.min(area.width), ..area }, 0, needs);
    let area = inset(area, taken.min(area.width), margin);
    let width = usize::from(area.width);
    let toast = state.status.toast(state.now.at).filter(|_| !narrow);
    let right = match toast {
        Some(toast) => Line::from(pen.spans(toast, Role::Bright)),
        None => {
            let all = width.saturating_sub(cells(|_| true));
            let fewer = cells(|part| !matches!(part, Part::Model | Part::Context));
            Line::from(pen.span(hint(state, all, width.saturating_sub(fewer)), Role::Quiet))
        }
    };
    let mut kept: Vec<bool> = vec![true; parts.len()];
    let mut tail = words::cells(&right);
    // What goes first when it gets narrow: never the mode, nor a seal that is not full. Hints go
    // whole; a toast stays, and is cut when nothing else is left to go.
    let stays = toast.is_some() || state.status.away.told.is_some();
    let order: &[Option<Part>] = match stays {
        false => &[
            Some(Part::Model),
            Some(Part::Context),
            None,
            Some(Part::Tokens),
            Some(Part::Money),
            Some(Part::Work),
        ],
        true => &[
            Some(Part::Model),
            Some(Part::Context),
            Some(Part::Tokens),
            Some(Part::Money),
            Some(Part::Work),
        ],
    };
    let mut order = order.iter();
    loop {
        let widths = parts.iter().zip(&kept).filter(|(_, kept)| **kept);
        let used: usize = widths.map(|((_, span), _)| clean::width(&span.content) + 3).sum();
        if used.saturating_sub(3) + tail + 2 * usize::from(tail > 0) <= width {
            break;
        }
        match order.next() {
            Some(Some(drop)) => {
                for (at, (part, _)) in parts.iter().enumerate() {
                    kept[at] &= part != drop;
                }
            }
            Some(None) => tail = 0,
            None => {
                // A toast is cut; a hint is there whole or not at all.
                if toast.is_none() {
                    tail = 0;
                }
                break;
            }
        }
    }
    let mut left = Vec::new();
    for ((_, span), _) in parts.iter().zip(&kept).filter(|(_, kept)| **kept) {
        if !left.is_empty() {
            left.push(pen.span(pen.look.dot(), Role::Quiet));
        }
        left.push(span.clone());
    }
    let left = Line::from(left);
    let room = width.saturating_sub(words::cells(&left) + 2);
    let right = if tail == 0 { Line::default() } else { words::fit(right, room) };
    pen.apart(area, 0, left, right);
}

fn needs(state: &State, pen: &Pen<'_>, named: bool) -> Line<'static> {
    let key = state.controls.key(state.key_place(), Action::Go(Go::Question));
    // The key is named where it has room within those cells.
    let key = |text: &str| {
        let fits = clean::width(text) + clean::width(&key) + 4 < usize::from(NEEDS);
        let key = if named && fits && !key.is_empty() { format!(" {key}") } else { String::new() };
        pen.span(key, Role::Quiet)
    };
    let (asking, put_off) = (state.queue.asking(), state.queue.put_off());
    match (asking, put_off) {
        (0, 0) => Line::from(pen.span("   nothing waits", Role::Quiet)),
        (0, count) => {
            let text = format!(" {count} not now");
            let key = key(&text);
            Line::from(vec![
                Span::raw(" "),
                pen.mark(Mark::NotNow),
                pen.span(text, Role::Held),
                key,
            ])
        }
        (count, _) => {
            let verb = if count == 1 { "needs" } else { "need" };
            let text = format!(" {count} {verb} you");
            let key = key(&text);
            Line::from(vec![Span::raw(" "), pen.mark(Mark::Needs), pen.span(text, Role::Need), key])
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Mode,
    Seal,
    Work,
    Tokens,
    Money,
    Context,
    Model,
}

fn parts(state: &State, pen: &Pen<'_>) -> Vec<(Part, Span<'static>)> {
    let node = state.sessions.node();
    let mode = node.map_or(state.place.mode, |node| node.mode);
    let role = if mode == Mode::Auto { Role::Warn } else { Role::Text };
    let name = match mode {
        Mode::Auto => format!("{} auto", pen.look.mark(Mark::Warning)),
        Mode::Plan | Mode::Default | Mode::AcceptEdits | Mode::Guarded => mode.name().to_owned(),
    };
    let mut parts = vec![(Part::Mode, pen.span(name, role))];
    let (name, role) = match state.place.seal {
        None => ("seal …", Role::Quiet),
        Some(Form::Full | Form::Profile) => ("sealed", Role::Text),
        Some(Form::WithoutNamespaces) => ("weaker seal", Role::Text),
        Some(Form::None) => ("unsealed", Role::Warn),
    };
    parts.push((Part::Seal, pen.span(name, role)));
    let work = state.at_work();
    if work > 0 {
        let mark = pen.look.mark(Mark::Running);
        parts.push((Part::Work, pen.span(format!("{mark} {work} at work"), Role::Work)));
    }
    // The limits are those of a session and all its agents.
    let root = node.map(|node| state.sessions.root(node.spec.id));
    let tree = || {
        let nodes = state.sessions.iter().filter(|(id, _)| Some(state.sessions.root(**id)) == root);
        nodes.map(|(_, node)| node)
    };
    let used: u64 = tree().map(|node| node.usage.input + node.usage.output).sum();
    let ceiling = root.and_then(|root| state.sessions.get(root));
    let ceiling = ceiling.map(|node| node.spec.limits.ceiling).unwrap_or_default();
    if let Some(limit) = ceiling.tokens {
        let text = format!("{} of {} tokens", words::tokens(used), words::tokens(limit));
        // Close to the end, as a clock is.
        let role = if used >= limit / 10 * 9 { Role::Warn } else { Role::Text };
        parts.push((Part::Tokens, pen.span(text, role)));
    } else if used > 0 {
        let text = format!("{} tokens", words::tokens(used));
        parts.push((Part::Tokens, pen.span(text, Role::Text)));
    }
    let spent = tree().fold(Money::NONE, |cost, node| cost.plus(node.usage.cost));
    if let Some(limit) = ceiling.cost {
        parts.push((Part::Money, pen.span(format!("{spent} of {limit} spent"), Role::Text)));
    } else if !spent.is_none() {
        parts.push((Part::Money, pen.span(spent.to_string(), Role::Text)));
    }
    if let Some(node) = node.filter(|node| node.context > 0) {
        let text = format!("context {}", words::tokens(node.context));
        parts.push((Part::Context, pen.span(text, Role::Text)));
    }
    let model = match (node, &state.place.player) {
        (Some(node), _) => Some(node.spec.model.clone()),
        (None, Player::Model(name) | Player::Script(name)) => Some(name.clone()),
        (None, Player::Nobody { .. }) => None,
    };
    let shown = model.map(|model| clean::truncate(&clean::shown(&model), 24));
    parts.extend(shown.map(|model| (Part::Model, pen.span(model, Role::Quiet))));
    parts
}

/// Which keys to name, each with what it does, the least of them first to go. A key that somebody took
/// away is not named.
fn hints(state: &State) -> Vec<String> {
    let key = |action, does: &str| {
        let hint = Hints::of(&state.controls, state.key_place()).with(action, does).joined("");
        (!hint.is_empty()).then_some(hint)
    };
    if state.popup.is_some() {
        // How it is left stands in its own row of keys.
        let of_help = matches!(state.popup, Some(Popup::Help { .. }));
        return key(Action::Go(Go::Help), "help").into_iter().filter(|_| !of_help).collect();
    }
    // Where the list has a pane of its own, that is enough.
    if let Some(told) = &state.status.away.told
        && !state.drawn.layout.has(Focus::Away)
    {
        let key = state.controls.key(state.key_place(), Action::Go(Go::Away));
        return vec![format!("{} {} {key}", told.news.len(), away::TITLE).trim_end().to_owned()];
    }
    let below = state.sessions.node().is_some_and(|node| node.spec.parent.is_some());
    let help = key(Action::Go(Go::Help), "help");
    let commands = key(Action::Go(Go::Commands), "commands");
    let all = match state.focus {
        Focus::Composer if below => {
            vec![key(Action::Go(Go::Back), "back"), key(Action::Go(Go::Parent), "up")]
        }
        Focus::Start | Focus::Composer | Focus::Question => vec![commands, help],
        Focus::Transcript => vec![commands, key(Action::Open, "unfolds"), help],
        Focus::Output(_)
        | Focus::Sessions
        | Focus::Waiting
        | Focus::Plan
        | Focus::Changes
        | Focus::Away => vec![commands, key(Action::Zoom, "alone"), help],
    };
    all.into_iter().flatten().collect()
}

/// The hints that find room, the last of them at the least: the list of commands beside `all` else, the
/// others beside what is left when the names of what is used are gone.
fn hint(state: &State, all: usize, fewer: usize) -> String {
    let dot = state.look.dot();
    let mut hints = hints(state);
    while hints.len() > 1 {
        let room = if hints[0].ends_with("commands") { all } else { fewer };
        if clean::width(&hints.join(&dot)) <= room {
            break;
        }
        hints.remove(0);
    }
    hints.join(&dot)
}

/// The one line of a screen on which nothing can be read: as much as there is room for, what to do
/// about it last of all to go.
pub(super) fn tiny(state: &State, pen: &mut Pen<'_>, area: Rect) {
    let waits = match state.queue.asking() {
        0 => String::new(),
        count => format!("{} {count}{}", pen.look.mark(Mark::Needs), pen.look.dot()),
    };
    let texts = [format!("{waits}footplate needs 40x10"), format!("{waits}needs 40x10")];
    let fits = |text: &&String| clean::width(text) <= usize::from(area.width);
    let text = texts.iter().find(fits).map_or("needs 40x10", String::as_str);
    pen.text(area, 0, text, Role::Text);
}

/// The title of the terminal: it changes with the state, never with the second.
pub fn title(state: &State) -> String {
    let (place, dot) = (state.folder(), state.look.dot());
    let what = match (state.queue.asking(), state.at_work()) {
        (0, 0) => String::new(),
        (0, work) => format!("{} {work}{dot}", state.look.mark(Mark::Running)),
        (asking, _) => format!("{} {asking}{dot}", state.look.mark(Mark::Needs)),
    };
    format!("{what}{place}{dot}footplate")
}
