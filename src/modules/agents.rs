//! `agents`: other sessions that work for this one.
//!
//! All of it is a read, although an agent may do a lot: starting one changes nothing, and each effect
//! it wants comes to the gate by itself, where the rights of every session above it bind as well. So
//! an agent that only reads can be started in plan mode, and nothing is asked twice. Words to an agent
//! and its end stay within the sessions of one tree.

use std::{sync::Arc, time::Duration};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::git;
use crate::kernel::{
    capability::{Capability, Category},
    clock::{Budget, Hold},
    context::Context,
    error::CallError,
    gate::Permit,
    id::CallId,
    invoke::{interrupted, unless_cut_off},
    port::{ChildRequest, Coordinator, Crowded, Factory, Finished, Started, Until, Wait},
    registry::Module,
    schema,
    signal::{Extent, LONGEST_WORDS},
    spec::{Ground, View},
};

pub(super) const MODULE: Module = Module {
    name: "agents",
    summary: "Give tasks to other agents, wait for their answers, speak with them, stop them.",
    load: || vec![run(), start(), wait(), send(), cancel(), list()],
};

/// The longest name of an agent: it stands in a tree and in titles.
const NAME_CHARS: usize = 40;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Task {
    /// What the agent shall do and what it shall answer; it knows nothing else.
    task: String,
    /// A short name to show for it and to address it by; at most 40 characters.
    #[serde(default)]
    name: Option<String>,
    /// The profile of the agent, where there is one of that name.
    #[serde(default)]
    agent: Option<String>,
    /// "read-only": neither its calls nor its programs write the workspace, whatever the mode.
    #[serde(default)]
    view: View,
    /// "worktree": it works in a git worktree of its own, which begins as the last commit has it, so
    /// that nobody gets in its way. Made after a question; taken away at its end unless there is
    /// something in it that is in no branch, which is told with its answer.
    #[serde(default)]
    workspace: Ground,
    /// A folder of the workspace, which is there, that it works in; this session's own if left out.
    #[serde(default)]
    folder: Option<String>,
    /// The modules its Python may import; if left out, those of this session but agents.
    #[serde(default)]
    modules: Option<Vec<String>>,
}

fn run() -> Capability {
    Capability::define::<Task>(
        RUN,
        "Starts another agent with a task, waits until it is done, and gives \
         {session, name, text}: its session, its name and its last words. It can do no more than this \
         session, and what it wants to do is asked for by itself. Several run side by side from \
         threads. The time it takes does not count as running time.",
        Category::Read,
    )
    .status(|task| format!("agent {}", task.name.as_deref().unwrap_or("agent")))
    .handler(async |permit: Permit, cx: Context, task: Task| {
        let factory = factory(&cx)?;
        let coordinator = coordinator(&cx)?;
        let request = request(RUN, permit.call(), task, Crowded::Wait)?;
        let request = grounded(&cx, &*factory, request).await?;
        let _held = hold(&cx);
        let work = async {
            let name = begin(&cx, &*factory, request).await?.name;
            let wait = Wait {
                call: permit.call(),
                names: vec![name],
                until: Until::All,
                timeout: None,
            };
            coordinator.wait(wait).await
        };
        // Losing it loses no work: the agent goes on in a journal of its own.
        let waited = unless_cut_off(&cx, interrupted(true), work).await?;
        let Some(Finished { name, session, ending }) = waited.over.into_iter().next() else {
            return Err(CallError::failed("The agent was lost. Look at agents.list()."));
        };
        let text = ending.answer(&name)?;
        let mut value = json!({ "session": session, "name": name, "text": text });
        if let Some(said) = &ending.worktree {
            value["worktree"] = json!(said);
        }
        Ok(value.into())
    })
}

