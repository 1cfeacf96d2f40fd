//! The disclosure rule, and the status of one class under it.
//!
//! For a class of `N` people of whom between `L` and `U` are counted, with the rate margin
//! `beta`, the minimum frequency `kappa` and the minimum interval width `tau`:
//!
//! ```text
//! certified   beta <= L/N,  U/N <= 1 - beta,  N >= kappa,  both ends attained, and not disclosed
//! disclosed   U/N < beta  or  L/N > 1 - beta                   (published or not: a near-unanimous group)
//!             U - L <= tau                                     (for a class that is not itself published)
//! unknown     a limit was reached before both ends were attained, and nothing above was proved
//! ambiguous   everything else: wide, but an attacker with a prior may know more
//! ```
//!
//! A wide interval is no guarantee: it admits a prior on one table. Rates are compared as `f64`
//! quotients, so a rate of one in ten meets `beta = 0.1`.

use std::fmt;

use privacy_core::AttrSet;

use crate::table::class::Scope;
use crate::table::error::Error;
use crate::table::interval::{CountRange, Method};

/// When a class counts as disclosed. There is no default: every number here is part of
/// the promise.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "RuleFields"))]
pub struct DisclosureRule {
    min_interval_width: u64,
    rate_margin: f64,
    min_frequency: u64,
    scope: Scope,
}

/// The serialized form of a rule, which is checked as [`DisclosureRule::new`] checks.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFields {
    #[serde(alias = "tau")]
    min_interval_width: u64,
    #[serde(alias = "beta")]
    rate_margin: f64,
    #[serde(alias = "kappa")]
    min_frequency: u64,
    scope: Scope,
}

#[cfg(feature = "serde")]
impl TryFrom<RuleFields> for DisclosureRule {
    type Error = Error;

    fn try_from(fields: RuleFields) -> Result<Self, Error> {
        Self::new(fields.min_interval_width, fields.rate_margin, fields.min_frequency, fields.scope)
    }
}

impl DisclosureRule {
    /// An interval discloses unless it is wider than `min_interval_width` counts: a width that
    /// equals it discloses, and 0 refuses exact disclosure alone. Rates must be able to lie
    /// anywhere in `rate_margin ..= 1 - rate_margin`; groups have at least `min_frequency` people;
    /// `scope` says which classes are judged.
    ///
    /// # Errors
    /// [`Error::Rule`] unless `0 < rate_margin <= 0.5` and `min_frequency >= 1`.
    pub fn new(min_interval_width: u64, rate_margin: f64, min_frequency: u64, scope: Scope) -> Result<Self, Error> {
        if !(rate_margin > 0.0 && rate_margin <= 0.5) {
            return Err(Error::Rule { name: "rate_margin", range: "above 0 and at most 0.5" });
        }
        if min_frequency == 0 {
            return Err(Error::Rule { name: "min_frequency", range: "at least 1" });
        }
        if i64::try_from(min_interval_width).is_err() || i64::try_from(min_frequency).is_err() {
            return Err(Error::Rule { name: "min_interval_width and min_frequency", range: "below 2^63" });
        }
        Ok(Self { min_interval_width, rate_margin, min_frequency, scope })
    }

    /// The width `tau`, in counts, that an interval must exceed: one of exactly this width
    /// discloses.
    #[must_use]
    pub fn min_interval_width(&self) -> u64 {
        self.min_interval_width
    }

    /// The least rate `beta` that must stay possible on both sides.
    #[must_use]
    pub fn rate_margin(&self) -> f64 {
        self.rate_margin
    }

    /// The smallest group `kappa`, in people.
    #[must_use]
    pub fn min_frequency(&self) -> u64 {
        self.min_frequency
    }

    /// Which classes are judged.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Whether a class is disclosed to an attacker who knows that its count is between these two:
    /// because nearly all or nearly none of its people are counted, where their number is known,
    /// or because a count that is not itself published is known to within the minimum interval
    /// width.
    #[must_use]
    pub fn discloses(&self, (lower, upper): (i64, i64), people: Option<i64>, is_published: bool) -> bool {
        let is_narrow = !is_published && (upper - lower).unsigned_abs() <= self.min_interval_width;
        is_narrow || people.is_some_and(|people| self.unanimity((lower, upper), people).is_some())
    }

    /// The side that nearly all of these people are on for every count between these two.
    pub(crate) fn unanimity(&self, (lower, upper): (i64, i64), people: i64) -> Option<Unanimity> {
        if self.falls_short(upper, people) {
            Some(Unanimity::NotCounted)
        } else {
            self.falls_short(people - lower, people).then_some(Unanimity::Counted)
        }
    }

    /// Whether this count is a rate below the rate margin.
    fn falls_short(&self, count: i64, people: i64) -> bool {
        (count as f64 / people as f64) < self.rate_margin
    }
}

/// What is proved about a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum DisclosureStatus {
    /// The rate stays within `beta ..= 1 - beta` for every table of the fiber, hence for every
    /// prior over them.
    Certified,
    /// The interval is wide and leaves the rate margin: there is no promise either way.
    Ambiguous,
    /// The count is known exactly or to within the minimum interval width, or the class is
    /// near-unanimous.
    Disclosed,
    /// The search reached a limit. It certifies nothing.
    Unknown,
}

/// How a class is disclosed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum DisclosureMode {
    /// M0: the class is itself published, and near-unanimous.
    Published,
    /// M1: the published numbers together leave too little room.
    Derived,
}

/// Which side nearly everybody of a class is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Unanimity {
    /// Nearly all are counted.
    Counted,
    /// Nearly none is counted.
    NotCounted,
}

