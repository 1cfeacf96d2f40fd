//! What an attacker knows: the shape of the table, how many people each cell can hold, and
//! published numbers.

use std::collections::BTreeSet;
use std::ops::Range;

use frechet_certificate::Row;
use privacy_core::{AttrSet, ContingencyTable, Domain};

use crate::table::class::{Class, Region};
use crate::table::error::Error;
use crate::table::grid::Grid;
use crate::table::system::{NO_CAPACITY, System, checked_row};

/// What an attacker knows of an unknown table of counts. Every fact is a [`Row`]; margins
/// published exactly are remembered as such, for the closed forms.
///
/// ```
/// use frechet_release::{Knowledge, Region};
/// use privacy_core::{AttrSet, ContingencyTable, Domain};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let domain = Domain::of_cardinalities(&[2, 3])?;
/// let counts = ContingencyTable::from_cells(&domain, domain.all(), vec![4, 1, 9, 6, 8, 2])?;
/// let mut knowledge = Knowledge::of_counts(domain)?;
/// knowledge.publish_margin(&counts.marginal(AttrSet::single(0))?)?; // 14 and 16
/// knowledge.publish_range("rounded", &Region::everything().with(1, [0]), 8, 12)?; // 10, to a base of 5
/// knowledge.assume_range("last year", &Region::everything().with(1, [2]), 10, 12)?; // nobody published it
/// assert_eq!(knowledge.system().rows().len(), 4);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Knowledge {
    domain: Domain,
    pub(crate) grid: Grid,
    pub(crate) system: System,
    pub(crate) margins: Vec<Margin>,
    /// Rows of margins published in part or in groups: the rows of one margin share no cell.
    statistics: Vec<Range<usize>>,
    /// Rows that the attacker is assumed to hold besides: nobody published them.
    facts: BTreeSet<usize>,
    population: PopulationTable,
}

/// How the public population table enters.
#[derive(Clone)]
enum PopulationTable {
    /// Nobody published how many people there are.
    Unknown,
    /// The table counts one response, out of a known number of people in each cell: a capacity
    /// for each cell.
    Capacities,
    /// The table has a response axis, and its sums over that axis are known.
    Responses { response_axis: usize, people: Vec<i64> },
}

impl std::fmt::Debug for PopulationTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Unknown => "Unknown",
            Self::Capacities => "Capacities",
            Self::Responses { .. } => "Responses",
        })
    }
}

/// A margin published exactly: its rows are consecutive, row-major over its axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Margin {
    pub(crate) axes: AttrSet,
    pub(crate) first_row: usize,
}

impl Knowledge {
    /// A table over all attributes of `domain`, of which nothing is known yet.
    ///
    /// # Errors
    /// [`Error::TooManyCells`].
    pub fn of_counts(domain: Domain) -> Result<Self, Error> {
        let grid = Grid::of(&domain)?;
        let system = System { capacity: vec![NO_CAPACITY; grid.cells()], rows: Vec::new() };
        Ok(Self {
            domain,
            grid,
            system,
            margins: Vec::new(),
            statistics: Vec::new(),
            facts: BTreeSet::new(),
            population: PopulationTable::Unknown,
        })
    }

    /// The table of the people who gave one response, when `people`, the population table over
    /// all attributes, is public: no cell holds more than its people. Both sides are modelled,
    /// since the people who gave another response are the rest of each cell.
    ///
    /// # Errors
    /// [`Error::TooManyCells`]; [`Error::Shape`] when `people` is not over all attributes of
    /// `domain`.
    pub fn with_population(domain: Domain, people: &ContingencyTable) -> Result<Self, Error> {
        let mut knowledge = Self::of_counts(domain)?;
        knowledge.system.capacity = knowledge.cells_over(knowledge.grid.all(), people)?;
        knowledge.population = PopulationTable::Capacities;
        Ok(knowledge)
    }

    /// A table whose axis `vote` is the candidate, when `people`, over all other attributes, is
    /// public. All candidates are one problem: bounds for one at a time are wider than what the
    /// numbers tell.
    ///
    /// # Errors
    /// [`Error::TooManyCells`]; [`Error::NoSuchLevel`] for an axis that does not exist;
    /// [`Error::Shape`].
    pub fn with_responses(domain: Domain, response_axis: usize, people: &ContingencyTable) -> Result<Self, Error> {
        let mut knowledge = Self::of_counts(domain)?;
        if response_axis >= knowledge.grid.axes() {
            return Err(Error::NoSuchLevel { axis: response_axis, level: 0 });
        }
        let profile = knowledge.grid.all().minus(AttrSet::single(response_axis));
        let counts = knowledge.cells_over(profile, people)?;
        knowledge.publish_sums(profile, &counts, "people")?;
        knowledge.population = PopulationTable::Responses { response_axis, people: counts };
        Ok(knowledge)
    }

