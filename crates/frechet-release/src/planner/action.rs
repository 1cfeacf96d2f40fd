//! What happens to one requested margin, and why.

use crate::planner::margin::recoded_margin::RecodedMargin;
use crate::planner::problem::RequestedMargin;

/// Status of a cell of a margin: exact, noised or suppressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum CellStatus {
    /// Its count is published as it is.
    Exact,
    /// It is published with noise.
    Noised,
    /// It is suppressed, and other numbers do not disclose it.
    Suppressed,
}

impl CellStatus {
    /// Exact where it is shown, suppressed elsewhere.
    pub(crate) fn of_shown(&shown: &bool) -> Self {
        if shown { Self::Exact } else { Self::Suppressed }
    }
}

/// Treatment of a margin: exact, recoded, suppressed, noised or withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Treatment {
    /// All its cells are published as they are.
    Exact,
    /// Levels are published in groups, exactly.
    Coarsened,
    /// Some cells are withheld.
    Suppressed,
    /// Some or all cells have noise.
    Noised,
    /// Nothing is published.
    Withheld,
}

/// What happens to one requested margin, and why.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MarginAction {
    /// The requested axes.
    pub axes: Vec<usize>,
    /// What happens to it.
    pub treatment: Treatment,
    /// With which groups; `None` when withheld.
    pub margin: Option<RecodedMargin>,
    /// What happens to each cell of the margin.
    pub statuses: Vec<CellStatus>,
    /// Why, in words: attributes, labels and parameters, no counts.
    pub reasons: Vec<String>,
    /// The weight of the request.
    pub weight: f64,
}

impl MarginAction {
    /// How many cells have this status.
    pub(crate) fn count(&self, status: CellStatus) -> usize {
        self.statuses.iter().filter(|own| **own == status).count()
    }

    pub(crate) fn withheld(requested: &RequestedMargin, reason: String) -> Self {
        let axes = requested.axes.iter().collect();
        let (treatment, reasons) = (Treatment::Withheld, vec![reason]);
        Self { axes, treatment, margin: None, statuses: Vec::new(), reasons, weight: requested.weight }
    }

    pub(crate) fn exact(requested: &RequestedMargin, margin: RecodedMargin, reason: String) -> Self {
        let treatment = if margin.is_finest() { Treatment::Exact } else { Treatment::Coarsened };
        let statuses = vec![CellStatus::Exact; margin.cells()];
        let axes = requested.axes.iter().collect();
        Self { axes, treatment, margin: Some(margin), statuses, reasons: vec![reason], weight: requested.weight }
    }

    pub(crate) fn noised(
        requested: &RequestedMargin,
        margin: RecodedMargin,
        is_noised: impl Fn(usize) -> bool,
        reason: String,
    ) -> Self {
        let statuses = (0..margin.cells())
            .map(|cell| if is_noised(cell) { CellStatus::Noised } else { CellStatus::Exact })
            .collect();
        let (axes, treatment) = (requested.axes.iter().collect(), Treatment::Noised);
        Self { axes, treatment, margin: Some(margin), statuses, reasons: vec![reason], weight: requested.weight }
    }
}
