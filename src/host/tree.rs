//! Who is below whom among the sessions that run or ran here, which of them are over, and who waits
//! for whom. It knows names and no live session.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;

use crate::kernel::{
    id::{CallId, SessionId, SignalId},
    signal::{Ending, Extent},
    spec::SessionSpec,
};

/// All of them. Nothing is awaited while the lock is held.
pub(super) struct Tree {
    nodes: Mutex<BTreeMap<SessionId, Node>>,
    changed: watch::Sender<()>,
}

struct Node {
    spec: Arc<SessionSpec>,
    end: Option<End>,
    stopped: Option<Extent>,
    /// Its calls that wait, and for whom.
    waits: Vec<(CallId, Vec<SessionId>)>,
}

/// How an agent ended, and the signal that tells the one above it.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) signal: SignalId,
    pub(super) ending: Arc<Ending>,
}

impl End {
    pub(super) fn new(signal: SignalId, ending: Ending) -> Self {
        Self { signal, ending: Arc::new(ending) }
    }
}

/// Somebody waits for as long as this lives.
pub(super) struct Waiting<'a> {
    tree: &'a Tree,
    waiter: SessionId,
    call: CallId,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(node) = self.tree.nodes().get_mut(&self.waiter) {
            node.waits.retain(|(call, _)| *call != self.call);
        }
    }
}

impl Tree {
    pub(super) fn new() -> Self {
        Self { nodes: Mutex::default(), changed: watch::Sender::new(()) }
    }

    /// A session is here. On a branch that was stopped it is stopped as well.
    pub(super) fn add(&self, spec: Arc<SessionSpec>, end: Option<End>) {
        let mut nodes = self.nodes();
        let above = spec.parent.and_then(|parent| nodes.get(&parent));
        let stopped = above.and_then(|above| above.stopped);
        let stopped = stopped.filter(|extent| *extent == Extent::Subtree);
        nodes.insert(spec.id, Node { spec, end, stopped, waits: Vec::new() });
    }

    /// An agent is over. Only the first end counts.
    pub(super) fn over(&self, id: SessionId, end: End) {
        if let Some(node) = self.nodes().get_mut(&id) {
            node.end.get_or_insert(end);
        }
        self.changed.send_replace(());
    }

    pub(super) fn end(&self, id: SessionId) -> Option<End> {
        self.nodes().get(&id)?.end.clone()
    }

    pub(super) fn spec(&self, id: SessionId) -> Option<Arc<SessionSpec>> {
        Some(self.nodes().get(&id)?.spec.clone())
    }

    /// Whether it was told to stop, alone or with its branch.
    pub(super) fn is_stopped(&self, id: SessionId) -> bool {
        self.nodes().get(&id).is_some_and(|node| node.stopped.is_some())
    }

    /// Marks an agent, or its whole branch, as stopped: nothing is started there any more. Gives
    /// those of them that are not over, top first.
    pub(super) fn stop(&self, id: SessionId, extent: Extent) -> Vec<SessionId> {
        let mut nodes = self.nodes();
        let mut all = vec![id];
        if extent == Extent::Subtree {
            all.extend(below(&nodes, id));
        }
        all.retain(|id| {
            let Some(node) = nodes.get_mut(id).filter(|node| node.end.is_none()) else {
                return false;
            };
            if node.stopped != Some(Extent::Subtree) {
                node.stopped = Some(extent);
            }
            true
        });
        all
    }

    /// All below a session, each right after the one that started it, the older first.
    pub(super) fn below(&self, id: SessionId) -> Vec<SessionId> {
        below(&self.nodes(), id)
    }

    /// Those that a session started and that are not over.
    pub(super) fn at_work(&self, id: SessionId) -> Vec<SessionId> {
        at_work(&self.nodes(), id)
    }

