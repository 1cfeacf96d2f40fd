//! Columns in which one entity may be spelled in several ways.
//!
//! `7`, `7.0`, `07`, `+7`, `7e0` and the full-width 7 are six entities unless the column is
//! declared to hold integers, `Ann` and `ANN` are two, and `NULL` or `NaN` is an entity unless it
//! is listed as a word for nobody. So the rows of a column are counted by how their identifiers are
//! spelled, and a column whose form was not declared is refused unless all are spelled alike:
//!
//! ```text
//! numbers    digits without a leading zero, or digits of one length
//! letters    all lower case, or all upper case, or Each Word So
//! spaces     single, inside; no letters of another width, no invisible ones
//! nobody     no word that often stands for nobody beside other identifiers
//! ```
//!
//! Under these rules no two identifiers of a column are one number, or differ in case, spaces or
//! width alone. Names that differ otherwise (`Ann Lee`, `Lee, Ann`) stay apart: nobody can tell.

use unicode_normalization::{UnicodeNormalization, is_nfkc};

use super::fields::IdentifierForm;
use crate::error::Error;

/// Words that often stand for nobody, in lower case.
const NOBODY: [&str; 14] =
    ["null", "nan", "n/a", "na", "#n/a", "none", "nil", "-", "--", "?", ".", "unknown", "missing", "undefined"];

/// Ways to write letters: lower case, upper case, each word with a capital.
const STYLES: u8 = 0b111;

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
    /// Texts among them with several spaces in a row, invisible letters or letters of another
    /// width.
    pub odd_texts: u64,
    /// The styles that the letters of some text do not have, as bits.
    other_styles: u8,
    /// Numbers of digits alone that begin with a zero.
    padded: u64,
    /// The least and the largest length of numbers of digits alone.
    digits: Option<(usize, usize)>,
}

impl Spellings {
    /// Counts one identifier, which is not empty.
    pub fn count(&mut self, identifier: &str) {
        let text = identifier.trim();
        match text.as_bytes() {
            bytes @ [b'0'..=b'9', ..] if bytes.iter().all(u8::is_ascii_digit) => self.count_digits(bytes),
            _ => self.count_unusual(text),
        }
    }

    fn count_digits(&mut self, digits: &[u8]) {
        let (least, most) = self.digits.unwrap_or((digits.len(), digits.len()));
        self.digits = Some((least.min(digits.len()), most.max(digits.len())));
        if digits[0] == b'0' && digits.len() > 1 {
            self.padded += 1;
            self.other_numbers += 1;
        } else {
            self.integers += 1;
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
            self.odd_texts += u64::from(is_odd(text));
            self.other_styles |= STYLES & !styles_of(text);
        }
    }

    /// Whether one entity may be several: numbers in several spellings, letters in several cases,
    /// odd spaces or letters, or words for nobody beside others.
    #[must_use]
    pub fn is_mixed(&self) -> bool {
        let others = self.integers + self.other_numbers + self.texts;
        // Digits of one length are one spelling, with leading zeros or without.
        let have_one_length = self.digits.is_some_and(|(least, most)| least == most);
        let is_padded = self.other_numbers == self.padded && have_one_length;
        self.other_numbers > 0 && !is_padded
            || self.nobody > 0 && others > 0
            || self.odd_texts > 0
            || self.other_styles == STYLES
    }

    /// Refuses a column of which no form was declared, once all of its identifiers are counted.
    /// Programs that read fields by [`IdentifierField`](crate::IdentifierField) call it before they
    /// decide about groups.
    ///
    /// # Errors
    /// [`Error::MixedSpellings`] for [`IdentifierForm::Auto`] where the column
    /// [is mixed](Self::is_mixed).
    pub fn check(&self, form: IdentifierForm) -> Result<(), Error> {
        match form == IdentifierForm::Auto && self.is_mixed() {
            true => Err(Error::MixedSpellings),
            false => Ok(()),
        }
    }
}

/// Digits without a leading zero.
fn is_usual(digits: &str) -> bool {
    !digits.is_empty() && !digits.starts_with('0') && digits.bytes().all(|digit| digit.is_ascii_digit())
}

/// Whether a text has another look than its letters: invisible ones, spaces that look like one, or
/// letters that are others in Unicode normalization form KC.
fn is_odd(text: &str) -> bool {
    let mut before = ' ';
    for letter in text.chars() {
        let is_space = letter.is_whitespace();
        if is_space && (letter != ' ' || before == ' ') || letter.is_control() || is_invisible(letter) {
            return true;
        }
        before = letter;
    }
    !text.is_ascii() && !is_nfkc(text)
}

/// Soft hyphen, zero-width letters, marks of direction, variation selectors.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(letter, '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// The styles that the letters of a text have: all three without a letter that has a case.
fn styles_of(text: &str) -> u8 {
    let (mut styles, mut follows_letter) = (STYLES, false);
    for letter in text.chars() {
        // A capital is upper case, and begins a word; a small letter is lower case, and does not.
        if letter.is_uppercase() {
            styles &= if follows_letter { 0b010 } else { 0b110 };
        } else if letter.is_lowercase() {
            styles &= if follows_letter { 0b101 } else { 0b001 };
        }
        follows_letter = letter.is_alphabetic();
    }
    styles
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
    fn texts_that_differ_in_case_spaces_or_width_alone_are_never_all_accepted() {
        for pair in [
            ["ann", "Ann"],
            ["ann", "ANN"],
            ["Ann", "ANN"],
            ["Ann", "aNn"],
            ["McLee", "Mclee"],
            ["ann lee", "ann  lee"],
            ["ann lee", "ann\u{a0}lee"],
            ["ann", "\u{ff41}nn"],
            ["ann", "an\u{ad}n"],
            ["7.0", "7.00"],
            ["07", "007"],
            ["07", "7"],
            ["7e0", "7.0"],
            ["\u{e9}ve", "\u{c9}ve"],
            ["-7", "-7.0"],
            ["-7", "-07"],
            ["-ann", "-ANN"],
            ["7", "null"],
            ["07", "null"],
        ] {
            assert!(of(&pair).is_mixed(), "{pair:?}");
            assert_eq!(of(&pair).check(IdentifierForm::Auto), Err(Error::MixedSpellings));
            assert_eq!(of(&pair).check(IdentifierForm::Text), Ok(()));
        }
    }

    #[test]
    fn columns_of_one_look_are_not() {
        for texts in [
            &["7", "8", "-9", "0"][..],
            &["007", "008", "123"],
            &["ann", "bob", "7a"],
            &["ann", "7"],
            &["Ann Lee", "X", "Bob O'Neil"],
            &["A1", "KLM"],
            &["\u{5f20}", "ann"],
            &["null"],
            &[],
        ] {
            assert!(!of(texts).is_mixed(), "{texts:?}");
        }
    }
}
