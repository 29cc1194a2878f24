//! What a model answers, as its server puts it.

mod requests;

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::{
    kernel::{message::ModelCall, picture::Format, provider::Api, registry::ToolDefinition},
    model::loopback::{KEY, Loopback, Reply, assistant, drawn, print, thought, told},
};

const START: &str = r#"{"type":"message_start","message":{"usage":{"input_tokens":7,"cache_read_input_tokens":3,"output_tokens":1}}}"#;
const CUT: &str = r#"{"code": "import shutil\nshutil.rmtree(\"scratch"#;

fn event(data: &str) -> String {
    let kind = serde_json::from_str::<Value>(data).unwrap()["type"].as_str().unwrap().to_owned();
    format!("event: {kind}\ndata: {data}\n\n")
}

fn text(text: &str) -> String {
    event(r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#)
        + &event(
            &json!({"type": "content_block_delta", "index": 0,
                "delta": {"type": "text_delta", "text": text}})
            .to_string(),
        )
        + &event(r#"{"type":"content_block_stop","index":0}"#)
}

fn thinking(index: u64, words: &str) -> String {
    let delta = |delta: Value| {
        event(&json!({"type": "content_block_delta", "index": index, "delta": delta}).to_string())
    };
    let block = json!({"type": "thinking", "thinking": "", "signature": ""});
    event(
        &json!({"type": "content_block_start", "index": index, "content_block": block}).to_string(),
    ) + &delta(json!({"type": "thinking_delta", "thinking": words}))
        + &delta(json!({"type": "thinking_delta", "thinking": "?"}))
        + &delta(json!({"type": "signature_delta", "signature": "c2ln"}))
        + &event(&json!({"type": "content_block_stop", "index": index}).to_string())
}

fn redacted(index: u64) -> String {
    let block = json!({"type": "redacted_thinking", "data": "ZGF0YQ=="});
    event(
        &json!({"type": "content_block_start", "index": index, "content_block": block}).to_string(),
    ) + &event(&json!({"type": "content_block_stop", "index": index}).to_string())
}

fn open_tool(arguments: &str) -> String {
    let mut events = event(
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"execute_code","input":{}}}"#,
    );
    let half = arguments.char_indices().nth(arguments.chars().count() / 2).map_or(0, |half| half.0);
    for part in [&arguments[..half], &arguments[half..]] {
        events += &event(
            &json!({"type": "content_block_delta", "index": 1,
                "delta": {"type": "input_json_delta", "partial_json": part}})
            .to_string(),
        );
    }
    events
}

