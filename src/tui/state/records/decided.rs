//! The list of decisions, newest first, and the words it is narrowed by.

use crate::{
    kernel::{
        event::Decider,
        gate::{approval::Scope, monitor::Doubt},
        id::SessionId,
        session::decisions::{Decided, Ruling},
    },
    tui::state::draft::Draft,
};

/// The list.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    /// All of them, each with the session in which it was made.
    pub all: Vec<(SessionId, Decided)>,
    /// Only what has each of these words is shown.
    pub filter: Draft,
    /// The words are being typed.
    pub typing: bool,
}

impl Decisions {
    /// Those that are shown.
    pub fn shown(&self) -> Vec<&(SessionId, Decided)> {
        let text = self.filter.text().to_lowercase();
        let words: Vec<&str> = text.split_whitespace().collect();
        let has = |decided: &Decided| {
            let all = searched(decided);
            words.iter().all(|word| all.contains(word))
        };
        self.all.iter().filter(|(_, decided)| words.is_empty() || has(decided)).collect()
    }
}

/// All words of a decision, small.
fn searched(decided: &Decided) -> String {
    let verdict = match decided.verdict {
        Ruling::Allowed => "allowed yes",
        Ruling::Denied => "denied no",
        Ruling::Withdrawn => "withdrawn",
        Ruling::Open => "open",
    };
    let category = decided.category.map_or("", |category| category.name());
    let who = decided.agent.join(" ");
    let said = decided.words.as_deref().unwrap_or_default();
    let by = by(decided);
    let monitor = doubt(decided).map(|doubt| format!("monitor: {} {doubt}", doubt.tier.name()));
    let monitor = monitor.unwrap_or_default();
    format!("{verdict} {category} {} {} {by} {monitor} {said} {who}", decided.effect, decided.name)
        .to_lowercase()
}

/// What the monitor had against it, whoever decided then.
pub fn doubt(decided: &Decided) -> Option<&Doubt> {
    match &decided.by {
        Some(Decider::Monitor(doubt)) => Some(doubt),
        Some(_) | None => decided.monitor.as_ref(),
    }
}

/// Who or what decided, in a word or two.
pub fn by(decided: &Decided) -> String {
    match (&decided.by, decided.verdict) {
        (None, Ruling::Withdrawn) => "withdrawn".to_owned(),
        (None, Ruling::Allowed | Ruling::Denied | Ruling::Open) => "still open".to_owned(),
        (Some(Decider::Mode { mode }), _) => format!("mode {}", mode.name()),
        (Some(Decider::Grant), _) => "a yes before".to_owned(),
        (Some(Decider::Rule { .. }), _) => "rule".to_owned(),
        (Some(Decider::Monitor(doubt)), _) => format!("monitor: {}", doubt.tier.name()),
        (Some(Decider::Nobody), _) => "nobody there".to_owned(),
        (Some(Decider::Expiry), _) => "no answer came".to_owned(),
        (Some(Decider::Person), Ruling::Denied) => "you: no".to_owned(),
        (Some(Decider::Person), _) => match &decided.scope {
            Some(Scope::Session { .. }) => "you: session".to_owned(),
            Some(Scope::Always { .. }) => "you: always".to_owned(),
            Some(Scope::Once) | None => "you".to_owned(),
        },
    }
}
