//! What keys do here, in a row: each with the key that it has now. What has no key is not hinted at.

use super::{
    clean,
    keymap::{Action, Go, Listed, Place, listed},
    state::controls::Controls,
};

/// A row of hints, the most important first.
#[derive(Clone, Debug)]
pub struct Hints<'a> {
    controls: &'a Controls,
    place: Place,
    said: Vec<Hint>,
}

#[derive(Clone, Debug)]
struct Hint {
    /// Empty where it is words alone.
    key: String,
    does: String,
    /// Whether it only moves, which people find out by themselves.
    moves: bool,
    /// Whether it is how one gets out.
    leaves: bool,
}

/// What the key of leaving does, where there is no room to say more.
const BACK: &str = "back";

impl<'a> Hints<'a> {
    /// None yet, of keys that count in that place.
    pub fn of(controls: &'a Controls, place: Place) -> Self {
        Self { controls, place, said: Vec::new() }
    }

    /// The key of an action, and what comes of it.
    #[must_use]
    pub fn with(mut self, action: Action, does: &str) -> Self {
        let key = self.controls.key(self.place, action);
        if !key.is_empty() {
            self.said.push(Hint {
                key,
                does: does.to_owned(),
                moves: false,
                leaves: action == Action::Leave,
            });
        }
        self
    }

    /// As [`Hints::with`], where it is so.
    #[must_use]
    pub fn when(self, is_so: bool, action: Action, does: &str) -> Self {
        if is_so { self.with(action, does) } else { self }
    }

    /// Two keys that do the same in two directions: they are the first to go where it is narrow.
    #[must_use]
    pub fn moves(self, both: [Action; 2], does: &str) -> Self {
        self.pair(both, does, true)
    }

    /// As [`Hints::moves`], where the words say more than that.
    #[must_use]
    pub fn both(self, both: [Action; 2], does: &str) -> Self {
        self.pair(both, does, false)
    }

    fn pair(mut self, both: [Action; 2], does: &str, moves: bool) -> Self {
        let keys = both.map(|action| self.controls.key(self.place, action));
        let short = keys.iter().all(|key| key.chars().count() == 1);
        let keys: Vec<_> = keys.into_iter().filter(|key| !key.is_empty()).collect();
        if !keys.is_empty() {
            let key = keys.join(if short { "" } else { " " });
            self.said.push(Hint { key, does: does.to_owned(), moves, leaves: false });
        }
        self
    }

    /// Words that need no key.
    #[must_use]
    pub fn says(mut self, words: &str) -> Self {
        self.said.push(Hint {
            key: String::new(),
            does: words.to_owned(),
            moves: false,
            leaves: false,
        });
        self
    }

    /// The key of leaving, last.
    #[must_use]
    pub fn leave(self, does: &str) -> Self {
        self.with(Action::Leave, does)
    }

    /// All of them with that between them.
    pub fn joined(&self, between: &str) -> String {
        self.said.iter().map(Hint::text).collect::<Vec<_>>().join(between)
    }

    /// The keys alone, for what stands behind its own words.
    pub fn keys(&self) -> String {
        self.said.iter().map(|hint| hint.key.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// As many as so many cells have room for. The first and the last stay, the last with the word
    /// “back” if need be; what moves goes first, then what stands before the last. A key is never left
    /// without a word for what it does.
    pub fn within(self, width: usize) -> String {
        self.fitted(width, "   ")
    }

    /// As [`Hints::within`], with that between them.
    pub fn fitted(mut self, width: usize, between: &str) -> String {
        loop {
            let line = self.joined(between);
            if clean::width(&line) <= width {
                return line;
            }
            let count = self.said.len();
            let moves = self.said.iter().position(|hint| hint.moves).filter(|_| count > 1);
            if let Some(goes) = moves.or_else(|| (1..count.saturating_sub(1)).next_back()) {
                self.said.remove(goes);
                continue;
            }
            let over = clean::width(&line).saturating_sub(width);
            match &mut self.said[..] {
                [.., last] if last.leaves && clean::width(&last.does) > BACK.len() => {
                    BACK.clone_into(&mut last.does);
                }
                [_, last] if !last.leaves => drop(self.said.pop()),
                // How to get out again is the last to go.
                [first, _] if !first.key.is_empty() => drop(self.said.remove(0)),
                [first, _] if clean::width(&first.does) > over + 8 => {
                    first.does = clean::truncate(&first.does, clean::width(&first.does) - over);
                }
                _ => return line,
            }
        }
    }
}

impl Hint {
    fn text(&self) -> String {
        match (self.key.is_empty(), self.does.is_empty()) {
            (true, _) => self.does.clone(),
            (_, true) => self.key.clone(),
            (false, false) => format!("{} {}", self.key, self.does),
        }
    }
}

/// What shows something, in a sentence: its key, or the name of what it opens.
pub fn shows(controls: &Controls, go: Go) -> String {
    let key = controls.key(Place::Everywhere, Action::Go(go));
    if !key.is_empty() {
        return key;
    }
    match listed(Place::Everywhere, Action::Go(go)) {
        Listed::As(title) => format!("“{title}”"),
        Listed::Not(_) => "another pane".to_owned(),
    }
}