/// How far the rate of a class may be from the rate of everybody (t-closeness).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Closeness {
    /// Largest distance between a possible rate of the class and the overall rate.
    pub distance: f64,
    /// Whether that says nothing: no rate at all could be further away.
    pub is_vacuous: bool,
}

/// What an audit found about one class, or about one response in it.
#[derive(Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Finding {
    /// The axes that are fixed, the response left aside.
    pub axes: Vec<usize>,
    /// Their levels.
    pub levels: Vec<usize>,
    /// The response category, where the table has a response axis.
    pub response: Option<usize>,
    /// How many people are in the class, where the population table is public.
    pub people: Option<i64>,
    /// The least count.
    pub lower: i64,
    /// The largest count.
    pub upper: i64,
    /// The least and the largest count in tables that were found: no more than this is shown to be
    /// possible, and less than `lower` or more than `upper` is not.
    pub attained: (i64, i64),
    /// Whether both ends are attained; if not, they are outer bounds.
    pub is_sharp: bool,
    /// Whether whole numbers reach less far than real ones would, rounded.
    pub has_integer_gap: bool,
    /// How the bounds were found.
    pub method: Method,
    /// Whether the count of the class is itself known: a sum of published cells, or a row with
    /// equal ends.
    pub is_published: bool,
    /// The disclosure status.
    pub status: DisclosureStatus,
    /// How it is disclosed, if it is.
    pub mode: Option<DisclosureMode>,
    /// Whether the count is known exactly.
    pub is_exactly_disclosed: bool,
    /// Whether there are fewer people than the minimum frequency; without the population table,
    /// whether the count is certainly below it.
    pub is_small: bool,
    /// Whether nearly everybody is on one side.
    pub unanimity: Option<Unanimity>,
    /// Distance from the overall rate, where that and the population table are public.
    pub closeness: Option<Closeness>,
}

impl Finding {
    /// The largest probability that an attacker may give to the response of a member, with a
    /// prior on the worst table that agrees with the published numbers. `None` without the
    /// population table.
    #[must_use]
    pub fn worst_case(&self) -> Option<f64> {
        let people = self.people? as f64;
        Some((self.upper as f64 / people).max(1.0 - self.lower as f64 / people))
    }
}

impl Finding {
    /// The status for an attacker who does not already hold the count.
    pub(crate) fn judged_as(
        &mut self,
        status: DisclosureStatus,
        mode: Option<DisclosureMode>,
        unanimity: Option<Unanimity>,
    ) {
        (self.status, self.mode, self.unanimity) = (status, mode, unanimity);
    }
}

/// Debug output shows the status and no count.
impl fmt::Debug for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finding")
            .field("axes", &self.axes)
            .field("levels", &self.levels)
            .field("candidate", &self.response)
            .field("verdict", &self.status)
            .finish_non_exhaustive()
    }
}

/// The class whose interval is judged.
pub(crate) struct JudgedClass<'a> {
    pub(crate) axes: AttrSet,
    pub(crate) levels: &'a [usize],
    pub(crate) response: Option<usize>,
    pub(crate) people: Option<i64>,
    pub(crate) is_published: bool,
    pub(crate) overall: Option<f64>,
}

impl JudgedClass<'_> {
    fn rate(&self, count: i64) -> Option<f64> {
        self.people.map(|people| count as f64 / people as f64)
    }

    /// Whether the rate stays within the rule's between these counts.
    fn stays_within(&self, (lower, upper): (i64, i64), rule: &DisclosureRule) -> bool {
        self.people.is_some_and(|people| !rule.falls_short(lower, people) && !rule.falls_short(people - upper, people))
    }
}

pub(crate) fn judge(subject: &JudgedClass<'_>, range: &CountRange, rule: &DisclosureRule) -> Finding {
    let (lower, upper) = (range.lower, range.upper);
    let min_frequency = i64::try_from(rule.min_frequency).expect("checked when the policy was made");
    let unanimity = subject.people.and_then(|people| rule.unanimity((lower, upper), people));
    let is_small = subject.people.unwrap_or(upper) < min_frequency;
    let status = if rule.discloses((lower, upper), subject.people, subject.is_published) {
        DisclosureStatus::Disclosed
    } else if rule.discloses(range.attained, subject.people, subject.is_published) {
        // A wider interval discloses less, so tables that are far enough apart decide, whether or
        // not they are the furthest; these are not.
        DisclosureStatus::Unknown
    } else if subject.stays_within((lower, upper), rule) && !is_small {
        DisclosureStatus::Certified
    } else if !range.is_sharp && subject.stays_within(range.attained, rule) && !is_small {
        DisclosureStatus::Unknown
    } else {
        DisclosureStatus::Ambiguous
    };
    let mode = (status == DisclosureStatus::Disclosed).then_some(if subject.is_published {
        DisclosureMode::Published
    } else {
        DisclosureMode::Derived
    });
    let closeness =
        subject.overall.zip(subject.rate(lower)).zip(subject.rate(upper)).map(|((overall, least), most)| {
            let distance = (overall - least).abs().max((most - overall).abs());
            Closeness { distance, is_vacuous: distance >= overall.max(1.0 - overall) }
        });
    Finding {
        axes: subject.axes.iter().collect(),
        levels: subject.levels.to_vec(),
        response: subject.response,
        people: subject.people,
        lower,
        upper,
        attained: range.attained,
        is_sharp: range.is_sharp,
        has_integer_gap: range.has_integer_gap,
        method: range.method,
        is_published: subject.is_published,
        status,
        mode,
        is_exactly_disclosed: lower == upper,
        is_small,
        unanimity,
        closeness,
    }
}
