//! A long answer from a server that speaks chat completions: shown whole, keys answered meanwhile.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::mpsc,
};

use serde_json::json;

use crate::{
    support::{Place, of_type},
    terminal::App,
};

const TOKENS: usize = 20_000;

/// Answers one request with `TOKENS` tokens; the second half waits for the test.
fn serve(listener: &TcpListener, go_on: &mpsc::Receiver<()>) {
    let (mut stream, _) = listener.accept().unwrap();
    read_request(&stream);
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    for token in 0..TOKENS {
        if token == TOKENS / 2 {
            go_on.recv().unwrap();
        }
        let end = if token % 12 == 11 { "\n" } else { " " };
        chunk(&mut stream, &json!({ "content": format!("w{token}{end}") }), None);
    }
    chunk(&mut stream, &json!({}), Some("stop"));
    stream.write_all(b"data: [DONE]\n\n").unwrap();
}

pub fn chunk(stream: &mut TcpStream, delta: &serde_json::Value, finish: Option<&str>) {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
    let data = json!({ "id": "m", "object": "chat.completion.chunk", "choices": [choice] });
    stream.write_all(format!("data: {data}\n\n").as_bytes()).unwrap();
}

/// The body of a request.
pub fn read_request(stream: &TcpStream) -> Vec<u8> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    body
}

#[test]
fn a_stream_of_20_000_tokens_is_shown_whole_and_keys_are_answered_meanwhile() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (go_on, waits) = mpsc::channel();
    let server = std::thread::spawn(move || serve(&listener, &waits));

    let place = Place::new();
    let config = place.home().join("config");
    std::fs::create_dir_all(&config).unwrap();
    let provider =
        format!("[providers.loop]\napi = \"openai-chat\"\nbase_url = \"http://{address}/v1\"\n");
    std::fs::write(config.join("config.toml"), provider).unwrap();

    let mut app = App::start(&place, (40, 120), &["--model", "loop/any", "say much"]);
    app.wait_for(&format!("w{}", TOKENS / 2 - 1));
    app.press("a draft");
    app.wait_for("a draft");
    app.press("\x1bOP");
    app.wait_for("help");
    go_on.send(()).unwrap();
    app.press("\x1b");
    app.wait_for(&format!("w{}", TOKENS - 1));
    server.join().unwrap();

    let journal = place.journal();
    let streamed = of_type(&journal, "text_streamed");
    let text: String = streamed.iter().map(|line| line["text"].as_str().unwrap()).collect();
    let words: Vec<_> = text.split_whitespace().collect();
    assert_eq!(words.len(), TOKENS);
    assert!(words.iter().enumerate().all(|(at, word)| *word == format!("w{at}")));
    assert!(streamed.len() < TOKENS / 4, "many small pieces are one event");
}
