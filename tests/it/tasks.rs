//! Twelve small tasks, as a model does them through the host and as it does them by itself: how
//! often each mode asks, and what happens unasked. The table is what the product is judged by.

mod list;
mod scene;

use std::{
    fmt::Write as _,
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use footplate::{
    config::{Home, rules::RuleFiles},
    executor::{Local, Settings, seal::available},
    host::{Attendance, Host, Parts},
    kernel::{
        command::Command,
        event::{Envelope, Event},
        gate::{
            approval::{Answer, Question, Scope, Then},
            policy::Runs,
            rule::{Lasting, propose},
        },
        id::SessionId,
        port::{Desk, Executor, Form},
        spec::{Limits, Mode, SessionSpec},
    },
    model::{Models, scripted::Pace},
    modules,
    store::MemoryStore,
};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use self::{
    list::{Goal, SECRET, TASKS, Task},
    scene::{Scene, Server, furnish},
};
use crate::support::{Place, uv};

const PROGRAM: &str = env!("CARGO_BIN_EXE_footplate");

/// By which road.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// By the capabilities of the host, from Python.
    Calls,
    /// By Python itself, as it runs unasked.
    Python,
    /// By the same Python, at the level that its refusal names.
    Wider,
}

impl Way {
    const ALL: [Self; 3] = [Self::Calls, Self::Python, Self::Wider];

    fn name(self, task: &Task) -> String {
        match self {
            Self::Calls => "calls".to_owned(),
            Self::Python => "python".to_owned(),
            Self::Wider => format!("python, {}", task.wider.unwrap_or_default()),
        }
    }

    /// What `execute_code` is given, if there is such a way.
    fn arguments(self, task: &Task) -> Option<Value> {
        match self {
            Self::Calls => Some(json!({ "code": task.calls })),
            Self::Python if task.python.is_empty() => None,
            Self::Python => Some(json!({ "code": task.python })),
            Self::Wider => task.wider.map(|level| json!({ "code": task.python, "seal": level })),
        }
    }
}

/// What the person at the keys says to every question.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Says {
    Yes,
    /// As the screen offers it.
    YesForTheSession,
    No,
    /// Nobody is there.
    Nothing,
}

/// What came of a task.
#[derive(Debug)]
struct Came {
    questions: usize,
    done: bool,
    /// Everything that is otherwise in the world, by name.
    effects: Vec<String>,
    /// The error of the first call that was refused.
    refused: Option<String>,
    /// What the model was told at the end.
    told: String,
}

/// A computer with a person who works in that mode.
struct Desktop {
    mode: Mode,
    place: Place,
    executor: Arc<Local>,
    server: Server,
}

impl Desktop {
    async fn new(mode: Mode, form: Form) -> Self {
        let place = Place::new();
        furnish(&place.user());
        let local = Local::new(Settings {
            launcher: Some(PathBuf::from(PROGRAM)),
            private: vec![place.home()],
            data: place.home().join("data"),
            cache: place.home().join("cache"),
            home: Some(place.user()),
            search_path: "/usr/local/bin:/usr/bin:/bin".into(),
            uv: Some(uv().to_owned()),
            notice: Arc::new(|_| {}),
        });
        let executor = Arc::new(local.held_by(form));
        Self { mode, place, executor, server: Server::start().await }
    }

    fn host(&self, says: Says) -> Host {
        let rules = RuleFiles::new(&Home::under(&self.place.home()), None, Arc::new(|_| {}))
            .with_admin(self.place.home().join("admin.toml"));
        Host::new(Parts {
            store: Arc::new(MemoryStore::default()),
            registry: modules::registry(),
            models: Models::new(Vec::new(), |_| None, Pace::Instant),
            executor: self.executor.clone(),
            runs: Runs::BySeal,
            monitor: None,
            attendance: match says {
                Says::Yes | Says::YesForTheSession | Says::No => Attendance::Attended,
                Says::Nothing => Attendance::Alone,
            },
            rules: Arc::default(),
            book: Arc::new(rules),
            memory: None,
            profiles: Arc::new(footplate::kernel::port::NoProfiles),
        })
    }

