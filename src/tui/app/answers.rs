//! What the terminal was asked, once, after the first frame; its answers come among the keys, from
//! which they are taken out again.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tokio::time::Instant;

use super::keys::Key;
use crate::tui::{
    message::Input,
    picture::{Finder, How, Told},
    theme::{Depth, Rgb},
};

/// A terminal that has not answered by then does not know the question. What looks like an answer
/// later was typed.
const PATIENCE: Duration = Duration::from_secs(3);

/// What the terminal is to be asked, and what is known of it.
pub(super) struct Asked {
    /// Whether its ground is wanted.
    ground: bool,
    finder: Finder,
    /// Measures its cells.
    measure: Measure,
    how: How,
    /// Absent before it was asked.
    answers: Option<Answers>,
}

/// How many pixels a cell has, where the terminal says.
pub type Measure = fn() -> Option<(u16, u16)>;

impl Asked {
    pub(super) fn of(ground: bool, finder: Finder, measure: Measure, depth: Depth) -> Self {
        let how = How { few_colours: depth < Depth::True, ..How::default() };
        let mut asked = Self { ground, finder, measure, how, answers: None };
        asked.look();
        asked
    }

    /// How pictures are shown, as far as is known.
    pub(super) fn how(&self) -> How {
        self.how
    }

    /// Measures the cells again; how pictures are shown if that is in another way now.
    pub(super) fn look(&mut self) -> Option<How> {
        let before = self.how;
        self.how.cell = (self.measure)();
        self.how.means = self.finder.means(self.how.cell);
        (self.how != before).then_some(self.how)
    }

    /// What to ask, once.
    pub(super) fn questions(&mut self, at: Instant) -> Vec<u8> {
        if self.answers.is_some() {
            return Vec::new();
        }
        let (mut bytes, mut questions) = (Vec::new(), Vec::new());
        if self.ground {
            bytes.extend_from_slice(b"\x1b]11;?\x07");
            questions.push(Question::Ground);
        }
        if let Some(question) = self.finder.question() {
            bytes.extend_from_slice(&question);
            questions.extend([Question::Version, Question::Kitty]);
        }
        self.answers = Some(Answers::asked(at, questions));
        bytes
    }

    /// The keys that are keys, in their order, and the answer if this one ended one.
    pub(super) fn take(&mut self, key: Key) -> (Vec<Key>, Option<Answer>) {
        match &mut self.answers {
            Some(answers) => answers.take(key),
            None => (vec![key], None),
        }
    }

    /// It answered; how pictures are shown if that is in another way now.
    pub(super) fn told(&mut self, told: &Told) -> Option<How> {
        self.finder.told(told);
        self.look()
    }
}

/// One thing a terminal can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    /// The colour of its ground: `ESC ] 11;rgb:RRRR/GGGG/BBBB`.
    Ground,
    /// Whether it shows pictures as kitty does: `ESC _ Gi=31;OK`.
    Kitty,
    /// Its name: `ESC P >|name`.
    Version,
}

impl Question {
    const ALL: [Self; 3] = [Self::Ground, Self::Kitty, Self::Version];

    /// The letter that an answer begins with, after its escape.
    fn opens(self) -> char {
        match self {
            Self::Ground => ']',
            Self::Kitty => '_',
            Self::Version => 'P',
        }
    }

    /// What every answer begins with, after that.
    fn beginning(self) -> &'static str {
        match self {
            Self::Ground => "11;rgb:",
            Self::Kitty => "Gi=31;",
            Self::Version => ">|",
        }
    }

    /// Whether an answer can go on with this letter.
    fn fits(self, text: &str, letter: char) -> bool {
        /// The longest answer.
        const LONGEST: usize = 32;
        /// The longest name, or fault.
        const LONGEST_WORDS: usize = 100;
        match (self.beginning().chars().nth(text.len()), self) {
            (Some(expected), _) => letter == expected,
            (None, Self::Ground) => {
                text.len() < LONGEST && (letter.is_ascii_hexdigit() || letter == '/')
            }
            (None, Self::Kitty | Self::Version) => {
                text.len() < LONGEST_WORDS && matches!(letter, ' '..='~')
            }
        }
    }

    /// What a whole answer says, if it says anything.
    fn answer(self, text: &str) -> Option<Answer> {
        let said = text.strip_prefix(self.beginning())?;
        match self {
            Self::Ground => colour(said).map(Answer::Ground),
            Self::Kitty => Some(Answer::Picture(Told::Kitty(said == "OK"))),
            Self::Version => Some(Answer::Picture(Told::Version(said.to_owned()))),
        }
    }
}

