use pretty_assertions::assert_eq;
use tokio::sync::oneshot;

use super::*;
use crate::{
    kernel::{
        port::{Model as _, ModelRequest, Refused},
        provider::Sees,
    },
    model::{
        loopback::{KEY, Loopback, Piece, Reply, patience, told},
        openai_chat::OpenaiChat,
    },
};

const FINE: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"fine\"},\"finish_reason\":\"stop\"}]}\n\n\
                    data: [DONE]\n\n";
const HALF: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n";
const LATER: &str = r#"{"error":{"type":"x","message":"try later"}}"#;

fn ask(server: &Loopback, patience: Patience) -> mpsc::Receiver<Result<Delta, ModelError>> {
    let wire = server.patient_wire(Api::OpenaiChat, "/v1", patience);
    OpenaiChat::new(wire, "m", None).respond(ModelRequest::default())
}

async fn error(mut receiver: mpsc::Receiver<Result<Delta, ModelError>>) -> ModelError {
    let mut last = None;
    while let Some(delta) = receiver.recv().await {
        last = Some(delta);
    }
    last.unwrap().unwrap_err()
}

/// The whole of the last words, not their first line.
async fn failure(receiver: mpsc::Receiver<Result<Delta, ModelError>>) -> String {
    error(receiver).await.message
}

#[tokio::test]
async fn a_passing_trouble_before_any_content_is_tried_again() {
    for head in [
        "429 Too Many Requests\r\nretry-after: 0",
        "529 Overloaded",
        "500 Internal Server Error",
        "503 Service Unavailable\r\nretry-after: Sun, 06 Nov 1994 08:49:37 GMT",
    ] {
        let server = Loopback::start(vec![Reply::status(head, LATER), Reply::stream(FINE)]).await;
        assert_eq!(told(ask(&server, patience())).await, "fine | End 0+0", "{head}");
    }
    let early = "data: {\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n";
    for stream in ["", early] {
        let server = Loopback::start(vec![Reply::stream(stream), Reply::stream(FINE)]).await;
        assert_eq!(told(ask(&server, patience())).await, "fine | End 0+0", "{stream}");
    }
}

#[tokio::test]
async fn each_wait_is_told_with_its_cause_before_it_begins() {
    let early = "data: {\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n";
    let replies = vec![
        Reply::status("429 Slow\r\nretry-after: 0", LATER),
        Reply::stream(early),
        Reply::stream(FINE),
    ];
    let server = Loopback::start(replies).await;
    let mut receiver = ask(&server, patience());
    let mut waits = Vec::new();
    while let Some(Ok(delta)) = receiver.recv().await {
        if let Delta::Delayed(delay) = delta {
            waits.push((delay.why, delay.next, delay.of));
        }
    }
    let expected = [("429 too many requests".to_owned(), 2, 3), ("overloaded".to_owned(), 3, 3)];
    assert_eq!(waits, expected);
    let server = Loopback::start(vec![Reply::status("529 Busy", ""), Reply::stream(FINE)]).await;
    let first = ask(&server, patience()).recv().await.unwrap().unwrap();
    assert!(matches!(&first, Delta::Delayed(delay) if delay.why == "529 overloaded"), "{first:?}");
}

#[tokio::test]
async fn tries_are_counted_and_what_lasts_is_tried_once() {
    #[track_caller]
    fn replies(head: &str, body: &str) -> Vec<Reply> {
        (0..5).map(|_| Reply::status(head, body)).collect()
    }
    let quota = r#"{"error":{"code":"insufficient_quota","message":"pay"}}"#;
    let echoes = format!(r#"{{"error":{{"message":"no such key: {KEY}"}}}}"#);
    for (head, body, requests, expected) in [
        (
            "500 Oops",
            LATER,
            3,
            "loop has trouble (500): try later.\nWait a little, then send the message again.",
        ),
        (
            "429 Slow\r\nretry-after: 3600",
            LATER,
            1,
            "loop takes no more requests just now (429): try later.\n\
             Wait a little, then send the message again.",
        ),
        (
            "429 Pay",
            quota,
            1,
            "The quota at loop is used up (429): pay.\nLook at the account of LOOP_KEY.",
        ),
        (
            "400 Bad",
            r#"[{"error":{"message":"prompt is\ntoo long."}}]"#,
            1,
            "loop refused the request (400): prompt is too long.\n\
             Send less at once, or begin a new session.",
        ),
        (
            "400 Bad",
            r#"{"error":{"message":"This model does not support image input"}}"#,
            1,
            "loop refused the request (400): This model does not support image input.\n\
             If its model takes no pictures, set pictures = false in [providers.loop] of \
             config.toml, or choose another model; /rewind goes back to before the picture.",
        ),
        ("401 Who", &echoes, 1, "loop refused the key (401): no such key: [key].\nCheck LOOP_KEY."),
        (
            "307 Gone\r\nlocation: http://127.0.0.1:1/",
            "",
            1,
            "loop has moved to another address (307).\nSet base_url to the address it has now.",
        ),
    ] {
        let server = Loopback::start(replies(head, body)).await;
        assert_eq!(failure(ask(&server, patience())).await, expected);
        assert_eq!(server.requests_left(), requests, "{head}");
    }
}

#[tokio::test]
async fn a_refusal_for_length_is_told_from_any_other() {
    let openai = r#"{"error":{"code":"context_length_exceeded","message":"Your input is long"}}"#;
    let llama = r#"{"error":{"code":400,"type":"exceed_context_size_error","message":"big"}}"#;
    let anthropic = r#"{"type":"error","error":{"type":"invalid_request_error",
        "message":"prompt is too long: 216304 tokens > 200000 maximum"}}"#;
    let vllm = r#"{"message":"This model's maximum context length is 4096 tokens. However"}"#;
    let gemini = r#"[{"error":{"status":"INVALID_ARGUMENT","message":
        "The input token count (1100000) exceeds the maximum number of tokens allowed"}}]"#;
    for (head, body, expected) in [
        ("400 Bad", openai, Refused::TooLong),
        ("400 Bad", llama, Refused::TooLong),
        ("400 Bad", anthropic, Refused::TooLong),
        ("400 Bad", vllm, Refused::TooLong),
        ("400 Bad", gemini, Refused::TooLong),
        ("413 Large", "", Refused::TooLong),
        ("400 Bad", r#"{"error":{"message":"max_tokens is too large"}}"#, Refused::Otherwise),
        ("401 Who", anthropic, Refused::Otherwise),
        ("500 Oops", LATER, Refused::Otherwise),
    ] {
        let replies = (0..5).map(|_| Reply::status(head, body)).collect();
        let server = Loopback::start(replies).await;
        let error = error(ask(&server, patience())).await;
        assert_eq!(error.refused, expected, "{head} {body}");
    }
}

