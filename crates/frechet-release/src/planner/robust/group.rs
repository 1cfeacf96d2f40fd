//! The tables that give one output, and whether the rule holds among them.
//!
//! A reader who knows the planner keeps, of all tables consistent with what is published, those
//! for which the planner publishes just this. What is left of a count is the range that it has
//! among these tables, the *group* of the output.

use std::collections::BTreeSet;

use privacy_core::AttrSet;

use crate::audit::classes::with_response;
use crate::planner::problem::ReleaseProblem;
use crate::planner::robust::ladder::classes;
use crate::table::knowledge::Knowledge;

/// The counts that are judged, as sums over cells of the table.
pub(crate) struct Judged {
    sums: Vec<Sums>,
}

/// The classes over some axes.
struct Sums {
    class_of_cell: Vec<u32>,
    each: Vec<JudgedCount>,
}

#[derive(Clone, Copy)]
struct JudgedCount {
    /// The class is in scope, has people, and is no fact that the reader is assumed to hold.
    in_scope: bool,
    /// People of the class, where that is public.
    people: Option<i64>,
    /// Its count is published, or a sum of published counts.
    is_published: bool,
    /// It was requested, is not published, and somebody may be in it.
    is_withheld: bool,
}

impl Judged {
    /// The classes in scope, and the requested numbers that `is_shown` does not show; the first
    /// argument of it is the position of the margin. `knowledge` is what a reader knows.
    pub(crate) fn new(
        problem: &ReleaseProblem,
        knowledge: &Knowledge,
        is_shown: &dyn Fn(usize, usize) -> bool,
    ) -> Self {
        let response = knowledge.response_axis();
        let scope: BTreeSet<AttrSet> = problem.rule.scope().sets(knowledge.profile()).into_iter().collect();
        let requested = problem.requested.iter().map(|requested| requested.axes);
        let all: BTreeSet<AttrSet> =
            scope.iter().copied().map(|axes| with_axis(axes, response)).chain(requested).collect();
        let sums = all.into_iter().map(|axes| {
            let profile = axes.intersection(knowledge.profile());
            let in_scope = scope.contains(&profile) && axes == with_axis(profile, response);
            let place = problem.requested.iter().position(|requested| requested.axes == axes);
            let people = knowledge.people(profile);
            let grid = &knowledge.grid;
            let each = (0..grid.classes(axes)).map(|index| {
                let levels = grid.levels_of_class(index, axes);
                let class = with_response(axes, &levels, None);
                let own: Vec<usize> = axes
                    .iter()
                    .zip(&levels)
                    .filter(|(axis, _)| profile.contains(*axis))
                    .map(|(_, &level)| level)
                    .collect();
                let people = people.as_ref().map(|people| people[grid.class_index(profile, &own)]);
                let is_open = people != Some(0) && !knowledge.is_assumed(&class);
                JudgedCount {
                    in_scope: in_scope && is_open,
                    people,
                    is_published: knowledge.released(&class).is_some(),
                    is_withheld: is_open && place.is_some_and(|place| !is_shown(place, index)),
                }
            });
            Sums { class_of_cell: classes(grid, axes), each: each.collect() }
        });
        Self { sums: sums.collect() }
    }

    /// An empty group.
    pub(crate) fn group(&self) -> Group {
        let ends = self.sums.iter().map(|sums| vec![(i64::MAX, i64::MIN); sums.each.len()]).collect();
        Group { ends, members: 0 }
    }

    /// Whether the rule holds among the tables of a group: every number that was withheld ranges
    /// over more than the minimum interval width, and no class in scope is disclosed.
    pub(crate) fn is_kept(&self, group: &Group, problem: &ReleaseProblem) -> bool {
        group.members > 0 && self.lost(group, problem) == Lost::default()
    }

    /// What is left of the rule among the tables of a group.
    pub(crate) fn lost(&self, group: &Group, problem: &ReleaseProblem) -> Lost {
        let width = problem.rule.min_interval_width();
        let mut lost = Lost::default();
        for (sums, ends) in self.sums.iter().zip(&group.ends) {
            for (judged, &(least, most)) in sums.each.iter().zip(ends) {
                if group.members == 0 {
                    continue;
                }
                if judged.is_withheld && (most - least).unsigned_abs() <= width {
                    lost.withheld += 1;
                    lost.exactly += usize::from(least == most);
                }
                let discloses = problem.rule.discloses((least, most), judged.people, judged.is_published);
                lost.classes += usize::from(judged.in_scope && discloses);
            }
        }
        lost
    }

    /// The counts that do not range over more than the minimum interval width so far, as positions
    /// that [`Judged::sought`] takes.
    pub(crate) fn open(&self, group: &Group, problem: &ReleaseProblem) -> Vec<(usize, usize)> {
        let width = problem.rule.min_interval_width();
        let mut open = Vec::new();
        for (place, (sums, ends)) in self.sums.iter().zip(&group.ends).enumerate() {
            let judged = sums.each.iter().zip(ends).enumerate();
            let narrow = judged.filter(|(_, (judged, (least, most)))| {
                let is_judged = judged.is_withheld || judged.in_scope && !judged.is_published;
                is_judged && (most - least).unsigned_abs() <= width
            });
            open.extend(narrow.map(|(class, _)| (place, class)));
        }
        open
    }

    /// Whether a count ranges over more than the minimum interval width.
    pub(crate) fn is_wide(&self, (place, class): (usize, usize), group: &Group, problem: &ReleaseProblem) -> bool {
        let (least, most) = group.ends[place][class];
        (most - least).unsigned_abs() > problem.rule.min_interval_width()
    }

    /// The cells of a count, in increasing order, and the range that it has in a group.
    pub(crate) fn sought(&self, (place, class): (usize, usize), group: &Group) -> (Vec<u32>, (i64, i64)) {
        let cells = self.sums[place].class_of_cell.iter().enumerate().filter(|&(_, &own)| own as usize == class);
        let cells = cells.map(|(cell, _)| u32::try_from(cell).expect("at most 2^24 cells")).collect();
        (cells, group.ends[place][class])
    }

    /// How many of the numbers are withheld.
    pub(crate) fn withheld(&self) -> usize {
        self.sums.iter().flat_map(|sums| &sums.each).filter(|judged| judged.is_withheld).count()
    }
}

/// The axes with that of the response, where there is one.
fn with_axis(axes: AttrSet, response: Option<usize>) -> AttrSet {
    response.map_or(axes, |response| axes.with(response))
}

/// What a reader learns from the group beyond the rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lost {
    /// Withheld numbers within the minimum interval width.
    pub(crate) withheld: usize,
    /// Those of them that are known exactly.
    pub(crate) exactly: usize,
    /// Classes in scope that are disclosed.
    pub(crate) classes: usize,
}

/// The range of every judged count over the tables seen.
#[derive(Clone)]
pub(crate) struct Group {
    ends: Vec<Vec<(i64, i64)>>,
    pub(crate) members: u64,
}

impl Group {
    /// Adds a table.
    pub(crate) fn add(&mut self, judged: &Judged, table: &[i64]) {
        self.members += 1;
        for (sums, ends) in judged.sums.iter().zip(&mut self.ends) {
            let mut totals = vec![0_i64; ends.len()];
            sums.class_of_cell.iter().zip(table).for_each(|(&class, &count)| totals[class as usize] += count);
            for (end, total) in ends.iter_mut().zip(totals) {
                *end = (end.0.min(total), end.1.max(total));
            }
        }
    }
}
