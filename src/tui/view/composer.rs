//! The composer: to whom you speak, what you write, and the terminal's own cursor in it.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::{
    Room, offered,
    pen::{Keys, Pen, inset, split_top},
};
use crate::{
    kernel::port::Whereabouts,
    tui::{
        clean,
        hints::Hints,
        keymap::{Action, Edit, Go, Place},
        slash,
        state::{
            Focus, State,
            composer::{Queued, When},
            draft::{Draft, Laid},
        },
        theme::{Mark, Role},
        words,
        wrap::Layout,
    },
};

/// Cells before the text.
const PROMPT: u16 = 3;

/// Rows for what waits, at most; the newest are shown.
const WAITING: u16 = 3;

/// The rows it needs, its rule included, and what is offered above that; the text has at most a third of
/// the area.
pub(super) fn rows(state: &State, area: Rect) -> u16 {
    let width = usize::from(area.width.saturating_sub(PROMPT + 1)).max(1);
    let (text, _) = prose(&state.composer.draft, width);
    let calm = state.queue.current().is_none() && state.focus != Focus::Start;
    let least = if calm && area.height > 16 { 2 } else { 1 };
    let most = (area.height / 3).max(1);
    let wanted = u16::try_from(text.len()).unwrap_or(u16::MAX);
    offered::rows(state) + 1 + waiting(state) + wanted.clamp(least, most.max(least))
}

/// Rows for what was sent and is not said yet.
fn waiting(state: &State) -> u16 {
    u16::try_from(queued(state).count()).unwrap_or(u16::MAX).min(WAITING)
}

fn queued(state: &State) -> impl Iterator<Item = &Queued> {
    let of = state.sessions.viewed();
    state.composer.queued.iter().filter(move |one| Some(one.to) == of)
}

pub(super) fn draw(state: &State, pen: &mut Pen<'_>, area: Rect, room: Room) -> Option<(u16, u16)> {
    let here = state.focus == Focus::Composer && state.popup.is_none();
    let (list, area) = split_top(area, offered::rows(state));
    let searching = offered::draw(state, pen, list);
    // Where there is room for one thing alone, the question is not in sight.
    let hint = if room == Room::Narrow && here && state.queue.current().is_some() {
        Hints::of(&state.controls, Place::Composer)
            .with(Action::Go(Go::NextPane), "answers")
            .joined("")
    } else {
        hint(state, here, usize::from(area.width).saturating_sub(4))
    };
    let hint = pen.spans(&hint, Role::Quiet);
    let rows = waiting(state).min(area.height.saturating_sub(2));
    let count = queued(state).count();
    // Those that have no row are counted.
    let all = match count > usize::from(rows) {
        true => vec![pen.span(format!("{} wait", words::count(count, "message")), Role::Quiet)],
        false => Vec::new(),
    };
    match super::status::passing(state, area.width) {
        Some(passing) => {
            let passing = pen.spans(passing, Role::Bright);
            pen.rule(area, 0, Keys::here(here), passing, Vec::new());
        }
        None => pen.rule(area, 0, Keys::here(here), all, hint),
    }
    let above = inset(Rect { y: area.y + 1, height: rows, ..area }, 1, 1);
    for (at, one) in queued(state).skip(count.saturating_sub(usize::from(rows))).enumerate() {
        let last = at + 1 == usize::from(rows);
        let up = state.controls.key(Place::Composer, Action::Edit(Edit::Up));
        let back = Some(up).filter(|key| last && !key.is_empty());
        wait(pen, above, u16::try_from(at).unwrap_or(0), one, back);
    }
    let used = 1 + rows;
    let field = Rect { y: area.y + used, height: area.height.saturating_sub(used), ..area };
    let prompt = Line::from(vec![Span::raw(" "), pen.mark(Mark::Path)]);
    pen.line(field, 0, prompt);
    let cursor = words(pen, inset(field, PROMPT, 1), &state.composer.draft, here);
    searching.or(cursor).filter(|_| here)
}

/// A row for words that wait: what, and for when.
fn wait(pen: &mut Pen<'_>, area: Rect, row: u16, one: &Queued, back: Option<String>) {
    let mut left = vec![pen.mark(Mark::Queued), Span::raw(" ")];
    left.extend(pen.spans(words::first_line(&one.text), Role::Quiet));
    let when = match one.when {
        When::AfterTurn => "after this turn",
        When::NextStep => "at the next step",
    };
    let back = back.map(|key| format!("{key} has it back   ")).unwrap_or_default();
    let right = Line::from(pen.span(format!("   {back}{when}"), Role::Quiet));
    let room = usize::from(area.width).saturating_sub(words::cells(&right));
    pen.apart(area, row, words::fit(Line::from(left), room), right);
}

