//! Estimates and covariances for any sets over any number of columns, with any protocols.
//!
//! A report reads `y` off each column; `Z_J` the product of the readings over a set
//! `J` of columns, at most one per feature; `N_J` reports cover `J`, `N_U` both `J` and `K`.
//! `f_J = sum Z_J / N_J` is unbiased, and
//!
//! ```text
//! super:  Cov(f_J, f_K) = N_U / (N_J N_K) Cov(Z_J, Z_K)                                 (1.7, 1.8)
//! fixed:  N_U / (N_J N_K) W + (N_U / (N_J N_K) - 1 / N) R, W the part of the randomisation,
//!         R = N / (N - 1) (f_(J | K) - f_J f_K) that of the rows
//! ```
//!
//! `Cov(Z_J, Z_K)` is that of the reports' readings; a column read twice gives
//! `y^2 = alpha y + beta`. Two values of a feature need no rule of their own: what their bits do
//! together is in the counts, and for generalised response never happens. With every report
//! covering everything `fixed` is Theorem 3.6 and `super` is (1.5). Features that are answered
//! together as one symbol have one reading for a whole set: `joint.rs`. Of parities a set is a sum
//! over the questions of a report: `parity.rs`.

use ndarray::Array2;

use super::lattice::TAKEN;
use super::parity::ParitySet;
use super::score::{Coverage, NearestTable, Score};
use super::source::Source;
use super::union::Union;
use super::{ConfidenceInterval, ConfidenceLevel, EstimateError, Population};
use crate::counts::Counts;
use ldp_client::Schema;
use privacy_core::stop::StopFlag;

/// Below this many reports that have all columns of a set, or lack one, an unbiased variance is not
/// trusted.
pub(super) const SMALL_COUNT: f64 = 10.0;

/// The estimate for one set of columns, in people.
///
/// Kind: calibration. The count is unbiased whatever the truth and the number of reports, and may
/// be negative.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[must_use]
pub struct Estimate {
    /// How many people have all columns of the set.
    pub count: f64,
    /// Standard error for the people who reported: randomisation, and which features were asked
    /// of whom.
    pub se_fixed_population: f64,
    /// Standard error for the population they were drawn from.
    pub se_super_population: f64,
    /// The confidence interval, within 0 and all: the counts that the estimate does not
    /// contradict, each with the variance that the estimate would have if it were the truth (a
    /// score interval with a continuity correction). It covers at its level on both sides, near 0
    /// and near all; where the unbiased count is below 0 or above all, it ends there.
    pub interval: ConfidenceInterval,
    /// Fewer than ten reports have all columns of the set, or lack one of them, which is too few
    /// for the unbiased variance: standard errors are those of the nearest possible table, where
    /// these are larger.
    pub small_count: bool,
    /// No table of people explains the estimate: it is further below 0, or above all, than
    /// randomisation takes it once in a million times. Reports were made by no client of the
    /// schema, or counted under another one.
    pub impossible: bool,
    /// Reports that cover the set; of parities the fewest about one of its questions.
    pub reports: u64,
}

/// Reads estimates off counts.
#[derive(Clone, Debug)]
pub struct Estimator<'a, C: ?Sized> {
    source: Source<'a, C>,
    level: ConfidenceLevel,
    population: Population,
    stop: StopFlag,
}

/// Sums over the reports that cover both sets.
pub(super) struct Together {
    pub(super) reports: f64,
    /// Of `Z_J Z_K`, `Z_J`, `Z_K`, and how many have both sets.
    pub(super) moment: f64,
    pub(super) first: f64,
    pub(super) second: f64,
    pub(super) both: f64,
}

impl<'a, C: Counts + ?Sized> Estimator<'a, C> {
    /// An estimator with 95 % intervals for the super-population.
    #[must_use]
    pub fn new(schema: &'a Schema, counts: &'a C) -> Self {
        Self {
            source: Source { schema, counts },
            level: ConfidenceLevel::NINETY_FIVE,
            population: Population::Super,
            stop: StopFlag::never(),
        }
    }

    /// The same with intervals at another level.
    #[must_use]
    pub fn at_level(self, level: ConfidenceLevel) -> Self {
        Self { level, ..self }
    }

    /// The same with intervals for another population.
    #[must_use]
    pub fn for_population(self, population: Population) -> Self {
        Self { population, ..self }
    }

    /// The same, stopped by this flag: it is looked at before each estimate and each covariance.
    #[must_use]
    pub fn with_stop(self, stop: StopFlag) -> Self {
        Self { stop, ..self }
    }

    /// The flag that stops it.
    #[must_use]
    pub fn stop_flag(&self) -> &StopFlag {
        &self.stop
    }

