//! What a plan consists of, and every number of it that may be known before the data is seen.
//!
//! `c` the budget (pcost), `p_B` and `v_B` as in the closure; the variance of a query `(x) w_i`
//! about A is
//! `sum over B subset of A of sigma_B^2 (product of w_i C_i w_i^T over B)
//! (product of (w_j u_j)^2 over A \ B)`.

use ndarray::Array2;
use privacy_core::accounting::{Neighbours, PrivacyCost};
use privacy_core::noise::Rational;
use privacy_core::{AttrSet, Domain};

use crate::error::Error;
use crate::planning::adjacency::Adjacency;
use crate::planning::budget::gaussian_cost;
use crate::planning::closure::Closure;
use crate::planning::rows::worst_query;
use crate::planning::spec::{NormOrder, Objective};
use crate::queries::basis::{Form, QueryBasis};
use crate::strategy::axes::Axes;

/// What is measured with how much noise: domain, queries, variances and cost, without the
/// permission to measure.
///
/// A [`Plan`](crate::Plan) dereferences to its design.
/// [`Measured::design`](crate::Measured::design) and `StoredMeasurement::design` give the design
/// that was carried out; nothing can be measured with it a second time.
#[derive(Clone, Debug)]
pub struct Design {
    pub(crate) domain: Domain,
    pub(crate) axes: Axes,
    pub(crate) workload: Vec<(AttrSet, f64)>,
    pub(crate) closure: Closure,
    pub(crate) variances: Vec<Rational>,
    pub(crate) adjacency: Adjacency,
    pub(crate) objective: Objective,
    /// Largest variance of an answer about each of some marginals.
    pub(crate) bounds: Vec<(AttrSet, f64)>,
    pub(crate) gap: f64,
    pub(crate) pcost: f64,
}

/// A released marginal, before the data is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PlannedMarginal {
    /// Its attributes.
    pub attributes: AttrSet,
    /// Its weight in the objective.
    pub weight: f64,
    /// Its answers.
    pub queries: f64,
    /// Mean variance of its answers, in counts squared.
    pub mean_variance: f64,
    /// The largest variance of one of them.
    pub max_variance: f64,
}

/// An attribute of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PlannedAttribute<'a> {
    /// What is asked about it.
    pub basis: &'a QueryBasis,
    /// How many answers there are about it alone.
    pub queries: usize,
    /// How far its strategy may be above the best of its kind, relative: certified. 0 for
    /// identity queries.
    pub gap: f64,
}

impl Design {
    /// The domain that the plan is for.
    #[must_use]
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// What a release spends, rounded up; at most the budget. The release is `pcost / 2`-zCDP.
    /// For a release that is free (see [`Design::is_free`]) the least cost that there is.
    ///
    /// # Panics
    /// Never: a plan is within a budget, which is finite.
    #[must_use]
    pub fn pcost(&self) -> PrivacyCost {
        PrivacyCost::new(self.pcost.max(f64::from_bits(1))).expect("a plan is within a finite budget")
    }

    /// What a release costs in Gaussian differential privacy, rounded up: the release is
    /// `sqrt(gaussian_cost)`-GDP, its noise being discrete and every person changing integers by
    /// integers. Above [`Design::pcost`] by about `1 / (12 gamma^2)` of what each residual costs,
    /// with `gamma^2` the variance of its noise on its integers: `sigma^2` times the squares of
    /// the numbers of categories, and far more for other queries than categories.
    ///
    /// `None` where the noise of a residual is less than a step of its integers (`gamma^2` below
    /// 1/3), and where a release costs nothing. Source: `docs/math/accounting.md` (11).
    #[must_use]
    pub fn gaussian_cost(&self) -> Option<PrivacyCost> {
        PrivacyCost::new(gaussian_cost(&self.axes, self.residuals(), self.adjacency)?).ok()
    }

