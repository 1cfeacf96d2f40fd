//! What leaves, and what stays with the owner of the data.

use std::fmt;

use crate::attack::intervals::CellInterval;
use crate::error::Error;
use crate::suppression::plan::{SuppressionPlan, SuppressionProblem, SuppressionStatus};

/// A published cell. Nothing tells a cell that is sensitive from one that protects it.
#[derive(Clone, PartialEq, Eq)]
pub struct PublishedAmount {
    /// The label on each axis, totals among them.
    pub labels: Vec<String>,
    /// The amount, in units; `None` where it is withheld.
    pub amount: Option<i64>,
}

/// Debug output shows no amount.
impl fmt::Debug for PublishedAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublishedAmount").field("labels", &self.labels).finish_non_exhaustive()
    }
}

/// What may be published: every cell of the table, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PublishedAmounts {
    /// The names of the axes.
    pub axes: Vec<String>,
    /// The cells.
    pub cells: Vec<PublishedAmount>,
}

/// A withheld cell, for the owner of the data.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WithheldAmount {
    /// The label on each axis.
    pub labels: Vec<String>,
    /// Why it is withheld.
    pub status: SuppressionStatus,
    /// The amount, in units.
    pub amount: i64,
    /// How many respondents contribute.
    pub respondents: usize,
    /// How far from the amount a reader without an amount of their own must stay; 0 for a cell
    /// that protects others.
    pub level: i64,
    /// What such a reader knows.
    pub interval: CellInterval,
}

/// Debug output shows no amount.
impl fmt::Debug for WithheldAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WithheldAmount")
            .field("labels", &self.labels)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

impl SuppressionPlan {
    /// The published table. The plan was attacked when it was made.
    ///
    /// # Errors
    /// [`Error::NoSuchCell`] for a table with another number of cells.
    pub fn publish(&self, problem: &SuppressionProblem<'_>) -> Result<PublishedAmounts, Error> {
        let (table, statuses) = (problem.table, self.statuses());
        let cube = table.cube();
        if statuses.len() != cube.cells() {
            return Err(Error::NoSuchCell { index: statuses.len() });
        }
        let amounts = table.additive().amounts();
        let cells = statuses.iter().enumerate().map(|(cell, &status)| PublishedAmount {
            labels: cube.labels_of(cell).into_iter().map(str::to_owned).collect(),
            amount: (status == SuppressionStatus::Published).then(|| amounts[cell]),
        });
        let axes = cube.axes().iter().map(|axis| axis.name().to_owned()).collect();
        Ok(PublishedAmounts { axes, cells: cells.collect() })
    }

    /// The withheld cells, with what a reader knows of each: for the owner of the data alone.
    ///
    /// # Errors
    /// As [`SuppressionProblem::intervals`].
    pub fn review(&self, problem: &SuppressionProblem<'_>) -> Result<Vec<WithheldAmount>, Error> {
        let table = problem.table;
        let intervals = problem.intervals(&self.is_withheld())?;
        let review = intervals.into_iter().map(|interval| {
            let cell = interval.cell;
            let contributions = table.contributions(cell);
            WithheldAmount {
                labels: table.cube().labels_of(cell).into_iter().map(str::to_owned).collect(),
                status: self.statuses()[cell],
                amount: table.additive().amounts()[cell],
                respondents: contributions.len(),
                level: problem.rule.level(contributions, &[]),
                interval,
            }
        });
        Ok(review.collect())
    }
}
