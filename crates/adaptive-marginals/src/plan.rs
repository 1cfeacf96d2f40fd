//! What is asked for, and what was checked.

use privacy_core::accounting::Neighbours;
use privacy_core::param::Rho;
use privacy_core::stop::StopFlag;
use privacy_core::{AttrSet, Domain, domain::Provenance};
use synthetic_people::{FitSpec, Model, ModelSpec, PossibleCells, StructuralZero, model_cells};

use crate::budget::{Budget, Sensitivity};
use crate::error::Error;
use crate::workload::{Candidate, candidates};

/// The workload, the budget and the limits of a release.
#[derive(Clone, Debug, PartialEq)]
pub struct AdaptiveSpec {
    /// The budget of choices and noise together.
    pub rho: Rho,
    /// Which two tables must look alike.
    pub neighbours: Neighbours,
    /// How many rows one person may have: 1 to 1,000. 1 by default.
    pub rows_per_person: u32,
    /// The marginals that are to be accurate, each with a weight. What is measured is one of them
    /// or a subset of one.
    pub workload: Vec<(AttrSet, u32)>,
    /// Combinations of categories that nobody has: the model has none of them, and neither do its
    /// rows. Known beforehand, not read from the data.
    pub zeros: Vec<StructuralZero>,
    /// The most rounds, 1 to 100,000; the noise of the first ones follows from it. 16 an attribute
    /// by default.
    pub rounds: Option<u32>,
    /// Share of the budget for noise, the rest being for choices: above 0, below 1. 0.85
    /// by default.
    pub noise_share: f64,
    /// The most cells of all tables of the model together, when the whole budget is spent: in
    /// proportion before. 10 million by default, which are 80 MB; [`MODELS_IN_MEMORY`] of them.
    pub model_cells: f64,
    /// How long the model is fitted after a round. The last fit is longer.
    pub fit: FitSpec,
    /// How long the last model is fitted.
    pub last_fit: FitSpec,
}

impl AdaptiveSpec {
    /// The settings of the source but for `noise_share`, for this budget, neighbours and workload.
    #[must_use]
    pub fn new(rho: Rho, neighbours: Neighbours, workload: Vec<(AttrSet, u32)>) -> Self {
        Self {
            rho,
            neighbours,
            rows_per_person: 1,
            workload,
            zeros: Vec::new(),
            rounds: None,
            noise_share: 0.85,
            model_cells: 1e7,
            fit: FitSpec { gap: 1e-2, most_steps: 100 },
            last_fit: FitSpec::default(),
        }
    }
}

/// How much memory a plan may need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanLimits {
    /// The most cells of all candidates together; their counts take 8 bytes each. 100 million by
    /// default.
    pub cells: f64,
}

impl Default for PlanLimits {
    fn default() -> Self {
        Self { cells: 1e8 }
    }
}

/// How many models of `model_cells` a release has in memory at most, besides what a fit needs: the
/// last one, the one before the last choice, and earlier ones with as many cells as one together.
pub const MODELS_IN_MEMORY: f64 = 3.0;

/// A checked specification with the cost of its rounds. It does not depend on the data.
#[derive(Debug)]
pub struct AdaptivePlan {
    pub(crate) domain: Domain,
    pub(crate) spec: AdaptiveSpec,
    pub(crate) sizes: Vec<usize>,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) possible: PossibleCells,
    /// The cells of a model of the structural zeros alone; 0 without any.
    pub(crate) least_cells: f64,
    pub(crate) budget: Budget,
    pub(crate) stop: StopFlag,
}

/// Refuses a marginal that alone has too many cells with all its subsets, before they are listed:
/// `prod (1 + n)` over its attributes, less one.
fn within_limits(sizes: &[usize], workload: &[(AttrSet, u32)], limits: &PlanLimits) -> Result<(), Error> {
    for (set, _) in workload {
        let with_subsets = set.iter().filter_map(|attribute| sizes.get(attribute)).map(|&size| 1.0 + size as f64);
        let cells = with_subsets.product::<f64>() - 1.0;
        if cells > limits.cells {
            return Err(Error::TooManyCells { cells, limit: limits.cells });
        }
    }
    Ok(())
}

