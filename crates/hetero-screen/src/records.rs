//! The rows of an actual table: rows with the same features and the same label are one entry.

use crate::error::Error;
use crate::laws::{Classes, Column};
use crate::spec::{ScreenSpec, Suppression, UniformNoise};

/// Rows of codes: the known columns, and the label of the target.
#[derive(Clone)]
pub struct Records {
    /// `codes[column][entry]`, from 0 without gaps.
    codes: Vec<Vec<u32>>,
    /// How many codes each column has.
    cardinalities: Vec<usize>,
    /// The label of each entry. Entries are sorted by their features, then by their label.
    labels: Vec<u32>,
    /// How many people each entry stands for.
    weights: Vec<u64>,
    /// Which set of identical features each entry belongs to, counted from 0 in the order of
    /// entries.
    cells: Vec<u32>,
    /// The entry of each row.
    entry_of_row: Vec<u32>,
    classes: usize,
    total: u64,
}

/// Codes of one column and how many values there are.
#[derive(Clone, Copy, Debug)]
pub struct CodedColumn<'a> {
    /// The code of each row.
    pub codes: &'a [u32],
    /// Codes are below this.
    pub cardinality: usize,
}

impl CodedColumn<'_> {
    /// Whether it has a code for each row, and no code that is not below the cardinality.
    fn fits(&self, rows: usize) -> bool {
        self.codes.len() == rows && self.codes.iter().all(|&code| (code as usize) < self.cardinality)
    }
}

impl Records {
    /// Rows from coded columns; `weights` says how many people each row stands for, 1 without it.
    ///
    /// # Errors
    /// [`Error::Columns`], [`Error::ClassCount`], [`Error::TableShape`] for columns that are not
    /// equally long and codes that are not below their cardinality, and [`Error::Rows`] for less
    /// than 2 people or more than 2^53 (or 2^32 rows).
    ///
    /// # Cost
    /// A sort of the rows.
    pub fn new(columns: &[CodedColumn<'_>], target: CodedColumn<'_>, weights: Option<&[u64]>) -> Result<Self, Error> {
        let rows = target.codes.len();
        check_shape(columns, target, weights, rows)?;
        let weight = |row: usize| weights.map_or(1, |weights| weights[row]);
        let sum = (0..rows).try_fold(0_u64, |sum, row| sum.checked_add(weight(row)));
        let total =
            sum.filter(|total| (2..=1 << 53).contains(total)).ok_or(Error::Rows { rows: sum.unwrap_or(u64::MAX) })?;
        if rows >= u32::MAX as usize {
            return Err(Error::Rows { rows: rows as u64 });
        }
        let columns: Vec<Dense> = columns.iter().map(|column| Dense::of(column.codes, column.cardinality)).collect();
        let mut order: Vec<u32> = (0..rows as u32).collect();
        let features = |row: u32| columns.iter().map(move |column| column.codes[row as usize]);
        let label = |row: u32| target.codes[row as usize];
        order.sort_unstable_by(|&a, &b| features(a).cmp(features(b)).then(label(a).cmp(&label(b))).then(a.cmp(&b)));
        let mut records = Self {
            codes: vec![Vec::new(); columns.len()],
            cardinalities: columns.iter().map(|column| column.cardinality).collect(),
            labels: Vec::new(),
            weights: Vec::new(),
            cells: Vec::new(),
            entry_of_row: vec![0; rows],
            classes: target.cardinality,
            total,
        };
        let mut before: Option<u32> = None;
        for row in order {
            let same_features = before.is_some_and(|other| features(other).eq(features(row)));
            if !(same_features && before.is_some_and(|other| label(other) == label(row))) {
                let cell = records.cells.last().map_or(0, |cell| cell + u32::from(!same_features));
                records
                    .codes
                    .iter_mut()
                    .zip(&columns)
                    .for_each(|(codes, column)| codes.push(column.codes[row as usize]));
                records.labels.push(label(row));
                records.weights.push(0);
                records.cells.push(cell);
            }
            let entry = records.labels.len() - 1;
            records.weights[entry] += weight(row as usize);
            records.entry_of_row[row as usize] = entry as u32;
            before = Some(row);
        }
        Ok(records)
    }

    /// The model of a table like this: its number of people, its own frequencies of values and
    /// shares of classes, every column independent of the others.
    ///
    /// # Errors
    /// As [`ScreenSpec::new`], and [`Error::Shares`] for a column of more than 65,536 values.
    pub fn model(&self, suppression: Suppression, noise: UniformNoise) -> Result<ScreenSpec, Error> {
        let column =
            |(codes, &cardinality): (&Vec<u32>, &usize)| Column::with_frequencies(&self.sums(codes, cardinality));
        let columns = self.codes.iter().zip(&self.cardinalities).map(column).collect::<Result<_, _>>()?;
        let classes = Classes::with_shares(&self.sums(&self.labels, self.classes))?;
        ScreenSpec::new(self.total, columns, classes, suppression, noise)
    }

    fn sums(&self, codes: &[u32], cardinality: usize) -> Vec<f64> {
        let mut sums = vec![0.0; cardinality];
        codes.iter().zip(&self.weights).for_each(|(&code, &weight)| sums[code as usize] += weight as f64);
        sums
    }

    /// How many people there are.
    #[must_use]
    pub const fn people(&self) -> u64 {
        self.total
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.entry_of_row.len()
    }

    /// How many known columns there are.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.codes.len()
    }

    /// How many classes the target has.
    #[must_use]
    pub const fn classes(&self) -> usize {
        self.classes
    }

    /// How many rows differ from all others, in features or label.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.labels.len()
    }

    pub(crate) fn codes(&self, column: usize) -> &[u32] {
        &self.codes[column]
    }

    pub(crate) fn cardinality(&self, column: usize) -> usize {
        self.cardinalities[column]
    }

    pub(crate) fn labels(&self) -> &[u32] {
        &self.labels
    }

    pub(crate) fn weights(&self) -> &[u64] {
        &self.weights
    }

    pub(crate) fn cells(&self) -> &[u32] {
        &self.cells
    }

    pub(crate) fn entry_of_row(&self) -> &[u32] {
        &self.entry_of_row
    }
}

fn check_shape(
    columns: &[CodedColumn<'_>],
    target: CodedColumn<'_>,
    weights: Option<&[u64]>,
    rows: usize,
) -> Result<(), Error> {
    if columns.is_empty() || columns.len() > crate::spec::MOST_COLUMNS {
        return Err(Error::Columns { columns: columns.len() });
    }
    Classes::equal(target.cardinality)?;
    match columns.iter().chain([&target]).position(|column| !column.fits(rows)) {
        Some(column) => Err(Error::TableShape { column, rows }),
        None if weights.is_some_and(|weights| weights.len() != rows) => {
            Err(Error::TableShape { column: columns.len(), rows })
        }
        None => Ok(()),
    }
}

/// Codes without gaps: those that occur, in their order.
struct Dense {
    codes: Vec<u32>,
    cardinality: usize,
}

impl Dense {
    fn of(codes: &[u32], cardinality: usize) -> Self {
        let mut place = vec![u32::MAX; cardinality];
        codes.iter().for_each(|&code| place[code as usize] = 0);
        let mut occurring = 0;
        for place in place.iter_mut().filter(|place| **place == 0) {
            *place = occurring;
            occurring += 1;
        }
        let codes = codes.iter().map(|&code| place[code as usize]).collect();
        Self { codes, cardinality: occurring as usize }
    }
}

/// Shapes may be logged, codes may not.
impl std::fmt::Debug for Records {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Records").field("columns", &self.codes.len()).finish_non_exhaustive()
    }
}
