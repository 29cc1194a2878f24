//! Every pane, every pop-up and every form has a picture at three sizes. A new one breaks the build here,
//! or has no picture, and fails.

use std::collections::BTreeSet;

use super::{
    LEX, SIZES, Stage, composing::resting, file::looked_at, log::said, pictures::pictured,
    records::decided, shot, streaming, tree::crowd, write_asks,
};
use crate::{
    kernel::port::OutputPage,
    tui::{
        picture::Means,
        stage::write_question,
        state::{Focus, Popup, State, tree::Row, waiting::Form},
    },
};

/// Where nearly nothing fits.
const SMALL: (u16, u16) = (40, 12);
/// Where there is a right column.
const FULL: (u16, u16) = (200, 60);

pub(super) type Build = fn(u16, u16) -> Stage;

/// How each is come by. Some have a name by which another test looks at them as well.
pub(super) const ALL: &[(&str, Build)] = &[
    ("first_start", Stage::first_start),
    ("pane_composer", |w, h| with(resting(w, h), &[], "then run the tests")),
    ("write", write_asks),
    ("pane_transcript", |w, h| focused(streaming(w, h), Focus::Transcript)),
    ("transcript_search", |w, h| with(focused(streaming(w, h), Focus::Transcript), &["/"], "tab")),
    ("thinking", |w, h| thinks(w, h, "")),
    ("thinking_folded", |w, h| thinks(w, h, "It is the lexer.")),
    ("retrying", |w, h| {
        let mut stage = Stage::new(w, h);
        stage.session(1, &["fix-parser"], None, "is it the lexer?");
        stage.waits_for_the_provider(1, 8_000);
        with(stage, &[], "")
    }),
    ("said_long", |w, h| {
        let mut stage = Stage::new(w, h);
        let pasted: String = (1..=2_000).map(|n| format!("line {n}\n")).collect();
        stage.session(1, &["fix-parser"], None, &format!("why is this slow?\n{pasted}"));
        with(focused(stage, Focus::Transcript), &["shift+up"], "")
    }),
    ("sessions", |w, h| with(crowd(w, h), &["F2"], "")),
    ("tab_in_a_name", |w, h| {
        let mut stage = resting(w, h);
        stage.session(30, &["fix-parser", "a\tb"], Some(1), "count the tabs");
        with(stage, &["F2"], "")
    }),
    ("sessions_filtered", |w, h| with(crowd(w, h), &["F2", "/"], "fuzz")),
    ("inbox", |w, h| with(write_asks(w, h), &["esc", "F3"], "")),
    ("inbox_filtered", |w, h| with(write_asks(w, h), &["esc", "F3", "/"], "write")),
    ("popup_output", |w, h| with(streaming(w, h), &["F4"], "")),
    ("popup_output_search", |w, h| with(streaming(w, h), &["F4", "/"], "case_2")),
    ("files", looked_at),
    ("popup_file", |w, h| with(looked_at(w, h), &["l", "e", "x", "enter"], "")),
    ("popup_file_line", |w, h| with(looked_at(w, h), &["l", "e", "x", "enter", ":"], "600")),
    ("log", |w, h| with(said(w, h), &["ctrl+l"], "")),
    ("picture_alone", |w, h| {
        let mut stage = pictured((w, h), Means::Blocks);
        stage.state.focus = Focus::Transcript;
        with(stage, &["p"], "")
    }),
    ("popup_away", |w, h| {
        let mut stage = Stage::crew(w, h);
        stage.looks_away();
        stage.much_happens();
        stage.is_back();
        stage.key("esc");
        stage.passes(5_000);
        with(stage, &["ctrl+n"], "")
    }),
    ("popup_save", |w, h| with(streaming(w, h), &["F4", "s"], "")),
    ("changes", |w, h| with(wrote(w, h), &["F5"], "")),
    ("popup_undo", |w, h| with(wrote(w, h), &["F5", " ", "down", " ", "u"], "")),
    ("changes_full", |w, h| with(wrote_much(w, h), &["F5", "pgdn", "enter", "down", "down"], "")),
    ("popup_grants", |w, h| with(decided(w, h), &["F6", "down"], "")),
    ("popup_grants_calls", |w, h| with(decided(w, h), &["F6", "down", "enter"], "")),
    ("decisions", |w, h| with(decided(w, h), &["F7"], "")),
    ("help_composer", |w, h| with(streaming(w, h), &["F1"], "")),
    ("connect", |w, h| with(Stage::first_start(w, h), &["c"], "")),
    ("popup_commands", |w, h| with(crowd(w, h), &["ctrl+p"], "undo")),
    ("themes", |w, h| with(Stage::first_start(w, h), &["t", "down"], "")),
    ("quit", |w, h| with(write_asks(w, h), &["ctrl+q"], "")),
    ("popup_mode", |w, h| with(crowd(w, h), &["F8"], "")),
    ("popup_stop", |w, h| with(crowd(w, h), &["F2", "home", "s"], "")),
    ("several", |w, h| {
        let mut stage = write_asks(w, h);
        let mut second = write_question(3);
        second.preview.object = "docs/export.md".into();
        stage.asks(second);
        slowly(stage, &["end", "m"], " ")
    }),
    ("popup_script", |w, h| slowly(write_asks(w, h), &["p"], "")),
    ("session_held", |w, h| listed(w, h, 1, "enter")),
    ("popup_delete", |w, h| listed(w, h, 0, "d")),
    ("session_rename", |w, h| with(crowd(w, h), &["F2", "home", "e"], "")),
    ("session_said", |w, h| with(crowd(w, h), &["F2", "home", "b"], "")),
    ("session_rewind", |w, h| with(crowd(w, h), &["F2", "home", "b", "enter"], "")),
    ("because", |w, h| {
        let words = "leave skip_blank alone, column() relies on it. Add skip_indent";
        slowly(write_asks(w, h), &["f"], words)
    }),
    ("form_wider", |w, h| {
        let mut stage = slowly(write_asks(w, h), &["end", "w"], "");
        // Where there is room for one thing, no wider yes is on offer, and that is said.
        let small = (w, h) == SMALL;
        assert_eq!(stage.state.queue.form.is_none(), small);
        if small {
            stage.key("tab");
        }
        stage
    }),
    ("form_edit", |w, h| slowly(write_asks(w, h), &["right", "e"], "")),
    ("form_search", |w, h| slowly(write_asks(w, h), &["enter", "/"], "self")),
    ("offered_commands", |w, h| with(resting(w, h), &[], "/")),
    ("offered_words", |w, h| {
        let mut stage = resting(w, h);
        for words in ["count the tabs", "count the lines\nof all files"] {
            stage.state.composer.remember(words);
        }
        with(stage, &["ctrl+r"], "count")
    }),
];

