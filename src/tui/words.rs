//! How the screen says times, amounts and effects, and how a line is cut or pulled apart.

use std::time::Duration;

use jiff::Timestamp;
use ratatui::text::{Line, Span};

use serde_json::Value;

use super::clean;
use crate::kernel::{
    capability::Category,
    event::{Call, Exceeded, ExitStatus, Seal, Source},
    id::SessionId,
};

/// Said where a conversation went back.
pub const WENT_BACK: &str =
    "Went back. What stands above from there on is kept, and the model does not see it any more.";

/// Seconds from one moment to a later one.
pub fn seconds(from: Timestamp, to: Timestamp) -> i64 {
    (to.as_second() - from.as_second()).max(0)
}

/// `0:37`, `12:04`, `1:02:03`.
pub fn clock(seconds: i64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// `0.4 s`, `31 s`, `2:05`.
pub fn took(ms: u64) -> String {
    match ms {
        0..10_000 => format!("{}.{} s", ms / 1000, ms / 100 % 10),
        10_000..100_000 => format!("{} s", ms / 1000),
        _ => clock(i64::try_from(ms / 1000).unwrap_or(i64::MAX)),
    }
}

/// `12 s`, `2:05`.
pub fn lasted(seconds: i64) -> String {
    match seconds {
        ..1 => "less than 1 s".to_owned(),
        1..100 => format!("{seconds} s"),
        _ => clock(seconds),
    }
}

/// `1 min`, `3 h`, `2 days`: how long ago, where no clock counts.
pub fn age(seconds: i64) -> String {
    match seconds / 60 {
        0 => "now".to_owned(),
        minutes @ 1..120 => format!("{minutes} min"),
        minutes @ 120..2880 => format!("{} h", minutes / 60),
        minutes => format!("{} days", minutes / 1440),
    }
}

/// Where a session that begins as a copy is from.
pub fn forked(from: SessionId, source: Source) -> String {
    let (what, short) = match source {
        Source::Here => ("Copied from session", from.short()),
        Source::File => ("Brought in from a file: session", from.short()),
    };
    format!("{what} {short}. Nothing that was allowed there is allowed here.")
}

/// `retrying in 8 s`: how long until a provider that gave no answer is asked again.
pub fn retrying(seconds: i64) -> String {
    match seconds {
        ..=0 => "retrying now".to_owned(),
        _ => format!("retrying in {seconds} s"),
    }
}

/// `used 3.1 of 60 s`.
pub fn used(spent: Duration, limit_ms: u64) -> String {
    let ms = u64::try_from(spent.as_millis()).unwrap_or(u64::MAX);
    let spent = match ms {
        0..10_000 => format!("{}.{}", ms / 1000, ms / 100 % 10),
        _ => (ms / 1000).to_string(),
    };
    format!("used {spent} of {} s", limit_ms.div_ceil(1000))
}

/// `1 line`, `1,204 lines`.
pub fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(number as u64))
}

/// `+4 −2`, and nothing of either where there is none.
pub fn lines(more: u64, fewer: u64) -> String {
    let parts = [("+", more), ("−", fewer)];
    let parts = parts.iter().filter(|(_, count)| *count > 0);
    parts.map(|(sign, count)| format!("{sign}{}", grouped(*count))).collect::<Vec<_>>().join(" ")
}

/// `5,000`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `940`, `12k`, `1.2M`: of what nobody counts to the last.
pub fn tokens(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        1000..1_000_000 => format!("{}k", number / 1000),
        _ => format!("{}.{}M", number / 1_000_000, number / 100_000 % 10),
    }
}

/// The word in capitals for what a call does; for a read, the call's own name.
pub fn effect(category: Category, name: &str) -> String {
    match category {
        Category::Read => name.to_owned(),
        Category::Write => "WRITE".to_owned(),
        Category::Execute => "EXECUTE".to_owned(),
        Category::External => "EXTERNAL".to_owned(),
    }
}

