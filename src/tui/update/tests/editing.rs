//! Arguments that a person edits before saying yes.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::{draft, toast};
use crate::{
    kernel::{
        capability::{Body, Category},
        change::{Before, Change},
        command::Command,
        event::{Call, Decider, Decision, Event},
        gate::{
            approval::{Answer, CHANGED, EDIT_REFUSED},
            subject::Subject,
        },
    },
    tui::{
        effect::Effect,
        message::{Came, Input, Message},
        stage::{Stage, program_question, write_question},
        state::{Focus, waiting::Form},
    },
};

/// A program asks, and its arguments are open.
fn editing() -> Stage {
    let mut stage = Stage::new(100, 40);
    stage.at_work();
    stage.wait(1_000);
    stage.asks(program_question(1, 1, &["fix-parser"]));
    stage.wait(500);
    stage.key("e");
    stage.wait(200);
    stage
}

fn sent(stage: &Stage) -> Vec<serde_json::Value> {
    let answers = stage.effects.iter().map(|effect| {
        let Effect::Send(Command::Answer { answer: Answer::AllowEdited { input }, .. }) = effect
        else {
            panic!("{effect:?}")
        };
        input.clone()
    });
    answers.collect()
}

#[test]
fn items_and_fields_are_edited_in_place_and_sent_by_their_own_key() {
    let mut stage = editing();
    for key in ["down", "down", "end", "enter"] {
        stage.key(key);
    }
    stage.types("--quiet");
    for key in ["tab", "tab"] {
        stage.key(key);
    }
    stage.types("60000");
    stage.key("tab");
    stage.types("yes");
    let screen = stage.screen();
    assert!(screen.contains("3 of 4 changed"), "{screen}");
    assert!(screen.contains("+ --quiet"), "{screen}");
    assert!(screen.contains("Valid. This is what runs"), "{screen}");
    assert_eq!(stage.effects, []);
    stage.key("ctrl+s");
    let argv = ["cargo", "test", "--lib", "--quiet", "lex"];
    assert_eq!(sent(&stage), [json!({"argv": argv, "timeout_ms": 60_000, "network": true})]);
    assert_eq!(draft(&stage), "");
}

#[test]
fn what_is_not_valid_says_why_as_it_is_typed_and_is_not_sent() {
    let mut stage = editing();
    for key in ["tab", "tab"] {
        stage.key(key);
    }
    stage.types("0");
    let rows = stage.screen().replace("\"\n\"", " ");
    assert!(rows.contains("minimum of 1"), "{rows}");
    stage.types("x");
    assert!(stage.screen().contains("timeout_ms: expected a number"), "{}", stage.screen());
    stage.key("ctrl+s");
    assert_eq!(
        (&stage.effects[..], &*toast(&stage)),
        (&[][..], "Not sent: it is not valid as it stands.")
    );
    for key in ["backspace", "backspace", "ctrl+s"] {
        stage.key(key);
    }
    assert_eq!(toast(&stage), "Nothing was changed. A plain yes is for that.");
    stage.key("esc");
    assert!(stage.state.queue.form.is_none());
    assert_eq!((stage.state.focus, &stage.effects[..]), (Focus::Question, &[][..]));
}

#[test]
fn no_letter_answers_while_arguments_are_edited() {
    let mut stage = editing();
    for letter in ["y", "n", "N", "w", "e", "v", "m"] {
        stage.key(letter);
        stage.wait(1_000);
    }
    stage.key("enter");
    assert_eq!(stage.effects, []);
    assert!(stage.screen().contains("cargoynNwevm"), "{}", stage.screen());
}

#[test]
fn an_editor_is_given_the_field_or_all_of_it_and_what_it_leaves_is_checked() {
    let mut stage = editing();
    stage.key("ctrl+o");
    stage.key("alt+o");
    let given = stage.effects.drain(..).map(|effect| {
        let Effect::Editor { field, text, .. } = effect else { panic!("{effect:?}") };
        (field, text)
    });
    let given: Vec<_> = given.collect();
    let all: serde_json::Value = serde_json::from_str(&given[1].1).unwrap();
    assert_eq!((given[0].0, given[1].0), (Some(0), None));
    assert_eq!(all["argv"], serde_json::from_str::<serde_json::Value>(&given[0].1).unwrap());
    let mut came = |field, text: Result<&str, &str>| {
        let text = text.map(str::to_owned).map_err(str::to_owned);
        stage.send(Message::Came(Came::Edited(1.into(), field, text)));
        (toast(&stage), stage.screen())
    };
    let (said, _) = came(Some(0), Ok("[\"cargo\""));
    assert!(said.starts_with("Not taken: this is not JSON"), "{said}");
    let (said, _) = came(None, Ok("{\"argv\": [\"ls\"], \"argv\": [\"rm\"]}"));
    assert!(said.contains("the key \"argv\" is there twice"), "{said}");
    let (said, _) = came(None, Err("Not edited: vi ended with status 1."));
    assert_eq!(said, "Not edited: vi ended with status 1.");
    let (_, screen) = came(None, Ok("{\"argv\": [], \"more\": 1}"));
    assert!(
        screen.contains("process.run: unknown property") || screen.contains("argv"),
        "{screen}"
    );
    let (_, screen) = came(None, Ok("{\"argv\": [\"ls\"]}"));
    assert!(screen.contains("Valid."), "{screen}");
    stage.key("ctrl+s");
    assert_eq!(sent(&stage), [json!({"argv": ["ls"]})]);
}

