//! The same measurement with simulated noise: for error studies, never for publication.

use privacy_core::CountSource;
use privacy_core::rng::SimRng;
use rand_distr::{Distribution, StandardNormal};

use crate::error::Error;
use crate::measure::measure_residuals;
use crate::measured::{Measured, Simulation};
use crate::plan::Plan;
use crate::streams::for_streams;
use crate::transform::subtract_means;

impl Plan {
    /// Measures with continuous Gaussian noise from a repeatable generator: trial number `trial` under `seed`.
    /// No promise of privacy: floating-point noise leaks, and whoever knows the seed knows the noise.
    ///
    /// # Errors
    /// [`Error::DomainMismatch`] and what the source reports.
    pub fn simulate<S: CountSource + ?Sized>(
        &self,
        source: &S,
        seed: u64,
        trial: u64,
    ) -> Result<Measured<Simulation>, Error> {
        if self.domain().attributes() != source.domain().attributes() {
            return Err(Error::DomainMismatch);
        }
        let deviations: Vec<f64> = self.residuals().map(|(_, sigma2)| sigma2.to_f64().sqrt()).collect();
        let scenario = format!("resplan/simulate/{trial}");
        let residuals = measure_residuals(self, source, |table, position| {
            let shape = table.counts().shape();
            let mut cells: Vec<f64> = table.cells().iter().map(|&count| count as f64).collect();
            for_streams(position, &mut cells, |stream, cells| {
                let mut rng = SimRng::for_trial(seed, &scenario, stream);
                for cell in cells {
                    let z: f64 = StandardNormal.sample(&mut rng);
                    *cell += deviations[position] * z;
                }
            });
            subtract_means(&mut cells, shape);
            Ok(cells)
        })?;
        Ok(Measured::new(self.clone(), residuals))
    }
}
