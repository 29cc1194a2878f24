//! What an agent that another one starts may do: never more, mostly less.

use std::path::{Component, Path};

use crate::kernel::{
    error::{CallError, ErrorCode},
    id::SessionId,
    port::ChildRequest,
    profile::Profile,
    schema,
    spec::{Ground, Limits, Mode, SessionSpec, Worktree},
    text,
};

/// The module that starts agents.
const AGENTS: &str = "agents";
/// The module that speaks with the person, which is the root's alone.
const CHAT: &str = "chat";
/// What an agent calls the one above it, which therefore is no other's name.
const PARENT: &str = "parent";
/// The longest name of an agent, in characters.
const LONGEST_NAME: usize = 32;

/// The description of a child of `parent`, which is in `mode` now. `is_taken` knows the names of
/// the agents it has already; `profile` is that which the request names, if any. The folder is checked as a name only: whether it leads out of the
/// workspace through a link is for whoever opens it.
pub fn child_spec(
    parent: &SessionSpec,
    mode: Mode,
    request: &ChildRequest,
    profile: Option<&Profile>,
    is_taken: impl Fn(&str) -> bool,
) -> Result<SessionSpec, CallError> {
    let Some(depth) = parent.limits.depth.checked_sub(1) else {
        return Err(CallError::new(
            ErrorCode::BudgetSpent,
            "This agent may start no agents of its own. Do the work here, or say what is left.",
        ));
    };
    let workspace = match (&request.tree, folder(request, profile)) {
        (Some(tree), _) => tree.folder.clone(),
        (None, None) => parent.workspace.clone(),
        (None, Some(folder)) => parent.workspace.join(below(request, folder)?),
    };
    let worktree = request.tree.as_ref().map(|tree| {
        Box::new(Worktree { of: parent.workspace.clone(), commit: tree.commit.clone() })
    });
    let mut path = parent.path.clone();
    path.push(unique(&plain(&request.agent), is_taken));
    let run = request.workflow.clone().map(Box::new);
    let spec = SessionSpec {
        id: SessionId::fresh(),
        parent: Some(parent.id),
        path,
        workspace,
        model: profile.and_then(|it| it.model.clone()).unwrap_or_else(|| parent.model.clone()),
        mode,
        tools: parent.tools.iter().filter(|name| !is_chat(name)).cloned().collect(),
        modules: modules(parent, request, profile)?,
        limits: Limits { depth, ..parent.limits },
        instructions: parent.instructions.clone(),
        agents: parent.agents.clone(),
        view: parent.view.max(request.view),
        worktree,
        workflow: run,
    };
    Ok(match profile {
        Some(profile) => profile.narrow(spec),
        None => spec,
    })
}

/// Whether the child works in a worktree of its own.
pub fn ground(request: &ChildRequest, profile: Option<&Profile>) -> Result<Ground, CallError> {
    let ground = request.ground.max(profile.map_or(Ground::Shared, |profile| profile.ground));
    match (ground, folder(request, profile)) {
        (Ground::Worktree, Some(_)) => Err(schema::invalid(
            &format!("{}.folder", request.capability),
            "an agent with a worktree works in the whole of it; name the folder in its task",
        )),
        (ground, _) => Ok(ground),
    }
}

fn folder<'a>(request: &'a ChildRequest, profile: Option<&'a Profile>) -> Option<&'a str> {
    let named = request.folder.as_deref();
    let named = named.or(profile.and_then(|profile| profile.folder.as_deref()));
    named.filter(|folder| !matches!(*folder, "" | "."))
}

fn modules(
    parent: &SessionSpec,
    request: &ChildRequest,
    profile: Option<&Profile>,
) -> Result<Vec<String>, CallError> {
    let may = |name: &&String| !is_chat(name);
    if request.workflow.is_some() {
        return Ok(parent.modules.iter().filter(|name| !is_chat(name)).cloned().collect());
    }
    let Some(wanted) = &request.modules else {
        // A profile that names its modules says itself whether it starts agents.
        if profile.is_some_and(|profile| profile.modules.is_some()) {
            return Ok(parent.modules.iter().filter(may).cloned().collect());
        }
        let without = parent.modules.iter().filter(may).filter(|name| *name != AGENTS);
        return Ok(without.cloned().collect());
    };
    let there: Vec<&String> = parent.modules.iter().filter(may).collect();
    if let Some(unknown) = wanted.iter().find(|name| !there.contains(name)) {
        let names: Vec<_> = there.iter().map(|name| name.as_str()).collect();
        return Err(schema::invalid(
            &format!("{}.modules", request.capability),
            &format!(
                "there is no {} here to hand on; there is: {}",
                text::quoted(unknown),
                names.join(", ")
            ),
        )
        .with("available", names));
    }
    // In the parent's order, and each once.
    Ok(there.into_iter().filter(|name| wanted.contains(name)).cloned().collect())
}

fn is_chat(name: &str) -> bool {
    name.split('.').next() == Some(CHAT)
}

/// A folder that is below where it starts, whatever is there.
fn below<'a>(request: &ChildRequest, folder: &'a str) -> Result<&'a Path, CallError> {
    let path = Path::new(folder);
    let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    if plain && !folder.contains('\0') {
        return Ok(path);
    }
    Err(schema::invalid(
        &format!("{}.folder", request.capability),
        "expected a folder below the workspace, such as \"docs\", without \"..\"",
    ))
}

/// A name that can stand in a tree and a path of agents.
pub fn plain(name: &str) -> String {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name: String =
        name.trim().chars().map(|c| if fits(c) { c } else { '-' }).take(LONGEST_NAME).collect();
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "agent".to_owned() } else { name.to_owned() }
}

fn unique(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2_u32..).map(|number| format!("{name}-{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| name != PARENT && !is_taken(name)).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests;
