//! A question: who asks, what for, all of it, and the row of keys. What is asked about is never
//! cut: it wraps, scrolls, and the screen says how much of it was seen.

use std::ops::Range;

use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

use super::{
    Room, offers,
    pen::{Keys, Pen, inset, split_bottom, split_top},
    search, sheet,
};
use crate::{
    kernel::{
        capability::{Body, Category, Preview, Reach},
        event::Origin,
    },
    tui::{
        clean, highlight,
        state::{
            Drawn, DrawnQuestion, Focus, State, Unlaid,
            look::Look,
            waiting::{Form, Search, Sheet, Waiting},
        },
        theme::{Mark, Role},
        update::asker,
        words,
    },
};

/// Title, headline, a blank row and two rows of keys.
const FIXED: u16 = 5;

/// Narrower than this, one thing at a time is shown.
const NARROW: u16 = 60;

/// With fewer rows than this for its text a question cannot be judged.
const LEAST: u16 = 1;

/// The rows the question (or its form) takes of the area; 0 without one.
pub(super) fn rows(state: &State, area: Rect, room: Room) -> u16 {
    let Some(waiting) = state.queue.current() else { return 0 };
    let head = 1;
    let body = area.height.saturating_sub(head);
    let most = match room {
        _ if waiting.zoomed => body,
        Room::Wide | Room::Full => body.min(area.height * 3 / 5 + 2),
        // The head of the run that asks stays in sight, and its line that does.
        Room::Tiny | Room::Narrow | Room::Plain if area.height < 30 => {
            body.saturating_sub(if waiting.source.is_some() { 2 } else { 1 })
        }
        Room::Tiny | Room::Narrow | Room::Plain => body.min(area.height * 3 / 5),
    };
    if let Some(form) = &state.queue.form
        && form.question() == waiting.question.id
        && !matches!(form, Form::Search(_))
    {
        return super::forms::rows(form, area).min(most);
    }
    if waiting.zoomed {
        return most;
    }
    let width = usize::from(area.width);
    let text = u16::try_from(sheet::laid(state, waiting, width).total()).unwrap_or(u16::MAX);
    let all = text.saturating_add(FIXED);
    // The row that says who asks gives way before anything has to be scrolled.
    match waiting.source {
        Some(_) if all < most => all + 1,
        _ => all.min(most),
    }
}

