//! Pictures that somebody names while they write: paths as terminals drop files, and those behind an `@`.
//! Which they are is read off the words here; whether there is such a file is looked at off the loop.

use std::{
    ffi::OsString,
    os::unix::ffi::OsStringExt as _,
    path::{Path, PathBuf},
};

use crate::kernel::{
    id::SessionId,
    picture::{Enclosed, Format, PictureId},
};

/// As many as are dropped at once.
const MOST: usize = 16;

/// A picture that words name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The words, as they stand there.
    pub said: String,
    /// The file. It may begin with `~`, and with the folder worked in left out.
    pub path: PathBuf,
}

/// A picture that is attached to a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attached {
    pub enclosed: Enclosed,
    /// Words that name its file, with which it is attached again.
    pub written: String,
}

/// A picture that is to be read, and where from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub named: Named,
    /// What a path starts from that is not whole.
    pub folder: PathBuf,
    pub because: Because,
}

/// Why a picture is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// A path was pasted. It may be meant as words.
    Pasted,
    /// Somebody said that it is a picture.
    Meant,
    /// It was said before in that session, which keeps it.
    Said(SessionId, PictureId),
}

/// Why a picture is not attached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// There is no such file.
    NotThere,
    /// What it is instead, in a line.
    Other(String),
}

/// The pictures that a paste drops: all of it is whole paths of picture files, quoted or escaped as
/// terminals do, or addresses of files. Else it is words, and there are none.
pub fn dropped(paste: &str) -> Vec<Named> {
    let whole = paste.trim();
    let found = pieces(whole).map(|pieces| {
        pieces.into_iter().map(|(said, path)| picture(said, path)).collect::<Option<Vec<_>>>()
    });
    match found.flatten() {
        Some(found) if found.len() <= MOST => found,
        Some(_) => Vec::new(),
        // A name with blanks that nothing marks.
        None if !whole.contains(['\n', '\'', '"', '\\']) => {
            picture(whole, whole.as_bytes().to_vec()).into_iter().collect()
        }
        None => Vec::new(),
    }
}

/// The pictures that are named behind an `@` at the beginning of a word, in order.
pub fn named(text: &str) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        if c == '@' && before.is_whitespace() {
            let rest = &text[at + 1..];
            let named = match rest.strip_prefix('"') {
                Some(literal) => read_literal(literal).map(|(path, len)| (path, len + 1)),
                None => {
                    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                    // The end of a sentence is not the end of a name.
                    let word = rest[..end].trim_end_matches([',', '.', ';', ':', '!', '?', ')']);
                    Some((word.as_bytes().to_vec(), word.len()))
                }
            };
            let named = named.map(|(path, len)| Named {
                said: text[at..at + 1 + len].to_owned(),
                path: OsString::from_vec(path).into(),
            });
            found.extend(named.filter(|it| is_picture(&it.path) && !found.contains(it)));
        }
        before = c;
    }
    found
}

fn is_picture(path: &Path) -> bool {
    path.file_name().is_some_and(|name| Format::of_name(&name.to_string_lossy()).is_some())
}

/// A whole path of a picture file.
fn picture(said: &str, path: Vec<u8>) -> Option<Named> {
    let path = match path.strip_prefix(b"file://") {
        Some(address) => {
            let start = address.iter().position(|byte| *byte == b'/')?;
            let (host, path) = address.split_at(start);
            matches!(host, b"" | b"localhost").then(|| unescaped(path))?
        }
        None => path,
    };
    let whole = [&b"/"[..], b"~/", b"./", b"../"].iter().any(|start| path.starts_with(start));
    let path: PathBuf = OsString::from_vec(path).into();
    (whole && is_picture(&path)).then(|| Named { said: said.to_owned(), path })
}

/// The bytes of an address, `%20` as a blank.
fn unescaped(address: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(address.len());
    let mut rest = address;
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let code = code.and_then(|two| u8::from_str_radix(two, 16).ok());
        match code {
            Some(code) if *first == b'%' => {
                bytes.push(code);
                rest = &after[2..];
            }
            Some(_) | None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    bytes
}

/// The words of a line as a shell would take them apart, each as it stands there and as it is meant;
/// nothing where a quotation does not end.
fn pieces(text: &str) -> Option<Vec<(&str, Vec<u8>)>> {
    let mut pieces = Vec::new();
    let mut start = None;
    let mut meant = String::new();
    let mut quote = None;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (None, c) if c.is_whitespace() => {
                if let Some(start) = start.take() {
                    pieces.push((&text[start..at], std::mem::take(&mut meant).into_bytes()));
                }
                continue;
            }
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None | Some('"'), '\\') => meant.push(chars.next()?.1),
            (_, c) => meant.push(c),
        }
        start.get_or_insert(at);
    }
    if quote.is_some() {
        return None;
    }
    pieces.extend(start.map(|start| (&text[start..], meant.into_bytes())));
    Some(pieces)
}

