//! What an analyst releases of the counts, and what analysts get wrong.

use disclosure::ldp::estimate::{ConfidenceInterval, ConfidenceLevel, Estimator, Population};
use disclosure::ldp::{Counts, Feature, Schema, State};

use crate::prelude::*;

/// Estimates of some sets with their errors, all in people.
#[derive(Clone, Debug)]
pub(super) struct Released {
    pub(super) counts: Vec<f64>,
    pub(super) intervals: Vec<ConfidenceInterval>,
    /// Rows of the lower triangle: of set 0; of sets 1 and 0, of set 1; and so on.
    pub(super) covariances: Vec<f64>,
}

/// A fault of the code that estimates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Slip {
    /// The first two features read with each other's `p` and `q`.
    ParametersOfAnotherFeature,
    /// One report too many in `N`.
    ReportsOffByOne,
    /// Estimates of different sets taken for uncorrelated.
    WithoutCrossTerms,
    /// The error of the randomisation alone, where people are a sample too.
    WithoutVarianceOfTheTruth,
    /// Negative estimates set to 0, as several libraries do.
    Clipped,
    /// The one-sided quantile of 95 %, 1.64, on both sides.
    OneSidedQuantile,
    /// `z` standard errors around the estimate, however few reports there are.
    RawIntervals,
}

/// Who estimates.
#[derive(Clone, Debug)]
pub(super) struct Analyst {
    /// The schema as the analyst has it.
    schema: Schema,
    population: Population,
    slip: Option<Slip>,
}

impl Analyst {
    pub(super) fn new(stated: &Schema, population: Population, slip: Option<Slip>) -> Result<Self, Error> {
        let schema = if slip == Some(Slip::ParametersOfAnotherFeature) { exchanged(stated)? } else { stated.clone() };
        Ok(Self { schema, population, slip })
    }

    /// Estimates of some sets.
    pub(super) fn release(&self, state: &State, sets: &[Vec<usize>]) -> Result<Released, Error> {
        match self.slip {
            Some(Slip::ReportsOffByOne) => self.release_of(&OneMore(state), sets),
            _ => self.release_of(state, sets),
        }
    }

    fn release_of<C: Counts>(&self, counts: &C, sets: &[Vec<usize>]) -> Result<Released, Error> {
        let population = match self.slip {
            Some(Slip::WithoutVarianceOfTheTruth) => Population::Fixed,
            _ => self.population,
        };
        let level = match self.slip {
            Some(Slip::OneSidedQuantile) => ConfidenceLevel::new(0.9).map_err(|_| Error::BadClaim { name: "level" })?,
            _ => ConfidenceLevel::NINETY_FIVE,
        };
        let estimator = Estimator::new(&self.schema, counts).for_population(population).at_level(level);
        let mut released = Released { counts: Vec::new(), intervals: Vec::new(), covariances: Vec::new() };
        for (place, set) in sets.iter().enumerate() {
            for (other, other_set) in sets[..=place].iter().enumerate() {
                let is_dropped = self.slip == Some(Slip::WithoutCrossTerms) && other != place;
                let covariance = if is_dropped { 0.0 } else { estimator.covariance(set, other_set)? };
                released.covariances.push(covariance);
            }
            let (count, interval) = self.count_of(&estimator, set)?;
            released.counts.push(count);
            released.intervals.push(interval);
        }
        Ok(released)
    }

    fn count_of<C: Counts>(
        &self,
        estimator: &Estimator<'_, C>,
        set: &[usize],
    ) -> Result<(f64, ConfidenceInterval), Error> {
        let estimate = estimator.estimate(set)?;
        Ok(match self.slip {
            Some(Slip::Clipped) => (estimate.count.max(0.0), estimate.interval),
            Some(Slip::RawIntervals) => {
                let error = estimator.covariance(set, set)?.max(0.0).sqrt();
                (estimate.count, ConfidenceInterval::around(estimate.count, error, estimator.level()))
            }
            _ => (estimate.count, estimate.interval),
        })
    }
}

/// The schema with the protocols of its first two features exchanged.
fn exchanged(schema: &Schema) -> Result<Schema, Error> {
    let mut protocols: Vec<_> = schema.features().iter().map(Feature::protocol).collect();
    if let [first, second, ..] = protocols.as_mut_slice() {
        std::mem::swap(first, second);
    }
    let features = schema.features().iter().zip(protocols);
    let features = features.map(|(feature, protocol)| Feature::new(feature.attribute().clone(), protocol));
    let exchanged = Schema::new(features.collect::<Result<_, _>>()?)?;
    Ok(exchanged.with_features_per_person(schema.features_per_person())?)
}

/// Counts with one report more than there were.
struct OneMore<'a>(&'a State);

impl Counts for OneMore<'_> {
    fn reports(&self) -> u64 {
        self.0.reports() + 1
    }

    fn count(&self, columns: &[usize], covering: &[usize]) -> Option<u64> {
        let count = self.0.count(columns, covering)?;
        Some(if columns.is_empty() { count + 1 } else { count })
    }
}

impl Released {
    /// What it would be if all answers were alike, and certain.
    pub(super) fn certain(counts: Vec<f64>) -> Self {
        let intervals = counts.iter().map(|&count| ConfidenceInterval { low: count, high: count }).collect();
        Self { covariances: vec![0.0; counts.len() * (counts.len() + 1) / 2], counts, intervals }
    }
}
