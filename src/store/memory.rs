//! Sessions in memory, for tests: the same journal and spool over bytes that are no file.

use std::{
    collections::{BTreeMap, HashMap},
    io,
    ops::ControlFlow,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use jiff::Timestamp;

use super::{
    Clock, copy, index,
    journal::{Start, Writer},
    kept,
    medium::{InMemory, Medium},
    pictures,
    reader::{self, Reading, Unreadable},
    search::{self, Scan},
    spool::{Bounds, KeptSpool},
    wall_clock,
};
use crate::kernel::{
    event::{Envelope, Event},
    id::{CallId, SessionId},
    picture::PictureId,
    port::{
        Events, Found, Hold, Journal, Kept, Kinds, Opened, OutputPage, Searched, SessionSummary,
        Since, Spool, Store, StoreError,
    },
    session::branch::Branch,
    spec::SessionSpec,
};

/// Sessions that live as long as the store, with the manners of the one on disk: one writer a
/// session, real lines, real spools.
pub struct MemoryStore {
    sessions: Mutex<BTreeMap<SessionId, InMemorySession>>,
    clock: Clock,
}

#[derive(Clone, Default)]
struct InMemorySession {
    journal: Arc<InMemory>,
    held: Arc<AtomicBool>,
    spools: Arc<Mutex<HashMap<CallId, Arc<KeptSpool>>>>,
    replaced: Arc<Mutex<HashMap<CallId, Vec<u8>>>>,
    pictures: Arc<Mutex<HashMap<PictureId, Vec<u8>>>>,
    name: Arc<Mutex<Option<String>>>,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::with_clock(wall_clock())
    }
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with another clock.
    pub fn with_clock(clock: Clock) -> Self {
        Self { sessions: Mutex::default(), clock }
    }

    fn sessions(&self) -> MutexGuard<'_, BTreeMap<SessionId, InMemorySession>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn session(&self, session: SessionId) -> Result<InMemorySession, StoreError> {
        let sessions = self.sessions();
        sessions.get(&session).cloned().ok_or_else(|| StoreError::Unknown(session.to_string()))
    }

    fn writer(&self, session: SessionId, kept: &InMemorySession, lock: Lock, next: u64) -> Writer {
        let len = kept.journal.bytes().len() as u64;
        let start = Start { session, path: path(session), next, len };
        Writer::new(start, kept.journal.clone(), self.clock.clone(), Box::new(lock))
    }
}

impl Store for MemoryStore {
    fn create(&self, spec: SessionSpec) -> Result<Arc<dyn Journal>, StoreError> {
        let session = spec.id;
        let kept = InMemorySession::default();
        let mut sessions = self.sessions();
        if sessions.contains_key(&session) {
            let source = io::ErrorKind::AlreadyExists.into();
            return Err(StoreError::Io { doing: "create", path: path(session), source });
        }
        let writer = self.writer(session, &kept, Lock::take(session, &kept.held)?, 0);
        writer.append(Event::SessionStarted { spec }, &|_| {})?;
        sessions.insert(session, kept);
        Ok(Arc::new(writer))
    }

    fn branch(
        &self,
        mut branch: Branch,
        events: &mut dyn Iterator<Item = Result<Arc<Envelope>, StoreError>>,
    ) -> Result<Arc<dyn Journal>, StoreError> {
        let session = branch.spec().id;
        let failed = |doing, source| StoreError::Io { doing, path: path(session), source };
        let taken = || failed("create", io::ErrorKind::AlreadyExists.into());
        if self.sessions().contains_key(&session) {
            return Err(taken());
        }
        let kept = InMemorySession::default();
        let mut lines = Vec::new();
        let copied = copy::lines(&mut branch, events, &mut lines, (self.clock)())?;
        let copied = copied.map_err(|source| failed("write", source))?;
        *kept.journal.bytes() = lines;
        let mut sessions = self.sessions();
        if sessions.contains_key(&session) {
            return Err(taken());
        }
        if let Some(from) = branch.outputs().and_then(|from| sessions.get(&from)) {
            let replaced = from.replaced.lock().unwrap_or_else(PoisonError::into_inner).clone();
            *kept.replaced.lock().unwrap_or_else(PoisonError::into_inner) = replaced;
            let pictures = from.pictures.lock().unwrap_or_else(PoisonError::into_inner).clone();
            *kept.pictures.lock().unwrap_or_else(PoisonError::into_inner) = pictures;
        }
        let lock = Lock::take(session, &kept.held)?;
        let writer = self.writer(session, &kept, lock, copied.next);
        for event in branch.then() {
            writer.append(event, &|_| {})?;
        }
        sessions.insert(session, kept);
        Ok(Arc::new(writer))
    }

