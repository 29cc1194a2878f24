//! Replaces one text in another: the one place where it occurs, or none at all.

use crate::kernel::{
    error::{CallError, ErrorCode},
    schema,
};

/// How many line numbers an error names.
const NAMED_LINES: usize = 10;

/// How many places are looked for; a text that repeats itself could have millions.
const COUNTED: usize = 100;

/// `text` with the only occurrence of `old` replaced by `new`. Line ends written as LF find CRLF
/// ones, and the new lines end as those around them do; nothing else is matched loosely.
pub(super) fn replace(shown: &str, text: &str, old: &str, new: &str) -> Result<String, CallError> {
    if old.is_empty() {
        return Err(schema::invalid("files.edit.old", "it is empty; use files.write instead"));
    }
    if old == new {
        return Err(schema::invalid("files.edit.new", "it is the same as old"));
    }
    let mut places: Vec<Place> = occurrences(text, old).take(COUNTED).collect();
    if old.contains('\n') && !old.contains('\r') {
        places.extend(occurrences(text, &old.replace('\n', "\r\n")).take(COUNTED));
    }
    let place = match *places.as_slice() {
        [place] => place,
        [] => return Err(missing(shown)),
        _ => return Err(ambiguous(shown, text, places)),
    };
    let (before, rest) = text.split_at(place.start);
    let (found, after) = rest.split_at(place.length);
    let as_around = !new.contains('\r') && !old.contains('\r') && crlf(before, found, after);
    let new = if as_around { new.replace('\n', "\r\n") } else { new.to_owned() };
    Ok([before, &new, after].concat())
}

#[derive(Clone, Copy)]
struct Place {
    start: usize,
    length: usize,
}

/// Every place, those that overlap as well: a match that could be meant twice is not one match.
fn occurrences(text: &str, old: &str) -> impl Iterator<Item = Place> {
    let step = old.chars().next().map_or(1, char::len_utf8);
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text.get(from..)?.find(old)?;
        from = start + step;
        Some(Place { start, length: old.len() })
    })
}

/// Whether lines here end in CRLF: those replaced, else the next end after, else the last before.
fn crlf(before: &str, found: &str, after: &str) -> bool {
    let first = |text: &str| text.find('\n').map(|at| text[..at].ends_with('\r'));
    let last = |text: &str| text.rfind('\n').map(|at| text[..at].ends_with('\r'));
    first(found).or_else(|| first(after)).or_else(|| last(before)).unwrap_or(false)
}

fn missing(shown: &str) -> CallError {
    CallError::failed(format!(
        "old does not occur in {shown}. It must match exactly, spaces included; read the file \
         again and copy it from there."
    ))
}

fn ambiguous(shown: &str, text: &str, mut places: Vec<Place>) -> CallError {
    places.sort_unstable_by_key(|place| place.start);
    let line = |place: &Place| text[..place.start].matches('\n').count() + 1;
    let mut lines: Vec<_> =
        places.iter().take(NAMED_LINES).map(|place| line(place).to_string()).collect();
    if places.len() > NAMED_LINES {
        lines.push("…".to_owned());
    }
    let or_more = if places.len() < COUNTED { "" } else { " or more" };
    let message = format!(
        "old occurs {}{or_more} times in {shown}, at lines {}. Give more of the text around the one you mean.",
        places.len(),
        lines.join(", ")
    );
    CallError::new(ErrorCode::Failed, message).with("count", places.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, old: &str, new: &str, expected: &str) {
        assert_eq!(replace("a", text, old, new).as_deref(), Ok(expected), "{text:?}: {old:?}");
    }

    fn check_refused(text: &str, old: &str, new: &str, expected: &str) {
        let error = replace("a", text, old, new).expect_err(text);
        assert!(error.message.contains(expected), "{:?} for {text:?}", error.message);
    }

    #[test]
    fn only_the_place_that_is_meant_changes() {
        check("a\nprice: 5\nb\n", "price: 5", "price: 7", "a\nprice: 7\nb\n");
        check("price: 5", "price: 5", "price: 7", "price: 7");
        check("\u{feff}price: 5\n", "price: 5", "price: 7", "\u{feff}price: 7\n");
        check("10%\r20%\nprice: 5\nx\ry\n", "price: 5", "price: 7", "10%\r20%\nprice: 7\nx\ry\n");
        check("a \u{fffd}\nprice: 5\n", "price: 5", "", "a \u{fffd}\n\n");
        // One letter composed, the other not: two texts.
        check("caf\u{e9} = 1\ncafe\u{301} = 1\n", "caf\u{e9} = 1", "x", "x\ncafe\u{301} = 1\n");
    }

    #[test]
    fn line_ends_stay_as_they_are_around_the_edit() {
        check("a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n");
        check("a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n");
        check("a\r\nb", "b", "x\ny", "a\r\nx\r\ny");
        check("a\r\nb\nc\r\n", "b\n", "x\ny\n", "a\r\nx\ny\nc\r\n");
        check("a\nb\r\nc\n", "b", "x\ny", "a\nx\r\ny\r\nc\n");
        check("a\r\nb\r\n", "a\r\nb", "x\ny", "x\ny\r\n");
        check("a\nb\n", "a", "x\r\ny", "x\r\ny\nb\n");
    }

    #[test]
    fn what_is_not_one_place_is_refused_with_the_reason() {
        check_refused("limit = 1\n\nlimit = 1\n", "limit = 1", "x", "2 times in a, at lines 1, 3");
        check_refused("aaa", "aa", "x", "occurs 2 times");
        check_refused("a\nb\na\r\nb\r\n", "a\nb", "x", "occurs 2 times in a, at lines 1, 3");
        check_refused("ééé", "éé", "x", "occurs 2 times");
        check_refused(&"x\n".repeat(12), "x", "y", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ….");
        check_refused(&"a".repeat(1 << 20), &"a".repeat(1 << 10), "x", "100 or more times");
        check_refused("  a\n", "\ta", "x", "does not occur in a");
        check_refused("a", "", "x", "it is empty");
        check_refused("a", "a", "a", "the same as old");
    }

    proptest! {
        #[test]
        fn an_edit_changes_no_byte_outside_its_place(
            before in "[ab\r\né]{0,12}", old in "[cd\n]{1,4}", after in "[ab\r\né]{0,12}",
            new in "[xy\n]{0,4}",
        ) {
            let text = format!("{before}{old}{after}");
            if let Ok(edited) = replace("a", &text, &old, &new)
                && old.trim_matches('\n') == old
            {
                prop_assert!(edited.starts_with(&before));
                prop_assert!(edited.ends_with(&after));
            }
        }
    }
}
