//! What a user says of the columns, checked: an [`AttributeSpec`] a column becomes a [`Schema`].

use std::collections::BTreeSet;
use std::sync::Arc;

use privacy_core::{Attribute, Domain, Provenance};
use rustc_hash::FxHashMap;
use serde::Deserialize;

use crate::basis::BasisSpec;
use crate::bin_names::bin_names;
use crate::coder::{Coder, bin_of, decimal};
use crate::error::SchemaError;
use crate::limits::MAX_CATEGORIES;

/// The label of the category that `missing = "category"` adds.
pub const MISSING_LABEL: &str = "(missing)";

/// One `[[attribute]]` of a schema: a name, its categories, and how a field of the file becomes
/// one of them.
///
/// Exactly one of `size`, `labels` and `bins` gives the categories. `docs/formats.md` has the
/// whole format.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttributeSpec {
    /// The attribute's name, unique in the schema.
    pub name: String,
    /// The name of the column in the header, when it differs from `name`.
    #[serde(default)]
    pub column: Option<String>,
    /// The fields are codes `0, 1, ..., size - 1`.
    #[serde(default)]
    pub size: Option<usize>,
    /// The fields are these labels, byte for byte.
    #[serde(default)]
    pub labels: Option<Vec<String>>,
    /// The fields are numbers; edges `e0 < e1 < ... < em` make the bins `[e0, e1)`, ...,
    /// `[e(m-1), em]`.
    #[serde(default)]
    pub bins: Option<Vec<f64>>,
    /// What tables call the categories that are written, a name each in their order:
    /// `labels = ["0", "1"]` with `names = ["female", "male"]`. When absent, codes and labels are
    /// called as they are written, and bins as [`bin_names`] does.
    #[serde(default)]
    pub names: Option<Vec<String>>,
    /// What to do with a missing value; `error` when absent.
    #[serde(default)]
    pub missing: Option<MissingPolicy>,
    /// Strings that stand for a missing value, besides the empty field.
    #[serde(default)]
    pub missing_values: Vec<String>,
    /// The label that collects every label not listed; added after `labels` unless it is one of
    /// them.
    #[serde(default)]
    pub other: Option<String>,
    /// What a planner asks about this attribute. Not carried out here: one table describes one
    /// attribute.
    #[serde(default)]
    pub basis: Option<BasisSpec>,
}

/// What becomes of a missing value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MissingPolicy {
    /// The file is refused.
    Error,
    /// It is a category of its own, the last, labelled [`MISSING_LABEL`].
    Category,
}

impl AttributeSpec {
    /// An attribute of codes `0..size`.
    #[must_use]
    pub fn of_size(name: impl Into<String>, size: usize) -> Self {
        Self { name: name.into(), size: Some(size), ..Self::default() }
    }

    /// An attribute of labels.
    #[must_use]
    pub fn of_labels<S: Into<String>>(name: impl Into<String>, labels: impl IntoIterator<Item = S>) -> Self {
        let labels = labels.into_iter().map(Into::into).collect();
        Self { name: name.into(), labels: Some(labels), ..Self::default() }
    }

    /// An attribute of numbers in bins between these edges.
    #[must_use]
    pub fn of_bins(name: impl Into<String>, edges: impl Into<Vec<f64>>) -> Self {
        Self { name: name.into(), bins: Some(edges.into()), ..Self::default() }
    }

    /// The name of the column in the file.
    #[must_use]
    pub fn column(&self) -> &str {
        self.column.as_deref().unwrap_or(&self.name)
    }

    /// How many categories are written down, those that `other` and `missing` add apart.
    fn written_categories(&self) -> usize {
        let labels = self.labels.as_ref().map_or(0, Vec::len);
        self.size.unwrap_or(0).saturating_add(labels).saturating_add(self.bins.as_ref().map_or(0, Vec::len))
    }

    /// The bins in the notation of intervals, which data may have as well; none without bins.
    pub(crate) fn intervals(&self) -> Vec<String> {
        self.bins.as_deref().and_then(bin_labels).unwrap_or_default()
    }

    /// The categories as they are written: codes, labels, or intervals.
    fn written(&self) -> Result<Vec<String>, SchemaError> {
        let attribute = || self.name.clone();
        match (self.size, &self.labels, &self.bins) {
            (Some(size), None, None) => Ok((0..size).map(|code| code.to_string()).collect()),
            (None, Some(labels), None) => Ok(labels.clone()),
            (None, None, Some(edges)) => {
                bin_labels(edges).ok_or_else(|| SchemaError::BinEdges { attribute: attribute() })
            }
            _ => Err(SchemaError::Categories { attribute: attribute() }),
        }
    }

