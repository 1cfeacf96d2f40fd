//! Blocks of reports as one bit string per column.
//!
//! Rows of stored bits come in as words; every 64 rows are transposed, so that word `w` of column
//! `c` holds bit `c` of rows `64 w .. 64 w + 64`. A block that is not full has zeros, which no
//! count sees.

use crate::kernel::LANES;

/// Rows of a block: with 512 words per column, 64 columns stay in a second-level cache of 256 KiB
/// and 8 in the first.
const BLOCK_ROWS: usize = 1 << 15;

/// Rows as bit strings of columns.
#[derive(Clone, Debug)]
pub(crate) struct Slices {
    columns: usize,
    /// Words of one bit string.
    words: usize,
    rows: usize,
    /// Column after column.
    bits: Vec<u64>,
    /// Rows that were not transposed yet: fewer than 64, `row_words` words each.
    staged: Vec<u64>,
    row_words: usize,
}

impl Slices {
    /// A block with room for this many rows.
    pub(crate) fn with_room_for(columns: usize, rows: usize) -> Self {
        // Padded to whole vectors, so that the kernels have no remainder; zeros count nothing.
        let words = rows.div_ceil(64).next_multiple_of(LANES).max(LANES);
        let row_words = columns.div_ceil(64);
        Self {
            columns,
            words,
            rows: 0,
            bits: vec![0; columns * words],
            staged: Vec::with_capacity(64 * row_words),
            row_words,
        }
    }

    /// Rows in increasing order: the same whatever order they came in.
    pub(crate) fn sorted(mut rows: Vec<u64>, columns: usize) -> Self {
        let row_words = columns.div_ceil(64);
        let mut slices = Self::with_room_for(columns, rows.len() / row_words);
        // Rows in numerical order: a state has the same bytes whatever order its reports came in,
        // and does not tell when anybody reported.
        if row_words == 1 {
            rows.sort_unstable();
            rows.chunks(1).for_each(|row| _ = slices.push(row));
        } else {
            let mut order: Vec<&[u64]> = rows.chunks(row_words).collect();
            order.sort_unstable();
            order.into_iter().for_each(|row| _ = slices.push(row));
        }
        slices.settle();
        slices
    }

    /// An empty block of the usual size.
    pub(crate) fn block(columns: usize) -> Self {
        Self::with_room_for(columns, BLOCK_ROWS)
    }

    /// Bytes of a block of the usual size.
    pub(crate) fn block_bytes(columns: usize) -> f64 {
        columns as f64 * (BLOCK_ROWS / 8) as f64
    }

    /// Adds a row of stored bits; whether the block is now full.
    pub(crate) fn push(&mut self, row: &[u64]) -> bool {
        self.staged.extend_from_slice(row);
        self.rows += 1;
        if self.rows.is_multiple_of(64) {
            self.transpose();
        }
        self.rows == 64 * self.words
    }

    /// Moves staged rows into the bit strings. Call it before counting.
    pub(crate) fn settle(&mut self) {
        if !self.staged.is_empty() {
            // Rows of zeros fill the square; `rows` does not count them.
            self.staged.resize(64 * self.row_words, 0);
            self.transpose();
        }
    }

    fn transpose(&mut self) {
        let word = (self.rows - 1) / 64;
        for group in 0..self.row_words {
            let mut square: [u64; 64] = std::array::from_fn(|row| self.staged[row * self.row_words + group]);
            transpose(&mut square);
            // The last group may have fewer than 64 columns: its other bits are zero.
            let columns = (self.columns - 64 * group).min(64);
            for (column, bits) in square[..columns].iter().enumerate() {
                self.bits[(64 * group + column) * self.words + word] = *bits;
            }
        }
        self.staged.clear();
    }

    /// Forgets the rows.
    pub(crate) fn clear(&mut self) {
        self.bits.fill(0);
        self.staged.clear();
        self.rows = 0;
    }

    /// How many rows it has.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Words of one bit string.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The bit strings, column after column.
    pub(crate) fn bits(&self) -> &[u64] {
        &self.bits
    }

    /// The bit string of a column.
    pub(crate) fn column(&self, column: usize) -> &[u64] {
        &self.bits[column * self.words..(column + 1) * self.words]
    }

    /// How many rows have every one of these columns.
    pub(crate) fn count(&self, columns: &[usize]) -> u64 {
        let Some((&first, others)) = columns.split_first() else { return self.rows as u64 };
        let mut both = self.column(first).to_vec();
        for &column in others {
            both.iter_mut().zip(self.column(column)).for_each(|(both, bits)| *both &= bits);
        }
        both.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// The rows again, one after the other, as words.
    pub(crate) fn to_rows(&self) -> Vec<u64> {
        let mut rows = vec![0; self.rows.next_multiple_of(64) * self.row_words];
        for word in 0..self.rows.div_ceil(64) {
            for group in 0..self.row_words {
                let columns = (self.columns - 64 * group).min(64);
                let mut square = [0_u64; 64];
                for (column, bits) in square[..columns].iter_mut().enumerate() {
                    *bits = self.bits[(64 * group + column) * self.words + word];
                }
                // A transposed square transposed again is itself.
                transpose(&mut square);
                for (row, bits) in square.iter().enumerate() {
                    rows[(64 * word + row) * self.row_words + group] = *bits;
                }
            }
        }
        rows.truncate(self.rows * self.row_words);
        rows
    }
}

/// Exchanges rows and columns of a square of bits: halves, then halves of halves (Warren,
/// Hacker's Delight, 7-3).
fn transpose(square: &mut [u64; 64]) {
    let (mut width, mut mask) = (32, u64::MAX >> 32);
    // Six rounds: in each, the upper right and the lower left block of every square of side
    // 2 width change places, by three exclusive ors and no temporary block.
    while width > 0 {
        let mut k = 0;
        while k < 64 {
            let moved = (square[k] >> width ^ square[k + width]) & mask;
            square[k] ^= moved << width;
            square[k + width] ^= moved;
            // The next row of an upper half.
            k = (k + width + 1) & !width;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn transposing_exchanges_rows_and_columns(seed: [u64; 32]) {
            let mut square = [0; 64];
            square[..32].copy_from_slice(&seed);
            square[32..].copy_from_slice(&seed.map(|word| word.rotate_left(17)));
            let before = square;
            transpose(&mut square);
            let bit = |square: &[u64; 64], row: usize, column: usize| square[row] >> column & 1;
            for row in 0..64 {
                prop_assert!((0..64).all(|column| bit(&square, row, column) == bit(&before, column, row)));
            }
        }

        #[test]
        fn rows_come_back_as_they_went_in(columns in 1_usize..150, rows in 0_usize..200, seed: u64) {
            let row_words = columns.div_ceil(64);
            let mask = |group: usize| u64::MAX >> (64 - (columns - 64 * group).min(64));
            let word = |i: usize| seed.wrapping_mul(2 * i as u64 + 1).rotate_left(i as u32) & mask(i % row_words);
            let all: Vec<u64> = (0..rows * row_words).map(word).collect();
            let mut slices = Slices::with_room_for(columns, rows);
            all.chunks(row_words).for_each(|row| { slices.push(row); });
            slices.settle();
            prop_assert_eq!(slices.to_rows(), all.clone());
            let both = |row: &[u64]| row[0] & 1 == 1 && row[(columns - 1) / 64] >> ((columns - 1) % 64) & 1 == 1;
            let expected = all.chunks(row_words).filter(|row| both(row)).count() as u64;
            prop_assert_eq!(slices.count(&[0, columns - 1]), expected);
        }
    }
}
