//! The pictures of a draft: each is one character in it, so that it is written behind, moved over and
//! taken out like any other.

use super::Draft;
use crate::{
    kernel::message::Words,
    tui::attach::{Attached, Named, named},
};

/// The first of the private characters that stand for pictures, behind those for pastes.
const FIRST: u32 = 0xF_1000;
/// How many of them there are.
const ALL: u32 = 0x100;

impl Draft {
    /// Puts a picture in the place of the last of these words, or, of none, where the cursor is; false
    /// where they do not stand there any more.
    pub fn attach(&mut self, said: &str, picture: Attached) -> bool {
        let at = match said.is_empty() {
            true => Some(self.cursor),
            false => self.raw.rfind(said),
        };
        let place = u32::try_from(self.pictures.len()).ok().filter(|count| *count < ALL);
        let (Some(at), Some(c)) = (at, place.and_then(|at| char::from_u32(FIRST + at))) else {
            return false;
        };
        self.pictures.push(picture);
        let c = c.to_string();
        self.raw.replace_range(at..at + said.len(), &c);
        if self.cursor >= at + said.len() {
            self.cursor = self.cursor - said.len() + c.len();
        } else if self.cursor > at {
            self.cursor = at + c.len();
        }
        true
    }

    /// All of it, to be said.
    pub fn words(&self) -> Words {
        let pictures = self.raw.chars().filter_map(|c| self.picture_of(c));
        let pictures = pictures.map(|picture| picture.enclosed.clone()).collect();
        Words { text: self.text(), pictures }
    }

    /// All of it as words that can be written again: the files of its pictures by their names.
    pub fn written(&self) -> String {
        self.spelt(|picture| picture.written.clone())
    }

    /// How many pictures are in it.
    pub fn pictures(&self) -> usize {
        self.raw.chars().filter(|c| self.picture_of(*c).is_some()).count()
    }

    /// The pictures that its words name, where nothing is folded away.
    pub fn named_pictures(&self) -> Vec<Named> {
        named(&self.raw)
    }

    pub(super) fn picture_of(&self, c: char) -> Option<&Attached> {
        let at = u32::from(c).checked_sub(FIRST)?;
        self.pictures.get(usize::try_from(at).ok()?)
    }
}

/// What stands for a picture on the screen, and in the words that are said.
pub(super) fn shown(picture: &Attached) -> String {
    format!("[picture {}]", picture.enclosed.picture)
}

pub(super) fn stands_for_one(c: char) -> bool {
    (FIRST..FIRST + ALL).contains(&u32::from(c))
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::tui::{keymap::Edit, stage::attached};

    #[test]
    fn a_picture_stands_where_its_path_stood_and_goes_with_one_key() {
        let mut draft = Draft::of("see /tmp/a.png, please");
        assert!(draft.attach("/tmp/a.png", attached("a.png")));
        assert_eq!(draft.shown().0, ["see [picture a.png 2x1], please"]);
        assert_eq!((draft.pictures(), draft.named_pictures()), (1, Vec::new()));
        let words = draft.words();
        assert_eq!(words.text, "see [picture a.png 2x1], please");
        assert_eq!(words.pictures, [attached("a.png").enclosed]);
        assert_eq!(draft.written(), "see @/tmp/a.png, please");
        for _ in 0..8 {
            draft.edit(Edit::Left);
        }
        draft.edit(Edit::Backspace);
        assert_eq!(draft.text(), "see , please");
        assert_eq!(draft.words().pictures, []);
    }

    #[test]
    fn the_cursor_stays_where_it_was_and_a_path_that_is_gone_attaches_nothing() {
        let mut draft = Draft::of("/a.png tail");
        draft.edit(Edit::WordLeft);
        assert!(draft.attach("/a.png", attached("a.png")));
        draft.type_char('|');
        assert_eq!(draft.text(), "[picture a.png 2x1] |tail");
        assert!(!draft.attach("/a.png", attached("a.png")));
        assert!(draft.attach("", attached("b.png")));
        assert_eq!(draft.text(), "[picture a.png 2x1] |[picture b.png 2x1]tail");
    }

    #[test]
    fn nobody_pastes_what_stands_for_a_picture() {
        let mut draft = Draft::default();
        draft.attach("", attached("a.png"));
        draft.paste("\u{f1000}\u{f1001}");
        assert_eq!(draft.words().pictures.len(), 1);
    }
}