/// A literal of Python behind its first mark, as the files that are offered are named: what it means,
/// and how long it is with its last mark.
fn read_literal(text: &str) -> Option<(Vec<u8>, usize)> {
    let mut bytes = Vec::new();
    let mut rest = text;
    loop {
        let c = rest.chars().next()?;
        rest = &rest[c.len_utf8()..];
        match c {
            '"' => return Some((bytes, text.len() - rest.len())),
            '\n' => return None,
            '\\' => {}
            c => {
                bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
        }
        let kind = rest.chars().next()?;
        rest = &rest[kind.len_utf8()..];
        let digits = match kind {
            'n' => {
                bytes.push(b'\n');
                continue;
            }
            't' => {
                bytes.push(b'\t');
                continue;
            }
            '"' | '\\' => {
                bytes.extend_from_slice(kind.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
            'u' => 4,
            'U' => 8,
            _ => return None,
        };
        let code = u32::from_str_radix(rest.get(..digits)?, 16).ok()?;
        rest = &rest[digits..];
        match (char::from_u32(code), code) {
            (Some(c), _) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            // A byte that is no text, as Python has it.
            (None, 0xdc80..=0xdcff) => bytes.push(u8::try_from(code - 0xdc00).ok()?),
            (None, _) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn pairs(found: Vec<Named>) -> Vec<(String, String)> {
        let pair = |it: Named| (it.said, it.path.to_string_lossy().into_owned());
        found.into_iter().map(pair).collect()
    }

    fn check(found: Vec<Named>, expected: &[(&str, &str)]) {
        let expected: Vec<_> =
            expected.iter().map(|(said, path)| ((*said).to_owned(), (*path).to_owned())).collect();
        assert_eq!(pairs(found), expected);
    }

    #[test]
    fn files_that_are_dropped_are_pictures_however_the_terminal_writes_them() {
        for (paste, path) in [
            ("/tmp/a.png", "/tmp/a.png"),
            ("/tmp/A.JPG", "/tmp/A.JPG"),
            ("'/tmp/a b.png'", "/tmp/a b.png"),
            ("\"/tmp/a b.png\"", "/tmp/a b.png"),
            ("/tmp/a\\ b\\'s.png", "/tmp/a b's.png"),
            ("'/tmp/it'\\''s.png'", "/tmp/it's.png"),
            ("/tmp/a b.png", "/tmp/a b.png"),
            ("~/a.webp", "~/a.webp"),
            ("../shots/a.gif", "../shots/a.gif"),
            ("file:///tmp/a%20b.png", "/tmp/a b.png"),
            ("file://localhost/tmp/a.png", "/tmp/a.png"),
        ] {
            check(dropped(&format!("{paste} \n")), &[(paste, path)]);
        }
        check(
            dropped("/a.png '/b c.png'\nfile:///d.png"),
            &[("/a.png", "/a.png"), ("'/b c.png'", "/b c.png"), ("file:///d.png", "/d.png")],
        );
    }

    #[test]
    fn words_are_no_files() {
        for paste in [
            "",
            "a.png",
            "/tmp/a.txt",
            "see /tmp/a.png",
            "/tmp/a.png and more",
            "/tmp/a.png\nrm -r x\n",
            "'/tmp/a.png",
            "file://elsewhere/a.png",
            "https://x.example/a.png",
            "/tmp/a.png\\",
        ] {
            check(dropped(paste), &[]);
        }
        assert!(dropped(&"/a.png ".repeat(MOST + 1)).is_empty());
    }

    #[test]
    fn a_picture_behind_an_at_is_named_and_nothing_else_is() {
        check(
            named("see @shots/a.png, @\"a b.png\" and x@b.png @c.txt (@d.png) @/e.JPEG."),
            &[
                ("@shots/a.png", "shots/a.png"),
                ("@\"a b.png\"", "a b.png"),
                ("@/e.JPEG", "/e.JPEG"),
            ],
        );
        check(
            named("@\"q\\\"\\\\ \\u202e\\t.png\""),
            &[("@\"q\\\"\\\\ \\u202e\\t.png\"", "q\"\\ \u{202e}\t.png")],
        );
        let bytes = named("@\"caf\\udce9.png\"").remove(0).path;
        assert_eq!(bytes.into_os_string().into_vec(), b"caf\xe9.png");
        check(named("@\"half.png"), &[]);
        check(named("@a.png @a.png"), &[("@a.png", "a.png")]);
    }
}
