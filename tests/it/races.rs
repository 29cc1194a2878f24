//! A yes against whatever else can end a question, two hundred times on real threads: a file is
//! written once or not at all, and the journal says which.

use std::{
    path::PathBuf,
    sync::{Arc, Barrier},
};

use footplate::{
    host::Host,
    kernel::{
        command::Command,
        event::{Envelope, Event},
        gate::approval::{Answer, NotAnswered, Scope, Then},
        id::{ApprovalId, SessionId},
        port::{Desk, Watch},
        spec::Mode,
    },
};
use serde_json::json;

use crate::{rig, support::Place};

const RACES: usize = 200;
const YES: Answer = Answer::Allow { scope: Scope::Once };

/// A session whose one call asks to write a file.
struct Asked {
    host: Host,
    session: SessionId,
    events: Watch,
    journal: Vec<Arc<Envelope>>,
    question: ApprovalId,
    file: PathBuf,
}

impl Asked {
    async fn new(place: &Place, race: usize) -> Self {
        let name = format!("{race}.txt");
        let script = json!({ "turns": [
            { "calls": [{ "name": "files.write", "arguments": { "path": name, "text": "hi" } }] },
            { "text": "done" },
        ] });
        let host = rig::host(place);
        let mut events = host.subscribe();
        let spec = rig::spec(place, &script, Mode::Default, &["files.write"]);
        let session = host.start(spec).unwrap();
        host.send(session, "go".to_owned());
        let mut journal = Vec::new();
        let question = loop {
            let envelope = events.recv().await.unwrap();
            journal.push(envelope.clone());
            if let Event::ApprovalRequested { question } = &envelope.event {
                break question.id;
            }
        };
        Self { host, session, events, journal, question, file: place.work().join(name) }
    }

    /// Says yes, and that other thing, at the same moment; gives what became of the yes.
    fn race(&self, other: impl FnOnce(&Host) + Send + 'static) -> Result<(), NotAnswered> {
        let start = Arc::new(Barrier::new(2));
        let (host, line) = (self.host.clone(), start.clone());
        let other = std::thread::spawn(move || {
            line.wait();
            other(&host);
        });
        start.wait();
        let approval = self.question;
        let said = Desk::send(&self.host, Command::Answer { approval, answer: YES });
        other.join().unwrap();
        said
    }

    /// How often the call began, how its question was closed, and whether the file is there.
    async fn ends(mut self) -> Outcome {
        self.host.idle(self.session).await;
        self.host.shutdown().await;
        while let Ok(envelope) = self.events.try_recv() {
            self.journal.push(envelope);
        }
        let mut outcome = Outcome { written: self.file.exists(), ..Outcome::default() };
        for envelope in &self.journal {
            match &envelope.event {
                Event::ApprovalAnswered { approval, answer, .. } => {
                    assert_eq!(*approval, self.question);
                    match answer {
                        Answer::Allow { .. } | Answer::AllowEdited { .. } => outcome.yes += 1,
                        Answer::Deny { .. } => outcome.no += 1,
                    }
                }
                Event::ApprovalWithdrawn { .. } => outcome.withdrawn += 1,
                Event::CallStarted { .. } => outcome.started += 1,
                Event::CallFinished { result, .. } => {
                    outcome.finished += 1;
                    outcome.ok = result.ok;
                }
                Event::ChangeBegun { .. } => outcome.changes += 1,
                _ => {}
            }
        }
        // As for every question and call.
        assert_eq!(outcome.yes + outcome.no + outcome.withdrawn, 1, "{outcome:?}");
        assert_eq!((outcome.started, outcome.finished), (outcome.yes, 1), "{outcome:?}");
        // A begun change of a call that was stopped may be made or not; without a beginning it is not.
        assert_eq!(outcome.written, outcome.ok, "{outcome:?}");
        assert!(outcome.changes <= outcome.started, "{outcome:?}");
        assert!(!outcome.written || outcome.changes == 1, "{outcome:?}");
        outcome
    }
}

#[derive(Debug, Default)]
struct Outcome {
    yes: usize,
    no: usize,
    withdrawn: usize,
    started: usize,
    changes: usize,
    finished: usize,
    ok: bool,
    written: bool,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_yes_against_a_stop_writes_once_or_never() {
    let place = Place::new();
    for race in 0..RACES {
        let asked = Asked::new(&place, race).await;
        let session = asked.session;
        let said = asked.race(move |host| {
            Desk::send(host, Command::Interrupt { session }).unwrap();
        });
        let outcome = asked.ends().await;
        assert_eq!(outcome.no, 0);
        // Who came too late is told so, in the answer or by the withdrawal.
        assert!(said.is_ok() || outcome.withdrawn == 1, "{said:?} {outcome:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_yes_and_a_no_one_counts_and_the_other_is_told_so() {
    let place = Place::new();
    for race in 0..RACES {
        let asked = Asked::new(&place, race).await;
        let approval = asked.question;
        let (told, no) = std::sync::mpsc::channel();
        let yes = asked.race(move |host| {
            let answer = Answer::Deny { because: None, then: Then::GoOn };
            told.send(Desk::send(host, Command::Answer { approval, answer })).unwrap();
        });
        let no = no.recv().unwrap();
        let outcome = asked.ends().await;
        let late = Err(NotAnswered::NobodyWaits);
        let expected = if outcome.written { (Ok(()), late) } else { (late, Ok(())) };
        assert_eq!((yes, no), expected, "{outcome:?}");
        assert_eq!(outcome.yes, usize::from(outcome.written), "{outcome:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_yeses_from_two_screens_one_counts() {
    let place = Place::new();
    for race in 0..RACES {
        let asked = Asked::new(&place, race).await;
        let approval = asked.question;
        let (told, other) = std::sync::mpsc::channel();
        let one = asked.race(move |host| {
            let answer = Answer::Allow { scope: Scope::Session { rule: String::new() } };
            told.send(Desk::send(host, Command::Answer { approval, answer })).unwrap();
        });
        let taken = [one, other.recv().unwrap()];
        let late = taken.iter().filter(|said| **said == Err(NotAnswered::NobodyWaits)).count();
        assert_eq!(late, 1, "{taken:?}");
        let outcome = asked.ends().await;
        assert!(outcome.written && outcome.yes == 1, "{outcome:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_yes_against_the_end_of_the_session_writes_once_or_never() {
    let place = Place::new();
    let runtime = tokio::runtime::Handle::current();
    for race in 0..RACES {
        let asked = Asked::new(&place, race).await;
        let runtime = runtime.clone();
        let said = asked.race(move |host| runtime.block_on(host.shutdown()));
        let late =
            Desk::send(&asked.host, Command::Answer { approval: asked.question, answer: YES });
        assert_eq!(late, Err(NotAnswered::NobodyWaits), "the session is gone");
        let outcome = asked.ends().await;
        assert!(said.is_ok() || outcome.withdrawn == 1, "{said:?} {outcome:?}");
    }
}
