//! What is asked for: marginals with weights, and how large the answer would be.
//!
//! The size is predicted before anything of that size exists, so that a workload that would not
//! fit is refused at once.

use std::collections::BTreeSet;

use privacy_core::stop::StopFlag;
use privacy_core::{AttrSet, Domain};

use crate::error::Error;
use crate::queries::basis::QueryBasis;

/// The marginals to be released.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Workload {
    /// Every set of at most this many attributes, the total among them.
    UpTo(usize),
    /// Every set of exactly this many attributes.
    Exactly(usize),
    /// These sets, each with a weight: the factor of its answers' variances in the objective, 1
    /// where all count alike.
    Sets(Vec<(AttrSet, f64)>),
}

/// How much work and memory a plan may take, and who may stop it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields, default))]
pub struct PlanLimits {
    /// Released marginals.
    pub marginals: f64,
    /// Answers over all released marginals.
    pub answers: f64,
    /// Bytes held at once while measuring and answering.
    pub bytes: f64,
    /// Seconds of one core for finding the strategies of attributes, predicted.
    pub planning_seconds: f64,
    /// Ends planning, and later the measurement of the plan, with [`Error::Stopped`]. It is
    /// looked at between two steps of every iteration: at most one eigen-decomposition of an
    /// attribute (a second for 1,000 categories), one look at every marginal, or the noise of
    /// 65,536 cells.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub stop: StopFlag,
}

impl Default for PlanLimits {
    /// A million marginals, two thousand million answers, 8 GiB, ten minutes.
    fn default() -> Self {
        let bytes = 8.0 * 1024.0 * 1024.0 * 1024.0;
        Self { marginals: 1e6, answers: 2e9, bytes, planning_seconds: 600.0, stop: StopFlag::never() }
    }
}

impl PlanLimits {
    /// No limit at all, for planning on paper.
    #[must_use]
    pub fn unlimited() -> Self {
        let (all, stop) = (f64::INFINITY, StopFlag::never());
        Self { marginals: all, answers: all, bytes: all, planning_seconds: all, stop }
    }
}

/// Predicted size of a plan. Counts are `f64` since they overflow integers long before they fit a
/// machine.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Footprint {
    /// Released marginals.
    pub marginals: f64,
    /// Answers over all of them.
    pub answers: f64,
    /// Answers of the marginal with the most.
    pub largest: f64,
    /// Residuals to be measured, at most.
    pub residuals: f64,
    /// Cells over all residuals, at most.
    pub residual_cells: f64,
    /// Cells of the largest marginal and of all its marginals together.
    pub expanded: f64,
    /// Numbers of all strategies: squares of the categories of attributes that are not asked for
    /// them.
    pub strategies: f64,
    /// Seconds of one core for finding the strategies, about: eigen-decompositions for every kind
    /// of attribute that is not asked for its categories.
    pub planning_seconds: f64,
}

/// Seconds of one core for the strategy of an attribute of this many categories, where others than
/// categories are asked: some dozen eigen-decompositions, and as many smaller ones for each tilt.
/// Measured with release builds: 3 s at 300, 8 s at 600, 24 s at 1,000 categories with prefix
/// sums, half of that with ranges.
fn strategy_seconds(categories: usize) -> f64 {
    let cube = |size: f64| size * size * size;
    2.5e-8 * cube(categories as f64) + 1.8e-7 * cube(categories.min(256) as f64)
}

impl Workload {
    /// All marginals alike, from sets without weights.
    #[must_use]
    pub fn from_sets(sets: impl IntoIterator<Item = AttrSet>) -> Self {
        Self::Sets(sets.into_iter().map(|set| (set, 1.0)).collect())
    }

