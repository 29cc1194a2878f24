//! `agents`: other sessions that work for this one.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::kernel::{
    capability::{Capability, Category, Content},
    clock::Budget,
    context::Context,
    error::CallError,
    gate::Permit,
    invoke::interrupted,
    port::ChildRequest,
    registry::Module,
    schema,
};

pub(super) const MODULE: Module = Module {
    name: "agents",
    summary: "Give a task to another agent and wait for its answer.",
    load: || vec![run()],
};

/// The longest name of an agent: it stands in a tree and in titles.
const NAME_CHARS: usize = 40;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Run {
    /// What the agent shall do and what it shall answer; it knows nothing else.
    task: String,
    /// A short name to show for it; at most 40 characters.
    #[serde(default)]
    name: Option<String>,
    /// A folder of the workspace that it works in; this session's own if left out.
    #[serde(default)]
    folder: Option<String>,
    /// The modules its Python may import; if left out, those of this session but agents.
    #[serde(default)]
    modules: Option<Vec<String>>,
}

/// A read, although the agent may do a lot: starting it changes nothing, and each effect it wants
/// comes to the gate by itself, where the rights of every session above it bind as well. So an agent
/// that only reads can be started in plan mode, and nothing is asked twice.
fn run() -> Capability {
    Capability::define::<Run>(
        "agents.run",
        "Starts another agent with a task, waits until it is done, and gives \
         {session, text}: its session and its last words. It can do no more than this session, \
         and what it wants to do is asked for by itself. Several run side by side from threads. \
         The time it takes does not count as running time.",
        Category::Read,
    )
    .status(|run| format!("agent {}", run.name.as_deref().unwrap_or("agent")))
    .handler(start)
}

async fn start(permit: Permit, cx: Context, run: Run) -> Result<Content, CallError> {
    let Some(factory) = &cx.factory else {
        return Err(CallError::failed(
            "Agents cannot be started here. Do the task in this session.",
        ));
    };
    if run.task.trim().is_empty() {
        return Err(schema::invalid("agents.run.task", "it is empty; say what to do"));
    }
    let request = ChildRequest {
        call: permit.call(),
        agent: agent_name(run.name)?,
        task: run.task,
        folder: run.folder,
        modules: run.modules,
        clocks: cx.clocks.clone(),
    };
    // The agent's work is not the script's running time: it has limits of its own, and a script that
    // waits for it would be ended long before it is done.
    let _held: Vec<_> = cx.clocks.iter().map(Budget::hold).collect();
    let answer = tokio::select! {
        biased;
        () = cx.cancel.cancelled() => return Err(interrupted(true)),
        // Losing it loses no work: the child goes on in a journal of its own.
        answer = factory.run_child(request) => answer?,
    };
    Ok(json!({ "session": answer.session, "text": answer.text }).into())
}

fn agent_name(name: Option<String>) -> Result<String, CallError> {
    let Some(name) = name else { return Ok("agent".to_owned()) };
    let plain = |c: char| !c.is_control() && c != '›';
    if name.trim().is_empty() || name.chars().count() > NAME_CHARS || !name.chars().all(plain) {
        let fault = "expected a name of 1 to 40 characters without control characters";
        return Err(schema::invalid("agents.run.name", fault));
    }
    Ok(name)
}
