//! One program beside the calls: it is begun, looked after until its end, and that is told once.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::{
    kernel::{
        context::Context,
        error::CallError,
        event::{Event, ExitStatus},
        id::CallId,
        invoke::interrupted,
        port::{Pty, Spool},
        programs::{Beginning, Beside, Programs},
        schema,
        signal::{ProgramEnded, Signal},
        text,
    },
    modules::{
        refusal,
        run::{self, Run, Tie, exceeded},
    },
};

/// As much of the end of an output as is told of a program that is over.
const LAST_BYTES: usize = 8 << 10;
const LAST_LINES: usize = 10;
const LINE_CHARS: usize = 300;
/// The longest name of a program, in characters.
const NAME_CHARS: usize = 80;

/// What keeps the programs of a session, if it may have any.
pub(in crate::modules) fn programs(cx: &Context) -> Result<&Programs, CallError> {
    cx.running.programs.as_ref().ok_or_else(|| {
        CallError::failed("No program can go on beside this session. Use process.run.")
    })
}

/// The program of that name.
pub(in crate::modules) fn find(
    cx: &Context,
    place: &str,
    id: &str,
) -> Result<Arc<Beside>, CallError> {
    let programs = programs(cx)?;
    let known = id.parse::<CallId>().ok().and_then(|call| programs.find(call));
    known.ok_or_else(|| {
        let all: Vec<_> = programs.all().iter().map(|beside| beside.is.call.to_string()).collect();
        let there = if all.is_empty() { "there is none".to_owned() } else { all.join(", ") };
        let fault =
            format!("this session knows no program {}; it knows: {there}", text::quoted(id));
        schema::invalid(place, &fault).with("available", all)
    })
}

/// A program in a few words, on one line and without a character that does not show.
pub(in crate::modules) fn named(argv: &[String]) -> String {
    let words = argv.iter().flat_map(|word| word.split_whitespace()).collect::<Vec<_>>();
    let name = text::shown(&words.join(" ")).into_owned();
    match name.char_indices().nth(NAME_CHARS) {
        Some((cut, _)) => format!("{}…", &name[..cut]),
        None => name,
    }
}

/// How it stands with a program.
pub(in crate::modules) fn state(ended: Option<&ProgramEnded>) -> Value {
    let Some(ended) = ended else {
        return json!({ "running": true, "returncode": null, "note": null });
    };
    let (returncode, how) = match &ended.status {
        Some(ExitStatus::Exited { code }) => (Some(*code), None),
        Some(ExitStatus::Signalled { signal }) => (Some(-*signal), None),
        Some(ExitStatus::OverLimit { limit }) => (None, Some(format!("It {}", exceeded(*limit)))),
        Some(ExitStatus::TimedOut | ExitStatus::Cancelled | ExitStatus::NotStarted { .. })
        | None => (None, Some(format!("It {}", ended.how()))),
    };
    let notes: Vec<_> = how.into_iter().chain(ended.notes.iter().cloned()).collect();
    let note = (!notes.is_empty()).then(|| notes.join(". "));
    json!({ "running": false, "returncode": returncode, "note": note })
}

/// Takes note of an end in the name of a call: the session's model is not told of it any more.
pub(in crate::modules) fn take(cx: &Context, call: CallId, beside: &Beside) {
    if beside.take() {
        let taken = Event::SignalTaken { signal: beside.is.call.as_signal(), call };
        if let Err(error) = cx.recorder.append(taken) {
            // Told twice is better than not at all.
            tracing::warn!(%error, "that an end was taken was not recorded");
        }
    }
}

/// Has a run go on beside the calls. Comes back when it has begun; the error says why it did not.
pub(in crate::modules) async fn go_on(
    cx: &Context,
    beginning: Beginning,
    run: Run,
    (spool, pty): (Arc<dyn Spool>, Option<Pty>),
) -> Result<Arc<Beside>, CallError> {
    let programs = programs(cx)?;
    let (tell, told) = oneshot::channel();
    let tell = Mutex::new(Some(tell));
    let has_begun = Arc::new(AtomicBool::new(false));
    let begun = has_begun.clone();
    let run = Run {
        tie: Tie::Session(
            pty,
            Box::new(move || {
                begun.store(true, Ordering::Release);
                let tell = tell.lock().unwrap_or_else(PoisonError::into_inner).take();
                // Who waits for it may be gone.
                let _ = tell.map(|tell| tell.send(()));
            }),
        ),
        ..run
    };
    let call = run.call;
    let beside = programs.begin(beginning, |stop| {
        let cx = Context { cancel: stop, ..cx.clone() };
        Work { cx, programs: programs.clone(), has_begun }.see_through(run, spool)
    })?;
    tokio::select! {
        biased;
        () = cx.cancel.cancelled() => {
            beside.stop();
            beside.over().await;
            Err(interrupted(true))
        }
        told = told => match told {
            Ok(()) => Ok(beside),
            // Given up with the run, which never was.
            Err(_) => {
                let ended = beside.over().await;
                programs.forget(call);
                Err(CallError::failed(match ended.status {
                    Some(ExitStatus::NotStarted { message }) => message,
                    Some(_) | None => format!("{} {}.", ended.program, ended.how()),
                }))
            }
        }
    }
}

/// What looks after one program.
struct Work {
    cx: Context,
    programs: Programs,
    has_begun: Arc<AtomicBool>,
}

impl Work {
    async fn see_through(self, run: Run, spool: Arc<dyn Spool>) -> ProgramEnded {
        let (call, program, bounds) = (run.call, run.title.clone(), run.bounds.clone());
        let finished = run::run_into(&self.cx, run, spool.clone()).await;
        let (status, notes) = match finished {
            Ok(finished) => {
                let refused = refusal::of(&finished.ended.stderr, &bounds);
                let form = self.cx.executor.as_ref().map(|it| it.form()).unwrap_or_default();
                let advice = refused.map(|it| refusal::advice(&it, bounds.level, form));
                let notes = finished.rest().into_iter().chain(finished.aside()).chain(advice);
                (finished.ended.status.clone(), notes.collect())
            }
            Err(error) => (ExitStatus::NotStarted { message: error.message }, Vec::new()),
        };
        let last = last(&*spool);
        let ended = ProgramEnded { call, program, status: Some(status), last, notes };
        self.tell(&ended);
        ended
    }

    /// Tells the session's model, unless the session is ending: who carries it on is told then.
    fn tell(&self, ended: &ProgramEnded) {
        if self.programs.is_ending() || !self.has_begun.load(Ordering::Acquire) {
            return;
        }
        let spec = &self.cx.spec;
        let event = Event::SignalReceived {
            signal: ended.signal(),
            from: spec.id,
            agent: spec.path.clone(),
            what: Signal::Program { ended: ended.clone() },
        };
        if let Err(error) = self.cx.recorder.append(event) {
            tracing::error!(%error, "the end of a program was not recorded");
        }
    }
}

/// The last lines of an output, clean. Blocks for the time of a small read.
fn last(spool: &dyn Spool) -> String {
    let piece = spool
        .since(u64::MAX, 0)
        .and_then(|end| spool.since(end.total.saturating_sub(LAST_BYTES as u64), LAST_BYTES));
    // An output that cannot be read is told of by the spool.
    let clean = text::clean(&piece.unwrap_or_default().bytes);
    let lines: Vec<&str> = clean.lines().collect();
    let lines = lines[lines.len().saturating_sub(LAST_LINES)..].iter();
    let cut = |line: &&str| match line.char_indices().nth(LINE_CHARS) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => (*line).to_owned(),
    };
    lines.map(cut).collect::<Vec<_>>().join("\n")
}
