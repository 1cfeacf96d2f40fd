//! Zero-restricted controlled rounding, and what it tells its readers.
//!
//! `b` the base, `n` a count or a total of the table, `p` the number that is published for it:
//!
//! ```text
//! (1)  p is a multiple of b,  |p - n| < b,  so p = n where n is a multiple of b
//! (2)  every total is the sum of its parts, in the rounded table too
//! (3)  max(0, p - (b - 1)) <= n <= p + b - 1, and for a reader of all p every such n is possible
//! ```
//!
//! Source: Cox, "A constructive procedure for unbiased controlled rounding" (1987) for tables of
//! two axes; Causey, Cox, Ernst (1985) for why more axes need a search. (3) is ours.

use privacy_core::stop::StopFlag;
use privacy_core::{AttrSet, ContingencyTable, Domain};
use rand_core::CryptoRng;

use crate::rounding::{cycles, search};
use crate::table::class::{Class, Region};
use crate::table::error::Error;
use crate::table::knowledge::Knowledge;

/// The largest base.
const LARGEST_BASE: u64 = 1_000;

/// Rounds tables to multiples of a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlledRounding {
    base: u64,
}

impl ControlledRounding {
    /// Rounding to multiples of this base. Offices use 3, 5 and 10.
    ///
    /// # Errors
    /// [`Error::RoundingBase`] unless the base is from 2 to 1,000.
    pub fn new(base: u64) -> Result<Self, Error> {
        if (2..=LARGEST_BASE).contains(&base) { Ok(Self { base }) } else { Err(Error::RoundingBase) }
    }

    /// Rounds a table over attributes of `domain` with all its totals. Every call draws anew.
    ///
    /// # Guarantee
    /// Kind: guarantee, against an attacker who knows this program, the base, all rounded numbers
    /// of this call and nothing else: a class of the table may have any count of (3), which are
    /// at least `b` of them. Unit: a person in the table. Which of them are likelier is not
    /// covered, and neither is a second call for the same table.
    ///
    /// With at most two axes there is always a rounding, and the expected value of every number
    /// over the coins is its count. With more axes the rounding is searched for, and expected
    /// values are not known.
    ///
    /// # Errors
    /// [`Error::NoRounding`] if the search ends without a rounding, [`Error::TooManyCells`] for a
    /// table of more than two axes that is too large to search, [`Error::TooLarge`] for totals
    /// near 2^53, [`Error::Stopped`] if the flag ends the search.
    pub fn round<R: CryptoRng + ?Sized>(
        self,
        domain: &Domain,
        table: &ContingencyTable,
        stop: &StopFlag,
        rng: &mut R,
    ) -> Result<RoundedTable, Error> {
        let (base, shape) = (self.base, table.counts().shape().to_vec());
        let residues: Vec<u64> = table.cells().iter().map(|count| count % base).collect();
        let is_up = match *shape.as_slice() {
            [] => cycles::round_up((1, 1), &residues, base, rng),
            [columns] => cycles::round_up((1, columns), &residues, base, rng),
            [rows, columns] => cycles::round_up((rows, columns), &residues, base, rng),
            _ => search::round_up(&shape, &residues, base, stop, rng)?,
        };
        let cells = table.cells().iter().zip(is_up);
        let cells = cells.map(|(&count, is_up)| count - count % base + if is_up { base } else { 0 }).collect();
        let table = ContingencyTable::from_cells(domain, table.attributes(), cells);
        Ok(RoundedTable { base, table: table.map_err(|_| Error::TooLarge { row: "total".to_owned() })? })
    }
}

/// A table in multiples of a base. It comes from a rounding alone.
#[derive(Clone, PartialEq)]
pub struct RoundedTable {
    base: u64,
    table: ContingencyTable,
}

/// Debug output shows the shape and no number.
impl std::fmt::Debug for RoundedTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RoundedTable").field("base", &self.base).finish_non_exhaustive()
    }
}

impl RoundedTable {
    /// The base.
    #[must_use]
    pub fn base(&self) -> u64 {
        self.base
    }

    /// The rounded cells; sums of them are the rounded totals.
    #[must_use]
    pub fn table(&self) -> &ContingencyTable {
        &self.table
    }

    /// Every set of axes with its rounded totals, the grand total first.
    pub fn margins(&self) -> impl Iterator<Item = (AttrSet, ContingencyTable)> {
        let mut sets: Vec<AttrSet> = self.table.attributes().subsets().collect();
        sets.sort_by_key(|set| (set.len(), set.iter().collect::<Vec<_>>()));
        // Subsets of the table's attributes have a margin.
        sets.into_iter().filter_map(|set| Some((set, self.table.marginal(set).ok()?)))
    }

    /// The least and the largest count that is published as this number: (3). Both are
    /// possible, whatever the other numbers are.
    #[must_use]
    pub fn range(&self, rounded: u64) -> (u64, u64) {
        (rounded.saturating_sub(self.base - 1), rounded + (self.base - 1))
    }
}

impl Knowledge {
    /// Adds a rounded table with all its totals: what a reader of it knows who knows the base.
    ///
    /// # Errors
    /// [`Error::Shape`] when the table is of another domain; as [`Knowledge::publish_range`].
    pub fn publish_rounded(&mut self, rounded: &RoundedTable) -> Result<(), Error> {
        for (axes, margin) in rounded.margins() {
            // The shape is checked before a level is named.
            self.cells_over(axes, &margin)?;
            for (index, &number) in margin.cells().iter().enumerate() {
                let class = Class { axes, levels: self.grid.levels_of_class(index, axes) };
                let (lower, upper) = rounded.range(number);
                self.publish_range(self.row_name("rounded", axes, index), &Region::from(&class), lower, upper)?;
            }
        }
        Ok(())
    }
}