    /// Adds a margin published exactly: one row for each of its cells. The total is the margin
    /// over no attribute.
    ///
    /// # Errors
    /// [`Error::Shape`] when the table is of another domain.
    pub fn publish_margin(&mut self, table: &ContingencyTable) -> Result<(), Error> {
        let axes = table.attributes();
        let counts = self.cells_over(axes, table)?;
        self.publish_sums(axes, &counts, "margin")
    }

    /// Adds a sum over a region that is published, or public, to lie between `lower` and `upper`:
    /// a total of a hierarchy, a rounded or noised number, a count of an earlier period.
    ///
    /// # Errors
    /// [`Error::NoSuchLevel`], [`Error::EmptyRow`] and [`Error::TooLarge`].
    pub fn publish_range(
        &mut self,
        name: impl Into<String>,
        region: &Region,
        lower: u64,
        upper: u64,
    ) -> Result<(), Error> {
        let name = name.into();
        let (lower, upper) = (signed(lower, &name)?, signed(upper, &name)?);
        self.system.rows.push(checked_row(name, region.cells(&self.grid)?, lower, upper)?);
        Ok(())
    }

    /// Adds a sum over a region that is known exactly.
    ///
    /// # Errors
    /// As [`Knowledge::publish_range`].
    pub fn publish_count(&mut self, name: impl Into<String>, region: &Region, count: u64) -> Result<(), Error> {
        self.publish_range(name, region, count, count)
    }

    /// Adds a sum over a region that the attacker is assumed to know to lie between `lower` and
    /// `upper`, and that nobody published. A class whose count is such a fact is judged without
    /// assumed facts, so that knowing more never makes a release look better.
    ///
    /// # Errors
    /// As [`Knowledge::publish_range`].
    pub fn assume_range(
        &mut self,
        name: impl Into<String>,
        region: &Region,
        lower: u64,
        upper: u64,
    ) -> Result<(), Error> {
        self.publish_range(name, region, lower, upper)?;
        self.facts.insert(self.system.rows.len() - 1);
        Ok(())
    }

    /// The same without the facts of [`Knowledge::assume_range`]: their rows stay, and restrict
    /// nothing. `None` if there are none.
    pub(crate) fn without_assumptions(&self) -> Option<Self> {
        if self.facts.is_empty() {
            return None;
        }
        let mut weaker = self.clone();
        for &row in &weaker.facts {
            let name = weaker.system.rows[row].name().to_owned();
            weaker.system.rows[row] = Row::new(name, Vec::new(), 0, 0);
        }
        weaker.facts.clear();
        Some(weaker)
    }

    /// The same with a bound on the total where a cell has none: the largest count that any table
    /// here can have, so this adds nothing that is not known anyway, and the solver has a finite
    /// problem.
    pub(crate) fn bounded(mut self) -> Result<Self, Error> {
        let mut is_open: Vec<bool> = self.system.capacity.iter().map(|&most| most >= NO_CAPACITY).collect();
        for row in &self.system.rows {
            row.cells().iter().for_each(|&cell| is_open[cell as usize] = false);
        }
        if is_open.contains(&true) {
            self.publish_range("people there can be", &Region::everything(), 0, NO_CAPACITY.unsigned_abs())?;
        }
        Ok(self)
    }

    /// Whether the count of a class is a fact that the attacker holds, and not published.
    pub(crate) fn is_assumed(&self, class: &Class) -> bool {
        if self.facts.is_empty() || self.released(class).is_some() {
            return false;
        }
        let cells = self.grid.cells_of(class);
        let mut facts = self.facts.iter().map(|&row| &self.system.rows[row]);
        facts.any(|row| row.lower() == row.upper() && row.cells() == cells)
    }

    /// The cells of every fact that is one number.
    pub(crate) fn assumed_counts(&self) -> BTreeSet<&[u32]> {
        let facts = self.facts.iter().map(|&row| &self.system.rows[row]);
        facts.filter(|row| row.lower() == row.upper()).map(Row::cells).collect()
    }

    /// Rows with one number that were published, the population table apart.
    pub(crate) fn released_rows(&self) -> impl Iterator<Item = &Row> {
        let public = self.system.rows.len() - self.published_rows().len();
        let rows = self.system.rows.iter().enumerate().skip(public);
        rows.filter(|(row, own)| own.lower() == own.upper() && !self.facts.contains(row)).map(|(_, row)| row)
    }

    /// Positions of the rows of [`Knowledge::released_rows`].
    pub(crate) fn released_positions(&self) -> BTreeSet<usize> {
        let public = self.system.rows.len() - self.published_rows().len();
        let own = (public..self.system.rows.len()).filter(|row| !self.facts.contains(row));
        own.filter(|&row| self.system.rows[row].lower() == self.system.rows[row].upper()).collect()
    }