fn tool(arguments: &str) -> String {
    open_tool(arguments) + &event(r#"{"type":"content_block_stop","index":1}"#)
}

fn end(reason: &str) -> String {
    event(
        &json!({"type": "message_delta", "delta": {"stop_reason": reason},
            "usage": {"output_tokens": 5}})
        .to_string(),
    ) + &event(r#"{"type":"message_stop"}"#)
}

async fn answer(reply: Reply) -> String {
    let server = Loopback::start(vec![reply]).await;
    let patience = crate::model::wire::Patience { tries: 1, ..crate::model::loopback::patience() };
    let wire = server.patient_wire(Api::AnthropicMessages, "", patience);
    told(AnthropicMessages::new(wire, "m", None).respond(ModelRequest::default())).await
}

#[tokio::test]
async fn each_stream_is_read_by_the_stated_rules() {
    let start = event(START);
    let cut_off = "The answer was cut off before its end; nothing of it was run.";
    let dropped = "The answer of loop was cut off; nothing of it was run.";
    let garbled = "The answer of loop was garbled; nothing of it was run.";
    let overloaded =
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let new = event(r#"{"type":"brand_new_event","x":1}"#) + &event(r#"{"type":"ping"}"#);
    let of_no_block = event(
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
    );
    let torn = "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"cut   \n\n";
    let raw_newline = "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"one\ntwo\"}}\n\n";
    let mut bad_utf8 = (start.clone() + &text("fine")).into_bytes();
    bad_utf8.extend_from_slice(b"data: \xff\xfe\n\n");
    let table: Vec<(&str, Reply, String)> = vec![
        (
            "text and a call",
            Reply::stream(start.clone() + &text("so: ") + &tool(r#"{"code":"1"}"#) + &end("tool_use")),
            r#"so: [t1 execute_code {"code":"1"}] | Calls 10+5"#.into(),
        ),
        ("text", Reply::stream(start.clone() + &text("fine") + &end("end_turn")), "fine | End 10+5".into()),
        (
            "a call, but the end of a turn",
            Reply::stream(start.clone() + &tool("{}") + &end("end_turn")),
            "[t1 execute_code {}] | Calls 10+5".into(),
        ),
        ("ends inside a call", Reply::stream(start.clone() + &open_tool(CUT)), format!(" | {dropped}")),
        (
            "breaks inside a call",
            Reply::broken(start.clone() + &open_tool(CUT)),
            " | The answer of loop was cut off: the connection broke (end of file before message length reached); nothing of it was run.".into(),
        ),
        ("half a call, at the limit", Reply::stream(start.clone() + &tool(CUT) + &end("max_tokens")), " | Length 10+5".into()),
        ("a whole call, at the limit", Reply::stream(start.clone() + &tool("{}") + &end("max_tokens")), " | Length 10+5".into()),
        ("half a call, said to be whole", Reply::stream(start.clone() + &tool(CUT) + &end("tool_use")), format!(" | {cut_off}")),
        ("a call that is not closed", Reply::stream(start.clone() + &open_tool("{}") + &end("tool_use")), format!(" | {cut_off}")),
        (
            "an end without a reason",
            Reply::stream(start.clone() + &tool("{}") + &event(r#"{"type":"message_stop"}"#)),
            format!(" | {cut_off}"),
        ),
        ("nothing at all", Reply::stream(""), format!(" ! {dropped}")),
        (
            "overload after text",
            Reply::stream(start.clone() + &text("half ") + &event(overloaded)),
            "half  | loop failed while it answered: Overloaded.".into(),
        ),
        (
            "overload at once",
            Reply::stream(event(overloaded)),
            " ! loop failed while it answered: Overloaded.".into(),
        ),
        ("a torn line", Reply::stream(start.clone() + &text("a") + torn), format!("a | {garbled}")),
        ("a raw newline", Reply::stream(start.clone() + &text("a") + raw_newline), format!("a | {garbled}")),
        (
            "bytes that are no text",
            Reply::stream(bad_utf8),
            "fine | The answer of loop was cut off: it is not UTF-8 text; nothing of it was run.".into(),
        ),
        (
            "events of which nothing is known",
            Reply::stream(start.clone() + &new + &of_no_block + &text("fine") + &end("end_turn")),
            "fine | End 10+5".into(),
        ),
        (
            "thinking, then a call",
            Reply::stream(start.clone() + &thinking(0, "is it") + &tool("{}") + &end("tool_use")),
            "(is it)(?){loop/m thinking c2ln 6 None 0 0}[t1 execute_code {}] | Calls 10+5".into(),
        ),
        (
            "thinking of all kinds, in several places",
            Reply::stream(
                start.clone()
                    + &redacted(0)
                    + &text("so\r\n: ")
                    + &thinking(2, "a\u{1b}\r")
                    + &tool("{}")
                    + &thinking(4, "b")
                    + &end("tool_use"),
            ),
            "so\n: (a⟨U+001B⟩)(?)(b)(?){loop/m redacted_thinking ZGF0YQ== 0 None 0 0}\
             {loop/m thinking c2ln 14 Some(\"a\\u{1b}\\r?\") 5 0}{loop/m thinking c2ln 2 None 5 1}\
             [t1 execute_code {}] | Calls 10+5"
                .into(),
        ),
        (
            "thinking without a call",
            Reply::stream(start.clone() + &thinking(0, "hm") + &text("fine") + &end("end_turn")),
            "(hm)(?)fine | End 10+5".into(),
        ),
        (
            "thinking that is cut off",
            Reply::stream(start.clone() + &thinking(0, "hm")),
            format!("(hm)(?) | {dropped}"),
        ),
        (
            "more after the end",
            Reply::stream(start.clone() + &text("fine") + &end("end_turn") + &tool("{}") + &end("tool_use")),
            "fine | End 10+5".into(),
        ),
        (
            "line ends of another kind",
            Reply::stream(format!(": hi\r\n\r\nretry: 10\r\n\r\n{}", (start.clone() + &text("fine") + &end("end_turn")).replace('\n', "\r\n"))),
            "fine | End 10+5".into(),
        ),
        (
            "a terminal's escapes",
            Reply::stream(start.clone() + &text("\u{1b}[2Jx\r\n\u{202e}y") + &end("end_turn")),
            "⟨U+001B⟩[2Jx\n⟨U+202E⟩y | End 10+5".into(),
        ),
        (
            "a refusal",
            Reply::stream(start.clone() + &end("refusal")),
            " | The provider held the answer back for its content.".into(),
        ),
        (
            "a web page",
            Reply::status("200 OK\r\ncontent-type: text/html", "<html>"),
            " ! loop answered with text/html in place of a stream.".into(),
        ),
    ];
    for (name, reply, expected) in table {
        assert_eq!(answer(reply).await, expected, "{name}");
    }
}

#[tokio::test]
async fn characters_may_be_split_wherever_a_network_likes() {
    use crate::model::loopback::Piece;
    let words = "å漢字👩‍🔬é ".repeat(3);
    let stream = event(START) + &text(&words) + &tool(r#"{"code":"å漢"}"#) + &end("tool_use");
    let bytes = stream.into_bytes().into_iter().map(|byte| Piece::Bytes(vec![byte])).collect();
    let expected = format!(r#"{words}[t1 execute_code {{"code":"å漢"}}] | Calls 10+5"#);
    assert_eq!(answer(Reply::pieces(bytes)).await, expected);
}

#[tokio::test]
async fn a_tool_is_called_by_its_own_name_whatever_the_wire_made_of_it() {
    let stream =
        (event(START) + &tool("{}") + &end("tool_use")).replace("execute_code", "files_read");
    let server = Loopback::start(vec![Reply::stream(stream)]).await;
    let wire = server.wire(Api::AnthropicMessages, "/v1");
    let tool = ToolDefinition {
        name: "files.read".to_owned(),
        description: String::new(),
        schema: json!({"type": "object"}),
    };
    let request = ModelRequest { tools: vec![tool], ..ModelRequest::default() };
    assert_eq!(
        told(AnthropicMessages::new(wire, "m", None).respond(request)).await,
        "[t1 files.read {}] | Calls 10+5"
    );
}
