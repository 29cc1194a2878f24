//! UTF-8 that arrives in pieces.

/// Decodes one stream. A character cut between two pieces is put together again; what is no UTF-8
/// becomes U+FFFD.
#[derive(Clone, Copy, Debug, Default)]
pub struct Decoder {
    /// The begun character; fewer than four bytes.
    begun: [u8; 4],
    length: usize,
}

impl Decoder {
    /// Whether no character is begun.
    pub(super) fn rests(&self) -> bool {
        self.length == 0
    }

    /// Takes some bytes and hands on the text they complete, in one or more parts.
    pub fn push(&mut self, mut bytes: &[u8], mut text: impl FnMut(&str)) {
        while self.length > 0 && !bytes.is_empty() {
            self.begun[self.length] = bytes[0];
            self.length += 1;
            bytes = &bytes[1..];
            let begun = self.begun;
            match std::str::from_utf8(&begun[..self.length]) {
                Ok(whole) => {
                    self.length = 0;
                    text(whole);
                }
                Err(error) if error.error_len().is_none() => {}
                Err(_) => {
                    // The new byte does not go on with what was begun, so it begins something.
                    let last = begun[self.length - 1];
                    self.length = 0;
                    text("\u{fffd}");
                    self.decode(&[last], &mut text);
                }
            }
        }
        self.decode(bytes, &mut text);
    }

    /// Ends the stream: a begun character will never be whole.
    pub fn finish(&mut self, out: &mut String) {
        if std::mem::take(&mut self.length) > 0 {
            out.push('\u{fffd}');
        }
    }

    /// Decodes with nothing begun.
    fn decode(&mut self, mut bytes: &[u8], text: &mut impl FnMut(&str)) {
        while !bytes.is_empty() {
            let error = match std::str::from_utf8(bytes) {
                Ok(whole) => return text(whole),
                Err(error) => error,
            };
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            if let Ok(valid) = std::str::from_utf8(valid)
                && !valid.is_empty()
            {
                text(valid);
            }
            match error.error_len() {
                Some(length) => {
                    text("\u{fffd}");
                    bytes = &rest[length..];
                }
                None => {
                    self.begun[..rest.len()].copy_from_slice(rest);
                    self.length = rest.len();
                    return;
                }
            }
        }
    }
}
