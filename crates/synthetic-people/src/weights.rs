//! People with weights: for measurements whose junction tree would be too wide.
//!
//! A model that holds only some of the measurements is narrow enough for a junction tree. People
//! are drawn from it, and then weighted so that all measurements fit: of the weights `w` on these
//! people,
//!
//! ```text
//! least  f(w) = 1/2 sum of w_m |Q_m N w - y_m|^2,     by mirror descent from equal weights
//! ```
//!
//! with the same iteration, and the same certificate, as the model's own (`fit`). Its steps add
//! potentials of measured sets to the logarithms of the weights, so they tilt the distribution of
//! the model as a wider one would tilt it. In surveys this is calibration weighting with the raking
//! distance (Deville, Sarndal 1992), with noisy margins and people who are simulated. Derivation:
//! (P6) and (P7) of `docs/math/synthetic-people.md`.
//!
//! What is lost is what no simulated person has: the certificate is about these people.

use std::fmt;

use privacy_core::AttrSet;
use rand_core::Rng;

use crate::cells::{check_set, count};
use crate::error::Error;
use crate::exchange::Exchange;
use crate::fit::{FitReport, FitSpec, Problem};
use crate::measurement::Measurement;
use crate::model::Model;
use crate::rows::Rows;
use crate::sampling::{shares, shuffle, uniform};
use crate::space::{Projection, Space, Support};

/// People drawn from a model, with weights by which measurements fit that the model is too narrow
/// to hold.
///
/// A function of the measurements and of random numbers, with whatever guarantee the measurements
/// have.
#[derive(Clone)]
pub struct WeightedPeople {
    sizes: Vec<usize>,
    people: Rows,
    /// How the people are distributed; they sum to 1.
    weights: Vec<f64>,
    /// The measured sets that are in no other one.
    measured: Vec<AttrSet>,
    total: f64,
    report: FitReport,
}

/// Shapes may be shown, people and weights may not.
impl fmt::Debug for WeightedPeople {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WeightedPeople").field("people", &self.people.len()).finish_non_exhaustive()
    }
}

impl WeightedPeople {
    /// Draws `people` from a model and weights them until `measurements` fit: those that the model
    /// was fitted to, and any others. Every step costs two passes over the people for each
    /// measurement.
    ///
    /// # Errors
    /// What does not fit about a measurement; [`Error::TooWide`] for a measured marginal of 2^32
    /// cells or more.
    ///
    /// # Panics
    /// If `people` is 0, or 2^32 or more.
    ///
    /// # Example
    /// ```
    /// use privacy_core::AttrSet;
    /// use privacy_core::rng::SimRng;
    /// use synthetic_people::{FitSpec, Measurement, Model, ModelSpec, WeightedPeople};
    ///
    /// # fn main() -> Result<(), synthetic_people::Error> {
    /// let pair = |a, b| AttrSet::single(a).with(b);
    /// let measured = [
    ///     Measurement::cells(pair(0, 1), vec![400.0, 100.0, 100.0, 400.0], 4.0),
    ///     Measurement::cells(pair(1, 2), vec![400.0, 100.0, 100.0, 400.0], 4.0),
    ///     Measurement::cells(pair(0, 2), vec![300.0, 200.0, 200.0, 300.0], 4.0),
    /// ];
    /// // A model of the first two, as if a table of all three attributes were too large.
    /// let model = Model::fit(&ModelSpec::new(vec![2; 3], 1000.0), &measured[..2])?;
    /// assert!((model.marginal(pair(0, 2), 8.0)?[0] - 340.0).abs() < 1.0);
    ///
    /// let mut rng = SimRng::for_trial(1, "weights", 0);
    /// let weighted = WeightedPeople::fit(&model, 5000, &measured, FitSpec::default(), &mut rng)?;
    /// assert!((weighted.marginal(pair(0, 2), 4.0)?[0] - 300.0).abs() < 1.0);
    /// assert_eq!(weighted.rows(1000, &mut rng).len(), 1000);
    /// # Ok(())
    /// # }
    /// ```
    pub fn fit<R: Rng + ?Sized>(
        model: &Model,
        people: usize,
        measurements: &[Measurement],
        fit: FitSpec,
        rng: &mut R,
    ) -> Result<Self, Error> {
        assert!(people > 0, "somebody has to be weighted");
        Self::weigh(model.sizes(), model.rows(people, rng), model.total(), measurements, fit)
    }

