//! The sessions that are here, their agents below them, and which one is in view.

mod doing;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

pub use self::doing::{Delayed, Doing};
use super::{
    State,
    output::Run,
    transcript::Transcript,
    tree::{Tree, Watched},
};
use crate::{
    kernel::{
        gate::approval::Question,
        id::{CallId, SessionId, SignalId},
        message::Usage,
        picture::Picture,
        port::Whereabouts,
        spec::{Mode, SessionSpec},
        todo::Item,
    },
    tui::{clean, theme::Mark},
};

/// One session.
#[derive(Clone, Debug)]
pub struct Node {
    pub spec: SessionSpec,
    /// The name it was given, else the first words said in it.
    pub title: Option<String>,
    pub mode: Mode,
    pub doing: Doing,
    pub usage: Usage,
    /// Tokens of the last request and its answer: what the model has before it.
    pub context: u64,
    /// What it is at, in a few words.
    pub at: String,
    pub transcript: Transcript,
    /// What was said in its conversation as it is now.
    pub said: Vec<Said>,
    /// Calls that a person makes by hand, and that go on.
    pub by_hand: BTreeSet<CallId>,
    pub children: Vec<SessionId>,
    /// What it means to do.
    pub plan: Vec<Item>,
    /// The call of the parent that started it.
    pub started_by: Option<CallId>,
    /// Agents that are over and of which its model does not know yet, by the signal that says so.
    pub untold: Vec<(SignalId, String)>,
    /// The seconds of all its exchanges that are over.
    pub worked_s: i64,
}

/// Something that was said: the number of its event, the words, and the pictures that they name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub seq: u64,
    pub text: String,
    pub pictures: Vec<Picture>,
}

impl Node {
    /// What it is called in a list.
    pub fn called(&self) -> &str {
        match &self.title {
            Some(title) if self.spec.parent.is_none() && self.spec.agent() == "main" => title,
            Some(_) | None => self.spec.agent(),
        }
    }

    /// Seconds, as a list has them: of an agent, all that it worked; of a session, its turn that goes
    /// on, and none while it rests.
    pub fn time(&self, now: Timestamp) -> Option<i64> {
        let now = self.doing.seconds(now);
        match (self.spec.parent, &self.doing) {
            (_, Doing::Nothing) => None,
            (Some(_), Doing::Working { .. } | Doing::Rests { .. }) => {
                Some(self.worked_s + now.unwrap_or(0))
            }
            (None, Doing::Working { .. } | Doing::Rests { .. }) => now,
        }
    }
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub struct Sessions {
    nodes: BTreeMap<SessionId, Node>,
    roots: Vec<SessionId>,
    viewed: Option<SessionId>,
    preferred: Option<SessionId>,
    back: Vec<SessionId>,
    forward: Vec<SessionId>,
    /// The row that keys act on.
    pub cursor: usize,
    pub tree: Tree,
}

/// The cells of a root's title where it stands before other names.
const TITLE: usize = 24;

impl State {
    /// Whether a session is begun or opened that is not there yet.
    pub fn is_beginning(&self) -> bool {
        self.place.starting.is_some() || self.sessions.expected().is_some()
    }

    /// The name of the folder that the session in view was started in; before there is one, of the one
    /// here.
    pub fn folder(&self) -> String {
        let viewed = self.sessions.viewed().map(|viewed| self.sessions.root(viewed));
        let node = viewed.and_then(|root| self.sessions.get(root));
        let name = node.and_then(|node| node.spec.workspace.file_name());
        match name {
            Some(name) => clean::name(&name.to_string_lossy()).into_owned(),
            None => self.place.workspace.clone(),
        }
    }

    /// The names from the root down to a session as the tree has them, in so many cells if they can
    /// be read in them: the root's title is cut first, then names in the middle are left out.
    pub fn way(&self, session: SessionId, path: &[String], width: usize) -> String {
        let root = self.sessions.get(self.sessions.root(session)).map(Node::called);
        let Some((first, below)) = path.split_first() else { return String::new() };
        let between = format!(" {} ", self.look.mark(Mark::Path));
        let first = clean::name(root.unwrap_or(first));
        let below: Vec<_> = below.iter().map(|name| clean::name(name)).collect();
        let tail: usize =
            below.iter().map(|name| clean::width(name) + clean::width(&between)).sum();
        let room = width.saturating_sub(tail).clamp(4, TITLE);
        let mut names = vec![clean::truncate(&first, room)];
        match below.split_last() {
            Some((last, middle)) if !middle.is_empty() && tail + room > width => {
                names.extend(["…".to_owned(), last.to_string()]);
            }
            Some(_) | None => names.extend(below.iter().map(ToString::to_string)),
        }
        names.join(&between)
    }

