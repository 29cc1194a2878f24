//! Transcripts longer than what is kept of them in memory.

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::toast;
use crate::{
    kernel::event::{Event, Origin, Outcome},
    tui::{
        cell::{Body, Fold},
        effect::Effect,
        message::{Came, Message},
        stage::{Stage, attached, result},
        state::transcript::{Transcript, cells::PAGE},
    },
};

/// Turns with words, a run and an end each: four cells a turn.
fn worked(stage: &mut Stage, turns: u128) {
    stage.at_work();
    for turn in 0..turns {
        stage.event(1.into(), Event::said(format!("part {turn}, please")));
        stage.streams(1, &format!("I look at valve {turn}.\n\nThen I run it."));
        let code = format!("look({turn})\nhide({turn})\n{}", "more()\n".repeat(8));
        stage.runs(1, 10_000 + turn, &format!("run{turn}.py"), &code);
        stage.run_ends(1, 10_000 + turn, 400, &format!("steam {turn}\n"));
    }
    stage.event(1.into(), Event::ExchangeFinished { outcome: Outcome::Done });
    stage.draw();
    stage.key("shift+tab");
    stage.draw();
}

fn log(stage: &Stage) -> &Transcript {
    &stage.state.sessions.node().unwrap().transcript
}

fn here(stage: &Stage) -> usize {
    log(stage).cells.here().count()
}

fn press(stage: &mut Stage, key: &str) {
    stage.key(key);
    stage.draw();
}

/// The numbers that stand behind a word on the screen.
fn numbers(screen: &str, word: &str) -> Vec<u32> {
    let behind = screen.split(word).skip(1);
    behind
        .filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok())
        .collect()
}

#[test]
fn memory_follows_the_screen_and_not_the_transcript() {
    let mut stage = Stage::new(80, 24);
    let most = 8 * PAGE;
    worked(&mut stage, 1_000);
    assert!(log(&stage).cells.len() > 4_000);
    assert!(here(&stage) <= most, "{} of {}", here(&stage), log(&stage).cells.len());
    for key in ["home", "pgdn", "pgdn", "end", "home", "E", "end"] {
        press(&mut stage, key);
        assert!(here(&stage) <= most, "{key}: {}", here(&stage));
    }
    for _ in 0..500 {
        press(&mut stage, "pgup");
        assert!(here(&stage) <= most, "{}", here(&stage));
    }
}

#[test]
fn who_reads_from_the_beginning_to_the_end_meets_every_word_once_and_in_order() {
    let mut stage = Stage::new(80, 24);
    worked(&mut stage, 300);
    press(&mut stage, "home");
    let mut met = Vec::new();
    for _ in 0..1_000 {
        for number in numbers(&stage.screen(), "I look at valve ") {
            if met.last().is_none_or(|last| number > *last) {
                met.push(number);
            }
        }
        if met.last() == Some(&299) {
            break;
        }
        press(&mut stage, "pgdn");
    }
    assert_eq!(met, (0..300).collect::<Vec<_>>());
    let outside = &stage.desk.outside;
    assert!(outside.read > 10, "{} pages were read back", outside.read);
}

#[test]
fn a_page_that_nobody_changed_is_written_once() {
    let mut stage = Stage::new(80, 24);
    worked(&mut stage, 300);
    let written = stage.desk.outside.written;
    assert!(written > 10);
    for key in ["home", "end", "home", "end"] {
        press(&mut stage, key);
    }
    assert_eq!(stage.desk.outside.written, written);
}

#[test]
fn what_a_person_unfolded_is_unfolded_when_they_come_back() {
    let mut stage = Stage::new(80, 24);
    worked(&mut stage, 300);
    press(&mut stage, "home");
    let at = log(&stage).cell_of(10_000.into()).unwrap();
    while log(&stage).here != Some(at) {
        press(&mut stage, "shift+down");
    }
    press(&mut stage, "right");
    let fold = |stage: &Stage| {
        let body = &log(stage).cells.get(at).unwrap().body;
        let Body::Code(code) = body else { panic!("{body:?}") };
        code.fold
    };
    assert_eq!(fold(&stage), Fold::Full);
    press(&mut stage, "end");
    press(&mut stage, "shift+up");
    assert!(log(&stage).cells.get(at).is_none(), "it went");
    press(&mut stage, "home");
    assert_eq!(fold(&stage), Fold::Full);
}

