//! Words of the watchdog in the standard error of the command: a NUL, a nonce, one line.

/// A piece of the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Bytes that are not the watchdog's.
    Bytes(Vec<u8>),
    /// What the watchdog said.
    Word(String),
}

/// Takes the words out of a stream that comes in pieces.
pub(super) struct Markers {
    mark: Vec<u8>,
    held: Vec<u8>,
}

impl Markers {
    pub(super) fn new(nonce: &str) -> Self {
        Self {
            mark: [b"\0bsh-", nonce.as_bytes(), b" "].concat(),
            held: Vec::new(),
        }
    }

    /// Takes bytes; what may be the beginning of a word is held back.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Piece> {
        self.held.extend_from_slice(bytes);
        let mut pieces = Vec::new();
        loop {
            let found = memchr::memmem::find(&self.held, &self.mark);
            let at = found.unwrap_or_else(|| self.held.len() - self.begun());
            if at > 0 {
                let rest = self.held.split_off(at);
                pieces.push(Piece::Bytes(std::mem::replace(&mut self.held, rest)));
            }
            if found.is_none() {
                return pieces;
            }
            let Some(end) = memchr::memchr(b'\n', &self.held) else {
                return pieces;
            };
            let rest = self.held.split_off(end + 1);
            let line = std::mem::replace(&mut self.held, rest);
            let word = line.get(self.mark.len()..end).unwrap_or_default();
            pieces.push(Piece::Word(String::from_utf8_lossy(word).into_owned()));
        }
    }

    /// What was held back when the stream ended.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }

    /// How many bytes at the end may begin a mark.
    fn begun(&self) -> usize {
        let most = self.held.len().min(self.mark.len() - 1);
        (1..=most)
            .rev()
            .find(|length| self.held.ends_with(&self.mark[..*length]))
            .unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_however_the_stream_is_cut() {
        let stream = b"noise\0bsh-n started\none\0two\0bsh-nn\0bsh-n ended 3\nlate\0bsh-";
        for size in 1..stream.len() {
            let mut markers = Markers::new("n");
            let (mut bytes, mut words) = (Vec::new(), Vec::new());
            for chunk in stream.chunks(size) {
                for piece in markers.take(chunk) {
                    match piece {
                        Piece::Bytes(more) => bytes.extend(more),
                        Piece::Word(word) => words.push(word),
                    }
                }
            }
            bytes.extend(markers.rest());
            assert_eq!(words, ["started", "ended 3"]);
            assert_eq!(bytes, b"noiseone\0two\0bsh-nnlate\0bsh-", "{size}");
        }
    }
}
