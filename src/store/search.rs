//! Looks through the journals line by line, newest first, and holds on to one answer at most.

use std::{
    io::{self, BufRead},
    ops::ControlFlow,
};

use jiff::Timestamp;
use serde_json::Value;

use super::reader;
use crate::kernel::{
    event::Event,
    port::{Found, Searched, SessionSummary, StoreError, Voice},
};

/// The longest record that is looked into, and the longest answer that is put together.
const LONGEST: usize = 4 << 20;
/// The longest line that is handed on, in characters, around what was found.
const SHOWN: usize = 200;

/// One search.
pub(super) struct Scan<'a> {
    words: Vec<String>,
    go_on: &'a dyn Fn() -> bool,
    found: &'a mut dyn FnMut(Found) -> ControlFlow<()>,
    too_long: u64,
}

/// Searches these sessions, each by `read`.
pub(super) fn all(
    sessions: Vec<SessionSummary>,
    words: &[String],
    go_on: &dyn Fn() -> bool,
    found: &mut dyn FnMut(Found) -> ControlFlow<()>,
    read: impl Fn(&SessionSummary, &mut Scan<'_>) -> io::Result<ControlFlow<()>>,
) -> Result<Searched, StoreError> {
    let mut scan = Scan {
        words: words.iter().map(|word| word.to_lowercase()).collect(),
        go_on,
        found,
        too_long: 0,
    };
    let mut searched = Searched { all: sessions.len(), ..Searched::default() };
    for session in &sessions {
        match read(session, &mut scan) {
            Ok(ControlFlow::Continue(())) => searched.whole += 1,
            Ok(ControlFlow::Break(())) => break,
            Err(error) => {
                let session = session.spec.id;
                tracing::warn!(%error, %session, "a journal was not searched");
                searched.unreadable += 1;
            }
        }
    }
    searched.too_long = scan.too_long;
    Ok(searched)
}

impl Scan<'_> {
    /// Searches one journal from its first byte.
    pub(super) fn journal(
        &mut self,
        input: &mut dyn BufRead,
        session: &SessionSummary,
    ) -> io::Result<ControlFlow<()>> {
        let mut line = Vec::new();
        // A model's words come in pieces, and a line of them may be in several.
        let mut answer: Option<(Timestamp, String)> = None;
        loop {
            let ending = reader::next_line(input, &mut line, LONGEST)?;
            if ending.len == 0 {
                break;
            }
            if !(self.go_on)() {
                return Ok(ControlFlow::Break(()));
            }
            if ending.len > LONGEST as u64 {
                self.too_long += 1;
                continue;
            }
            if !is_said(&line) {
                continue;
            }
            let Some(envelope) = reader::event(&line) else { continue };
            let at = envelope.at;
            if let Event::TextStreamed { text } = &envelope.event {
                let (_, so_far) = answer.get_or_insert_with(|| (at, String::new()));
                so_far.push_str(text);
                if so_far.len() < LONGEST {
                    continue;
                }
            }
            if let Some((at, text)) = answer.take()
                && self.text(&text, session, at, Voice::Model).is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
            if self.event(&envelope.event, session, at).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(match answer {
            Some((at, text)) => self.text(&text, session, at, Voice::Model),
            None => ControlFlow::Continue(()),
        })
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "nobody says anything in the rest")]
    fn event(&mut self, event: &Event, session: &SessionSummary, at: Timestamp) -> ControlFlow<()> {
        match event {
            Event::MessageSent { text, .. } => self.text(text, session, at, Voice::Person),
            Event::CallStarted { call, .. } => self.value(&call.input, session, at, Voice::Call),
            Event::CallFinished { result, .. } => {
                self.value(&result.content, session, at, Voice::Result)
            }
            _ => ControlFlow::Continue(()),
        }
    }

    /// All texts in a value. It came through a reader that bounds how deep it is.
    fn value(
        &mut self,
        value: &Value,
        session: &SessionSummary,
        at: Timestamp,
        voice: Voice,
    ) -> ControlFlow<()> {
        match value {
            Value::String(text) => self.text(text, session, at, voice),
            Value::Array(values) => {
                values.iter().try_for_each(|value| self.value(value, session, at, voice))
            }
            Value::Object(values) => {
                values.values().try_for_each(|value| self.value(value, session, at, voice))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => ControlFlow::Continue(()),
        }
    }

    fn text(
        &mut self,
        text: &str,
        session: &SessionSummary,
        at: Timestamp,
        voice: Voice,
    ) -> ControlFlow<()> {
        for line in text.lines() {
            let lower = line.to_lowercase();
            if self.words.iter().all(|word| lower.contains(word)) {
                let line = around(line, &lower, &self.words);
                let session = session.clone();
                (self.found)(Found { session, at, voice, line })?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// Whether a record may hold what somebody said or did: its type stands near its start.
fn is_said(line: &[u8]) -> bool {
    const KINDS: [&[u8]; 5] = [
        b"\"message_sent\"",
        b"\"text_streamed\"",
        b"\"turn_finished\"",
        b"\"call_started\"",
        b"\"call_finished\"",
    ];
    let head = &line[..line.len().min(400)];
    KINDS.iter().any(|kind| head.windows(kind.len()).any(|part| part == *kind))
}

/// The part of a line in which the first of the words stands.
fn around(line: &str, lower: &str, words: &[String]) -> String {
    let first = words.iter().filter_map(|word| lower.find(word)).min().unwrap_or(0);
    // Lower case may be longer or shorter: where exactly it stands is no matter here.
    let at = lower[..first].chars().count();
    let start = at.saturating_sub(SHOWN / 4);
    line.chars().skip(start).take(SHOWN).collect()
}

#[cfg(test)]
mod tests;
