use pretty_assertions::assert_eq;

use super::*;

/// Python that a person ran, printing that.
fn ran(content: serde_json::Value, ok: bool, parent: Option<CallId>) -> Event {
    let Event::CallFinished { mut result, .. } = done(9) else { panic!() };
    result.name = "execute_code".into();
    result.input = json!({ "code": "print(6 * 7)\n", "filename": "by_hand.py" });
    (result.ok, result.is_error, result.content) = (ok, !ok, content);
    Event::CallFinished { call: 9.into(), parent, origin: Origin::Person, result, decision: None }
}

#[test]
fn the_model_is_told_of_python_that_a_person_ran_and_its_calls_keep_their_results() {
    let answer = [said("go"), turn(), text("yes"), answered(Stop::Calls, &[1]), started(1, None)];
    let ended = [done(1), Event::ExchangeFinished { outcome: Outcome::Done }];
    let meanwhile = [&answer[..], &[ran(json!("42\n"), true, None)], &ended].concat();
    let note = "user: [The person ran this Python here by hand:]\nprint(6 * 7)\n[It printed:]\n42";
    assert_eq!(
        told(&after(meanwhile)),
        ["user: go", "assistant: yes → p1", "results: p1=result 1", note]
    );
    let session = after([&answer[..], &ended, &[ran(json!("42\n"), true, None)]].concat());
    assert!(!session.is_busy(), "it begins nothing");
    assert_eq!(told(&session)[3], note);
}

#[test]
fn what_failed_is_told_and_what_never_ran_is_not() {
    let failed = json!({ "error": "failed", "message": "NameError: x" });
    let all = told(&after([said("go"), ran(failed, false, None)]));
    assert!(all[1].ends_with("[It did not end well:]\nNameError: x"), "{all:?}");
    let denied = json!({ "error": "permission_denied", "message": "no" });
    assert_eq!(told(&after([said("go"), ran(denied, false, None)])), ["user: go"]);
    let inner = ran(json!("42"), true, Some(3.into()));
    assert_eq!(told(&after([said("go"), inner])), ["user: go"]);
}

#[test]
fn a_long_output_is_cut_for_the_model() {
    let all = told(&after([said("go"), ran(json!("é".repeat(10_000)), true, None)]));
    assert!(all[1].len() < 9_000 && all[1].contains("bytes more, not shown to you"), "{all:?}");
}
