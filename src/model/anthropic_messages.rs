//! Anthropic's Messages format. An answer is whole when `message_stop` has come after a reason to
//! stop; a call in it is closed by its `content_block_stop`. What the model thought goes back with the
//! calls that followed from it, block by block, in the places where it stood.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use super::{
    answer::{Answer, Ending, PartialCall, tokens},
    request::{arguments, wire_name},
    wire::{Reader, Taken, Told, Wire},
};
use crate::kernel::{
    invoke::ToolResult,
    message::{CallResult, Message, ModelCall, Thought, Usage},
    picture::{Picture, PictureId},
    port::{Delta, Model, ModelError, ModelRequest, Print, Purpose},
    provider::{Sees, Think},
};

/// The longest answer that is asked for where the person set none: what all current models write.
const MAX_TOKENS: u32 = 32_000;
/// What all current models take, the answer included.
const WINDOW: u64 = 200_000;
/// Room for the answer beside the thinking, where the person set less.
const ANSWER: u32 = 4096;
/// The kinds of blocks that hold what was thought.
const THINKING: &str = "thinking";
const REDACTED: &str = "redacted_thinking";

/// A model behind a server that speaks this format.
pub(super) struct AnthropicMessages {
    wire: Wire,
    model: String,
    max_tokens: u32,
    window: u64,
    think: Think,
}

impl AnthropicMessages {
    pub(super) fn new(wire: Wire, model: &str, max_tokens: Option<u32>) -> Self {
        let max_tokens = max_tokens.unwrap_or(MAX_TOKENS);
        let think = Think::AsProvided;
        Self { wire, model: model.to_owned(), max_tokens, window: WINDOW, think }
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
        let mut body = json!({
            "model": self.model,
            "max_tokens": self.max_tokens,
            "stream": true,
            "messages": messages(&request.messages, &name, &request.pictures),
        });
        if !is_blank(&request.system) {
            // What stays the same from turn to turn need not be paid for again.
            body["system"] = json!([cached(json!({"type": "text", "text": request.system}))]);
        }
        if !request.tools.is_empty() {
            let tools = request.tools.iter().map(|tool| {
                json!({
                    "name": wire_name(&tool.name),
                    "description": tool.description,
                    "input_schema": tool.schema,
                })
            });
            body["tools"] = tools.collect();
        }
        match self.think {
            Think::Within(tokens)
                if request.purpose == Purpose::Turn && may_think(&request.messages, &name) =>
            {
                body["thinking"] = json!({"type": "enabled", "budget_tokens": tokens});
                // They count as part of the answer.
                body["max_tokens"] = json!(self.max_tokens.max(tokens.saturating_add(ANSWER)));
            }
            Think::Off => body["thinking"] = json!({"type": "disabled"}),
            Think::Within(_) | Think::AsProvided => {}
        }
        body
    }
}

impl Model for AnthropicMessages {
    fn respond(&self, request: ModelRequest) -> mpsc::Receiver<Result<Delta, ModelError>> {
        let path = if self.wire.base_ends_with("/v1") { "messages" } else { "v1/messages" };
        let body = self.body(&request);
        self.wire.ask(self.wire.url(path), body, request.tools, || Box::<Messages>::default())
    }

    fn sees(&self) -> Sees {
        self.wire.sees()
    }

    fn window(&self) -> u64 {
        self.window
    }
}

type Pictures = BTreeMap<PictureId, Print>;

