use jiff::Timestamp;
use serde_json::json;

use super::*;
use crate::kernel::{
    error::CallError,
    event::{Decision, Origin},
    gate::subject::Subject,
    invoke::interrupted,
    spec::Mode,
};

/// A journal in the making.
#[derive(Default)]
struct Journal(Vec<Arc<Envelope>>);

const PYTHON: Origin = Origin::Python { line: None };

impl Journal {
    fn event(mut self, event: Event) -> Self {
        let (seq, at) = (self.0.len() as u64 + 1, Timestamp::UNIX_EPOCH);
        let envelope = Envelope { v: 1, seq, at, session: 1.into(), event };
        self.0.push(Arc::new(envelope));
        self
    }

    fn begins(self, id: u128, name: &str, category: Category) -> Self {
        let (input, parent) = (json!({ "of": id }), Some(500.into()));
        let call = Call { id: id.into(), name: name.to_owned(), input, origin: PYTHON, parent };
        let decision = Decision::allowed(Decider::Mode { mode: Mode::Auto });
        self.event(Event::CallStarted { call, category, decision, subject: Subject::Other })
    }

    fn ends(
        self,
        id: u128,
        name: &str,
        came: Result<&str, CallError>,
        by: Option<Decider>,
    ) -> Self {
        let ok = came.is_ok();
        let content = came.map_or_else(|error| error.payload(), |text| json!(text));
        let result = ToolResult {
            ok,
            name: name.to_owned(),
            input: json!({ "of": id }),
            content,
            is_error: !ok,
            attachments: Vec::new(),
            duration_ms: 1,
        };
        let decision = by.map(|by| Decision { allowed: ok, by, category: None });
        let (call, parent) = (id.into(), Some(500.into()));
        self.event(Event::CallFinished { call, parent, origin: PYTHON, result, decision })
    }

    fn made(self, id: u128, name: &str) -> Self {
        self.begins(id, name, Category::Write).ends(id, name, Ok("done"), None)
    }

    fn record(&self) -> Record {
        Record::of(7.into(), &self.0)
    }
}

/// What becomes of these calls: their result's text, or `new`, or `unknown`.
fn asked(record: &Record, calls: &[(u128, &str)]) -> Vec<String> {
    let next = calls.iter().map(|(id, name)| match record.next(name, &json!({ "of": id })) {
        Next::Made(result, _) => result.text(),
        Next::New => "new".to_owned(),
        Next::Unknown => "unknown".to_owned(),
    });
    next.collect()
}

#[test]
fn what_has_a_result_is_answered_in_its_order_and_what_comes_after_is_new() {
    let record = Journal::default().made(1, "files.write").made(2, "files.write").record();
    let calls = [(1, "files.write"), (2, "files.write"), (3, "files.write")];
    assert_eq!(asked(&record, &calls), ["done", "done", "new"]);
    assert_eq!(record.told().len(), 1);
    assert!(record.told()[0].starts_with("2 of its calls"), "{:?}", record.told());
}

#[test]
fn from_where_the_script_parts_from_the_record_all_is_new_and_that_is_said() {
    for (second, words) in [
        (
            (9, "files.write"),
            "Its call 2 is files.write, where the earlier run made files.write with",
        ),
        (
            (2, "files.read"),
            "Its call 2 is files.read, where the earlier run made files.write: from",
        ),
        // Not in that order.
        (
            (3, "git.commit"),
            "Its call 2 is git.commit, where the earlier run made files.write: from",
        ),
    ] {
        let journal =
            Journal::default().made(1, "a.b").made(2, "files.write").made(3, "git.commit");
        let record = journal.record();
        let calls = [(1, "a.b"), second, (2, "files.write"), (3, "git.commit")];
        assert_eq!(asked(&record, &calls), ["done", "new", "new", "new"]);
        let told = record.told().join("\n");
        assert!(told.contains(words), "{told}");
    }
}

#[test]
fn a_script_that_makes_fewer_calls_is_told_of() {
    let record = Journal::default().made(1, "a.b").made(2, "c.d").record();
    assert_eq!(asked(&record, &[(1, "a.b")]), ["done"]);
    let told = record.told().join("\n");
    assert!(told.contains("1 calls fewer than the earlier run, which went on with c.d"), "{told}");
}