    /// How many reports were counted.
    #[must_use]
    pub fn reports(&self) -> u64 {
        self.source.counts.reports()
    }

    /// The population that intervals are for.
    #[must_use]
    pub fn population(&self) -> Population {
        self.population
    }

    /// The level of the intervals.
    #[must_use]
    pub fn level(&self) -> ConfidenceLevel {
        self.level
    }

    /// The schema of the reports.
    #[must_use]
    pub fn schema(&self) -> &'a Schema {
        self.source.schema
    }

    /// The counts themselves.
    #[must_use]
    pub fn counts(&self) -> &'a C {
        self.source.counts
    }

    /// How many reports cover the features of a set: all, unless features are sampled; of parities
    /// the fewest that are about one of the questions that the set is read from.
    ///
    /// # Errors
    /// As for [`estimate`](Self::estimate), but for the number of reports.
    pub fn covering(&self, set: &[usize]) -> Result<u64, EstimateError> {
        let union = Union::new(set, &[], self.source.schema.columns())?;
        if let Some(asked) = self.source.parity_set(&union.columns)? {
            return Ok(asked.fewest() as u64);
        }
        self.source.covering(&union.columns).map(|reports| reports as u64)
    }

    /// The estimate for a set of support columns, at most one per feature; the empty set is
    /// everyone. `O(2^k)` for `k` columns.
    ///
    /// # Errors
    /// An unknown column, two columns of a feature, an order that was not kept, or fewer than two
    /// reports that cover the set.
    ///
    /// # Panics
    /// Never: the counts of a set's subsets include its own.
    pub fn estimate(&self, set: &[usize]) -> Result<Estimate, EstimateError> {
        self.check_stop()?;
        let union = Union::new(set, &[], self.source.schema.columns())?;
        if let Some(asked) = self.source.parity_set(&union.columns)? {
            return self.estimate_of_questions(&union.columns, &asked);
        }
        let lattice = self.source.of_set(&union)?;
        let covering = lattice.reports();
        if covering < 2.0 {
            return Err(EstimateError::TooFewReports { needed: 2 });
        }
        // Who is asked about the set is drawn without looking at answers: its share stands for
        // everyone.
        let scale = self.source.counts.reports() as f64 / covering;
        let raw = Population::both().map(|population| self.covariance_of(set, set, population));
        let (mut fixed, mut sup) = match raw {
            [Ok(fixed), Ok(sup)] => (fixed, sup),
            [Err(error), _] | [_, Err(error)] => return Err(error),
        };
        let observed = *lattice.counts.last().expect("a lattice has the count of its whole set");
        // The empty set is known, and a noiseless column is counted: nothing is small about them.
        let noisy = lattice.channels.iter().any(|channel| channel.beta() > 0.0 || channel.q() < 1.0);
        let small = noisy && (observed.min(covering - observed) < SMALL_COUNT || fixed <= 0.0);
        let count = scale * lattice.fold(&vec![TAKEN; lattice.channels.len()]);
        let nearest = NearestTable::of(&lattice);
        let coverage = Coverage { everyone: self.source.counts.reports() as f64, covering };
        if small {
            // An unbiased variance may be negative or far too small where few reports have the
            // set, or lack it; that of the nearest possible table is not. The larger of the two is
            // conservative.
            let there = nearest.variances(coverage);
            (fixed, sup) = (fixed.max(there.fixed), sup.max(there.sup));
        }
        let score = Score::new(&lattice, nearest, coverage, self.population);
        let is_sampled = self.population == Population::Super || covering < coverage.everyone;
        let is_known = set.is_empty() || !(noisy || is_sampled);
        let interval = match is_known {
            true => ConfidenceInterval { low: count, high: count },
            false => score.interval(self.level),
        };
        Ok(Estimate {
            count,
            se_fixed_population: fixed.max(0.0).sqrt(),
            se_super_population: sup.max(0.0).sqrt(),
            interval,
            small_count: small,
            impossible: score.is_impossible(),
            reports: covering as u64,
        })
    }

    /// The estimate for a set that is read from questions of a parity schema.
    fn estimate_of_questions(&self, set: &[usize], asked: &ParitySet) -> Result<Estimate, EstimateError> {
        if asked.fewest() < 2.0 {
            return Err(EstimateError::TooFewReports { needed: 2 });
        }
        let found = asked.estimate(self.population)?;
        let mut fixed = self.covariance_of(set, set, Population::Fixed)?;
        let mut sup = self.covariance_of(set, set, Population::Super)?;
        let small = !set.is_empty() && (found.is_small || fixed <= 0.0);
        if small {
            (fixed, sup) = (fixed.max(found.fixed_there), sup.max(found.sup_there));
        }
        let interval = match set.is_empty() {
            true => ConfidenceInterval { low: found.count, high: found.count },
            false => found.score.interval(self.level),
        };
        Ok(Estimate {
            count: found.count,
            se_fixed_population: fixed.max(0.0).sqrt(),
            se_super_population: sup.max(0.0).sqrt(),
            interval,
            small_count: small,
            impossible: !set.is_empty() && found.score.is_impossible(),
            reports: asked.fewest() as u64,
        })
    }

    /// Covariance of the estimates of two sets, in people squared: unbiased, and for small counts
    /// as noisy as it is.
    ///
    /// Needs counts up to the order of the union of the sets; under [`Population::Fixed`] sets
    /// without a common feature have covariance 0 and need none, unless features are sampled.
    ///
    /// # Errors
    /// As for [`estimate`](Self::estimate); [`EstimateError::NeverTogether`] for sampled features
    /// under `Fixed` when no report covers both sets.
    pub fn covariance(&self, first: &[usize], second: &[usize]) -> Result<f64, EstimateError> {
        self.covariance_of(first, second, self.population)
    }

    /// All covariances of some sets.
    ///
    /// # Errors
    /// As for [`covariance`](Self::covariance).
    pub fn covariances(&self, sets: &[Vec<usize>]) -> Result<Array2<f64>, EstimateError> {
        let mut matrix = Array2::zeros((sets.len(), sets.len()));
        for (row, first) in sets.iter().enumerate() {
            for (column, second) in sets.iter().enumerate().take(row + 1) {
                let value = self.covariance(first, second)?;
                (matrix[(row, column)], matrix[(column, row)]) = (value, value);
            }
        }
        Ok(matrix)
    }

    fn check_stop(&self) -> Result<(), EstimateError> {
        if self.stop.is_set() { Err(EstimateError::Stopped) } else { Ok(()) }
    }

    fn covariance_of(&self, first: &[usize], second: &[usize], population: Population) -> Result<f64, EstimateError> {
        self.check_stop()?;
        let union = Union::new(first, second, self.source.schema.columns())?;
        let (one, other) = (union.first_columns(), union.second_columns());
        if let Some(covariance) = self.source.parity_covariance(&one, &other, population)? {
            return Ok(covariance);
        }
        // Given the rows, randomisations of different features are independent, unless one coin
        // decides for all.
        let is_independent = !union.share_a_feature() && self.source.schema.joint_keep().is_none();
        if population == Population::Fixed && is_independent && !self.source.schema.is_sampled() {
            return Ok(0.0);
        }
        let [n_first, n_second] = [self.source.covering(first)?, self.source.covering(second)?];
        if n_first < 1.0 || n_second < 1.0 {
            return Err(EstimateError::TooFewReports { needed: 1 });
        }
        let Together { reports, moment, first, second, both } = self.together(&union)?;
        if reports < 1.0 {
            return if population == Population::Super { Ok(0.0) } else { Err(EstimateError::NeverTogether) };
        }
        let everyone = self.source.counts.reports() as f64;
        // Both estimates are means over their covering reports, scaled to everyone (1.8).
        let weight = everyone / n_first * (everyone / n_second);
        match population {
            Population::Super if reports < 2.0 => Err(EstimateError::TooFewReports { needed: 2 }),
            Population::Super => Ok(weight * (moment - first * second / reports) * (reports / (reports - 1.0))),
            // Every report covers everything: Theorem 3.6, to the last digit.
            Population::Fixed if !self.source.schema.is_sampled() => Ok(moment - both),
            Population::Fixed if reports < 2.0 => Err(EstimateError::TooFewReports { needed: 2 }),
            Population::Fixed => {
                // Of the randomisation, per report, and of the rows, per person, with N - 1: the
                // product of two means over the same reports holds a part of both.
                let randomised = (moment - both) / reports;
                let product = first / reports * (second / reports);
                let rows = (both / reports - product + randomised / reports) * (reports / (reports - 1.0));
                Ok(weight * reports * randomised + (weight * reports - everyone) * rows)
            }
        }
    }

    /// The sums over the reports that cover both sets.
    fn together(&self, union: &Union) -> Result<Together, EstimateError> {
        if let Some(together) = self.source.joint_together(union)? {
            return Ok(together);
        }
        let lattice = self.source.lattice(union)?;
        Ok(Together {
            reports: lattice.reports(),
            moment: lattice.fold(&union.product(self.source.schema.columns())),
            first: lattice.fold(&union.first()),
            second: lattice.fold(&union.second()),
            both: if union.contradict() { 0.0 } else { lattice.fold(&vec![TAKEN; union.columns.len()]) },
        })
    }
}

impl Population {
    fn both() -> [Self; 2] {
        [Self::Fixed, Self::Super]
    }
}
