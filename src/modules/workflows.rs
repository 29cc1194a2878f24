//! `workflows`: Python that was saved to be run again, in `.footplate/workflows/NAME.py`.
//!
//! A run is a session of its own below the one that wants it. It is sealed like any code, and each
//! effect of it comes to the gate by itself. To run one is `execute` all the same, with its text shown:
//! it is called by a name, so whoever calls it has perhaps not read it, and in a project that came from
//! elsewhere nobody has. That is asked for where a profile or a rule of a project must be trusted
//! beforehand: those take effect unseen, a workflow only when somebody wants it, and then its text can
//! be put before the person. What was shown is what runs, whatever becomes of the file.
//!
//! A run that was cut off is carried on by another one ([`crate::kernel::workflow`]). The script begins
//! anew; what it had done has its result from the journal. So what a script does must follow from its
//! arguments and from what its calls gave it: the time, chance and what it reads past the modules may
//! be other the second time, and then it parts from its record, which is said.

mod saved;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub use self::saved::{Saved, Script, saved};
use self::saved::{check_name, path, text};
use super::{
    bounds::{Asked, facts, held},
    files::{make, written},
    run::{executor, limit, seconds},
};
use crate::kernel::{
    capability::{Body, Capability, Category, Content, Preview, Reach},
    clock::{Budget, Hold},
    context::Context,
    error::CallError,
    gate::{Permit, subject::Subject},
    id::CallId,
    invoke::{interrupted, unless_cut_off},
    port::{ChildRequest, Crowded, Factory, Finished, Level, Until, Wait},
    registry::Module,
    spec::{Ground, View},
    workflow::Workflow,
};

pub(super) const MODULE: Module = Module {
    name: "workflows",
    summary: "Python that was saved in .footplate/workflows to be run again, with arguments.",
    load: || vec![list(), show(), run(), resume(), save(), args()],
};

