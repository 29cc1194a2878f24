//! The list of sessions from the heads of their journals: never a whole file.

use std::{
    cmp::Reverse,
    collections::HashSet,
    fs::{self, File},
    io,
    os::unix::fs::FileExt,
    path::Path,
    thread,
};

use jiff::Timestamp;

use super::{disk::JOURNAL, label, reader};
use crate::kernel::{event::Event, id::SessionId, port::SessionSummary};

/// How much of a journal is read for its line in the list; the first words are mostly in it.
const HEAD: usize = 4 << 10;
/// The longest first line that is believed.
const HEAD_MAX: usize = 1 << 20;
/// The longest title, in characters.
const TITLE_MAX: usize = 80;

/// The sessions below that folder, newest first; none if it is not there. Those that are damaged
/// are left out with a warning.
pub(super) fn list(sessions: &Path) -> io::Result<Vec<SessionSummary>> {
    let names = names(sessions)?;
    // Opening files is mostly waiting for the system, which has more than one core.
    let (one, other) = names.split_at(names.len() / 2);
    let mut found = thread::scope(|scope| {
        let one = scope.spawn(|| summaries(sessions, one));
        let mut found = summaries(sessions, other);
        found.extend(one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        found
    });
    newest_first(&mut found);
    Ok(found)
}

/// Those that are left out of that list, by their names.
pub(super) fn unlisted(sessions: &Path, listed: &[SessionSummary]) -> io::Result<Vec<SessionId>> {
    let mut names = names(sessions)?;
    let of = |listed: &[SessionSummary]| -> HashSet<SessionId> {
        listed.iter().map(|summary| summary.spec.id).collect()
    };
    let known = of(listed);
    names.retain(|name| !known.contains(name));
    // One may have begun since.
    let begun = of(&summaries(sessions, &names));
    names.retain(|name| !begun.contains(name));
    names.sort_unstable();
    Ok(names)
}

fn names(sessions: &Path) -> io::Result<Vec<SessionId>> {
    let entries = match fs::read_dir(sessions) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry?.file_name().to_str().and_then(|name| name.parse::<SessionId>().ok()));
    }
    Ok(names)
}

/// Puts a list in the order people want it in.
pub(super) fn newest_first(found: &mut [SessionSummary]) {
    found.sort_by_key(|one| Reverse((one.changed, one.spec.id)));
}

/// What the first bytes of a journal tell of its session; nothing if they are not the start of one.
pub(super) fn summary(head: &[u8], changed: Timestamp) -> Option<SessionSummary> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let mut lines = head.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let first = reader::event(lines.next()?)?;
    let Event::SessionStarted { spec } = first.event else { return None };
    (spec.id == first.session).then_some(())?;
    let title = lines.find_map(words);
    Some(SessionSummary { spec, started: first.at, changed, title, name: None })
}

fn summaries(sessions: &Path, names: &[SessionId]) -> Vec<SessionSummary> {
    let mut found = Vec::with_capacity(names.len());
    let mut head = vec![0; HEAD];
    for name in names {
        let path = sessions.join(name.to_string()).join(JOURNAL);
        match read_summary(&path, &mut head) {
            Ok(Some(summary)) if summary.spec.id == *name => {
                found.push(SessionSummary { name: label::read(&path), ..summary });
            }
            Ok(_) => tracing::warn!(path = %path.display(), "a damaged journal is not listed"),
            Err(error) => tracing::warn!(%error, path = %path.display(), "cannot list a session"),
        }
    }
    found
}

fn read_summary(path: &Path, head: &mut Vec<u8>) -> io::Result<Option<SessionSummary>> {
    let file = File::open(path)?;
    let changed = Timestamp::try_from(file.metadata()?.modified()?).map_err(io::Error::other)?;
    head.resize(HEAD, 0);
    let mut len = file.read_at(head, 0)?;
    loop {
        let found = summary(&head[..len], changed);
        // Long instructions make a long first line, and much may come before the first words.
        let is_all = len < head.len() || len >= HEAD_MAX;
        if is_all || found.as_ref().is_some_and(|found| found.title.is_some()) {
            return Ok(found);
        }
        head.resize(len * 2, 0);
        len += file.read_at(&mut head[len..], len as u64)?;
    }
}

/// The title that a line gives, whole or cut off by the end of the head.
fn words(line: &[u8]) -> Option<String> {
    const TYPE: &[u8] = b"\"type\":\"message_sent\",\"text\":\"";
    let Some(start) = line.windows(TYPE.len()).position(|part| part == TYPE) else {
        return written_anew(line);
    };
    let start = start + TYPE.len();
    let quoted = &line[start..];
    let mut end = 0;
    // Only as much as a title can need, and no half escape.
    while end < quoted.len().min(8 * TITLE_MAX) && quoted[end] != b'"' {
        let step = match quoted[end..] {
            [b'\\', b'u', ..] => 6,
            [b'\\', ..] => 2,
            _ => 1,
        };
        if end + step > quoted.len() {
            break;
        }
        end += step;
    }
    // A pair of escapes may still be halved; without its last part it is whole.
    let text = String::from_utf8_lossy(&quoted[..end]);
    let unescaped = |text: &str| serde_json::from_str::<String>(&format!("\"{text}\"")).ok();
    let text = unescaped(&text).or_else(|| unescaped(text.get(..text.len().checked_sub(6)?)?))?;
    title(&text)
}

/// The title that a whole line gives which another program wrote.
fn written_anew(line: &[u8]) -> Option<String> {
    const TYPE: &[u8] = b"\"message_sent\"";
    line.windows(TYPE.len()).any(|part| part == TYPE).then_some(())?;
    let Event::MessageSent { text, .. } = reader::event(line)?.event else { return None };
    title(&text)
}

fn title(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().take(TITLE_MAX).collect())
}

#[cfg(test)]
mod tests;
