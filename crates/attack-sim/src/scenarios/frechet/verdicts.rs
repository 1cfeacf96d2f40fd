//! The rule of a verdict, written once more for attackers: nothing is taken from the library that
//! is judged.

use disclosure::frechet::DisclosureRule;

use super::electorate::signed;

/// A rate below `beta` of this number of people, as quotients: one in ten meets 0.1.
pub(super) fn falls_short(policy: &DisclosureRule, count: i64, people: i64) -> bool {
    (count as f64 / people as f64) < policy.rate_margin()
}

/// Whether both sides stay possible throughout, of a group that is large enough.
pub(super) fn is_within(policy: &DisclosureRule, people: Option<i64>, [low, high]: [i64; 2]) -> bool {
    people.is_some_and(|people| {
        people >= signed(policy.min_frequency())
            && !falls_short(policy, low, people)
            && !falls_short(policy, people - high, people)
    })
}

/// Whether nearly all or nearly none of a class are counted, or its count is known to within tau
/// and not published.
pub(super) fn is_disclosed(
    policy: &DisclosureRule,
    people: Option<i64>,
    is_published: bool,
    [low, high]: [i64; 2],
) -> bool {
    let is_unanimous =
        people.is_some_and(|people| falls_short(policy, high, people) || falls_short(policy, people - low, people));
    is_unanimous || !is_published && high - low <= signed(policy.min_interval_width())
}
