//! The tree of sessions: over the transcript, and as a column beside it. Only rows in sight are made.

mod row;

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use self::row::{Lines, others, said};
use super::{
    composer,
    pen::{Keys, Pen, inset, split_bottom, split_top},
};

use crate::{
    kernel::money::Money,
    tui::{
        clean,
        hints::Hints,
        keymap::{Action, Go, Place},
        state::{
            Focus, State,
            sessions::Node,
            tree::{Row, Rows},
        },
        theme::{Mark, Role},
        update::asker,
        words,
    },
};

/// Cells of the name with all before it, on a screen of 80.
const NAME: usize = 19;

/// Cells of time, tokens and money.
const TIME: usize = 9;

const TOKENS: usize = 10;

const MONEY: usize = 9;

/// In the column: the cells of a name that may be cut for the figures, and what stays of it.
const SHORT: usize = 12;
const SHORTEST: usize = 7;

/// The least width that shows more than names and states.
const WIDE: u16 = 60;

/// Draws it over the transcript. Gives the place of the cursor.
pub(super) fn draw(state: &State, pen: &mut Pen<'_>, area: Rect) -> Option<(u16, u16)> {
    pen.clear(area);
    let rows = state.tree();
    let (head, rest) = split_top(area, 1);
    let (rest, keys) = split_bottom(rest, 1);
    let wide = area.width >= WIDE;
    let (rest, below) = split_bottom(rest, if area.height >= 14 { 2 } else { 0 });
    let (rest, whole) = split_bottom(rest, u16::from(area.height >= 16));
    if below.height > 0 {
        needs(state, pen, below);
        budget(state, pen, below, &rows);
    }
    let (rest, cursor) = filter(state, pen, rest);
    if wide {
        let right = format!(
            "{}{}{}",
            clean::pad_left("time", TIME),
            clean::pad_left("tokens", TOKENS),
            clean::pad_left("money", MONEY)
        );
        let left = format!("   {}state", clean::pad("agent", names(area.width)));
        let left = Line::from(pen.span(left, Role::Quiet));
        pen.apart(inset(rest, 0, 2), 0, left, Line::from(pen.span(right, Role::Quiet)));
    }
    let (_, list) = split_top(rest, u16::from(wide));
    let height = usize::from(list.height);
    let chosen = state.sessions.cursor.min(rows.len().saturating_sub(1));
    let first = (chosen + 1).saturating_sub(height);
    for (y, at) in (first..rows.len()).take(height).enumerate() {
        let y = u16::try_from(y).unwrap_or(0);
        let Some(row) = rows.get(at) else { continue };
        let (left, right) = line(state, pen, row, area.width);
        pen.apart(inset(list, 0, 2), y, left, right);
        if at == chosen {
            pen.line(list, y, Line::from(pen.mark(Mark::Here)));
            name(state, pen, whole, row);
        }
    }
    title(state, pen, head, (first, height, rows.len()));
    if rows.is_empty() {
        let hints = Hints::of(&state.controls, Place::Sessions);
        let none = match state.sessions.tree.filter.is_on() {
            true => hints.says("   Nothing has these words.").leave("shows all again"),
            false => hints.says("   No session yet.").with(Action::Add, "adds one"),
        };
        pen.text(list, 0, &none.within(usize::from(list.width)), Role::Quiet);
    }
    pen.hints(keys, keys_of(state, &rows));
    cursor
}

/// Cells of the name with all before it, where there is room for more beside it.
fn names(width: u16) -> usize {
    NAME + (usize::from(width).saturating_sub(80) / 3).min(20)
}

/// The name of the chosen row, whole: the list may have cut it.
fn name(state: &State, pen: &mut Pen<'_>, area: Rect, row: Row) {
    let Some(said) = said(state, pen, row, Lines::Wide) else { return };
    if clean::width(&clean::name(&said.name)) > 12 {
        let mut line = vec![pen.span("   name        ", Role::Quiet)];
        line.extend(pen.name(&said.name, Role::Text));
        pen.line(inset(area, 0, 1), 0, Line::from(line));
    }
}

