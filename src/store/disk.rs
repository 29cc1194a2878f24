//! Sessions in folders: `sessions/<id>/journal.jsonl`, `journal.torn` for what was cut from it,
//! `lock`, `outputs/<call>` and `pictures/<sha256>`. Folders and files are for their owner alone.

use std::{
    collections::HashMap,
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, BufReader, ErrorKind, Seek as _, SeekFrom},
    ops::ControlFlow,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use super::{
    Clock, index,
    journal::{Start, Writer},
    kept, label,
    lock::{self, Lock},
    medium::{Medium, OnDisk},
    pictures,
    reader::{self, ReadBack},
    search::{self, Scan},
    spool::{Bounds, KeptSpool, page},
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

mod reading;
mod whole;

use reading::{READ_AHEAD, ReadingFile};

type Spools = HashMap<(SessionId, CallId), Weak<KeptSpool>>;

/// Sessions on disk, below one folder.
pub struct DiskStore {
    sessions: PathBuf,
    clock: Clock,
    /// Outputs that are being written by this process: their ends may be in no file yet.
    spools: Mutex<Spools>,
    /// How many bytes the sessions keep that this process has written to.
    keeping: Mutex<HashMap<SessionId, u64>>,
    counted: page::Counted,
}

impl DiskStore {
    /// Keeps sessions below `data`, which is made when it is first needed.
    pub fn new(data: PathBuf) -> Self {
        Self::with_clock(data, wall_clock())
    }

    /// The same with another clock.
    pub fn with_clock(data: PathBuf, clock: Clock) -> Self {
        Self {
            sessions: data.join("sessions"),
            clock,
            spools: Mutex::default(),
            keeping: Mutex::default(),
            counted: page::Counted::default(),
        }
    }

    fn folder(&self, session: SessionId) -> PathBuf {
        self.sessions.join(session.to_string())
    }

    /// The folder of a session that exists.
    fn known_folder(&self, session: SessionId) -> Result<PathBuf, StoreError> {
        let folder = self.folder(session);
        match folder.metadata() {
            Ok(_) => Ok(folder),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(StoreError::Unknown(session.to_string()))
            }
            Err(source) => Err(StoreError::Io { doing: "open", path: folder, source }),
        }
    }

    /// The lock and the first line of a new session, in the folder made for it.
    fn begin(&self, spec: SessionSpec, folder: &Path) -> Result<Arc<dyn Journal>, StoreError> {
        let session = spec.id;
        let lock = Lock::take(session, folder)?;
        let path = folder.join(JOURNAL);
        let file = private_file().create_new(true).open(&path).map_err(failed("create", &path))?;
        let medium = OnDisk::new_in(file, vec![self.sessions.clone(), folder.to_owned()]);
        let start = Start { session, path, next: 0, len: 0 };
        let writer = Writer::new(start, Arc::new(medium), self.clock.clone(), Box::new(lock));
        writer.append(Event::SessionStarted { spec }, &|_| {})?;
        Ok(Arc::new(writer))
    }

    fn reading(&self, session: SessionId) -> Result<ReadingFile<File>, StoreError> {
        let path = self.known_folder(session)?.join(JOURNAL);
        let file = File::open(&path).map_err(no_journal(session, &path))?;
        ReadingFile::new(file, session, &path)
    }

    fn live(&self) -> MutexGuard<'_, Spools> {
        self.spools.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for DiskStore {
    fn create(&self, spec: SessionSpec) -> Result<Arc<dyn Journal>, StoreError> {
        make_folder(&self.sessions)?;
        let folder = self.folder(spec.id);
        // Not `recursive`: a session of that name must not be there.
        private_folder().create(&folder).map_err(failed("create", &folder))?;
        let begun = self.begin(spec, &folder);
        if begun.is_err() {
            // Ours alone and without a spec: nothing to keep, and no session to anybody.
            let _ = fs::remove_dir_all(&folder);
        }
        begun
    }

    fn branch(
        &self,
        branch: Branch,
        events: &mut dyn Iterator<Item = Result<Arc<Envelope>, StoreError>>,
    ) -> Result<Arc<dyn Journal>, StoreError> {
        self.begin_copy(branch, events)
    }

    fn delete(&self, sessions: &[SessionId]) -> Result<(), StoreError> {
        self.remove(sessions)
    }

    fn label(&self, session: SessionId, name: &str) -> Result<(), StoreError> {
        let folder = self.known_folder(session)?;
        label::write(&folder, name).map_err(failed("write", &folder.join(label::FILE)))
    }

    fn search(
        &self,
        words: &[String],
        go_on: &dyn Fn() -> bool,
        found: &mut dyn FnMut(Found) -> ControlFlow<()>,
    ) -> Result<Searched, StoreError> {
        let read = |session: &SessionSummary, scan: &mut Scan<'_>| {
            let file = File::open(self.folder(session.spec.id).join(JOURNAL))?;
            scan.journal(&mut BufReader::with_capacity(READ_AHEAD, file), session)
        };
        search::all(self.list()?, words, go_on, found, read)
    }

    fn open(
        &self,
        session: SessionId,
        take: &mut dyn FnMut(&Arc<Envelope>),
    ) -> Result<Opened, StoreError> {
        let folder = self.known_folder(session)?;
        let lock = Lock::take(session, &folder)?;
        let path = folder.join(JOURNAL);
        let file = private_file().open(&path).map_err(no_journal(session, &path))?;
        let medium = OnDisk::known(file);
        let mut reading = ReadingFile::new(medium.file(), session, &path)?;
        let mut name = None;
        while let Some(envelope) = reading.next()? {
            if let Event::SessionNamed { name: given } = &envelope.event {
                name = Some(given.clone());
            }
            take(&envelope);
        }
        let back = reading.reading.into_back();
        let (len, kept_in) = mend(&medium, &back, &folder)?;
        if let Some(name) = name {
            label::mend(&folder, &name);
        }
        let notice = back.notice(&kept_in);
        let start = Start { session, path, next: back.next, len };
        let medium = Arc::new(medium);
        let writer = Writer::new(start, medium, self.clock.clone(), Box::new(lock));
        Ok(Opened { journal: Arc::new(writer), notice })
    }

    fn events(&self, session: SessionId) -> Result<Box<dyn Events>, StoreError> {
        Ok(Box::new(self.reading(session)?))
    }

    fn some(&self, session: SessionId, kinds: Kinds) -> Result<Box<dyn Events>, StoreError> {
        Ok(Box::new(self.reading(session)?.only(kinds)))
    }

    fn since(&self, session: SessionId, from: u64) -> Result<Since, StoreError> {
        let path = self.known_folder(session)?.join(JOURNAL);
        let mut file = File::open(&path).map_err(no_journal(session, &path))?;
        let read = failed("read", &path);
        if file.metadata().map_err(&read)?.len() <= from {
            return Ok(Since { next: from, all: true, ..Since::default() });
        }
        file.seek(SeekFrom::Start(from)).map_err(&read)?;
        let mut input = BufReader::with_capacity(READ_AHEAD, file);
        reader::since(&mut input, session, from).map_err(read)
    }

    fn hold(&self, session: SessionId) -> Result<Hold, StoreError> {
        lock::hold(&self.known_folder(session)?)
    }

    fn list(&self) -> Result<Vec<SessionSummary>, StoreError> {
        index::list(&self.sessions).map_err(failed("read", &self.sessions))
    }

    fn unlisted(&self, listed: &[SessionSummary]) -> Result<Vec<(SessionId, PathBuf)>, StoreError> {
        let names =
            index::unlisted(&self.sessions, listed).map_err(failed("read", &self.sessions))?;
        Ok(names.into_iter().map(|name| (name, self.folder(name))).collect())
    }

    fn spool(&self, session: SessionId, call: CallId) -> Result<Arc<dyn Spool>, StoreError> {
        let mut live = self.live();
        if let Some(spool) = live.get(&(session, call)).and_then(Weak::upgrade) {
            return Ok(spool);
        }
        let folder = self.known_folder(session)?.join(OUTPUTS);
        make_folder(&folder)?;
        let path = folder.join(call.to_string());
        let io = failed("open", &path);
        let file = private_file().create(true).open(&path).map_err(&io)?;
        let medium = Box::new(OnDisk::known(file));
        let spool = KeptSpool::open(medium, path.clone(), Bounds::default()).map_err(&io)?;
        let spool = Arc::new(spool);
        live.retain(|_, spool| spool.strong_count() > 0);
        live.insert((session, call), Arc::downgrade(&spool));
        Ok(spool)
    }

    fn output(
        &self,
        session: SessionId,
        call: CallId,
        lines: usize,
    ) -> Result<OutputPage, StoreError> {
        let path = self.folder(session).join(OUTPUTS).join(call.to_string());
        let live = self.live().get(&(session, call)).and_then(Weak::upgrade);
        if let Some(spool) = live {
            return spool.page(lines).map_err(failed("read", &path));
        }
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(OutputPage::default()),
            Err(source) => return Err(failed("read", &path)(source)),
        };
        let page = file.metadata().and_then(|found| {
            page::of_file(&OnDisk::known(file), &path, found.len(), &self.counted, lines)
        });
        page.map_err(failed("read", &path))
    }

    fn lines(
        &self,
        session: SessionId,
        call: CallId,
        from: u64,
        visit: &mut dyn FnMut(u64, &str) -> ControlFlow<()>,
    ) -> Result<u64, StoreError> {
        let path = self.folder(session).join(OUTPUTS).join(call.to_string());
        let live = self.live().get(&(session, call)).and_then(Weak::upgrade);
        if let Some(spool) = live {
            return spool.lines(from, visit).map_err(failed("read", &path));
        }
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
            Err(source) => return Err(failed("read", &path)(source)),
        };
        let read = file.metadata().and_then(|found| {
            let which = (&*path, found.len());
            page::lines_of_file(&OnDisk::known(file), which, &self.counted, from, visit)
        });
        read.map_err(failed("read", &path))
    }

    fn keep(&self, session: SessionId, call: CallId, bytes: &[u8]) -> Result<Kept, StoreError> {
        let folder = self.known_folder(session)?.join(OUTPUTS);
        make_folder(&folder)?;
        let mut keeping = self.keeping.lock().unwrap_or_else(PoisonError::into_inner);
        let so_far = match keeping.get(&session) {
            Some(bytes) => *bytes,
            None => kept::all(&folder).map_err(failed("read", &folder))?,
        };
        match kept::verdict(so_far, bytes) {
            Kept::Whole => {}
            not @ (Kept::TooLarge | Kept::Full | Kept::Nowhere) => return Ok(not),
        }
        let path = kept::path(&folder, call);
        kept::write(&path, bytes).map_err(failed("write", &path))?;
        keeping.insert(session, so_far + bytes.len() as u64);
        Ok(Kept::Whole)
    }

    fn kept(&self, session: SessionId, call: CallId) -> Result<Option<Vec<u8>>, StoreError> {
        let path = kept::path(&self.known_folder(session)?.join(OUTPUTS), call);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(failed("read", &path)(source)),
        }
    }

    fn keep_picture(&self, session: SessionId, bytes: &[u8]) -> Result<Kept, StoreError> {
        let folder = self.known_folder(session)?.join(pictures::FOLDER);
        make_folder(&folder)?;
        pictures::keep(&folder, bytes).map_err(failed("write a picture in", &folder))
    }

    fn picture(
        &self,
        session: SessionId,
        picture: PictureId,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let folder = self.known_folder(session)?.join(pictures::FOLDER);
        pictures::read(&folder, picture).map_err(failed("read a picture in", &folder))
    }
}

