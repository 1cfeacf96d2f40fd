//! Two reference periods of one population as one table: who stayed, who left and who came.
//!
//! `N, N'` people of a cell before and after, `d` people whose response may have changed. With an
//! axis more, each cell is split into
//!
//! ```text
//! kept      stayed, counted before and after       kept + dropped + gained <= S = min(N, N')
//! left      counted before, then left              left <= N - S
//! came      came, counted after                    came <= N' - S
//! dropped   stayed, counted before only            sum of dropped + gained <= d
//! gained    stayed, counted after only             (both are absent when d = 0)
//! ```
//!
//! A number of the first period is the sum `kept + dropped + left`, one of the second period
//! `kept + gained + came`, so all bounds are those of one table. With a response axis the
//! capacities become sums over the responses. In no cell does somebody leave while somebody else
//! comes: an exchange counts as a changed response.

use privacy_core::{AttrSet, Attribute, Domain};

use crate::table::class::{Class, Region};
use crate::table::error::Error;
use crate::table::grid::Grid;
use crate::table::knowledge::Knowledge;
use crate::table::system::{NO_CAPACITY, checked_row};

const KEPT: usize = 0;
const LEFT: usize = 1;
const CAME: usize = 2;
const DROPPED: usize = 3;
const GAINED: usize = 4;

/// Whose counts in a class a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum PeriodGroup {
    /// Everybody of the first period, as counted then.
    Before,
    /// Everybody of the second period, as counted then.
    After,
    /// Those who are in both periods, as counted in the first.
    Stayed,
    /// Those who are in the first period alone.
    Left,
    /// Those who are in the second period alone.
    Came,
}

impl PeriodGroup {
    fn parts(self) -> &'static [usize] {
        match self {
            Self::Before => &[KEPT, DROPPED, LEFT],
            Self::After => &[KEPT, GAINED, CAME],
            Self::Stayed => &[KEPT, DROPPED],
            Self::Left => &[LEFT],
            Self::Came => &[CAME],
        }
    }
}

/// Whose published numbers the attacker reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PublishedPeriods {
    First,
    Second,
    Both,
}

/// People of a cell, or of a class, in the two periods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PopulationFlows {
    pub(crate) stayed: i64,
    pub(crate) left: i64,
    pub(crate) came: i64,
}

impl PopulationFlows {
    fn of(before: i64, after: i64) -> Self {
        let stayed = before.min(after);
        Self { stayed, left: before - stayed, came: after - stayed }
    }

    pub(crate) fn people(self, group: PeriodGroup) -> i64 {
        match group {
            PeriodGroup::Before => self.stayed + self.left,
            PeriodGroup::After => self.stayed + self.came,
            PeriodGroup::Stayed => self.stayed,
            PeriodGroup::Left => self.left,
            PeriodGroup::Came => self.came,
        }
    }
}

/// The two periods, and how many responses of the people who stayed may have changed.
pub(crate) struct PeriodPair<'a> {
    pub(crate) before: &'a Knowledge,
    pub(crate) after: &'a Knowledge,
    turnover: i64,
    /// Of each profile, where the population table is public.
    profiles: Option<Vec<PopulationFlows>>,
}

impl<'a> PeriodPair<'a> {
    pub(crate) fn of(before: &'a Knowledge, after: &'a Knowledge, turnover: u64) -> Result<Self, Error> {
        let alike = before.domain().attributes() == after.domain().attributes();
        let people = [before, after].map(|period| period.people(period.profile()));
        let same_kind = before.response_axis() == after.response_axis() && people[0].is_some() == people[1].is_some();
        if !alike || !same_kind {
            return Err(Error::DifferentPopulations);
        }
        let turnover = i64::try_from(turnover).ok().filter(|&turnover| turnover <= NO_CAPACITY);
        let turnover = turnover.ok_or_else(|| Error::TooLarge { row: "changed responses".to_owned() })?;
        let [old, new] = people;
        let profiles =
            old.zip(new).map(|(old, new)| old.iter().zip(&new).map(|(&n, &m)| PopulationFlows::of(n, m)).collect());
        Ok(Self { before, after, turnover, profiles })
    }

    /// The grid of one period.
    pub(crate) fn grid(&self) -> &Grid {
        &self.before.grid
    }

    /// Whether a response may have changed.
    pub(crate) fn may_change(&self) -> bool {
        self.turnover > 0
    }

    /// Who stayed, left and came in each class over some axes of the profile, row-major; `None`
    /// without the population table.
    pub(crate) fn flows(&self, axes: AttrSet) -> Option<Vec<PopulationFlows>> {
        let (grid, profile) = (self.grid(), self.before.profile());
        let mut sums = vec![PopulationFlows::default(); grid.classes(axes)];
        for (index, flows) in self.profiles.as_ref()?.iter().enumerate() {
            let class = Class { axes: profile, levels: grid.levels_of_class(index, profile) };
            let sum = &mut sums[grid.class_index(axes, &class.levels_on(axes))];
            sum.stayed += flows.stayed;
            sum.left += flows.left;
            sum.came += flows.came;
        }
        Some(sums)
    }

