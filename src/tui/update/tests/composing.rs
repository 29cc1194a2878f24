use pretty_assertions::assert_eq;

use super::*;
use crate::{
    kernel::{
        event::{Call, Decider, Decision, Origin},
        spec::Mode,
    },
    tui::{
        files::{Found, Name},
        state::{
            Popup,
            offered::{Kind, Looks},
        },
    },
};

fn found(names: &[(&str, &str)]) -> Found {
    let name = |(path, text): &(&str, &str)| Name {
        path: (*path).into(),
        text: (*text).into(),
        raw: None,
    };
    Found { names: names.iter().map(name).collect(), fit: names.len(), cut: false }
}

fn sent(stage: &Stage) -> Vec<Command> {
    let send = |effect: &Effect| {
        let Effect::Send(command) = effect else { return None };
        Some(command.clone())
    };
    stage.effects.iter().filter_map(send).collect()
}

fn line(stage: &mut Stage, text: &str) -> Vec<Command> {
    stage.effects.clear();
    stage.types(text);
    // What is offered is closed first, so that enter sends what was typed.
    stage.key("esc");
    stage.key("enter");
    sent(stage)
}

/// A session that rests after one message.
pub(super) fn resting() -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.event(1.into(), Event::ExchangeFinished { outcome: Outcome::Done });
    stage
}

#[test]
fn a_file_is_found_as_it_is_named_and_put_in_the_draft() {
    let mut stage = resting();
    stage.desk.found =
        found(&[("src/lex.rs", "src/lex.rs"), ("src/l\u{202e}x", "\"src/l\\u202ex\"")]);
    stage.types("see @sl");
    let screen = stage.screen();
    assert!(screen.contains("2 files") && screen.contains("src/l⟨U+202E⟩x"), "{screen}");
    stage.key("enter");
    assert_eq!(draft(&stage), "see @src/lex.rs ");
    assert_eq!(stage.effects, [], "enter took the file and sent nothing");
    stage.types("and @l");
    stage.key("down");
    stage.key("tab");
    assert_eq!(draft(&stage), "see @src/lex.rs and @\"src/l\\u202ex\" ");
    stage.key("enter");
    assert_eq!(sent(&stage).len(), 1);
}

#[test]
fn a_folder_offers_what_is_in_it_and_esc_closes_the_list_for_this_word() {
    let mut stage = resting();
    stage.desk.found = found(&[("src/", "src/")]);
    stage.types("@s");
    stage.key("enter");
    assert_eq!(draft(&stage), "@src/");
    assert!(stage.state.offers());
    stage.key("esc");
    stage.types("x");
    assert!(!stage.state.offers());
    stage.types(" @s");
    assert!(stage.state.offers(), "another word is offered again");
    stage.desk.found = found(&[]);
    stage.types("zz");
    stage.key("enter");
    assert_eq!(sent(&stage).len(), 1, "with nothing to take, enter sends");
}

#[test]
fn late_files_for_other_words_are_not_shown() {
    let mut stage = resting();
    stage.desk.found = found(&[("b", "b")]);
    stage.types("@b");
    let late = Came::Files("a".into(), found(&[("a", "a")]));
    stage.send(Message::Came(late));
    let rows = &stage.state.composer.offered.as_ref().unwrap().rows;
    assert_eq!(rows[0].text, "b");
}

#[test]
fn enter_before_the_files_are_known_takes_the_best_when_it_is() {
    let mut stage = resting();
    stage.types("@b");
    let offered = stage.state.composer.offered.as_mut().unwrap();
    let words = "b".to_owned();
    offered.kind = Kind::File { words: words.clone(), looks: Looks::On, cut: false };
    stage.key("enter");
    assert_eq!((draft(&stage).as_str(), sent(&stage).len()), ("@b", 0));
    stage.send(Message::Came(Came::Files(words, found(&[("b.rs", "b.rs")]))));
    assert_eq!((draft(&stage).as_str(), sent(&stage).len()), ("@b.rs ", 0));
}

