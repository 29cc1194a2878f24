//! Rules in the whole program: files in layers, trust, what a person keeps and takes back.

use std::{fs, path::Path, process::Stdio, thread};

use footplate::{
    host::Host,
    kernel::{
        command::Command,
        event::{Decider, Event},
        gate::{
            approval::{Answer, NotAnswered, Question, Scope},
            law::Layer,
            rule::{Lasting, propose},
        },
        id::SessionId,
        port::{Desk, Watch},
        spec::Mode,
    },
};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    rig,
    support::{PATIENCE, Place, Ran, of_type, runs},
    terminal::App,
};

const ALLOW_DOCS: &str = "[[allow]]\ncall = \"files.write\"\npath = \"docs/**\"\n";

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

impl Place {
    fn rules(&self) -> std::path::PathBuf {
        self.home().join("config/rules.toml")
    }

    fn project_rules(&self) -> std::path::PathBuf {
        self.work().join(".footplate/rules.toml")
    }

    fn write(&self, path: &str) -> Ran {
        let input = json!({ "path": path, "text": "x" }).to_string();
        self.run(&["--tool", "files.write", "--tool-input", &input])
    }
}

#[test]
fn a_rule_of_the_person_decides_without_anybody_and_the_decisions_say_so() {
    let place = Place::new();
    put(&place.rules(), ALLOW_DOCS);
    assert_eq!(place.write("docs/a.md").code(), 0);
    assert_eq!(place.write("src/a.rs").code(), 3, "nobody is there to ask");
    let ids: Vec<String> = place
        .journals()
        .iter()
        .map(|journal| journal[0]["session"].as_str().unwrap().to_owned())
        .collect();
    let show = |id: &str, more: &[&str]| {
        let mut arguments = vec!["sessions", "show", id, "--decisions"];
        arguments.extend(more);
        let ran = place.run(&arguments);
        assert_eq!(ran.code(), 0, "{}", ran.stderr());
        ran.stdout()
    };
    let text = show(&ids[0], &[]);
    assert!(text.contains("✓ WRITE") && text.contains("docs/a.md"), "{text}");
    assert!(
        text.contains("rule \"files.write docs/**\"") && text.contains("rules.toml:1"),
        "{text}"
    );
    let json: Value = serde_json::from_str(&show(&ids[1], &["--json"])).unwrap();
    assert_eq!(json["verdict"], "denied");
    assert_eq!(json["by"]["who"], "nobody");
    assert_eq!(place.run(&["sessions", "show", &ids[0]]).code(), 0);
    assert_eq!(place.run(&["sessions", "show", "nothing", "--decisions"]).code(), 1);
}

#[test]
fn what_a_rule_denies_is_refused_in_auto_and_what_it_denies_outright_is_not_offered() {
    let place = Place::new();
    put(&place.rules(), "[[deny]]\ncall = \"files.write\"\npath = \"src/**\"\n");
    let input = json!({ "path": "src/a", "text": "x" }).to_string();
    let ran = place.run(&["--mode", "auto", "--tool", "files.write", "--tool-input", &input]);
    assert_eq!(ran.code(), 1);
    let result: Value = serde_json::from_str(&ran.stdout()).unwrap();
    assert_eq!(result["content"]["error"], "denied_by_rule");
    assert_eq!(result["content"]["file"], place.rules().display().to_string());
    assert!(!place.work().join("src").exists());

    let report = |rules: &str| {
        put(&place.rules(), rules);
        place.run(&["--context-report"]).stdout()
    };
    let all = report("");
    assert!(all.contains("execute_code") && all.contains("process"), "{all}");
    let fewer = report("[[deny]]\ncall = \"process.*\"\n[[deny]]\ncall = \"execute_code\"\n");
    assert!(!fewer.contains("execute_code") && !fewer.contains("process"), "{fewer}");
    let elsewhere = report("[[deny]]\ncall = \"process.*\"\nagents = \"main/tests\"\n");
    assert!(elsewhere.contains("process"), "{elsewhere}");
}

