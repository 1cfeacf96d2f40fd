//! Carrying out a plan: noise is drawn here, and nowhere else.

use std::collections::BTreeMap;

use privacy_core::{AttrSet, ContingencyTable};
use rand_core::CryptoRng;

use crate::audit::classes::Audit;
use crate::audit::classes::Target;
use crate::audit::rule::Verdict;
use crate::planner::action::{Action, Fate, Treatment};
use crate::planner::noise::statement::Statement;
use crate::planner::plan::ReleasePlan;
use crate::planner::problem::Basis;
use crate::table::error::Error;

/// What goes out. Only [`ReleasePlan::release`] makes one, after an attacker who knows exactly this found nothing that the
/// policy forbids.
#[derive(Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Published {
    /// One entry a margin asked for, in that order.
    pub margins: Vec<PublishedMargin>,
    /// What the attacker finds in the exact numbers. Noised ones are covered by [`Published::privacy`] instead.
    pub audit: Audit,
    /// What the noise promises; `None` without noise.
    pub privacy: Option<Statement>,
    /// What the plan looked at.
    pub basis: Basis,
    /// What a reader must know: one sentence each.
    pub notes: Vec<String>,
}

/// A margin that was asked for, as it goes out.
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

/// A cell, as it goes out.
#[derive(Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PublishedCell {
    /// Labels of its groups, one an attribute.
    pub labels: Vec<String>,
    /// What happened to it.
    pub fate: Fate,
    /// The count, or the count with noise, which may be negative; `None` when it is suppressed.
    pub value: Option<i64>,
    /// The variance of the noise; 0 for exact counts, `None` for suppressed ones.
    pub variance: Option<f64>,
}

/// Shapes may be told; what goes out is for its file.
macro_rules! without_values {
    ($type:ident, $($field:ident),+) => {
        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($type))$(.field(stringify!($field), &self.$field))+.finish_non_exhaustive()
            }
        }
    };
}

without_values!(Published, margins, privacy, basis);
without_values!(PublishedMargin, attributes, treatment, reasons);
without_values!(PublishedCell, fate);

impl ReleasePlan {
    /// What an attacker finds in the exact numbers, when the policy allows it: the answer that [`ReleasePlan::release`] would act
    /// on. It tells something about the counts, so it is for their owner.
    ///
    /// # Errors
    /// As [`ReleasePlan::release`].
    pub fn check(&self, table: &ContingencyTable) -> Result<Audit, Error> {
        if self.problem.counts.as_ref().is_some_and(|counts| counts != table) {
            return Err(Error::OtherTable);
        }
        let audit = self.audit(table)?;
        if audit.meets(self.problem.target) {
            return Ok(audit);
        }
        let disclosed = audit.count(Verdict::Disclosed) + audit.unfit.len();
        let undecided = match self.problem.target {
            Target::Undisclosed => audit.count(Verdict::Unknown),
            Target::Certified => {
                audit.findings.len() - audit.count(Verdict::Certified) - audit.count(Verdict::Disclosed)
            }
        };
        Err(Error::PolicyMissed { disclosed, undecided })
    }

    /// Carries the plan out on the full table; the plan is used up.
    ///
    /// # Guarantee
    /// Exact numbers: an attacker who knows them, the background and nothing else finds no class in scope disclosed or
    /// unknown, and none that is not certified where that is the target. Noised numbers: [`Statement`], exactly, with the
    /// neighbours and the sensitivity it names. Unit: a person of the table.
    ///
    /// # Errors
    /// [`Error::PolicyMissed`], and nothing is released; [`Error::Shape`] and [`Error::OtherTable`] for a table that the plan
    /// was not made for; as [`audit`](crate::audit).
    ///
    /// # Panics
    /// Never: every noised cell is in the schedule.
    pub fn release<R: CryptoRng + ?Sized>(self, table: &ContingencyTable, rng: &mut R) -> Result<Published, Error> {
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
        Ok(Published { margins, audit, privacy, basis: self.basis(), notes: self.notes() })
    }

    fn margin(
        &self,
        action: &Action,
        table: &ContingencyTable,
        mut draw: impl FnMut(usize, i64) -> (i64, f64),
    ) -> Result<PublishedMargin, Error> {
        let domain = self.problem.background.domain();
        let axes: AttrSet = action.axes.iter().copied().collect();
        let counts = match &action.statistic {
            Some(statistic) => statistic.counts(domain, table)?,
            None => Vec::new(),
        };
        let cell = |(cell, count): (usize, u64)| {
            let statistic = action.statistic.as_ref().expect("a cell has a statistic");
            let labels = statistic.groups(cell).into_iter().map(|group| group.label.clone()).collect();
            let count = i64::try_from(count).expect("totals are at most 2^53");
            let (value, variance) = match action.fates[cell] {
                Fate::Exact => (Some(count), Some(0.0)),
                Fate::Suppressed => (None, None),
                Fate::Noised => {
                    let (value, variance) = draw(cell, count);
                    (Some(value), Some(variance))
                }
            };
            PublishedCell { labels, fate: action.fates[cell], value, variance }
        };
        let cells = counts.into_iter().enumerate().map(cell).collect();
        let attributes = domain.names(axes).map(str::to_owned).collect();
        Ok(PublishedMargin { attributes, treatment: action.treatment, reasons: action.reasons.clone(), cells })
    }
}
