//! Agents that end, however they do, and who is told.

use std::ops::ControlFlow;

use pretty_assertions::assert_eq;

use super::*;
use crate::kernel::{
    error::ErrorCode,
    gate::approval::NotAnswered,
    id::CallId,
    port::{
        Desk, Events, Found, Hold, Journal, Kept, Kinds, Opened, OutputPage, Searched,
        SessionSummary, Since, Spool, StoreError,
    },
    session::branch::Branch,
};

fn is_taken(event: &Event) -> bool {
    matches!(event, Event::SignalTaken { .. })
}

fn exchanges(events: &[Event]) -> Vec<Outcome> {
    let outcomes = events.iter().filter_map(|event| match event {
        Event::ExchangeFinished { outcome } => Some(outcome.clone()),
        _ => None,
    });
    outcomes.collect()
}

#[tokio::test]
async fn the_end_of_an_agent_wakes_the_one_above_it_which_is_told_once() {
    let mut rig = Rig::new(
        json!([calls(json!([start("a")])), says("started"), says("thanks")]),
        json!({ "a": [calls(json!([write("a")])), says("found it")] }),
    );
    let root = rig.go(Mode::Default);
    assert_eq!(rig.rests(root).await, Outcome::Done);
    let question = rig.question("a").await;
    rig.allow(&question);
    assert_eq!(rig.host.quiet(root).await, Some(Outcome::Done));
    let journal = rig.journal(root);
    assert_eq!(exchanges(&journal), [Outcome::Done, Outcome::Done]);
    assert_eq!((count(&journal, is_said), count(&journal, is_end)), (1, 1));
    assert_eq!(rig.told(root), ["> found it"]);
    let last = Session::replay(&rig.store.read(root).unwrap().events).unwrap();
    assert_eq!(last.last_text(), "thanks");
    let sent = |event: &Event| matches!(event, Event::SignalSent { to, .. } if *to == root);
    assert_eq!(count(&rig.journal(question.session), sent), 1, "it is in both journals");
    rig.host.shutdown().await;
}

#[tokio::test]
async fn an_answer_that_a_call_was_given_wakes_nobody() {
    let wait = json!(["agents.wait", { "names": ["a"] }]);
    let rig = Rig::new(
        json!([calls(json!([start("a"), wait])), says("thanks")]),
        json!({ "a": [says("found it")] }),
    );
    let root = rig.go(Mode::Default);
    assert_eq!(rig.host.quiet(root).await, Some(Outcome::Done));
    let journal = rig.journal(root);
    assert_eq!(exchanges(&journal), [Outcome::Done]);
    assert_eq!((count(&journal, is_end), count(&journal, is_taken)), (1, 1));
    assert_eq!(rig.told(root), Vec::<String>::new());
    let over = &rig.result(root, "agents.wait").content["over"][0];
    assert_eq!((&over["text"], &over["ok"]), (&json!("found it"), &json!(true)));
    rig.host.shutdown().await;
}

#[tokio::test]
async fn agents_that_wake_each_other_come_to_an_end() {
    // Each time it is woken it starts another and rests.
    let again = [calls(json!([start("a")])), says("started")];
    let turns: Vec<_> = again.iter().cycle().take(40).cloned().collect();
    let mut rig =
        Rig::new(turns.into(), json!({ "a": [calls(json!([write("a")])), says("done")] }));
    let mut spec = rig.spec(Mode::Default);
    spec.limits.turns = 6;
    let root = rig.go_with(spec);
    for (times, name) in [(1, "a"), (2, "a-2"), (3, "a-3")] {
        assert_eq!(rig.has_rested(root, times).await, Outcome::Done);
        let question = rig.question(name).await;
        rig.answer(&question, no("no"));
    }
    let outcome = rig.host.quiet(root).await;
    let is_limit = |it: &Outcome| matches!(it, Outcome::Limit { message } if message.contains('6'));
    assert!(outcome.as_ref().is_some_and(is_limit), "{outcome:?}");
    let requests = |event: &Event| matches!(event, Event::TurnStarted { .. });
    assert_eq!(count(&rig.journal(root), requests), 6, "for one message of a person");
    rig.host.send(root, "go on".to_owned());
    assert_eq!(rig.has_rested(root, 5).await, Outcome::Done);
    assert_eq!(count(&rig.journal(root), requests), 8);
    rig.host.shutdown().await;
}

