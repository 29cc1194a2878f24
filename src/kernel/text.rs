//! Bytes from outside, made into text that can be shown and kept: done once, at the door. Names and
//! words that are kept to the letter are made safe to read where they are shown.
//!
//! What comes out holds no control character but newline and tab, and no invisible one that could
//! make it read differently from what it is. Everything here is linear in what goes in, and keeps
//! a bounded amount of it.

mod cells;
mod cut;
mod decoder;
mod kept;
mod row;
mod rows;
mod shown;
#[cfg(test)]
mod tests;
mod twin;

pub use cut::cut;
pub use decoder::Decoder;
pub use kept::{Bounds, Kept};

pub use shown::{Pieces, count, lines, quoted, shown, were};
pub use twin::{looks_like, twin};

use rows::Rows;

/// How much is looked at together to tell whether it is text.
const BLOCK: usize = 4096;
/// How much is looked at together to tell whether it stays as it is.
const STRETCH: usize = 1 << 10;
/// Fewer bytes than this do not make binary of what was text so far.
const FEWEST: usize = 32;

/// Cleans one stream, in whatever pieces it comes.
///
/// A carriage return, a backspace and a cursor that goes up overwrite as on a terminal, as far as the
/// last lines: programs draw progress so. Other escape sequences go, other controls are shown as
/// `⟨U+0000⟩`, and stretches that are not text as `[binary, 4096 bytes]`.
#[derive(Debug, Default)]
pub struct Cleaner {
    /// A line, or the start of a long one, that is not whole yet.
    block: Vec<u8>,
    /// Bytes that were not text and are not told yet.
    binary: u64,
    decoder: Decoder,
    rows: Rows,
}

impl Cleaner {
    /// Takes some bytes and appends to `out` what can no longer change: whole lines that have many
    /// below them, and the parts of a very long one with all before it.
    pub fn push(&mut self, mut bytes: &[u8], out: &mut String) {
        let mut closer = 0;
        while !bytes.is_empty() {
            if closer == 0 {
                let lines = self.plain_lines(bytes);
                if !lines.is_empty() {
                    self.rows.whole(lines, out);
                }
                bytes = &bytes[lines.len()..];
                closer = if lines.is_empty() { STRETCH } else { 0 };
            }
            let room = bytes.len().min(BLOCK - self.block.len());
            let newline = bytes[..room].iter().position(|&byte| byte == b'\n');
            let (part, rest) = bytes.split_at(newline.map_or(room, |at| at + 1));
            bytes = rest;
            closer = closer.saturating_sub(part.len());
            let whole = newline.is_some() || self.block.len() + part.len() == BLOCK;
            if whole && self.block.is_empty() {
                self.take(part, out);
            } else {
                self.block.extend_from_slice(part);
                if whole {
                    self.take_block(out);
                }
            }
        }
    }

    /// The whole lines at the start of these bytes that are text which stays as it is; none where
    /// something from before goes on. Most of what programs print is, and there may be gigabytes of it.
    fn plain_lines<'a>(&self, bytes: &'a [u8]) -> &'a str {
        let rests = self.block.is_empty() && self.binary == 0;
        if !rests || !self.decoder.rests() || !self.rows.rests() {
            return "";
        }
        let odd = |byte: &u8| !matches!(byte, b' '..=b'~' | b'\t' | b'\n');
        // No way out within a stretch, so that it is looked at many bytes at a time.
        let plain = |stretch: &&[u8]| !stretch.iter().fold(false, |seen, byte| seen | odd(byte));
        let plain: usize = bytes.chunks(STRETCH).take_while(plain).map(<[u8]>::len).sum();
        let lines = memchr::memrchr(b'\n', &bytes[..plain]).map_or(0, |at| at + 1);
        std::str::from_utf8(&bytes[..lines]).unwrap_or_default()
    }

    /// Ends the stream: appends the unfinished line, without a newline of its own.
    pub fn finish(&mut self, out: &mut String) {
        self.take_block(out);
        self.tell_binary(out);
        let mut tail = String::new();
        self.decoder.finish(&mut tail);
        self.rows.feed(&tail, out);
        self.rows.finish(out);
    }

    fn take_block(&mut self, out: &mut String) {
        let mut block = std::mem::take(&mut self.block);
        self.take(&block, out);
        block.clear();
        self.block = block;
    }

    fn take(&mut self, block: &[u8], out: &mut String) {
        if is_binary(block, self.binary > 0) {
            let mut tail = String::new();
            self.decoder.finish(&mut tail);
            self.rows.feed(&tail, out);
            self.binary += block.len() as u64;
        } else if !block.is_empty() {
            self.tell_binary(out);
            let rows = &mut self.rows;
            self.decoder.push(block, |text| rows.feed(text, out));
        }
    }

    fn tell_binary(&mut self, out: &mut String) {
        if self.binary > 0 {
            self.rows.end_if_begun(out);
            out.push_str(&format!("[binary, {} bytes]\n", self.binary));
            self.binary = 0;
        }
    }
}

/// Cleans what is there in full.
pub fn clean(bytes: &[u8]) -> String {
    let mut out = String::new();
    let mut cleaner = Cleaner::default();
    cleaner.push(bytes, &mut out);
    cleaner.finish(&mut out);
    out
}

/// Whether most of a block is not text; right after binary, less is enough.
fn is_binary(block: &[u8], after_binary: bool) -> bool {
    if block.len() < FEWEST && !after_binary {
        return false;
    }
    let mut bad = 0;
    for chunk in block.utf8_chunks() {
        bad += chunk.valid().bytes().filter(|&byte| is_odd(byte)).count();
        // A character cut by the end of the block is a character all the same.
        bad += chunk.invalid().len();
    }
    let share = if after_binary { 20 } else { 3 };
    bad * share > block.len()
}

/// A control byte that programs do not write into text.
fn is_odd(byte: u8) -> bool {
    (byte < 0x20 && !matches!(byte, 0x07..=0x0d | 0x1b)) || byte == 0x7f
}