    /// The same for a session that is here.
    pub fn way_to(&self, node: &Node, width: usize) -> String {
        self.way(node.spec.id, &node.spec.path, width)
    }

    /// Programs that go on here beside the calls, and end when the screen is left.
    pub fn programs(&self) -> impl Iterator<Item = &Run> {
        let runs = self.output.runs.iter();
        runs.filter(|run| {
            run.beside && run.ended.is_none() && self.sessions.watched(run.session).is_none()
        })
    }

    /// Whether nothing is at work here any more, held or not, and no program goes on.
    pub fn has_ended(&self) -> bool {
        self.sessions.at_work() == 0 && self.programs().next().is_none()
    }

    /// How many work here, or run something by hand; whoever waits for an answer does not.
    pub fn at_work(&self) -> usize {
        let all = self.queue.ordered();
        let held: BTreeSet<_> = all.iter().map(|waiting| waiting.question.session).collect();
        let works = |(id, node): &(&SessionId, &Node)| {
            !node.by_hand.is_empty() || node.doing.works() && !held.contains(id)
        };
        let here = |id: &SessionId| self.sessions.watched(*id).is_none();
        self.sessions.iter().filter(works).filter(|(id, _)| here(id)).count()
    }
}

/// A row of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    pub session: SessionId,
    pub depth: usize,
    /// The last child of its parent.
    pub last: bool,
}

impl Sessions {
    pub fn get(&self, id: SessionId) -> Option<&Node> {
        self.nodes.get(&id)
    }

    pub fn get_mut(&mut self, id: SessionId) -> Option<&mut Node> {
        self.nodes.get_mut(&id)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&SessionId, &Node)> {
        self.nodes.iter()
    }

    /// A session is here. The first one comes into view by itself.
    pub fn add(&mut self, spec: &SessionSpec) {
        if self.nodes.contains_key(&spec.id) {
            return;
        }
        match spec.parent.and_then(|parent| self.nodes.get_mut(&parent)) {
            Some(parent) => parent.children.push(spec.id),
            None => self.roots.push(spec.id),
        }
        let node = Node {
            title: None,
            mode: spec.mode,
            doing: Doing::Nothing,
            usage: Usage::default(),
            context: 0,
            at: String::new(),
            transcript: Transcript::default(),
            said: Vec::new(),
            by_hand: BTreeSet::new(),
            children: Vec::new(),
            plan: Vec::new(),
            started_by: None,
            untold: Vec::new(),
            worked_s: 0,
            spec: spec.clone(),
        };
        self.nodes.insert(spec.id, node);
        if self.preferred == Some(spec.id) {
            self.show(spec.id);
        } else if self.viewed.is_none() {
            self.viewed = Some(spec.id);
        }
    }

    /// Those that no agent started.
    pub fn roots(&self) -> &[SessionId] {
        &self.roots
    }

    /// The session that no agent started, to which this one belongs.
    pub fn root(&self, session: SessionId) -> SessionId {
        let above = |id: &SessionId| self.nodes.get(id)?.spec.parent;
        std::iter::successors(Some(session), above).last().unwrap_or(session)
    }

    /// The session that runs elsewhere or nowhere, if this one belongs to it.
    pub fn watched(&self, session: SessionId) -> Option<&Watched> {
        self.tree.watched.as_ref().filter(|watched| watched.root == self.root(session))
    }

    /// What a session that runs elsewhere asks there.
    pub fn asks_there(&self, session: SessionId) -> Option<&Question> {
        let asks = &self.tree.watched.as_ref()?.asks;
        asks.iter().map(|(question, _)| question).find(|question| question.session == session)
    }