#[tokio::test]
async fn an_agent_is_over_only_after_those_it_started() {
    let mut rig = Rig::new(
        json!([calls(json!([["agents.run", { "task": "do", "name": "a" }]])), says("thanks")]),
        json!({
            "a": [calls(json!([start("b")])), says("started"), says("b says so")],
            "b": [calls(json!([write("b")])), says("b")],
        }),
    );
    let root = rig.go(Mode::Default);
    let question = rig.question("b").await;
    let a = rig.agent("a").await;
    assert_eq!(rig.rests(a).await, Outcome::Done);
    rig.allow(&question);
    assert_eq!(rig.host.quiet(root).await, Some(Outcome::Done));
    assert_eq!(rig.result(root, "agents.run").content["text"], json!("b says so"));
    rig.host.shutdown().await;
}

#[tokio::test]
async fn an_agent_without_an_answer_says_so() {
    let boom = calls(json!([["boom", {}]]));
    let rig = Rig::new(
        json!([]),
        json!({ "dies": [boom], "silent": [says("")], "long": [calls(json!([["boom", {"no": 1}]])), says("x")] }),
    );
    let mut spec = rig.spec(Mode::Default);
    spec.limits.turns = 1;
    let root = rig.host.start(spec).unwrap();
    for (name, code, fault) in [
        ("dies", ErrorCode::Failed, "The agent dies failed: A fault of this program ended it."),
        ("silent", ErrorCode::Failed, "The agent silent ended without a word."),
    ] {
        let result = rig.call(root, "agents.run", start(name)[1].clone()).await;
        assert_eq!(result.error_code(), Some(code), "{result:?}");
        assert!(result.text().contains(fault), "{result:?}");
    }
    let all = rig.journal(root);
    assert_eq!((count(&all, is_end), count(&all, is_taken)), (2, 2));
    let listed = rig.call(root, "agents.list", json!({})).await;
    assert_eq!(listed.content[0]["state"], json!("failed"), "{listed:?}");
    assert_eq!(listed.content[1]["state"], json!("done"), "{listed:?}");
    rig.host.shutdown().await;
}

#[tokio::test]
async fn an_agent_whose_journal_fails_is_told_of_by_those_who_wait_for_it() {
    let store = Arc::new(FullFor { agent: "a", store: MemoryStore::new() });
    let rig = Rig::with(store, json!([]), json!({ "a": [says("never")] }));
    let root = rig.host.start(rig.spec(Mode::Default)).unwrap();
    let result = rig.call(root, "agents.run", start("a")[1].clone()).await;
    assert!(result.text().contains("The agent a failed: "), "{result:?}");
    assert!(result.text().contains("the disk of a is full"), "{result:?}");
    assert_eq!(count(&rig.journal(root), is_end), 1);
    rig.host.shutdown().await;
}

#[tokio::test]
async fn a_branch_that_is_stopped_is_over_with_all_its_questions() {
    let mut rig = Rig::new(
        json!([calls(json!([start("a"), start("c")])), says("started"), says("I see")]),
        json!({
            "a": [calls(json!([start("b"), ["agents.wait", {}]])), says("a")],
            "b": [calls(json!([write("b")])), says("b")],
            "c": [calls(json!([write("c")])), says("c")],
        }),
    );
    let root = rig.go(Mode::Default);
    let (of_b, of_c) = (rig.question("b").await, rig.question("c").await);
    let a = rig.agent("a").await;
    let stopped = rig.call(root, "agents.cancel", json!({ "name": "a" })).await;
    assert_eq!(stopped.content["stopped"], json!(["a", "a/b"]), "{stopped:?}");
    for session in [a, of_b.session] {
        let journal = rig.journal(session);
        assert_eq!(journal.last(), Some(&Event::SessionFinished { outcome: Outcome::Stopped }));
        assert_eq!(count(&journal, is_stop), 1);
    }
    let withdrawn = |event: &Event| matches!(event, Event::ApprovalWithdrawn { .. });
    assert_eq!(count(&rig.journal(of_b.session), withdrawn), 1);
    let again = rig.call(root, "agents.cancel", json!({ "name": "a" })).await;
    assert_eq!(again.content["stopped"], json!([]), "it is over already");
    let words = Command::Send { session: a, words: "are you there?".into() };
    let said = Desk::send(&rig.host, words);
    assert!(matches!(said, Err(NotAnswered::Refused(_))), "words are not lost unsaid: {said:?}");
    rig.allow(&of_c);
    assert_eq!(rig.host.quiet(root).await, Some(Outcome::Done));
    assert_eq!(count(&rig.journal(root), is_end), 2);
    assert!(rig.told(root).contains(&"> c".to_owned()), "{:?}", rig.told(root));
    rig.host.shutdown().await;
}

