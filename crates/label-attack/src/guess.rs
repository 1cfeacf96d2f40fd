//! What an attacker says: a label for each row, and how sure it is.

use crate::problem::LabelProblem;

/// Labels with confidences. The rows of a unit share both: nothing tells them apart.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LabelGuess {
    /// One label for each row.
    pub labels: Vec<u32>,
    /// What the attacker takes for the probability that each label is right: a proxy, in
    /// `[0, 1]`. It ranks rows.
    pub confidence: Vec<f64>,
}

impl LabelGuess {
    /// The commonest class for every row: what can be said without looking at the release.
    #[must_use]
    pub fn blind(rows: usize, class_shares: &[f64]) -> Self {
        let (class, share) = largest(class_shares);
        Self { labels: vec![class; rows], confidence: vec![share; rows] }
    }

    /// The most confident rows first; equally confident ones in order.
    #[must_use]
    pub fn ranking(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.labels.len()).collect();
        rows.sort_by(|&a, &b| self.confidence[b].total_cmp(&self.confidence[a]));
        rows
    }

    /// Accuracy among the most confident `share` of the rows, at least one row; 0 for a guess
    /// about no row or other rows.
    ///
    /// Rows that are exactly as confident as the last one taken count in proportion, so that the
    /// order of a file does not matter.
    #[must_use]
    pub fn top_accuracy(&self, truth: &[u32], share: f64) -> f64 {
        if self.labels.is_empty() || truth.len() != self.labels.len() {
            return 0.0;
        }
        let ranking = self.ranking();
        let taken = ((share * ranking.len() as f64).round() as usize).clamp(1, ranking.len());
        let last = self.confidence[ranking[taken - 1]];
        let right = |rows: &[usize]| rows.iter().filter(|&&row| self.labels[row] == truth[row]).count() as f64;
        let above = ranking.partition_point(|&row| self.confidence[row] > last);
        let tied = ranking.partition_point(|&row| self.confidence[row] >= last) - above;
        let of_tied = right(&ranking[above..above + tied]) * (taken - above) as f64 / tied as f64;
        (right(&ranking[..above]) + of_tied) / taken as f64
    }
}

/// Expected numbers of rows of each class in each unit, by unit then class; those of a unit add
/// up to its rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expected(pub(crate) Vec<f64>);

impl Expected {
    /// From the layers of a problem.
    pub(crate) fn of_layers(problem: &LabelProblem, layers: &[f64]) -> Self {
        if problem.layers > 1 {
            return Self(layers.to_vec());
        }
        let unit = |(&ones, &size): (&f64, &u32)| [f64::from(size) - ones, ones];
        Self(layers.iter().zip(&problem.sizes).flat_map(unit).collect())
    }

    /// The mean of several.
    pub(crate) fn mean(all: &[&Self]) -> Self {
        Self(
            (0..all.first().map_or(0, |one| one.0.len()))
                .map(|at: usize| all.iter().map(|one| one.0[at]).sum::<f64>() / all.len() as f64)
                .collect(),
        )
    }

    /// The numbers that whole labels are.
    pub(crate) fn of_labels(problem: &LabelProblem, labels: &[u32]) -> Self {
        let mut counts = vec![0.0; problem.units() * problem.shares.len()];
        for (&unit, &label) in problem.unit_of_row.iter().zip(labels) {
            counts[unit as usize * problem.shares.len() + label as usize] += 1.0;
        }
        Self(counts)
    }

    /// Share of the rows in which two agree, when rows of one unit may exchange their labels.
    pub(crate) fn overlap(&self, other: &Self) -> f64 {
        let common: f64 = self.0.iter().zip(&other.0).map(|(a, b)| a.min(*b)).sum();
        common / self.0.iter().sum::<f64>()
    }

    /// Each row gets the commonest class of its unit.
    pub(crate) fn guess(&self, problem: &LabelProblem) -> LabelGuess {
        let units = self.0.chunks(problem.shares.len()).zip(&problem.sizes);
        let of_unit: Vec<(u32, f64)> = units
            .map(|(counts, &size)| {
                let (class, count) = largest(counts);
                (class, (count / f64::from(size)).clamp(0.0, 1.0))
            })
            .collect();
        let rows = problem.unit_of_row.iter().map(|&unit| of_unit[unit as usize]);
        let (labels, confidence) = rows.unzip();
        LabelGuess { labels, confidence }
    }

    /// Whole labels nearest to the expected numbers: within a unit, classes take their rounded
    /// numbers by largest remainder.
    pub(crate) fn rounded(&self, problem: &LabelProblem) -> Vec<u32> {
        let classes = problem.shares.len();
        let mut left: Vec<Vec<u32>> =
            self.0.chunks(classes).zip(&problem.sizes).map(|(counts, &size)| whole(counts, size)).collect();
        problem
            .unit_of_row
            .iter()
            .map(|&unit: &u32| {
                let counts = &mut left[unit as usize];
                let class = counts.iter().position(|&count| count > 0).unwrap_or(0);
                counts[class] = counts[class].saturating_sub(1);
                class as u32
            })
            .collect()
    }
}

/// Whole numbers nearest to `counts` that add up to `size`.
fn whole(counts: &[f64], size: u32) -> Vec<u32> {
    let mut floors: Vec<u32> = counts.iter().map(|&count| (count.max(0.0) as u32).min(size)).collect();
    let mut by_rest: Vec<usize> = (0..counts.len()).collect();
    by_rest.sort_by(|&a, &b| (counts[b] - f64::from(floors[b])).total_cmp(&(counts[a] - f64::from(floors[a]))));
    let mut missing = i64::from(size) - floors.iter().map(|&floor| i64::from(floor)).sum::<i64>();
    for &class in by_rest.iter().cycle().take(counts.len() * 2) {
        if missing > 0 {
            floors[class] += 1;
            missing -= 1;
        }
    }
    // Rounding errors of the sums alone could leave a row over: the commonest class takes it.
    floors[by_rest[0]] = (i64::from(floors[by_rest[0]]) + missing).max(0) as u32;
    floors
}

/// The largest entry, the first of equals, and where it is.
pub(crate) fn largest(values: &[f64]) -> (u32, f64) {
    let first = (0, values.first().copied().unwrap_or(0.0));
    (1_u32..)
        .zip(&values[1.min(values.len())..])
        .fold(first, |best, (at, &value)| if value > best.1 { (at, value) } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_add_up_and_are_near() {
        assert_eq!(whole(&[0.2, 1.7, 1.1], 3), [0, 2, 1]);
        assert_eq!(whole(&[0.5, 0.5], 1), [1, 0]);
        assert_eq!(whole(&[2.999_999_9, 0.0], 3), [3, 0]);
        assert_eq!(whole(&[3.0, 4e-13], 3), [3, 0]);
    }

    #[test]
    fn rows_tied_with_the_last_one_count_in_proportion() {
        let guess = LabelGuess { labels: vec![0; 4], confidence: vec![0.9, 0.5, 0.5, 0.5] };
        // One row for sure, and of the three tied ones a third each: two of them are right.
        assert!((guess.top_accuracy(&[0, 0, 0, 1], 0.5) - (1.0 + 2.0 / 3.0) / 2.0).abs() < 1e-15);
        assert_eq!(guess.top_accuracy(&[0, 0, 0, 1], 0.01), 1.0);
        assert_eq!(guess.ranking(), [0, 1, 2, 3]);
    }
}
