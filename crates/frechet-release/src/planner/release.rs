//! Carries out a plan. Noise is drawn here and nowhere else.

use std::collections::BTreeMap;

use privacy_core::{AttrSet, ContingencyTable};
use rand_core::CryptoRng;

use crate::audit::classes::DisclosureAudit;
use crate::audit::classes::DisclosureTarget;
use crate::audit::rule::DisclosureStatus;
use crate::planner::action::{CellStatus, MarginAction, Treatment};
use crate::planner::noise::statement::NoiseStatement;
use crate::planner::plan::ReleasePlan;
use crate::planner::problem::DecisionData;
use crate::table::error::Error;

/// The part of a release that is published. Only [`ReleasePlan::release`] makes one, after an
/// attacker who knows exactly this found nothing that the rule forbids.
///
/// Its serialized form holds nothing else: what an attacker may assume, and the audit of the
/// owner, are not in it.
#[derive(Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Published {
    /// One entry for each requested margin, in the order of the requests.
    pub margins: Vec<PublishedMargin>,
    /// Guarantee of the noise; `None` without noise.
    pub privacy: Option<NoiseStatement>,
    /// Data on which the plan decided.
    pub decision_data: DecisionData,
    /// What a reader must know, one sentence each.
    pub notes: Vec<String>,
}

/// What an attacker learns from the exact numbers of a release: for the owner of the data alone.
/// Bounds that follow from assumed facts repeat these facts, so this type cannot be serialized;
/// [`OwnerAudit::into_inner`] gives the audit as a document of the owner's.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct OwnerAudit(DisclosureAudit);

impl OwnerAudit {
    /// The audit, which may be serialized. Keep it with the counts.
    #[must_use]
    pub fn into_inner(self) -> DisclosureAudit {
        self.0
    }
}

impl std::ops::Deref for OwnerAudit {
    type Target = DisclosureAudit;

    fn deref(&self) -> &DisclosureAudit {
        &self.0
    }
}

/// A margin that was requested, as it is published.
#[derive(Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PublishedMargin {
    /// Names of the attributes.
    pub attributes: Vec<String>,
    /// What happened to it.
    pub treatment: Treatment,
    /// Why, in words.
    pub reasons: Vec<String>,
    /// The cells, row-major over the groups; none when it is withheld.
    pub cells: Vec<PublishedCell>,
}

/// A cell, as it is published.
#[derive(Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PublishedCell {
    /// Labels of its groups, one an attribute.
    pub labels: Vec<String>,
    /// What happened to it.
    pub status: CellStatus,
    /// The count, or the count with noise, which may be negative; `None` when it is suppressed.
    pub value: Option<i64>,
    /// The variance of the noise; 0 for exact counts, `None` for suppressed ones.
    pub variance: Option<f64>,
}

/// Debug output shows shapes; published values belong in the file of the release.
macro_rules! without_values {
    ($type:ident, $($field:ident),+) => {
        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($type))$(.field(stringify!($field), &self.$field))+.finish_non_exhaustive()
            }
        }
    };
}

without_values!(Published, margins, privacy, decision_data);
without_values!(PublishedMargin, attributes, treatment, reasons);
without_values!(PublishedCell, status);

impl ReleasePlan {
    /// What an attacker finds in the exact numbers, if the target is met: the result on which
    /// [`ReleasePlan::release`] would act. It reveals something about the counts, so it is for
    /// their owner.
    ///
    /// # Errors
    /// As [`ReleasePlan::release`].
    pub fn check(&self, table: &ContingencyTable) -> Result<OwnerAudit, Error> {
        if self.problem.counts.as_ref().is_some_and(|counts| counts != table) {
            return Err(Error::OtherTable);
        }
        let audit = self.audit(table)?;
        if audit.meets(self.problem.target) {
            return Ok(OwnerAudit(audit));
        }
        let disclosed = audit.count(DisclosureStatus::Disclosed) + audit.primary_cells.len();
        let undecided = match self.problem.target {
            DisclosureTarget::Undisclosed => audit.count(DisclosureStatus::Unknown),
            DisclosureTarget::Certified => {
                audit.findings.len()
                    - audit.count(DisclosureStatus::Certified)
                    - audit.count(DisclosureStatus::Disclosed)
            }
        };
        Err(Error::TargetMissed { disclosed, undecided })
    }

