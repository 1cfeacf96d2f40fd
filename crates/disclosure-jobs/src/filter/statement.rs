//! What every output of the filter says first.

use std::borrow::Cow;
use std::num::NonZeroU32;

use disclosure::lcf::{ColumnRule, DrawMode, FilterDescription, GroupsPerEntity, ThresholdLaw, ThresholdTable};
use disclosure::privacy_core::param::Epsilon;
use disclosure::privacy_core::promise::{Promise, PromiseKind};
use serde::{Deserialize, Serialize};

/// The first line of every output.
pub const NOT_PRIVATE: &str = "Sticky interactive use is not differential privacy: \
     where two answers differ by one person, they can prove that person.";

/// What a filtered table promises, by kind of promise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilterStatement {
    /// That sticky answers are not differentially private.
    pub warning: Cow<'static, str>,
    /// Holds whatever is drawn.
    pub guarantee: String,
    /// Holds with the probabilities of the law.
    pub calibration: Cow<'static, str>,
    /// What the publication of one table promises in addition; null in query mode.
    pub publication: Option<Cow<'static, str>>,
}

impl FilterStatement {
    /// The statement about tables of this filter.
    #[must_use]
    pub fn new(filter: &FilterDescription) -> Self {
        Self {
            warning: NOT_PRIVATE.into(),
            guarantee: guarantee(filter),
            calibration: calibration(filter.mode()).into(),
            publication: publication(filter).map(|promise| match promise.kind {
                PromiseKind::Guarantee => format!("guarantee: {}", promise.guarantee).into(),
                _ => promise.guarantee,
            }),
        }
    }
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
        (_, ColumnRule::WorkingColumn) => (least.join(" or "), ", of the kind that it has the fewest of"),
    };
    format!("every group that is shown has at least {joined}{which}")
}

fn calibration(mode: DrawMode) -> &'static str {
    match mode {
        DrawMode::Query => {
            "anyone without the secret sees each set of entities shown with the probability of the law, and always with the \
             same answer; the numbers of rows are exact"
        }
        DrawMode::Publish => {
            "anyone without the secret sees each group shown with the probability of the law, in one publication; \
             the numbers of rows are exact"
        }
    }
}

/// What the publication of one table promises, or why it promises nothing; none in query mode.
pub(super) fn publication(filter: &FilterDescription) -> Option<Promise> {
    if filter.mode() == DrawMode::Query {
        return None;
    }
    let Some(groups) = filter.groups_per_entity() else {
        return Some(Promise::new(
            PromiseKind::Calibration,
            "no (epsilon, delta) is promised with several columns of identifiers: one more entity can change which of them decides",
        ));
    };
    let counts = match groups {
        GroupsPerEntity::OneRow => "each entity is in one group".to_owned(),
        GroupsPerEntity::AtMost(NonZeroU32::MIN) => "each entity counts in one group, chosen by the secret".to_owned(),
        GroupsPerEntity::AtMost(groups) => {
            format!("each entity counts in at most {groups} groups, chosen by the secret")
        }
    };
    Some(Promise::new(
        PromiseKind::Guarantee,
        format!(
            "which groups one publication shows is {}-differentially private for one entity added or removed; {counts}; \
             it holds against anyone without the secret; the numbers of rows are not covered",
            price(&filter.columns()[0].thresholds, groups.get())
        ),
    ))
}

/// (epsilon, delta) of one publication: those that the law was made for, or delta at epsilon 1.
fn price(thresholds: &ThresholdTable, groups: NonZeroU32) -> String {
    let one = Epsilon::new(1.0).expect("above 0");
    match thresholds.law() {
        ThresholdLaw::OptimalSelection(law) => format!("({}, {})", law.epsilon(), law.delta()),
        _ => format!("(1, {})", short_up(thresholds.release_profile(groups).delta(one))),
    }
}

/// Three digits, rounded up.
fn short_up(delta: f64) -> String {
    if delta >= 1.0 {
        return "1".to_owned();
    }
    let unit = 10_f64.powf(delta.log10().floor() - 2.0);
    format!("{:.2e}", (delta / unit).ceil() * unit)
}
