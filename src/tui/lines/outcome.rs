//! What came of something: of a run, of a call, of a question.

use super::{
    Lines,
    ask::Open,
    paper,
    tell::{says, who},
    words,
};
use crate::{
    kernel::{
        capability::Category,
        event::{Decider, ExitStatus, Origin},
        gate::approval::Answer,
        id::{CallId, SessionId},
        invoke::ToolResult,
    },
    tui::{
        cell::{Body, Progress},
        state::{State, waiting::Waiting},
        words as said,
    },
};

/// What a call acts on, as its transcript has it.
pub(super) fn object(lines: &Lines, session: SessionId, call: CallId) -> String {
    let Some(node) = lines.state.sessions.get(session) else { return String::new() };
    let cell = node.transcript.cell_of(call).and_then(|at| node.transcript.cells.get(at));
    match cell.map(|cell| &cell.body) {
        Some(Body::Code(code)) if code.call == call => code.filename.clone(),
        Some(Body::Code(code)) => {
            code.effects.find(call).map(|nested| nested.called.object.clone()).unwrap_or_default()
        }
        Some(Body::Call(called)) => called.object.clone(),
        Some(
            Body::Said { .. }
            | Body::Text { .. }
            | Body::Thinking(_)
            | Body::Agent { .. }
            | Body::Notice { .. },
        )
        | None => String::new(),
    }
}

/// How a program ended, and what it used of its time.
pub(super) fn ended(
    lines: &Lines,
    session: SessionId,
    call: CallId,
    status: &ExitStatus,
    ran_ms: u64,
) -> String {
    let who = who(&lines.state, session);
    let code = lines.state.sessions.get(session).and_then(|node| node.transcript.code(call));
    let run = lines.state.output.run(call);
    let (name, limit, reads) = match (code, run) {
        (Some(code), _) => (code.filename.clone(), code.limit_ms, code.reads.count),
        (None, Some(run)) => (run.program.clone(), run.limit_ms, 0),
        (None, None) => ("a program".to_owned(), 0, 0),
    };
    let used = match limit {
        0 => said::took(ran_ms),
        limit => said::used(std::time::Duration::from_millis(ran_ms), limit),
    };
    let reads = if reads > 0 { format!(", {}", said::count(reads, "read")) } else { String::new() };
    let why = match status {
        ExitStatus::NotStarted { message } => format!(": {message}"),
        ExitStatus::Exited { .. }
        | ExitStatus::Signalled { .. }
        | ExitStatus::TimedOut
        | ExitStatus::OverLimit { .. }
        | ExitStatus::Cancelled => String::new(),
    };
    format!("{who}: {name} {}{why}, {used}{reads}.", said::exit(status))
}

/// A call that did not do what it was to; all else was told already.
pub(super) fn finished(
    lines: &mut Lines,
    session: SessionId,
    call: CallId,
    origin: Origin,
    result: &ToolResult,
    refused: Option<&Decider>,
) {
    let (begun, asked) = lines.teller.is_over(call);
    let answered = asked && matches!(refused, Some(Decider::Person));
    if result.ok || answered || lines.outputs.knows(call) {
        return;
    }
    let effect = begun.as_ref().is_some_and(|(category, _)| *category != Category::Read);
    if !effect && refused.is_none() && origin != Origin::Model {
        // The run's own output tells.
        return;
    }
    let what = match begun {
        Some((_, what)) => what,
        None => format!("{} {}", result.name, object(lines, session, call)),
    };
    let progress = Progress::of_result(result, effect);
    let why = progress.why().unwrap_or_default();
    says(lines, session, format!("{} {}: {why}", what.trim_end(), progress.mark().word()));
}

/// An answer, by whomever; and whether the clock of the script goes on.
pub(super) fn answered(
    lines: &mut Lines,
    asked: &Waiting,
    answer: &Answer,
    by: &Decider,
    waited_ms: u64,
) {
    let state = &lines.state;
    let question = &asked.question;
    let mut sentence =
        format!("{}, {}, after {}.", words::answered(answer), words::by(by), said::took(waited_ms));
    if *by != Decider::Person || !matches!(lines.open, Open::Sent(_)) {
        sentence = format!("{sentence} It was {}: {}.", paper::who(asked), paper::effect(asked));
    }
    match answer {
        Answer::Allow { .. } | Answer::AllowEdited { .. } => {
            if let Some(script) = question.script {
                sentence.push_str(&match state.queue.of(script) {
                    0 => format!(" Clock runs again{}.", clock(state, script)),
                    others => format!(" Clock still held: {others} more of it wait."),
                });
            }
        }
        Answer::Deny { because, .. } => {
            if let Some(because) = because {
                sentence.push_str(&format!(" The model reads: {because}"));
            }
            sentence.push_str(match words::answered(answer) {
                "NO" => " The model was told, and goes on.",
                _ => " The turn is stopped; agents below it go on.",
            });
        }
    }
    lines.say(sentence);
}

/// `: used 3.1 of 60 s`.
fn clock(state: &State, script: CallId) -> String {
    let limit = state.output.run(script).map(|run| run.limit_ms);
    match (state.output.used(script), limit) {
        (Some((spent, _)), Some(limit)) => format!(": {}", said::used(spent, limit)),
        (Some(_) | None, _) => String::new(),
    }
}
