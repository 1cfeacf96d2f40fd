//! All products of two sets of columns at once: 3^n numbers instead of 4^n.
//!
//! For column sets `J`, `K` a column is in neither, one or both. A sum over rows of a product of
//! per-column factors that depend on nothing else has one value for each string of these three,
//! and is built column by column from the `2^n` sums over supersets. Source: Yates' algorithm on
//! mixed radices; `docs/math/ldp-pmdh.md`, section 5.

use super::{EstimateError, MOST_TABLE_COLUMNS};

/// What a column contributes to a sum when it is in neither set, in one, in both: each
/// `a f0 + b f1` of the sums without and with the column.
pub(super) type ColumnMap = [[f64; 2]; 3];

/// Sums indexed by ternary strings.
#[derive(Clone, Debug)]
pub(super) struct TernaryCube {
    values: Vec<f64>,
    /// `sum of 3^i` over the columns of each set.
    places: Vec<u32>,
}

impl TernaryCube {
    /// Whether the cube of this many columns can be made from this many numbers, one for each set
    /// of columns, within this memory.
    pub(super) fn check(columns: usize, numbers: usize, most_bytes: f64) -> Result<(), EstimateError> {
        if columns > MOST_TABLE_COLUMNS {
            return Err(EstimateError::TooManyColumns { columns, most: MOST_TABLE_COLUMNS });
        }
        if numbers != 1 << columns {
            return Err(EstimateError::WrongLength { expected: 1 << columns, got: numbers });
        }
        let bytes = Self::bytes(columns);
        if bytes > most_bytes {
            return Err(EstimateError::TooLarge { bytes, most: most_bytes });
        }
        Ok(())
    }

    /// Bytes of the cube and its places for `columns` columns, its construction included.
    pub(super) fn bytes(columns: usize) -> f64 {
        // The last step holds the old array, two thirds of the new one.
        3.0_f64.powi(columns as i32) * 8.0 * 5.0 / 3.0 + 4.0 * 2.0_f64.powi(columns as i32)
    }

    /// The cube of `2^n` sums over supersets, for `n` maps. `O(3^n)`.
    pub(super) fn new(maps: &[ColumnMap], sums: &[f64]) -> Self {
        debug_assert!(maps.len() <= MOST_TABLE_COLUMNS && sums.len() == 1 << maps.len());
        let mut values = sums.to_vec();
        // Yates: one column after the other turns a binary digit of the index into a ternary one.
        // Digits that were turned are the low ones, so blocks grow by the factor 3 and halve in
        // number.
        let mut low = 1;
        for map in maps {
            let mut next = Vec::with_capacity(values.len() / 2 * 3);
            for block in values.chunks_exact(2 * low) {
                let (without, with) = block.split_at(low);
                for [a, b] in map {
                    next.extend(without.iter().zip(with).map(|(f0, f1)| a * f0 + b * f1));
                }
            }
            values = next;
            low *= 3;
        }
        // 3^20 fits 32 bits. Adding two places never carries: a digit is 0, 1 or 2.
        let mut places = vec![0_u32; sums.len()];
        for set in 1..places.len() {
            let lowest = set.trailing_zeros();
            places[set] = places[set & (set - 1)] + 3_u32.pow(lowest);
        }
        Self { values, places }
    }

    /// The sum where the columns of both sets are taken twice, those of one once.
    pub(super) fn of_pair(&self, one: usize, other: usize) -> f64 {
        self.values[(self.places[one] + self.places[other]) as usize]
    }

    /// The sum where every column of the set is taken once.
    pub(super) fn of_set(&self, set: usize) -> f64 {
        self.values[self.places[set] as usize]
    }

    pub(super) fn sets(&self) -> usize {
        self.places.len()
    }
}