    /// Refuses names that are not one for each category, or that a field of another category may
    /// be: a table that is written with names must read back.
    fn check_names(&self, names: &[String], written: &[String]) -> Result<(), SchemaError> {
        let codes: FxHashMap<&str, usize> = written.iter().map(String::as_str).zip(0..).collect();
        let stands_for_other = |(place, name): (usize, &String)| {
            let read = codes.get(name.as_str()).copied().or_else(|| self.bin_of_text(name));
            read.is_some_and(|read| read != place)
        };
        let position = match names.len() == written.len() {
            true => names.iter().enumerate().position(stands_for_other),
            false => Some(names.len().min(written.len())),
        };
        match position {
            Some(position) => Err(SchemaError::Names { attribute: self.name.clone(), position: position + 1 }),
            None => Ok(()),
        }
    }

    /// The bin that a text falls into, if it is a number and there are bins.
    fn bin_of_text(&self, text: &str) -> Option<usize> {
        let bin = bin_of(self.bins.as_deref()?, decimal(text.as_bytes())?)?;
        usize::try_from(bin).ok()
    }

    /// The attribute of the domain.
    fn attribute(&self) -> Result<Attribute, SchemaError> {
        match (self.size, self.is_plain()) {
            (Some(size), true) => Ok(Attribute::codes(self.name.clone(), size)?),
            _ => Ok(Attribute::new(self.name.clone(), self.categories()?)?),
        }
    }

    /// Whether the categories are nothing but codes, of which there may be a million.
    fn is_plain(&self) -> bool {
        let Self { labels: None, bins: None, names: None, other: None, missing: None, .. } = self else { return false };
        self.missing_values.is_empty()
    }

    /// Every category in the order of its code: what is written, by its name if it has one, then
    /// `other`, then the missing.
    fn categories(&self) -> Result<Vec<String>, SchemaError> {
        let attribute = || self.name.clone();
        let written = self.written()?;
        let mut categories = match (&self.names, &self.bins) {
            (Some(names), _) => {
                self.check_names(names, &written)?;
                names.clone()
            }
            // Whether the numbers are whole is not known.
            (None, Some(edges)) => bin_names(edges, false),
            (None, None) => written.clone(),
        };
        match &self.other {
            Some(_) if self.labels.is_none() => {
                return Err(SchemaError::OtherWithoutLabels { attribute: attribute() });
            }
            Some(other) if !categories.contains(other) && !written.contains(other) => categories.push(other.clone()),
            _ => {}
        }
        let listed: BTreeSet<&str> = categories.iter().chain(&written).map(String::as_str).collect();
        if let Some(position) = self.missing_values.iter().position(|value| listed.contains(value.as_str())) {
            return Err(SchemaError::MissingIsCategory { attribute: attribute(), position: position + 1 });
        }
        if self.missing == Some(MissingPolicy::Category) {
            categories.push(MISSING_LABEL.to_owned());
        }
        Ok(categories)
    }
}

/// One label a bin, in the notation of intervals; `None` unless the edges increase.
fn bin_labels(edges: &[f64]) -> Option<Vec<String>> {
    let increasing = edges.len() >= 2 && edges.windows(2).all(|pair| pair[0] < pair[1]);
    let last = edges.len().checked_sub(2)?;
    let close = |bin| if bin == last { ']' } else { ')' };
    // `+ 0.0` turns a negative zero into zero.
    let label = |(bin, pair): (usize, &[f64])| format!("[{}, {}{}", pair[0] + 0.0, pair[1] + 0.0, close(bin));
    increasing.then(|| edges.windows(2).enumerate().map(label).collect())
}

/// Columns that were checked, and the domain they make.
#[derive(Clone, Debug)]
pub struct Schema {
    domain: Domain,
    columns: Vec<String>,
    coders: Vec<Coder>,
    /// What it was made of.
    attributes: Arc<[AttributeSpec]>,
}

impl Schema {
    /// Checks the attributes one by one, then together.
    ///
    /// # Errors
    /// [`SchemaError`]; [`SchemaError::TooManyCategories`] comes before anything is allocated.
    pub fn new(attributes: Vec<AttributeSpec>, provenance: Provenance) -> Result<Self, SchemaError> {
        let written = attributes.iter().fold(0_usize, |sum, a| sum.saturating_add(a.written_categories()));
        if written > MAX_CATEGORIES {
            return Err(SchemaError::TooManyCategories);
        }
        if attributes.is_empty() {
            return Err(SchemaError::NoAttribute);
        }
        let checked = attributes.iter().map(AttributeSpec::attribute).collect::<Result<Vec<_>, SchemaError>>()?;
        let coders = attributes.iter().zip(&checked).map(|(spec, attribute)| Coder::new(spec, attribute)).collect();
        let columns = attributes.iter().map(|spec| spec.column().to_owned()).collect();
        let domain = Domain::new(checked)?.with_provenance(provenance);
        Ok(Self { domain, columns, coders, attributes: attributes.into() })
    }

    /// The domain: one attribute a spec, in their order.
    #[must_use]
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// Name of the column of each attribute in the file.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// What the schema was made of: [`DomainFile::of`](crate::DomainFile::of) writes it for another
    /// process, which codes rows alike.
    #[must_use]
    pub fn attributes(&self) -> &[AttributeSpec] {
        &self.attributes
    }