/// What a terminal answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Ground(Rgb),
    Picture(Told),
}

/// The answers that are still waited for.
#[derive(Default)]
struct Answers {
    until: Option<Instant>,
    asked: Vec<Question>,
    /// The keys that may be an answer, to what, and what they would say.
    held: Vec<Key>,
    to: Option<Question>,
    text: String,
}

impl Answers {
    /// These were asked just now.
    fn asked(at: Instant, asked: Vec<Question>) -> Self {
        Self { until: Some(at + PATIENCE), asked, ..Self::default() }
    }

    fn take(&mut self, key: Key) -> (Vec<Key>, Option<Answer>) {
        let Some(until) = self.until.filter(|_| !self.asked.is_empty()) else {
            return (vec![key], None);
        };
        let (pressed, at) = match &key {
            Key::Pressed(at, Input::Key(event)) => (event, at.at),
            // Not part of an answer, and no end of it.
            Key::Pressed(..) | Key::Resized(..) => return (vec![key], None),
            Key::Closed => {
                self.held.push(key);
                return (self.give_back(), None);
            }
        };
        let Some(to) = self.to else {
            if at > until {
                self.until = None;
                return (vec![key], None);
            }
            self.to = opened(pressed).filter(|question| self.asked.contains(question));
            if self.to.is_none() {
                return (vec![key], None);
            }
            self.held.push(key);
            return (Vec::new(), None);
        };
        self.held.push(key);
        match part(self.held.last()) {
            Some(Part::Letter(letter)) if to.fits(&self.text, letter) => {
                self.text.push(letter);
                (Vec::new(), None)
            }
            Some(Part::End) if self.text.starts_with(to.beginning()) => {
                let answer = to.answer(&self.text);
                self.asked.retain(|question| *question != to);
                self.give_back();
                (Vec::new(), answer)
            }
            _ => (self.give_back(), None),
        }
    }

    fn give_back(&mut self) -> Vec<Key> {
        self.to = None;
        self.text.clear();
        std::mem::take(&mut self.held)
    }
}

enum Part {
    Letter(char),
    End,
}

/// The question to which an answer begins with this key.
fn opened(event: &KeyEvent) -> Option<Question> {
    let KeyCode::Char(letter) = event.code else { return None };
    let alt = event.modifiers - KeyModifiers::SHIFT == KeyModifiers::ALT;
    Question::ALL.into_iter().find(|question| alt && question.opens() == letter)
}

/// What a key would be in an answer, which ends with BEL or `ESC \`.
fn part(key: Option<&Key>) -> Option<Part> {
    let Some(Key::Pressed(_, Input::Key(event))) = key else { return None };
    let KeyCode::Char(letter) = event.code else { return None };
    let modifiers = event.modifiers - KeyModifiers::SHIFT;
    match (modifiers.is_empty(), letter) {
        (true, letter) => Some(Part::Letter(letter)),
        (false, '\\') if modifiers == KeyModifiers::ALT => Some(Part::End),
        // BEL, as it is read.
        (false, 'g') if modifiers == KeyModifiers::CONTROL => Some(Part::End),
        (false, _) => None,
    }
}

