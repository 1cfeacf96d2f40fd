//! Bytes of what a function asks: a version, numbers, and pieces with their lengths.

/// The first byte. Parts of a cluster that were built from different versions refuse each other.
const VERSION: u8 = 1;

/// Writes what a function asks.
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn new() -> Self {
        Self(vec![VERSION])
    }

    pub(super) fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn piece(&mut self, piece: &[u8]) {
        self.number(piece.len() as u64);
        self.0.extend(piece);
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Reads what a [`Writer`] wrote; every method gives `None` for anything else.
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Option<Self> {
        let (&version, rest) = bytes.split_first()?;
        (version == VERSION).then_some(Self(rest))
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    pub(super) fn piece(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (piece, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(piece)
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.piece()?).ok()
    }

    pub(super) fn end(self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_read_as_they_were_written_and_half_of_them_are_refused() {
        let mut writer = Writer::new();
        writer.number(7);
        writer.piece("größe".as_bytes());
        writer.piece(&[]);
        let bytes = writer.finish();
        let read = |bytes: &[u8]| -> Option<(u64, String, usize)> {
            let mut reader = Reader::new(bytes)?;
            let found = (reader.number()?, reader.text()?.to_owned(), reader.piece()?.len());
            reader.end()?;
            Some(found)
        };
        assert_eq!(read(&bytes), Some((7, "größe".to_owned(), 0)));
        assert!((0..bytes.len()).all(|end| read(&bytes[..end]).is_none()));
        assert_eq!(read(&[&bytes[..], &[0]].concat()), None);
        assert_eq!(read(&[&[2], &bytes[1..]].concat()), None);
    }
}
