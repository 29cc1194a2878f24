//! What is known of the file that is looked at: where some of its lines begin, as far as it was read.

use std::{
    collections::VecDeque,
    fs::{File, OpenOptions},
    io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    Ask, BYTES, COLOURED, FAR, FOUND, Fault, LINES, Mark, Page, Read,
    line::{End, has, next, text},
};
use crate::tui::highlight;

/// Bytes read between two looks at whether anybody still waits.
const CHUNK: usize = 4 << 20;

/// Where so much is not counted yet, the end is shown before it is.
const LONG: u64 = 16 << 20;

/// Beginnings of lines that are known at the most; with more lines they lie further apart.
const BEGINNINGS: usize = 1 << 16;

/// Bytes that are looked at to tell a text.
const HEAD: usize = 8 << 10;

/// Lines before the one that is asked for.
const BEFORE: u64 = 150;

/// Reads one file at a time; clones share what they know of it.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    known: Arc<Mutex<Option<Known>>>,
    /// The file that was opened last: nobody waits for what is read of others.
    turn: Arc<AtomicU64>,
}

/// What is known of a file.
#[derive(Debug)]
struct Known {
    path: PathBuf,
    mark: Mark,
    /// Where each line of that distance begins.
    beginnings: Vec<u64>,
    every: u64,
    /// How far it was read, and the lines that end before that.
    bytes: u64,
    lines: u64,
    /// Something stands behind the last line end.
    open: bool,
    ended: bool,
}

/// A file that somebody looks at.
#[derive(Clone, Debug)]
pub struct Visit {
    reader: Reader,
    turn: u64,
    root: PathBuf,
    path: PathBuf,
}

impl Reader {
    /// Looks at another file, or at none: what is still read of others stops.
    pub fn open(&self) {
        self.turn.fetch_add(1, Ordering::Relaxed);
    }

    /// To be asked about a file below a folder, or outside of it if it is named so.
    pub fn visit(&self, root: PathBuf, path: PathBuf) -> Visit {
        Visit { reader: self.clone(), turn: self.turn.load(Ordering::Relaxed), root, path }
    }
}

impl Visit {
    /// Does what is asked; nothing if nobody waits for it any more. Blocks as long as the disk does.
    pub fn ask(&self, ask: Ask) -> Option<Read> {
        match ask {
            Ask::Page(line) => self.page(Some(line)),
            Ask::Last => self.page(None),
            Ask::Count => {
                let (mut file, mark) = self.open().ok()?;
                let lines = self.scan(&mut file, mark, u64::MAX)?;
                Some(Read::Count(mark, lines))
            }
            Ask::Find(word) => self.find(word),
            Ask::Colours => self.colours(),
            Ask::Look(known) => {
                let now = self.open().ok().map(|(_, mark)| mark);
                (now != known).then_some(Read::Other)
            }
            Ask::Close => None,
        }
    }

    fn is_over(&self) -> bool {
        self.reader.turn.load(Ordering::Relaxed) != self.turn
    }

