//! The tree of sessions, and what is asked about one of them.

use super::{shot, write_asks};
use crate::{
    kernel::event::{Event, Outcome},
    tui::{
        stage::{Stage, write_question},
        update::tests::tree::home,
    },
};

/// As wide and as narrow as it gets.
const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 12)];

/// Agents at three depths, in most states.
pub(super) fn crowd(width: u16, height: u16) -> Stage {
    let mut stage = write_asks(width, height);
    let agents = [
        (3, "fuzz", 2, "try random streams"),
        (4, "perf", 2, "measure it"),
        (5, "cases", 2, "write nine cases"),
        (6, "docs", 1, "say so in the manual"),
        (7, "links", 6, ""),
        (8, "style", 1, "look at the style"),
    ];
    for (number, name, parent, says) in agents {
        let path = match parent {
            1 => vec!["fix-parser", name],
            2 => vec!["fix-parser", "tests", name],
            _ => vec!["fix-parser", "docs", name],
        };
        stage.session(number, &path, Some(parent), says);
        if !says.is_empty() {
            stage.turn_ends(number, 1_000 * u64::try_from(number).unwrap(), 300);
        }
    }
    stage.asks(crate::kernel::gate::approval::Question {
        session: 3.into(),
        path: vec!["fix-parser".into(), "tests".into(), "fuzz".into()],
        ..write_question(91)
    });
    let message = "60 s used up".to_owned();
    for (number, outcome) in
        [(4, Outcome::Limit { message }), (5, Outcome::Done), (8, Outcome::Stopped)]
    {
        stage.event(number.into(), Event::SessionFinished { outcome });
    }
    stage.event(9.into(), Event::SessionFinished { outcome: Outcome::Done });
    home(&mut stage);
    stage.key("esc");
    stage.key("esc");
    stage
}

#[test]
fn the_tree_shows_every_agent_what_needs_somebody_and_what_else_there_is() {
    for (width, height) in SIZES {
        let mut stage = crowd(width, height);
        stage.key("F2");
        shot("sessions", &mut stage);
        stage.key("/");
        stage.types("fuzz");
        shot("sessions_filtered", &mut stage);
        for key in ["esc", "end", "right", "end"] {
            stage.key(key);
        }
        shot("sessions_others", &mut stage);
    }
}

#[test]
fn a_session_of_another_process_is_watched_and_says_whose_it_is() {
    for (width, height) in SIZES {
        let mut stage = crowd(width, height);
        stage.key("F2");
        let rows = stage.state.tree().len();
        let held = (0..rows).find(|at| {
            let row = stage.state.tree().get(*at);
            matches!(row, Some(crate::tui::state::tree::Row::Listed(1)))
        });
        stage.state.sessions.cursor = held.unwrap();
        stage.key("enter");
        shot("session_held", &mut stage);
        stage.key("enter");
        stage.session(21, &["bench"], None, "bench the lexer");
        stage.streams(21, "I run it three times, and compare.");
        stage.asks(crate::kernel::gate::approval::Question {
            session: 21.into(),
            path: vec!["bench".into()],
            ..write_question(92)
        });
        shot("session_watched", &mut stage);
        stage.key("F2");
        shot("session_watched_tree", &mut stage);
    }
}

#[test]
fn what_is_asked_about_a_session_names_what_goes() {
    for (width, height) in SIZES {
        for (name, keys) in [
            ("session_delete", ["end", "up", "up", "d"].as_slice()),
            ("session_rename", &["home", "e"]),
            ("session_said", &["home", "b"]),
            ("session_rewind", &["home", "b", "enter"]),
        ] {
            let mut stage = crowd(width, height);
            stage.key("F2");
            keys.iter().for_each(|key| stage.key(key));
            shot(name, &mut stage);
        }
    }
}

#[test]
fn the_transcript_of_an_agent_says_to_whom_one_speaks() {
    for (width, height) in SIZES {
        let mut stage = crowd(width, height);
        stage.key("F2");
        let at = stage.state.tree().place(Some(3.into()));
        stage.state.sessions.cursor = at;
        stage.key("enter");
        stage.streams(3, "I generate streams with a fixed seed, so a failure can be repeated.");
        shot("agent", &mut stage);
    }
}

#[test]
fn where_a_row_of_keys_has_no_room_whole_keys_go_and_never_the_last() {
    let mut stage = crowd(100, 30);
    for key in ["F2", "F3", "F5", "F7"] {
        stage.key(key);
        let screen = stage.screen();
        let ends = |row: &str| row.trim_end_matches('"').trim_end().ends_with("esc back");
        assert!(screen.lines().any(ends), "{key}: {screen}");
        stage.key("esc");
    }
}

#[test]
fn a_column_that_leaves_rows_out_says_so_also_when_the_list_is_left() {
    let mut stage = crowd(120, 40);
    stage.key("F2");
    stage.key("/");
    stage.types("fuzz");
    stage.key("enter");
    stage.key("down");
    stage.key("enter");
    let screen = stage.screen();
    let head = screen.lines().next().unwrap();
    assert!(head.contains("only fuzz") && !screen.contains("perf"), "{screen}");
}

#[test]
fn each_depth_of_the_column_has_its_own_place() {
    let mut stage = crowd(120, 40);
    let path = ["fix-parser", "docs", "links", "seeds"];
    stage.session(10, &path, Some(7), "collect them");
    let screen = stage.screen();
    let of = |name: &str| {
        let row = screen.lines().find(|row| row.contains(name)).unwrap();
        row.trim_start_matches('"').chars().position(|c| matches!(c, '├' | '└')).unwrap()
    };
    let places = ["docs", "links", "seeds"].map(of);
    assert_eq!(places, [places[0], places[0] + 3, places[0] + 6], "{screen}");
}

#[test]
fn what_is_asked_before_a_stop_names_the_session_as_the_tree_does() {
    let mut stage = Stage::new(120, 40);
    stage.session(1, &["main"], None, "round to even");
    stage.session(2, &["main", "tests"], Some(1), "write cases");
    stage.key("F2");
    stage.key("s");
    let screen = stage.screen();
    assert!(screen.contains("stop? round to even") && !screen.contains("main"), "{screen}");
    stage.key("esc");
    stage.key("esc");
    stage.key("F8");
    let screen = stage.screen();
    assert!(screen.contains("mode of round to even · now default"), "{screen}");
}

#[test]
fn an_agent_that_failed_says_why_where_it_was_started() {
    let mut stage = crowd(120, 40);
    stage.event(
        1.into(),
        Event::ChildStarted {
            call: 10.into(),
            child: 8.into(),
            agent: "style".into(),
            task: "look at the style".into(),
        },
    );
    let message = "Overloaded (529).\nSay \"go on\".".to_owned();
    stage.event(8.into(), Event::MessageSent { text: "again".into(), pictures: Vec::new() });
    stage.event(8.into(), Event::ExchangeFinished { outcome: Outcome::Failed { message } });
    let screen = stage.screen();
    let row = screen.lines().find(|row| row.contains("agent style")).unwrap();
    assert!(row.contains("failed in") && row.contains("Overloaded (529)."), "{screen}");
}
