//! Plans and measurements in files: stored, moved, and answered later.
//!
//! A plan file holds the integers and fractions that a plan is made of, so that it measures and
//! answers the same on every machine. What is read is checked as if it came from a stranger: the
//! cost is computed anew, never believed.

use std::collections::BTreeMap;
use std::sync::Arc;

use ndarray::Array2;
use privacy_core::accounting::Neighbours;
use privacy_core::domain::DomainError;
use privacy_core::noise::Rational;
use privacy_core::{AttrSet, Attribute, Domain, Provenance};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::measurement::lattice::check_noise;
use crate::planning::adjacency::Adjacency;
use crate::planning::budget::variance_below;
use crate::planning::closure::Closure;
use crate::planning::cost::total_cost;
use crate::planning::design::Design;
use crate::planning::plan::Plan;
use crate::planning::spec::{NormOrder, Objective};
use crate::queries::basis::QueryBasis;
use crate::queries::text::BasisText;
use crate::queries::workload::{PlanLimits, Workload};
use crate::strategy::axes::{Axes, Joint};
#[cfg(feature = "linalg")]
use crate::strategy::axis::Dense;
use crate::strategy::axis::{Axis, DIGITS, Residual};

/// Most cells of a block that one strategy measures.
const MOST_CELLS: u64 = 256;

/// The format of a plan file.
const SCHEMA: &str = "disclosure.resplan-stored-plan/1";

/// A plan as a file holds it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFile {
    schema: String,
    domain_is_public: bool,
    attributes: Vec<AttributeFile>,
    strategies: Vec<StrategyFile>,
    /// A block of attributes that one strategy measures together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    joint: Option<JointFile>,
    marginals: Vec<MarginalFile>,
    objective: ObjectiveFile,
    /// Bounds on variances that the plan keeps: at another budget it would be another plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    bounds: Vec<BoundFile>,
    objective_gap: f64,
    neighbours: Neighbours,
    rows_per_person: u32,
    pcost: f64,
    residuals: Vec<ResidualFile>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AttributeFile {
    name: String,
    labels: Vec<String>,
    basis: BasisText,
    /// Its strategy, unless its categories are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    strategy: Option<usize>,
}

/// The integers 2^digits B of an attribute, row by row.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StrategyFile {
    gap: f64,
    /// Binary digits of the rows behind the point.
    digits: u32,
    rows: Vec<Vec<i64>>,
}

