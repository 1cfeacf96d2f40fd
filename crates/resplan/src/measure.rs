//! The release: every residual measured once, with exact noise.
//!
//! `v_B` the marginal over B, `K` the product of `k_i` over B, `gamma^2 = sigma_B^2 K^2`.
//!
//! ```text
//! y_B = ((x) (k_i I - 11^T)) v_B + iid discrete Gaussian(gamma^2)      integers
//! r_B = ((x) (I - 11^T / k_i)) y_B / K                                 the residual table
//! ```
//!
//! The integer query has squared sensitivity K^2 p_B under add-remove neighbours, so that measuring B costs
//! rho = p_B / (2 sigma_B^2), as with continuous noise. The projection in the second line is not optional: y_B / K
//! still carries noise outside the residual's space (`docs/math/resplan.md`).
//! Source: Xiao et al. (2023), section 5 and algorithm 3.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use privacy_core::noise::{DiscreteGaussian, Rational};
use privacy_core::{AttrSet, ContingencyTable, CountSource, Domain, Provenance};
use rand_chacha::ChaCha20Rng;
use rand_core::{CryptoRng, SeedableRng};

use crate::batches::{Batch, batches};
use crate::error::Error;
use crate::measured::{Measured, Release};
use crate::parallel;
use crate::plan::Plan;
use crate::transform::{centre_integers, subtract_means};

/// Cells that share one stream of noise; a fixed number, so that results do not depend on the thread count.
const CELLS_PER_STREAM: usize = 1 << 16;
/// Streams of one residual.
const STREAMS_PER_RESIDUAL: u64 = 1 << 24;
/// Integer residuals stay below 2^62 before the noise.
const LARGEST_INTEGER: u128 = 1 << 62;

impl Plan {
    /// Whether data over `domain` may be measured with this plan: what [`Plan::measure`] refuses before it counts
    /// anything, so that a caller can find out before a budget is spent.
    ///
    /// # Errors
    /// [`Error::DomainMismatch`] unless names, labels and their order are the plan's;
    /// [`Error::DomainLearntFromData`] when either domain was learnt from the data.
    pub fn check_domain(&self, domain: &Domain) -> Result<(), Error> {
        if self.domain().attributes() != domain.attributes() {
            return Err(Error::DomainMismatch);
        }
        let learnt = [self.domain(), domain].iter().any(|d| d.provenance() == Provenance::LearntFromData);
        if learnt { Err(Error::DomainLearntFromData) } else { Ok(()) }
    }

    /// Measures every residual once; the plan is used up.
    ///
    /// One key is drawn from `rng`; the noise of a residual is a ChaCha20 stream of its own under that key, so that
    /// the result does not depend on the thread count.
    ///
    /// # Guarantee
    /// `pcost() / 2`-zCDP for the plan's neighbours, where a person is `rows_per_person()` rows. Integer arithmetic
    /// until the noise is in; whatever is computed from the result costs nothing more.
    ///
    /// # Errors
    /// [`Error::DomainMismatch`], [`Error::DomainLearntFromData`], [`Error::CountsTooLarge`],
    /// [`Error::NoiseOutOfRange`], and what the source reports. Nothing is returned on an error, but a caller who
    /// keeps a ledger counts the budget as spent.
    pub fn measure<S, R>(self, source: &S, rng: &mut R) -> Result<Measured<Release>, Error>
    where
        S: CountSource + ?Sized,
        R: CryptoRng + ?Sized,
    {
        self.check_domain(source.domain())?;
        let mut key = [0; 32];
        rng.fill_bytes(&mut key);
        let noise = Noise::of(&self)?;
        let residuals = measure_residuals(&self, source, |table, position| noise.residual(table, position, key))?;
        Ok(Measured::new(self, residuals))
    }
}