    /// Predicted size over `domain`, of which `bases` are asked, without listing the sets.
    /// `O(attributes * order)` or the length of the list.
    ///
    /// # Panics
    /// If a listed set is not within the domain, or the number of bases is not that of the
    /// attributes; [`Workload::sets`] says so in an error.
    #[must_use]
    pub fn footprint(&self, domain: &Domain, bases: &[QueryBasis]) -> Footprint {
        let sizes: Vec<f64> = domain.attributes().iter().map(|a| a.cardinality() as f64).collect();
        let answers: Vec<f64> =
            domain.attributes().iter().zip(bases).map(|(a, basis)| basis.queries(a.cardinality()) as f64).collect();
        let strategies = sizes.iter().zip(bases).map(|(size, basis)| match basis {
            QueryBasis::Identity => 0.0,
            _ => size * size,
        });
        let strategies = strategies.sum();
        let planning_seconds = seconds_of_strategies(domain, bases);
        match self {
            Self::UpTo(order) | Self::Exactly(order) => {
                let order = (*order).min(sizes.len());
                let (counts, cells) = (symmetric(&vec![1.0; sizes.len()], order), symmetric(&sizes, order));
                let first = if matches!(self, Self::UpTo(_)) { 0 } else { order };
                Footprint {
                    marginals: counts[first..].iter().sum(),
                    answers: symmetric(&answers, order)[first..].iter().sum(),
                    largest: descending(answers)[..order].iter().product(),
                    residuals: counts.iter().sum(),
                    residual_cells: cells.iter().sum(),
                    expanded: descending(sizes)[..order].iter().copied().map(with_total).product(),
                    strategies,
                    planning_seconds,
                }
            }
            Self::Sets(sets) => {
                let with_totals: Vec<f64> = sizes.iter().copied().map(with_total).collect();
                let (all, answers) = (products(sets, &with_totals), products(sets, &answers));
                // An attribute of one category has no residual of its own.
                let subsets: Vec<f64> = sizes.iter().map(|&size| if size > 1.0 { 2.0 } else { 1.0 }).collect();
                Footprint {
                    marginals: sets.len() as f64,
                    answers: answers.iter().sum(),
                    largest: answers.iter().copied().fold(1.0, f64::max),
                    residuals: products(sets, &subsets).iter().sum(),
                    residual_cells: all.iter().sum(),
                    expanded: all.iter().copied().fold(1.0, f64::max),
                    strategies,
                    planning_seconds,
                }
            }
        }
    }

    /// The sets with their weights, in the order of [`AttrSet`] (or of the list).
    ///
    /// # Errors
    /// [`Error::EmptyWorkload`], [`Error::UnknownAttribute`], [`Error::RepeatedMarginal`],
    /// [`Error::BadWeight`], and [`Error::TooLarge`] before anything large is made.
    ///
    /// # Panics
    /// If the number of bases is not that of the attributes.
    pub fn sets(
        &self,
        domain: &Domain,
        bases: &[QueryBasis],
        limits: &PlanLimits,
    ) -> Result<Vec<(AttrSet, f64)>, Error> {
        match self {
            Self::Sets(sets) => check_sets(sets, domain)?,
            Self::Exactly(order) if *order > domain.len() => return Err(Error::EmptyWorkload),
            _ => {}
        }
        self.footprint(domain, bases).check(limits)?;
        let of_size = |size| domain.all().subsets_of_size(size).map(|set| (set, 1.0));
        let sets: Vec<_> = match self {
            Self::UpTo(order) => (0..=*order.min(&domain.len())).flat_map(of_size).collect(),
            Self::Exactly(order) => of_size(*order).collect(),
            Self::Sets(sets) => sets.clone(),
        };
        if sets.is_empty() { Err(Error::EmptyWorkload) } else { Ok(sets) }
    }
}

impl Footprint {
    /// Bytes held while measuring, and while answering one marginal after the other: the
    /// residuals as they stay, a batch of counts, an answer with what it is made from and its
    /// text, the plan with a report of it. Somewhat above what was measured. All answers at once
    /// take 8 bytes a cell more.
    #[must_use]
    pub fn bytes(&self) -> f64 {
        let plan = 400.0 * (self.residuals + self.marginals);
        // A strategy is three matrices, and some ten while it is computed.
        let strategies = 100.0 * self.strategies;
        8.0 * self.residual_cells + 16.0 * self.expanded + 110.0 * self.largest + strategies + plan + 6e7
    }

