//! The files of a folder as somebody may name them in a message: found by fuzzy words, off the loop. What
//! ignore files leave out is not there, and of a huge tree only so much is known, which is said.

use std::{
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use ignore::WalkBuilder;
use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{CaseMatching, Normalization, Pattern},
};
use tokio::time::Instant;

use super::clean;

/// Names that are known of one tree.
const MOST: usize = 100_000;
/// How long it is looked at.
const LOOKS: Duration = Duration::from_secs(2);
/// How long what was found counts.
const FRESH: Duration = Duration::from_secs(10);
/// Rows that are given.
const ROWS: usize = 50;

/// A file or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Where it is, from the folder on, bytes that are no UTF-8 as numbers; it may hold anything else.
    pub path: String,
    /// How a message names it.
    pub text: String,
    /// The path itself, where it is not what a person sees of it.
    pub raw: Option<PathBuf>,
}

impl Name {
    /// That of a file.
    pub fn of(path: &Path) -> Self {
        named(path, false)
    }

    /// The path, from the folder on.
    pub fn real(&self) -> &Path {
        self.raw.as_deref().unwrap_or(Path::new(&self.path))
    }
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The best first.
    pub names: Vec<Name>,
    /// How many there are that fit.
    pub fit: usize,
    /// There may be more than were looked at.
    pub cut: bool,
}

/// Finds files; clones share what they know.
#[derive(Clone, Debug, Default)]
pub struct Finder {
    tree: Arc<Mutex<Option<Tree>>>,
    /// The last one that was asked for: the others are not needed any more.
    asked: Arc<AtomicU64>,
}

#[derive(Debug)]
struct Tree {
    root: PathBuf,
    at: Instant,
    names: Vec<Name>,
    cut: bool,
}

/// A number for one question, in the order in which they are asked.
#[derive(Clone, Copy, Debug)]
pub struct Turn(u64);

impl Finder {
    /// To be taken before [`Finder::find`], where the order is known.
    pub fn turn(&self) -> Turn {
        Turn(self.asked.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// The files below a folder that fit these words; nothing if something else was asked for since.
    /// Blocks for up to some seconds.
    pub fn find(&self, turn: Turn, root: &Path, words: &str) -> Option<Found> {
        let mut known = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        if self.asked.load(Ordering::Relaxed) != turn.0 {
            return None;
        }
        let fresh = |tree: &&Tree| tree.root == root && tree.at.elapsed() < FRESH;
        if known.as_ref().filter(fresh).is_none() {
            *known = Some(walk(root, MOST, LOOKS));
        }
        let tree = known.as_ref()?;
        Some(matching(&tree.names, words, tree.cut))
    }
}

fn walk(root: &Path, most: usize, looks: Duration) -> Tree {
    let begun = Instant::now();
    let mut tree = Tree { root: root.to_owned(), at: begun, names: Vec::new(), cut: false };
    // Files with a dot are somebody's as well, but not the inside of a repository.
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    for entry in walk.skip(1) {
        // What cannot be read has no name to give.
        let Ok(entry) = entry else { continue };
        if tree.names.len() >= most || begun.elapsed() > looks {
            tree.cut = true;
            break;
        }
        let Ok(path) = entry.path().strip_prefix(root) else { continue };
        let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        tree.names.push(named(path, folder));
    }
    // By depth, then by name, so that what fits equally well stands in an order.
    tree.names.sort_by_cached_key(|name| {
        let path = name.path.trim_end_matches('/');
        (path.matches('/').count(), path.to_owned())
    });
    tree
}

fn matching(names: &[Name], words: &str, cut: bool) -> Found {
    let pattern = Pattern::parse(words, CaseMatching::Smart, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    let mut chars = Vec::new();
    let mut scored: Vec<(u32, usize)> = names
        .iter()
        .enumerate()
        .filter_map(|(at, name)| {
            let score = pattern.score(Utf32Str::new(&name.path, &mut chars), &mut matcher)?;
            Some((score, at))
        })
        .collect();
    let fit = scored.len();
    // A short name is nearer to the same words than a long one.
    let length = |at: usize| if words.is_empty() { 0 } else { names[at].path.len() };
    scored.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), length(*at), *at));
    let best = scored.into_iter().take(ROWS).map(|(_, at)| names[at].clone());
    Found { names: best.collect(), fit, cut }
}

/// How a message names that file.
pub(super) fn name(path: &Path) -> String {
    named(path, false).text
}

