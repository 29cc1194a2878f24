//! In which order the records of a journal stand, told by the first bytes of each line.

use std::io::{self, BufRead};

use super::{head, next_line};
use crate::kernel::id::SessionId;

/// In which order records stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Order {
    /// Each has a higher number than the one before.
    Rising,
    /// Another, or one that only reading them tells.
    Unknown,
}

/// As much of a line as is looked at.
const START: usize = 192;

/// Looks at the start of every line. What this program writes is rising; a line that begins as
/// nothing this program writes could be anything.
pub(in crate::store) fn order(input: &mut dyn BufRead) -> io::Result<Order> {
    let mut line = Vec::with_capacity(START);
    let mut last = None;
    while next_line(input, &mut line, START)?.len > 0 {
        if line.is_empty() {
            continue;
        }
        match head::number(&line) {
            Some(number) if last.is_none_or(|last| number > last) => last = Some(number),
            Some(_) | None => return Ok(Order::Unknown),
        }
    }
    Ok(Order::Rising)
}

/// The same of the records of one session in a file that has others' as well, which are put to the
/// others in the order in which they come.
pub(in crate::store) fn order_of(
    input: &mut dyn BufRead,
    session: SessionId,
    others: &mut Vec<SessionId>,
) -> io::Result<Order> {
    let mut line = Vec::with_capacity(START);
    let (mut last, mut order) = (None, Order::Rising);
    while next_line(input, &mut line, START)?.len > 0 {
        if line.is_empty() {
            continue;
        }
        match (head::number(&line), head::session(&line)) {
            (Some(_), Some(other)) if other != session => {
                if others.last() != Some(&other) && !others.contains(&other) {
                    others.push(other);
                }
            }
            (Some(number), Some(_)) if last.is_none_or(|last| number > last) => last = Some(number),
            (_, _) => order = Order::Unknown,
        }
    }
    Ok(order)
}