    fn check(&self, limits: &PlanLimits) -> Result<(), Error> {
        check_at_most("marginals", self.marginals, limits.marginals)?;
        check_at_most("answers of all marginals", self.answers, limits.answers)?;
        check_at_most("bytes of memory", self.bytes(), limits.bytes)?;
        check_at_most("seconds of planning", self.planning_seconds, limits.planning_seconds)
    }
}

/// The sum over kinds of attributes: those with equal queries and sizes share a strategy.
fn seconds_of_strategies(domain: &Domain, bases: &[QueryBasis]) -> f64 {
    let asked = |&at: &usize| bases[at] != QueryBasis::Identity;
    let size = |at: usize| domain.cardinality(at);
    let is_first = |&at: &usize| (0..at).all(|other| size(other) != size(at) || bases[other] != bases[at]);
    (0..bases.len()).filter(asked).filter(is_first).map(|at| strategy_seconds(size(at))).sum()
}

fn check_at_most(what: &'static str, needed: f64, limit: f64) -> Result<(), Error> {
    // Written so that a NaN is too large.
    if needed <= limit { Ok(()) } else { Err(Error::TooLarge { what, needed, limit }) }
}

fn descending(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(|a, b| b.total_cmp(a));
    values
}

/// For each set the product of the factors of its attributes.
fn products(sets: &[(AttrSet, f64)], factors: &[f64]) -> Vec<f64> {
    sets.iter().map(|(set, _)| set.iter().map(|attribute| factors[attribute]).product()).collect()
}

/// The categories of an attribute and, where they differ, their total.
fn with_total(size: f64) -> f64 {
    if size > 1.0 { size + 1.0 } else { 1.0 }
}

/// Elementary symmetric polynomials of degrees 0 to `order`.
fn symmetric(values: &[f64], order: usize) -> Vec<f64> {
    let mut sums = vec![0.0; order + 1];
    sums[0] = 1.0;
    for value in values {
        for degree in (1..=order).rev() {
            sums[degree] += sums[degree - 1] * value;
        }
    }
    sums
}

