//! What is fitted to a measurement: a model, or people of a narrower model with weights.

use disclosure::privacy_core::{AttrSet, Domain};
use disclosure::resplan::{Measured, StoredNoise};
use rand_core::Rng;
use synthetic_people::{Error, FitSpec, Measurement, Model, ModelSpec, Rows, WeightedPeople};

use super::error::named;
use super::model::{chosen, maximal, measurements};
use super::request::TooLarge;
use crate::error::JobError;

/// Simulated people for each measured person, and the fewest and the most in all.
const PEOPLE_EACH: f64 = 2.0;
const PEOPLE: (f64, f64) = (1e4, 2e5);
/// Steps of weights. Few: what later steps fit is mostly noise. On all pairs of Adult at epsilon 1,
/// the error is least after 50 to 100 steps and a fifth larger after 1,000.
const STEPS: usize = 100;
/// Steps of the model that the people are simulated from, which is not the last word.
const MODEL_STEPS: usize = 200;

/// A model, or the people of one with weights.
pub(super) enum Fitted {
    Model(Model),
    Weighted { people: WeightedPeople, cliques: Vec<AttrSet> },
}

/// What was fitted, and to what.
pub(super) struct Fit {
    pub(super) model: Fitted,
    /// The marginals that it was fitted to.
    pub(super) sets: Vec<AttrSet>,
    /// Their independent measurements.
    pub(super) given: Vec<Measurement>,
}

/// Fits the planned marginals, or those that are chosen where the model would be too large.
pub(super) fn fit<R: Rng + ?Sized>(
    measured: &Measured<StoredNoise>,
    spec: &ModelSpec,
    too_large: TooLarge,
    rng: &mut R,
) -> Result<Fit, JobError> {
    let domain = measured.design().domain();
    if too_large == TooLarge::Choose {
        let (sets, given) = narrower(measured, spec)?;
        return Ok(Fit { model: Fitted::Model(model(spec, &given, domain)?), sets, given });
    }
    let sets = with_singles(measured, maximal(measured.design()));
    let given = measurements(measured, &sets)?;
    let model = match (Model::fit(spec, &given), too_large) {
        (Err(Error::TooWide { .. }), TooLarge::Weight) => weighted(measured, spec, &given, rng)?,
        (model, _) => Fitted::Model(model.map_err(|error| named(error, domain))?),
    };
    Ok(Fit { model, sets, given })
}

/// The marginals that are chosen, and their measurements.
fn narrower(measured: &Measured<StoredNoise>, spec: &ModelSpec) -> Result<(Vec<AttrSet>, Vec<Measurement>), JobError> {
    let sets = with_singles(measured, chosen(measured, spec.most_cells)?);
    let given = measurements(measured, &sets)?;
    Ok((sets, given))
}

fn model(spec: &ModelSpec, given: &[Measurement], domain: &Domain) -> Result<Model, JobError> {
    Model::fit(spec, given).map_err(|error| named(error, domain))
}

/// People of the chosen model, with weights by which all measurements fit.
fn weighted<R: Rng + ?Sized>(
    measured: &Measured<StoredNoise>,
    spec: &ModelSpec,
    given: &[Measurement],
    rng: &mut R,
) -> Result<Fitted, JobError> {
    let narrow = ModelSpec { fit: FitSpec { most_steps: MODEL_STEPS, ..spec.fit }, ..spec.clone() };
    let model = model(&narrow, &narrower(measured, spec)?.1, measured.design().domain())?;
    let people = (PEOPLE_EACH * spec.total).clamp(PEOPLE.0, PEOPLE.1) as usize;
    let people = WeightedPeople::fit(&model, people, given, weight_steps(spec), rng);
    let people = people.map_err(|error| named(error, measured.design().domain()))?;
    Ok(Fitted::Weighted { people, cliques: model.cliques().collect() })
}

fn weight_steps(spec: &ModelSpec) -> FitSpec {
    FitSpec { most_steps: STEPS, ..spec.fit }
}

/// One-way tables that were planned are in the model whatever else is.
fn with_singles(measured: &Measured<StoredNoise>, sets: Vec<AttrSet>) -> Vec<AttrSet> {
    let design = measured.design();
    let singles = (0..design.domain().len()).map(AttrSet::single);
    sets.into_iter().chain(singles.filter(|set| design.mean_variance(*set).is_ok())).collect()
}

impl Fitted {
    pub(super) fn rows<R: Rng + ?Sized>(&self, rows: usize, rng: &mut R) -> Rows {
        match self {
            Self::Model(model) => model.rows(rows, rng),
            Self::Weighted { people, .. } => people.rows(rows, rng),
        }
    }

    pub(super) fn total(&self) -> f64 {
        match self {
            Self::Model(model) => model.total(),
            Self::Weighted { people, .. } => people.total(),
        }
    }

    pub(super) fn report(&self) -> synthetic_people::FitReport {
        match self {
            Self::Model(model) => model.report(),
            Self::Weighted { people, .. } => people.report(),
        }
    }

    /// The tables of the model, in whole or that people were simulated from.
    pub(super) fn cliques(&self) -> Vec<AttrSet> {
        match self {
            Self::Model(model) => model.cliques().collect(),
            Self::Weighted { cliques, .. } => cliques.clone(),
        }
    }

    pub(super) fn weighted_people(&self) -> Option<u32> {
        match self {
            Self::Model(_) => None,
            Self::Weighted { people, .. } => u32::try_from(people.people()).ok(),
        }
    }

    /// People who were simulated, and what is fitted to their noised tables.
    pub(super) fn replicate<R: Rng + ?Sized>(
        &self,
        spec: &ModelSpec,
        given: &[Measurement],
        total_variance: f64,
        rng: &mut R,
    ) -> Result<(Rows, Self), Error> {
        Ok(match self {
            Self::Model(model) => {
                let replicate = model.replicate(spec, given, total_variance, rng)?;
                (replicate.people, Self::Model(replicate.model))
            }
            Self::Weighted { people, cliques } => {
                let replicate = people.replicate(weight_steps(spec), given, total_variance, rng)?;
                (replicate.people, Self::Weighted { people: replicate.model, cliques: cliques.clone() })
            }
        })
    }
}
