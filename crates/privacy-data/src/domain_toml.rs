//! Writing a `domain.toml` that shows a reader every character of its names and labels.
//!
//! The file is made to be checked by a person. Characters that have no glyph, look like a space
//! or change the order of others are written as escapes, so that two labels that differ look
//! different, in an editor and on a terminal.

use std::fmt::Write;

use crate::basis::{BasisKind, BasisSpec};
use crate::domain_file::{DomainFile, LeftOut, LeftOutReason};
use crate::learn::MAX_LEARNT_LABELS;
use crate::schema::{AttributeSpec, MissingPolicy};

/// The head of a file that was learnt.
const LEARNT: &str =
    " # Learnt from data: the labels and sizes below were seen in it, and their list alone may reveal \
     that
# somebody is in the data. A differentially private release refuses this domain until a person has
#   - \
     added the categories that exist but were not seen, and removed those that identify somebody,
#   - checked that \
     every size is the whole range of codes,
#   - given bins to numbers, and names to codes: names = [...] is what \
     tables then say,
# and then written domain_is_public = true.
";

/// Stands before an attribute whose edges are quantiles.
const QUANTILES: &str = "
# The edges of these bins are quantiles of the data: values of people. Choose round numbers instead.";

/// Longest line of an array, in characters; above it, one line an entry, to be read and edited.
const LONG: usize = 100;

/// Characters that have no glyph of their own or act on others, spaces and controls apart: first
/// and last of ranges.
///
/// Unicode 16, `Default_Ignorable_Code_Point`, general categories `Cf` and `Co`. The last range
/// holds tags, selectors and the private planes.
const MISLEADING: &[(char, char)] = &[
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{e000}', '\u{f8ff}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{10ffff}'),
];

impl DomainFile {
    /// The text of the file, with comments where it was learnt. [`DomainFile::parse`] reads it
    /// back, comments apart.
    ///
    /// Characters of names and labels that cannot be seen are written as escapes.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = if self.learnt_from_data { LEARNT.to_owned() } else { String::new() };
        let too_many = self.left_out.iter().filter(|column| column.reason == LeftOutReason::TooManyAttributes).count();
        if too_many > 0 {
            text += &format!(
                "# A domain has at most 128 attributes, so {too_many} further columns were left out; they are named at \
                 the end.\n# If one of them is needed, drop others from the data and learn again.\n"
            );
        }
        text += &format!("learnt_from_data = {}\n", self.learnt_from_data);
        text += &format!("domain_is_public = {}\n", self.domain_is_public);
        if self.attributes.is_empty() {
            text += "attribute = []\n";
        }
        for attribute in &self.attributes {
            if self.quantile_bins.contains(&attribute.name) {
                text += QUANTILES;
            }
            text += &attribute_toml(attribute);
        }
        self.left_out.iter().for_each(|column| text += &comment(column));
        text
    }
}

/// Why a column is not in the file.
fn comment(column: &LeftOut) -> String {
    let LeftOut { column, position, reason } = column;
    // A quoted text has no line break, so no header can leave its comment.
    let name = quoted(column);
    match reason {
        LeftOutReason::TooManyValues => format!(
            "\n# Column {position} has more than {MAX_LEARNT_LABELS} distinct values. Bins make a number \
             categorical:\n# [[attribute]]\n# name = {name}\n# bins = [0, 10, 20]\n"
        ),
        LeftOutReason::LongText => format!("\n# Column {position} ({name}) is free text and was left out.\n"),
        LeftOutReason::NoName => format!("\n# Column {position} has no name and was left out.\n"),
        LeftOutReason::TooManyAttributes => {
            format!("\n# Column {position} ({name}) was left out: a domain has at most 128 attributes.\n")
        }
    }
}

