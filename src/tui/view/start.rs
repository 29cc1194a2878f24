//! What is there before anything was said: the first start without a model, and the empty session.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::pen::{Pen, inset};
use crate::{
    kernel::{gate::policy::Runs, port::Form, spec::Mode},
    tui::{
        clean, hints,
        keymap::{self, Action, Begin, Go},
        state::{
            Focus, State,
            status::{Check, Place, Player},
        },
        theme::{Mark, Role},
        wrap::wrap_text,
    },
};

/// Who would answer, for the rule at the top.
pub(super) fn player(state: &State) -> String {
    match &state.place.player {
        Player::Nobody { .. } => "no model".to_owned(),
        Player::Model(name) => clean::truncate(name, 30),
        Player::Script(_) => "a script plays the model".to_owned(),
    }
}

pub(super) fn draw(state: &State, pen: &mut Pen<'_>, area: Rect) {
    match &state.place.player {
        Player::Nobody { looked_for } => first(state, pen, area, looked_for),
        Player::Model(_) | Player::Script(_) => empty(state, pen, area),
    }
}

fn first(state: &State, pen: &mut Pen<'_>, area: Rect, looked_for: &[String]) {
    let inner = inset(area, 3, 1);
    // What is too much for a small screen goes without its blank rows.
    let roomy = area.height >= 18;
    let mut row = u16::from(roomy);
    if roomy {
        pen.text(inner, row, "footplate", Role::Bright);
        row += 2;
    }
    let text = match looked_for.split_last() {
        None => "No model is connected. Looked for ollama on this computer.".to_owned(),
        Some((last, rest)) => {
            let variables = match rest {
                [] => last.clone(),
                rest => format!("{} and {last}", rest.join(", ")),
            };
            format!(
                "No model is connected. Looked for {variables}, and for ollama on this computer."
            )
        }
    };
    let width = usize::from(inner.width.min(72));
    for line in wrap_text(&text, width) {
        pen.text(inner, row, line, Role::Text);
        row += 1;
    }
    row += u16::from(roomy);
    let tour = state.controls.key(keymap::Place::Start, Action::Begin(Begin::Chosen));
    let look = state.controls.key(keymap::Place::Start, Action::Leave);
    let connect = state.controls.key(keymap::Place::Start, Action::Begin(Begin::Connect));
    let themes = state.controls.key(keymap::Place::Start, Action::Go(Go::Themes));
    let rows: [(&str, &str, &[&str]); 3] = [
        (
            &tour,
            "take the tour",
            &[
                "two minutes in a scratch folder. A script plays the",
                "model; Python, questions and files are real.",
            ],
        ),
        (&connect, "connect a model", &["which variable holds the key, or which server"]),
        (&look, "look around", &["everything works but the model"]),
    ];
    for (at, (key, what, about)) in rows.iter().enumerate() {
        let here = at == state.place.row && state.focus == Focus::Start;
        for (line, text) in about.iter().enumerate() {
            if line > 0 && !roomy {
                continue;
            }
            let bar = if here { pen.mark(Mark::Here) } else { Span::raw(" ") };
            let (key, what) = if line == 0 { (*key, *what) } else { ("", "") };
            let role = if here { Role::Bright } else { Role::Text };
            let mut line = vec![
                Span::raw(" "),
                bar,
                Span::raw(" "),
                pen.span(clean::pad(key, 7), Role::Bright),
                pen.span(clean::pad(what, 17), role),
            ];
            // Half a sentence says nothing.
            if area.width >= 60 {
                line.push(pen.span(*text, Role::Quiet));
            }
            pen.line(area, row, Line::from(line));
            row += 1;
        }
    }
    row += u16::from(roomy);
    // A heading with nothing below it says nothing.
    if !state.place.checks.is_empty() && row + 1 < area.height {
        pen.text(inner, row, "This computer", Role::Text);
        row += 1;
        row = checks(state, pen, inset(area, 5, 1), row);
        row += u16::from(roomy);
    }
    let try_it = if area.width < 60 { "another" } else { "try another" };
    let another = if themes.is_empty() { String::new() } else { format!("{themes}  {try_it}") };
    let theme = format!("Theme   {}", state.look.theme.name());
    let cells = if area.width < 60 { clean::width(&theme) + 2 } else { 32 };
    let line =
        vec![pen.span(clean::pad(&theme, cells), Role::Text), pen.span(another, Role::Quiet)];
    pen.line(inner, row, Line::from(line));
}

