//! A whole table through the filter: decisions, low effect, near duplicates and the rest, in this
//! order.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use privacy_core::stop::StopFlag;

use crate::entity::entity_set::EntitySet;
use crate::error::Error;
use crate::filter::decision::{Decision, Reason};
use crate::filter::description::{DrawMode, FilterDescription};
use crate::filter::group_name::GroupName;
use crate::filter::guard::DifferenceGuard;
use crate::filter::low_count_filter::LowCountFilter;
use crate::groups::labelled_table::LabelledTable;
use crate::table::low_effect::low_effects;
use crate::table::near::near_duplicates;
use crate::table::rest::{Rest, rest};

/// What is done with a table besides deciding about its groups. [`of`](Self::of) gives what a
/// mode of drawing allows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct TableOptions {
    /// Merge low-effect groups into their siblings, where there are three or more grouping
    /// columns. Refused in publish mode: whether a group is reported would depend on its
    /// siblings, and the profile of a release is that of groups that are decided one by one.
    pub low_effect: bool,
    /// Look for groups that differ by one entity.
    pub near_duplicates: bool,
    /// Once set, [`LowCountFilter::apply`] ends with [`Error::Stopped`], after at most one sort
    /// of the groups.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub stop: StopFlag,
}

impl TableOptions {
    /// What a mode of drawing allows: near duplicates in both modes, merging in query mode.
    #[must_use]
    pub const fn of(mode: DrawMode) -> Self {
        Self { low_effect: matches!(mode, DrawMode::Query), near_duplicates: true, stop: StopFlag::never() }
    }

    fn check_stop(&self) -> Result<(), Error> {
        if self.stop.is_set() { Err(Error::Stopped) } else { Ok(()) }
    }
}

/// Both, which query mode allows.
impl Default for TableOptions {
    fn default() -> Self {
        Self::of(DrawMode::Query)
    }
}

/// A table of which only some groups may be reported, with every decision. Made by
/// [`LowCountFilter::apply`]; it owns its groups and carries the description of its filter, not
/// the secret.
///
/// Only [`reported`](Self::reported) may leave the owner of the data.
#[derive(Clone)]
pub struct FilteredTable {
    filter: Arc<FilterDescription>,
    table: LabelledTable,
    outcomes: Vec<GroupOutcome>,
    rest: Rest,
    is_guarded: bool,
}

/// Decides about one group from its sets and its name: a filter, or a filter under a guard.
pub(crate) type Decide<'a> = dyn FnMut(&[EntitySet], Option<&GroupName>) -> Result<Decision, Error> + 'a;

/// The outcome of one group: for the owner of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct GroupOutcome {
    /// Whether the filter reports it, with the entities that were merged into it, if any.
    pub decision: Decision,
    /// Whether its entities were merged into its siblings for low effect. Then it is not
    /// reported.
    pub is_merged: bool,
    /// Whether it took the entities of merged groups. Its rows may hold theirs, too.
    pub took_merged: bool,
    /// How many other groups differ from it by one entity, in some identifier column.
    pub near_duplicates: u64,
    /// The number that is shown beside it; none where it is not reported, or numbers are hidden.
    pub number: Option<u64>,
}

impl GroupOutcome {
    /// Of a group that was not decided about: nothing is shown.
    const UNDECIDED: Self = Self {
        decision: Decision { reason: Reason::NoEntity, working: 0 },
        is_merged: false,
        took_merged: false,
        near_duplicates: 0,
        number: None,
    };

    /// Whether the group is reported under its labels.
    #[must_use]
    pub const fn is_reported(&self) -> bool {
        self.decision.is_reported() && !self.is_merged
    }
}

impl LowCountFilter {
    /// Decides about every group of a table. 250 ns per group that a draw decides, and a sort per
    /// grouping column.
    ///
    /// # Errors
    /// [`Error::OtherFilter`] for a table that was grouped for another filter;
    /// [`Error::UnboundedPublication`] in publish mode with one column of identifiers, unless the
    /// filter was made by [`publishing`](Self::publishing) or there is one group;
    /// [`Error::MergedPublication`] for low effect in publish mode; [`Error::Stopped`].
    pub fn apply(&self, table: LabelledTable, options: TableOptions) -> Result<FilteredTable, Error> {
        let order = (0..table.len()).collect();
        self.apply_by(table, options, order, &mut |sets, name| self.decide(sets, name))
    }

