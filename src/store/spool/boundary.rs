//! Where output may be cut so that another stream's bytes can follow: not within a character, an
//! escape sequence, or CR LF.

/// The longest unfinished end that is waited for; a longer one is no escape sequence of this world.
pub(super) const HELD_MAX: usize = 4 << 10;

const ESC: u8 = 0x1b;
const BELL: u8 = 0x07;
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;

/// How many of these bytes end whole; the rest waits for what comes next.
pub(super) fn whole(bytes: &[u8]) -> usize {
    let cut = unfinished_from(bytes);
    if bytes.len() - cut > HELD_MAX { bytes.len() } else { cut }
}

fn unfinished_from(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(escape) = memchr::memchr(ESC, &bytes[at..]) {
        let start = at + escape;
        match sequence(&bytes[start..]) {
            Some(len) => at = start + len,
            None => return start,
        }
    }
    at + unfinished_text_from(&bytes[at..])
}

/// The length of the escape sequence at the start, if it has ended.
fn sequence(bytes: &[u8]) -> Option<usize> {
    let body = bytes.get(2..).unwrap_or_default();
    match bytes.get(1)? {
        b'[' => {
            let last = body.iter().position(|byte| !(0x20..=0x3f).contains(byte))?;
            // Anything but a final byte breaks it off, and is not part of it.
            Some(2 + last + usize::from((0x40..=0x7e).contains(&body[last])))
        }
        b']' | b'P' | b'X' | b'^' | b'_' => {
            let last =
                body.iter().position(|byte| matches!(*byte, BELL | ESC | CANCEL | SUBSTITUTE))?;
            match (body[last], body.get(last + 1)) {
                (ESC, None) => None,
                (ESC, Some(b'\\')) => Some(2 + last + 2),
                (ESC, Some(_)) => Some(2 + last),
                _ => Some(2 + last + 1),
            }
        }
        0x20..=0x2f => {
            let last = body.iter().position(|byte| !(0x20..=0x2f).contains(byte))?;
            Some(2 + last + usize::from((0x30..=0x7e).contains(&body[last])))
        }
        // A second escape begins anew.
        &ESC => Some(1),
        _ => Some(2),
    }
}

fn unfinished_text_from(text: &[u8]) -> usize {
    if text.last() == Some(&b'\r') {
        return text.len() - 1;
    }
    // A character has four bytes at most, so only the last three can be an unfinished one.
    let from = text.len().saturating_sub(3);
    let Some(lead) = text[from..].iter().rposition(|byte| *byte & 0xc0 != 0x80) else {
        return text.len();
    };
    let start = from + lead;
    let needed = match text[start] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    if text.len() - start < needed { start } else { text.len() }
}

#[cfg(test)]
mod tests;
