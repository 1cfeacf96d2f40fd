//! What a model is fitted to: noised linear functions of marginals, each with its variance.

use privacy_core::AttrSet;

use crate::cells::{Within, check_set};
use crate::error::Error;

/// What is measured along an attribute.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Along {
    /// Every category.
    Cells,
    /// Every category minus the mean of all: what is left when the total is known. The numbers
    /// are given for all k categories and sum to 0; their noise is that of k - 1 orthonormal
    /// queries, spread over the categories.
    Centred,
    /// These queries, one a row, row-major: a multiple of the number of categories.
    Queries(Vec<f64>),
    /// These queries about the cells of all attributes of the set at once, the last attribute
    /// fastest, one a row: alone, for an axis of all cells.
    Together(Vec<f64>),
}

impl Along {
    fn is_together(&self) -> bool {
        matches!(self, Self::Together(_))
    }

    /// How many answers there are about an attribute of this size.
    fn answers(&self, size: usize) -> usize {
        match self {
            Self::Cells | Self::Centred => size,
            Self::Queries(rows) | Self::Together(rows) => rows.len() / size,
        }
    }
}

/// Noised answers about a marginal: every combination of what is measured along its attributes,
/// row-major. The noise of all answers is independent, with one variance.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The attributes of the marginal.
    pub set: AttrSet,
    /// What is measured along each of them, in increasing order of the attributes.
    pub along: Vec<Along>,
    /// The answers, in counts.
    pub values: Vec<f64>,
    /// The variance of each, in counts squared; above 0.
    pub variance: f64,
}

impl Measurement {
    /// The cells of a marginal.
    #[must_use]
    pub fn cells(set: AttrSet, values: Vec<f64>, variance: f64) -> Self {
        Self { set, along: vec![Along::Cells; set.len()], values, variance }
    }

    /// What is left of a marginal when those of its subsets are known: a residual.
    #[must_use]
    pub fn centred(set: AttrSet, values: Vec<f64>, variance: f64) -> Self {
        Self { set, along: vec![Along::Centred; set.len()], values, variance }
    }

    /// The measurement whose answers are those of a table over the cells, without further noise:
    /// for answers that are kept as the cells that they belong to. `sizes` are the numbers of
    /// categories of all attributes.
    ///
    /// # Errors
    /// As [`Model::fit`](crate::Model::fit) for a measurement that does not fit.
    pub fn of_table(
        sizes: &[usize],
        set: AttrSet,
        along: Vec<Along>,
        table: Vec<f64>,
        variance: f64,
    ) -> Result<Self, Error> {
        Self::cells(set, table.clone(), variance).check(sizes)?;
        let unmeasured = Self { set, along, values: Vec::new(), variance };
        let measured = Self { values: unmeasured.answers(sizes, table), ..unmeasured };
        measured.check(sizes)?;
        Ok(measured)
    }

    /// The sums of a measurement of cells over the attributes that `set` does not have. `sizes` are
    /// the numbers of categories of all attributes.
    ///
    /// # Panics
    /// If `set` is not a subset of the attributes of the measurement, or the measurement is not of
    /// cells.
    #[must_use]
    pub fn sums_over(&self, sizes: &[usize], set: AttrSet) -> Vec<f64> {
        assert!(self.along.iter().all(|along| *along == Along::Cells), "only cells have sums");
        Within::new(sizes, self.set, set).sums(&self.values)
    }

    /// The categories of each axis of the cells: of each attribute, or all cells.
    fn shape(&self, sizes: &[usize]) -> Vec<usize> {
        let sizes = self.set.iter().map(|attribute| sizes[attribute]);
        if self.along.iter().any(Along::is_together) { vec![sizes.product()] } else { sizes.collect() }
    }