    /// Why nothing can be done in a session, where it does not run here.
    pub fn why_not(&self, session: SessionId) -> Option<String> {
        let watched = self.watched(session)?;
        Some(match &watched.place {
            Whereabouts::There(Some(by)) => format!("Read only: {by} has it."),
            Whereabouts::There(None) => "Read only: another footplate has it.".to_owned(),
            Whereabouts::Free | Whereabouts::Here => {
                "It does not run here: r carries it on.".to_owned()
            }
        })
    }

    /// Forgets a session and all below it, and goes on with the one that was in view before.
    pub fn forget(&mut self, root: SessionId) -> Vec<SessionId> {
        let of_it = |id: &SessionId| self.root(*id) == root;
        let gone: Vec<_> = self.nodes.keys().copied().filter(of_it).collect();
        self.nodes.retain(|id, _| !gone.contains(id));
        self.roots.retain(|id| *id != root);
        self.preferred.take_if(|id| *id == root);
        self.back.retain(|id| !gone.contains(id));
        self.forward.retain(|id| !gone.contains(id));
        if self.viewed.is_some_and(|id| gone.contains(&id)) {
            self.viewed = self.back.pop().or(self.roots.first().copied());
        }
        gone
    }

    /// This one comes into view when it is there.
    pub fn prefer(&mut self, session: Option<SessionId>) {
        self.preferred = session;
    }

    /// The one that comes into view as soon as it is there, and is not there yet.
    pub fn expected(&self) -> Option<SessionId> {
        self.preferred.filter(|id| !self.nodes.contains_key(id))
    }

    /// The one in view.
    pub fn viewed(&self) -> Option<SessionId> {
        self.viewed
    }

    /// The one in view, whole.
    pub fn node(&self) -> Option<&Node> {
        self.nodes.get(&self.viewed?)
    }

    /// Whether a word is looked for in the one in view.
    pub fn looks_for_a_word(&self) -> bool {
        self.node().is_some_and(|node| node.transcript.find.is_some())
    }

    /// The one in view, to be changed.
    pub fn node_mut(&mut self) -> Option<&mut Node> {
        self.nodes.get_mut(&self.viewed?)
    }

    /// Brings a session into view.
    pub fn show(&mut self, id: SessionId) {
        if !self.nodes.contains_key(&id) {
            return;
        }
        self.preferred = None;
        if self.viewed != Some(id) {
            self.back.extend(self.viewed);
            self.forward.clear();
            self.viewed = Some(id);
        }
    }

    pub fn go_back(&mut self) {
        if let Some(id) = self.back.pop() {
            self.preferred = None;
            self.forward.extend(self.viewed);
            self.viewed = Some(id);
        }
    }

    pub fn go_forward(&mut self) {
        if let Some(id) = self.forward.pop() {
            self.preferred = None;
            self.back.extend(self.viewed);
            self.viewed = Some(id);
        }
    }

    pub fn go_up(&mut self) {
        if let Some(parent) = self.node().and_then(|node| node.spec.parent) {
            self.show(parent);
        }
    }

    /// The whole tree, a row a session.
    pub fn rows(&self) -> Vec<Branch> {
        let mut rows = Vec::new();
        for root in &self.roots {
            self.branch(*root, 0, true, &mut rows);
        }
        rows
    }

    fn branch(&self, session: SessionId, depth: usize, last: bool, rows: &mut Vec<Branch>) {
        rows.push(Branch { session, depth, last });
        let Some(node) = self.nodes.get(&session) else { return };
        for (at, child) in node.children.iter().enumerate() {
            self.branch(*child, depth + 1, at + 1 == node.children.len(), rows);
        }
    }

    /// How many agents below that one work.
    pub fn at_work_below(&self, id: SessionId) -> usize {
        let children = self.nodes.get(&id).map(|node| node.children.as_slice());
        let count = |child: &SessionId| {
            let works = self.nodes.get(child).is_some_and(|node| node.doing.works());
            usize::from(works) + self.at_work_below(*child)
        };
        children.unwrap_or_default().iter().map(count).sum()
    }

    /// How many work here, or run something by hand.
    pub fn at_work(&self) -> usize {
        let works = |node: &Node| node.doing.works() || !node.by_hand.is_empty();
        let here = |id: &SessionId| self.watched(*id).is_none();
        self.nodes.iter().filter(|(id, node)| works(node) && here(id)).count()
    }
}
