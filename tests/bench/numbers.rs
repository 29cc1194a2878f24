//! The numbers that are promised of the screen, each beside its limit: the whole program in a
//! pseudo-terminal of 120×40.

use std::{
    fmt::Write as _,
    fs,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use footplate::{kernel::id::SessionId, store::DiskStore};
use serde_json::{Value, json};

use super::{
    glass::Glass,
    server::{MODEL, Server},
    sessions::{LONG, long, turns},
    support::{Place, of_type, runs, uv},
};

/// Starts of the program for one number.
const STARTS: usize = 20;
const KEYS: usize = 200;
const TOKENS: usize = 20_000;

/// What an idle screen with a model says.
const READY: &str = "Say what you want done";
const SAID_LAST: &str = "That was all.";

/// The rows, by the names they are asked for with.
pub const ROWS: [(&str, fn()); 11] = [
    ("start", starts),
    ("rest", keys_at_rest),
    ("stream", keys_under_a_stream),
    ("child", keys_under_a_child),
    ("tokens", flood_of_tokens),
    ("output", flood_of_output),
    ("gigabyte", a_gigabyte),
    ("large", large_in_view),
    ("lived", thousand_turns_lived),
    ("resume", resumes),
    ("long", long_resumed),
];

/// What the columns are, and how busy the machine is.
pub fn head() {
    let load = fs::read_to_string("/proc/loadavg").unwrap();
    println!("load: {}", load.trim());
    row("what", "at most", "found");
}

fn row(what: &str, limit: &str, found: &str) {
    println!("{what:56} {limit:>14} {found:>22}");
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn spread(times: &[Duration]) -> String {
    let mut times = times.to_vec();
    times.sort();
    let (median, p99) = (times[times.len() / 2], times[times.len() * 99 / 100]);
    format!("{:.1} / {:.1} ms", ms(median), ms(p99))
}

fn megabytes(kilobytes: u64) -> String {
    format!("{:.1} MB", kilobytes as f64 / 1024.0)
}

fn ready(place: &Place) -> Glass {
    let model = place.script(&runs("pass"));
    let mut glass = Glass::start(place, &["--model", &model]);
    glass.shows(READY);
    glass
}

fn starts() {
    let (mut frames, mut echoes) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let place = Place::new();
        let model = place.script(&runs("pass"));
        let mut glass = Glass::start(&place, &["--model", &model]);
        frames.push(glass.shows(READY) - glass.begun);
        glass.press("q");
        echoes.push(glass.shows("› q") - glass.begun);
    }
    row("exec to first frame", "15 ms", &format!("{:.1} ms", ms(median(frames))));
    row("exec to a key echoed", "30 ms", &format!("{:.1} ms", ms(median(echoes))));
}

fn keys_at_rest() {
    let place = Place::new();
    let mut glass = ready(&place);
    let idle = glass.resident();
    row("key to echo, idle: p50 / p99", "2.5 / 10 ms", &spread(&glass.echoes(KEYS)));
    glass.press("\x15");
    glass.rest(Duration::from_secs(1));
    let before = (glass.cpu(), glass.written());
    glass.rest(Duration::from_secs(10));
    let (cpu, bytes) = (glass.cpu() - before.0, glass.written() - before.1);
    let share = 100.0 * cpu.as_secs_f64() / 10.0;
    row("idle for 10 s: CPU, bytes", "0.0 %, 0", &format!("{share:.1} %, {bytes}"));
    row("resident at idle", "40 MB", &megabytes(idle));
}

fn keys_under_a_stream() {
    let place = Place::new();
    let server = Server::start(&place, 1_000_000, Duration::from_micros(2_500));
    let mut glass = Glass::start(&place, &["--model", MODEL, "say much"]);
    glass.shows("w0");
    server.go_on();
    glass.shows("w400");
    let times = glass.echoes(KEYS);
    row("key to echo, 400 tokens a second", "2.5 / 10 ms", &spread(&times));
    drop(glass);
    server.join();
}

/// A session whose model runs that, unasked.
fn running(place: &Place, code: &str) -> Glass {
    let model = place.script(&runs(code));
    Glass::start(place, &["--model", &model, "--mode", "auto", "run it"])
}

fn keys_under_a_child() {
    let place = Place::new();
    let code = "import os\nlines = b'a line of output with some words in it\\n' * 1600\n\
                while True:\n    os.write(1, lines)\n";
    let mut glass = running(&place, code);
    glass.shows("a line of output");
    let times = glass.echoes(KEYS);
    row("key to echo, a child printing without pause", "2.5 / 10 ms", &spread(&times));
}

fn flood_of_tokens() {
    let (mut times, mut bytes) = (Vec::new(), 0);
    for _ in 0..3 {
        let place = Place::new();
        let server = Server::start(&place, TOKENS, Duration::ZERO);
        let mut glass = Glass::start(&place, &["--model", MODEL, "say much"]);
        glass.shows("w0");
        glass.rest(Duration::from_millis(200));
        let before = (glass.cpu(), glass.written());
        server.go_on();
        glass.shows(&format!("w{}", TOKENS - 1));
        glass.rest(Duration::from_millis(500));
        times.push(glass.cpu() - before.0);
        bytes = glass.written() - before.1;
        server.join();
    }
    let cpu = median(times).as_secs_f64();
    let found = format!("{cpu:.2} s, {:.2} MB", bytes as f64 / 1e6);
    row("20,000 tokens at once: CPU, bytes to the terminal", "0.8 s, 0.1 MB", &found);
}

const PRINTS: &str = "import os\nlines = b'a line of output with some words in it, that is all.\\n' * 1000\n\
                      for _ in range(1000):\n    os.write(1, lines)\n";

fn flood_of_output() {
    let (mut ours, mut theirs, mut grown) = (Vec::new(), Vec::new(), 0);
    for _ in 0..5 {
        let place = Place::new();
        let script = place.work().join("prints.py");
        fs::write(&script, PRINTS).unwrap();
        let venv = place.home().join("bare");
        assert!(Command::new(uv()).args(["venv", "-q"]).arg(&venv).status().unwrap().success());
        theirs.push(through_cat(&script, &venv));
        // The first makes ready what is kept.
        assert!(place.run(&["exec", "--model", &place.script(&runs("pass")), "go"]).code() == 0);
        let mut glass = ready(&place);
        drop(glass);
        glass = running(&place, &format!("import time\ntime.sleep(0.5)\n{PRINTS}"));
        glass.shows("run it");
        let before = glass.resident();
        glass.forget_peak();
        glass.shows(SAID_LAST);
        grown = grown.max(glass.peak().saturating_sub(before));
        let journal = place.journals().pop().unwrap();
        let ran = of_type(&journal, "execution_finished")[0]["ran_ms"].as_u64().unwrap();
        ours.push(Duration::from_millis(ran - 500));
    }
    let ratio = median(ours).as_secs_f64() / median(theirs).as_secs_f64();
    row(
        "55 MB printed by a child: over `cmd | cat`, growth",
        "1.3 ×, 16 MB",
        &format!("{ratio:.2} ×, {}", megabytes(grown)),
    );
}

fn through_cat(script: &std::path::Path, venv: &std::path::Path) -> Duration {
    let begun = Instant::now();
    let mut uv = Command::new(uv());
    uv.args(["run", "--no-project", "--offline", "python"]).arg(script).env("VIRTUAL_ENV", venv);
    let mut uv = uv.stdout(Stdio::piped()).spawn().unwrap();
    let mut cat = Command::new("cat");
    let mut cat = cat.stdin(uv.stdout.take().unwrap()).stdout(Stdio::null()).spawn().unwrap();
    assert!(uv.wait().unwrap().success() && cat.wait().unwrap().success());
    begun.elapsed()
}

fn a_gigabyte() {
    let place = Place::new();
    let code = PRINTS.replace("range(1000)", "range(18500)");
    let mut glass = running(&place, &code);
    glass.shows(SAID_LAST);
    row("resident while a child prints 1 GB", "80 MB", &megabytes(glass.peak()));
}

fn large_in_view() {
    for (what, code) in [
        (
            "a frame with a 100,000-line output in view",
            "for n in range(100_000):\n    print('line', n)\n",
        ),
        ("a frame with a 10 MB line in view", "print('valve ' * (10 * 1024 * 1024 // 6))\n"),
    ] {
        let place = Place::new();
        let mut glass = running(&place, code);
        glass.shows(SAID_LAST);
        // A key to its echo, which is a frame and a little more.
        row(what, "8 ms", &spread(&glass.echoes(KEYS)));
    }
}

fn thousand_turns_lived() {
    let place = Place::new();
    // A word takes its time here, and this is one.
    let text = "the-valve-was-open,-so-the-steam-went-out;".repeat(12);
    // What cannot be parsed does not run, so that a turn takes no time.
    let code = format!("{}\nprint(", "steam = 'a line of code'\n".repeat(12));
    let call = json!({ "name": "execute_code", "arguments": { "code": code } });
    let mut turns: Vec<Value> =
        (0..999).map(|_| json!({ "text": text, "calls": [call] })).collect();
    turns.push(json!({ "text": SAID_LAST }));
    let model = place.script(&json!({ "turns": turns }));
    fs::create_dir_all(place.home().join("config")).unwrap();
    let mut config = String::new();
    writeln!(config, "[limits]\nturns = 2000").unwrap();
    fs::write(place.home().join("config/config.toml"), config).unwrap();
    let mut glass = Glass::start(&place, &["--model", &model, "work"]);
    glass.shows(SAID_LAST);
    glass.rest(Duration::from_secs(1));
    row("resident after 1,000 turns, lived", "60 MB", &megabytes(glass.resident()));
}

/// Starts the program with a session as it was left, until its last words are there and a key of
/// somebody is echoed.
fn carry_on(place: &Place, id: SessionId) -> (Glass, Duration) {
    let mut glass = Glass::start(place, &["--resume", &id.to_string()]);
    glass.shows("›");
    glass.press("q");
    glass.shows("› q");
    let at = glass.shows(SAID_LAST);
    let time = at - glass.begun;
    (glass, time)
}

fn resumes() {
    resumed(100, "60 ms");
    resumed(1_000, "150 ms");
}

fn resumed(count: usize, limit: &str) {
    let place = Place::new();
    let store = DiskStore::new(place.home().join("data"));
    let id = turns(&store, count, &place.work());
    let mut times = Vec::new();
    let mut resident = 0;
    for _ in 0..9 {
        let (mut glass, time) = carry_on(&place, id);
        times.push(time);
        glass.rest(Duration::from_millis(500));
        resident = glass.resident();
    }
    let journal = place.home().join(format!("data/sessions/{id}/journal.jsonl"));
    let size = megabytes(journal.metadata().unwrap().len() >> 10);
    row(
        &format!("resume of {count} turns ({size}) to a key echoed"),
        limit,
        &format!("{:.1} ms", ms(median(times))),
    );
    row(&format!("resident after {count} turns, resumed"), "60 MB", &megabytes(resident));
}

/// Journals as months of work leave them: what is kept must not follow their length.
fn long_resumed() {
    let (found, rests) = opened(LONG, 5);
    row("resume of 100 MB to a key echoed, most memory", "1000 ms", &found);
    row("resident ten seconds after that", "60 MB", &rests);
    let (found, rests) = opened(3 * LONG, 3);
    row("resume of 300 MB to a key echoed, most memory", "3000 ms", &found);
    row("resident ten seconds after that", "80 MB", &rests);
}

/// How long it takes to open one of so many bytes and the most memory until then, the median of some; and
/// what is kept when all of it was read.
fn opened(bytes: u64, times: usize) -> (String, String) {
    let place = Place::new();
    let store = DiskStore::new(place.home().join("data"));
    let id = long(&store, &place.work(), bytes);
    let mut took = Vec::new();
    let mut glass = None;
    for _ in 0..times {
        drop(glass.take());
        let (opened, time) = carry_on(&place, id);
        took.push(time);
        glass = Some(opened);
    }
    let Some(mut glass) = glass else { return Default::default() };
    let peak = glass.peak();
    // The older part is read once its end stands on the screen.
    glass.rest(Duration::from_secs(10));
    let found = format!("{:.0} ms, {}", ms(median(took)), megabytes(peak));
    (found, megabytes(glass.resident()))
}
