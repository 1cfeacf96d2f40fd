//! The same measurement with simulated noise: for error studies, never for publication.

use privacy_core::rng::SimRng;
use privacy_core::stop::StopFlag;
use privacy_core::subsets::apply_along_axis;
use privacy_core::{AttrSet, CountSource};
use rand_distr::{Distribution, StandardNormal};

use crate::error::Error;
use crate::measurement::agreement::Agreement;
use crate::measurement::measure::{counted, measure_residuals};
use crate::measurement::measured::{Measured, SimulatedNoise};
use crate::measurement::streams::for_streams;
use crate::measurement::transform::residual_table;
use crate::planning::design::Design;
use crate::strategy::axis::{Axis, Residual};

impl Design {
    /// Measures with continuous Gaussian noise from a repeatable generator: trial number `trial`
    /// under `seed`. No promise of privacy: floating-point noise leaks, and anyone who knows the
    /// seed knows the noise.
    ///
    /// # Errors
    /// [`Error::DomainMismatch`], [`Error::TotalsDiffer`], [`Error::MarginsDiffer`] and what the
    /// source reports.
    pub fn simulate<S: CountSource + ?Sized>(
        &self,
        source: &S,
        seed: u64,
        trial: u64,
    ) -> Result<Measured<SimulatedNoise>, Error> {
        if self.domain().attributes() != source.domain().attributes() {
            return Err(Error::DomainMismatch);
        }
        let deviations: Vec<f64> = self.residuals().map(|(_, sigma2)| sigma2.to_f64().sqrt()).collect();
        let scenario = format!("resplan/simulate/{trial}");
        let mut agreement = Agreement::new(self);
        let stop = StopFlag::never();
        let tables = |design: &Self, sets: &[AttrSet]| agreement.checked(counted(design, sets, source, &stop)?);
        let residuals = measure_residuals(self, &stop, tables, |table, position| {
            let counts = table.cells().iter().map(|&count| count as f64).collect();
            let mut cells = self.residual_answers(table.attributes(), counts);
            for_streams(position, &mut cells, |stream, cells| {
                let mut rng = SimRng::for_trial(seed, &scenario, stream);
                for cell in cells {
                    let z: f64 = StandardNormal.sample(&mut rng);
                    *cell += deviations[position] * z;
                }
            });
            Ok(residual_table(self.axes(), table.attributes(), cells))
        })?;
        Ok(Measured::new(self.clone(), residuals))
    }

    /// Exact answers to the residual queries about `set`: B of the counts along every axis that
    /// has one. Along identity axes the counts themselves, since their mean is taken out later.
    fn residual_answers(&self, set: AttrSet, mut cells: Vec<f64>) -> Vec<f64> {
        let mut shape: Vec<usize> = self.axes().measured(set).map(Axis::size).collect();
        for (place, axis) in self.axes().measured(set).enumerate() {
            if let Residual::Dense(_) = axis.residual() {
                let queries = axis.orthonormal_queries();
                cells = apply_along_axis(queries.view(), &cells, &shape, place);
                shape[place] = queries.nrows();
            }
        }
        cells
    }
}