/// One `[[attribute]]`.
fn attribute_toml(attribute: &AttributeSpec) -> String {
    // Taken apart, so that no field is forgotten.
    let AttributeSpec { name, column, size, labels, bins, names, missing, missing_values, other, basis } = attribute;
    let texts = |values: &[String]| array(values.iter().map(|value| quoted(value)));
    let missing = missing.map(|policy| match policy {
        MissingPolicy::Error => "\"error\"".to_owned(),
        MissingPolicy::Category => "\"category\"".to_owned(),
    });
    let basis = basis.as_ref().map(basis_toml);
    let fields = [
        ("name", Some(quoted(name))),
        ("column", column.as_deref().map(quoted)),
        ("size", size.map(|size| size.to_string())),
        ("labels", labels.as_deref().map(texts)),
        ("bins", bins.as_deref().map(|edges| array(edges.iter().map(|&edge| number(edge))))),
        ("names", names.as_deref().map(texts)),
        ("missing", missing),
        ("missing_values", (!missing_values.is_empty()).then(|| texts(missing_values))),
        ("other", other.as_deref().map(quoted)),
        ("basis", basis),
    ];
    let written = fields.into_iter().filter_map(|(key, value)| Some(format!("{key} = {}\n", value?)));
    std::iter::once("\n[[attribute]]\n".to_owned()).chain(written).collect()
}

/// A basis: its name alone where that says it all.
fn basis_toml(basis: &BasisSpec) -> String {
    let BasisSpec { kind, weights } = basis;
    let (key, value) = match kind {
        BasisKind::Identity => ("name", quoted("identity")),
        BasisKind::Prefix => ("name", quoted("prefix")),
        BasisKind::Range => ("name", quoted("range")),
        BasisKind::Hierarchical { branching: 2 } => ("name", quoted("hierarchical")),
        BasisKind::Hierarchical { branching } => ("hierarchical", branching.to_string()),
        BasisKind::Hierarchy { file } => ("hierarchy", quoted(file)),
        BasisKind::Queries { file } => ("queries", quoted(file)),
    };
    match weights {
        // An inline table stands on one line.
        Some(weights) => {
            let weights: Vec<String> = weights.iter().map(|&weight| number(weight)).collect();
            format!("{{ {key} = {value}, weights = [{}] }}", weights.join(", "))
        }
        None if key == "name" => value,
        None => format!("{{ {key} = {value} }}"),
    }
}

fn array(values: impl Iterator<Item = String>) -> String {
    let values: Vec<String> = values.collect();
    if values.iter().map(|value| value.chars().count() + 2).sum::<usize>() <= LONG {
        format!("[{}]", values.join(", "))
    } else {
        format!("[\n{}]", values.iter().map(|value| format!("    {value},\n")).collect::<String>())
    }
}

/// A number that reads back as the same `f64`.
fn number(value: f64) -> String {
    if value.is_nan() { "nan".to_owned() } else { format!("{value:?}") }
}

/// A text as a string of TOML, quotes included, on one line and with escapes for what cannot be
/// seen.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted += "\\\"",
            '\\' => quoted += "\\\\",
            '\n' => quoted += "\\n",
            '\r' => quoted += "\\r",
            '\t' => quoted += "\\t",
            c if !is_misleading(c) => quoted.push(c),
            c if c <= '\u{ffff}' => write!(quoted, "\\u{:04X}", u32::from(c)).expect("a String takes all"),
            c => write!(quoted, "\\U{:08X}", u32::from(c)).expect("a String takes all"),
        }
    }
    quoted.push('"');
    quoted
}