/// Those that are there only where there is room.
const ROOMY: &[(&str, (u16, u16), Build)] = &[
    ("pane_sessions", (120, 40), |w, h| focused(crowd(w, h), Focus::Sessions)),
    ("pane_waiting", (120, 40), |w, h| focused(crowd(w, h), Focus::Waiting)),
    ("pane_output", (120, 40), |w, h| focused(streaming(w, h), Focus::Output(20.into()))),
    ("pane_plan", FULL, |w, h| focused(streaming(w, h), Focus::Plan)),
    ("pane_changes", FULL, |w, h| focused(streaming(w, h), Focus::Changes)),
    ("pane_away", FULL, |w, h| focused(streaming(w, h), Focus::Away)),
];

fn with(mut stage: Stage, keys: &[&str], typed: &str) -> Stage {
    stage.draw();
    for key in keys {
        stage.key(key);
        stage.draw();
    }
    stage.types(typed);
    stage
}

/// With time between the keys, which a question wants.
fn slowly(mut stage: Stage, keys: &[&str], typed: &str) -> Stage {
    for key in keys {
        stage.wait(500);
        stage.draw();
        stage.key(key);
    }
    stage.wait(500);
    stage.types(typed);
    stage
}

fn focused(mut stage: Stage, focus: Focus) -> Stage {
    stage.state.focus = focus;
    stage
}

fn thinks(width: u16, height: u16, says: &str) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.session(1, &["fix-parser"], None, "is it the lexer?");
    stage.thinks(1, "The person asks whether the lexer is to blame.\n\nColumns are counted ");
    stage.passes(12_000);
    stage.thinks(1, "in two places, and only one of them knows of tabs. I should look there.");
    if !says.is_empty() {
        stage.streams(1, says);
    }
    stage
}