    pub(crate) fn check(&self, sizes: &[usize]) -> Result<(), Error> {
        let set = self.set;
        check_set(sizes, set)?;
        let bad = |what| Err(Error::BadMeasurement { set, what });
        let is_together = matches!(self.along[..], [Along::Together(_)]);
        if !is_together && (self.along.len() != set.len() || self.along.iter().any(Along::is_together)) {
            return bad("there is one kind of queries for each attribute");
        }
        if !(self.variance > 0.0 && self.variance.is_finite()) {
            return bad("its variance is not a finite number above 0");
        }
        if !self.values.iter().all(|value| value.is_finite()) {
            return bad("a number is not finite");
        }
        let mut answers = 1;
        for (along, size) in self.along.iter().zip(self.shape(sizes)) {
            answers *= match along {
                Along::Cells | Along::Centred => size,
                Along::Queries(rows) | Along::Together(rows)
                    if rows.len() % size == 0 && rows.iter().all(|entry| entry.is_finite()) =>
                {
                    rows.len() / size
                }
                Along::Queries(_) | Along::Together(_) => {
                    return bad("a query does not have one finite number for each category");
                }
            };
        }
        if answers == self.values.len() { Ok(()) } else { bad("it has another number of answers") }
    }

    /// The answers that these cells would have without noise.
    pub(crate) fn answers(&self, sizes: &[usize], cells: Vec<f64>) -> Vec<f64> {
        let mut shape = self.shape(sizes);
        let mut values = cells;
        for (axis, along) in self.along.iter().enumerate() {
            match along {
                Along::Cells => {}
                Along::Centred => centre(&mut values, &shape, axis),
                Along::Queries(rows) | Along::Together(rows) => {
                    let size = shape[axis];
                    let queries = rows.len() / size;
                    values = apply(&values, &shape, axis, queries, |query, category| rows[query * size + category]);
                    shape[axis] = queries;
                }
            }
        }
        values
    }

    /// The transpose of [`Measurement::answers`]: how answers pull at the cells.
    pub(crate) fn pulls(&self, sizes: &[usize], answers: Vec<f64>) -> Vec<f64> {
        let mut values = answers;
        let sizes = self.shape(sizes);
        let mut shape: Vec<usize> = self.along.iter().zip(&sizes).map(|(along, &size)| along.answers(size)).collect();
        for (axis, along) in self.along.iter().enumerate() {
            match along {
                Along::Cells => {}
                Along::Centred => centre(&mut values, &shape, axis),
                Along::Queries(rows) | Along::Together(rows) => {
                    let size = sizes[axis];
                    values = apply(&values, &shape, axis, size, |category, query| rows[query * size + category]);
                    shape[axis] = size;
                }
            }
        }
        values
    }

    /// Answers without their means along the axes where only what is left of them is measured:
    /// noise of independent answers becomes that of the measurement.
    pub(crate) fn centred_answers(&self, sizes: &[usize], answers: Vec<f64>) -> Vec<f64> {
        let mut values = answers;
        let shape: Vec<usize> =
            self.along.iter().zip(self.shape(sizes)).map(|(along, size)| along.answers(size)).collect();
        for (axis, _) in self.along.iter().enumerate().filter(|(_, along)| **along == Along::Centred) {
            centre(&mut values, &shape, axis);
        }
        values
    }

    /// The squared length of the column of one cell: the largest over all cells.
    pub(crate) fn sensitivity(&self, sizes: &[usize]) -> f64 {
        let lengths = self.along.iter().zip(self.shape(sizes)).map(|(along, size)| match along {
            Along::Cells => 1.0,
            Along::Centred => 1.0 - 1.0 / size as f64,
            Along::Queries(rows) | Along::Together(rows) => {
                let column = |category: usize| rows.iter().skip(category).step_by(size).map(|x| x * x).sum::<f64>();
                (0..size).map(column).fold(0.0, f64::max)
            }
        });
        lengths.product()
    }
}

/// Subtracts the mean along an axis.
fn centre(values: &mut [f64], shape: &[usize], axis: usize) {
    let inner: usize = shape[axis + 1..].iter().product();
    let size = shape[axis];
    for block in values.chunks_exact_mut(size * inner) {
        for place in 0..inner {
            let mean = block.iter().skip(place).step_by(inner).sum::<f64>() / size as f64;
            block.iter_mut().skip(place).step_by(inner).for_each(|value| *value -= mean);
        }
    }
}

