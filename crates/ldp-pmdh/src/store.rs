//! Counts of all sets of columns up to an order.
//!
//! Sets of one size `s` are in colexicographic order: `i_1 < ... < i_s` is number
//! `C(i_1, 1) + ... + C(i_s, s)`; smaller sizes come first. So all sets whose largest columns are
//! `i_3 < ... < i_s` lie side by side, one for each pair below `i_3`, in the order of the pair
//! kernel.

use crate::kernel::{Kernel, pairs};
use crate::slices::Slices;

/// Most columns of a set.
pub const MAX_ORDER: usize = 6;

/// `n` over `k`, as far as it fits.
pub(crate) fn choose(n: usize, k: usize) -> Option<u64> {
    if k > n {
        return Some(0);
    }
    // Multiplying before dividing keeps every step an integer: a product of i + 1 neighbours is
    // divisible by (i + 1)!.
    let product = (0..k as u128).try_fold(1_u128, |product, i| Some(product.checked_mul(n as u128 - i)? / (i + 1)));
    product.and_then(|product| u64::try_from(product).ok())
}

/// How many nonempty sets of at most `order` of `columns` columns there are.
pub(crate) fn sets(columns: usize, order: usize) -> Option<u64> {
    (1..=order).try_fold(0_u64, |sum, size| sum.checked_add(choose(columns, size)?))
}

/// `n` over `k` where the counts of such sets are in memory.
///
/// # Panics
/// Never, under that condition.
fn stored(n: usize, k: usize) -> usize {
    choose(n, k).expect("sets that are stored are as many as a usize counts") as usize
}

/// Where the count of a set is: `set` is increasing, not empty, and no longer than the order that
/// is stored.
pub(crate) fn position(columns: usize, set: &[usize]) -> usize {
    let before: usize = (1..set.len()).map(|size| stored(columns, size)).sum();
    before + rank(set)
}

fn rank(set: &[usize]) -> usize {
    set.iter().enumerate().map(|(i, &column)| stored(column, i + 1)).sum()
}

/// Adds the counts of a settled block.
pub(crate) fn add_block(block: &Slices, columns: usize, order: usize, kernel: Kernel, counts: &mut [u64]) {
    let (singles, rest) = counts.split_at_mut(columns);
    kernel.add_singles(block.bits(), block.words(), singles);
    if order < 2 {
        return;
    }
    let (pair_counts, larger) = rest.split_at_mut(pairs(columns));
    kernel.add_pairs(block.bits(), block.bits(), block.words(), pair_counts);
    if order > 2 {
        let mut levels = Levels { block, columns, order, kernel, counts: larger };
        levels.descend(&mut Vec::with_capacity(order - 2), None, columns);
    }
}

/// Recursion over the largest columns of sets of three and more.
struct Levels<'a> {
    block: &'a Slices,
    columns: usize,
    order: usize,
    kernel: Kernel,
    /// Counts of sets of three and more.
    counts: &'a mut [u64],
}

impl Levels<'_> {
    /// `tops` are the largest columns, the largest first, and `mask` the rows that have them all.
    fn descend(&mut self, tops: &mut Vec<usize>, mask: Option<&[u64]>, below: usize) {
        // Every set has two columns below its largest ones, so a largest column is at least the
        // third.
        for top in 2..below {
            let column = self.block.column(top);
            // The rows that have all columns chosen so far: their AND is taken once, and shared
            // by all pairs below.
            let mask: Vec<u64> = match mask {
                Some(mask) => mask.iter().zip(column).map(|(mask, bits)| mask & bits).collect(),
                None => column.to_vec(),
            };
            tops.push(top);
            self.add_pairs_below(tops, &mask, top);
            if tops.len() + 2 < self.order {
                self.descend(tops, Some(&mask), top);
            }
            tops.pop();
        }
    }

    /// Counts of `tops` with every pair of smaller columns.
    fn add_pairs_below(&mut self, tops: &[usize], mask: &[u64], below: usize) {
        let size = tops.len() + 2;
        let before: usize = (3..size).map(|size| stored(self.columns, size)).sum();
        let start = before + tops.iter().enumerate().map(|(i, &top)| stored(top, size - i)).sum::<usize>();
        let words = self.block.words();
        // In colexicographic order the sets with these largest columns are side by side, one for
        // each pair below: the pair kernel writes them as they come.
        let right = &self.block.bits()[..below * words];
        let left: Vec<u64> =
            right.chunks_exact(words).flat_map(|bits| bits.iter().zip(mask).map(|(b, m)| b & m)).collect();
        self.kernel.add_pairs(&left, right, words, &mut self.counts[start..start + pairs(below)]);
    }
}

/// Whether no set is counted more often than the set without its largest column, than that
/// column, or than there are reports.
pub(crate) fn are_consistent(columns: usize, order: usize, reports: u64, counts: &[u64]) -> bool {
    let (singles, mut rest) = counts.split_at(columns);
    let (mut smaller, mut consistent) = (singles, singles.iter().all(|&count| count <= reports));
    for size in 2..=order {
        let (these, others) = rest.split_at(stored(columns, size));
        let mut start = 0;
        // Sets with the same largest column follow the order of the sets of one column fewer.
        for (top, &single) in singles.iter().enumerate() {
            let sets = stored(top, size - 1);
            let with_top = &these[start..start + sets];
            consistent &= with_top.iter().zip(smaller).all(|(&count, &without)| count <= without.min(single));
            start += sets;
        }
        (smaller, rest) = (these, others);
    }
    consistent
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All sets of at most `order` of `columns`, in the order of [`position`].
    fn all_sets(columns: usize, order: usize) -> Vec<Vec<usize>> {
        let mut sets: Vec<Vec<usize>> = (1_u32..1 << columns)
            .filter(|mask| mask.count_ones() as usize <= order)
            .map(|mask| (0..columns).filter(|i| mask >> i & 1 == 1).collect())
            .collect();
        sets.sort_by_key(|set| (set.len(), set.iter().rev().copied().collect::<Vec<_>>()));
        sets
    }

    #[test]
    fn positions_are_those_of_colexicographic_order() {
        for (number, set) in all_sets(9, 6).iter().enumerate() {
            assert_eq!(position(9, set), number, "{set:?}");
        }
        assert_eq!(sets(9, 6), Some(all_sets(9, 6).len() as u64));
        assert_eq!(sets(1000, 2), Some(500_500));
        assert_eq!(sets(usize::MAX, 6), None);
    }

    #[test]
    fn every_set_up_to_the_order_is_counted_as_one_at_a_time() {
        let columns = 9;
        let mut block = Slices::with_room_for(columns, 300);
        for i in 0..300_u64 {
            block.push(&[((i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) | (i % 3)) & 0x1ff]);
        }
        block.settle();
        for order in 1..=MAX_ORDER {
            let all = all_sets(columns, order);
            let mut counts = vec![0; all.len()];
            add_block(&block, columns, order, Kernel::best(), &mut counts);
            for (set, &count) in all.iter().zip(&counts) {
                assert_eq!(count, block.count(set), "{set:?}");
            }
            assert!(are_consistent(columns, order, 300, &counts));
            for spoilt in 0..counts.len() {
                let mut more = counts.clone();
                more[spoilt] = 301;
                assert!(!are_consistent(columns, order, 300, &more), "{order} {spoilt}");
            }
        }
    }
}
