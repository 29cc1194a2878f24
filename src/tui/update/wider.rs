//! A yes for more than once: its rule is offered, edited, read as it is typed, and saved as it stands.

use crate::{
    kernel::{
        command::Command,
        gate::{
            approval::{Answer, NotAnswered, Question, Scope},
            subject,
        },
        id::ApprovalId,
    },
    tui::{
        clean,
        effect::Effect,
        state::{State, records::wider::Wider, waiting::Form},
    },
};

/// Opens the form with the narrowest rule.
pub(in crate::tui) fn open(state: &mut State, id: ApprovalId) {
    let Some(waiting) = state.queue.get(id) else { return };
    let question = waiting.question.clone();
    let base = base(state, &question);
    state.queue.form = Some(Form::Wider(Box::new(Wider::new(&question, &base))));
    state.records.stale = true;
}

/// The workspace of the root session, as text.
fn base(state: &State, question: &Question) -> String {
    let root = state.sessions.get(state.records.root(question.session));
    root.map(|node| subject::text(&node.spec.workspace)).unwrap_or_default()
}

fn form(state: &mut State) -> Option<&mut Wider> {
    match &mut state.queue.form {
        Some(Form::Wider(wider)) => Some(wider),
        Some(Form::Because(..) | Form::Search(_) | Form::Edit(_)) | None => None,
    }
}

/// For the session becomes for always, and back.
pub(in crate::tui) fn switch(state: &mut State) {
    let Some(id) = form(state).map(|wider| wider.question) else { return };
    let Some(waiting) = state.queue.get(id) else { return };
    let question = waiting.question.clone();
    let base = base(state, &question);
    if let Some(wider) = form(state) {
        wider.switch(&question, &base);
    }
}

/// Says yes with the rule as it stands. The form stays until the answer is there.
pub(in crate::tui) fn save(state: &mut State) -> Vec<Effect> {
    let now = state.now.at;
    let Some(wider) = form(state) else { return Vec::new() };
    let text = wider.draft.text();
    let fault = match &wider.says {
        Some(Err(fault)) => Some(format!("Not saved: {}.", fault.fault)),
        // Whoever reads it must read what is saved.
        Some(Ok(_)) if !clean::deceits(&text).is_empty() => {
            Some("Not saved: the rule has hidden text.".to_owned())
        }
        Some(Ok(_)) => None,
        None => return Vec::new(),
    };
    if let Some(fault) = fault {
        state.status.say(fault, now);
        return Vec::new();
    }
    if std::mem::replace(&mut wider.sent, true) {
        return Vec::new();
    }
    let (approval, scope) = (wider.question, wider.scope());
    vec![Effect::Send(Command::Answer { approval, answer: Answer::Allow { scope } })]
}

/// It was refused: it is still open, and says why.
pub(super) fn refused(state: &mut State, why: &str) {
    if let Some(wider) = form(state).filter(|wider| wider.sent) {
        wider.sent = false;
        wider.others = Some(Err(why.to_owned()));
    }
}

/// What the host says that a yes of that reach would come to.
pub(super) fn considered(
    state: &mut State,
    id: ApprovalId,
    scope: &Scope,
    came: Result<usize, NotAnswered>,
) {
    if let Some(wider) = form(state).filter(|wider| wider.question == id)
        && wider.scope() == *scope
    {
        wider.others = Some(came.map_err(|error| error.to_string()));
    }
}

/// Reads the rule again where its text was changed, and looks at the calls again where there are more.
pub(super) fn follow(state: &mut State) -> Vec<Effect> {
    let Some(id) = form(state).map(|wider| wider.question) else { return Vec::new() };
    let Some(waiting) = state.queue.get(id) else { return Vec::new() };
    let session = waiting.question.session;
    let today = state.records.day(state.now.wall);
    let home = state.records.home.clone();
    let mut past = None;
    if state.records.stale && state.popup.is_none() {
        state.records.stale = false;
        let root = state.records.root(session);
        let mut calls = state.records.past(root);
        calls.retain(|call| call.approval != Some(id));
        past = Some(calls);
    }
    let Some(wider) = form(state) else { return Vec::new() };
    let others_may_wait = past.is_some();
    if let Some(past) = past {
        wider.past = past;
        wider.compare(today);
    }
    let changed = wider.follow(home.as_deref(), today);
    if (changed || others_may_wait) && matches!(wider.says, Some(Ok(_))) {
        vec![Effect::Consider(id, wider.scope())]
    } else {
        Vec::new()
    }
}
