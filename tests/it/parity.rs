//! One road: the same call made by the model, from inside its Python, and by an agent at any depth is
//! the same, whatever the mode, the rules, and what the person says.

use std::{fs, sync::Arc};

use footplate::{
    kernel::{
        capability::{Capability, Category},
        command::Command,
        event::{Envelope, Event, Origin},
        gate::approval::{Answer, Scope, Then},
        port::Desk,
        registry::Module,
        spec::{Mode, SessionSpec},
    },
    modules,
    store::MemoryStore,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    rig,
    support::{Place, runs, seals},
};

/// Some of each category.
const CALLS: [(&str, &str); 11] = [
    ("files.read", r#"{"path":"in.txt"}"#),
    ("files.read", r#"{"path":"key"}"#),
    ("files.write", r#"{"path":"out.txt","text":"hi"}"#),
    ("files.write", r#"{"path":"docs/a","text":"hi"}"#),
    ("files.write", r#"{"path":"docs/never","text":"hi"}"#),
    ("files.write", r#"{"path":"asked/b","text":"hi"}"#),
    ("process.run", r#"{"argv":["true"]}"#),
    ("process.run", r#"{"argv":["false"]}"#),
    ("probe.send", r#"{"word":"hi"}"#),
    ("probe.send", r#"{"word":"often"}"#),
    ("probe.send", r#"{"word":"never"}"#),
];

/// What decides some of them otherwise than the mode does, by file.
const RULES: [(&str, &str); 3] = [
    (
        "home/admin.toml",
        r#"
[[ask]]
call = "files.write"
path = "asked/**"
[[deny]]
call = "probe.*"
input = '{"word":"never"}'
"#,
    ),
    (
        "home/config/rules.toml",
        r#"
[[deny]]
call = "files.*"
path = "key"
[[allow]]
call = "files.write"
path = "docs/**"
[[allow]]
call = "files.write"
path = "asked/**"
[[allow]]
call = "process.run"
args = ["true"]
seal = "open"
[[allow]]
call = "probe.send"
input = '{"word":"often"}'
"#,
    ),
    (
        "work/.footplate/rules.toml",
        r#"
[[deny]]
call = "files.write"
path = "docs/never"
[[deny]]
call = "process.run"
args = ["false", "**"]
"#,
    ),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Ruled {
    Yes,
    No,
}

/// By which way the calls come.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Model,
    Python,
    Child,
    Grandchild,
}

impl Way {
    /// A model that makes the calls by that way.
    fn script(self) -> Value {
        let direct = || {
            let call = |(name, input): &(&str, &str)| {
                let arguments: Value = serde_json::from_str(input).unwrap();
                json!({ "name": name, "arguments": arguments })
            };
            let calls: Vec<_> = CALLS.iter().map(call).collect();
            json!({ "turns": [{ "calls": calls }, { "text": "done" }] })
        };
        let starts = |agent: &str| {
            let arguments = json!({ "task": "go on", "name": agent });
            let call = json!({ "name": "agents.run", "arguments": arguments });
            json!({ "turns": [{ "calls": [call] }, { "text": "done" }] })
        };
        let mut script = match self {
            Self::Model => direct(),
            Self::Python => runs(&python()),
            Self::Child | Self::Grandchild => starts("one"),
        };
        match self {
            Self::Model | Self::Python => {}
            Self::Child => script["agents"] = json!({ "one": direct() }),
            Self::Grandchild => {
                script["agents"] = json!({ "one": starts("two"), "two": direct() });
            }
        }
        script
    }
}

fn python() -> String {
    let mut code =
        String::from("import json, footplate\nfrom footplate import files, process, probe\n");
    for (name, input) in CALLS {
        code.push_str(&format!(
            "try:\n    {name}(**json.loads('''{input}'''))\n\
             except footplate.Error as error:\n    print(error)\n"
        ));
    }
    code
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Word {
    word: String,
}

/// Nothing of ours leaves the machine yet, so a capability of the test's own says it does.
fn probe() -> Vec<Capability> {
    let send = Capability::define::<Word>("probe.send", "Sends a word.", Category::External)
        .handler(|_, _, parameters| async move { Ok(parameters.word.into()) });
    vec![send]
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Says {
    Yes,
    No,
}

/// Plays it with a person who lets Python run and says the same to everything else.
async fn play(place: &Place, way: Way, mode: Mode, says: Says) -> Vec<Arc<Envelope>> {
    for name in ["in.txt", "key"] {
        fs::write(place.work().join(name), "text").unwrap();
    }
    let mut registry = modules::registry();
    let module = Module { name: "probe", summary: "", load: probe };
    registry.register_module(module).unwrap();
    // Code that is not sealed does not run in plan mode.
    let launcher = (mode == Mode::Plan).then(|| env!("CARGO_BIN_EXE_footplate").into());
    let host = rig::host_of(place, registry, Arc::new(MemoryStore::default()), launcher);
    let mut events = host.subscribe();
    let mut tools = vec!["execute_code", "agents.run"];
    tools.extend(CALLS.iter().map(|(name, _)| *name));
    tools.dedup();
    let spec = rig::spec(place, &way.script(), mode, &tools);
    let modules = ["files", "process", "probe", "agents"].map(str::to_owned).to_vec();
    let session = host.start(SessionSpec { modules, ..spec }).unwrap();
    host.send(session, "go".to_owned());
    let mut journal = Vec::new();
    loop {
        let envelope = events.recv().await.unwrap();
        journal.push(envelope.clone());
        match &envelope.event {
            Event::ApprovalRequested { question } => {
                let yes = says == Says::Yes || !is_meant(&question.call.name);
                let answer = if yes {
                    Answer::Allow { scope: Scope::Once }
                } else {
                    Answer::Deny { because: Some("not now".to_owned()), then: Then::GoOn }
                };
                let approval = question.id;
                Desk::send(&host, Command::Answer { approval, answer }).unwrap();
            }
            Event::ExchangeFinished { .. } if envelope.session == session => break,
            _ => {}
        }
    }
    host.shutdown().await;
    journal
}

/// Whether it is one of the calls, and not the way they come by.
fn is_meant(name: &str) -> bool {
    CALLS.iter().any(|(call, _)| *call == name)
}

/// What happened to the calls, without what may differ: ids, times, the clock that only a script has,
/// and who called.
fn story(journal: &[Arc<Envelope>]) -> Vec<Value> {
    let mut ours = Vec::new();
    let mut story = Vec::new();
    for envelope in journal {
        let about = match &envelope.event {
            Event::CallStarted { call, .. } => is_meant(&call.name),
            Event::CallFinished { result, .. } => is_meant(&result.name),
            Event::ApprovalRequested { question } => {
                let counts = is_meant(&question.call.name);
                if counts {
                    ours.push(question.id);
                }
                counts
            }
            Event::ApprovalAnswered { approval, .. } => ours.contains(approval),
            _ => false,
        };
        if about {
            story.push(without_names(serde_json::to_value(&envelope.event).unwrap()));
        }
    }
    story
}

fn without_names(mut value: Value) -> Value {
    const APART: [&str; 11] = [
        "id",
        "call",
        "parent",
        "script",
        "origin",
        "session",
        "approval",
        "duration_ms",
        "waited_ms",
        "excluded_ms",
        "limit_ms",
    ];
    match &mut value {
        Value::Object(fields) => {
            fields.retain(|name, value| !APART.contains(&name.as_str()) || value.is_object());
            fields.remove("origin");
            // That of an agent, not that of a file.
            fields.retain(|name, value| name != "path" || !value.is_array());
            for (_, inner) in fields.iter_mut() {
                *inner = without_names(inner.take());
            }
        }
        Value::Array(items) => {
            for inner in items {
                *inner = without_names(inner.take());
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    value
}

/// That story as text, the same wherever its files are.
async fn told(way: Way, mode: Mode, says: Says, ruled: Ruled) -> (String, Vec<Arc<Envelope>>) {
    let place = Place::new();
    for (file, text) in RULES.iter().filter(|_| ruled == Ruled::Yes) {
        let file = place.home().parent().unwrap().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let journal = play(&place, way, mode, says).await;
    let text = serde_json::to_string_pretty(&story(&journal)).unwrap();
    let real = |path: std::path::PathBuf| path.canonicalize().unwrap().display().to_string();
    let text = text.replace(&real(place.work()), "WORKSPACE").replace(&real(place.home()), "HOME");
    (text.replace(&place.home().display().to_string(), "HOME"), journal)
}

#[tokio::test]
async fn a_call_leaves_the_same_events_whichever_way_it_comes() {
    use {Mode::*, Ruled as R, Says::*};
    let cases = [
        (Default, Yes, R::No),
        (Plan, Yes, R::Yes),
        (Default, Yes, R::Yes),
        (Default, No, R::Yes),
        (AcceptEdits, No, R::Yes),
        (Guarded, Yes, R::Yes),
        (Auto, No, R::Yes),
    ];
    for (mode, says, ruled) in cases {
        let (direct, _) = told(Way::Model, mode, says, ruled).await;
        assert_eq!(direct.matches("\"call_finished\"").count(), CALLS.len(), "{direct}");
        assert_eq!(direct.contains("denied_by_rule"), ruled == Ruled::Yes, "{mode:?}");
        for way in [Way::Python, Way::Child, Way::Grandchild] {
            if way == Way::Python && mode == Plan && !seals() {
                continue;
            }
            let (other, journal) = told(way, mode, says, ruled).await;
            pretty_assertions::assert_eq!(direct, other, "{way:?}: {mode:?}, {says:?}, {ruled:?}");
            let by_line = journal.iter().filter(|envelope| {
                matches!(
                    envelope.event,
                    Event::CallFinished { origin: Origin::Python { line: Some(_) }, .. }
                )
            });
            let lines = if way == Way::Python { CALLS.len() } else { 0 };
            assert_eq!(by_line.count(), lines, "every call from Python knows its line");
        }
    }
}

/// What each call comes to, so that the ways are not the same by all being wrong.
#[tokio::test]
async fn rules_of_all_layers_decide_for_an_agent_below_an_agent() {
    let mut verdicts = Vec::new();
    let (_, journal) = told(Way::Grandchild, Mode::Default, Says::No, Ruled::Yes).await;
    for envelope in &journal {
        if let Event::CallFinished { result, .. } = &envelope.event
            && is_meant(&result.name)
        {
            let verdict = result.content["error"].as_str().filter(|_| !result.ok);
            verdicts.push(verdict.unwrap_or("ran").to_owned());
        }
    }
    let (ran, rule, person) = ("ran", "denied_by_rule", "permission_denied");
    let expected = [ran, rule, person, ran, rule, person, ran, rule, person, ran, rule];
    assert_eq!(verdicts, expected);
}
