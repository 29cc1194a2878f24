//! A file that is looked at, and the list from which one is chosen.

use super::shot;
use crate::tui::stage::Stage;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 12)];

const TEXT: &str = "\"\"\"Columns.\"\"\"\n\nTAB = 8  # cells\n\ndef column(line, tab=TAB):\n\tlead = line[:3]\n    if user != \"guest\u{202e} \u{2066}# staff\u{2069}\":\n        return 全角(lead)\n    raise ValueError('a very long line that has to go on in the next row of any window that is as narrow as most are')\n\u{1b}[2J\n";

pub(super) fn looked_at(width: u16, height: u16) -> Stage {
    let mut stage = Stage::crew(width, height);
    stage.planned = stage.written();
    let rest: String = (11..=1_204).map(|n| format!("x{n} = {n}\n")).collect();
    stage.disk.write("/home/me/tally/src/lex.py", format!("{TEXT}{rest}"));
    stage.has_files(&["src/lex.py", "src/lex/tab.rs", "docs/t\u{430}bs.md", "src/"]);
    stage.key("ctrl+f");
    stage.draw();
    stage
}

#[test]
fn a_file() {
    for (width, height) in SIZES {
        let mut stage = looked_at(width, height);
        shot("files", &mut stage);
        stage.types("lex");
        stage.key("enter");
        stage.draw();
        shot("file", &mut stage);
        stage.key("/");
        stage.types("x12");
        shot("file_search", &mut stage);
        stage.key("esc");
        stage.key(":");
        stage.types("600");
        shot("file_line", &mut stage);
        stage.key("enter");
        stage.draw();
        stage.disk.write("/home/me/tally/src/lex.py", "x = 1\n");
        stage.wait(2_500);
        shot("file_changed", &mut stage);
    }
}

#[test]
fn what_was_changed_in_a_file() {
    for (width, height) in SIZES {
        let mut stage = looked_at(width, height);
        stage.disk.write("/home/me/tally/src/lex.rs", TEXT);
        stage.key("esc");
        stage.key("F5");
        stage.key("o");
        stage.key("d");
        shot("file_change", &mut stage);
        stage.key("v");
        shot("file_sides", &mut stage);
    }
}
