//! The world of a label game: rows with known columns and secret labels.

use privacy_core::rng::SimRng;
use privacy_core::stop::StopFlag;
use rand::RngExt;
use rand::seq::index::sample;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Error;
use crate::setting::{Features, Population, Values, class_shares_of};

/// The known columns of the rows, as codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureTable {
    rows: usize,
    columns: Vec<Vec<u32>>,
}

impl FeatureTable {
    /// Columns of codes, all of one length.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::TooManyColumns`], [`Error::Ragged`].
    pub fn new(columns: Vec<Vec<u32>>) -> Result<Self, Error> {
        let rows = columns.first().map_or(0, Vec::len);
        if rows == 0 {
            return Err(Error::Empty { rows, columns: columns.len() });
        }
        if columns.len() > 128 {
            return Err(Error::TooManyColumns { columns: columns.len() });
        }
        if let Some((column, wrong)) = columns.iter().enumerate().find(|(_, column)| column.len() != rows) {
            return Err(Error::Ragged { column, got: wrong.len(), rows });
        }
        Ok(Self { rows, columns })
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns.
    #[must_use]
    pub fn columns(&self) -> &[Vec<u32>] {
        &self.columns
    }

    /// Rows that agree on all columns, as one unit each.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub(crate) fn units(&self, stop: &StopFlag) -> Result<Units, Error> {
        let mut of_row = vec![0; self.rows];
        let mut units = 1;
        for column in &self.columns {
            units = refine(&mut of_row, column, stop)?;
        }
        let (mut sizes, mut first_row) = (vec![0; units], vec![0; units]);
        for (row, &unit) in of_row.iter().enumerate().rev() {
            sizes[unit as usize] += 1;
            first_row[unit as usize] = row;
        }
        Ok(Units { of_row, sizes, first_row })
    }
}

/// Splits the groups of `of` by `codes`; groups are numbered in order of their first member.
/// Returns their number.
///
/// # Errors
/// [`Error::Stopped`].
pub(crate) fn refine(of: &mut [u32], codes: &[u32], stop: &StopFlag) -> Result<usize, Error> {
    let mut numbers = FxHashMap::default();
    for (of, codes) in of.chunks_mut(ROWS_BETWEEN_LOOKS).zip(codes.chunks(ROWS_BETWEEN_LOOKS)) {
        if stop.is_set() {
            return Err(Error::Stopped);
        }
        for (group, &code) in of.iter_mut().zip(codes) {
            let next = numbers.len() as u32;
            *group = *numbers.entry((*group, code)).or_insert(next);
        }
    }
    Ok(numbers.len())
}

/// Rows between two looks at the flag, where a row takes less than a microsecond.
const ROWS_BETWEEN_LOOKS: usize = 1 << 14;

/// Rows with the same known columns: nobody can tell them apart, so they are one unit with a
/// number of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Units {
    pub(crate) of_row: Vec<u32>,
    pub(crate) sizes: Vec<u32>,
    pub(crate) first_row: Vec<usize>,
}

/// The owner's data: the known columns and the secret labels. Attackers are never given one.
#[derive(Clone)]
pub struct LabelWorld {
    features: FeatureTable,
    labels: Vec<u32>,
    shares: Vec<f64>,
}

impl std::fmt::Debug for LabelWorld {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LabelWorld").field("rows", &self.features.rows).finish_non_exhaustive()
    }
}

impl LabelWorld {
    /// A real table. `class_shares` is what the public knows of the classes, scaled to add
    /// up to 1.
    ///
    /// # Errors
    /// [`Error::Ragged`], [`Error::BadClasses`], [`Error::BadShares`], [`Error::UnknownLabel`].
    pub fn of_table(features: FeatureTable, labels: Vec<u32>, class_shares: &[f64]) -> Result<Self, Error> {
        let shares = class_shares_of(class_shares)?;
        if labels.len() != features.rows {
            return Err(Error::Ragged { column: features.columns.len(), got: labels.len(), rows: features.rows });
        }
        match labels.iter().position(|&label| label as usize >= shares.len()) {
            Some(row) => Err(Error::UnknownLabel { row, classes: shares.len() }),
            None => Ok(Self { features, labels, shares }),
        }
    }