/// A matrix along an axis.
fn apply(values: &[f64], shape: &[usize], axis: usize, rows: usize, entry: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let inner: usize = shape[axis + 1..].iter().product();
    let size = shape[axis];
    let mut result = Vec::with_capacity(values.len() / size.max(1) * rows);
    for block in values.chunks_exact(size * inner) {
        for row in 0..rows {
            for place in 0..inner {
                result.push((0..size).map(|column| entry(row, column) * block[column * inner + place]).sum());
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pulls_are_the_transpose_of_answers() {
        let sizes = [3, 2, 4];
        let set = AttrSet::first(3);
        let along = vec![Along::Queries(vec![1.0, 2.0, 3.0, 0.0, 1.0, -1.0]), Along::Centred, Along::Cells];
        let measurement = Measurement { set, along, values: vec![0.0; 16], variance: 1.0 };
        measurement.check(&sizes).unwrap();
        let cells: Vec<f64> = (0..24).map(|i| f64::from(i * 5 % 7)).collect();
        let answers: Vec<f64> = (0..16).map(|i| f64::from(i * 3 % 5) - 1.0).collect();
        let left: f64 = measurement.answers(&sizes, cells.clone()).iter().zip(&answers).map(|(a, b)| a * b).sum();
        let right: f64 = measurement.pulls(&sizes, answers).iter().zip(&cells).map(|(a, b)| a * b).sum();
        assert!((left - right).abs() < 1e-10, "{left} {right}");
        // The column of the longest cell: categories 3 of attribute 0, whichever of the others.
        assert!((measurement.sensitivity(&sizes) - 10.0 * 0.5).abs() < 1e-12);
    }

    /// Queries along each attribute are queries about all cells.
    #[test]
    fn queries_about_all_cells_at_once_are_those_along_each_attribute() {
        let (sizes, set) = ([3, 2], AttrSet::first(2));
        let rows = [vec![1.0, 2.0, 3.0, 0.0, 1.0, -1.0], vec![1.0, 1.0]];
        let product = (0..2).flat_map(|query| (0..6).map(move |cell| (query, cell)));
        let product = product.map(|(query, cell)| rows[0][3 * query + cell / 2] * rows[1][cell % 2]).collect();
        let each = Measurement {
            set,
            along: rows.iter().map(|rows| Along::Queries(rows.clone())).collect(),
            values: vec![0.0; 2],
            variance: 1.0,
        };
        let together = Measurement { along: vec![Along::Together(product)], ..each.clone() };
        together.check(&sizes).unwrap();
        let cells: Vec<f64> = (0..6).map(|cell| f64::from(cell * 5 % 7)).collect();
        assert_eq!(together.answers(&sizes, cells.clone()), each.answers(&sizes, cells));
        assert_eq!(together.pulls(&sizes, vec![2.0, -3.0]), each.pulls(&sizes, vec![2.0, -3.0]));
        assert!((together.sensitivity(&sizes) - each.sensitivity(&sizes)).abs() < 1e-12);
        let beside = vec![together.along[0].clone(), Along::Cells];
        assert!(Measurement { along: beside, ..together.clone() }.check(&sizes).is_err());
        assert!(Measurement { along: vec![Along::Together(vec![1.0; 5])], ..together }.check(&sizes).is_err());
    }

    #[test]
    fn measurements_that_do_not_fit_are_refused() {
        let set = AttrSet::first(2);
        let of = |values: usize, variance: f64| Measurement::cells(set, vec![0.0; values], variance).check(&[2, 3]);
        assert!(of(6, 1.0).is_ok());
        for (values, variance) in [(5, 1.0), (6, 0.0), (6, -1.0), (6, f64::NAN), (6, f64::INFINITY)] {
            assert!(matches!(of(values, variance), Err(Error::BadMeasurement { .. })), "{values} {variance}");
        }
        assert!(matches!(Measurement::cells(set, vec![0.0; 6], 1.0).check(&[2]), Err(Error::UnknownAttribute { .. })));
    }
}
