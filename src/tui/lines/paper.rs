//! What a question asks about, in lines: first what is done to what, then all of it, as far as it was
//! asked for. A line of any length is told in parts, and nothing is told that hides.

use super::words::{self, spelled};
use crate::{
    kernel::{capability::Body, event::Origin},
    tui::{
        clean,
        diff::DiffKind,
        shell::Part,
        state::waiting::{About, Paper, Sheet, Waiting},
        update::asker,
        view::facts,
    },
};

/// The bytes of a line that are told at once.
const PIECE: usize = 1000;

/// Lines of a change that are told at first, of anything else, and with each `more`.
const FIRST_OF_CHANGE: usize = 5;
const FIRST: usize = 12;
const NEXT: usize = 20;

/// How far a text was told: the row, and the bytes of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    row: usize,
    byte: usize,
}

/// Which rows of a text are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// Of a change, what goes and what comes.
    Changes,
    /// Also what stands around it.
    All,
}

/// Who asks: `fix-parser, main.py line 12`.
pub(super) fn who(waiting: &Waiting) -> String {
    let question = &waiting.question;
    let asker = asker(waiting);
    let asker = match question.call.origin {
        Origin::Python { line: Some(line) } => match asker.strip_suffix(&format!(":{line}")) {
            Some(file) => format!("{file} line {line}"),
            None => asker,
        },
        Origin::Python { line: None } | Origin::Model | Origin::Person => asker,
    };
    format!("{}, {asker}", question.path.join(", "))
}

/// What is done to what: `WRITE src/lex.rs`.
pub(super) fn effect(waiting: &Waiting) -> String {
    let object = match &waiting.paper {
        Some(paper) => spelled(&paper.object),
        None => spelled(&clean::pieces(&waiting.question.preview.object)),
    };
    format!("{} {object}", waiting.effect())
}

/// Whether the clock of a run stands still for it.
pub(super) fn clock(waiting: &Waiting) -> &'static str {
    let question = &waiting.question;
    match (question.call.origin, &question.preview.body) {
        (Origin::Python { .. }, Body::Packages { .. }) => " Clock not started.",
        (Origin::Python { .. }, _) => " Clock held.",
        (Origin::Model | Origin::Person, _) => "",
    }
}

/// What it does, and all that has to be known before its text.
pub(super) fn head(waiting: &Waiting, paper: &Paper) -> Vec<String> {
    let mut facts: Vec<_> = facts(waiting, usize::MAX);
    if let Sheet::Diff(diff) = &*paper.sheet {
        facts.retain(|fact| !fact.starts_with(['+', '−']));
        facts.splice(0..0, changed(diff.added, diff.removed));
    }
    let mut said = effect(waiting);
    for fact in &facts {
        said.push_str(&format!(", {}", fact.replace('−', "-")));
    }
    let mut out = vec![format!("{said}.")];
    out.extend(paper.monitor.iter().map(|doubt| format!("The monitor: {}", spelled(doubt))));
    out.extend(paper.wider.iter().map(|line| format!("Beyond the usual: {}", spelled(line))));
    let deceits = &paper.deceits;
    if deceits.count > 0 {
        out.push(match deceits.count {
            1 => "1 character here can deceive the eye. It is spelled out:".to_owned(),
            count => format!("{count} characters here can deceive the eye. Each is spelled out:"),
        });
        out.extend(deceits.first.iter().map(|(place, deceit)| {
            format!("{place}: character U+{:04X}, {}.", u32::from(deceit.char), deceit.why)
        }));
        if let Some(more @ 1..) = deceits.count.checked_sub(deceits.first.len()) {
            out.push(format!("and {more} more."));
        }
    }
    match &*paper.sheet {
        Sheet::Line(programs, _) => out.extend(self::programs(programs.as_deref())),
        Sheet::Diff(diff) if diff.rows.is_empty() && diff.new_file => {
            out.push("It is an empty file.".to_owned());
        }
        Sheet::Diff(diff) if diff.rows.is_empty() => {
            out.push("It is the very text that stands there.".to_owned());
        }
        Sheet::Diff(_) | Sheet::Code(..) | Sheet::Fields(_) | Sheet::Text(_) => {}
    }
    out
}

