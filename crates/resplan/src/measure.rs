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

use privacy_core::noise::{DiscreteGaussian, Rational};
use privacy_core::{AttrSet, ContingencyTable, CountSource, Domain, Provenance};
use rand_chacha::ChaCha20Rng;
use rand_core::{CryptoRng, SeedableRng};
use rustc_hash::FxHashMap;
use zeroize::Zeroizing;

use crate::batches::{Batch, batches};
use crate::error::Error;
use crate::measured::{Measured, Release};
use crate::parallel;
use crate::plan::Plan;
use crate::streams::for_streams;
use crate::transform::{centre_integers, subtract_means};

/// Laws that are kept for residuals that share them, at 7 KB each, and how many must share one.
const MOST_SHARED: usize = 256;
const SHARED_BY: usize = 4;
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

    /// Whether tables with this many people in all can be measured in exact integers: what else [`Plan::measure`]
    /// may refuse, so that a caller can find out before a budget is spent.
    ///
    /// # Errors
    /// [`Error::CountsTooLarge`], naming the largest residual.
    pub fn check_total(&self, total: u64) -> Result<(), Error> {
        let cells = |set: AttrSet| cells_of(&self.domain().shape(set));
        self.closure().sets().iter().try_for_each(|&set| check_integers(set, total, cells(set)))
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
        let mut key = Zeroizing::new([0; 32]);
        rng.fill_bytes(key.as_mut_slice());
        let noise = Noise::of(&self)?;
        let residuals = measure_residuals(&self, source, |table, position| noise.residual(table, position, &key))?;
        Ok(Measured::new(self, residuals))
    }
}

/// Measures the residuals in batches: one pass of the source a batch; then level by level, every table from one with
/// an attribute more, all tables and residuals of a level in parallel.
pub(crate) fn measure_residuals<S: CountSource + ?Sized>(
    plan: &Plan,
    source: &S,
    residual: impl Fn(&ContingencyTable, usize) -> Result<Vec<f64>, Error> + Sync,
) -> Result<Vec<Vec<f64>>, Error> {
    let mut residuals = vec![Vec::new(); plan.closure().sets().len()];
    for Batch { marginals, levels, .. } in batches(plan) {
        let mut tables = asked(plan.domain(), &marginals, source)?;
        for level in levels {
            let done = parallel::map(&level, |step| -> Result<_, Error> {
                let from = &tables[&step.from];
                let made = (step.from != step.set).then(|| from.marginal(step.set)).transpose()?;
                let table = made.as_ref().unwrap_or(from);
                let cells = step.residual.map(|position| residual(table, position)).transpose()?;
                Ok((made, cells))
            });
            let size = level.first().map_or(0, |step| step.set.len());
            tables.retain(|set, _| set.len() <= size);
            for (step, done) in level.iter().zip(done) {
                let (made, cells) = done?;
                tables.extend(made.map(|table| (step.set, table)));
                if let (Some(position), Some(cells)) = (step.residual, cells) {
                    residuals[position] = cells;
                }
            }
        }
    }
    Ok(residuals)
}

/// The marginals of a source, which is not trusted to answer what it was asked.
fn asked<S: CountSource + ?Sized>(
    domain: &Domain,
    marginals: &[AttrSet],
    source: &S,
) -> Result<FxHashMap<AttrSet, ContingencyTable>, Error> {
    let mut tables = source.marginals(marginals)?.into_iter();
    let mut answer = |&set: &AttrSet| {
        let right = |table: &ContingencyTable| table.attributes() == set && table.counts().shape() == domain.shape(set);
        Ok((set, tables.next().filter(right).ok_or(Error::WrongTable { set })?))
    };
    marginals.iter().map(&mut answer).collect()
}

/// The noise of every residual. A law that several residuals share is made once; others are made where they are used.
struct Noise {
    shared: BTreeMap<(u128, u128), DiscreteGaussian>,
    parameters: Vec<Option<Rational>>,
}

impl Noise {
    fn of(plan: &Plan) -> Result<Self, Error> {
        let (mut users, mut parameters) = (BTreeMap::new(), Vec::with_capacity(plan.residuals().len()));
        for (set, sigma2) in plan.residuals() {
            let gamma2 = (!sigma2.is_zero()).then(|| scaled_variance(plan.domain(), set, sigma2)).transpose()?;
            if let Some(gamma2) = gamma2 {
                *users.entry((gamma2.numerator(), gamma2.denominator())).or_insert(0) += 1;
            }
            parameters.push(gamma2);
        }
        let several = users.into_iter().filter(|(_, users)| *users >= SHARED_BY).take(MOST_SHARED);
        let law = |((n, d), _)| Ok(((n, d), DiscreteGaussian::new(Rational::new(n, d)?)?));
        Ok(Self { shared: several.map(law).collect::<Result<_, Error>>()?, parameters })
    }

    /// The noisy residual table from the exact marginal over it.
    fn residual(&self, table: &ContingencyTable, position: usize, key: &[u8; 32]) -> Result<Vec<f64>, Error> {
        let shape = table.counts().shape();
        let mut cells = integer_residual(table)?;
        if let Some(gamma2) = self.parameters[position] {
            let own;
            let law = match self.shared.get(&(gamma2.numerator(), gamma2.denominator())) {
                Some(shared) => shared,
                None => {
                    own = DiscreteGaussian::for_draws(gamma2, cells.len() as u64)?;
                    &own
                }
            };
            let noisy = for_streams(position, &mut cells, |stream, cells| {
                let mut rng = ChaCha20Rng::from_seed(*key);
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
    check_integers(table.attributes(), table.total(), cells_of(shape))?;
    let mut cells: Vec<i64> = table.cells().iter().map(|&count| count as i64).collect();
    centre_integers(&mut cells, shape);
    Ok(cells)
}

/// Every partial transform is at most total * product of k_i in absolute value, its lane sums twice that.
fn check_integers(set: AttrSet, total: u64, cells: u128) -> Result<(), Error> {
    let largest = u128::from(total).saturating_mul(cells.saturating_mul(2));
    if largest < LARGEST_INTEGER { Ok(()) } else { Err(Error::CountsTooLarge { set }) }
}

fn cells_of(shape: &[usize]) -> u128 {
    shape.iter().map(|&k| k as u128).product()
}
