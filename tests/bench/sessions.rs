//! Many sessions, and a long one: how long it takes to list, open, show and search them, and how much
//! memory that is.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use footplate::{
    kernel::{
        capability::Category,
        event::{Call, Decider, Decision, Event, Origin, Outcome, Stop},
        gate::subject::Subject,
        id::{CallId, SessionId},
        invoke::ToolResult,
        message::{ModelCall, Usage},
        port::{Journal, Store as _},
        session::fold::Folding,
        spec::{Limits, Mode, SessionSpec},
    },
    store::DiskStore,
};
use serde_json::json;

use super::{report, support::Place};

const MANY: usize = 10_000;
pub const LONG: u64 = 100 << 20;
/// Turns after which the conversation is summed up.
const SUMMED: u32 = 60;

pub fn many_and_long() {
    // The long one first: what is free of the memory that the many took would not be seen to grow.
    long_one();
    many();
}

fn many() {
    let place = Place::new();
    let store = DiskStore::new(place.home().join("data"));
    for number in 0..MANY {
        let journal = store.create(spec(Path::new("/home/ada/engine"))).unwrap();
        let text = format!("mend part {number} of the engine, and say what it was");
        say(&*journal, Event::said(text));
        say(&*journal, Event::TextStreamed { text: "It was a valve. ".repeat(40) });
    }
    report("10,000 sessions listed, in the program", times(|| drop(store.list().unwrap())));
    report("and by the command", times(|| ran(&place, &["sessions", "list"])));
    report("and searched", times(|| ran(&place, &["sessions", "search", "nowhere"])));
}

fn long_one() {
    let place = Place::new();
    let store = DiskStore::new(place.home().join("data"));
    let id = long(&store, Path::new("/home/ada/engine"), LONG);
    let file = place.home().join(format!("data/sessions/{id}/journal.jsonl"));
    let megabytes = file.metadata().unwrap().len() >> 20;
    println!("{:40} {megabytes} MB", "a long journal");
    report_with_memory("opened and folded", || {
        let mut folding = Folding::default();
        let opened = store.open(id, &mut |envelope| folding.take(envelope)).unwrap();
        assert!(folding.session().unwrap().turns > 0 && opened.notice.is_none());
    });
    report("listed", times(|| drop(store.list().unwrap())));
    report("shown by the command", times(|| ran(&place, &["sessions", "show", &id.to_string()])));
    let words = ["nowhere".to_owned()];
    report_with_memory("searched", || {
        store.search(&words, &|| true, &mut |_| panic!("it is not there")).unwrap();
    });
}

fn report_with_memory(what: &str, work: impl FnMut()) {
    let before = forget_peak();
    report(what, times(work));
    let (most, before) = (peak() >> 10, before >> 10);
    println!("{:40} {most} MB, {before} before", "the whole bench's memory at most");
}

fn spec(workspace: &Path) -> SessionSpec {
    SessionSpec {
        id: SessionId::fresh(),
        parent: None,
        path: vec!["main".to_owned()],
        workspace: workspace.to_owned(),
        model: "scripted:tour".to_owned(),
        mode: Mode::Default,
        tools: vec!["execute_code".to_owned()],
        modules: vec!["files".to_owned(), "process".to_owned()],
        limits: Limits::default(),
        instructions: String::new(),
        agents: None,
        view: Default::default(),
        worktree: None,
        workflow: None,
    }
}

fn say(journal: &dyn Journal, event: Event) {
    journal.append(event, &|_| {}).unwrap();
}

/// A session as months of work would leave it, of about that many bytes.
pub fn long(store: &DiskStore, workspace: &Path, bytes: u64) -> SessionId {
    // About what a turn of this kind comes to on disk.
    worked(store, workspace, usize::try_from(bytes / 14_000).unwrap(), (20, 60, 100))
}

/// A session of that many turns of a usual size.
pub fn turns(store: &DiskStore, count: usize, workspace: &Path) -> SessionId {
    worked(store, workspace, count, (5, 12, 20))
}

/// Words in pieces, scripts, results: so many pieces of each, turn by turn.
fn worked(
    store: &DiskStore,
    workspace: &Path,
    count: usize,
    (words, code, output): (usize, usize, usize),
) -> SessionId {
    let spec = spec(workspace);
    let id = spec.id;
    let journal = store.create(spec).unwrap();
    for turn in 1..=u32::try_from(count).unwrap() {
        let call = CallId::fresh();
        say(&*journal, Event::said(format!("part {turn}, please")));
        say(&*journal, Event::TurnStarted { turn: 2 * turn - 1, model: "m".to_owned() });
        for _ in 0..words {
            let text = "and so the valve is \"open\"\nfor the steam ".repeat(3);
            say(&*journal, Event::TextStreamed { text });
        }
        let input = json!({ "code": "import os\nprint('steam')\n".repeat(code / 2) });
        let asked = ModelCall {
            id: call,
            name: "execute_code".to_owned(),
            arguments: input.to_string(),
            provider_id: String::new(),
        };
        say(&*journal, ended(Stop::Calls, vec![asked]));
        let started = Call {
            id: call,
            name: "execute_code".to_owned(),
            input: input.clone(),
            origin: Origin::Model,
            parent: None,
        };
        say(
            &*journal,
            Event::CallStarted {
                call: started,
                category: Category::Read,
                decision: Decision::allowed(Decider::Person),
                subject: Subject::Other,
            },
        );
        let result = ToolResult {
            ok: true,
            name: "execute_code".to_owned(),
            input,
            content: "a line of output with some words in it\n".repeat(output).into(),
            is_error: false,
            attachments: Vec::new(),
            duration_ms: 5,
        };
        let (parent, origin, decision) = (None, Origin::Model, None);
        say(&*journal, Event::CallFinished { call, parent, origin, result, decision });
        say(&*journal, Event::TurnStarted { turn: 2 * turn, model: "m".to_owned() });
        say(&*journal, Event::TextStreamed { text: "That was all.".to_owned() });
        say(&*journal, ended(Stop::End, Vec::new()));
        say(&*journal, Event::ExchangeFinished { outcome: Outcome::Done });
        if turn % SUMMED == 0 {
            // All but the last of them, which is as much as a model takes.
            let summarised = usize::try_from(4 * (SUMMED - 1)).unwrap();
            let (summary, usage) = ("The valve was open.".repeat(20), Usage::default());
            say(&*journal, Event::ContextCompacted { summarised, summary, usage });
        }
    }
    id
}

fn ended(stop: Stop, calls: Vec<ModelCall>) -> Event {
    let usage = Usage { input: 1_000, output: 100, ..Usage::default() };
    Event::TurnFinished { stop, usage, calls, thoughts: Vec::new() }
}

fn times(mut work: impl FnMut()) -> Vec<Duration> {
    let one = |_| {
        let begun = Instant::now();
        work();
        begun.elapsed()
    };
    (0..5).map(one).collect()
}

fn ran(place: &Place, arguments: &[&str]) {
    assert_eq!(place.run(arguments).code(), 0);
}

/// Lets the highest use of memory be counted anew, and gives what is used now, in kilobytes.
fn forget_peak() -> u64 {
    fs::write("/proc/self/clear_refs", "5").unwrap();
    peak()
}

/// Kilobytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse().unwrap()
}