pub(super) const JOURNAL: &str = "journal.jsonl";
const TORN: &str = "journal.torn";
const OUTPUTS: &str = "outputs";

fn private_folder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

fn make_folder(folder: &Path) -> Result<(), StoreError> {
    private_folder().recursive(true).create(folder).map_err(failed("create", folder))
}

fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).append(true).mode(0o600);
    options
}

fn failed(doing: &'static str, path: &Path) -> impl Fn(io::Error) -> StoreError {
    move |source| StoreError::Io { doing, path: path.to_owned(), source }
}

fn no_journal(session: SessionId, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    move |source| {
        if source.kind() != ErrorKind::NotFound {
            return failed("open", path)(source);
        }
        let fault = format!("there is no {}; remove its folder to be rid of it", path.display());
        StoreError::Damaged { session, fault }
    }
}

/// Cuts the unfinished end, which is put aside first, and closes a last line without its newline.
/// Gives the length of the journal and what to say of the end.
fn mend(medium: &OnDisk, back: &ReadBack, folder: &Path) -> Result<(u64, String), StoreError> {
    let mut became_of_end = String::new();
    if back.keep < back.len {
        let torn = folder.join(TORN);
        let mut file = private_file().create(true).open(&torn).map_err(failed("write", &torn))?;
        reader::copy(medium, back.keep..back.len, &mut file)
            .and_then(|()| file.sync_data())
            .map_err(failed("write", &torn))?;
        became_of_end = format!(", kept in {}", torn.display());
        medium.truncate(back.keep).map_err(failed("mend", &folder.join(JOURNAL)))?;
    }
    if !back.unclosed {
        return Ok((back.keep, became_of_end));
    }
    medium.append(b"\n").map_err(failed("mend", &folder.join(JOURNAL)))?;
    Ok((back.keep + 1, became_of_end))
}

#[cfg(test)]
mod tests;
