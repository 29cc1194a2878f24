//! What happens, in sentences with the name of the session before them. What a transcript has notices for
//! is said in their words.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Lines, SoFar,
    ask::{self, Open},
    lists,
    outcome::{answered, ended, finished, object},
    outputs, paper, words,
};
use crate::{
    kernel::{
        capability::Category,
        event::{Envelope, Event, ExitStatus, Origin, Outcome},
        gate::approval::CHANGED,
        id::{CallId, SessionId},
        message::Usage,
        todo,
    },
    tui::{
        cell::Body,
        effect::Effect,
        message::{Message, News},
        state::{State, transcript::cells::Slot, waiting::Waiting},
        theme::Mark,
        update::update as screen,
        words as said,
    },
};

/// Lines of before that are told when a session is carried on.
const BEFORE: usize = 12;

/// What was told, and what is being told.
#[derive(Clone, Debug, Default)]
pub(super) struct Teller {
    /// What happened before is not told line by line.
    began: jiff::Timestamp,
    so_far: SoFar,
    /// The cells of each transcript that were looked at.
    cells: BTreeMap<SessionId, usize>,
    /// What a model wrote of a line that is not whole yet.
    speech: BTreeMap<SessionId, String>,
    /// Whose words were said last.
    speaks: Option<SessionId>,
    /// Calls that a person was asked about: their answer was told.
    asked: BTreeSet<CallId>,
    /// What calls that have begun do.
    running: BTreeMap<CallId, (Category, String)>,
}

impl Teller {
    pub(super) fn since(began: jiff::Timestamp) -> Self {
        Self { began, ..Self::default() }
    }

    /// What a call did that had begun, and whether a person was asked about it; then both are forgotten.
    pub(super) fn is_over(&mut self, call: CallId) -> (Option<(Category, String)>, bool) {
        (self.running.remove(&call), self.asked.remove(&call))
    }

    /// Something else is said: whoever speaks has to be named again.
    pub(super) fn interrupted(&mut self) {
        self.speaks = None;
    }
}

/// The names from the root to that session.
pub(super) fn who(state: &State, session: SessionId) -> String {
    let Some(node) = state.sessions.get(session) else { return "a session".to_owned() };
    let mut path = node.spec.path.clone();
    let root = state.sessions.root(session);
    let number = state.sessions.roots().iter().position(|known| *known == root).unwrap_or(0);
    if let (1.., Some(first)) = (number, path.first_mut()) {
        first.push_str(&format!(" {}", number + 1));
    }
    path.join(", ")
}

/// `, 12k tokens, cost $0.04`.
pub(super) fn used(usage: &Usage) -> String {
    let mut out = String::new();
    if usage.tokens() > 0 {
        out.push_str(&format!(", {}", lists::in_tokens(usage.tokens())));
    }
    if !usage.cost.is_none() {
        out.push_str(&format!(", cost {}", usage.cost));
    }
    out
}

/// What a screen is told as well.
pub(super) fn message(lines: &mut Lines, message: Message) -> Vec<Effect> {
    if let Message::Happened(envelope) = &message {
        return happened(lines, envelope);
    }
    if let Message::Told(News::Check(_, check)) = &message
        && matches!(check.mark, Mark::Failed | Mark::Warning)
    {
        let text = &check.text;
        lines.say(format!("This computer: {text}. footplate doctor says how to mend it."));
    }
    lines.turn(message)
}

/// The last lines of what happened before, once it is over.
pub(super) fn so_far(lines: &mut Lines) {
    let so_far = std::mem::take(&mut lines.teller.so_far);
    if so_far.count == 0 {
        return;
    }
    let left = so_far.count - so_far.last.len();
    if left > 0 {
        lines.say(format!("{} of before are not told; these are the last.", words::lines(left)));
    }
    lines.said.extend(so_far.last);
    lines.teller.interrupted();
}

fn happened(lines: &mut Lines, envelope: &std::sync::Arc<Envelope>) -> Vec<Effect> {
    let past = envelope.at < lines.teller.began;
    let kept = if past {
        std::mem::take(&mut lines.said)
    } else {
        so_far(lines);
        Vec::new()
    };
    let session = envelope.session;
    if let Event::TextStreamed { text } = &envelope.event {
        speech(lines, session, text);
    } else {
        end_speech(lines, session);
    }
    let before = Before::of(lines, envelope);
    if !past && is_heard(lines, envelope) {
        lines.owed = lines.owed.saturating_sub(1);
    }
    let effects = screen(&mut lines.state, Message::Happened(envelope.clone()));
    if matches!(&envelope.event, Event::ApprovalAnswered { .. } | Event::ApprovalWithdrawn { .. }) {
        // That is told in a line of its own.
        lines.state.status.take();
    }
    let mut effects = lines.after(effects);
    cells(lines, session);
    effects.extend(after(lines, envelope, before, past));
    if past {
        let told = std::mem::replace(&mut lines.said, kept);
        lines.prompt = None;
        let so_far = &mut lines.teller.so_far;
        so_far.count += told.len();
        so_far.last.extend(told);
        while so_far.last.len() > BEFORE {
            so_far.last.pop_front();
        }
    }
    effects
}

