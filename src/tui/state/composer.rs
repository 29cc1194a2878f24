//! The composer: a draft for each session, what waits to be said, and the words of before.

use super::{draft::Draft, drafts::Drafts, offered::Offered};
use crate::{
    kernel::id::SessionId,
    tui::{keymap::Edit, wrap::Layout},
};

/// What is being written to the session in view.
#[derive(Clone, Debug, Default)]
pub struct Composer {
    pub draft: Draft,
    /// What was sent while a turn ran and is not said yet, oldest first.
    pub queued: Vec<Queued>,
    /// What is offered for what is being written.
    pub offered: Option<Offered>,
    /// Pictures that are read for the draft.
    pub looks: Looks,
    /// The drafts of the other sessions, and what is kept of them.
    pub drafts: Drafts,
    history: Vec<String>,
    /// Which of the earlier words are in the draft now.
    recalled: Option<usize>,
    /// The draft that was there before.
    kept: Draft,
}

/// Pictures that are read for the draft in view, by the words that name them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Looks {
    /// Those that have not come yet.
    pub asked: Vec<String>,
    /// Those that cannot be attached.
    pub looked: Vec<String>,
    /// The draft is sent as soon as the last of them is there.
    pub sends: Option<When>,
}

/// Words that wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queued {
    pub to: SessionId,
    pub text: String,
    /// As it was written.
    pub draft: Draft,
    pub when: When,
}

/// When words count that are sent while a turn runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// When the model has no more to do.
    AfterTurn,
    /// Before its next request.
    NextStep,
}

impl Composer {
    /// An empty composer that remembers these words, oldest first.
    pub fn remembering(history: Vec<String>) -> Self {
        Self { history, ..Self::default() }
    }

    /// Does one edit; up and down go by the rows that are seen, and at the edges through the history.
    pub fn edit(&mut self, edit: Edit, rows: Option<Layout>) {
        if self.draft.edit_in(edit, rows) {
            return;
        }
        if edit == Edit::Up {
            self.earlier();
        } else if edit == Edit::Down {
            self.later();
        }
    }

    /// Takes the draft out, to send it.
    pub fn take(&mut self) -> Draft {
        self.looks = Looks::default();
        let draft = std::mem::take(&mut self.draft);
        self.remember(&draft.written());
        draft
    }

    /// Keeps words for later without sending them.
    pub fn remember(&mut self, text: &str) {
        self.recalled = None;
        if !text.trim().is_empty() && self.history.last().is_none_or(|last| last != text) {
            self.history.push(text.to_owned());
        }
    }

    /// Keeps words of a journal that is read back.
    pub fn heard(&mut self, text: &str) {
        if !self.history.iter().any(|known| known == text) {
            self.remember(text);
        }
    }

    /// The words of before, oldest first.
    pub fn history(&self) -> &[String] {
        &self.history
    }

    /// Gives what was written back that was meant for something that is no longer there.
    pub fn give_back(&mut self, draft: impl Into<Draft>) {
        let draft = draft.into();
        if self.draft.is_empty() {
            self.draft = draft;
        } else {
            self.remember(&draft.written());
        }
    }

    /// Something that was queued has been said.
    pub fn said(&mut self, to: SessionId, text: &str) {
        let found = self.queued.iter().position(|one| one.to == to && one.text == text);
        if let Some(at) = found {
            self.queued.remove(at);
        }
    }

    /// Takes back what was queued last for a session, into the draft.
    pub fn take_back(&mut self, to: SessionId) -> Option<String> {
        let at = self.queued.iter().rposition(|one| one.to == to)?;
        let one = self.queued.remove(at);
        self.draft = one.draft;
        self.recalled = None;
        Some(one.text)
    }

    /// Another session is in view, and its draft is this one.
    pub fn turn_to(&mut self, draft: Draft) -> Draft {
        self.recalled = None;
        self.offered = None;
        self.looks = Looks::default();
        std::mem::replace(&mut self.draft, draft)
    }

    /// Words of before that were changed are words of their own, whichever way somebody goes on.
    fn keep_changed(&mut self) {
        let Some(was) = self.recalled.and_then(|at| self.history.get(at)) else { return };
        let now = self.draft.written();
        if !now.trim().is_empty() && now != *was && self.history.last() != Some(&now) {
            self.history.push(now);
        }
    }

    fn earlier(&mut self) {
        self.keep_changed();
        let at = self.recalled.unwrap_or(self.history.len());
        let Some(at) = at.checked_sub(1) else { return };
        if self.recalled.is_none() {
            self.kept = self.draft.clone();
        }
        self.recalled = Some(at);
        self.draft = Draft::of(&self.history[at]);
    }

    fn later(&mut self) {
        self.keep_changed();
        let Some(at) = self.recalled else { return };
        match self.history.get(at + 1) {
            Some(text) => {
                self.recalled = Some(at + 1);
                self.draft = Draft::of(text);
            }
            None => {
                self.recalled = None;
                self.draft = std::mem::take(&mut self.kept);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn history_comes_back_with_the_draft_of_before_behind_it() {
        let mut composer = Composer::remembering(vec!["first".into(), "second".into()]);
        composer.draft = Draft::of("half");
        let mut seen = Vec::new();
        for edit in [Edit::Up, Edit::Up, Edit::Up, Edit::Down, Edit::Down, Edit::Down] {
            composer.edit(edit, None);
            seen.push(composer.draft.text());
        }
        assert_eq!(seen, ["second", "first", "first", "second", "half", "half"]);
    }

    #[test]
    fn words_of_before_that_were_changed_are_not_lost_whichever_way_somebody_goes_on() {
        for away in [Edit::Up, Edit::Down] {
            let mut composer = Composer::remembering(vec!["first".into(), "second".into()]);
            composer.edit(Edit::Up, None);
            composer.draft = Draft::of("changed");
            composer.edit(away, None);
            assert_eq!(composer.history().last().map(String::as_str), Some("changed"));
            assert_eq!(&composer.history()[..2], ["first", "second"]);
        }
    }

    #[test]
    fn what_is_sent_or_given_back_is_not_lost() {
        let mut composer = Composer { draft: Draft::of("said"), ..Composer::default() };
        assert_eq!(composer.take().text(), "said");
        composer.draft = Draft::of("new");
        composer.give_back("words of a no");
        assert_eq!(composer.draft.text(), "new");
        composer.edit(Edit::Up, None);
        assert_eq!(composer.draft.text(), "words of a no");
    }
}
