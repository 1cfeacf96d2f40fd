//! Numbers that follow from published ones by subtraction, judged as if they were published.
//!
//! ```text
//! D = S less R_1 less ... less R_k,      R_i within S, no two of them with a cell in common,
//! ```
//!
//! `S` a published number or a sum of published numbers of one group, `R_i` published numbers. A
//! group has no cell in two of its numbers: a margin, the published cells of a margin of which
//! others are withheld, numbers that stand alone as far as they fit together. For each two groups,
//! `S` is each number of the first, and the smallest sum of its numbers that covers a number of the
//! second; from it, all numbers of the second that are within it are subtracted, then whatever
//! else is published within the rest. So the sum of what is withheld in a line of a table, the rest
//! of a total, and the complement of a union of levels are each judged.
//!
//! This finds differences of two tables and remainders of several, not every linear combination:
//! what follows from those about a class is found by the audit of classes.

use std::collections::BTreeSet;

use frechet_certificate::Row;

use crate::audit::primary::{PrimaryReason, judge};
use crate::audit::rule::DisclosureRule;
use crate::engine::linear_program::Limits;
use crate::table::error::Error;
use crate::table::knowledge::Knowledge;

/// Rows named in the name of a difference; the others are counted.
const NAMED: usize = 3;

/// A difference of published numbers that violates the rule.
pub(crate) struct DerivedCell {
    /// For example `total less {a 1+2}`.
    pub(crate) name: String,
    pub(crate) reason: PrimaryReason,
    /// The rows that it follows from.
    pub(crate) rows: BTreeSet<usize>,
    /// What it counts.
    pub(crate) cells: Vec<u32>,
}

/// Every difference of published numbers that violates the rule.
///
/// # Errors
/// [`Error::Stopped`].
pub(crate) fn derived_cells(
    knowledge: &Knowledge,
    rule: &DisclosureRule,
    limits: &Limits,
) -> Result<Vec<DerivedCell>, Error> {
    let judged = |cells: &[u32], count: u64| {
        let row = Row::new(String::new(), cells.to_vec(), 0, 0);
        judge(rule, count, knowledge.people_of(&row)?)
    };
    PublishedGroups::of(knowledge).violations(&judged, limits)
}

/// Judges the count of some cells.
pub(crate) type JudgeCells<'a> = &'a dyn Fn(&[u32], u64) -> Option<PrimaryReason>;

/// Numbers with no cell in common.
struct PublishedGroup {
    /// Rows of the knowledge.
    rows: Vec<usize>,
    /// The position in `rows` of the number that a cell is in, from 1; 0 for none.
    of_cell: Vec<u32>,
    /// Whether every cell is in a number.
    is_complete: bool,
}

/// All published numbers in groups.
pub(crate) struct PublishedGroups<'a> {
    rows: &'a [Row],
    groups: Vec<PublishedGroup>,
}

/// A sum of numbers of one group.
struct Whole {
    /// Positions in the group.
    parts: Vec<u32>,
    cells: Vec<u32>,
}

impl<'a> PublishedGroups<'a> {
    pub(crate) fn of(knowledge: &'a Knowledge) -> Self {
        let rows = knowledge.system.rows.as_slice();
        let cells = knowledge.grid.cells();
        let published = knowledge.released_positions();
        let mut groups = Vec::new();
        let mut is_grouped = vec![false; rows.len()];
        for range in knowledge.disjoint_ranges() {
            let own: Vec<usize> = range.filter(|row| published.contains(row)).collect();
            own.iter().for_each(|&row| is_grouped[row] = true);
            if !own.is_empty() {
                groups.push(PublishedGroup::new(rows, own, cells));
            }
        }
        let alone = published.iter().copied().filter(|&row| !is_grouped[row] && !rows[row].cells().is_empty());
        groups.extend(packed(rows, alone, cells));
        Self { rows, groups }
    }

    /// Whether the count of these cells, in increasing order, is a number or a sum of numbers of
    /// one group.
    pub(crate) fn is_published(&self, cells: &[u32]) -> bool {
        self.groups
            .iter()
            .any(|group| group.covering(self.rows, cells).is_some_and(|whole| whole.cells.len() == cells.len()))
    }

