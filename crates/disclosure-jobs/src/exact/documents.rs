//! What the documents about exact tables share: rules, classes with their labels, and what is
//! proved about them.

use disclosure::frechet::{Class, DisclosureStatus, DisclosureTarget, Finding, Method, Scope};
use disclosure::privacy_core::Domain;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use crate::exact::job::LoadedJob;

/// When a class counts as disclosed, and what is to be found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleDocument {
    /// Widths of at most this many counts disclose: `min_interval_width`.
    pub tau: u64,
    /// Rates stay within this and 1 less it: `rate_margin`. Null without a response: there are no
    /// rates.
    pub beta: Option<f64>,
    /// The smallest group, in people: `min_frequency`.
    pub kappa: u64,
    /// Which classes are looked at.
    pub classes: Scope,
    /// What is to be found. Null where two periods are compared: nothing may be disclosed by
    /// their difference.
    pub target: Option<DisclosureTarget>,
}

impl RuleDocument {
    pub(super) fn of(job: &LoadedJob) -> Self {
        let rule = &job.rule;
        Self {
            tau: rule.min_interval_width(),
            beta: job.problem.people.as_ref().map(|_| rule.rate_margin()),
            kappa: rule.min_frequency(),
            classes: rule.scope(),
            target: Some(job.target),
        }
    }
}

/// Attributes and the label that a class has on each, in the order of the attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassLabels(pub Vec<(String, String)>);

impl ClassLabels {
    pub(super) fn of(domain: &Domain, class: &Class) -> Self {
        let attributes = class.axes.iter().map(|axis| &domain.attributes()[axis]);
        let labels = attributes
            .zip(&class.levels)
            .map(|(attribute, &level)| (attribute.name().to_owned(), attribute.labels()[level].to_owned()));
        Self(labels.collect())
    }

    /// For example `age young, religion a`.
    #[must_use]
    pub fn text(&self) -> String {
        let parts: Vec<String> = self.0.iter().map(|(name, label)| format!("{name} {label}")).collect();
        parts.join(", ")
    }
}

impl Serialize for ClassLabels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(name, label)| map.serialize_entry(name, label))?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for ClassLabels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Labels;

        impl<'de> Visitor<'de> for Labels {
            type Value = ClassLabels;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object of attributes and labels")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ClassLabels, A::Error> {
                let mut labels = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    labels.push(entry);
                }
                Ok(ClassLabels(labels))
            }
        }

        deserializer.deserialize_map(Labels)
    }
}

/// What is proved about the count of a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassBounds {
    /// No table that satisfies what is known has a lower count.
    pub lower: i64,
    /// No such table has a higher count.
    pub upper: i64,
    /// The difference.
    pub width: i64,
    /// How many people are in the class, where the population is public.
    pub capacity: Option<i64>,
    /// Least and largest rate; null without the population, or for a class without people.
    pub posterior: Option<[f64; 2]>,
    /// Whether the class is disclosed.
    pub verdict: ClassStatus,
    /// How the bounds were found.
    pub method: Method,
    /// Whether tables attain both bounds.
    pub is_sharp: bool,
    /// Where they do not: the least and the largest count in tables that were found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attained: Option<[i64; 2]>,
    /// Whether tables of real numbers would leave more room, rounded to whole ones.
    pub has_integer_gap: bool,
    /// Whether the count is itself published.
    pub is_published: bool,
    /// Whether the class has fewer people than the smallest group.
    pub is_small: bool,
}

/// The disclosure status of a class, or that nobody is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassStatus {
    /// Pinned, narrow or nearly unanimous.
    Disclosed,
    /// The search reached a limit; nothing is certified.
    Unknown,
    /// Wide, but some prior may know more.
    Ambiguous,
    /// The rate stays possible on both sides, whatever the prior.
    Certified,
    /// Nobody is in the class, and that is public.
    Empty,
}

impl ClassStatus {
    /// The status as it is written in documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Disclosed => "disclosed",
            Self::Unknown => "unknown",
            Self::Ambiguous => "ambiguous",
            Self::Certified => "certified",
            Self::Empty => "empty",
        }
    }
}

impl From<DisclosureStatus> for ClassStatus {
    fn from(status: DisclosureStatus) -> Self {
        match status {
            DisclosureStatus::Certified => Self::Certified,
            DisclosureStatus::Ambiguous => Self::Ambiguous,
            DisclosureStatus::Disclosed => Self::Disclosed,
            // What is not decided certifies nothing.
            _ => Self::Unknown,
        }
    }
}

impl ClassBounds {
    pub(super) fn of(finding: &Finding) -> Self {
        let people = finding.people.map(|people| people as f64);
        Self {
            lower: finding.lower,
            upper: finding.upper,
            width: finding.upper - finding.lower,
            capacity: finding.people,
            posterior: people.map(|people| [finding.lower, finding.upper].map(|count| count as f64 / people)),
            verdict: finding.status.into(),
            method: finding.method,
            is_sharp: finding.is_sharp,
            attained: (!finding.is_sharp).then_some(finding.attained.into()),
            has_integer_gap: finding.has_integer_gap,
            is_published: finding.is_published,
            is_small: finding.is_small,
        }
    }

    /// A cell that is publicly empty.
    pub(super) fn empty() -> Self {
        Self {
            lower: 0,
            upper: 0,
            width: 0,
            capacity: Some(0),
            posterior: None,
            verdict: ClassStatus::Empty,
            method: Method::Published,
            is_sharp: true,
            attained: None,
            has_integer_gap: false,
            is_published: true,
            is_small: true,
        }
    }
}

/// The class of a finding among the axes of the table, its response one of them.
pub(super) fn class_of(finding: &Finding, response: Option<usize>) -> Class {
    let mut fixed: Vec<(usize, usize)> = finding.axes.iter().copied().zip(finding.levels.iter().copied()).collect();
    fixed.extend(response.zip(finding.response));
    fixed.sort_unstable();
    let axes = fixed.iter().map(|&(axis, _)| axis).collect();
    Class::new(axes, fixed.into_iter().map(|(_, level)| level).collect::<Vec<_>>())
}

/// The levels of every cell, row-major.
pub(super) fn all_cells(shape: Vec<usize>) -> impl Iterator<Item = Vec<usize>> {
    let cells = shape.iter().product();
    (0..cells).map(move |cell: usize| {
        let mut rest = cell;
        let mut levels = vec![0; shape.len()];
        for (level, &size) in levels.iter_mut().zip(&shape).rev() {
            *level = rest % size;
            rest /= size;
        }
        levels
    })
}

/// A rate in per cent, to a tenth.
#[must_use]
pub fn rate(rate: f64) -> String {
    let tenths = (rate * 1000.0).round() / 10.0;
    // Nearly all is not all, and nearly none is not none.
    let shown = if rate < 1.0 { tenths.min(99.9) } else { tenths };
    let shown = if rate > 0.0 { shown.max(0.1) } else { shown };
    format!("{shown} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_listed_with_the_last_axis_fastest() {
        let cells: Vec<Vec<usize>> = all_cells(vec![2, 1, 2]).collect();
        assert_eq!(cells, [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]]);
        assert_eq!(all_cells(Vec::new()).count(), 1);
    }

    #[test]
    fn labels_keep_the_order_of_their_attributes() {
        let text = r#"{"b":"x","a":"y"}"#;
        let labels: ClassLabels = serde_json::from_str(text).unwrap();
        assert_eq!(labels.text(), "b x, a y");
        assert_eq!(serde_json::to_string(&labels).unwrap(), text);
    }
}