#[test]
fn commands_are_completed_and_done() {
    let mut stage = resting();
    stage.types("/mo");
    assert!(stage.screen().contains("/mode   what runs without asking"));
    stage.key("tab");
    assert_eq!(draft(&stage), "/mode ");
    stage.types("pl");
    stage.key("enter");
    let mode = Command::SetMode { session: 1.into(), mode: Mode::Plan };
    assert_eq!((sent(&stage), draft(&stage)), (vec![mode], String::new()));
    assert_eq!(line(&mut stage, "/stop"), [Command::Interrupt { session: 1.into() }]);
    let name = Command::Rename { session: 1.into(), name: "tab stops".into() };
    assert_eq!(line(&mut stage, "/rename tab stops"), [name]);
    assert_eq!(line(&mut stage, "/fork"), [Command::Fork { session: 1.into(), before: None }]);
    assert_eq!(line(&mut stage, "/help"), []);
    assert!(matches!(stage.state.popup, Some(Popup::Help { .. })));
}

#[test]
fn going_back_brings_the_words_of_the_message_into_the_composer() {
    let mut stage = resting();
    let back = Command::Rewind { session: 1.into(), before: 1 };
    assert_eq!(line(&mut stage, "/rewind"), [back]);
    assert_eq!(draft(&stage), "make the lexer accept tabs, and keep the old tests green");
    stage.key("ctrl+c");
    assert_eq!(line(&mut stage, "/rewind 7"), []);
    assert_eq!(draft(&stage), "/rewind 7");
    assert!(toast(&stage).contains("from 1 to 1"));
}

#[test]
fn a_command_that_is_none_keeps_its_text_and_a_path_is_sent() {
    let mut stage = resting();
    assert_eq!(line(&mut stage, "/mdoe plan"), []);
    assert_eq!(draft(&stage), "/mdoe plan");
    assert!(toast(&stage).contains("nearest is /mode"), "{}", toast(&stage));
    stage.key("ctrl+c");
    assert_eq!(line(&mut stage, "/mode fast"), []);
    assert_eq!(draft(&stage), "/mode fast");
    stage.key("ctrl+c");
    for words in ["/usr/bin/env is gone", " /mode is a command"] {
        let text = words.to_owned();
        assert_eq!(
            line(&mut stage, words),
            [Command::Send { session: 1.into(), words: text.into() }]
        );
    }
}

#[test]
fn an_exclamation_mark_runs_python_by_hand_and_esc_stops_it() {
    let mut stage = resting();
    stage.types("! print(1)");
    assert!(stage.screen().contains("enter runs it as Python"));
    stage.key("enter");
    let run = Command::Run { session: 1.into(), code: "print(1)".into() };
    assert_eq!(sent(&stage), [run]);
    let input = serde_json::json!({ "code": "print(1)", "filename": "by_hand.py" });
    let (id, origin) = (70.into(), Origin::Person);
    let call = Call { id, name: "execute_code".into(), input, origin, parent: None };
    let decision = Decision::allowed(Decider::Mode { mode: Mode::Default });
    stage.event(
        1.into(),
        Event::CallStarted {
            call,
            category: crate::kernel::capability::Category::Read,
            decision,
            subject: crate::kernel::gate::subject::Subject::Other,
        },
    );
    assert!(stage.screen().contains("by_hand.py"));
    assert_eq!(stage.state.sessions.at_work(), 1);
    stage.effects.clear();
    stage.key("esc");
    stage.key("esc");
    assert_eq!(sent(&stage), [Command::Interrupt { session: 1.into() }]);
    stage.key("!");
    stage.key("enter");
    assert_eq!(sent(&stage).len(), 1, "a mark alone runs nothing");
}

#[test]
fn python_by_hand_begins_a_session_where_there_is_none() {
    let mut stage = Stage::new(80, 24);
    stage.types("!print(1)");
    stage.key("enter");
    assert_eq!(stage.effects, [Effect::Start { what: Start::Here, message: None }]);
    stage.session(1, &["main"], None, "");
    stage.effects.clear();
    stage.send(Message::Came(Came::Started(1.into())));
    assert_eq!(sent(&stage), [Command::Run { session: 1.into(), code: "print(1)".into() }]);
}

