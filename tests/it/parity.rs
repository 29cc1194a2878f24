//! One road: a call made directly by the model and the same call made from inside its Python are
//! the same, whatever the mode and whatever the person says.

use std::sync::Arc;

use footplate::{
    config::{Home, rules::RuleFiles},
    executor::{Local, Settings},
    host::{Attendance, Host, Parts},
    kernel::{
        capability::{Capability, Category},
        command::Command,
        event::{Envelope, Event, Origin},
        gate::approval::{Answer, Scope, Then},
        id::SessionId,
        port::Desk,
        registry::Module,
        spec::{Limits, Mode, SessionSpec},
    },
    model::{Models, scripted::Pace},
    modules,
    store::MemoryStore,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{Place, runs, uv};

/// One call a category.
const CALLS: [(&str, &str); 4] = [
    ("files.read", r#"{"path":"in.txt"}"#),
    ("files.write", r#"{"path":"out.txt","text":"hi"}"#),
    ("process.run", r#"{"argv":["true"]}"#),
    ("probe.send", r#"{"word":"hi"}"#),
];

/// What decides each of them otherwise than the mode does.
const RULES: &str = r#"
[[deny]]
call = "files.read"
path = "in.txt"
[[ask]]
call = "files.write"
path = "**"
[[allow]]
call = "process.run"
args = ["true"]
seal = "open"
[[deny]]
call = "probe.*"
input = '{"word":"hi"}'
"#;

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

/// Plays a script with a person who lets Python run and says the same to everything else.
async fn play(place: &Place, script: &Value, mode: Mode, says: Says) -> Vec<Arc<Envelope>> {
    std::fs::write(place.work().join("in.txt"), "text").unwrap();
    let mut registry = modules::registry();
    let module = Module { name: "probe", summary: "", load: probe };
    registry.register_module(module).unwrap();
    let executor = Local::new(Settings {
        launcher: None,
        private: Vec::new(),
        data: place.home().join("data"),
        cache: place.home().join("cache"),
        home: None,
        search_path: std::env::var_os("PATH").unwrap_or_default(),
        uv: Some(uv().to_owned()),
        notice: Arc::new(|_| {}),
    });
    let rules = RuleFiles::new(&Home::under(&place.home()), None, Arc::new(|_| {}))
        .with_admin(place.home().join("admin.toml"));
    let host = Host::new(Parts {
        store: Arc::new(MemoryStore::default()),
        registry,
        models: Models::new(Vec::new(), |_| None, Pace::Instant),
        executor: Arc::new(executor),
        runs: footplate::kernel::gate::policy::Runs::BySeal,
        attendance: Attendance::Attended,
        monitor: None,
        rules: Arc::default(),
        book: Arc::new(rules),
    });
    let mut events = host.subscribe();
    let mut tools = vec!["execute_code".to_owned()];
    tools.extend(CALLS.iter().map(|(name, _)| (*name).to_owned()));
    let session = host
        .start(SessionSpec {
            id: SessionId::fresh(),
            parent: None,
            path: vec!["main".to_owned()],
            workspace: place.work(),
            model: place.script(script),
            mode,
            tools,
            modules: ["files", "process", "probe"].map(str::to_owned).to_vec(),
            limits: Limits::default(),
            instructions: String::new(),
        })
        .unwrap();
    host.send(session, "go".to_owned());
    let mut journal = Vec::new();
    loop {
        let envelope = events.recv().await.unwrap();
        journal.push(envelope.clone());
        match &envelope.event {
            Event::ApprovalRequested { question } => {
                let yes = says == Says::Yes || question.call.name == "execute_code";
                let answer = if yes {
                    Answer::Allow { scope: Scope::Once }
                } else {
                    Answer::Deny { because: Some("not now".to_owned()), then: Then::GoOn }
                };
                let approval = question.id;
                Desk::send(&host, Command::Answer { approval, answer }).unwrap();
            }
            Event::ExchangeFinished { .. } => break,
            _ => {}
        }
    }
    host.shutdown().await;
    journal
}

/// What happened to the calls but `execute_code` itself, without what may differ: ids, times, the
/// clock that only a script has, and who called.
fn story(journal: &[Arc<Envelope>]) -> Vec<Value> {
    let mut ours = Vec::new();
    let mut story = Vec::new();
    for envelope in journal {
        let about = match &envelope.event {
            Event::CallStarted { call, .. } => call.name != "execute_code",
            Event::CallFinished { result, .. } => result.name != "execute_code",
            Event::ApprovalRequested { question } => {
                let counts = question.call.name != "execute_code";
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

#[tokio::test]
async fn a_call_from_python_and_a_direct_call_leave_the_same_events() {
    let calls: Vec<_> = CALLS
        .iter()
        .map(|(name, input)| {
            json!({ "name": name, "arguments": serde_json::from_str::<Value>(input).unwrap() })
        })
        .collect();
    let direct = json!({ "turns": [{ "calls": calls }, { "text": "done" }] });
    let mut code =
        String::from("import json, footplate\nfrom footplate import files, process, probe\n");
    for (name, input) in CALLS {
        code.push_str(&format!(
            "try:\n    {name}(**json.loads('''{input}'''))\n\
             except footplate.Error as error:\n    print(error)\n"
        ));
    }
    let modes = [Mode::Default, Mode::AcceptEdits, Mode::Guarded, Mode::Auto];
    let both = modes.into_iter().flat_map(|mode| [(mode, Says::Yes), (mode, Says::No)]);
    let unruled = both.map(|(mode, says)| (mode, says, ""));
    let ruled = [(Mode::Default, Says::No, RULES), (Mode::Auto, Says::Yes, RULES)];
    for (mode, says, rules) in unruled.chain(ruled) {
        let played = async |script: &Value| {
            let place = Place::new();
            let config = place.home().join("config");
            std::fs::create_dir_all(&config).unwrap();
            std::fs::write(config.join("rules.toml"), rules).unwrap();
            let journal = play(&place, script, mode, says).await;
            (journal, place.home().display().to_string())
        };
        let (by_model, its_home) = played(&direct).await;
        let (by_python, other_home) = played(&runs(&code)).await;
        // The paths of the workspace and of the rules are the only other differences.
        let story_of = |journal: &[Arc<Envelope>], home: &str| {
            let text = serde_json::to_string_pretty(&story(journal)).unwrap();
            let workspace = journal.iter().find_map(|envelope| match &envelope.event {
                Event::SessionStarted { spec } => Some(spec.workspace.display().to_string()),
                _ => None,
            });
            text.replace(&workspace.unwrap(), "WORKSPACE").replace(home, "HOME")
        };
        let direct = story_of(&by_model, &its_home);
        let python = story_of(&by_python, &other_home);
        pretty_assertions::assert_eq!(direct, python, "{mode:?}, {says:?}, {rules}");
        assert!(direct.contains("call_finished"));
        assert_eq!(direct.contains("denied_by_rule"), !rules.is_empty());
        let origins = by_python.iter().filter(|envelope| {
            matches!(
                envelope.event,
                Event::CallFinished { origin: Origin::Python { line: Some(_) }, .. }
            )
        });
        assert_eq!(origins.count(), 4, "every call knows its line");
    }
}
