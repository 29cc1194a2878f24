//! The programs that go on beside the calls of a session: begun by one of them, and over when they
//! end by themselves, are stopped, or the session ends.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::sync::watch;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    clock::Board,
    error::{CallError, ErrorCode},
    event::ExitStatus,
    id::CallId,
    port::{Bounds, Level, Spool, Terminal},
    signal::ProgramEnded,
    workflow::Record,
};

/// So many are at work at one time in one session.
pub const MOST_AT_WORK: usize = 8;
/// Of those that are over the last ones are remembered.
const MOST_OVER: usize = 32;

/// What runs now, as far as a session may use or begin it.
#[derive(Clone, Default)]
pub struct Running {
    /// The clocks of what runs, for a screen to read.
    pub clocks: Board,
    /// What goes on beside the calls, where anything may.
    pub programs: Option<Programs>,
    /// What an earlier run of its script has done, where it carries one on.
    pub record: Option<Arc<Record>>,
}

/// All of one session. Clones are the same.
#[derive(Clone)]
pub struct Programs(Arc<Inner>);

struct Inner {
    table: Mutex<BTreeMap<CallId, Arc<Beside>>>,
    tasks: TaskTracker,
    end: CancellationToken,
    wake: Box<dyn Fn() + Send + Sync>,
}

/// What is to be known of a program from its beginning on.
pub struct Beginning {
    /// The call that begins it, which is its name from then on.
    pub call: CallId,
    /// It in a few words, clean.
    pub program: String,
    /// What it may do by itself.
    pub bounds: Bounds,
    /// Where its output goes; nothing of one that another process ran.
    pub spool: Option<Arc<dyn Spool>>,
    /// Its terminal, if it is at one.
    pub terminal: Option<Arc<dyn Terminal>>,
}

/// One program beside the calls.
pub struct Beside {
    /// What was known of it from the beginning.
    pub is: Beginning,
    stop: CancellationToken,
    over: watch::Sender<Option<ProgramEnded>>,
    taken: AtomicBool,
}

impl Programs {
    /// None yet. `wake` is called whenever one is over and that is recorded.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Arc::new(Inner {
            table: Mutex::default(),
            tasks: TaskTracker::new(),
            end: CancellationToken::new(),
            wake: Box::new(wake),
        }))
    }

    /// Begins one, in a task of its own. `work` gets the token that stops it, and gives how it
    /// ended; its future is always driven to its end.
    pub fn begin<W>(
        &self,
        beginning: Beginning,
        work: impl FnOnce(CancellationToken) -> W,
    ) -> Result<Arc<Beside>, CallError>
    where
        W: Future<Output = ProgramEnded> + Send + 'static,
    {
        let stop = self.0.end.child_token();
        let beside = Arc::new(Beside::new(beginning, stop.clone()));
        let mut table = self.table();
        if self.0.end.is_cancelled() {
            return Err(CallError::new(ErrorCode::Interrupted, "The session is ending."));
        }
        let at_work = table.values().filter(|beside| beside.ended().is_none()).count();
        if at_work >= MOST_AT_WORK {
            return Err(CallError::failed(format!(
                "{MOST_AT_WORK} programs go on beside this session already, which is the most. Stop \
                 one, or wait for one; process.list() has them."
            )));
        }
        let over: Vec<CallId> =
            table.values().filter(|it| it.ended().is_some()).map(|it| it.is.call).collect();
        for call in over.iter().take(over.len().saturating_sub(MOST_OVER - 1)) {
            table.remove(call);
        }
        table.insert(beside.is.call, beside.clone());
        let work = work(stop);
        let at_work = AtWork { programs: self.clone(), beside: beside.clone() };
        self.0.tasks.spawn(async move {
            let ended = work.await;
            at_work.finish(ended);
        });
        Ok(beside)
    }

    /// Adds one of which only its end is known.
    pub fn remember(&self, ended: ProgramEnded) {
        let beginning = Beginning {
            call: ended.call,
            program: ended.program.clone(),
            bounds: Level::default().into(),
            spool: None,
            terminal: None,
        };
        let beside = Beside::new(beginning, self.0.end.child_token());
        beside.over.send_replace(Some(ended));
        self.table().insert(beside.is.call, Arc::new(beside));
    }

    /// Forgets one that never began.
    pub fn forget(&self, call: CallId) {
        self.table().remove(&call);
    }

    /// The one that this call began, if it is remembered.
    pub fn find(&self, call: CallId) -> Option<Arc<Beside>> {
        self.table().get(&call).cloned()
    }

    /// All that are remembered, oldest first.
    pub fn all(&self) -> Vec<Arc<Beside>> {
        self.table().values().cloned().collect()
    }

    /// Stops all, for good: none begins any more. Does not wait.
    pub fn end(&self) {
        // Under the lock, so that none begins at this moment.
        let _table = self.table();
        self.0.end.cancel();
    }

    /// The same, and waits until nothing of them is left: mostly at once, two seconds at most.
    pub async fn close(&self) {
        self.end();
        self.0.tasks.close();
        self.0.tasks.wait().await;
    }

    /// Whether the session is ending, so that there is nobody to tell anything.
    pub fn is_ending(&self) -> bool {
        self.0.end.is_cancelled()
    }

    fn table(&self) -> MutexGuard<'_, BTreeMap<CallId, Arc<Beside>>> {
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Beside {
    fn new(is: Beginning, stop: CancellationToken) -> Self {
        Self { is, stop, over: watch::Sender::new(None), taken: AtomicBool::new(false) }
    }

    /// How it ended, if it is over.
    pub fn ended(&self) -> Option<ProgramEnded> {
        self.over.borrow().clone()
    }

    /// Waits until it is over. Losing this future loses nothing.
    pub async fn over(&self) -> ProgramEnded {
        let mut over = self.over.subscribe();
        loop {
            if let Some(ended) = over.borrow_and_update().clone() {
                return ended;
            }
            // The sender lives in `self`, so this cannot be an error.
            let _ = over.changed().await;
        }
    }

    /// Asks it to end; what does not is ended. Does not wait.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// Whether this is the first time that somebody takes note of its end.
    pub fn take(&self) -> bool {
        !self.taken.swap(true, Ordering::AcqRel)
    }
}

impl fmt::Debug for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Beside").field("call", &self.is.call).finish_non_exhaustive()
    }
}

/// One whose end is still to come. Dropping it, as a panic would, is an end as well.
struct AtWork {
    programs: Programs,
    beside: Arc<Beside>,
}

impl AtWork {
    fn finish(&self, ended: ProgramEnded) {
        self.beside.over.send_replace(Some(ended));
        (self.programs.0.wake)();
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        let is = &self.beside.is;
        self.beside.over.send_if_modified(|over| {
            let lost = over.is_none();
            if lost {
                *over = Some(ProgramEnded {
                    call: is.call,
                    program: is.program.clone(),
                    status: Some(ExitStatus::Cancelled),
                    last: String::new(),
                    notes: Vec::new(),
                });
            }
            lost
        });
    }
}

#[cfg(test)]
mod tests;