    fn delete(&self, gone: &[SessionId]) -> Result<(), StoreError> {
        let mut sessions = self.sessions();
        let mut locks = Vec::new();
        for id in gone {
            let unknown = || StoreError::Unknown(id.to_string());
            locks.push(Lock::take(*id, &sessions.get(id).ok_or_else(unknown)?.held)?);
        }
        sessions.retain(|id, _| !gone.contains(id));
        Ok(())
    }

    fn label(&self, session: SessionId, name: &str) -> Result<(), StoreError> {
        let kept = self.session(session)?;
        *kept.name.lock().unwrap_or_else(PoisonError::into_inner) = Some(name.to_owned());
        Ok(())
    }

    fn search(
        &self,
        words: &[String],
        go_on: &dyn Fn() -> bool,
        found: &mut dyn FnMut(Found) -> ControlFlow<()>,
    ) -> Result<Searched, StoreError> {
        let read = |session: &SessionSummary, scan: &mut Scan<'_>| {
            let Ok(kept) = self.session(session.spec.id) else {
                return Ok(ControlFlow::Continue(()));
            };
            let bytes = kept.journal.bytes().clone();
            scan.journal(&mut &bytes[..], session)
        };
        search::all(self.list()?, words, go_on, found, read)
    }

    fn open(
        &self,
        session: SessionId,
        take: &mut dyn FnMut(&Arc<Envelope>),
    ) -> Result<Opened, StoreError> {
        let kept = self.session(session)?;
        let lock = Lock::take(session, &kept.held)?;
        let mut reading = ReadingBytes::new(session, kept.journal.bytes().clone())?;
        for envelope in reading.by_ref() {
            take(&envelope?);
        }
        let back = reading.reading.into_back();
        let _ = kept.journal.truncate(back.keep);
        if back.unclosed {
            let _ = kept.journal.append(b"\n");
        }
        let writer = self.writer(session, &kept, lock, back.next);
        Ok(Opened { journal: Arc::new(writer), notice: back.notice("") })
    }

    fn events(&self, session: SessionId) -> Result<Box<dyn Events>, StoreError> {
        let bytes = self.session(session)?.journal.bytes().clone();
        Ok(Box::new(ReadingBytes::new(session, bytes)?))
    }

    fn some(&self, session: SessionId, kinds: Kinds) -> Result<Box<dyn Events>, StoreError> {
        let bytes = self.session(session)?.journal.bytes().clone();
        let all = ReadingBytes::new(session, bytes)?;
        Ok(Box::new(ReadingBytes { reading: all.reading.only(kinds), ..all }))
    }

    fn since(&self, session: SessionId, from: u64) -> Result<Since, StoreError> {
        let kept = self.session(session)?;
        let bytes = kept.journal.bytes();
        let start = usize::try_from(from).unwrap_or(usize::MAX).min(bytes.len());
        let since = reader::since(&mut &bytes[start..], session, from);
        since.map_err(|source| StoreError::Io { doing: "read", path: path(session), source })
    }

    fn hold(&self, session: SessionId) -> Result<Hold, StoreError> {
        Ok(match self.session(session)?.held.load(Ordering::Acquire) {
            true => Hold::Held(Some("this process".to_owned())),
            false => Hold::Free,
        })
    }

    fn list(&self) -> Result<Vec<SessionSummary>, StoreError> {
        let sessions = self.sessions();
        let summary = |kept: &InMemorySession| {
            let bytes = kept.journal.bytes();
            let summary = index::summary(&bytes, last_change(&bytes)?)?;
            let name = kept.name.lock().unwrap_or_else(PoisonError::into_inner).clone();
            Some(SessionSummary { name, ..summary })
        };
        let mut found: Vec<_> = sessions.values().filter_map(summary).collect();
        index::newest_first(&mut found);
        Ok(found)
    }

    fn spool(&self, session: SessionId, call: CallId) -> Result<Arc<dyn Spool>, StoreError> {
        let kept = self.session(session)?;
        let mut spools = kept.spools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(spool) = spools.get(&call) {
            return Ok(spool.clone());
        }
        let path = PathBuf::from(format!("memory/{session}/{call}"));
        let spool = KeptSpool::open(Box::<InMemory>::default(), path.clone(), Bounds::default())
            .map_err(|source| StoreError::Io { doing: "open", path, source })?;
        let spool = Arc::new(spool);
        spools.insert(call, spool.clone());
        Ok(spool)
    }

    fn output(
        &self,
        session: SessionId,
        call: CallId,
        lines: usize,
    ) -> Result<OutputPage, StoreError> {
        let Ok(kept) = self.session(session) else { return Ok(OutputPage::default()) };
        let spools = kept.spools.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(spool) = spools.get(&call) else { return Ok(OutputPage::default()) };
        let path = || PathBuf::from(format!("memory/{session}/{call}"));
        spool.page(lines).map_err(|source| StoreError::Io { doing: "read", path: path(), source })
    }

    fn lines(
        &self,
        session: SessionId,
        call: CallId,
        from: u64,
        visit: &mut dyn FnMut(u64, &str) -> ControlFlow<()>,
    ) -> Result<u64, StoreError> {
        let Ok(kept) = self.session(session) else { return Ok(0) };
        let spools = kept.spools.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(spool) = spools.get(&call).cloned() else { return Ok(0) };
        drop(spools);
        let path = || PathBuf::from(format!("memory/{session}/{call}"));
        let read = spool.lines(from, visit);
        read.map_err(|source| StoreError::Io { doing: "read", path: path(), source })
    }

    fn keep(&self, session: SessionId, call: CallId, bytes: &[u8]) -> Result<Kept, StoreError> {
        let replaced = self.session(session)?.replaced;
        let mut replaced = replaced.lock().unwrap_or_else(PoisonError::into_inner);
        let so_far = replaced.values().map(|bytes| bytes.len() as u64).sum();
        let verdict = kept::verdict(so_far, bytes);
        if verdict == Kept::Whole {
            replaced.insert(call, bytes.to_vec());
        }
        Ok(verdict)
    }

    fn kept(&self, session: SessionId, call: CallId) -> Result<Option<Vec<u8>>, StoreError> {
        let replaced = self.session(session)?.replaced;
        let replaced = replaced.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(replaced.get(&call).cloned())
    }

    fn keep_picture(&self, session: SessionId, bytes: &[u8]) -> Result<Kept, StoreError> {
        let kept = self.session(session)?.pictures;
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let picture = PictureId::of(bytes);
        if kept.contains_key(&picture) {
            return Ok(Kept::Whole);
        }
        let verdict = pictures::verdict(kept.values().map(|it| it.len() as u64).sum(), bytes);
        if verdict == Kept::Whole {
            kept.insert(picture, bytes.to_vec());
        }
        Ok(verdict)
    }

    fn picture(
        &self,
        session: SessionId,
        picture: PictureId,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let kept = self.session(session)?.pictures;
        let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(kept.get(&picture).cloned())
    }
}

