//! What happened while nobody looked.

use super::shot;
use crate::tui::stage::Stage;

#[test]
fn since_you_looked_away() {
    for (width, height) in [(80, 24), (120, 40), (40, 12), (200, 60)] {
        let mut stage = Stage::crew(width, height);
        stage.looks_away();
        stage.much_happens();
        stage.is_back();
        stage.key("esc");
        stage.wait(5_000);
        if width == 80 {
            shot("away_word", &mut stage);
        }
        stage.key("ctrl+n");
        shot("away", &mut stage);
    }
}
