//! Estimates from reports about one feature or about the parity of two.
//!
//! `n_S` of `N` reports are about the question `S`, one feature or two; `g_S` is the mean of their
//! readings `y = (b - p) / d`. A set `J` of columns is a sum over questions, each with its own
//! reports (1.16):
//!
//! ```text
//! f_i  = g_i
//! f_ij = (g_i + g_j - g_ij) / 2                      f_J = sum over S of w_S(J) g_S
//! A(J, K) = sum over S of w_S(J) w_S(K) s_S^2 / n_S  s_S^2 the sample variance of the readings
//! super:  Cov(f_J, f_K) = A(J, K)
//! fixed:  Cov(f_J, f_K) = ((N - 1) A(J, K) - (f_(J | K) - f_J f_K)) / N
//! ```
//!
//! Given who is asked what, readings of different questions are independent but for the people, who
//! are drawn without replacement: their part is `-1/N` times the covariance of the two sets among
//! people. Both are unbiased, given the numbers of reports. `docs/math/ldp-pmdh.md`, section 6.

use super::EstimateError;
use super::Population;
use super::score::{Coverage, Parabola, Score};
use super::sets::SMALL_COUNT;
use super::source::Source;
use super::union::Union;
use crate::counts::Counts;
use crate::feasible::project_on_simplex;
use ldp_client::Channel;

/// One question with its reports, and its weight in a set.
#[derive(Clone, Copy, Debug)]
struct Asked {
    weight: f64,
    /// `n_S`, and how many of these answered 1.
    reports: f64,
    ones: f64,
}

impl Asked {
    fn mean(&self, channel: Channel) -> f64 {
        (self.ones / self.reports - channel.p()) / channel.gap()
    }

    /// `s_S^2`: of bits, `c (n - c) / (n (n - 1))` over the gap squared.
    fn sample_variance(&self, channel: Channel) -> f64 {
        let of_bits = self.ones * (self.reports - self.ones) / (self.reports * (self.reports - 1.0));
        of_bits / channel.gap().powi(2)
    }
}

/// A set of columns as the questions that it is read from.
pub(super) struct ParitySet {
    channel: Channel,
    /// None for the set of nothing, which everybody has.
    questions: Vec<(Vec<usize>, Asked)>,
    everyone: f64,
}

/// What is estimated of one set, in people.
pub(super) struct ParityEstimate {
    pub(super) count: f64,
    pub(super) is_small: bool,
    /// Variances at the nearest possible table.
    pub(super) fixed_there: f64,
    pub(super) sup_there: f64,
    pub(super) score: Score,
}

impl<C: Counts + ?Sized> Source<'_, C> {
    /// The questions of a set; `None` unless the schema asks parities.
    pub(super) fn parity_set(&self, set: &[usize]) -> Result<Option<ParitySet>, EstimateError> {
        let Some(parities) = self.schema.parities() else { return Ok(None) };
        let features: Vec<usize> = set.iter().map(|&column| self.schema.columns()[column].feature).collect();
        let weighted = match *features {
            [] => Vec::new(),
            [one] => vec![(vec![one], 1.0)],
            [one, other] => vec![(vec![one], 0.5), (vec![other], 0.5), (vec![one, other], -0.5)],
            _ => return Err(EstimateError::BeyondPairs { columns: features.len() }),
        };
        let questions = weighted.into_iter().map(|(question, weight)| {
            // A column of a feature is its only one.
            let asked =
                Asked { weight, reports: self.count_of(&[], &question)?, ones: self.count_of(&question, &question)? };
            Ok((question, asked))
        });
        let questions = questions.collect::<Result<_, EstimateError>>()?;
        let everyone = self.counts.reports() as f64;
        Ok(Some(ParitySet { channel: parities.channel(), questions, everyone }))
    }

    fn count_of(&self, columns: &[usize], features: &[usize]) -> Result<f64, EstimateError> {
        let count = self.counts.count(columns, features);
        count.map(|count| count as f64).ok_or(EstimateError::OrderNotKept { order: 1 })
    }

    /// The covariance of the estimates of two sets, in people squared; `None` unless the schema
    /// asks parities.
    pub(super) fn parity_covariance(
        &self,
        first: &[usize],
        second: &[usize],
        population: Population,
    ) -> Result<Option<f64>, EstimateError> {
        let (Some(one), Some(other)) = (self.parity_set(first)?, self.parity_set(second)?) else { return Ok(None) };
        let everyone = one.everyone;
        let randomised = one.covariance_with(&other)?;
        if population == Population::Super {
            return Ok(Some(everyone * everyone * randomised));
        }
        let union = Union::new(first, second, self.schema.columns())?;
        // Nobody was asked about three features at once.
        let both = match self.parity_set(&union.columns) {
            Err(EstimateError::BeyondPairs { .. }) => return Err(EstimateError::NeverTogether),
            both => both?.map_or(Ok(1.0), |both| both.share())?,
        };
        let of_people = both - one.share()? * other.share()?;
        Ok(Some(everyone * ((everyone - 1.0) * randomised - of_people)))
    }
}

