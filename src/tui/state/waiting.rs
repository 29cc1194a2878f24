//! Everything that waits for the person, oldest first, whatever its depth.

mod arrivals;
mod laid;
mod offered;

use std::{cell::RefCell, cmp::Reverse, ops::Range, sync::Arc};

use jiff::Timestamp;

use self::arrivals::Arrivals;
pub use self::laid::{Around, Laid, Making};
pub use self::offered::NotOffered;
use super::{draft::Draft, edit::Edit, records::wider::Wider, several::Several};
use crate::{
    kernel::{
        capability::Capability,
        gate::approval::Question,
        id::{ApprovalId, CallId},
        port::Untrusted,
    },
    tui::{
        clean::{Deceits, Piece},
        diff::Diff,
        highlight::Colours,
        sheet::AT_ONCE,
        shell::Part,
    },
};

/// What is asked about, made ready for the screen off the loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Paper {
    pub sheet: Arc<Sheet>,
    /// How much text that is.
    pub bytes: usize,
    /// What hides in any of it.
    pub deceits: Deceits,
    /// The object of the effect, look-alikes and hidden characters as codes.
    pub object: Vec<Piece>,
    /// What the monitor has against it, in the same way.
    pub monitor: Option<Vec<Piece>>,
    /// What goes beyond the usual, line by line, in the same way.
    pub wider: Vec<Vec<Piece>>,
}

/// The full text of an effect, ready to be laid out.
#[derive(Clone, Debug, PartialEq)]
pub enum Sheet {
    Diff(Diff),
    /// Lines with their colours, numbered; so many stand above them.
    Code(usize, Vec<(String, Colours)>),
    /// Label and value; a value that goes on hangs below itself.
    Fields(Vec<(String, String)>),
    /// A line for a shell: its programs, if they are certain, and the fields that follow.
    Line(Option<Vec<Part>>, Vec<(String, String)>),
    Text(Vec<String>),
}

/// The order of the list of what waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    #[default]
    Oldest,
    Newest,
    /// By the agents that ask.
    Agent,
}

impl Order {
    /// The one after it, round and round.
    pub fn next(self) -> Self {
        match self {
            Self::Oldest => Self::Newest,
            Self::Newest => Self::Agent,
            Self::Agent => Self::Oldest,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Oldest => "oldest first",
            Self::Newest => "newest first",
            Self::Agent => "by agent",
        }
    }
}

/// How a change is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compare {
    /// What goes above what comes.
    #[default]
    Unified,
    /// Both sides beside each other.
    Sides,
}

/// What a question is about.
#[derive(Clone, Debug, PartialEq)]
pub enum About {
    /// The call of a session.
    Call,
    /// The rules of the project that the screen was opened in. No session asks.
    Rules(Untrusted),
}

/// One question that waits.
#[derive(Clone, Debug)]
pub struct Waiting {
    pub about: About,
    pub question: Question,
    pub asked: Timestamp,
    pub put_off: bool,
    /// Absent until it was made ready; nothing can be answered before.
    pub paper: Option<Arc<Paper>>,
    /// What is called, so that its arguments can be edited.
    pub capability: Option<Arc<Capability>>,
    /// The first row in sight.
    pub top: usize,
    /// The rows that were in sight at some time, from the first on, without a gap.
    pub seen: usize,
    /// The last row was in sight.
    pub end_seen: bool,
    /// The file of the script that asks, where one does.
    pub script: Option<String>,
    /// The line of it that asks.
    pub source: Option<String>,
    pub zoomed: bool,
    pub laid: RefCell<Laid>,
}

/// A second step of an answer.
#[derive(Clone, Debug)]
pub enum Form {
    Because(ApprovalId, Draft),
    Wider(Box<Wider>),
    Search(Search),
    Edit(Edit),
}

/// A word that is looked for in what is asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    pub question: ApprovalId,
    pub word: Draft,
    /// Which of the places where it is found is looked at.
    pub at: usize,
}

impl Form {
    /// The question it belongs to.
    pub fn question(&self) -> ApprovalId {
        match self {
            Self::Because(question, _) => *question,
            Self::Wider(wider) => wider.question,
            Self::Search(search) => search.question,
            Self::Edit(edit) => edit.question,
        }
    }
}

