use std::path::Path;

use serde_json::json;

use super::*;
use crate::kernel::gate::{law::Rules, subject::Subject};

const YES: Answer = Answer::Allow { scope: Scope::Once };

fn law() -> Law {
    Law::new(Arc::new(Rules::default()), Path::new("/tally"))
}

fn rule(place: &str) -> String {
    format!("[[allow]]\ncall = \"files.write\"\npath = \"{place}\"\n")
}

fn session(place: &str) -> Answer {
    Answer::Allow { scope: Scope::Session { rule: rule(place) } }
}

fn seat(waiting: &Arc<Waiting>, number: u128, law: &Law, place: &str) -> Seat {
    let subject = Subject::path(std::path::Path::new(&format!("/tally/{place}")));
    let case = law.case("files.write", json!({}), subject, &["main".to_owned()]);
    let asked = Asked { law: law.clone(), case, only_once: None, exact: rule(place) };
    waiting.take_seat(number.into(), asked)
}

#[tokio::test]
async fn each_answer_goes_to_its_own_question() {
    let waiting = Arc::new(Waiting::default());
    let mut first = seat(&waiting, 1, &law(), "a");
    let mut second = seat(&waiting, 2, &law(), "a");
    let no = Answer::Deny { because: None, then: Then::GoOn };
    assert_eq!(waiting.answer(2.into(), no.clone()), Ok(()));
    assert_eq!(waiting.answer(1.into(), YES), Ok(()));
    assert_eq!(first.reply().await.unwrap().answer, YES);
    assert_eq!(second.reply().await.unwrap().answer, no);
}

#[tokio::test]
async fn an_answer_comes_once_and_never_after_the_asker_left() {
    let waiting = Arc::new(Waiting::default());
    let first = seat(&waiting, 1, &law(), "a");
    assert_eq!(waiting.answer(1.into(), YES), Ok(()));
    assert_eq!(waiting.answer(1.into(), YES), Err(NotAnswered::NobodyWaits));
    assert!(!first.give_up(), "its answer is on the way");
    drop(first);
    drop(seat(&waiting, 2, &law(), "a"));
    assert_eq!(waiting.answer(2.into(), YES), Err(NotAnswered::NobodyWaits));
    let third = seat(&waiting, 3, &law(), "a");
    assert!(third.give_up());
    assert_eq!(waiting.answer(3.into(), YES), Err(NotAnswered::NobodyWaits));
    assert!(waiting.is_empty());
}

#[tokio::test]
async fn a_yes_for_the_session_is_the_rule_that_was_shown() {
    let (waiting, law) = (Arc::new(Waiting::default()), law());
    let mut asked = seat(&waiting, 1, &law, "a");
    assert_eq!(waiting.answer(1.into(), session("*")), Ok(()));
    let reply = asked.reply().await.unwrap();
    assert_eq!((reply.answer, reply.by), (session("*"), Decider::Person));
    assert_eq!(reply.grant.unwrap().text(), rule("*"));
    assert!(law.grants().now().is_empty(), "not before it is recorded");
}

#[tokio::test]
async fn without_a_text_it_is_exactly_that_call() {
    let (waiting, law) = (Arc::new(Waiting::default()), law());
    let mut asked = seat(&waiting, 1, &law, "a");
    let bare = Answer::Allow { scope: Scope::Session { rule: String::new() } };
    assert_eq!(waiting.answer(1.into(), bare), Ok(()));
    assert_eq!(asked.reply().await.unwrap().answer, session("a"));
}