fn hint(state: &State, here: bool, width: usize) -> String {
    if !here {
        let start = state.focus == Focus::Start;
        let hints = Hints::of(&state.controls, state.key_place());
        let hints = hints.when(!start, Action::Go(Go::NextPane), "to write here");
        return hints.joined("");
    }
    let dot = state.look.dot();
    let hints = Hints::of(&state.controls, Place::Composer);
    let send = Action::Edit(Edit::Send);
    if state.offers() {
        // The list says what its keys do.
        return String::new();
    }
    match state.composer.draft.leads() {
        Some('/') => match state.composer.draft.line().and_then(slash::read) {
            Some(slash::Line::Does(..)) => {
                let hints = hints.with(send, "does it");
                return hints.says("a space before / sends it as words").fitted(width, &dot);
            }
            Some(slash::Line::Unknown(_)) => {
                return format!("no such command{dot}a space before / sends it as words");
            }
            None => {}
        },
        Some('!')
            if state.sessions.viewed().is_none_or(|id| state.sessions.watched(id).is_none()) =>
        {
            let hints = hints.with(send, "runs it as Python");
            return hints.says("a space before ! sends it as words").fitted(width, &dot);
        }
        Some(_) | None => {}
    }
    if state.sessions.viewed().is_some() && state.heard_by().is_none() {
        return "for the session that is not there yet".to_owned();
    }
    if let Some(why) = read_only(state) {
        return why;
    }
    let with = match state.composer.draft.pictures() {
        0 => String::new(),
        count => format!(", with {}", words::count(count, "picture")),
    };
    match state.sessions.node() {
        Some(node) if node.spec.parent.is_some() => {
            let root = state.sessions.get(state.sessions.root(node.spec.id));
            let root = clean::truncate(root.map_or("", |node| node.called()), 24);
            format!("to {}, not to {root}", node.spec.agent())
        }
        Some(node) if node.doing.works() => {
            let hints = hints.with(send, &format!("sends after this turn{with}"));
            hints.with(Action::Steer, "at the next step").fitted(width, &dot)
        }
        _ => {
            let hints = hints.with(send, &format!("sends{with}"));
            hints.with(Action::Edit(Edit::NewLine), "new line").fitted(width, &dot)
        }
    }
}

/// Where the session in view does not run here: that nothing can be said to it, or what a word does.
fn read_only(state: &State) -> Option<String> {
    let viewed = state.sessions.viewed()?;
    let watched = state.sessions.watched(viewed)?;
    Some(match (&watched.place, watched.wanted) {
        (Whereabouts::There(_), true) => "read only, until it is let go".to_owned(),
        (Whereabouts::There(by), false) => {
            format!("read only: {} has it", by.as_deref().unwrap_or("another footplate"))
        }
        (Whereabouts::Free | Whereabouts::Here, _) if watched.root == viewed => {
            let key = state.controls.key(Place::Composer, Action::Edit(Edit::Send));
            format!("{key} carries it on here, and sends").trim_start().to_owned()
        }
        (Whereabouts::Free | Whereabouts::Here, _) => "read only: it runs nowhere".to_owned(),
    })
}

/// Words in their area, broken between them and moved so that the cursor is in sight. Gives the cursor's
/// place.
pub(super) fn words(
    pen: &mut Pen<'_>,
    area: Rect,
    draft: &Draft,
    here: bool,
) -> Option<(u16, u16)> {
    drawn(pen, area, prose(draft, usize::from(area.width)), here)
}

/// A text in its area, every space of it, moved likewise.
pub(super) fn text(pen: &mut Pen<'_>, area: Rect, draft: &Draft, here: bool) -> Option<(u16, u16)> {
    drawn(pen, area, laid(draft, usize::from(area.width)), here)
}

fn drawn(
    pen: &mut Pen<'_>,
    area: Rect,
    (rows, (row, column)): Laid,
    here: bool,
) -> Option<(u16, u16)> {
    if area.width == 0 || area.height == 0 {
        return None;
    }
    let height = usize::from(area.height);
    let first = (row + 1).saturating_sub(height);
    for (at, text) in rows.iter().skip(first).take(height).enumerate() {
        let role = if here { Role::Bright } else { Role::Text };
        let line = Line::from(pen.span(text.clone(), role));
        pen.line(area, u16::try_from(at).unwrap_or(0), line);
    }
    let x = u16::try_from(column).unwrap_or(u16::MAX).min(area.width);
    let y = u16::try_from(row - first).unwrap_or(0);
    Some((area.x + x, area.y + y))
}

/// How the draft is broken on the screen, as the last frame had it.
pub(in crate::tui) fn layout(state: &State) -> Option<Layout> {
    broken(state.drawn.layout.at(Focus::Composer))
}

/// The same for the words of a no.
pub(in crate::tui) fn layout_of_form(state: &State) -> Option<Layout> {
    broken(state.drawn.layout.at(Focus::Question))
}

fn broken(pane: Rect) -> Option<Layout> {
    let width = usize::from(pane.width).checked_sub(usize::from(PROMPT) + 1)?;
    (width > 0).then(|| Layout::words(width))
}

/// The rows of a draft, each full to the last cell.
pub(super) fn laid(draft: &Draft, width: usize) -> Laid {
    draft.laid(Layout::exact(width.max(1)))
}

/// The rows of words that somebody writes, broken between them.
pub(super) fn prose(draft: &Draft, width: usize) -> Laid {
    draft.laid(Layout::words(width.max(1)))
}

/// As [`laid`], for a name.
pub(super) fn laid_name(draft: &Draft, width: usize) -> Laid {
    draft.laid_name(Layout::exact(width.max(1)))
}
