//! The schema file `domain.toml`, and the `domain.json` of other programs.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use privacy_core::Provenance;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use crate::error::SchemaError;
use crate::limits::MAX_DOMAIN_BYTES;
use crate::parse::{json_error, parse_toml};
use crate::schema::{AttributeSpec, Schema};
use crate::storage::retried;

/// A `domain.toml`: the attributes, and where their names and labels come from.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DomainFile {
    /// Whether labels or codes were read off the data. Has no default: a guarantee depends on it.
    pub learnt_from_data: bool,
    /// The user's word that a learnt domain reveals nothing about the people in the data.
    #[serde(default)]
    pub domain_is_public: bool,
    /// The attributes in their order.
    #[serde(rename = "attribute")]
    pub attributes: Vec<AttributeSpec>,
    /// Columns that were not learnt; comments in the file.
    #[serde(skip)]
    pub left_out: Vec<LeftOut>,
    /// Attributes whose edges are quantiles of the data; comments in the file.
    #[serde(skip)]
    pub quantile_bins: Vec<String>,
}

/// A column of the data that is not in a learnt domain.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// Its name in the header.
    pub column: String,
    /// Its position in the header, from 1.
    pub position: usize,
    /// Why it is left out.
    pub reason: LeftOutReason,
}

/// Why a column is not in a learnt domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftOutReason {
    /// More than [`MAX_LEARNT_LABELS`](crate::MAX_LEARNT_LABELS) distinct values: an identifier,
    /// a number that wants bins, or free text.
    TooManyValues,
    /// A value of more than 256 bytes: free text.
    LongText,
    /// The header has no name for it.
    NoName,
    /// 128 attributes stand before it, and a domain has no more.
    TooManyAttributes,
}

impl DomainFile {
    /// Attributes that a person has written, and that are not learnt from data.
    #[must_use]
    pub fn of(attributes: Vec<AttributeSpec>) -> Self {
        Self {
            learnt_from_data: false,
            domain_is_public: false,
            attributes,
            left_out: Vec::new(),
            quantile_bins: Vec::new(),
        }
    }

    /// Reads the text of a `domain.toml`.
    ///
    /// ```
    /// use privacy_core::Provenance;
    /// use privacy_data::DomainFile;
    ///
    /// let file = DomainFile::parse(r#"
    ///     learnt_from_data = true
    ///     domain_is_public = true     # somebody went through the labels
    ///
    ///     [[attribute]]
    ///     name = "sex"
    ///     labels = ["female", "male"]
    /// "#)?;
    /// assert_eq!(file.provenance(), Provenance::Public);
    /// assert_eq!(file.into_schema()?.domain().attributes()[0].cardinality(), 2);
    /// # Ok::<(), privacy_data::SchemaError>(())
    /// ```
    ///
    /// # Errors
    /// [`SchemaError::Toml`] for text that is not TOML, for unknown fields and for fields of
    /// another type.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        parse_toml(text).map_err(SchemaError::Toml)
    }

    /// Reads the `domain.json` of other programs: one object of names and sizes,
    /// `{"age": 85, "sex": 2}`.
    ///
    /// Such a file does not say where its sizes come from, so they count as learnt from data.
    ///
    /// # Errors
    /// [`SchemaError::Json`] for anything else, a repeated name included.
    pub fn parse_json(text: &str) -> Result<Self, SchemaError> {
        let SizesInOrder(attributes) =
            serde_json::from_str(text).map_err(|error| SchemaError::Json(json_error(&error)))?;
        Ok(Self { learnt_from_data: true, ..Self::of(attributes) })
    }

    /// Reads a regular file of at most [`MAX_DOMAIN_BYTES`]: JSON when its name ends in `.json`,
    /// TOML otherwise.
    ///
    /// # Errors
    /// [`SchemaError::Read`], [`SchemaError::FileTooLong`], and as [`DomainFile::parse`] and
    /// [`DomainFile::parse_json`].
    pub fn load(path: &Path) -> Result<Self, SchemaError> {
        let failed = |source| SchemaError::Read { path: path.to_owned(), source };
        let bytes = read_at_most(path, MAX_DOMAIN_BYTES).map_err(failed)?.ok_or(SchemaError::FileTooLong)?;
        let not_text = |_| failed(io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"));
        let text = String::from_utf8(bytes).map_err(not_text)?;
        let json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        if json { Self::parse_json(&text) } else { Self::parse(&text) }
    }

    /// Where the names and labels come from: learnt unless the user declared them public.
    #[must_use]
    pub fn provenance(&self) -> Provenance {
        if self.learnt_from_data && !self.domain_is_public { Provenance::LearntFromData } else { Provenance::Public }
    }

    /// Checks the attributes.
    ///
    /// # Errors
    /// As [`Schema::new`].
    pub fn into_schema(self) -> Result<Schema, SchemaError> {
        let provenance = self.provenance();
        Schema::new(self.attributes, provenance)
    }
}