#[test]
fn calls_that_ran_side_by_side_may_come_in_any_order_and_no_other() {
    let write = Category::Write;
    let both = Journal::default().begins(1, "a.b", write).begins(2, "a.b", write);
    let both = both.ends(2, "a.b", Ok("second"), None).ends(1, "a.b", Ok("first"), None);
    let both = both.made(3, "a.b");
    let (one, two, three) = ((1, "a.b"), (2, "a.b"), (3, "a.b"));
    for (calls, expected) in [
        ([one, two, three], ["first", "second", "done"]),
        ([two, one, three], ["second", "first", "done"]),
        ([three, one, two], ["new", "new", "new"]),
        ([two, three, one], ["second", "new", "new"]),
    ] {
        assert_eq!(asked(&both.record(), &calls), expected);
    }
}

#[test]
fn what_was_begun_and_has_no_whole_result_is_unknown_unless_it_does_nothing() {
    let lost = || Err(interrupted(true));
    let cut = format!("head\n[9{}", " more bytes went to the script and are not kept]");
    let cases = [
        ("files.write", Category::Write, None, "unknown"),
        ("files.write", Category::Write, Some(lost()), "unknown"),
        ("files.read", Category::Read, Some(lost()), "new"),
        ("agents.run", Category::Read, Some(lost()), "unknown"),
        ("process.run", Category::Execute, Some(Ok(&*cut)), "unknown"),
        ("files.read", Category::Read, Some(Ok(&*cut)), "new"),
        ("files.read", Category::Read, Some(Ok("text")), "text"),
    ];
    for (name, category, end, expected) in cases {
        let mut journal = Journal::default().begins(1, name, category);
        if let Some(end) = end {
            journal = journal.ends(1, name, end, None);
        }
        let record = journal.record();
        assert_eq!(asked(&record, &[(1, name)]), [expected], "{name} {category:?}");
        let is_told = record.told().join("\n").contains(&format!("unknown: {name} (call 1)"));
        assert_eq!(is_told, expected == "unknown");
    }
}

#[test]
fn what_never_began_is_asked_for_anew_and_keeps_its_place() {
    let denied = Err(CallError::new(ErrorCode::NoApprover, "nobody"));
    let journal = Journal::default().made(1, "a.b");
    let journal = journal.ends(2, "a.b", denied, Some(Decider::Nobody)).made(3, "a.b");
    let calls = [(1, "a.b"), (2, "a.b"), (3, "a.b")];
    assert_eq!(asked(&journal.record(), &calls), ["done", "new", "done"]);
}

#[test]
fn a_failure_of_what_began_is_a_result() {
    let failed = Err(CallError::failed("no such branch"));
    let journal = Journal::default().begins(1, "git.commit", Category::Write);
    let record = journal.ends(1, "git.commit", failed, None).record();
    assert!(asked(&record, &[(1, "git.commit")])[0].contains("no such branch"));
}

#[test]
fn what_was_made_for_the_run_itself_is_no_call_of_the_script() {
    let journal = Journal::default().made(1, "install_packages").made(2, "a.b");
    assert_eq!(asked(&journal.record(), &[(2, "a.b")]), ["done"]);
}

#[test]
fn a_run_that_was_carried_on_and_cut_off_again_keeps_what_it_had_not_come_to() {
    let answered = Some(Decider::Record { run: 7.into() });
    let calls = [(1, "a.b"), (2, "a.b"), (3, "a.b"), (4, "a.b")];
    let first = || {
        let journal = Journal::default().made(1, "a.b").made(2, "a.b");
        journal.begins(3, "a.b", Category::Write).record()
    };
    // It was killed at once.
    let second = Journal::default().ends(1, "a.b", Ok("again"), answered.clone());
    let record = first().then(8.into(), &second.0);
    assert_eq!(asked(&record, &calls), ["again", "done", "unknown", "new"]);
    assert_eq!(record.run(), 8.into());
    // It asked for the third, and nobody said yes.
    let denied = Err(CallError::new(ErrorCode::NoApprover, "nobody"));
    let second = Journal::default()
        .ends(1, "a.b", Ok("again"), answered.clone())
        .ends(2, "a.b", Ok("again"), answered.clone())
        .ends(3, "a.b", denied, Some(Decider::Nobody));
    let record = first().then(8.into(), &second.0);
    assert_eq!(asked(&record, &calls), ["again", "again", "unknown", "new"]);
    // It parted from the first.
    let second = Journal::default().ends(1, "a.b", Ok("again"), answered).made(5, "a.b");
    let record = first().then(8.into(), &second.0);
    assert_eq!(asked(&record, &[(1, "a.b"), (5, "a.b"), (2, "a.b")]), ["again", "done", "new"]);
}
