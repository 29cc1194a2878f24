//! What a call leaves in the journal when nobody is asked.

use super::*;

#[tokio::test]
async fn a_read_runs_in_every_mode_and_leaves_a_start_and_a_result() {
    for mode in Mode::ALL {
        let fixture = fixture(mode, Attended::No);
        let result = fixture.word("look", "here").await;
        assert_eq!((result.ok, result.text()), (true, "here".to_owned()));
        assert_eq!(fixture.types(), ["call_started", "call_finished"]);
    }
}

#[tokio::test]
async fn a_script_that_reads_much_gets_all_of_it_and_does_not_fill_the_journal() {
    let mut fixture = fixture(Mode::Default, Attended::No);
    let long = "å".repeat(100_000);
    for (parent, kept) in [(None, 200_000), (Some(CallId::from(7)), KEPT_BYTES + 100)] {
        fixture.tools.context.call = parent;
        let result = fixture.word("look", &long).await;
        assert_eq!(result.text(), long);
        let journal = fixture.journal.lines.lock().unwrap();
        let Event::CallFinished { result, .. } = &journal.last().unwrap().event else { panic!() };
        assert!(result.text().len() <= kept, "{parent:?}: {}", result.text().len());
        assert_eq!(result.text() == long, parent.is_none());
    }
}

#[tokio::test]
async fn with_nobody_to_ask_the_call_is_denied_at_once_and_the_journal_names_it() {
    let fixture = fixture(Mode::Default, Attended::No);
    let result = fixture.word("change", "a").await;
    assert_eq!(result.error_code(), Some(ErrorCode::NoApprover));
    let lines = fixture.journal.lines.lock().unwrap();
    let Event::CallFinished { decision, .. } = &lines[0].event else { panic!() };
    assert_eq!(decision.as_ref().map(|decision| &decision.by), Some(&Decider::Nobody));
    assert!(fixture.ran().is_empty());
}

#[tokio::test]
async fn plan_mode_refuses_every_effect_without_a_question() {
    let fixture = fixture(Mode::Plan, Attended::Yes);
    for name in ["change", "start", "send"] {
        let result = fixture.word(name, "a").await;
        assert_eq!(result.error_code(), Some(ErrorCode::BlockedInPlanMode));
    }
    assert!(fixture.ran().is_empty());
}

#[tokio::test]
async fn a_call_cut_off_while_it_runs_has_one_result_that_says_its_effect_is_unknown() {
    let fixture = fixture(Mode::Auto, Attended::No);
    let (begun, wait) = oneshot::channel::<()>();
    let call = fixture.word("change", "for ever");
    let task = tokio::spawn(async move {
        let mut call = std::pin::pin!(call);
        let first = futures_util::poll!(&mut call);
        assert!(first.is_pending());
        let _ = begun.send(());
        call.await
    });
    wait.await.unwrap();
    task.abort();
    assert!(task.await.is_err());
    assert_eq!(fixture.types(), ["call_started", "call_finished"]);
    let lines = fixture.journal.lines.lock().unwrap();
    let Event::CallFinished { result, .. } = &lines[1].event else { panic!() };
    assert_eq!(result.error_code(), Some(ErrorCode::Interrupted));
    assert!(result.content["message"].as_str().unwrap().contains("unknown"));
}
