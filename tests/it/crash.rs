//! Killed in the middle of a run: what was shown is kept, what was open is said to be unknown, and
//! the session goes on.

use std::sync::Arc;

use footplate::{
    kernel::{
        command::Command,
        gate::approval::{Answer, NotAnswered, Scope},
        port::Desk,
    },
    modules,
    store::DiskStore,
};

use crate::{
    rig,
    support::{Place, of_type, runs, runs_open},
    terminal::App,
};

fn kill(app: App) {
    let pid = rustix::process::Pid::from_raw(app.pid().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    drop(app);
}

#[test]
fn a_session_killed_in_the_middle_of_a_run_goes_on_where_it_was() {
    let place = Place::new();
    let endless = "import time\nprint('begun', 'and', 'going')\ntime.sleep(600)\n";
    let mut script = runs(endless);
    script["turns"][1]["text"] = "I look at what is left.".into();
    let model = place.script(&script);

    let app = App::start(&place, (40, 120), &["--model", &model, "--mode", "auto", "start it"]);
    app.wait_for("begun and going");
    kill(app);

    let mut app = App::start(&place, (40, 120), &["--continue"]);
    app.wait_until("all that was shown", |screen| {
        screen.contains("start it") && screen.contains("I run it.") && screen.contains("main.py")
    });
    app.wait_until("the open call", |screen| screen.to_lowercase().contains("interrupted"));
    app.press("go on");
    app.rests("› go on");
    app.press("\r");
    app.wait_for("I look at what is left.");
    drop(app);

    let journal = place.journal();
    let finished = of_type(&journal, "call_finished");
    assert_eq!(finished.len(), 1, "the call has exactly one result");
    assert_eq!(finished[0]["result"]["content"]["error"], "interrupted");
    assert_eq!(of_type(&journal, "execution_started").len(), 1, "and did not run again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_of_a_workstation_that_was_killed_is_withdrawn_and_a_late_yes_finds_nobody() {
    let place = Place::new();
    let code = "from footplate import files\nfiles.write('made.txt', 'x')\n";
    let mut script = runs_open(code);
    script["turns"][1]["text"] = "I look at what is left.".into();
    let model = place.script(&script);

    let mut app = App::start(&place, (40, 120), &["--model", &model, "start it"]);
    app.asks("EXECUTE");
    app.press("y");
    app.asks("WRITE");
    kill(app);
    let journal = place.journal();
    let asked = of_type(&journal, "approval_requested");
    assert_eq!(asked.len(), 2, "{asked:?}");
    let inner = asked[1]["question"].clone();
    assert_eq!(inner["call"]["origin"]["from"], "python");
    let session = serde_json::from_value(journal[0]["session"].clone()).unwrap();
    let approval = serde_json::from_value(inner["id"].clone()).unwrap();

    let mut app = App::start(&place, (40, 120), &["--continue"]);
    app.wait_until("that it was cut off", |screen| screen.contains("Nothing waits."));
    // It is no answer any more: there is nothing to answer.
    app.press("y");
    app.wait_until("a letter", |screen| screen.contains("› y") || screen.contains("> y"));
    kill(app);

    let store = Arc::new(DiskStore::new(place.home().join("data")));
    let host = rig::host_of(&place, modules::registry(), store, None);
    host.resume(session).unwrap();
    let yes = Answer::Allow { scope: Scope::Once };
    let late = Desk::send(&host, Command::Answer { approval, answer: yes });
    assert_eq!(late, Err(NotAnswered::NobodyWaits));
    host.shutdown().await;

    let journal = place.journal();
    let withdrawn = of_type(&journal, "approval_withdrawn");
    assert_eq!(withdrawn.len(), 1, "{withdrawn:?}");
    assert_eq!(withdrawn[0]["approval"], inner["id"]);
    assert_eq!(of_type(&journal, "approval_answered").len(), 1, "that of the script");
    let finished = of_type(&journal, "call_finished");
    assert_eq!(finished.len(), 2, "each call has exactly one result: {finished:?}");
    for (call, started) in [(&inner["call"]["id"], false), (&inner["call"]["parent"], true)] {
        let result = finished.iter().find(|line| line["call"] == *call).unwrap();
        assert_eq!(result["result"]["content"]["error"], "interrupted");
        let said = result["result"]["content"]["message"].as_str().unwrap();
        assert_eq!(said.contains("unknown"), started, "{said}");
    }
    assert_eq!(of_type(&journal, "call_started").len(), 1, "the write never began");
    assert!(!place.work().join("made.txt").exists());
}