/// What whoever made a call is at, in a few words.
pub fn at(category: Category, call: &Call) -> String {
    let text = |key| call.input.get(key).and_then(Value::as_str);
    let of = match call.name.as_str() {
        "agents.run" => return format!("waits for {}", text("name").unwrap_or("an agent")),
        "agents.wait" => return "waits for its agents".to_owned(),
        "process.wait" => return "waits for a program".to_owned(),
        _ => match call.input.get("argv").and_then(Value::as_array) {
            Some(argv) => argv.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
            None => text("path").unwrap_or_default().to_owned(),
        },
    };
    // A list has one row for it.
    let of: String = of.chars().take(120).collect();
    format!("{} {of}", effect(category, &call.name)).trim_end().to_owned()
}

/// What a run may do, in a word.
pub fn seal(seal: Seal) -> &'static str {
    match seal {
        Seal::None | Seal::Open => "unsealed",
        Seal::Sealed => "sealed",
        Seal::Workspace => "workspace",
    }
}

/// How a program ended.
pub fn exit(status: &ExitStatus) -> String {
    match status {
        ExitStatus::Exited { code: 0 } => "done".to_owned(),
        ExitStatus::Exited { code } => format!("exit {code}"),
        ExitStatus::Signalled { signal } => format!("signal {signal}"),
        ExitStatus::TimedOut => "limit: time used up".to_owned(),
        ExitStatus::OverLimit { limit } => format!("limit: {}", exceeded(*limit)),
        ExitStatus::Cancelled => "stopped".to_owned(),
        ExitStatus::NotStarted { .. } => "not started".to_owned(),
    }
}

/// What a run used too much of.
pub fn exceeded(limit: Exceeded) -> &'static str {
    match limit {
        Exceeded::Memory => "too much memory",
        Exceeded::Cpu => "processor time used up",
        Exceeded::Scratch => "scratch folder full",
    }
}

/// Why a run was ended by one of its limits, if it was.
pub fn limit(status: &ExitStatus, limit_ms: u64) -> Option<String> {
    match status {
        ExitStatus::TimedOut => {
            Some(format!("used its {} s and was ended", limit_ms.div_ceil(1000)))
        }
        ExitStatus::OverLimit { limit } => Some(exceeded(*limit).to_owned()),
        ExitStatus::Exited { .. }
        | ExitStatus::Signalled { .. }
        | ExitStatus::Cancelled
        | ExitStatus::NotStarted { .. } => None,
    }
}

pub fn first_line(text: &str) -> &str {
    text.trim_start().lines().next().unwrap_or_default()
}

/// The end of a text in so many cells, with `…` before it where something is left out.
pub fn tail(text: &str, width: usize) -> String {
    if clean::width(text) <= width {
        return text.to_owned();
    }
    let mut ends = text.char_indices().map(|(at, _)| &text[at..]);
    let end = ends.find(|end| clean::width(end) < width).unwrap_or_default();
    if width == 0 { String::new() } else { format!("…{end}") }
}

/// The line cut to so many cells, with `…` where something is left out.
pub fn fit(mut line: Line<'static>, width: usize) -> Line<'static> {
    let mut left = width;
    let mut spans = Vec::with_capacity(line.spans.len());
    line.spans.retain(|span| !span.content.is_empty());
    let count = line.spans.len();
    for (at, span) in std::mem::take(&mut line.spans).into_iter().enumerate() {
        let cells = clean::width(&span.content);
        let last = at + 1 == count;
        if cells < left || (cells == left && last) {
            left -= cells;
            spans.push(span);
            continue;
        }
        // Full to the last cell, and more to come: the last cell says so.
        let text = if cells == left && !last {
            clean::truncate(&format!("{}x", span.content), left)
        } else {
            clean::truncate(&span.content, left)
        };
        spans.push(Span::styled(text, span.style));
        break;
    }
    line.spans = spans;
    line
}

/// One line at the left edge and one at the right; where both do not fit, the left one is cut.
pub fn apart(left: Line<'static>, right: Line<'static>, width: usize) -> Line<'static> {
    let tail = cells(&right);
    if tail == 0 || tail + 2 > width {
        return fit(left, width);
    }
    let mut line = fit(left, width - tail - 1);
    let fill = width - tail - cells(&line);
    line.spans.push(Span::raw(" ".repeat(fill)));
    line.spans.extend(right.spans.into_iter().map(|mut span| {
        span.style = right.style.patch(span.style);
        span
    }));
    line
}