/// The conversation with roles that take turns and no empty text, as the format wants it.
fn messages(messages: &[Message], model: &str, shown: &Pictures) -> Value {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, blocks) = match message {
            Message::User { text, pictures } => {
                let words = text_block(text).into_iter();
                let mut blocks: Vec<_> = words.chain(picture_blocks(pictures, shown)).collect();
                if blocks.is_empty() {
                    blocks.push(no_words());
                }
                ("user", blocks)
            }
            Message::Agent(text) => ("user", vec![text_block(text).unwrap_or_else(no_words)]),
            Message::Assistant { text, calls, thoughts } => {
                ("assistant", answer_blocks(text, calls, own(thoughts, model)))
            }
            Message::Results(results) => {
                ("user", results.iter().map(|result| result_block(result, shown)).collect())
            }
        };
        match turns.last_mut() {
            _ if blocks.is_empty() => {}
            Some((last, there)) if *last == role => there.extend(blocks),
            Some(_) | None => turns.push((role, blocks)),
        }
    }
    if let Some(last) = turns.last_mut().and_then(|(_, blocks)| blocks.last_mut()) {
        *last = cached(last.take());
    }
    turns.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

/// The thoughts of an answer, if they are of that model.
fn own<'a>(thoughts: &'a [Thought], model: &str) -> &'a [Thought] {
    if thoughts.iter().all(|thought| thought.from == model) { thoughts } else { &[] }
}

/// Whether the model may be asked to think: not in the middle of calls that it made without thinking,
/// or of which the thoughts are gone, for the provider wants those first.
fn may_think(messages: &[Message], model: &str) -> bool {
    let last = messages.iter().rev().find_map(|message| match message {
        Message::Results(_) | Message::Agent(_) => None,
        Message::Assistant { calls, thoughts, .. } => {
            Some(calls.is_empty() || !own(thoughts, model).is_empty())
        }
        Message::User { .. } => Some(true),
    });
    last.unwrap_or(true)
}

/// An answer with all its blocks in the order in which they came.
fn answer_blocks(text: &str, calls: &[ModelCall], thoughts: &[Thought]) -> Vec<Value> {
    let mut blocks = Vec::new();
    let (mut said, mut called) = (0, 0);
    let places = thoughts.iter().map(|thought| (thought.after_text, thought.after_calls));
    let end = (text.len(), calls.len());
    for (at, (after_text, after_calls)) in places.chain([end]).enumerate() {
        let upto = text.floor_char_boundary(after_text.max(said));
        blocks.extend(text_block(&text[said..upto]));
        let before = after_calls.clamp(called, calls.len());
        blocks.extend(calls[called..before].iter().map(call_block));
        (said, called) = (upto, before);
        blocks.extend(thoughts.get(at).map(thought_block));
    }
    blocks
}

fn call_block(call: &ModelCall) -> Value {
    json!({
        "type": "tool_use",
        "id": wire_name(&call.provider_id),
        "name": wire_name(&call.name),
        "input": arguments(&call.arguments),
    })
}

fn thought_block(thought: &Thought) -> Value {
    if thought.kind == REDACTED {
        return json!({"type": REDACTED, "data": thought.signature});
    }
    json!({
        "type": THINKING,
        "thinking": thought.words.as_deref().unwrap_or_default(),
        "signature": thought.signature,
    })
}

fn text_block(text: &str) -> Option<Value> {
    (!is_blank(text)).then(|| json!({"type": "text", "text": text}))
}

