//! A session as a page for people: what was said, what was done and who let it, what it changed.

use std::io::{self, Write};

use jiff::{Timestamp, tz::TimeZone};

use super::{super::print::one_line, title};
use crate::kernel::{
    event::{Decider, Envelope, Event, ExitStatus, Outcome},
    gate::approval::{Answer, Question, Scope},
    id::ApprovalId,
    port::SessionSummary,
    text::{self, Cleaner},
};

/// How many lines of a result are shown.
const LINES: usize = 40;

/// A page while it is written.
pub(super) struct Page<'a> {
    zone: &'a TimeZone,
    out: &'a mut dyn Write,
    said: usize,
    asked: Vec<(ApprovalId, String)>,
    /// What is being written by a model.
    answer: Option<Cleaner>,
    /// What it thought, which is written when that is over.
    thought: String,
}

impl<'a> Page<'a> {
    /// Begins it with what is known of the session.
    pub(super) fn new(
        session: &SessionSummary,
        zone: &'a TimeZone,
        out: &'a mut dyn Write,
    ) -> io::Result<Self> {
        let (asked, thought) = (Vec::new(), String::new());
        let mut page = Self { zone, out, said: 0, asked, answer: None, thought };
        page.head(session)?;
        Ok(page)
    }
}

impl Page<'_> {
    fn head(&mut self, session: &SessionSummary) -> io::Result<()> {
        let spec = &session.spec;
        writeln!(self.out, "# {}\n", inline(&title(session, 80)))?;
        writeln!(self.out, "- Session: {}", code(&spec.id.to_string()))?;
        writeln!(self.out, "- Begun: {}", self.day(session.started))?;
        writeln!(self.out, "- Folder: {}", code(&spec.workspace.display().to_string()))?;
        writeln!(self.out, "- Model: {}, mode: {}", code(&spec.model), spec.mode.name())
    }

    /// Writes what happened next.
    pub(super) fn event(&mut self, envelope: &Envelope) -> io::Result<()> {
        if let Event::ThinkingStreamed { text } = &envelope.event {
            if self.thought.is_empty() {
                self.end_text()?;
            }
            self.thought.push_str(text);
            return Ok(());
        }
        self.end_thought()?;
        if let Event::TextStreamed { text } = &envelope.event {
            if self.answer.is_none() {
                writeln!(self.out, "\n**Model**\n")?;
            }
            let mut clean = String::new();
            self.answer.get_or_insert_default().push(text.as_bytes(), &mut clean);
            return write!(self.out, "{clean}");
        }
        self.end_text()?;
        match &envelope.event {
            Event::MessageSent { text, .. } => {
                self.said += 1;
                let (number, at) = (self.said, self.time(envelope.at));
                writeln!(self.out, "\n## {number}. Said at {at}\n")?;
                text::lines(text).lines().try_for_each(|line| writeln!(self.out, "> {line}"))
            }
            Event::CallStarted { call, category, decision, .. } => {
                writeln!(
                    self.out,
                    "\n### {} ({}): {}\n",
                    code(&call.name),
                    category.name(),
                    by(&decision.by)
                )?;
                match call.input.get("code").and_then(|code| code.as_str()) {
                    Some(script) => self.block(script, "python", usize::MAX),
                    None => {
                        let input = serde_json::to_string_pretty(&call.input).unwrap_or_default();
                        self.block(&input, "json", LINES)
                    }
                }
            }
            Event::CallFinished { result, decision, .. } => {
                let how = if result.ok { "came to" } else { "failed" };
                let who = decision.as_ref().map(|it| format!(" ({})", by(&it.by)));
                let who = who.unwrap_or_default();
                writeln!(self.out, "\n{} {how}{who}:\n", code(&result.name))?;
                self.block(&result.text(), "", LINES)
            }
            Event::ChangeBegun { change, .. } => {
                let what = if change.undoes.is_some() { "Taken back in" } else { "Changed" };
                let shown = code(&change.shown);
                writeln!(self.out, "\n{what} {shown}: +{} −{}", change.more, change.fewer)
            }
            Event::ApprovalRequested { question } => {
                self.asked.push((question.id, asked(question)));
                Ok(())
            }
            Event::ApprovalAnswered { approval, answer, by: who, waited_ms, .. } => {
                let question = self.question(*approval);
                let seconds = waited_ms / 1000;
                let (answer, by) = (answered(answer), by(who));
                writeln!(self.out, "\nAsked {question}: **{answer}**, {by}, after {seconds} s")
            }
            Event::ApprovalWithdrawn { approval, reason, .. } => {
                let question = self.question(*approval);
                writeln!(self.out, "\nAsked {question}: withdrawn, {}", inline(reason))
            }
            Event::ModeChanged { from, to } => {
                writeln!(self.out, "\n*Mode: {}, was {}.*", to.name(), from.name())
            }
            Event::ChildStarted { agent, task, child, .. } => {
                let (agent, short) = (code(agent), code(&child.short()));
                writeln!(self.out, "\n*Agent {agent} ({short}) was started:* {}", inline(task))
            }
            Event::ConversationRewound { .. } => {
                writeln!(self.out, "\n*Went back: the model does not see all of this any more.*")
            }
            Event::ContextCompacted { summary, .. } => {
                writeln!(self.out, "\n*Summed up by the model, for itself:*\n")?;
                self.block(summary, "", usize::MAX)
            }
            Event::SessionForked { from, .. } => {
                writeln!(self.out, "\n*Above is a copy from session {}.*", code(&from.short()))
            }
            Event::SessionNamed { name } => writeln!(self.out, "\n*Named {}.*", inline(name)),
            Event::SessionResumed { .. } => writeln!(self.out, "\n*Carried on.*"),
            Event::RuleRevoked { rule } => {
                writeln!(self.out, "\n*Taken back: {}.*", inline(&rule.says))
            }
            Event::PutAside { things, .. } => things.iter().try_for_each(|thing| {
                let was = code(&thing.was.display().to_string());
                writeln!(self.out, "\n*Put aside, since other programs obey it: {was}.*")
            }),
            Event::PictureMade { picture, .. } => {
                writeln!(self.out, "\n*A picture was made: {}.*", inline(&picture.to_string()))
            }
            Event::ExecutionFinished { status, ran_ms, .. } => {
                let (status, ms) = (ended(status), ran_ms);
                writeln!(self.out, "\n*{status} after {ms} ms.*")
            }
            Event::ExchangeFinished { outcome } | Event::SessionFinished { outcome } => {
                let message = match outcome {
                    Outcome::Done => return Ok(()),
                    Outcome::Stopped => "Stopped by a person.",
                    Outcome::Failed { message } | Outcome::Limit { message } => message,
                };
                writeln!(self.out, "\n*{}*", inline(message))
            }
            Event::SignalReceived { agent, what, .. } => match what.told(&agent.join("/")) {
                Some(told) => {
                    writeln!(self.out, "\n*Told to the model:*\n")?;
                    self.block(&told, "", LINES)
                }
                None => Ok(()),
            },
            Event::SessionStarted { .. }
            | Event::SignalSent { .. }
            | Event::SignalTaken { .. }
            | Event::TodoChanged { .. }
            | Event::TurnStarted { .. }
            | Event::AnswerDelayed(_)
            | Event::CompactionStarted { .. }
            | Event::CallJudged { .. }
            | Event::TextStreamed { .. }
            | Event::ThinkingStreamed { .. }
            | Event::TurnFinished { .. }
            | Event::ExecutionStarted { .. }
            | Event::OutputWritten { .. } => Ok(()),
        }
    }

    /// Nothing more happened.
    pub(super) fn end(mut self) -> io::Result<()> {
        self.end_thought()?;
        self.end_text()
    }

    fn end_text(&mut self) -> io::Result<()> {
        let Some(mut cleaner) = self.answer.take() else { return Ok(()) };
        let mut rest = String::new();
        cleaner.finish(&mut rest);
        writeln!(self.out, "{rest}")
    }

    fn end_thought(&mut self) -> io::Result<()> {
        let thought = std::mem::take(&mut self.thought);
        if thought.trim().is_empty() {
            return Ok(());
        }
        let lines = text::count(thought.trim().lines().count(), "line");
        writeln!(self.out, "\n*Thought by the model, {lines}:*\n")?;
        self.block(thought.trim(), "", usize::MAX)
    }

    /// Some lines, behind a fence that nothing in them can end.
    fn block(&mut self, words: &str, language: &str, most: usize) -> io::Result<()> {
        let words = text::lines(words);
        let longest = words.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        writeln!(self.out, "{fence}{language}")?;
        let mut lines = words.lines();
        lines.by_ref().take(most).try_for_each(|line| writeln!(self.out, "{line}"))?;
        match lines.count() {
            0 => {}
            more => writeln!(self.out, "… {} more", text::count(more, "line"))?,
        }
        writeln!(self.out, "{fence}")
    }

    fn question(&mut self, approval: ApprovalId) -> String {
        let at = self.asked.iter().position(|(id, _)| *id == approval);
        at.map(|at| self.asked.swap_remove(at).1).unwrap_or_default()
    }

    fn day(&self, at: Timestamp) -> impl std::fmt::Display + use<> {
        self.zone.to_datetime(at).strftime("%Y-%m-%d %H:%M").to_string()
    }

    fn time(&self, at: Timestamp) -> impl std::fmt::Display + use<> {
        self.zone.to_datetime(at).strftime("%H:%M").to_string()
    }
}

