//! The loops, to be inlined into a function for every set of instructions.
//!
//! `n` columns of `words` words each, one after the other. Pairs `i < j` are in the order
//! `(0,1) (0,2) (1,2) (0,3) ...`. A tile of 4 x 4 columns loads 8 words for 16 products; columns
//! `i` go by groups that stay in the second-level cache.

/// Columns of a side of a tile.
const SIDE: usize = 4;
/// Columns of a group; a multiple of [`SIDE`].
const GROUP: usize = 64;

/// The popcount of each column, added to `counts`.
#[inline(always)]
pub(super) fn add_singles(columns: &[u64], words: usize, counts: &mut [u64]) {
    for (count, column) in counts.iter_mut().zip(columns.chunks_exact(words)) {
        *count += column.iter().fold(0, |sum: u64, word| sum.wrapping_add(u64::from(word.count_ones())));
    }
}

/// The popcount of `left[j] & right[i]` for every pair `i < j`, added to `counts`.
#[inline(always)]
pub(super) fn add_pairs(left: &[u64], right: &[u64], words: usize, counts: &mut [u64]) {
    let n = left.len() / words;
    // The right columns of a group stay in the cache while all left columns pass by.
    for group in (0..n).step_by(GROUP) {
        for j in (group..n).step_by(SIDE) {
            let tiled = if j + SIDE <= n { j.min(group + GROUP) } else { group };
            for i in (group..tiled).step_by(SIDE) {
                add_tile(left, right, words, (i, j), counts);
            }
            // The triangle on the diagonal, or the columns that fill no tile.
            for j in j..n.min(j + SIDE) {
                for i in tiled..j.min(group + GROUP) {
                    counts[position(i, j)] += product(column(left, words, j), column(right, words, i));
                }
            }
        }
    }
}

/// The tile whose first columns are `i` of the right and `j` of the left.
#[inline(always)]
fn add_tile(left: &[u64], right: &[u64], words: usize, (i, j): (usize, usize), counts: &mut [u64]) {
    let a: [&[u64]; SIDE] = std::array::from_fn(|x| column(left, words, j + x));
    let b: [&[u64]; SIDE] = std::array::from_fn(|y| column(right, words, i + y));
    let mut sums = [[0_u64; SIDE]; SIDE];
    // One counter for all eight slices of one length: this is the loop that becomes vectors.
    for word in 0..words {
        for (sums, a) in sums.iter_mut().zip(a) {
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum = sum.wrapping_add(u64::from((a[word] & b[word]).count_ones()));
            }
        }
    }
    for (x, sums) in sums.iter().enumerate() {
        for (y, sum) in sums.iter().enumerate() {
            counts[position(i + y, j + x)] += sum;
        }
    }
}

#[inline(always)]
fn product(a: &[u64], b: &[u64]) -> u64 {
    a.iter().zip(b).fold(0, |sum: u64, (a, b)| sum.wrapping_add(u64::from((a & b).count_ones())))
}

#[inline(always)]
fn column(columns: &[u64], words: usize, i: usize) -> &[u64] {
    &columns[i * words..(i + 1) * words]
}

/// Position of the pair `i < j`.
#[inline(always)]
fn position(i: usize, j: usize) -> usize {
    j * (j - 1) / 2 + i
}
