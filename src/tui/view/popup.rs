//! Help, how to connect a model, and quitting.

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::{
    choice,
    lists::state_words,
    pen::{Keys, Pen, inset, split_bottom, split_top},
};
use crate::tui::{
    cell::state_mark,
    clean,
    keymap::{Place, TABLE},
    state::{State, sessions::Branch, status::Player},
    theme::{Mark, Role},
    words,
};

fn name(place: Place) -> &'static str {
    match place {
        Place::Everywhere => "everywhere",
        Place::Start => "first screen",
        Place::Composer => "composer",
        Place::Question => "question",
        Place::Because => "no, because",
        Place::Wider => "wider",
        Place::Search => "search",
        Place::Edit => "edit",
        Place::Several => "several",
        Place::Transcript => "transcript",
        Place::Output => "output",
        Place::Lines => "plan, changes, since you looked away",
        Place::Sessions => "sessions",
        Place::Waiting => "waiting",
        Place::Changes => "changes",
        Place::Undo => "undo",
        Place::Grants => "grants and rules",
        Place::Decisions => "decisions",
        Place::Filter => "filter",
        Place::Help => "help",
        Place::Connect => "connect a model",
        Place::Quit => "quit",
        Place::Mode => "mode",
        Place::Stop => "stop",
        Place::Script => "script",
        Place::Held => "open elsewhere",
        Place::Delete => "delete",
        Place::Rename => "rename",
        Place::Said | Place::Rewind => "go back",
    }
}

/// Made from the keymap, for the pane one comes from, then everywhere.
pub(super) fn help(pen: &mut Pen<'_>, area: Rect, of: Place, top: usize) {
    pen.clear(area);
    let (head, rest) = split_top(area, 1);
    let title = vec![pen.span(format!("help{}{}", pen.look.dot(), name(of)), Role::Bright)];
    pen.rule(head, 0, Keys::Here, title, vec![pen.span("plain keys", Role::Quiet)]);
    let (rest, keys) = split_bottom(rest, 1);
    let mut about = 0;
    if of == Place::Question {
        about = 3;
    }
    let (rest, note) = split_bottom(rest, about);
    if of == Place::Question {
        let first =
            "No key answers until its letter is drawn and the keyboard was still for 0.4 s.";
        pen.text(inset(note, 1, 0), 1, first, Role::Quiet);
        let second = "Another key within 0.15 s: you are typing, and both are text.";
        pen.text(inset(note, 1, 0), 2, second, Role::Quiet);
    }
    let mut lines = Vec::new();
    let mut groups = vec![of];
    if of != Place::Everywhere {
        groups.push(Place::Everywhere);
    }
    for group in groups {
        let rows: Vec<_> = TABLE.iter().filter(|row| row.place == group).collect();
        if rows.is_empty() {
            continue;
        }
        let mut title = name(group).to_owned();
        title[..1].make_ascii_uppercase();
        lines.push(Line::from(pen.span(format!(" {title}"), Role::Quiet)));
        for row in rows {
            let label = clean::pad(&row.label(), 24);
            lines.push(Line::from(vec![
                Span::raw("   "),
                pen.span(label, Role::Bright),
                pen.span(format!("  {}", row.does), Role::Text),
            ]));
        }
    }
    let count = lines.len();
    let height = usize::from(rest.height);
    let top = top.min(lines.len().saturating_sub(height.max(1)));
    for (at, line) in lines.into_iter().skip(top).take(height).enumerate() {
        pen.line(rest, u16::try_from(at).unwrap_or(0), line);
    }
    let text = match count.saturating_sub(top + height) {
        0 => "esc close".to_owned(),
        more => format!("↑↓ scroll, {more} more below   esc close"),
    };
    pen.text(inset(keys, 1, 0), 0, &text, Role::Bright);
}

