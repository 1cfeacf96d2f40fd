//! Compressed files and workbooks as the text they hold.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Cursor, ErrorKind, Read};
use std::rc::Rc;

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

/// Bytes of the head that tell one format from another, and show the form of its text.
pub(super) const HEAD: u64 = 1 << 16;

/// Largest window of a Zstandard stream, and so the memory that its reader takes: 128 MiB, which
/// every level of the usual programs keeps without `--long`.
const MAX_WINDOW: u64 = 1 << 27;

/// Most Zstandard frames without text in a row: each takes microseconds to open.
const MOST_EMPTY: u32 = 10_000;

/// What holds the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    /// Nothing: text, or a format that is named and refused by the reader of text.
    Plain,
    Gzip,
    Zstandard,
    Workbook,
}

impl Packing {
    fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstandard,
            [a, b, c, d, ..] if is_skippable([*a, *b, *c, *d]) => Self::Zstandard,
            [b'P', b'K', 3, 4, ..] => Self::Workbook,
            _ => Self::Plain,
        }
    }

    /// What a person reads about it, if anything.
    pub(super) fn words(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Gzip => Some("gzip"),
            Self::Zstandard => Some("Zstandard"),
            Self::Workbook => Some("a workbook"),
        }
    }
}

/// A reader from its start, and what packs its bytes.
pub(super) fn packing<'a>(mut reader: impl Read + 'a) -> io::Result<(Packing, Box<dyn Read + 'a>)> {
    let mut head = Vec::new();
    reader.by_ref().take(4).read_to_end(&mut head)?;
    Ok((Packing::of(&head), Box::new(Cursor::new(head).chain(reader))))
}

/// The text of a compressed stream: all members of a gzip file, all frames of a Zstandard file.
/// Data that cannot be decompressed end in an error that [`is_damaged`].
pub(super) fn unpacked<'a>(packing: Packing, reader: Box<dyn Read + 'a>) -> Box<dyn Read + 'a> {
    let has_failed = Rc::new(Cell::new(false));
    let source = Source { reader, has_failed: Rc::clone(&has_failed) };
    let text: Box<dyn Read + 'a> = match packing {
        Packing::Plain | Packing::Workbook => return source.reader,
        Packing::Gzip => Box::new(MultiGzDecoder::new(source)),
        Packing::Zstandard => Box::new(Frames::of(source)),
    };
    Box::new(Unpacked { text, packing, has_failed })
}

/// Data that cannot be decompressed.
#[derive(Debug)]
struct Damaged(Packing);

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the compressed data are damaged or incomplete")?;
        match self.0 {
            Packing::Zstandard => f.write_str(", or were compressed with a window above 128 MiB (zstd --long)"),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for Damaged {}

/// Whether data could be read, but not decompressed.
pub(crate) fn is_damaged(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Damaged>())
}

/// Compressed bytes, and whether they could not be read.
struct Source<'a> {
    reader: Box<dyn Read + 'a>,
    has_failed: Rc<Cell<bool>>,
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer);
        self.has_failed.set(read.is_err());
        read
    }
}

/// The decompressed text. Error messages of the libraries are not passed on, since they can show
/// parts of the data.
struct Unpacked<'a> {
    text: Box<dyn Read + 'a>,
    packing: Packing,
    has_failed: Rc<Cell<bool>>,
}

impl Read for Unpacked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.text.read(buffer).map_err(|error| match self.has_failed.get() {
            true => error,
            false => io::Error::new(ErrorKind::InvalidData, Damaged(self.packing)),
        })
    }
}

/// The bytes that a frame begins with.
type Magic = [u8; 4];

/// One frame: what it begins with, and what follows.
type Frame<R> = StreamingDecoder<io::Chain<Cursor<Magic>, R>, FrameDecoder>;

/// Whether a frame holds no text, but what another program made of the file, such as its places.
fn is_skippable(magic: Magic) -> bool {
    matches!(magic, [0x50..=0x5f, 0x2a, 0x4d, 0x18])
}

/// The frames of a Zstandard file, one behind the other.
struct Frames<R: Read> {
    /// Between frames, with a decoder that is made once; `None` while a frame is read, and at the
    /// end.
    between: Option<(R, FrameDecoder)>,
    frame: Option<Frame<R>>,
    /// Frames since the last text.
    empty: u32,
}