/// The bytes of a regular file; `None` when there are more than `limit`.
fn read_at_most(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    // Before it is opened: opening a pipe waits for a writer.
    let found = retried(|| fs::metadata(path))?;
    if !found.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file"));
    }
    if found.len() > limit {
        return Ok(None);
    }
    // It may grow meanwhile, and some systems have files of length 0 that can be read.
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// The attributes of a JSON object in its order, which a map would lose.
struct SizesInOrder(Vec<AttributeSpec>);

impl<'de> Deserialize<'de> for SizesInOrder {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Sizes;
        impl<'de> Visitor<'de> for Sizes {
            type Value = SizesInOrder;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of names and sizes")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SizesInOrder, A::Error> {
                let mut attributes = Vec::new();
                while let Some((name, size)) = map.next_entry::<String, usize>()? {
                    attributes.push(AttributeSpec::of_size(name, size));
                }
                Ok(SizesInOrder(attributes))
            }
        }
        deserializer.deserialize_map(Sizes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::TextError;

    fn parse_error(text: &str) -> TextError {
        match DomainFile::parse(text).unwrap_err() {
            SchemaError::Toml(error) => error,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn a_learnt_domain_is_public_only_when_a_person_says_so() {
        let provenance = |head: &str| {
            let text = format!("{head}\n[[attribute]]\nname = \"a\"\nsize = 2\n");
            let schema = DomainFile::parse(&text).unwrap().into_schema().unwrap();
            schema.domain().provenance()
        };
        assert_eq!(provenance("learnt_from_data = true"), Provenance::LearntFromData);
        assert_eq!(provenance("learnt_from_data = true\ndomain_is_public = true"), Provenance::Public);
        assert_eq!(provenance("learnt_from_data = false"), Provenance::Public);
        let silent = parse_error("[[attribute]]\nname = \"a\"\nsize = 2\n");
        assert_eq!(silent.to_string(), "missing field `learnt_from_data`");
    }

    #[test]
    fn errors_have_a_place_and_no_value() {
        let at = |text: &str| parse_error(text).place.map(|place| (place.line, place.column));
        let misspelt = "learnt_from_data = false\n[[attribute]]\nname = \"a\"\nlables = [\"x\"]\n";
        assert_eq!(at(misspelt), Some((4, 1)));
        assert!(parse_error(misspelt).reason.starts_with("unknown field `lables`, expected one of"));
        for value in ["size = \"CANARY, expected x\"", "labels = [7777]", "missing = \"CANARY\"", "other = 7777.5"] {
            let text = format!("learnt_from_data = false\n[[attribute]]\nname = \"a\"\n{value}\n");
            let error = parse_error(&text);
            assert_eq!(error.place.unwrap().line, 4, "{error}");
            assert!(!error.reason.contains("CANARY") && !error.reason.contains("7777"), "{error}");
        }
        assert_eq!(at("learnt_from_data = true\nx = [\"CANARY"), Some((2, 13)));
    }

    #[test]
    fn a_file_is_read_to_its_limit_and_not_beyond() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), b"0123456789").unwrap();
        assert_eq!(read_at_most(file.path(), 10).unwrap().unwrap(), b"0123456789");
        assert_eq!(read_at_most(file.path(), 9).unwrap(), None);
        // Its length is said to be 0.
        #[cfg(target_os = "linux")]
        assert_eq!(read_at_most(Path::new("/proc/self/status"), 10).unwrap(), None);
    }

    #[test]
    fn sizes_of_other_programs_keep_their_order() {
        let file = DomainFile::parse_json(r#"{"z": 85, "a": 2, "income>50K": 3}"#).unwrap();
        let names: Vec<_> = file.attributes.iter().map(|a| (a.name.as_str(), a.size)).collect();
        assert_eq!(names, [("z", Some(85)), ("a", Some(2)), ("income>50K", Some(3))]);
        assert_eq!(file.provenance(), Provenance::LearntFromData);
        assert_eq!(DomainFile::parse_json(r#"{"a": 2, "a": 2}"#).unwrap().into_schema().unwrap_err().code(), "E0207");
        for bad in [
            r#"{"a": "CANARY"}"#,
            r#"{"a": -7777}"#,
            r#"{"a": 7777.5}"#,
            r#"["CANARY"]"#,
            "{",
            r#"{"a": 1} CANARY"#,
            r#"{"a": "CANARY at line 1"}"#,
        ] {
            let error = DomainFile::parse_json(bad).unwrap_err();
            assert_eq!(error.code(), "E0202");
            assert!(!error.to_string().contains("CANARY") && !error.to_string().contains("7777"), "{error}");
        }
    }
}
