//! A text that somebody writes: the composer's draft, or the words of a no.
//!
//! Written here rather than taken from a text-area library, since the guard must know of each letter
//! whether it became text, a paste is folded on the screen and sent whole, and the caret moves by
//! whole clusters.

mod pictures;
mod rows;

pub use self::rows::Laid;

use unicode_segmentation::UnicodeSegmentation;

use crate::tui::{attach::Attached, keymap::Edit, words};

/// A paste of more lines than this is folded on the screen.
const FOLD_LINES: usize = 8;

/// Or of more bytes.
const FOLD_BYTES: usize = 1000;

/// The first of the private characters that stand for folded pastes.
const FOLDED: u32 = 0xF_0000;

/// How many of them there are.
const FOLDS: u32 = 0x1000;

/// Text with a cursor. A long paste is one character in it, and whole again in [`Draft::text`]; so is a
/// picture, which is named there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    raw: String,
    /// A byte position on the border of a cluster.
    cursor: usize,
    pastes: Vec<String>,
    /// Where the last paste that comes in pieces began.
    piece: usize,
    pictures: Vec<Attached>,
}

impl Draft {
    /// A draft with this text, the cursor behind it.
    pub fn of(text: &str) -> Self {
        let mut draft = Self::default();
        if is_long(text) {
            draft.paste(text);
        } else {
            draft.insert(text);
        }
        draft
    }

