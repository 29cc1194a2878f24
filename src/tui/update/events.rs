//! What the events of sessions do to the screen.

mod said;
mod turn;

use std::sync::Arc;

use self::said::toast;
use super::{edit, several, signals, tree};
use crate::{
    kernel::{
        event::{Call, Decider, Envelope, Event, ExitStatus, Origin, Outcome},
        gate::approval::{Answer, CHANGED, Question},
        id::ApprovalId,
        port::Aside,
    },
    tui::{
        cell::{Body, Progress},
        effect::Effect,
        state::{
            State,
            output::Run,
            sessions::{Doing, Node, Said},
            several::Settled,
            waiting::About,
        },
        theme::Mark,
        words,
    },
};

pub(super) fn apply(state: &mut State, envelope: &Arc<Envelope>) -> Vec<Effect> {
    let (session, at) = (envelope.session, envelope.at);
    if let Event::SessionStarted { spec } = &envelope.event {
        state.sessions.add(spec);
        if spec.parent.is_none() {
            tree::sift(state);
        }
        return Vec::new();
    }
    if let Event::ApprovalRequested { question } = &envelope.event {
        return asked(state, question, at);
    }
    if let Event::ApprovalAnswered { approval, answer, by, .. } = &envelope.event {
        answered(state, *approval, answer, by, at);
        return Vec::new();
    }
    if let Event::ApprovalWithdrawn { approval, reason, .. } = &envelope.event {
        withdrawn(state, *approval, reason, at);
        return Vec::new();
    }
    if let Event::SessionResumed { .. } | Event::SessionForked { .. } = &envelope.event {
        for id in state.queue.of_session(session) {
            super::question::gone(state, id);
        }
    }
    if let Event::MessageSent { text, .. } = &envelope.event {
        state.composer.said(session, text);
        let root = state.sessions.get(session).is_some_and(|node| node.spec.parent.is_none());
        if root && !is_news(state, at) {
            state.composer.heard(text);
        }
    }
    signals::apply(state, envelope);
    of_run(state, envelope);
    if let Some(node) = state.sessions.get_mut(session) {
        of_session(node, envelope);
    }
    if let Event::ChildStarted { call, child, .. } = &envelope.event
        && let Some(node) = state.sessions.get_mut(*child)
    {
        node.started_by = Some(*call);
    }
    Vec::new()
}

/// What concerns programs and their output, whoever runs them.
fn of_run(state: &mut State, envelope: &Envelope) {
    let session = envelope.session;
    if let Event::ExecutionStarted { call, program, limit_ms, .. } = &envelope.event {
        state.output.begin(Run::new(*call, session, program, *limit_ms, envelope.at));
    }
    if let Event::OutputWritten { call, lines, .. } = &envelope.event
        && let Some(run) = state.output.run_mut(*call)
    {
        run.lines = *lines;
        run.told();
    }
    if let Event::ExecutionFinished { call, status, ran_ms, .. } = &envelope.event
        && let Some(run) = state.output.run_mut(*call)
    {
        run.ended = Some((words::exit(status), *ran_ms));
        run.told();
    }
    if let Event::CallFinished { call, .. } = &envelope.event
        && let Some(run) = state.output.run_mut(*call)
    {
        run.beside = run.ended.is_none();
    }
}

