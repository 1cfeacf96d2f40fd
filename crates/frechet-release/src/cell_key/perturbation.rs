//! The perturbation table: with which probability a count moves by how much.
//!
//! `D` the largest deviation, `V` the variance, `s` the smallest published number, `n` a count,
//! `v` its deviation, `m = n + v` what is published:
//!
//! ```text
//! (1)  n = 0 stays 0;  n >= 1:  |v| <= D,  m = 0 or m >= s,  every such v is possible
//! (2)  E[v] = 0,  Var[v] = V,  and of all such laws the one with the largest entropy
//! (3)  m = 0:  0 <= n <= D;    m >= s:  max(1, m - D) <= n <= m + D
//! (4)  floor(s^2 / 4) < V < D  where s >= 2,   0 < V < D  where s = 1
//! ```
//!
//! (4) is what (2) takes of all counts together: a count `n < s` may fall to 0 or rise to `s` and
//! more, at least `n (s - n)` of variance; a count of 1 falls by 1 at most, at most `D`. From
//! `n = D + s` on nothing is in the way, and all counts share one law.
//!
//! Source: Fraser and Wooton, "A proposed method for confidentialising tabular output to protect
//! against differencing" (2005); Giessing, "Computational issues in the design of transition
//! probabilities and disclosure risk estimation for additive noise" (2016), for largest entropy
//! under moments. (3), (4) are ours.

use crate::cell_key::entropy::largest_entropy;
use crate::table::error::Error;

/// The largest deviation that is accepted.
const LARGEST: u32 = 100;
/// The least probability of a deviation: a reader who takes a rarer one for impossible is nearly
/// always right, and (3) would promise too much.
const RAREST: f64 = 1e-9;

/// Distribution of the deviation for every count.
#[derive(Clone, Debug, PartialEq)]
pub struct PerturbationTable {
    max_deviation: u32,
    variance: f64,
    smallest_published: u32,
    /// Of counts 1, 2, ...; the last one is that of all larger counts too.
    laws: Vec<DeviationLaw>,
}

/// Deviations in increasing order.
#[derive(Clone, Debug, PartialEq)]
struct DeviationLaw {
    deviations: Vec<i64>,
    probabilities: Vec<f64>,
    /// A draw of 64 bits below the first of these gives the first deviation, and so on; the last
    /// deviation takes the rest.
    thresholds: Vec<u64>,
}

impl PerturbationTable {
    /// The table of a design: deviations of at most `max_deviation` with this variance, and no
    /// published number from 1 to `smallest_published - 1`.
    ///
    /// # Errors
    /// [`Error::PerturbationSize`] for a largest deviation that is not from 1 to 100, and a
    /// smallest number that is not from 1 to it; [`Error::PerturbationVariance`] for a variance
    /// that some count cannot have, with those that all can; [`Error::RareDeviation`] if a
    /// deviation would be rarer than 1e-9.
    pub fn new(max_deviation: u32, variance: f64, smallest_published: u32) -> Result<Self, Error> {
        if !(1..=LARGEST).contains(&max_deviation) || !(1..=max_deviation).contains(&smallest_published) {
            return Err(Error::PerturbationSize { limit: LARGEST });
        }
        let squared = f64::from(smallest_published).powi(2);
        let (above, below) = ((squared / 4.0).floor(), f64::from(max_deviation));
        let refused = Error::PerturbationVariance { above, below };
        if !(above < variance && variance < below) {
            return Err(refused);
        }
        let counts = 1..=i64::from(max_deviation) + i64::from(smallest_published);
        let laws = counts.map(|count| {
            let deviations = support(count, max_deviation, smallest_published);
            let probabilities = largest_entropy(&deviations, variance).ok_or_else(|| refused.clone())?;
            match probabilities.iter().all(|&probability| probability >= RAREST) {
                true => Ok(DeviationLaw { thresholds: thresholds(&probabilities), deviations, probabilities }),
                false => Err(Error::RareDeviation { least: RAREST }),
            }
        });
        let laws = laws.collect::<Result<_, _>>()?;
        Ok(Self { max_deviation, variance, smallest_published, laws })
    }