    /// Opens it if it is a file, and where it is said to be.
    fn open(&self) -> Result<(File, Mark), Fault> {
        let failed = |error: io::Error| {
            let gone = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
            if gone.contains(&error.kind()) {
                Fault::Gone
            } else {
                Fault::Unreadable(error.to_string())
            }
        };
        // Named as inside, it has to be inside.
        if let Ok(root) = self.root.canonicalize()
            && (self.path.starts_with(&self.root) || self.path.starts_with(&root))
        {
            let real = self.path.canonicalize().map_err(failed)?;
            if !real.starts_with(&root) {
                return Err(Fault::Outside(real));
            }
        }
        // A pipe would be waited for otherwise.
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        let flags = i32::try_from(flags.bits()).unwrap_or(0);
        let opened = OpenOptions::new().read(true).custom_flags(flags).open(&self.path);
        let file = match opened {
            Ok(file) => file,
            // A socket.
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error()) => {
                return Err(Fault::Special);
            }
            Err(error) => return Err(failed(error)),
        };
        let meta = file.metadata().map_err(failed)?;
        if meta.is_dir() {
            return Err(Fault::Folder);
        }
        if !meta.is_file() {
            return Err(Fault::Special);
        }
        let mark = Mark {
            file: (meta.dev(), meta.ino()),
            size: meta.len(),
            changed: (meta.mtime(), meta.mtime_nsec()),
        };
        Ok((file, mark))
    }

    fn page(&self, line: Option<u64>) -> Option<Read> {
        let (mut file, mark) = match self.open() {
            Ok(opened) => opened,
            Err(fault) => return Some(Read::Page(Err(fault))),
        };
        let failed = |error: io::Error| Some(Read::Page(Err(Fault::Unreadable(error.to_string()))));
        match is_binary(&mut file) {
            Ok(true) => return Some(Read::Page(Err(Fault::Binary(mark)))),
            Ok(false) => {}
            Err(error) => return failed(error),
        }
        if line.is_none() && self.left(mark) > LONG {
            match tail(&file, mark) {
                Ok(Some(page)) => return Some(Read::Page(Ok(page))),
                // It is not told from its end where a line begins.
                Ok(None) => {}
                Err(error) => return failed(error),
            }
        }
        let known = self.scan(&mut file, mark, line.unwrap_or(u64::MAX))?;
        // There are as many as are wanted, or these are all.
        let line = line.unwrap_or(known).min(known.max(1) - 1);
        let first = line.saturating_sub(BEFORE);
        let begins = self.beginning(mark, first)?;
        match page(file, mark, begins, first, line) {
            Ok(page) => Some(Read::Page(Ok(page))),
            Err(error) => failed(error),
        }
    }

    /// Reads on until it is known where that line begins, or to the end; gives the lines that are
    /// known then.
    fn scan(&self, file: &mut File, mark: Mark, line: u64) -> Option<u64> {
        let mut buffer = Vec::new();
        loop {
            let mut known = self.reader.known.lock().unwrap_or_else(PoisonError::into_inner);
            if self.is_over() {
                return None;
            }
            let is_it = |known: &&mut Known| known.path == self.path && known.mark == mark;
            if known.as_mut().filter(is_it).is_none() {
                *known = None;
            }
            let known = known.get_or_insert_with(|| Known::of(&self.path, mark));
            if known.ended || known.lines >= line {
                return Some(known.count());
            }
            buffer.resize(CHUNK, 0);
            // What was read is lost with an error; what is known stays right.
            let read = file
                .seek(SeekFrom::Start(known.bytes))
                .and_then(|_| file.read(&mut buffer))
                .ok()?;
            known.read(&buffer[..read]);
        }
    }

    /// How much of it was not counted yet.
    fn left(&self, mark: Mark) -> u64 {
        let known = self.reader.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.as_ref().filter(|known| known.mark == mark && known.path == self.path);
        mark.size.saturating_sub(known.map_or(0, |known| known.bytes))
    }

    /// The last beginning that is known before a line: its byte, and its line.
    fn beginning(&self, mark: Mark, line: u64) -> Option<(u64, u64)> {
        let known = self.reader.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.as_ref().filter(|known| known.mark == mark && known.path == self.path)?;
        let at = (line / known.every).min(known.beginnings.len() as u64 - 1);
        let byte = known.beginnings.get(usize::try_from(at).ok()?)?;
        Some((*byte, at * known.every))
    }

    fn find(&self, word: String) -> Option<Read> {
        let (file, _) = self.open().ok()?;
        let exact = word.chars().any(char::is_uppercase);
        let mut lines = Vec::new();
        let (mut number, mut since) = (0, 0);
        let mut file = BufReader::with_capacity(256 << 10, file);
        let mut line = Vec::new();
        loop {
            line.clear();
            // A line without an end is looked at in parts, and told of once.
            let part = file.by_ref().take(CHUNK as u64).read_until(b'\n', &mut line).ok()?;
            if part == 0 || lines.len() > FOUND {
                break;
            }
            since += part;
            if since > CHUNK {
                since = 0;
                if self.is_over() {
                    return None;
                }
            }
            if lines.last() != Some(&number) && has(&line, &word, exact) {
                lines.push(number);
            }
            number += u64::from(line.ends_with(b"\n"));
        }
        let more = lines.len() > FOUND;
        lines.truncate(FOUND);
        Some(Read::Found { word, lines, more })
    }

    /// The colours of a script.
    fn colours(&self) -> Option<Read> {
        let python = self.path.extension().is_some_and(|end| end == "py" || end == "pyi");
        let (file, mark) = self.open().ok().filter(|(_, mark)| python && mark.size <= COLOURED)?;
        let mut text = String::new();
        file.take(COLOURED).read_to_string(&mut text).ok()?;
        Some(Read::Colours(mark, highlight::highlight(&text)))
    }
}