fn of_session(node: &mut Node, envelope: &Envelope) {
    let at = envelope.at;
    turn::apply(node, envelope);
    let log = &mut node.transcript;
    match &envelope.event {
        Event::SessionResumed { notice } => {
            log.interrupted();
            node.by_hand.clear();
            // It ended when it was last heard of, not when it was carried on.
            let at = node.doing.heard().unwrap_or(at);
            let text = match notice {
                Some(notice) => format!("Carried on. {notice}"),
                None => "Carried on from where it was left.".to_owned(),
            };
            log.notice(Mark::Note, text);
            turn::rest(node, Outcome::Stopped, at);
        }
        Event::SessionForked { from, source } => {
            log.notice(Mark::Note, words::forked(*from, *source));
            turn::rest(node, Outcome::Stopped, at);
        }
        Event::SessionNamed { name } => {
            node.title = Some(name.clone());
            log.notice(Mark::Note, format!("Named {}.", name));
        }
        Event::ConversationRewound { to } => {
            node.said.retain(|said| said.seq < *to);
            log.notice(Mark::Note, words::WENT_BACK);
        }
        Event::MessageSent { text, pictures } => {
            let said = Said { seq: envelope.seq, text: text.clone(), pictures: pictures.clone() };
            node.said.push(said);
            log.said(text);
            log.shown(pictures);
            if node.title.is_none() {
                node.title = Some(words::first_line(text).chars().take(80).collect());
            }
            node.doing = Doing::begun(at);
            node.at = "answering".to_owned();
        }
        Event::CallJudged { usage, .. } => node.usage += *usage,
        Event::CallStarted { call, category, .. } => {
            if call.origin == Origin::Person && call.parent.is_none() {
                node.by_hand.insert(call.id);
            }
            log.started(call, *category, at);
            log.fold_finished();
            node.at = words::at(*category, call);
        }
        Event::ExecutionStarted { call, program, seal, form: _, limit_ms } => {
            node.at = program.clone();
            if let Some(code) = log.code_of(*call)
                && code.call == *call
            {
                (code.seal, code.limit_ms) = (Some(*seal), *limit_ms);
            }
        }
        Event::ExecutionFinished { call, status, ran_ms, .. } => {
            if let Some(code) = log.code_of(*call)
                && code.call == *call
            {
                code.ran_ms = *ran_ms;
                code.over = words::limit(status, code.limit_ms);
                code.stopped = *status == ExitStatus::Cancelled;
            }
        }
        Event::PutAside { things, .. } => {
            for Aside { was, now } in things {
                let was = was.display();
                let text = match now {
                    Some(now) => format!(
                        "Put aside: a run made {was}, which other programs obey, without asking. It is \
                         in {} now.",
                        now.display()
                    ),
                    None => format!(
                        "A run made {was}, which other programs obey, without asking, and it could not \
                         be moved away. Look at it."
                    ),
                };
                log.notice(Mark::Warning, text);
            }
        }
        Event::CallFinished { call, parent, origin, result, decision } => {
            let (name, input) = (result.name.clone(), result.input.clone());
            let call = Call { id: *call, name, input, origin: *origin, parent: *parent };
            node.by_hand.remove(&call.id);
            let refused = decision.as_ref().filter(|decision| !decision.allowed);
            log.finished(&call, refused.and_then(|decision| decision.category), result);
            log.made(call.id, &result.attachments);
            if let Some(code) = parent.and_then(|script| log.code_of(script)) {
                node.at = code.filename.clone();
            }
        }
        Event::ModeChanged { from, to } => {
            node.mode = *to;
            log.notice(Mark::Note, format!("Mode: {}, was {}.", to.name(), from.name()));
        }
        Event::RuleRevoked { rule } => {
            log.notice(Mark::Note, format!("Taken back: {}. The next one asks again.", rule.says));
        }
        Event::ChildStarted { child, agent, task, .. } => {
            log.agent(Body::Agent { name: agent.clone(), session: *child, task: task.clone(), at })
        }
        Event::TodoChanged { items, .. } => node.plan = items.clone(),
        Event::ChangeBegun { call, change } => log.changes(*call, change),
        Event::PictureMade { call, picture } => {
            log.made(*call, std::slice::from_ref(picture));
        }
        Event::SessionStarted { .. }
        | Event::TurnStarted { .. }
        | Event::AnswerDelayed(_)
        | Event::TextStreamed { .. }
        | Event::ThinkingStreamed { .. }
        | Event::TurnFinished { .. }
        | Event::CompactionStarted { .. }
        | Event::ContextCompacted { .. }
        | Event::ExchangeFinished { .. }
        | Event::SessionFinished { .. }
        | Event::ApprovalRequested { .. }
        | Event::ApprovalAnswered { .. }
        | Event::ApprovalWithdrawn { .. }
        | Event::SignalSent { .. }
        | Event::SignalReceived { .. }
        | Event::SignalTaken { .. }
        | Event::OutputWritten { .. } => {}
    }
}

