//! Mutants of a file, from a seed: of its bytes, of its lines, and of what its grammar knows.

use crate::{Grammar, MOST_BYTES, Target};

/// Numbers from a seed (SplitMix64): the same for everybody, and good for nothing that is secret.
#[derive(Clone, Debug)]
pub struct Generator(u64);

impl Generator {
    /// The numbers of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 for an end of 0.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.bits() % end as u64) as usize }
    }

    /// One of these.
    pub fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

/// Numbers at the ends of what types and checks allow.
const NUMBERS: [&str; 24] = [
    "0",
    "1",
    "-1",
    "2",
    "0.0",
    "-0.0",
    "0.5",
    "1e-300",
    "1e300",
    "1e308",
    "5e-324",
    "1e999",
    "nan",
    "inf",
    "-inf",
    "255",
    "65536",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
];

const CSV: [&str; 15] =
    [",", ";", "\t", "\"", "\"\"", "\n", "\r\n", "\r", "\0", " ", "\u{feff}", "NA", "(missing)", "=1+1", "é"];
const TOML: [&str; 22] = [
    "[",
    "]",
    "[[attribute]]\n",
    "{",
    "}",
    "=",
    "\"",
    "'",
    "\"\"\"",
    ",",
    "\n",
    "#",
    ".",
    "true",
    "false",
    "[]",
    "size = 3\n",
    "labels = [\"a\", \"b\"]\n",
    "bins = [0, 1]\n",
    "name = \"a\"\n",
    "1979-05-27",
    "\\u0000",
];
const JSON: [&str; 14] =
    ["{", "}", "[", "]", ":", ",", "\"", "null", "true", "false", "[]", "{}", "\\ud800", "\\u0000"];
const SQL: [&str; 20] = [
    "\"", "\"\"", "'", "''", "E'\\'", "$$", "$a$", "--", "/*", "*/", ";", "\\", "\0", ".", "U&\"", "\n", "\u{1f}",
    "\u{a0}", "\u{201d}", "\u{ff02}",
];
const ARGUMENTS: [&str; 28] = [
    "\0",
    "\0--json\0",
    "\0--\0",
    "\0-",
    "\0--",
    "=",
    "-o\0",
    "--help",
    "-h",
    "--version",
    "help",
    "resplan\0plan",
    "frechet\0plan",
    "lcf\0filter",
    "ldp\0estimate",
    "screen\0model",
    "ledger",
    "--seed\0",
    "--force",
    "-q",
    ",",
    "\n",
    "\r",
    "\u{1b}[2J",
    "\u{9b}1m",
    "\u{202e}",
    "\u{200b}",
    "\u{7f}",
];
const WORDS: [&str; 8] = [" ", "\n", "\t", ":", "-", ";", "<", "0 0 0 0"];

fn words(grammar: Grammar) -> &'static [&'static str] {
    match grammar {
        Grammar::Csv => &CSV,
        Grammar::Toml => &TOML,
        Grammar::Json => &JSON,
        Grammar::Words => &WORDS,
        Grammar::Sql => &SQL,
        Grammar::Arguments => &ARGUMENTS,
        Grammar::Binary => &[],
    }
}

/// A file with up to eight changes, most often sealed again; `other` gives parts to take over.
#[must_use]
pub fn mutant(target: &Target, file: &[u8], other: &[u8], draw: &mut Generator) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for _ in 0..=draw.below(8) {
        let is_of_grammar = target.grammar != Grammar::Binary && draw.below(4) > 0;
        if is_of_grammar {
            change_text(target.grammar, &mut bytes, other, draw);
        } else {
            change_bytes(&mut bytes, other, draw);
        }
    }
    bytes.truncate(MOST_BYTES);
    match target.seal {
        Some(seal) if draw.below(8) > 0 => seal(&bytes),
        _ => bytes,
    }
}

fn change_bytes(bytes: &mut Vec<u8>, other: &[u8], draw: &mut Generator) {
    let at = draw.below(bytes.len() + 1);
    match draw.below(8) {
        0 => bytes.truncate(at),
        1 => bytes.insert(at, draw.bits() as u8),
        2 if at < bytes.len() => drop(bytes.remove(at)),
        3 if at < bytes.len() => bytes[at] ^= 1 << draw.below(8),
        4 if at < bytes.len() => bytes[at] = *draw.one(&[&0, &1, &0x7f, &0x80, &0xff, &b'"', &b'\n']),
        5 => {
            // A length, or a count, of a field that is four or eight bytes wide.
            let width = *draw.one(&[&2, &4, &8]);
            let value = *draw.one(&[&0, &1, &u64::from(u32::MAX), &(1 << 31), &(1 << 53), &u64::MAX]);
            let end = (at + width).min(bytes.len());
            bytes[at..end].copy_from_slice(&value.to_le_bytes()[..end - at]);
        }
        6 => {
            let (start, length) = (draw.below(other.len() + 1), draw.below(64));
            let part = &other[start..(start + length).min(other.len())];
            bytes.splice(at..at, part.iter().copied());
        }
        _ => {
            let end = (at + draw.below(64)).min(bytes.len());
            bytes.drain(at..end);
        }
    }
}

