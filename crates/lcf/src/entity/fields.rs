//! Which entities a row of text stands for: the identifiers in its fields, or the row itself.
//!
//! Where rows are the entities, a row is its fields under the names of all columns, and its
//! number among the identical rows. So the order of lines and of columns does not matter, copies
//! count by themselves, one row more or less is one entity more or less of every group it is in,
//! and the same rows draw alike in every table made of the same file. A file with another column,
//! or a row that was edited, has other entities.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use privacy_core::prf::EntityHasher;
use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::identifier::Identifier;
use crate::error::Error;

/// How the text of an identifier is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum IdentifierForm {
    /// Not declared: an integer where the text spells one in the usual way
    /// ([`Identifier::of_text`]), a text otherwise. A column that is spelled in several ways would
    /// have an entity for every spelling: [`Spellings::check`](crate::Spellings::check) refuses it.
    #[default]
    Auto,
    /// Always a text: in Unicode normalization form C, upper and lower case apart.
    Text,
    /// Always an integer, in any spelling (`007`, `+7`); anything else is refused.
    Integer,
}

/// How one field of a row names entities. White space around an identifier is not part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct IdentifierField {
    /// How an identifier is read.
    pub form: IdentifierForm,
    /// What separates the identifiers of a field that holds several.
    pub separator: Option<char>,
    /// Texts that stand for no entity, besides the empty one.
    pub null: BTreeSet<String>,
}

impl IdentifierField {
    /// Calls `add` with each identifier of a field.
    ///
    /// Integers are checked whether `add` uses them or not, so that a file is accepted or refused
    /// whatever its groups are.
    ///
    /// # Errors
    /// [`Error::NotAnInteger`], and those of `add`.
    ///
    /// # Example
    /// ```
    /// use lcf::{Identifier, IdentifierField, IdentifierForm};
    ///
    /// let members = IdentifierField {
    ///     form: IdentifierForm::Integer,
    ///     separator: Some(';'),
    ///     null: ["-".to_owned()].into(),
    /// };
    /// let mut read = Vec::new();
    /// members.for_each("7;007;-;", |id| Ok(read.push(id.get() == Identifier::Integer(7))))?;
    /// assert_eq!(read, [true, true]); // 7 twice, and nobody twice
    /// # Ok::<(), lcf::Error>(())
    /// ```
    pub fn for_each<'t>(
        &self,
        field: &'t str,
        mut add: impl FnMut(FieldIdentifier<'t>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.for_each_of(field, &mut add)
    }

    /// The same, compiled here: what is generic is compiled by each caller.
    fn for_each_of<'t>(
        &self,
        field: &'t str,
        add: &mut dyn FnMut(FieldIdentifier<'t>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut one = |text: &'t str| match self.read(text)? {
            Some(identifier) => add(identifier),
            None => Ok(()),
        };
        match self.separator {
            Some(separator) => field.split(separator).try_for_each(one),
            None => one(field),
        }
    }

    fn read<'t>(&self, text: &'t str) -> Result<Option<FieldIdentifier<'t>>, Error> {
        let text = composed(text.trim());
        if text.is_empty() || self.null.contains(&*text) {
            return Ok(None);
        }
        Ok(Some(FieldIdentifier(match self.form {
            IdentifierForm::Auto => Lazy::Auto(text),
            IdentifierForm::Text => Lazy::Text(text),
            IdentifierForm::Integer => Lazy::Integer(text.parse().map_err(|_| Error::NotAnInteger)?),
        })))
    }
}

/// Normalization form C, so that one letter is one text however it was typed.
fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc(text) { Cow::Borrowed(text) } else { Cow::Owned(text.nfc().collect()) }
}

/// One identifier of a field. What [`IdentifierForm::Auto`] makes of a text is found out only
/// when it is asked for: most rows belong to groups that need no further identifier.
#[derive(Clone)]
pub struct FieldIdentifier<'t>(Lazy<'t>);

