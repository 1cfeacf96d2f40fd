#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod choices;
mod corpus;
mod mutate;
mod program;

pub use choices::Choices;
pub use corpus::{corpus_of, fails};
pub use mutate::{Generator, mutant};
pub use program::program;

/// The most bytes that a target is given: what is longer is cut by none, and tests limits that have
/// tests of their own.
pub const MOST_BYTES: usize = 1 << 16;

/// What a format is written in, for the one who mutates it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// Lines of fields.
    Csv,
    /// Keys, values, tables.
    Toml,
    /// Objects and lists.
    Json,
    /// Words and numbers in a fixed order.
    Words,
    /// Names, and queries about them.
    Sql,
    /// Words of a command, with a NUL between two.
    Arguments,
    /// Bytes: magic numbers, lengths, digests.
    Binary,
}

/// Changed bytes of a format with the digest or the seal that they need to be read.
pub type Seal = fn(&[u8]) -> Vec<u8>;

/// A format, and the function that any bytes are given to.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name: a folder of the corpus.
    pub name: &'static str,
    /// What it is written in.
    pub grammar: Grammar,
    /// Writes the digest or the seal of changed bytes again, where the format has one: without it
    /// no mutant gets past it.
    pub seal: Option<Seal>,
    /// Reads the bytes as far as they allow, and says whether they were accepted. Panics where
    /// something is wrong with the reader.
    pub run: fn(&[u8]) -> bool,
}
