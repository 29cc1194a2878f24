//! Killed in the middle of a run: what was shown is kept, what was open is said to be unknown, and
//! the session goes on.

use crate::{
    support::{Place, of_type, runs},
    terminal::App,
};

#[test]
fn a_session_killed_in_the_middle_of_a_run_goes_on_where_it_was() {
    let place = Place::new();
    let endless = "import time\nprint('begun', 'and', 'going')\ntime.sleep(600)\n";
    let mut script = runs(endless);
    script["turns"][1]["text"] = "I look at what is left.".into();
    let model = place.script(&script);

    let app = App::start(&place, (40, 120), &["--model", &model, "--mode", "auto", "start it"]);
    app.wait_for("begun and going");
    let pid = rustix::process::Pid::from_raw(app.pid().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    drop(app);

    let mut app = App::start(&place, (40, 120), &["--continue"]);
    app.wait_until("all that was shown", |screen| {
        screen.contains("start it") && screen.contains("I run it.") && screen.contains("main.py")
    });
    app.wait_until("the open call", |screen| screen.to_lowercase().contains("interrupted"));
    app.press("go on\r");
    app.wait_for("I look at what is left.");
    drop(app);

    let journal = place.journal();
    let finished = of_type(&journal, "call_finished");
    assert_eq!(finished.len(), 1, "the call has exactly one result");
    assert_eq!(finished[0]["result"]["content"]["error"], "interrupted");
    assert_eq!(of_type(&journal, "execution_started").len(), 1, "and did not run again");
}
