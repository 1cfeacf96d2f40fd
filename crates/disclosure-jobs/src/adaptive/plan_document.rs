//! `plan.json` of adaptive marginals.

use adaptive_marginals::{AdaptivePlan, MODELS_IN_MEMORY};
use disclosure::privacy_core::AttrSet;
use disclosure::privacy_core::promise::Promise;
use serde::{Deserialize, Serialize};

use super::job::Details;
use super::promises::promise;
use super::released::names;
use crate::budget::EpsilonAtDelta;

/// The format of [`AdaptivePlanDocument`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AdaptivePlanSchema {
    /// The first version.
    #[serde(rename = "disclosure.adaptive-plan/1")]
    V1,
}

/// What is known before data are read: what a release promises and costs, and how the first rounds
/// use the budget. Which marginals are measured depends on earlier noise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AdaptivePlanDocument {
    /// The format of this document.
    pub schema: AdaptivePlanSchema,
    /// The title of the job.
    pub title: String,
    /// What a release promises.
    pub promise: Promise,
    /// Rho of zCDP of choices and noise together, rounded up.
    pub rho: f64,
    /// The cost in epsilon, rounded up.
    pub epsilon_at_delta: Vec<EpsilonAtDelta>,
    /// The most rounds.
    pub rounds: u32,
    /// Share of the budget for noise, the rest being for choices.
    pub noise_share: f64,
    /// Standard deviation of a cell in the first rounds, in counts: later rounds have at most this.
    pub first_sd: f64,
    /// Epsilon of the first choice.
    pub first_epsilon: f64,
    /// How many marginals may be measured: those of the job and all their subsets.
    pub candidates: usize,
    /// How many cells they have together.
    pub candidate_cells: f64,
    /// The most cells of all tables of the model together, when the whole budget is spent.
    pub model_cells: f64,
    /// Memory for the counts of the candidates and for three models, in bytes.
    pub memory_bytes: f64,
    /// The marginals that are to be accurate.
    pub marginals: Vec<AdaptiveMarginal>,
    /// The sets of attributes some of whose combinations nobody has, by the job: no row has them.
    #[serde(default)]
    pub structural_zeros: Vec<StructuralZeros>,
}

/// Attributes some of whose combinations nobody has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StructuralZeros {
    /// The attributes.
    pub attributes: Vec<String>,
    /// How many of their combinations nobody has.
    pub combinations: usize,
}

/// A marginal that is to be accurate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdaptiveMarginal {
    /// Its attributes.
    pub attributes: Vec<String>,
    /// How much it counts.
    pub weight: u32,
}

impl AdaptivePlanDocument {
    pub(super) fn new(details: &Details, plan: &AdaptivePlan) -> Self {
        let (spec, domain) = (plan.spec(), plan.domain());
        let marginals = spec.workload.iter();
        Self {
            schema: AdaptivePlanSchema::V1,
            title: details.title.clone().unwrap_or_else(|| "release".to_owned()),
            promise: promise(details, plan),
            rho: spec.rho.get(),
            epsilon_at_delta: details.cost_terms.epsilons(2.0 * spec.rho.get(), None),
            rounds: plan.most_rounds(),
            noise_share: spec.noise_share,
            first_sd: plan.first_variance().sqrt(),
            first_epsilon: plan.first_epsilon(),
            candidates: plan.candidates().len(),
            candidate_cells: plan.cells(),
            model_cells: spec.model_cells,
            memory_bytes: 8.0 * (plan.cells() + MODELS_IN_MEMORY * spec.model_cells),
            marginals: marginals
                .map(|&(set, weight)| AdaptiveMarginal { attributes: names(domain, set), weight })
                .collect(),
            structural_zeros: structural_zeros(plan),
        }
    }
}

fn structural_zeros(plan: &AdaptivePlan) -> Vec<StructuralZeros> {
    let possible = plan.possible();
    let summary = |set: AttrSet| StructuralZeros {
        attributes: names(plan.domain(), set),
        combinations: possible.within(set).into_iter().flatten().filter(|&is_possible| !is_possible).count(),
    };
    possible.sets().map(summary).collect()
}