/// A question came up. What a session asks that runs elsewhere is answered there.
pub(super) fn asked(state: &mut State, question: &Question, at: jiff::Timestamp) -> Vec<Effect> {
    let session = question.session;
    if tree::asked_there(state, question, at) {
        return Vec::new();
    }
    let mut script = None;
    let mut effects = vec![Effect::Prepare(Box::new(question.clone()))];
    if let Some(node) = state.sessions.get_mut(session) {
        node.transcript.asked(question);
        let asker = question.script.or(question.call.parent);
        // The question shows its script, wherever that is.
        let bare = node.transcript.bare(asker.unwrap_or(question.call.id));
        effects.extend(bare.map(|(call, code)| Effect::Colour(session, call, code)));
        script = asker.and_then(|call| node.transcript.code(call)).map(|code| {
            let line = match question.call.origin {
                Origin::Python { line } => line,
                Origin::Model | Origin::Person => None,
            };
            let at = line.and_then(|line| usize::try_from(line).ok()?.checked_sub(1));
            let source =
                at.and_then(|at| code.script.lines().nth(at)).map(|line| line.trim().to_owned());
            (code.filename.clone(), source)
        });
    }
    state.queue.ask(About::Call, question.clone(), at);
    if state.queue.returns.take_if(|call| *call == question.call.id).is_some() {
        state.queue.choose(question.id);
    }
    edit::again(state, question);
    if let (Some((file, source)), Some(waiting)) = (script, state.queue.get_mut(question.id)) {
        waiting.script = Some(file);
        waiting.source = source;
    }
    if state.status.away.nobody(state.now.at) && is_news(state, at) {
        let who = state.way(question.session, &question.path, 60);
        effects.push(Effect::Notify(format!("{who} asks: {}", question.preview.object)));
    }
    effects
}

fn answered(state: &mut State, id: ApprovalId, answer: &Answer, by: &Decider, at: jiff::Timestamp) {
    let waiting = super::question::gone(state, id);
    let Some(question) = waiting.as_ref().map(|waiting| waiting.question.clone()).or_else(|| {
        let asks = &mut state.sessions.tree.watched.as_mut()?.asks;
        let at = asks.iter().position(|(question, _)| question.id == id)?;
        Some(asks.remove(at).0)
    }) else {
        return;
    };
    let progress = match answer {
        Answer::Allow { .. } | Answer::AllowEdited { .. } => {
            Progress::Running { since: state.now.wall }
        }
        Answer::Deny { because: Some(words), .. } => Progress::Denied(format!("no: {words}")),
        Answer::Deny { because: None, .. } => Progress::Denied("denied by you".to_owned()),
    };
    if let Some(node) = state.sessions.get_mut(question.session) {
        node.transcript.settled(question.call.id, progress);
        if let Answer::AllowEdited { input } = answer {
            node.transcript.edited(question.call.id, input);
        }
    }
    let together = several::settled(state, id, Settled::Done);
    if together || !is_news(state, at) {
        return;
    }
    let Some(waiting) = waiting else { return };
    if let Some(text) = toast(state, &waiting, answer, by) {
        state.status.say(text, state.now.at);
    }
}

/// Whether it happened just now, and not in a journal that is being read back.
pub(super) fn is_news(state: &State, at: jiff::Timestamp) -> bool {
    words::seconds(at, state.now.wall) < 4
}

fn withdrawn(state: &mut State, id: ApprovalId, reason: &str, at: jiff::Timestamp) {
    if reason == CHANGED {
        edit::changed(state, id);
        let looked_at = state.queue.current().filter(|waiting| waiting.question.id == id);
        if let Some(call) = looked_at.map(|waiting| waiting.question.call.id) {
            state.queue.returns = Some(call);
        }
        if let Some(waiting) = super::question::gone(state, id)
            && !several::settled(state, id, Settled::Late)
            && is_news(state, at)
        {
            let text = format!("Asked again: {} was changed meanwhile.", waiting.object());
            state.status.say(text, state.now.at);
        }
        return;
    }
    let Some(waiting) = super::question::gone(state, id) else {
        let watched = state.sessions.tree.watched.as_mut();
        watched.into_iter().for_each(|watched| watched.asks.retain(|(one, _)| one.id != id));
        return;
    };
    if edit::refused(state, id, reason) || several::settled(state, id, Settled::Late) {
        return;
    }
    let question = &waiting.question;
    let why = format!("withdrawn: {reason}");
    if let Some(node) = state.sessions.get_mut(question.session) {
        node.transcript.settled(question.call.id, Progress::Withdrawn(why));
    }
    let who = question.path.last().map_or("it", String::as_str);
    if is_news(state, at) {
        state.status.say(format!("Withdrawn: {who}, {reason}."), state.now.at);
    }
}
