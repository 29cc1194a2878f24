//! The end of a text that is still arriving.

use std::borrow::Cow;

use pulldown_cmark::{Event, Parser};

/// How much of the text is finished: later words can only change what comes behind this byte.
/// Rendering both parts, with a blank line between, is rendering the whole.
pub fn finished(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut last = 0;
    for (event, range) in Parser::new_ext(text, super::options()).into_offset_iter() {
        if depth == 0 {
            last = range.start;
        }
        if matches!(event, Event::Start(_)) {
            depth += 1;
        }
        if matches!(event, Event::End(_)) {
            depth = depth.saturating_sub(1);
        }
    }
    // An indent belongs to its block.
    text[..last].rfind('\n').map_or(0, |at| at + 1)
}

/// The text with its open ends tied up.
pub(super) fn mended(text: &str) -> Cow<'_, str> {
    let start = finished(text);
    let block = &text[start..];
    let (head, line) = block.split_at(block.rfind('\n').map_or(0, |at| at + 1));
    if in_fence(head) {
        let partial = line.trim();
        let closes = !partial.is_empty() && partial.bytes().all(|b| b == b'`' || b == b'~');
        return Cow::Borrowed(if closes { &text[..text.len() - line.len()] } else { text });
    }
    if undecided(line) {
        return Cow::Borrowed(text[..text.len() - line.len()].trim_end());
    }
    if block.starts_with('|') && head.bytes().filter(|&b| b == b'\n').count() < 2 {
        // The row below decides whether this is a table.
        return Cow::Borrowed(&text[..start]);
    }
    if in_fence(block) || line.trim_start().starts_with("```") {
        return Cow::Borrowed(text);
    }
    match tie(block) {
        tied if tied == block => Cow::Borrowed(text),
        tied => Cow::Owned(format!("{}{tied}", &text[..start])),
    }
}

/// More open marks than this are no writing; the rest is left as it is.
const OPEN: usize = 32;

/// An address does not go on for longer.
const ADDRESS: usize = 4096;

/// Whether these lines leave a code block open.
fn in_fence(lines: &str) -> bool {
    let mut open: Option<(char, usize)> = None;
    for line in lines.lines() {
        let line = line.trim_start_matches([' ', '>', '-']);
        let Some(mark) = line.chars().next().filter(|c| matches!(c, '`' | '~')) else { continue };
        let count = line.chars().take_while(|c| *c == mark).count();
        open = match open {
            None if count >= 3 => Some((mark, count)),
            Some((known, least)) if known == mark && count >= least => {
                if line.trim_end().chars().all(|c| c == mark) { None } else { open }
            }
            _ => open,
        };
    }
    open.is_some()
}

/// Whether a line holds nothing but marks that may yet begin anything.
fn undecided(line: &str) -> bool {
    let line = line.trim();
    let number = line.trim_end_matches(['.', ')']);
    !line.is_empty()
        && (line.chars().all(|c| "-=*_`#>+~![".contains(c))
            || (number.len() <= 3 && number.bytes().all(|b| b.is_ascii_digit())))
}

/// Closes what is open in the last block, and leaves out what has only just been opened.
fn tie(block: &str) -> String {
    let mut out = String::with_capacity(block.len() + 8);
    // Marks that are open: the mark and where it stands in `out`.
    let mut open: Vec<(String, usize)> = Vec::new();
    let mut links: Vec<usize> = Vec::new();
    let mut rest = block;
    while let Some(c) = rest.chars().next() {
        let run = rest.chars().take_while(|next| *next == c).count();
        let after = &rest[run * c.len_utf8()..];
        match c {
            '\\' => {
                let take = rest.chars().take(2).map(char::len_utf8).sum();
                out.push_str(&rest[..take]);
                rest = &rest[take..];
                continue;
            }
            '`' => {
                let mark = "`".repeat(run);
                let Some(end) = code_end(after, run) else {
                    if after.trim().is_empty() {
                        break;
                    }
                    // A partial closing mark is not part of the code.
                    let code = after.trim_end().trim_end_matches('`');
                    out.push_str(&format!("{mark}{code}{mark}"));
                    break;
                };
                out.push_str(&rest[..run + end]);
                rest = &rest[run + end..];
                continue;
            }
            '*' | '_' | '~' => {
                let mark = &rest[..run];
                let before = out.chars().next_back().unwrap_or(' ');
                let next = after.chars().next();
                let closes = !before.is_whitespace();
                let known = open.iter().rposition(|(known, _)| known == mark);
                if let (Some(at), true) = (known, closes) {
                    open.truncate(at);
                } else if next.is_none() {
                    // Half a closing mark, or an opening one with nothing in it yet.
                    break;
                } else if next.is_some_and(|next| !next.is_whitespace())
                    && run <= 3
                    && open.len() < OPEN
                    && !(c == '_' && before.is_alphanumeric())
                    && !(c == '~' && run != 2)
                {
                    open.push((mark.to_owned(), out.len()));
                }
            }
            '[' if links.len() < OPEN => links.push(out.len()),
            ']' if after.is_empty() => break,
            ']' if after.starts_with('(') => {
                let closed = || after.bytes().take(ADDRESS).any(|b| b == b')');
                if let Some(start) = links.pop().filter(|_| !closed()) {
                    // The address is still arriving: its text is all there is to show.
                    unlink(&mut out, start);
                    break;
                }
            }
            ']' => {
                links.pop();
            }
            _ => {}
        }
        out.push_str(&rest[..run * c.len_utf8()]);
        rest = after;
    }
    for start in links.into_iter().rev() {
        let arriving = !out[start..].contains(['\n', ']']);
        if arriving {
            unlink(&mut out, start);
            open.iter_mut().filter(|(_, at)| *at > start).for_each(|(_, at)| *at -= 1);
        }
    }
    let kept = out.trim_end().len();
    out.truncate(kept);
    for (mark, at) in open.into_iter().rev() {
        if out.len() <= at + mark.len() {
            out.truncate(at);
        } else {
            out.push_str(&mark);
        }
    }
    out
}

/// Behind the closing run of exactly so many backticks.
fn code_end(text: &str, run: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        at += found;
        let count = text[at..].bytes().take_while(|&b| b == b'`').count();
        at += count;
        if count == run {
            return Some(at);
        }
    }
    None
}

/// Takes out the bracket that begins a link or a picture.
fn unlink(out: &mut String, start: usize) {
    out.remove(start);
    if out[..start].ends_with('!') {
        out.remove(start - 1);
    }
}
