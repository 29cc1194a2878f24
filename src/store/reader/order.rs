//! In which order the records of a journal stand, told by the first bytes of each line.

use std::io::{self, BufRead};

use super::next_line;

/// In which order records stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Order {
    /// Each has a higher number than the one before.
    Rising,
    /// Another, or one that only reading them tells.
    Unknown,
}

/// As much of a line as is looked at.
const START: usize = 64;

/// Looks at the start of every line. What this program writes is rising; a line that begins as
/// nothing this program writes could be anything.
pub(in crate::store) fn order(input: &mut dyn BufRead) -> io::Result<Order> {
    let mut line = Vec::with_capacity(START);
    let mut last = None;
    while next_line(input, &mut line, START)?.len > 0 {
        if line.is_empty() {
            continue;
        }
        match number(&line) {
            Some(number) if last.is_none_or(|last| number > last) => last = Some(number),
            Some(_) | None => return Ok(Order::Unknown),
        }
    }
    Ok(Order::Rising)
}

/// The number of the record that begins like this, if this program could have written it.
fn number(line: &[u8]) -> Option<u64> {
    let (_, rest) = digits(line.strip_prefix(b"{\"v\":")?)?;
    let (number, rest) = digits(rest.strip_prefix(b",\"seq\":")?)?;
    rest.starts_with(b",\"at\":").then_some(number)
}

fn digits(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (digits, rest) = bytes.split_at(bytes.iter().take_while(|it| it.is_ascii_digit()).count());
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, rest))
}
