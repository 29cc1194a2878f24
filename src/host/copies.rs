//! What is done with whole sessions: copied, brought in, named, and which belong together.

use std::{path::PathBuf, sync::Arc};

use crate::kernel::{
    event::{Envelope, Event, Source},
    id::SessionId,
    port::{Store, StoreError},
    session::branch::{self, Point, branch},
    spec::SessionSpec,
    text,
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
    let events = store.read(from).map_err(in_a_line)?.events;
    let Some(Event::SessionStarted { spec }) = events.first().map(|first| &first.event) else {
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
    let upto = branch::end(&events, point).map_err(|none| {
        format!("{none}\nsee them with: footplate sessions show {}", from.short())
    })?;
    let workspace = workspace.unwrap_or_else(|| spec.workspace.clone());
    let spec = SessionSpec { id: SessionId::fresh(), workspace, ..spec.clone() };
    let id = spec.id;
    let copy = branch(&events, upto, spec, (from, Source::Here));
    store.branch(copy).map_err(in_a_line)?;
    Ok(id)
}

/// Begins the session `spec` with the conversation of another that was written to a file. Nothing but
/// the conversation counts of what the file says.
pub fn import(
    store: &dyn Store,
    events: &[Arc<Envelope>],
    spec: SessionSpec,
) -> Result<(), StoreError> {
    let Some(first) = events.first() else { return Ok(()) };
    let upto = events.last().map_or(0, |last| last.seq + 1);
    store.branch(branch(events, upto, spec, (first.session, Source::File))).map(drop)
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
