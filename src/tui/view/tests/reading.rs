//! What holds of every picture: no key without a word, nothing that is cut where it matters, and columns
//! that stand below each other.

use super::{SIZES, Stage, all::ALL, composing::resting, tree::crowd, write_asks};
use crate::tui::{
    keymap::{Action, Keymap, Place, Preset},
    state::Focus,
};

const SMALL: (u16, u16) = (40, 12);

fn sizes() -> impl Iterator<Item = (u16, u16)> {
    SIZES.into_iter().chain([SMALL])
}

/// The pieces of a screen that stand apart: by rules, columns, or at least two blanks.
fn pieces(screen: &str) -> impl Iterator<Item = &str> {
    let rows = screen.lines().flat_map(|row| row.split(['─', '━', '│', '"']));
    rows.flat_map(|part| part.split("  ")).map(str::trim).filter(|piece| !piece.is_empty())
}

/// The rows of the terminal.
fn rows(screen: &str) -> Vec<&str> {
    screen.lines().map(|row| row.trim_matches('"')).collect()
}

#[test]
fn no_key_stands_without_a_word_for_what_it_does() {
    let keys = ["esc", "enter", "ctrl+s", "space", "tab", "↑", "esc …", "enter …"];
    let mut bare = Vec::new();
    // Help is a table of keys, and so is the list of commands.
    let tables = ["help_composer", "popup_commands"];
    for (name, build) in ALL.iter().filter(|(name, _)| !tables.contains(name)) {
        for (width, height) in sizes() {
            let screen = build(width, height).screen();
            let found = pieces(&screen).filter(|piece| {
                let last = piece.rsplit(" · ").next().unwrap_or_default();
                keys.contains(&last)
            });
            // The first screen has a table of its own.
            let found = found.filter(|_| !screen.contains("take the tour"));
            bare.extend(found.map(|piece| format!("{name} at {width}: {piece:?}")));
        }
    }
    assert!(bare.is_empty(), "{}", bare.join("\n"));
}

#[test]
fn what_leaving_does_is_said_once() {
    // The log has lines that were said of it.
    for (name, build) in ALL.iter().filter(|(name, _)| *name != "log") {
        for (width, height) in sizes() {
            let mut stage = build(width, height);
            // What was said in passing is another thing.
            stage.state.status.show("", stage.state.now.at);
            let screen = stage.screen();
            let said = pieces(&screen).filter(|piece| piece.starts_with("esc ")).count();
            // The first screen lies below what opens over it.
            let most = 1 + usize::from(screen.contains("take the tour"));
            assert!(said <= most || name.starts_with("help"), "{name} at {width}: {screen}");
        }
    }
}

#[test]
fn the_states_of_the_tree_stand_below_each_other_however_long_a_title_is() {
    for (width, height) in SIZES {
        let mut stage = Stage::new(width, height);
        stage.session(1, &["main"], None, "make the lexer accept tabs, and keep the tests green");
        stage.session(2, &["main", "a-helper-with-a-very-long-name"], Some(1), "help");
        stage.session(3, &["fix"], None, "fix it");
        stage.key("F2");
        let screen = stage.screen();
        let at = |row: &&str| row.find("answering").map(|at| row[..at].chars().count());
        let found: Vec<_> = rows(&screen).iter().filter_map(at).collect();
        assert_eq!(found.len(), 3, "{screen}");
        assert!(found.iter().all(|at| *at == found[0]), "{screen}");
        assert!(
            screen.contains("name        make the lexer accept tabs, and keep the"),
            "{screen}"
        );
    }
}

#[test]
fn the_times_of_the_column_stand_below_each_other() {
    let screen = crowd(120, 40).screen();
    let ends = |row: &&str| {
        let column: String = row.chars().take(28).collect();
        column.find(":14").or(column.find(":00")).map(|at| column[..at].chars().count())
    };
    // The names of what waits stand below them.
    let sessions = rows(&screen).into_iter().take_while(|row| !row.contains("waiting"));
    let found: Vec<usize> = sessions.filter_map(|row| ends(&row)).collect();
    assert!(found.len() > 3 && found.iter().all(|at| *at == found[0]), "{found:?} {screen}");
}

#[test]
fn a_list_says_how_much_of_it_is_out_of_sight() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.key("ctrl+p");
    assert!(stage.screen().contains(" below ━"), "{}", stage.screen());
    for _ in 0..30 {
        stage.key("down");
    }
    let screen = stage.screen();
    assert!(screen.contains(" above · ") && screen.contains(" below ━"), "{screen}");
}

#[test]
fn a_key_of_the_list_of_commands_is_whole_also_where_there_is_little_room() {
    let screen =
        (ALL.iter().find(|(name, _)| *name == "popup_commands").unwrap().1)(40, 12).screen();
    assert!(screen.contains("u in transcript") && screen.contains("u in changes"), "{screen}");
}