impl ParitySet {
    /// The fewest reports about one of its questions; all of them for the set of nothing.
    pub(super) fn fewest(&self) -> f64 {
        self.questions.iter().map(|(_, asked)| asked.reports).fold(self.everyone, f64::min)
    }

    /// `f_J`.
    fn share(&self) -> Result<f64, EstimateError> {
        if self.questions.is_empty() {
            return Ok(1.0);
        }
        let needed = 1;
        if self.fewest() < needed as f64 {
            return Err(EstimateError::TooFewReports { needed });
        }
        Ok(self.questions.iter().map(|(_, asked)| asked.weight * asked.mean(self.channel)).sum())
    }

    /// `A(J, K)`.
    fn covariance_with(&self, other: &Self) -> Result<f64, EstimateError> {
        let mut sum = 0.0;
        for (question, asked) in &self.questions {
            let Some((_, same)) = other.questions.iter().find(|(own, _)| own == question) else { continue };
            let needed = 2;
            if asked.reports < needed as f64 {
                return Err(EstimateError::TooFewReports { needed });
            }
            sum += asked.weight * same.weight * asked.sample_variance(self.channel) / asked.reports;
        }
        Ok(sum)
    }

    /// The estimate of the set with what an interval takes; every question has two reports.
    pub(super) fn estimate(&self, population: Population) -> Result<ParityEstimate, EstimateError> {
        let (share, everyone) = (self.share()?, self.everyone);
        let nearest = self.nearest(share);
        let there = self.variance_through(&nearest, None);
        let spread = everyone * everyone * there.at(nearest.share);
        let rows = everyone * nearest.share * (1.0 - nearest.share);
        let is_small = self.questions.iter().any(|(_, asked)| asked.ones.min(asked.reports - asked.ones) < SMALL_COUNT);
        let known = if population == Population::Fixed { Some(1.0 / everyone) } else { None };
        let variance = self.variance_through(&nearest, known);
        // The largest step by one bit of one report, of which half is the continuity correction.
        let steps = self.questions.iter().map(|(_, asked)| asked.weight.abs() / (asked.reports * self.channel.gap()));
        let half_step = 0.5 * steps.fold(0.0, f64::max);
        let coverage = Coverage { everyone, covering: everyone };
        let score = Score::of(everyone * share, everyone * half_step, variance.times(everyone), coverage);
        Ok(ParityEstimate { count: everyone * share, is_small, fixed_there: spread - rows, sup_there: spread, score })
    }

    /// Means of the questions at the nearest possible table.
    fn nearest(&self, share: f64) -> Nearest {
        let means: Vec<f64> = self.questions.iter().map(|(_, asked)| asked.mean(self.channel)).collect();
        match *means {
            [one, other, _] => {
                let mut cells = [1.0 - one - other + share, one - share, other - share, share];
                project_on_simplex(&mut cells, 1.0);
                let [_, only_one, only_other, both] = cells;
                Nearest { share: both, means: vec![only_one + both, only_other + both, only_one + only_other] }
            }
            [one] => Nearest { share: one.clamp(0.0, 1.0), means: vec![one.clamp(0.0, 1.0)] },
            _ => Nearest { share, means },
        }
    }

    /// The variance of the share if it were another: the questions move from the nearest table in
    /// proportion to their part of the variance there. `known` is `1 / N` for the people who
    /// reported.
    fn variance_through(&self, nearest: &Nearest, known: Option<f64>) -> Parabola {
        let variance_at = |x: f64| self.channel.alpha() * x + self.channel.beta() - x * x;
        let asked = self.questions.iter().map(|(_, asked)| *asked).zip(&nearest.means);
        let parts: Vec<f64> =
            asked.clone().map(|(asked, &x)| asked.weight.powi(2) * variance_at(x) / asked.reports).collect();
        let total: f64 = parts.iter().sum();
        let mut sum = Parabola { constant: 0.0, linear: 0.0, square: 0.0 };
        for ((asked, &x), part) in asked.zip(&parts) {
            let slope = if total > 0.0 { part / total / asked.weight } else { 0.0 };
            // x at a share tau is x + slope (tau - nearest).
            let start = x - slope * nearest.share;
            let scale = asked.weight.powi(2) / asked.reports;
            sum.constant += scale * variance_at(start);
            sum.linear += scale * slope * (self.channel.alpha() - 2.0 * start);
            sum.square -= scale * slope * slope;
        }
        if let Some(known) = known {
            sum.linear -= known;
            sum.square += known;
        }
        sum
    }
}

/// A possible table over one column or two: the share with all of them, and the questions.
struct Nearest {
    share: f64,
    means: Vec<f64>,
}
