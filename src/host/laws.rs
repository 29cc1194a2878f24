//! The rules of all sessions that run here, read anew when a project is entered or a rule is saved.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::watch;

use crate::kernel::{
    event::Event,
    gate::{
        approval::{Answer, NotAnswered},
        law::{Cited, Layer, Rules},
    },
    id::{ApprovalId, SessionId},
    port::{RuleBook, Trusting, Untrusted},
};

/// The rules, and where they are kept.
pub(super) struct Laws {
    pub(super) rules: Arc<Rules>,
    book: Arc<dyn RuleBook>,
    projects: Mutex<Vec<PathBuf>>,
    /// Hears of them.
    entered: watch::Sender<Vec<PathBuf>>,
}

impl Laws {
    pub(super) fn new(rules: Arc<Rules>, book: Arc<dyn RuleBook>) -> Self {
        Self { rules, book, projects: Mutex::default(), entered: watch::Sender::default() }
    }

    /// Reads the rules for a session there, and those of all others anew.
    pub(super) fn enter(&self, workspace: &Path) {
        let mut projects = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = !projects.iter().any(|known| known == workspace);
        if is_new {
            projects.push(workspace.to_owned());
        }
        self.rules.replace(self.book.read(&projects));
        if is_new {
            self.entered.send_replace(projects.clone());
        }
    }

    /// The rules of a project that a person is to be asked about.
    pub(super) fn untrusted(&self, project: &Path) -> Option<Untrusted> {
        self.book.untrusted(project)
    }

    /// Keeps what a person said to the rules of a project; if it was yes, they count from now on.
    pub(super) fn judge(
        &self,
        project: &Path,
        text: &str,
        said: Trusting,
    ) -> Result<(), NotAnswered> {
        self.book.judge(project, text, said).map_err(NotAnswered::Refused)?;
        self.reload();
        Ok(())
    }

    /// What is wrong with their files now.
    pub(super) fn faults(&self) -> Vec<String> {
        let projects = self.projects.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.book.faults(&projects)
    }

    /// Reads all of them anew.
    pub(super) fn reload(&self) {
        let projects = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        self.rules.replace(self.book.read(&projects));
    }
}

impl super::Host {
    /// The projects in which sessions ran so far, oldest first, and those to come: their rules count.
    pub fn projects(&self) -> watch::Receiver<Vec<PathBuf>> {
        self.0.laws.entered.subscribe()
    }
}

impl super::Inner {
    /// Answers a question; a rule for always is saved first, and then holds for all that wait.
    pub(super) fn answer(&self, id: ApprovalId, answer: Answer) -> Result<(), NotAnswered> {
        let waiting = self.waiting.as_ref().ok_or(NotAnswered::NobodyWaits)?;
        let mut saved = false;
        let answered = waiting.answer_kept(id, answer, |text| {
            self.laws.book.keep(text)?;
            saved = true;
            Ok(())
        });
        if saved {
            self.laws.reload();
        }
        answered
    }

    /// Takes back what was granted in a session.
    pub(super) fn revoke(&self, grant: ApprovalId) -> Result<(), NotAnswered> {
        let revoke = |live: &super::Live| {
            let revoked = live.context.gate.law().grants().revoke(grant)?;
            Some((live.clone(), revoked.cited))
        };
        let revoked = self.live().values().find_map(revoke);
        let gone = || NotAnswered::Refused("That yes does not stand any more.".to_owned());
        let (live, rule) = revoked.ok_or_else(gone)?;
        self.revoked(live, rule)
    }

    /// Takes a rule out of the person's own.
    pub(super) fn revoke_saved(&self, session: SessionId, rule: Cited) -> Result<(), NotAnswered> {
        if rule.layer != Layer::User {
            let file = rule.file.as_deref().unwrap_or("a file");
            let why = format!("That rule is not in your own rules: change it in {file}.");
            return Err(NotAnswered::Refused(why));
        }
        self.laws.book.remove(&rule).map_err(NotAnswered::Refused)?;
        self.laws.reload();
        let Some(live) = self.get(session) else { return Ok(()) };
        self.revoked(live, rule)
    }

    fn revoked(&self, mut live: super::Live, rule: Cited) -> Result<(), NotAnswered> {
        loop {
            let noted = live.note(Event::RuleRevoked { rule: rule.clone() });
            let noted = noted.map_err(|error| {
                NotAnswered::Refused(format!("Taken back, but that was not recorded: {error}"))
            })?;
            // The agent that asked may be over; a session above it is not.
            let above = live.context.spec.parent.filter(|_| noted.is_none());
            match above.and_then(|above| self.get(above)) {
                Some(above) => live = above,
                None => return Ok(()),
            }
        }
    }
}