#[test]
fn a_session_that_was_begun_comes_into_view_also_when_its_first_event_is_late() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.key("F2");
    stage.key("a");
    stage.send(Message::Came(Came::Started(9.into())));
    stage.session(9, &["main"], None, "");
    assert_eq!(stage.state.sessions.viewed(), Some(9.into()));
    stage.effects.clear();
    stage.types("look");
    stage.key("enter");
    let words = "look".into();
    assert_eq!(sent(&stage), [Command::Send { session: 9.into(), words }]);
}

#[test]
fn words_steer_at_the_next_step_and_what_waits_is_taken_back() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.types("use four");
    stage.key("ctrl+s");
    stage.types("then test");
    stage.key("enter");
    let session = 1.into();
    let steer = Command::Steer { session, words: "use four".into() };
    let send = Command::Send { session, words: "then test".into() };
    assert_eq!(sent(&stage), [steer, send]);
    let screen = stage.screen();
    assert!(screen.contains("◌ use four") && screen.contains("at the next step"), "{screen}");
    stage.effects.clear();
    stage.key("up");
    assert_eq!(sent(&stage), [Command::TakeBack { session, text: "then test".into() }]);
    assert_eq!(draft(&stage), "then test");
    stage.event(session, Event::said("use four"));
    assert!(!stage.screen().contains("◌ use four"));
    stage.key("ctrl+c");
    stage.effects.clear();
    stage.key("up");
    assert_eq!((sent(&stage), draft(&stage)), (vec![], "then test".into()), "nothing waits");
}

#[test]
fn each_session_has_its_draft_and_finds_it_again_at_the_next_start() {
    let mut stage = Stage::new(80, 24);
    stage.desk.drafts.insert(2.into(), "kept from before".into());
    stage.at_work();
    stage.session(2, &["review"], None, "look");
    stage.types("half a thought");
    stage.wait(1_100);
    assert_eq!(stage.desk.drafts[&1.into()], "half a thought");
    stage.state.sessions.show(2.into());
    stage.draw();
    assert_eq!(draft(&stage), "kept from before");
    stage.types("!");
    stage.key("alt+left");
    assert_eq!(draft(&stage), "half a thought");
    assert_eq!(stage.desk.drafts[&2.into()], "kept from before!", "kept when it is left");
    stage.types("s");
    stage.send(Message::Signalled);
    assert_eq!(stage.desk.drafts[&1.into()], "half a thoughts", "and at the end");
}

#[test]
fn a_draft_of_before_takes_no_place_of_what_is_being_written() {
    let mut stage = resting();
    stage.types("new");
    stage.send(Message::Came(Came::Draft(1.into(), "old".into())));
    assert_eq!(draft(&stage), "new");
}

#[test]
fn words_of_before_are_searched_and_esc_has_the_draft_back() {
    let mut stage = resting();
    for words in ["count the tabs", "Test it", "count the lines\nof all files"] {
        stage.state.composer.remember(words);
    }
    stage.types("half");
    stage.key("ctrl+r");
    stage.types("count");
    let screen = stage.screen();
    assert!(
        screen.contains("count the lines   2 lines") && !screen.contains("Test it"),
        "{screen}"
    );
    stage.key("ctrl+r");
    stage.key("enter");
    assert_eq!(draft(&stage), "count the tabs");
    stage.key("ctrl+r");
    stage.types("nothing like it");
    stage.key("esc");
    assert_eq!(draft(&stage), "count the tabs");
    assert_eq!(stage.effects, []);
}

#[test]
fn a_question_takes_no_keys_from_a_search() {
    let mut stage = resting();
    stage.key("ctrl+r");
    stage.asks(crate::tui::stage::write_question(1));
    stage.wait(1_000);
    assert_eq!(stage.state.focus, Focus::Composer);
    stage.types("y");
    assert_eq!(sent(&stage), []);
    stage.key("esc");
    stage.wait(1_000);
    assert_eq!(stage.state.focus, Focus::Question);
}