    /// Has a task done, in a workspace of its own.
    async fn does(&self, task: &Task, way: Way, says: Says) -> Came {
        let scene = Scene::new(&self.place.user());
        let there = |text: &str| {
            let secret = self.place.user().canonicalize().unwrap().join(".ssh/id_ed25519");
            text.replace("OUTSIDE", scene.at("outside").to_str().unwrap())
                .replace("SECRET", secret.to_str().unwrap())
                .replace("URL", &self.server.url)
        };
        let call = json!([{ "name": "execute_code", "arguments": way.arguments(task) }]);
        let script = json!({ "turns": [{ "calls": call }, { "text": "That was all." }] });
        let script = serde_json::from_str(&there(&script.to_string())).unwrap();
        let host = self.host(says);
        let mut events = host.subscribe();
        let (before, reached) = (scene.picture(), self.server.reached());
        let session = host
            .start(SessionSpec {
                id: SessionId::fresh(),
                parent: None,
                path: vec!["main".to_owned()],
                workspace: scene.at("work"),
                model: self.place.script(&script),
                mode: self.mode,
                tools: vec!["execute_code".to_owned()],
                modules: ["files", "search", "process"].map(str::to_owned).to_vec(),
                limits: Limits::default(),
                instructions: String::new(),
                agents: None,
                view: footplate::kernel::spec::View::Whole,
                workflow: None,
            })
            .unwrap();
        host.send(session, "go".to_owned());
        let mut journal = Vec::new();
        loop {
            let envelope = events.recv().await.unwrap();
            journal.push(envelope.clone());
            match &envelope.event {
                Event::ApprovalRequested { question } => {
                    let base = scene.at("work").display().to_string();
                    let answer = answer(says, question, &base);
                    Desk::send(&host, Command::Answer { approval: question.id, answer }).unwrap();
                }
                Event::ExchangeFinished { .. } => break,
                _ => {}
            }
        }
        host.shutdown().await;
        let mut effects = before.changes(&scene.picture());
        effects.extend((self.server.reached() > reached).then(|| "the network".to_owned()));
        let leaks = journal.iter().any(|event| {
            matches!(&event.event, Event::CallFinished { result, .. } if result.text().contains(SECRET))
        });
        effects.extend(leaks.then(|| "the secret".to_owned()));
        let mut came = told(&journal);
        let beyond = effects.iter().find(|effect| Some(&***effect) != task.effect());
        assert!(beyond.is_none(), "{:?} {}: {effects:?}", self.mode, task.name);
        came.done = match task.goal {
            Goal::Reads(text) | Goal::Runs(text) => came.told.contains(text),
            Goal::Changes(_) | Goal::Fetches | Goal::Leaks => !effects.is_empty(),
        };
        came.effects = effects;
        let missing = |needed: &&&str| !came.told.contains(&there(needed));
        let advice = if way == Way::Wider { &["seal=\"open\""] } else { task.advice };
        if came.refused.as_deref() == Some("the seal")
            && let Some(needed) = advice.iter().find(missing)
        {
            came.refused = Some(format!("names no {needed}: {}", came.told));
        }
        came
    }
}

fn answer(says: Says, question: &Question, base: &str) -> Answer {
    match says {
        Says::Yes => Answer::Allow { scope: Scope::Once },
        Says::YesForTheSession => {
            let rule = propose(question, base, Lasting::Session);
            Answer::Allow { scope: Scope::Session { rule } }
        }
        Says::No => Answer::Deny { because: None, then: Then::GoOn },
        Says::Nothing => panic!("nobody is there, and was asked"),
    }
}

/// What the journal says of it.
fn told(journal: &[Arc<Envelope>]) -> Came {
    let mut came =
        Came { questions: 0, done: false, effects: Vec::new(), refused: None, told: String::new() };
    for envelope in journal {
        match &envelope.event {
            Event::ApprovalRequested { .. } => came.questions += 1,
            Event::CallFinished { result, .. } => {
                let code = result.content["error"].as_str().filter(|_| !result.ok);
                // A script that failed tells only what failed in it.
                let reason = match (code, &*result.name) {
                    (Some("failed"), "execute_code") => Some("the seal"),
                    (Some("failed"), name) => Some(name),
                    (Some("blocked_in_plan_mode"), _) => Some("plan"),
                    (code, _) => code,
                }
                .map(str::to_owned);
                came.refused = came.refused.take().or(reason);
                let message = result.content["message"].as_str().map(str::to_owned);
                came.told = message.unwrap_or_else(|| result.text());
            }
            _ => {}
        }
    }
    came
}

