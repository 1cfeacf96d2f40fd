//! Collects bounds into a file of certificates.

use std::collections::BTreeMap;

use crate::bound::Bound;
use crate::checker::{Checker, Flaw, MalformedSystem};
use crate::document::{Certificates, Claim};
use crate::proof::Side;
use crate::row::Row;
use crate::table::SparseTable;

/// Collects bounds into a file of certificates. Each bound is checked before it is taken, so the
/// file verifies.
#[derive(Debug)]
pub struct Collector<'a> {
    checker: Checker<'a>,
    certificates: Certificates,
    /// The index of each table of the file: witnesses of many claims are the same table.
    index_of: BTreeMap<SparseTable, usize>,
}

impl<'a> Collector<'a> {
    /// A file without claims about these capacities, one per cell, and these rows.
    ///
    /// # Errors
    /// The first [`MalformedSystem`].
    pub fn new(capacities: &'a [i64], rows: &'a [Row]) -> Result<Self, MalformedSystem> {
        let checker = Checker::new(capacities, rows)?;
        let (capacities, rows) = (capacities.to_vec(), rows.to_vec());
        let certificates = Certificates { capacities, rows, tables: Vec::new(), claims: Vec::new() };
        Ok(Self { checker, certificates, index_of: BTreeMap::new() })
    }

    /// Checks one end of the interval of the sum over `cells`, which are in increasing order, and
    /// adds it.
    ///
    /// # Errors
    /// The first [`Flaw`]: nothing is added then.
    pub fn add(&mut self, cells: Vec<u32>, side: Side, bound: &Bound) -> Result<(), Flaw> {
        self.checker.check(&cells, side, bound)?;
        let (table, tables) = (&bound.witness.table, &mut self.certificates.tables);
        let witness = *self.index_of.entry(table.clone()).or_insert_with(|| {
            tables.push(table.clone());
            tables.len() - 1
        });
        let (value, proof) = (bound.value, bound.proof.clone());
        self.certificates.claims.push(Claim { cells, side, value, witness, proof });
        Ok(())
    }

    /// The file.
    #[must_use]
    pub fn finish(self) -> Certificates {
        self.certificates
    }
}