    /// The same people with weights by which other measurements fit.
    pub(crate) fn weigh_again(&self, total: f64, measurements: &[Measurement], fit: FitSpec) -> Result<Self, Error> {
        Self::weigh(&self.sizes, self.people.clone(), total, measurements, fit)
    }

    fn weigh(
        sizes: &[usize],
        people: Rows,
        total: f64,
        measurements: &[Measurement],
        fit: FitSpec,
    ) -> Result<Self, Error> {
        let support = Support { sizes, people: &people };
        let problem = Problem::new(&support, measurements, total, support.zeros())?;
        // Queries may have fewer answers than their marginal has cells.
        measurements.iter().try_for_each(|measured| narrow(sizes, measured.set, f64::from(u32::MAX)))?;
        let (mut tables, report) = problem.solve(fit, None)?;
        let weights = tables.swap_remove(0);
        let sets: Vec<AttrSet> = measurements.iter().map(|measurement| measurement.set).collect();
        let within_another = |set: AttrSet| sets.iter().any(|&other| other != set && set.is_subset_of(other));
        let mut measured: Vec<AttrSet> = sets.iter().copied().filter(|set| !within_another(*set)).collect();
        measured.sort_unstable();
        measured.dedup();
        Ok(Self { sizes: sizes.to_vec(), people, weights, measured, total, report })
    }

    /// How well the weights fit; the gap is to the best weights of these people.
    #[must_use]
    pub fn report(&self) -> FitReport {
        self.report
    }

    /// How many people the weights stand for, as it was measured.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.total
    }

    pub(crate) fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// How many people have a weight.
    #[must_use]
    pub fn people(&self) -> usize {
        self.people.len()
    }

    /// Expected counts over `set`, row-major, measured or not: the sums of the weights.
    ///
    /// # Errors
    /// [`Error::UnknownAttribute`]; [`Error::TooWide`] when the table has more than `most_cells`.
    pub fn marginal(&self, set: AttrSet, most_cells: f64) -> Result<Vec<f64>, Error> {
        check_set(&self.sizes, set)?;
        narrow(&self.sizes, set, most_cells.min(f64::from(u32::MAX)))?;
        let mut cells = self.shares(set);
        cells.iter_mut().for_each(|cell| *cell *= self.total);
        Ok(cells)
    }

    /// Probabilities over a set of few cells.
    fn shares(&self, set: AttrSet) -> Vec<f64> {
        let cells = count(&self.sizes, set) as usize;
        Projection::People { people: &self.people, sizes: &self.sizes, set, cells }.sums(&self.weights)
    }

    /// This many rows, in random order: people by their weights, each rounded up or down, and then
    /// exchanged as long as that brings the measured tables of the rows closer to those of the
    /// weights. `O(rows * measured sets)`.
    ///
    /// # Panics
    /// If there are 2^32 rows or more.
    #[must_use]
    pub fn rows<R: Rng + ?Sized>(&self, rows: usize, rng: &mut R) -> Rows {
        assert!(u32::try_from(rows).is_ok(), "rows are numbered in 32 bits");
        let repeats = shares(rows, &self.weights, uniform(rng)).into_iter().zip(0_u32..);
        let chosen: Vec<u32> = repeats.flat_map(|(times, person)| std::iter::repeat_n(person, times)).collect();
        let tables = self.measured.iter().map(|&set| (set, self.shares(set)));
        let mut exchange = Exchange::new(&self.sizes, &self.people, chosen, tables);
        exchange.run(&self.weights, rng);
        let mut chosen = exchange.into_chosen();
        shuffle(&mut chosen, rng);
        self.people.select(&chosen)
    }
}

fn narrow(sizes: &[usize], set: AttrSet, limit: f64) -> Result<(), Error> {
    let cells = count(sizes, set);
    if cells > limit { Err(Error::TooWide { clique: set, cells, limit }) } else { Ok(()) }
}