#[test]
fn what_is_said_in_passing_can_be_read_on_a_small_screen() {
    for form in [false, true] {
        let mut stage = if form { write_asks(40, 12) } else { resting(40, 12) };
        stage.state.status.say("Not now. It waits; F3 shows it.", stage.state.now.at);
        let screen = stage.screen();
        assert!(
            screen.contains("─ Not now. It waits; F3 shows it. ─")
                || screen.contains("━ Not now. It waits; F3 shows it. ━"),
            "{screen}"
        );
        assert!(screen.contains("default · sealed"), "{screen}");
    }
}

#[test]
fn a_form_on_a_small_screen_does_not_say_that_esc_puts_the_question_off() {
    let mut stage = write_asks(40, 12);
    stage.wait(500);
    assert!(stage.screen().contains("esc not now"), "{}", stage.screen());
    stage.key("f");
    // A letter waits for another one, which would make both of them text.
    stage.wait(500);
    let screen = stage.screen();
    assert!(screen.contains("esc back") && !screen.contains("not now"), "{screen}");
}

#[test]
fn a_hint_that_has_no_room_is_left_out_and_help_is_the_last_to_go() {
    let mut stage = super::streaming(80, 24);
    stage.state.focus = Focus::Transcript;
    let screen = stage.screen();
    assert!(rows(&screen).last().unwrap().trim_end().ends_with("F1 help"), "{screen}");
}

#[test]
fn while_a_word_is_looked_for_no_letter_is_said_to_do_anything() {
    let mut stage = super::streaming(80, 24);
    stage.key("F4");
    assert!(stage.screen().contains("w wrap"));
    stage.key("/");
    assert!(!stage.screen().contains("w wrap"), "{}", stage.screen());
}

#[test]
fn a_filter_is_left_before_the_list_is_and_that_is_what_its_key_says() {
    for key in ["F3", "F7", "ctrl+l"] {
        let mut stage = write_asks(80, 24);
        stage.wait(500);
        for key in ["esc", key, "/"] {
            stage.key(key);
        }
        stage.types("o");
        stage.key("enter");
        assert!(stage.screen().contains("esc show all again"), "{key}: {}", stage.screen());
        stage.key("esc");
        assert!(stage.screen().contains("esc back"), "{key}: {}", stage.screen());
    }
}

#[test]
fn the_inbox_offers_what_its_keys_do_with_the_question_they_are_on() {
    let mut stage = write_asks(80, 24);
    stage.wait(500);
    stage.key("esc");
    stage.key("F3");
    let screen = stage.screen();
    assert!(screen.contains("l not now") && !screen.contains("several"), "{screen}");
    assert!(screen.contains("cargo test --lib lex \"a b; rm\""), "as in the question: {screen}");
    stage.key("down");
    assert!(stage.screen().contains("l ask now"), "{}", stage.screen());
}

#[test]
fn words_that_are_written_are_broken_between_them() {
    let mut stage = resting(80, 24);
    let text =
        "leave skip_blank alone, column() relies on it. Add skip_indent, and call it from there";
    stage.types(text);
    let screen = stage.screen();
    assert!(screen.contains("Add skip_indent, and call it"), "{screen}");
    assert!(rows(&screen).iter().any(|row| row.trim() == "from there"), "{screen}");
}

#[test]
fn a_wait_for_the_provider_is_counted_down_where_one_looks() {
    for (width, height) in sizes() {
        let mut stage = Stage::new(width, height);
        stage.session(1, &["fix-parser"], None, "fix it");
        stage.waits_for_the_provider(1, 8_000);
        let screen = stage.screen();
        assert!(screen.contains("retrying in 8 s"), "{screen}");
        assert_eq!(screen.contains("try 2 of 3) · turn 0:00"), width >= 120, "{screen}");
        stage.passes(3_000);
        assert!(stage.screen().contains("retrying in 5 s"), "{}", stage.screen());
        stage.key("F2");
        assert!(stage.screen().contains("retrying in 5 s"), "{}", stage.screen());
        stage.key("esc");
        stage.streams(1, "Here it is.");
        let screen = stage.screen();
        assert!(!screen.contains("retrying"), "{screen}");
        assert!(screen.contains("No answer yet: 529 overloaded."), "{screen}");
    }
}

#[test]
fn vim_like_keys_fold_only_where_there_are_folds() {
    let [plain, vim] = [Preset::Plain, Preset::Vim].map(Keymap::of);
    for place in Place::ALL {
        for action in [Action::Fold, Action::Unfold] {
            let had = plain.keys(*place, action).next().is_some();
            assert_eq!(vim.keys(*place, action).next().is_some(), had, "{place:?}");
        }
    }
}
