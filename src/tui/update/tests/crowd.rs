//! Ten thousand questions at once.

use super::*;
use crate::{
    kernel::{
        capability::Body as Effect,
        gate::approval::{Answer, Question, Scope},
    },
    tui::{
        stage::{LEX, write_question},
        tally,
    },
};

const MANY: u128 = 10_000;
const FIRST: u128 = 20_000;

/// One of the run with call 10, or of no run.
fn small(id: u128, script: Option<u128>) -> Question {
    let mut question = write_question(id);
    question.preview.body = Effect::Text { text: format!("number {id}") };
    question.call.parent = script.map(Into::into);
    question.script = script.map(Into::into);
    question
}

#[test]
fn ten_thousand_questions_are_taken_in_shown_and_closed() {
    for script in [None, Some(10)] {
        let mut stage = Stage::new(120, 40);
        stage.draws = false;
        stage.at_work();
        stage.runs(1, 10, "main.py", LEX);
        for id in 0..MANY {
            stage.asks(small(FIRST + id, script));
        }
        assert!(stage.screen().contains("1 of 10"), "{}", stage.screen());
        stage.key("F3");
        assert!(stage.screen().contains("waiting 10000"), "{}", stage.screen());
        for id in 0..MANY {
            let yes = Answer::Allow { scope: Scope::Once };
            stage.answered(1, (FIRST + id).into(), yes);
        }
        assert!(stage.state.queue.ordered().is_empty());
        assert!(stage.screen().contains("Nothing waits."), "{}", stage.screen());
    }
}

#[test]
fn what_comes_and_what_is_answered_is_not_looked_for_among_all_that_wait() {
    const FEW: u128 = 500;
    for script in [None, Some(10)] {
        let mut stage = Stage::new(120, 40);
        stage.draws = false;
        stage.at_work();
        stage.runs(1, 10, "main.py", LEX);
        let came = tally::of(|| {
            for id in 0..FEW {
                stage.asks(small(FIRST + id, script));
            }
        });
        let answered = tally::of(|| {
            for id in 0..FEW {
                let yes = Answer::Allow { scope: Scope::Once };
                stage.answered(1, (FIRST + id).into(), yes);
            }
        });
        // Each message asks a few times which one is in view, which is the first of them.
        let most = 10 * usize::try_from(FEW).unwrap();
        assert!(came.waiting <= most, "{script:?}: {came:?}");
        assert!(answered.waiting <= most, "{script:?}: {answered:?}");
        assert!(came.rows + answered.rows == 0, "{script:?}");
    }
}