fn title(state: &State, pen: &mut Pen<'_>, head: Rect, sight: (usize, usize, usize)) {
    let dot = pen.look.dot();
    let roots = state.sessions.roots().len();
    let agents = state.sessions.iter().count() - roots;
    let mut title = format!("sessions {roots}");
    if agents > 0 {
        title.push_str(&format!("{dot}agents {agents}"));
    }
    title.push_str(&format!("{dot}{} at work", state.at_work()));
    let asking = state.queue.asking();
    if asking > 0 {
        let verb = if asking == 1 { "needs" } else { "need" };
        title.push_str(&format!("{dot}{asking} {verb} you"));
    }
    let order = pen.ends(sight, state.sessions.tree.order.name(), head.width);
    pen.rule(head, 0, Keys::Here, vec![pen.span(title, Role::Bright)], order);
}

fn keys_of<'a>(state: &'a State, rows: &Rows<'_>) -> Hints<'a> {
    if state.sessions.tree.filter.typing {
        return super::filter::typing(state);
    }
    let hints = Hints::of(&state.controls, Place::Sessions);
    let hints = match rows.get(state.sessions.cursor) {
        Some(Row::Listed(_)) => hints
            .with(Action::Open, "open")
            .with(Action::Resume, "resume")
            .with(Action::Fork, "fork")
            .with(Action::Delete, "delete…"),
        Some(Row::Ended { .. } | Row::Others(_)) => hints
            .with(Action::Open, "open or fold")
            .moves([Action::Fold, Action::Unfold], "fold")
            .with(Action::Add, "add"),
        Some(Row::Session(_) | Row::Program { .. }) | None => hints
            .with(Action::Open, "open")
            .with(Action::Stop, "stop…")
            .with(Action::Message, "message")
            .with(Action::Resume, "resume"),
    };
    hints
        .with(Action::Order, "order")
        .with(Action::Filter, "filter")
        .with(Action::Go(Go::Help), "more")
        .leave(if state.sessions.tree.filter.is_on() { "show all again" } else { "back" })
}

/// The row that says what the tree is narrowed by.
fn filter(state: &State, pen: &mut Pen<'_>, area: Rect) -> (Rect, Option<(u16, u16)>) {
    let filter = &state.sessions.tree.filter;
    let (rest, row) = split_bottom(area, u16::from(filter.is_on()));
    if row.height == 0 {
        return (rest, None);
    }
    pen.text(inset(row, 1, 0), 0, "filter", Role::Quiet);
    let (field, _) = split_top(inset(row, 9, 1), 1);
    let cursor = composer::text(pen, field, &filter.words, filter.typing);
    (rest, cursor.filter(|_| filter.typing))
}

/// One line of all that needs the person.
fn needs(state: &State, pen: &mut Pen<'_>, area: Rect) {
    let (off, asking): (Vec<_>, Vec<_>) =
        state.queue.ordered().into_iter().partition(|waiting| waiting.put_off);
    let (mark, words, role, these) = match (asking.is_empty(), off.is_empty()) {
        (false, _) => (Mark::Needs, " needs you   ", Role::Need, asking),
        (true, false) => (Mark::NotNow, " not now     ", Role::Held, off),
        (true, true) => {
            pen.text(area, 0, "   nothing waits", Role::Quiet);
            return;
        }
    };
    let said = these.iter().map(|waiting| {
        let question = &waiting.question;
        let who = state.sessions.get(question.session).map(Node::called);
        let who = clean::truncate(who.map_or(&asker(waiting), |who| who), 16);
        format!("{who} {} {}", waiting.effect(), waiting.object())
    });
    let said: Vec<_> = said.collect();
    let key = state.controls.key(Place::Sessions, Action::Go(Go::Question));
    let mut left = vec![Span::raw(" "), pen.mark(mark)];
    left.push(pen.span(words, role));
    left.extend(pen.spans(&said.join(&pen.look.dot()), Role::Text));
    pen.apart(inset(area, 0, 1), 0, Line::from(left), Line::from(pen.span(key, Role::Quiet)));
}

