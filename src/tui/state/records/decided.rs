//! The list of decisions, newest first, and the words it is narrowed by.

use crate::{
    kernel::{
        event::Decider,
        gate::{approval::Scope, law::Cited, monitor::Doubt},
        id::SessionId,
        session::decisions::{Decided, EDITED, Ruling},
    },
    tui::state::filter::Filter,
};

/// The list.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    /// All of them, each with the session in which it was made.
    pub all: Vec<(SessionId, Decided)>,
}

impl Decisions {
    /// Those that are shown.
    pub fn shown(&self, filter: &Filter) -> Vec<&(SessionId, Decided)> {
        let shown = |decided: &Decided| {
            let rule = filter.rule.as_ref().is_none_or(|rule| belongs(decided, rule));
            rule && filter.passes(&searched(decided))
        };
        self.all.iter().filter(|(_, decided)| shown(decided)).collect()
    }
}

/// Whether that rule decided it, or was the answer to its question.
fn belongs(decided: &Decided, rule: &Cited) -> bool {
    if rule.grant.is_some() && decided.approval == rule.grant {
        return true;
    }
    let Some(Decider::Rule { rule: by }) = &decided.by else { return false };
    match rule.grant {
        Some(_) => by.grant == rule.grant,
        // Its line may be another one by now.
        None => (by.layer, by.effect, &by.says) == (rule.layer, rule.effect, &rule.says),
    }
}

/// A decision in one line, to be used elsewhere.
pub fn line(decided: &Decided, at: &str) -> String {
    let category = decided.category.map_or("", |category| category.name()).to_uppercase();
    let mut line = format!("{at} {category} {}, by: {}", decided.effect, by(decided));
    match (&decided.by, &decided.words) {
        (Some(Decider::Rule { rule }), _) => line.push_str(&format!(" {rule}")),
        (_, Some(words)) => line.push_str(&format!(" ({words})")),
        (_, None) => {}
    }
    line.push_str(&format!(", {}", decided.agent.join(" › ")));
    if let Some(number) = decided.line {
        line.push_str(&format!(", line {number}"));
    }
    line + &format!(", call {}", decided.call)
}

/// All words of a decision.
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
    let rule = match &decided.by {
        Some(Decider::Rule { rule }) => rule.to_string(),
        _ => String::new(),
    };
    let (effect, name) = (&decided.effect, &decided.name);
    format!("{verdict} {category} {effect} {name} {by} {rule} {monitor} {said} {who}")
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
        (Some(Decider::Record { .. }), _) => "an earlier run".to_owned(),
        (Some(Decider::Person), Ruling::Denied) => "you: no".to_owned(),
        (Some(Decider::Person), _) => match &decided.scope {
            Some(Scope::Session { .. }) => "you: session".to_owned(),
            Some(Scope::Always { .. }) => "you: always".to_owned(),
            Some(Scope::Once) if decided.words.as_deref() == Some(EDITED) => {
                "you, edited".to_owned()
            }
            Some(Scope::Once) | None => "you".to_owned(),
        },
    }
}