/// Draws it, and says what of it is in sight. Gives the place of the cursor.
pub(super) fn draw(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    waiting: &Waiting,
    room: Room,
    drawn: &mut Drawn,
) -> Option<(u16, u16)> {
    pen.clear(area);
    let here = state.focus == Focus::Question && state.popup.is_none();
    title(state, pen, area, waiting, "", here);
    let (_, rest) = split_top(area, 1);
    headline(pen, rest, waiting, room);
    let (_, rest) = split_top(rest, 1);
    let key_rows = if room == Room::Narrow { 1 } else { 2 };
    let (rest, keys) = split_bottom(rest, key_rows);
    let width = usize::from(area.width);
    let (lines, look) = (sheet::laid(state, waiting, width), &state.look);
    let total = lines.total();
    let (rest, blank) = split_bottom(rest, u16::from(room != Room::Narrow));
    let spare = usize::from(rest.height) > total || room.has_columns();
    let asked_row = room != Room::Narrow && waiting.source.is_some() && spare;
    let (mut body, mut foot) = split_bottom(rest, u16::from(asked_row));
    // Where what is below can be told in the blank row, it takes no row of the text.
    let taken = u16::from(asked_row || blank.height == 0);
    let mut window = Window::of(body.height, total, waiting.top, room, taken);
    let told = |rows| if lines.is_there() { seen(waiting, rows, total) } else { String::new() };
    let mut said = told(window.range());
    // What is asked about is never cut for the sake of our own words.
    let fits = window.rows > 0
        && last_cells(&lines, look, window.range()) + clean::width(&said) + 2
            < usize::from(area.width);
    if room == Room::Narrow && !fits {
        (body, foot) = split_bottom(body, 1);
        window = Window::of(body.height, total, waiting.top, room, taken);
        said = told(window.range());
    }
    let Window { top, rows, .. } = window;
    let mark = Line::from(pen.span(said, Role::Quiet));
    if window.above {
        let (note, rest) = split_top(body, 1);
        let count = format!("{} above", words::grouped(top as u64));
        let seen = if waiting.seen >= top { "seen" } else { "not all seen" };
        pen.line(note, 0, pass(pen, waiting, count, seen));
        body = rest;
    }
    if window.below {
        let (rest, note) = match taken {
            0 => (body, blank),
            _ => split_bottom(body, 1),
        };
        let count = format!("{} below", words::grouped((total - top - rows) as u64));
        let left = pass(pen, waiting, count, not_seen(waiting, window.range(), total));
        let right = if asked_row { Line::default() } else { mark.clone() };
        pen.apart(inset(note, 0, 1), 0, left, right);
        body = rest;
    }
    let in_sight = lines.range(look, top..top + rows);
    for (at, row) in in_sight.iter().enumerate() {
        pen.line(body, u16::try_from(at).unwrap_or(0), row.line.clone());
    }
    if asked_row {
        let mut left = Vec::new();
        if let Some(source) = &waiting.source {
            left.extend(pen.spans(&format!("asked by  {}  ", asker(waiting)), Role::Quiet));
            left.extend(highlight_line(pen, source));
        }
        pen.apart(inset(foot, 1, 1), 0, Line::from(left), mark);
    } else if window.below {
        // It stands in the row that says what is below.
    } else if fits {
        let last = in_sight.last().map(|row| row.line.clone()).unwrap_or_default();
        let row = u16::try_from(rows - 1).unwrap_or(0);
        pen.apart(inset(body, 0, 1), row, last, mark);
    } else {
        let row = if foot.height > 0 { foot } else { blank };
        pen.apart(inset(row, 1, 1), 0, Line::default(), mark);
    }
    let search = search_of(state, waiting);
    if let Some(search) = search {
        search::mark(state, pen, body, waiting, search, top);
    }
    let readable = lines.is_there() && body.height >= LEAST && keys.height == key_rows;
    let live = readable && state.letters_live();
    let labels = offers::draw(state, pen, keys, waiting, live, room);
    let cursor = search.map(|search| {
        let (_, row) = split_bottom(keys, 1);
        search::draw(state, pen, row, waiting, search)
    });
    let noted = window.above || window.below;
    if !lines.is_there() && waiting.paper.is_some() {
        drawn.unlaid = Some(Unlaid {
            question: waiting.question.id,
            shape: sheet::shape(state, waiting, width),
        });
    }
    let seen =
        DrawnQuestion { id: waiting.question.id, live, width, top, rows, total, noted, labels };
    drawn.question = Some(seen).filter(|_| readable);
    cursor.flatten().filter(|_| here)
}

/// The cells of the last of these rows.
fn last_cells(lines: &sheet::Rows, look: &Look, rows: Range<usize>) -> usize {
    let last = lines.range(look, rows.end.saturating_sub(1)..rows.end);
    last.first().map_or(0, |row| words::cells(&row.line))
}

/// The search that is open in it.
fn search_of<'a>(state: &'a State, waiting: &Waiting) -> Option<&'a Search> {
    match &state.queue.form {
        Some(Form::Search(search)) if search.question == waiting.question.id => Some(search),
        Some(Form::Search(_) | Form::Because(..) | Form::Wider(_) | Form::Edit(_)) | None => None,
    }
}