    /// Rows of one margin each, which share no cell.
    pub(crate) fn disjoint_ranges(&self) -> impl Iterator<Item = Range<usize>> {
        let margins =
            self.margins.iter().map(|margin| margin.first_row..margin.first_row + self.grid.classes(margin.axes));
        margins.chain(self.statistics.iter().cloned())
    }

    /// How many people the cells of a row are about, where that is public; `None` as well when
    /// the row only counts them, over all responses.
    pub(crate) fn people_of(&self, row: &Row) -> Option<Option<u64>> {
        let sum = |people: i64| u64::try_from(people).expect("people are counted");
        match &self.population {
            PopulationTable::Unknown => Some(None),
            PopulationTable::Capacities => {
                Some(Some(sum(row.cells().iter().map(|&cell| self.system.capacity[cell as usize]).sum())))
            }
            PopulationTable::Responses { response_axis, people } => {
                let profile = self.profile();
                let profiles: BTreeSet<usize> = row
                    .cells()
                    .iter()
                    .map(|&cell: &u32| self.grid.class_index(profile, &self.grid.levels(cell as usize, profile)))
                    .collect();
                let is_public = row.cells().len() == profiles.len() * self.grid.size(*response_axis);
                (!is_public).then(|| Some(sum(profiles.iter().map(|&profile| people[profile]).sum())))
            }
        }
    }

    /// The domain of the unknown table.
    #[must_use]
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The cells of a region, row-major positions in increasing order.
    ///
    /// # Errors
    /// [`Error::NoSuchLevel`].
    pub fn cells_of(&self, region: &Region) -> Result<Vec<u32>, Error> {
        region.cells(&self.grid)
    }

    /// Capacities and rows.
    #[must_use]
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The response axis, if the table has one.
    #[must_use]
    pub fn response_axis(&self) -> Option<usize> {
        match self.population {
            PopulationTable::Responses { response_axis, .. } => Some(response_axis),
            _ => None,
        }
    }

    /// The axes of a profile: all but the response axis.
    #[must_use]
    pub fn profile(&self) -> AttrSet {
        self.response_axis()
            .map_or(self.grid.all(), |response_axis| self.grid.all().minus(AttrSet::single(response_axis)))
    }

    /// Whether the population table is public.
    pub(crate) fn has_people(&self) -> bool {
        !matches!(self.population, PopulationTable::Unknown)
    }

    /// How many people are in each class over `axes`, row-major, where the population table is
    /// public.
    #[must_use]
    pub fn people(&self, axes: AttrSet) -> Option<Vec<i64>> {
        let (profile, people) = match &self.population {
            PopulationTable::Unknown => return None,
            PopulationTable::Capacities => (self.grid.all(), &self.system.capacity),
            PopulationTable::Responses { people, .. } => (self.profile(), people),
        };
        let axes = axes.intersection(profile);
        let mut sums = vec![0; self.grid.classes(axes)];
        for (index, &count) in people.iter().enumerate() {
            let class = Class { axes: profile, levels: self.grid.levels_of_class(index, profile) };
            sums[self.grid.class_index(axes, &class.levels_on(axes))] += count;
        }
        Some(sums)
    }

    /// Whether the sums over exactly these classes are published: `axes` is within a margin
    /// published exactly.
    #[must_use]
    pub fn is_published(&self, axes: AttrSet) -> bool {
        self.margins.iter().any(|margin| axes.is_subset_of(margin.axes))
    }

    /// The count of a class, where it is itself published: within a margin, or the very cells of
    /// a row with equal ends.
    pub(crate) fn released(&self, class: &Class) -> Option<i64> {
        let in_margin = self.published(class);
        let cells = if in_margin.is_some() { Vec::new() } else { self.grid.cells_of(class) };
        in_margin
            .or_else(|| self.released_rows().find(|row| row.cells() == cells).map(Row::lower))
            .or_else(|| self.statistics.iter().find_map(|rows| self.sum_of(rows.clone(), &cells)))
    }

    /// Remembers that these rows are exact and share no cell.
    pub(crate) fn remember_statistic(&mut self, rows: Range<usize>) {
        self.statistics.push(rows);
    }

    /// The sum of those rows that make up the cells, if some do.
    fn sum_of(&self, rows: Range<usize>, cells: &[u32]) -> Option<i64> {
        let parts = || {
            self.system.rows[rows.clone()]
                .iter()
                .filter(|row: &&Row| row.cells().iter().all(|cell| cells.binary_search(cell).is_ok()))
        };
        let covered: usize = parts().map(|row| row.cells().len()).sum();
        (covered == cells.len() && covered > 0).then(|| parts().map(Row::lower).sum())
    }

