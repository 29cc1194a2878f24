//! What a person or another agent does in a session that is about to be over.

use pretty_assertions::assert_eq;
use tokio::sync::Notify;

use super::*;
use crate::{
    host::{Changes, Choice},
    kernel::{event::Origin, gate::approval::NotAnswered, id::CallId},
};

/// A root whose agent writes two files, the second once a person says yes.
fn writer() -> Rig {
    Rig::new(
        json!([calls(json!([start("a")])), says("started"), says("thanks")]),
        json!({ "a": [calls(json!([write("one"), write("two")])), says("written")] }),
    )
}

impl Rig {
    /// Says yes to the next two questions of the agent, and gives it with the first call.
    async fn writes_two(&mut self) -> (SessionId, CallId) {
        let first = self.question("a").await;
        self.allow(&first);
        let asked = |envelope: &Envelope| match &envelope.event {
            Event::ApprovalRequested { question } if question.id != first.id => {
                Some(question.clone())
            }
            _ => None,
        };
        let second = self.until(asked).await;
        self.allow(&second);
        (first.session, first.call.id)
    }

    fn is_over(&self, session: SessionId) -> bool {
        count(&self.journal(session), |event| matches!(event, Event::SessionFinished { .. })) > 0
    }
}

/// As long as tasks that could go on need to do so, and longer.
async fn meanwhile() {
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
}

fn undone(event: &Event) -> bool {
    matches!(event, Event::CallFinished { origin: Origin::Person, result, .. } if result.name == "undo")
}

#[tokio::test]
async fn an_undo_that_has_begun_comes_before_the_end_of_the_agent_and_a_later_one_elsewhere() {
    let mut rig = writer();
    let root = rig.go(Mode::Default);
    let (a, call) = rig.writes_two().await;
    let inside = rig.host.0.enter(a).expect("it is at work");
    assert_eq!(rig.rests(a).await, Outcome::Done);
    meanwhile().await;
    assert!(!rig.is_over(a), "somebody is about to write in its journal");

    let changes = Changes::read(&*rig.store, root).unwrap();
    let (held, elsewhere) =
        (std::sync::Mutex::new(Some(inside)), rig.store.open(root, &mut |_| {}));
    assert!(elsewhere.is_err(), "the root runs here");
    let recorder = rig.host.0.get(root).unwrap().context.recorder;
    let here = |_| held.lock().unwrap().take();
    let all = changes.undo(&*rig.store, &recorder, &here, &Choice::Calls(vec![call])).await;
    assert!(all.unwrap()[0].outcome.is_ok());
    assert_eq!(rig.host.quiet(root).await, Some(Outcome::Done));
    let journal = rig.journal(a);
    assert_eq!(count(&journal, undone), 1);
    assert_eq!(journal.last(), Some(&Event::SessionFinished { outcome: Outcome::Done }));
    assert!(!rig.workspace().join("one").exists());

    assert!(rig.host.0.enter(a).is_none());
    let late = changes.all().map(|recorded| recorded.call).find(|other| *other != call).unwrap();
    rig.host.send_command(Command::Undo { session: root, calls: vec![late] });
    rig.until(|envelope| (envelope.session == root && undone(&envelope.event)).then_some(())).await;
    assert_eq!(rig.journal(a), journal);
    rig.host.shutdown().await;
}

#[tokio::test]
async fn words_that_come_while_somebody_keeps_an_agent_are_answered_before_its_end() {
    let mut rig = Rig::new(
        json!([calls(json!([start("a")])), says("started"), says("thanks")]),
        json!({ "a": [calls(json!([write("one")])), says("written"), says("gladly")] }),
    );
    let root = rig.go(Mode::Default);
    let question = rig.question("a").await;
    let a = question.session;
    let inside = rig.host.0.enter(a).unwrap();
    rig.allow(&question);
    assert_eq!(rig.rests(a).await, Outcome::Done);
    meanwhile().await;
    rig.host.send_command(Command::Send { session: a, words: "once more".into() });
    drop(inside);
    assert_eq!(rig.host.quiet(root).await, Some(Outcome::Done));
    let last = Session::replay(&rig.store.read(a).unwrap().events).unwrap();
    assert_eq!(last.last_text(), "gladly");
    assert_eq!(rig.told(root), ["> gladly"]);
    assert!(matches!(rig.journal(a).last(), Some(Event::SessionFinished { .. })));
    let words = Command::Send { session: a, words: "are you there?".into() };
    assert!(crate::kernel::port::Desk::send(&rig.host, words).is_err());
    rig.host.shutdown().await;
}

/// Runs what it is given until the test lets it end.
#[derive(Default)]
struct UntilTold(Arc<Notify>);

