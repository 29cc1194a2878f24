//! What was wrong with a journal, counted and then said in one line.

/// Faults found while reading.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// Lines that are no record: how many, and the number of the first and the last.
    broken: Option<Lines>,
    /// Records of another session.
    foreign: Option<Lines>,
    /// Records of a version this program does not know.
    pub(super) newer: u64,
    /// Records whose number was there already.
    pub(super) doubled: usize,
    /// Whether the records stood in another order.
    pub(super) disordered: bool,
}

#[derive(Clone, Copy, Debug)]
struct Lines {
    count: u64,
    first: u64,
}

impl Faults {
    /// Counts a line that is no record.
    pub(super) fn broken(&mut self, line: u64) {
        count(&mut self.broken, line);
    }

    /// Counts a record of another session.
    pub(super) fn foreign(&mut self, line: u64) {
        count(&mut self.foreign, line);
    }

    /// The line counted as broken last is the unfinished end, which is reported apart.
    pub(super) fn last_was_the_end(&mut self) {
        self.broken = self.broken.and_then(|lines| {
            (lines.count > 1).then_some(Lines { count: lines.count - 1, ..lines })
        });
    }

    /// All of it in one line; `cut` is the length of the unfinished end, and `became` says what
    /// was done with it.
    pub(super) fn notice(&self, cut: u64, became: &str) -> Option<String> {
        let mut parts = Vec::new();
        if cut > 0 {
            parts.push(format!("the last record was unfinished ({cut} bytes{became})"));
        }
        if let Some(Lines { count, first }) = self.broken {
            parts.push(format!("{} could not be read, the first in line {first}", records(count)));
        }
        if let Some(Lines { count, first }) = self.foreign {
            let records = records(count);
            parts.push(format!("{records} of another session left out, the first in line {first}"));
        }
        if self.newer > 0 {
            parts.push(format!("{} of a later footplate left out", records(self.newer)));
        }
        if self.doubled > 0 {
            parts.push(format!("{} stood there twice", records(self.doubled as u64)));
        }
        if self.disordered {
            parts.push("the records were put in order".to_owned());
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

fn count(lines: &mut Option<Lines>, line: u64) {
    lines.get_or_insert(Lines { count: 0, first: line }).count += 1;
}

fn records(count: u64) -> String {
    if count == 1 { "1 record".to_owned() } else { format!("{count} records") }
}
