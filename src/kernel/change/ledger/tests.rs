use jiff::Timestamp;
use serde_json::json;

use super::*;
use crate::kernel::{
    capability::Category,
    change::{Before, Change},
    error::CallError,
    event::{Decider, Decision, VERSION},
    gate::subject::Subject,
    invoke::ToolResult,
    port::Mark,
};

struct Story(Vec<Envelope>);

impl Story {
    fn add(&mut self, event: Event) {
        let seq = self.0.len() as u64;
        let at = Timestamp::from_second(seq.cast_signed()).unwrap();
        self.0.push(Envelope { v: VERSION, seq, at, session: 1.into(), event });
    }

    fn begun(&mut self, id: u128, undoes: Option<u128>) {
        let call = Call {
            id: id.into(),
            name: "files.write".into(),
            input: json!({}),
            origin: Origin::Python { line: Some(3) },
            parent: Some(100.into()),
        };
        let decision = Decision::allowed(Decider::Person);
        self.add(Event::CallStarted {
            call,
            category: Category::Write,
            decision,
            subject: Subject::Other,
        });
        let change = Change {
            path: "/tally/a".into(),
            shown: "a".into(),
            before: Before::Nothing,
            after: Some(Mark::of(b"a")),
            more: 1,
            fewer: 0,
            undoes: undoes.map(CallId::from),
        };
        self.add(Event::ChangeBegun { call: id.into(), change });
    }

    fn finished(&mut self, id: u128, error: Option<ErrorCode>) {
        let result = ToolResult {
            ok: error.is_none(),
            name: "files.write".into(),
            input: json!({}),
            content: error.map_or(json!("done"), |code| CallError::new(code, "no").payload()),
            is_error: error.is_some(),
            attachments: Vec::new(),
            duration_ms: 1,
        };
        let origin = Origin::Model;
        let (call, parent, decision) = (id.into(), None, None);
        self.add(Event::CallFinished { call, parent, origin, result, decision });
    }

    fn done(&mut self, id: u128, undoes: Option<u128>) {
        self.begun(id, undoes);
        self.finished(id, None);
    }

    fn ledger(&self) -> Ledger {
        Ledger::of(&self.0)
    }

    fn undone(&self) -> Vec<bool> {
        self.ledger().changes().iter().map(|recorded| recorded.undone.is_some()).collect()
    }
}

#[test]
fn a_change_is_known_with_its_call_and_how_far_it_got() {
    let mut story = Story(Vec::new());
    story.done(1, None);
    story.begun(2, None);
    story.finished(2, Some(ErrorCode::Failed));
    story.begun(3, None);
    story.finished(3, Some(ErrorCode::Interrupted));
    story.begun(4, None);
    story.finished(9, None);
    let ledger = story.ledger();
    let ends: Vec<_> = ledger.changes().iter().map(|recorded| recorded.end).collect();
    assert_eq!(ends, [End::Made, End::Failed, End::Unknown, End::Unknown]);
    let first = ledger.find(1.into()).unwrap();
    assert_eq!(first.origin, Origin::Python { line: Some(3) });
    assert_eq!(first.parent, Some(100.into()));
    assert_eq!(first.at, Timestamp::from_second(1).unwrap());
    assert_eq!(ledger.find(9.into()), None);
}

#[test]
fn an_undo_that_is_undone_leaves_the_change_standing() {
    let mut story = Story(Vec::new());
    story.done(1, None);
    story.done(2, Some(1));
    assert_eq!(story.undone(), [true, false]);
    story.done(3, Some(2));
    assert_eq!(story.undone(), [false, true, false]);
    story.done(4, Some(1));
    assert_eq!(story.undone(), [true, true, false, false]);
}

#[test]
fn an_undo_that_failed_took_nothing_back() {
    let mut story = Story(Vec::new());
    story.done(1, None);
    story.begun(2, Some(1));
    story.finished(2, Some(ErrorCode::Failed));
    assert_eq!(story.undone(), [false, false]);
    story.done(3, Some(7));
    assert_eq!(story.undone(), [false, false, false]);
}