    /// Decides about every group of a table under a [difference guard](DifferenceGuard), which
    /// remembers the answers: groups that differ by one entity, in this table or in an earlier one,
    /// get one answer where a draw decides. Smaller groups are decided first, and groups of one
    /// size by their seeds, so that no label has a say in the order.
    ///
    /// # Errors
    /// [`Error::Unguarded`] unless the filter is in query mode and one column decides; as
    /// [`apply`](Self::apply). After an error the guard may hold answers that were not given.
    pub fn apply_guarded(
        &self,
        table: LabelledTable,
        options: TableOptions,
        guard: &mut DifferenceGuard,
    ) -> Result<FilteredTable, Error> {
        DifferenceGuard::check(self)?;
        let mut order: Vec<usize> = (0..table.len()).collect();
        order
            .sort_by_cached_key(|&group| table.groups.sets(group).iter().map(|set| (set.distinct(), set.seed())).min());
        let table = self.apply_by(table, options, order, &mut |sets, _| guard.decide(self, sets))?;
        Ok(FilteredTable { is_guarded: true, ..table })
    }

    fn apply_by(
        &self,
        mut table: LabelledTable,
        options: TableOptions,
        order: Vec<usize>,
        decide: &mut Decide<'_>,
    ) -> Result<FilteredTable, Error> {
        if table.filter != self.digest() {
            return Err(Error::OtherFilter);
        }
        if options.low_effect && self.mode() == DrawMode::Publish {
            return Err(Error::MergedPublication);
        }
        let is_bounded = self.description().groups_per_entity().is_some() || table.columns.is_empty();
        if self.mode() == DrawMode::Publish && self.columns() == 1 && !is_bounded {
            return Err(Error::UnboundedPublication);
        }
        let mut outcomes = vec![GroupOutcome::UNDECIDED; table.len()];
        for group in order {
            options.check_stop()?;
            outcomes[group].decision = self.decision(&table, group, decide)?;
        }
        let counted = match options.low_effect {
            true => self.merge_low_effects(&mut table, &mut outcomes, &options, decide)?,
            false => BTreeMap::new(),
        };
        for (group, outcome) in outcomes.iter_mut().enumerate().filter(|(_, outcome)| outcome.is_reported()) {
            options.check_stop()?;
            let name = (self.mode() == DrawMode::Publish).then(|| table.name(group));
            let sets = counted.get(&group).map_or(table.groups.sets(group), Vec::as_slice);
            outcome.number = self.number_of(&outcome.decision, table.groups.rows(group), sets, name.as_ref());
        }
        if options.near_duplicates {
            self.count_near_duplicates(&table, &mut outcomes, &options)?;
        }
        options.check_stop()?;
        let hidden = (0..).zip(&outcomes).filter(|(_, outcome)| !outcome.is_reported() && !outcome.is_merged);
        let hidden = hidden.map(|(group, _)| (table.groups.sets(group), table.groups.rows(group)));
        let rest = rest(self, decide, hidden, &table.name_of_rest())?;
        Ok(FilteredTable { filter: self.shared_description(), table, outcomes, rest, is_guarded: false })
    }

    fn decision(&self, table: &LabelledTable, group: usize, decide: &mut Decide<'_>) -> Result<Decision, Error> {
        let name = (self.mode() == DrawMode::Publish).then(|| table.name(group));
        decide(table.groups.sets(group), name.as_ref())
    }

