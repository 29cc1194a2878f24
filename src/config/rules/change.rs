//! One rule more or less in the text of a file; everything else in it stays as it is.

use crate::kernel::gate::{
    law::Cited,
    rule::{Parsed, Reading, parse},
};

/// With that rule at the end.
pub(super) fn added(old: &str, rule: &str, reading: Reading<'_>) -> Result<String, String> {
    let before = whole(old, reading)?;
    let mut new = old.to_owned();
    if !new.is_empty() && !new.ends_with('\n') {
        new.push('\n');
    }
    if !new.is_empty() {
        new.push('\n');
    }
    new.push_str(rule.trim_matches('\n'));
    new.push('\n');
    match texts(&parse(&new, reading)) {
        Some(after) if after.len() == before.len() + 1 && after.starts_with(&before) => Ok(new),
        _ => Err("Not saved: it cannot stand behind the rules that are there. \
                  Write them as [[allow]], [[ask]] and [[deny]] tables."
            .to_owned()),
    }
}

/// Without that rule.
pub(super) fn without(old: &str, rule: &Cited, reading: Reading<'_>) -> Result<String, String> {
    let before = whole(old, reading)?;
    let parsed = parse(old, reading);
    let same = parsed
        .rules
        .iter()
        .enumerate()
        .filter(|(_, (_, known))| known.says() == rule.says && known.effect() == rule.effect);
    // The file may have been edited since: the rule in its own line, else the first that says it.
    let meant = same.min_by_key(|(_, (line, _))| Some(*line) != rule.line);
    let Some((at, (line, _))) = meant else {
        return Err("That rule is not there any more.".to_owned());
    };
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    let start = line.saturating_sub(1);
    let next = lines.iter().skip(start + 1).position(|line| line.trim_start().starts_with('['));
    let mut end = next.map_or(lines.len(), |after| start + 1 + after);
    // What stands above the next table belongs to that.
    let is_aside = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    while end > start + 1 && is_aside(lines[end - 1]) {
        end -= 1;
    }
    let new: String = lines[..start].iter().chain(&lines[end..]).copied().collect();
    let mut expected = before;
    expected.remove(at);
    match texts(&parse(&new, reading)) {
        Some(after) if after == expected => Ok(new),
        _ => Err(format!("It cannot be cut out cleanly: take out line {line} by hand.")),
    }
}

fn whole(text: &str, reading: Reading<'_>) -> Result<Vec<String>, String> {
    let parsed = parse(text, reading);
    texts(&parsed).ok_or_else(|| {
        let fault = parsed.fault.map(|fault| fault.to_string()).unwrap_or_default();
        format!("Not saved: your rules have a fault: {fault}")
    })
}

/// The rules in order; nothing if there is a fault.
fn texts(parsed: &Parsed) -> Option<Vec<String>> {
    let texts = parsed.rules.iter().map(|(_, rule)| rule.text().to_owned());
    parsed.fault.is_none().then(|| texts.collect())
}