/// Whether something that was sent has come to its session.
fn is_heard(lines: &Lines, envelope: &Envelope) -> bool {
    let node = lines.state.sessions.get(envelope.session);
    let root = node.is_some_and(|node| node.spec.parent.is_none());
    let said = matches!(&envelope.event, Event::MessageSent { .. });
    let by_hand =
        matches!(&envelope.event, Event::CallFinished { origin: Origin::Person, parent: None, .. });
    root && (said || by_hand)
}

/// What an event takes away that is needed to tell of it.
#[derive(Default)]
struct Before {
    question: Option<Waiting>,
    worked: Option<i64>,
}

impl Before {
    fn of(lines: &Lines, envelope: &Envelope) -> Self {
        let state = &lines.state;
        let mut before = Self::default();
        if let Event::ApprovalAnswered { approval, .. }
        | Event::ApprovalWithdrawn { approval, .. } = &envelope.event
        {
            before.question = state.queue.get(*approval).cloned();
        }
        let node = state.sessions.get(envelope.session);
        before.worked =
            node.filter(|node| node.doing.works()).and_then(|node| node.doing.seconds(envelope.at));
        before
    }
}

/// A session's sentence.
pub(super) fn says(lines: &mut Lines, session: SessionId, text: impl AsRef<str>) {
    let who = who(&lines.state, session);
    lines.say(format!("{who}: {}", text.as_ref()));
}

/// Words of a model: whole lines as they come. Its name stands before the first of them.
fn speech(lines: &mut Lines, session: SessionId, text: &str) {
    let buffer = lines.teller.speech.entry(session).or_default();
    buffer.push_str(text);
    let Some(end) = buffer.rfind('\n') else { return };
    let rest = buffer.split_off(end + 1);
    let whole = std::mem::replace(buffer, rest);
    for line in whole.lines() {
        spoken(lines, session, line);
    }
}

fn spoken(lines: &mut Lines, session: SessionId, line: &str) {
    if line.trim().is_empty() {
        return;
    }
    if lines.teller.speaks == Some(session) {
        ask::say_in(lines, line);
        return;
    }
    says(lines, session, line);
    lines.teller.speaks = Some(session);
}

fn end_speech(lines: &mut Lines, session: SessionId) {
    if let Some(rest) = lines.teller.speech.remove(&session) {
        for line in rest.lines() {
            spoken(lines, session, line);
        }
    }
}

/// What is new in a transcript and is told in its own words.
fn cells(lines: &mut Lines, session: SessionId) {
    loop {
        let at = lines.teller.cells.get(&session).copied().unwrap_or(0);
        let Some(node) = lines.state.sessions.get(session) else { return };
        let cell = match node.transcript.cells.slot(at) {
            Some(Slot::Here(cell)) => cell,
            // It is long over, and was told when it came.
            Some(Slot::Away(..)) => {
                lines.teller.cells.insert(session, at + 1);
                continue;
            }
            None => return,
        };
        let child = node.spec.parent.is_some();
        let told = match &cell.body {
            Body::Text { live: true, .. } => return,
            Body::Said { .. } if child && at == 0 => None,
            Body::Said { text, .. } => Some(match lines.state.sessions.viewed() == Some(session) {
                true => format!("you: {text}"),
                false => format!("to {}: {text}", who(&lines.state, session)),
            }),
            Body::Notice { mark, text } => {
                let who = who(&lines.state, session);
                let word = if *mark == Mark::Warning {
                    "Warning: "
                } else if matches!(mark, Mark::Failed | Mark::Limit) {
                    "Failed: "
                } else {
                    ""
                };
                Some(format!("{who}: {word}{text}"))
            }
            Body::Agent { name, task, .. } => {
                let who = who(&lines.state, session);
                Some(format!("{who}: starts agent {name}: {}", said::first_line(task)))
            }
            Body::Text { .. } | Body::Thinking(_) | Body::Code(_) | Body::Call(_) => None,
        };
        lines.teller.cells.insert(session, at + 1);
        if let Some(told) = told {
            lines.say(told);
        }
    }
}

