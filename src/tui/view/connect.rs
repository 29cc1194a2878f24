//! How a model is connected: those that were found on this computer, and where keys are looked for.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::pen::{Keys, Pen, split_bottom, split_top};
use crate::tui::{
    hints::Hints,
    keymap::{Action, Move, Place},
    state::{State, status::Player},
    theme::{Mark, Role},
    wrap::{Layout, wrap_with},
};

pub(super) fn draw(state: &State, pen: &mut Pen<'_>, area: Rect, row: usize) {
    pen.clear(area);
    let (head, rest) = split_top(area, 1);
    pen.rule(head, 0, Keys::Here, vec![pen.span("connect a model", Role::Bright)], Vec::new());
    let (rest, keys) = split_bottom(rest, 1);
    let models = &state.controls.models;
    let mut hints = Hints::of(&state.controls, Place::Connect);
    if !models.is_empty() {
        hints = hints
            .moves([Action::Move(Move::Up), Action::Move(Move::Down)], "choose")
            .with(Action::Open, "take it");
    }
    pen.hints(keys, hints.leave("back"));
    let mut lines = vec![Line::default()];
    let width = usize::from(rest.width).saturating_sub(4).max(1);
    // Lines that begin with two blanks are to be typed.
    let all = |pen: &Pen<'_>, text: &str| -> Vec<Line<'static>> {
        let line = Line::from(pen.spans(&format!("   {text}"), Role::Text));
        let hanging = 3 + 2 * usize::from(text.starts_with(' '));
        wrap_with(&line, Layout::words(width + 3).hanging(hanging))
    };
    let say = |text: &str| Line::from(pen.spans(&format!("   {text}"), Role::Text));
    let mut chosen = 0;
    if !models.is_empty() {
        lines.push(say("Found on this computer:"));
        for (at, model) in models.iter().enumerate() {
            let here = at == row;
            let bar = if here { pen.mark(Mark::Here) } else { Span::raw(" ") };
            let mut line = vec![Span::raw(" "), bar, Span::raw("   ")];
            line.extend(pen.spans(model, if here { Role::Bright } else { Role::Text }));
            if here {
                chosen = lines.len();
            }
            lines.push(Line::from(line));
        }
        lines.push(Line::default());
    }
    let none = Vec::new();
    let looked_for = match &state.place.player {
        Player::Nobody { looked_for } => looked_for,
        Player::Model(_) | Player::Script(_) => &none,
    };
    let variables = match looked_for.is_empty() {
        true => "ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY".to_owned(),
        false => looked_for.join(", "),
    };
    lines.extend(all(pen, "Keys are read from the environment, never typed here. Set one of"));
    lines.extend(all(pen, &format!("  {variables}")));
    lines.extend(all(pen, "in your shell and start footplate again."));
    lines.push(Line::default());
    if models.is_empty() {
        lines.extend(all(pen, "A model on this computer needs no key: start ollama, then"));
        lines.push(say("  footplate --model ollama/NAME"));
        lines.push(Line::default());
    }
    let any = "Any server that speaks OpenAI's chat or Anthropic's messages: [providers.NAME] in \
               config.toml, with base_url and api; then";
    lines.extend(all(pen, any));
    lines.push(say("  footplate --model NAME/MODEL"));
    let height = usize::from(rest.height);
    let first = (chosen + 1).saturating_sub(height);
    for (at, line) in lines.into_iter().skip(first).take(height).enumerate() {
        pen.line(rest, u16::try_from(at).unwrap_or(0), line);
    }
}
