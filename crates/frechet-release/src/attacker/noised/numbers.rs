//! Noisy numbers about an unknown table.
//!
//! `x` the table, `a_j` the coefficients of number `j` over its cells, `y_j` the number:
//!
//! ```text
//! y_j = a_j x + N(0, s^2)                     a Gaussian block: independent numbers of one variance
//! y_j = a_j x + z,  P(z) prop. to e^(-|z|/b)  discrete Laplace, a_j of zeros and ones
//! ```
//!
//! Residuals of noisy marginals are Gaussian blocks. The noise that is drawn for them is discrete;
//! how near its law is to the Gaussian's is in `docs/math/frechet-release.md`, (19).

use privacy_core::Domain;

use crate::table::class::Region;
use crate::table::error::Error;
use crate::table::grid::Grid;
use privacy_core::AttrSet;

/// Coefficients of all blocks that are held, 8 bytes each.
const MOST_COEFFICIENTS: usize = 1 << 23;

/// Queries along one axis, one a row: a coefficient for every level.
pub type AxisQueries = Vec<Vec<f64>>;

/// Noisy numbers about a table of counts, which an attacker reads.
///
/// ```
/// use frechet_release::{NoisyNumbers, Region};
/// use privacy_core::Domain;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut numbers = NoisyNumbers::new(&Domain::of_cardinalities(&[2, 3])?)?;
/// // How many more there are at the first level of the first axis: 3.2, with noise of variance 2.
/// numbers.add_gaussian(&[(0, vec![vec![1.0, -1.0]])], 2.0, &[3.2])?;
/// // One cell with discrete Laplace noise of scale 1.
/// numbers.add_laplace(&Region::everything().with(0, [0]).with(1, [2]), 1.0, 7)?;
/// assert_eq!(numbers.len(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct NoisyNumbers {
    grid: Grid,
    pub(super) blocks: Vec<Block>,
    pub(super) laplace: Vec<LaplaceNumber>,
    held: usize,
}

/// Independent Gaussian numbers of one variance, in standard deviations.
#[derive(Clone)]
pub(super) struct Block {
    /// The class of every cell over the axes of the block.
    pub(super) class_of_cell: Vec<u32>,
    /// The coefficients of each class, one run of `values.len()` a class.
    pub(super) columns: Vec<f64>,
    pub(super) values: Vec<f64>,
}

/// A sum over cells with discrete Laplace noise.
#[derive(Clone)]
pub(super) struct LaplaceNumber {
    /// In increasing order.
    pub(super) cells: Vec<u32>,
    pub(super) value: i64,
    pub(super) scale: f64,
}

impl NoisyNumbers {
    /// Nothing read yet about a table over all attributes of `domain`.
    ///
    /// # Errors
    /// [`Error::TooManyCells`].
    pub fn new(domain: &Domain) -> Result<Self, Error> {
        Ok(Self { grid: Grid::of(domain)?, blocks: Vec::new(), laplace: Vec::new(), held: 0 })
    }

    /// Adds the products of queries along some axes, given in increasing order, each with
    /// independent Gaussian noise of this variance, in counts squared: `values` are row-major over
    /// the queries. Without an axis it is one number about the total.
    ///
    /// # Errors
    /// [`Error::NoSuchLevel`] for an axis that does not exist, [`Error::NoisyShape`] where the
    /// queries, the values or the variance do not fit, [`Error::NoisyTooLarge`].
    ///
    /// # Panics
    /// Never: there are at most 2^24 classes.
    pub fn add_gaussian(
        &mut self,
        queries: &[(usize, AxisQueries)],
        variance: f64,
        values: &[f64],
    ) -> Result<(), Error> {
        if let Some(&(axis, _)) = queries.iter().find(|(axis, _)| *axis >= self.grid.axes()) {
            return Err(Error::NoSuchLevel { axis, level: 0 });
        }
        let is_sorted = queries.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let fits = |(axis, rows): &(usize, AxisQueries)| rows.iter().all(|row| row.len() == self.grid.size(*axis));
        let numbers: usize = queries.iter().map(|(_, rows)| rows.len()).product();
        let is_positive = variance.is_finite() && variance > 0.0;
        if !is_sorted || !queries.iter().all(fits) || numbers != values.len() || !is_positive {
            return Err(Error::NoisyShape);
        }
        let axes: AttrSet = queries.iter().map(|(axis, _)| *axis).collect();
        let classes = self.grid.classes(axes);
        self.held = self.held.saturating_add(classes.saturating_mul(numbers));
        if self.held > MOST_COEFFICIENTS {
            return Err(Error::NoisyTooLarge { numbers: self.held as f64, limit: MOST_COEFFICIENTS as f64 });
        }
        let deviation = variance.sqrt();
        let columns =
            (0..classes).flat_map(|class| column(queries, &self.grid.levels_of_class(class, axes), deviation));
        self.blocks.push(Block {
            class_of_cell: classes_of_cells(&self.grid, axes),
            columns: columns.collect(),
            values: values.iter().map(|value| value / deviation).collect(),
        });
        Ok(())
    }

    /// Adds a sum over a region with discrete Laplace noise of this scale, in counts.
    ///
    /// # Errors
    /// As [`Knowledge::publish_range`](crate::Knowledge::publish_range);
    /// [`Error::NoisyShape`] for a scale that is not above 0.
    pub fn add_laplace(&mut self, region: &Region, scale: f64, value: i64) -> Result<(), Error> {
        if !(scale.is_finite() && scale > 0.0) {
            return Err(Error::NoisyShape);
        }
        self.laplace.push(LaplaceNumber { cells: region.cells(&self.grid)?, value, scale });
        Ok(())
    }

    /// How many numbers were added.
    #[must_use]
    pub fn len(&self) -> usize {
        self.laplace.len() + self.blocks.iter().map(|block| block.values.len()).sum::<usize>()
    }

    /// Whether nothing was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Cells of the table.
    pub(super) fn cells(&self) -> usize {
        self.grid.cells()
    }
}

impl LaplaceNumber {
    /// What a table leaves of it.
    pub(super) fn gap(&self, table: &[i64]) -> i64 {
        self.value - self.cells.iter().map(|&cell| table[cell as usize]).sum::<i64>()
    }
}

impl Block {
    /// The coefficients of a class.
    pub(super) fn column(&self, class: u32) -> &[f64] {
        let numbers = self.values.len();
        &self.columns[class as usize * numbers..(class as usize + 1) * numbers]
    }
}

/// The class of every cell over these axes.
fn classes_of_cells(grid: &Grid, axes: AttrSet) -> Vec<u32> {
    let classes = (0..grid.cells()).map(|cell| grid.class_of_cell(cell, axes));
    classes.map(|class| u32::try_from(class).expect("at most 2^24 classes")).collect()
}

/// The coefficients of all products of queries for one class, in standard deviations.
fn column(queries: &[(usize, AxisQueries)], levels: &[usize], deviation: f64) -> Vec<f64> {
    let mut products = vec![1.0 / deviation];
    for ((_, rows), &level) in queries.iter().zip(levels) {
        products = products.iter().flat_map(|product| rows.iter().map(move |row| product * row[level])).collect();
    }
    products
}

/// Debug output shows no number.
impl std::fmt::Debug for NoisyNumbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NoisyNumbers").field("numbers", &self.len()).finish_non_exhaustive()
    }
}
