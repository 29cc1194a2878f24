//! What a person feels, measured on the whole program in a pseudo-terminal: `cargo bench`.
//!
//! Prints medians (and the 99th percentile of keys); nothing here passes or fails by time.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a bench may stop where it stands")]
#![allow(clippy::print_stdout, reason = "its output is its result")]
#![allow(clippy::disallowed_methods, reason = "it measures real time")]
#![allow(unreachable_pub, reason = "nothing is reached from outside a binary")]

mod executor;
mod glass;
mod numbers;
mod server;
mod sessions;
#[path = "../it/support.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod support;

use std::{fs, time::Duration};

use serde_json::{Value, json};

use support::{Place, of_type};

/// One part of it.
type Part = (&'static str, fn());

const PARTS: [Part; 4] = [
    ("calls", host_calls),
    ("executions", executions),
    ("seal", executor::side_by_side),
    ("sessions", sessions::many_and_long),
];

/// All of it, or the parts that are named: `cargo bench -- calls seal`. The rows of the table are
/// `numbers`, or each by its own name.
fn main() {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let chosen = |name: &str| named.iter().any(|word| word == name);
    let known = |(name, _): &Part| chosen(name);
    let all = !numbers::ROWS.iter().chain(&PARTS).any(known) && !chosen("numbers");
    let rows: Vec<_> =
        numbers::ROWS.iter().filter(|row| all || chosen("numbers") || known(row)).collect();
    if !rows.is_empty() {
        numbers::head();
    }
    let parts = PARTS.iter().filter(|part| all || known(part));
    rows.into_iter().chain(parts).for_each(|(_, part)| part());
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
