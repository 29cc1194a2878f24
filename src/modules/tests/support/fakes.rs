//! A journal, outputs, programs and agents that are none.

use std::{
    io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use jiff::Timestamp;

use crate::kernel::{
    BoxFuture,
    clock::Budget,
    error::CallError,
    event::{Envelope, Event, Outcome, VERSION},
    id::SessionId,
    message::Usage,
    port::{
        Agent, ChildRequest, Coordinator, Ended, Executor, Factory, Finished, Job, Journal, Piece,
        Spool, SpoolEnd, Started, StoreError, Stream, Wait, Waited,
    },
    registry::Mounts,
    signal::{Ending, Extent},
    workflow::Workflow,
};

/// Numbers the events; whoever watches keeps them.
#[derive(Default)]
pub(super) struct MemoryJournal {
    next: Mutex<u64>,
    refused: Option<&'static str>,
}

impl MemoryJournal {
    /// One that does not take events of this type.
    pub(super) fn refusing(kind: &'static str) -> Self {
        Self { refused: Some(kind), ..Self::default() }
    }
}

impl Journal for MemoryJournal {
    fn append(
        &self,
        event: Event,
        shown: &dyn Fn(&Arc<Envelope>),
    ) -> Result<Arc<Envelope>, StoreError> {
        let kind = serde_json::to_value(&event).unwrap()["type"].clone();
        if self.refused.is_some_and(|refused| kind == refused) {
            let source = io::ErrorKind::StorageFull.into();
            return Err(StoreError::Io { doing: "write", path: "journal".into(), source });
        }
        let mut seq = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let envelope = Arc::new(Envelope {
            v: VERSION,
            seq: *seq,
            at: Timestamp::UNIX_EPOCH,
            session: SessionId::from(1),
            event,
        });
        *seq += 1;
        shown(&envelope);
        Ok(envelope)
    }

    fn sync(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async { Ok(()) })
    }
}

#[derive(Default)]
pub(super) struct FakeSpool(Mutex<Vec<u8>>);

impl Spool for FakeSpool {
    fn write(&self, _: Stream, bytes: &[u8]) {
        self.0.lock().unwrap().extend_from_slice(bytes);
    }

    fn counts(&self) -> (u64, u64) {
        let bytes = self.0.lock().unwrap();
        (bytes.len() as u64, bytes.iter().filter(|byte| **byte == b'\n').count() as u64)
    }

    fn since(&self, mark: u64, most: usize) -> Result<Piece, StoreError> {
        let bytes = self.0.lock().unwrap();
        let total = bytes.len() as u64;
        let from = usize::try_from(mark.min(total)).unwrap();
        let bytes = bytes[from..bytes.len().min(from + most)].to_vec();
        let (from, next) = (from as u64, from as u64 + bytes.len() as u64);
        Ok(Piece { bytes, from, next, total })
    }

    fn aside(&self) -> PathBuf {
        PathBuf::from("/spool/call.aside")
    }

    fn finish(&self) -> SpoolEnd {
        SpoolEnd { path: PathBuf::from("/spool/call"), left_out: 0 }
    }
}

pub(in crate::modules::tests) type FakeRun =
    Box<dyn Fn(Job) -> BoxFuture<'static, Result<Ended, CallError>> + Send + Sync>;

/// Refuses code that has `syntax error` in it, and runs a function.
pub(super) struct FakeExecutor(pub(super) FakeRun);

impl Executor for FakeExecutor {
    fn check(&self, code: &str, _: &Mounts) -> Result<(), CallError> {
        match code.contains("syntax error") {
            true => Err(CallError::failed("syntax error at line 1")),
            false => Ok(()),
        }
    }

    fn run(&self, job: Job) -> BoxFuture<'_, Result<Ended, CallError>> {
        (self.0)(job)
    }
}

/// Starts agents that are over at once, and answer with what they were told.
#[derive(Default)]
pub(super) struct FakeAgents(Mutex<Vec<ChildRequest>>);

impl Factory for FakeAgents {
    fn ground(&self, _: &ChildRequest) -> Result<Option<PathBuf>, CallError> {
        Ok(None)
    }

    fn start_child(&self, request: ChildRequest) -> BoxFuture<'_, Result<Started, CallError>> {
        let started = Started { session: SessionId::fresh(), name: request.agent.clone() };
        self.0.lock().unwrap().push(request);
        Box::pin(async move { Ok(started) })
    }

    fn earlier(&self, run: &str) -> Result<Workflow, CallError> {
        Err(CallError::failed(format!("there is no run {run}")))
    }
}

/// Says of every wait how many of these clocks stood still.
pub(super) struct FakePost(pub(super) Arc<FakeAgents>, pub(super) Vec<Budget>);

impl Coordinator for FakePost {
    fn wait(&self, wait: Wait) -> BoxFuture<'_, Result<Waited, CallError>> {
        let held = self.1.iter().filter(|clock| clock.read().held).count();
        let started = self.0.0.lock().unwrap();
        let over = started.iter().map(|request| {
            let ChildRequest { agent, task, modules, .. } = request;
            let text = format!("{agent} did: {task}, with {modules:?}, {held} clock(s) held");
            let (turns, usage) = (1, Usage::default());
            let ending = Ending { outcome: Outcome::Done, text, turns, usage, worktree: None };
            Finished { name: agent.clone(), session: SessionId::fresh(), ending }
        });
        let over = over.filter(|over| wait.names.contains(&over.name)).collect();
        Box::pin(async move { Ok(Waited { over, going: Vec::new() }) })
    }

    fn send(&self, to: &str, _: String) -> Result<SessionId, CallError> {
        Err(CallError::failed(format!("{to} is over")))
    }

    fn cancel(&self, name: &str, extent: Extent) -> BoxFuture<'_, Result<Vec<String>, CallError>> {
        let stopped = vec![format!("{name} {extent:?}")];
        Box::pin(async move { Ok(stopped) })
    }

    fn list(&self) -> Vec<Agent> {
        Vec::new()
    }
}