fn no_words() -> Value {
    json!({"type": "text", "text": "(no words)"})
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn result_block(result: &CallResult, shown: &Pictures) -> Value {
    json!({
        "type": "tool_result",
        "tool_use_id": wire_name(&result.provider_id),
        "is_error": result.result.is_error,
        "content": result_content(&result.result, shown),
    })
}

fn result_content(result: &ToolResult, shown: &Pictures) -> Value {
    let words = text_block(&result.text()).into_iter();
    words.chain(picture_blocks(&result.attachments, shown)).collect()
}

/// Each picture that is shown, behind its name where there are several.
fn picture_blocks(pictures: &[Picture], shown: &Pictures) -> Vec<Value> {
    let mut blocks = Vec::new();
    for picture in pictures {
        let Some(shown) = shown.get(&picture.id) else { continue };
        if pictures.len() > 1 {
            blocks.push(json!({"type": "text", "text": format!("{}:", picture.name)}));
        }
        blocks.push(json!({"type": "image", "source": {
            "type": "base64", "media_type": shown.format.media_type(), "data": &*shown.base64,
        }}));
    }
    blocks
}

fn cached(mut block: Value) -> Value {
    block["cache_control"] = json!({"type": "ephemeral"});
    block
}

/// Reads one answer.
#[derive(Default)]
struct Messages {
    answer: Answer,
    input: Map<String, Value>,
}

impl Reader for Messages {
    fn take(&mut self, event: &Value) -> Result<Taken, Told> {
        let text = |value: &Value, name: &str| {
            value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let index = event["index"].as_u64().unwrap_or(0);
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => self.used(&event["message"]["usage"]),
            "content_block_start" => {
                let block = &event["content_block"];
                match block["type"].as_str().unwrap_or_default() {
                    "text" => return Ok(Taken::text(text(block, "text"))),
                    "tool_use" => self.answer.begin(PartialCall {
                        index,
                        provider_id: text(block, "id"),
                        name: text(block, "name"),
                        ..PartialCall::default()
                    }),
                    kind @ (THINKING | REDACTED) => {
                        let calls = self.answer.calls();
                        let thinking = &mut self.answer.thinking;
                        let known = if kind == REDACTED { REDACTED } else { THINKING };
                        thinking.begin(index, known, calls);
                        thinking.signature(index, &text(block, "data"));
                        thinking.signature(index, &text(block, "signature"));
                        let words = thinking.words(index, &text(block, "thinking"));
                        return Ok(Taken::thinking(words));
                    }
                    _ => {}
                }
            }
            "content_block_delta" => {
                let delta = &event["delta"];
                match delta["type"].as_str().unwrap_or_default() {
                    "text_delta" => return Ok(Taken::text(text(delta, "text"))),
                    "thinking_delta" => {
                        let more = text(delta, "thinking");
                        return Ok(Taken::thinking(self.answer.thinking.words(index, &more)));
                    }
                    "signature_delta" => {
                        self.answer.thinking.signature(index, &text(delta, "signature"));
                    }
                    "input_json_delta" => {
                        if let Some(call) = self.answer.call(index).filter(|call| !call.closed) {
                            call.arguments.push_str(&text(delta, "partial_json"));
                        }
                    }
                    _ => {}
                }
            }
            "content_block_stop" => {
                if let Some(call) = self.answer.call(index) {
                    call.closed = true;
                }
            }
            "message_delta" => {
                self.used(&event["usage"]);
                if let Some(reason) = event["delta"]["stop_reason"].as_str() {
                    self.answer.ending = Some(ending(reason));
                }
            }
            "message_stop" => return Ok(Taken::End),
            "error" => {
                let error = &event["error"];
                return Err(Told { kind: text(error, "type"), message: text(error, "message") });
            }
            _ => {}
        }
        Ok(Taken::Nothing)
    }

    fn answer(&mut self) -> &mut Answer {
        &mut self.answer
    }

    /// Only `message_stop` ends an answer.
    fn is_complete(&self) -> bool {
        false
    }
}

impl Messages {
    /// Counts are running totals, and some come only in the first event.
    fn used(&mut self, usage: &Value) {
        if let Some(usage) = usage.as_object() {
            self.input.extend(usage.clone());
        }
        let all = Value::Object(self.input.clone());
        let input = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
        self.answer.usage = Usage {
            input: input.iter().fold(0, |sum, name| tokens(&all, name).saturating_add(sum)),
            output: tokens(&all, "output_tokens"),
            ..Usage::default()
        };
    }
}

/// `end_turn` beside a whole call still means the call: some servers never say `tool_use`.
fn ending(reason: &str) -> Ending {
    match reason {
        "end_turn" | "tool_use" | "stop_sequence" => Ending::Whole,
        "max_tokens" | "model_context_window_exceeded" => Ending::Length,
        "refusal" => Ending::Refused,
        other => Ending::Unknown(other.to_owned()),
    }
}

#[cfg(test)]
mod tests;
