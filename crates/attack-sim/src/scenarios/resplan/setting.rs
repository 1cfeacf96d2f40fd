//! Which marginals of which table: the part of a scenario's parameters that is the same for all
//! attackers.

use std::sync::Arc;

use disclosure::privacy_core::accounting::{Neighbours, PrivacyCost};
use disclosure::privacy_core::{Attribute, Domain, param::ParamError};
use disclosure::resplan::{Plan, PlanLimits, PlanSpec, QueryBasis, Strategy, TreeNodes, Workload};

use super::refusal::{problem, refused};
use crate::prelude::*;

/// A table and its plan.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Setting {
    /// Categories of each attribute.
    pub(super) sizes: Vec<usize>,
    /// What is asked about each; their categories where nothing is said.
    #[serde(default)]
    bases: Vec<Asked>,
    /// Every set of at most this many attributes is released.
    pub(super) order: usize,
    /// The budget: squared sensitivity over variance, summed.
    pub(super) pcost: f64,
    /// Whether the budget is `mu^2` of Gaussian differential privacy as well.
    #[serde(default)]
    gaussian: bool,
    /// Whether neighbours have one row replaced. Otherwise one is added or removed.
    #[serde(default)]
    pub(super) replace: bool,
    /// Whether one strategy measures all attributes together.
    #[serde(default)]
    together: bool,
    /// How many rows one person may have.
    #[serde(default = "one")]
    pub(super) rows_per_person: u32,
    /// Counts of the full table, the last attribute fastest. Zeros where nothing is said.
    #[serde(default)]
    counts: Vec<u64>,
}

const fn one() -> u32 {
    1
}

/// A basis by its name.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Asked {
    Identity,
    Prefix,
    Range,
    /// A tree that cuts every node in two.
    BinaryTree,
}

impl Asked {
    fn basis(self, attribute: Option<&Attribute>) -> Result<QueryBasis, Error> {
        Ok(match self {
            Self::Identity => QueryBasis::Identity,
            Self::Prefix => QueryBasis::Prefix,
            Self::Range => QueryBasis::Range,
            Self::BinaryTree => {
                let labels = attribute.iter().flat_map(|attribute| attribute.labels().iter());
                QueryBasis::Hierarchical(Arc::new(TreeNodes::balanced(labels, 2).map_err(refused)?))
            }
        })
    }
}

impl Setting {
    /// The domain, public.
    pub(super) fn domain(&self) -> Result<Domain, Error> {
        Domain::of_cardinalities(&self.sizes).map_err(refused)
    }

    /// The plan, its spec changed by `change` first.
    pub(super) fn plan(&self, change: impl FnOnce(&mut PlanSpec) -> Result<(), ParamError>) -> Result<Plan, Error> {
        let domain = self.domain()?;
        let bases =
            self.bases.iter().enumerate().map(|(attribute, asked)| asked.basis(domain.attributes().get(attribute)));
        let bases: Vec<QueryBasis> = bases.collect::<Result<_, _>>()?;
        let budget = PrivacyCost::new(self.pcost).map_err(refused)?;
        let mut spec = PlanSpec::new(domain, Workload::UpTo(self.order), budget);
        if !bases.is_empty() {
            spec.bases = bases;
        }
        spec.neighbours = if self.replace { Neighbours::Replace } else { Neighbours::AddRemove };
        spec.rows_per_person = self.rows_per_person;
        spec.gaussian_budget = self.gaussian.then_some(budget);
        if self.together {
            spec.strategy = Strategy::Joint;
        }
        change(&mut spec).map_err(refused)?;
        let plan = Plan::new(spec, &PlanLimits::default()).map_err(refused)?;
        if self.together && plan.joint_queries().is_none() {
            return Err(problem("no attributes of this plan are measured together".to_owned()));
        }
        Ok(plan)
    }

    /// The table, and `rows` more in the cell of `row`.
    pub(super) fn table_with(&self, row: &[usize], rows: u32) -> Result<TableSource, Error> {
        self.table_of(self.counts_with(row, rows)?)
    }

    /// The counts of the table, with `rows` more in the cell of `row`.
    pub(super) fn counts_with(&self, row: &[usize], rows: u32) -> Result<Vec<u64>, Error> {
        let mut counts = self.counts()?;
        counts[self.place(row)?] += u64::from(rows);
        Ok(counts)
    }

    /// The table.
    pub(super) fn table(&self) -> Result<TableSource, Error> {
        self.table_of(self.counts()?)
    }

    /// A table of other counts.
    pub(super) fn table_of(&self, counts: Vec<u64>) -> Result<TableSource, Error> {
        TableSource::new(self.domain()?, counts).map_err(refused)
    }

    /// The counts of the full table.
    pub(super) fn counts(&self) -> Result<Vec<u64>, Error> {
        let cells = self.sizes.iter().product();
        match self.counts.len() {
            0 => Ok(vec![0; cells]),
            given if given == cells => Ok(self.counts.clone()),
            given => Err(problem(format!("{given} counts for a table of {cells} cells"))),
        }
    }

    /// The place of a row in the full table.
    pub(super) fn place(&self, row: &[usize]) -> Result<usize, Error> {
        let fits = row.len() == self.sizes.len() && row.iter().zip(&self.sizes).all(|(value, size)| value < size);
        if !fits {
            return Err(problem("a row has one category of each attribute".to_owned()));
        }
        Ok(row.iter().zip(&self.sizes).fold(0, |place, (value, size)| place * size + value))
    }
}