/// What was used of what the session in view may use, with all below it.
fn budget(state: &State, pen: &mut Pen<'_>, area: Rect, rows: &Rows<'_>) {
    let Some(viewed) = state.sessions.viewed() else { return };
    let root = state.sessions.root(viewed);
    let Some(node) = state.sessions.get(root) else { return };
    let used = match rows.get(rows.place(Some(root))) {
        Some(Row::Session(twig)) if twig.session == root => twig.used,
        _ => node.usage,
    };
    let ceiling = node.spec.limits.ceiling;
    let mut parts = Vec::new();
    let mut share: Option<f64> = None;
    if let Some(most) = ceiling.cost {
        parts.push(format!("{} of {most} spent", used.cost));
        let (spent, most) = (f64::from(used.cost), f64::from(most));
        share = Some(if most > 0.0 { spent / most } else { 1.0 });
    } else if !used.cost.is_none() {
        parts.push(format!("{} spent", used.cost));
    }
    let tokens = words::tokens(used.tokens());
    match ceiling.tokens {
        Some(most) => {
            parts.push(format!("{tokens} of {} tokens", words::tokens(most)));
            #[expect(clippy::cast_precision_loss, reason = "a bar of a few cells")]
            let of = used.tokens() as f64 / most.max(1) as f64;
            share = Some(share.unwrap_or(0.0).max(of));
        }
        None => parts.push(format!("{tokens} tokens")),
    }
    let text = parts.join(&pen.look.dot());
    let Some(share) = share else {
        pen.text(area, 1, &format!("   no budget   {text}"), Role::Quiet);
        return;
    };
    const BAR: usize = 20;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "between nothing and the whole bar"
    )]
    let full = (share.clamp(0.0, 1.0) * BAR as f64).round() as usize;
    let role = if share >= 0.9 { Role::Warn } else { Role::Text };
    let bar = format!("   budget      {}{}", "█".repeat(full), "░".repeat(BAR - full));
    let line = Line::from(vec![pen.span(bar, role), pen.span(format!("   {text}"), Role::Quiet)]);
    pen.line(area, 1, line);
}

fn line(state: &State, pen: &Pen<'_>, row: Row, width: u16) -> (Line<'static>, Line<'static>) {
    let wide = width >= WIDE;
    let lines = if wide { Lines::Wide } else { Lines::Tight };
    if let Row::Others(count) = row {
        return (Line::from(others(state, pen, count, lines)), Line::default());
    }
    let Some(said) = said(state, pen, row, lines) else {
        return (Line::default(), Line::default());
    };
    let mut left = said.before;
    let taken = words::cells(&Line::from(left.clone())) + 2;
    let mut right = Line::default();
    // The states stand below each other, however long a name is.
    let name = match wide {
        true => (names(width) + 2).saturating_sub(taken).max(6),
        false => 17_usize.saturating_sub(taken).max(6),
    };
    left.extend([pen.mark(said.mark), Span::raw(" ")]);
    if let Row::Listed(_) = row {
        // It has neither figures nor a state of its own: the name takes their room.
        left.extend(pen.name(&said.name, Role::Quiet));
        return (Line::from(left), Line::from(pen.span(said.state, Role::Quiet)));
    }
    let role = match row {
        Row::Session(twig) if Some(twig.session) == state.sessions.viewed() => Role::Bright,
        Row::Session(_)
        | Row::Program { .. }
        | Row::Ended { .. }
        | Row::Listed(_)
        | Row::Others(_) => Role::Text,
    };
    left.push(pen.span(clean::pad(&clean::name(&said.name), name), role));
    let role = if said.mark == Mark::Needs { Role::Bright } else { said.mark.role() };
    left.extend(pen.spans(&format!(" {}", said.state), role));
    if wide {
        let dash = pen.look.mark(Mark::Withdrawn);
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| dash.to_owned());
        let tokens = (said.used.tokens() > 0).then(|| words::tokens(said.used.tokens()));
        let money = (said.used.cost != Money::NONE).then(|| said.used.cost.to_string());
        let text = format!(
            "{}{}{}",
            clean::pad_left(&or_dash(said.time.map(|time| pen.look.clock(time))), TIME),
            clean::pad_left(&or_dash(tokens), TOKENS),
            clean::pad_left(&or_dash(money), MONEY)
        );
        right = Line::from(pen.span(text, Role::Quiet));
    }
    (Line::from(left), right)
}

