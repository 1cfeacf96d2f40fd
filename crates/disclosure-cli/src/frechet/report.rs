//! Bounds and verdicts as programs read them: the fields of `docs/formats.md`.

use disclosure::core::{AttrSet, Domain};
use disclosure::frechet::{Class, DisclosureStatus, DisclosureTarget, Finding, Method, Scope};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::job::Job;
use super::problem::Attacker;

/// What is promised, of which kind, and against whom.
#[derive(Debug, serde::Serialize)]
pub(super) struct Promise {
    pub(super) kind: &'static str,
    pub(super) statement: &'static str,
    pub(super) against: String,
    pub(super) unit: &'static str,
}

impl Promise {
    pub(super) fn of(job: &Job) -> Self {
        Self {
            kind: "guarantee",
            statement: "every table of whole numbers that fits what is known has each count within its bounds",
            against: against(job, &margins(job)),
            unit: "a person of the table",
        }
    }

    /// What two cycles tell, as far as people came and went as is assumed.
    pub(super) fn of_cycles(before: &Job, after: &Job, changed: u64) -> Self {
        let assumed = match (changed, before.problem.people.is_some()) {
            (0, true) => {
                "nobody who stayed changed their vote, and in no cell somebody left while somebody else came".to_owned()
            }
            (0, false) => "both are about the same people".to_owned(),
            (_, true) => format!("at most {changed} who stayed changed their vote or were exchanged within a cell"),
            (_, false) => format!("the counts of both differ by at most {changed} in all"),
        };
        let [first, second] = [before, after].map(|job| against(job, &margins(job)));
        Self {
            kind: "guarantee",
            statement: "every pair of tables of whole numbers that fits what is known has each count within its bounds",
            against: format!("before, {first}; after, {second}; assumed: {assumed}"),
            unit: "a person of either table",
        }
    }

    /// What a suppression pattern leaves open.
    pub(super) fn of_pattern() -> Self {
        Self {
            kind: "guarantee",
            statement: "every table of whole numbers that fits what is known has each count within its bounds",
            against:
                "whoever reads the published cells, and knows the relations and the bounds of every cell in the file"
                    .to_owned(),
            unit: "what a count counts",
        }
    }

    /// What a release promises about its exact numbers; noise has a statement of its own.
    pub(super) fn of_release(job: &Job) -> Self {
        Self {
            kind: "guarantee",
            statement: match job.target {
                DisclosureTarget::Certified => {
                    "the rate of every class stays within beta and 1 - beta in every table that fits"
                }
                DisclosureTarget::Undisclosed => {
                    "no class is disclosed in what fits: none that is not published itself is known to within tau, and none has \
                     nearly everybody on one side"
                }
            },
            against: against(job, "the exact numbers that go out"),
            unit: "a person of the table",
        }
    }
}

fn margins(job: &Job) -> String {
    let names = |&set: &AttrSet| match job.problem.domain.names(set).collect::<Vec<_>>().join(" x ") {
        name if name.is_empty() => "the total".to_owned(),
        name => name,
    };
    let margins: Vec<String> = job.told.margins.keys().map(names).collect();
    if margins.is_empty() { String::new() } else { format!("the margins {}", margins.join(", ")) }
}

/// What the strongest attacker knows.
fn against(job: &Job, published: &str) -> String {
    let several = |count: usize, what: &str| match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        _ => Some(format!("{count} {what}s")),
    };
    let mut parts: Vec<String> = Vec::new();
    parts.extend((!published.is_empty()).then(|| published.to_owned()));
    parts.extend(several(job.told.publish.len(), "published number"));
    parts.extend(job.problem.people.as_ref().map(|_| "how many people every cell has".to_owned()));
    parts.extend(several(job.told.known.len(), "fact"));
    format!("whoever knows {}, and nothing else", parts.join("; "))
}

/// What may be known.
#[derive(Debug, serde::Serialize)]
pub(super) struct PolicyReport {
    pub(super) tau: u64,
    /// Null without a vote: there are no rates.
    pub(super) beta: Option<f64>,
    pub(super) kappa: u64,
    pub(super) classes: Scope,
    /// Null where two cycles are compared: nothing may be disclosed by their difference.
    pub(super) target: Option<DisclosureTarget>,
}

