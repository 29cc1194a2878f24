use pretty_assertions::assert_eq;

use super::*;

fn undo(ok: bool) -> Event {
    let Event::CallFinished { mut result, .. } = done(9) else { panic!() };
    result.name = "undo".into();
    (result.ok, result.is_error) = (ok, !ok);
    result.content = json!("a.rs: its bytes of before were put back");
    let (call, origin) = (9.into(), Origin::Person);
    Event::CallFinished { call, parent: None, origin, result, decision: None }
}

#[test]
fn the_model_is_told_what_a_person_took_back_before_it_says_more() {
    let told_of = |events: &[Event]| told(&after(events.to_vec()));
    let note = |line: &str| {
        assert!(line.starts_with("user: [The person took back a change"), "{line}");
        assert!(line.contains("a.rs: its bytes of before were put back."), "{line}");
    };
    let answer = [said("go"), turn(), text("yes"), answered(Stop::Calls, &[1]), started(1, None)];
    let ended = [done(1), Event::ExchangeFinished { outcome: Outcome::Done }];
    let results = ["user: go", "assistant: yes → p1", "results: p1=result 1"];

    let after_it = [&answer[..], &ended, &[undo(true), said("on")]].concat();
    let all = told_of(&after_it);
    assert_eq!(all[..3], results);
    note(&all[3]);
    assert_eq!(all[4..], ["user: on"]);

    let meanwhile = [&answer[..], &[undo(true)], &ended].concat();
    let all = told_of(&meanwhile);
    assert_eq!(all[..3], results, "no call is left without its result");
    note(&all[3]);
    assert_eq!(all.len(), 4);
}

#[test]
fn what_could_not_be_taken_back_is_nothing_to_tell() {
    assert_eq!(told(&after([said("go"), undo(false)])), ["user: go"]);
}

#[test]
fn an_undo_begins_no_exchange() {
    let end = Event::ExchangeFinished { outcome: Outcome::Done };
    assert!(!after([said("go"), end, undo(true)]).is_busy());
}