#[test]
fn up_goes_by_the_rows_of_the_draft_and_then_to_earlier_words() {
    for width in [80, 120] {
        let mut stage = resting();
        stage.resize(width, 40);
        stage.types("said before");
        stage.key("enter");
        let long = "some words that fill ".repeat(9);
        stage.types(long.trim_end());
        let (x, y) = stage.cursor();
        stage.key("up");
        stage.draw();
        assert_eq!(stage.cursor().1, y - 1, "{}", stage.screen());
        stage.key("down");
        stage.draw();
        assert_eq!(stage.cursor(), (x, y), "{}", stage.screen());
        (0..6).for_each(|_| stage.key("up"));
        assert_eq!(draft(&stage), "said before");
        stage.key("down");
        assert_eq!(draft(&stage), long.trim_end());
    }
}

#[test]
fn keys_behind_a_new_session_are_for_that_one() {
    let new = |stage: &mut Stage, keys: &[&str]| {
        stage.at_work();
        stage.types("half a thought");
        for key in keys {
            match key.starts_with('/') {
                true => stage.types(key),
                false => stage.key(key),
            }
        }
        stage.effects.clear();
        stage.types("do it");
        stage.key("enter");
        stage.types("; quick");
    };
    let mut stage = Stage::new(120, 40);
    new(&mut stage, &["F2", "a"]);
    assert_eq!((sent(&stage), draft(&stage).as_str()), (vec![], "do it; quick"));
    stage.send(Message::Came(Came::Started(9.into())));
    stage.key("enter");
    stage.types("!");
    assert_eq!((sent(&stage), draft(&stage).as_str()), (vec![], "do it; quick!"));
    stage.session(9, &["main"], None, "");
    assert_eq!(draft(&stage), "do it; quick!");
    stage.key("enter");
    let words = "do it; quick!".into();
    assert_eq!(sent(&stage), [Command::Send { session: 9.into(), words }]);
    stage.key("alt+left");
    assert_eq!(draft(&stage), "half a thought");

    // From the pane of sessions, where letters are keys, and where none is started.
    let mut stage = Stage::new(120, 40);
    stage.draw();
    new(&mut stage, &["shift+tab", "shift+tab", "a"]);
    assert_eq!((stage.state.popup, draft(&stage).as_str()), (None, "do it; quick"));
    stage.send(Message::Came(Came::NotStarted("The disk is full. Make room.".into())));
    assert_eq!(toast(&stage), "The disk is full. Make room. ↑ has your words back.");
    assert_eq!((sent(&stage), draft(&stage).as_str()), (vec![], "half a thought"));
    stage.key("up");
    assert_eq!(draft(&stage), "do it; quick");
}

#[test]
fn words_behind_a_session_that_is_opened_are_for_that_one() {
    let mut stage = resting();
    stage.types("half");
    super::tree::home(&mut stage);
    for key in ["F2", "down", "down", "enter"] {
        stage.key(key);
    }
    let root = 20.into();
    assert_eq!(stage.state.sessions.expected(), Some(root));
    stage.effects.clear();
    stage.types("go on");
    stage.key("enter");
    assert_eq!((sent(&stage), draft(&stage).as_str()), (vec![], "go on"));
    stage.session(20, &["main"], None, "");
    assert_eq!((stage.state.sessions.viewed(), draft(&stage).as_str()), (Some(root), "go on"));
    stage.key("alt+left");
    assert_eq!(draft(&stage), "half");
}

#[test]
fn what_was_to_be_said_after_a_turn_is_kept_as_a_draft_when_the_screen_is_left_before() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    for words in ["then test", "and publish"] {
        stage.types(words);
        stage.key("enter");
    }
    stage.types("half");
    stage.send(Message::Signalled);
    assert_eq!(stage.desk.drafts[&1.into()], "then test\n\nand publish\n\nhalf");
    assert_eq!(stage.state.composer.queued.len(), 0);
}
