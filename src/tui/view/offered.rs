//! The short list over the composer: files, commands, words of before.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::{
    composer,
    pen::{Keys, Pen, inset, split_top},
};
use crate::tui::{
    clean,
    hints::Hints,
    keymap::{Action, Move, Place},
    state::{
        Focus, State,
        offered::{Kind, Looks, Offered},
    },
    theme::{Mark, Role},
    words,
};

/// Rows that are listed at once.
const ROWS: usize = 8;

/// The rows it needs, its rule included; none where nothing is offered.
pub(super) fn rows(state: &State) -> u16 {
    let Some(offered) = open(state) else { return 0 };
    // Space for an answer that is on its way, so that the list does not jump when it comes.
    let wanted = 1 + offered.rows.len().clamp(1, ROWS);
    // Of the whole screen, so that it is the same whoever asks.
    u16::try_from(wanted).unwrap_or(u16::MAX).min((state.drawn.height * 2 / 5).max(2))
}

fn open(state: &State) -> Option<&Offered> {
    let here = state.focus == Focus::Composer && state.popup.is_none();
    state.composer.offered.as_ref().filter(|offered| here && offered.is_open())
}

/// Draws the list. Gives the place of the cursor where it has a field of its own.
pub(super) fn draw(state: &State, pen: &mut Pen<'_>, area: Rect) -> Option<(u16, u16)> {
    let offered = open(state)?;
    if area.height == 0 {
        return None;
    }
    let (head, list) = split_top(area, 1);
    let hints = Hints::of(&state.controls, Place::Offers);
    let (title, keys) = match &offered.kind {
        Kind::Command { .. } => {
            let title = words::count(offered.fit, "command");
            (
                title,
                hints
                    .with(Action::Open, "does it")
                    .with(Action::Complete, "puts it below")
                    .leave("back"),
            )
        }
        Kind::File { looks: Looks::On | Looks::Taking, .. } if offered.rows.is_empty() => {
            ("files: looking …".to_owned(), hints.leave("back"))
        }
        Kind::File { cut, .. } => {
            let more = if *cut { ", not all looked at" } else { "" };
            let all = words::grouped(offered.fit as u64);
            let what = if offered.fit == 1 { "file" } else { "files" };
            let hints = hints.with(Action::Open, "puts it below").leave("back");
            (format!("{all} {what}{more}"), hints)
        }
        Kind::History { .. } => {
            let hints = hints.with(Action::Open, "puts it below");
            let hints = hints.with(Action::Move(Move::Down), "next").leave("back");
            ("earlier words".to_owned(), hints)
        }
        Kind::Shut { .. } => (String::new(), hints),
    };
    let mut left = vec![pen.span(title, Role::Bright)];
    let mut cursor = None;
    if let Kind::History { words, .. } = &offered.kind {
        left.push(pen.span(" / ", Role::Quiet));
        let at = words::cells(&Line::from(left.clone())) + 2;
        let field = inset(head, u16::try_from(at).unwrap_or(u16::MAX).min(head.width), 0);
        let (rows, (_, column)) = composer::laid(words, usize::from(field.width.max(1)));
        left.extend(pen.spans(&rows.concat(), Role::Bright));
        let column = u16::try_from(column).unwrap_or(u16::MAX).min(field.width.saturating_sub(1));
        cursor = Some((field.x + column, field.y));
    }
    // What keeps it apart from the title, and the ends of the rule.
    let taken = words::cells(&Line::from(left.clone())) + 8;
    let room = usize::from(area.width).saturating_sub(taken);
    let keys = keys.within(room);
    let fits = !keys.is_empty() && clean::width(&keys) <= room;
    let keys = if fits { vec![pen.span(keys, Role::Quiet)] } else { Vec::new() };
    pen.rule(head, 0, Keys::Elsewhere, left, keys);
    if offered.rows.is_empty() {
        let text = match &offered.kind {
            Kind::File { looks: Looks::On | Looks::Taking, .. } => "",
            Kind::File { .. } => "No file fits; it can be sent as it is.",
            Kind::History { .. } => "Nothing of before holds that.",
            Kind::Command { .. } | Kind::Shut { .. } => "",
        };
        pen.text(inset(list, 3, 0), 0, text, Role::Quiet);
    }
    let height = usize::from(list.height);
    let first = (offered.row + 1).saturating_sub(height);
    let width = offered.rows.iter().map(|row| clean::width(&clean::name(&row.shown)));
    let width = width.max().unwrap_or(0).min(usize::from(list.width) / 2);
    for (at, row) in offered.rows.iter().enumerate().skip(first).take(height) {
        let here = at == offered.row;
        let role = if here { Role::Bright } else { Role::Text };
        let mut spans = vec![if here { pen.mark(Mark::Here) } else { Span::raw(" ") }];
        spans.push(Span::raw(" "));
        spans.extend(pen.name(&row.shown, role));
        if !row.note.is_empty() {
            let cells = clean::width(&clean::name(&row.shown));
            spans.push(Span::raw(" ".repeat(width.saturating_sub(cells) + 3)));
            spans.push(pen.span(row.note.clone(), Role::Quiet));
        }
        pen.line(list, u16::try_from(at - first).unwrap_or(0), Line::from(spans));
    }
    cursor
}