    /// The rows of one margin whose levels on `class.axes` are those of the class; the margin
    /// holds those axes.
    pub(crate) fn rows_of(&self, class: &Class) -> Option<Vec<usize>> {
        let holding = self.margins.iter().filter(|margin| class.axes.is_subset_of(margin.axes));
        let margin = holding.min_by_key(|margin| self.grid.classes(margin.axes))?;
        let mut rows = vec![0];
        for axis in margin.axes.iter() {
            let levels = match class.axes.axis_of(axis) {
                Some(place) => class.levels[place]..class.levels[place] + 1,
                None => 0..self.grid.size(axis),
            };
            let size = self.grid.size(axis);
            rows = rows.iter().flat_map(|&row| levels.clone().map(move |level| row * size + level)).collect();
        }
        rows.iter_mut().for_each(|row| *row += margin.first_row);
        Some(rows)
    }

    /// The published count of a class whose axes are within a margin.
    pub(crate) fn published(&self, class: &Class) -> Option<i64> {
        Some(self.rows_of(class)?.into_iter().map(|row| self.system.rows[row].lower()).sum())
    }

    /// What is published: all rows but those that the population table makes.
    pub(crate) fn published_rows(&self) -> &[Row] {
        match &self.population {
            // The population table was published first.
            PopulationTable::Responses { people, .. } => &self.system.rows[people.len()..],
            _ => &self.system.rows,
        }
    }

    /// Whether margins are all that is known: no capacities, no other rows.
    pub(crate) fn is_margins_only(&self) -> bool {
        let in_margins: usize = self.margins.iter().map(|margin| self.grid.classes(margin.axes)).sum();
        in_margins == self.system.rows.len() && self.system.capacity.iter().all(|&most| most == NO_CAPACITY)
    }

    /// What the margins say about the sums over the axes of `part`, and for each row there the
    /// rows here that add up to it. Margins that reach beyond the part say something about it as
    /// well.
    pub(crate) fn restricted(&self, part: AttrSet) -> Result<(Self, Vec<Vec<usize>>), Error> {
        let attributes = part.iter().map(|axis| self.domain.attributes()[axis].clone()).collect();
        let domain = Domain::new(attributes).expect("attributes of a domain make a domain");
        let mut restricted = Self::of_counts(domain)?;
        let mut rows = Vec::new();
        let within: BTreeSet<AttrSet> = self.margins.iter().map(|margin| margin.axes.intersection(part)).collect();
        for &axes in within
            .iter()
            .filter(|axes: &&AttrSet| !within.iter().any(|other| other != *axes && axes.is_subset_of(*other)))
        {
            let mut counts = Vec::new();
            for index in 0..self.grid.classes(axes) {
                let class = Class { axes, levels: self.grid.levels_of_class(index, axes) };
                let own = self.rows_of(&class).expect("the axes are within a margin");
                counts.push(own.iter().map(|&row| self.system.rows[row].lower()).sum());
                rows.push(own);
            }
            let axes = axes.iter().filter_map(|axis| part.axis_of(axis)).collect();
            restricted.publish_sums(axes, &counts, "margin")?;
        }
        Ok((restricted, rows))
    }

    fn publish_sums(&mut self, axes: AttrSet, counts: &[i64], kind: &str) -> Result<(), Error> {
        let first_row = self.system.rows.len();
        let mut members = vec![Vec::new(); counts.len()];
        for cell in 0..self.grid.cells() {
            members[self.grid.class_of_cell(cell, axes)].push(u32::try_from(cell).expect("at most 2^24 cells"));
        }
        for (index, (cells, &count)) in members.into_iter().zip(counts).enumerate() {
            self.system.rows.push(checked_row(self.row_name(kind, axes, index), cells, count, count)?);
        }
        self.margins.push(Margin { axes, first_row });
        Ok(())
    }

    /// For example `margin {age "65 and over", sex "female"}`.
    pub(crate) fn row_name(&self, kind: &str, axes: AttrSet, index: usize) -> String {
        let names = self.domain.category_names(axes.iter().zip(self.grid.levels_of_class(index, axes)));
        if names.is_empty() { "total".to_owned() } else { format!("{kind} {{{names}}}") }
    }

    pub(crate) fn cells_over(&self, axes: AttrSet, table: &ContingencyTable) -> Result<Vec<i64>, Error> {
        let expected = self.domain.shape(axes.intersection(self.domain.all()));
        if table.attributes() != axes || !self.domain.contains(axes) || table.counts().shape() != expected {
            return Err(Error::Shape { expected, got: table.counts().shape().to_vec() });
        }
        Ok(table
            .cells()
            .iter()
            .map(|&count: &u64| i64::try_from(count).expect("a total of a table is at most 2^53"))
            .collect())
    }
}

fn signed(count: u64, row: &str) -> Result<i64, Error> {
    i64::try_from(count).map_err(|_| Error::TooLarge { row: row.to_owned() })
}
