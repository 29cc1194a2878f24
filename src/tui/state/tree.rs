//! The tree of sessions as it is shown: those that run here with their agents and programs, then the
//! other sessions of this home. Rows are found by their place; none is laid out that is not in sight.

use std::{collections::BTreeSet, path::Path, time::Duration};

use jiff::Timestamp;
use tokio::time::Instant;

use super::{Popup, State, draft::Draft, filter::Filter, output::Run, sessions::Node};
use crate::{
    kernel::{
        gate::approval::Question,
        id::{CallId, SessionId},
        message::Usage,
        port::{Listed, Numbered, Whereabouts},
    },
    tui::{cell::state_mark, theme::Mark},
};

/// How often the list is made anew while it is in sight; never so often that it is felt.
const ANEW: Duration = Duration::from_secs(2);
const COST: u32 = 50;

/// So many agents that are over fold by themselves.
const FOLDS: usize = 2;

/// What is known of the tree, and how it is looked at.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// All sessions of this home, newest first.
    pub listed: Vec<Listed>,
    /// Those of them that are shown, of this folder and of others.
    mine: Vec<usize>,
    others: Vec<usize>,
    pub order: By,
    pub filter: Filter,
    shut: BTreeSet<SessionId>,
    /// Whose ended agents are shown one by one.
    spread: BTreeSet<SessionId>,
    pub others_open: bool,
    /// A session that does not run here and is looked at.
    pub watched: Option<Watched>,
    pub reading: Reading,
    /// What is written or chosen in a list of one session.
    pub form: Form,
}

/// What is being done to one session.
#[derive(Clone, Debug, Default)]
pub struct Form {
    pub name: Draft,
    /// What people said in it.
    pub said: Vec<Numbered>,
    /// Words to be said as soon as it runs here.
    pub words: Option<(SessionId, Draft)>,
}

/// A session that does not run here and is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Watched {
    pub root: SessionId,
    pub place: Whereabouts,
    /// What it asks, which is answered where it runs.
    pub asks: Vec<(Question, Timestamp)>,
    /// To be carried on here as soon as it is let go.
    pub wanted: bool,
}

/// Whether the list is being made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    #[default]
    Never,
    Since(Instant),
    Next(Instant),
}

/// By what the sessions stand in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    #[default]
    Attention,
    Age,
}

impl By {
    pub fn name(self) -> &'static str {
        match self {
            Self::Attention => "by attention",
            Self::Age => "by age",
        }
    }
}

/// A row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    Session(Twig),
    /// Agents that are over, folded.
    Ended {
        twig: Twig,
        count: usize,
    },
    Program {
        twig: Twig,
        call: CallId,
    },
    /// One of the list, by its place there.
    Listed(usize),
    /// The fold with the sessions of other folders.
    Others(usize),
}

/// Where a row hangs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Twig {
    /// The session; for all but a session's own row, the one above.
    pub session: SessionId,
    pub depth: usize,
    /// The last of its parent.
    pub last: bool,
    /// A bit for each level above at which more is to come.
    pub rails: u64,
    /// Whether anything hangs below it, and is shown.
    pub below: Below,
    /// What it used, with all below it.
    pub used: Usage,
}

/// What hangs below a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Below {
    Nothing,
    Shown,
    Folded,
}

/// All rows.
pub struct Rows<'a> {
    live: Vec<Row>,
    tree: &'a Tree,
}

impl Rows<'_> {
    pub fn len(&self) -> usize {
        let fold = usize::from(!self.tree.others.is_empty());
        let others = if self.tree.others_open { self.tree.others.len() } else { 0 };
        self.live.len() + self.tree.mine.len() + fold + others
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, at: usize) -> Option<Row> {
        if let Some(row) = self.live.get(at) {
            return Some(*row);
        }
        let at = at - self.live.len();
        if let Some(mine) = self.tree.mine.get(at) {
            return Some(Row::Listed(*mine));
        }
        let at = at - self.tree.mine.len();
        match at.checked_sub(1) {
            None if self.tree.others.is_empty() => None,
            None => Some(Row::Others(self.tree.others.len())),
            Some(at) if self.tree.others_open => {
                self.tree.others.get(at).map(|at| Row::Listed(*at))
            }
            Some(_) => None,
        }
    }

    /// The row of a session that is known whole; the first where it is folded away.
    pub fn place(&self, session: Option<SessionId>) -> usize {
        let is_it = |row: &Row| matches!(row, Row::Session(twig) if Some(twig.session) == session);
        self.live.iter().position(is_it).unwrap_or(0)
    }
}

