//! What was written through the gate in a session and by the agents below it, and taking it back.
//! An undo is a call by a person, with a change of its own, in the journal of the session that wrote
//! where that runs, else of the root session: it is kept and recorded like any other, so it can be
//! undone as well.

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Value, json};

use super::{ending::Inside, so_far::so_far};
use crate::{
    executor::Workspace,
    kernel::{
        capability::{Category, Reach},
        change::{Before, Change, Ledger, Now, Planned, Recorded, Texts, UNDO, Undo, plan},
        error::CallError,
        event::{Call, Decider, Decision, Envelope, Event, Origin},
        gate::{subject::Subject, unrecorded},
        id::{CallId, SessionId},
        invoke::ToolResult,
        port::{Env, Mark, Over, ResolvedPath, Standing, Store, StoreError},
        recorder::Recorder,
    },
};

/// The changes of a session and of all that belong to it.
pub struct Changes {
    /// The session that no agent started, to which it belongs.
    pub root: SessionId,
    session: SessionId,
    ledger: Ledger,
    parents: HashMap<SessionId, SessionId>,
}

/// Which changes are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// All of them, but not what took others back.
    All,
    /// Those of these calls, or made directly inside them.
    Calls(Vec<CallId>),
}

/// Enters a session that runs here, if it is not about to be over.
pub type Here<'a> = &'a (dyn Fn(SessionId) -> Option<Inside> + Sync);

/// What became of one undo.
pub struct Undone {
    /// What was planned.
    pub planned: Planned,
    /// Whether it was done; why not.
    pub outcome: Result<(), CallError>,
}

impl Changes {
    /// Reads them from the journals. Blocks for the time of reading those.
    pub fn read(store: &dyn Store, session: SessionId) -> Result<Self, StoreError> {
        let mut root = session;
        while let Some(parent) = parent(store, root)? {
            root = parent;
        }
        let (mut parents, mut ledger) = (HashMap::new(), Ledger::default());
        for envelope in so_far(|id| store.events(id), &[root]) {
            if let Event::SessionStarted { spec } = &envelope.event
                && let Some(parent) = spec.parent
            {
                parents.insert(spec.id, parent);
            }
            ledger.apply(&envelope);
        }
        Ok(Self { root, session, ledger, parents })
    }

    /// The agent that a session of these started first on the way to that one; nothing where it is no
    /// session below.
    pub fn below(&self, session: SessionId) -> Option<SessionId> {
        let up = std::iter::successors(Some(session), |below| self.parents.get(below).copied());
        up.collect::<Vec<_>>().windows(2).find(|step| step[1] == self.session).map(|step| step[0])
    }

    /// All of the session and of the agents below it, oldest first.
    pub fn all(&self) -> impl Iterator<Item = &Recorded> {
        self.ledger.changes().iter().filter(|recorded| self.is_below(recorded.session))
    }

    /// What undoing these would do now, in the order in which it would be done. Looks at the files.
    pub async fn plan(&self, choice: &Choice) -> Result<Vec<Planned>, CallError> {
        let env = everywhere()?;
        let chosen = |recorded: &Recorded| self.is_chosen(recorded, choice);
        let paths: BTreeSet<PathBuf> =
            self.all().filter(|it| chosen(it)).map(|it| it.change.path.clone()).collect();
        let mut now = HashMap::new();
        for path in paths {
            let standing = match env.look(&place(&path)).await {
                Ok(Standing::Nothing) => Now::Nothing,
                Ok(Standing::File(seen)) => Now::File { mark: seen.mark, changed: seen.changed },
                Err(error) => Now::Unknown(error.message),
            };
            now.insert(path, standing);
        }
        Ok(plan(&self.ledger, chosen, now))
    }

    /// The text of the file before and after one change, as far as its bytes are still there.
    pub async fn texts(&self, store: &dyn Store, call: CallId) -> Result<Texts, CallError> {
        let found = self.ledger.find(call);
        let recorded = found.ok_or_else(|| CallError::failed("There is no such change."))?;
        let change = &recorded.change;
        let before = match &change.before {
            Before::Nothing => None,
            Before::File { mark, .. } => Some(
                kept(store, recorded, mark)?
                    .ok_or_else(|| CallError::failed("What stood there before was not kept."))?,
            ),
        };
        let after = match &change.after {
            None => None,
            Some(mark) => Some(self.standing(store, recorded, mark).await?),
        };
        Ok(Texts { before: before.map(text).transpose()?, after: after.map(text).transpose()? })
    }

