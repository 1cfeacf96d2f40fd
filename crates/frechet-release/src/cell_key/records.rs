//! Record keys, and the keys of cells that they add up to.

use std::collections::HashMap;

use privacy_core::prf::{RecordKeys, Secret};
use privacy_core::{ContingencyTable, Domain};

use crate::table::error::Error;
use crate::table::grid::Grid;

/// Counts people into a table, each with a key that the secret decides.
///
/// The key of people is a keyed hash of everything that the data say of them, and of how many they
/// are of whom the data say it: so it depends on neither the order of lines nor the columns of a
/// table, a set of people that two tables have in common has one key, and a line that stands for
/// many people takes no longer than one.
pub struct KeyedCounts {
    domain: Domain,
    grid: Grid,
    keys: RecordKeys,
    /// By a hash of what the data say, how many people there were.
    seen: HashMap<u64, u64>,
    counts: Vec<u64>,
    sums: Vec<u64>,
}

/// A table of counts with the key of every cell: the sum of the keys of its people, modulo 2^64.
#[derive(Clone)]
pub struct KeyedTable {
    pub(crate) domain: Domain,
    pub(crate) table: ContingencyTable,
    pub(crate) sums: Vec<u64>,
}

/// Debug output shows the shape, no count and no key.
impl std::fmt::Debug for KeyedTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyedTable").field("cells", &self.sums.len()).finish_non_exhaustive()
    }
}

/// Debug output shows the shape, no count and no key.
impl std::fmt::Debug for KeyedCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyedCounts").field("cells", &self.sums.len()).finish_non_exhaustive()
    }
}

impl KeyedCounts {
    /// An empty table over the attributes of a domain.
    ///
    /// # Errors
    /// [`Error::TooManyCells`].
    pub fn new(domain: Domain, secret: &Secret) -> Result<Self, Error> {
        let grid = Grid::of(&domain)?;
        let cells = grid.cells();
        let (counts, sums) = (vec![0; cells], vec![0; cells]);
        Ok(Self { domain, grid, keys: secret.record_keys(), seen: HashMap::new(), counts, sums })
    }

    /// Adds people with these levels of all attributes of the domain, of whom the data say this.
    ///
    /// # Errors
    /// [`Error::LevelCount`], [`Error::NoSuchLevel`]; [`Error::TooLarge`] above 2^53 people.
    pub fn add(&mut self, levels: &[usize], line: &[u8], people: u64) -> Result<(), Error> {
        let axes = self.grid.axes();
        if levels.len() != axes {
            return Err(Error::LevelCount { axes, levels: levels.len() });
        }
        if let Some(axis) = (0..axes).find(|&axis| levels[axis] >= self.grid.size(axis)) {
            return Err(Error::NoSuchLevel { axis, level: levels[axis] });
        }
        let cell = self.grid.class_index(self.grid.all(), levels);
        let most = (1_u64 << 53).saturating_sub(self.counts[cell]);
        if people > most {
            return Err(Error::TooLarge { row: "people of a cell".to_owned() });
        }
        // Lines that share a hash, one pair of 2^64, leave out numbers of records and nothing else.
        let seen = self.seen.entry(self.keys.key(line, u64::MAX)).or_default();
        let (before, after) = (*seen, *seen + people);
        *seen = after;
        let added = together(&self.keys, line, after).wrapping_sub(together(&self.keys, line, before));
        self.sums[cell] = self.sums[cell].wrapping_add(added);
        self.counts[cell] += people;
        Ok(())
    }

    /// The table.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for totals above 2^53.
    pub fn finish(self) -> Result<KeyedTable, Error> {
        let Self { domain, counts, sums, .. } = self;
        let table = ContingencyTable::from_cells(&domain, domain.all(), counts);
        let table = table.map_err(|_| Error::TooLarge { row: "total".to_owned() })?;
        Ok(KeyedTable { domain, table, sums })
    }
}

/// `R(l, n)`: the key of `n` people together of whom the data say the same.
fn together(keys: &RecordKeys, line: &[u8], people: u64) -> u64 {
    people.checked_sub(1).map_or(0, |last| keys.key(line, last))
}

impl KeyedTable {
    /// The counts.
    #[must_use]
    pub fn table(&self) -> &ContingencyTable {
        &self.table
    }
}