#[test]
fn a_project_allows_nothing_before_it_is_trusted_and_denies_at_once() {
    let place = Place::new();
    put(
        &place.project_rules(),
        &format!("{ALLOW_DOCS}[[deny]]\ncall = \"files.read\"\npath = \"key\"\n"),
    );
    put(&place.work().join("key"), "secret");
    let untrusted = place.write("docs/a.md");
    assert_eq!(untrusted.code(), 3);
    assert!(untrusted.stderr().contains("footplate trust"), "{}", untrusted.stderr());
    let read = place.run(&["--tool", "files.read", "--tool-input", "{\"path\":\"key\"}"]);
    assert!(read.stdout().contains("denied_by_rule"), "{}", read.stdout());
    let listed = place.run(&["rules"]).stdout();
    assert!(listed.contains("not trusted") && !listed.contains("docs/**"), "{listed}");

    let trusted = place.run(&["trust"]);
    assert_eq!(trusted.code(), 0, "{}", trusted.stderr());
    assert!(trusted.stdout().contains(ALLOW_DOCS), "what was trusted is shown");
    assert_eq!(place.write("docs/a.md").code(), 0);
    assert!(place.run(&["rules"]).stdout().contains("docs/**"));

    put(&place.project_rules(), &format!("{ALLOW_DOCS}# changed\n"));
    assert_eq!(place.write("docs/b.md").code(), 3);
    assert_eq!(place.run(&["trust"]).code(), 0);
    assert_eq!(place.write("docs/b.md").code(), 0);
    assert_eq!(place.run(&["trust", "--revoke"]).code(), 0);
    assert_eq!(place.write("docs/c.md").code(), 3);
}

#[test]
fn a_fault_is_said_with_its_line_and_leaves_the_stricter_verdict() {
    let place = Place::new();
    put(&place.rules(), &format!("{ALLOW_DOCS}[[deny]]\ncall = 3\n"));
    let input = json!({ "path": "docs/a", "text": "x" }).to_string();
    let ran = place.run(&["--mode", "auto", "--tool", "files.write", "--tool-input", &input]);
    assert_eq!(ran.code(), 3, "even in auto it is asked for: {}", ran.stdout());
    let told = ran.stderr();
    assert_eq!(told.matches("rules.toml:5:8:").count(), 1, "{told}");
    let file = place.rules().display().to_string();
    let check = place.run(&["rules", "check", &file]);
    assert_eq!(check.code(), 1);
    assert!(check.stderr().contains("rules.toml:5:8:"), "{}", check.stderr());
    assert_eq!(place.run(&["rules"]).code(), 1);
    put(&place.rules(), ALLOW_DOCS);
    let check = place.run(&["rules", "check", &file]);
    assert_eq!((check.code(), check.stdout()), (0, format!("{file}: 1 allow, 0 ask, 0 deny\n")));
}

/// A host with somebody at the keys, and the files of a place.
struct Attended {
    host: Host,
    session: SessionId,
    events: Watch,
    place: Place,
}

impl Attended {
    fn playing(place: Place, script: &Value) -> Self {
        let host = rig::host(&place);
        let events = host.subscribe();
        let tools = ["files.write", "agents.run"];
        let session = host.start(rig::spec(&place, script, Mode::Default, &tools)).unwrap();
        host.send(session, "go".to_owned());
        Self { host, session, events, place }
    }

    async fn next(&mut self) -> Event {
        self.events.recv().await.unwrap().event.clone()
    }

    async fn question(&mut self) -> Question {
        loop {
            if let Event::ApprovalRequested { question } = self.next().await {
                return question;
            }
        }
    }