const RUN: &str = "workflows.run";
const RESUME: &str = "workflows.resume";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Named {
    /// Its name, such as "release": that of its file, without .py.
    name: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Runs {
    /// Its name, such as "release".
    name: String,
    /// What it is given; it reads that with workflows.args().
    #[serde(default)]
    args: Map<String, Value>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Resumes {
    /// The run: its session, or its name as agents.list has it.
    run: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Saves {
    /// Its name, such as "release": letters, digits, - and _, at most 32.
    name: String,
    /// The Python. Its first comment line or docstring is what a list shows of it.
    code: String,
}

fn list() -> Capability {
    Capability::define::<Nothing>(
        "workflows.list",
        "Gives the saved scripts: {workflows: [{name, about}], left_out}; left_out names what lies \
         there and is none.",
        Category::Read,
    )
    .status(|_| "list workflows".to_owned())
    .handler(async |_, cx: Context, _: Nothing| {
        let root = cx.env.root().to_owned();
        // A folder is read to its end in one go, so there is nothing to cancel.
        let found = tokio::task::spawn_blocking(move || saved(&root)).await;
        let found = found.map_err(|error| CallError::failed(error.to_string()))?;
        Ok(json!(found).into())
    })
}

fn show() -> Capability {
    Capability::define::<Named>(
        "workflows.show",
        "Gives the text of a saved script.",
        Category::Read,
    )
    .status(|named| format!("show workflow {}", named.name))
    .subject(|cx, named| super::files::read_subject(cx, &path(&named.name)))
    .handler(async |_, cx: Context, named: Named| {
        Ok(text(&cx, "workflows.show", &named.name).await?.into())
    })
}

fn save() -> Capability {
    Capability::define::<Saves>(
        "workflows.save",
        "Saves a script under a name, new or over the old one. It asks as what runs programs does, \
         since it is run later.",
        Category::Execute,
    )
    .status(|saves| format!("save workflow {}", saves.name))
    .subject(|cx, saves| super::files::subject(cx, &path(&saves.name)))
    .preview(|cx, saves| async move {
        check_name("workflows.save", &saves.name)?;
        executor(&cx)?.check(&saves.code, &cx.mounts)?;
        Ok(written(&cx, path(&saves.name), saves.code).await?.shown.preview)
    })
    .handler(|permit, cx, saves| async move {
        let change = written(&cx, path(&saves.name), saves.code).await;
        make(permit, &cx, change).await
    })
}

fn args() -> Capability {
    Capability::define::<Nothing>(
        "workflows.args",
        "Gives what this run of a saved script was given, a dict; empty in any other script.",
        Category::Read,
    )
    .status(|_| "read its arguments".to_owned())
    .handler(async |_, cx: Context, _: Nothing| {
        let args = cx.spec.workflow.as_ref().map(|workflow| workflow.args.clone());
        Ok(Value::Object(args.unwrap_or_default()).into())
    })
}

fn run() -> Capability {
    Capability::define::<Runs>(
        RUN,
        "Runs a saved script as a session of its own, waits until it is over, and gives {session, \
         name, text}: its session, its name as an agent, and what it printed. It is sealed, and asks \
         for each effect by itself. One that was cut off can be carried on with workflows.resume.",
        Category::Execute,
    )
    .status(|runs| format!("run workflow {}", runs.name))
    .preview(|cx, runs| async move { shown(&cx, &runs.workflow(&cx).await?) })
    .handler(|permit, cx, runs| async move {
        let workflow = runs.workflow(&cx).await?;
        go(permit, cx, RUN, workflow).await
    })
}

fn resume() -> Capability {
    Capability::define::<Resumes>(
        RESUME,
        "Carries on a run of a saved script that was cut off or failed: the script that it began \
         with is run again from its start, in a session of its own, with the same arguments, and gives \
         what workflows.run gives. Calls that have their result in the journal of that run have it from \
         there, and nothing is done for them; one that was begun and has none is asked for.",
        Category::Execute,
    )
    .status(|resumes| format!("carry on workflow {}", resumes.run))
    .preview(|cx, resumes| async move { shown(&cx, &earlier(&cx, resumes.run).await?) })
    .handler(|permit, cx, resumes| async move {
        let workflow = earlier(&cx, resumes.run).await?;
        go(permit, cx, RESUME, workflow).await
    })
}

impl Runs {
    async fn workflow(&self, cx: &Context) -> Result<Workflow, CallError> {
        let code = text(cx, RUN, &self.name).await?;
        Ok(Workflow { name: self.name.clone(), code, args: self.args.clone(), resumes: None })
    }
}

async fn earlier(cx: &Context, run: String) -> Result<Workflow, CallError> {
    let factory = factory(cx)?;
    // A journal is read to its end in one go, so there is nothing to cancel.
    let found = tokio::task::spawn_blocking(move || factory.earlier(&run)).await;
    found.map_err(|error| CallError::failed(error.to_string()))?
}

fn shown(cx: &Context, workflow: &Workflow) -> Result<Preview, CallError> {
    factory(cx)?;
    let executor = executor(cx)?.as_ref();
    executor.check(&workflow.code, &cx.mounts)?;
    let lines = workflow.code.lines().count();
    let mut all = vec![format!("{lines} {}", if lines == 1 { "line" } else { "lines" })];
    if !workflow.args.is_empty() {
        all.push(format!("given {}", Value::Object(workflow.args.clone())));
    }
    all.push(format!("at most {}", seconds(limit(cx, Some(cx.spec.limits.execution_ms)))));
    all.extend(facts(executor, Level::Sealed, false));
    all.extend(workflow.resumes.map(|run| format!("carries on the run {run}")));
    Ok(Preview {
        object: path(&workflow.name),
        facts: all,
        wider: Asked::default().wider(executor, Level::Sealed, Level::Sealed),
        reach: Reach::Outside,
        body: Body::Code { filename: workflow.filename(), code: workflow.code.clone() },
        subject: Subject::Code { seal: held(executor, Level::Sealed) },
    })
}

/// Runs it, if it still is what was shown.
async fn go(
    permit: Permit,
    cx: Context,
    capability: &'static str,
    workflow: Workflow,
) -> Result<Content, CallError> {
    let seen = permit.preview().map(|preview| (&preview.body, &preview.facts));
    let now = shown(&cx, &workflow)?;
    if seen != Some((&now.body, &now.facts)) {
        let message = "Not run: it is no longer what you saw. Look at it, and run it again.";
        return Err(CallError::failed(message));
    }
    let coordinator = cx.coordinator.clone().ok_or_else(nowhere)?;
    let request = request(permit.call(), capability, workflow);
    let factory = factory(&cx)?;
    // Its script has a clock of its own.
    let _held: Vec<Hold> = cx.clocks.iter().map(Budget::hold).collect();
    let work = async {
        let name = factory.start_child(request).await?.name;
        let wait =
            Wait { call: permit.call(), names: vec![name], until: Until::All, timeout: None };
        coordinator.wait(wait).await
    };
    // The run goes on in a journal of its own.
    let waited = unless_cut_off(&cx, interrupted(true), work).await?;
    let Some(Finished { name, session, ending }) = waited.over.into_iter().next() else {
        return Err(CallError::failed("The run was lost. Look at agents.list()."));
    };
    match ending.answer(&name) {
        Ok(text) => Ok(json!({ "session": session, "name": name, "text": text }).into()),
        Err(mut error) => {
            error.message.push_str(&format!(
                "\n[To carry it on where it was: workflows.resume(\"{session}\").]"
            ));
            Err(error.with("session", json!(session)))
        }
    }
}

fn request(call: CallId, capability: &'static str, workflow: Workflow) -> ChildRequest {
    let mut task = format!("Run the workflow {}", workflow.name);
    if let Some(run) = workflow.resumes {
        task.push_str(&format!(", which carries on the run {run}"));
    }
    if !workflow.args.is_empty() {
        task.push_str(&format!(", with {}", Value::Object(workflow.args.clone())));
    }
    ChildRequest {
        call,
        capability,
        agent: workflow.name.clone(),
        task: task + ".",
        profile: None,
        folder: None,
        ground: Ground::Shared,
        tree: None,
        view: View::Whole,
        modules: None,
        workflow: Some(workflow),
        crowded: Crowded::Wait,
    }
}

fn factory(cx: &Context) -> Result<Arc<dyn Factory>, CallError> {
    cx.factory.clone().ok_or_else(nowhere)
}

fn nowhere() -> CallError {
    CallError::failed("Workflows cannot be run here. Do what it says in this session.")
}
