//! Primary disclosures: published numbers that violate the rule on their own.

use frechet_certificate::Row;

use crate::audit::rule::DisclosureRule;
use crate::table::knowledge::Knowledge;

/// Why a number must not be published, from its own count or from public sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum PrimaryReason {
    /// It is about fewer people than the minimum frequency.
    Small,
    /// Nearly all or nearly none of its people are counted: a rate below the rate margin on one
    /// side.
    Unanimous,
}

/// The published numbers that violate the rule on their own, whether or not they count a class.
pub(crate) fn primary_cells(knowledge: &Knowledge, rule: &DisclosureRule) -> Vec<(String, PrimaryReason)> {
    knowledge
        .released_rows()
        .filter_map(|row: &Row| {
            let people = knowledge.people_of(row)?;
            let count = u64::try_from(row.lower()).expect("rows are not negative");
            Some((row.name().to_owned(), judge(rule, count, people)?))
        })
        .collect()
}

/// Judges a published count; `people` is the population of the cell where that is public.
pub(crate) fn judge(rule: &DisclosureRule, count: u64, people: Option<u64>) -> Option<PrimaryReason> {
    let Some(people) = people else {
        return (count > 0 && count < rule.min_frequency()).then_some(PrimaryReason::Small);
    };
    match people {
        0 => None,
        _ if people < rule.min_frequency() => Some(PrimaryReason::Small),
        _ => rule.unanimity((signed(count), signed(count)), signed(people)).map(|_| PrimaryReason::Unanimous),
    }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).expect("numbers of people are at most 2^53")
}
