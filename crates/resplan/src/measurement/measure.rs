//! The release: every residual measured once, with exact noise.
//!
//! `v_B` the marginal over B, `K` the product of `k_i` over its identity attributes, `t` how many
//! others it has; Q_i the integer queries of attribute i: `k_i I - 11^T`, or `2^20 B_i`.
//! `gamma^2 = sigma_B^2 K^2 4^(20 t)`.
//!
//! ```text
//! y_B = ((x) Q_i) v_B + iid discrete Gaussian(gamma^2)                     integers
//! r_B = ((x) R_i) y_B / (K 2^(20 t)),    R_i = I - 11^T / k_i for identity     the residual table
//! ```
//!
//! The integer query has squared sensitivity `K^2 4^(20 t) p_B` under add-remove neighbours, so
//! that measuring B costs rho = p_B / (2 sigma_B^2), as with continuous noise. For identity
//! attributes the projection in the second line is not optional: y_B / K still carries noise
//! outside the residual's space (`docs/math/resplan.md`). Source: Xiao et al. (2023), section 5
//! and algorithm 3, for identity; this project for the others.

use privacy_core::parallel;
use privacy_core::stop::StopFlag;
use privacy_core::{AttrSet, ContingencyTable, CountSource, Domain, Provenance};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

use crate::error::Error;
use crate::measurement::agreement::{Agreement, Tables};
use crate::measurement::batches::{Batch, batches};
use crate::measurement::integers::{check_integers, narrow_residual, wide_residual};
use crate::measurement::measured::{ExactNoise, Measured};
use crate::measurement::noise::Noise;
use crate::measurement::transform::residual_table;
use crate::planning::design::Design;
use crate::planning::plan::Plan;
use crate::strategy::axes::Axes;
use crate::strategy::axis::Residual;

impl Plan {
    /// Whether data over `domain` may be measured with this plan: what [`Plan::measure`] refuses
    /// before it counts anything, so that a caller can find out before a budget is spent.
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

    /// Whether tables with this many people in all can be measured in exact integers: what else
    /// [`Plan::measure`] may refuse, so that a caller can find out before a budget is spent.
    ///
    /// # Errors
    /// [`Error::CountsTooLarge`], naming the largest residual; [`Error::TooManyPeople`].
    pub fn check_total(&self, total: u64) -> Result<(), Error> {
        self.check_exactness(total)?;
        self.closure().sets().iter().try_for_each(|&set| check_integers(self.axes(), set, total))
    }

    /// Measures every residual once; the plan is used up.
    ///
    /// One key is drawn from `rng`; the noise of a residual is a ChaCha20 stream of its own under
    /// that key, so that the result does not depend on the thread count.
    ///
    /// # Guarantee
    /// `pcost() / 2`-zCDP for the plan's neighbours, where a person is `rows_per_person()` rows.
    /// Integer arithmetic until the noise is in; whatever is computed from the result costs
    /// nothing more.
    ///
    /// # Errors
    /// [`Error::DomainMismatch`], [`Error::DomainLearntFromData`], [`Error::CountsTooLarge`],
    /// [`Error::TooManyPeople`], [`Error::TotalsDiffer`], [`Error::MarginsDiffer`],
    /// [`Error::NoiseOutOfRange`], [`Error::Stopped`], and what the source reports. Nothing is
    /// returned on an error, but a caller who keeps a ledger counts the budget as spent.
    pub fn measure<S, R>(self, source: &S, rng: &mut R) -> Result<Measured<ExactNoise>, Error>
    where
        S: CountSource + ?Sized,
        R: CryptoRng + ?Sized,
    {
        self.check_domain(source.domain())?;
        let (mut agreement, stop) = (Agreement::new(&self), self.stop().clone());
        self.measure_counted(rng, |design, sets| agreement.checked(counted(design, sets, source, &stop)?))
    }

