//! Which word does what, and when it counts.

use pretty_assertions::assert_eq;

use super::*;
use crate::{
    kernel::{
        gate::approval::{Scope, Then},
        port::{Trusting, Untrusted},
    },
    tui::{
        message::News,
        stage::{program_question, write_question},
        state::Leave,
    },
};

fn asked() -> Talk {
    let mut talk = Talk::new(Source::Terminal);
    talk.at_work();
    talk.asks(write_question(1));
    talk.wait(500);
    talk.said();
    talk
}

fn once() -> Answer {
    Answer::Allow { scope: Scope::Once }
}

fn no(because: Option<&str>, then: Then) -> Answer {
    Answer::Deny { because: because.map(str::to_owned), then }
}

#[test]
fn a_word_on_a_line_of_its_own_answers() {
    for (words, answer) in [
        (&["full", "yes"][..], once()),
        (&["more", "YES "], once()),
        (&["no"], no(None, Then::GoOn)),
        (&["no because it is Wrong"], no(Some("it is Wrong"), Then::GoOn)),
        (&["stop"], no(None, Then::StopTurn)),
    ] {
        let mut talk = asked();
        for word in words {
            talk.answers(word);
        }
        assert_eq!(talk.sent(), [(1.into(), answer)], "{words:?}");
    }
}

#[test]
fn yes_needs_all_of_it_told() {
    let mut talk = asked();
    talk.answers("yes");
    assert_eq!(talk.sent(), []);
    assert_eq!(
        talk.said(),
        "Not yet: you have not had all of it. Type: more, or full.\nanswer 1> "
    );
    talk.answers("more");
    talk.answers("yes");
    assert_eq!(talk.sent().len(), 1);
}

#[test]
fn what_came_too_soon_or_with_more_is_no_answer_and_is_kept() {
    for word in ["no", "stop", "no because x", "later", "full"] {
        let mut talk = Talk::new(Source::Terminal);
        talk.at_work();
        talk.asks(write_question(1));
        talk.wait(399);
        talk.types(word);
        assert_eq!(talk.sent(), [], "{word}");
        let said = talk.said();
        assert!(said.contains("Not taken as an answer"), "{said}");
        assert_eq!(talk.lines.state.composer.draft.text(), word);
        talk.answers("no");
        assert_eq!(talk.sent().len(), 1);
    }
    let mut talk = asked();
    talk.pastes(&["no", "and more"]);
    assert_eq!(talk.sent(), []);
    assert_eq!(talk.lines.state.composer.draft.text(), "no\nand more");
}

#[test]
fn a_word_that_is_begun_before_a_question_is_kept_and_the_rest_of_it_is_none() {
    let mut talk = Talk::new(Source::Terminal);
    talk.at_work();
    talk.reaches = false;
    talk.asks(write_question(1));
    let mark = talk.marks.pop().unwrap();
    talk.wait(1);
    talk.hear(Heard::Reached(talk.now(), mark, "ye".into()));
    let said = talk.said();
    assert!(said.ends_with("\nYour line so far: ye\nanswer 1> "), "{said}");
    talk.wait(500);
    // The rest of a line may be a word by itself.
    talk.types("stop");
    assert_eq!(talk.sent(), []);
    assert_eq!(talk.lines.state.composer.draft.text(), "yestop");
    talk.reach();
    talk.answers("stop");
    assert_eq!(talk.sent().len(), 1);
}

#[test]
fn a_letter_or_a_word_of_another_question_is_neither_an_answer_nor_words_for_a_model() {
    for line in ["y", "ok", "yes.", "save", "quit"] {
        let mut talk = asked();
        talk.types(line);
        assert_eq!(talk.effects, [], "{line}");
        assert!(talk.said().starts_with("Nothing was answered."), "{line}");
    }
    let mut talk = asked();
    talk.types("yes, but use four");
    let words = "yes, but use four".into();
    assert_eq!(talk.effects, [Effect::Send(Command::Send { session: 1.into(), words })]);
}