/// Draws it as a column: names, times and tokens.
pub(super) fn column(state: &State, pen: &mut Pen<'_>, area: Rect) {
    let here = state.focus == Focus::Sessions && state.popup.is_none();
    let title = vec![pen.span("sessions", Role::Bright)];
    let tree = &state.sessions.tree;
    // Rows that are left out are not gone.
    let right = match tree.filter.words.is_empty() {
        false => pen.spans(&format!("only {}", tree.filter.words.text()), Role::Warn),
        true => vec![pen.span(tree.order.name().trim_start_matches("by "), Role::Quiet)],
    };
    pen.rule(area, 0, Keys::here(here), title, right);
    let (_, body) = split_top(area, 1);
    let rows = state.tree();
    let height = usize::from(body.height);
    let mark = if here { state.sessions.cursor } else { rows.place(state.sessions.viewed()) };
    let first = (mark + 1).saturating_sub(height);
    for (y, at) in (first..rows.len()).take(height).enumerate() {
        let y = u16::try_from(y).unwrap_or(0);
        let Some(row) = rows.get(at) else { continue };
        let width = usize::from(body.width).saturating_sub(1);
        pen.line(body, y, in_column(state, pen, row, width));
        if at == mark && (here || state.sessions.viewed().is_some()) {
            let mark = if here { Mark::Here } else { Mark::Path };
            pen.line(body, y, Line::from(pen.mark(mark)));
        }
    }
    if rows.is_empty() {
        pen.text(body, 0, " No session yet.", Role::Quiet);
    }
}

fn in_column(state: &State, pen: &Pen<'_>, row: Row, width: usize) -> Line<'static> {
    if let Row::Others(count) = row {
        return words::fit(Line::from(others(state, pen, count, Lines::Tight)), width);
    }
    let Some(said) = said(state, pen, row, Lines::Tight) else { return Line::default() };
    let mut left = Line::from(said.before);
    let narrow = words::cells(&left);
    left.spans.extend([pen.mark(said.mark), Span::raw(" ")]);
    let figures = match row {
        Row::Listed(_) | Row::Others(_) => String::new(),
        Row::Session(_) | Row::Ended { .. } | Row::Program { .. } => {
            let dash = pen.look.mark(Mark::Withdrawn);
            let time = said.time.map_or_else(|| dash.to_owned(), |time| pen.look.clock(time));
            let used = said.used.tokens();
            let used = if used == 0 { String::new() } else { words::tokens(used) };
            let both = format!("{time}{}", clean::pad_left(&used, 5));
            // A title is worth more than figures: the tokens go first, then the time. A name that is
            // short without its last letters gives way, so that figures stand below each other.
            let name = clean::width(&clean::name(&said.name));
            let name = if name <= SHORT { name.min(SHORTEST) } else { name };
            let room = width.saturating_sub(narrow + 2 + name);
            let fits = |text: &&String| clean::width(text) < room;
            [both, time].iter().find(fits).cloned().unwrap_or_default()
        }
    };
    let gap = usize::from(!figures.is_empty());
    let room = width.saturating_sub(narrow + 2 + clean::width(&figures) + gap);
    let role = match row {
        Row::Session(twig) if Some(twig.session) == state.sessions.viewed() => Role::Bright,
        Row::Listed(_) => Role::Quiet,
        Row::Session(_) | Row::Program { .. } | Row::Ended { .. } | Row::Others(_) => Role::Text,
    };
    left.spans.push(pen.span(clean::truncate(&clean::name(&said.name), room), role));
    words::apart(left, Line::from(pen.span(figures, Role::Quiet)), width)
}