    /// A table drawn from a population.
    ///
    /// # Panics
    /// Never: nobody sets the flag that could stop it.
    pub fn draw(population: &Population, rng: &mut SimRng) -> Self {
        Self::draw_until(population, &StopFlag::never(), rng).expect("nobody sets this flag")
    }

    /// The same, unless the flag is set before the end.
    pub(crate) fn draw_until(population: &Population, stop: &StopFlag, rng: &mut SimRng) -> Result<Self, Error> {
        let rows = population.rows;
        let columns = match &population.features {
            Features::Independent(all) => all.iter().map(|values| draw_values(rows, values, stop, rng)).collect(),
            Features::Distinct(cardinalities) => distinct_columns(rows, cardinalities, stop, rng),
        };
        let labels = draw_classes(rows, &population.shares, stop, rng);
        // Columns that were cut short are not a world: draws end once the flag is set.
        if stop.is_set() {
            return Err(Error::Stopped);
        }
        Ok(Self { features: FeatureTable { rows, columns }, labels, shares: population.shares.clone() })
    }

    /// The same rows with labels drawn anew and independently from the public shares: people
    /// outside the data.
    #[must_use]
    pub fn redrawn(&self, rng: &mut SimRng) -> Self {
        let labels = draw_classes(self.features.rows, &self.shares, &StopFlag::never(), rng);
        Self { labels, ..self.clone() }
    }

    /// The known columns.
    #[must_use]
    pub fn features(&self) -> &FeatureTable {
        &self.features
    }

    /// The secret.
    #[must_use]
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// What the public knows of the classes: their shares.
    #[must_use]
    pub fn class_shares(&self) -> &[f64] {
        &self.shares
    }

    /// Share of the rows whose label is guessed right; 0 for a guess of another length.
    #[must_use]
    pub fn accuracy(&self, guess: &[u32]) -> f64 {
        if guess.len() != self.labels.len() {
            return 0.0;
        }
        let right = self.labels.iter().zip(guess).filter(|(label, guess)| label == guess).count();
        right as f64 / self.labels.len() as f64
    }

    /// The accuracy of giving every row the most frequent class, without any other information.
    #[must_use]
    pub fn blind_accuracy(&self) -> f64 {
        let mut counts = vec![0_u32; self.shares.len()];
        self.labels.iter().for_each(|&label| counts[label as usize] += 1);
        f64::from(counts.into_iter().max().unwrap_or(0)) / self.labels.len() as f64
    }

    /// The best accuracy that rows with identical known columns allow: each such group gets its
    /// commonest label.
    ///
    /// # Panics
    /// Never: nobody sets the flag that could stop it.
    #[must_use]
    pub fn ceiling(&self) -> f64 {
        self.ceiling_of(&self.features.units(&StopFlag::never()).expect("nobody sets this flag"))
    }

    /// The same, where the units of the rows are known.
    pub(crate) fn ceiling_of(&self, units: &Units) -> f64 {
        let classes = self.shares.len();
        let mut counts = vec![0_u32; units.sizes.len() * classes];
        for (&unit, &label) in units.of_row.iter().zip(&self.labels) {
            counts[unit as usize * classes + label as usize] += 1;
        }
        let best: u32 = counts.chunks(classes).filter_map(|unit| unit.iter().max()).sum();
        f64::from(best) / self.labels.len() as f64
    }
}

/// Codes of one column; fewer than `rows` once the flag is set.
fn draw_values(rows: usize, values: &Values, stop: &StopFlag, rng: &mut SimRng) -> Vec<u32> {
    match values {
        // Below 2^32, so the cast keeps every code.
        Values::Uniform(cardinality) => {
            let rows = (0..rows).take_while(|_| !stop.is_set());
            rows.map(|_| rng.random_range(0..*cardinality) as u32).collect()
        }
        Values::Shares(shares) => draw_classes(rows, shares, stop, rng),
    }
}