/// Which variables hold a key, and what else works.
pub(super) fn connect(state: &State, pen: &mut Pen<'_>, area: Rect) {
    pen.clear(area);
    let (head, rest) = split_top(area, 1);
    pen.rule(head, 0, Keys::Here, vec![pen.span("connect a model", Role::Bright)], Vec::new());
    let (rest, keys) = split_bottom(rest, 1);
    pen.text(inset(keys, 1, 0), 0, "esc back", Role::Bright);
    let none = Vec::new();
    let looked_for = match &state.place.player {
        Player::Nobody { looked_for } => looked_for,
        Player::Model(_) | Player::Script(_) => &none,
    };
    let keys = match looked_for.is_empty() {
        true => "ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY".to_owned(),
        false => looked_for.join(", "),
    };
    let lines = [
        String::new(),
        "Keys are read from the environment, never typed here. Set one of".to_owned(),
        format!("  {keys}"),
        "in your shell and start footplate again.".to_owned(),
        String::new(),
        "A model on this computer needs no key: start ollama, then".to_owned(),
        "  footplate --model ollama/NAME".to_owned(),
        String::new(),
        "Any server that speaks a known protocol: [providers.NAME] in config.toml,".to_owned(),
        "then footplate --model NAME/MODEL.".to_owned(),
    ];
    for (at, line) in lines.iter().enumerate() {
        let row = u16::try_from(at).unwrap_or(0);
        pen.text(inset(rest, 3, 1), row, line, Role::Text);
    }
}

fn at_work(state: &State) -> Vec<Branch> {
    let rows = state.sessions.rows().into_iter();
    rows.filter(|row| {
        let works = state.sessions.get(row.session).is_some_and(|node| node.doing.works());
        works || !state.queue.of_session(row.session).is_empty()
    })
    .collect()
}

/// At most so many sessions are named.
const NAMED: usize = 8;

pub(super) fn quit_rows(state: &State) -> u16 {
    let named = at_work(state).len();
    let more = usize::from(named > NAMED);
    u16::try_from(5 + named.min(NAMED) + more).unwrap_or(u16::MAX)
}

pub(super) fn quit(state: &State, pen: &mut Pen<'_>, area: Rect, chosen: usize) {
    pen.clear(area);
    let busy = at_work(state);
    let (agents, questions) = (state.sessions.at_work(), state.queue.calls());
    let mut why = Vec::new();
    if agents > 0 {
        why.push(format!("{agents} at work"));
    }
    if questions > 0 {
        why.push(format!(
            "{} {}",
            words::count(questions, "question"),
            if questions == 1 { "waits" } else { "wait" }
        ));
    }
    let title = vec![pen.span(format!("quit? {}", why.join(", ")), Role::Bright)];
    pen.rule(area, 0, Keys::Here, title, Vec::new());
    let mut row = 1;
    for branch in busy.iter().take(NAMED) {
        let mark = state_mark(&state.sessions, &state.queue, branch.session);
        let name = state.sessions.get(branch.session).map_or("", |node| node.spec.agent());
        let mut left = vec![Span::raw("   "), pen.mark(mark), Span::raw(" ")];
        left.extend(pen.spans(&clean::pad(&clean::shown(name), 11), Role::Text));
        left.extend(
            pen.spans(&clean::truncate(&state_words(state, branch.session), 26), Role::Quiet),
        );
        let asks = matches!(mark, Mark::Needs | Mark::NotNow);
        let ends = if asks { "withdrawn: nothing is done" } else { "kept to the last word shown" };
        pen.apart(
            inset(area, 0, 1),
            row,
            Line::from(left),
            Line::from(pen.span(ends, Role::Quiet)),
        );
        row += 1;
    }
    if busy.len() > NAMED {
        let text = format!("   {} {} more", pen.look.mark(Mark::Gap), busy.len() - NAMED);
        pen.text(area, row, &text, Role::Quiet);
        row += 1;
    }
    let rows = [
        ("stay", "", Role::Text),
        ("stop all, keep all, and quit", "the last line says how to carry on", Role::Text),
        ("quit when all have ended", "questions stay open here until then", Role::Text),
    ];
    choice::rows(pen, area, row, &rows, chosen, "stay");
}
