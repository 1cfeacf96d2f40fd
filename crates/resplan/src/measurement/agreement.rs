//! Whether tables that were counted one by one count the same rows.
//!
//! Tables over A and A' of the same rows have the same total, and the same marginal over every S
//! within A and A'. Tables that do not would be reconciled silently: residuals are measured from
//! one table each, so that the release of 40, 80 and 120 rows would have some total of its own.
//!
//! `h(S)` the number of tables whose attributes hold S. The marginal over S of the table over A
//! is compared when `h(S) >= 2`, unless `h(S + a) = h(S)` for an attribute a of A: then every
//! table that holds S holds S + a as well, and the comparison over S + a covers it.

use std::hash::{DefaultHasher, Hash, Hasher};

use privacy_core::{AttrSet, ContingencyTable, parallel};
use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::measurement::batches::batches;
use crate::planning::design::Design;

/// The tables of one measurement, by their attributes.
pub(crate) type Tables = FxHashMap<AttrSet, ContingencyTable>;

/// What the tables seen so far say about the marginals that they share.
pub(crate) struct Agreement {
    /// `h(S)`.
    holders: FxHashMap<AttrSet, u32>,
    total: Option<(AttrSet, u64)>,
    /// The first table with a marginal over each set, and a digest of that marginal: tables need
    /// not be kept.
    digests: FxHashMap<AttrSet, (AttrSet, u64)>,
}

impl Agreement {
    /// Nothing seen yet of the tables that `design` needs.
    pub(crate) fn new(design: &Design) -> Self {
        let mut holders = FxHashMap::default();
        for set in batches(design).iter().flat_map(|batch| &batch.marginals) {
            set.subsets().for_each(|subset| *holders.entry(subset).or_insert(0) += 1);
        }
        Self { holders, total: None, digests: FxHashMap::default() }
    }

    /// The tables of one batch, if they agree with each other and with those of all batches
    /// before.
    pub(crate) fn checked(&mut self, tables: Tables) -> Result<Tables, Error> {
        // In the order of their sets, so that the same tables give the same error.
        let mut sorted: Vec<&ContingencyTable> = tables.values().collect();
        sorted.sort_unstable_by_key(|table| table.attributes());
        for table in &sorted {
            let &mut (one, total) = self.total.get_or_insert((table.attributes(), table.total()));
            if table.total() != total {
                return Err(Error::TotalsDiffer { one, other: table.attributes() });
            }
        }
        let digests = parallel::map(&sorted, |table| self.shared_digests(table));
        for (table, digests) in sorted.iter().zip(digests) {
            for (common, digest) in digests? {
                let &mut (one, first) = self.digests.entry(common).or_insert((table.attributes(), digest));
                if digest != first {
                    return Err(Error::MarginsDiffer { one, other: table.attributes(), common });
                }
            }
        }
        Ok(tables)
    }

    /// The marginals of a table that are to be compared, as digests. Each is summed from the
    /// smallest one made before.
    fn shared_digests(&self, table: &ContingencyTable) -> Result<Vec<(AttrSet, u64)>, Error> {
        let all = table.attributes();
        let mut shared: Vec<AttrSet> = all.subsets().filter(|&set| self.is_compared(all, set)).collect();
        shared.sort_unstable_by(|a, b| b.cmp(a));
        let mut made: Vec<ContingencyTable> = Vec::with_capacity(shared.len());
        for &set in &shared {
            let larger = made.iter().filter(|other| set.is_subset_of(other.attributes()));
            let smallest = larger.min_by_key(|other| other.cells().len());
            made.push(smallest.unwrap_or(table).marginal(set)?);
        }
        Ok(shared.into_iter().zip(made.iter().map(digest)).collect())
    }

    /// Whether the marginal over `set` of the table over `all` is compared. The empty set is not:
    /// totals were.
    fn is_compared(&self, all: AttrSet, set: AttrSet) -> bool {
        let here = self.holders(set);
        !set.is_empty() && here > 1 && all.minus(set).iter().all(|attribute| self.holders(set.with(attribute)) < here)
    }

    /// `h(S)`.
    fn holders(&self, set: AttrSet) -> u32 {
        self.holders.get(&set).copied().unwrap_or(0)
    }
}

/// 64 bits of a marginal. Two different ones agree with probability 2^-64, unless somebody looks
/// for such a pair; a source that wants to deceive can do so with tables that agree.
fn digest(table: &ContingencyTable) -> u64 {
    let mut hasher = DefaultHasher::new();
    table.cells().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
