//! What a person says of the categories of a column: names for those of the data, categories that
//! exist and were not seen, and those that are pooled.

use std::collections::{BTreeMap, BTreeSet};

use disclosure_jobs::privacy_data::{AttributeSpec, DomainFile};
use serde::{Deserialize, Serialize};

/// The category of rows whose own one is pooled.
pub(crate) const OTHER: &str = "other";

/// Changes of the categories of one column. A key is the category as the data write it, so a change
/// of one that is no longer there does nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Labels {
    /// What tables say instead of what the data say.
    pub(crate) names: BTreeMap<String, String>,
    /// Categories that exist and were not seen, behind the others.
    pub(crate) added: Vec<String>,
    /// Categories whose rows count as [`OTHER`].
    pub(crate) pooled: BTreeSet<String>,
}

impl Labels {
    /// Whether nothing is changed.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The attribute with these changes.
    pub(crate) fn applied_to(&self, mut spec: AttributeSpec) -> AttributeSpec {
        if self.is_empty() {
            return spec;
        }
        let mut pairs: Vec<(String, String)> = pairs(&spec);
        if spec.bins.is_none() && !(self.added.is_empty() && self.pooled.is_empty()) {
            let listed: BTreeSet<&str> = pairs.iter().map(|(written, _)| written.as_str()).collect();
            let added: Vec<String> = self.added.iter().filter(|l| !listed.contains(l.as_str())).cloned().collect();
            let before = pairs.len();
            pairs.retain(|(written, _)| !self.pooled.contains(written));
            if pairs.len() < before {
                spec.other = Some(OTHER.to_owned());
            }
            pairs.extend(added.into_iter().map(|label| (label.clone(), label)));
            spec.size = None;
            spec.labels = Some(pairs.iter().map(|(written, _)| written.clone()).collect());
        }
        for (written, name) in &mut pairs {
            if let Some(new) = self.names.get(written) {
                name.clone_from(new);
            }
        }
        let is_renamed = pairs.iter().any(|(written, name)| written != name);
        spec.names = is_renamed.then(|| pairs.into_iter().map(|(_, name)| name).collect());
        spec
    }
}

/// The categories of an attribute as they are written, each with what tables call it.
pub(crate) fn pairs(spec: &AttributeSpec) -> Vec<(String, String)> {
    let written: Vec<String> = match (&spec.labels, spec.size, &spec.bins) {
        (Some(labels), ..) => labels.clone(),
        (_, Some(size), _) => (0..size).map(|code| code.to_string()).collect(),
        (_, _, Some(edges)) => intervals(edges),
        _ => Vec::new(),
    };
    let names = spec.names.clone().filter(|names| names.len() == written.len()).unwrap_or_else(|| written.clone());
    written.into_iter().zip(names).collect()
}

/// The bins between some edges, as a schema writes them.
fn intervals(edges: &[f64]) -> Vec<String> {
    let alone = DomainFile::of(vec![AttributeSpec::of_bins("bins", edges)]).into_schema();
    alone.map(|schema| schema.domain().attributes()[0].labels().to_vec()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels_of(spec: AttributeSpec) -> Vec<String> {
        DomainFile::of(vec![spec]).into_schema().unwrap().domain().attributes()[0].labels().to_vec()
    }

    fn renamed(pairs: &[(&str, &str)]) -> Labels {
        let names = pairs.iter().map(|(written, name)| ((*written).to_owned(), (*name).to_owned()));
        Labels { names: names.collect(), ..Labels::default() }
    }

    #[test]
    fn categories_and_bins_get_names() {
        let sex = AttributeSpec::of_size("sex", 2);
        assert_eq!(labels_of(renamed(&[("1", "male"), ("9", "gone")]).applied_to(sex.clone())), ["0", "male"]);
        assert_eq!(Labels::default().applied_to(sex.clone()), sex);
        let age = AttributeSpec {
            names: Some(vec!["0 to 17".to_owned(), "18 to 64".to_owned()]),
            ..AttributeSpec::of_bins("age", [0.0, 18.0, 65.0])
        };
        assert_eq!(labels_of(renamed(&[("0 to under 18", "minor")]).applied_to(age)), ["minor", "18 to 64"]);
    }

    #[test]
    fn categories_are_added_and_pooled() {
        let labels = Labels {
            added: vec!["c".to_owned(), "a".to_owned()],
            pooled: BTreeSet::from(["b".to_owned()]),
            ..renamed(&[("a", "first")])
        };
        let spec = labels.applied_to(AttributeSpec::of_labels("x", ["a", "b"]));
        assert_eq!(labels_of(spec.clone()), ["first", "c", "other"]);
        assert_eq!(spec.labels, Some(vec!["a".to_owned(), "c".to_owned()]), "fields are read as they are written");
        let codes = Labels { added: vec!["2".to_owned()], ..Labels::default() };
        assert_eq!(labels_of(codes.applied_to(AttributeSpec::of_size("x", 2))), ["0", "1", "2"]);
    }
}