/// The queue.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    waiting: Arrivals,
    chosen: Option<ApprovalId>,
    /// The question from which somebody went away to write.
    pub declined: Option<ApprovalId>,
    pub form: Option<Form>,
    /// Edited arguments that were sent, kept in case they are refused.
    pub sent: Option<Edit>,
    /// The call whose question was looked at when it went to come again.
    pub returns: Option<CallId>,
    /// What is answered together.
    pub several: Several,
    /// How changes are shown, this one and the next.
    pub compare: Compare,
    /// The order of the list.
    pub order: Order,
    /// The row of the list that keys act on.
    pub cursor: usize,
}

impl Waiting {
    /// Whether it is too long to be laid out by the screen itself.
    pub fn is_long(&self) -> bool {
        self.paper.as_ref().is_some_and(|paper| paper.bytes > AT_ONCE)
    }

    /// What the effect acts on, in a few words.
    pub fn object(&self) -> String {
        match &self.paper {
            Some(paper) => paper.object.iter().map(|piece| piece.text.as_str()).collect(),
            None => self.question.preview.object.clone(),
        }
    }

    /// What a yes does, in one word.
    pub fn effect(&self) -> String {
        match &self.about {
            About::Call => self.question.category.name().to_uppercase(),
            About::Rules(_) => "TRUST".to_owned(),
        }
    }

    /// All words by which it can be found.
    pub fn searched(&self) -> String {
        let Question { path, call, preview, .. } = &self.question;
        let script = self.script.as_deref().unwrap_or_default();
        let (path, facts) = (path.join(" "), preview.facts.join(" "));
        format!("{} {} {path} {script} {} {facts}", self.effect(), preview.object, call.name)
    }

    /// Takes in that these rows, of so many, were drawn.
    pub fn saw(&mut self, rows: Range<usize>, total: usize) {
        self.end_seen |= self.paper.is_some() && rows.end >= total;
        if rows.start <= self.seen {
            self.seen = self.seen.max(rows.end);
        }
    }
}

impl Queue {
    /// All of them: those that ask first, oldest first, then those put off.
    pub fn ordered(&self) -> Vec<&Waiting> {
        let asking = self.waiting.iter().filter(|waiting| !waiting.put_off);
        asking.chain(self.waiting.iter().filter(|waiting| waiting.put_off)).collect()
    }

    /// The same in the order of the list.
    pub fn listed(&self) -> Vec<&Waiting> {
        let mut all = self.ordered();
        match self.order {
            Order::Oldest => {}
            Order::Newest => all.sort_by_key(|one| (one.put_off, Reverse(one.asked))),
            Order::Agent => all.sort_by_key(|one| (one.put_off, &one.question.path)),
        }
        all
    }

    /// Its number in that list, from 1.
    pub fn listed_at(&self, id: ApprovalId) -> usize {
        self.listed().iter().position(|waiting| waiting.question.id == id).map_or(0, |at| at + 1)
    }

    /// Whether any of them asks; those that do not are few.
    pub fn asks(&self) -> bool {
        self.waiting.iter().any(|waiting| !waiting.put_off)
    }

    /// How many ask.
    pub fn asking(&self) -> usize {
        self.waiting.iter().filter(|waiting| !waiting.put_off).count()
    }

    /// How many were put off.
    pub fn put_off(&self) -> usize {
        self.waiting.len() - self.asking()
    }

    /// How many of them calls wait for, which nothing goes on without.
    pub fn calls(&self) -> usize {
        self.waiting.iter().filter(|waiting| waiting.about == About::Call).count()
    }

    /// A new question; one that is there already is left alone.
    pub fn ask(&mut self, about: About, question: Question, asked: Timestamp) {
        if self.get(question.id).is_none() {
            self.waiting.push(Waiting {
                about,
                question,
                asked,
                put_off: false,
                paper: None,
                capability: None,
                top: 0,
                seen: 0,
                end_seen: false,
                script: None,
                source: None,
                zoomed: false,
                laid: RefCell::default(),
            });
        }
    }