    /// The bytes that a change made: from the file, or from what a later one kept of them.
    async fn standing(
        &self,
        store: &dyn Store,
        recorded: &Recorded,
        mark: &Mark,
    ) -> Result<Vec<u8>, CallError> {
        let path = &recorded.change.path;
        if let Ok(Standing::File(seen)) = everywhere()?.look(&place(path)).await
            && mark.means(&seen.mark)
        {
            return Ok(seen.bytes);
        }
        let changes = self.ledger.changes();
        let own = changes.iter().position(|other| other.call == recorded.call).unwrap_or(0);
        for later in changes[own + 1..].iter().filter(|later| later.change.path == *path) {
            if let Some(bytes) = kept(store, later, mark)? {
                return Ok(bytes);
            }
        }
        Err(CallError::failed("What it wrote stands nowhere any more: it was changed since."))
    }

    /// Undoes what can be undone of these, the last change first, and says what became of each, in a
    /// journal as well: in that of the session which made the change where `here` knows it, so that its
    /// model is told; else in that of the root session, which `recorder` is of.
    pub async fn undo(
        &self,
        store: &dyn Store,
        recorder: &Recorder,
        here: Here<'_>,
        choice: &Choice,
    ) -> Result<Vec<Undone>, CallError> {
        let env = everywhere()?;
        let mut all = Vec::new();
        for planned in self.plan(choice).await? {
            let wrote = planned.recorded.session;
            let inside = here(wrote);
            let (session, recorder) = match &inside {
                Some(inside) => (wrote, &inside.live.context.recorder),
                None => (self.root, recorder),
            };
            let outcome = match &planned.undo {
                Undo::LeaveAlone(_) => leave_alone(recorder, &planned),
                Undo::Restore { .. } | Undo::Remove => {
                    let journal = Journal { session, store, recorder };
                    undo_one(&env, journal, &planned.recorded).await
                }
            };
            all.push(Undone { planned, outcome });
        }
        Ok(all)
    }

    fn is_chosen(&self, recorded: &Recorded, choice: &Choice) -> bool {
        self.is_below(recorded.session)
            && match choice {
                Choice::All => recorded.change.undoes.is_none(),
                Choice::Calls(calls) => {
                    let inside = recorded.parent.is_some_and(|parent| calls.contains(&parent));
                    inside || calls.contains(&recorded.call)
                }
            }
    }

    fn is_below(&self, session: SessionId) -> bool {
        std::iter::successors(Some(session), |below| self.parents.get(below).copied())
            .any(|above| above == self.session)
    }
}

/// Where an undo is recorded.
#[derive(Clone, Copy)]
struct Journal<'a> {
    session: SessionId,
    store: &'a dyn Store,
    recorder: &'a Recorder,
}

async fn undo_one(
    env: &Workspace,
    journal: Journal<'_>,
    recorded: &Recorded,
) -> Result<(), CallError> {
    let Journal { recorder, .. } = journal;
    let call = CallId::fresh();
    let input = input(recorded);
    recorder
        .append(Event::CallStarted {
            call: Call {
                id: call,
                name: UNDO.to_owned(),
                input: input.clone(),
                origin: Origin::Person,
                parent: None,
            },
            category: Category::Write,
            decision: Decision::allowed(Decider::Person),
            subject: Subject::path(&recorded.change.path),
        })
        .map_err(unrecorded)?;
    let begun = tokio::time::Instant::now();
    let outcome = put_back(env, journal, (call, recorded)).await;
    let finished = finished((call, input), &outcome, begun.elapsed());
    recorder.append(finished).map_err(unrecorded)?;
    outcome.map(drop)
}

