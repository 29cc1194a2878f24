//! Whether somebody looks, and what is told to them when they are back.

use super::panes;
use crate::{
    kernel::{
        event::{Decider, Envelope, Event, ExitStatus, Outcome},
        gate::approval::{CHANGED, Question},
        id::{CallId, SessionId},
        port::Aside,
    },
    tui::{
        cell::Body,
        effect::Effect,
        keymap::Go,
        message::Input,
        state::{
            Focus, Popup, State,
            away::{News, What},
            transcript::Scroll,
        },
        theme::Mark,
        words,
    },
};

/// A program that ran for so many seconds is worth a line.
const LONG: i64 = 60;

/// The longest words of a line, in characters.
const LINE: usize = 160;

/// Takes a sign of a person, if it is one; who comes back is told what happened.
pub(super) fn heard(state: &mut State, input: &Input) {
    let now = state.now;
    let fronted = match input {
        Input::FocusLost => {
            state.status.away.left(now);
            return;
        }
        // A window changes its size by itself, and a wheel turns over one that is behind.
        Input::Resized => return,
        Input::Mouse(_) if state.status.away.is_behind() => return,
        Input::FocusGained => true,
        Input::Key(_) | Input::Paste(_) | Input::Burst(_) | Input::Mouse(_) => false,
    };
    if state.status.away.sign(now, fronted) {
        let since = state.status.away.since();
        if let Some(changed) = since.and_then(|since| changed(state, since)) {
            state.status.away.happened(changed);
        }
        state.status.away.tell(now);
    }
}

/// What of a moment before an event is needed to tell of it after.
pub(super) struct Before {
    work: usize,
    asked: Option<Question>,
}

/// To be taken before the event is applied; nothing where it is no news to anybody.
pub(super) fn before(state: &State, envelope: &Envelope) -> Option<Before> {
    let event = &envelope.event;
    if matches!(event, Event::TextStreamed { .. } | Event::OutputWritten { .. }) {
        return None;
    }
    let mut asked = None;
    if let Event::ApprovalAnswered { approval, .. } | Event::ApprovalWithdrawn { approval, .. } =
        event
    {
        asked = state.queue.get(*approval).map(|waiting| waiting.question.clone());
    }
    Some(Before { work: state.sessions.at_work(), asked })
}

/// Gathers what an event says, after it was applied.
pub(super) fn happened(state: &mut State, before: Option<Before>, envelope: &Envelope) {
    let Some(Before { work, asked }) = before else { return };
    let now = state.now.at;
    if !state.queue.asks() {
        state.status.away.at_work(work, state.sessions.at_work(), now);
    }
    // What is read back from a journal happened before; what runs elsewhere is told there.
    let old = state.status.away.since().is_none_or(|since| envelope.at < since);
    let session = envelope.session;
    if old || state.sessions.watched(session).is_some() {
        return;
    }
    match news(state, asked, envelope) {
        Some(Ok(news)) => state.status.away.happened(news),
        Some(Err(over)) => state.status.away.over(over, session),
        None => {}
    }
}

/// What it says; an error says what is no news any more.
#[expect(clippy::wildcard_enum_match_arm, reason = "the rest is work that goes on")]
fn news(state: &State, asked: Option<Question>, envelope: &Envelope) -> Option<Result<News, What>> {
    let session = envelope.session;
    let one = |what, mark, text: String| {
        let text = text.chars().take(LINE).collect();
        Some(Ok(News { at: envelope.at, what, session, mark, text }))
    };
    match &envelope.event {
        Event::ApprovalRequested { question } => {
            let effect = words::effect(question.category, &question.call.name);
            let object = &question.preview.object;
            one(What::Asks(question.id), Mark::Needs, format!("asks: {effect} {object}"))
        }
        Event::ApprovalAnswered { approval, by: Decider::Expiry, .. } => {
            let question = asked?;
            let text = format!("no answer came in time: {}", question.preview.object);
            one(What::Gone(*approval, question.call.id), Mark::Denied, text)
        }
        Event::ApprovalAnswered { approval, .. } => Some(Err(What::Asks(*approval))),
        // It is asked again at once.
        Event::ApprovalWithdrawn { approval, reason, .. } if reason == CHANGED => {
            Some(Err(What::Asks(*approval)))
        }
        Event::ApprovalWithdrawn { approval, reason, .. } => {
            let question = asked?;
            let text = format!("withdrawn, {reason}: {}", question.preview.object);
            one(What::Gone(*approval, question.call.id), Mark::Withdrawn, text)
        }
        Event::TurnStarted { .. } => Some(Err(What::Ended)),
        Event::ExchangeFinished { outcome } | Event::SessionFinished { outcome } => {
            let (mark, text) = match outcome {
                Outcome::Done => (Mark::Done, last_words(state, session)),
                Outcome::Stopped => (Mark::Stopped, "stopped".to_owned()),
                Outcome::Failed { message } => (Mark::Failed, first(message)),
                Outcome::Limit { message } => (Mark::Limit, first(message)),
            };
            one(What::Ended, mark, text)
        }
        Event::ExecutionFinished { call, status, ran_ms, .. } => {
            let run = state.output.run(*call)?;
            let limit = words::limit(status, run.limit_ms);
            if limit.is_none() && !run.beside && words::seconds(run.since, envelope.at) < LONG {
                return None;
            }
            let mark = match status {
                _ if limit.is_some() => Mark::Limit,
                ExitStatus::Exited { code: 0 } => Mark::Done,
                ExitStatus::Cancelled => Mark::Stopped,
                _ => Mark::Failed,
            };
            let how = limit
                .unwrap_or_else(|| format!("{}, {}", words::exit(status), words::took(*ran_ms)));
            one(What::Program(*call), mark, format!("{}: {how}", run.program))
        }
        Event::PutAside { call, things } => {
            let Aside { was, .. } = things.first()?;
            let text = format!("a run made {}, which other programs obey", was.display());
            one(What::Call(*call), Mark::Warning, text)
        }
        _ => None,
    }
}