/// Independent draws of `0 .. shares.len()` with these shares, which need not add up to 1; fewer
/// than `rows` once the flag is set.
fn draw_classes(rows: usize, shares: &[f64], stop: &StopFlag, rng: &mut SimRng) -> Vec<u32> {
    let sums: Vec<f64> = shares
        .iter()
        .scan(0.0, |sum, share| {
            Some({
                *sum += share;
                *sum
            })
        })
        .collect();
    let total = sums.last().copied().unwrap_or(0.0);
    let mut draw = || {
        let at = rng.random::<f64>() * total;
        // Rounding may take `at` to the total: the last value with a share is drawn then.
        let value = sums.partition_point(|&sum| sum <= at);
        if value < sums.len() { value } else { shares.iter().rposition(|&share| share > 0.0).unwrap_or(0) }
    };
    (0..rows).take_while(|_| !stop.is_set()).map(|_| draw() as u32).collect()
}

/// `rows` distinct combinations, uniformly; fewer once the flag is set.
fn distinct_columns(rows: usize, cardinalities: &[u32], stop: &StopFlag, rng: &mut SimRng) -> Vec<Vec<u32>> {
    let product = cardinalities.iter().try_fold(1_usize, |all, &values| all.checked_mul(values as usize));
    let combinations: Vec<Vec<u32>> = match product {
        Some(product) if product <= 4 * rows => {
            let numbers = sample(rng, product, rows);
            numbers.iter().take_while(|_| !stop.is_set()).map(|number| digits(number, cardinalities)).collect()
        }
        // At most a quarter is taken: a draw is new with probability 3/4 at least.
        _ => {
            let mut seen = FxHashSet::default();
            let mut draw = || -> Vec<u32> { cardinalities.iter().map(|&values| rng.random_range(0..values)).collect() };
            let draws = std::iter::repeat_with(&mut draw).take_while(|_| !stop.is_set());
            draws.filter(|drawn| seen.insert(drawn.clone())).take(rows).collect()
        }
    };
    (0..cardinalities.len()).map(|column| combinations.iter().map(|values| values[column]).collect()).collect()
}

fn digits(mut number: usize, cardinalities: &[u32]) -> Vec<u32> {
    let mut digits = Vec::with_capacity(cardinalities.len());
    for &values in cardinalities {
        digits.push((number % values as usize) as u32);
        number /= values as usize;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_rows_are_distinct_with_few_and_with_many_combinations() {
        for cardinalities in [vec![6, 6, 6], vec![2; 30], vec![1000; 20]] {
            let population = Population::new(150, Features::Distinct(cardinalities), &[1.0, 1.0]).unwrap();
            let world = LabelWorld::draw(&population, &mut SimRng::for_trial(1, "distinct", 0));
            assert_eq!(world.features.units(&StopFlag::never()).unwrap().sizes, vec![1; 150]);
            assert_eq!(world.ceiling(), 1.0);
        }
    }

    #[test]
    fn a_class_without_share_is_never_drawn() {
        let mut rng = SimRng::for_trial(1, "shares", 0);
        let drawn = draw_classes(10_000, &[0.0, 2.0, 0.0, 6.0, 0.0], &StopFlag::never(), &mut rng);
        assert!(drawn.iter().all(|&class| class == 1 || class == 3));
    }

    #[test]
    fn ceiling_and_blind_accuracy_of_a_table_by_hand() {
        let features = FeatureTable::new(vec![vec![0, 0, 0, 1, 1]]).unwrap();
        let world = LabelWorld::of_table(features, vec![0, 0, 1, 1, 1], &[1.0, 1.0]).unwrap();
        assert_eq!((world.blind_accuracy(), world.ceiling()), (0.6, 0.8));
        assert_eq!(world.accuracy(&[0, 0, 0, 1, 1]), 0.8);
        assert_eq!(world.features.units(&StopFlag::never()).unwrap().first_row, [0, 3]);
    }
}
