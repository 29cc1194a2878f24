//! What a long transcript keeps.

use super::*;

fn stage_with(paragraphs: usize) -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    let text: String = (0..paragraphs).map(|n| format!("Paragraph {n}.\n\n")).collect();
    stage.streams(1, &text);
    stage.key("shift+tab");
    stage
}

/// The cells whose rows are kept.
fn kept(stage: &Stage) -> Vec<usize> {
    let cells = &stage.state.sessions.node().unwrap().transcript.cells;
    (0..cells.len()).filter(|at| cells[*at].has_rows()).collect()
}

#[test]
fn rows_are_kept_near_the_screen_and_nowhere_else() {
    let mut stage = stage_with(2_000);
    for key in ["home", "pgdn", "end", "home"] {
        stage.key(key);
        stage.draw();
        assert!(kept(&stage).len() < 150, "{key}: {}", kept(&stage).len());
    }
    assert!(kept(&stage).iter().all(|at| *at < 150), "only what is near the beginning");
    for _ in 0..200 {
        stage.key("pgdn");
        stage.draw();
    }
    assert!(kept(&stage).len() < 150, "{}", kept(&stage).len());
}

#[test]
fn paragraphs_that_came_together_keep_no_room_for_one_another() {
    let stage = stage_with(2_000);
    let cells = &stage.state.sessions.node().unwrap().transcript.cells;
    let room: usize = cells
        .iter()
        .filter_map(|cell| match &cell.body {
            Body::Text { text, live: false, .. } => Some(text.capacity()),
            Body::Text { .. }
            | Body::Said(_)
            | Body::Code(_)
            | Body::Call(_)
            | Body::Agent { .. }
            | Body::Notice { .. } => None,
        })
        .sum();
    assert!(room < 100_000, "{room} bytes for 30,000");
}
