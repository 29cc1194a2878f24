//! Long text for a model: its head and its tail.

use std::borrow::Cow;

const BEFORE: &str = "\n[… ";
const AFTER: &str = " bytes left out here: too long. Ask for less at a time.]\n";

/// The text, its middle left out with a note if it is longer than that many bytes. What was left out
/// of it before is counted.
pub fn cut(text: &str, longest: usize) -> Cow<'_, str> {
    if text.len() <= longest {
        return Cow::Borrowed(text);
    }
    let head = text.floor_char_boundary(longest / 3 * 2);
    let tail = text.ceil_char_boundary(text.len() - longest / 3);
    let left_out = left_out(&text[head..tail]);
    Cow::Owned(format!("{}{BEFORE}{left_out}{AFTER}{}", &text[..head], &text[tail..]))
}

fn left_out(middle: &str) -> usize {
    let notes = middle.split(BEFORE).skip(1).filter_map(|part| {
        let (number, _) = part.split_once(AFTER)?;
        let note = BEFORE.len() + number.len() + AFTER.len();
        Some(number.parse::<usize>().ok()?.saturating_sub(note))
    });
    notes.fold(middle.len(), usize::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_and_tail_stay_and_what_is_left_out_is_counted_however_often_it_is_cut() {
        assert_eq!(cut("short", 5), "short");
        let long = format!("é{}{}", "x".repeat(10_000), "z".repeat(100));
        let once = cut(&long, 3_000);
        let note = |left_out: usize| format!("\n[… {left_out} bytes left out here: too long.");
        assert!(once.starts_with("éxxx") && once.ends_with("zzz"), "{once}");
        assert!(once.contains(&note(long.len() - 3_000)), "{once}");
        let twice = cut(&once, 300);
        assert!(twice.contains(&note(long.len() - 300)), "{twice}");
        assert_eq!(twice, cut(&long, 300));
    }
}
