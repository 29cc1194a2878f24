//! Files as somebody looks at them: some lines around one, whatever the size of the file, read beside the
//! loop. Nothing is ever written, and nothing but plain files is opened.

mod line;
mod reader;

use std::{fmt, path::PathBuf};

pub use reader::Reader;

/// The most lines that are read at once, around the one that is asked for.
pub const LINES: usize = 600;

/// The most bytes likewise.
pub const BYTES: usize = 128 << 10;

/// The most bytes of one line; how many more it has is said.
pub const LINE: usize = 32 << 10;

/// Where the numbers begin of lines at the end of a file that was not counted yet: behind all others.
pub const FAR: u64 = 1 << 62;

/// Larger files have no colours.
pub const COLOURED: u64 = 512 << 10;

/// Lines that are told of in a search.
pub const FOUND: usize = 10_000;

/// What tells that a file is still the one that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    pub(super) file: (u64, u64),
    pub size: u64,
    pub(super) changed: (i64, i64),
}

/// Some lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub mark: Mark,
    /// The number of the first one, from 0.
    pub first: u64,
    /// It was counted up to there; else that number counts on from [`FAR`] until all of it was.
    pub counted: bool,
    /// Without their ends; bytes that are no UTF-8 are replaced.
    pub lines: Vec<String>,
    /// The last of them is the last of the file.
    pub ends: bool,
    /// Its lines end as on Windows.
    pub crlf: bool,
}

/// Why nothing is shown of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    Gone,
    Folder,
    /// A device, a pipe or a socket.
    Special,
    /// It is a link, or lies behind one, that leads out of the folder worked in.
    Outside(PathBuf),
    Binary(Mark),
    Unreadable(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone => write!(f, "It is not there any more."),
            Self::Folder => write!(f, "It is a folder."),
            Self::Special => write!(f, "It is a device, a pipe or a socket, and no file."),
            Self::Outside(real) => write!(
                f,
                "It is a link out of the folder that is worked in, to {}. Nothing of that is shown.",
                real.display()
            ),
            Self::Binary(mark) => {
                let bytes = super::words::grouped(mark.size);
                write!(f, "It is no text: {bytes} bytes, and zeros among the first.")
            }
            Self::Unreadable(why) => write!(f, "It cannot be read: {why}."),
        }
    }
}

/// What is wanted of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// The lines around that one, or the last ones.
    Page(u64),
    Last,
    /// How many lines it has.
    Count,
    /// The lines that have a word.
    Find(String),
    Colours,
    /// Whether it is another one than that by now.
    Look(Option<Mark>),
    /// Nothing any more.
    Close,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read {
    Page(Result<Page, Fault>),
    Count(Mark, u64),
    /// The lines that have the word, the first so many of them; whether there are more.
    Found {
        word: String,
        lines: Vec<u64>,
        more: bool,
    },
    Colours(Mark, Vec<super::highlight::Colours>),
    /// It is another one now, or gone.
    Other,
}