    /// Who let the next call through or not.
    async fn decider(&mut self) -> Decider {
        loop {
            match self.next().await {
                Event::CallStarted { decision, .. } => return decision.by,
                Event::CallFinished { decision: Some(decision), .. } => return decision.by,
                Event::ApprovalRequested { question } => panic!("asked: {question:?}"),
                _ => {}
            }
        }
    }

    fn say(&self, question: &Question, scope: Scope) -> Result<(), NotAnswered> {
        let answer = Answer::Allow { scope };
        Desk::send(&self.host, Command::Answer { approval: question.id, answer })
    }
}

fn writes(paths: &[&str]) -> Value {
    let turn = |path: &&str| json!({ "calls": [{ "name": "files.write", "arguments": { "path": path, "text": "x" } }] });
    let mut turns: Vec<Value> = paths.iter().map(turn).collect();
    turns.push(json!({ "text": "done" }));
    json!({ "turns": turns })
}

#[tokio::test]
async fn a_yes_for_always_is_saved_as_it_was_shown_and_taken_back_out_again() {
    let mut there = Attended::playing(Place::new(), &writes(&["a", "a", "a"]));
    let mine = "# mine\n[[deny]]\ncall = \"files.write\"\npath = \"never\"\n";
    put(&there.place.rules(), mine);
    let question = there.question().await;
    let base = there.place.work().canonicalize().unwrap().display().to_string();
    let rule = propose(&question, &base, Lasting::File);
    there.say(&question, Scope::Always { rule: rule.clone() }).unwrap();
    assert_eq!(there.decider().await, Decider::Person);
    assert_eq!(fs::read_to_string(there.place.rules()).unwrap(), format!("{mine}\n{rule}"));
    let Decider::Rule { rule: cited } = there.decider().await else { panic!("by the rule") };
    assert_eq!((cited.layer, cited.line), (Layer::User, Some(6)));
    // The third call may be on its way already: what is taken back asks from then on.
    let revoke = Command::RevokeSaved { session: there.session, rule: *cited };
    Desk::send(&there.host, revoke.clone()).unwrap();
    assert!(matches!(Desk::send(&there.host, revoke), Err(NotAnswered::Refused(_))));
    assert_eq!(fs::read_to_string(there.place.rules()).unwrap(), format!("{mine}\n"));
    there.host.shutdown().await;
}

#[tokio::test]
async fn a_yes_for_the_session_ends_when_it_is_taken_back() {
    let mut there = Attended::playing(Place::new(), &writes(&["a", "b", "a"]));
    let question = there.question().await;
    there.say(&question, Scope::Session { rule: String::new() }).unwrap();
    let other = there.question().await;
    assert_eq!(other.call.input["path"], "b");
    Desk::send(&there.host, Command::Revoke { grant: question.id }).unwrap();
    there.say(&other, Scope::Once).unwrap();
    let again = there.question().await;
    assert_eq!(again.call.input["path"], "a");
    let late = Desk::send(&there.host, Command::Revoke { grant: question.id });
    assert!(matches!(late, Err(NotAnswered::Refused(_))));
    there.host.shutdown().await;
}

#[tokio::test]
async fn what_an_agent_may_is_what_its_session_may_and_what_the_rule_says_of_it() {
    let mut script = json!({ "turns": [
        { "calls": [{ "name": "files.write", "arguments": { "path": "a", "text": "x" } }] },
        { "calls": [{ "name": "agents.run", "arguments": { "task": "write", "name": "one" } }] },
        { "text": "done" },
    ] });
    script["agents"] = json!({ "one": writes(&["a", "never", "a"]) });
    let place = Place::new();
    put(&place.rules(), "[[deny]]\ncall = \"files.write\"\npath = \"never\"\nagents = \"main\"\n");
    let mut there = Attended::playing(place, &script);
    let question = there.question().await;
    assert_eq!(question.path, ["main"]);
    there.say(&question, Scope::Session { rule: String::new() }).unwrap();
    let of_child = there.question().await;
    assert_eq!(
        (of_child.path.join("/").as_str(), &of_child.call.input["path"]),
        ("main/one", &json!("a"))
    );
    let rule = "[[allow]]\ncall = \"files.write\"\npath = \"a\"\nagents = \"main/*\"\n".to_owned();
    there.say(&of_child, Scope::Session { rule }).unwrap();
    assert_eq!(there.decider().await, Decider::Person);
    let Decider::Rule { rule } = there.decider().await else { panic!("denied by the rule") };
    assert_eq!(rule.says, "files.write never");
    let Decider::Rule { rule } = there.decider().await else { panic!("allowed by the grant") };
    assert_eq!(rule.grant, Some(of_child.id));
    there.host.shutdown().await;
}