#[test]
fn a_word_is_found_outside_as_well() {
    let mut stage = Stage::new(80, 24);
    worked(&mut stage, 300);
    press(&mut stage, "/");
    stage.types("hide(7)");
    let screen = stage.screen();
    assert!(screen.contains("1 of 1") && screen.contains("hide(7)"), "{screen}");
    for _ in 0.."hide(7)".len() {
        press(&mut stage, "backspace");
    }
    stage.types("at valve 2");
    // 2, 20 to 29, 200 to 299.
    assert!(stage.screen().contains("of 111"), "{}", stage.screen());
    let mut seen = Vec::new();
    for _ in 0..111 {
        press(&mut stage, "enter");
        let hit = log(&stage).find.as_ref().unwrap().cell().unwrap();
        assert!(stage.screen().contains("at valve 2"), "{}", stage.screen());
        seen.push(hit);
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 111, "each is come by");
    assert!(stage.screen().contains("of 111"), "{}", stage.screen());
}

#[test]
fn while_a_word_is_looked_for_outside_that_is_said_and_what_comes_late_for_another_word_is_nothing()
{
    let mut stage = Stage::new(80, 24);
    worked(&mut stage, 300);
    let before = log(&stage).scroll;
    stage.desk.outside.waits = true;
    press(&mut stage, "/");
    stage.types("valve 7.");
    assert!(stage.screen().contains("looking…"), "{}", stage.screen());
    assert_eq!(log(&stage).scroll, before, "nothing moves yet");
    let late = Came::FoundOutside(1.into(), "valve".into(), vec![1, 2, 3]);
    stage.send(Message::Came(late));
    stage.draw();
    assert!(stage.screen().contains("looking…"), "{}", stage.screen());
    stage.outside_answers();
    stage.draw();
    // The page of what was found comes then.
    stage.outside_answers();
    stage.draw();
    let screen = stage.screen();
    assert!(screen.contains("1 of 1") && screen.contains("I look at valve 7."), "{screen}");
}

#[test]
fn errors_and_changes_are_found_outside() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.runs(1, 10, "broken.py", "1 / 0\n");
    let failed = result("execute_code", false, "no".into());
    let (parent, origin, decision) = (None, Origin::Model, None);
    let call = 10.into();
    stage.event(1.into(), Event::CallFinished { call, parent, origin, result: failed, decision });
    for turn in 0..1_000 {
        stage.event(1.into(), Event::said(format!("part {turn}, please")));
    }
    stage.draw();
    stage.key("shift+tab");
    press(&mut stage, "end");
    press(&mut stage, "E");
    assert!(stage.screen().contains("broken.py"), "{}", stage.screen());
    press(&mut stage, "E");
    assert_eq!(toast(&stage), "No error above.");
}

#[test]
fn what_is_not_back_yet_is_a_gap_and_then_what_it_is() {
    let mut stage = Stage::new(80, 24);
    worked(&mut stage, 300);
    stage.desk.outside.waits = true;
    press(&mut stage, "home");
    assert!(stage.state.awaits_rows());
    assert!(!stage.screen().contains("valve"), "{}", stage.screen());
    press(&mut stage, "c");
    stage.outside_answers();
    stage.draw();
    assert!(!stage.state.awaits_rows());
    assert!(stage.screen().contains("I look at valve 0."), "{}", stage.screen());
}

#[test]
fn what_cannot_be_read_back_says_so_and_the_rest_can_be_read() {
    let mut stage = Stage::new(80, 24);
    worked(&mut stage, 300);
    stage.desk.outside.pages.insert((1.into(), 0), "{".into());
    press(&mut stage, "home");
    let screen = stage.screen();
    assert!(screen.contains("This part cannot be read back"), "{screen}");
    assert!(!stage.state.awaits_rows(), "nobody waits for it");
    for _ in 0..12 {
        press(&mut stage, "pgdn");
    }
    assert!(stage.screen().contains("I look at valve"), "{}", stage.screen());
}

