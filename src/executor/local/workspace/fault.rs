//! Why a file could not be read or written, in words.

use std::{fmt, io};

use rustix::io::Errno;

use crate::kernel::{error::CallError, port::MAX_FILE_BYTES};

/// Why a file could not be read or written.
#[derive(Debug)]
pub(super) enum Fault {
    Io(io::Error),
    Folder,
    NoFile,
    ReadOnly,
    /// A link is on the way that was not there when the path was resolved.
    Moved,
    /// Something else stands there than what was seen.
    Changed,
    TooLarge(u64),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        match Errno::from_io_error(&error) {
            Some(Errno::LOOP) => Self::Moved,
            Some(_) | None => Self::Io(error),
        }
    }
}

impl From<Errno> for Fault {
    fn from(error: Errno) -> Self {
        io::Error::from(error).into()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => match Errno::from_io_error(error) {
                Some(Errno::NOENT) => f.write_str("it is not there. Look which files there are."),
                Some(Errno::ACCESS | Errno::PERM | Errno::ROFS) => {
                    f.write_str("the system does not allow it. Choose another place.")
                }
                Some(Errno::NOTDIR) => {
                    f.write_str("a file stands where a folder is needed. Choose another place.")
                }
                Some(Errno::NOSPC | Errno::DQUOT) => {
                    f.write_str("the disk is full. Nothing was written; make room first.")
                }
                Some(_) | None => write!(f, "{error}. Nothing was changed."),
            },
            Self::Folder => f.write_str("it is a folder. Name a file in it."),
            Self::NoFile => f.write_str("it is no regular file. Name another one."),
            Self::ReadOnly => {
                f.write_str("it is read-only. Make it writable first, if that is what you want.")
            }
            Self::Moved => f.write_str(
                "a link stands in its place or leads in a circle. Look where it leads now, then try again.",
            ),
            Self::Changed => f.write_str("it is no longer the file you saw."),
            Self::TooLarge(bytes) => write!(
                f,
                "{bytes} bytes are more than the {MAX_FILE_BYTES} that can be held at once. \
                 Work on a part of it."
            ),
        }
    }
}

pub(super) fn failed(doing: &str, shown: &str, fault: &Fault) -> CallError {
    CallError::failed(format!("Cannot {doing} {shown}: {fault}"))
}

/// As [`failed`], for what was decided on a file that another has taken the place of.
pub(super) fn not_done(doing: &str, done: &str, shown: &str, fault: &Fault) -> CallError {
    match fault {
        Fault::Moved | Fault::Changed => CallError::failed(format!(
            "Not {done}: {shown} is no longer the file you saw. Read it again and make the change anew."
        )),
        Fault::Io(_) | Fault::Folder | Fault::NoFile | Fault::ReadOnly | Fault::TooLarge(_) => {
            failed(doing, shown, fault)
        }
    }
}