#[test]
fn an_answer_right_after_its_question_went_is_kept_and_later_it_is_words() {
    let mut talk = asked();
    let (approval, reason) = (1.into(), "it was stopped".to_owned());
    talk.event(1, Event::ApprovalWithdrawn { approval, reason, waited_ms: 1, excluded_ms: 1 });
    talk.wait(100);
    talk.types("no");
    assert_eq!(talk.effects, []);
    assert!(talk.said().contains("Nothing waits for that answer any more"));
    talk.answers("no");
    let words = "no".into();
    assert_eq!(talk.effects, [Effect::Send(Command::Send { session: 1.into(), words })]);
}

#[test]
fn another_question_waits_until_the_first_is_over_or_the_next_is_wanted() {
    let mut talk = asked();
    talk.session(2, &["fix-parser", "tests"], Some(1));
    talk.asks(program_question(2, 2, &["fix-parser", "tests"]));
    assert_eq!(
        talk.said(),
        "\nAnother question waits: fix-parser, tests, main.py line 7: EXECUTE cargo test --lib lex. \
         2 wait. Type: next, or list.\nanswer 1> "
    );
    talk.wait(399);
    talk.types("no");
    assert_eq!(talk.sent(), [], "something was just said");
    talk.answers("no");
    assert_eq!(talk.sent(), [(1.into(), no(None, Then::GoOn))]);
    talk.said();
    talk.answered(1, 1, no(None, Then::GoOn), 2000);
    insta::assert_snapshot!("the_next_question_comes_by_itself", talk.said());
    talk.answers("later");
    assert_eq!(talk.sent(), []);
    talk.said();
    talk.answers("/waiting 1");
    assert!(talk.said().starts_with("QUESTION 1 of 1"));
}

#[test]
fn next_asks_another_one() {
    let mut talk = asked();
    talk.asks(program_question(2, 1, &["fix-parser"]));
    talk.said();
    talk.answers("next");
    assert!(talk.said().starts_with("QUESTION 2 of 2, fix-parser, main.py line 7"));
    talk.answers("full");
    talk.answers("yes");
    assert_eq!(talk.sent(), [(2.into(), once())]);
}

#[test]
fn wider_tells_the_rule_and_saves_it_as_it_stands() {
    let mut talk = asked();
    talk.considered = Ok(1);
    talk.answers("wider");
    assert!(talk.said().contains("you have not had all of it"));
    talk.answers("full");
    talk.said();
    talk.answers("wider");
    let said = talk.said();
    for part in ["RULE, saved exactly", "[[allow]]", "It answers 1 more that wait.", "rule> "] {
        assert!(said.contains(part), "no {part}:\n{said}");
    }
    talk.answers("always");
    assert!(talk.said().contains("\"always\""));
    talk.answers("save");
    let sent = talk.sent();
    assert!(
        matches!(&sent[..], [(_, Answer::Allow { scope: Scope::Always { rule } })] if rule.contains("[[allow]]")),
        "{sent:?}"
    );
}

#[test]
fn arguments_that_come_back_from_an_editor_are_told_before_they_can_run() {
    let mut talk = asked();
    talk.answers("edit");
    let [Effect::Editor { question, field: None, text }] = &talk.effects[..] else {
        panic!("{:?}", talk.effects)
    };
    let (question, text) = (*question, text.replace("src/lex.rs", "src/other.rs"));
    talk.effects.clear();
    talk.said();
    talk.hear(Heard::Told(Message::Came(Came::Edited(question, None, Ok(text)))));
    assert_eq!(
        talk.said(),
        "EDITED, to run as it stands here:\n  path: src/other.rs\n  Type: yes, to say yes to it as \
         edited; edit, back.\nas edited> "
    );
    talk.types("yes");
    assert_eq!(talk.sent(), [], "it could not be read yet");
    talk.answers("yes");
    let input = serde_json::json!({ "path": "src/other.rs", "text": "…" });
    assert_eq!(talk.sent(), [(1.into(), Answer::AllowEdited { input })]);
}

