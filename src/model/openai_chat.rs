//! OpenAI's Chat Completions format, in the dialects of the servers that speak it. An answer is
//! whole when a `finish_reason` has come: that closes its calls, and what follows is read only for
//! the count of tokens. Some servers give what the model thinks, under one of two names; with the calls
//! that followed from it, it goes back under the same name.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{
    answer::{Answer, Ending, PartialCall, tokens},
    request::{arguments, wire_name},
    wire::{Reader, Taken, Told, Wire},
};
use crate::kernel::{
    message::{CallResult, Message, ModelCall, Thought, Usage},
    picture::{Picture, PictureId},
    port::{Delta, Model, ModelError, ModelRequest, Print, Purpose, USUAL_WINDOW},
    provider::{Sees, Think},
};

/// A model behind a server that speaks this format.
pub(super) struct OpenaiChat {
    wire: Wire,
    model: String,
    max_tokens: Option<u32>,
    window: u64,
    think: Think,
}

/// Where servers put what a model thinks.
const THINKING: [&str; 2] = ["reasoning_content", "reasoning"];

impl OpenaiChat {
    pub(super) fn new(wire: Wire, model: &str, max_tokens: Option<u32>) -> Self {
        let think = Think::AsProvided;
        Self { wire, model: model.to_owned(), max_tokens, window: USUAL_WINDOW, think }
    }

    /// The same, where the person set how many tokens it takes.
    pub(super) fn within(self, window: Option<u32>) -> Self {
        Self { window: window.map_or(self.window, u64::from), ..self }
    }

    /// The same, asked to think like that.
    pub(super) fn thinking(self, think: Think) -> Self {
        Self { think, ..self }
    }

    fn body(&self, request: &ModelRequest) -> Value {
        let name = self.wire.named(&self.model);
        let mut messages = Vec::with_capacity(request.messages.len() + 1);
        if !request.system.trim().is_empty() {
            messages.push(json!({"role": "system", "content": request.system}));
        }
        messages.extend(
            request
                .messages
                .iter()
                .flat_map(|message| wire_messages(message, &name, &request.pictures)),
        );
        let mut body = json!({
            "model": self.model,
            "stream": true,
            "stream_options": {"include_usage": true},
            "messages": messages,
        });
        if let Some(most) = self.max_tokens {
            // The maker of the format has renamed this; the others have not followed.
            let renamed = self.wire.is_at("api.openai.com");
            body[if renamed { "max_completion_tokens" } else { "max_tokens" }] = json!(most);
        }
        if let Some(effort) = effort(self.think, request.purpose) {
            body["reasoning_effort"] = json!(effort);
        }
        if !request.tools.is_empty() {
            let tools = request.tools.iter().map(|tool| {
                json!({"type": "function", "function": {
                    "name": wire_name(&tool.name),
                    "description": tool.description,
                    "parameters": tool.schema,
                }})
            });
            body["tools"] = tools.collect();
        }
        body
    }
}

impl Model for OpenaiChat {
    fn respond(&self, request: ModelRequest) -> mpsc::Receiver<Result<Delta, ModelError>> {
        let body = self.body(&request);
        let url = self.wire.url("chat/completions");
        self.wire.ask(url, body, request.tools, || Box::<Chunks>::default())
    }

    fn sees(&self) -> Sees {
        self.wire.sees()
    }

    fn window(&self) -> u64 {
        self.window
    }
}

type Pictures = BTreeMap<PictureId, Print>;

/// How much thinking is asked for, in the words that the format has: it knows no number of tokens. The
/// bounds are those that one provider states for its own models.
fn effort(think: Think, purpose: Purpose) -> Option<&'static str> {
    match think {
        Think::AsProvided => None,
        Think::Off => Some("none"),
        Think::Within(_) if purpose != Purpose::Turn => None,
        Think::Within(..=1024) => Some("low"),
        Think::Within(..=8192) => Some("medium"),
        Think::Within(_) => Some("high"),
    }
}

fn wire_messages(message: &Message, model: &str, shown: &Pictures) -> Vec<Value> {
    match message {
        Message::User { text, pictures } => {
            let pictures = picture_parts(pictures, shown);
            let words = json!({"type": "text", "text": text});
            let content = match (pictures.is_empty(), text.trim().is_empty()) {
                (true, _) => json!(text),
                (false, true) => json!(pictures),
                (false, false) => std::iter::once(words).chain(pictures).collect(),
            };
            vec![json!({"role": "user", "content": content})]
        }
        Message::Agent(text) => vec![json!({"role": "user", "content": text})],
        Message::Assistant { text, calls, thoughts } => {
            let blank = text.trim().is_empty();
            if blank && calls.is_empty() {
                return Vec::new();
            }
            let content = if blank { Value::Null } else { json!(text) };
            let mut message = json!({"role": "assistant", "content": content});
            if !calls.is_empty() {
                message["tool_calls"] = calls.iter().map(wire_call).collect();
                let own = |thought: &&Thought| {
                    thought.from == model && THINKING.contains(&thought.kind.as_str())
                };
                for thought in thoughts.iter().filter(own) {
                    message[&thought.kind] = json!(thought.words);
                }
            }
            vec![message]
        }
        Message::Results(results) => {
            let mut messages: Vec<_> = results.iter().map(wire_result).collect();
            // A result is text alone in this format, and all results come before anything else.
            let parts: Vec<_> = results
                .iter()
                .flat_map(|result| picture_parts(&result.result.attachments, shown))
                .collect();
            if !parts.is_empty() {
                let words = json!({"type": "text", "text": SHOWN});
                let content: Value = std::iter::once(words).chain(parts).collect();
                messages.push(json!({"role": "user", "content": content}));
            }
            messages
        }
    }
}