#[test]
fn a_picture_of_what_is_outside_is_there_when_it_is_back() {
    let mut stage = Stage::new(80, 24);
    worked(&mut stage, 300);
    let at = log(&stage).cell_of(10_000.into()).unwrap();
    assert!(log(&stage).cells.get(at).is_none());
    let picture = attached("plan.png").enclosed.picture;
    stage.event(1.into(), Event::PictureMade { call: 10_000.into(), picture: picture.clone() });
    assert_eq!(log(&stage).pictures().collect::<Vec<_>>(), [(at, &picture)]);
    press(&mut stage, "home");
    assert_eq!(log(&stage).cells.get(at).unwrap().pictures, [picture]);
    press(&mut stage, "end");
    assert!(log(&stage).cells.get(at).is_none());
    press(&mut stage, "home");
    assert_eq!(log(&stage).cells.get(at).unwrap().pictures.len(), 1, "it is kept outside too");
}

#[test]
fn a_part_that_reaches_over_pages_is_copied_whole() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    let text: String = (0..500).map(|n| format!("Paragraph {n}.\n\n")).collect();
    stage.streams(1, &text);
    for turn in 0..500 {
        stage.event(1.into(), Event::said(format!("part {turn}, please")));
    }
    stage.draw();
    stage.key("shift+tab");
    for key in ["shift+up", "home"] {
        press(&mut stage, key);
    }
    while log(&stage).part().unwrap().len() < 500 {
        press(&mut stage, "shift+down");
    }
    press(&mut stage, "c");
    let Some(Effect::Copy(copied)) = stage.effects.pop() else { panic!("{:?}", stage.effects) };
    assert!(copied.trim_end().ends_with(text.trim_end()), "{copied}");
}

#[test]
fn a_part_that_is_longer_than_anybody_copies_is_copied_as_far_as_is_said() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    for page in 0..6 {
        let numbers = 500 * page..500 * (page + 1);
        stage.streams(1, &numbers.map(|n| format!("Paragraph {n}.\n\n")).collect::<String>());
    }
    stage.draw();
    stage.key("shift+tab");
    for key in ["shift+up", "home"] {
        press(&mut stage, key);
    }
    while log(&stage).part().unwrap().len() < 2_000 {
        press(&mut stage, "shift+down");
    }
    assert!(here(&stage) < 40 * PAGE, "{}", here(&stage));
    press(&mut stage, "c");
    assert!(toast(&stage).starts_with("Copied the first 2,048 paragraphs"), "{}", toast(&stage));
}

#[test]
fn an_agent_that_nobody_looks_at_keeps_its_end_alone() {
    let mut stage = Stage::new(80, 24);
    worked(&mut stage, 1);
    stage.session(2, &["main", "tests"], Some(1), "test it");
    for turn in 0..2_000 {
        stage.streams(2, &format!("Test {turn} is good.\n\n"));
    }
    let cells = |stage: &Stage| {
        let log = &stage.state.sessions.get(2.into()).unwrap().transcript;
        (log.cells.len(), log.cells.here().count())
    };
    assert!(cells(&stage).0 > 2_000 && cells(&stage).1 <= 3 * PAGE, "{:?}", cells(&stage));
    stage.state.sessions.show(2.into());
    stage.draw();
    assert!(stage.screen().contains("Test 1999 is good."), "{}", stage.screen());
}

#[test]
fn a_run_that_goes_on_stays_however_much_comes_below_it() {
    let mut stage = Stage::new(80, 24);
    stage.at_work();
    stage.runs(1, 10, "waits.py", "wait()\n");
    for turn in 0..1_000 {
        stage.event(1.into(), Event::said(format!("part {turn}, please")));
    }
    assert!(log(&stage).code(10.into()).is_some());
    stage.run_ends(1, 10, 400, "done\n");
    assert!(log(&stage).code(10.into()).is_none(), "it goes when it is over");
    press(&mut stage, "shift+tab");
    press(&mut stage, "home");
    assert_eq!(log(&stage).code(10.into()).unwrap().output, ["done"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn no_way_through_a_long_transcript_shows_a_hole_or_keeps_all_of_it(
        keys in proptest::collection::vec(
            proptest::sample::select(vec![
                "home", "end", "pgup", "pgdn", "up", "down", "shift+up", "shift+down", "E", "D", "e",
                "left", "right", "enter", "c", "/", "v", "a", "esc",
            ]),
            1..60,
        ),
    ) {
        let mut stage = Stage::new(80, 24);
        worked(&mut stage, 150);
        for key in keys {
            press(&mut stage, key);
            let screen = stage.screen();
            prop_assert!(!stage.state.awaits_rows(), "{}", screen);
            prop_assert!(!screen.contains("cannot be read back"), "{}", screen);
            prop_assert!(here(&stage) <= 10 * PAGE, "{}", here(&stage));
        }
    }
}
