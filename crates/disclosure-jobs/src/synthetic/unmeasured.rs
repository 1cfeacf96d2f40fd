//! The error of pairs of attributes that were not measured: an estimate.
//!
//! `E_noise` how far a model is from people who are like it, by nineteen simulated releases: the
//! largest of them is exceeded with a probability of 1 / 20. `E_dep` the largest distance of a
//! measured pair from independence. The estimate is `E_noise + E_dep`: (P5) of
//! `docs/math/synthetic-people.md`.

use disclosure::privacy_core::{AttrSet, Domain};
use disclosure::resplan::Design;
use rand_core::CryptoRng;
use synthetic_people::{Measurement, ModelSpec, Rows};

use super::document::UnmeasuredMarginal;
use super::error::named;
use super::fitted::Fitted;
use super::model::{cell_variance, sizes};
use super::synthesis::names;
use crate::error::JobError;

/// Simulated releases: the largest of n distances is exceeded by another one with probability
/// 1 / (n + 1).
const RELEASES: usize = 19;

/// The model that takes the place of people, and how it was made.
pub(super) struct Simulated<'a> {
    pub(super) model: &'a Fitted,
    pub(super) spec: &'a ModelSpec,
    pub(super) measurements: &'a [Measurement],
    /// How many rows are drawn; by default as many as were measured.
    pub(super) rows: Option<u32>,
}

/// Every pair of attributes within no planned marginal. `drawn` are the rows, `held` the sets that
/// the model was fitted to.
pub(super) fn unmeasured(
    design: &Design,
    simulated: &Simulated<'_>,
    drawn: &Rows,
    held: &[AttrSet],
    rng: &mut dyn CryptoRng,
) -> Result<Vec<UnmeasuredMarginal>, JobError> {
    let domain = design.domain();
    let planned: Vec<AttrSet> = design.marginals().map(|marginal| marginal.attributes).collect();
    let is_within = |sets: &[AttrSet], pair: AttrSet| sets.iter().any(|set| pair.is_subset_of(*set));
    let pairs: Vec<AttrSet> = domain.all().subsets_of_size(2).filter(|pair| !is_within(&planned, *pair)).collect();
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let noise = noise(design, simulated, &pairs, rng)?;
    let measured = domain.all().subsets_of_size(2).filter(|pair| is_within(held, *pair));
    let dependence = measured.map(|pair| from_independence(domain, pair, drawn)).reduce(f64::max);
    let marginals = pairs.into_iter().zip(noise).map(|(pair, noise95)| UnmeasuredMarginal {
        attributes: names(domain, pair),
        noise95,
        dependence,
        error_estimate: dependence.map(|dependence| (noise95 + dependence).min(1.0)),
    });
    Ok(marginals.collect())
}

/// `E_noise` of each pair.
fn noise(
    design: &Design,
    simulated: &Simulated<'_>,
    pairs: &[AttrSet],
    rng: &mut dyn CryptoRng,
) -> Result<Vec<f64>, JobError> {
    let sizes = sizes(design.domain());
    // A total that is not planned has no variance to read; then it is public.
    let total_variance = cell_variance(design, AttrSet::EMPTY).unwrap_or(0.0);
    let mut largest = vec![0.0_f64; pairs.len()];
    for _ in 0..RELEASES {
        let replicate = simulated.model.replicate(simulated.spec, simulated.measurements, total_variance, rng);
        let (people, model) = replicate.map_err(|error| named(error, design.domain()))?;
        let total = model.total();
        let rows = model.rows(simulated.rows.map_or(total.round() as usize, |rows| rows as usize), rng);
        let scale = if rows.is_empty() { 0.0 } else { total / rows.len() as f64 };
        for (largest, &pair) in largest.iter_mut().zip(pairs) {
            let (exact, have) = (people.counts(&sizes, pair), rows.counts(&sizes, pair));
            let distance: f64 = exact.iter().zip(&have).map(|(a, b)| (a - b * scale).abs()).sum();
            *largest = largest.max((distance / (2.0 * total)).min(1.0));
        }
    }
    Ok(largest)
}

/// Half the sum of `|p_ab - p_a p_b|` of the rows.
fn from_independence(domain: &Domain, pair: AttrSet, rows: &Rows) -> f64 {
    if rows.is_empty() {
        return 0.0;
    }
    let sizes = sizes(domain);
    let table = rows.counts(&sizes, pair);
    let [one, other] = [pair.iter().next(), pair.iter().last()].map(|attribute| attribute.map_or(0, |place| place));
    let parts = [one, other].map(|attribute| rows.counts(&sizes, AttrSet::single(attribute)));
    let total = rows.len() as f64;
    let apart = table.iter().enumerate().map(|(cell, count)| {
        let expected = parts[0][cell / sizes[other]] * parts[1][cell % sizes[other]] / total;
        (count - expected).abs()
    });
    apart.sum::<f64>() / (2.0 * total)
}