/// What stands before the pictures of results.
const SHOWN: &str = "[What the calls above showed, no words of the person:]";

fn wire_result(result: &CallResult) -> Value {
    json!({
        "role": "tool",
        "tool_call_id": wire_name(&result.provider_id),
        "content": result.result.text(),
    })
}

/// Each picture that is shown, behind its name.
fn picture_parts(pictures: &[Picture], shown: &Pictures) -> Vec<Value> {
    let shown = |picture: &Picture| {
        let shown = shown.get(&picture.id)?;
        let url = format!("data:{};base64,{}", shown.format.media_type(), shown.base64);
        Some([
            json!({"type": "text", "text": format!("{}:", picture.name)}),
            json!({"type": "image_url", "image_url": {"url": url}}),
        ])
    };
    pictures.iter().filter_map(shown).flatten().collect()
}

fn wire_call(call: &ModelCall) -> Value {
    // Some servers parse the arguments of earlier calls and refuse what is no object.
    let arguments = Value::Object(arguments(&call.arguments)).to_string();
    json!({
        "id": wire_name(&call.provider_id),
        "type": "function",
        "function": {"name": wire_name(&call.name), "arguments": arguments},
    })
}

/// Reads one answer.
#[derive(Default)]
struct Chunks {
    answer: Answer,
    /// The name under which it has what the model thinks.
    thinks_as: Option<&'static str>,
}

impl Reader for Chunks {
    fn take(&mut self, chunk: &Value) -> Result<Taken, Told> {
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return Err(told(error));
        }
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.answer.usage = Usage {
                input: tokens(usage, "prompt_tokens"),
                output: tokens(usage, "completion_tokens"),
                ..Usage::default()
            };
        }
        let choice = &chunk["choices"][0];
        if self.is_complete() || choice["index"].as_u64().is_some_and(|index| index > 0) {
            return Ok(Taken::Nothing);
        }
        let delta = &choice["delta"];
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            self.piece(call);
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.answer.close_calls();
            self.answer.ending = Some(ending(reason));
        }
        let thinking = self.thinks(delta);
        let text = match &delta["content"] {
            Value::String(text) => text.clone(),
            Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
        };
        Ok(Taken::Words { thinking, text })
    }

    fn answer(&mut self) -> &mut Answer {
        &mut self.answer
    }

    fn is_complete(&self) -> bool {
        self.answer.ending.is_some()
    }
}

impl Chunks {
    /// More of what the model thinks. All of an answer is one block, of the name that came first.
    fn thinks(&mut self, delta: &Value) -> String {
        let words = |name: &&str| delta[*name].as_str().is_some_and(|words| !words.is_empty());
        let name = match self.thinks_as {
            Some(name) => Some(name).filter(words),
            None => THINKING.into_iter().find(words),
        };
        let Some(name) = name else { return String::new() };
        let calls = self.answer.calls();
        let thinking = &mut self.answer.thinking;
        if self.thinks_as.is_none() {
            thinking.begin(0, name, calls);
            self.thinks_as = Some(name);
        }
        thinking.words(0, delta[name].as_str().unwrap_or_default())
    }

    /// A piece of a call. A new name under a new id begins one even where the number is that of
    /// another: some servers number all their calls 0, or not at all.
    fn piece(&mut self, piece: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (id, name) = (text(&piece["id"]), text(&piece["function"]["name"]));
        let index = piece["index"].as_u64();
        let known = match index {
            Some(index) => self.answer.call(index),
            None => self.answer.last_call(),
        };
        let is_new = match &known {
            None => true,
            Some(call) => !id.is_empty() && id != call.provider_id && !name.is_empty(),
        };
        // Some servers send the object itself.
        let arguments = &piece["function"]["arguments"];
        let arguments = if arguments.is_object() { arguments.to_string() } else { text(arguments) };
        match known {
            Some(call) if !is_new => call.arguments.push_str(&arguments),
            Some(_) | None => self.answer.begin(PartialCall {
                index: index.unwrap_or(0),
                provider_id: id,
                name,
                arguments,
                closed: false,
            }),
        }
    }
}

fn told(error: &Value) -> Told {
    let text = |name: &str| error[name].as_str().unwrap_or_default();
    let message = error.as_str().unwrap_or_else(|| text("message")).to_owned();
    let is_servers = error["code"].as_u64().is_some_and(|code| code >= 500);
    let code = if is_servers { "server_error" } else { text("code") };
    Told { kind: format!("{} {code}", text("type")), message }
}

/// `stop` beside a whole call still means the call: some servers never say `tool_calls`.
fn ending(reason: &str) -> Ending {
    match reason {
        "stop" | "tool_calls" | "function_call" => Ending::Whole,
        "length" => Ending::Length,
        "content_filter" => Ending::Refused,
        other => Ending::Unknown(other.to_owned()),
    }
}

#[cfg(test)]
mod tests;
