//! Cells as rows of a given width.

use std::sync::Arc;

use jiff::Timestamp;
use ratatui::text::{Line, Span};

use super::{Body, Cached, Called, Cell, Fold, Progress, code, picture, thinking};
use crate::{
    config::Motion,
    kernel::{
        event::Outcome,
        id::{CallId, SessionId},
    },
    tui::{
        clean,
        hints::Hints,
        keymap::{Action, Place},
        markdown,
        state::{
            controls::Controls,
            look::Look,
            output::Output,
            sessions::{Doing, Sessions},
            waiting::Queue,
        },
        theme::{Mark, Role},
        words,
        wrap::{Layout, wrap_with},
    },
};

/// What a cell that still changes has to know of the rest.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    pub width: usize,
    pub look: &'a Look,
    pub controls: &'a Controls,
    pub now: Timestamp,
    pub sessions: &'a Sessions,
    pub output: &'a Output,
    pub queue: &'a Queue,
    /// Who speaks to this session.
    pub speaker: &'a str,
}

impl Scene<'_> {
    /// What the rows of a settled cell depend on.
    fn key(&self) -> (usize, u64) {
        (self.width, self.look.revision())
    }

    /// The cells text is moved in by, so that names stand free.
    pub fn indent(&self) -> usize {
        if self.width < 56 { 2 } else { 7 }
    }

    /// A text with what is hidden in it shown.
    pub fn spans(&self, text: &str, role: Role) -> Vec<Span<'static>> {
        clean::spans(text, self.look.style(role), self.look.style(Role::Escape))
    }

    /// A name, tabs in it shown as well.
    pub fn name(&self, name: &str, role: Role) -> Vec<Span<'static>> {
        clean::name_spans(name, self.look.style(role), self.look.style(Role::Escape))
    }

    /// A mark in its own role.
    pub fn mark(&self, mark: Mark) -> Span<'static> {
        Span::styled(self.look.mark(mark), self.look.style(mark.role()))
    }

    /// Whether the clock of this run stands still, and what it used.
    pub fn used(&self, call: CallId) -> Option<(std::time::Duration, bool)> {
        self.output.used(call)
    }

    /// The state of a session in a mark.
    pub fn state(&self, session: SessionId) -> Mark {
        state_mark(self.sessions, self.queue, session)
    }
}

/// The state of a session in a mark: what needs the person comes first.
pub fn state_mark(sessions: &Sessions, queue: &Queue, session: SessionId) -> Mark {
    let asks = queue.of_session(session);
    if asks.iter().any(|id| queue.get(*id).is_some_and(|waiting| !waiting.put_off)) {
        return Mark::Needs;
    }
    if !asks.is_empty() {
        return Mark::NotNow;
    }
    let Some(node) = sessions.get(session) else { return Mark::Queued };
    match &node.doing {
        Doing::Nothing => Mark::Idle,
        Doing::Working { .. } => Mark::Running,
        Doing::Rests { outcome, .. } => match outcome {
            Outcome::Done if node.spec.parent.is_some() => Mark::Done,
            Outcome::Done => Mark::Idle,
            Outcome::Stopped => Mark::Stopped,
            Outcome::Failed { .. } => Mark::Failed,
            Outcome::Limit { .. } => Mark::Limit,
        },
    }
}