#[tokio::test]
async fn what_may_not_be_said_is_refused_with_words_and_the_question_still_waits() {
    let (waiting, law) = (Arc::new(Waiting::default()), law());
    let mut asked = seat(&waiting, 1, &law, "a");
    let always = Answer::Allow { scope: Scope::Always { rule: rule("a") } };
    let cases = [
        (session("b"), "does not cover"),
        (Answer::Allow { scope: Scope::Session { rule: "call".to_owned() } }, "1:"),
        (
            Answer::Allow { scope: Scope::Session { rule: "[[deny]]\ncall = \"*\"".to_owned() } },
            "only allow",
        ),
        (always.clone(), "this session"),
    ];
    for (answer, why) in cases {
        let refused = waiting.answer(1.into(), answer);
        let Err(NotAnswered::Refused(words)) = refused else { panic!("{why}: {refused:?}") };
        assert!(words.contains(why), "{why}: {words}");
        assert!(law.grants().now().is_empty());
    }
    let full = |_: &str| Err("the disk is full".to_owned());
    let refused = waiting.answer_kept(1.into(), always.clone(), full);
    assert_eq!(refused, Err(NotAnswered::Refused("the disk is full".to_owned())));
    assert_eq!(waiting.answer_kept(1.into(), always.clone(), |_| Ok(())), Ok(()));
    assert_eq!(asked.reply().await.unwrap().answer, always);
}

#[test]
fn nobody_saves_a_rule_for_who_is_gone() {
    let (waiting, law) = (Arc::new(Waiting::default()), law());
    let asked = seat(&waiting, 1, &law, "a");
    let answer = Answer::Allow { scope: Scope::Always { rule: rule("a") } };
    let mut asked = Some(asked);
    let result = waiting.answer_kept(1.into(), answer, |_| {
        // The asker leaves while the rule is saved.
        drop(asked.take());
        Err("too late".to_owned())
    });
    assert_eq!(result, Err(NotAnswered::Refused("too late".to_owned())));
    assert!(waiting.is_empty(), "it was not put back");
}

#[test]
fn a_rule_that_was_saved_while_its_asker_left_is_said_to_be_saved() {
    let (waiting, law) = (Arc::new(Waiting::default()), law());
    let mut asked = Some(seat(&waiting, 1, &law, "a"));
    let answer = Answer::Allow { scope: Scope::Always { rule: rule("a") } };
    let result = waiting.answer_kept(1.into(), answer, |_| {
        drop(asked.take());
        Ok(())
    });
    let Err(NotAnswered::Refused(words)) = result else { panic!("{result:?}") };
    assert!(words.contains("is saved") && words.contains("is gone"), "{words}");
}

#[test]
fn scopes_of_older_journals_are_read_and_new_ones_come_back() {
    let read = |text: &str| serde_json::from_str::<Answer>(text).unwrap();
    assert_eq!(read(r#"{"said":"allow","scope":"once"}"#), YES);
    let bare = Answer::Allow { scope: Scope::Session { rule: String::new() } };
    assert_eq!(read(r#"{"said":"allow","scope":"session"}"#), bare);
    assert_eq!(serde_json::to_string(&YES).unwrap(), r#"{"said":"allow","scope":"once"}"#);
    assert_eq!(
        serde_json::to_value(session("a")).unwrap(),
        json!({"said": "allow", "scope": {"lasts": "session", "rule": rule("a")}}),
    );
    let always = Answer::Allow { scope: Scope::Always { rule: rule("a") } };
    for answer in [session("a"), always] {
        assert_eq!(read(&serde_json::to_string(&answer).unwrap()), answer);
    }
}

#[test]
fn what_a_yes_would_come_to_is_told_without_saying_it() {
    let waiting = Arc::new(Waiting::default());
    let (law, other) = (law(), law());
    let _asked = seat(&waiting, 1, &law, "a");
    let _same = seat(&waiting, 2, &law, "b");
    let _elsewhere = seat(&waiting, 3, &other, "a");
    let scope = |answer| {
        let Answer::Allow { scope } = answer else { unreachable!() };
        scope
    };
    assert_eq!(waiting.consider(1.into(), &Scope::Once), Ok(0));
    assert_eq!(waiting.consider(1.into(), &scope(session("a"))), Ok(0));
    assert_eq!(waiting.consider(1.into(), &scope(session("*"))), Ok(1));
    let always = Scope::Always { rule: rule("*") };
    assert_eq!(waiting.consider(1.into(), &always), Ok(2));
    let refused = waiting.consider(1.into(), &scope(session("b")));
    assert!(matches!(refused, Err(NotAnswered::Refused(_))));
    assert_eq!(waiting.consider(4.into(), &Scope::Once), Err(NotAnswered::NobodyWaits));
    assert_eq!((waiting.len(), law.grants().now().len()), (3, 0));
}