    /// Every difference that is judged to violate the rule, once for each way in which it follows.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub(crate) fn violations(&self, judged: JudgeCells<'_>, limits: &Limits) -> Result<Vec<DerivedCell>, Error> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        for (first, minuends) in self.groups.iter().enumerate() {
            for (second, subtrahends) in self.groups.iter().enumerate() {
                // Of two complete margins, one has whole numbers of the other within a number and
                // nothing beside them, or none at all.
                if first != second && !(minuends.is_complete && subtrahends.is_complete) {
                    self.differences(first, second, judged, limits, &mut seen, &mut found)?;
                }
            }
        }
        Ok(found)
    }

    fn differences(
        &self,
        first: usize,
        second: usize,
        judged: JudgeCells<'_>,
        limits: &Limits,
        seen: &mut BTreeSet<BTreeSet<usize>>,
        found: &mut Vec<DerivedCell>,
    ) -> Result<(), Error> {
        let (minuends, subtrahends) = (&self.groups[first], &self.groups[second]);
        let mut wholes: BTreeSet<Vec<u32>> = (1..=minuends.rows.len() as u32).map(|part| vec![part]).collect();
        let covering = subtrahends.rows.iter().filter_map(|&row| minuends.covering(self.rows, self.rows[row].cells()));
        wholes.extend(covering.map(|whole| whole.parts));
        for parts in wholes {
            let whole = minuends.sum(self.rows, parts);
            let mut rows: BTreeSet<usize> = whole.parts.iter().map(|&part| minuends.row(part)).collect();
            let mut count: i64 = rows.iter().map(|&row| self.rows[row].lower()).sum();
            let mut rest = whole.cells;
            // First all that the second group says, then what the others say about the rest.
            let others = (0..self.groups.len()).filter(|&other| other != first && other != second);
            for group in std::iter::once(second).chain(others) {
                limits.check_stop()?;
                let group = &self.groups[group];
                let within = group.within(self.rows, &rest);
                if within.is_empty() {
                    if rows.len() == whole.parts.len() {
                        break;
                    }
                    continue;
                }
                rest.retain(|&cell| !within.contains(&group.of_cell[cell as usize]));
                count -= within.iter().map(|&part| self.rows[group.row(part)].lower()).sum::<i64>();
                rows.extend(within.iter().map(|&part| group.row(part)));
                if rest.is_empty() {
                    break;
                }
                let Some(reason) = judged(&rest, count.unsigned_abs()) else { continue };
                if !self.is_published(&rest) && seen.insert(rows.clone()) {
                    let name = self.name(&whole.parts, first, &rows);
                    found.push(DerivedCell { name, reason, rows: rows.clone(), cells: rest.clone() });
                }
            }
        }
        Ok(())
    }

    /// Positions and names of attributes, no count.
    fn name(&self, parts: &[u32], group: usize, rows: &BTreeSet<usize>) -> String {
        let wholes: BTreeSet<usize> = parts.iter().map(|&part| self.groups[group].row(part)).collect();
        let subtracted: Vec<usize> = rows.iter().copied().filter(|row| !wholes.contains(row)).collect();
        let wholes: Vec<usize> = wholes.into_iter().collect();
        format!("{} less {}", self.names(&wholes, " and "), self.names(&subtracted, ", "))
    }

    fn names(&self, rows: &[usize], separator: &str) -> String {
        let names: Vec<&str> = rows.iter().take(NAMED).map(|&row| self.rows[row].name()).collect();
        let more = rows.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        names.join(separator) + &more
    }
}

impl PublishedGroup {
    fn new(all: &[Row], rows: Vec<usize>, cells: usize) -> Self {
        let mut of_cell = vec![0; cells];
        for (part, &row) in (1_u32..).zip(&rows) {
            all[row].cells().iter().for_each(|&cell| of_cell[cell as usize] = part);
        }
        let is_complete = !of_cell.contains(&0);
        Self { rows, of_cell, is_complete }
    }

    fn row(&self, part: u32) -> usize {
        self.rows[part as usize - 1]
    }

    fn sum(&self, all: &[Row], parts: Vec<u32>) -> Whole {
        let mut cells: Vec<u32> = parts.iter().flat_map(|&part| all[self.row(part)].cells()).copied().collect();
        cells.sort_unstable();
        Whole { parts, cells }
    }

    /// The smallest sum of numbers that covers some cells; `None` where a cell is in none.
    fn covering(&self, all: &[Row], cells: &[u32]) -> Option<Whole> {
        let parts: BTreeSet<u32> = cells.iter().map(|&cell| self.of_cell[cell as usize]).collect();
        (!parts.contains(&0)).then(|| self.sum(all, parts.into_iter().collect()))
    }

