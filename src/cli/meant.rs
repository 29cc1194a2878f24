//! Which session is meant by a few words, of those that can be read and those that cannot; and which are
//! there to be gone back to.

use std::path::Path;

use super::{exit::Failure, print};
use crate::kernel::{
    id::SessionId,
    port::{SessionSummary, Store, StoreError},
};

/// The sessions that a person would carry on: somebody spoke in them, and no agent started them.
/// A call by hand has a session too, for its journal.
pub(super) fn spoken(mut sessions: Vec<SessionSummary>) -> Vec<SessionSummary> {
    sessions.retain(|session| session.spec.parent.is_none() && session.title.is_some());
    sessions
}

/// Those of them in that folder, newest first. Without a list there is less to show, no more.
pub(super) fn here(store: &dyn Store, workspace: &Path) -> Vec<SessionSummary> {
    let mut all = spoken(store.list().unwrap_or_default());
    all.retain(|session| session.spec.workspace == workspace);
    all.truncate(100);
    all
}

/// The one session that is meant, of all there are: as [`named`] has it.
pub(super) fn find(store: &dyn Store, words: &str) -> Result<SessionSummary, Failure> {
    let mut listed = store.list()?;
    let id = named(store, &listed, &listed, words)?;
    let at = listed.iter().position(|session| session.spec.id == id).unwrap_or_default();
    Ok(listed.swap_remove(at))
}

/// The one session of these that is meant: by its whole name, else by the end of its id, else by the
/// beginning of its name or id. Where it is none of them, it may be one that cannot be read, which is in
/// no list; `listed` are all that can.
pub(super) fn named(
    store: &dyn Store,
    listed: &[SessionSummary],
    all: &[SessionSummary],
    words: &str,
) -> Result<SessionId, Failure> {
    if let Some(id) = one_of(all, words)? {
        return Ok(id);
    }
    let damaged = store.unlisted(listed)?;
    let is_meant = |id: &SessionId| {
        let id = id.to_string();
        ends_in(&id, words) || (!words.is_empty() && id.starts_with(&words.to_lowercase()))
    };
    if let Some((id, folder)) = damaged.iter().find(|(id, _)| is_meant(id)) {
        return Err(Failure::new(
            unreadable(store, *id),
            format!("nothing of it was touched: it is in {}", folder.display()),
        ));
    }
    Err(Failure::new(
        format!("there is no session {}", print::quoted(words)),
        "see all of them with: footplate sessions list",
    ))
}

/// Why a session is in no list.
pub(super) fn unreadable(store: &dyn Store, session: SessionId) -> String {
    match store.events(session).and_then(|mut events| events.next().transpose()) {
        Err(StoreError::Damaged { fault, .. }) => {
            format!("session {} cannot be read: {fault}", session.short())
        }
        Err(error) => error.to_string(),
        Ok(_) => {
            format!("session {} cannot be listed: its first line is too long", session.short())
        }
    }
}

fn one_of(all: &[SessionSummary], words: &str) -> Result<Option<SessionId>, Failure> {
    let id = |session: &SessionSummary| session.spec.id.to_string();
    let begins =
        |text: &str| !words.is_empty() && text.to_lowercase().starts_with(&words.to_lowercase());
    let ways: [&dyn Fn(&SessionSummary) -> bool; 3] = [
        &|session| session.name.as_deref() == Some(words),
        &|session| ends_in(&id(session), words),
        &|session| session.name.as_deref().is_some_and(begins) || begins(&id(session)),
    ];
    for way in ways {
        let named: Vec<_> = all.iter().filter(|session| way(session)).collect();
        match named.as_slice() {
            [] => {}
            [one] => return Ok(Some(one.spec.id)),
            several => {
                return Err(Failure::usage(
                    format!("{} sessions are called {}", several.len(), print::quoted(words)),
                    "give more of the name or id; see them with: footplate sessions list",
                ));
            }
        }
    }
    Ok(None)
}

/// Whether the id of something ends so, with its dashes or without.
pub(super) fn ends_in(id: &str, end: &str) -> bool {
    !end.is_empty() && (id.ends_with(end) || id.replace('-', "").ends_with(end))
}
