//! The list of all commands, the list of themes, and the keys a person chooses.

use crossterm::event::{KeyCode, KeyModifiers};
use pretty_assertions::assert_eq;

use super::*;
use crate::tui::{
    effect::{Effect, Setting},
    keymap::{Action, Keymap, Listed, Place, Preset, TABLE, UNBOUND, listed},
    message::{Came, News},
    stage::write_question,
    state::{
        Popup,
        palette::{entries, found},
    },
    theme::{Depth, Theme},
};

fn titles(stage: &Stage) -> Vec<&'static str> {
    found(&stage.state).into_iter().map(|entry| entry.title).collect()
}

/// Types some words into the list of all commands.
fn commands(stage: &mut Stage, words: &str) {
    stage.key("ctrl+p");
    words.chars().for_each(|c| stage.press(KeyCode::Char(c), KeyModifiers::NONE));
}

#[test]
fn every_action_of_the_keys_is_in_the_list_of_commands_or_says_why_not() {
    let stage = Stage::new(80, 24);
    let all = entries(&stage.state);
    let bound = TABLE.iter().flat_map(|row| row.keys.iter().map(|(_, does)| (row.place, *does)));
    for (place, action) in bound.chain(UNBOUND.iter().map(|(at, does, _)| (*at, *does))) {
        let there = all.iter().filter(|entry| (entry.place, entry.action) == (place, action));
        let expected = match listed(place, action) {
            Listed::As(_) => 1,
            Listed::Not(_) => 0,
        };
        assert_eq!(there.count(), expected, "{action:?} in {place:?}");
    }
    assert!(all.iter().all(|entry| !entry.action.answers()), "no command answers a question");
}

#[test]
fn a_few_letters_find_a_command_and_enter_does_it() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    commands(&mut stage, "rvch");
    assert_eq!(titles(&stage)[0], "Review changes");
    stage.key("enter");
    assert_eq!(stage.state.popup, Some(Popup::Changes { row: 0 }));
    // By its key as well.
    commands(&mut stage, "f7");
    assert_eq!(titles(&stage)[0], "Decisions so far");
    stage.key("esc");
    assert_eq!(stage.state.popup, Some(Popup::Changes { row: 0 }), "what was open is there again");
    commands(&mut stage, "no command is called so");
    assert_eq!(titles(&stage), Vec::<&str>::new());
    stage.key("enter");
    stage.key("down");
    stage.key("ctrl+p");
    assert_eq!(stage.state.popup, Some(Popup::Changes { row: 0 }));
    assert_eq!(stage.state.composer.draft.text(), "", "nothing of it was text for the model");
}

#[test]
fn a_command_that_can_do_nothing_says_why_and_does_nothing() {
    let mut stage = Stage::new(80, 24);
    commands(&mut stage, "mode f8");
    let entry = &found(&stage.state)[0];
    assert_eq!((entry.title, entry.off), ("Mode…", Some("a mode belongs to a session")));
    stage.key("enter");
    assert_eq!(stage.state.popup, Some(Popup::Commands));
    let toast = stage.state.status.toast(stage.now().at);
    assert_eq!(toast, Some("Not now: a mode belongs to a session."));
}

#[test]
fn what_is_done_to_a_row_is_not_done_before_the_row_was_in_sight() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.asks(write_question(1));
    stage.key("esc");
    commands(&mut stage, "not now, and back");
    stage.key("enter");
    assert_eq!(stage.state.popup, Some(Popup::Waiting { row: 0 }));
    assert!(stage.state.queue.listed().iter().all(|waiting| !waiting.put_off));
    let toast = stage.state.status.toast(stage.now().at);
    assert_eq!(toast, Some("l here: A question: not now, and back"));
    // From the list itself it is done.
    commands(&mut stage, "not now, and back");
    stage.key("enter");
    assert!(stage.state.queue.listed().iter().all(|waiting| waiting.put_off));
    assert!(stage.effects.iter().all(|effect| !matches!(effect, Effect::Send(_))));
}

#[test]
fn letters_typed_into_the_list_of_commands_answer_no_question() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.asks(write_question(1));
    stage.wait(2_000);
    commands(&mut stage, "y");
    stage.wait(2_000);
    stage.press(KeyCode::Char('y'), KeyModifiers::NONE);
    stage.wait(2_000);
    assert_eq!(stage.state.controls.palette.words.text(), "yy");
    assert!(stage.effects.iter().all(|effect| !matches!(effect, Effect::Send(_))));
    assert!(!stage.state.letters_live());
}

#[test]
fn a_theme_is_put_on_while_it_is_chosen_and_the_old_one_comes_back_on_esc() {
    let mut stage = Stage::new(80, 24);
    commands(&mut stage, "theme");
    stage.key("enter");
    assert_eq!(stage.state.popup, Some(Popup::Themes { row: 0 }));
    let name = |stage: &Stage| stage.state.look.theme.name().to_owned();
    stage.key("down");
    assert_eq!(name(&stage), "footplate-light");
    stage.key("end");
    assert_eq!(name(&stage), "dracula");
    stage.key("esc");
    assert_eq!((name(&stage).as_str(), stage.state.popup), ("footplate-dark", None));
    assert_eq!(stage.effects, []);
    // Help and the list of commands do not keep it either.
    for key in ["F1", "ctrl+p"] {
        commands(&mut stage, "theme");
        stage.key("enter");
        stage.key("down");
        stage.key(key);
        assert_eq!(name(&stage), "footplate-dark", "{key}");
        stage.key("esc");
        stage.key("esc");
    }
}