impl Executor for UntilTold {
    fn check(&self, _: &str, _: &Mounts) -> Result<(), CallError> {
        Ok(())
    }

    fn run(&self, job: Job) -> BoxFuture<'_, Result<Ended, CallError>> {
        let told = self.0.clone();
        Box::pin(async move {
            tokio::select! {
                () = told.notified() => Err(CallError::failed("told to end")),
                () = job.cancel.cancelled() => Err(CallError::failed("stopped")),
            }
        })
    }
}

/// A root whose agent writes a file, with a program of a person that goes on beside it.
async fn with_a_run_by_hand() -> (Rig, SessionId, Question, Arc<Notify>) {
    let mut rig = Rig::new(
        json!([calls(json!([start("a")])), says("started"), says("thanks")]),
        json!({ "a": [calls(json!([write("one")])), says("written")] }),
    );
    let executor = UntilTold::default();
    let told = executor.0.clone();
    rig.host = host_of(rig.store.clone(), |parts| parts.executor = Arc::new(executor));
    rig.events = rig.host.subscribe();
    let root = rig.go(Mode::Default);
    let question = rig.question("a").await;
    let session = question.session;
    rig.host.send_command(Command::Run { session, code: "wait()".into() });
    let asks = |envelope: &Envelope| match &envelope.event {
        Event::ApprovalRequested { question } if question.call.origin == Origin::Person => {
            Some(question.clone())
        }
        _ => None,
    };
    let by_hand = rig.until(asks).await;
    rig.allow(&by_hand);
    rig.until(|it| matches!(it.event, Event::CallStarted { .. }).then_some(())).await;
    (rig, root, question, told)
}

fn by_hand(event: &Event) -> bool {
    matches!(event, Event::CallFinished { origin: Origin::Person, .. })
}

#[tokio::test]
async fn an_agent_is_over_only_after_what_a_person_runs_in_it() {
    let (mut rig, root, question, told) = with_a_run_by_hand().await;
    rig.allow(&question);
    assert_eq!(rig.rests(question.session).await, Outcome::Done);
    meanwhile().await;
    assert!(!rig.is_over(question.session));
    told.notify_one();
    assert_eq!(rig.host.quiet(root).await, Some(Outcome::Done));
    let journal = rig.journal(question.session);
    assert_eq!(count(&journal, by_hand), 1);
    assert!(matches!(journal.last(), Some(Event::SessionFinished { .. })), "{journal:?}");
    rig.host.shutdown().await;
}

#[tokio::test]
async fn what_a_person_runs_in_an_agent_is_stopped_with_it() {
    let (rig, root, question, _told) = with_a_run_by_hand().await;
    rig.host.send_command(stop(question.session, Extent::One));
    rig.host.quiet(root).await;
    let journal = rig.journal(question.session);
    assert_eq!(count(&journal, by_hand), 1);
    assert!(matches!(journal.last(), Some(Event::SessionFinished { .. })), "{journal:?}");
    let run = Command::Run { session: question.session, code: "more()".into() };
    assert!(crate::kernel::port::Desk::send(&rig.host, run).is_err());
    rig.host.shutdown().await;
}

#[tokio::test]
async fn what_a_person_sets_just_as_an_agent_is_over_does_not_stand_behind_its_end() {
    let mut rig = writer();
    let root = rig.go(Mode::Default);
    let first = rig.question("a").await;
    let a = first.session;
    rig.answer(&first, Answer::Allow { scope: Scope::Session { rule: String::new() } });
    let asked = |envelope: &Envelope| match &envelope.event {
        Event::ApprovalRequested { question } if question.id != first.id => Some(question.clone()),
        _ => None,
    };
    let second = rig.until(asked).await;
    // Whoever looks it up now, and comes to write once it is over.
    let found = rig.host.0.get(a).unwrap();
    rig.allow(&second);
    assert_eq!(rig.host.quiet(root).await, Some(Outcome::Done));
    let journal = rig.journal(a);
    assert!(matches!(journal.last(), Some(Event::SessionFinished { .. })), "{journal:?}");
    rig.host.0.live().insert(a, found);

    rig.host.send_command(Command::SetMode { session: a, mode: Mode::Auto });
    let name = Command::Rename { session: a, name: "the writer".into() };
    let renamed = crate::kernel::port::Desk::send(&rig.host, name);
    assert!(matches!(renamed, Err(NotAnswered::Refused(_))), "{renamed:?}");
    rig.host.send_command(Command::Revoke { grant: first.id });
    assert_eq!(rig.journal(a), journal);
    let revoked = |event: &Event| matches!(event, Event::RuleRevoked { .. });
    assert_eq!(count(&rig.journal(root), revoked), 1, "the session above it has it");
    rig.host.0.live().remove(&a);
    rig.host.shutdown().await;
}