/// `4 lines added, 2 removed`.
fn changed(added: usize, removed: usize) -> Option<String> {
    match (added, removed) {
        (0, 0) => None,
        (added, 0) => Some(format!("{} added", words::lines(added))),
        (0, removed) => Some(format!("{} removed", words::lines(removed))),
        (added, removed) => Some(format!("{} added, {removed} removed", words::lines(added))),
    }
}

/// The programs of a line for a shell.
fn programs(parts: Option<&[Part]>) -> Vec<String> {
    let Some(parts) = parts else {
        return vec!["This line cannot be taken apart, so it is told whole.".to_owned()];
    };
    let told = |(at, part): (usize, &Part)| {
        let operator = match part.operator {
            "" => String::new(),
            operator => format!(", after {operator}"),
        };
        let depth = if part.depth > 0 { ", inside" } else { "" };
        let text = spelled(&clean::asked_pieces(&part.text, 0));
        let mut said = format!("program {}{operator}{depth}: {text}", at + 1);
        let writes = part.writes.iter().map(|file| format!("writes {file}"));
        for more in writes.chain(part.note.clone()) {
            said.push_str(&format!("; {}", spelled(&clean::asked_pieces(&more, 0))));
        }
        said
    };
    let mut out: Vec<_> = parts.iter().enumerate().map(told).collect();
    if parts.len() > 1 {
        out.push("Compound: a wider yes can only be for this exact line.".to_owned());
    }
    out
}

/// What is said of the rules of a project and of nothing else.
pub(super) fn is_trust(waiting: &Waiting) -> bool {
    matches!(waiting.about, About::Rules(_))
}

/// The next lines of a text, and how far it is told then: what belongs together, as far as it is short.
pub(super) fn part(sheet: &Sheet, from: Place) -> (Vec<String>, Place) {
    let most = match sheet {
        _ if from != Place::default() => NEXT,
        Sheet::Diff(_) => FIRST_OF_CHANGE,
        Sheet::Code(..) | Sheet::Fields(_) | Sheet::Line(..) | Sheet::Text(_) => FIRST,
    };
    let (mut out, mut at) = (Vec::new(), from);
    loop {
        let (mut group, mut next) = (Vec::new(), at);
        while group.len() <= most
            && let Some((text, after)) = line(sheet, next, Which::Changes)
        {
            if !group.is_empty() && begins(sheet, next) {
                break;
            }
            next = after;
            group.push((text, after));
        }
        if group.is_empty() || (!out.is_empty() && out.len() + group.len() > most) {
            return (out, at);
        }
        for (text, after) in group {
            if out.len() == most {
                return (out, at);
            }
            out.push(text);
            at = after;
        }
    }
}

/// All lines of a text.
pub(super) fn whole(sheet: &Sheet) -> Vec<String> {
    let (mut out, mut at) = (Vec::new(), Place::default());
    while let Some((text, after)) = line(sheet, at, Which::All) {
        out.push(text);
        at = after;
    }
    out
}

/// The place behind all of it.
pub(super) fn end_of(sheet: &Sheet) -> Place {
    Place { row: rows(sheet), byte: 0 }
}

/// How many lines are not told yet.
pub(super) fn left(sheet: &Sheet, from: Place) -> usize {
    let mut count = 0;
    for row in from.row..rows(sheet) {
        if !is_told(sheet, row, Which::Changes) {
            continue;
        }
        let mut byte = if row == from.row { from.byte } else { 0 };
        loop {
            count += 1;
            match end(text(sheet, row), byte) {
                Some(next) => byte = next,
                None => break,
            }
        }
    }
    count
}

