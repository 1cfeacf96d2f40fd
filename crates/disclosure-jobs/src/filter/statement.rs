//! What every output of the filter says first.

use std::borrow::Cow;
use std::num::NonZeroU32;

use disclosure::lcf::{
    ColumnRule, Counted, DrawMode, FilterDescription, GroupNumber, GroupsPerEntity, NumberNoise, ThresholdLaw,
};
use disclosure::privacy_core::param::Epsilon;
use disclosure::privacy_core::promise::{Promise, PromiseKind};
use serde::{Deserialize, Serialize};

/// The first line of every output.
pub const NOT_PRIVATE: &str = "Sticky answers to interactive queries are not differentially private: two answers about \
     groups that differ by one person can prove that the person is in the data.";

/// What a filtered table promises, by kind of promise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilterStatement {
    /// That sticky answers are not differentially private.
    pub warning: Cow<'static, str>,
    /// What holds under every draw.
    pub guarantee: String,
    /// What holds with the probabilities of the threshold distribution.
    pub calibration: Cow<'static, str>,
    /// What the publication of one table promises in addition; `null` in query mode.
    pub publication: Option<Cow<'static, str>>,
}

impl FilterStatement {
    /// The statement about tables of this filter.
    #[must_use]
    pub fn new(filter: &FilterDescription) -> Self {
        Self {
            warning: NOT_PRIVATE.into(),
            guarantee: guarantee(filter),
            calibration: calibration(filter).into(),
            publication: publication(filter).map(|promise| match promise.kind {
                PromiseKind::Guarantee => format!("guarantee: {}", promise.guarantee).into(),
                _ => promise.guarantee,
            }),
        }
    }
}

impl FilterStatement {
    /// The statement about tables whose groups a difference guard answered.
    #[must_use]
    pub fn guarded(filter: &FilterDescription) -> Self {
        Self { calibration: guarded_calibration(filter).into(), ..Self::new(filter) }
    }
}

/// What a pair of groups discloses under a difference guard: nothing where the answer is drawn, and
/// what the threshold distribution allows where it is not.
fn guarded_calibration(filter: &FilterDescription) -> String {
    let edge = filter.columns().iter().map(|column| column.thresholds.edge_detection()).fold(0.0, f64::max);
    format!(
        "without the secret key, a reader always sees the same line for a set of entities, and the same answer for a \
         set that differs by one entity from a set whose answer was drawn; no counts are published with groups; for a \
         set that is too small or large enough under every draw, the two answers differ with probability at most {}; \
         an attacker who can add known entities to a group is not stopped",
        tiny_share(edge),
    )
}

/// Two digits, rounded up; small ones as powers of ten.
fn tiny_share(share: f64) -> String {
    if share >= 0.01 { short_share(share) } else { short_up(share) }
}

fn guarantee(filter: &FilterDescription) -> String {
    let least: Vec<String> = filter
        .columns()
        .iter()
        .map(|column| format!("{} different entities of kind {:?}", column.thresholds.floor(), column.kind))
        .collect();
    let (joined, which) = match (filter.columns().len(), filter.rule()) {
        (1, _) => (least.concat(), ""),
        (_, ColumnRule::All) => (least.join(" and "), ""),
        (_, ColumnRule::WorkingColumn) => (least.join(" or "), ", whichever kind it has the fewest of"),
    };
    format!("every group that is published has at least {joined}{which}")
}

fn calibration(filter: &FilterDescription) -> String {
    match filter.mode() {
        DrawMode::Query => format!(
            "without the secret key, a reader sees each set of entities published with the probability of the \
             threshold distribution, and always with the same line; {}; the lines of two groups that differ by one \
             entity differ with probability at most {}",
            said_of(&filter.number()),
            short_share(detection(filter)),
        ),
        DrawMode::Publish => format!(
            "without the secret key, a reader sees each group published with the probability of the threshold \
             distribution, in one publication; {}",
            said_of(&filter.number())
        ),
    }
}

