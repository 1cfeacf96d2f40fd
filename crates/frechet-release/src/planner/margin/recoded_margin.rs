//! A margin that may be published, each axis recoded into groups of levels.

use privacy_core::{AttrSet, ContingencyTable, Domain};

use crate::planner::margin::recoding::{CategoryGroup, Recoding};
use crate::table::class::Region;
use crate::table::error::Error;
use crate::table::knowledge::Knowledge;

/// A margin whose axes are recoded into groups. Its cells are numbered row-major over the groups,
/// the last axis fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RecodedMargin {
    /// The axes, in increasing order.
    pub axes: Vec<usize>,
    /// The groups on each.
    pub recodings: Vec<Recoding>,
}

impl RecodedMargin {
    /// The margin over `axes`, every level by itself.
    ///
    /// # Errors
    /// [`Error::NoSuchLevel`] for an axis that does not exist.
    pub fn finest(domain: &Domain, axes: AttrSet) -> Result<Self, Error> {
        if let Some(axis) = axes.iter().find(|&axis| axis >= domain.len()) {
            return Err(Error::NoSuchLevel { axis, level: 0 });
        }
        let recodings = axes.iter().map(|axis| Recoding::finest(&domain.attributes()[axis])).collect();
        Ok(Self { axes: axes.iter().collect(), recodings })
    }

    /// How many cells there are.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.recodings.iter().map(|recoding| recoding.groups().len()).product()
    }

    /// Whether every level of every axis stands alone.
    #[must_use]
    pub fn is_finest(&self) -> bool {
        self.recodings.iter().all(Recoding::is_finest)
    }

    /// The axes as a set.
    #[must_use]
    pub fn axis_set(&self) -> AttrSet {
        self.axes.iter().copied().collect()
    }

    /// The groups of a cell, one an axis.
    #[must_use]
    pub fn groups(&self, mut cell: usize) -> Vec<&CategoryGroup> {
        let mut groups = Vec::new();
        for recoding in self.recodings.iter().rev() {
            groups.push(&recoding.groups()[cell % recoding.groups().len()]);
            cell /= recoding.groups().len();
        }
        groups.reverse();
        groups
    }

    /// What a cell counts.
    #[must_use]
    pub fn region(&self, cell: usize) -> Region {
        let fixed = self.axes.iter().zip(self.groups(cell));
        fixed.fold(Region::everything(), |region, (&axis, group)| region.with(axis, group.levels.clone()))
    }

    /// For example `{age "0 to 17"+"18 to 64", sex "female"}`; `total` without axes.
    pub(crate) fn name(&self, domain: &Domain, cell: usize) -> String {
        let parts: Vec<String> = self
            .axes
            .iter()
            .zip(self.groups(cell))
            .map(|(&axis, group): (&usize, &CategoryGroup)| {
                let levels: Vec<String> = group.levels.iter().map(|&level| domain.category_name(axis, level)).collect();
                format!("{} {}", domain.attributes()[axis].name(), levels.join("+"))
            })
            .collect();
        if parts.is_empty() { "total".to_owned() } else { format!("{{{}}}", parts.join(", ")) }
    }

    /// Sums over `axes`, one a combination of levels and row-major, added up to the cells.
    pub(crate) fn added(&self, domain: &Domain, sums: &[u64]) -> Vec<u64> {
        let mut totals = vec![0; self.cells()];
        for (index, &sum) in sums.iter().enumerate() {
            totals[self.cell_of(domain, index)] += sum;
        }
        totals
    }

    /// The cell that a combination of levels of the axes is in.
    pub(crate) fn cell_of(&self, domain: &Domain, mut index: usize) -> usize {
        let (mut cell, mut stride) = (0, 1);
        for (&axis, recoding) in self.axes.iter().zip(&self.recodings).rev() {
            let size = domain.attributes()[axis].cardinality();
            let place = recoding.groups().iter().position(|group| group.levels.contains(&(index % size)));
            cell += stride * place.expect("a cut is a partition of the levels");
            stride *= recoding.groups().len();
            index /= size;
        }
        cell
    }

    /// The counts of the cells, in a table over all attributes of the domain.
    ///
    /// # Errors
    /// [`Error::Shape`] for a table that lacks an axis.
    pub fn counts(&self, domain: &Domain, table: &ContingencyTable) -> Result<Vec<u64>, Error> {
        let shape = || Error::Shape { expected: domain.shape(domain.all()), got: table.counts().shape().to_vec() };
        let margin = table.marginal(self.axis_set()).map_err(|_| shape())?;
        Ok(self.added(domain, margin.cells()))
    }

    /// How many people each cell has, where that is public. The responses of one profile share
    /// its people.
    pub(crate) fn sizes(&self, knowledge: &Knowledge) -> Option<Vec<u64>> {
        let profile = self.axis_set().intersection(knowledge.profile());
        let people = knowledge.people(profile)?;
        let own = Self {
            axes: profile.iter().collect(),
            recodings: self
                .axes
                .iter()
                .zip(&self.recodings)
                .filter(|(axis, _)| profile.contains(**axis))
                .map(|(_, recoding)| recoding.clone())
                .collect(),
        };
        let people: Vec<u64> = people.into_iter().map(|count| u64::try_from(count).unwrap_or(0)).collect();
        let sizes = own.added(knowledge.domain(), &people);
        Some((0..self.cells()).map(|cell| sizes[self.index_on(profile, cell)]).collect())
    }

    /// The index of a cell's groups on some of the axes, row-major.
    fn index_on(&self, axes: AttrSet, cell: usize) -> usize {
        let groups = self.axes.iter().zip(self.recodings.iter().zip(self.groups(cell)));
        groups.filter(|(axis, _)| axes.contains(**axis)).fold(0, |index, (_, (recoding, group))| {
            let own = recoding.groups().iter().position(|other| other == group);
            index * recoding.groups().len() + own.expect("the group is one of the recoding")
        })
    }

    /// Adds the counts of the published cells to an attacker's knowledge.
    pub(crate) fn publish(
        &self,
        knowledge: &mut Knowledge,
        counts: &[u64],
        is_published: impl Fn(usize) -> bool,
    ) -> Result<(), Error> {
        let domain = knowledge.domain().clone();
        if self.is_finest() && (0..self.cells()).all(&is_published) {
            let table = ContingencyTable::from_cells(&domain, self.axis_set(), counts.to_vec())
                .map_err(|_| Error::TooLarge { row: self.name(&domain, 0) })?;
            return knowledge.publish_margin(&table);
        }
        let first = knowledge.system.rows.len();
        for (cell, &count) in counts.iter().enumerate().filter(|(cell, _)| is_published(*cell)) {
            knowledge.publish_count(self.name(&domain, cell), &self.region(cell), count)?;
        }
        knowledge.remember_statistic(first..knowledge.system.rows.len());
        Ok(())
    }
}