#[test]
fn a_theme_that_is_kept_is_asked_to_be_kept_for_good() {
    let mut stage = Stage::new(80, 24);
    let mine = std::path::PathBuf::from("/home/me/.config/footplate/themes/mine.toml");
    stage.state.controls.themes.own = vec![mine.clone()];
    commands(&mut stage, "theme");
    stage.key("enter");
    stage.key("end");
    assert_eq!(stage.effects, [Effect::ReadTheme(mine.clone())]);
    let theme = Theme::built_in("nord", Depth::True).unwrap();
    stage.send(Message::Came(Came::Theme("/another.toml".into(), Ok(Theme::light(Depth::True)))));
    assert_eq!(stage.state.look.theme.name(), "footplate-dark", "that one is not chosen");
    stage.send(Message::Came(Came::Theme(mine.clone(), Ok(theme))));
    assert_eq!(stage.state.look.theme.name(), "nord");
    stage.key("enter");
    let setting = Setting::Theme { name: "mine".into(), file: Some(mine) };
    assert_eq!(stage.effects.pop(), Some(Effect::Keep(setting.clone())));
    assert_eq!(stage.state.popup, None);
    let why = "config.toml has a fault, and is left as it is.".to_owned();
    stage.send(Message::Came(Came::Kept(setting, Err(why))));
    let toast = stage.state.status.toast(stage.now().at);
    let expected = "Theme: mine, until you quit. config.toml has a fault, and is left as it is.";
    assert_eq!(toast, Some(expected));
}

#[test]
fn other_keys_count_as_soon_as_the_file_says_so_and_a_fault_keeps_the_old_ones() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    let keys = Keymap::read("keys.toml", "[everywhere]\nsessions = \"F12\"\n").unwrap();
    stage.send(Message::Rekeyed(Ok(keys)));
    stage.key("F2");
    assert_eq!(stage.state.popup, None);
    stage.key("F12");
    assert_eq!(stage.state.popup, Some(Popup::Sessions));
    stage.send(Message::Rekeyed(Err("keys.toml:3: no".to_owned())));
    stage.key("F12");
    assert_eq!(stage.state.popup, None);
    assert_eq!(stage.state.status.toast(stage.now().at), Some("keys.toml:3: no"));
}

#[test]
fn the_vim_like_keys_can_be_chosen_on_the_screen() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.session(2, &["second"], None, "");
    commands(&mut stage, "vim");
    stage.key("enter");
    assert_eq!(stage.effects.pop(), Some(Effect::Keep(Setting::Preset(Preset::Vim))));
    stage.key("F2");
    let before = stage.state.sessions.cursor;
    stage.key("j");
    assert_eq!(stage.state.sessions.cursor, before + 1);
    let key = stage.state.controls.key(Place::Everywhere, Action::Quit);
    assert_eq!(key, "ctrl+q");
}

#[test]
fn help_shows_other_places_finds_a_key_and_opens_the_file_of_keys() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.key("F1");
    assert!(stage.screen().contains("help · composer"));
    stage.key("tab");
    assert!(stage.screen().contains("help · what is offered"));
    stage.key("shift+tab");
    stage.key("/");
    "side by side".chars().for_each(|c| stage.press(KeyCode::Char(c), KeyModifiers::NONE));
    let screen = stage.screen();
    assert!(screen.contains("help · all keys") && screen.contains("Changes"), "{screen}");
    assert!(!screen.contains("suspend"), "{screen}");
    stage.key("enter");
    stage.key("ctrl+o");
    assert_eq!(stage.effects, [Effect::KeysFile]);
    stage.key("esc");
    assert!(stage.screen().contains("help · composer"));
    stage.key("esc");
    assert_eq!(stage.state.popup, None);
}

#[test]
fn a_model_that_was_found_on_this_computer_is_taken_on_the_first_screen() {
    let mut stage = Stage::first_start(80, 24);
    stage.send(Message::Told(News::Models(vec!["ollama/a".into(), "ollama/b".into()])));
    stage.key("c");
    stage.key("down");
    stage.key("enter");
    let setting = Setting::Model("ollama/b".into());
    assert_eq!(stage.effects.pop(), Some(Effect::Keep(setting.clone())));
    stage.send(Message::Came(Came::Kept(setting, Ok(()))));
    let screen = stage.screen();
    assert!(screen.contains("ollama/b") && screen.contains("Say what you want done"), "{screen}");
    stage.types("hi");
    stage.key("enter");
    assert!(matches!(stage.effects.last(), Some(Effect::Start { .. })), "{:?}", stage.effects);
}

#[test]
fn what_works_is_stopped_by_its_own_key_from_anywhere_and_asks_first() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.key("ctrl+x");
    assert!(matches!(stage.state.popup, Some(Popup::Stop { row: 0, .. })));
    stage.key("enter");
    assert_eq!(stage.effects, [], "the first row lets it go on");
}