fn is_misleading(c: char) -> bool {
    let other_space = c != ' ' && c.is_whitespace();
    c.is_control() || other_space || MISLEADING.iter().any(|&(first, last)| (first..=last).contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let attributes = vec![
            AttributeSpec {
                column: Some("AGE \"1\"".into()),
                missing: Some(MissingPolicy::Category),
                missing_values: vec!["NA".into(), "?".into()],
                basis: Some(BasisKind::Prefix.into()),
                ..AttributeSpec::of_bins("age", [f64::NEG_INFINITY, -0.0, 1e-7, 17.5, 1e300, f64::INFINITY])
            },
            AttributeSpec { other: Some("rest\n".into()), ..AttributeSpec::of_labels("job", ["a, b", "c = #", "é"]) },
            AttributeSpec {
                basis: Some(BasisSpec {
                    weights: Some(vec![1.0, 0.25]),
                    ..BasisKind::Queries { file: "q\\.csv".into() }.into()
                }),
                missing: Some(MissingPolicy::Error),
                ..AttributeSpec::of_size("hour", 24)
            },
            AttributeSpec {
                basis: Some(BasisKind::Hierarchical { branching: 4 }.into()),
                ..AttributeSpec::of_size("tree", 24)
            },
            AttributeSpec {
                basis: Some(BasisKind::Hierarchy { file: "h.csv".into() }.into()),
                ..AttributeSpec::of_size("file", 2)
            },
            AttributeSpec {
                basis: Some(BasisSpec { weights: Some(vec![1e-3]), ..BasisKind::Hierarchical { branching: 2 }.into() }),
                ..AttributeSpec::of_size("weighted", 1)
            },
            AttributeSpec::of_labels("long", (0..200).map(|i| format!("label {i}"))),
            AttributeSpec::of_labels("none", [""; 0]),
        ];
        for (learnt_from_data, domain_is_public) in [(true, false), (true, true), (false, false)] {
            let file = DomainFile {
                learnt_from_data,
                domain_is_public,
                attributes: attributes.clone(),
                ..DomainFile::of(vec![])
            };
            assert_eq!(DomainFile::parse(&file.to_toml()).unwrap(), file, "{}", file.to_toml());
        }
        assert_eq!(number(f64::NAN), "nan");
    }

    #[test]
    fn the_largest_domain_that_is_learnt_is_read_back() {
        let labels = |column| (0..MAX_LEARNT_LABELS).map(move |number| format!("{column}.{number}"));
        let file = DomainFile::of((0..128).map(|column| AttributeSpec::of_labels("x", labels(column))).collect());
        assert!(DomainFile::parse(&file.to_toml()).is_ok_and(|read| read == file));
    }

    #[test]
    fn every_character_is_read_back_and_none_that_misleads_is_shown() {
        let file = |labels: Vec<String>| DomainFile::of(vec![AttributeSpec::of_labels("a", labels)]);
        let all: Vec<char> = ('\0'..=char::MAX).collect();
        let labels = all.chunks(4096).map(|block| block.iter().collect()).collect();
        let text = file(labels).to_toml();
        assert!(DomainFile::parse(&text).unwrap() == file(all.chunks(4096).map(String::from_iter).collect()));
        let hidden = ['\u{200b}'..='\u{200f}', '\u{202a}'..='\u{202e}', '\u{2066}'..='\u{2069}', '\0'..='\t'];
        let others = "\r\u{7f}\u{85}\u{a0}\u{ad}\u{2028}\u{2029}\u{3000}\u{e000}\u{fe0f}\u{feff}\u{e0041}";
        let shown: Vec<char> =
            hidden.into_iter().flatten().chain(others.chars()).filter(|&c| text.contains(c)).collect();
        assert!(shown.is_empty(), "{shown:?}");
    }

    #[test]
    fn characters_with_a_glyph_are_written_as_they_are() {
        let plain = "Zoë O'Neil, 東京 μ̄ עברית हिन्दी ไทย #=[]{} 👩 ½ e\u{301}";
        assert_eq!(quoted(plain), format!("\"{plain}\""));
        assert_eq!(quoted("a\u{202e}b\u{e0041}\u{1b}[m\t\"\\"), r#""a\u202Eb\U000E0041\u001B[m\t\"\\""#);
        // What the standard library prints as it is has a glyph, selectors and fillers apart.
        let escaped = |c: char| c.escape_debug().len() > 1;
        let wrong: Vec<char> = ('!'..=char::MAX).filter(|&c| is_misleading(c) && !escaped(c)).collect();
        assert_eq!(wrong, ['\u{115f}', '\u{1160}', '\u{3164}', '\u{ffa0}']);
    }
}
