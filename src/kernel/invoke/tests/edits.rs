//! Yes to other arguments.

use super::*;

fn edited(word: &str) -> Answer {
    Answer::AllowEdited { input: json!({ "word": word }) }
}

#[tokio::test]
async fn an_edited_call_is_what_runs_and_what_the_journal_says_beside_what_was_asked() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let call = tokio::spawn(fixture.word("change", "a"));
    let id = fixture.question().await;
    fixture.waiting.answer(id, edited("b")).unwrap();
    let result = call.await.unwrap();
    assert_eq!((result.ok, &result.input), (true, &json!({ "word": "b" })));
    assert_eq!(fixture.ran(), ["b"]);
    let lines = fixture.journal.lines.lock().unwrap();
    let Event::ApprovalRequested { question } = &lines[0].event else { panic!() };
    let Event::ApprovalAnswered { answer, .. } = &lines[1].event else { panic!() };
    let Event::CallStarted { call, decision, .. } = &lines[2].event else { panic!() };
    assert_eq!(question.call.input, json!({ "word": "a" }));
    assert_eq!(*answer, edited("b"));
    assert_eq!(
        (&call.input, decision.clone()),
        (&json!({ "word": "b" }), Decision::allowed(Decider::Person))
    );
}

#[tokio::test]
async fn an_edit_that_cannot_be_taken_is_refused_with_its_reason_and_the_question_comes_back() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let call = tokio::spawn(fixture.word("change", "a"));
    for (answer, reason) in [
        (edited("bad"), "the edit was refused: not that word"),
        (
            Answer::AllowEdited { input: json!({ "word": 1 }) },
            "the edit was refused: Invalid input for change.word: expected string",
        ),
    ] {
        let id = fixture.question().await;
        fixture.waiting.answer(id, answer).unwrap();
        loop {
            let lines = fixture.journal.lines.lock().unwrap().clone();
            let said = lines.iter().find_map(|line| {
                let Event::ApprovalWithdrawn { approval, reason, .. } = &line.event else {
                    return None;
                };
                (*approval == id).then(|| reason.clone())
            });
            if let Some(said) = said {
                assert_eq!(said, reason);
                break;
            }
            tokio::task::yield_now().await;
        }
    }
    let id = fixture.question().await;
    fixture.waiting.answer(id, YES).unwrap();
    assert!(call.await.unwrap().ok);
    assert_eq!(fixture.ran(), ["a"]);
}

#[tokio::test]
async fn an_edit_does_not_get_past_plan_mode() {
    let fixture = fixture(Mode::Default, Attended::Yes);
    let call = tokio::spawn(fixture.word("change", "a"));
    let id = fixture.question().await;
    // The mode changes and the answer is there before the asker looks.
    fixture.waiting.answer(id, edited("b")).unwrap();
    fixture.mode.send_replace(Mode::Plan);
    let result = call.await.unwrap();
    assert_eq!(result.error_code(), Some(ErrorCode::BlockedInPlanMode));
    assert!(fixture.ran().is_empty());
}
