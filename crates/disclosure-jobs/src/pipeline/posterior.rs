//! The reader of exact and noisy numbers: how sure is one of a number that the exact part
//! withholds?
//!
//! Bounds do not follow from noisy numbers, but a noisy count of a withheld cell says which of the
//! consistent counts are likely. The reader here holds all tables consistent with the exact
//! numbers, or all assignments of people, for equally likely before the noisy numbers are read.
//!
//! The attack is made twice. Before anything is charged, on releases with simulated noise: what is
//! to be expected, for the owner, and enough to refuse a release that would probably be refused
//! later. After the noise is drawn, on the release itself: what is found then follows from
//! numbers that would leave together, so the refusal tells nothing that these would not; its noise
//! is paid for all the same, since drawing until a release passes would not be private.

use disclosure::frechet::{CountPosterior, Error, Limits, NoisyNumbers, PosteriorAttack};
use disclosure::privacy_core::promise::PromiseKind;
use disclosure::privacy_core::rng::SimRng;
use disclosure::privacy_core::stop::StopFlag;
use rand_core::Rng;

use super::documents::{PosteriorDocument, PosteriorFigures};
use super::linkage::{Attacked, Space};
use super::parts::Parts;
use crate::error::JobError;
use crate::exact::NoisedNumber;
use crate::marginals::ResidualNumbers;
use crate::{exact, marginals};

/// Releases with simulated noise: an odd number, so that one is the median.
const SIMULATED: u64 = 5;
/// From here on the reader is nearly sure.
const NEARLY_SURE: f64 = 0.95;

/// What a reader of exact and noisy numbers believes of what the exact part withholds. For the
/// data owner.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PosteriorFindings {
    /// Number of withheld numbers.
    pub withheld: usize,
    /// Whether all tables consistent with the exact numbers were listed.
    pub is_whole: bool,
    /// From the exact numbers alone.
    pub blind: PosteriorFigures,
    /// With simulated noise: means, and the median of the largest probability. `None` where
    /// nothing is noised.
    pub simulated: Option<PosteriorFigures>,
}

impl PosteriorFindings {
    /// The figure that a target is held against before anything is drawn.
    #[must_use]
    pub fn expected(&self) -> f64 {
        self.simulated.unwrap_or(self.blind).largest
    }

    /// How the figure is supported.
    pub(super) fn kind(&self) -> PromiseKind {
        if self.is_whole && self.simulated.is_none() { PromiseKind::Calibration } else { PromiseKind::Measured }
    }

    /// Whom the posterior is that of, in words.
    pub(super) fn against(&self) -> String {
        let how = if self.is_whole { "" } else { "; tables were sampled, because there are too many to list" };
        format!(
            "a reader for whom, before reading the noisy numbers, all tables consistent with the exact numbers are \
             equally likely, or all assignments of people to such tables{how}"
        )
    }

    pub(super) fn document(&self) -> PosteriorDocument {
        let statement = "probability that the reader assigns to the most likely count of a withheld number, under \
             whichever of the two priors gives the higher probability; plus twice its standard error if tables were \
             sampled";
        PosteriorDocument {
            kind: self.kind(),
            statement: statement.to_owned(),
            against: self.against(),
            withheld: self.withheld,
            exact_alone: self.blind,
            simulated: self.simulated,
            simulated_releases: if self.simulated.is_some() { SIMULATED } else { 0 },
            released: None,
        }
    }
}

/// An attack that is ready for the noise of the release.
#[derive(Debug)]
pub(super) struct BesideNoise {
    attack: PosteriorAttack,
    space: Space,
    /// The true counts of the withheld numbers: to score guesses, and for nothing else.
    counts: Vec<i64>,
    noised: Vec<NoisedNumber>,
}