    /// Carries the plan out on the full table. The plan is consumed, so its noise is drawn once.
    ///
    /// # Guarantee
    /// Exact numbers: an attacker who knows them, the background and nothing else finds no class
    /// in scope disclosed or unknown, and none that is not certified where that is the target.
    /// Noised numbers: [`NoiseStatement`], exactly, with the neighbours and the sensitivity it
    /// names. Unit: a person in the table.
    ///
    /// # Errors
    /// [`Error::TargetMissed`], and nothing is released; [`Error::Shape`] and
    /// [`Error::OtherTable`] for a table that the plan was not made for; as
    /// [`audit`](crate::audit).
    ///
    /// # Panics
    /// Never: every noised cell is in the schedule.
    pub fn release<R: CryptoRng + ?Sized>(
        self,
        table: &ContingencyTable,
        rng: &mut R,
    ) -> Result<(Published, OwnerAudit), Error> {
        let audit = self.check(table)?;
        let noise: BTreeMap<(usize, usize), _> = self
            .schedule
            .iter()
            .flat_map(|schedule| &schedule.cells)
            .map(|cell| ((cell.action, cell.cell), cell))
            .collect();
        let mut margins = Vec::new();
        for (place, action) in self.actions.iter().enumerate() {
            let draw = |cell: usize, count: i64| {
                let noise = noise.get(&(place, cell)).expect("every noised cell is in the schedule");
                (count.saturating_add(noise.noise.sample(&mut *rng)), noise.variance)
            };
            margins.push(self.margin(action, table, draw)?);
        }
        let privacy = self.schedule.as_ref().map(|schedule| schedule.statement.clone());
        let (decision_data, notes) = (self.decision_data(), self.notes());
        Ok((Published { margins, privacy, decision_data, notes }, audit))
    }

    /// The exact numbers of a plan without noise, which were judged before.
    pub(crate) fn published_exactly(&self, table: &ContingencyTable) -> Result<Published, Error> {
        let exact = |_: usize, count: i64| (count, 0.0);
        let margins = self.actions.iter().map(|action| self.margin(action, table, exact)).collect::<Result<_, _>>()?;
        Ok(Published { margins, privacy: None, decision_data: self.decision_data(), notes: self.notes() })
    }

    fn margin(
        &self,
        action: &MarginAction,
        table: &ContingencyTable,
        mut draw: impl FnMut(usize, i64) -> (i64, f64),
    ) -> Result<PublishedMargin, Error> {
        let domain = self.problem.background.domain();
        let axes: AttrSet = action.axes.iter().copied().collect();
        let counts = match &action.margin {
            Some(margin) => margin.counts(domain, table)?,
            None => Vec::new(),
        };
        let cell = |(cell, count): (usize, u64)| {
            let margin = action.margin.as_ref().expect("a cell has a statistic");
            let labels = margin.groups(cell).into_iter().map(|group| group.label.clone()).collect();
            let count = i64::try_from(count).expect("totals are at most 2^53");
            let (value, variance) = match action.statuses[cell] {
                CellStatus::Exact => (Some(count), Some(0.0)),
                CellStatus::Suppressed => (None, None),
                CellStatus::Noised => {
                    let (value, variance) = draw(cell, count);
                    (Some(value), Some(variance))
                }
            };
            PublishedCell { labels, status: action.statuses[cell], value, variance }
        };
        let cells = counts.into_iter().enumerate().map(cell).collect();
        let attributes = domain.names(axes).map(str::to_owned).collect();
        Ok(PublishedMargin { attributes, treatment: action.treatment, reasons: action.reasons.clone(), cells })
    }
}