    /// Measures every residual from the tables that `tables` gives for the sets of each batch.
    pub(super) fn measure_counted<R: CryptoRng + ?Sized>(
        self,
        rng: &mut R,
        tables: impl FnMut(&Design, &[AttrSet]) -> Result<Tables, Error>,
    ) -> Result<Measured<ExactNoise>, Error> {
        let mut key = Zeroizing::new([0; 32]);
        rng.fill_bytes(key.as_mut_slice());
        let noise = Noise::new(&self, &key, self.stop())?;
        self.stop().begin(noise.cells(&self));
        let residuals = measure_residuals(&self, self.stop(), tables, |table, position| {
            self.check_exactness(table.total())?;
            noisy_residual(self.axes(), &noise, table, position)
        })?;
        Ok(Measured::new(self.into_design(), residuals))
    }
}

/// The residual table at `position` in the closure, with its noise.
fn noisy_residual(
    axes: &Axes,
    noise: &Noise<'_>,
    table: &ContingencyTable,
    position: usize,
) -> Result<Vec<f64>, Error> {
    let set = table.attributes();
    let scale = 1.0 / integer_unit(axes, set);
    let cells: Vec<f64> = if axes.dense(set) == 0 {
        let mut cells = narrow_residual(axes, table)?;
        noise.add_narrow(set, position, &mut cells)?;
        cells.into_iter().map(|cell| cell as f64 * scale).collect()
    } else {
        let mut cells = wide_residual(axes, table)?;
        noise.add_wide(set, position, &mut cells)?;
        cells.into_iter().map(|cell| cell as f64 * scale).collect()
    };
    Ok(residual_table(axes, set, cells))
}

/// Measures the residuals in batches: the tables of a batch at once; then level by level, every
/// table from one with an attribute more, all tables and residuals of a level in parallel.
pub(crate) fn measure_residuals(
    design: &Design,
    stop: &StopFlag,
    mut tables: impl FnMut(&Design, &[AttrSet]) -> Result<Tables, Error>,
    residual: impl Fn(&ContingencyTable, usize) -> Result<Vec<f64>, Error> + Sync,
) -> Result<Vec<Vec<f64>>, Error> {
    let mut residuals = vec![Vec::new(); design.closure().sets().len()];
    for Batch { marginals, levels, .. } in batches(design) {
        let mut tables = tables(design, &marginals)?;
        for level in levels {
            let done = parallel::map(&level, |step| -> Result<_, Error> {
                if stop.is_set() {
                    return Err(Error::Stopped);
                }
                let from = &tables[&step.from];
                let made = (step.from != step.set).then(|| from.marginal(step.set)).transpose()?;
                let table = made.as_ref().unwrap_or(from);
                let cells = step.residual.map(|position| residual(table, position)).transpose()?;
                Ok((made, cells))
            });
            // Tables with more attributes than this level has are not needed any more.
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
    if stop.is_set() { Err(Error::Stopped) } else { Ok(residuals) }
}

/// The marginals of a source, which is not trusted to answer what it was asked.
pub(crate) fn counted<S: CountSource + ?Sized>(
    design: &Design,
    sets: &[AttrSet],
    source: &S,
    stop: &StopFlag,
) -> Result<Tables, Error> {
    let mut answered = source.marginals_until(sets, stop)?.ok_or(Error::Stopped)?.into_iter();
    let mut tables = Tables::default();
    for &set in sets {
        let table = answered.next().ok_or(Error::WrongTable { set })?;
        if table.attributes() != set || table.counts().shape() != design.domain().shape(set) {
            return Err(Error::WrongTable { set });
        }
        tables.insert(set, table);
    }
    Ok(tables)
}

/// What the integers of a residual count: K 2^(20 t) of them are one person.
fn integer_unit(axes: &Axes, set: AttrSet) -> f64 {
    let units = axes.measured(set).map(|axis| match axis.residual() {
        Residual::Centred => axis.size() as f64,
        Residual::Dense(dense) => f64::from(1 << dense.digits),
    });
    units.product()
}