/// Attributes whose cells, the last attribute fastest, are the categories of one strategy.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JointFile {
    attributes: Vec<usize>,
    strategy: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MarginalFile {
    attributes: Vec<usize>,
    weight: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BoundFile {
    attributes: Vec<usize>,
    /// Largest variance of an answer.
    variance: f64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ObjectiveFile {
    SumVariance,
    MaxVariance,
    EqualError,
    Norm(f64),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResidualFile {
    attributes: Vec<usize>,
    /// `[numerator, denominator]` in decimal digits: both may be larger than other programs'
    /// numbers.
    sigma2: [String; 2],
}

/// Why a file is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoredError {
    /// The file could not be read or written.
    #[error("the file could not be read or written")]
    Io(#[from] std::io::Error),
    /// The file is of another kind or another version. Write it again with this program.
    #[error("this is not a file of the format {expected}")]
    OtherFormat {
        /// What was expected.
        expected: &'static str,
    },
    /// The text is not the JSON of the format.
    #[error("the header is damaged at line {line}, column {column}")]
    Json {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
    },
    /// The file is damaged or was cut off. Fetch it again.
    #[error("the file is damaged: {what}")]
    Damaged {
        /// Where.
        what: &'static str,
    },
    /// The parts of the file contradict each other.
    #[error("the stored plan is invalid: {what}")]
    Inconsistent {
        /// What does not fit.
        what: &'static str,
    },
    /// The domain in the file is invalid.
    #[error("the stored domain is invalid")]
    Domain(#[from] DomainError),
    /// The stored plan is refused for the reason that a new one would be.
    #[error(transparent)]
    Plan(#[from] Error),
}

impl StoredError {
    const OTHER_RESIDUALS: Self = Self::Inconsistent { what: "its residuals are not those of its marginals" };
    const OTHER_BLOCK: Self = Self::Inconsistent { what: "the block of a joint strategy is not that of its marginals" };
}

impl From<serde_json::Error> for StoredError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json { line: error.line(), column: error.column() }
    }
}

impl Plan {
    /// The plan as a file holds it.
    #[must_use]
    pub fn to_file(&self) -> PlanFile {
        PlanFile::from_design(self.design())
    }
}

impl PlanFile {
    pub(crate) fn from_design(design: &Design) -> Self {
        let mut strategies: Vec<StrategyFile> = Vec::new();
        let mut known: BTreeMap<*const Axis, usize> = BTreeMap::new();
        let mut strategy = |axis: &Axis| match axis.residual() {
            Residual::Centred => None,
            Residual::Dense(dense) => Some(*known.entry(std::ptr::from_ref(axis)).or_insert_with(|| {
                let rows = dense.queries.rows().into_iter().map(|row| row.to_vec()).collect();
                strategies.push(StrategyFile { gap: axis.gap(), digits: dense.digits, rows });
                strategies.len() - 1
            })),
        };
        let attributes =
            design.domain.attributes().iter().zip(design.axes.iter()).map(|(attribute, axis)| AttributeFile {
                name: attribute.name().to_owned(),
                labels: attribute.labels().to_vec(),
                basis: axis.basis().clone().into(),
                strategy: strategy(axis),
            });
        let attributes = attributes.collect();
        let joint = design.axes.joint().map(|joint| (joint.block.iter().collect(), strategy(&joint.axis)));
        let joint = joint.and_then(|(attributes, at)| at.map(|strategy| JointFile { attributes, strategy }));
        let residuals = design.residuals().map(|(set, sigma2)| ResidualFile {
            attributes: set.iter().collect(),
            sigma2: [sigma2.numerator().to_string(), sigma2.denominator().to_string()],
        });
        PlanFile {
            schema: SCHEMA.to_owned(),
            domain_is_public: design.domain.provenance() == Provenance::Public,
            attributes,
            strategies,
            joint,
            marginals: design
                .workload
                .iter()
                .map(|&(set, weight)| MarginalFile { attributes: set.iter().collect(), weight })
                .collect(),
            objective: match design.objective {
                Objective::SumVariance => ObjectiveFile::SumVariance,
                Objective::MaxVariance => ObjectiveFile::MaxVariance,
                Objective::EqualError => ObjectiveFile::EqualError,
                Objective::NormVariance(order) => ObjectiveFile::Norm(order.get()),
            },
            bounds: design
                .bounds
                .iter()
                .map(|&(set, variance)| BoundFile { attributes: set.iter().collect(), variance })
                .collect(),
            objective_gap: design.gap,
            neighbours: design.adjacency.neighbours,
            rows_per_person: design.adjacency.rows_per_person,
            pcost: design.pcost,
            residuals: residuals.collect(),
        }
    }

    /// Reads the JSON of a plan file.
    ///
    /// # Errors
    /// [`StoredError::Json`], [`StoredError::OtherFormat`].
    pub fn from_json(text: &str) -> Result<Self, StoredError> {
        /// The schema alone, so that another version is not reported as a damaged file.
        #[derive(Deserialize)]
        struct Head {
            schema: Option<String>,
        }
        let head: Head = serde_json::from_str(text)?;
        if head.schema.as_deref() != Some(SCHEMA) {
            return Err(StoredError::OtherFormat { expected: SCHEMA });
        }
        Ok(serde_json::from_str(text)?)
    }

    /// The plan, checked as a new one would be; its cost is computed anew, and so is the gap of one
    /// that measures all attributes together.
    ///
    /// # Errors
    /// [`StoredError`].
    pub fn plan(self, limits: &PlanLimits) -> Result<Plan, StoredError> {
        let design = self.design(limits)?;
        #[cfg(feature = "linalg")]
        if design.axes.joint().is_some() {
            let certified = crate::planning::together::certified(design, &limits.stop)?;
            return Ok(Plan::from_design(certified.ok_or(StoredError::OTHER_BLOCK)?, &limits.stop));
        }
        Ok(Plan::from_design(design, &limits.stop))
    }

    /// What is measured, checked; the gap of a plan that measures all attributes together is
    /// infinite until somebody asks for it.
    pub(crate) fn design(self, limits: &PlanLimits) -> Result<Design, StoredError> {
        if self.schema != SCHEMA {
            return Err(StoredError::OtherFormat { expected: SCHEMA });
        }
        let domain = self.domain()?;
        // Its strategies are in the file: nothing is sought.
        let limits = &PlanLimits { planning_seconds: f64::INFINITY, ..limits.clone() };
        let bases: Vec<QueryBasis> =
            self.attributes.iter().map(|attribute| attribute.basis.clone().try_into()).collect::<Result<_, _>>()?;
        let joint = self.joint(&domain)?;
        let axes = self.axes(&domain, &bases)?.with_joint(joint);
        let marginals =
            self.marginals.iter().map(|marginal| Ok((set_of(&marginal.attributes, &domain)?, marginal.weight)));
        let workload = Workload::Sets(marginals.collect::<Result<_, StoredError>>()?).sets(&domain, &bases, limits)?;
        let closure = self.closure(&axes, &workload, limits)?;
        let variances = self.variances(&domain, &closure)?;
        let gaps = self.strategies.iter().map(|strategy| strategy.gap).chain([self.objective_gap]);
        if !gaps.into_iter().all(|gap| (0.0..f64::INFINITY).contains(&gap)) {
            return Err(StoredError::Inconsistent { what: "a gap is not a number from 0 on" });
        }
        if self.rows_per_person == 0 {
            return Err(Error::BadContribution.into());
        }
        let adjacency = Adjacency { neighbours: self.neighbours, rows_per_person: self.rows_per_person };
        let residuals: Vec<(AttrSet, f64)> =
            closure.sets().iter().copied().zip(variances.iter().map(|&v| variance_below(v))).collect();
        // Infinite when a residual that costs something has no noise.
        let pcost = total_cost(&axes, &residuals, adjacency);
        if !(pcost.is_finite() && pcost <= self.pcost * (1.0 + 1e-12)) {
            return Err(StoredError::Inconsistent { what: "it costs more than it says" });
        }
        for (&set, &sigma2) in closure.sets().iter().zip(&variances).filter(|(_, sigma2)| !sigma2.is_zero()) {
            check_noise(&axes, set, sigma2)?;
        }
        let objective = match self.objective {
            ObjectiveFile::SumVariance => Objective::SumVariance,
            ObjectiveFile::MaxVariance => Objective::MaxVariance,
            ObjectiveFile::EqualError => Objective::EqualError,
            ObjectiveFile::Norm(order) => Objective::NormVariance(NormOrder::new(order)?),
        };
        let bounds = self.bounds(&domain, &workload)?;
        let gap = if axes.joint().is_some() { f64::INFINITY } else { self.objective_gap };
        Ok(Design { domain, axes, workload, closure, variances, adjacency, objective, bounds, gap, pcost })
    }

    fn domain(&self) -> Result<Domain, StoredError> {
        let attributes = self.attributes.iter().map(|a| Attribute::new(a.name.clone(), a.labels.clone()));
        let domain = Domain::new(attributes.collect::<Result<_, _>>()?)?;
        Ok(if self.domain_is_public { domain } else { domain.with_provenance(Provenance::LearntFromData) })
    }

    fn axes(&self, domain: &Domain, bases: &[QueryBasis]) -> Result<Axes, StoredError> {
        let mut axes: Vec<Arc<Axis>> = Vec::with_capacity(bases.len());
        for (number, (attribute, basis)) in domain.attributes().iter().zip(bases).enumerate() {
            let size = attribute.cardinality();
            basis.check(size)?;
            let axis = match self.attributes[number].strategy {
                _ if size == 1 => Arc::new(Axis::constant(basis.clone())),
                None if self.joint.is_some() => Arc::new(Axis::asked(basis.clone(), size)),
                None if *basis == QueryBasis::Identity => Arc::new(Axis::identity(size)),
                None => return Err(StoredError::Inconsistent { what: "an attribute has no strategy" }),
                Some(strategy) => {
                    // Attributes that are asked the same share what follows from their strategy.
                    let same =
                        (0..number).find(|&i| bases[i] == *basis && self.attributes[i].strategy == Some(strategy));
                    match same {
                        Some(same) => Arc::clone(&axes[same]),
                        None => Arc::new(self.axis(strategy, basis, size, number)?),
                    }
                }
            };
            axes.push(axis);
        }
        Ok(Axes::new(axes))
    }

    fn axis(&self, strategy: usize, basis: &QueryBasis, size: usize, attribute: usize) -> Result<Axis, StoredError> {
        let (queries, digits, gap) = self.integers(strategy, size)?;
        #[cfg(feature = "linalg")]
        return Axis::of_integers(basis.clone(), queries, digits, gap)
            .map_err(|cause| Error::NoStrategy { attribute, cause }.into());
        #[cfg(not(feature = "linalg"))]
        Err(Error::NeedsLinalg { attribute }.into())
    }

    /// The integers of a strategy for this many categories, their digits behind the point, and its
    /// gap.
    fn integers(&self, strategy: usize, size: usize) -> Result<(Array2<i64>, u32, f64), StoredError> {
        let wrong = StoredError::Inconsistent { what: "a strategy does not fit its attribute" };
        let Some(StrategyFile { gap, digits, rows }) = self.strategies.get(strategy) else { return Err(wrong) };
        if !(1..=DIGITS).contains(digits) {
            return Err(wrong);
        }
        let largest = 1_i64 << (digits + 1);
        let fit = rows.iter().all(|row| row.len() == size && row.iter().all(|x| (-largest..=largest).contains(x)));
        if rows.len() != size - 1 || !fit {
            return Err(wrong);
        }
        let queries = Array2::from_shape_vec((size - 1, size), rows.concat()).expect("every row has the same length");
        Ok((queries, *digits, *gap))
    }

    /// The block that is measured together, if there is one.
    fn joint(&self, domain: &Domain) -> Result<Option<Joint>, StoredError> {
        let Some(JointFile { attributes, strategy }) = &self.joint else { return Ok(None) };
        let wrong = StoredError::OTHER_BLOCK;
        let block = set_of(attributes, domain)?;
        let varies = block.iter().all(|attribute| domain.cardinality(attribute) > 1);
        let cells = domain.cells(block).filter(|&cells| cells <= MOST_CELLS);
        let objective = !matches!(self.objective, ObjectiveFile::Norm(_)) && self.bounds.is_empty();
        let Some(cells) = cells.filter(|_| varies && !block.is_empty() && objective) else { return Err(wrong) };
        let (queries, digits, gap) = self.integers(*strategy, cells as usize)?;
        #[cfg(feature = "linalg")]
        return match Dense::of_block(queries, digits) {
            Ok(dense) => Ok(Some(Joint { block, axis: Arc::new(Axis::of_block(dense, gap)) })),
            Err(cause) => Err(Error::NoStrategy { attribute: attributes[0], cause }.into()),
        };
        #[cfg(not(feature = "linalg"))]
        Err(Error::NeedsLinalg { attribute: attributes[0] }.into())
    }

    /// The residuals of the marginals: the total and the block, where one strategy measures all.
    fn closure(&self, axes: &Axes, workload: &[(AttrSet, f64)], limits: &PlanLimits) -> Result<Closure, StoredError> {
        let Some(joint) = axes.joint() else { return Ok(Closure::new(axes, workload, &limits.stop)?) };
        let all = workload.iter().fold(AttrSet::EMPTY, |all, (set, _)| all.union(*set));
        if axes.varying(all) != joint.block {
            return Err(StoredError::OTHER_RESIDUALS);
        }
        #[cfg(feature = "linalg")]
        return Ok(crate::planning::joint::joint_closure(axes, joint, workload));
        #[cfg(not(feature = "linalg"))]
        Err(StoredError::OTHER_RESIDUALS)
    }

    fn bounds(&self, domain: &Domain, workload: &[(AttrSet, f64)]) -> Result<Vec<(AttrSet, f64)>, StoredError> {
        self.bounds.iter().map(|bound| bound.checked(domain, workload)).collect()
    }

    fn variances(&self, domain: &Domain, closure: &Closure) -> Result<Vec<Rational>, StoredError> {
        if self.residuals.len() != closure.sets().len() {
            return Err(StoredError::OTHER_RESIDUALS);
        }
        let variances = self.residuals.iter().zip(closure.sets()).map(|(residual, set)| {
            if set_of(&residual.attributes, domain)? != *set {
                return Err(StoredError::OTHER_RESIDUALS);
            }
            residual.variance().ok_or(StoredError::OTHER_RESIDUALS)
        });
        variances.collect()
    }
}

impl ResidualFile {
    /// `None` when the texts are not those of a variance.
    fn variance(&self) -> Option<Rational> {
        let [numerator, denominator] = &self.sigma2;
        Rational::new(numerator.parse().ok()?, denominator.parse().ok()?).ok()
    }
}

impl BoundFile {
    fn checked(&self, domain: &Domain, workload: &[(AttrSet, f64)]) -> Result<(AttrSet, f64), StoredError> {
        let set = set_of(&self.attributes, domain)?;
        let is_valid = self.variance > 0.0 && self.variance.is_finite();
        match is_valid && workload.iter().any(|(planned, _)| *planned == set) {
            true => Ok((set, self.variance)),
            false => Err(StoredError::Inconsistent { what: "a bound is not above 0 or on no marginal of the plan" }),
        }
    }
}

fn set_of(attributes: &[usize], domain: &Domain) -> Result<AttrSet, StoredError> {
    let known = attributes.iter().all(|&attribute| attribute < domain.len());
    let set: Option<AttrSet> = known.then(|| attributes.iter().copied().collect());
    let distinct = set.filter(|set| set.len() == attributes.len());
    distinct.ok_or(StoredError::Inconsistent {
        what: "a marginal names attributes that the domain does not have, or one of them twice",
    })
}
