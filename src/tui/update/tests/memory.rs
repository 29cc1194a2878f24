//! What a long transcript keeps.

use pretty_assertions::assert_eq;

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
    cells.here().filter(|(_, cell)| cell.has_rows()).map(|(at, _)| at).collect()
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
        .here()
        .filter_map(|(_, cell)| match &cell.body {
            Body::Text { text, live: false, .. } => Some(text.capacity()),
            Body::Text { .. }
            | Body::Said { .. }
            | Body::Code(_)
            | Body::Call(_)
            | Body::Thinking(_)
            | Body::Agent { .. }
            | Body::Notice { .. } => None,
        })
        .sum();
    assert!(room < 100_000, "{room} bytes for 30,000");
}

#[test]
fn scripts_have_their_colours_near_the_screen_and_nowhere_else() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    for call in 0..300 {
        stage.runs(1, 1_000 + call, "main.py", "print('steam')");
    }
    stage.key("shift+tab");
    for key in ["end", "home", "end"] {
        stage.key(key);
        stage.draw();
        let cells = &stage.state.sessions.node().unwrap().transcript.cells;
        let coloured: Vec<_> = cells
            .here()
            .filter(|(_, cell)| match &cell.body {
                Body::Code(code) => code.colours != Coloured::Not,
                Body::Text { .. }
                | Body::Said { .. }
                | Body::Call(_)
                | Body::Thinking(_)
                | Body::Agent { .. }
                | Body::Notice { .. } => false,
            })
            .map(|(at, _)| at)
            .collect();
        assert!((1..150).contains(&coloured.len()), "{key}: {}", coloured.len());
        let (first, last) = (coloured[0], coloured[coloured.len() - 1]);
        assert!(if key == "home" { last < 150 } else { first > 150 }, "{key}: {first} to {last}");
    }
}

#[test]
fn a_decision_keeps_no_script() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    let long = "print('steam')\n".repeat(1_000);
    let input = serde_json::json!({ "path": "p".repeat(700), "code": long, "seal": "open" });
    let (origin, parent) = (Origin::Model, None);
    let call = Call { id: 7.into(), name: "execute_code".into(), input, origin, parent };
    let (category, decision) = (Category::Execute, Decision::allowed(Decider::Person));
    let subject = Subject::Other;
    stage.event(1.into(), Event::CallStarted { call, category, decision, subject });
    let root = stage.state.records.root(1.into());
    let past = stage.state.records.past(root);
    assert_eq!(
        past[past.len() - 1].case.input,
        serde_json::json!({ "path": "p".repeat(700), "seal": "open" })
    );
    let decided = stage.state.records.decided(root);
    assert!(decided[0].1.effect.len() < 1_000, "{}", decided[0].1.effect);
}

#[test]
fn what_a_rule_would_have_matched_is_looked_for_in_the_last_calls_alone() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    for call in 0..1_200 {
        let input = serde_json::json!({ "path": format!("{call}.txt") });
        let (origin, parent) = (Origin::Model, None);
        let call = Call { id: call.into(), name: "files.write".into(), input, origin, parent };
        let (category, decision) = (Category::Write, Decision::allowed(Decider::Person));
        let subject = Subject::Other;
        stage.event(1.into(), Event::CallStarted { call, category, decision, subject });
    }
    let past = stage.state.records.past(1.into());
    let ends = (&past[0].case.input, &past[past.len() - 1].case.input);
    assert_eq!(past.len(), 1_000);
    assert_eq!(
        ends,
        (&serde_json::json!({ "path": "200.txt" }), &serde_json::json!({ "path": "1199.txt" }))
    );
    assert_eq!(stage.state.records.decided(1.into()).len(), 1_200, "the list has all of them");
}
