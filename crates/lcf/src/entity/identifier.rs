//! Identifiers of entities as they come in data, and their keyed hashes.

use std::fmt;

use privacy_core::prf::EntityHasher;

/// An identifier of one entity. A missing value (`NULL`) is not an identifier and enters no set.
///
/// Every integer is one entity whatever its width and sign: `7_i8` and `7_u64` hash alike, and so
/// does `"7"` read by [`of_text`](Self::of_text). The text `"7"` by itself is another entity than
/// the integer 7.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Identifier<'a> {
    /// An integer of any width. Beyond 64 bits it is hashed as the text of its digits.
    Integer(i128),
    /// A text, byte for byte: no case folding, no Unicode normalisation. Fields are normalised
    /// before, by [`IdentifierField`](crate::IdentifierField).
    Text(&'a str),
    /// Bytes, such as the 16 of a UUID.
    Bytes(&'a [u8]),
}

impl<'a> Identifier<'a> {
    /// A text that spells an integer in the usual way (`0`, `42`, `-7`) is that integer, any
    /// other is a text. So a column of numbers means the same people in a CSV file as in a
    /// database.
    #[must_use]
    pub fn of_text(text: &'a str) -> Self {
        match is_plain_integer(text) {
            true => text.parse().map_or(Self::Text(text), Self::Integer),
            false => Self::Text(text),
        }
    }

    /// The keyed hash that stands for the entity: as confidential as the identifier itself. About
    /// 12 ns for an integer.
    #[must_use]
    pub fn hash(self, hasher: &EntityHasher) -> u64 {
        match self {
            Self::Integer(integer) => hash_integer(integer, hasher),
            Self::Text(text) => hasher.hash_str(text),
            Self::Bytes(bytes) => hasher.hash_bytes(bytes),
        }
    }
}

fn hash_integer(integer: i128, hasher: &EntityHasher) -> u64 {
    match (i64::try_from(integer), u64::try_from(integer)) {
        (Ok(signed), _) => hasher.hash_i64(signed),
        (_, Ok(unsigned)) => hasher.hash_u64(unsigned),
        _ => hasher.hash_str(&integer.to_string()),
    }
}

/// Digits without a leading zero, with a minus sign in front where they are not 0.
fn is_plain_integer(text: &str) -> bool {
    match text.strip_prefix('-').unwrap_or(text).as_bytes() {
        b"0" => text == "0",
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

macro_rules! integers {
    ($($width:ty)*) => {$(
        impl From<$width> for Identifier<'_> {
            fn from(integer: $width) -> Self {
                Self::Integer(i128::from(integer))
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 i128 u8 u16 u32 u64);

impl<'a> From<&'a str> for Identifier<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a [u8]> for Identifier<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes)
    }
}

/// Shows the form of the identifier, not its value.
impl fmt::Debug for Identifier<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Integer(_) => "Integer(..)",
            Self::Text(_) => "Text(..)",
            Self::Bytes(_) => "Bytes(..)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privacy_core::prf::Secret;

    #[test]
    fn one_integer_is_one_entity_in_every_width_and_spelling() {
        let hasher = Secret::new(&[3; 32]).unwrap().entity_hasher("user");
        let hash = |id: Identifier<'_>| id.hash(&hasher);
        let minus_one = [(-1_i8).into(), (-1_i16).into(), (-1_i32).into(), (-1_i64).into(), Identifier::of_text("-1")];
        assert!(minus_one.iter().all(|&id: &Identifier<'_>| hash(id) == hasher.hash_i64(-1)));
        let large = "18446744073709551615";
        assert_eq!(hash(Identifier::of_text(large)), hash(u64::MAX.into()));
        assert_ne!(hash(u64::MAX.into()), hash((-1_i64).into()));
        let beyond = 1_i128 << 80;
        assert_eq!(hash(beyond.into()), hash(Identifier::of_text(&beyond.to_string())));
        let digits = "9".repeat(60);
        assert_eq!(hash(Identifier::of_text(&digits)), hash(digits.as_str().into()));
    }

    #[test]
    fn other_spellings_are_texts() {
        for text in ["", "-", "-0", "00", "007", "+7", " 7", "7 ", "7.0", "1e3", "٧", "-07", "--7"] {
            assert_eq!(Identifier::of_text(text), Identifier::Text(text), "{text:?}");
        }
        assert_eq!(Identifier::of_text("-7"), Identifier::Integer(-7));
        assert_eq!(Identifier::of_text("0"), Identifier::Integer(0));
    }

    #[test]
    fn debug_shows_no_value() {
        let shown = format!(
            "{:?} {:?} {:?}",
            Identifier::from(4711_u32),
            Identifier::from("4711"),
            Identifier::from(&b"4711"[..])
        );
        assert!(!shown.contains('7'), "{shown}");
    }
}