/// The cells a line takes.
pub fn cells(line: &Line<'_>) -> usize {
    line.spans.iter().map(|span| clean::width(&span.content)).sum()
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;
    use crate::kernel::event::Origin;

    #[test]
    fn times_and_amounts_are_short() {
        assert_eq!([clock(0), clock(97), clock(3723)], ["0:00", "1:37", "1:02:03"]);
        assert_eq!([took(440), took(12_700), took(125_000)], ["0.4 s", "12 s", "2:05"]);
        assert_eq!(used(Duration::from_millis(3140), 60_000), "used 3.1 of 60 s");
        assert_eq!([tokens(940), tokens(12_400), tokens(1_260_000)], ["940", "12k", "1.2M"]);
        assert_eq!([count(1, "line"), count(5000, "line")], ["1 line", "5,000 lines"]);
    }

    #[test]
    fn what_somebody_is_at_names_what_it_is_about() {
        let call = |name: &str, input: Value| Call {
            id: 1_u128.into(),
            name: name.to_owned(),
            input,
            origin: Origin::Model,
            parent: None,
        };
        let at = |category, name, input| at(category, &call(name, input));
        let fuzz = json!({ "task": "try it", "name": "fuzz" });
        assert_eq!(at(Category::Read, "agents.run", fuzz), "waits for fuzz");
        let test = json!({ "argv": ["cargo", "test"] });
        assert_eq!(at(Category::Execute, "process.run", test), "EXECUTE cargo test");
        let write = json!({ "path": "a.md", "text": "" });
        assert_eq!(at(Category::Write, "files.write", write), "WRITE a.md");
        assert_eq!(at(Category::Read, "todo.list", json!({})), "todo.list");
    }

    #[test]
    fn a_limit_that_ended_a_run_is_named() {
        let over = |limit| ExitStatus::OverLimit { limit };
        assert_eq!(exit(&over(Exceeded::Memory)), "limit: too much memory");
        assert_eq!(limit(&ExitStatus::TimedOut, 1500).unwrap(), "used its 2 s and was ended");
        assert_eq!(limit(&over(Exceeded::Scratch), 1).unwrap(), "scratch folder full");
        assert_eq!(limit(&ExitStatus::Exited { code: 1 }, 1), None);
    }

    #[test]
    fn a_path_is_cut_at_its_beginning() {
        let cut = |width| tail("tests/half.py", width);
        assert_eq!([cut(13), cut(8), cut(1), cut(0)], ["tests/half.py", "…half.py", "…", ""]);
        assert_eq!(tail("全角.rs", 6), "…角.rs", "no half of a character");
    }

    #[test]
    fn lines_are_cut_where_they_end_and_never_wider() {
        let line = || Line::from(vec![Span::raw("abc"), Span::raw("def")]);
        let mut ends_empty = line();
        ends_empty.spans.push(Span::raw(""));
        assert_eq!(fit(ends_empty, 6).to_string(), "abcdef");
        for (width, expected) in [(6, "abcdef"), (5, "abcd…"), (3, "ab…"), (1, "…"), (0, "")]
        {
            assert_eq!(fit(line(), width).to_string(), expected);
        }
        let pulled = |width| apart(line(), Line::from("xy"), width).to_string();
        assert_eq!(
            [pulled(10), pulled(9), pulled(8), pulled(3)],
            ["abcdef  xy", "abcdef xy", "abcd… xy", "ab…"]
        );
    }
}
