//! What a model is sent.

use pretty_assertions::assert_eq;

use super::*;

fn image(media_type: &str, data: &str) -> Value {
    json!({"type": "image", "source": {
        "type": "base64", "media_type": media_type, "data": data,
    }})
}

fn result(id: &str, content: &str, attachments: Vec<Picture>) -> CallResult {
    CallResult {
        provider_id: id.to_owned(),
        result: ToolResult {
            ok: false,
            name: "files.read".to_owned(),
            input: Value::Null,
            content: json!(content),
            is_error: true,
            attachments,
            duration_ms: 0,
        },
    }
}

#[tokio::test]
async fn a_request_says_all_and_nothing_empty() {
    let mut server = Loopback::start(vec![Reply::stream(event(START) + &end("end_turn"))]).await;
    let wire = server.wire(Api::AnthropicMessages, "/base/");
    let call = |id: &str, arguments: &str| ModelCall {
        id: 1.into(),
        provider_id: id.to_owned(),
        name: "files.read".to_owned(),
        arguments: arguments.to_owned(),
    };
    let [plot, photo, gone] = [b"plot", b"phot", b"gone"].map(drawn);
    let request = ModelRequest {
        system: "be brief".to_owned(),
        messages: vec![
            Message::said("one"),
            assistant(" \n", vec![], vec![]),
            Message::said("two"),
            assistant("", vec![call("a.1", r#"{"path":"x"}"#), call("b", "{half")], vec![]),
            Message::Results(vec![
                result("a.1", "no", vec![plot.clone()]),
                result("b", "", vec![]),
            ]),
            Message::User { text: "three".to_owned(), pictures: vec![gone.clone()] },
            Message::User { text: " ".to_owned(), pictures: vec![photo.clone()] },
            Message::User { text: "both".to_owned(), pictures: vec![plot.clone(), photo.clone()] },
        ],
        pictures: BTreeMap::from([
            (plot.id, print(Format::Png, "cGxvdA==")),
            (photo.id, print(Format::Jpeg, "cGhvdA==")),
        ]),
        tools: vec![ToolDefinition {
            name: "files.read".to_owned(),
            description: "reads".to_owned(),
            schema: json!({"type": "object"}),
        }],
        ..ModelRequest::default()
    };
    assert_eq!(
        told(AnthropicMessages::new(wire, "m-1", Some(9)).respond(request)).await,
        " | End 10+5"
    );
    let seen = server.request().await;
    assert!(seen.head.starts_with("POST /base/v1/messages HTTP/1.1"), "{}", seen.head);
    assert!(seen.head.contains(&format!("x-api-key: {KEY}")));
    assert_eq!(
        seen.body,
        json!({
            "model": "m-1",
            "max_tokens": 9,
            "stream": true,
            "system": [{"type": "text", "text": "be brief", "cache_control": {"type": "ephemeral"}}],
            "messages": [
                {"role": "user", "content": [
                    {"type": "text", "text": "one"},
                    {"type": "text", "text": "two"},
                ]},
                {"role": "assistant", "content": [
                    {"type": "tool_use", "id": "a_1", "name": "files_read", "input": {"path": "x"}},
                    {"type": "tool_use", "id": "b", "name": "files_read", "input": {"arguments": "{half"}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "a_1", "is_error": true, "content": [
                        {"type": "text", "text": "no"},
                        image("image/png", "cGxvdA=="),
                    ]},
                    {"type": "tool_result", "tool_use_id": "b", "is_error": true, "content": []},
                    {"type": "text", "text": "three"},
                    image("image/jpeg", "cGhvdA=="),
                    {"type": "text", "text": "both"},
                    {"type": "text", "text": "plot.png:"},
                    image("image/png", "cGxvdA=="),
                    {"type": "text", "text": "phot.png:"},
                    {
                        "type": "image",
                        "source": {
                            "type": "base64", "media_type": "image/jpeg", "data": "cGhvdA==",
                        },
                        "cache_control": {"type": "ephemeral"},
                    },
                ]},
            ],
            "tools": [{"name": "files_read", "description": "reads", "input_schema": {"type": "object"}}],
        })
    );
}

/// The body of the request for this conversation with a model that is asked to think like that.
async fn asked(think: Think, purpose: Purpose, messages: Vec<Message>) -> Value {
    let mut server = Loopback::start(vec![Reply::stream(event(START) + &end("end_turn"))]).await;
    let model = AnthropicMessages::new(server.wire(Api::AnthropicMessages, ""), "m", Some(2000));
    let request = ModelRequest { messages, purpose, ..ModelRequest::default() };
    told(model.thinking(think).respond(request)).await;
    server.request().await.body
}

fn reads(id: &str) -> ModelCall {
    ModelCall {
        id: 1.into(),
        provider_id: id.to_owned(),
        name: "read".to_owned(),
        arguments: String::new(),
    }
}

#[tokio::test]
async fn what_a_model_thought_goes_back_unchanged_and_in_its_places_to_itself_alone() {
    let thoughts = |from: &str| {
        let kinds = [("redacted_thinking", "", 0), ("thinking", " a\r\u{1b}", 5)];
        let of = |(kind, words, at)| thought(from, kind, words, at);
        let mut all: Vec<_> = kinds.map(of).into();
        all.push(Thought { after_calls: 1, ..thought(from, "thinking", "b", 11) });
        all
    };
    let conversation = |from: &str| {
        let answer = assistant("so it: goes", vec![reads("a"), reads("b")], thoughts(from));
        let results = vec![result("a", "1", vec![]), result("b", "2", vec![])];
        vec![Message::said("go"), answer, Message::Results(results)]
    };
    let content = async |from: &str| {
        let body = asked(Think::AsProvided, Purpose::Turn, conversation(from)).await;
        assert_eq!(body["thinking"], Value::Null);
        body["messages"][1]["content"].clone()
    };
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "read", "input": {}});
    assert_eq!(
        content("loop/m").await,
        json!([
            {"type": "redacted_thinking", "data": "c2ln"},
            {"type": "text", "text": "so it"},
            {"type": "thinking", "thinking": " a\r\u{1b}", "signature": "c2ln"},
            {"type": "text", "text": ": goes"},
            call("a"),
            {"type": "thinking", "thinking": "b", "signature": "c2ln"},
            call("b"),
        ])
    );
    let without = json!([{"type": "text", "text": "so it: goes"}, call("a"), call("b")]);
    assert_eq!(content("loop/other").await, without);
}

#[tokio::test]
async fn thinking_is_asked_for_where_a_person_set_it_and_not_amid_calls_without_it() {
    let amid = |thoughts: Vec<Thought>| {
        let results = Message::Results(vec![result("a", "1", vec![])]);
        vec![Message::said("go"), assistant("", vec![reads("a")], thoughts), results]
    };
    let said = || vec![Message::said("go")];
    let own = || vec![thought("loop/m", "thinking", "hm", 0)];
    let enabled = json!({"type": "enabled", "budget_tokens": 4000});
    let asks = [
        (Think::AsProvided, Purpose::Turn, said(), Value::Null, 2000),
        (Think::Off, Purpose::Turn, said(), json!({"type": "disabled"}), 2000),
        (Think::Within(4000), Purpose::Turn, said(), enabled.clone(), 8096),
        (Think::Within(4000), Purpose::Summary, said(), Value::Null, 2000),
        (Think::Within(4000), Purpose::Turn, amid(own()), enabled, 8096),
        (Think::Within(4000), Purpose::Turn, amid(vec![]), Value::Null, 2000),
    ];
    for (think, purpose, messages, thinking, most) in asks {
        let body = asked(think, purpose, messages).await;
        assert_eq!(
            (&body["thinking"], &body["max_tokens"]),
            (&thinking, &json!(most)),
            "{think:?}"
        );
    }
}
