//! Does a sampler of integers follow a law? Exact critical values, no asymptotics.
//!
//! `n` samples, `f` the law's mass function, `F` its distribution function, `a` the probability
//! of rejecting a right sampler. Three tests share `a` equally, and each holds its share for
//! every `n` and `f`:
//!
//! 1. **Cells.** The integers are cut into the shortest runs whose expected count reaches 20
//!    (single values near the mode, tails at both ends), `c` of them. Each count is binomial; its
//!    exact two-sided p-value must exceed `a / (3 c)`.
//! 2. **Distance.** `sup |Fn - F| <= sqrt(ln(6 / a) / (2 n))`: Dvoretzky-Kiefer-Wolfowitz with
//!    the constant of Massart (1990), which also holds for discrete laws. Sees a drift that is
//!    spread thinly over many cells.
//! 3. **Signs.** Among the nonzero samples the number of positive ones is binomial with
//!    `P(X > 0) / P(X != 0)`, one half for symmetric noise. Sees a biased sign with the power of
//!    all samples together.
//!
//! And a value that the law gives no mass rejects at once.

use crate::tails::binomial_p_value;

/// Probability that a right sampler is rejected, in every statistical test of the workspace.
pub const ERROR_RATE: f64 = 1e-9;

const EXPECTED_IN_A_CELL: f64 = 20.0;

/// Why samples were found not to follow a law.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LawRejected {
    /// A value that the law cannot give.
    Impossible {
        /// The value.
        value: i64,
    },
    /// Too many or too few samples in a run of values.
    Cell {
        /// First value of the run; the first run begins at `i64::MIN`.
        first: i64,
        /// Last value of the run; the last run ends at `i64::MAX`.
        last: i64,
        /// Samples in it.
        observed: u64,
        /// Samples expected in it.
        expected: f64,
        /// The exact two-sided p-value, before the correction for the number of cells.
        p_value: f64,
    },
    /// The empirical distribution function is too far from the law's.
    Distance {
        /// `sup |Fn - F|`.
        distance: f64,
        /// The largest distance that is accepted.
        critical: f64,
    },
    /// Too many or too few positive samples among the nonzero ones.
    Signs {
        /// Positive samples.
        positive: u64,
        /// Nonzero samples.
        nonzero: u64,
        /// The exact two-sided p-value.
        p_value: f64,
    },
}

/// Whether `samples`, independent draws, may come from the law with mass function `pmf`. A right
/// sampler is rejected with probability at most `error_rate`. Cost: sorting, and a few
/// evaluations of `pmf` a value of its support.
///
/// # Errors
/// [`LawRejected`]: the first test that failed.
///
/// # Panics
/// If there is no sample, `error_rate` is not in `(0, 1)`, or `pmf` is not a law: negative, or
/// its masses do not come within 1e-9 of 1 in a window of 2^23 values around the median of the
/// samples.
#[track_caller]
pub fn check_law(samples: &[i64], pmf: impl Fn(i64) -> f64, error_rate: f64) -> Result<(), LawRejected> {
    assert!(!samples.is_empty(), "a law is judged by samples");
    assert!(error_rate > 0.0 && error_rate < 1.0, "an error rate lies between 0 and 1, got {error_rate}");
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    let law = Law::around(sorted[sorted.len() / 2], &pmf);
    let share = error_rate / 3.0;
    possible(&sorted, &pmf)?;
    cells(&sorted, &law, share)?;
    distance(&sorted, &law, share)?;
    signs(&sorted, &law, share)
}

/// Panics unless [`check_law`] accepts at the common [`ERROR_RATE`].
///
/// # Panics
/// If it does not, or as [`check_law`].
#[track_caller]
pub fn assert_law(samples: &[i64], pmf: impl Fn(i64) -> f64) {
    if let Err(rejected) = check_law(samples, pmf, ERROR_RATE) {
        panic!("{} samples do not follow the law: {rejected:?}", samples.len());
    }
}

/// The twin of [`assert_law`]: a slightly wrong law must be caught, otherwise the sample is too
/// small to mean anything.
///
/// # Panics
/// If the wrong law is accepted, or as [`check_law`].
#[track_caller]
pub fn refute_law(samples: &[i64], wrong_pmf: impl Fn(i64) -> f64) {
    assert!(
        check_law(samples, wrong_pmf, ERROR_RATE).is_err(),
        "{} samples do not tell the law from a wrong one: take more of them",
        samples.len()
    );
}

/// The masses of a law on a window that holds all of it but 1e-9.
struct Law {
    first: i64,
    masses: Vec<f64>,
}

