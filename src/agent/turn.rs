//! One exchange: somebody says something, and the model answers and acts until it has no more to
//! do, is stopped, fails or meets a limit. What other agents say begins one as well, which has to do
//! with the requests that the last message left: agents that wake each other come to an end.

use std::{mem, time::Duration};

use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::{
    Live,
    compact::{self, Compacted},
    context,
    measure::largest,
    spend::{may_ask, priced},
};
use crate::kernel::{
    allowance::Reserved,
    event::{Event, Origin, Outcome, Stop},
    id::CallId,
    invoke::{CallRequest, Input},
    message::{ModelCall, Thought, Usage, Words},
    patience::within,
    picture::Enclosed,
    port::{Delta, KEPT_PICTURES_BYTES, Kept, Refused, StoreError},
    recorder::Recorder,
};

/// Text is recorded at most this often: as often as a screen draws it.
const PIECE: Duration = Duration::from_millis(33);
/// How long a call that is stopped may take to end by itself before it is cut off.
const GRACE: Duration = Duration::from_secs(5);

/// What was said for the next step of an exchange, while it went on; each time it is asked, what is new.
pub(super) type Steered<'a> = &'a (dyn Fn() -> Vec<Words> + Send + Sync);

/// Why an exchange begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// The person, or the agent above with its task, said this.
    Words(Words),
    /// Other agents sent signals, which are in the journal.
    Signals,
}

/// Runs one exchange to its end, which is recorded and returned. `cancel` is this exchange's own:
/// cancelling it stops the model and the calls, and a person's "no, stop" cancels it too. What is said
/// for its next step comes before its next request, and makes one more where there was to be none.
/// Dropping the future leaves the exchange open in the journal, as a crash would.
pub(super) async fn exchange(
    live: &Live,
    cause: Cause,
    steered: Steered<'_>,
    cancel: &CancellationToken,
) -> Outcome {
    let _work = live.allowance.work();
    let done = run(live, cause, steered, cancel).await;
    let outcome = done.unwrap_or_else(|error| Outcome::Failed {
        message: format!(
            "{error}\nNothing is done that cannot be recorded: {}, then send the message again.",
            if error.is_full() { "make room on that disk" } else { "mend that" },
        ),
    });
    let end = Event::ExchangeFinished { outcome: outcome.clone() };
    if let Err(error) = live.recorder.append(end) {
        tracing::error!(%error, "the end of an exchange was not recorded");
    }
    outcome
}

async fn run(
    live: &Live,
    cause: Cause,
    steered: Steered<'_>,
    cancel: &CancellationToken,
) -> Result<Outcome, StoreError> {
    match cause {
        Cause::Words(words) => {
            if let Some(unkept) = say(live, words).await? {
                return Ok(unkept);
            }
        }
        Cause::Signals => {}
    }
    let limit = live.session().spec.limits.turns;
    // Whether the conversation was made shorter, or that was tried, since the last whole answer.
    let mut compacted = false;
    // Whether the model had no more to do.
    let mut done = false;
    while live.session().turns_since() < limit {
        if cancel.is_cancelled() {
            return Ok(if done { Outcome::Done } else { Outcome::Stopped });
        }
        let mut unkept = None;
        for words in steered() {
            let failed = say(live, words).await?;
            unkept = unkept.or(failed);
            done = false;
        }
        if let Some(unkept) = unkept {
            return Ok(unkept);
        }
        if done {
            return Ok(Outcome::Done);
        }
        if !compacted && compact::is_near(live) {
            match compact::compact(live, cancel).await? {
                // Where no summary came, the model may take it all the same.
                Compacted::Shorter | Compacted::Failed(_) => compacted = true,
                Compacted::Nothing => {}
                Compacted::Ends(outcome) => return Ok(outcome),
            }
        }
        let reserved = match may_ask(live, cancel).await {
            Ok(reserved) => reserved,
            Err(outcome) => return Ok(outcome),
        };
        let answer = ask(live, reserved, cancel).await?;
        match answer.stop {
            Stop::Calls => compacted = false,
            Stop::End => {
                done = true;
                continue;
            }
            Stop::Interrupted => return Ok(Outcome::Stopped),
            Stop::Failed { .. } if answer.refused == Refused::TooLong && !compacted => {
                compacted = true;
                match compact::compact(live, cancel).await? {
                    Compacted::Shorter => continue,
                    Compacted::Ends(outcome) => return Ok(outcome),
                    Compacted::Nothing => {
                        return Ok(too_long(live, "there is nothing older to sum up"));
                    }
                    Compacted::Failed(fault) => {
                        return Ok(too_long(live, &format!("no summary of it came: {fault}")));
                    }
                }
            }
            Stop::Failed { .. } if answer.refused == Refused::TooLong => {
                let why = "that was so with a summary for what is older as well";
                return Ok(too_long(live, why));
            }
            Stop::Failed { message } => return Ok(Outcome::Failed { message }),
            Stop::Length => {
                let message = "The answer was cut off at the model's limit of length; nothing \
                               of its end was run.\nAsk it to go on, in smaller steps.";
                return Ok(Outcome::Limit { message: message.to_owned() });
            }
        }
        call(live, answer.calls, cancel).await?;
    }
    if done {
        return Ok(Outcome::Done);
    }
    if cancel.is_cancelled() {
        return Ok(Outcome::Stopped);
    }
    let message = format!(
        "The limit of {limit} model requests for one message was reached.\n\
         Send another message to go on."
    );
    Ok(Outcome::Limit { message })
}

