//! Commands, keys, themes, and the first screen, also where there is little room.

use super::*;
use crate::tui::{
    keymap::Keymap,
    message::{Message, News},
};

const ALL: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 12)];

#[test]
fn the_list_of_commands() {
    for (width, height) in ALL {
        let mut stage = Stage::new(width, height);
        stage.at_work();
        stage.key("ctrl+p");
        shot("commands", &mut stage);
        "undo".chars().for_each(|c| stage.key(&c.to_string()));
        shot("commands_undo", &mut stage);
        let mut stage = Stage::first_start(width, height);
        stage.key("ctrl+p");
        "session".chars().for_each(|c| stage.key(&c.to_string()));
        shot("commands_off", &mut stage);
    }
}

#[test]
fn the_list_of_themes() {
    for (width, height) in ALL {
        let mut stage = Stage::first_start(width, height);
        stage.key("t");
        stage.key("down");
        shot("themes", &mut stage);
        let ground = stage.state.look.theme.style(Role::Ground).bg;
        assert_eq!(stage.buffer().cell((5, 2)).unwrap().style().bg, ground, "it is put on");
    }
}

#[test]
fn help_of_the_keys_that_count() {
    for (width, height) in ALL {
        let mut stage = Stage::new(width, height);
        stage.at_work();
        let keys = "preset = \"vim\"\n[everywhere]\nthemes = \"F12\"\nhelp = [\"F1\", \"alt+h\"]\n";
        let keys = Keymap::read("keys.toml", keys).unwrap();
        stage.send(Message::Rekeyed(Ok(keys)));
        stage.key("F2");
        stage.key("F1");
        shot("help_sessions_vim", &mut stage);
        stage.key("/");
        "stop".chars().for_each(|c| stage.key(&c.to_string()));
        shot("help_find", &mut stage);
    }
}

#[test]
fn the_first_screen_and_the_models_that_were_found() {
    for (width, height) in ALL {
        let mut stage = Stage::first_start(width, height);
        shot("first", &mut stage);
        let models = ["llama3.2:3b", "qwen3-coder:30b"].map(|name| format!("ollama/{name}"));
        stage.send(Message::Told(News::Models(models.to_vec())));
        stage.key("c");
        stage.key("down");
        shot("connect_found", &mut stage);
    }
}