/// What an event is told as, beside what the transcript says.
fn after(lines: &mut Lines, envelope: &Envelope, before: Before, past: bool) -> Vec<Effect> {
    let session = envelope.session;
    match &envelope.event {
        Event::SessionStarted { spec } if spec.parent.is_none() => {
            let mode = spec.mode.name();
            let folder = lines.state.records.short(&spec.workspace);
            says(lines, session, format!("session with {}, mode {mode}, in {folder}.", spec.model));
        }
        Event::CallStarted { call, category, decision, .. } => {
            let what = format!(
                "{} {}",
                said::effect(*category, &call.name),
                object(lines, session, call.id)
            );
            lines.teller.running.insert(call.id, (*category, what.clone()));
            let told = *category != Category::Read
                && call.name != "execute_code"
                && !call.name.starts_with("agents.")
                && !lines.teller.asked.contains(&call.id);
            if told {
                says(lines, session, format!("{}, {}.", what.trim_end(), words::by(&decision.by)));
            }
        }
        Event::ExecutionStarted { call, program, seal, .. } => {
            let code =
                lines.state.sessions.get(session).and_then(|node| node.transcript.code(*call));
            let seal = said::seal(*seal);
            let (name, sentence) = match code {
                Some(code) => {
                    let count = words::lines(code.script.count());
                    (code.filename.clone(), format!("run {}, {seal}, {count}.", code.filename))
                }
                None => (program.clone(), format!("run {program}, {seal}.")),
            };
            says(lines, session, sentence);
            if !past {
                lines.outputs.begin(*call, session, name);
            }
        }
        Event::OutputWritten { call, lines: total, .. } if !past => {
            return outputs::printed(lines, *call, *total);
        }
        Event::ExecutionFinished { call, status, ran_ms, .. } => {
            let sentence = ended(lines, session, *call, status, *ran_ms);
            let failed = !matches!(status, ExitStatus::Exited { code: 0 } | ExitStatus::Cancelled);
            return outputs::ends(lines, *call, sentence, failed);
        }
        Event::CallFinished { call, origin, result, decision, .. } => {
            let refused = decision.as_ref().filter(|decision| !decision.allowed);
            finished(lines, session, *call, *origin, result, refused.map(|refused| &refused.by));
        }
        Event::ApprovalRequested { question } if !past => {
            lines.teller.asked.insert(question.call.id);
            let asks = !matches!(lines.open, Open::Nothing | Open::Sent(_));
            if asks && lines.state.queue.get(question.id).is_some() {
                ask::waits_too(lines, question.id);
            }
        }
        Event::ApprovalRequested { question } => {
            lines.teller.asked.insert(question.call.id);
        }
        Event::ApprovalAnswered { answer, by, waited_ms, .. } => {
            if let Some(question) = before.question {
                answered(lines, &question, answer, by, *waited_ms);
            }
        }
        Event::ApprovalWithdrawn { reason, .. } => {
            if let Some(question) = before.question {
                let (who, effect) = (paper::who(&question), paper::effect(&question));
                lines.say(match reason == CHANGED {
                    true => {
                        format!("ASKED AGAIN, {who}: {effect}: its file was changed meanwhile.")
                    }
                    false => format!("WITHDRAWN, {who}: {effect}: {reason}."),
                });
            }
        }
        Event::PictureMade { picture, .. } => {
            says(lines, session, format!("a picture was made: {picture}."));
        }
        Event::TodoChanged { items, .. } => {
            let done = items.iter().filter(|item| item.state == todo::State::Done).count();
            let now = items.iter().find(|item| item.state == todo::State::Doing);
            let now = now.map_or_else(String::new, |item| format!(", now: {}", item.text));
            says(lines, session, format!("plan: {done} of {} done{now}.", items.len()));
        }
        Event::ExchangeFinished { outcome } | Event::SessionFinished { outcome } => {
            if let (Some(worked), Outcome::Done) = (before.worked, outcome) {
                let node = lines.state.sessions.get(session);
                let used = node.map(|node| used(&node.usage)).unwrap_or_default();
                let sentence = format!("done after {}{used}.", said::clock(worked));
                says(lines, session, sentence);
            }
        }
        Event::SessionStarted { .. }
        | Event::SessionResumed { .. }
        | Event::SessionForked { .. }
        | Event::SessionNamed { .. }
        | Event::ConversationRewound { .. }
        | Event::MessageSent { .. }
        | Event::TurnStarted { .. }
        | Event::AnswerDelayed(_)
        | Event::TextStreamed { .. }
        | Event::ThinkingStreamed { .. }
        | Event::TurnFinished { .. }
        | Event::CompactionStarted { .. }
        | Event::ContextCompacted { .. }
        | Event::CallJudged { .. }
        | Event::OutputWritten { .. }
        | Event::PutAside { .. }
        | Event::ChangeBegun { .. }
        | Event::ModeChanged { .. }
        | Event::RuleRevoked { .. }
        | Event::ChildStarted { .. }
        | Event::SignalSent { .. }
        | Event::SignalReceived { .. }
        | Event::SignalTaken { .. } => {}
    }
    Vec::new()
}