/// Keeps the pictures that somebody shows, and records what they say. Where one cannot be kept, the rest
/// is recorded all the same, and nobody is asked about it: words that speak of it would make no sense.
async fn say(live: &Live, words: Words) -> Result<Option<Outcome>, StoreError> {
    if words.pictures.is_empty() {
        live.recorder.append(Event::said(words.text))?;
        return Ok(None);
    }
    let (kept, enclosed) = (live.gallery.kept(), words.pictures);
    let keep = move || {
        let keep = |one: Enclosed| Ok((kept.keep(&one.bytes)?, one.picture));
        enclosed.into_iter().map(keep).collect::<Result<Vec<_>, StoreError>>()
    };
    // Only a panic or the end of the program loses the task.
    let kept = tokio::task::spawn_blocking(keep).await.unwrap_or(Ok(Vec::new()))?;
    let (there, not): (Vec<_>, Vec<_>) = kept.into_iter().partition(|it| it.0 == Kept::Whole);
    let pictures = there.into_iter().map(|(_, picture)| picture).collect();
    live.recorder.append(Event::MessageSent { text: words.text, pictures })?;
    Ok(not.first().map(|(why, picture)| {
        let why = match why {
            Kept::Full => {
                format!("this session keeps {} MB of pictures already", KEPT_PICTURES_BYTES >> 20)
            }
            Kept::Whole | Kept::TooLarge => "it is too large".to_owned(),
            Kept::Nowhere => "nothing keeps pictures here".to_owned(),
        };
        let message = format!("{picture} was not kept: {why}.\nSay it again without it.");
        Outcome::Limit { message }
    }))
}

fn too_long(live: &Live, why: &str) -> Outcome {
    let why = why.trim_end_matches('.');
    let largest = largest(&live.session());
    let largest = largest.map(|it| format!(" The largest part: {it}.")).unwrap_or_default();
    let message = format!(
        "The conversation is longer than the model takes, and {why}.{largest}\n\
         Send less at once, or begin a new session; the journal keeps this one."
    );
    Outcome::Limit { message }
}

/// An answer that is recorded. There are calls exactly when it stopped for them.
struct Answer {
    stop: Stop,
    calls: Vec<ModelCall>,
    /// Why there is none, if it failed.
    refused: Refused,
}