    /// For whom a session waits.
    pub(super) fn waits(&self, id: SessionId) -> Vec<SessionId> {
        let nodes = self.nodes();
        let waits = nodes.get(&id).map(|node| &node.waits);
        waits.into_iter().flatten().flat_map(|(_, ids)| ids.clone()).collect()
    }

    /// Notes that a call of `waiter` waits for all of these, where that can end. The error is the
    /// way on which it would wait for itself, itself first and last.
    pub(super) fn wait(
        &self,
        waiter: SessionId,
        call: CallId,
        ids: &[SessionId],
    ) -> Result<Waiting<'_>, Vec<SessionId>> {
        let mut nodes = self.nodes();
        for id in ids {
            if let Some(mut way) = way(&nodes, *id, waiter, &mut Vec::new()) {
                way.push(waiter);
                way.reverse();
                return Err(way);
            }
        }
        if let Some(node) = nodes.get_mut(&waiter) {
            node.waits.push((call, ids.to_vec()));
        }
        Ok(Waiting { tree: self, waiter, call })
    }

    /// Waits until `seen` holds of what is over. Losing it loses nothing.
    pub(super) async fn until(&self, seen: impl Fn(&Self) -> bool) {
        let mut changed = self.changed.subscribe();
        while !seen(self) {
            // The sender lives in `self`, so this cannot be an error.
            let _ = changed.changed().await;
        }
    }

    /// The agent of that name, or of that session, below this one.
    pub(super) fn find(&self, from: SessionId, name: &str) -> Option<SessionId> {
        let nodes = self.nodes();
        below(&nodes, from).into_iter().find(|id| {
            relative(&nodes, from, *id).as_deref() == Some(name) || id.to_string() == name
        })
    }

    /// The name of an agent below this one, as this one addresses it.
    pub(super) fn name(&self, from: SessionId, id: SessionId) -> String {
        relative(&self.nodes(), from, id).unwrap_or_else(|| id.to_string())
    }

    fn nodes(&self) -> MutexGuard<'_, BTreeMap<SessionId, Node>> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type Nodes = BTreeMap<SessionId, Node>;

fn started_by(nodes: &Nodes, id: SessionId) -> impl DoubleEndedIterator<Item = SessionId> {
    let children = nodes.values().filter(move |node| node.spec.parent == Some(id));
    children.map(|node| node.spec.id).collect::<Vec<_>>().into_iter()
}

fn at_work(nodes: &Nodes, id: SessionId) -> Vec<SessionId> {
    started_by(nodes, id).filter(|id| nodes[id].end.is_none()).collect()
}

fn below(nodes: &Nodes, id: SessionId) -> Vec<SessionId> {
    let mut all = Vec::new();
    let mut next: Vec<_> = started_by(nodes, id).rev().collect();
    while let Some(id) = next.pop() {
        all.push(id);
        next.extend(started_by(nodes, id).rev());
    }
    all
}

/// The way from `at` to `to`, `to` first, along what each has to wait for: whom it said, and all that
/// it started, since it is over only after them.
fn way(
    nodes: &Nodes,
    at: SessionId,
    to: SessionId,
    seen: &mut Vec<SessionId>,
) -> Option<Vec<SessionId>> {
    if at == to {
        return Some(vec![to]);
    }
    let node = nodes.get(&at).filter(|node| node.end.is_none())?;
    if seen.contains(&at) {
        return None;
    }
    seen.push(at);
    let waits = node.waits.iter().flat_map(|(_, ids)| ids.clone());
    let next: Vec<_> = waits.chain(at_work(nodes, at)).collect();
    let mut way = next.into_iter().find_map(|next| way(nodes, next, to, seen))?;
    way.push(at);
    Some(way)
}

fn relative(nodes: &Nodes, from: SessionId, id: SessionId) -> Option<String> {
    let (top, path) = (&nodes.get(&from)?.spec.path, &nodes.get(&id)?.spec.path);
    Some(path.get(top.len()..)?.join("/"))
}

#[cfg(test)]
mod tests;
