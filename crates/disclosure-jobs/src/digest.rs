//! SHA-256 in hexadecimal.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

/// The SHA-256 of `bytes`, as 64 lower-case hexadecimal digits.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Whether `text` has the form of a digest: 64 hexadecimal digits.
#[must_use]
pub fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Bytes as lower-case hexadecimal digits.
#[must_use]
pub fn hexadecimal(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A writer that takes the digest of what is written through it.
#[derive(Debug)]
pub struct DigestWriter<W> {
    out: W,
    digest: Sha256,
    bytes: u64,
}

impl<W: Write> DigestWriter<W> {
    /// Writes to `out`; nothing has been written yet.
    pub fn new(out: W) -> Self {
        Self { out, digest: Sha256::new(), bytes: 0 }
    }

    /// The digest, and the number of bytes that were written.
    #[must_use]
    pub fn finish(self) -> (String, u64) {
        (hexadecimal(&self.digest.finalize()), self.bytes)
    }
}

impl<W: Write> Write for DigestWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.digest.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn digest_of_abc_is_the_published_one() {
        let published = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(super::sha256(b"abc"), published);
        assert!(
            super::is_sha256(published) && !super::is_sha256(&published[1..]) && !super::is_sha256(&"g".repeat(64))
        );
        let mut pieces = super::DigestWriter::new(Vec::new());
        std::io::Write::write_all(&mut pieces, b"ab").unwrap();
        std::io::Write::write_all(&mut pieces, b"c").unwrap();
        assert_eq!(pieces.finish(), (published.to_owned(), 3));
    }
}