/// The heavy rule: how many, who, how long.
pub(super) fn title(
    state: &State,
    pen: &mut Pen<'_>,
    area: Rect,
    waiting: &Waiting,
    form: &str,
    here: bool,
) {
    let look = pen.look;
    let (dot, path) = (look.dot(), format!(" {} ", look.mark(Mark::Path)));
    let asker = asker(waiting);
    // Those put off are counted only where one of them is looked at.
    let all = state.queue.asking() + if waiting.put_off { state.queue.put_off() } else { 0 };
    let mark = if waiting.put_off { Mark::NotNow } else { Mark::Needs };
    let seconds = words::seconds(waiting.asked, state.now.wall);
    let clock = pen.look.clock(seconds);
    let held = matches!(waiting.question.call.origin, Origin::Python { .. });
    let before = matches!(waiting.question.preview.body, Body::Packages { .. });
    let right = match held {
        _ if area.width < NARROW => clock,
        true if before => format!("clock not started {clock}"),
        true => format!("clock held {clock}"),
        // Nothing runs yet whose clock could stand still.
        false => format!("waits {clock}"),
    };
    let right = pen.span(right, Mark::ClockHeld.role());
    let right =
        if held { vec![pen.mark(Mark::ClockHeld), Span::raw(" "), right] } else { vec![right] };
    let place = state.queue.place(waiting.question.id);
    let mut title = vec![pen.mark(mark)];
    title.push(pen.span(format!(" {place} of {all}{dot}{form}"), Role::Bright));
    // With the strokes and blanks of the rule, and what asks.
    let taken = words::cells(&Line::from(title.clone())) + words::cells(&Line::from(right.clone()));
    let taken = taken + clean::width(&path) + clean::width(&asker) + 7;
    let room = usize::from(area.width).saturating_sub(taken);
    let who = state.way(waiting.question.session, &waiting.question.path, room);
    title.extend(pen.spans(&format!("{who}{path}{asker}"), Role::Bright));
    let role = if here { Role::Need } else { Role::Rule };
    pen.rule_in(area, 0, Keys::here(here), role, title, right);
}

/// Effect, object, amount: never the model's own words.
pub(super) fn headline(pen: &mut Pen<'_>, area: Rect, waiting: &Waiting, room: Room) {
    let question = &waiting.question;
    let dot = pen.look.dot();
    let mut left = vec![pen.span(waiting.effect(), Role::Bright)];
    left.push(Span::raw(if room == Room::Narrow { " " } else { "  " }));
    match &waiting.paper {
        Some(paper) => left.extend(paper.object.iter().map(|piece| {
            let role = if piece.escape { Role::Escape } else { Role::Bright };
            pen.span(piece.text.clone(), role)
        })),
        None => left.extend(pen.spans(&question.preview.object, Role::Bright)),
    }
    let width = usize::from(area.width);
    let facts = facts(waiting, width).join(&dot);
    let right = match head_of(waiting, width) {
        Head::Whole | Head::ObjectBelow => pen.spans(&facts, facts_role(waiting)),
        Head::FactsBelow => Vec::new(),
    };
    pen.apart(inset(area, 1, 1), 0, Line::from(left), Line::from(right));
}

/// What of the headline stands in rows below it, since it does not fit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Head {
    Whole,
    /// It is cut, and stands below in full.
    ObjectBelow,
    /// They are too long to stand beside anything.
    FactsBelow,
}

pub(super) fn head_of(waiting: &Waiting, width: usize) -> Head {
    let object = clean::width(&waiting.object());
    let facts: usize = facts(waiting, width).iter().map(|fact| clean::width(fact) + 3).sum();
    let effect = waiting.effect().len();
    // Each argument of a program has a row of its own: where rows are few, that is enough.
    let argued = matches!(waiting.question.preview.body, Body::Program { .. }) && width < 90;
    // Margins, and what keeps the three apart.
    if effect + object + facts + 5 <= width {
        Head::Whole
    } else if effect + object + 4 <= width && !argued {
        Head::FactsBelow
    } else if effect + facts + 17 <= width {
        Head::ObjectBelow
    } else {
        Head::FactsBelow
    }
}