#[tokio::test]
async fn an_agent_that_is_stopped_alone_is_over_after_those_below_it() {
    let mut rig = Rig::new(
        json!([calls(json!([start("a")])), says("started"), says("I see")]),
        json!({
            "a": [calls(json!([start("b"), write("a")])), says("a")],
            "b": [calls(json!([write("b")])), says("b")],
        }),
    );
    let root = rig.go(Mode::Default);
    let (of_a, of_b) = (rig.question("a").await, rig.question("b").await);
    let input = json!({ "name": "a", "subtree": false });
    let stopped = rig.call(root, "agents.cancel", input).await;
    assert_eq!(stopped.content["stopped"], json!(["a"]), "{stopped:?}");
    assert_eq!(rig.rests(of_a.session).await, Outcome::Stopped);
    let listed = rig.call(root, "agents.list", json!({})).await;
    assert_eq!(listed.content[0]["waits_for"], json!(["a/b"]), "{listed:?}");
    let words = json!({ "to": "a", "text": "are you there?" });
    let result = rig.call(root, "agents.send", words).await;
    assert!(result.text().contains("The agent a is over"), "{result:?}");
    rig.allow(&of_b);
    rig.host.quiet(root).await;
    assert!(rig.workspace().join("b").exists() && !rig.workspace().join("a").exists());
    let over = rig.journal(of_a.session);
    assert_eq!(over.last(), Some(&Event::SessionFinished { outcome: Outcome::Stopped }));
    assert_eq!(exchanges(&over), [Outcome::Stopped], "the end of b woke it no more");
    rig.host.shutdown().await;
}

#[tokio::test]
async fn a_person_stops_a_whole_tree_and_can_go_on_with_its_root() {
    let mut rig = Rig::new(
        json!([calls(json!([start("a"), write("main")])), says("here")]),
        json!({
            "a": [calls(json!([start("b"), write("a")])), says("a")],
            "b": [calls(json!([write("b")])), says("b")],
        }),
    );
    let root = rig.go(Mode::Default);
    for name in ["main", "a", "b"] {
        rig.question(name).await;
    }
    rig.host.send_command(stop(root, Extent::Subtree));
    assert_eq!(rig.host.quiet(root).await, Some(Outcome::Stopped));
    let names = ["main", "a", "b"];
    assert!(names.iter().all(|name| !rig.workspace().join(name).exists()));
    rig.host.send(root, "what now?".to_owned());
    assert_eq!(rig.host.quiet(root).await, Some(Outcome::Done));
    assert_eq!(rig.told(root), ["[The agent a was stopped before it had an answer.]"]);
    rig.host.shutdown().await;
}

#[tokio::test]
async fn what_a_person_stops_begins_nothing_where_a_person_speaks() {
    let mut rig = Rig::new(
        json!([calls(json!([start("a"), start("c")])), says("started"), says("I see")]),
        json!({
            "a": [calls(json!([start("b")])), says("so far"), says("b was stopped")],
            "b": [calls(json!([write("b")])), says("b")],
            "c": [calls(json!([write("c")])), says("c")],
        }),
    );
    let root = rig.go(Mode::Default);
    assert_eq!(rig.rests(root).await, Outcome::Done);
    let (of_b, of_c, a) = (rig.question("b").await, rig.question("c").await, rig.agent("a").await);
    assert_eq!(rig.rests(a).await, Outcome::Done);
    rig.host.send_command(stop(of_c.session, Extent::One));
    rig.until(|envelope| match &envelope.event {
        Event::SessionFinished { outcome } if envelope.session == of_c.session => {
            assert_eq!(*outcome, Outcome::Stopped);
            Some(())
        }
        _ => None,
    })
    .await;
    assert_eq!(exchanges(&rig.journal(root)), [Outcome::Done]);
    // An agent goes on all the same: another waits for what it makes of it.
    rig.host.send_command(stop(of_b.session, Extent::Subtree));
    assert_eq!(rig.host.quiet(root).await, Some(Outcome::Done));
    assert_eq!(exchanges(&rig.journal(a)), [Outcome::Done, Outcome::Done]);
    let told =
        ["[The agent c was stopped before it had an answer.]".to_owned(), "> b was stopped".into()];
    assert_eq!(rig.told(root), told);
    rig.host.shutdown().await;
}