/// How that path is named in a message: as it is if nobody can misread that, else as a Python literal,
/// bytes that are no UTF-8 as Python itself names them, so that it reaches that file and no other.
fn named(path: &Path, folder: bool) -> Name {
    let mut shown = legible(path);
    let plain = path.to_str().filter(|text| {
        clean::shown(text) == *text && !text.contains([' ', '"', '\\', '\t']) && !text.is_empty()
    });
    let slash = if folder { "/" } else { "" };
    let text = match plain {
        Some(text) => format!("{text}{slash}"),
        None => format!("\"{}{slash}\"", literal(path)),
    };
    let raw = (Path::new(&shown) != path).then(|| path.to_owned());
    shown.push_str(slash);
    Name { path: shown, text, raw }
}

/// The path for a person: bytes that are no UTF-8 as their numbers.
fn legible(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    text
}

fn literal(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            let mut bytes = [0; 4];
            let is_plain = clean::shown(c.encode_utf8(&mut bytes)) == *c.encode_utf8(&mut [0; 4]);
            match c {
                '"' | '\\' => text.extend(['\\', c]),
                '\n' => text.push_str("\\n"),
                '\t' => text.push_str("\\t"),
                c if is_plain => text.push(c),
                c if u32::from(c) > 0xFFFF => text.push_str(&format!("\\U{:08x}", u32::from(c))),
                c => text.push_str(&format!("\\u{:04x}", u32::from(c))),
            }
        }
        for byte in chunk.invalid() {
            text.push_str(&format!("\\udc{byte:02x}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsStr, fs};

    use pretty_assertions::assert_eq;

    use super::*;

    fn found(root: &Path, words: &str) -> Vec<String> {
        let finder = Finder::default();
        let found = finder.find(finder.turn(), root, words).unwrap();
        found.names.into_iter().map(|name| name.text).collect()
    }

    #[test]
    fn files_are_found_by_a_few_letters_and_what_is_ignored_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for dir in ["src/lex", "target", ".git"] {
            fs::create_dir_all(root.join(dir)).unwrap();
        }
        for file in ["src/lex.rs", "src/lex/tab.rs", "target/lex.o", ".git/lex", "README.md"] {
            fs::write(root.join(file), "").unwrap();
        }
        fs::write(root.join(".gitignore"), "target\n").unwrap();
        assert_eq!(found(root, "slex"), ["src/lex/", "src/lex.rs", "src/lex/tab.rs"]);
        assert_eq!(found(root, "tabrs"), ["src/lex/tab.rs"]);
        let all = found(root, "");
        assert_eq!(
            all,
            [".gitignore", "README.md", "src/", "src/lex/", "src/lex.rs", "src/lex/tab.rs"]
        );
        assert_eq!(found(root, "nowhere"), Vec::<String>::new());
    }

    #[test]
    fn a_name_that_could_be_misread_is_a_literal_of_python_that_reaches_the_file() {
        let text = |bytes: &[u8]| named(Path::new(OsStr::from_bytes(bytes)), false).text;
        assert_eq!(text(b"src/a.rs"), "src/a.rs");
        assert_eq!(text("né/全角.txt".as_bytes()), "né/全角.txt");
        assert_eq!(text(b"two words.txt"), "\"two words.txt\"");
        assert_eq!(text(b"new\nline"), "\"new\\nline\"");
        let odd = Path::new(OsStr::from_bytes(b"caf\xe9.txt"));
        let shown = named(odd, false).path;
        assert_eq!(Name::of(odd).real(), odd);
        assert_eq!(Name::of(Path::new("a/b")).real(), Path::new("a/b"));
        assert_eq!(shown, "caf\\xe9.txt");
        assert_eq!(text(b"caf\xe9.txt"), "\"caf\\udce9.txt\"");
        assert_eq!(text(b"\x1b[2J"), "\"\\u001b[2J\"");
        assert_eq!(text("a\u{202e}b".as_bytes()), "\"a\\u202eb\"");
        assert_eq!(text(b"q\"\\"), "\"q\\\"\\\\\"");
    }

    #[test]
    fn a_huge_tree_is_known_in_part_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        for at in 0..20 {
            fs::write(folder.path().join(format!("{at}.txt")), "").unwrap();
        }
        let tree = walk(folder.path(), 5, LOOKS);
        assert_eq!((tree.names.len(), tree.cut), (5, true));
        assert!(!walk(folder.path(), 20, LOOKS).cut);
        assert!(walk(folder.path(), 20, Duration::ZERO).cut);
    }

    #[test]
    fn only_what_was_asked_for_last_is_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let finder = Finder::default();
        let (old, new) = (finder.turn(), finder.turn());
        assert_eq!(finder.find(old, folder.path(), "a"), None);
        assert_eq!(finder.find(new, folder.path(), "a"), Some(Found::default()));
    }
}
