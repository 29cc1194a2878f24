//! The lists that open over the transcript, and help.

use super::{SIZES, shot, streaming, write_asks};

#[test]
fn the_lists() {
    for (width, height) in SIZES {
        let mut stage = write_asks(width, height);
        stage.key("esc");
        stage.key("F3");
        shot("inbox", &mut stage);
        stage.key("/");
        stage.types("write");
        shot("inbox_filtered", &mut stage);
        stage.key("enter");
        stage.key("l");
        assert_eq!(stage.state.queue.put_off(), 0, "the keys act on the row that is in sight");
        stage.key("l");
        stage.key("esc");
        stage.key("esc");
        stage.key("F2");
        shot("tree", &mut stage);
        stage.key("esc");
        stage.key("F4");
        shot("output", &mut stage);
        stage.key("F8");
        shot("mode", &mut stage);
        for key in ["esc", "F2", "down", "s"] {
            stage.key(key);
        }
        shot("stop", &mut stage);
    }
}

#[test]
fn help_is_made_from_the_keymap() {
    for (width, height) in SIZES {
        let mut stage = write_asks(width, height);
        stage.key("F1");
        shot("help_question", &mut stage);
        let mut stage = streaming(width, height);
        stage.key("F1");
        shot("help_composer", &mut stage);
    }
}

#[test]
fn quitting_asks_while_something_works() {
    for (width, height) in SIZES {
        let mut stage = write_asks(width, height);
        stage.key("ctrl+q");
        shot("quit", &mut stage);
    }
}