/// How the count of a group is published, in words.
fn said_of(number: &GroupNumber) -> String {
    match number {
        GroupNumber::Exact(Counted::Rows) => "the counts of rows are exact".to_owned(),
        GroupNumber::Exact(Counted::Entities) => "the counts of entities are exact".to_owned(),
        GroupNumber::Rounded(noise) => {
            format!("the counts of entities are rounded at random to multiples of {}", noise.base())
        }
        GroupNumber::Noisy(noise) => said_of_noise(noise),
        _ => "no counts are published with groups".to_owned(),
    }
}

fn said_of_noise(noise: &NumberNoise) -> String {
    let scale = noise.scale().unwrap_or_default();
    match noise.base() {
        1 => format!("the counts of entities have discrete Laplace noise of scale {scale}"),
        base => format!(
            "the counts of entities have discrete Laplace noise of scale {scale} and are rounded at random to \
             multiples of {base}"
        ),
    }
}

/// What exact, rounded and noisy counts disclose.
pub(super) fn not_covered(number: &GroupNumber) -> Option<&'static str> {
    match number {
        GroupNumber::Exact(_) => Some(
            "the counts of groups: they are exact, so two groups that differ by one entity prove that they do, and \
             differences between published groups disclose suppressed ones",
        ),
        GroupNumber::Rounded(_) | GroupNumber::Noisy(_) => {
            Some("many counts together: each discloses a little, and their noise averages out")
        }
        _ => None,
    }
}

/// The largest probability that two lines differ, over all sizes and columns.
fn detection(filter: &FilterDescription) -> f64 {
    let columns = filter.columns().iter();
    columns.map(|column| column.thresholds.line_odds(&filter.number()).worst.detection).fold(0.0, f64::max)
}

/// Two digits, rounded up.
fn short_share(share: f64) -> String {
    format!("{}", (share * 100.0).ceil() / 100.0)
}

/// What the publication of one table promises, or why it promises nothing; none in query mode.
pub(super) fn publication(filter: &FilterDescription) -> Option<Promise> {
    if filter.mode() == DrawMode::Query {
        return None;
    }
    let Some(groups) = filter.groups_per_entity() else {
        return Some(Promise::new(
            PromiseKind::Calibration,
            "no (epsilon, delta) is promised with several columns of identifiers, because one more entity can change \
             which column decides",
        ));
    };
    let counts = match groups {
        GroupsPerEntity::OneRow => "each entity is in one group".to_owned(),
        GroupsPerEntity::AtMost(NonZeroU32::MIN) => {
            "each entity counts in one group, chosen with the secret key".to_owned()
        }
        GroupsPerEntity::AtMost(groups) => {
            format!("each entity counts in at most {groups} groups, chosen with the secret key")
        }
    };
    let (what, numbers) = match filter.number() {
        GroupNumber::Noisy(_) => ("which groups one publication contains, together with their noisy counts,", ""),
        GroupNumber::Exact(_) => ("which groups one publication contains", "; the exact counts are not covered"),
        _ => ("which groups one publication contains", ""),
    };
    Some(Promise::new(
        PromiseKind::Guarantee,
        format!(
            "{what} is {}-differentially private for one entity added or removed; {counts}; this holds against anyone \
             without the secret key{numbers}",
            price(filter, groups.get())
        ),
    ))
}

/// (epsilon, delta) of one publication: those that the law was made for, or delta at epsilon 1. Of
/// whole lines where their numbers are noisy, of the decisions alone where they are exact.
fn price(filter: &FilterDescription, groups: NonZeroU32) -> String {
    let one = Epsilon::new(1.0).expect("above 0");
    let thresholds = &filter.columns()[0].thresholds;
    let number = filter.number_epsilon().unwrap_or(0.0);
    match thresholds.law() {
        ThresholdLaw::OptimalSelection(law) if law.number_epsilon() >= number => {
            format!("({}, {})", law.epsilon(), law.delta())
        }
        _ => format!("(1, {})", short_up(thresholds.release_profile(groups).beside_number(number).delta(one))),
    }
}

/// Three digits, rounded up.
fn short_up(delta: f64) -> String {
    if delta >= 1.0 {
        return "1".to_owned();
    }
    if delta <= 0.0 {
        return "0".to_owned();
    }
    let unit = 10_f64.powf(delta.log10().floor() - 2.0);
    format!("{:.2e}", (delta / unit).ceil() * unit)
}