/// Asks the model once and records what it says.
async fn ask(
    live: &Live,
    reserved: Reserved,
    cancel: &CancellationToken,
) -> Result<Answer, StoreError> {
    let started = {
        let session = live.session();
        let model = session.spec.speaker();
        Event::TurnStarted { turn: session.turns.saturating_add(1), model }
    };
    live.recorder.append(started)?;
    // Of what is before that event, and of nothing that may have come since.
    let request = context::request(live, &live.session());
    let request = live.gallery.hang(request, live.model.sees()).await;
    let mut deltas = live.model.respond(request);
    let mut text = Streamed::new(&live.recorder);
    let mut calls = Vec::new();
    let mut thoughts: Vec<Thought> = Vec::new();
    let mut refused = Refused::Otherwise;
    let (stop, usage) = loop {
        tokio::select! {
            biased;
            // The rest of the answer is lost, which is what was asked for.
            () = cancel.cancelled() => break (Stop::Interrupted, Usage::default()),
            // Loses nothing: the text is still there.
            () = text.due() => text.flush()?,
            // Loses nothing: `recv` takes a delta or leaves it.
            delta = deltas.recv() => match delta {
                Some(Ok(Delta::Delayed(delay))) => {
                    live.recorder.append(Event::AnswerDelayed(delay))?;
                }
                Some(Ok(Delta::Text(piece))) => text.push(Voice::Says, &piece)?,
                Some(Ok(Delta::Thinking(piece))) => text.push(Voice::Thinks, &piece)?,
                Some(Ok(Delta::Thought(thought))) => thoughts.push(thought),
                Some(Ok(Delta::Call { provider_id, name, arguments })) => {
                    calls.push(ModelCall { id: CallId::fresh(), provider_id, name, arguments });
                }
                Some(Ok(Delta::Finished { stop, usage })) => break (stop, usage),
                Some(Err(error)) => {
                    refused = error.refused;
                    break (Stop::Failed { message: error.message }, Usage::default());
                }
                None => {
                    let message = "The answer was cut off before its end; nothing of it was run.\n\
                                   Send the message again.";
                    break (Stop::Failed { message: message.to_owned() }, Usage::default());
                }
            },
        }
    };
    drop(deltas);
    let usage = priced(live, usage);
    reserved.spend(usage);
    text.flush()?;
    let stop = match stop {
        Stop::End | Stop::Calls if calls.is_empty() => Stop::End,
        Stop::End | Stop::Calls => Stop::Calls,
        cut @ (Stop::Length | Stop::Interrupted | Stop::Failed { .. }) => {
            calls.clear();
            thoughts.clear();
            cut
        }
    };
    let finished =
        Event::TurnFinished { stop: stop.clone(), usage, calls: calls.clone(), thoughts };
    live.recorder.append(finished)?;
    live.recorder.sync().await?;
    Ok(Answer { stop, calls, refused })
}

/// Makes the calls in order. Each has exactly one result in the journal when this returns.
async fn call(
    live: &Live,
    calls: Vec<ModelCall>,
    cancel: &CancellationToken,
) -> Result<(), StoreError> {
    let tools = live.tools.until(cancel.clone());
    let mut calls = calls.into_iter();
    while !cancel.is_cancelled() {
        let Some(call) = calls.next() else { return Ok(()) };
        let request = CallRequest {
            id: call.id,
            name: call.name,
            input: Input::Text(call.arguments),
            origin: Origin::Model,
        };
        tokio::select! {
            biased;
            _ = tools.invoke(request) => {}
            // The call is cut off, and records that itself.
            () = patience_ends(cancel) => {}
        }
    }
    let unmade: Vec<CallId> = calls.map(|call| call.id).collect();
    let interruptions = live.session().interruptions();
    for event in interruptions {
        if matches!(&event, Event::CallFinished { call, .. } if unmade.contains(call)) {
            live.recorder.append(event)?;
        }
    }
    Ok(())
}

async fn patience_ends(cancel: &CancellationToken) {
    cancel.cancelled().await;
    // A real timer: a handler that does not listen would keep the session for ever.
    let _ = within(GRACE, std::future::pending::<()>()).await;
}

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Voice {
    Thinks,
    Says,
}

/// Text on its way to the journal: many small pieces are one event, of one voice.
struct Streamed<'a> {
    recorder: &'a Recorder,
    voice: Voice,
    text: String,
    /// When the next piece may be recorded.
    next: Instant,
}

impl<'a> Streamed<'a> {
    fn new(recorder: &'a Recorder) -> Self {
        Self { recorder, voice: Voice::Says, text: String::new(), next: Instant::now() }
    }

    fn push(&mut self, voice: Voice, piece: &str) -> Result<(), StoreError> {
        if voice != self.voice {
            self.flush()?;
            // What comes now is another thing, and is seen at once.
            self.next = Instant::now();
        }
        self.voice = voice;
        self.text.push_str(piece);
        if Instant::now() >= self.next { self.flush() } else { Ok(()) }
    }

    /// Waits until there is text that may be recorded.
    async fn due(&self) {
        if self.text.is_empty() {
            std::future::pending::<()>().await;
        }
        // A real timer: it is the pace of the screen.
        sleep_until(self.next).await;
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        if self.text.is_empty() {
            return Ok(());
        }
        self.next = Instant::now() + PIECE;
        let text = mem::take(&mut self.text);
        let event = match self.voice {
            Voice::Says => Event::TextStreamed { text },
            Voice::Thinks => Event::ThinkingStreamed { text },
        };
        self.recorder.append(event).map(drop)
    }
}

#[cfg(test)]
mod tests;
