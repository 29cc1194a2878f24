//! The log of what was said.

use super::shot;
use crate::{
    kernel::event::Outcome,
    tui::{
        message::{Came, Message},
        stage::Stage,
    },
};

pub(super) fn said(width: u16, height: u16) -> Stage {
    let mut stage = Stage::crew(width, height);
    stage.state.records.home = Some("/home/me".into());
    let file = "/home/me/.local/state/footplate/log/footplate.2026-11-29.log";
    stage.state.status.log.file = Some(file.into());
    stage.key("esc");
    stage.wait(10_000);
    let message =
        "Connection refused: api.anthropic.com:443.\nCheck the network and say \"go on\".";
    stage.ends(2, Outcome::Failed { message: message.into() });
    stage.wait(10_000);
    for _ in 0..2 {
        let fault = "Not edited: there is no editor \"vy\u{202e}\". Set EDITOR to one.".to_owned();
        stage.send(Message::Came(Came::Visited(Err(fault))));
    }
    stage.wait(10_000);
    stage
}

#[test]
fn what_was_said() {
    for (width, height) in [(80, 24), (120, 40), (40, 12)] {
        let mut stage = said(width, height);
        stage.key("ctrl+l");
        shot("log", &mut stage);
        if width == 80 {
            stage.key("down");
            shot("log_session", &mut stage);
            stage.key("/");
            stage.types("editor");
            shot("log_filtered", &mut stage);
        }
    }
    let mut stage = Stage::new(80, 24);
    stage.key("ctrl+l");
    shot("log_empty", &mut stage);
}