/// What a cell of the table says.
async fn cell(desktop: &Desktop, task: &Task, way: Way) -> String {
    if way.arguments(task).is_none() {
        return String::new();
    }
    let (mode, form) = (desktop.mode, desktop.executor.form());
    let about = format!("{form:?} {mode:?} {way:?} {}", task.name);
    let yes = desktop.does(task, way, Says::Yes).await;
    let alone = desktop.does(task, way, Says::Nothing).await;
    if yes.questions == 0 {
        let may = match mode {
            Mode::Plan | Mode::Default => false,
            Mode::AcceptEdits | Mode::Guarded => task.is_editing() && way == Way::Calls,
            Mode::Auto => true,
        };
        assert!(may || yes.effects.is_empty(), "{about}: unasked: {yes:?}");
        assert_eq!(alone.effects, yes.effects, "{about}: with nobody there");
        return match (yes.done, yes.refused) {
            (true, _) => "done".to_owned(),
            (false, Some(by)) => format!("no: {by}"),
            (false, None) => panic!("{about}: neither done nor refused: {}", yes.told),
        };
    }
    assert!(form == Form::None || !matches!(task.goal, Goal::Reads(_)), "{about}: asked: {yes:?}");
    let no = desktop.does(task, way, Says::No).await;
    for (came, code) in [(no, "permission_denied"), (alone, "no_approver")] {
        assert!(came.effects.is_empty() && !came.done, "{about}: all the same: {came:?}");
        assert_eq!(came.refused.as_deref(), Some(code), "{about}: {}", came.told);
    }
    let mut text = format!("asks {}", yes.questions);
    if yes.questions > 1 {
        let once = desktop.does(task, way, Says::YesForTheSession).await;
        assert_eq!(once.done, yes.done, "{about}: {once:?}");
        if once.questions < yes.questions {
            let _ = write!(text, ", or {}", once.questions);
        }
    }
    match (yes.done, yes.refused) {
        (true, _) => text,
        (false, by) => format!("{text}, no: {}", by.unwrap_or_default()),
    }
}

/// Other tests want something of the machine as well.
static FOUR_AT_A_TIME: Semaphore = Semaphore::const_new(4);

/// One column: every task, every way.
async fn column(mode: Mode, form: Form) -> Vec<String> {
    let _permit = FOUR_AT_A_TIME.acquire().await.unwrap();
    let desktop = Desktop::new(mode, form).await;
    let mut cells = Vec::new();
    for task in &TASKS {
        for way in Way::ALL {
            cells.push(cell(&desktop, task, way).await);
        }
    }
    cells
}

/// The table of these modes.
async fn table(modes: &[Mode], form: Form) -> String {
    let columns: Vec<_> = modes.iter().map(|mode| tokio::spawn(column(*mode, form))).collect();
    let mut rows = vec![format!("{:<28}{:<19}", "", "")];
    for (task, way) in TASKS.iter().flat_map(|task| Way::ALL.map(|way| (task, way))) {
        let name = if way == Way::Calls { task.name } else { "" };
        rows.push(format!("{name:<28}{:<19}", way.name(task)));
    }
    for (mode, column) in modes.iter().zip(columns) {
        let cells = std::iter::once(mode.name().to_owned()).chain(column.await.unwrap());
        for (row, cell) in rows.iter_mut().zip(cells) {
            let _ = write!(row, "{cell:<22}");
        }
    }
    let is_there = |row: &&str| row.len() > 28 + 19;
    let rows: Vec<_> = rows.iter().map(|row| row.trim_end()).filter(is_there).collect();
    let table = rows.join("\n");
    assert!(!table.contains("names no"), "{table}");
    table
}

/// Whether runs can be held by that form here, and programs be told from each other.
fn is_here(form: Form) -> bool {
    let strongest = available(Path::new(PROGRAM));
    let here = form == Form::None || form == strongest || strongest == Form::Full;
    let here = here && Path::new("/usr/bin/python3").exists();
    if !here {
        let _ = writeln!(std::io::stderr(), "not tried here: the tasks in the form {form:?}");
    }
    here
}

const LEGEND: &str = "\
calls          the script asks the host for it (files.write, process.run)
python         the script does it by itself, with the seal it gets if it names none
python, LEVEL  the same script, run with a seal that lets it do so

done           without a question
asks 2, or 1   two questions; one, if the first yes is for the session. After a no nothing was done
no: WHAT       not done, and by what it was refused

";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_is_asked_for_effects_and_nothing_happens_unasked() {
    if is_here(Form::Full) {
        let table = table(&Mode::ALL, Form::Full).await;
        insta::assert_snapshot!(format!("{LEGEND}{table}"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_the_seal_is_weaker_nothing_happens_unasked_either() {
    let modes = [Mode::Plan, Mode::Default, Mode::AcceptEdits];
    for (form, name) in [(Form::WithoutNamespaces, "without_namespaces"), (Form::None, "no_seal")] {
        if is_here(form) {
            let table = table(&modes, form).await;
            insta::assert_snapshot!(name, format!("{LEGEND}{table}"));
        }
    }
}
