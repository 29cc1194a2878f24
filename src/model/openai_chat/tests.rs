use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::{
    kernel::{invoke::ToolResult, picture::Format, provider::Api, registry::ToolDefinition},
    model::loopback::{KEY, Loopback, Reply, assistant, drawn, print, thought, told},
};

const CUT: &str = r#"{"code": "import shutil\nshutil.rmtree(\"scratch"#;
const DONE: &str = "data: [DONE]\n\n";

fn chunk(delta: Value, finish: Option<&str>) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    format!("data: {}\n\n", json!({"object": "chat.completion.chunk", "choices": [choice]}))
}

fn text(text: &str) -> String {
    chunk(json!({"role": "assistant", "content": text}), None)
}

fn tool(arguments: &str) -> String {
    let half = arguments.char_indices().nth(arguments.chars().count() / 2).map_or(0, |half| half.0);
    let part = |part: &str| {
        chunk(json!({"tool_calls": [{"index": 0, "function": {"arguments": part}}]}), None)
    };
    chunk(
        json!({"tool_calls": [{"index": 0, "id": "c1", "type": "function",
            "function": {"name": "execute_code", "arguments": ""}}]}),
        None,
    ) + &part(&arguments[..half])
        + &part(&arguments[half..])
}

fn end(reason: &str) -> String {
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5}});
    chunk(json!({}), Some(reason)) + &format!("data: {usage}\n\n") + DONE
}

async fn answer(reply: Reply) -> String {
    let server = Loopback::start(vec![reply]).await;
    let patience = crate::model::wire::Patience { tries: 1, ..crate::model::loopback::patience() };
    let wire = server.patient_wire(Api::OpenaiChat, "/v1", patience);
    told(OpenaiChat::new(wire, "m", None).respond(ModelRequest::default())).await
}

