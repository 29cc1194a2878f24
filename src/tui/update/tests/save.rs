//! An output is saved under a name that the person sees before.

use pretty_assertions::assert_eq;

use crate::tui::{
    effect::Effect,
    keymap::Place,
    stage::Stage,
    state::{Focus, Popup},
};

fn output(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.at_work();
    stage.runs(1, 10, "scan it.py", "print(1)\n");
    stage.key("F4");
    stage.draw();
    stage.key("s");
    stage
}

fn saved(stage: &Stage) -> Vec<String> {
    let files = stage.effects.iter().filter_map(|effect| {
        let Effect::SaveOutput(_, _, file) = effect else { return None };
        Some(file.display().to_string())
    });
    files.collect()
}

#[test]
fn a_name_is_asked_for_and_there_is_one_to_begin_with() {
    let mut stage = output(80, 24);
    assert_eq!(stage.state.key_place(), Place::Save);
    assert_eq!(saved(&stage), [""; 0], "nothing is saved unasked");
    let name = stage.state.output.file.text();
    assert!(name.starts_with("scan-it.py-") && name.ends_with(".txt"), "{name}");
    assert!(stage.screen().contains(&name), "{}", stage.screen());
    stage.key("enter");
    assert_eq!(saved(&stage), [format!("/home/me/tally/{name}")]);
    assert_eq!(stage.state.popup, Some(Popup::Output));
}

#[test]
fn another_name_or_a_whole_path_is_taken_and_none_is_refused() {
    for (typed, expected) in
        [("out.txt", "/home/me/tally/out.txt"), ("/tmp/out.txt", "/tmp/out.txt")]
    {
        let mut stage = output(120, 40);
        stage.key("ctrl+u");
        stage.key("enter");
        assert_eq!(saved(&stage), [""; 0]);
        stage.types(typed);
        stage.key("enter");
        assert_eq!(saved(&stage), [expected]);
    }
}

#[test]
fn leaving_saves_nothing_and_goes_back_to_where_it_was() {
    let mut stage = output(80, 24);
    stage.key("esc");
    assert_eq!((saved(&stage), stage.state.popup), (Vec::new(), Some(Popup::Output)));
    let mut stage = output(80, 24);
    stage.key("esc");
    stage.key("esc");
    stage.state.focus = Focus::Output(10.into());
    stage.key("s");
    stage.key("esc");
    assert_eq!((stage.state.focus, stage.state.popup), (Focus::Output(10.into()), None));
}
