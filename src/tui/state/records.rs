//! What was decided in the sessions that are here: the events that tell it, and the lists that show
//! it. Everything in a list is counted from those events or told by the host.

pub mod decided;
pub mod standing;
pub mod wider;
pub mod written;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::{Timestamp, civil::Date, tz::TimeZone};
use serde_json::Value;

use self::{decided::Decisions, standing::Rules, written::Written};
use super::filter::Filter;
use crate::kernel::{
    capability::Category,
    change::{End, Ledger, Recorded},
    event::{Call, Decider, Envelope, Event},
    id::{CallId, SessionId},
    session::{
        decisions::{Decided, decisions},
        standing::Tally,
    },
};

/// The events that say who decided what, and what is shown of them.
#[derive(Clone, Debug)]
pub struct Records {
    /// Where this computer is.
    pub zone: TimeZone,
    /// Where `~/` begins in a rule.
    pub home: Option<PathBuf>,
    kept: Vec<Arc<Envelope>>,
    /// The changes of files, of every session here.
    ledger: Ledger,
    parents: BTreeMap<SessionId, SessionId>,
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
            kept: Vec::new(),
            ledger: Ledger::default(),
            parents: BTreeMap::new(),
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
    pub fn take(&mut self, envelope: &Arc<Envelope>) {
        if let Event::SessionStarted { spec } = &envelope.event
            && let Some(parent) = spec.parent
        {
            self.parents.insert(spec.id, parent);
        }
        self.ledger.apply(envelope);
        // What came of a call is told where it was decided about, and did not do what it was to.
        let ends = if let Event::CallFinished { call, result, .. } = &envelope.event {
            self.running.remove(call) && !result.ok
        } else {
            false
        };
        if tells(&envelope.event) || ends {
            if let Event::CallStarted { call, .. } = &envelope.event {
                self.running.insert(call.id);
            }
            self.kept.push(light(envelope));
            self.stale = true;
        }
    }

    /// Forgets these sessions.
    pub fn forget(&mut self, sessions: &[SessionId]) {
        self.kept.retain(|envelope| !sessions.contains(&envelope.session));
        self.stale = true;
    }

    /// The session that no agent started, to which this one belongs.
    pub fn root(&self, session: SessionId) -> SessionId {
        let above = |below: &SessionId| self.parents.get(below).copied();
        std::iter::successors(Some(session), above).last().unwrap_or(session)
    }

    /// The events of a root session and its agents, in the order they came.
    pub fn of(&self, root: SessionId) -> impl Iterator<Item = &Arc<Envelope>> {
        self.kept.iter().filter(move |envelope| self.root(envelope.session) == root)
    }

    /// The decisions of a root session and its agents, newest first, each with its session.
    pub fn decided(&self, root: SessionId) -> Vec<(SessionId, Decided)> {
        let sessions: BTreeSet<_> = self.of(root).map(|envelope| envelope.session).collect();
        let mut all = Vec::new();
        for session in sessions {
            let of_it = self.of(root).filter(|envelope| envelope.session == session);
            let journal: Vec<_> = of_it.cloned().collect();
            all.extend(decisions(&journal).into_iter().map(|decided| (session, decided)));
        }
        all.sort_by_key(|(_, decided)| decided.at);
        all.reverse();
        all
    }

    /// What still stands in a root session and how often rules decided there.
    pub fn tally(&self, root: SessionId) -> Tally {
        let mut tally = Tally::default();
        self.of(root).for_each(|envelope| tally.apply(envelope));
        tally
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

/// The longest argument that is kept of a call, in bytes, where it does not say what the call acts on.
const ARGUMENT: usize = 512;

/// The event without the long arguments of its call: scripts and texts say nothing of a decision.
fn light(envelope: &Arc<Envelope>) -> Arc<Envelope> {
    let is_long = |(name, value): (&String, &Value)| {
        let says = matches!(name.as_str(), "path" | "url" | "filename");
        !says && value.as_str().is_some_and(|text| text.len() > ARGUMENT)
    };
    let lightened = |input: &Value| {
        let fields = input.as_object().filter(|fields| fields.iter().any(is_long))?;
        let kept = fields.iter().filter(|field| !is_long(*field));
        Some(Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect()))
    };
    if let Event::CallStarted { call, category, decision, subject } = &envelope.event
        && let Some(input) = lightened(&call.input)
    {
        let Call { id, name, origin, parent, .. } = call;
        let call = Call { id: *id, name: name.clone(), input, origin: *origin, parent: *parent };
        let (decision, subject) = (decision.clone(), subject.clone());
        let event = Event::CallStarted { call, category: *category, decision, subject };
        return Arc::new(Envelope { event, ..**envelope });
    }
    envelope.clone()
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