fn asked(question: &Question) -> String {
    format!("{} {}", code(&question.call.name), code(&question.preview.object))
}

fn answered(answer: &Answer) -> String {
    match answer {
        Answer::Allow { scope: Scope::Once } => "yes, once".to_owned(),
        Answer::Allow { scope: Scope::Session { .. } } => "yes, for the session".to_owned(),
        Answer::Allow { scope: Scope::Always { .. } } => "yes, always".to_owned(),
        Answer::AllowEdited { .. } => "yes, as edited".to_owned(),
        Answer::Deny { because: None, .. } => "no".to_owned(),
        Answer::Deny { because: Some(words), .. } => format!("no: {}", inline(words)),
    }
}

fn by(decider: &Decider) -> String {
    match decider {
        Decider::Mode { mode } => format!("by the mode {}", mode.name()),
        Decider::Grant => "by a yes of the session".to_owned(),
        Decider::Rule { rule } => format!("by the rule {}", code(&rule.says)),
        Decider::Person => "by the person".to_owned(),
        Decider::Nobody => "nobody was there".to_owned(),
        Decider::Monitor(_) => "by the monitor".to_owned(),
        Decider::Expiry => "nobody answered in time".to_owned(),
        Decider::Record { run } => format!("made by the earlier run {run}"),
    }
}