async fn put_back(
    env: &Workspace,
    Journal { session, store, recorder }: Journal<'_>,
    (call, recorded): (CallId, &Recorded),
) -> Result<String, CallError> {
    let Change { path, shown, before, after, more, fewer, .. } = &recorded.change;
    let place = ResolvedPath { shown: shown.clone(), ..place(path) };
    let standing = env.look(&place).await?;
    let stands = match (&standing, after) {
        (Standing::Nothing, None) => Before::Nothing,
        (Standing::File(seen), Some(mark)) if mark.means(&seen.mark) => Before::File {
            mark: seen.mark.anywhere(),
            mode: seen.mode,
            kept: store.keep(session, call, &seen.bytes).map_err(unrecorded)?,
        },
        (Standing::Nothing | Standing::File(_), _) => {
            return Err(CallError::failed(format!(
                "Left alone: {shown} was changed by another program."
            )));
        }
    };
    let back = match before {
        Before::Nothing => None,
        Before::File { mark, mode, .. } => {
            let kept = store.kept(recorded.session, recorded.call).map_err(unrecorded)?;
            let whole = kept.filter(|bytes| mark.means(&Mark::of(bytes)));
            let lost =
                || CallError::failed(format!("Left alone: what was kept of {shown} is damaged."));
            Some((whole.ok_or_else(lost)?, *mode))
        }
    };
    let change = Change {
        path: path.clone(),
        shown: shown.clone(),
        before: stands,
        after: back.as_ref().map(|(bytes, _)| Mark::of(bytes)),
        more: *fewer,
        fewer: *more,
        undoes: Some(recorded.call),
    };
    recorder.append(Event::ChangeBegun { call, change }).map_err(unrecorded)?;
    match (&standing, back) {
        (Standing::File(seen), Some((bytes, _))) => {
            env.write_file(&place, Over::File(&seen.mark), &bytes).await?;
            Ok(format!("{shown}: its bytes of before were put back"))
        }
        (Standing::File(seen), None) => {
            env.remove_file(&place, &seen.mark).await?;
            Ok(format!("{shown}: removed, since it was not there before"))
        }
        (Standing::Nothing, Some((bytes, mode))) => {
            env.write_file(&place, Over::Nothing { mode: Some(mode) }, &bytes).await?;
            Ok(format!("{shown}: is there again"))
        }
        (Standing::Nothing, None) => Ok(format!("{shown}: is not there")),
    }
}

/// The bytes that a change kept of before it, if they are those.
fn kept(store: &dyn Store, recorded: &Recorded, mark: &Mark) -> Result<Option<Vec<u8>>, CallError> {
    let kept = store.kept(recorded.session, recorded.call).map_err(unrecorded)?;
    Ok(kept.filter(|bytes| mark.means(&Mark::of(bytes))))
}

fn text(bytes: Vec<u8>) -> Result<String, CallError> {
    String::from_utf8(bytes).map_err(|_| CallError::failed("It is no text."))
}

/// The arguments of an undo, as they are recorded.
fn input(recorded: &Recorded) -> Value {
    json!({ "call": recorded.call, "path": recorded.change.shown })
}

fn finished(
    (call, input): (CallId, Value),
    outcome: &Result<String, CallError>,
    took: Duration,
) -> Event {
    let content = match outcome {
        Ok(words) => Value::from(words.clone()),
        Err(error) => error.payload(),
    };
    let result = ToolResult {
        ok: outcome.is_ok(),
        name: UNDO.to_owned(),
        input,
        content,
        is_error: outcome.is_err(),
        attachments: Vec::new(),
        duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
    };
    Event::CallFinished { call, parent: None, origin: Origin::Person, result, decision: None }
}

/// Records that somebody wanted this back and did not get it, and why.
fn leave_alone(recorder: &Recorder, planned: &Planned) -> Result<(), CallError> {
    let zone = jiff::tz::TimeZone::system();
    let time = |at| zone.to_datetime(at).strftime("%H:%M").to_string();
    let words = planned.undo.words(time, planned.recorded.at);
    let why = CallError::failed(format!("{}: {words}", planned.recorded.change.shown));
    let call = (CallId::fresh(), input(&planned.recorded));
    let event = finished(call, &Err(why.clone()), Duration::ZERO);
    recorder.append(event).map_err(unrecorded)?;
    Err(why)
}

fn parent(store: &dyn Store, session: SessionId) -> Result<Option<SessionId>, StoreError> {
    let first = store.events(session)?.next().transpose()?;
    match first.as_deref() {
        Some(Envelope { event: Event::SessionStarted { spec }, .. }) => Ok(spec.parent),
        Some(_) | None => Ok(None),
    }
}

/// Recorded places are real ones, wherever the workspace is by now.
fn everywhere() -> Result<Workspace, CallError> {
    Workspace::new(Path::new("/")).map_err(|error| CallError::failed(error.to_string()))
}

fn place(path: &Path) -> ResolvedPath {
    let shown = path.display().to_string();
    ResolvedPath { real: path.to_owned(), shown, reach: Reach::Outside }
}