    /// Whether a release costs nothing: only the number of rows is asked for, and it is public.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.pcost == 0.0
    }

    /// Whether the number of rows is public and released without noise: see
    /// [`total_is_public`](crate::total_is_public).
    #[must_use]
    pub fn total_is_public(&self) -> bool {
        self.adjacency.total_is_public()
    }

    /// What neighbouring tables differ in.
    #[must_use]
    pub fn neighbours(&self) -> Neighbours {
        self.adjacency.neighbours
    }

    /// How many rows of one person the cost covers.
    #[must_use]
    pub fn rows_per_person(&self) -> u32 {
        self.adjacency.rows_per_person
    }

    /// Every residual with its variance `sigma_B^2` (0: the total, where it is the same for all
    /// neighbours).
    pub fn residuals(&self) -> impl ExactSizeIterator<Item = (AttrSet, Rational)> {
        self.closure.sets().iter().copied().zip(self.variances.iter().copied())
    }

    /// What is asked about each attribute, and how it is measured.
    pub fn attributes(&self) -> impl ExactSizeIterator<Item = PlannedAttribute<'_>> {
        (0..self.domain.len()).map(|attribute| {
            let axis = self.axes.get(attribute);
            PlannedAttribute { basis: axis.basis(), queries: axis.queries(), gap: axis.gap() }
        })
    }

    /// The residual queries of an attribute, one a row: along it, a residual measures these of
    /// the marginal's counts, with independent noise of variance `sigma_B^2`. For identity
    /// queries an orthonormal basis of what has no total.
    ///
    /// # Panics
    /// If the domain has no such attribute, or it is measured together with others: see
    /// [`Design::joint_queries`].
    #[must_use]
    pub fn residual_queries(&self, attribute: usize) -> Array2<f64> {
        let together = self.axes.joint().is_some_and(|joint| joint.block.contains(attribute));
        assert!(!together, "attribute {attribute} is measured together with others");
        self.axes.get(attribute).orthonormal_queries()
    }

    /// The attributes that one strategy measures together, and its queries on their cells, the last
    /// attribute fastest: one a row, with independent noise of the variance of the residual over
    /// all of them. `None` where every attribute has a strategy of its own. Only with
    /// [`Strategy::Joint`](crate::Strategy::Joint).
    #[must_use]
    pub fn joint_queries(&self) -> Option<(AttrSet, Array2<f64>)> {
        self.axes.joint().map(|joint| (joint.block, joint.axis.orthonormal_queries()))
    }

    /// The released marginals in the order of the workload, with the variances of their answers.
    pub fn marginals(&self) -> impl ExactSizeIterator<Item = PlannedMarginal> {
        self.workload.iter().map(|&(attributes, weight)| PlannedMarginal {
            attributes,
            weight,
            queries: self.axes.queries(attributes),
            mean_variance: self.mean_within_closure(attributes),
            max_variance: self.max_within_closure(attributes),
        })
    }

    /// Mean variance of the answers about `set`, in counts squared. `O(2^|set|)`.
    ///
    /// # Errors
    /// [`Error::NotMeasured`] when `set` is not a subset of a planned marginal.
    pub fn mean_variance(&self, set: AttrSet) -> Result<f64, Error> {
        self.check_measured(set)?;
        Ok(self.mean_within_closure(set))
    }

    /// The largest variance of an answer about `set`, in counts squared.
    ///
    /// # Errors
    /// As [`Design::mean_variance`].
    pub fn max_variance(&self, set: AttrSet) -> Result<f64, Error> {
        self.check_measured(set)?;
        Ok(self.max_within_closure(set))
    }

    /// What the plan makes small.
    #[must_use]
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// The value of the objective: a weighted sum of variances, or the largest weighted variance.
    /// Counts squared.
    #[must_use]
    pub fn objective_value(&self) -> f64 {
        match self.objective {
            Objective::SumVariance => {
                self.closure.loss().iter().zip(&self.variances).map(|(v, variance)| v * variance.to_f64()).sum()
            }
            Objective::MaxVariance => {
                let largest = self.workload.iter().map(|&(set, weight)| {
                    #[cfg(feature = "linalg")]
                    if let Some(joint) = self.axes.joint() {
                        return weight * self.largest_joint_loss(joint, set);
                    }
                    weight * worst_query(&self.axes, set, |axis| axis.largest_loss(), |residual| self.noise(residual)).0
                });
                largest.fold(0.0, f64::max)
            }
            Objective::EqualError => {
                let tables = self.workload.iter().map(|&(set, weight)| weight * self.mean_within_closure(set));
                tables.fold(0.0, f64::max)
            }
            Objective::NormVariance(NormOrder(order)) => {
                let (mut sum, mut answers) = (0.0, 0.0);
                for &(set, weight) in &self.workload {
                    let queries = self.axes.queries(set);
                    answers += queries;
                    let mean = self.weighted_noise(set, weight / queries, |attribute| self.axes.get(attribute).loss());
                    sum += queries * mean.powf(order);
                }
                (sum / answers).powf(1.0 / order)
            }
        }
    }

    /// How far the objective may be above the least for the strategies of the attributes,
    /// relative: certified by a dual. 0 where there is a closed form. For the strategies
    /// themselves see [`Design::attributes`]. For replace neighbours it is the gap at the sum of
    /// the residuals' worst costs, which the true cost is below: not a certificate there.
    ///
    /// Where all attributes are measured together ([`Design::joint_queries`]) it is the gap to the
    /// best of all unbiased mechanisms with Gaussian noise, for both kinds of neighbours.
    #[must_use]
    pub fn gap(&self) -> f64 {
        self.gap
    }

    /// Root of the mean variance over all answers, in counts.
    #[must_use]
    pub fn rmse(&self) -> f64 {
        let (mut sum, mut answers) = (0.0, 0.0);
        for &(set, _) in &self.workload {
            let queries = self.axes.queries(set);
            sum += queries * self.mean_within_closure(set);
            answers += queries;
        }
        (sum / answers).sqrt()
    }

    pub(crate) fn largest_variance(&self) -> f64 {
        self.workload.iter().map(|&(set, _)| self.max_within_closure(set)).fold(0.0, f64::max)
    }

    pub(crate) fn closure(&self) -> &Closure {
        &self.closure
    }

    pub(crate) fn axes(&self) -> &Axes {
        &self.axes
    }

    pub(crate) fn check_measured(&self, set: AttrSet) -> Result<(), Error> {
        let varying = |set| self.axes.varying(set);
        let known = self.domain.contains(set)
            && match self.axes.joint() {
                Some(joint) => varying(set).is_subset_of(joint.block),
                None => self.closure.position(varying(set)).is_some(),
            };
        if known { Ok(()) } else { Err(Error::NotMeasured { set }) }
    }

    fn mean_within_closure(&self, set: AttrSet) -> f64 {
        if let Some(joint) = self.axes.joint() {
            return self.joint_variances(joint, set).mean().unwrap_or(0.0);
        }
        self.weighted_noise(set, 1.0, |attribute| {
            let axis = self.axes.get(attribute);
            let (sums, queries) = (axis.sums(), axis.queries() as f64);
            Form { with: sums.with / queries, without: sums.without / queries }
        })
    }

    /// The noise of every residual within `set` times its factor in [`Axes::products`], summed: a
    /// covariance or a mean of variances, by the forms.
    pub(crate) fn weighted_noise(&self, set: AttrSet, start: f64, form: impl Fn(usize) -> Form) -> f64 {
        let mut terms = Vec::new();
        self.axes.products(set, start, form, &mut terms);
        terms.into_iter().map(|(residual, factor)| factor * self.noise(residual)).sum()
    }

    fn max_within_closure(&self, set: AttrSet) -> f64 {
        if let Some(joint) = self.axes.joint() {
            return self.joint_variances(joint, set).iter().copied().fold(0.0, f64::max);
        }
        worst_query(&self.axes, set, |axis| axis.largest(), |residual| self.noise(residual)).0
    }

    /// `sigma_B^2`; 0 when B is not in the closure.
    pub(crate) fn noise(&self, residual: AttrSet) -> f64 {
        self.closure.position(residual).map_or(0.0, |i| self.variances[i].to_f64())
    }
}
