//! Answers against whatever else ends a question, on real threads.

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_yes_against_a_stop_takes_effect_once_or_never_and_the_journal_says_which() {
    for _ in 0..200 {
        let fixture = fixture(Mode::Default, Attended::Yes);
        let call = tokio::spawn(fixture.word("change", "a"));
        let id = fixture.question().await;
        let (waiting, cancel) = (fixture.waiting.clone(), fixture.cancel.clone());
        let yes = tokio::spawn(async move { waiting.answer(id, YES) });
        let stop = tokio::spawn(async move { cancel.cancel() });
        let (yes, stop, result) = tokio::join!(yes, stop, call);
        stop.unwrap();
        let (result, types) = (result.unwrap(), fixture.types());
        let count = |name: &str| types.iter().filter(|known| *known == name).count();
        let answered = count("approval_answered");
        assert_eq!(answered + count("approval_withdrawn"), 1, "{types:?}");
        assert_eq!((count("call_started"), count("call_finished")), (answered, 1), "{types:?}");
        assert_eq!((fixture.ran().len(), result.ok), (answered, answered == 1), "{types:?}");
        assert!(answered == 0 || yes.unwrap().is_ok(), "{types:?}");
    }
}