fn ended(status: &ExitStatus) -> String {
    match status {
        ExitStatus::Exited { code: 0 } => "Ended".to_owned(),
        ExitStatus::Exited { code } => format!("Ended with {code}"),
        ExitStatus::Signalled { signal } => format!("Ended by signal {signal}"),
        ExitStatus::TimedOut => "Ran out of time".to_owned(),
        ExitStatus::OverLimit { limit } => format!("Used too much of {}", limit.name()),
        ExitStatus::Cancelled => "Stopped".to_owned(),
        ExitStatus::NotStarted { message } => format!("Not started: {}", inline(message)),
    }
}

/// Words on a line of their own kind: no markup in them, nothing that a terminal obeys.
fn inline(words: &str) -> String {
    const MARKS: &str = "\\`*_[]<>#|";
    let mut line = String::new();
    for c in one_line(words).chars() {
        if MARKS.contains(c) {
            line.push('\\');
        }
        line.push(c);
    }
    line
}

/// Words as code, behind marks that nothing in them can end.
fn code(words: &str) -> String {
    let words = one_line(words);
    let longest = words.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let mark = "`".repeat(longest + 1);
    if words.contains('`') { format!("{mark} {words} {mark}") } else { format!("`{words}`") }
}

#[cfg(test)]
mod tests;
