//! What is done with whole sessions: copied, brought in, named, and which belong together.

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use crate::{
    agent,
    kernel::{
        event::{Envelope, Event, Source},
        id::SessionId,
        port::{Store, StoreError},
        session::{
            Said,
            branch::{self, Branch, Point},
        },
        spec::SessionSpec,
        text,
    },
};

/// The longest name of a session, in characters.
const LONGEST_NAME: usize = 80;

/// Begins a new session as a copy of another, up to that point, and gives its name; in another folder,
/// if one is named. The other is only read, so it may be open elsewhere. The error is what is wrong and, in a second line, what to do.
pub fn fork(
    store: &dyn Store,
    from: SessionId,
    point: Point,
    workspace: Option<PathBuf>,
) -> Result<SessionId, String> {
    let first = store.events(from).map_err(in_a_line)?.next().transpose().map_err(in_a_line)?;
    let Some(Event::SessionStarted { spec }) = first.as_deref().map(|first| &first.event) else {
        return Err(format!("session {} has no description", from.short()));
    };
    if let Some(parent) = spec.parent {
        return Err(format!(
            "session {} is an agent of another, and may do no more than that one\n\
             copy that one: footplate sessions fork {}",
            from.short(),
            parent.short()
        ));
    }
    let events = store.some(from, branch::ENDS).map_err(in_a_line)?;
    let upto = branch::end(events, point).map_err(in_a_line)?.map_err(|none| {
        format!("{none}\nsee them with: footplate sessions show {}", from.short())
    })?;
    let workspace = workspace.unwrap_or_else(|| spec.workspace.clone());
    let spec = SessionSpec { id: SessionId::fresh(), workspace, ..spec.clone() };
    let id = spec.id;
    let mut events = store.events(from).map_err(in_a_line)?;
    let branch = Branch::new(spec, upto, (from, Source::Here));
    store.branch(branch, &mut events).map_err(in_a_line)?;
    Ok(id)
}

/// Begins the session `spec` with the conversation of another, which was written to a file, and gives
/// how many messages of people are in it; `agents` are those that come with it, as [`agents_of`] gives
/// them. Nothing but the conversation counts of what the file says.
pub fn import(
    store: &dyn Store,
    (from, events): (SessionId, impl Iterator<Item = Result<Arc<Envelope>, StoreError>>),
    spec: SessionSpec,
    agents: &HashMap<SessionId, SessionSpec>,
) -> Result<usize, StoreError> {
    let mut said = Said::default();
    let names = agents.iter().map(|(there, spec)| (*there, spec.id)).collect();
    let branch = Branch::new(spec, u64::MAX, (from, Source::File)).with_agents(names);
    let mut events = events.inspect(|envelope| {
        if let Ok(envelope) = envelope {
            said.take(envelope);
        }
    });
    store.branch(branch, &mut events)?;
    Ok(said.all().len())
}

/// The descriptions here of the agents that came in a file with the session `from`, which is `root`
/// here, by their names there: those that it or one of them started. Nothing in them is from the file but
/// who is below whom, and what they are called.
pub fn agents_of<'a>(
    (from, root): (SessionId, &SessionSpec),
    agents: impl IntoIterator<Item = &'a SessionSpec>,
) -> HashMap<SessionId, SessionSpec> {
    let mut here: HashMap<SessionId, SessionSpec> = HashMap::new();
    for theirs in agents {
        let above = match theirs.parent {
            Some(above) if above == from => root,
            Some(above) => match here.get(&above) {
                Some(above) => above,
                None => continue,
            },
            None => continue,
        };
        let mut path = above.path.clone();
        path.push(agent::plain(theirs.agent()));
        let spec =
            SessionSpec { id: SessionId::fresh(), parent: Some(above.id), path, ..root.clone() };
        here.insert(theirs.id, spec);
    }
    here
}

/// A name as it is kept: one line that can be shown and typed. The error says what is wrong with it.
pub fn name(words: &str) -> Result<String, String> {
    let name = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return Err("a name needs a letter".to_owned());
    }
    if text::clean(name.as_bytes()).trim_end() != name {
        return Err("a name has only characters that can be seen".to_owned());
    }
    match name.chars().count() {
        0..=LONGEST_NAME => Ok(name),
        long => Err(format!("a name has {LONGEST_NAME} characters at most, this one {long}")),
    }
}

/// Gives a session that runs nowhere another name.
pub fn rename(store: &dyn Store, id: SessionId, name: &str) -> Result<(), StoreError> {
    let opened = store.open(id, &mut |_| {})?;
    opened.journal.append(Event::SessionNamed { name: name.to_owned() }, &|_| {})?;
    store.label(id, name)
}

/// These sessions and all agents below them, each once, agents before those they work for.
pub fn family(store: &dyn Store, roots: &[SessionId]) -> Result<Vec<SessionId>, StoreError> {
    let all = store.list()?;
    let mut family: Vec<SessionId> = Vec::new();
    let mut wanted = roots.to_vec();
    while let Some(id) = wanted.pop() {
        if family.contains(&id) {
            continue;
        }
        family.push(id);
        let below = all.iter().filter(|session| session.spec.parent == Some(id));
        wanted.extend(below.map(|session| session.spec.id));
    }
    family.reverse();
    Ok(family)
}

fn in_a_line(error: StoreError) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests;