/// What is out of the usual about a file is a warning; about a run, it has rows of its own.
pub(super) fn facts_role(waiting: &Waiting) -> Role {
    let Preview { reach, body, .. } = &waiting.question.preview;
    match (body, reach) {
        (Body::Diff { .. }, Reach::Outside) => Role::Warn,
        (Body::Diff { .. }, Reach::Workspace)
        | (
            Body::Program { .. } | Body::Code { .. } | Body::Packages { .. } | Body::Text { .. },
            _,
        ) => Role::Quiet,
    }
}

/// Short facts about the effect. Where it is narrow, and a file changes as files do, the first of
/// them alone.
pub(in crate::tui) fn facts(waiting: &Waiting, width: usize) -> Vec<String> {
    let question = &waiting.question;
    let mut facts = question.preview.facts.clone();
    let usual = matches!(
        (&question.preview.body, question.preview.reach),
        (Body::Diff { .. }, Reach::Workspace)
    );
    if width < usize::from(NARROW) && usual {
        facts.truncate(1);
        return facts;
    }
    let said = facts.iter().any(|fact| fact.contains("workspace"));
    if !said && question.category == Category::Write {
        facts.push(match question.preview.reach {
            Reach::Workspace => "in the workspace".to_owned(),
            Reach::Outside => "outside the workspace".to_owned(),
        });
    }
    facts
}

/// Which rows are in sight. Where some are not, a row says so above and below them.
#[derive(Clone, Copy)]
struct Window {
    top: usize,
    rows: usize,
    above: bool,
    below: bool,
}

impl Window {
    /// The rows that fit; `below` of them are taken by what says that the text goes on below.
    fn of(height: u16, total: usize, top: usize, room: Room, below: u16) -> Self {
        let (height, taken) = (usize::from(height), usize::from(below));
        if total <= height || height < 4 || room == Room::Narrow {
            let rows = height.min(total);
            return Self { top: top.min(total - rows), rows, above: false, below: false };
        }
        if top == 0 {
            return Self { top, rows: height - taken, above: false, below: true };
        }
        if top + height > total {
            let rows = height - 1;
            return Self { top: total - rows, rows, above: true, below: false };
        }
        Self { top, rows: height - 1 - taken, above: true, below: true }
    }

    fn range(self) -> Range<usize> {
        self.top..self.top + self.rows
    }
}

/// How much is out of sight there, in a row of its own where the text would go on.
fn pass(pen: &Pen<'_>, waiting: &Waiting, count: String, seen: &str) -> Line<'static> {
    let margin = match waiting.paper.as_ref().map(|paper| &*paper.sheet) {
        Some(Sheet::Diff(diff)) => 2 * diff.digits() + 4,
        Some(Sheet::Code(..) | Sheet::Fields(_) | Sheet::Line(..) | Sheet::Text(_)) | None => 3,
    };
    let text = format!("{}{} {count}, {seen}", " ".repeat(margin), pen.look.mark(Mark::Gap));
    Line::from(pen.span(text, Role::Quiet))
}

/// What was seen of the rows below these.
fn not_seen(waiting: &Waiting, rows: Range<usize>, total: usize) -> &'static str {
    if waiting.seen >= total {
        "seen"
    } else if waiting.end_seen || waiting.seen > rows.end {
        "not all seen"
    } else {
        "not seen yet"
    }
}

/// How much of so many rows was in sight, these included.
fn seen(waiting: &Waiting, rows: Range<usize>, total: usize) -> String {
    let upto = if rows.start <= waiting.seen { waiting.seen.max(rows.end) } else { waiting.seen };
    if upto >= total {
        "all seen".to_owned()
    } else if waiting.end_seen || rows.end >= total {
        "end seen".to_owned()
    } else {
        format!("{} of {} rows seen", words::grouped(upto as u64), words::grouped(total as u64))
    }
}

fn highlight_line(pen: &Pen<'_>, source: &str) -> Vec<Span<'static>> {
    // One line is coloured at once; it is short, and only there while it asks.
    if source.len() > 400 {
        return pen.spans(source, Role::Text);
    }
    let colours = highlight::highlight(source);
    let none = Vec::new();
    highlight::styled(source, colours.first().unwrap_or(&none), &pen.look.theme).spans
}