impl PolicyReport {
    pub(super) fn of(job: &Job) -> Self {
        let policy = &job.policy;
        Self {
            tau: policy.min_interval_width(),
            beta: job.problem.people.as_ref().map(|_| policy.rate_margin()),
            kappa: policy.min_frequency(),
            classes: policy.scope(),
            target: Some(job.target),
        }
    }
}

/// Attributes and the categories that a class has there, in the order of the axes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Labels<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Labels<'a> {
    pub(super) fn of(domain: &'a Domain, class: &Class) -> Self {
        let attributes = class.axes.iter().map(|axis| &domain.attributes()[axis]);
        Self(attributes.zip(&class.levels).map(|(a, &level)| (a.name(), a.labels()[level].as_str())).collect())
    }

    /// For example `age young, religion a`.
    pub(super) fn text(&self) -> String {
        let parts: Vec<String> = self.0.iter().map(|(name, label)| format!("{name} {label}")).collect();
        parts.join(", ")
    }
}

impl Serialize for Labels<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(name, label)| map.serialize_entry(name, label))?;
        map.end()
    }
}

/// What is proved about a class.
#[derive(Clone, Debug, serde::Serialize)]
pub(super) struct Found {
    pub(super) lower: i64,
    pub(super) upper: i64,
    pub(super) width: i64,
    /// How many people are in it, where the composition is public.
    pub(super) capacity: Option<i64>,
    /// Least and largest rate; null without the composition, or for a class without people.
    pub(super) posterior: Option<[f64; 2]>,
    pub(super) verdict: VerdictName,
    pub(super) method: Method,
    pub(super) is_sharp: bool,
    pub(super) has_integer_gap: bool,
    pub(super) is_published: bool,
    pub(super) is_small: bool,
}

/// A verdict, or that nobody is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum VerdictName {
    Disclosed,
    Unknown,
    Ambiguous,
    Certified,
    Empty,
}

impl VerdictName {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Disclosed => "disclosed",
            Self::Unknown => "unknown",
            Self::Ambiguous => "ambiguous",
            Self::Certified => "certified",
            Self::Empty => "empty",
        }
    }
}

impl From<DisclosureStatus> for VerdictName {
    fn from(verdict: DisclosureStatus) -> Self {
        match verdict {
            DisclosureStatus::Certified => Self::Certified,
            DisclosureStatus::Ambiguous => Self::Ambiguous,
            DisclosureStatus::Disclosed => Self::Disclosed,
            // Whatever is not decided certifies nothing.
            _ => Self::Unknown,
        }
    }
}

impl Found {
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
            has_integer_gap: finding.has_integer_gap,
            is_published: finding.is_published,
            is_small: finding.is_small,
        }
    }

    /// A cell that is known to have nobody in it.
    pub(super) fn empty() -> Self {
        Self {
            lower: 0,
            upper: 0,
            width: 0,
            capacity: Some(0),
            posterior: None,
            verdict: VerdictName::Empty,
            method: Method::Published,
            is_sharp: true,
            has_integer_gap: false,
            is_published: true,
            is_small: true,
        }
    }
}

/// The class of a finding among the axes of the table, its candidate one of them.
pub(super) fn class_of(finding: &Finding, candidates: Option<usize>) -> Class {
    let mut fixed: Vec<(usize, usize)> = finding.axes.iter().copied().zip(finding.levels.iter().copied()).collect();
    fixed.extend(candidates.zip(finding.response));
    fixed.sort_unstable();
    let axes = fixed.iter().map(|&(axis, _)| axis).collect();
    Class::new(axes, fixed.into_iter().map(|(_, level)| level).collect::<Vec<_>>())
}

/// An attacker, as programs read it.
pub(super) fn attacker_name(attacker: Attacker) -> &'static str {
    match attacker {
        Attacker::Release => "release",
        Attacker::Composition => "composition",
        Attacker::Facts => "facts",
    }
}

/// A rate in per cent, to a tenth.
pub(super) fn rate(rate: f64) -> String {
    let tenths = (rate * 1000.0).round() / 10.0;
    // Nearly all is not all, and nearly none is not none.
    let shown = if rate < 1.0 { tenths.min(99.9) } else { tenths };
    let shown = if rate > 0.0 { shown.max(0.1) } else { shown };
    format!("{shown} %")
}
