//! What was decided in the sessions that are here, a line each, and the lists that show it. Everything
//! in a list is counted from events as they come, or told by the host; no event is kept for it.

pub mod decided;
pub mod past;
pub mod standing;
pub mod wider;
pub mod written;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use jiff::{Timestamp, civil::Date, tz::TimeZone};

use self::{
    decided::Decisions,
    past::{Calls, Maker, Past},
    standing::Rules,
    written::Written,
};
use super::filter::Filter;
use crate::kernel::{
    capability::Category,
    change::{End, Ledger, Recorded},
    event::{Decider, Envelope, Event},
    id::{CallId, SessionId},
    session::{
        decisions::{Decided, Log},
        standing::Tally,
    },
    spec::SessionSpec,
};

/// Who decided what, and what is shown of it.
#[derive(Clone, Debug)]
pub struct Records {
    /// Where this computer is.
    pub zone: TimeZone,
    /// Where `~/` begins in a rule.
    pub home: Option<PathBuf>,
    /// The decisions of each session.
    logs: BTreeMap<SessionId, Log>,
    /// The standing yeses of each root session and its agents.
    tallies: BTreeMap<SessionId, Tally>,
    /// The changes of files, of every session here.
    ledger: Ledger,
    /// The last calls of each root session and its agents.
    past: BTreeMap<SessionId, Calls>,
    known: BTreeMap<SessionId, Known>,
    /// Calls that were decided about and have no result yet.
    running: BTreeSet<CallId>,
    /// Something was decided since the lists were made.
    pub stale: bool,
    /// What the open list is narrowed by.
    pub filter: Filter,
    pub decisions: Decisions,
    pub rules: Rules,
    pub written: Written,
}

/// What is known of a session.
#[derive(Clone, Debug)]
struct Known {
    parent: Option<SessionId>,
    path: Vec<String>,
    workspace: PathBuf,
}

/// What was changed in some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changed {
    pub files: usize,
    pub more: u64,
    pub fewer: u64,
    /// The last of it: when, and in which session.
    pub last: Timestamp,
    pub session: SessionId,
}

/// A file that was changed through the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    pub path: PathBuf,
    pub shown: String,
    /// Who changed it last, and when.
    pub session: SessionId,
    pub at: Timestamp,
    /// Lines added and taken away by all changes together.
    pub more: u64,
    pub fewer: u64,
}

impl Default for Records {
    fn default() -> Self {
        Self {
            zone: TimeZone::UTC,
            home: None,
            logs: BTreeMap::new(),
            tallies: BTreeMap::new(),
            ledger: Ledger::default(),
            past: BTreeMap::new(),
            known: BTreeMap::new(),
            running: BTreeSet::new(),
            stale: true,
            filter: Filter::default(),
            decisions: Decisions::default(),
            rules: Rules::default(),
            written: Written::default(),
        }
    }
}

impl Records {
    /// Takes one more event in, if it says something of decisions.
    pub fn take(&mut self, envelope: &Envelope) {
        if let Event::SessionStarted { spec } = &envelope.event {
            let SessionSpec { parent, path, workspace, .. } = spec.clone();
            self.known.insert(spec.id, Known { parent, path, workspace });
        }
        self.ledger.apply(envelope);
        // What came of a call is told where it was decided about, and did not do what it was to.
        let ends = if let Event::CallFinished { call, result, .. } = &envelope.event {
            self.running.remove(call) && !result.ok
        } else {
            false
        };
        let tells = tells(&envelope.event);
        if let Event::CallStarted { call, .. } = &envelope.event
            && tells
        {
            self.running.insert(call.id);
        }
        self.stale |= tells || ends;
        self.logs.entry(envelope.session).or_default().apply(envelope);
        let root = self.root(envelope.session);
        self.tallies.entry(root).or_default().apply(envelope);
        if tells || ends {
            let agent = self.known.get(&envelope.session).map(|known| &*known.path);
            let base = self.known.get(&root).map(|known| &*known.workspace);
            let maker =
                Maker { agent: agent.unwrap_or_default(), base: base.unwrap_or(Path::new("")) };
            self.past.entry(root).or_default().apply(envelope, maker);
        }
    }

    /// Forgets these sessions.
    pub fn forget(&mut self, sessions: &[SessionId]) {
        self.logs.retain(|session, _| !sessions.contains(session));
        self.tallies.retain(|session, _| !sessions.contains(session));
        self.past.retain(|session, _| !sessions.contains(session));
        self.stale = true;
    }

    /// The session that no agent started, to which this one belongs.
    pub fn root(&self, session: SessionId) -> SessionId {
        let above = |below: &SessionId| self.known.get(below)?.parent;
        std::iter::successors(Some(session), above).last().unwrap_or(session)
    }

