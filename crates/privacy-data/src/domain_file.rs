//! The schema file `domain.toml`, and the `domain.json` of other programs.

use std::fmt;
use std::path::Path;

use privacy_core::Provenance;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::error::SchemaError;
use crate::learn::MAX_LEARNT_LABELS;
use crate::schema::{AttributeSpec, Schema};

/// A `domain.toml`: the attributes, and where their names and labels come from.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
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
    /// More than [`MAX_LEARNT_LABELS`] distinct values: an identifier, a number that wants bins, or free text.
    TooManyValues,
    /// A value of more than 256 bytes: free text.
    LongText,
    /// The header has no name for it.
    NoName,
}

/// The head of a file that was learnt.
const LEARNT: &str = "\
# Learnt from data: the labels and sizes below were seen in it, and their list alone may reveal that
# somebody is in the data. A differentially private release refuses this domain until a person has
#   - added the categories that exist but were not seen, and removed those that give somebody away,
#   - checked that every size is the whole range of codes,
#   - given bins to numbers,
# and then written domain_is_public = true.
";

impl DomainFile {
    /// Reads the text of a `domain.toml`.
    ///
    /// # Errors
    /// [`SchemaError::Toml`] for text that is not TOML, for unknown fields and for fields of another type.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
            SchemaError::Toml { line, column, reason: without_values(error.message()) }
        })
    }

    /// Reads the `domain.json` of other programs: one object of names and sizes, `{"age": 85, "sex": 2}`.
    ///
    /// Such a file does not say where its sizes come from, so they count as learnt from data.
    ///
    /// # Errors
    /// [`SchemaError::Json`] for anything else, a repeated name included.
    pub fn parse_json(text: &str) -> Result<Self, SchemaError> {
        let SizesInOrder(attributes) = serde_json::from_str(text).map_err(|error| {
            let message = error.to_string();
            let reason = without_values(message.split(" at line ").next().unwrap_or_default());
            SchemaError::Json { line: error.line(), column: error.column(), reason }
        })?;
        Ok(Self { learnt_from_data: true, domain_is_public: false, attributes, left_out: Vec::new() })
    }

    /// Reads a file: JSON when its name ends in `.json`, TOML otherwise.
    ///
    /// # Errors
    /// [`SchemaError::Read`], and as [`DomainFile::parse`] and [`DomainFile::parse_json`].
    pub fn load(path: &Path) -> Result<Self, SchemaError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| SchemaError::Read { path: path.to_owned(), source })?;
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

    /// The text of the file, with comments where it was learnt. [`DomainFile::parse`] reads it back, comments apart.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = if self.learnt_from_data { LEARNT.to_owned() } else { String::new() };
        text += &format!("learnt_from_data = {}\n", self.learnt_from_data);
        text += &format!("domain_is_public = {}\n", self.domain_is_public);
        for attribute in &self.attributes {
            text.push('\n');
            text += &to_toml(attribute);
        }
        for left_out in &self.left_out {
            text += &left_out.comment();
        }
        text
    }
}

impl LeftOut {
    fn comment(&self) -> String {
        let Self { position, column, reason } = self;
        // A JSON string has no line break, so no header can leave its comment.
        let name = serde_json::Value::from(column.as_str());
        match reason {
            LeftOutReason::TooManyValues => format!(
                "\n# Column {position} has more than {MAX_LEARNT_LABELS} distinct values. Bins make a number \
                 categorical:\n# [[attribute]]\n# name = {name}\n# bins = [0, 10, 20]\n"
            ),
            LeftOutReason::LongText => format!("\n# Column {position} ({name}) is free text and was left out.\n"),
            LeftOutReason::NoName => format!("\n# Column {position} has no name and was left out.\n"),
        }
    }
}

/// One `[[attribute]]`. Long arrays get one line an entry, to be read and edited.
fn to_toml(attribute: &AttributeSpec) -> String {
    #[derive(Serialize)]
    struct Entry<'a> {
        attribute: [&'a AttributeSpec; 1],
    }
    const LONG: usize = 100;
    const WRITING: &str = "strings and numbers are TOML";
    let entry = Entry { attribute: [attribute] };
    let text = toml::to_string(&entry).expect(WRITING);
    if text.lines().all(|line| line.len() <= LONG) { text } else { toml::to_string_pretty(&entry).expect(WRITING) }
}