/// The line at a place, or the first behind it that is told, and the place behind it.
fn line(sheet: &Sheet, from: Place, which: Which) -> Option<(String, Place)> {
    let row = (from.row..rows(sheet)).find(|row| is_told(sheet, *row, which))?;
    let byte = if row == from.row { from.byte } else { 0 };
    let (all, next) = (text(sheet, row), end(text(sheet, row), byte));
    let piece = all.get(byte..next.unwrap_or(all.len())).unwrap_or_default();
    let mut said = if byte == 0 { label(sheet, row) } else { "goes on: ".to_owned() };
    said.push_str(&spelled(&clean::asked_pieces(piece, 0)));
    if next.is_none() && is_unended(sheet, row) {
        said.push_str(" (no line end)");
    }
    let after = match next {
        Some(byte) => Place { row, byte },
        None => Place { row: row + 1, byte: 0 },
    };
    Some((said, after))
}

/// Where the piece that begins there ends, if the text goes on behind it.
fn end(text: &str, from: usize) -> Option<usize> {
    let end = text.floor_char_boundary(from + PIECE);
    (end < text.len() && end > from).then_some(end)
}

fn rows(sheet: &Sheet) -> usize {
    match sheet {
        Sheet::Diff(diff) => diff.rows.len(),
        Sheet::Code(_, lines) => lines.len(),
        Sheet::Fields(fields) | Sheet::Line(_, fields) => fields.len(),
        Sheet::Text(lines) => lines.len(),
    }
}

fn text(sheet: &Sheet, row: usize) -> &str {
    match sheet {
        Sheet::Diff(diff) => diff.rows.get(row).map(|row| row.text.as_str()),
        Sheet::Code(_, lines) => lines.get(row).map(|(line, _)| line.as_str()),
        Sheet::Fields(fields) | Sheet::Line(_, fields) => {
            fields.get(row).map(|(_, value)| value.as_str())
        }
        Sheet::Text(lines) => lines.get(row).map(String::as_str),
    }
    .unwrap_or_default()
}

fn kind(sheet: &Sheet, row: usize) -> Option<DiffKind> {
    match sheet {
        Sheet::Diff(diff) => diff.rows.get(row).map(|row| row.kind),
        Sheet::Code(..) | Sheet::Fields(_) | Sheet::Line(..) | Sheet::Text(_) => None,
    }
}

fn is_told(sheet: &Sheet, row: usize, which: Which) -> bool {
    let around = matches!(kind(sheet, row), Some(DiffKind::Same | DiffKind::Gap(_)));
    which == Which::All || !around
}

/// Whether something new begins there.
fn begins(sheet: &Sheet, at: Place) -> bool {
    let changes = |row| matches!(kind(sheet, row), Some(DiffKind::Add | DiffKind::Remove));
    let first = (at.row..rows(sheet)).find(|row| is_told(sheet, *row, Which::Changes));
    match (sheet, first) {
        (Sheet::Diff(_), Some(row)) => {
            (row, 0) == (row, if row == at.row { at.byte } else { 0 })
                && row.checked_sub(1).is_none_or(|before| !changes(before))
        }
        (_, _) => at.byte == 0,
    }
}

fn is_unended(sheet: &Sheet, row: usize) -> bool {
    match sheet {
        Sheet::Diff(diff) => diff.rows.get(row).is_some_and(|row| row.unended),
        Sheet::Code(..) | Sheet::Fields(_) | Sheet::Line(..) | Sheet::Text(_) => false,
    }
}

fn label(sheet: &Sheet, row: usize) -> String {
    match sheet {
        Sheet::Diff(diff) => {
            let Some(row) = diff.rows.get(row) else { return String::new() };
            let number = row.new_no.or(row.old_no).unwrap_or_default();
            match row.kind {
                DiffKind::Add => format!("added   {number}: "),
                DiffKind::Remove => format!("removed {number}: "),
                DiffKind::Same => format!("same    {number}: "),
                DiffKind::Gap(count) => format!("{} the same", words::lines(count)),
            }
        }
        Sheet::Code(above, _) => format!("line {}: ", above + row + 1),
        Sheet::Fields(fields) | Sheet::Line(_, fields) => {
            // A value that takes several rows has its label before the first.
            let before = fields.iter().take(row + 1).rev().map(|(label, _)| label.as_str());
            let label = before.into_iter().find(|label| !label.is_empty()).unwrap_or_default();
            format!("{label}: ")
        }
        Sheet::Text(_) => String::new(),
    }
}
