//! Columns in which one entity may be spelled in several ways.
//!
//! `7`, `7.0`, `07`, `+7`, `7e0` and the full-width 7 are six entities unless the column is
//! declared to hold integers, and `NULL` or `NaN` is an entity unless it is listed as a word for
//! nobody. So the rows of a column are counted by how their identifiers are spelled.

use unicode_normalization::UnicodeNormalization;

/// Words that often stand for nobody, in lower case.
const NOBODY: [&str; 14] =
    ["null", "nan", "n/a", "na", "#n/a", "none", "nil", "-", "--", "?", ".", "unknown", "missing", "undefined"];

/// How the identifiers of a column look, in numbers of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spellings {
    /// Integers as they are usually spelled.
    pub integers: u64,
    /// Numbers spelled otherwise: leading zeros or signs, decimal points, exponents, digits of
    /// other scripts.
    pub other_numbers: u64,
    /// Words that often stand for nobody.
    pub nobody: u64,
    /// Other texts.
    pub texts: u64,
}

impl Spellings {
    /// Counts one identifier, which is not empty.
    pub fn count(&mut self, identifier: &str) {
        let text = identifier.trim();
        match text.as_bytes() {
            [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit) => self.integers += 1,
            b"0" => self.integers += 1,
            _ => self.count_unusual(text),
        }
    }

    fn count_unusual(&mut self, text: &str) {
        let plain: String = text.nfkc().collect::<String>().to_lowercase();
        if NOBODY.contains(&plain.as_str()) {
            self.nobody += 1;
        } else if plain.strip_prefix('-').is_some_and(is_usual) && plain == text {
            self.integers += 1;
        } else if plain.parse::<f64>().is_ok() {
            self.other_numbers += 1;
        } else {
            self.texts += 1;
        }
    }

    /// Whether one entity may be several: numbers in several spellings, or words for nobody
    /// beside others.
    #[must_use]
    pub fn is_mixed(&self) -> bool {
        let others = self.integers + self.other_numbers + self.texts;
        self.integers > 0 && self.other_numbers > 0 || self.nobody > 0 && others > 0
    }
}

/// Digits without a leading zero.
fn is_usual(digits: &str) -> bool {
    !digits.is_empty() && !digits.starts_with('0') && digits.bytes().all(|digit| digit.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str]) -> Spellings {
        let mut spellings = Spellings::default();
        texts.iter().for_each(|text| spellings.count(text));
        spellings
    }

    #[test]
    fn one_person_in_fifteen_spellings_is_noticed() {
        let mixed = of(&["7", "7.0", "07", " 7", "+7", "7e0", "\u{ff17}", "NULL", "NaN", "N/A", "-7", "0"]);
        assert_eq!((mixed.integers, mixed.other_numbers, mixed.nobody, mixed.texts), (4, 5, 3, 0));
        assert!(mixed.is_mixed());
        assert!(of(&["7", "007"]).is_mixed() && of(&["ann", "none"]).is_mixed());
    }

    #[test]
    fn columns_of_one_look_are_not() {
        for texts in [&["7", "8", "-9", "0"][..], &["007", "008"], &["ann", "Bob", "7a"], &["ann", "7"], &["null"], &[]]
        {
            assert!(!of(texts).is_mixed(), "{texts:?}");
        }
    }
}
