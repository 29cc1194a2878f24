//! The one road: look up, validate, gate, record, run, record. Whoever calls, from wherever, comes
//! this way; nothing else reaches a handler.

use serde::{Deserialize, Serialize};
use serde_json::{Value, error::Category};
use tokio::time::Instant;

use super::{
    capability::{Capability, Content},
    context::Context,
    error::{CallError, ErrorCode},
    event::{Call, Decider, Decision, Event, Origin},
    gate::{Done, Passage, millis, unrecorded},
    id::{CallId, SessionId},
    json::Unambiguous,
    picture::Picture,
    recorder::Recorder,
    registry::Tools,
    schema, text,
    workflow::Next,
};

/// A call that somebody wants.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRequest {
    /// Our name for it.
    pub id: CallId,
    /// The capability.
    pub name: String,
    /// The arguments.
    pub input: Input,
    /// Who calls.
    pub origin: Origin,
}

/// Arguments before they are checked.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// Text that should be one JSON object, no key of it twice; parsed once, here. Empty text is an
    /// empty object.
    Text(String),
    /// A value that was parsed already.
    Value(Value),
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// Whether it did what was asked.
    pub ok: bool,
    /// The capability.
    pub name: String,
    /// The arguments that ran (or would have). In a journal, null where they are long and stand with the
    /// beginning of the call.
    pub input: Value,
    /// The value, or the payload of the error.
    pub content: Value,
    /// The opposite of `ok`, under the name that model APIs use.
    pub is_error: bool,
    /// Pictures, which are kept with the session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Picture>,
    /// From the call to its result, waits included.
    pub duration_ms: u64,
}

impl ToolResult {
    /// The stable error code, if it failed.
    pub fn error_code(&self) -> Option<ErrorCode> {
        if self.ok {
            return None;
        }
        serde_json::from_value(self.content.get("error")?.clone()).ok()
    }

    /// The content as text for a model or a person.
    pub fn text(&self) -> String {
        match &self.content {
            Value::String(text) => text.clone(),
            other @ (Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_)) => other.to_string(),
        }
    }

    /// How long its text is, in bytes.
    pub fn text_len(&self) -> usize {
        match &self.content {
            Value::String(text) => text.len(),
            other @ (Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_)) => other.to_string().len(),
        }
    }
}

pub(super) async fn invoke(tools: &Tools, request: CallRequest) -> ToolResult {
    let cx = &tools.context;
    let mut open = OpenCall::new(cx, &request);
    let outcome = attempt(tools, request, &mut open).await;
    open.finish(outcome)
}

async fn attempt(
    tools: &Tools,
    request: CallRequest,
    open: &mut OpenCall,
) -> Result<Content, CallError> {
    let cx = &tools.context;
    let capability = look_up(tools, &request.name)?;
    open.result.input = parse(&request.name, request.input)?;
    capability.validate(&open.result.input)?;
    let mut done = Done::Never;
    if let (Some(record), Origin::Python { .. }, Some(_)) =
        (&cx.running.record, request.origin, capability.module())
    {
        match record.next(&request.name, &open.result.input) {
            Next::Made(result, run) => return open.made(capability, cx, *result, run),
            Next::Unknown => done = Done::Perhaps,
            Next::New => {}
        }
    }
    let mut call = Call {
        id: request.id,
        name: request.name,
        input: open.result.input.clone(),
        origin: request.origin,
        parent: cx.call,
    };
    let (permit, decision) = match cx.gate.pass(cx, capability, &mut call, done).await {
        Passage::Open(permit, decision) => (permit, decision),
        Passage::Shut(error, decision) => {
            let category = Some(capability.category_of(cx, &call.input));
            open.decision = decision.map(|decision| Decision { category, ..decision });
            return Err(error);
        }
    };
    let input = call.input.clone();
    // What runs, and what the result says, is what a person may have made of it.
    open.result.input = input.clone();
    let category = capability.category_of(cx, &input);
    let subject = permit.preview().map(|preview| preview.subject.clone()).unwrap_or_default();
    let started = Event::CallStarted { call, category, decision, subject: subject.clone() };
    cx.recorder.append(started).map_err(unrecorded)?;
    open.started = true;
    let done = capability.run(permit, cx.of_call(request.id), input).await;
    if category != super::capability::Category::Read {
        cx.gate.changed(&subject);
    }
    done
}

fn look_up<'a>(tools: &'a Tools, name: &str) -> Result<&'a Capability, CallError> {
    tools.capabilities.iter().find(|known| known.name() == name).map(AsRef::as_ref).ok_or_else(
        || {
            let names = tools.names();
            CallError::new(
                ErrorCode::UnknownTool,
                format!(
                    "There is no tool {} here. There is: {}.",
                    text::quoted(name),
                    names.join(", ")
                ),
            )
            .with("available", names)
        },
    )
}

fn parse(name: &str, input: Input) -> Result<Value, CallError> {
    let value = match input {
        Input::Value(value) => value,
        Input::Text(text) if text.trim().is_empty() => Value::Object(serde_json::Map::new()),
        Input::Text(text) => {
            let read = serde_json::from_str(&text).map(|Unambiguous(value)| value);
            read.map_err(|error| {
                let fault = match error.classify() {
                    Category::Data => error.to_string(),
                    Category::Io | Category::Syntax | Category::Eof => {
                        format!("expected a JSON object; this is not JSON: {error}")
                    }
                };
                schema::invalid(name, &fault)
            })?
        }
    };
    if value.is_object() { Ok(value) } else { Err(schema::invalid(name, "expected object")) }
}

