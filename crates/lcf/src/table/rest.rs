//! The suppressed rest: all suppressed groups as one, shown under "*".
//!
//! ```text
//! S_t  = union of the sets of the merged groups, for each column of identifiers
//! rest = reported iff at least two groups were merged and the filter reports S
//! ```
//!
//! A rest of one group would be that group under another name. Source: the suppress bin of
//! Diffix.

use crate::entity::entity_set::EntitySet;
use crate::error::Error;
use crate::filter::description::DrawMode;
use crate::filter::group_name::GroupName;
use crate::filter::low_count_filter::LowCountFilter;
use crate::table::filtered::Decide;

/// Smallest number of groups that are merged into a rest.
pub const FEWEST_MERGED: usize = 2;

/// The outcome of all suppressed groups together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Rest {
    /// Fewer than two groups were suppressed, so nothing is reported about them.
    TooFewGroups,
    /// Merged into one group, they did not pass the filter.
    Suppressed,
    /// Merged into one group, they passed the filter.
    Reported {
        /// The number of the merged groups together, as beside every other group.
        number: Option<u64>,
    },
}

/// Merges suppressed groups, given by their sets and rows, and decides about them.
pub(crate) fn rest<'a>(
    filter: &LowCountFilter,
    decide: &mut Decide<'_>,
    suppressed: impl IntoIterator<Item = (&'a [EntitySet], u64)>,
    name: &GroupName,
) -> Result<Rest, Error> {
    let mut sets = vec![EntitySet::new(filter.cap()); filter.columns()];
    let (mut merged, mut rows) = (0, 0_u64);
    for (members, of_group) in suppressed {
        sets.iter_mut().zip(members).try_for_each(|(set, member)| set.merge(member))?;
        merged += 1;
        rows = rows.saturating_add(of_group);
    }
    if merged < FEWEST_MERGED {
        return Ok(Rest::TooFewGroups);
    }
    let decision = decide(&sets, Some(name))?;
    Ok(match decision.is_reported() {
        true => Rest::Reported { number: filter.number_of(&decision, rows, &sets, name_in(filter, name)) },
        false => Rest::Suppressed,
    })
}

/// Names enter draws in publish mode alone.
fn name_in<'a>(filter: &LowCountFilter, name: &'a GroupName) -> Option<&'a GroupName> {
    (filter.mode() == DrawMode::Publish).then_some(name)
}