impl Tree {
    /// The list came, or what is shown of it changed. Those of the folder
    /// `here` come first; `known` are the sessions that have rows of their own.
    pub fn sift(&mut self, here: &Path, known: impl Fn(SessionId) -> bool) {
        let (mut mine, mut others) = (Vec::new(), Vec::new());
        for (at, one) in self.listed.iter().enumerate() {
            let spec = &one.session.spec;
            let called = one.session.called().unwrap_or_default();
            let folder = spec.workspace.to_string_lossy();
            if known(spec.id) || !self.filter.passes(&format!("{called} {folder}")) {
                continue;
            }
            if spec.workspace == here { &mut mine } else { &mut others }.push(at);
        }
        if self.order == By::Attention {
            // Those that somebody is at come first; the list is by age.
            mine.sort_by_key(|at| self.listed[*at].place == Whereabouts::Free);
        }
        (self.mine, self.others) = (mine, others);
    }

    /// The list came, after it was asked for at `since`.
    pub fn came(&mut self, now: Instant) {
        let took = match self.reading {
            Reading::Since(since) => now.saturating_duration_since(since),
            Reading::Never | Reading::Next(_) => Duration::ZERO,
        };
        self.reading = Reading::Next(now + ANEW.max(took * COST));
    }

    /// Folds what hangs below a session, or shows it.
    pub fn fold(&mut self, session: SessionId, below: Below) {
        match below {
            Below::Folded => self.shut.insert(session),
            Below::Shown | Below::Nothing => self.shut.remove(&session),
        };
    }

    /// Shows ended agents one by one, or folds them.
    pub fn spread(&mut self, parent: SessionId) {
        if !self.spread.remove(&parent) {
            self.spread.insert(parent);
        }
    }

    /// Whether its ended agents are shown one by one because somebody wanted that.
    pub fn is_spread(&self, parent: SessionId) -> bool {
        self.spread.contains(&parent)
    }
}

/// A session with what matters of all below it.
struct Branch {
    session: SessionId,
    rank: usize,
    used: Usage,
    below: Vec<Branch>,
    /// It, or any below it, is to be shown.
    shown: bool,
}

impl State {
    /// When the list of sessions is to be made anew, while it is in sight.
    pub fn list_due(&self) -> Option<Instant> {
        let shown = self.popup == Some(Popup::Sessions) || self.drawn.layout.room.has_columns();
        match self.sessions.tree.reading {
            Reading::Next(at) if !self.status.away.is_behind() => {
                (shown || self.sessions.tree.watched.is_some()).then_some(at)
            }
            Reading::Next(_) | Reading::Never | Reading::Since(_) => None,
        }
    }

