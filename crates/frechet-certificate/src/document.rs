//! The file of certificates: capacities and rows, tables, and for each claim the proof.

use std::io::{self, Write};

use crate::checker::{Checker, Flaw};
use crate::proof::{Node, Proof, Side};
use crate::refusal::Refusal;
use crate::row::Row;
use crate::table::SparseTable;

/// What the field `schema` of the file says.
pub const SCHEMA: &str = "disclosure.frechet-certificates/1";

/// The longest file that is read, in bytes.
pub const MOST_BYTES: u64 = 1 << 30;

/// The most additions and comparisons that one file may ask for: half a minute.
pub const MOST_WORK: u64 = 1 << 33;

/// A file of certificates, as it says of itself. Nothing is checked until
/// [`Certificates::verify`].
#[derive(Clone)]
pub struct Certificates {
    /// The largest count of each cell; 2^53 where nothing is known. Cells are numbered from 0,
    /// the last axis fastest.
    pub capacities: Vec<i64>,
    /// What is published or otherwise known.
    pub rows: Vec<Row>,
    /// Tables of whole numbers that satisfy the rows. One of them may be the true table.
    pub tables: Vec<SparseTable>,
    /// The bounds.
    pub claims: Vec<Claim>,
}

/// That the sum over some cells is at least, or at most, `value`.
#[derive(Clone)]
#[cfg_attr(any(), derive(serde::Serialize))]
pub struct Claim {
    /// The cells, in increasing order.
    pub cells: Vec<u32>,
    /// Whether `value` is a lower or an upper bound.
    pub side: Side,
    /// The bound.
    pub value: i64,
    /// Index of the table nearest to this end that was found.
    pub witness: usize,
    /// Why nothing lies beyond the bound.
    pub proof: Proof,
}

/// What a file proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The number of rows from which the bounds follow.
    pub rows: usize,
    /// The number of cells of the table.
    pub cells: usize,
    /// The number of tables that satisfy the rows.
    pub tables: usize,
    /// The number of bounds: all of them follow from the rows.
    pub bounds: usize,
    /// The number of bounds that a table of the file attains, so that no better bound follows.
    pub attained: usize,
}

/// The file as it is written.
#[cfg_attr(any(), derive(serde::Serialize))]
pub(crate) struct Document {
    /// `disclosure.frechet-certificates/1`.
    pub(crate) schema: String,
    /// The largest count of each cell; 2^53 where nothing is known. Cells are numbered from 0,
    /// the last axis fastest.
    pub(crate) capacities: Vec<i64>,
    /// What is published or otherwise known.
    pub(crate) rows: Vec<Row>,
    /// Tables of whole numbers that satisfy the rows. One of them may be the true table.
    pub(crate) tables: Vec<SparseTable>,
    /// The bounds.
    pub(crate) claims: Vec<Claim>,
}

/// Checks every table and every claim of a file: that each table satisfies all rows, and that
/// each bound follows from the rows. It does not show that the rows are the numbers that were
/// published: compare them with the publication.
///
/// # Errors
/// The first [`Refusal`].
pub fn verify(file: &[u8]) -> Result<Summary, Refusal> {
    Certificates::from_json(file)?.verify()
}

impl Certificates {
    /// Reads a file, and checks that it is one of certificates.
    ///
    /// # Errors
    /// [`Refusal::TooLong`], [`Refusal::Format`] and [`Refusal::OtherSchema`].
    pub fn from_json(file: &[u8]) -> Result<Self, Refusal> {
        if file.len() as u64 > MOST_BYTES {
            return Err(Refusal::TooLong);
        }
        let document: Document = serde_json::from_slice(file)
            .map_err(|error| Refusal::Format { line: error.line(), column: error.column() })?;
        Self::from_document(document).ok_or(Refusal::OtherSchema)
    }

    pub(crate) fn from_document(document: Document) -> Option<Self> {
        let Document { schema, capacities, rows, tables, claims } = document;
        (schema == SCHEMA).then_some(Self { capacities, rows, tables, claims })
    }

    /// Writes the file: one line of JSON.
    ///
    /// # Errors
    /// As the writer.
    pub fn write_json(&self, mut out: impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut out, self)?;
        out.write_all(b"\n")
    }

    /// Checks every table and every claim. The time is proportional to the length of the file,
    /// but for cells that many tables and proofs name: these are counted beforehand.
    ///
    /// # Errors
    /// The first [`Refusal`].
    pub fn verify(&self) -> Result<Summary, Refusal> {
        let mut checker = Checker::new(&self.capacities, &self.rows)?;
        if self.work(&checker) > MOST_WORK {
            return Err(Refusal::TooMuchWork);
        }
        if let Some(index) = self.tables.iter().position(|table| !checker.admits(table)) {
            return Err(Refusal::Table(index));
        }
        let mut attained = 0;
        for (index, claim) in self.claims.iter().enumerate() {
            attained +=
                usize::from(claim.check(&mut checker, &self.tables).map_err(|flaw| Refusal::Claim { index, flaw })?);
        }
        Ok(Summary {
            rows: self.rows.len(),
            cells: self.capacities.len(),
            tables: self.tables.len(),
            bounds: self.claims.len(),
            attained,
        })
    }

    /// Cells that all tables and proofs name, each as often as it is named: checking takes no
    /// more steps. A short file can name a long row many times, so this is estimated first.
    /// Linear in the file.
    pub(crate) fn work(&self, checker: &Checker<'_>) -> u64 {
        let tables: u64 = self
            .tables
            .iter()
            .map(|table: &SparseTable| -> u64 {
                table.counts().iter().map(|&(cell, _)| checker.rows_of(cell).len() as u64 + 1).sum()
            })
            .sum();
        tables + self.claims.iter().map(|claim| self.work_of(claim)).sum::<u64>()
    }

    /// Cells that a proof names.
    fn work_of(&self, claim: &Claim) -> u64 {
        claim.proof.nodes.iter().map(|node| claim.cells.len() as u64 + self.work_of_node(node)).sum()
    }

    fn work_of_node(&self, node: &Node) -> u64 {
        let (Node::Bound(multipliers) | Node::Empty(multipliers)) = node else { return 1 };
        let named = multipliers.numerators.iter();
        named.map(|&(row, _)| self.rows.get(row).map_or(0, |row| row.cells().len() as u64)).sum()
    }
}

impl Claim {
    /// Whether the witness attains the bound, once it is proved. The tables were admitted.
    fn check(&self, checker: &mut Checker<'_>, tables: &[SparseTable]) -> Result<bool, Flaw> {
        let witness = tables.get(self.witness).ok_or(Flaw::Malformed)?;
        checker.check_claim(&self.cells, self.side, self.value, witness, &self.proof)
    }
}

/// Shows shapes, not counts.
impl std::fmt::Debug for Certificates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shape = f.debug_struct("Certificates");
        shape.field("cells", &self.capacities.len()).field("rows", &self.rows.len());
        shape.field("tables", &self.tables.len()).field("claims", &self.claims.len()).finish_non_exhaustive()
    }
}

/// Shows no counts.
impl std::fmt::Debug for Claim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Claim").field("cells", &self.cells.len()).field("side", &self.side).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
