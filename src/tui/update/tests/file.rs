//! Looking at a file.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::{
    kernel::{
        change::{Before, Change},
        event::Call,
    },
    tui::{
        file::{Ask, Fault},
        stage::{LEX, result},
        state::{Popup, file::Side, waiting::Compare},
    },
};

const FILE: &str = "/home/me/tally/src/lex.rs";

/// A session whose run wrote a file.
fn wrote(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.at_work();
    stage.runs(1, 10, "main.py", LEX);
    let change = Change {
        path: FILE.into(),
        shown: "src/lex.rs".into(),
        before: Before::Nothing,
        after: None,
        more: 1,
        fewer: 1,
        undoes: None,
    };
    let call = |id: u128, name: &str, path: &str| Call {
        id: id.into(),
        name: name.into(),
        input: json!({ "path": path }),
        origin: Origin::Python { line: Some(12) },
        parent: Some(10.into()),
    };
    let begun = |call, category| Event::CallStarted {
        call,
        category,
        decision: Decision::allowed(Decider::Person),
        subject: Subject::Other,
    };
    stage.event(1.into(), begun(call(30, "files.read", "notes/column.rs"), Category::Read));
    stage.event(1.into(), begun(call(31, "files.write", "src/lex.rs"), Category::Write));
    stage.event(1.into(), Event::ChangeBegun { call: 31.into(), change });
    stage.event(
        1.into(),
        Event::CallFinished {
            call: 31.into(),
            parent: Some(10.into()),
            origin: Origin::Python { line: Some(12) },
            result: result("files.write", true, json!("done")),
            decision: None,
        },
    );
    let text: String = (1..=2_000).map(|n| format!("let line_{n} = {n};\n")).collect();
    stage.disk.write(FILE, text);
    stage.disk.write("/home/me/tally/notes/column.rs", "fn column() {}\n");
    stage.planned = stage.written();
    stage
}

/// The file, opened from the list of changes.
fn opened() -> Stage {
    let mut stage = wrote(80, 24);
    stage.key("F5");
    stage.key("o");
    stage.draw();
    stage
}

fn first(stage: &Stage) -> u64 {
    stage.state.drawn.file.unwrap().first + 1
}

#[test]
fn the_list_of_changes_opens_the_file_and_esc_leads_back_to_it() {
    let mut stage = opened();
    assert_eq!(stage.state.popup, Some(Popup::File));
    let screen = stage.screen();
    assert!(screen.contains("src/lex.rs") && screen.contains("let line_1 = 1;"), "{screen}");
    assert!(screen.contains("line 1 of 2,000"), "{screen}");
    stage.key("esc");
    assert_eq!(stage.state.popup, Some(Popup::Changes { row: 0 }));
    assert_eq!(stage.disk.asked.last(), Some(&Ask::Close), "nothing more is read of it");
}

#[test]
fn the_view_moves_by_rows_pages_and_ends_and_reads_what_comes_into_sight() {
    let mut stage = opened();
    let rows = stage.state.drawn.file.unwrap().rows as u64;
    stage.key("down");
    stage.draw();
    assert_eq!(first(&stage), 2);
    for _ in 0..40 {
        stage.key("pgdn");
        stage.draw();
        assert!(stage.screen().contains(&format!("let line_{} = ", first(&stage))));
    }
    assert_eq!(first(&stage), 2 + 40 * (rows - 2));
    stage.key("end");
    stage.draw();
    stage.draw();
    assert_eq!(first(&stage), 2_000 - rows + 1);
    assert!(stage.screen().contains("let line_2000 = 2000;"));
    stage.key("up");
    stage.draw();
    assert_eq!(first(&stage), 2_000 - rows);
    stage.key("home");
    stage.draw();
    stage.draw();
    assert_eq!(first(&stage), 1);
    let pages = stage.disk.asked.iter().filter(|ask| matches!(ask, Ask::Page(_))).count();
    assert!(pages < 12, "{pages}: it is not read anew for each step");
}

#[test]
fn a_word_is_found_and_a_line_is_gone_to() {
    let mut stage = opened();
    stage.key("/");
    stage.types("line_77");
    let screen = stage.screen();
    assert!(screen.contains("1 of 11") && screen.contains("let line_77 = 77;"), "{screen}");
    stage.key("enter");
    stage.draw();
    assert!(stage.screen().contains("let line_770 = 770;"), "{}", stage.screen());
    stage.key("up");
    stage.draw();
    assert!(stage.screen().contains("let line_77 = 77;"));
    stage.key("esc");
    stage.key(":");
    stage.types("0");
    stage.key("enter");
    assert_eq!(toast(&stage), "\"0\" is no number of a line: they begin with 1.");
    stage.key("backspace");
    stage.types("1,500");
    stage.key("enter");
    stage.draw();
    stage.draw();
    assert!(stage.screen().contains("▌1500  let line_1500"), "{}", stage.screen());
    stage.key("e");
    assert_eq!(stage.effects, [Effect::VisitLine(FILE.into(), 1_500)]);
    stage.key(":");
    stage.types("99999");
    stage.key("enter");
    stage.draw();
    stage.draw();
    assert!(stage.screen().contains("let line_2000"), "behind the end is the end");
}

#[test]
fn what_was_changed_is_a_key_away_and_so_is_the_file() {
    let mut stage = opened();
    stage.key("d");
    let side = |stage: &Stage| stage.state.panes.viewer.file.as_ref().unwrap().side;
    assert_eq!(side(&stage), Side::Change(Compare::Unified));
    assert!(stage.screen().contains("− two"), "{}", stage.screen());
    stage.key("v");
    assert_eq!(side(&stage), Side::Change(Compare::Sides));
    stage.key("v");
    assert_eq!(side(&stage), Side::Now);
    stage.resize(60, 20);
    stage.key("v");
    assert_eq!(toast(&stage), "Side by side needs 70 columns; here are 60.");
}

