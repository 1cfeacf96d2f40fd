//! What was measured so far, and the model of it.

use privacy_core::AttrSet;
use synthetic_people::{FitSpec, Measurement, Model, ModelSpec, PossibleCells, StructuralZero};

use crate::error::Error;

/// Everything measured so far. Several measurements of one marginal are one, with the weights of
/// least variance.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    sizes: Vec<usize>,
    zeros: Vec<StructuralZero>,
    /// The number of people, where it is public.
    total: Option<f64>,
    all: Vec<Measurement>,
    /// How many cells of each measurement have noise: all but the structural zeros.
    noised_cells: Vec<f64>,
}

impl Measured {
    pub(crate) fn new(sizes: Vec<usize>, zeros: Vec<StructuralZero>, total: Option<f64>) -> Self {
        Self { sizes, zeros, total, all: Vec::new(), noised_cells: Vec::new() }
    }

    /// Adds a table: 0 in its impossible cells, noise of this variance in the others.
    pub(crate) fn add(&mut self, set: AttrSet, values: Vec<f64>, variance: f64, possible: &PossibleCells) {
        let Some(same) = self.all.iter_mut().find(|measurement| measurement.set == set) else {
            self.noised_cells.push(possible.count(set));
            self.all.push(Measurement::cells(set, values, variance));
            return;
        };
        let share = same.variance / (same.variance + variance);
        same.values.iter_mut().zip(values).for_each(|(value, new)| *value += share * (new - *value));
        same.variance *= 1.0 - share;
    }

    pub(crate) fn all(&self) -> &[Measurement] {
        &self.all
    }

    pub(crate) fn sets(&self) -> Vec<AttrSet> {
        self.all.iter().map(|measurement| measurement.set).collect()
    }

    /// The number of people: as measured by all tables, with the weights of least variance; at
    /// least 1.
    pub(crate) fn total(&self) -> f64 {
        if let Some(total) = self.total {
            return total.max(1.0);
        }
        let (mut sum, mut weights) = (0.0, 0.0);
        for (measurement, cells) in self.all.iter().zip(&self.noised_cells) {
            // A table without a possible cell says nothing.
            let weight = if *cells > 0.0 { 1.0 / (measurement.variance * cells) } else { 0.0 };
            sum += weight * measurement.values.iter().sum::<f64>();
            weights += weight;
        }
        (sum / weights).max(1.0)
    }

    /// The model of all of it, from the last one.
    pub(crate) fn fit(&self, last: Option<&Model>, fit: FitSpec) -> Result<Model, Error> {
        // Sizes are bounded by the choice of candidates.
        let spec = ModelSpec {
            fit,
            most_cells: f64::INFINITY,
            zeros: self.zeros.clone(),
            ..ModelSpec::new(self.sizes.clone(), self.total())
        };
        Ok(match last {
            Some(model) => model.fit_from(&spec, &self.all)?,
            None => Model::fit(&spec, &self.all)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_measurements_are_their_mean_by_precision() {
        let (one, two) = (AttrSet::single(0), AttrSet::single(1));
        let possible = PossibleCells::new(&[2, 3], &[], 1e3).unwrap();
        let mut measured = Measured::new(vec![2, 3], Vec::new(), None);
        measured.add(one, vec![10.0, 30.0], 4.0, &possible);
        measured.add(two, vec![10.0, 10.0, 40.0], 6.0, &possible);
        measured.add(one, vec![20.0, 30.0], 1.0, &possible);
        let first = &measured.all()[0];
        assert_eq!(measured.all().len(), 2);
        assert!((first.values[0] - 18.0).abs() < 1e-12 && (first.values[1] - 30.0).abs() < 1e-12);
        assert!((first.variance - 0.8).abs() < 1e-12);
        // 48 with variance 1.6, 60 with variance 18.
        let expected = (48.0 / 1.6 + 60.0 / 18.0) / (1.0 / 1.6 + 1.0 / 18.0);
        assert!((measured.total() - expected).abs() < 1e-12);
        assert_eq!(Measured::new(vec![2], Vec::new(), Some(7.0)).total(), 7.0);
    }
}