    /// The numbers all of whose cells are among these.
    fn within(&self, all: &[Row], cells: &[u32]) -> BTreeSet<u32> {
        let mut hits = std::collections::BTreeMap::new();
        for &cell in cells {
            *hits.entry(self.of_cell[cell as usize]).or_insert(0_usize) += 1;
        }
        hits.retain(|&part, &mut hits| part > 0 && hits == all[self.row(part)].cells().len());
        hits.into_keys().collect()
    }
}

/// Numbers that stand alone, the largest first, each in the first group with which it shares no
/// cell.
fn packed(all: &[Row], rows: impl Iterator<Item = usize>, cells: usize) -> Vec<PublishedGroup> {
    let mut rows: Vec<usize> = rows.collect();
    rows.sort_by_key(|&row| (std::cmp::Reverse(all[row].cells().len()), row));
    let mut groups: Vec<(Vec<usize>, Vec<bool>)> = Vec::new();
    for row in rows {
        let own = all[row].cells();
        let place = groups.iter().position(|(_, taken)| own.iter().all(|&cell| !taken[cell as usize]));
        let place = place.unwrap_or_else(|| {
            groups.push((Vec::new(), vec![false; cells]));
            groups.len() - 1
        });
        let (rows, taken) = &mut groups[place];
        rows.push(row);
        own.iter().for_each(|&cell| taken[cell as usize] = true);
    }
    groups.into_iter().map(|(rows, _)| PublishedGroup::new(all, rows, cells)).collect()
}

#[cfg(test)]
mod tests {
    use privacy_core::{AttrSet, ContingencyTable, Domain};

    use super::*;
    use crate::table::class::{Region, Scope};

    fn rule(min_frequency: u64) -> DisclosureRule {
        DisclosureRule::new(0, 0.1, min_frequency, Scope::Cells).unwrap()
    }

    fn names(knowledge: &Knowledge, min_frequency: u64) -> Vec<String> {
        derived_cells(knowledge, &rule(min_frequency), &Limits::default())
            .unwrap()
            .into_iter()
            .map(|derived| derived.name)
            .collect()
    }

    #[test]
    fn a_total_less_a_union_of_levels_is_judged() {
        let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[4]).unwrap()).unwrap();
        knowledge.publish_count("all", &Region::everything(), 120).unwrap();
        knowledge.publish_count("first two", &Region::everything().with(0, [0, 1]), 118).unwrap();
        assert_eq!(names(&knowledge, 5), ["all less first two"]);
        assert!(names(&knowledge, 2).is_empty(), "two people are enough for that rule");
        // Two numbers, each far from the total, leave two people together.
        let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[4]).unwrap()).unwrap();
        knowledge.publish_count("all", &Region::everything(), 120).unwrap();
        for (level, count) in [(0, 60), (1, 58)] {
            knowledge.publish_count(format!("a {level}"), &Region::everything().with(0, [level]), count).unwrap();
        }
        assert_eq!(names(&knowledge, 5), ["all less a 0, a 1"]);
    }

    #[test]
    fn what_a_line_withholds_is_judged_together() {
        let domain = Domain::of_cardinalities(&[2, 3]).unwrap();
        let table = ContingencyTable::from_cells(&domain, domain.all(), vec![1, 1, 20, 9, 8, 20]).unwrap();
        let mut knowledge = Knowledge::of_counts(domain).unwrap();
        for axis in 0..2 {
            knowledge.publish_margin(&table.marginal(AttrSet::single(axis)).unwrap()).unwrap();
        }
        let first = knowledge.system.rows.len();
        for row in 0..2 {
            let region = Region::everything().with(0, [row]).with(1, [2]);
            knowledge.publish_count(format!("cell {row}"), &region, 20).unwrap();
        }
        knowledge.remember_statistic(first..first + 2);
        assert_eq!(names(&knowledge, 3), ["margin {a0 \"0\"} less cell 0"]);
        assert!(names(&knowledge, 2).is_empty());
    }

    #[test]
    fn margins_alone_leave_nothing_to_subtract() {
        let domain = Domain::of_cardinalities(&[2, 3]).unwrap();
        let table = ContingencyTable::from_cells(&domain, domain.all(), vec![1, 1, 20, 9, 8, 20]).unwrap();
        let mut knowledge = Knowledge::of_counts(domain).unwrap();
        for axes in [AttrSet::EMPTY, AttrSet::single(0), AttrSet::first(2)] {
            knowledge.publish_margin(&table.marginal(axes).unwrap()).unwrap();
        }
        assert!(names(&knowledge, 100).is_empty());
    }
}
