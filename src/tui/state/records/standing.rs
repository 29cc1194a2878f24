//! The rules that count here, with what they let through.

use jiff::Timestamp;

use crate::{
    kernel::{
        gate::{
            law::{Cited, Layer, Placed},
            rule::Effect,
        },
        session::standing::{Tally, Used},
    },
    tui::state::filter::Filter,
};

/// The list of grants and rules.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// As the host told them: what was granted to the session, then those of files.
    pub placed: Vec<Placed>,
    /// What they came to.
    pub tally: Tally,
    /// What is wrong with files of rules, as it was told.
    pub faults: Vec<String>,
}

/// A row of the list.
#[derive(Clone, Debug, PartialEq)]
pub enum Row<'a> {
    Rule(&'a Placed),
    /// What is wrong with a file.
    Fault(&'a str),
}

impl Rules {
    /// The rows: what narrows a file by a fault first, for it changes what the rest means.
    pub fn rows(&self, filter: &Filter) -> Vec<Row<'_>> {
        let faults = self.faults.iter().map(|fault| Row::Fault(fault));
        let all = faults.chain(self.placed.iter().map(Row::Rule));
        all.filter(|row| filter.passes(&searched(row))).collect()
    }

    /// When a yes of this session was given.
    pub fn given(&self, placed: &Placed) -> Option<Timestamp> {
        let grant = placed.cited.grant?;
        let mut live = self.tally.grants().iter();
        live.find(|standing| standing.grant == grant).map(|standing| standing.given)
    }

    /// How often it decided here.
    pub fn used(&self, placed: &Placed) -> Option<Used> {
        match placed.cited.grant {
            Some(grant) => self.tally.used_grant(grant),
            None => self.tally.used(&placed.cited),
        }
    }
}

/// All words of a row.
fn searched(row: &Row<'_>) -> String {
    match row {
        Row::Fault(fault) => (*fault).to_owned(),
        Row::Rule(placed) => {
            let Cited { effect, says, layer, .. } = &placed.cited;
            format!("{} {} {says} {}", effect.name(), does(*effect), layer.name())
        }
    }
}

/// What a rule does, in the words of the list.
pub fn does(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "allowed",
        Effect::Ask => "always asks",
        Effect::Deny => "denied",
    }
}

/// Who can change a rule that is kept there, and how.
pub fn kept(placed: &Placed) -> String {
    let file = placed.cited.file.as_deref().unwrap_or_default();
    let place = match placed.cited.line {
        Some(line) => format!("{file}:{line}"),
        None => file.to_owned(),
    };
    match placed.cited.layer {
        Layer::Session => "Kept in this session; gone when it ends.".to_owned(),
        Layer::User => format!("Yours, in {place}."),
        Layer::Project => format!("The project's. To change it, edit {place}."),
        Layer::Admin => {
            format!("By whoever runs this computer. Only they change it: {place}.")
        }
    }
}
