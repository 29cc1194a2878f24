//! A run of Python in the transcript: its head, as much of its text as is unfolded, what it did,
//! and the last lines it printed.

use std::ops::Range;

use ratatui::text::{Line, Span};

use super::{
    Code, Fold, Nested, Progress,
    rows::{self, Scene},
};
use crate::tui::{
    clean, highlight,
    theme::{Mark, Role},
    words,
};

/// Lines of a run shown before someone unfolds it whole.
const PART: usize = 5;

/// Lines of output below them.
const OUTPUT: usize = 3;

pub(super) fn rows(code: &Code, scene: &Scene<'_>) -> Vec<Line<'static>> {
    let mut out = vec![head(code, scene)];
    let held = code.held();
    let shown = match code.fold {
        Fold::Shut => 0..0,
        Fold::Full => 0..code.script.count(),
        Fold::Part => part(code, held),
    };
    let texts = code.script.lines().enumerate().skip(shown.start).take(shown.len());
    out.extend(texts.map(|(at, text)| line(code, (at, text), held, scene)));
    let hidden = code.script.count() - shown.len();
    if code.fold == Fold::Part && hidden > 0 && held.is_none() {
        out.push(rows::folded(&format!("{} more", words::count(hidden, "line")), scene));
    }
    for nested in code.effects.iter() {
        let at = nested.line.and_then(|line| usize::try_from(line).ok()?.checked_sub(1));
        let said_above =
            nested.called.progress == Progress::Asking && at.is_some_and(|at| shown.contains(&at));
        let quiet = code.fold == Fold::Shut && nested.called.progress == Progress::Done;
        if !said_above && !quiet {
            out.push(effect(nested, scene));
        }
    }
    out.extend(printed(code, scene));
    out
}

fn part(code: &Code, held: Option<&Nested>) -> Range<usize> {
    let count = code.script.count();
    match held.and_then(|nested| usize::try_from(nested.line?).ok()) {
        Some(line) if line <= count => line.saturating_sub(PART)..(line + 1).min(count),
        // One line left out would take the row it saves.
        _ if count <= PART + 1 => 0..count,
        _ => 0..PART,
    }
}

fn head(code: &Code, scene: &Scene<'_>) -> Line<'static> {
    let look = scene.look;
    let used = scene.used(code.call);
    let held = code.held();
    let stands = held.is_some() || used.is_some_and(|(_, held)| held);
    let runs = matches!(code.progress, Progress::Running { .. });
    let mark = if runs && stands { Mark::ClockHeld } else { code.progress.mark() };
    let fold = if code.fold == Fold::Shut { Mark::Folded } else { Mark::Open };
    let mut spans = vec![scene.mark(fold), Span::raw(" "), scene.mark(mark), Span::raw(" ")];
    spans.extend(scene.name(&code.filename, Role::Text));
    spans.push(Span::raw("   "));
    let mut facts = Vec::new();
    match &code.progress {
        Progress::Asking => {
            facts.push(format!("asks to run, {}", words::count(code.script.count(), "line")));
        }
        Progress::Running { since } => {
            match held.and_then(|nested| nested.line) {
                Some(line) => facts.push(format!("held at line {line}")),
                None if stands => facts.push("held".to_owned()),
                None => facts.push(scene.look.clock(words::seconds(*since, scene.now))),
            }
            if let Some((spent, _)) = used {
                facts.push(scene.look.used(spent, code.limit_ms));
            }
        }
        progress @ (Progress::Unknown(_)
        | Progress::Done
        | Progress::Failed(_)
        | Progress::Denied(_)
        | Progress::Limit(_)
        | Progress::Stopped(_)
        | Progress::Withdrawn(_)) => {
            if code.ran_ms > 0 {
                facts.push(words::took(code.ran_ms));
            }
            if let Some(why) = progress.why() {
                let (word, why) = (progress.mark().word(), words::first_line(why));
                let said = why.starts_with(word);
                facts.push(if said { why.to_owned() } else { format!("{word}: {why}") });
            }
        }
    }
    facts.extend(code.seal.map(|seal| words::seal(seal).to_owned()));
    if code.reads.count > 0 {
        facts.push(words::count(code.reads.count, "read"));
    }
    let done = code.effects.iter().filter(|nested| nested.called.progress == Progress::Done);
    let done = done.count();
    if done > 0 {
        facts.push(words::count(done, "effect"));
    }
    let role = if code.progress.why().is_some() { mark.role() } else { Role::Quiet };
    spans.extend(clean::spans(
        &facts.join(&look.dot()),
        look.style(role),
        look.style(Role::Escape),
    ));
    rows::fit(spans, scene.width)
}

fn line(
    code: &Code,
    (at, text): (usize, &str),
    held: Option<&Nested>,
    scene: &Scene<'_>,
) -> Line<'static> {
    let here = held.and_then(|nested| nested.line) == u32::try_from(at + 1).ok();
    let quiet = scene.look.style(Role::Quiet);
    let number = format!("{:>4}  ", at + 1);
    let mut spans = if here {
        let rest = format!("{:>2}  ", at + 1);
        let start = scene.look.mark(Mark::Folded);
        vec![Span::styled(format!("{start} {rest}"), scene.look.style(Role::Bright))]
    } else {
        vec![Span::styled(number, quiet)]
    };
    spans.extend(highlight::styled(text, code.colours.line(at), &scene.look.theme).spans);
    if !here {
        return rows::fit(spans, scene.width);
    }
    let waits = Span::styled("waits for you", scene.look.style(Role::Need));
    words::apart(Line::from(spans), Line::from(waits), scene.width)
}

fn effect(nested: &Nested, scene: &Scene<'_>) -> Line<'static> {
    let line = nested.line.map(|line| format!("line {line}")).unwrap_or_default();
    let mut row = rows::call(&nested.called, scene);
    row.spans.insert(0, Span::raw("  "));
    words::apart(row, Line::styled(line, scene.look.style(Role::Quiet)), scene.width)
}

fn printed(code: &Code, scene: &Scene<'_>) -> Vec<Line<'static>> {
    let lines = &code.output;
    let failed = matches!(code.progress, Progress::Failed(_) | Progress::Limit(_));
    let count = match code.fold {
        Fold::Shut if failed => OUTPUT,
        Fold::Shut => 0,
        Fold::Part => OUTPUT,
        Fold::Full => lines.len(),
    };
    let from = lines.len().saturating_sub(count);
    let bar = format!("   {}  ", scene.look.mark(Mark::Column));
    lines[from..]
        .iter()
        .map(|line| {
            let mut spans = vec![Span::styled(bar.clone(), scene.look.style(Role::Rule))];
            spans.extend(scene.spans(line, Role::Text));
            rows::fit(spans, scene.width)
        })
        .collect()
}
