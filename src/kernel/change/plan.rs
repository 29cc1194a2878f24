//! What undoing would do now, said before it is done: a plain function of the journal and of what
//! stands in the files.

use std::{collections::HashMap, path::PathBuf};

use jiff::Timestamp;

use super::{Before, End, Ledger, Recorded};
use crate::kernel::{
    id::CallId,
    port::{Kept, Mark},
};

/// What stands in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Now {
    /// Nothing.
    Nothing,
    /// A file, whose bytes last changed then.
    File { mark: Mark, changed: Timestamp },
    /// Something that cannot be looked into; why.
    Unknown(String),
}

/// A change, and what undoing it would do now.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The change.
    pub recorded: Recorded,
    /// What undoing would do.
    pub undo: Undo,
}

/// What undoing a change would do now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undo {
    /// So many bytes that stood there before are put back.
    Restore { bytes: u64 },
    /// The file is removed: the call made it, and nothing changed it since.
    Remove,
    /// Nothing.
    LeaveAlone(Why),
}

/// Why a change is left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It was undone already.
    Undone,
    /// It was never made.
    NotMade,
    /// A later change stands on it, by that call: that one first.
    Later(CallId),
    /// Another program changed the file since; when, if it is still there.
    Changed { at: Option<Timestamp> },
    /// What stood there before was not kept.
    NotKept(Kept),
    /// The file cannot be looked into; why.
    Unknown(String),
}

/// What undoing these changes would do, the last one first, as they would be undone.
pub fn plan(
    ledger: &Ledger,
    chosen: impl Fn(&Recorded) -> bool,
    mut now: HashMap<PathBuf, Now>,
) -> Vec<Planned> {
    let chosen = ledger.changes().iter().rev().filter(|recorded| chosen(recorded));
    let planned = chosen.map(|recorded| {
        let change = &recorded.change;
        let standing = now.get(&change.path).cloned().unwrap_or(Now::Nothing);
        let undo = undo(ledger, recorded, &standing);
        if !matches!(undo, Undo::LeaveAlone(_)) {
            let before = match &change.before {
                Before::Nothing => Now::Nothing,
                Before::File { mark, .. } => Now::File { mark: mark.clone(), changed: recorded.at },
            };
            now.insert(change.path.clone(), before);
        }
        Planned { recorded: recorded.clone(), undo }
    });
    planned.collect()
}

fn undo(ledger: &Ledger, recorded: &Recorded, now: &Now) -> Undo {
    let change = &recorded.change;
    if recorded.undone.is_some() {
        return Undo::LeaveAlone(Why::Undone);
    }
    match (recorded.end, now) {
        (End::Failed, _) => return Undo::LeaveAlone(Why::NotMade),
        (_, Now::Unknown(why)) => return Undo::LeaveAlone(Why::Unknown(why.clone())),
        (End::Made | End::Unknown, Now::Nothing | Now::File { .. }) => {}
    }
    if !is(now, change.after.as_ref()) {
        return Undo::LeaveAlone(why_not(ledger, recorded, now));
    }
    match &change.before {
        Before::Nothing => Undo::Remove,
        Before::File { mark, kept: Kept::Whole, .. } => Undo::Restore { bytes: mark.bytes },
        Before::File { kept, .. } => Undo::LeaveAlone(Why::NotKept(*kept)),
    }
}

fn why_not(ledger: &Ledger, recorded: &Recorded, now: &Now) -> Why {
    let changes = ledger.changes();
    let own = changes.iter().position(|other| other.call == recorded.call).unwrap_or(0);
    let later = changes[own + 1..].iter().rev().find(|other| {
        other.change.path == recorded.change.path
            && other.undone.is_none()
            && is(now, other.change.after.as_ref())
    });
    if let Some(later) = later {
        return Why::Later(later.call);
    }
    let before = match &recorded.change.before {
        Before::Nothing => None,
        Before::File { mark, .. } => Some(mark),
    };
    match now {
        _ if recorded.end == End::Unknown && is(now, before) => Why::NotMade,
        Now::File { changed, .. } => Why::Changed { at: Some(*changed) },
        Now::Nothing | Now::Unknown(_) => Why::Changed { at: None },
    }
}

fn is(now: &Now, mark: Option<&Mark>) -> bool {
    match (now, mark) {
        (Now::Nothing, None) => true,
        (Now::File { mark: stands, .. }, Some(mark)) => mark.means(stands),
        (Now::Nothing | Now::File { .. } | Now::Unknown(_), _) => false,
    }
}

impl Undo {
    /// In words, after the name of the file.
    pub fn words(&self, time: impl Fn(Timestamp) -> String, at: Timestamp) -> String {
        let why = match self {
            Self::Restore { bytes } => {
                return format!("back to the {} bytes of before {}", grouped(*bytes), time(at));
            }
            Self::Remove => {
                return "removed: this session made it, nothing changed it since".to_owned();
            }
            Self::LeaveAlone(why) => why,
        };
        let why = match why {
            Why::Undone => "it was undone already".to_owned(),
            Why::NotMade => "the change was never made".to_owned(),
            Why::Later(call) => {
                format!("a later change stands on it (call {}); undo that first", call.short())
            }
            Why::Changed { at: Some(at) } => {
                format!("another program changed it at {}", time(*at))
            }
            Why::Changed { at: None } => "another program removed it".to_owned(),
            Why::NotKept(Kept::TooLarge) => "it was too large for its bytes to be kept".to_owned(),
            Why::NotKept(Kept::Full) => "the session kept as much as it may already".to_owned(),
            Why::NotKept(Kept::Whole | Kept::Nowhere) => "its bytes were not kept".to_owned(),
            Why::Unknown(why) => why.clone(),
        };
        format!("left alone: {why}")
    }
}

/// `4,102`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests;