#[test]
fn a_file_that_another_program_changes_is_read_again_and_says_so() {
    let mut stage = opened();
    stage.wait(2_500);
    let asked = stage.disk.asked.len();
    assert!(!stage.screen().contains("read again"));
    stage.disk.write(FILE, "all is new\n");
    stage.wait(2_500);
    let screen = stage.screen();
    assert!(screen.contains("▲ changed 12:00, read again"), "{screen}");
    assert!(screen.contains("all is new") && screen.contains("line 1 of 1 "), "{screen}");
    assert!(stage.disk.asked.len() > asked);
    stage.disk.files.remove(std::path::Path::new(FILE));
    stage.wait(2_500);
    assert!(stage.screen().contains("It is not there any more."), "{}", stage.screen());
    stage.disk.write(FILE, "back\n");
    stage.wait(2_500);
    assert!(stage.screen().contains("back"), "{}", stage.screen());
}

#[test]
fn nobody_looks_at_a_file_again_that_is_not_shown() {
    let mut stage = opened();
    stage.key("esc");
    stage.key("esc");
    stage.event(1.into(), Event::ExchangeFinished { outcome: Outcome::Done });
    stage.wait(10_000);
    let asked = stage.disk.asked.len();
    stage.wait(10_000);
    assert_eq!((stage.disk.asked.len(), stage.state.deadline()), (asked, None));
}

#[test]
fn the_file_of_a_call_is_opened_and_of_several_one_is_chosen() {
    let mut stage = wrote(80, 24);
    for key in ["shift+tab", "o"] {
        stage.key(key);
    }
    let screen = stage.screen();
    assert!(screen.contains("src/lex.rs") && screen.contains("notes/column.rs"), "{screen}");
    stage.types("not");
    stage.key("enter");
    stage.draw();
    assert!(stage.screen().contains("fn column() {}"), "{}", stage.screen());
    stage.key("esc");
    assert_eq!((stage.state.popup, stage.state.focus), (None, Focus::Transcript));
    stage.key("home");
    stage.key("shift+up");
    stage.key("o");
    assert!(toast(&stage).starts_with("shift+↑ chooses a part"), "{}", toast(&stage));
}

#[test]
fn a_file_is_chosen_by_some_of_its_letters() {
    let mut stage = wrote(80, 24);
    stage.has_files(&["src/", "src/lex.rs", "docs/tabs.md"]);
    stage.key("ctrl+f");
    stage.draw();
    let screen = stage.screen();
    assert!(screen.contains("docs/tabs.md") && !screen.contains(" src/ "), "{screen}");
    stage.types("lex");
    stage.key("enter");
    stage.draw();
    assert!(stage.screen().contains("let line_1 = 1;"), "{}", stage.screen());
    stage.key("ctrl+f");
    stage.key("esc");
    assert_eq!(stage.state.popup, Some(Popup::File), "the file before is still there");
}

#[test]
fn what_cannot_be_shown_says_why() {
    for (fault, says) in [
        (Fault::Folder, "It is a folder."),
        (Fault::Special, "It is a device, a pipe or a socket"),
        (Fault::Outside("/etc/passwd".into()), "to /etc/passwd. Nothing of that is shown."),
        (Fault::Unreadable("Permission denied".into()), "cannot be read: Permission denied."),
    ] {
        let mut stage = wrote(80, 24);
        stage.disk.files.insert(FILE.into(), Err(fault));
        stage.key("F5");
        stage.key("o");
        let screen = stage.screen();
        let words = screen.lines().map(|line| line.trim_matches(['"', ' ']));
        let words = words.collect::<Vec<_>>().join(" ");
        assert!(words.contains(says), "{says}\n{screen}");
        for key in ["down", "end", "pgdn", "c", "home"] {
            stage.key(key);
            stage.draw();
        }
    }
}

#[test]
fn the_line_of_the_right_column_opens_the_change_that_was_chosen() {
    let mut stage = wrote(200, 60);
    stage.planned.rotate_left(1);
    while stage.state.focus != Focus::Changes {
        stage.key("tab");
    }
    stage.key("enter");
    assert_eq!(stage.state.popup, Some(Popup::Changes { row: 2 }));
}

#[test]
fn a_long_change_is_laid_out_off_the_loop_and_moves_by_what_is_in_sight() {
    let mut stage = wrote(120, 40);
    stage.lays_out = false;
    let text = |word: &str| -> String { (0..40_000).map(|n| format!("{word} {n}\n")).collect() };
    stage.texts = (text("old"), text("new"));
    stage.key("F5");
    stage.key("v");
    stage.draw();
    let cost = crate::tui::tally::of(|| stage.draw());
    assert!(cost.rows < 100, "{cost:?}");
    assert!(stage.screen().contains("preparing…"), "{}", stage.screen());
    let asked = stage.effects.iter().filter(|it| matches!(it, Effect::LayOutChange(..)));
    assert_eq!(asked.count(), 1, "once, however often it is drawn");
    let effect = stage.effects.pop().unwrap();
    let came = crate::tui::stage::made_ready(effect).unwrap();
    stage.send(Message::Came(came));
    stage.draw();
    let cost = crate::tui::tally::of(|| stage.draw());
    assert!(cost.rows < 400 && cost.bytes < 100_000, "{cost:?}");
    for (key, says) in [("end", "new 39999"), ("up", "39,9"), ("home", "old 0")] {
        stage.key(key);
        stage.draw();
        assert!(stage.screen().contains(says), "{key}: {says}\n{}", stage.screen());
    }
}