#[tokio::test]
async fn nothing_is_left_of_a_tree_when_the_program_ends() {
    let mut rig = Rig::new(
        json!([calls(json!([start("a"), ["agents.wait", {}]]))]),
        json!({
            "a": [calls(json!([start("b"), ["agents.wait", {}]]))],
            "b": [calls(json!([write("b")]))],
        }),
    );
    let root = rig.go(Mode::Default);
    let (question, a) = (rig.question("b").await, rig.agent("a").await);
    rig.host.shutdown().await;
    for session in [a, question.session] {
        let journal = rig.journal(session);
        assert!(matches!(journal.last(), Some(Event::SessionFinished { .. })), "{journal:?}");
        assert!(rig.store.open(session, &mut |_| {}).is_ok(), "nobody holds it any more");
    }
    assert!(rig.store.open(root, &mut |_| {}).is_ok());
    assert!(rig.host.call(root, "agents.list", String::new()).await.is_none());
}

/// A store in which nothing more can be said once that agent has begun.
struct FullFor {
    agent: &'static str,
    store: MemoryStore,
}

struct Full;

impl Journal for Full {
    fn append(&self, _: Event, _: &dyn Fn(&Arc<Envelope>)) -> Result<Arc<Envelope>, StoreError> {
        let source = std::io::Error::other("the disk of a is full");
        Err(StoreError::Io { doing: "write", path: "journal".into(), source })
    }

    fn sync(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async { Ok(()) })
    }
}

impl Store for FullFor {
    fn create(&self, spec: SessionSpec) -> Result<Arc<dyn Journal>, StoreError> {
        let is_full = spec.agent() == self.agent;
        let journal = self.store.create(spec)?;
        Ok(if is_full { Arc::new(Full) } else { journal })
    }

    fn branch(
        &self,
        branch: Branch,
        events: &mut dyn Iterator<Item = Result<Arc<Envelope>, StoreError>>,
    ) -> Result<Arc<dyn Journal>, StoreError> {
        self.store.branch(branch, events)
    }

    fn delete(&self, sessions: &[SessionId]) -> Result<(), StoreError> {
        self.store.delete(sessions)
    }

    fn label(&self, session: SessionId, name: &str) -> Result<(), StoreError> {
        self.store.label(session, name)
    }

    fn search(
        &self,
        words: &[String],
        go_on: &dyn Fn() -> bool,
        found: &mut dyn FnMut(Found) -> ControlFlow<()>,
    ) -> Result<Searched, StoreError> {
        self.store.search(words, go_on, found)
    }

    fn open(
        &self,
        session: SessionId,
        take: &mut dyn FnMut(&Arc<Envelope>),
    ) -> Result<Opened, StoreError> {
        self.store.open(session, take)
    }

    fn events(&self, session: SessionId) -> Result<Box<dyn Events>, StoreError> {
        self.store.events(session)
    }

    fn some(&self, session: SessionId, kinds: Kinds) -> Result<Box<dyn Events>, StoreError> {
        self.store.some(session, kinds)
    }

    fn since(&self, session: SessionId, from: u64) -> Result<Since, StoreError> {
        self.store.since(session, from)
    }

    fn hold(&self, session: SessionId) -> Result<Hold, StoreError> {
        self.store.hold(session)
    }

    fn list(&self) -> Result<Vec<SessionSummary>, StoreError> {
        self.store.list()
    }

    fn spool(&self, session: SessionId, call: CallId) -> Result<Arc<dyn Spool>, StoreError> {
        self.store.spool(session, call)
    }

    fn output(
        &self,
        session: SessionId,
        call: CallId,
        lines: usize,
    ) -> Result<OutputPage, StoreError> {
        self.store.output(session, call, lines)
    }

    fn lines(
        &self,
        session: SessionId,
        call: CallId,
        from: u64,
        visit: &mut dyn FnMut(u64, &str) -> std::ops::ControlFlow<()>,
    ) -> Result<u64, StoreError> {
        self.store.lines(session, call, from, visit)
    }

    fn keep(&self, session: SessionId, call: CallId, bytes: &[u8]) -> Result<Kept, StoreError> {
        self.store.keep(session, call, bytes)
    }

    fn kept(&self, session: SessionId, call: CallId) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.kept(session, call)
    }

    fn keep_picture(&self, session: SessionId, bytes: &[u8]) -> Result<Kept, StoreError> {
        self.store.keep_picture(session, bytes)
    }

    fn picture(
        &self,
        session: SessionId,
        picture: crate::kernel::picture::PictureId,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.picture(session, picture)
    }
}
