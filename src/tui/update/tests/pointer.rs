//! The mouse.

use pretty_assertions::assert_eq;

use super::*;
use crate::tui::{
    layout::Edge,
    stage::write_question,
    state::pointer::{Point, Pointed},
    theme::Role,
};

fn point(stage: &mut Stage, what: Point, (x, y): (u16, u16)) {
    stage.send(Message::Input(stage.now(), Input::Mouse(Pointed { what, x, y })));
}

fn click(stage: &mut Stage, at: (u16, u16)) {
    point(stage, Point::Press, at);
    stage.draw();
    point(stage, Point::Release, at);
    stage.draw();
}

/// The cell where that text begins.
fn place(stage: &mut Stage, text: &str) -> (u16, u16) {
    let screen = stage.screen();
    let rows = screen.lines().enumerate();
    let found = rows.filter_map(|(y, row)| {
        let row = row.trim_matches('"');
        let x = crate::tui::clean::width(&row[..row.find(text)?]);
        Some((u16::try_from(x).unwrap(), u16::try_from(y).unwrap()))
    });
    found.last().unwrap_or_else(|| panic!("{text} in {screen}"))
}

fn asking(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.at_work();
    stage.runs(1, 10, "main.py", "print('mine')\n");
    stage.asks(write_question(1));
    stage.wait(1_000);
    stage
}

#[test]
fn an_answer_needs_press_and_release_on_the_same_live_label() {
    let mut stage = asking(80, 24);
    let (yes, no) = (place(&mut stage, "y yes, once"), place(&mut stage, "n no "));
    // Released elsewhere, pressed elsewhere, or both outside.
    for (press, release) in
        [(yes, no), (no, yes), (yes, (yes.0, 3)), ((500, 500), yes), (yes, (79, 200))]
    {
        stage.wait(1_000);
        point(&mut stage, Point::Press, press);
        stage.wait(100);
        point(&mut stage, Point::Release, release);
        stage.wait(1_000);
        assert_eq!(stage.effects, [], "{press:?} {release:?}");
    }
    // Right behind a key the letters are not live.
    stage.key("pgdn");
    stage.draw();
    click(&mut stage, yes);
    assert_eq!(stage.effects, []);
    stage.wait(1_000);
    click(&mut stage, yes);
    let answered = |effect: &Effect| matches!(effect, Effect::Send(Command::Answer { .. }));
    assert_eq!(stage.effects.iter().filter(|effect| answered(effect)).count(), 1);
}

#[test]
fn a_click_that_brings_the_window_to_the_front_does_nothing_else() {
    for order in [[true, false], [false, true]] {
        let mut stage = asking(80, 24);
        let yes = place(&mut stage, "y yes, once");
        stage.send(Message::Input(stage.now(), Input::FocusLost));
        stage.wait(2_000);
        for fronts in order {
            if fronts {
                stage.send(Message::Input(stage.now(), Input::FocusGained));
            } else {
                point(&mut stage, Point::Press, yes);
            }
        }
        stage.wait(100);
        point(&mut stage, Point::Release, yes);
        stage.wait(1_000);
        assert_eq!(stage.effects, []);
    }
}

#[test]
fn text_is_selected_within_one_pane_and_copied() {
    let mut stage = Stage::new(120, 40);
    stage.at_work();
    stage.streams(1, "\n\nUse 全角 signs.\n");
    let (x, y) = place(&mut stage, "Use 全角");
    point(&mut stage, Point::Press, (x, y));
    point(&mut stage, Point::Drag, (x + 6, y));
    stage.draw();
    let style = stage.state.look.style(Role::Select);
    assert_eq!(stage.buffer()[(x, y)].bg, style.bg.unwrap_or_default());
    point(&mut stage, Point::Release, (x + 6, y));
    assert_eq!(stage.effects, [], "what was seen is copied, when it was");
    stage.draw();
    assert_eq!(stage.effects, [Effect::Copy("Use 全角".into())]);
    // From there to the far left it stays within its pane, beside the sessions.
    stage.effects.clear();
    point(&mut stage, Point::Press, (x, y));
    point(&mut stage, Point::Drag, (0, 39));
    stage.draw();
    point(&mut stage, Point::Release, (0, 39));
    stage.draw();
    let [Effect::Copy(text)] = &stage.effects[..] else { panic!("{:?}", stage.effects) };
    assert!(text.starts_with("Use 全角 signs.") && !text.contains("waits"), "{text}");
}

#[test]
fn clicks_choose_panes_and_a_dragged_line_is_where_it_was_dragged_to() {
    let mut stage = asking(200, 60);
    stage.key("esc");
    for (at, focus) in [
        ((50, 10), Focus::Transcript),
        ((5, 5), Focus::Sessions),
        ((5, 50), Focus::Waiting),
        ((150, 5), Focus::Output(10.into())),
        ((50, 58), Focus::Composer),
    ] {
        click(&mut stage, at);
        assert_eq!(stage.state.focus, focus, "{at:?}");
        stage.wait(1_000);
    }
    let edges = stage.state.drawn.layout.edges.clone();
    let left = edges.iter().find(|(edge, _)| *edge == Edge::Left).unwrap().1;
    point(&mut stage, Point::Press, (left.x, 10));
    point(&mut stage, Point::Drag, (50, 12));
    point(&mut stage, Point::Release, (50, 12));
    stage.draw();
    assert_eq!(stage.state.drawn.layout.at(Focus::Sessions).width, 50);
    let kept = stage.effects.iter().any(|effect| matches!(effect, Effect::Remember(_)));
    assert!(kept, "{:?}", stage.effects);
}

#[test]
fn the_wheel_scrolls_what_is_under_it() {
    let mut stage = Stage::new(200, 60);
    stage.at_work();
    stage.runs(1, 10, "main.py", "print('mine')\n");
    let lines: Vec<String> = (0..900).map(|n| format!("line {n}")).collect();
    stage.page = crate::kernel::port::OutputPage { lines, first: 0, total: 900 };
    stage.event(1.into(), Event::OutputWritten { call: 10.into(), bytes: 10, lines: 900 });
    stage.draw();
    point(&mut stage, Point::WheelUp, (150, 5));
    let end = stage.state.drawn.outputs[0].top.0;
    assert!(stage.screen().contains("view fixed"));
    assert_eq!(stage.state.drawn.outputs[0].top.0, end - 3);
    assert_eq!(stage.state.focus, Focus::Composer, "it takes no keys");
    point(&mut stage, Point::WheelDown, (150, 5));
    assert!(stage.screen().contains("follow · 900 lines"));
    assert_eq!(stage.state.drawn.outputs[0].top.0, end);
}

#[test]
fn no_cell_is_too_far_away() {
    for (width, height) in [(0, 0), (1, 1), (40, 12), (80, 24), (120, 40), (200, 60)] {
        for popup in ["esc", "F2", "F4", "F6"] {
            let mut stage = asking(80, 24);
            stage.key("esc");
            stage.key(popup);
            stage.resize(width, height);
            for at in [(0, 0), (width, height), (width, 0), (0, height), (u16::MAX, u16::MAX)] {
                for what in
                    [Point::Press, Point::Drag, Point::WheelUp, Point::Release, Point::Press]
                {
                    point(&mut stage, what, at);
                    point(&mut stage, Point::Drag, (at.1, at.0));
                    stage.draw();
                }
                point(&mut stage, Point::Release, at);
            }
        }
    }
}