fn start() -> Capability {
    Capability::define::<Task>(
        START,
        "Starts another agent with a task and gives {session, name} at once. The agent goes on when \
         the script has ended. Its end is told to you by itself, once; to have its answer in a script, \
         use agents.wait.",
        Category::Read,
    )
    .status(|task| format!("start agent {}", task.name.as_deref().unwrap_or("agent")))
    .handler(async |permit: Permit, cx: Context, task: Task| {
        let request = request(START, permit.call(), task, Crowded::Refuse)?;
        let factory = factory(&cx)?;
        let request = grounded(&cx, &*factory, request).await?;
        let started = unless_cut_off(&cx, interrupted(true), begin(&cx, &*factory, request)).await?;
        Ok(json!({ "session": started.session, "name": started.name }).into())
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Waits {
    /// The agents, by name ("tests"; "tests/fuzz" for one that tests started) or session; if left
    /// out, all that this session started.
    #[serde(default)]
    names: Option<Vec<String>>,
    /// "all" of them, or "any": the first that is over.
    #[serde(default)]
    until: HowMany,
    /// How long to wait at most, in milliseconds of real time; without an end if left out.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum HowMany {
    #[default]
    All,
    Any,
}

fn wait() -> Capability {
    Capability::define::<Waits>(
        "agents.wait",
        "Waits until agents are over, and gives {over, going}: a list of {name, session, outcome, ok, \
         text, message, worktree} and the names of those still at work. outcome is done, stopped, failed or \
         limit; text is its last words, and message says what went wrong where it has no answer, and worktree what became of its own. \
         The \
         time it takes does not count as running time.",
        Category::Read,
    )
    .status(|waits| format!("wait for {}", waits.names.as_deref().unwrap_or_default().join(", ")))
    .handler(async |permit: Permit, cx: Context, waits: Waits| {
        if waits.names.as_ref().is_some_and(Vec::is_empty) {
            let fault = "it is empty; leave it out to wait for all";
            return Err(schema::invalid("agents.wait.names", fault));
        }
        let wait = Wait {
            call: permit.call(),
            names: waits.names.unwrap_or_default(),
            until: match waits.until {
                HowMany::All => Until::All,
                HowMany::Any => Until::Any,
            },
            timeout: waits.timeout_ms.map(Duration::from_millis),
        };
        let _held = hold(&cx);
        let waited = unless_cut_off(&cx, interrupted(true), coordinator(&cx)?.wait(wait)).await?;
        let over: Vec<_> = waited.over.iter().map(told).collect();
        Ok(json!({ "over": over, "going": waited.going }).into())
    })
}

fn told(over: &Finished) -> Value {
    let ending = &over.ending;
    let message = ending.answer(&over.name).err().map(|error| error.message);
    let outcome = json!(ending.outcome)["result"].take();
    json!({
        "name": over.name,
        "session": over.session,
        "outcome": outcome,
        "ok": message.is_none(),
        "text": ending.text,
        "message": message,
        "worktree": ending.worktree,
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Words {
    /// An agent below this one, by name or session, or "parent": the one that started this one.
    to: String,
    /// What to say; at most 16 KiB.
    text: String,
}

fn send() -> Capability {
    Capability::define::<Words>(
        "agents.send",
        "Says something to an agent below this one, or to \"parent\". Its model reads it at its next \
         request, marked as from an agent. Does not wait for an answer.",
        Category::Read,
    )
    .status(|words| format!("say something to {}", words.to))
    .handler(async |_, cx: Context, words: Words| {
        if words.text.trim().is_empty() || words.text.len() > LONGEST_WORDS {
            let fault = format!("expected 1 to {LONGEST_WORDS} bytes of text");
            return Err(schema::invalid("agents.send.text", &fault));
        }
        let session = coordinator(&cx)?.send(&words.to, words.text)?;
        Ok(json!({ "session": session }).into())
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Cancels {
    /// An agent below this one, by name or session.
    name: String,
    /// Whether the agents below it are stopped as well.
    #[serde(default = "yes")]
    subtree: bool,
}

fn yes() -> bool {
    true
}

fn cancel() -> Capability {
    Capability::define::<Cancels>(
        "agents.cancel",
        "Stops an agent for good, with all that it started or alone, waits until it has stopped, and \
         gives {stopped}: the names of those that were at work.",
        Category::Read,
    )
    .status(|cancels| format!("stop agent {}", cancels.name))
    .handler(async |_, cx: Context, cancels: Cancels| {
        let extent = if cancels.subtree { Extent::Subtree } else { Extent::One };
        let _held = hold(&cx);
        let coordinator = coordinator(&cx)?;
        let stopped = unless_cut_off(&cx, interrupted(true), coordinator.cancel(&cancels.name, extent)).await?;
        Ok(json!({ "stopped": stopped }).into())
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

fn list() -> Capability {
    Capability::define::<Nothing>(
        "agents.list",
        "Gives all agents below this one, a list of {name, session, state, turns, tokens, waits_for}. \
         state is working, waiting, done, stopped, failed or limit.",
        Category::Read,
    )
    .status(|_| "list agents".to_owned())
    .handler(async |_, cx: Context, _: Nothing| Ok(json!(coordinator(&cx)?.list()).into()))
}

const RUN: &str = "agents.run";
const START: &str = "agents.start";

fn factory(cx: &Context) -> Result<Arc<dyn Factory>, CallError> {
    cx.factory.clone().ok_or_else(|| {
        CallError::failed("Agents cannot be started here. Do the task in this session.")
    })
}

fn coordinator(cx: &Context) -> Result<Arc<dyn Coordinator>, CallError> {
    let nobody = || CallError::failed("There are no other agents here.");
    cx.coordinator.clone().ok_or_else(nobody)
}

/// The work of others is not the script's running time: they have limits of their own, and a script
/// that waits for them would be ended long before they are done.
fn hold(cx: &Context) -> Vec<Hold> {
    cx.clocks.iter().map(Budget::hold).collect()
}

fn request(
    capability: &'static str,
    call: CallId,
    task: Task,
    crowded: Crowded,
) -> Result<ChildRequest, CallError> {
    if task.task.trim().is_empty() {
        let fault = "it is empty; say what to do";
        return Err(schema::invalid(&format!("{capability}.task"), fault));
    }
    Ok(ChildRequest {
        call,
        capability,
        agent: agent_name(capability, task.name.or_else(|| task.agent.clone()))?,
        task: task.task,
        profile: task.agent,
        view: task.view,
        folder: task.folder,
        modules: task.modules,
        ground: task.workspace,
        tree: None,
        workflow: None,
        crowded,
    })
}

/// The request with the worktree that it wants, once that is made.
async fn grounded(
    cx: &Context,
    factory: &dyn Factory,
    request: ChildRequest,
) -> Result<ChildRequest, CallError> {
    let Some(folder) = factory.ground(&request)? else { return Ok(request) };
    let tree = unless_cut_off(cx, interrupted(true), git::make(cx, folder, &request.agent)).await?;
    Ok(ChildRequest { tree: Some(tree), ..request })
}

/// Starts the agent; a worktree of one that did not start is taken away again.
async fn begin(
    cx: &Context,
    factory: &dyn Factory,
    request: ChildRequest,
) -> Result<Started, CallError> {
    let tree = request.tree.clone();
    let started = factory.start_child(request).await;
    if let (Err(_), Some(tree)) = (&started, &tree) {
        git::discard(cx, tree).await;
    }
    started
}

fn agent_name(capability: &str, name: Option<String>) -> Result<String, CallError> {
    let Some(name) = name else { return Ok("agent".to_owned()) };
    let plain = |c: char| !c.is_control() && c != '›';
    if name.trim().is_empty() || name.chars().count() > NAME_CHARS || !name.chars().all(plain) {
        let fault = "expected a name of 1 to 40 characters without control characters";
        return Err(schema::invalid(&format!("{capability}.name"), fault));
    }
    Ok(name)
}
