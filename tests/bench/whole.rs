//! What a person feels, measured on the whole program in a pseudo-terminal: `cargo bench`.
//!
//! Prints medians (and the 99th percentile of keys); nothing here passes or fails by time.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a bench may stop where it stands")]
#![allow(clippy::print_stdout, reason = "its output is its result")]
#![allow(clippy::disallowed_methods, reason = "it measures real time")]
#![allow(unreachable_pub, reason = "nothing is reached from outside a binary")]

mod executor;
mod sessions;
#[path = "../it/support.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod support;
#[path = "../it/terminal.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod terminal;

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use support::{Place, of_type, runs};
use terminal::App;

const LARGE: (u16, u16) = (40, 120);

/// One part of it.
type Part = (&'static str, fn());

const PARTS: [Part; 7] = [
    ("frames", first_frame),
    ("keys", keys_at_rest),
    ("stream", stream),
    ("calls", host_calls),
    ("executions", executions),
    ("seal", executor::side_by_side),
    ("sessions", sessions::many_and_long),
];

/// All of it, or the parts that are named: `cargo bench -- calls seal`.
fn main() {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let known = |word: &&String| PARTS.iter().any(|(name, _)| name == word);
    let all = !named.iter().any(|word| known(&word));
    for (name, part) in PARTS {
        if all || named.iter().any(|word| word == name) {
            part();
        }
    }
}

/// From the start of the process to a screen that can be typed on.
fn first_frame() {
    let mut frames = Vec::new();
    let mut echoes = Vec::new();
    for _ in 0..20 {
        let place = Place::new();
        let model = place.script(&runs("pass"));
        let begun = Instant::now();
        let mut app = App::start(&place, LARGE, &["--model", &model]);
        app.wait_for("Say what you want done");
        frames.push(begun.elapsed());
        app.press("q");
        app.wait_for("› q");
        echoes.push(begun.elapsed());
    }
    report("first frame", frames);
    report("first key echoed", echoes);
}

fn keys_at_rest() {
    let place = Place::new();
    let model = place.script(&runs("pass"));
    let mut app = App::start(&place, LARGE, &["--model", &model]);
    app.wait_for("Say what you want done");
    report("key to echo, at rest", echo(&mut app, 200));
    println!("{:32} {} MB", "resident, idle", resident(app.pid()) / 1024);
    let before = (app.bytes().len(), cpu(app.pid()));
    // Time in which nothing happens is what is measured here.
    std::thread::sleep(Duration::from_secs(3));
    let after = (app.bytes().len(), cpu(app.pid()));
    println!("{:32} {} bytes, {} ticks", "idle for 3 s", after.0 - before.0, after.1 - before.1);
}

/// Types letters and waits for each.
fn echo(app: &mut App, count: usize) -> Vec<Duration> {
    let mut times = Vec::new();
    let mut typed = String::new();
    for at in 0..count {
        let letter = char::from(b'a' + u8::try_from(at % 26).unwrap());
        if at % 40 == 0 {
            app.press("\x15");
            typed.clear();
        }
        typed.push(letter);
        let wanted = format!("› {typed}");
        let begun = Instant::now();
        app.press(&letter.to_string());
        app.wait_for(&wanted);
        times.push(begun.elapsed());
    }
    times
}

/// A 20,000-token answer, as fast as it can be read, while somebody types.
fn stream() {
    const TOKENS: usize = 20_000;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
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
        reader.read_exact(&mut vec![0; length]).unwrap();
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        for token in 0..TOKENS {
            let end = if token % 12 == 11 { "\n" } else { " " };
            let delta = json!({ "content": format!("w{token}{end}") });
            let data = json!({ "choices": [{ "index": 0, "delta": delta }] });
            stream.write_all(format!("data: {data}\n\n").as_bytes()).unwrap();
            if token % 200 == 0 {
                // 4,000 tokens a second: faster than any model, slow enough to type into.
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        let last = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
        stream.write_all(format!("data: {last}\n\ndata: [DONE]\n\n").as_bytes()).unwrap();
    });
    let place = Place::new();
    fs::create_dir_all(place.home().join("config")).unwrap();
    let config =
        format!("[providers.loop]\napi = \"openai-chat\"\nbase_url = \"http://{address}/v1\"\n");
    fs::write(place.home().join("config/config.toml"), config).unwrap();
    let mut app = App::start(&place, LARGE, &["--model", "loop/any", "say much"]);
    app.wait_for("w0 w1");
    let before = (cpu(app.pid()), app.bytes().len());
    report("key to echo, under a stream", echo(&mut app, 200));
    app.wait_for(&format!("w{}", TOKENS - 1));
    server.join().unwrap();
    let ticks = cpu(app.pid()) - before.0;
    println!("{:32} {:.2} s", "stream of 20,000 tokens, CPU", ticks as f64 / 100.0);
    println!(
        "{:32} {} kB",
        "stream, written to the terminal",
        (app.bytes().len() - before.1) / 1000
    );
    println!("{:32} {} MB", "resident after the stream", resident(app.pid()) / 1024);
}

/// A read from Python and back.
fn host_calls() {
    let code = "import time\nfrom footplate import files\nfiles.read('a.txt')\ntimes = []\n\
                for _ in range(2000):\n    begun = time.perf_counter()\n    files.read('a.txt')\n\
                \x20   times.append(time.perf_counter() - begun)\ntimes.sort()\n\
                print(round(times[1000] * 1e6), round(times[1980] * 1e6))\n";
    let place = Place::new();
    fs::write(place.work().join("a.txt"), "text").unwrap();
    let input = json!({ "code": code }).to_string();
    let ran = place.run(&["--mode", "auto", "--tool", "execute_code", "--tool-input", &input]);
    let result: Value = serde_json::from_str(&ran.stdout()).unwrap();
    println!("{:32} {} µs (median, p99)", "a read from Python and back", result["content"]);
}

/// An execution of nothing by a session, with all that is recorded of it.
fn executions() {
    const RUNS: usize = 20;
    let place = Place::new();
    let call = json!({ "name": "execute_code", "arguments": { "code": "pass" } });
    let turns: Vec<_> = (0..RUNS).map(|_| json!({ "calls": [call] })).collect();
    let model = place.script(&json!({ "turns": turns }));
    assert_eq!(place.run(&["exec", "--model", &model, "--mode", "auto"]).code(), 0);
    let journal = place.journal();
    let ours = of_type(&journal, "call_finished")
        .iter()
        .map(|line| Duration::from_millis(line["result"]["duration_ms"].as_u64().unwrap()))
        .collect();
    report("an execution in a session", ours);
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let (median, p99) = (times[times.len() / 2], times[times.len() * 99 / 100]);
    println!("{what:32} {:.1} ms median, {:.1} ms p99", millis(median), millis(p99));
}

/// Kilobytes.
fn resident(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse().unwrap()
}

/// Clock ticks, a hundredth of a second each, of the process so far.
fn cpu(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<_> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}