/// Measures the residuals in batches: one pass of the source a batch, all residuals of a batch in parallel.
pub(crate) fn measure_residuals<S: CountSource + ?Sized>(
    plan: &Plan,
    source: &S,
    residual: impl Fn(&ContingencyTable, usize) -> Result<Vec<f64>, Error> + Sync,
) -> Result<Vec<Vec<f64>>, Error> {
    let mut residuals = vec![Vec::new(); plan.closure().sets().len()];
    for Batch { marginals, jobs } in batches(plan) {
        let tables = source.marginals(&marginals)?;
        let done = parallel::map(&jobs, |job| {
            let table = &tables[job.marginal];
            let set = plan.closure().sets()[job.residual];
            if table.attributes() == set {
                residual(table, job.residual)
            } else {
                residual(&table.marginal(set)?, job.residual)
            }
        });
        for (job, cells) in jobs.iter().zip(done) {
            residuals[job.residual] = cells?;
        }
    }
    Ok(residuals)
}

/// The noise of every residual: few distinct laws serve many residuals.
struct Noise {
    laws: BTreeMap<(u128, u128), DiscreteGaussian>,
    parameters: Vec<Option<(u128, u128)>>,
}

impl Noise {
    fn of(plan: &Plan) -> Result<Self, Error> {
        let (mut laws, mut parameters) = (BTreeMap::new(), Vec::with_capacity(plan.residuals().len()));
        for (set, sigma2) in plan.residuals() {
            if sigma2.is_zero() {
                parameters.push(None);
                continue;
            }
            let gamma2 = scaled_variance(plan.domain(), set, sigma2)?;
            let key = (gamma2.numerator(), gamma2.denominator());
            if let Entry::Vacant(place) = laws.entry(key) {
                place.insert(DiscreteGaussian::new(gamma2)?);
            }
            parameters.push(Some(key));
        }
        Ok(Self { laws, parameters })
    }

    /// The noisy residual table from the exact marginal over it.
    fn residual(&self, table: &ContingencyTable, position: usize, key: [u8; 32]) -> Result<Vec<f64>, Error> {
        let shape = table.counts().shape();
        let mut cells = integer_residual(table)?;
        if let Some(law) = self.parameters[position].and_then(|key| self.laws.get(&key)) {
            let first = position as u64 * STREAMS_PER_RESIDUAL;
            let streams: Vec<(u64, &mut [i64])> = (first..).zip(cells.chunks_mut(CELLS_PER_STREAM)).collect();
            let noisy = parallel::map_into(streams, |(stream, cells)| {
                let mut rng = ChaCha20Rng::from_seed(key);
                rng.set_stream(stream);
                law.add_to(cells, &mut rng)
            });
            if noisy.iter().any(Result::is_err) {
                return Err(Error::CountsTooLarge { set: table.attributes() });
            }
        }
        let scale = 1.0 / cells_of(shape) as f64;
        let mut residual: Vec<f64> = cells.into_iter().map(|cell| cell as f64 * scale).collect();
        subtract_means(&mut residual, shape);
        Ok(residual)
    }
}

/// `gamma^2 = sigma^2 K^2`: the variance of the integer noise of a residual.
pub(crate) fn scaled_variance(domain: &Domain, set: AttrSet, sigma2: Rational) -> Result<Rational, Error> {
    let scaled = set.iter().map(|a| domain.cardinality(a) as u128).try_fold(sigma2, |v, k| v.times(k)?.times(k))?;
    Ok(scaled)
}

/// The integer residual (x) (k_i I - 11^T) of a marginal: refused where it could leave 62 bits.
pub(crate) fn integer_residual(table: &ContingencyTable) -> Result<Vec<i64>, Error> {
    let shape = table.counts().shape();
    // Every partial transform is at most total * product of k_i in absolute value, its lane sums twice that.
    let largest = u128::from(table.total()).saturating_mul(2 * cells_of(shape));
    if largest >= LARGEST_INTEGER {
        return Err(Error::CountsTooLarge { set: table.attributes() });
    }
    let mut cells: Vec<i64> = table.cells().iter().map(|&count| count as i64).collect();
    centre_integers(&mut cells, shape);
    Ok(cells)
}

fn cells_of(shape: &[usize]) -> u128 {
    shape.iter().map(|&k| k as u128).product()
}