/// The pieces of a text: runs of letters and digits, and single characters between them.
fn pieces(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'+') || byte >= 0x80;
    let mut pieces: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, &byte) in bytes.iter().enumerate() {
        match pieces.last_mut() {
            Some(last) if last.end == at && is_word(byte) && is_word(bytes[last.start]) => last.end = at + 1,
            _ => pieces.push(at..at + 1),
        }
    }
    pieces
}

fn change_text(grammar: Grammar, bytes: &mut Vec<u8>, other: &[u8], draw: &mut Generator) {
    let pieces = pieces(bytes);
    let piece = pieces.get(draw.below(pieces.len())).cloned().unwrap_or(0..0);
    match draw.below(7) {
        0 => drop(bytes.splice(piece, draw.one(&NUMBERS).bytes())),
        1 => drop(bytes.splice(piece, draw.one(words(grammar)).bytes())),
        2 => drop(bytes.splice(piece.start..piece.start, draw.one(words(grammar)).bytes())),
        3 => {
            let another = pieces.get(draw.below(pieces.len())).cloned().unwrap_or(0..0);
            let text = bytes[another].to_vec();
            bytes.splice(piece, text);
        }
        4 => change_lines(bytes, other, draw),
        5 => {
            // Deep nesting, or a long text.
            let times = 1 << draw.below(12);
            let text = bytes[piece.clone()].repeat(times.min(MOST_BYTES / (piece.len() + 1)));
            bytes.splice(piece, text);
        }
        _ => drop(bytes.drain(piece)),
    }
}

fn change_lines(bytes: &mut Vec<u8>, other: &[u8], draw: &mut Generator) {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let others: Vec<&[u8]> = other.split_inclusive(|&byte| byte == b'\n').collect();
    let (at, from) = (draw.below(lines.len()), draw.below(others.len()));
    match draw.below(4) {
        0 if !lines.is_empty() => drop(lines.remove(at)),
        1 if !lines.is_empty() => lines.insert(at, lines[at]),
        2 if !others.is_empty() => lines.insert(at, others[from]),
        _ => {
            let to = draw.below(lines.len());
            if !lines.is_empty() {
                lines.swap(at, to);
            }
        }
    }
    *bytes = lines.concat();
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRAMMARS: [Grammar; 7] =
        [Grammar::Csv, Grammar::Toml, Grammar::Json, Grammar::Words, Grammar::Sql, Grammar::Arguments, Grammar::Binary];

    fn target(grammar: Grammar) -> Target {
        Target { name: "any", grammar, seal: None, run: |_| true }
    }

    #[test]
    fn mutants_follow_from_the_seed_and_differ() {
        let file = b"name = \"a\"\nsize = 3\n[[attribute]]\n";
        for grammar in GRAMMARS {
            let mutants = |seed| -> Vec<Vec<u8>> {
                let mut draw = Generator::new(seed);
                (0..50).map(|_| mutant(&target(grammar), file, file, &mut draw)).collect()
            };
            assert_eq!(mutants(1), mutants(1));
            assert_ne!(mutants(1), mutants(2));
            assert!(mutants(3).iter().filter(|mutant| mutant.as_slice() != file).count() > 40, "{grammar:?}");
        }
    }

    #[test]
    fn most_mutants_are_sealed_again() {
        let sealed = Target { seal: Some(|bytes| [bytes, b"SEAL"].concat()), ..target(Grammar::Json) };
        let mut draw = Generator::new(5);
        let ends = (0..400).filter(|_| mutant(&sealed, b"[1, 2]", b"{}", &mut draw).ends_with(b"SEAL")).count();
        assert!((300..400).contains(&ends), "{ends} of 400");
    }

    #[test]
    fn nothing_is_too_short_to_be_mutated() {
        for grammar in GRAMMARS {
            let mut draw = Generator::new(7);
            (0..500).for_each(|_| assert!(mutant(&target(grammar), b"", b"", &mut draw).len() <= MOST_BYTES));
        }
    }
}