/// The rows of a cell; those of one that is over are laid out once for each width and look.
pub fn rows(cell: &Cell, scene: &Scene<'_>) -> Arc<Vec<Line<'static>>> {
    let known = cached(cell, scene, |cached| cached.rows.clone());
    known.unwrap_or_else(|| {
        let rows = Arc::new(lay_out(cell, scene));
        keep(cell, scene, rows.len(), Some(rows.clone()));
        rows
    })
}

/// How many rows a cell has. Nothing but the number is kept, for many are counted that nobody sees.
pub fn height(cell: &Cell, scene: &Scene<'_>) -> usize {
    let known = cached(cell, scene, |cached| Some(cached.height));
    known.unwrap_or_else(|| {
        let height = lay_out(cell, scene).len();
        keep(cell, scene, height, None);
        height
    })
}

fn cached<T>(cell: &Cell, scene: &Scene<'_>, of: impl Fn(&Cached) -> Option<T>) -> Option<T> {
    let cache = cell.cache.borrow();
    cache.as_ref().filter(|cached| cell.settled() && cached.key == scene.key()).and_then(of)
}

fn keep(cell: &Cell, scene: &Scene<'_>, height: usize, rows: Option<Arc<Vec<Line<'static>>>>) {
    if cell.settled() {
        *cell.cache.borrow_mut() = Some(Cached { key: scene.key(), height, rows });
    }
}

fn lay_out(cell: &Cell, scene: &Scene<'_>) -> Vec<Line<'static>> {
    let mut rows = lay_out_body(cell, scene);
    rows.extend(picture::rows(cell, scene));
    rows
}

fn lay_out_body(cell: &Cell, scene: &Scene<'_>) -> Vec<Line<'static>> {
    match &cell.body {
        Body::Said { text, fold } => said(text, *fold, scene),
        Body::Text { text, live, inside: None } => spoken(text, *live, scene),
        Body::Text { text, live, inside: Some(opened) } => {
            spoken(&format!("{opened}\n{text}"), *live, scene)
        }
        Body::Thinking(thinking) => thinking::rows(thinking, scene),
        Body::Code(code) => code::rows(code, scene),
        Body::Call(called) => vec![call(called, scene)],
        Body::Agent { name, session, task, at } => vec![agent(name, *session, task, *at, scene)],
        Body::Notice { mark, text } => notice(*mark, text, scene),
    }
}

/// Lines and bytes of a message that are shown before someone unfolds it, and how many there may be
/// until it is folded at all.
const SAID: (usize, usize) = (8, 1 << 10);
const LONG: (usize, usize) = (24, 4 << 10);

/// Whether what was said is folded at first: pasted text, most of the time.
pub fn is_long(text: &str) -> bool {
    text.len() > LONG.1 || text.lines().count() > LONG.0
}

/// The beginning of a long message that stays in sight.
fn head(text: &str) -> &str {
    let (lines, bytes) = SAID;
    let end = text.match_indices('\n').nth(lines - 1).map_or(text.len(), |(end, _)| end);
    &text[..text.floor_char_boundary(end.min(bytes))]
}

/// A row that says how much is folded away, and by what key it opens.
pub(super) fn folded(text: &str, scene: &Scene<'_>) -> Line<'static> {
    let quiet = scene.look.style(Role::Quiet);
    let gap = scene.look.mark(Mark::Gap);
    let unfold = Hints::of(scene.controls, Place::Transcript).with(Action::Open, "unfold");
    let right = Line::styled(unfold.joined(""), quiet);
    words::apart(Line::styled(format!("   {gap}  {text}"), quiet), right, scene.width)
}

fn said(text: &str, fold: Fold, scene: &Scene<'_>) -> Vec<Line<'static>> {
    let indent = scene.indent();
    let whole = text;
    let text = if fold == Fold::Full || !is_long(text) { text } else { head(text) };
    let mut out = Vec::new();
    let label = if indent < 7 { scene.look.mark(Mark::Path) } else { scene.speaker };
    for (at, line) in text.split('\n').enumerate() {
        let label = if at == 0 { label } else { "" };
        let label = clean::pad(&clean::truncate(label, indent - 1), indent);
        let mut spans = vec![Span::styled(label, scene.look.style(Role::Quiet))];
        spans.extend(scene.spans(line, Role::Bright));
        out.extend(wrap_with(&Line::from(spans), Layout::words(scene.width).hanging(indent)));
    }
    if text.len() < whole.len() {
        let rest = whole[text.len()..].trim_start_matches('\n');
        let more = match rest.lines().count() {
            1 => format!("{} bytes more", words::grouped(rest.len() as u64)),
            lines => format!("{} more", words::count(lines, "line")),
        };
        out.push(folded(&more, scene));
    }
    out
}

fn spoken(text: &str, live: bool, scene: &Scene<'_>) -> Vec<Line<'static>> {
    let indent = scene.indent();
    let width = scene.width.saturating_sub(indent);
    let (theme, marks) = (&scene.look.theme, scene.look.marks);
    let mut lines = if live {
        markdown::render_arriving(text, width, theme, marks)
    } else {
        markdown::render(text, width, theme, marks)
    };
    if live && scene.look.motion == Motion::Reduced {
        // Lines come whole: the last one still grows.
        lines.pop();
        lines.push(Line::from(scene.mark(Mark::Arriving)));
    } else if live {
        let arriving = scene.mark(Mark::Arriving);
        match lines.last_mut() {
            Some(last) if last.width() < width => last.spans.push(arriving),
            _ => lines.push(Line::from(arriving)),
        }
    }
    let margin = Span::raw(" ".repeat(indent.min(scene.width)));
    for line in &mut lines {
        line.spans.insert(0, margin.clone());
    }
    lines
}

/// A call as one line: what kind of effect, on what, and how it went.
pub(super) fn call(called: &Called, scene: &Scene<'_>) -> Line<'static> {
    let mut spans = vec![Span::raw("  "), scene.mark(called.progress.mark()), Span::raw(" ")];
    spans.extend(effect(called, scene));
    let how = match &called.progress {
        Progress::Running { since } => scene.look.clock(words::seconds(*since, scene.now)),
        Progress::Asking => "waits for you".to_owned(),
        Progress::Done => String::new(),
        Progress::Unknown(why)
        | Progress::Failed(why)
        | Progress::Denied(why)
        | Progress::Limit(why)
        | Progress::Stopped(why)
        | Progress::Withdrawn(why) => words::first_line(why).to_owned(),
    };
    if !how.is_empty() {
        spans.push(Span::raw("   "));
        spans.extend(scene.spans(&how, called.progress.mark().role()));
    }
    fit(spans, scene.width)
}

pub(super) fn effect(called: &Called, scene: &Scene<'_>) -> Vec<Span<'static>> {
    let word = words::effect(called.category, &called.name);
    let mut spans = scene.spans(&word, Role::Text);
    if !called.object.is_empty() {
        spans.push(Span::raw(" "));
        spans.extend(scene.name(&called.object, Role::Text));
    }
    spans
}

fn agent(
    name: &str,
    session: SessionId,
    task: &str,
    at: Timestamp,
    scene: &Scene<'_>,
) -> Line<'static> {
    let mut spans = vec![scene.mark(scene.state(session))];
    spans.extend(scene.name(&format!(" agent {name}   "), Role::Text));
    let node = scene.sessions.get(session);
    let doing = node.map(|node| &node.doing);
    let mut about = task;
    if let Some(Doing::Rests {
        outcome: Outcome::Failed { message } | Outcome::Limit { message },
        ..
    }) = doing
    {
        // What it was for is known by then; why it did not get there is not.
        about = message;
    }
    let time = match doing {
        Some(Doing::Rests { outcome, .. }) => {
            let word = match outcome {
                Outcome::Done => "done",
                Outcome::Stopped => "stopped",
                Outcome::Failed { .. } => "failed",
                Outcome::Limit { .. } => "limit",
            };
            format!("{word} in {}: ", words::clock(node.map_or(0, |node| node.worked_s)))
        }
        Some(Doing::Nothing | Doing::Working { .. }) | None => {
            format!("started {} ago: ", scene.look.clock(words::seconds(at, scene.now)))
        }
    };
    spans.push(Span::styled(time, scene.look.style(Role::Quiet)));
    spans.extend(scene.spans(words::first_line(about), Role::Text));
    fit(spans, scene.width)
}

fn notice(mark: Mark, text: &str, scene: &Scene<'_>) -> Vec<Line<'static>> {
    let mut out = Vec::new();
    for (at, line) in text.trim_end().split('\n').enumerate() {
        let head = if at == 0 { scene.mark(mark) } else { Span::raw(" ") };
        let mut spans = vec![head, Span::raw(" ")];
        spans.extend(scene.spans(line, mark.role()));
        out.extend(wrap_with(&Line::from(spans), Layout::words(scene.width).hanging(2)));
    }
    out
}

/// A line cut to the width, with a sign where it goes on.
pub(super) fn fit(spans: Vec<Span<'static>>, width: usize) -> Line<'static> {
    words::fit(Line::from(spans), width)
}
