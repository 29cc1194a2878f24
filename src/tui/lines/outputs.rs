//! What programs print: the first lines as they come, then a word that says how many more there are.

use std::collections::BTreeMap;

use super::{Lines, ask};
use crate::{
    kernel::{
        id::{CallId, SessionId},
        port::OutputPage,
    },
    tui::effect::{Effect, Part},
};

/// Lines of a run that are told as they come, and with each `output`.
const FIRST: u64 = 20;
const NEXT: u64 = 40;

/// The last lines that are told of a run that failed, where not all were.
const LAST: usize = 5;

/// Bytes of a line that are told.
const LINE: usize = 2000;

/// The runs of which something is told.
#[derive(Clone, Debug, Default)]
pub(super) struct Outputs {
    runs: BTreeMap<CallId, Run>,
    /// The one that `output` tells more of.
    last: Option<CallId>,
}

/// One run.
#[derive(Clone, Debug)]
struct Run {
    session: SessionId,
    /// What its lines begin with.
    name: String,
    /// Lines that were told, that there are, and up to which they are to be told.
    told: u64,
    total: u64,
    most: u64,
    reading: Option<Reading>,
    end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Next,
    /// The last lines of one that failed.
    Last,
}

/// How far its end was told.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    Runs,
    /// To be told when its last lines were; whether it failed.
    Ends(String, bool),
    Told,
}

impl Outputs {
    /// A program began.
    pub(super) fn begin(&mut self, call: CallId, session: SessionId, name: String) {
        let run =
            Run { session, name, told: 0, total: 0, most: FIRST, reading: None, end: End::Runs };
        self.runs.insert(call, run);
        self.last = Some(call);
        // What is over is remembered for those that may still be asked about.
        if self.runs.len() > 100 {
            let over = self.runs.iter().find(|(_, run)| run.end == End::Told);
            if let Some(call) = over.map(|(call, _)| *call) {
                self.runs.remove(&call);
            }
        }
    }

    /// Whether lines of it are on their way.
    pub(super) fn is_reading(&self, call: CallId) -> bool {
        self.runs.get(&call).is_some_and(|run| run.reading.is_some())
    }

    /// Whether its program ran.
    pub(super) fn knows(&self, call: CallId) -> bool {
        self.runs.contains_key(&call)
    }

    /// Whether there is more of the last one than was told.
    pub(super) fn offers(&self) -> bool {
        let last = self.last.and_then(|call| self.runs.get(&call));
        last.is_some_and(|run| run.total > run.told)
    }
}

/// There are so many whole lines.
pub(super) fn printed(lines: &mut Lines, call: CallId, total: u64) -> Vec<Effect> {
    if let Some(run) = lines.outputs.runs.get_mut(&call) {
        run.total = run.total.max(total);
    }
    want(lines, call)
}

/// Its program ended; this sentence is said when its last lines were told.
pub(super) fn ends(lines: &mut Lines, call: CallId, sentence: String, failed: bool) -> Vec<Effect> {
    let Some(run) = lines.outputs.runs.get_mut(&call) else {
        lines.say(sentence);
        return Vec::new();
    };
    run.end = End::Ends(sentence, failed);
    if run.reading.is_some() {
        return Vec::new();
    }
    // The last line may have no end, and was not counted.
    run.reading = Some(Reading::Next);
    vec![Effect::ReadOutput(run.session, call, Part::From(run.told))]
}

/// Reads on where there are lines that are to be told.
fn want(lines: &mut Lines, call: CallId) -> Vec<Effect> {
    let Some(run) = lines.outputs.runs.get_mut(&call) else { return Vec::new() };
    if run.reading.is_some() || run.told >= run.total.min(run.most) {
        return Vec::new();
    }
    run.reading = Some(Reading::Next);
    vec![Effect::ReadOutput(run.session, call, Part::From(run.told))]
}

/// `output`: more of the last one.
pub(super) fn more(lines: &mut Lines) -> Vec<Effect> {
    let Some(call) = lines.outputs.last else {
        lines.say("No output yet.");
        return Vec::new();
    };
    let Some(run) = lines.outputs.runs.get_mut(&call) else { return Vec::new() };
    if run.told >= run.total {
        let name = run.name.clone();
        lines.say(format!("That was all of {name}."));
        ask::prompt(lines);
        return Vec::new();
    }
    run.most = run.told + NEXT;
    want(lines, call)
}

/// Lines came.
pub(super) fn came(lines: &mut Lines, call: CallId, page: Option<OutputPage>) -> Vec<Effect> {
    let Some(run) = lines.outputs.runs.get_mut(&call) else { return Vec::new() };
    let (reading, name) = (run.reading.take(), run.name.clone());
    let mut said = Vec::new();
    if let Some(page) = page {
        if run.end != End::Runs {
            run.total = page.total;
        }
        match reading {
            Some(Reading::Last) => {
                let from = page.lines.len().saturating_sub(LAST);
                said.push(format!("{name}, the last lines:"));
                said.extend(page.lines[from..].iter().map(|line| format!("{name}: {}", cut(line))));
            }
            Some(Reading::Next) | None => {
                if page.first > run.told {
                    said.push(format!("{name}: {} lines are kept no more.", page.first - run.told));
                    run.told = page.first;
                }
                let end = run.total.min(run.most);
                let skip = usize::try_from(run.told - page.first).unwrap_or(usize::MAX);
                let room = usize::try_from(end.saturating_sub(run.told)).unwrap_or(usize::MAX);
                for line in page.lines.iter().skip(skip).take(room) {
                    run.told += 1;
                    said.push(format!("{name}: {}", cut(line)));
                }
            }
        }
    }
    let left = run.total.saturating_sub(run.told);
    let mut effects = Vec::new();
    let mut ended = None;
    match run.end.clone() {
        // One that failed says why at its end.
        End::Ends(_, true) if left > LAST as u64 && reading == Some(Reading::Next) => {
            run.reading = Some(Reading::Last);
            effects.push(Effect::ReadOutput(run.session, call, Part::Last));
        }
        End::Ends(sentence, _) => {
            run.end = End::Told;
            ended = Some(sentence);
        }
        End::Runs | End::Told => {}
    }
    let over = run.end == End::Told;
    for line in said {
        lines.say(line);
    }
    if over && left > 0 {
        lines.say(format!("{name}: {}. Type: output", more_lines(left)));
    }
    if let Some(sentence) = ended {
        lines.say(sentence);
    }
    effects.extend(if effects.is_empty() && !over { want(lines, call) } else { Vec::new() });
    effects
}

/// `120 more lines`.
fn more_lines(count: u64) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} more line{plural}", crate::tui::words::grouped(count))
}

fn cut(line: &str) -> String {
    let at = line.floor_char_boundary(LINE);
    match line.len() - at {
        0 => line.to_owned(),
        left => format!("{} and {left} bytes more in this line", &line[..at]),
    }
}
