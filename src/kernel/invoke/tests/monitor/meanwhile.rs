//! What happens while the monitor judges, and what is left for it to judge.

use super::*;

#[tokio::test(start_paused = true)]
async fn the_clock_of_a_script_stands_still_while_the_monitor_judges() {
    let word = Arc::new(tokio::sync::Notify::new());
    let (fixture, played) = Fixture::watched(Mode::Auto, Attended::Yes, Part::Waits(word.clone()));
    let call = tokio::spawn(fixture.word("change", "a"));
    while played.asked() == 0 {
        tokio::task::yield_now().await;
    }
    tokio::time::advance(Duration::from_secs(4)).await;
    assert!(fixture.clock.read().held);
    word.notify_one();
    assert!(call.await.unwrap().ok);
    let reading = fixture.clock.read();
    assert_eq!(
        (reading.held, reading.spent, reading.excluded),
        (false, Duration::ZERO, Duration::from_secs(4))
    );
}

#[tokio::test]
async fn who_stops_the_asker_stops_the_monitor_and_nothing_runs() {
    let (fixture, played) = Fixture::watched(Mode::Auto, Attended::Yes, Part::IsSilent);
    let call = tokio::spawn(fixture.word("change", "a"));
    while played.asked() == 0 {
        tokio::task::yield_now().await;
    }
    fixture.cancel.cancel();
    let result = call.await.unwrap();
    assert_eq!(result.error_code(), Some(ErrorCode::Interrupted));
    assert!(result.text().contains("before it began"), "{result:?}");
    assert_eq!(played.dropped.load(Ordering::SeqCst), 1);
    assert!(!fixture.clock.read().held && fixture.ran().is_empty());
    assert_eq!(fixture.types(), ["call_finished"]);
}

#[tokio::test]
async fn what_modes_and_rules_say_while_it_judges_is_heard() {
    type Change = fn(&Fixture);
    let deny: Change = |fixture| fixture.rule("deny", "change");
    let plan: Change = |fixture| {
        fixture.mode.send_replace(Mode::Plan);
    };
    for (change, code) in [(deny, ErrorCode::DeniedByRule), (plan, ErrorCode::BlockedInPlanMode)] {
        let word = Arc::new(tokio::sync::Notify::new());
        let (fixture, played) =
            Fixture::watched(Mode::Auto, Attended::Yes, Part::Waits(word.clone()));
        let call = tokio::spawn(fixture.word("change", "a"));
        while played.asked() == 0 {
            tokio::task::yield_now().await;
        }
        change(&fixture);
        word.notify_one();
        assert_eq!(call.await.unwrap().error_code(), Some(code));
        assert!(fixture.ran().is_empty());
    }
}

#[tokio::test]
async fn a_question_that_a_rule_takes_away_is_judged_since_no_person_was() {
    let refused = async |part: Part| {
        let (fixture, played) = Fixture::watched(Mode::Default, Attended::Yes, part);
        let call = tokio::spawn(fixture.word("change", "a"));
        let id = fixture.question().await;
        assert_eq!(played.asked(), 0);
        fixture.rule("allow", "change");
        (fixture, played, call, id)
    };
    let (fixture, played, call, _) = refused(clear()).await;
    assert!(call.await.unwrap().ok);
    assert_eq!(played.asked(), 1);
    assert!(matches!(fixture.decided()[0].by, Decider::Rule { .. }));

    let (fixture, _, call, first) = refused(soft()).await;
    let second: ApprovalId = fixture.question().await;
    assert_ne!(first, second);
    fixture.waiting.answer(second, YES).unwrap();
    assert!(call.await.unwrap().ok);
    let reasons: Vec<_> = fixture.put().into_iter().map(|question| question.monitor).collect();
    assert_eq!(reasons, [None, Some(doubt(Tier::Soft, "it is odd"))]);

    let (fixture, _, call, _) = refused(hard()).await;
    assert_eq!(call.await.unwrap().error_code(), Some(ErrorCode::BlockedByMonitor));
    assert!(fixture.ran().is_empty());
}

#[tokio::test]
async fn a_yes_for_the_session_lets_others_past_the_person_but_not_past_the_monitor() {
    let (fixture, played) = Fixture::watched(Mode::Default, Attended::Yes, clear());
    let call = tokio::spawn(fixture.word("change", "a"));
    let id = fixture.question().await;
    let bare = Answer::Allow { scope: Scope::Session { rule: String::new() } };
    fixture.waiting.answer(id, bare).unwrap();
    assert!(call.await.unwrap().ok);
    assert_eq!(played.asked(), 0);
    assert!(fixture.word("change", "a").await.ok);
    assert_eq!(played.asked(), 1);
}