/// The one writer's mark on a session; taken back by drop.
struct Lock(Arc<AtomicBool>);

impl Lock {
    fn take(session: SessionId, held: &Arc<AtomicBool>) -> Result<Self, StoreError> {
        if held.swap(true, Ordering::AcqRel) {
            return Err(StoreError::Held { session, holder: Some("this process".to_owned()) });
        }
        Ok(Self(held.clone()))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

fn path(session: SessionId) -> PathBuf {
    PathBuf::from(format!("memory/{session}"))
}

/// The events of a journal as it was.
struct ReadingBytes {
    session: SessionId,
    reading: Reading<io::Cursor<Vec<u8>>>,
}

impl ReadingBytes {
    fn new(session: SessionId, bytes: Vec<u8>) -> Result<Self, StoreError> {
        let failed = |source| StoreError::Io { doing: "read", path: path(session), source };
        let order = reader::order(&mut &bytes[..]).map_err(failed)?;
        Ok(Self { session, reading: Reading::new(io::Cursor::new(bytes), order, session) })
    }
}

impl Iterator for ReadingBytes {
    type Item = Result<Arc<Envelope>, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let session = self.session;
        let next = self.reading.next().map_err(|unreadable| match unreadable {
            Unreadable::Io(source) => StoreError::Io { doing: "read", path: path(session), source },
            Unreadable::Damaged(fault) => StoreError::Damaged { session, fault },
        });
        next.transpose()
    }
}

impl Events for ReadingBytes {
    fn notice(&self) -> Option<String> {
        self.reading.back().notice(", left out")
    }
}

fn last_change(journal: &[u8]) -> Option<Timestamp> {
    let mut lines = journal.rsplit(|byte| *byte == b'\n');
    lines.find_map(reader::event).map(|envelope| envelope.at)
}