/// The colour of `RRRR/GGGG/BBBB`, with one to four digits each.
fn colour(text: &str) -> Option<Rgb> {
    let parts: Vec<u8> = text
        .split('/')
        .map(|digits| {
            let most = 16_u32.checked_pow(u32::try_from(digits.len()).ok()?)?.checked_sub(1)?;
            let value = u32::from_str_radix(digits, 16).ok()?;
            u8::try_from((value * 255).checked_div(most)?).ok()
        })
        .collect::<Option<_>>()?;
    match parts[..] {
        [red, green, blue] => Some(Rgb(red, green, blue)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::tui::state::Moment;

    fn keys(text: &str, at: Instant) -> Vec<Key> {
        let moment = Moment { at, wall: jiff::Timestamp::UNIX_EPOCH };
        let mut alt = false;
        let mut all = Vec::new();
        for letter in text.chars() {
            let (code, modifiers) = match letter {
                '\u{1b}' => {
                    alt = true;
                    continue;
                }
                '\u{7}' => ('g', KeyModifiers::CONTROL),
                letter if alt => (letter, KeyModifiers::ALT),
                letter => (letter, KeyModifiers::NONE),
            };
            alt = false;
            let event = KeyEvent::new(KeyCode::Char(code), modifiers);
            all.push(Key::Pressed(moment, Input::Key(event)));
        }
        all
    }

    /// What is left as keys of a text that arrives, and what it told.
    fn read(text: &str, late: bool) -> (String, Vec<Answer>) {
        let start = Instant::now();
        let mut answers = Answers::asked(start, Question::ALL.to_vec());
        let at = if late { start + PATIENCE * 2 } else { start };
        let (mut left, mut all) = (String::new(), Vec::new());
        for key in keys(text, at) {
            let (keys, told) = answers.take(key);
            all.extend(told);
            for key in keys {
                let Key::Pressed(_, Input::Key(event)) = key else { panic!("{key:?}") };
                let KeyCode::Char(letter) = event.code else { panic!("{event:?}") };
                match event.modifiers {
                    KeyModifiers::ALT => left.extend(['\u{1b}', letter]),
                    KeyModifiers::CONTROL => left.push('\u{7}'),
                    _ => left.push(letter),
                }
            }
        }
        (left, all)
    }

    #[test]
    fn an_answer_is_taken_out_of_the_keys() {
        let ground = |red, green, blue| vec![Answer::Ground(Rgb(red, green, blue))];
        let version = |name: &str| Answer::Picture(Told::Version(name.to_owned()));
        let kitty = |shows| Answer::Picture(Told::Kitty(shows));
        for (text, left, told) in [
            ("\u{1b}]11;rgb:ffff/ffff/ffff\u{1b}\\", "", ground(255, 255, 255)),
            ("\u{1b}]11;rgb:FF/FF/FF\u{7}", "", ground(255, 255, 255)),
            ("ab\u{1b}]11;rgb:0000/8080/ffff\u{7}cd", "abcd", ground(0, 128, 255)),
            ("\u{1b}]11;rgb:ffff\u{7}x", "x", vec![]),
            (
                "a\u{1b}P>|kitty(0.35)\u{1b}\\b\u{1b}_Gi=31;OK\u{1b}\\c",
                "abc",
                vec![version("kitty(0.35)"), kitty(true)],
            ),
            ("\u{1b}_Gi=31;EINVAL: bad\u{1b}\\", "", vec![kitty(false)]),
        ] {
            assert_eq!(read(text, false), (left.to_owned(), told), "{text:?}");
        }
    }

    #[test]
    fn what_is_typed_is_not_lost_even_if_it_begins_like_an_answer() {
        for text in [
            "yes\u{7}\u{1b}\\",
            "\u{1b}]11 reasons",
            "\u{1b}Paste",
            "\u{1b}_Gi=32;OK\u{1b}\\",
            "\u{1b}]\u{1b}]x",
            "\u{1b}]11;rgb:zz\u{7}",
            "\u{1b}]11;rgb:00000000000000000000000000000000000000\u{7}",
        ] {
            assert_eq!(read(text, false), (text.to_owned(), vec![]), "{text:?}");
        }
        let answer = "\u{1b}]11;rgb:ffff/ffff/ffff\u{7}";
        assert_eq!(read(answer, true), (answer.to_owned(), vec![]), "long after the question");
    }
}