impl Known {
    fn of(path: &Path, mark: Mark) -> Self {
        Self {
            path: path.to_owned(),
            mark,
            beginnings: vec![0],
            every: 64,
            bytes: 0,
            lines: 0,
            open: false,
            ended: false,
        }
    }

    /// Takes in what stands next; nothing where that is the end.
    fn read(&mut self, bytes: &[u8]) {
        self.ended = bytes.is_empty();
        self.open = bytes.last().map_or(self.open, |last| *last != b'\n');
        for at in memchr::memchr_iter(b'\n', bytes) {
            self.lines += 1;
            if self.lines.is_multiple_of(self.every) {
                self.beginnings.push(self.bytes + at as u64 + 1);
            }
            if self.beginnings.len() >= BEGINNINGS {
                let mut at = 0;
                self.beginnings.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
                self.every *= 2;
            }
        }
        self.bytes += bytes.len() as u64;
    }

    /// The lines so far; what stands behind the last line end is one as well.
    fn count(&self) -> u64 {
        self.lines + u64::from(self.open)
    }
}

fn is_binary(file: &mut File) -> io::Result<bool> {
    let mut head = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head.contains(&0))
}

/// The last lines, not counted; nothing where the last bytes are all of one line.
fn tail(mut file: &File, mark: Mark) -> io::Result<Option<Page>> {
    let from = mark.size.saturating_sub(BYTES as u64);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(BYTES as u64).read_to_end(&mut bytes)?;
    let Some(at) = memchr::memchr(b'\n', &bytes).filter(|at| at + 1 < bytes.len()) else {
        return Ok(None);
    };
    let begins = (from + at as u64 + 1, FAR);
    let page = page(file.try_clone()?, mark, begins, FAR, u64::MAX)?;
    Ok(Some(Page { counted: false, ..page }))
}

/// The lines around one, from where a line begins that is not behind the first of them.
fn page(
    file: File,
    mark: Mark,
    (byte, mut number): (u64, u64),
    first: u64,
    line: u64,
) -> io::Result<Page> {
    let mut file = BufReader::with_capacity(64 << 10, file);
    file.seek(SeekFrom::Start(byte))?;
    let mut page = Page { mark, first, counted: true, lines: Vec::new(), ends: false, crlf: false };
    let (mut lines, mut size) = (VecDeque::new(), 0);
    loop {
        let (bytes, end) = next(&mut file)?;
        if end == End::File && bytes.is_empty() {
            page.ends = true;
            break;
        }
        if number >= first {
            let text = text(bytes, &end, &mut page.crlf);
            size += text.len();
            lines.push_back(text);
        }
        // What stands before it gives way to it.
        while number <= line && size > BYTES / 2 && lines.len() > 2 {
            size -= lines.pop_front().map_or(0, |line| line.len());
            page.first += 1;
        }
        number += 1;
        if end == End::Far || (number > line && (lines.len() >= LINES || size >= BYTES)) {
            page.ends = end == End::File || (end == End::Line(0) && file.fill_buf()?.is_empty());
            break;
        }
    }
    page.lines = lines.into();
    Ok(page)
}

#[cfg(test)]
mod tests;
