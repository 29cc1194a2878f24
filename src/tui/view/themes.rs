//! The list of themes, with the chosen one put on, and a few rows to judge it by.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::pen::{Keys, Pen, inset, split_bottom, split_top};
use crate::tui::{
    clean,
    hints::Hints,
    keymap::{Action, Move, Place},
    state::{State, controls::Offered},
    theme::{Mark, Role},
};

/// Rows it takes where there is room.
pub(super) fn rows(state: &State) -> u16 {
    let themes = state.controls.themes.all().len();
    u16::try_from(themes + 2).unwrap_or(u16::MAX).clamp(8, 16)
}

pub(super) fn draw(state: &State, pen: &mut Pen<'_>, area: Rect, row: usize) {
    pen.clear(area);
    let all = state.controls.themes.all();
    let (head, rest) = split_top(area, 1);
    let before = state.controls.themes.before.as_ref().map_or("", |theme| theme.name());
    let title = pen.spans(&format!("theme{}now {before}", pen.look.dot()), Role::Bright);
    let (list, keys) = split_bottom(rest, 1);
    let put_back = clean::shown(before);
    let hints = Hints::of(&state.controls, Place::Themes)
        .moves([Action::Move(Move::Up), Action::Move(Move::Down)], "try")
        .with(Action::Open, "keep it")
        .leave(&format!("back to {put_back}"));
    pen.hints(keys, hints);
    let height = usize::from(list.height);
    let first = (row + 1).saturating_sub(height);
    let right = pen.ends((first, height, all.len()), "", head.width);
    pen.rule(head, 0, Keys::Here, title, right);
    for (at, theme) in all.iter().enumerate().skip(first).take(height) {
        let y = u16::try_from(at - first).unwrap_or(0);
        let bar = if at == row { pen.mark(Mark::Here) } else { Span::raw(" ") };
        let role = if at == row { Role::Bright } else { Role::Text };
        let mut line = vec![Span::raw(" "), bar, Span::raw(" ")];
        line.extend(pen.spans(&theme.name(), role));
        if let Offered::Own(_) = theme {
            line.push(pen.span("   yours", Role::Quiet));
        }
        pen.line(list, y, Line::from(line));
    }
    if list.width >= 60 {
        sample(pen, inset(list, 32, 1));
    }
}

/// What one has to be able to read with it.
fn sample(pen: &mut Pen<'_>, area: Rect) {
    let marks = |pen: &Pen<'_>, marks: &[Mark]| {
        let mut spans = Vec::new();
        for mark in marks {
            spans.extend([pen.mark(*mark), Span::raw(" ")]);
            spans.push(pen.span(format!("{}  ", mark.word()), mark.role()));
        }
        Line::from(spans)
    };
    let states = marks(pen, &[Mark::Needs, Mark::Running, Mark::ClockHeld]);
    let ends = marks(pen, &[Mark::Done, Mark::Failed, Mark::Denied, Mark::CanUndo]);
    let code = |parts: &[(&'static str, Role)]| {
        Line::from(parts.iter().map(|(text, role)| pen.span(*text, *role)).collect::<Vec<_>>())
    };
    let lines = [
        states,
        ends,
        code(&[
            ("def ", Role::CodeKeyword),
            ("column", Role::CodeName),
            ("(at: ", Role::Text),
            ("int", Role::CodeType),
            (") -> ", Role::Text),
            ("str", Role::CodeType),
            (":", Role::Text),
        ]),
        code(&[
            ("    return ", Role::CodeKeyword),
            ("\"tab\"", Role::CodeString),
            (" * ", Role::Text),
            ("8", Role::CodeNumber),
            ("  # a comment", Role::CodeComment),
        ]),
        code(&[("12  + added                ", Role::Add)]),
        code(&[("12  − removed              ", Role::Remove)]),
        code(&[
            ("selected", Role::Select),
            ("  ", Role::Text),
            ("found", Role::Match),
            ("  ", Role::Text),
            ("U+200B", Role::Escape),
            ("  bright ", Role::Bright),
            ("quiet", Role::Quiet),
        ]),
    ];
    for (at, line) in lines.into_iter().enumerate() {
        pen.line(area, u16::try_from(at).unwrap_or(0), line);
    }
}
