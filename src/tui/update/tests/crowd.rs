//! Ten thousand questions at once.

use super::*;
use crate::{
    kernel::{
        capability::Body as Effect,
        gate::approval::{Answer, Question, Scope},
    },
    tui::stage::{LEX, write_question},
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