/// Attacks what the exact part withholds with noisy numbers too. `None` where nothing is withheld,
/// and where neither noise nor a target asks for it; nor, without a target, where it is too
/// large; nor where rows of a person are left out of the noisy tables.
pub(super) fn attack(
    parts: &Parts,
    attacked: Option<Attacked>,
    most: Option<f64>,
    limits: Limits,
) -> Result<Option<(PosteriorFindings, BesideNoise)>, JobError> {
    let stop = limits.stop.clone();
    // What the reader compares is one table: noisy numbers of fewer rows are of another one.
    let exact = parts.exact.as_ref().filter(|_| parts.counts_all_rows());
    let (Some(attacked), Some(exact)) = (attacked, exact) else { return Ok(None) };
    let noised = exact.noised_numbers()?;
    let has_noise = parts.noisy.is_some() || !noised.is_empty();
    if attacked.withheld.is_empty() || !(has_noise || most.is_some()) {
        return Ok(None);
    }
    let Attacked { attack, space, withheld, truth } = attacked;
    let attack = match attack.beside_noise(&truth, &withheld, limits) {
        Ok(attack) => attack,
        Err(Error::PosteriorTooLarge { .. }) if most.is_none() => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let counts = withheld.iter().map(|region| space.total(&truth, region)).collect::<Result<_, _>>()?;
    let beside = BesideNoise { attack, space, counts, noised };
    match beside.findings(parts, most, has_noise, &stop) {
        Ok(findings) => Ok(Some((findings, beside))),
        // Only the noisy numbers are too many: the release can be judged no better than the plan.
        Err(error) if most.is_none() && error.has_code("E0621") => Ok(None),
        Err(error) => Err(error),
    }
}

impl BesideNoise {
    fn findings(
        &self,
        parts: &Parts,
        most: Option<f64>,
        has_noise: bool,
        stop: &StopFlag,
    ) -> Result<PosteriorFindings, JobError> {
        let trials = if has_noise { SIMULATED } else { 0 };
        stop.begin(1 + trials);
        let blind = self.figures(&NoisyNumbers::new(&self.space.domain)?, most)?;
        let mut simulated = Vec::new();
        for trial in 0..trials {
            stop.advance(1);
            let measured = match &parts.noisy {
                Some(noisy) => noisy.simulated_residuals(&*parts.rows, trial, &|name| self.space.has(name))?,
                None => Vec::new(),
            };
            let mut rng = SimRng::for_trial(0, "noise of exact tables", trial);
            let noised = self.noised.iter().map(|number| {
                let count = i64::try_from(number.count).expect("a total is at most 2^53");
                (number, count + discrete_laplace(number.scale, &mut rng))
            });
            simulated.push(self.figures(&self.numbers(&measured, noised)?, most)?);
        }
        Ok(PosteriorFindings {
            withheld: self.counts.len(),
            is_whole: self.attack.is_whole(),
            blind,
            simulated: PosteriorFigures::typical(simulated),
        })
    }

    /// The attack on the release itself. What it is held against does not use a true count.
    pub(super) fn released(
        &self,
        exact: Option<&exact::Released>,
        noisy: Option<&marginals::Released>,
        most: Option<f64>,
    ) -> Result<PosteriorFigures, JobError> {
        let measured = noisy.map(|noisy| noisy.residuals(&|name| self.space.has(name))).transpose()?;
        let noised = self.noised.iter().filter_map(|number| Some((number, exact?.value(number.at)?)));
        self.figures(&self.numbers(&measured.unwrap_or_default(), noised)?, most)
    }

    fn numbers<'a>(
        &self,
        measured: &[ResidualNumbers],
        noised: impl Iterator<Item = (&'a NoisedNumber, i64)>,
    ) -> Result<NoisyNumbers, JobError> {
        let mut numbers = NoisyNumbers::new(&self.space.domain)?;
        for residual in measured {
            self.space.add_residual(&mut numbers, residual)?;
        }
        for (number, value) in noised {
            numbers.add_laplace(&self.space.region(&number.fixed), number.scale, value)?;
        }
        Ok(numbers)
    }

    fn figures(&self, numbers: &NoisyNumbers, most: Option<f64>) -> Result<PosteriorFigures, JobError> {
        let found = self.attack.posterior(numbers)?;
        let share = |holds: &dyn Fn(&CountPosterior, i64) -> bool| {
            let all = found.iter().zip(&self.counts);
            all.filter(|&(found, &count)| holds(found, count)).count() as f64 / found.len().max(1) as f64
        };
        Ok(PosteriorFigures {
            largest: found.iter().map(CountPosterior::at_most).fold(0.0, f64::max),
            guessed_right: share(&|found, count| found.guess == count),
            nearly_sure: share(&|found, _| found.probability >= NEARLY_SURE),
            above_target: most.map(|most| share(&|found, _| found.at_most() > most)),
        })
    }
}

impl PosteriorFigures {
    /// The means, and the median of the largest probability; `None` of nothing.
    fn typical(each: Vec<Self>) -> Option<Self> {
        let mut largest: Vec<f64> = each.iter().map(|figures| figures.largest).collect();
        largest.sort_by(f64::total_cmp);
        let mean = |of: fn(&Self) -> f64| each.iter().map(of).sum::<f64>() / each.len() as f64;
        Some(Self {
            largest: *largest.get(each.len() / 2)?,
            guessed_right: mean(|figures| figures.guessed_right),
            nearly_sure: mean(|figures| figures.nearly_sure),
            above_target: each[0].above_target.map(|_| mean(|figures| figures.above_target.unwrap_or(0.0))),
        })
    }
}

/// Discrete Laplace noise, simulated: the difference of two geometric numbers.
fn discrete_laplace(scale: f64, rng: &mut SimRng) -> i64 {
    geometric(scale, rng) - geometric(scale, rng)
}

/// A number of failures before a success of probability `1 - e^(-1 / scale)`.
fn geometric(scale: f64, rng: &mut SimRng) -> i64 {
    // In (0, 1], so that the logarithm is finite.
    let even = ((rng.next_u64() >> 11) + 1) as f64 * (-53_f64).exp2();
    (-even.ln() * scale).floor() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulated_noise_has_the_variance_of_discrete_laplace() {
        let mut rng = SimRng::for_trial(0, "test", 0);
        let draws: Vec<i64> = (0..20_000).map(|_| discrete_laplace(2.0, &mut rng)).collect();
        let variance = draws.iter().map(|&z| (z * z) as f64).sum::<f64>() / draws.len() as f64;
        let expected = 0.5 / (0.25_f64).sinh().powi(2);
        assert!((variance / expected - 1.0).abs() < 0.05, "{variance} {expected}");
    }

    #[test]
    fn typical_figures_are_means_and_a_median() {
        let figures = |largest, guessed_right| PosteriorFigures {
            largest,
            guessed_right,
            nearly_sure: 0.0,
            above_target: Some(0.5),
        };
        let typical = PosteriorFigures::typical(vec![figures(0.9, 0.1), figures(0.2, 0.3), figures(0.4, 0.2)]).unwrap();
        assert_eq!((typical.largest, typical.above_target), (0.4, Some(0.5)));
        assert!((typical.guessed_right - 0.2).abs() < 1e-12);
        assert_eq!(PosteriorFigures::typical(Vec::new()), None);
    }
}
