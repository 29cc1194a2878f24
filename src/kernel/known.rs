//! What a session knows of files: how each was when it last read or wrote it, so that it never writes a
//! file anew without having seen what another put there.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value;

use super::{event::Event, port::Mark};

/// The longest file of which that is kept, in bytes: marking it takes time.
const LONGEST: usize = 1 << 20;

/// Of how many files it is kept; with one more, all of it is forgotten.
const MOST: usize = 4_096;

/// The capability that shows a file to a session.
const READS: &str = "files.read";

/// What the calls of one session saw. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Known(Arc<Mutex<Seen>>);

/// The files that were seen, by their real places.
pub type Seen = HashMap<PathBuf, Was>;

/// How a file was when it was seen last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Was {
    /// It had these bytes.
    Marked(Mark),
    /// It was read before the session was carried on, and nothing tells how it was then.
    Before,
}

/// How a file stands to what a session saw of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stands {
    /// It is as it was seen, or it was never seen.
    Same,
    /// It has other bytes.
    Another,
    /// It was seen before the session was carried on, and may have other bytes.
    Unsure,
}

/// Takes the next event of a journal in, of a session that is to be carried on. A file that was read
/// stands there as it was named, below that workspace: whoever hands it on resolves links.
#[expect(clippy::wildcard_enum_match_arm, reason = "the rest shows no file")]
pub fn seen_by(seen: &mut Seen, workspace: &Path, event: &Event) {
    let (real, was) = match event {
        Event::CallStarted { call, .. } if call.name == READS => {
            let Some(path) = call.input.get("path").and_then(Value::as_str) else { return };
            (workspace.join(path), Was::Before)
        }
        Event::ChangeBegun { change, .. } => match &change.after {
            Some(mark) => (change.path.clone(), Was::Marked(mark.clone())),
            None => {
                seen.remove(&change.path);
                return;
            }
        },
        _ => return,
    };
    if seen.len() < MOST || seen.contains_key(&real) {
        seen.insert(real, was);
    }
}

impl Known {
    /// What an earlier process saw of the session that goes on here.
    pub fn remember(&self, seen: Seen) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = seen;
    }

    /// The file at that real place was seen, or made, with these bytes.
    pub fn saw(&self, real: &Path, bytes: &[u8]) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if bytes.len() > LONGEST {
            files.remove(real);
            return;
        }
        if files.len() >= MOST && !files.contains_key(real) {
            files.clear();
        }
        files.insert(real.to_owned(), Was::Marked(Mark::of(bytes)));
    }

    /// How the file as it is now stands to what the session saw.
    pub fn stands(&self, real: &Path, now: &Mark) -> Stands {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match files.get(real) {
            Some(Was::Marked(seen)) if !seen.means(now) => Stands::Another,
            Some(Was::Before) => Stands::Unsure,
            Some(Was::Marked(_)) | None => Stands::Same,
        }
    }

    /// The file is gone, and no more is known of it; whether anything was.
    pub fn gone(&self, real: &Path) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(real).is_some()
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::kernel::{
        capability::Category,
        change::{Before, Change},
        event::{Call, Decider, Decision, Origin},
        gate::subject::Subject,
    };

    #[test]
    fn of_files_that_are_too_long_or_too_many_nothing_is_known() {
        let (known, file) = (Known::default(), Path::new("/a"));
        assert!(known.stands(file, &Mark::of(b"one")) == Stands::Same);
        known.saw(file, b"one");
        assert!(known.stands(file, &Mark::of(b"one")) == Stands::Same);
        assert!(known.stands(file, &Mark::of(b"two")) == Stands::Another);
        known.saw(file, &[0; LONGEST + 1]);
        assert!(known.stands(file, &Mark::of(b"two")) == Stands::Same);
        known.saw(file, b"one");
        for number in 0..MOST {
            known.saw(Path::new(&format!("/{number}")), b"x");
        }
        assert!(known.stands(file, &Mark::of(b"two")) == Stands::Same);
    }

    #[test]
    fn of_a_journal_what_was_written_is_known_and_what_was_read_is_to_be_read_again() {
        let mut seen = Seen::new();
        let (workspace, read, wrote) =
            (Path::new("/w"), Path::new("/w/read"), Path::new("/w/wrote"));
        for event in [reads("read"), changes(wrote, Some(b"mine"))] {
            seen_by(&mut seen, workspace, &event);
        }
        let known = Known::default();
        known.remember(seen.clone());
        assert_eq!(known.stands(read, &Mark::of(b"any")), Stands::Unsure);
        assert_eq!(known.stands(wrote, &Mark::of(b"mine")), Stands::Same);
        assert_eq!(known.stands(wrote, &Mark::of(b"theirs")), Stands::Another);
        assert_eq!(known.stands(Path::new("/w/other"), &Mark::of(b"x")), Stands::Same);
        known.saw(read, b"now");
        assert_eq!(known.stands(read, &Mark::of(b"now")), Stands::Same);
        seen_by(&mut seen, workspace, &changes(wrote, None));
        assert!(!seen.contains_key(wrote), "it was taken away by the session itself");
    }

    fn reads(path: &str) -> Event {
        let call = Call {
            id: 1.into(),
            name: READS.to_owned(),
            input: serde_json::json!({ "path": path }),
            origin: Origin::Model,
            parent: None,
        };
        let decision = Decision::allowed(Decider::Person);
        Event::CallStarted { call, category: Category::Read, decision, subject: Subject::Other }
    }

    fn changes(path: &Path, after: Option<&[u8]>) -> Event {
        let change = Change {
            path: path.to_owned(),
            shown: String::new(),
            before: Before::Nothing,
            after: after.map(Mark::of),
            more: 0,
            fewer: 0,
            undoes: None,
        };
        Event::ChangeBegun { call: 2.into(), change }
    }
}