fn check_sets(sets: &[(AttrSet, f64)], domain: &Domain) -> Result<(), Error> {
    let mut seen = BTreeSet::new();
    for &(set, weight) in sets {
        if !domain.contains(set) {
            return Err(Error::UnknownAttribute { set, attributes: domain.len() });
        }
        if !(weight > 0.0 && weight < f64::INFINITY) {
            return Err(Error::BadWeight { set, weight });
        }
        if !seen.insert(set) {
            return Err(Error::RepeatedMarginal { set });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::axes::Axes;

    fn identity(domain: &Domain) -> Vec<QueryBasis> {
        vec![QueryBasis::Identity; domain.len()]
    }

    #[test]
    fn footprint_counts_what_the_sets_hold() {
        let domain = Domain::of_cardinalities(&[2, 3, 4, 5, 1]).unwrap();
        for workload in [Workload::UpTo(2), Workload::UpTo(9), Workload::Exactly(3), Workload::Exactly(0)] {
            let sets = workload.sets(&domain, &identity(&domain), &PlanLimits::default()).unwrap();
            let predicted = workload.footprint(&domain, &identity(&domain));
            let cells = |set: AttrSet| domain.cells(set).unwrap() as f64;
            assert_eq!(predicted.marginals, sets.len() as f64);
            assert_eq!(predicted.answers, sets.iter().map(|s| cells(s.0)).sum::<f64>());
            assert_eq!(predicted.largest, sets.iter().map(|s| cells(s.0)).fold(0.0, f64::max));
            let listed = Workload::Sets(sets).footprint(&domain, &identity(&domain));
            assert_eq!(
                (listed.answers, listed.marginals, listed.largest),
                (predicted.answers, predicted.marginals, predicted.largest)
            );
            assert_eq!(listed.expanded, predicted.expanded);
            let plan_cells = closure_cells(&domain, &workload);
            assert!(predicted.residual_cells >= plan_cells && listed.residual_cells >= plan_cells, "an upper bound");
        }
    }

    #[test]
    fn what_would_never_fit_is_refused_without_being_listed() {
        let domain = Domain::of_cardinalities(&[100; 100]).unwrap();
        let too_large = |workload: Workload| {
            matches!(workload.sets(&domain, &identity(&domain), &PlanLimits::default()), Err(Error::TooLarge { .. }))
        };
        assert!(too_large(Workload::UpTo(5)));
        assert!(too_large(Workload::Exactly(100)));
        assert!(too_large(Workload::from_sets([domain.all()])));
        let binary = Domain::of_cardinalities(&[2; 40]).unwrap();
        let closure_of_2_to_the_40 = Workload::from_sets([binary.all()]);
        assert!(matches!(
            closure_of_2_to_the_40.sets(&binary, &identity(&binary), &PlanLimits::default()),
            Err(Error::TooLarge { .. })
        ));
        // One cell and one residual, however many attributes.
        let constant = Domain::of_cardinalities(&[1; 128]).unwrap();
        assert!(
            Workload::from_sets([constant.all()]).sets(&constant, &identity(&constant), &PlanLimits::default()).is_ok()
        );
        assert!(matches!(
            Workload::Exactly(200).sets(&domain, &identity(&domain), &PlanLimits::default()),
            Err(Error::EmptyWorkload)
        ));
    }

    /// Cells of all residuals of a workload, one by one.
    fn closure_cells(domain: &Domain, workload: &Workload) -> f64 {
        let sets = workload.sets(domain, &identity(domain), &PlanLimits::unlimited()).unwrap();
        let closure: BTreeSet<AttrSet> =
            sets.iter().flat_map(|(set, _)| Axes::identity(domain).varying(*set).subsets()).collect();
        closure.into_iter().map(|set| domain.cells(set).unwrap() as f64).sum()
    }

    #[test]
    fn strategies_that_take_longer_than_the_limit_are_refused_before_they_are_sought() {
        let sizes = [1_000, 1_000, 3_000, 5];
        let domain = Domain::of_cardinalities(&sizes).unwrap();
        let (prefix, range) = (QueryBasis::Prefix, QueryBasis::Range);
        let bases = [prefix.clone(), prefix, range, QueryBasis::Identity];
        let workload = Workload::UpTo(1);
        let predicted = workload.footprint(&domain, &bases).planning_seconds;
        // The two attributes of 1,000 share one strategy.
        assert!((predicted - strategy_seconds(1_000) - strategy_seconds(3_000)).abs() < 1e-9);
        assert!((25.0..35.0).contains(&strategy_seconds(1_000)) && strategy_seconds(3_000) > 600.0);
        let refused = workload.sets(&domain, &bases, &PlanLimits::default()).unwrap_err();
        assert!(matches!(refused, Error::TooLarge { what: "seconds of planning", .. }), "{refused}");
        assert!(
            workload.sets(&domain, &bases, &PlanLimits { planning_seconds: 800.0, ..PlanLimits::default() }).is_ok()
        );
        assert_eq!(workload.footprint(&domain, &vec![QueryBasis::Identity; 4]).planning_seconds, 0.0);
    }

    #[test]
    fn lists_that_make_no_sense_are_refused() {
        let domain = Domain::of_cardinalities(&[2, 3]).unwrap();
        let sets =
            |sets: Vec<(AttrSet, f64)>| Workload::Sets(sets).sets(&domain, &identity(&domain), &PlanLimits::default());
        let one = AttrSet::single(0);
        assert!(matches!(sets(vec![]), Err(Error::EmptyWorkload)));
        assert!(matches!(sets(vec![(one, 1.0), (one, 2.0)]), Err(Error::RepeatedMarginal { .. })));
        assert!(matches!(sets(vec![(AttrSet::single(2), 1.0)]), Err(Error::UnknownAttribute { .. })));
        for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(sets(vec![(one, weight)]), Err(Error::BadWeight { .. })));
        }
        assert!(matches!(
            Workload::Exactly(3).sets(&domain, &identity(&domain), &PlanLimits::default()),
            Err(Error::EmptyWorkload)
        ));
    }
}