impl Law {
    /// A window around `centre`, doubled until it holds the law. The window depends on the
    /// samples, but what is left outside is too little to move a cell.
    #[track_caller]
    fn around(centre: i64, pmf: &impl Fn(i64) -> f64) -> Self {
        let (mut half, mut before) = (64, 0.0);
        loop {
            let first = centre.saturating_sub(half);
            let masses: Vec<f64> = (first..=centre.saturating_add(half)).map(pmf).collect();
            assert!(masses.iter().all(|&m| m >= 0.0), "a mass is negative or NaN");
            let total: f64 = masses.iter().sum();
            let grows = total < 1.0 - 1e-12 && (total < 0.5 || total - before > 1e-13);
            if !grows || half >= 1 << 22 {
                assert!(
                    (total - 1.0).abs() <= 1e-9,
                    "the masses within {half} of {centre} add up to {total}: not a law, or far from the samples"
                );
                return Self { first, masses };
            }
            (half, before) = (2 * half, total);
        }
    }

    fn iter(&self) -> impl Iterator<Item = (i64, f64)> {
        (self.first..).zip(self.masses.iter().copied())
    }

    fn mass(&self, wanted: impl Fn(i64) -> bool) -> f64 {
        self.iter().filter(|&(value, _)| wanted(value)).map(|(_, mass)| mass).sum()
    }

    /// The runs of test 1: last value and mass of each.
    fn runs(&self, n: f64) -> Vec<(i64, f64)> {
        let (mut runs, mut open) = (Vec::new(), 0.0);
        for (value, mass) in self.iter() {
            open += mass;
            if n * open >= EXPECTED_IN_A_CELL {
                runs.push((value, open));
                open = 0.0;
            }
        }
        // What remains is too little for a run of its own, so the last run takes it and
        // everything beyond.
        let rest = runs.pop().map_or(1.0, |(_, mass)| mass + open);
        runs.push((i64::MAX, rest));
        runs
    }
}

/// How many of the sorted samples are at most `value`.
fn at_most(sorted: &[i64], value: i64) -> usize {
    sorted.partition_point(|&x| x <= value)
}

fn possible(sorted: &[i64], pmf: &impl Fn(i64) -> f64) -> Result<(), LawRejected> {
    let mut values = sorted.chunk_by(|a, b| a == b).map(|equal| equal[0]);
    values.find(|&value| pmf(value) <= 0.0).map_or(Ok(()), |value| Err(LawRejected::Impossible { value }))
}

fn cells(sorted: &[i64], law: &Law, error_rate: f64) -> Result<(), LawRejected> {
    let n = sorted.len() as u64;
    let runs = law.runs(n as f64);
    let critical = error_rate / runs.len() as f64;
    let (mut first, mut before) = (i64::MIN, 0);
    for (last, mass) in runs {
        let until = at_most(sorted, last);
        let observed = (until - before) as u64;
        let p_value = binomial_p_value(n, mass.min(1.0), observed);
        if p_value < critical {
            return Err(LawRejected::Cell { first, last, observed, expected: n as f64 * mass, p_value });
        }
        (first, before) = (last.saturating_add(1), until);
    }
    Ok(())
}

fn distance(sorted: &[i64], law: &Law, error_rate: f64) -> Result<(), LawRejected> {
    let n = sorted.len() as f64;
    let critical = ((2.0 / error_rate).ln() / (2.0 * n)).sqrt();
    // Between the values of the window nothing moves; before it, F is 0 to 1e-9.
    let before = at_most(sorted, law.first.saturating_sub(1)) as f64 / n;
    let (mut below, mut distance) = (0.0, before);
    for (value, mass) in law.iter() {
        below += mass;
        distance = f64::max(distance, (at_most(sorted, value) as f64 / n - below).abs());
    }
    if distance > critical { Err(LawRejected::Distance { distance, critical }) } else { Ok(()) }
}

fn signs(sorted: &[i64], law: &Law, error_rate: f64) -> Result<(), LawRejected> {
    let (negative, up_to_zero) = (at_most(sorted, -1), at_most(sorted, 0));
    let positive = (sorted.len() - up_to_zero) as u64;
    let nonzero = positive + negative as u64;
    let (above, below) = (law.mass(|v| v > 0), law.mass(|v| v < 0));
    if above + below == 0.0 {
        return Ok(());
    }
    let p_value = binomial_p_value(nonzero, above / (above + below), positive);
    if p_value < error_rate { Err(LawRejected::Signs { positive, nonzero, p_value }) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
