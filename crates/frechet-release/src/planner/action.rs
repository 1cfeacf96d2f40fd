//! What happens to one margin that was asked for, and why.

use crate::planner::problem::Wanted;
use crate::planner::recoded_margin::Statistic;

/// What happens to a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Fate {
    /// Its count goes out as it is.
    Exact,
    /// It goes out with noise.
    Noised,
    /// It does not go out, and other numbers do not give it away.
    Suppressed,
}

/// What happens to a margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Treatment {
    /// All its cells go out as they are.
    Exact,
    /// Levels are published in groups, exactly.
    Coarsened,
    /// Some cells are withheld.
    Suppressed,
    /// Some or all cells have noise.
    Noised,
    /// Nothing goes out.
    Withheld,
}

/// What happens to one margin that was asked for, and why.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Action {
    /// The axes asked for.
    pub axes: Vec<usize>,
    /// What happens to it.
    pub treatment: Treatment,
    /// With which groups; `None` when withheld.
    pub statistic: Option<Statistic>,
    /// What happens to each cell of the statistic.
    pub fates: Vec<Fate>,
    /// Why, in words: attributes, positions and parameters, no counts.
    pub reasons: Vec<String>,
    /// How much it was wanted.
    pub weight: f64,
}

impl Action {
    pub(crate) fn withheld(wanted: &Wanted, reason: String) -> Self {
        let axes = wanted.axes.iter().collect();
        let (treatment, reasons) = (Treatment::Withheld, vec![reason]);
        Self { axes, treatment, statistic: None, fates: Vec::new(), reasons, weight: wanted.weight }
    }

    pub(crate) fn exact(wanted: &Wanted, statistic: Statistic, reason: String) -> Self {
        let treatment = if statistic.is_finest() { Treatment::Exact } else { Treatment::Coarsened };
        let fates = vec![Fate::Exact; statistic.cells()];
        let axes = wanted.axes.iter().collect();
        Self { axes, treatment, statistic: Some(statistic), fates, reasons: vec![reason], weight: wanted.weight }
    }

    pub(crate) fn noised(
        wanted: &Wanted,
        statistic: Statistic,
        is_noised: impl Fn(usize) -> bool,
        reason: String,
    ) -> Self {
        let fate = |cell| if is_noised(cell) { Fate::Noised } else { Fate::Exact };
        let fates = (0..statistic.cells()).map(fate).collect();
        let (axes, treatment) = (wanted.axes.iter().collect(), Treatment::Noised);
        Self { axes, treatment, statistic: Some(statistic), fates, reasons: vec![reason], weight: wanted.weight }
    }
}