#[tokio::test]
async fn after_content_nothing_is_asked_again() {
    let server = Loopback::start(vec![Reply::broken(HALF), Reply::stream(FINE)]).await;
    let told = told(ask(&server, patience())).await;
    assert!(told.starts_with("half | The answer of loop was cut off: "), "{told}");
    assert_eq!(server.requests_left(), 1);
}

#[tokio::test]
async fn text_is_handed_on_when_it_comes_and_not_at_the_end() {
    let (open, gate) = oneshot::channel();
    let pieces = vec![Piece::Bytes(HALF.into()), Piece::Gate(gate), Piece::Bytes(FINE.into())];
    let server = Loopback::start(vec![Reply::pieces(pieces)]).await;
    let mut receiver = ask(&server, patience());
    assert_eq!(receiver.recv().await, Some(Ok(Delta::Text("half".to_owned()))));
    open.send(()).unwrap();
    assert_eq!(told(receiver).await, "fine | End 0+0");
}

#[tokio::test]
async fn a_stream_that_falls_silent_is_given_up_with_what_came() {
    let (_open, gate) = oneshot::channel();
    let pieces = vec![Piece::Bytes(HALF.into()), Piece::Gate(gate)];
    let server = Loopback::start(vec![Reply::pieces(pieces)]).await;
    let short = Patience { idle: Duration::from_millis(20), ..patience() };
    assert_eq!(told(ask(&server, short)).await, "half | loop was silent for 0 s.");
}

#[tokio::test]
async fn the_connection_is_closed_when_nobody_listens_any_more() {
    let (hung_up, gone) = oneshot::channel();
    let pieces = vec![Piece::Bytes(HALF.into()), Piece::HangUp(hung_up)];
    let server = Loopback::start(vec![Reply::pieces(pieces)]).await;
    let mut receiver = ask(&server, patience());
    receiver.recv().await.unwrap().unwrap();
    drop(receiver);
    gone.await.unwrap();
}

#[tokio::test]
async fn nobody_there_is_told_with_the_address() {
    // Nobody else gets the port, and nobody listens there.
    let taken = tokio::net::TcpSocket::new_v4().unwrap();
    taken.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = taken.local_addr().unwrap();
    let provider = Provider {
        name: "ollama".to_owned(),
        api: Api::OpenaiChat,
        base_url: format!("http://user:{KEY}@{address}/v1"),
        api_key_env: None,
        max_tokens: None,
        context_tokens: None,
        sees: Sees::Pictures,
        think: crate::kernel::provider::Think::AsProvided,
        model: None,
    };
    let wire = Wire::new(&provider, None, patience()).unwrap();
    let message = failure(OpenaiChat::new(wire, "m", None).respond(ModelRequest::default())).await;
    assert!(message.starts_with(&format!("Cannot reach ollama at {address}: ")), "{message}");
    assert!(!message.contains(KEY), "{message}");
}

#[test]
fn a_key_is_in_no_debug_text_and_a_bad_address_or_key_is_refused() {
    let provider = |base_url: &str| Provider {
        name: "p".to_owned(),
        api: Api::AnthropicMessages,
        base_url: base_url.to_owned(),
        api_key_env: Some("P_KEY".to_owned()),
        max_tokens: None,
        context_tokens: None,
        sees: Sees::Pictures,
        think: crate::kernel::provider::Think::AsProvided,
        model: None,
    };
    let key = |key: &str| Some(SecretString::from(key));
    let wire = Wire::new(&provider("https://x.example"), key(KEY), patience()).unwrap();
    assert!(!format!("{wire:?}").contains(KEY));
    for base_url in ["", "x.example/v1", "ftp://x.example", "http://"] {
        let fault = Wire::new(&provider(base_url), None, patience()).unwrap_err();
        assert_eq!(fault.what, "its base_url is no http address", "{base_url}");
    }
    let fault = Wire::new(&provider("https://x.example"), key("a\nb"), patience()).unwrap_err();
    assert_eq!(fault.hint, "check P_KEY");
}