    pub(crate) fn coders(&self) -> &[Coder] {
        &self.coders
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels_of(spec: AttributeSpec) -> Result<Vec<String>, SchemaError> {
        let schema = Schema::new(vec![spec], Provenance::Public)?;
        Ok(schema.domain().attributes()[0].labels().to_vec())
    }

    #[test]
    fn other_and_missing_come_after_the_labels() {
        let spec = AttributeSpec {
            other: Some("rest".into()),
            missing: Some(MissingPolicy::Category),
            ..AttributeSpec::of_labels("x", ["a", "b"])
        };
        assert_eq!(labels_of(spec.clone()).unwrap(), ["a", "b", "rest", "(missing)"]);
        let listed = AttributeSpec { other: Some("a".into()), ..spec };
        assert_eq!(labels_of(listed).unwrap(), ["a", "b", "(missing)"]);
    }

    #[test]
    fn bins_have_names_and_their_intervals_are_read() {
        let spec = AttributeSpec::of_bins("x", [f64::NEG_INFINITY, -0.0, 2.5, 10.0]);
        assert_eq!(spec.intervals(), ["[-inf, 0)", "[0, 2.5)", "[2.5, 10]"]);
        assert_eq!(labels_of(spec).unwrap(), ["under 0", "0 to under 2.5", "2.5 to 10"]);
    }

    #[test]
    fn categories_that_cannot_be_are_refused() {
        let two = AttributeSpec { size: Some(2), ..AttributeSpec::of_labels("x", ["a"]) };
        assert_eq!(labels_of(two).unwrap_err().code(), "E0203");
        assert_eq!(labels_of(AttributeSpec::default()).unwrap_err().code(), "E0203");
        for edges in [&[][..], &[1.0], &[1.0, 1.0], &[2.0, 1.0], &[0.0, f64::NAN], &[f64::NAN, 0.0]] {
            assert_eq!(labels_of(AttributeSpec::of_bins("x", edges)).unwrap_err().code(), "E0204");
        }
        let other = AttributeSpec { other: Some("o".into()), ..AttributeSpec::of_size("x", 2) };
        assert_eq!(labels_of(other).unwrap_err().code(), "E0205");
        let missing = AttributeSpec { missing_values: vec!["?".into(), "1".into()], ..AttributeSpec::of_size("x", 2) };
        assert!(matches!(labels_of(missing), Err(SchemaError::MissingIsCategory { position: 2, .. })));
        assert_eq!(labels_of(AttributeSpec::of_labels("x", ["a", "a"])).unwrap_err().code(), "E0207");
        assert_eq!(labels_of(AttributeSpec::of_size("x", 0)).unwrap_err().code(), "E0207");
        assert_eq!(Schema::new(vec![], Provenance::Public).unwrap_err().code(), "E0208");
    }

    #[test]
    fn names_are_what_tables_say_and_fields_are_still_read_as_they_are_written() {
        let names = |spec: AttributeSpec, names: &[&str]| AttributeSpec {
            names: Some(names.iter().map(|&name| name.to_owned()).collect()),
            ..spec
        };
        let sex = names(AttributeSpec::of_size("sex", 2), &["female", "male"]);
        assert_eq!(labels_of(sex.clone()).unwrap(), ["female", "male"]);
        let other = AttributeSpec {
            other: Some("b".into()),
            ..names(AttributeSpec::of_labels("x", ["a", "b"]), &["one", "two"])
        };
        assert_eq!(labels_of(other).unwrap(), ["one", "two"], "the written label is that of other");
        let ages = names(AttributeSpec::of_bins("age", [0.0, 1.0, 2.0]), &["0", "1 and over"]);
        assert_eq!(labels_of(ages).unwrap(), ["0", "1 and over"]);
        for (spec, wrong, position) in [
            (AttributeSpec::of_size("x", 2), &["a"][..], 2),
            (AttributeSpec::of_size("x", 2), &["1", "0"], 1),
            (AttributeSpec::of_labels("x", ["a", "b"]), &["x", "a"], 2),
            (AttributeSpec::of_bins("x", [0.0, 1.0, 2.0]), &["low", "0.5"], 2),
        ] {
            let error = labels_of(names(spec, wrong)).unwrap_err();
            assert!(matches!(error, SchemaError::Names { position: p, .. } if p == position), "{wrong:?}: {error}");
        }
        let missing = AttributeSpec { missing_values: vec!["male".into()], ..sex };
        assert_eq!(labels_of(missing).unwrap_err().code(), "E0206");
        assert_eq!(labels_of(names(AttributeSpec::of_size("x", 2), &["a", "a"])).unwrap_err().code(), "E0207");
    }

    #[test]
    fn too_many_categories_are_refused_before_they_are_made() {
        assert_eq!(labels_of(AttributeSpec::of_size("x", usize::MAX)).unwrap_err().code(), "E0604");
        let many = vec![AttributeSpec::of_size("a", MAX_CATEGORIES), AttributeSpec::of_size("b", 1)];
        assert_eq!(Schema::new(many, Provenance::Public).unwrap_err().code(), "E0604");
    }
}
