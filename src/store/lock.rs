//! One writer a session. The lock belongs to an open descriptor, so it ends with its holder however
//! that ends; the text in the file only tells others whom to look for.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
    thread,
    time::Duration,
};

use crate::kernel::{
    id::SessionId,
    port::{Hold, StoreError},
};

/// Longest text of a holder that is believed.
const HOLDER_MAX: u64 = 200;

/// How often a lock that is held is tried again, and how long after: whoever only looks at it has it
/// for some microseconds.
const TRIES: usize = 3;
const LOOKING: Duration = Duration::from_millis(1);

/// A session's lock, held until it is dropped.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Lock {
    /// Takes the lock of the session in that folder, or tells who has it. Does not wait for them.
    pub(super) fn take(session: SessionId, folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join("lock");
        let io = |source| StoreError::Io { doing: "lock", path: path.clone(), source };
        // The file is never removed: whoever waits on a removed one would hold a lock of its own.
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(io)?;
        let mut tries = 0;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if tries < TRIES => {
                    tries += 1;
                    #[expect(
                        clippy::disallowed_methods,
                        reason = "no event tells that a lock is free"
                    )]
                    thread::sleep(LOOKING);
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(StoreError::Held { session, holder: holder(&file) });
                }
                Err(TryLockError::Error(source)) => return Err(io(source)),
            }
        }
        // A full disk hides our name from others; it does not weaken the lock.
        if let Err(error) = file.set_len(0).and_then(|()| file.write_all(ourselves().as_bytes())) {
            tracing::warn!(%error, path = %path.display(), "the lock does not name its holder");
        }
        Ok(Self(file))
    }
}

/// Who holds the lock of the session in that folder.
pub(super) fn hold(folder: &Path) -> Result<Hold, StoreError> {
    let path = folder.join("lock");
    let io = |source| StoreError::Io { doing: "look at", path: path.clone(), source };
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Hold::Free),
        Err(source) => return Err(io(source)),
    };
    // Shared, so that those who look do not take each other for somebody who writes.
    match file.try_lock_shared() {
        Ok(()) => {
            file.unlock().map_err(io)?;
            Ok(Hold::Free)
        }
        Err(TryLockError::WouldBlock) => Ok(Hold::Held(holder(&file))),
        Err(TryLockError::Error(source)) => Err(io(source)),
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // To close it is not enough: a program that another thread is just starting has the
        // descriptor as well, until it becomes that program.
        let _ = self.0.unlock();
    }
}

fn ourselves() -> String {
    let terminal = rustix::termios::ttyname(std::io::stdin(), Vec::new());
    let on = terminal.map(|name| {
        let name = name.to_string_lossy();
        format!(" on {}", name.strip_prefix("/dev/").unwrap_or(&name))
    });
    let on = on.unwrap_or_default();
    format!("process {}{on}", std::process::id())
}

fn holder(file: &File) -> Option<String> {
    let mut text = String::new();
    file.take(HOLDER_MAX).read_to_string(&mut text).ok()?;
    text.retain(|character| !character.is_control());
    if is_stopped(&text) {
        text.push_str(", stopped: let it go on there with fg, or end it");
    }
    (!text.is_empty()).then_some(text)
}

/// Whether the process of that text stands still, as after ctrl-z; where the system tells.
fn is_stopped(text: &str) -> bool {
    let number = text.strip_prefix("process ").and_then(|rest| rest.split(' ').next());
    let Some(number) = number.and_then(|number| number.parse::<u32>().ok()) else { return false };
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
    // The name, in brackets, may hold anything.
    let state = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next());
    matches!(state, Some("T" | "t"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_was_let_go_is_free_although_another_program_has_the_descriptor() {
        let folder = tempfile::tempdir().unwrap();
        let lock = Lock::take(1.into(), folder.path()).unwrap();
        let inherited = lock.0.try_clone().unwrap();
        drop(lock);
        Lock::take(1.into(), folder.path()).unwrap();
        drop(inherited);
    }

    #[test]
    fn to_look_at_a_lock_tells_who_has_it_and_takes_it_from_nobody() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(hold(folder.path()).unwrap(), Hold::Free, "there is none");
        let lock = Lock::take(1.into(), folder.path()).unwrap();
        let Hold::Held(Some(by)) = hold(folder.path()).unwrap() else { panic!("it is held") };
        assert!(by.starts_with(&format!("process {}", std::process::id())), "{by}");
        assert!(!by.contains("/dev/"), "{by}");
        drop(lock);
        assert_eq!(hold(folder.path()).unwrap(), Hold::Free);
    }
}