/// Whether rules are asked about, and were a second ago, so that the letters were surely on the screen.
fn live(screen: &str) -> bool {
    let first = screen.contains("waits 0:00") || screen.contains("waits 0:01");
    screen.contains("y yes, trust") && !first
}

#[test]
fn a_person_at_the_screen_is_asked_once_about_the_rules_of_a_project() {
    let place = Place::new();
    put(&place.project_rules(), ALLOW_DOCS);
    let live = |screen: &str| live(screen) && screen.contains("docs/**");
    let mut put_off = App::start(&place, (24, 80), &[]);
    put_off.wait_until("the question", live);
    put_off.press("\u{1b}");
    put_off.wait_for("1 not now");
    put_off.press("\u{11}");
    assert!(put_off.ended().success(), "what was put off keeps nobody");
    assert_eq!(place.write("docs/a.md").code(), 3);

    let mut app = App::start(&place, (40, 120), &[]);
    app.wait_until("the question again", live);
    app.press("y");
    app.wait_for("its rules count now");
    assert_eq!(place.write("docs/a.md").code(), 0);

    // Edited while it is open, twice: it is asked about as it is now.
    for edit in ["# once", "# twice"] {
        put(&place.project_rules(), &format!("{ALLOW_DOCS}{edit}\n"));
        app.wait_until("the edited rules", |screen| screen.contains(edit));
    }
    app.wait_until("one question", |screen| live(screen) && !screen.contains("# once"));
    // Gone meanwhile, with its folder: a yes is kept nowhere, and what comes in its place is asked about.
    fs::remove_dir_all(place.project_rules().parent().unwrap()).unwrap();
    app.press("y");
    app.wait_for("those rules are gone");
    put(&place.project_rules(), &format!("{ALLOW_DOCS}# back\n"));
    app.wait_until("the rules that are back", |screen| live(screen) && screen.contains("# back"));
    app.press("n");
    app.wait_for("What it denies still counts");
    app.press("\u{11}");
    app.ended();

    put(&place.project_rules(), &format!("{ALLOW_DOCS}# changed\n"));
    let mut changed = App::start(&place, (24, 80), &[]);
    changed.wait_until("the changed rules", |screen| live(screen) && screen.contains("# changed"));
    changed.press("n");
    changed.wait_for("nothing waits");
    assert_eq!(place.write("docs/b.md").code(), 3);
    changed.press("\u{11}");
    changed.ended();
    let mut never = App::start(&place, (24, 80), &[]);
    let screen = never.wait_for("nothing waits");
    assert!(!screen.contains("TRUST"), "{screen}");
    never.press("\u{11}");
    never.ended();
}

/// Denies that write of a person who lets all else through.
const DENY_KEY: &str = "[[deny]]\ncall = \"files.write\"\npath = \"key\"\n";