/// A parser's message without the value that it found: a learnt schema holds labels of the data.
///
/// Serde writes `invalid type: string "v", expected ...` and `unknown variant `v`, expected ...`; names of fields
/// (`unknown field`) are the schema's own words and stay.
fn without_values(message: &str) -> String {
    let shows_value = message.starts_with("invalid ") || message.starts_with("unknown variant");
    let quote = message.find(['"', '`']);
    match (quote, message.rfind(", expected ")) {
        (Some(start), Some(end)) if shows_value && start < end => {
            format!("{}{}", message[..start].trim_end(), &message[end..])
        }
        _ => message.to_owned(),
    }
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
    use crate::schema::{BasisSpec, MissingPolicy};

    fn parse_error(text: &str) -> (usize, usize, String) {
        match DomainFile::parse(text).unwrap_err() {
            SchemaError::Toml { line, column, reason } => (line, column, reason),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let attributes = vec![
            AttributeSpec {
                column: Some("AGE \"1\"".into()),
                missing: Some(MissingPolicy::Category),
                missing_values: vec!["NA".into(), "?".into()],
                basis: Some(BasisSpec::Name("prefix".into())),
                ..AttributeSpec::of_bins("age", [f64::NEG_INFINITY, 0.0, 17.5, f64::INFINITY])
            },
            AttributeSpec { other: Some("rest\n".into()), ..AttributeSpec::of_labels("job", ["a, b", "c = #", "é"]) },
            AttributeSpec {
                basis: Some(BasisSpec::Queries { queries: "q.csv".into() }),
                ..AttributeSpec::of_size("hour", 24)
            },
            AttributeSpec::of_labels("long", (0..200).map(|i| format!("label {i}"))),
        ];
        for (learnt_from_data, domain_is_public) in [(true, false), (true, true), (false, false)] {
            let file =
                DomainFile { learnt_from_data, domain_is_public, attributes: attributes.clone(), left_out: vec![] };
            assert_eq!(DomainFile::parse(&file.to_toml()).unwrap(), file, "{}", file.to_toml());
        }
    }

    #[test]
    fn a_basis_is_a_name_or_a_file_and_nothing_else() {
        let of = |basis: &str| {
            DomainFile::parse(&format!("learnt_from_data = false\n[[attribute]]\nname = \"a\"\nbasis = {basis}"))
        };
        assert!(of("\"prefix\"").is_ok() && of("{ queries = \"q.csv\" }").is_ok());
        for bad in ["7777", "{ queries = \"q.csv\", CANARY = 1 }", "{ }", "[\"CANARY\"]"] {
            let error = of(bad).unwrap_err().to_string();
            assert!(
                error.contains("name of a basis") && !error.contains("CANARY") && !error.contains("7777"),
                "{error}"
            );
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
        assert_eq!(silent.2, "missing field `learnt_from_data`");
    }

    #[test]
    fn errors_have_a_place_and_no_value() {
        let at = parse_error("learnt_from_data = false\n[[attribute]]\nname = \"a\"\nlables = [\"x\"]\n");
        assert_eq!((at.0, at.1), (4, 1));
        assert!(at.2.starts_with("unknown field `lables`, expected one of"), "{}", at.2);
        for value in ["size = \"CANARY, expected x\"", "labels = [7777]", "missing = \"CANARY\"", "name = 7777.5"] {
            let text = format!("learnt_from_data = false\n[[attribute]]\nname = \"a\"\n{value}\n");
            let (line, _, reason) = parse_error(&text);
            assert!(line >= 2, "{line}");
            assert!(!reason.contains("CANARY") && !reason.contains("7777"), "{reason}");
        }
        assert_eq!(parse_error("learnt_from_data = true\nx = [\"CANARY").0, 2);
    }

    #[test]
    fn sizes_of_other_programs_keep_their_order() {
        let file = DomainFile::parse_json(r#"{"z": 85, "a": 2, "income>50K": 3}"#).unwrap();
        let names: Vec<_> = file.attributes.iter().map(|a| (a.name.as_str(), a.size)).collect();
        assert_eq!(names, [("z", Some(85)), ("a", Some(2)), ("income>50K", Some(3))]);
        assert_eq!(file.provenance(), Provenance::LearntFromData);
        assert_eq!(DomainFile::parse_json(r#"{"a": 2, "a": 2}"#).unwrap().into_schema().unwrap_err().code(), "E0207");
        for bad in
            [r#"{"a": "CANARY"}"#, r#"{"a": -7777}"#, r#"{"a": 7777.5}"#, r#"["CANARY"]"#, "{", r#"{"a": 1} CANARY"#]
        {
            let error = DomainFile::parse_json(bad).unwrap_err();
            assert_eq!(error.code(), "E0202");
            assert!(!error.to_string().contains("CANARY") && !error.to_string().contains("7777"), "{error}");
        }
    }
}