fn first(message: &str) -> String {
    words::first_line(message).to_owned()
}

/// How the last thing begins that was said in it.
fn last_words(state: &State, session: SessionId) -> String {
    let cells = state.sessions.get(session).map(|node| node.transcript.cells.here());
    let said = cells.and_then(|cells| {
        cells.rev().find_map(|(_, cell)| {
            let Body::Text { text, .. } = &cell.body else { return None };
            Some(words::first_line(text))
        })
    });
    match said {
        Some(said) if !said.is_empty() => format!("done: {said}"),
        Some(_) | None => "done".to_owned(),
    }
}

/// How many files were changed since.
fn changed(state: &State, since: jiff::Timestamp) -> Option<News> {
    let changed = state.records.changed_since(since)?;
    let files = words::count(changed.files, "file");
    let text = format!("{files} changed  {}", words::lines(changed.more, changed.fewer));
    let (at, session) = (changed.last, changed.session);
    Some(News { at, what: What::Changed, session, mark: Mark::CanUndo, text })
}

/// Calls someone who looks elsewhere, when all work has ended.
pub(super) fn ring(state: &mut State) -> Vec<Effect> {
    if !state.status.away.rings(state.now.at) {
        return Vec::new();
    }
    vec![Effect::Notify(format!("{}: all work has ended", state.place.workspace))]
}

/// Goes to the list: to its pane where there is one, else it opens.
pub(super) fn open(state: &mut State, pane: bool) {
    if matches!(state.popup, Some(Popup::Away { .. })) {
        state.popup = None;
    } else if state.status.away.told.is_none() {
        state.status.say("Nothing happened while nobody looked.", state.now.at);
    } else if pane {
        (state.popup, state.focus, state.panes.row) = (None, Focus::Away, 0);
    } else {
        state.popup = Some(Popup::Away { row: 0 });
    }
}

/// esc in the list: all of it was read. Whether it was that.
pub(super) fn leave(state: &mut State) -> bool {
    match (state.popup, state.focus) {
        (Some(Popup::Away { .. }), _) => state.popup = None,
        (None, Focus::Away) => state.focus = state.beside(),
        _ => return false,
    }
    state.status.away.told = None;
    true
}

/// Goes to what a line is about, which was read by that.
pub(super) fn visit(state: &mut State, row: usize) -> Vec<Effect> {
    let told = state.status.away.told.as_ref();
    let Some(news) = told.and_then(|told| told.news.get(row)).cloned() else { return Vec::new() };
    state.status.away.read(|one| *one == news);
    state.popup = None;
    state.focus = state.beside();
    match news.what {
        What::Asks(id) if state.queue.get(id).is_some() => {
            state.queue.choose(id);
            state.focus = Focus::Question;
        }
        What::Asks(_) | What::Ended => {
            state.sessions.show(news.session);
            if let Some(node) = state.sessions.node_mut() {
                node.transcript.scroll = Scroll::Follow;
            }
        }
        What::Gone(_, call) | What::Call(call) => show(state, news.session, call),
        What::Program(call) => {
            state.sessions.show(news.session);
            state.output.choose(call);
            panes::go(state, Go::Output);
        }
        What::Changed => {
            state.sessions.show(news.session);
            panes::go(state, Go::Changes);
        }
    }
    Vec::new()
}

/// Shows a call where it was made.
pub(super) fn show(state: &mut State, session: SessionId, call: CallId) {
    state.sessions.show(session);
    let Some(node) = state.sessions.node_mut() else { return };
    if let Some(cell) = node.transcript.cell_of(call) {
        node.transcript.here = Some(cell);
        node.transcript.scroll = Scroll::Held { cell, row: 0 };
        state.focus = Focus::Transcript;
    }
}
