//! Published numbers that must not go out by themselves, whatever else does.

use frechet_certificate::Row;

use crate::audit::rule::DisclosureRule;
use crate::table::knowledge::Knowledge;

/// Why a number is not published by itself, from its count or from public sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum PrimaryReason {
    /// It is about fewer than `kappa` people.
    Small,
    /// Nearly all or nearly none of its people are counted: a rate below `beta` on one side.
    Unanimous,
}

/// The published numbers that are unfit, whether or not they count a class.
pub(crate) fn primary_cells(knowledge: &Knowledge, rule: &DisclosureRule) -> Vec<(String, PrimaryReason)> {
    let judged = |row: &Row| {
        let people = knowledge.people_of(row)?;
        let count = u64::try_from(row.lower()).expect("rows are not negative");
        Some((row.name().to_owned(), judge(rule, count, people)?))
    };
    knowledge.released_rows().filter_map(judged).collect()
}

/// Judges a published count: `people` of the cell where public.
pub(crate) fn judge(rule: &DisclosureRule, count: u64, people: Option<u64>) -> Option<PrimaryReason> {
    let Some(people) = people else {
        return (count > 0 && count < rule.min_frequency()).then_some(PrimaryReason::Small);
    };
    let signed = |number: u64| i64::try_from(number).expect("numbers of people are at most 2^53");
    match people {
        0 => None,
        _ if people < rule.min_frequency() => Some(PrimaryReason::Small),
        _ => rule.unanimity((signed(count), signed(count)), signed(people)).map(|_| PrimaryReason::Unanimous),
    }
}