    /// The part of a class that a group is.
    pub(crate) fn region(&self, class: &Class, group: PeriodGroup) -> Region {
        let parts = group.parts().iter().copied().filter(|&part| part < self.parts());
        Region::from(class).with(self.grid().axes(), parts.collect::<Vec<_>>())
    }

    fn parts(&self) -> usize {
        if self.may_change() { GAINED + 1 } else { CAME + 1 }
    }

    /// What somebody knows of the split table.
    pub(crate) fn knowledge(&self, published: PublishedPeriods) -> Result<Knowledge, Error> {
        let domain = self.before.domain();
        let mut name = "cycle".to_owned();
        while domain.index_of(&name).is_ok() {
            name.push('\'');
        }
        let parts = Attribute::codes(name, self.parts()).expect("three or five codes are labels");
        let attributes = domain.attributes().iter().cloned().chain([parts]).collect();
        let mut joint = Knowledge::of_counts(
            Domain::new(attributes).map_err(|_| Error::TooManyCells { limit: NO_CAPACITY as usize })?,
        )?;
        self.limit(&mut joint)?;
        if published != PublishedPeriods::Second {
            self.publish(&mut joint, self.before, PeriodGroup::Before, "before")?;
        }
        if published != PublishedPeriods::First {
            self.publish(&mut joint, self.after, PeriodGroup::After, "after")?;
        }
        Ok(joint)
    }

    /// The numbers of one period, about its part of the split table.
    fn publish(&self, joint: &mut Knowledge, period: &Knowledge, group: PeriodGroup, when: &str) -> Result<(), Error> {
        for row in period.published_rows() {
            let cells = self.split(row.cells(), group.parts());
            joint.system.rows.push(checked_row(format!("{when} {}", row.name()), cells, row.lower(), row.upper())?);
        }
        Ok(())
    }

    /// How many people each part can hold.
    fn limit(&self, joint: &mut Knowledge) -> Result<(), Error> {
        let (grid, parts) = (self.grid(), self.parts());
        let profile = self.before.profile();
        let has_responses = self.before.response_axis().is_some();
        for cell in 0..grid.cells() {
            let flows = self.profiles.as_ref().map(|profiles| profiles[grid.class_of_cell(cell, profile)]);
            let stay = flows.map_or(NO_CAPACITY, |flows| flows.stayed);
            let (left, came) = flows.map_or((0, 0), |flows| (flows.left, flows.came));
            let change = self.turnover.min(stay);
            joint.system.capacity[cell * parts..][..parts]
                .copy_from_slice(&[stay, left, came, change, change][..parts]);
        }
        if let Some(profiles) = &self.profiles {
            let mut members = vec![Vec::new(); profiles.len()];
            (0..grid.cells()).for_each(|cell| members[grid.class_of_cell(cell, profile)].push(cell as u32));
            for (flows, cells) in profiles.iter().zip(&members) {
                self.limit_profile(joint, *flows, cells, has_responses)?;
            }
        }
        if self.may_change() {
            let all: Vec<u32> = (0..grid.cells() as u32).collect();
            let cells = self.split(&all, &[DROPPED, GAINED]);
            // With a response axis, a change leaves one response and joins another.
            let steps = if has_responses { self.turnover.saturating_mul(2) } else { self.turnover };
            joint.system.rows.push(checked_row("changed responses", cells, 0, steps.min(NO_CAPACITY))?);
        }
        Ok(())
    }

    /// What the parts of one profile hold together: at most everybody, or everybody when each has
    /// a response.
    fn limit_profile(
        &self,
        joint: &mut Knowledge,
        of: PopulationFlows,
        cells: &[u32],
        has_responses: bool,
    ) -> Result<(), Error> {
        let together: &[(&[usize], i64)] = match (has_responses, self.may_change()) {
            (false, false) => &[],
            (false, true) => &[(&[KEPT, DROPPED, GAINED], of.stayed)],
            (true, _) => {
                &[(&[KEPT, DROPPED], of.stayed), (&[KEPT, GAINED], of.stayed), (&[LEFT], of.left), (&[CAME], of.came)]
            }
        };
        for &(parts, people) in together {
            let lower = if has_responses { people } else { 0 };
            joint.system.rows.push(checked_row("people", self.split(cells, parts), lower, people)?);
        }
        Ok(())
    }

    /// These parts of these cells.
    fn split(&self, cells: &[u32], parts: &[usize]) -> Vec<u32> {
        let present = parts.iter().filter(|&&part| part < self.parts());
        let split =
            cells.iter().flat_map(|&cell| present.clone().map(move |&part| cell * self.parts() as u32 + part as u32));
        split.collect()
    }
}
