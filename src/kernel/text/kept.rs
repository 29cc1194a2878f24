//! The beginning and the end of a text of any length.

use std::collections::VecDeque;

/// How much of a text is kept, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Of its beginning.
    pub head: usize,
    /// Of its end.
    pub tail: usize,
}

/// Keeps the head and the tail of a text that comes in parts. Holds no more than its bounds and a
/// few bytes.
#[derive(Debug)]
pub struct Kept {
    bounds: Bounds,
    head: String,
    /// What came after the head was full; begins at a character.
    tail: VecDeque<u8>,
    /// Whether the tail begins a line.
    begins_line: bool,
    /// Whether the head is closed, though it may be a few bytes short of its bound.
    full: bool,
    bytes: u64,
    newlines: u64,
}

impl Kept {
    /// Nothing yet.
    pub fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            head: String::new(),
            tail: VecDeque::new(),
            begins_line: false,
            full: false,
            bytes: 0,
            newlines: 0,
        }
    }

    /// Takes the next part.
    pub fn push(&mut self, text: &str) {
        self.bytes += text.len() as u64;
        self.newlines += newlines(text.as_bytes());
        let mut text = text;
        if !self.full {
            let room = self.bounds.head - self.head.len();
            let (head, rest) = text.split_at(text.floor_char_boundary(room));
            self.head.push_str(head);
            self.full = !rest.is_empty();
            text = rest;
        }
        let start = text.ceil_char_boundary(text.len().saturating_sub(self.bounds.tail));
        let (passed, text) = text.as_bytes().split_at(start);
        if let Some(&last) = passed.last() {
            self.tail.clear();
            self.begins_line = last == b'\n';
        }
        let excess = (self.tail.len() + text.len()).saturating_sub(self.bounds.tail);
        for left in (0..excess).rev() {
            let Some(byte) = self.tail.pop_front() else { break };
            self.begins_line = left == 0 && byte == b'\n';
        }
        while self.tail.front().is_some_and(|byte| byte & 0xc0 == 0x80) {
            self.tail.pop_front();
        }
        self.tail.extend(text);
    }

    /// The text, or its head and tail with a line between them that says how much is missing. Cut
    /// at the end of a line where there is one near.
    pub fn render(&self) -> String {
        let (front, back) = self.tail.as_slices();
        let tail = [front, back].concat();
        let tail = String::from_utf8_lossy(&tail);
        if self.bytes == (self.head.len() + tail.len()) as u64 {
            return format!("{}{tail}", self.head);
        }
        let head = match self.head.rfind('\n') {
            Some(at) if at >= self.head.len() / 2 => &self.head[..=at],
            Some(_) | None => &self.head,
        };
        let tail = match tail.find('\n') {
            Some(at) if !self.begins_line && at < tail.len() / 2 => &tail[at + 1..],
            Some(_) | None => &tail,
        };
        let bytes = self.bytes - (head.len() + tail.len()) as u64;
        let newlines = self.newlines - newlines(head.as_bytes()) - newlines(tail.as_bytes());
        let lines = if newlines > 0 { format!(", {newlines} lines") } else { String::new() };
        let gap = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
        format!("{head}{gap}[… {bytes} bytes{lines} left out …]\n{tail}")
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}