fn checks(state: &State, pen: &mut Pen<'_>, area: Rect, mut row: u16) -> u16 {
    const LEFT: usize = 30;
    let mut checks = state.place.checks.iter().peekable();
    while let Some(check) = checks.next() {
        let line = |check: &Check, cells: usize| {
            let text = clean::shown(&check.text);
            let text = if cells > 0 { clean::pad(&text, cells) } else { text.into_owned() };
            vec![pen.mark(check.mark), Span::raw(" "), pen.span(text, Role::Text)]
        };
        let short = |check: &Check| clean::width(&clean::shown(&check.text)) <= LEFT;
        let mut spans = line(check, LEFT);
        // Two in a row where both are short.
        if area.width >= 70 && short(check) {
            if let Some(beside) = checks.next_if(|beside| short(beside)) {
                spans.extend(line(beside, 0));
            }
        } else {
            spans = line(check, 0);
        }
        pen.line(area, row, Line::from(spans));
        row += 1;
    }
    row
}

fn empty(state: &State, pen: &mut Pen<'_>, area: Rect) {
    let inner = inset(area, 3, 1);
    let mut row = if area.height >= 18 { 5 } else { 0 };
    let mut say = |pen: &mut Pen<'_>, text: &str, role: Role| {
        pen.text(inner, row, text, role);
        row += 1;
    };
    if state.place.starting.is_some() {
        say(pen, "Starting the session …", Role::Text);
        return;
    }
    say(pen, "Say what you want done. For example:", Role::Bright);
    say(pen, "  make the lexer accept tabs, and keep the old tests green", Role::Quiet);
    say(pen, "  why does parse_total round down?", Role::Quiet);
    say(pen, "", Role::Quiet);
    if area.height >= 14 && area.width >= 60 {
        say(pen, "@ a file   / a command   ! Python by hand, through the same gate", Role::Quiet);
        say(pen, "", Role::Quiet);
    }
    for (line, role) in asks(state, Python::of(&state.place)) {
        // A label stands before the first row of what it names.
        let (label, text) = line.split_at(LABEL.min(line.len()));
        let rows = wrap_text(text, usize::from(inner.width).saturating_sub(LABEL));
        for (at, row) in rows.into_iter().enumerate() {
            say(pen, &format!("{}{row}", if at == 0 { label } else { INDENT }), role);
        }
    }
    if let Some(last) = &state.place.last_here {
        say(pen, "", Role::Quiet);
        let list = format!("   {} opens it", hints::shows(&state.controls, Go::Sessions));
        let room = usize::from(inner.width).saturating_sub(LABEL + clean::width(&list));
        let last = clean::truncate(&clean::shown(last), room);
        say(pen, &format!("Last here      {last}{list}"), Role::Text);
    }
}

/// What stands before a line of the empty session: all of it ASCII.
const INDENT: &str = "               ";
const LABEL: usize = INDENT.len();

/// What the mode says to an effect, and to the Python that has it.
fn asks(state: &State, python: Python) -> [(String, Role); 3] {
    let mode = state.place.mode;
    let unasked = match python {
        Python::Unasked => [
            ("Runs unasked   Python in the seal: it reads this folder, computes, and", Role::Text),
            ("               changes nothing.", Role::Text),
        ],
        Python::Asks => [
            ("Runs unasked   reading in this folder.", Role::Text),
            ("               Python asks before it runs.", Role::Text),
        ],
    };
    let key = hints::shows(&state.controls, Go::Mode);
    let leaves = format!("Asks you       nothing, in auto mode. {key} leaves it.");
    let effects = match mode {
        Mode::Plan => (
            "Refused        in plan mode: each write, program, and call to the network.",
            Role::Text,
        ),
        Mode::Default => {
            ("Asks you       each write, program, install, and call to the network.", Role::Text)
        }
        Mode::AcceptEdits | Mode::Guarded => (
            "Asks you       each program, install, call to the network, write elsewhere.",
            Role::Text,
        ),
        Mode::Auto => (leaves.as_str(), Role::Warn),
    };
    let [first, second] = unasked;
    let first = match mode {
        Mode::Auto => {
            ("Runs unasked   everything: writes, programs, installs, the network.", Role::Warn)
        }
        Mode::Plan | Mode::Default | Mode::AcceptEdits | Mode::Guarded => first,
    };
    let second = match (mode, python) {
        (Mode::Auto, Python::Unasked) => ("", Role::Quiet),
        (Mode::AcceptEdits | Mode::Guarded, Python::Unasked) => {
            ("               changes nothing; and writing files in it.", Role::Text)
        }
        _ => second,
    };
    [first, second, effects].map(|(text, role)| (text.to_owned(), role))
}

/// Whether a script runs unasked here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Python {
    Unasked,
    Asks,
}

impl Python {
    fn of(place: &Place) -> Self {
        match (place.runs, place.seal) {
            (Runs::BySeal, None | Some(Form::Full | Form::WithoutNamespaces | Form::Profile)) => {
                Self::Unasked
            }
            (Runs::BySeal, Some(Form::None)) | (Runs::Asked, _) => Self::Asks,
        }
    }
}
