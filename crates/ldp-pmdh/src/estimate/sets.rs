//! Estimates and covariances for any sets over any number of columns, with any protocols.
//!
//! A report reads `y` off each column; `Z_J` the product of the readings over a set
//! `J` of columns, at most one per feature; `N_J` reports cover `J`, `N_U` both `J` and `K`.
//! `f_J = sum Z_J / N_J` is unbiased, and
//!
//! ```text
//! super:  Cov(f_J, f_K) = N_U / (N_J N_K) Cov(Z_J, Z_K)                                 (1.7, 1.8)
//! fixed:  the same without the part of the rows, (f_(J | K) - f_J f_K) / N
//! ```
//!
//! `Cov(Z_J, Z_K)` is that of the reports' readings; a column read twice gives
//! `y^2 = alpha y + beta`. Two values of a feature need no rule of their own: what their bits do
//! together is in the counts, and for generalised response never happens. With every report
//! covering everything `fixed` is Theorem 3.6 and `super` is (1.5).

use ndarray::Array2;

use super::lattice::{Lattice, TAKEN, fold};
use super::source::Source;
use super::union::Union;
use super::{ConfidenceInterval, ConfidenceLevel, EstimateError, Population, interval};
use crate::counts::Counts;
use ldp_client::Schema;
use privacy_core::stop::StopFlag;

/// Below this many reports that have all columns of a set, an unbiased variance is not trusted.
const SMALL_COUNT: f64 = 10.0;

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
    /// The confidence interval: normal, and it may reach below 0. For small counts it is within 0
    /// and all: exact for one column, for more the counts whose variance, that of the nearest
    /// table and of more people with the set, is consistent with the estimate.
    pub interval: ConfidenceInterval,
    /// Too few reports have all columns of the set for the unbiased variance: standard errors are
    /// those of the nearest possible table, where these are larger.
    pub small_count: bool,
    /// Reports that cover the set.
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
struct Together {
    reports: f64,
    /// Of `Z_J Z_K`, `Z_J`, `Z_K`, and how many have both sets.
    moment: f64,
    first: f64,
    second: f64,
    both: f64,
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
        let lattice = self.source.lattice(&Union::new(set, &[], self.source.schema.columns())?)?;
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
        let small = noisy && (observed < SMALL_COUNT || fixed <= 0.0);
        let count = scale * lattice.fold(&vec![TAKEN; set.len()]);
        // An unbiased variance may be negative or far too small where few reports have the set;
        // that of the nearest possible table is not. The larger of the two is conservative.
        let nearest = if small { self.nearest(&lattice) } else { Nearest::default() };
        (fixed, sup) = (fixed.max(nearest.fixed), sup.max(nearest.sup));
        let variance = if self.population == Population::Fixed { fixed } else { sup };
        let interval = match small {
            true => self.interval_of_few(&lattice, count, nearest.count, variance),
            false => ConfidenceInterval::around(count, variance.max(0.0).sqrt(), self.level),
        };
        Ok(Estimate {
            count,
            se_fixed_population: fixed.max(0.0).sqrt(),
            se_super_population: sup.max(0.0).sqrt(),
            interval,
            small_count: small,
            reports: covering as u64,
        })
    }

    /// The interval where few reports have the whole set.
    fn interval_of_few(&self, lattice: &Lattice, count: f64, nearest: f64, variance: f64) -> ConfidenceInterval {
        let (covering, people) = (lattice.reports(), self.source.counts.reports() as f64);
        // The count of one column is binomial: the exact interval of its probability, mapped
        // through the channel.
        if let &[channel] = &lattice.channels[..] {
            let observed = *lattice.counts.last().expect("a lattice has the count of its whole set");
            let share = interval::frequency_interval(channel, observed as u64, covering as u64, self.level);
            return share.times(people);
        }
        // More columns: a score interval, whose variance grows with the count that is tried. One
        // more person with the whole set adds this much variance.
        let person: f64 = lattice.channels.iter().map(|channel| channel.alpha() + channel.beta()).product();
        let known = if self.population == Population::Fixed && !self.source.schema.is_sampled() { 1.0 } else { 0.0 };
        let slope = people / covering * (person - known);
        interval::score(count, nearest, variance, slope, self.level).within(0.0, people)
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
        // Given the rows, randomisations of different features are independent.
        if population == Population::Fixed && !union.share_a_feature() && !self.source.schema.is_sampled() {
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
            // Written so that without sampling it is moment - both to the last digit.
            Population::Fixed => {
                let rows = weight - everyone / reports;
                Ok(weight * moment - everyone / reports * both - rows * first * second / reports)
            }
        }
    }

    /// The sums over the reports that cover both sets.
    fn together(&self, union: &Union) -> Result<Together, EstimateError> {
        let lattice = self.source.lattice(union)?;
        Ok(Together {
            reports: lattice.reports(),
            moment: lattice.fold(&union.product(self.source.schema.columns())),
            first: lattice.fold(&union.first()),
            second: lattice.fold(&union.second()),
            both: if union.contradict() { 0.0 } else { lattice.fold(&vec![TAKEN; union.columns.len()]) },
        })
    }

    /// The nearest possible table.
    fn nearest(&self, lattice: &Lattice) -> Nearest {
        let truth = lattice.feasible_truth();
        let all = *truth.last().expect("a table has the count of its whole set");
        let factors = lattice.channels.iter().map(|channel| [channel.beta(), channel.alpha()]);
        // (1.4) with J = K at this table, and the part of the rows taken off for the fixed
        // population.
        let moment = fold(truth, factors.collect());
        let (covering, everyone) = (lattice.reports(), self.source.counts.reports() as f64);
        let scale = everyone / covering;
        let spread = scale * scale * (moment - all * all / covering);
        let rows = all * (1.0 - all / covering);
        let (fixed, sup) = (spread - scale * rows, spread * covering / (covering - 1.0));
        Nearest { count: scale * all, fixed, sup }
    }
}

/// The count of a set in the nearest possible table, and the variances of its estimate there.
#[derive(Default)]
struct Nearest {
    count: f64,
    fixed: f64,
    sup: f64,
}

impl Population {
    fn both() -> [Self; 2] {
        [Self::Fixed, Self::Super]
    }
}