    /// The question that is on the screen: the one chosen, else the oldest that asks.
    pub fn current(&self) -> Option<&Waiting> {
        let chosen = self.chosen.and_then(|id| self.get(id));
        chosen.or_else(|| self.waiting.iter().find(|waiting| !waiting.put_off))
    }

    /// The same, to be changed.
    pub fn current_mut(&mut self) -> Option<&mut Waiting> {
        let id = self.current()?.question.id;
        self.get_mut(id)
    }

    /// The place of the current one among those that ask, from 1.
    pub fn place(&self, id: ApprovalId) -> usize {
        self.ordered().iter().position(|waiting| waiting.question.id == id).map_or(0, |at| at + 1)
    }

    pub fn get(&self, id: ApprovalId) -> Option<&Waiting> {
        self.waiting.get(id)
    }

    pub fn get_mut(&mut self, id: ApprovalId) -> Option<&mut Waiting> {
        self.waiting.get_mut(id)
    }

    /// Takes one out, because it was answered or withdrawn. The words of a form that goes with it
    /// come back.
    pub fn remove(&mut self, id: ApprovalId) -> (Option<Waiting>, Option<String>) {
        let words = match self.form.take_if(|form| form.question() == id) {
            Some(Form::Because(_, draft)) => Some(draft.text()),
            Some(Form::Search(search)) => Some(search.word.text()),
            Some(Form::Wider(_) | Form::Edit(_)) | None => None,
        };
        if self.chosen == Some(id) {
            self.chosen = None;
        }
        let words = words.filter(|words| !words.is_empty());
        let removed = self.waiting.remove(id);
        if let Some(waiting) = &removed {
            self.several.forget(waiting);
        }
        (removed, words)
    }

    /// The text of the form that is open, if it has one.
    pub fn writing(&mut self) -> Option<&mut Draft> {
        match self.form.as_mut()? {
            Form::Because(_, draft) => Some(draft),
            Form::Search(search) => Some(&mut search.word),
            Form::Edit(edit) => edit.draft(),
            Form::Wider(_) => None,
        }
    }

    /// What was in sight of them is forgotten, for it is laid out anew.
    pub fn unsee(&mut self) {
        for waiting in self.waiting.iter_mut() {
            (waiting.seen, waiting.end_seen) = (0, false);
        }
    }

    /// Shows this one, also if it was put off; it keeps that state.
    pub fn choose(&mut self, id: ApprovalId) {
        if self.get(id).is_some() {
            self.chosen = Some(id);
        }
    }

    /// Shows the next (or previous) of those that wait.
    pub fn step(&mut self, forward: bool) {
        let order: Vec<_> = self.ordered().iter().map(|waiting| waiting.question.id).collect();
        let Some(current) = self.current().map(|waiting| waiting.question.id) else {
            self.chosen = order.first().copied();
            return;
        };
        let at = order.iter().position(|id| *id == current).unwrap_or(0);
        let step = if forward { 1 } else { order.len() - 1 };
        self.chosen = order.get((at + step) % order.len()).copied();
    }

    /// Puts one off, or takes it up again.
    pub fn toggle(&mut self, id: ApprovalId) {
        if let Some(waiting) = self.get_mut(id) {
            waiting.put_off = !waiting.put_off;
        }
        if self.chosen == Some(id) {
            self.chosen = None;
        }
    }

    /// Puts the current one off: it keeps waiting, and no longer comes up by itself.
    pub fn not_now(&mut self) -> Option<ApprovalId> {
        let waiting = self.current_mut()?;
        waiting.put_off = true;
        let id = waiting.question.id;
        self.chosen = None;
        Some(id)
    }

    /// How many of a script wait.
    pub fn of(&self, script: CallId) -> usize {
        self.waiting.of(script)
    }

    /// The names of those of one session.
    pub fn of_session(&self, session: crate::kernel::id::SessionId) -> Vec<ApprovalId> {
        let mine = self.waiting.iter().filter(|waiting| waiting.question.session == session);
        mine.map(|waiting| waiting.question.id).collect()
    }
}