#[test]
fn a_text_that_a_row_cannot_hold_is_never_changed_by_showing_it() {
    let mut stage = Stage::new(100, 40);
    stage.at_work();
    let mut question = write_question(1);
    question.call.input = json!({ "path": "a.txt", "text": "bell \u{7} and\r\n" });
    stage.asks(question);
    stage.wait(500);
    stage.key("e");
    stage.wait(200);
    stage.types("b");
    stage.key("tab");
    stage.types("lost?");
    assert!(stage.screen().contains("written in $EDITOR only"), "{}", stage.screen());
    stage.key("ctrl+s");
    assert_eq!(sent(&stage), [json!({ "path": "a.txtb", "text": "bell \u{7} and\r\n" })]);
}

#[test]
fn an_edit_that_was_refused_comes_back_as_it_was_with_the_reason() {
    let mut stage = editing();
    stage.types("x");
    stage.key("ctrl+s");
    assert_eq!(stage.effects.len(), 1);
    stage.event(
        1.into(),
        Event::ApprovalWithdrawn {
            approval: 1.into(),
            reason: format!("{EDIT_REFUSED}There is no such folder."),
            waited_ms: 0,
            excluded_ms: 0,
        },
    );
    let mut again = program_question(2, 1, &["fix-parser"]);
    again.call.id = program_question(1, 1, &["fix-parser"]).call.id;
    stage.asks(again);
    stage.wait(100);
    assert!(matches!(&stage.state.queue.form, Some(Form::Edit(edit)) if edit.question == 2.into()));
    let screen = stage.screen();
    assert!(screen.contains("There is no such folder.") && screen.contains("cargox"), "{screen}");
}

/// A write asks, and its arguments are open.
fn editing_a_write(text: &str) -> Stage {
    let mut stage = Stage::new(100, 40);
    stage.at_work();
    stage.wait(1_000);
    let mut question = write_question(1);
    question.call.input = json!({ "path": "src/lex.rs", "text": text });
    question.preview.body = Body::Diff { old: None, new: text.to_owned(), mark: None };
    stage.asks(question);
    stage.wait(500);
    stage.key("e");
    stage.wait(200);
    stage
}

#[test]
fn the_line_of_an_edited_call_names_what_was_really_done() {
    let mut stage = editing_a_write("x");
    stage.types("2");
    stage.key("ctrl+s");
    let input = sent(&stage).remove(0);
    assert_eq!(input["path"], "src/lex.rs2");
    let call = Call { input: input.clone(), ..write_question(1).call };
    stage.answered(1, 1.into(), Answer::AllowEdited { input });
    assert!(stage.screen().contains("WRITE src/lex.rs2"), "{}", stage.screen());
    let decision = Decision::allowed(Decider::Person);
    let (category, subject) = (Category::Write, Subject::Other);
    let id = call.id;
    stage.event(1.into(), Event::CallStarted { call, category, decision, subject });
    let change = Change {
        path: "/home/me/tally/src/lex.rs2".into(),
        shown: "src/lex.rs2".to_owned(),
        before: Before::Nothing,
        after: None,
        more: 1,
        fewer: 0,
        undoes: None,
    };
    stage.event(1.into(), Event::ChangeBegun { call: id, change });
    let screen = stage.screen();
    assert!(screen.contains("WRITE src/lex.rs2 +1"), "{screen}");
    assert!(!screen.contains("+4"), "{screen}");
}

#[test]
fn a_line_end_in_a_name_is_shown_as_what_it_is_and_warned_of() {
    let mut stage = editing_a_write("one line");
    stage.send(Message::Input(stage.now(), Input::Paste("\rb".into())));
    let screen = stage.screen();
    assert!(screen.contains("src/lex.rs⟨U+000A⟩b"), "{screen}");
    assert!(screen.contains("1 character here can deceive the eye"), "{screen}");
    assert!(screen.contains("⟨U+000A⟩  a line end, in a name"), "{screen}");
    stage.key("enter");
    assert!(matches!(&stage.state.queue.form, Some(Form::Edit(edit)) if edit.at == (1, 0)));
    // Lines of a text are lines.
    stage.types("a");
    stage.key("enter");
    stage.types("b");
    assert!(stage.screen().contains("1 character here can"), "{}", stage.screen());
}

#[test]
fn what_is_being_edited_outlives_a_change_of_its_file() {
    let mut stage = editing_a_write("x");
    stage.types("2");
    stage.event(
        1.into(),
        Event::ApprovalWithdrawn {
            approval: 1.into(),
            reason: CHANGED.to_owned(),
            waited_ms: 0,
            excluded_ms: 0,
        },
    );
    assert_eq!(toast(&stage), "Asked again: src/lex.rs was changed meanwhile.");
    let mut again = write_question(2);
    again.call.id = write_question(1).call.id;
    stage.asks(again);
    stage.wait(100);
    let screen = stage.screen();
    assert!(screen.contains("src/lex.rs2"), "{screen}");
    assert!(screen.contains("Its file was changed meanwhile"), "{screen}");
    stage.key("ctrl+s");
    assert_eq!(stage.effects, [], "not before it was looked at");
    stage.key("esc");
    assert_eq!(stage.state.queue.current().map(|waiting| waiting.question.id), Some(2.into()));
}

#[test]
fn a_question_that_cannot_be_edited_says_why() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    let mut question = write_question(1);
    question.call.name = "shelf.price".into();
    stage.asks(question);
    stage.wait(500);
    stage.key("e");
    stage.wait(200);
    assert!(stage.state.queue.form.is_none());
    assert_eq!(toast(&stage), "Not edited: what shelf.price takes is not known here.");
}