/// A call without a result. Left by drop, it is recorded as interrupted: each call has exactly one
/// result, whatever becomes of its caller.
struct OpenCall {
    recorder: Recorder,
    id: CallId,
    parent: Option<CallId>,
    origin: Origin,
    begun: Instant,
    started: bool,
    decision: Option<Decision>,
    /// The longest answer to a call of a script that is kept whole, in bytes.
    most: usize,
    result: ToolResult,
    finished: bool,
}

impl OpenCall {
    fn new(cx: &Context, request: &CallRequest) -> Self {
        let input = match &request.input {
            Input::Text(text) => Value::String(text.clone()),
            Input::Value(value) => value.clone(),
        };
        Self {
            recorder: cx.recorder.clone(),
            id: request.id,
            parent: cx.call,
            origin: request.origin,
            begun: Instant::now(),
            started: false,
            decision: None,
            most: if cx.spec.workflow.is_some() { KEPT_OF_A_WORKFLOW } else { KEPT_BYTES },
            result: ToolResult {
                ok: false,
                name: request.name.clone(),
                input,
                content: Value::Null,
                is_error: true,
                attachments: Vec::new(),
                duration_ms: 0,
            },
            finished: false,
        }
    }

    /// It was made by an earlier run, and nothing is done.
    fn made(
        &mut self,
        capability: &Capability,
        cx: &Context,
        result: ToolResult,
        run: SessionId,
    ) -> Result<Content, CallError> {
        let category = Some(capability.category_of(cx, &self.result.input));
        let by = Decider::Record { run };
        self.decision = Some(Decision { category, ..Decision::allowed(by) });
        if result.ok {
            return Ok(Content { value: result.content, attachments: result.attachments });
        }
        let code = result.error_code().unwrap_or(ErrorCode::Failed);
        let said = result.content["message"].as_str().unwrap_or_default();
        let mut error = CallError::new(code, said);
        if let Value::Object(mut detail) = result.content {
            detail.retain(|key, _| !matches!(&**key, "error" | "message"));
            error.detail = detail;
        }
        Err(error)
    }

    /// The result as the journal has it. That of a call of a script is bounded; long arguments of a call
    /// that began stand with its beginning, and no second time.
    fn kept(&self) -> ToolResult {
        let ToolResult { ok, ref name, ref input, ref content, is_error, .. } = self.result;
        let stands_there = self.started && self.origin != Origin::Person;
        let input = match stands_there && input.to_string().len() > KEPT_BYTES {
            true => Value::Null,
            false => input.clone(),
        };
        let cut = self.parent.and_then(|_| cut(content, || self.result.text(), self.most));
        ToolResult {
            ok,
            name: name.clone(),
            input,
            content: cut.unwrap_or_else(|| content.clone()),
            is_error,
            attachments: self.result.attachments.clone(),
            duration_ms: self.result.duration_ms,
        }
    }

    fn finish(mut self, outcome: Result<Content, CallError>) -> ToolResult {
        self.record(outcome);
        self.result.clone()
    }

    fn record(&mut self, outcome: Result<Content, CallError>) {
        self.finished = true;
        self.result.duration_ms = millis(self.begun.elapsed());
        match outcome {
            Ok(content) => {
                self.result.ok = true;
                self.result.is_error = false;
                self.result.content = content.value;
                self.result.attachments = content.attachments;
            }
            Err(error) => self.result.content = error.payload(),
        }
        let event = Event::CallFinished {
            call: self.id,
            parent: self.parent,
            origin: self.origin,
            result: self.kept(),
            decision: self.decision.take(),
        };
        if let Err(error) = self.recorder.append(event) {
            // It ran, so its caller gets the result; a resume will call it unknown.
            tracing::error!(%error, "the result of a call was not recorded");
        }
    }
}

/// The longest answer to a call of a script that a journal keeps whole, in bytes, and the longest
/// arguments that stand in it with the end of a call as well. What the script
/// makes of it is in its output; a script that reads all day, unasked, shall not fill the disk.
const KEPT_BYTES: usize = 16 << 10;
/// The same in a run that can be carried on, since its script is told again of what came.
const KEPT_OF_A_WORKFLOW: usize = 1 << 20;
/// How the kept part of a longer one ends.
const CUT: &str = " more bytes went to the script and are not kept]";

/// Whether a result is only the head of what its caller was given.
pub(super) fn is_cut(result: &ToolResult) -> bool {
    result.content.as_str().is_some_and(|text| text.ends_with(CUT))
}

fn cut(content: &Value, text: impl FnOnce() -> String, most: usize) -> Option<Value> {
    let is_long = match content {
        Value::String(text) => text.len() > most,
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
        Value::Array(_) | Value::Object(_) => content.to_string().len() > most,
    };
    is_long.then(|| {
        let text = text();
        let head = &text[..text.floor_char_boundary(most)];
        let rest = text.len() - head.len();
        Value::String(format!("{head}\n[{rest}{CUT}"))
    })
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        if !self.finished {
            self.record(Err(interrupted(self.started)));
        }
    }
}

/// The result of a call that was cut off, here or by a crash: `started` tells whether it may have
/// taken effect.
pub fn interrupted(started: bool) -> CallError {
    let message = if started {
        "Interrupted; whether it took effect is unknown. Look before you do it again."
    } else {
        "Interrupted before it began; nothing was done."
    };
    CallError::new(ErrorCode::Interrupted, message)
}

/// Work of a call to its end, or this error once the call is cut off. The work is dropped then.
pub async fn unless_cut_off<T>(
    cx: &Context,
    error: CallError,
    work: impl Future<Output = Result<T, CallError>>,
) -> Result<T, CallError> {
    tokio::select! {
        biased;
        () = cx.cancel.cancelled() => Err(error),
        done = work => done,
    }
}

#[cfg(test)]
mod tests;