    /// Whether these words stand there as they are.
    pub fn ends_with(&self, text: &str) -> bool {
        self.raw[..self.cursor].ends_with(text.trim_end_matches('\n'))
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// All of it, pastes unfolded.
    pub fn text(&self) -> String {
        self.spelt(pictures::shown)
    }

    fn spelt(&self, picture: impl Fn(&Attached) -> String) -> String {
        let mut text = String::with_capacity(self.raw.len());
        for c in self.raw.chars() {
            match (self.paste_of(c), self.picture_of(c)) {
                (Some(paste), _) => text.push_str(paste),
                (None, Some(attached)) => text.push_str(&picture(attached)),
                (None, None) => text.push(c),
            }
        }
        text
    }

    /// The draft as it is drawn, a line a row of the text, and where the cursor stands: the line,
    /// and the byte in it.
    pub fn shown(&self) -> (Vec<String>, usize, usize) {
        let mut lines = vec![String::new()];
        let mut cursor = (0, 0);
        for (at, c) in self.raw.char_indices() {
            let last = lines.len() - 1;
            if at == self.cursor {
                cursor = (last, lines[last].len());
            }
            match (c, self.paste_of(c)) {
                ('\n', _) => lines.push(String::new()),
                (_, Some(paste)) => {
                    let count = paste.lines().count();
                    let size = if count > 1 {
                        format!("{} lines", words::grouped(count as u64))
                    } else {
                        format!("{} bytes", words::grouped(paste.len() as u64))
                    };
                    lines[last].push_str(&format!("[pasted {size}]"));
                }
                (_, None) => match self.picture_of(c) {
                    Some(picture) => lines[last].push_str(&pictures::shown(picture)),
                    None => lines[last].push(c),
                },
            }
        }
        if self.cursor == self.raw.len() {
            cursor = (lines.len() - 1, lines[lines.len() - 1].len());
        }
        (lines, cursor.0, cursor.1)
    }

    /// Types one character.
    pub fn type_char(&mut self, c: char) {
        self.insert(c.encode_utf8(&mut [0; 4]));
    }

    /// Takes a paste in as one piece.
    pub fn paste(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let text = text.trim_end_matches('\n');
        let long = is_long(text);
        let place = u32::try_from(self.pastes.len()).ok().filter(|count| *count < FOLDS);
        match place.and_then(|count| char::from_u32(FOLDED + count)) {
            Some(c) if long => {
                self.pastes.push(text.to_owned());
                self.put(c.encode_utf8(&mut [0; 4]));
            }
            _ => self.put_in(text),
        }
    }

    /// Takes in a piece of a paste that comes in several: one that goes on belongs to those before it.
    pub fn paste_piece(&mut self, text: &str, goes_on: bool) {
        let start = match self.raw.get(self.piece..self.cursor) {
            Some(_) if goes_on => self.piece,
            Some(_) | None => self.cursor,
        };
        self.piece = start;
        let mut before = self.raw[start..self.cursor].chars();
        if let (Some(fold), None) = (before.next(), before.next())
            && let Some(at) = u32::from(fold).checked_sub(FOLDED)
            && let Some(paste) = usize::try_from(at).ok().and_then(|at| self.pastes.get_mut(at))
        {
            paste.push_str(text);
            return;
        }
        let whole = format!("{}{text}", &self.raw[start..self.cursor]);
        let place = u32::try_from(self.pastes.len()).ok().filter(|count| *count < FOLDS);
        match place.and_then(|count| char::from_u32(FOLDED + count)) {
            Some(c) if is_long(&whole) => {
                self.cut(start, self.cursor);
                self.pastes.push(whole);
                self.put(c.encode_utf8(&mut [0; 4]));
            }
            _ => self.put_in(text),
        }
    }

    /// What tells one text of a draft from another, as it is written: its letters, and how many pastes
    /// there were.
    pub fn mark(&self) -> (&str, usize) {
        (&self.raw, self.pastes.len())
    }

    /// The first character, if it was typed; a folded paste is none.
    pub fn leads(&self) -> Option<char> {
        self.raw.chars().next().filter(|c| !is_fold(*c))
    }

    /// All of it, where that is one line without a folded paste.
    pub fn line(&self) -> Option<&str> {
        Some(&*self.raw).filter(|raw| !raw.contains('\n') && !raw.contains(is_fold))
    }

    /// What stands between the cursor and an `@` that begins a word, and no blank in it.
    pub fn named(&self) -> Option<&str> {
        let head = &self.raw[..self.cursor];
        let word = head.rsplit(|c: char| c.is_whitespace() || is_fold(c)).next()?;
        word.strip_prefix('@')
    }

    /// Puts another text in the place of that word, its `@` stays.
    pub fn name(&mut self, text: &str) {
        let Some(word) = self.named() else { return };
        self.cut(self.cursor - word.len(), self.cursor);
        self.insert(text);
    }

    /// Does one edit; false where it is for somebody else: send, and up and down at the edges.
    pub fn edit(&mut self, edit: Edit) -> bool {
        match edit {
            Edit::Send => return false,
            Edit::NewLine => self.put("\n"),
            Edit::Left => self.cursor = self.before(),
            Edit::Right => self.cursor = self.after(),
            Edit::WordLeft => self.cursor = self.word_before(),
            Edit::WordRight => self.cursor = self.word_after(),
            Edit::Up => return self.line_up(),
            Edit::Down => return self.line_down(),
            Edit::LineStart => self.cursor = self.line_start(self.cursor),
            Edit::LineEnd => self.cursor = self.line_end(self.cursor),
            Edit::Backspace => self.cut(self.before(), self.cursor),
            Edit::Delete => self.cut(self.cursor, self.after()),
            Edit::KillWord => self.cut(self.word_before(), self.cursor),
            Edit::KillToStart => self.cut(self.line_start(self.cursor), self.cursor),
            Edit::KillToEnd => match self.line_end(self.cursor) {
                end if end == self.cursor => self.cut(self.cursor, self.after()),
                end => self.cut(self.cursor, end),
            },
        }
        true
    }

    /// Puts text in without control characters but the line feed and the tab.
    fn insert(&mut self, text: &str) {
        let typed = |c: &char| matches!(c, '\n' | '\t') || !c.is_control();
        self.put_in(&text.chars().filter(typed).collect::<String>());
    }

    /// Puts text in to the letter; only what would stand for a paste is left out.
    fn put_in(&mut self, text: &str) {
        let clean: String = text.chars().filter(|c| !is_fold(*c)).collect();
        self.put(&clean);
    }

    fn put(&mut self, text: &str) {
        self.raw.insert_str(self.cursor, text);
        self.cursor += text.len();
    }

    fn cut(&mut self, from: usize, to: usize) {
        self.raw.replace_range(from..to, "");
        self.cursor = from;
    }

    fn paste_of(&self, c: char) -> Option<&str> {
        let at = u32::from(c).checked_sub(FOLDED)?;
        self.pastes.get(usize::try_from(at).ok()?).map(String::as_str)
    }

    fn before(&self) -> usize {
        let last = self.raw[..self.cursor].graphemes(true).next_back();
        self.cursor - last.map_or(0, str::len)
    }

    fn after(&self) -> usize {
        let next = self.raw[self.cursor..].graphemes(true).next();
        self.cursor + next.map_or(0, str::len)
    }

    fn word_before(&self) -> usize {
        let head = self.raw[..self.cursor].trim_end();
        head.rfind(char::is_whitespace)
            .map_or(0, |at| at + head[at..].chars().next().map_or(0, char::len_utf8))
    }

    fn word_after(&self) -> usize {
        let rest = &self.raw[self.cursor..];
        let blank = rest.len() - rest.trim_start().len();
        let word = rest[blank..].find(char::is_whitespace).unwrap_or(rest.len() - blank);
        self.cursor + blank + word
    }

    fn line_start(&self, at: usize) -> usize {
        self.raw[..at].rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self, at: usize) -> usize {
        self.raw[at..].find('\n').map_or(self.raw.len(), |end| at + end)
    }

    fn line_up(&mut self) -> bool {
        let start = self.line_start(self.cursor);
        if start == 0 {
            return false;
        }
        let column = self.raw[start..self.cursor].graphemes(true).count();
        self.cursor = self.in_line(self.line_start(start - 1), column);
        true
    }

    fn line_down(&mut self) -> bool {
        let end = self.line_end(self.cursor);
        if end == self.raw.len() {
            return false;
        }
        let start = self.line_start(self.cursor);
        let column = self.raw[start..self.cursor].graphemes(true).count();
        self.cursor = self.in_line(end + 1, column);
        true
    }

    fn in_line(&self, start: usize, column: usize) -> usize {
        let line = &self.raw[start..self.line_end(start)];
        start + line.graphemes(true).take(column).map(str::len).sum::<usize>()
    }
}

impl From<&str> for Draft {
    fn from(text: &str) -> Self {
        Self::of(text)
    }
}

/// Whether a text is folded.
fn is_long(text: &str) -> bool {
    text.len() > FOLD_BYTES || text.lines().count() > FOLD_LINES
}

fn is_fold(c: char) -> bool {
    (FOLDED..FOLDED + FOLDS).contains(&u32::from(c)) || pictures::stands_for_one(c)
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    use super::*;

    fn check(start: &str, edits: &[Edit], expected: &str) {
        let mut draft = Draft::of(start);
        for edit in edits {
            draft.edit(*edit);
        }
        draft.type_char('|');
        assert_eq!(draft.text(), expected, "{start:?} {edits:?}");
    }

    #[test]
    fn edits_are_those_of_a_shell() {
        use Edit::{
            Backspace, Delete, Down, KillToEnd, KillToStart, KillWord, Left, LineEnd, LineStart,
            Right, Up, WordLeft, WordRight,
        };
        check("one two", &[Left, Left], "one t|wo");
        check("one two", &[LineStart, Right], "o|ne two");
        check("one two  ", &[KillWord], "one |");
        check("one two", &[WordLeft, KillToStart], "|two");
        check("one two", &[LineStart, WordRight, KillToEnd], "one|");
        check("e\u{301}e\u{301}", &[Backspace], "e\u{301}|");
        check("a\nbcd\nef", &[Up, Up, LineEnd, Down], "a\nb|cd\nef");
        check("ab\ncd", &[Up, LineEnd, Delete], "ab|cd");
        check("ab\ncd", &[Up, LineEnd, KillToEnd], "ab|cd");
        check("", &[Backspace, Delete, KillWord, Up, Down, Left, Right], "|");
    }

    #[test]
    fn a_long_paste_is_folded_on_the_screen_and_sent_whole() {
        let paste = "line\n".repeat(20);
        let mut draft = Draft::of("see ");
        draft.paste(&paste);
        assert_eq!(draft.shown(), (vec!["see [pasted 20 lines]".to_owned()], 0, 21));
        assert_eq!(draft.text(), format!("see {}", paste.trim_end()));
        draft.edit(Edit::Backspace);
        assert_eq!(draft.text(), "see ");
    }

    #[test]
    fn a_short_paste_is_text() {
        let mut draft = Draft::default();
        draft.paste("one\r\ntwo\u{1b}[31m\0");
        assert_eq!(draft.text(), "one\ntwo\u{1b}[31m\0");
        draft.edit(Edit::Backspace);
        assert_eq!(draft.text(), "one\ntwo\u{1b}[31m");
    }

    proptest! {
        #[test]
        fn any_edits_keep_the_cursor_in_the_text(
            steps in proptest::collection::vec((0usize..15, "\\PC{0,3}"), 0..40),
        ) {
            let edits = [
                Edit::Left, Edit::Right, Edit::WordLeft, Edit::WordRight, Edit::Up, Edit::Down,
                Edit::LineStart, Edit::LineEnd, Edit::Backspace, Edit::Delete, Edit::KillWord,
                Edit::KillToStart, Edit::KillToEnd, Edit::NewLine, Edit::Send,
            ];
            let mut draft = Draft::default();
            for (edit, text) in steps {
                draft.paste(&text);
                draft.edit(edits[edit]);
                let (lines, row, byte) = draft.shown();
                prop_assert!(lines[row].is_char_boundary(byte));
            }
        }
    }
}