    /// Merges, and decides about the targets again: they have more entities now, and another
    /// draw. The entities go to every target, so that a query without the condition of any column
    /// has them; the number goes to the first one alone, so that nothing is counted twice. Returns
    /// the sets that are counted where they are not those that decide.
    fn merge_low_effects(
        &self,
        table: &mut LabelledTable,
        outcomes: &mut [GroupOutcome],
        options: &TableOptions,
        decide: &mut Decide<'_>,
    ) -> Result<BTreeMap<usize, Vec<EntitySet>>, Error> {
        let counts_entities = self.description().number().needs_whole_sets();
        let mut counted: BTreeMap<usize, Vec<EntitySet>> = BTreeMap::new();
        let is_reported: Vec<bool> = outcomes.iter().map(GroupOutcome::is_reported).collect();
        let found = low_effects(&table.groups, &is_reported, &options.stop)?;
        for low in &found {
            options.check_stop()?;
            let (sets, rows) = (table.groups.sets(low.group).to_vec(), table.groups.rows(low.group));
            for (place, &target) in low.targets.iter().enumerate() {
                outcomes[target].took_merged = true;
                if counts_entities {
                    let own = counted.entry(target).or_insert_with(|| table.groups.sets(target).to_vec());
                    if place == 0 {
                        own.iter_mut().zip(&sets).try_for_each(|(set, other)| set.merge(other))?;
                    }
                }
                let (rows_of, sets_of) = table.groups.group_mut(target);
                sets_of.iter_mut().zip(&sets).try_for_each(|(set, other)| set.merge(other))?;
                if place == 0 {
                    *rows_of = rows_of.saturating_add(rows);
                }
            }
            outcomes[low.group].is_merged = true;
        }
        for target in found.into_iter().flat_map(|low| low.targets) {
            outcomes[target].decision = self.decision(table, target, decide)?;
        }
        Ok(counted)
    }

    /// The largest number of near duplicates of each group, over the identifier columns.
    fn count_near_duplicates(
        &self,
        table: &LabelledTable,
        outcomes: &mut [GroupOutcome],
        options: &TableOptions,
    ) -> Result<(), Error> {
        for (column, entity) in self.description().columns().iter().enumerate() {
            let sets: Vec<_> = (0..table.len()).map(|group| &table.groups.sets(group)[column]).collect();
            let near = near_duplicates(&sets, entity.thresholds.floor(), entity.thresholds.cap(), &options.stop)?;
            outcomes.iter_mut().zip(near).for_each(|(o, near)| o.near_duplicates = o.near_duplicates.max(near));
        }
        Ok(())
    }
}

/// A group that is reported.
pub struct ReportedGroup<'a> {
    table: &'a LabelledTable,
    group: usize,
    took_merged: bool,
    /// The number beside the group, with the groups that were merged into it alone: at least the
    /// floor, and what [`LowCountFilter::with_number`] says.
    pub number: Option<u64>,
}

impl<'a> ReportedGroup<'a> {
    /// Its position in [`FilteredTable::table`].
    #[must_use]
    pub fn position(&self) -> usize {
        self.group
    }

    /// Whether people of merged groups are counted in it as well. For the owner of the data:
    /// published, it proves that there is a group that is not shown.
    #[must_use]
    pub fn took_merged(&self) -> bool {
        self.took_merged
    }

    /// Its labels, one per grouping column.
    pub fn labels(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.table.labels(self.group)
    }
}

impl FilteredTable {
    /// The groups that are reported, in the order of their labels.
    pub fn reported(&self) -> impl Iterator<Item = ReportedGroup<'_>> {
        let shown = self.outcomes.iter().enumerate().filter(|(_, outcome)| outcome.is_reported());
        shown.map(|(group, outcome)| {
            let GroupOutcome { took_merged, number, .. } = *outcome;
            ReportedGroup { table: &self.table, group, took_merged, number }
        })
    }

    /// The groups that were suppressed and not merged, as one. In publish mode the profile of the
    /// release does not cover it: a publication that promises that profile does not show it.
    #[must_use]
    pub fn rest(&self) -> Rest {
        self.rest
    }

    /// Whether a difference guard answered: then groups may have taken the answers of others.
    #[must_use]
    pub fn is_guarded(&self) -> bool {
        self.is_guarded
    }

    /// The filter that decided, without its secret.
    #[must_use]
    pub fn filter(&self) -> &FilterDescription {
        &self.filter
    }

    /// All groups by their labels, reported or not: for the owner of the data.
    #[must_use]
    pub fn table(&self) -> &LabelledTable {
        &self.table
    }

    /// The outcome of every group, in the order of the table: for the owner of the data.
    #[must_use]
    pub fn outcomes(&self) -> &[GroupOutcome] {
        &self.outcomes
    }
}

/// Shows the filter and the columns: no labels, no counts.
impl fmt::Debug for FilteredTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilteredTable")
            .field("filter", &self.filter)
            .field("table", &self.table)
            .finish_non_exhaustive()
    }
}

/// Shows nothing of the group.
impl fmt::Debug for ReportedGroup<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReportedGroup").finish_non_exhaustive()
    }
}
