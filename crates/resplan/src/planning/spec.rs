//! What a plan is made from: what is asked, what is to be small, and under which promise.

use std::collections::BTreeSet;

use privacy_core::accounting::{Neighbours, PrivacyCost};
use privacy_core::param::StdDev;
use privacy_core::{AttrSet, Domain};

use crate::error::Error;
use crate::planning::budget::VARIANCE_BITS;
use crate::queries::basis::QueryBasis;
use crate::queries::workload::Workload;
use crate::strategy::kinds::Strategy;

/// What a plan makes small.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Objective {
    /// The weighted sum of the variances of all answers: in closed form.
    #[default]
    SumVariance,
    /// The largest weighted variance of an answer: by an iteration that certifies its gap.
    MaxVariance,
    /// The mean over all answers of the q-th power of the weighted mean variance of their
    /// marginal, to the power 1/q: the larger q, the more the largest of these count. Certified
    /// as well. For categories all variances of a table are its mean, and the norm lies between
    /// the other two objectives.
    NormVariance(NormOrder),
    /// The largest weighted mean variance of a table: with equal weights all tables have the same
    /// root mean square error, but for tables that cannot be made worse to the benefit of others.
    /// In closed form where the workload has every subset of its tables, otherwise certified.
    /// Weights of the queries about an attribute play no part in it.
    EqualError,
}

/// The order q of a norm: from 1 to 64.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "f64", into = "f64"))]
pub struct NormOrder(pub(crate) f64);

impl NormOrder {
    /// Accepts a number from 1 to 64; beyond, [`Objective::MaxVariance`] is meant.
    ///
    /// # Errors
    /// [`Error::BadNorm`] for anything else, NaN included.
    pub fn new(order: f64) -> Result<Self, Error> {
        if (1.0..=64.0).contains(&order) { Ok(Self(order)) } else { Err(Error::BadNorm { order }) }
    }

    /// The order, from 1 to 64.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// What a plan is made from.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct PlanSpec {
    /// The domain of the data.
    pub domain: Domain,
    /// What is asked about each attribute, in the order of the domain.
    pub bases: Vec<QueryBasis>,
    /// The marginals to be released.
    pub workload: Workload,
    /// How residual queries are chosen.
    pub strategy: Strategy,
    /// What is to be small.
    pub objective: Objective,
    /// Marginals of the workload, none of whose answers may have a larger standard deviation than
    /// this, in counts. Only with [`Objective::SumVariance`]; for the least budget that keeps
    /// bounds alone, see [`Design::cost_for_largest_sd`](crate::Design::cost_for_largest_sd).
    pub bounds: Vec<(AttrSet, StdDev)>,
    /// The privacy budget.
    pub budget: PrivacyCost,
    /// A budget in Gaussian differential privacy besides: the release is
    /// `sqrt(gaussian_budget)`-GDP as well. Discrete noise costs a little more there than in rho:
    /// see [`Design::gaussian_cost`](crate::Design::gaussian_cost).
    #[cfg_attr(feature = "serde", serde(default))]
    pub gaussian_budget: Option<PrivacyCost>,
    /// What neighbouring tables differ in.
    pub neighbours: Neighbours,
    /// How many rows one person may have; 1 where a row is the unit of privacy. `m` rows cost
    /// `m^2`. With [`Neighbours::Replace`] and 1 the number of rows is public, and the total goes
    /// out exactly.
    pub rows_per_person: u32,
}

impl TryFrom<f64> for NormOrder {
    type Error = Error;

    fn try_from(order: f64) -> Result<Self, Error> {
        Self::new(order)
    }
}

impl From<NormOrder> for f64 {
    fn from(order: NormOrder) -> f64 {
        order.0
    }
}

impl PlanSpec {
    /// The cells of these marginals, with the least sum of variances, for a row that is added or
    /// removed.
    #[must_use]
    pub fn new(domain: Domain, workload: Workload, budget: PrivacyCost) -> Self {
        Self {
            bases: vec![QueryBasis::Identity; domain.len()],
            domain,
            workload,
            strategy: Strategy::Automatic,
            objective: Objective::SumVariance,
            bounds: Vec::new(),
            budget,
            gaussian_budget: None,
            neighbours: Neighbours::AddRemove,
            rows_per_person: 1,
        }
    }
}

/// The bounds as variances, made a little smaller so that rounding variances up does not break
/// them.
pub(crate) fn checked_bounds(
    bounds: &[(AttrSet, StdDev)],
    workload: &[(AttrSet, f64)],
    objective: Objective,
) -> Result<Vec<(AttrSet, f64)>, Error> {
    if bounds.is_empty() {
        return Ok(Vec::new());
    }
    let known: BTreeSet<AttrSet> = workload.iter().map(|(set, _)| *set).collect();
    let mut seen = BTreeSet::new();
    let checked = bounds.iter().map(|&(set, sd)| {
        if objective == Objective::SumVariance && known.contains(&set) && seen.insert(set) {
            Ok((set, sd.get() * sd.get() * (1.0 - 2.0 / (1_u64 << VARIANCE_BITS) as f64)))
        } else {
            Err(Error::BadBound { set })
        }
    });
    checked.collect()
}