#[tokio::test]
async fn each_stream_is_read_by_the_stated_rules() {
    let cut_off = "The answer was cut off before its end; nothing of it was run.";
    let dropped = "The answer of loop was cut off; nothing of it was run.";
    let two = chunk(
        json!({"tool_calls": [
            {"index": 0, "id": "a", "function": {"name": "one", "arguments": "{}"}},
            {"index": 0, "id": "b", "function": {"name": "two", "arguments": "{\"x\":1}"}},
        ]}),
        None,
    );
    let unnumbered = chunk(
        json!({"tool_calls": [{"id": "a", "function": {"name": "one", "arguments": {"x": 1}}}]}),
        None,
    );
    let table: Vec<(&str, Reply, String)> = vec![
        ("text", Reply::stream(text("fine") + &end("stop")), "fine | End 10+5".into()),
        (
            "text and a call",
            Reply::stream(text("so: ") + &tool(r#"{"code":"1"}"#) + &end("tool_calls")),
            r#"so: [c1 execute_code {"code":"1"}] | Calls 10+5"#.into(),
        ),
        (
            "a call, but the end of a turn",
            Reply::stream(tool("{}") + &end("stop")),
            "[c1 execute_code {}] | Calls 10+5".into(),
        ),
        (
            "two calls under one number",
            Reply::stream(two + &end("tool_calls")),
            r#"[a one {}][b two {"x":1}] | Calls 10+5"#.into(),
        ),
        (
            "an object, and no number",
            Reply::stream(unnumbered + &end("stop")),
            r#"[a one {"x":1}] | Calls 10+5"#.into(),
        ),
        (
            "no count and no last word",
            Reply::stream(tool("{}") + &chunk(json!({}), Some("tool_calls"))),
            "[c1 execute_code {}] | Calls 0+0".into(),
        ),
        (
            "a break after the end",
            Reply::broken(text("fine") + &chunk(json!({}), Some("stop"))),
            "fine | End 0+0".into(),
        ),
        ("ends inside a call", Reply::stream(tool(CUT)), format!(" | {dropped}")),
        (
            "a last word without an end",
            Reply::stream(text("a") + &tool("{}") + DONE),
            format!("a | {cut_off}"),
        ),
        (
            "half a call, at the limit",
            Reply::stream(tool(CUT) + &end("length")),
            " | Length 10+5".into(),
        ),
        (
            "a whole call, at the limit",
            Reply::stream(tool("{}") + &end("length")),
            " | Length 10+5".into(),
        ),
        (
            "half a call, said to be whole",
            Reply::stream(tool(CUT) + &end("tool_calls")),
            format!(" | {cut_off}"),
        ),
        ("nothing at all", Reply::stream(""), format!(" ! {dropped}")),
        (
            "overload after text",
            Reply::stream(
                text("half ") + "data: {\"error\":{\"message\":\"Overloaded\",\"code\":503}}\n\n",
            ),
            "half  | loop failed while it answered: Overloaded.".into(),
        ),
        (
            "a torn line",
            Reply::stream(text("a") + "data: {\"choices\": [\n\n"),
            "a | The answer of loop was garbled; nothing of it was run.".into(),
        ),
        (
            "more after the end",
            Reply::stream(
                text("fine")
                    + &chunk(json!({}), Some("stop"))
                    + &text("more")
                    + &tool("{}")
                    + &end("stop")
                    + &tool("{}"),
            ),
            "fine | End 10+5".into(),
        ),
        (
            "shapes of which nothing is known",
            Reply::stream(
                chunk(json!({"reasoning_content": {"x": 1}, "content": null}), None)
                    + "data: {\"x\":1}\n\ndata: 5\n\ndata: {\"choices\":\"?\",\"error\":null}\n\n"
                    + &chunk(json!({"content": [{"type": "text", "text": "fine"}]}), None)
                    + &end("stop"),
            ),
            "fine | End 10+5".into(),
        ),
        (
            "thinking under one name, then a call",
            Reply::stream(
                chunk(json!({"reasoning_content": "is ", "content": null}), None)
                    + &chunk(json!({"reasoning_content": "it\u{1b}?", "reasoning": "it?"}), None)
                    + &tool("{}")
                    + &end("tool_calls"),
            ),
            "(is )(it⟨U+001B⟩?){loop/m reasoning_content  18 Some(\"is it\\u{1b}?\") 0 0}\
             [c1 execute_code {}] | Calls 10+5"
                .into(),
        ),
        (
            "thinking under the other name, in one piece with what is said",
            Reply::stream(
                chunk(json!({"reasoning": "hm", "content": ""}), None)
                    + &chunk(json!({"reasoning": "!", "content": "fine"}), None)
                    + &end("stop"),
            ),
            "(hm)(!)fine | End 10+5".into(),
        ),
        (
            "content held back",
            Reply::stream(text("a") + &end("content_filter")),
            "a | The provider held the answer back for its content.".into(),
        ),
    ];
    for (name, reply, expected) in table {
        assert_eq!(answer(reply).await, expected, "{name}");
    }
}

#[tokio::test]
async fn a_request_says_all_and_nothing_empty() {
    let mut server = Loopback::start(vec![Reply::stream(end("stop"))]).await;
    let wire = server.wire(Api::OpenaiChat, "/v1/");
    let call = ModelCall {
        id: 1.into(),
        provider_id: "c1".to_owned(),
        name: "files.read".to_owned(),
        arguments: "{half".to_owned(),
    };
    let [plot, gone] = [b"plot", b"gone"].map(drawn);
    let result = CallResult {
        provider_id: "c1".to_owned(),
        result: ToolResult {
            ok: true,
            name: "files.read".to_owned(),
            input: Value::Null,
            content: json!({"a": 1}),
            is_error: false,
            attachments: vec![plot.clone()],
            duration_ms: 0,
        },
    };
    let request = ModelRequest {
        system: "be brief".to_owned(),
        messages: vec![
            Message::User { text: "one".to_owned(), pictures: vec![gone] },
            Message::User { text: "see".to_owned(), pictures: vec![plot.clone()] },
            Message::User { text: String::new(), pictures: vec![plot.clone()] },
            assistant(" ", vec![], vec![]),
            assistant("", vec![call], vec![]),
            Message::Results(vec![result]),
        ],
        pictures: BTreeMap::from([(plot.id, print(Format::Png, "cGxvdA=="))]),
        tools: vec![ToolDefinition {
            name: "files.read".to_owned(),
            description: "reads".to_owned(),
            schema: json!({"type": "object"}),
        }],
        ..ModelRequest::default()
    };
    assert_eq!(told(OpenaiChat::new(wire, "m-1", Some(9)).respond(request)).await, " | End 10+5");
    let seen = server.request().await;
    assert!(seen.head.starts_with("POST /v1/chat/completions HTTP/1.1"), "{}", seen.head);
    assert!(seen.head.contains(&format!("authorization: Bearer {KEY}")));
    let name = json!({"type": "text", "text": "plot.png:"});
    let url = "data:image/png;base64,cGxvdA==";
    let image = json!({"type": "image_url", "image_url": {"url": url}});
    assert_eq!(
        seen.body,
        json!({
            "model": "m-1",
            "stream": true,
            "stream_options": {"include_usage": true},
            "max_tokens": 9,
            "messages": [
                {"role": "system", "content": "be brief"},
                {"role": "user", "content": "one"},
                {"role": "user", "content": [{"type": "text", "text": "see"}, name, image]},
                {"role": "user", "content": [name, image]},
                {"role": "assistant", "content": null, "tool_calls": [{
                    "id": "c1", "type": "function",
                    "function": {"name": "files_read", "arguments": r#"{"arguments":"{half"}"#},
                }]},
                {"role": "tool", "tool_call_id": "c1", "content": r#"{"a":1}"#},
                {"role": "user", "content": [{"type": "text", "text": SHOWN}, name, image]},
            ],
            "tools": [{"type": "function", "function": {
                "name": "files_read", "description": "reads", "parameters": {"type": "object"},
            }}],
        })
    );
}

#[tokio::test]
async fn what_a_model_thought_goes_back_under_its_name_to_itself_alone() {
    let call = ModelCall {
        id: 1.into(),
        provider_id: "c1".to_owned(),
        name: "read".to_owned(),
        arguments: String::new(),
    };
    let body = async |think: Think, thoughts: Vec<Thought>| {
        let mut server = Loopback::start(vec![Reply::stream(end("stop"))]).await;
        let model = OpenaiChat::new(server.wire(Api::OpenaiChat, "/v1"), "m", None);
        let messages = vec![assistant("", vec![call.clone()], thoughts)];
        let request = ModelRequest { messages, ..ModelRequest::default() };
        told(model.thinking(think).respond(request)).await;
        server.request().await.body
    };
    for name in THINKING {
        let own = body(Think::AsProvided, vec![thought("loop/m", name, "hm\r", 0)]).await;
        assert_eq!(own["messages"][0][name], "hm\r");
        assert_eq!(own["reasoning_effort"], Value::Null);
        let foreign = body(Think::AsProvided, vec![thought("loop/other", name, "hm", 0)]).await;
        assert_eq!(foreign["messages"][0].get(name), None);
    }
    for (think, effort) in [
        (Think::Off, "none"),
        (Think::Within(1024), "low"),
        (Think::Within(8000), "medium"),
        (Think::Within(8193), "high"),
    ] {
        assert_eq!(body(think, Vec::new()).await["reasoning_effort"], effort, "{think:?}");
    }
}