    /// The largest deviation, `D`.
    #[must_use]
    pub fn max_deviation(&self) -> u32 {
        self.max_deviation
    }

    /// The variance of the deviation of every count above 0, `V`, in counts squared.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// The smallest number that is published besides 0, `s`.
    #[must_use]
    pub fn smallest_published(&self) -> u32 {
        self.smallest_published
    }

    /// Counts from which on all deviations have one law.
    #[must_use]
    pub fn last_count(&self) -> u64 {
        self.laws.len() as u64
    }

    /// The deviations of a count with their probabilities, in increasing order. A count of 0
    /// stays.
    #[must_use]
    pub fn law(&self, count: u64) -> Vec<(i64, f64)> {
        match self.law_of(count) {
            Some(law) => law.deviations.iter().copied().zip(law.probabilities.iter().copied()).collect(),
            None => vec![(0, 1.0)],
        }
    }

    /// What is published of a count under a uniform draw of 64 bits.
    #[must_use]
    pub fn published(&self, count: u64, draw: u64) -> u64 {
        let Some(law) = self.law_of(count) else { return 0 };
        let place = law.thresholds.partition_point(|&threshold| threshold <= draw);
        // A deviation is never below minus the count.
        count.saturating_add_signed(law.deviations[place])
    }

    /// The least and the largest count of which this number may be published: (3). Every count
    /// between them may be. `None` for a number that is never published.
    #[must_use]
    pub fn range(&self, published: u64) -> Option<(u64, u64)> {
        let most = u64::from(self.max_deviation);
        match published {
            0 => Some((0, most)),
            _ if published < u64::from(self.smallest_published) => None,
            _ => Some((published.saturating_sub(most).max(1), published.saturating_add(most))),
        }
    }

    fn law_of(&self, count: u64) -> Option<&DeviationLaw> {
        let place = usize::try_from(count.min(self.last_count())).ok()?.checked_sub(1)?;
        self.laws.get(place)
    }
}

/// The deviations that (1) allows.
fn support(count: i64, max_deviation: u32, smallest_published: u32) -> Vec<i64> {
    let (most, smallest) = (i64::from(max_deviation), i64::from(smallest_published));
    (-most..=most).filter(|deviation| count + deviation == 0 || count + deviation >= smallest).collect()
}

/// Ends of the intervals of 64 bits that probabilities take, all but the last.
fn thresholds(probabilities: &[f64]) -> Vec<u64> {
    let mut sum = 0.0;
    let all = probabilities.len().saturating_sub(1);
    let end = |probability: &f64| {
        sum += probability;
        // Conversions saturate, so that rounding above 1 leaves nothing to later deviations.
        (sum * 2.0_f64.powi(64)) as u64
    };
    probabilities.iter().take(all).map(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supports_leave_out_small_numbers_and_negative_ones() {
        assert_eq!(support(1, 5, 3), [-1, 2, 3, 4, 5]);
        assert_eq!(support(2, 5, 3), [-2, 1, 2, 3, 4, 5]);
        assert_eq!(support(4, 5, 3), [-4, -1, 0, 1, 2, 3, 4, 5]);
        assert_eq!(support(8, 5, 3), (-5..=5).collect::<Vec<i64>>());
        assert_eq!(support(1, 2, 1), [-1, 0, 1, 2]);
    }

    #[test]
    fn draws_at_the_ends_give_the_outermost_deviations() {
        let table = PerturbationTable::new(5, 3.0, 3).unwrap();
        assert_eq!((table.published(1, 0), table.published(1, u64::MAX)), (0, 6));
        assert_eq!((table.published(50, 0), table.published(50, u64::MAX)), (45, 55));
        assert_eq!((table.published(0, 0), table.published(0, u64::MAX)), (0, 0));
    }
}