fn wrote(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.at_work();
    stage.runs(1, 10, "main.py", LEX);
    stage.passes(240_000);
    stage.planned = stage.written();
    stage
}

fn wrote_much(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.at_work();
    stage.planned = stage.written();
    let lines = |word: &str| (1..=90).map(|n| format!("{word} {n}\n")).collect::<String>();
    stage.texts = (lines("old"), lines("new"));
    stage.page = OutputPage::default();
    stage
}

/// What a key asks about one of the sessions that are not open here.
fn listed(width: u16, height: u16, which: usize, key: &str) -> Stage {
    let mut stage = with(crowd(width, height), &["F2"], "");
    let rows = stage.state.tree().len();
    let at = (0..rows).find(|at| stage.state.tree().get(*at) == Some(Row::Listed(which)));
    stage.state.sessions.cursor = at.unwrap();
    stage.key(key);
    stage
}

#[test]
fn every_pane_pop_up_and_form_has_a_picture_at_three_sizes() {
    let mut seen = BTreeSet::new();
    for (name, build) in ALL {
        for (width, height) in SIZES.into_iter().chain([SMALL]) {
            let mut stage = build(width, height);
            seen.insert(shown(&stage.state));
            shot(name, &mut stage);
        }
    }
    for (name, (width, height), build) in ROOMY {
        let mut stage = build(*width, *height);
        seen.insert(shown(&stage.state));
        shot(name, &mut stage);
    }
    let missing: Vec<_> = KINDS.iter().filter(|kind| !seen.contains(*kind)).collect();
    assert!(missing.is_empty(), "no picture of {missing:?}: give them a row in the table");
}

/// All that [`shown`] can say.
const KINDS: [&str; 40] = [
    "picture",
    "file",
    "files",
    "log",
    "away",
    "sessions",
    "waiting",
    "output",
    "save",
    "changes",
    "grants",
    "decisions",
    "help",
    "connect",
    "commands",
    "themes",
    "quit",
    "mode",
    "stop",
    "several",
    "script",
    "held",
    "delete",
    "rename",
    "said",
    "rewind",
    "pane start",
    "pane composer",
    "pane question",
    "pane transcript",
    "pane output",
    "pane sessions",
    "pane waiting",
    "pane plan",
    "pane changes",
    "pane away",
    "form because",
    "form wider",
    "form edit",
    "form search",
];

/// What is in front. Whoever adds a variant gives it a name here, and one above.
fn shown(state: &State) -> &'static str {
    if let Some(popup) = state.popup {
        return match popup {
            Popup::Sessions => "sessions",
            Popup::Waiting { .. } => "waiting",
            Popup::Output => "output",
            Popup::Save { .. } => "save",
            Popup::Changes { .. } => "changes",
            Popup::Grants { .. } => "grants",
            Popup::File => "file",
            Popup::Picture { .. } => "picture",
            Popup::Files { .. } => "files",
            Popup::Log { .. } => "log",
            Popup::Away { .. } => "away",
            Popup::Decisions { .. } => "decisions",
            Popup::Help { .. } => "help",
            Popup::Connect { .. } => "connect",
            Popup::Commands => "commands",
            Popup::Themes { .. } => "themes",
            Popup::Quit { .. } => "quit",
            Popup::Mode { .. } => "mode",
            Popup::Stop { .. } => "stop",
            Popup::Several { .. } => "several",
            Popup::Script { .. } => "script",
            Popup::Held { .. } => "held",
            Popup::Delete { .. } => "delete",
            Popup::Rename { .. } => "rename",
            Popup::Said { .. } => "said",
            Popup::Rewind { .. } => "rewind",
        };
    }
    if let (Focus::Question, Some(form)) = (state.focus, &state.queue.form) {
        return match form {
            Form::Because(..) => "form because",
            Form::Wider(_) => "form wider",
            Form::Edit(_) => "form edit",
            Form::Search(_) => "form search",
        };
    }
    match state.focus {
        Focus::Start => "pane start",
        Focus::Composer => "pane composer",
        Focus::Question => "pane question",
        Focus::Transcript => "pane transcript",
        Focus::Output(_) => "pane output",
        Focus::Sessions => "pane sessions",
        Focus::Waiting => "pane waiting",
        Focus::Plan => "pane plan",
        Focus::Changes => "pane changes",
        Focus::Away => "pane away",
    }
}