#[test]
fn rules_that_come_while_the_screen_is_open_are_asked_about_and_their_denies_count_at_once() {
    let place = Place::new();
    let write =
        |path: &str| json!({ "name": "files.write", "arguments": { "path": path, "text": "x" } });
    let script = json!({ "turns": [{ "text": "Ready." }, { "calls": [write("key")] }, { "text": "Done." }] });
    let profile = place.home().join("config/agents/writer.toml");
    put(&profile, "tools = [\"files.write\"]\n");
    let model = place.script(&script);
    let arguments = ["--profile", "writer", "--model", &model, "--mode", "auto", "Are you ready?"];
    let mut app = App::start(&place, (40, 120), &arguments);
    app.wait_for("Ready.");
    assert!(!place.project_rules().exists());
    put(&place.project_rules(), &format!("{ALLOW_DOCS}{DENY_KEY}"));
    app.wait_until("the question", |screen| live(screen) && screen.contains("docs/**"));
    app.press("\u{1b}");
    app.wait_for("1 not now");
    app.press("Now write.");
    app.rests("Now write.");
    app.press("\r");
    app.wait_for("Done.");
    assert!(!place.work().join("key").exists());
    let journal = place.journal();
    let finished = of_type(&journal, "call_finished");
    assert_eq!(finished[0]["result"]["content"]["error"], "denied_by_rule", "{finished:?}");
}

#[test]
fn rules_that_come_while_nobody_is_there_count_at_once_the_persons_and_those_of_the_project() {
    let place = Place::new();
    // Writes until it may not any more: first the one, then the other.
    let code = "import time, footplate\nfrom footplate import files\n\
                for name in ['one', 'two']:\n    \
                    denied = None\n    \
                    while not denied:\n        \
                        try:\n            files.write(name, str(time.monotonic_ns()))\n        \
                        except footplate.Blocked as error:\n            denied = error\n        \
                        time.sleep(0.02)\n    \
                    print(name, denied.payload['error'])\n";
    let model = place.script(&runs(code));
    let mut command = place.footplate();
    command.args(["exec", "--mode", "auto", "--model", &model, "write"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let until = |file: &str| {
        let begun = Instant::now();
        while !place.work().join(file).exists() {
            assert!(begun.elapsed() < PATIENCE, "{file} is written");
            thread::yield_now();
        }
    };
    let deny = |file: &str| format!("[[deny]]\ncall = \"files.write\"\npath = \"{file}\"\n");
    until("one");
    put(&place.project_rules(), &format!("{ALLOW_DOCS}{}", deny("one")));
    until("two");
    put(&place.rules(), &deny("**/two"));
    let ran = Ran(child.wait_with_output().unwrap());
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let journal = place.journal();
    let finished = of_type(&journal, "call_finished");
    let printed = finished.last().unwrap()["result"]["content"].to_string();
    for file in ["one", "two"] {
        assert!(printed.contains(&format!("{file} denied_by_rule")), "{printed}");
    }
    // What they would allow counts only once somebody trusts them, and that is told.
    assert!(ran.stderr().contains("footplate trust"), "{}", ran.stderr());
}

#[test]
fn the_rules_of_every_folder_that_is_worked_in_are_followed() {
    let place = Place::new();
    let script = json!({ "turns": [{ "text": "Ready." }, { "text": "Done." }] });
    let model = place.script(&script);
    assert_eq!(place.run(&["exec", "--model", &model, "one"]).code(), 0);
    let elsewhere = place.home().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let folder = elsewhere.display().to_string();
    let mut app = App::start(&place, (40, 120), &["-C", &folder]);
    // The session of the other folder, from the list.
    app.rests("▸ 1 in other");
    for (key, then) in
        [("\u{1b}OQ", "enter open or fold"), ("\r", "not open"), ("\u{1b}[B", "r resume")]
    {
        app.press(key);
        app.rests(then);
    }
    app.press("\r");
    app.wait_for("carries it on");
    app.press("go on");
    app.rests("go on");
    app.press("\r");
    app.wait_for("Done.");
    put(&place.project_rules(), &format!("{ALLOW_DOCS}{DENY_KEY}"));
    app.wait_until("the question", |screen| live(screen) && screen.contains("docs/**"));
    app.press("\u{11}");
    app.ended();
}