#[derive(Clone)]
enum Lazy<'t> {
    Auto(Cow<'t, str>),
    Text(Cow<'t, str>),
    Integer(i128),
}

impl FieldIdentifier<'_> {
    /// The identifier.
    #[must_use]
    pub fn get(&self) -> Identifier<'_> {
        match &self.0 {
            Lazy::Auto(text) => Identifier::of_text(text),
            Lazy::Text(text) => Identifier::Text(text),
            Lazy::Integer(integer) => Identifier::Integer(*integer),
        }
    }

    /// The text of the identifier as it was read; none where it was declared an integer.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.0 {
            Lazy::Auto(text) | Lazy::Text(text) => Some(text),
            Lazy::Integer(_) => None,
        }
    }

    /// The keyed hash of the identifier, as [`Identifier::hash`].
    #[must_use]
    pub fn hash(&self, hasher: &EntityHasher) -> u64 {
        self.get().hash(hasher)
    }
}

/// Shows nothing of the identifier.
impl std::fmt::Debug for FieldIdentifier<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FieldIdentifier").finish_non_exhaustive()
    }
}

/// Memory of a row: its hash and its number of copies, in an ordered map that is half full.
const BYTES_A_ROW: u64 = 32;

/// Rows as entities: counts how often each row occurred, so that copies are different entities.
pub struct RowEntities {
    /// Occurrences by the hash of a row.
    copies: BTreeMap<u64, u64>,
    /// Bytes of the row at hand.
    content: Vec<u8>,
    /// Sum of the entities so far, which does not depend on their order.
    sum: u64,
    most_bytes: u64,
}

impl RowEntities {
    /// No row yet; the state may take this many bytes.
    #[must_use]
    pub fn new(most_bytes: u64) -> Self {
        Self { copies: BTreeMap::new(), content: Vec::new(), sum: 0, most_bytes }
    }

    /// The keyed hash of the entity that a row is. `fields` are the names of all columns with the
    /// texts of the row, in an order that is the same for every row; sort them by name, and the
    /// order of the columns in a file does not matter.
    ///
    /// # Errors
    /// [`Error::TooMuchState`].
    pub fn entity<'a>(
        &mut self,
        fields: impl IntoIterator<Item = (&'a str, &'a str)>,
        hasher: &EntityHasher,
    ) -> Result<u64, Error> {
        self.content.clear();
        for (name, text) in fields {
            self.push(name);
            self.push(text);
        }
        let copies = self.copies.entry(hasher.hash_bytes(&self.content)).or_default();
        *copies += 1;
        self.content.extend(copies.to_le_bytes());
        if self.copies.len() as u64 * BYTES_A_ROW > self.most_bytes {
            return Err(Error::TooMuchState { limit: self.most_bytes });
        }
        let entity = hasher.hash_bytes(&self.content);
        self.sum = self.sum.wrapping_add(entity);
        Ok(entity)
    }

    /// A keyed digest of all rows so far, with the names of their columns, in any order: another
    /// row, or a column of another name, gives another one but with probability 2^-64.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.sum
    }

    /// The length goes first: no two lists of texts have the same bytes.
    fn push(&mut self, text: &str) {
        self.content.extend((text.len() as u64).to_le_bytes());
        self.content.extend(text.as_bytes());
    }
}

/// Shows no row and no number.
impl std::fmt::Debug for RowEntities {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RowEntities").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use privacy_core::prf::Secret;

    use super::*;

    fn read(field: &IdentifierField, text: &str) -> Result<Vec<String>, Error> {
        let mut read = Vec::new();
        field.for_each(text, |identifier| {
            read.push(match identifier.get() {
                Identifier::Integer(integer) => format!("integer {integer}"),
                Identifier::Text(text) => format!("text {text}"),
                Identifier::Bytes(_) => unreachable!("fields are texts"),
            });
            Ok(())
        })?;
        Ok(read)
    }

    #[test]
    fn forms_separators_and_null_words_read_as_declared() {
        let mut field = IdentifierField::default();
        assert_eq!(read(&field, "7").unwrap(), ["integer 7"]);
        assert_eq!(read(&field, "007;x").unwrap(), ["text 007;x"]);
        assert!(read(&field, "").unwrap().is_empty());
        field.separator = Some(';');
        field.null = BTreeSet::from(["-".to_owned()]);
        assert_eq!(read(&field, "7;-;;a").unwrap(), ["integer 7", "text a"]);
        field.form = IdentifierForm::Text;
        assert_eq!(read(&field, "7;-").unwrap(), ["text 7"]);
        field.form = IdentifierForm::Integer;
        assert_eq!(read(&field, "+7;007").unwrap(), ["integer 7", "integer 7"]);
        for other in ["7;1.0", "7e0", "\u{ff17}", "NULL", "NaN", "7 8"] {
            assert_eq!(read(&field, other).unwrap_err(), Error::NotAnInteger, "{other}");
        }
    }