impl AdaptivePlan {
    /// Checks a specification.
    ///
    /// # Errors
    /// [`Error`] names what is not as it must be.
    pub fn new(domain: Domain, spec: AdaptiveSpec, limits: &PlanLimits) -> Result<Self, Error> {
        let (share, people) = (spec.noise_share, f64::from(spec.rows_per_person));
        within("noise_share", "above 0 and below 1", share, share > 0.0 && share < 1.0)?;
        within("rows_per_person", "1 to 1,000", people, (1.0..=1e3).contains(&people))?;
        within("model_cells", "at least 1", spec.model_cells, spec.model_cells >= 1.0)?;
        let rounds = spec.rounds.unwrap_or(default_rounds(&domain));
        within("rounds", "1 to 100,000", f64::from(rounds), (1..=100_000).contains(&rounds))?;
        if domain.provenance() == Provenance::LearntFromData {
            return Err(Error::DomainLearntFromData);
        }
        let sizes: Vec<usize> = domain.attributes().iter().map(|attribute| attribute.cardinality()).collect();
        within_limits(&sizes, &spec.workload, limits)?;
        let candidates = candidates(domain.len(), &spec.workload)?;
        // The attributes that are measured first cost a round each.
        let first = candidates.iter().filter(|candidate| candidate.set.len() == 1).count();
        within("rounds", "at least the number of attributes", f64::from(rounds), rounds as usize >= first)?;
        let cells: f64 = candidates.iter().map(|candidate| cells_of(&sizes, candidate.set)).sum();
        if cells > limits.cells {
            return Err(Error::TooManyCells { cells, limit: limits.cells });
        }
        let (possible, least_cells) = possible_cells(&sizes, &spec)?;
        let sensitivity = Sensitivity::new(spec.neighbours, spec.rows_per_person);
        let budget = Budget::new(spec.rho.get(), share, rounds, sensitivity)
            .map_err(|source| Error::Budget { rounds, source })?;
        Ok(Self { domain, spec, sizes, candidates, possible, least_cells, budget, stop: StopFlag::never() })
    }

    /// The same plan, whose release ends between two rounds once the flag is set.
    #[must_use]
    pub fn with_stop(self, stop: StopFlag) -> Self {
        Self { stop, ..self }
    }

    /// The domain.
    #[must_use]
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The specification.
    #[must_use]
    pub fn spec(&self) -> &AdaptiveSpec {
        &self.spec
    }

    /// The most rounds.
    #[must_use]
    pub fn most_rounds(&self) -> u32 {
        self.spec.rounds.unwrap_or(default_rounds(&self.domain))
    }

    /// The parameter `sigma^2` of the noise of the first rounds, in counts squared: later ones have
    /// as much or less. The last one has what is left, which may be less than a round.
    #[must_use]
    pub fn first_variance(&self) -> f64 {
        self.budget.next().sigma2.to_f64()
    }

    /// The epsilon of the first choice, which costs `epsilon^2 / 8` of the budget: later ones have
    /// as much or more. The last one has what is left, which may be less than a round; with few
    /// rounds the first choice is the last one.
    #[must_use]
    pub fn first_epsilon(&self) -> f64 {
        self.budget.first_choice(self.first_attributes().count()).epsilon.to_f64()
    }

    /// How many cells the tables of all candidates have together: 8 bytes each while the budget is
    /// spent.
    #[must_use]
    pub fn cells(&self) -> f64 {
        self.candidates.iter().map(|candidate| cells_of(&self.sizes, candidate.set)).sum()
    }

    /// The cells that somebody may have: all but the structural zeros.
    #[must_use]
    pub fn possible(&self) -> &PossibleCells {
        &self.possible
    }

    /// Which candidates are single attributes: they are measured first.
    pub(crate) fn first_attributes(&self) -> impl Iterator<Item = usize> {
        (0..self.candidates.len()).filter(|&place| self.candidates[place].set.len() == 1)
    }

    /// The marginals that may be measured.
    pub fn candidates(&self) -> impl ExactSizeIterator<Item = AttrSet> {
        self.candidates.iter().map(|candidate| candidate.set)
    }
}

/// The structural zeros as tables, and the cells of a model that has nothing else. There has to be
/// a combination that is possible: found here, before anything is spent.
fn possible_cells(sizes: &[usize], spec: &AdaptiveSpec) -> Result<(PossibleCells, f64), Error> {
    let most = spec.model_cells;
    let possible = PossibleCells::new(sizes, &spec.zeros, most)?;
    if spec.zeros.is_empty() {
        return Ok((possible, 0.0));
    }
    let sets: Vec<AttrSet> = possible.sets().collect();
    let least = model_cells(sizes, &sets);
    within("model_cells", "at least the cells that the structural zeros join", most, least <= most)?;
    let zeros = spec.zeros.clone();
    Model::fit(&ModelSpec { zeros, most_cells: most, ..ModelSpec::new(sizes.to_vec(), 1.0) }, &[])?;
    Ok((possible, least))
}

/// 16 rounds for each attribute.
fn default_rounds(domain: &Domain) -> u32 {
    16 * domain.len() as u32
}

/// Refuses a setting that is not within its range.
pub(crate) fn within(name: &'static str, range: &'static str, got: f64, is_within: bool) -> Result<(), Error> {
    if is_within { Ok(()) } else { Err(Error::Setting { name, range, got }) }
}

/// How many cells a table over a set has.
pub(crate) fn cells_of(sizes: &[usize], set: AttrSet) -> f64 {
    set.iter().map(|attribute| sizes[attribute] as f64).product()
}