impl<R: Read> Frames<R> {
    fn of(source: R) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        Self { between: Some((source, decoder)), frame: None, empty: 0 }
    }

    /// Opens the next frame that holds text; `false` at the end of the file.
    fn next_frame(&mut self) -> io::Result<bool> {
        let Some((mut source, decoder)) = self.between.take() else { return Ok(false) };
        let mut magic = Magic::default();
        loop {
            if source.read(&mut magic[..1])? == 0 {
                return Ok(false);
            }
            source.read_exact(&mut magic[1..])?;
            self.empty += 1;
            if self.empty > MOST_EMPTY {
                return Err(ErrorKind::InvalidData.into());
            }
            if !is_skippable(magic) {
                break;
            }
            skip_frame(&mut source)?;
        }
        let frame = StreamingDecoder::new_with_decoder(Cursor::new(magic).chain(source), decoder);
        self.frame = Some(frame.map_err(io::Error::other)?);
        Ok(true)
    }
}

/// Reads over the length of a frame, and over as many bytes.
fn skip_frame(source: &mut impl Read) -> io::Result<()> {
    let mut length = [0; 4];
    source.read_exact(&mut length)?;
    let length = u64::from(u32::from_le_bytes(length));
    match io::copy(&mut source.take(length), &mut io::sink())? == length {
        true => Ok(()),
        false => Err(ErrorKind::UnexpectedEof.into()),
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if let Some(frame) = &mut self.frame {
                let read = frame.read(buffer)?;
                if read > 0 {
                    self.empty = 0;
                    return Ok(read);
                }
            }
            if let Some(frame) = self.frame.take() {
                let (source, decoder) = frame.into_parts();
                self.between = Some((source.into_inner().1, decoder));
            }
            if !self.next_frame()? {
                return Ok(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn text_of(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let (packing, reader) = packing(bytes)?;
        let mut text = Vec::new();
        unpacked(packing, reader).read_to_end(&mut text)?;
        Ok(text)
    }

    #[test]
    fn every_member_and_frame_is_read() {
        let (first, second) = (b"a,b\n1,2\n".repeat(9000), b"3,4\n");
        let both = [&first[..], second].concat();
        let zstandard = |text: &[u8]| compress_to_vec(text, CompressionLevel::Fastest);
        assert_eq!(text_of(&both).unwrap(), both);
        assert_eq!(text_of(&[gzip(&first), gzip(second)].concat()).unwrap(), both);
        assert_eq!(text_of(&[zstandard(&first), zstandard(second)].concat()).unwrap(), both);
    }

    #[test]
    fn frames_without_text_are_passed_over_wherever_they_are_but_not_without_end() {
        let frame = compress_to_vec(&b"a,b\n1,2\n"[..], CompressionLevel::Fastest);
        let skippable = |text: &[u8]| [b"\x5e\x2a\x4d\x18", &(text.len() as u32).to_le_bytes()[..], text].concat();
        let places = skippable(b"places");
        for whole in [[&frame[..], &places].concat(), [&places, &frame[..]].concat()] {
            assert_eq!(text_of(&whole).unwrap(), b"a,b\n1,2\n");
        }
        assert_eq!(text_of(&skippable(b"")).unwrap(), b"");
        assert!(is_damaged(&text_of(&[&frame[..], &places[..12]].concat()).unwrap_err()));
        let empty = b"\x28\xb5\x2f\xfd\x00\x58\x01\x00\x00".repeat(1000);
        assert_eq!(text_of(&[&empty[..], &frame].concat()).unwrap(), b"a,b\n1,2\n");
        assert!(is_damaged(&text_of(&empty.repeat(11)).unwrap_err()));
        let many = frame.repeat(2 * MOST_EMPTY as usize);
        assert_eq!(text_of(&many).unwrap().len(), 2 * MOST_EMPTY as usize * 8);
    }

    #[test]
    fn a_file_that_is_cut_off_is_an_error_and_never_a_shorter_table() {
        let text = b"a,b\n1,2\n".repeat(9000);
        for whole in [gzip(&text), compress_to_vec(&text[..], CompressionLevel::Fastest)] {
            for kept in [whole.len() - 1, whole.len() / 2, 6] {
                assert!(is_damaged(&text_of(&whole[..kept]).unwrap_err()), "{kept}");
            }
        }
        assert_eq!(text_of(b"").unwrap(), b"");
    }

    #[test]
    fn a_file_that_cannot_be_read_is_not_a_damaged_one() {
        struct Fails;
        impl Read for Fails {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::from(ErrorKind::PermissionDenied))
            }
        }
        for whole in [gzip(b"a,b\n"), compress_to_vec(&b"a,b\n"[..], CompressionLevel::Fastest)] {
            let (packing, reader) = packing(whole[..5].chain(Fails)).unwrap();
            let error = unpacked(packing, reader).read_to_end(&mut Vec::new()).unwrap_err();
            assert!(!is_damaged(&error), "{error}");
        }
    }
}