#[test]
fn an_editor_that_fails_leaves_the_question_as_it_was() {
    let mut talk = asked();
    talk.answers("edit");
    talk.effects.clear();
    talk.said();
    let failed = Err("Not edited: vi ended with status 1.".to_owned());
    talk.hear(Heard::Told(Message::Came(Came::Edited(1.into(), None, failed))));
    let said = talk.said();
    assert!(said.starts_with("Not edited: vi ended with status 1.\nQUESTION 1 of 1"), "{said}");
    talk.answers("no");
    assert_eq!(talk.sent().len(), 1);
}

#[test]
fn the_rules_of_a_project_are_a_question_as_well() {
    for (word, said) in [("yes", Trusting::Yes), ("no", Trusting::Never)] {
        let mut talk = Talk::new(Source::Terminal);
        let (folder, text) = ("/home/me/code/tally".into(), "[[allow]]\n".to_owned());
        let file = "/home/me/code/tally/.footplate/rules.toml".into();
        let rules = Untrusted { folder, file, text: text.clone(), allows: 1 };
        talk.hear(Heard::Told(Message::Told(News::Untrusted(9.into(), rules))));
        talk.answers(word);
        let project = "/home/me/code/tally".into();
        assert_eq!(talk.effects, [Effect::Send(Command::Judge { project, text, said })]);
    }
}

#[test]
fn what_hides_is_spelled_out_and_has_no_wider_yes() {
    let mut talk = Talk::new(Source::Terminal);
    talk.at_work();
    talk.said();
    let mut question = write_question(1);
    question.preview.object = "src/\u{430}uth.py".into();
    question.preview.facts = vec!["new file".into(), "+1".into()];
    question.preview.body = crate::kernel::capability::Body::Diff {
        old: None,
        new: "if user != \"guest\u{202e}\":\n".into(),
        mark: None,
    };
    talk.asks(question);
    insta::assert_snapshot!("what_hides_is_spelled_out", talk.said());
    talk.answers("wider");
    assert_eq!(talk.effects, []);
    assert!(talk.said().contains("not with hidden text"));
}

#[test]
fn ctrl_c_twice_stops_the_turn_and_the_end_asks_before_it_quits() {
    let mut talk = Talk::new(Source::Terminal);
    talk.at_work();
    talk.said();
    talk.hear(Heard::Interrupted(talk.now()));
    assert_eq!(talk.said(), "ctrl+c again stops this turn. Agents go on.\n");
    talk.wait(200);
    talk.hear(Heard::Interrupted(talk.now()));
    assert_eq!(talk.effects, [Effect::Send(Command::Interrupt { session: 1.into() })]);
    talk.hear(Heard::Ended(talk.now()));
    assert!(talk.said().starts_with("QUIT? 1 at work, 0 waiting for you."));
    assert_eq!(talk.lines.leave(), None);
    talk.answers("back");
    talk.answers("/quit");
    talk.answers("quit");
    assert_eq!(talk.lines.leave(), Some(Leave::Quit));
}

#[test]
fn a_pipe_that_ends_lets_work_end_and_asks_nobody() {
    let mut talk = Talk::new(Source::Pipe);
    talk.at_work();
    talk.hear(Heard::Ended(talk.now()));
    assert_eq!(talk.lines.leave(), None);
    let mut asks = Talk::new(Source::Pipe);
    asks.at_work();
    asks.hear(Heard::Ended(asks.now()));
    asks.asks(write_question(1));
    assert_eq!(asks.lines.leave(), Some(Leave::Unanswered));
    talk.event(1, Event::ExchangeFinished { outcome: crate::kernel::event::Outcome::Done });
    assert_eq!(talk.lines.leave(), Some(Leave::Quit));
}