    #[test]
    fn what_is_read_late_has_the_hash_of_its_identifier_and_its_text() {
        let hasher = Secret::new(&[7; 32]).unwrap().entity_hasher("user");
        for form in [IdentifierForm::Auto, IdentifierForm::Text, IdentifierForm::Integer] {
            let field = IdentifierField { form, ..IdentifierField::default() };
            for text in ["7", "-12", "170141183460469231731687303715884105727"] {
                let mut seen = 0;
                let look = |identifier: FieldIdentifier<'_>| {
                    assert_eq!(identifier.hash(&hasher), identifier.get().hash(&hasher), "{text}");
                    assert_eq!(identifier.text(), (form != IdentifierForm::Integer).then_some(text));
                    seen += 1;
                    Ok(())
                };
                field.for_each(text, look).unwrap();
                assert_eq!(seen, 1);
            }
        }
    }

    #[test]
    fn white_space_around_an_identifier_and_the_way_a_letter_was_typed_make_no_entity() {
        let mut field = IdentifierField { null: BTreeSet::from(["n/a".to_owned()]), ..IdentifierField::default() };
        for seven in ["7", " 7", "7 ", "\u{a0}7\t"] {
            assert_eq!(read(&field, seven).unwrap(), ["integer 7"]);
        }
        assert!(read(&field, "  ").unwrap().is_empty() && read(&field, " n/a").unwrap().is_empty());
        field.form = IdentifierForm::Text;
        assert_eq!(read(&field, "Ame\u{301}lie ").unwrap(), ["text Am\u{e9}lie"]);
        assert_eq!(read(&field, "Am\u{e9}lie").unwrap(), ["text Am\u{e9}lie"]);
        assert_eq!(read(&field, "AM\u{c9}LIE").unwrap(), ["text AM\u{c9}LIE"], "case is kept");
    }

    #[test]
    fn copies_of_a_row_are_entities_by_themselves_in_any_order() {
        let hasher = Secret::new(&[4; 32]).unwrap().entity_hasher("row");
        let entities = |rows: &[[&str; 2]]| {
            let mut state = RowEntities::new(1 << 20);
            let mut all: Vec<u64> =
                rows.iter().map(|row| state.entity(["a", "b"].into_iter().zip(*row), &hasher).unwrap()).collect();
            all.sort_unstable();
            all
        };
        let three = entities(&[["x", "y"], ["x", "y"], ["x", "z"]]);
        assert_eq!(three, entities(&[["x", "z"], ["x", "y"], ["x", "y"]]));
        assert!(three.windows(2).all(|pair| pair[0] != pair[1]));
        let digest = |names: [&'static str; 2], rows: &[[&'static str; 2]]| {
            let mut state = RowEntities::new(1 << 20);
            rows.iter().for_each(|row| {
                state.entity(names.into_iter().zip(*row), &hasher).unwrap();
            });
            state.digest()
        };
        let rows = digest(["a", "b"], &[["x", "y"], ["x", "z"]]);
        assert_eq!(rows, digest(["a", "b"], &[["x", "z"], ["x", "y"]]));
        assert_ne!(rows, digest(["a", "c"], &[["x", "y"], ["x", "z"]]));
        assert_ne!(rows, digest(["a", "b"], &[["x", "y"]]));
        assert_ne!(entities(&[["xy", ""]]), entities(&[["x", "y"]]), "fields do not run into each other");
    }

    #[test]
    fn the_memory_of_rows_is_bounded() {
        let hasher = Secret::new(&[4; 32]).unwrap().entity_hasher("row");
        let mut state = RowEntities::new(BYTES_A_ROW);
        state.entity([("a", "1")], &hasher).unwrap();
        state.entity([("a", "1")], &hasher).unwrap();
        assert_eq!(state.entity([("a", "2")], &hasher).unwrap_err(), Error::TooMuchState { limit: BYTES_A_ROW });
    }
}
