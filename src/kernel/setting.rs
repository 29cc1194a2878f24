//! Faults in the files that a person writes: where they are, and what was probably meant.

use super::text::shown;

/// Line and character of a byte of the text, both from 1.
pub fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// The name that was probably meant.
pub fn near<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let far = |name: &'a str| {
        (strsim::damerau_levenshtein(wrong, name), name.len().abs_diff(wrong.len()), name)
    };
    let near = known.map(far).filter(|(distance, _, name)| *distance <= (name.len() / 2).max(1));
    near.min().map(|(_, _, name)| name)
}

/// A key that stands in the text a second time, where that is the fault: which, and what to do.
pub fn twice(text: &str, error: &toml::de::Error) -> Option<(String, String)> {
    let key = error.span().and_then(|span| text.get(span));
    let key = key.filter(|_| error.message() == "duplicate key")?;
    let fault = format!("`{}` stands here a second time", shown(key));
    Some((fault, "keep one of the two, and take the other out".to_owned()))
}

/// The parser's words, and what to do: where it says what it expected, the nearest of that.
pub fn explain(text: &str, error: &toml::de::Error) -> (String, String) {
    if let Some(explained) = twice(text, error) {
        return explained;
    }
    let message = error.message().trim();
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let is_unknown = message.starts_with("unknown field") || message.starts_with("unknown variant");
    let (Some((wrong, known)), true) = (quoted.split_first(), is_unknown) else {
        return (message.replace('\n', " "), "correct this line, or take it out".to_owned());
    };
    let kind = if message.starts_with("unknown field") { "setting" } else { "value" };
    let hint = match near(wrong, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("what can stand here: {}", known.join(", ")),
    };
    (format!("`{wrong}` is no {kind}"), hint)
}
