//! A whole table through the filter: decisions, low effect, near duplicates and the rest, in this order.

use std::fmt;

use crate::error::Error;
use crate::filter::decision::Decision;
use crate::filter::low_count_filter::{DrawMode, LowCountFilter};
use crate::groups::labels::LabelledTable;
use crate::table::low_effect::low_effects;
use crate::table::near::near_duplicates;
use crate::table::rest::{Rest, rest, shown_rows};

/// What is done with a table besides deciding about its groups. By default both in query mode; see [`of`](Self::of).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableOptions {
    /// Merge groups of low effect into their siblings, where there are three or more grouping columns. Refused in publish
    /// mode: whether a group is shown would depend on its siblings, and the profile of a release is of groups that are decided
    /// each by itself.
    pub low_effect: bool,
    /// Look for groups that differ by one entity.
    pub near_duplicates: bool,
}

impl TableOptions {
    /// What a mode of drawing allows: near duplicates in both, merging in query mode.
    #[must_use]
    pub const fn of(mode: DrawMode) -> Self {
        Self { low_effect: matches!(mode, DrawMode::Query), near_duplicates: true }
    }
}

/// Both.
impl Default for TableOptions {
    fn default() -> Self {
        Self { low_effect: true, near_duplicates: true }
    }
}

/// A table of which only some groups may be shown. Made by [`LowCountFilter::apply`].
pub struct FilteredTable<'a> {
    filter: &'a LowCountFilter,
    table: LabelledTable,
    outcomes: Vec<GroupOutcome>,
    rest: Rest,
}

/// What became of one group: for the owner of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupOutcome {
    /// Whether the filter lets it through, with the people that were merged into it, if any.
    pub decision: Decision,
    /// Whether its people were merged into its siblings, for low effect. Then it is not shown.
    pub is_merged: bool,
    /// How many other groups differ from it by one entity, in some column of identifiers.
    pub near_duplicates: u64,
}

impl GroupOutcome {
    /// Whether the group is shown under its labels.
    #[must_use]
    pub const fn is_reported(&self) -> bool {
        self.decision.is_reported() && !self.is_merged
    }
}

impl LowCountFilter {
    /// Takes a table through the filter. 250 ns a group that is decided by a draw, and a sort for each column.
    ///
    /// # Errors
    /// [`Error::OtherFilter`] for a table that was grouped for another filter; [`Error::MergedPublication`] for low effect in
    /// publish mode.
    pub fn apply(&self, mut table: LabelledTable, options: TableOptions) -> Result<FilteredTable<'_>, Error> {
        if table.filter != self.digest() {
            return Err(Error::OtherFilter);
        }
        if options.low_effect && self.mode() == DrawMode::Publish {
            return Err(Error::MergedPublication);
        }
        let mut outcomes = (0..table.len()).map(|group| self.outcome(&table, group)).collect::<Result<Vec<_>, _>>()?;
        if options.low_effect {
            self.merge_low_effects(&mut table, &mut outcomes)?;
        }
        if options.near_duplicates {
            for column in 0..self.columns() {
                let sets: Vec<_> = table.groups.iter().map(|group| &group.sets[column]).collect();
                let near = near_duplicates(&sets, self.column(column).thresholds.floor());
                outcomes.iter_mut().zip(near).for_each(|(o, near)| o.near_duplicates = o.near_duplicates.max(near));
            }
        }
        let hidden = table.groups.iter().zip(&outcomes);
        let hidden = hidden.filter(|(_, outcome)| !outcome.is_reported() && !outcome.is_merged);
        let rest = rest(self, hidden.map(|(group, _)| (&*group.sets, group.rows)), &table.name_of_rest())?;
        Ok(FilteredTable { filter: self, table, outcomes, rest })
    }

    fn outcome(&self, table: &LabelledTable, group: usize) -> Result<GroupOutcome, Error> {
        let name = (self.mode() == DrawMode::Publish).then(|| table.name(group));
        let decision = self.decide(&table.groups[group].sets, name.as_ref())?;
        Ok(GroupOutcome { decision, is_merged: false, near_duplicates: 0 })
    }

    /// Merges, and decides about the targets again: they have more entities now, and another draw.
    fn merge_low_effects(&self, table: &mut LabelledTable, outcomes: &mut [GroupOutcome]) -> Result<(), Error> {
        let is_reported: Vec<bool> = outcomes.iter().map(GroupOutcome::is_reported).collect();
        let found = low_effects(&table.groups, &is_reported);
        for low in &found {
            let (sets, rows) = (table.groups[low.group].sets.clone(), table.groups[low.group].rows);
            for &target in &low.targets {
                let target = &mut table.groups[target];
                target.sets.iter_mut().zip(&sets).try_for_each(|(set, other)| set.merge(other))?;
                target.rows = target.rows.saturating_add(rows);
            }
            outcomes[low.group].is_merged = true;
        }
        for target in found.into_iter().flat_map(|low| low.targets) {
            outcomes[target].decision = self.outcome(table, target)?.decision;
        }
        Ok(())
    }
}

/// A group that is shown.
pub struct ReportedGroup<'a> {
    table: &'a LabelledTable,
    group: usize,
    /// Rows of the group, never below the floor. Exact otherwise: the filter protects who is in a group, and adds no
    /// noise to counts.
    pub rows: u64,
}

impl<'a> ReportedGroup<'a> {
    /// Its labels, one a grouping column.
    pub fn labels(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.table.labels(self.group)
    }
}

impl FilteredTable<'_> {
    /// The groups that are shown, in the order of their labels.
    pub fn reported(&self) -> impl Iterator<Item = ReportedGroup<'_>> {
        let shown = self.outcomes.iter().enumerate().filter(|(_, outcome)| outcome.is_reported());
        shown.map(|(group, outcome)| {
            let rows = shown_rows(self.filter, &outcome.decision, self.table.groups[group].rows);
            ReportedGroup { table: &self.table, group, rows }
        })
    }

    /// What became of the groups that were suppressed and not merged, together. In publish mode the profile of the release does
    /// not cover it: whoever promises that profile does not show it.
    #[must_use]
    pub fn rest(&self) -> Rest {
        self.rest
    }

    /// The filter that decided.
    #[must_use]
    pub fn filter(&self) -> &LowCountFilter {
        self.filter
    }

    /// All groups by their labels, shown or not: for the owner of the data.
    #[must_use]
    pub fn table(&self) -> &LabelledTable {
        &self.table
    }

    /// What became of every group, in the order of the table: for the owner of the data.
    #[must_use]
    pub fn outcomes(&self) -> &[GroupOutcome] {
        &self.outcomes
    }
}

/// Shows the filter and the columns: no labels, no counts.
impl fmt::Debug for FilteredTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilteredTable").field("filter", self.filter).field("table", &self.table).finish_non_exhaustive()
    }
}

/// Shows nothing of the group.
impl fmt::Debug for ReportedGroup<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReportedGroup").finish_non_exhaustive()
    }
}
