//! What to publish, what is public already, and which means of protection a plan may use.

use std::collections::BTreeMap;

use privacy_core::param::{Delta, Epsilon};
use privacy_core::{AttrSet, ContingencyTable, Domain};

use crate::audit::classes::DisclosureTarget;
use crate::audit::rule::DisclosureRule;
use crate::engine::linear_program::Limits;
use crate::planner::noise::allocation::AllocationLoss;
use crate::planner::noise::by_request::{MarginSize, RequestedNoise};
use crate::table::error::Error;
use crate::table::hierarchy::Hierarchy;
use crate::table::knowledge::Knowledge;

/// The data on which a plan decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum DecisionData {
    /// Public numbers of people: the plan itself reveals nothing.
    PublicSizes,
    /// The counts: the pattern of what is recoded, suppressed or noised reveals something about
    /// them, often a withheld count. See [`ReleasePlan::replay`](crate::ReleasePlan::replay).
    Counts,
    /// The counts, by a rule that publishes less until knowing it adds nothing: among the tables
    /// for which the same is published, the disclosure rule holds.
    Robust,
    /// A noisy threshold on the counts, which costs a privacy budget. See
    /// [`PrivatePattern`](crate::PrivatePattern).
    Private,
}

/// The noise that a plan may use. There is no default.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NoiseBudget {
    /// What all noised numbers together may cost a person; see
    /// [`NoiseStatement`](crate::NoiseStatement) for what it says.
    pub epsilon: Epsilon,
    /// A delta at which the cost is stated as well.
    pub delta: Option<Delta>,
    /// What the division of the budget makes small.
    pub loss: AllocationLoss,
}

/// Among which cells a plan divides its noise budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoiseDivision {
    /// Among the noised cells, as far as people of the public table share them. Scales depend on
    /// that table and on which cells are noised.
    NoisedCells,
    /// Over all cells of the domain: scales follow from the request alone. See
    /// [`RequestedNoise`](crate::RequestedNoise).
    AllCells,
}

/// A requested margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RequestedMargin {
    pub(crate) axes: AttrSet,
    pub(crate) weight: f64,
}

impl RequestedMargin {
    fn size(&self, domain: &Domain) -> MarginSize {
        MarginSize { cells: domain.cells(self.axes).unwrap_or(u64::MAX), weight: self.weight }
    }
}

/// The problem that [`plan`](crate::plan) solves.
#[derive(Clone, Debug)]
pub struct ReleaseProblem {
    pub(crate) background: Knowledge,
    pub(crate) rule: DisclosureRule,
    pub(crate) target: DisclosureTarget,
    pub(crate) requested: Vec<RequestedMargin>,
    pub(crate) hierarchies: BTreeMap<usize, Hierarchy>,
    pub(crate) merge: bool,
    pub(crate) suppress: bool,
    pub(crate) noise: Option<NoiseBudget>,
    pub(crate) counts: Option<ContingencyTable>,
    pub(crate) division: NoiseDivision,
    pub(crate) basis: DecisionData,
    pub(crate) limits: Limits,
}

impl ReleaseProblem {
    /// A problem with no requests yet. `background` is what an attacker knows before the release:
    /// the population table, totals, earlier periods. By default the plan decides on public
    /// sizes, uses hierarchies alone, and draws no noise.
    #[must_use]
    pub fn new(background: Knowledge, rule: DisclosureRule, target: DisclosureTarget, limits: Limits) -> Self {
        Self {
            background,
            rule,
            target,
            requested: Vec::new(),
            hierarchies: BTreeMap::new(),
            merge: false,
            suppress: false,
            noise: None,
            counts: None,
            division: NoiseDivision::NoisedCells,
            basis: DecisionData::PublicSizes,
            limits,
        }
    }

    /// Requests the margin over `axes`; the margin over no axis is the total. Its utility is
    /// `weight` times the logarithm of 1 more than its cells.
    ///
    /// # Errors
    /// [`Error::NoSuchLevel`], [`Error::Weight`] and [`Error::RequestedTwice`].
    pub fn request_margin(mut self, axes: AttrSet, weight: f64) -> Result<Self, Error> {
        if let Some(axis) = axes.iter().find(|&axis| axis >= self.background.domain().len()) {
            return Err(Error::NoSuchLevel { axis, level: 0 });
        }
        if !(weight > 0.0 && weight < f64::INFINITY) {
            return Err(Error::Weight);
        }
        if self.requested.iter().any(|requested| requested.axes == axes) {
            return Err(Error::RequestedTwice { axes: axes.iter().collect() });
        }
        self.requested.push(RequestedMargin { axes, weight });
        Ok(self)
    }