    /// The decisions of a root session and its agents, newest first, each with its session.
    pub fn decided(&self, root: SessionId) -> Vec<(SessionId, Decided)> {
        let of_it = self.logs.iter().filter(|(session, _)| self.root(**session) == root);
        let made = of_it.flat_map(|(session, log)| log.made().iter().map(|made| (*session, made)));
        let mut all: Vec<_> = made.map(|(session, made)| (session, made.clone())).collect();
        all.sort_by_key(|(_, decided)| decided.at);
        all.reverse();
        all
    }

    /// The last calls of a root session and its agents that a rule could say something of, oldest first.
    pub fn past(&self, root: SessionId) -> Vec<Past> {
        let calls = self.past.get(&root).into_iter().flat_map(Calls::all);
        calls.cloned().collect()
    }

    /// What still stands in a root session and how often rules decided there.
    pub fn tally(&self, root: SessionId) -> Tally {
        self.tallies.get(&root).cloned().unwrap_or_default()
    }

    /// The files that a root session and its agents changed, the last one first: what of it still
    /// stands, in one line each.
    pub fn files(&self, root: SessionId) -> Vec<Touched> {
        let mut files: Vec<Touched> = Vec::new();
        let stands = |recorded: &&Recorded| {
            recorded.end != End::Failed
                && recorded.undone.is_none()
                && recorded.change.undoes.is_none()
                && self.root(recorded.session) == root
        };
        for recorded in self.ledger.changes().iter().rev().filter(stands) {
            let change = &recorded.change;
            match files.iter_mut().find(|file| file.path == change.path) {
                Some(file) => {
                    file.more += change.more;
                    file.fewer += change.fewer;
                }
                None => files.push(Touched {
                    path: change.path.clone(),
                    shown: change.shown.clone(),
                    session: recorded.session,
                    at: recorded.at,
                    more: change.more,
                    fewer: change.fewer,
                }),
            }
        }
        files
    }

    /// The last change of a file that was made or may have been.
    pub fn last_change(&self, path: &Path) -> Option<CallId> {
        let mut all = self.ledger.changes().iter().rev();
        let made = |recorded: &Recorded| recorded.end != End::Failed && recorded.undone.is_none();
        let found = all.find(|recorded| recorded.change.path == path && made(recorded));
        found.map(|recorded| recorded.call)
    }

    /// The file that a call changed.
    pub fn changed_by(&self, call: CallId) -> Option<PathBuf> {
        self.ledger.find(call).map(|recorded| recorded.change.path.clone())
    }

    /// What was changed since, by whom it may be; nothing if nothing was.
    pub fn changed_since(&self, since: Timestamp) -> Option<Changed> {
        let made = |recorded: &&Recorded| recorded.at >= since && recorded.end != End::Failed;
        let all = || self.ledger.changes().iter().rev().filter(made);
        let last = all().next()?;
        let files: BTreeSet<&Path> = all().map(|recorded| &*recorded.change.path).collect();
        Some(Changed {
            files: files.len(),
            more: all().map(|recorded| recorded.change.more).sum(),
            fewer: all().map(|recorded| recorded.change.fewer).sum(),
            last: last.at,
            session: last.session,
        })
    }

    /// A path as a person would write it.
    pub fn short(&self, path: &Path) -> String {
        match self.home.as_deref().and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) => format!("~/{}", rest.display()),
            None => path.display().to_string(),
        }
    }

    /// `12:04`, on this computer's clock.
    pub fn minute(&self, at: Timestamp) -> String {
        self.zone.to_datetime(at).strftime("%H:%M").to_string()
    }

    /// `12:04`; of another day than that moment's, `29 Nov 12:04`.
    pub fn when(&self, at: Timestamp, now: Timestamp) -> String {
        let form = if self.day(at) == self.day(now) { "%H:%M" } else { "%-d %b %H:%M" };
        self.zone.to_datetime(at).strftime(form).to_string()
    }

    /// `12:04:31`, likewise.
    pub fn second(&self, at: Timestamp) -> String {
        self.zone.to_datetime(at).strftime("%H:%M:%S").to_string()
    }

    /// The day it is here at that moment.
    pub fn day(&self, at: Timestamp) -> Date {
        self.zone.to_datetime(at).date()
    }
}

/// Whether an event says something of decisions; reads that simply ran are most of all calls.
#[expect(clippy::wildcard_enum_match_arm, reason = "the rest decides nothing")]
fn tells(event: &Event) -> bool {
    match event {
        Event::CallStarted { category, decision, .. } => {
            *category != Category::Read || !matches!(decision.by, Decider::Mode { .. })
        }
        Event::CallFinished { decision, .. } => decision.is_some(),
        Event::SessionStarted { .. }
        | Event::SessionResumed { .. }
        | Event::SessionForked { .. }
        | Event::ApprovalRequested { .. }
        | Event::ApprovalAnswered { .. }
        | Event::ApprovalWithdrawn { .. }
        | Event::RuleRevoked { .. } => true,
        _ => false,
    }
}
