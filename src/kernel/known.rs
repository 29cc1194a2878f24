//! What a session knows of files: how each was when it last read or wrote it, so that it never writes a
//! file anew without having seen what another put there.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use super::port::Mark;

/// The longest file of which that is kept, in bytes: marking it takes time.
const LONGEST: usize = 1 << 20;

/// Of how many files it is kept; with one more, all of it is forgotten.
const MOST: usize = 4_096;

/// What the calls of one session saw. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Known(Arc<Mutex<HashMap<PathBuf, Mark>>>);

impl Known {
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
        files.insert(real.to_owned(), Mark::of(bytes));
    }

    /// Whether the file is another by now than the session saw. One that it never saw is not.
    pub fn is_another(&self, real: &Path, now: &Mark) -> bool {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.get(real).is_some_and(|seen| !seen.means(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_files_that_are_too_long_or_too_many_nothing_is_known() {
        let (known, file) = (Known::default(), Path::new("/a"));
        assert!(!known.is_another(file, &Mark::of(b"one")));
        known.saw(file, b"one");
        assert!(!known.is_another(file, &Mark::of(b"one")));
        assert!(known.is_another(file, &Mark::of(b"two")));
        known.saw(file, &[0; LONGEST + 1]);
        assert!(!known.is_another(file, &Mark::of(b"two")));
        known.saw(file, b"one");
        for number in 0..MOST {
            known.saw(Path::new(&format!("/{number}")), b"x");
        }
        assert!(!known.is_another(file, &Mark::of(b"two")));
    }
}