    /// Groups of the levels of an axis, which may replace them.
    ///
    /// # Errors
    /// [`Error::NoSuchLevel`] and [`Error::ForeignHierarchy`].
    pub fn with_hierarchy(mut self, axis: usize, hierarchy: Hierarchy) -> Result<Self, Error> {
        let Some(attribute) = self.background.domain().attributes().get(axis) else {
            return Err(Error::NoSuchLevel { axis, level: 0 });
        };
        let (expected, got) = (attribute.cardinality(), hierarchy.nodes()[0].levels.len());
        if got != expected {
            return Err(Error::ForeignHierarchy { axis, expected, got });
        }
        self.hierarchies.insert(axis, hierarchy);
        Ok(self)
    }

    /// Small siblings may be pooled, by public sizes.
    #[must_use]
    pub fn allow_merging(mut self) -> Self {
        self.merge = true;
        self
    }

    /// Cells may be withheld, where the plan decides on the counts.
    #[must_use]
    pub fn allow_suppression(mut self) -> Self {
        self.suppress = true;
        self
    }

    /// Noise may be used. A rule without noise leaves this out.
    #[must_use]
    pub fn allow_noise(mut self, noise: NoiseBudget) -> Self {
        self.noise = Some(noise);
        self
    }

    /// Divides the budget over all cells of the domain, so that scales follow from the request
    /// alone. A charge for a row of the data needs this.
    #[must_use]
    pub fn divide_over_all_cells(mut self) -> Self {
        self.division = NoiseDivision::AllCells;
        self
    }

    /// Among which cells the budget is divided. A plan on the counts always divides over all
    /// cells, since which cells it noises depends on the counts.
    #[must_use]
    pub fn noise_division(&self) -> NoiseDivision {
        if self.counts.is_some() { NoiseDivision::AllCells } else { self.division }
    }

    /// The noise of every requested margin when the budget is divided over all cells; `None`
    /// where noise is not allowed or nothing is requested.
    ///
    /// # Errors
    /// As [`RequestedNoise::new`].
    pub fn requested_noise(&self) -> Result<Option<RequestedNoise>, Error> {
        let Some(noise) = self.noise.as_ref().filter(|_| !self.requested.is_empty()) else { return Ok(None) };
        let domain = self.background.domain();
        let sizes: Vec<MarginSize> = self.requested.iter().map(|requested| requested.size(domain)).collect();
        RequestedNoise::new(noise, &sizes, self.background.response_axis().is_some()).map(Some)
    }

    /// Decides on these counts, the full table. The plan then keeps more, and its choices reveal
    /// something about the counts.
    ///
    /// # Errors
    /// [`Error::Shape`] when the table is not over all attributes; [`Error::OtherTable`] when it
    /// contradicts what is public.
    pub fn decide_on_counts(mut self, table: &ContingencyTable) -> Result<Self, Error> {
        self.checked(table)?;
        (self.counts, self.basis) = (Some(table.clone()), DecisionData::Counts);
        Ok(self)
    }

    /// Decides on these counts, the full table, so that a reader who knows the planner gains
    /// nothing by it. Cells are withheld in blocks that do not depend on the counts; margins are
    /// not recoded. The plan keeps less than one that [decides on the
    /// counts](Self::decide_on_counts).
    ///
    /// # Errors
    /// As [`decide_on_counts`](Self::decide_on_counts).
    pub fn decide_robustly(mut self, table: &ContingencyTable) -> Result<Self, Error> {
        self.checked(table)?;
        (self.counts, self.basis) = (Some(table.clone()), DecisionData::Robust);
        Ok(self)
    }

    /// The data on which the plan decides.
    #[must_use]
    pub fn decision_data(&self) -> DecisionData {
        self.basis
    }

    pub(crate) fn checked(&self, table: &ContingencyTable) -> Result<(), Error> {
        let domain = self.background.domain();
        let expected = domain.shape(domain.all());
        if table.attributes() != domain.all() || table.counts().shape() != expected {
            return Err(Error::Shape { expected, got: table.counts().shape().to_vec() });
        }
        let fits = self.background.system.check(&truth(table));
        fits.map_err(|_| Error::OtherTable)
    }
}

/// The owner's table as one that fits.
pub(crate) fn truth(table: &ContingencyTable) -> Vec<i64> {
    table.cells().iter().map(|&count| i64::try_from(count).unwrap_or(i64::MAX)).collect()
}