    /// All rows of the tree.
    pub fn tree(&self) -> Rows<'_> {
        let tree = &self.sessions.tree;
        let mut roots: Vec<_> =
            self.sessions.roots().iter().filter_map(|root| self.branch(*root)).collect();
        self.put_in_order(&mut roots);
        if tree.order == By::Age {
            roots.reverse();
        }
        let mut live = Vec::new();
        for root in roots.iter().filter(|root| root.shown) {
            self.grow(root, Hang { depth: 0, last: true, rails: 0 }, &mut live);
        }
        Rows { live, tree }
    }

    fn put_in_order(&self, branches: &mut [Branch]) {
        if self.sessions.tree.order == By::Attention {
            branches.sort_by_key(|branch| branch.rank);
        }
    }

    fn branch(&self, session: SessionId) -> Option<Branch> {
        let node = self.sessions.get(session)?;
        let mut below: Vec<_> =
            node.children.iter().filter_map(|child| self.branch(*child)).collect();
        self.put_in_order(&mut below);
        let (mut used, mut rank) = (node.usage, rank(self.tree_mark(session)));
        for branch in &below {
            used += branch.used;
            rank = rank.min(branch.rank);
        }
        let filter = &self.sessions.tree.filter;
        let shown = below.iter().any(|branch| branch.shown)
            || !filter.is_on()
            || filter.passes(&searched(node));
        Some(Branch { session, rank, used, below, shown })
    }

    /// The mark of a session in the tree.
    pub fn tree_mark(&self, session: SessionId) -> Mark {
        if self.sessions.asks_there(session).is_some() {
            return Mark::ClockHeld;
        }
        state_mark(&self.sessions, &self.queue, session)
    }

    fn grow(&self, branch: &Branch, hang: Hang, rows: &mut Vec<Row>) {
        let tree = &self.sessions.tree;
        let id = branch.session;
        let goes_on = |run: &&Run| run.session == id && run.beside && run.ended.is_none();
        let programs: Vec<_> =
            self.output.runs.iter().filter(goes_on).map(|run| run.call).collect();
        let below = match branch.below.len() + programs.len() {
            0 => Below::Nothing,
            _ if tree.shut.contains(&id) && !tree.filter.is_on() => Below::Folded,
            _ => Below::Shown,
        };
        let twig = |hang: Hang, session, below, used| Twig {
            session,
            depth: hang.depth,
            last: hang.last,
            rails: hang.rails,
            below,
            used,
        };
        rows.push(Row::Session(twig(hang, id, below, branch.used)));
        if below != Below::Shown {
            return;
        }
        let rails = match hang.last || hang.depth == 0 {
            true => hang.rails,
            false => hang.rails | 1_u64.checked_shl(hang.depth as u32).unwrap_or(0),
        };
        let (ended, shown): (Vec<_>, Vec<_>) = branch
            .below
            .iter()
            .filter(|below| below.shown)
            .partition(|below| below.rank == rank(Mark::Done));
        let rests = self.sessions.get(id).is_some_and(|node| !node.doing.works());
        let in_view = self.sessions.viewed();
        let folds = rests
            && ended.len() >= FOLDS
            && !tree.filter.is_on()
            && !ended.iter().any(|below| Some(below.session) == in_view);
        let one_by_one = if folds && !tree.is_spread(id) { Vec::new() } else { ended.clone() };
        let count = shown.len() + programs.len() + one_by_one.len() + usize::from(folds);
        let mut at = 0;
        let mut next = || {
            at += 1;
            Hang { depth: hang.depth + 1, last: at == count, rails }
        };
        for below in shown {
            self.grow(below, next(), rows);
        }
        for call in programs {
            let twig = twig(next(), id, Below::Nothing, Usage::default());
            rows.push(Row::Program { twig, call });
        }
        if folds {
            let mut used = Usage::default();
            ended.iter().for_each(|below| used += below.used);
            let below = if one_by_one.is_empty() { Below::Folded } else { Below::Shown };
            rows.push(Row::Ended { twig: twig(next(), id, below, used), count: ended.len() });
        }
        for below in one_by_one {
            self.grow(below, next(), rows);
        }
    }
}

#[derive(Clone, Copy)]
struct Hang {
    depth: usize,
    last: bool,
    rails: u64,
}

/// The words by which a session is found.
fn searched(node: &Node) -> String {
    format!("{} {} {}", node.called(), node.spec.path.join(" "), node.at)
}

/// How soon a session wants to be looked at.
#[expect(clippy::wildcard_enum_match_arm, reason = "no session has any other mark")]
fn rank(mark: Mark) -> usize {
    match mark {
        Mark::Needs => 0,
        Mark::NotNow | Mark::ClockHeld => 1,
        Mark::Failed | Mark::Limit => 2,
        Mark::Running => 3,
        Mark::Queued => 4,
        Mark::Idle => 5,
        Mark::Stopped => 6,
        _ => 7,
    }
}
