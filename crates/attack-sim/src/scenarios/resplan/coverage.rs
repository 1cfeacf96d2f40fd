//! Intervals around released answers: do they hold the exact ones as often as they say, and not
//! much oftener?
//!
//! A half width is `z sd + extra`, `extra` half a step of the lattice on which answers lie. As
//! many errors are within it as a normal law has within the half width, give or take half a step:
//! the claimed shares go from the level to the normal share within half a count more.

use disclosure::privacy_core::normal;

use super::draws::{Check, OneTable, scenario};
use super::mechanism::{Mechanism, Released};
use super::refusal::refused;
use super::setting::Setting;
use crate::prelude::*;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    plan: Setting,
    level: f64,
}

/// What is wrong with an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// It is as many variances wide as it should be standard deviations.
    VarianceForDeviation,
    /// Intervals that are to hold all at once are those of each answer alone.
    EachAlone,
    /// It is one-sided: half of what is outside is taken for all of it.
    OneTail,
}

/// The half widths of the intervals of all answers.
#[derive(Clone, Debug)]
struct Widths {
    alone: Vec<f64>,
    at_once: Vec<f64>,
}

impl Check for Widths {
    fn measure(&self, released: &Released, truth: &[f64], measured: &mut [Option<f64>]) {
        let answers = released.answers.iter().flatten();
        let errors: Vec<f64> = answers.zip(truth).map(|(answer, truth)| (answer - truth).abs()).collect();
        let all = errors.iter().zip(&self.at_once).all(|(error, width)| is_held(*error, *width));
        measured[0] = Some(f64::from(all));
        for (number, (error, width)) in measured[1..].iter_mut().zip(errors.iter().zip(&self.alone)) {
            *number = Some(f64::from(is_held(*error, *width)));
        }
    }
}

/// Of answers that are floats, and on the lattice lie exactly on the edge of an interval.
const ROUNDING: f64 = 1e-9;

fn is_held(error: f64, half_width: f64) -> bool {
    error <= half_width + ROUNDING
}

impl Widths {
    fn of(mechanism: &Mechanism, level: Probability, fault: Option<Fault>) -> Result<Self, Error> {
        let plan = mechanism.promised();
        let level = match fault {
            Some(Fault::OneTail) => Probability::new(2.0 * level.get() - 1.0).map_err(refused)?,
            _ => level,
        };
        let answers: f64 = plan.marginals().map(|marginal| marginal.queries).sum();
        let (mut alone, mut at_once) = (Vec::new(), Vec::new());
        for &set in mechanism.sets() {
            let of_one = plan.margin_of_error(set, level).map_err(refused)?;
            let of_all = match fault {
                Some(Fault::EachAlone) => of_one,
                _ => plan.simultaneous_margin_of_error(set, level, answers).map_err(refused)?,
            };
            let variances = plan.variances(set).map_err(refused)?;
            let count = plan.covariance_matrix(set, set).map_err(refused)?.nrows();
            for place in 0..count {
                let variance = match fault {
                    Some(Fault::VarianceForDeviation) => variances.at(place).powi(2),
                    _ => variances.at(place),
                };
                alone.push(of_one.half_width(variance));
                at_once.push(of_all.half_width(variance));
            }
        }
        Ok(Self { alone, at_once })
    }
}

fn quantities(mechanism: &Mechanism, level: Probability) -> Result<Vec<Quantity>, Error> {
    let promised = Widths::of(mechanism, level, None)?;
    let mut quantities = vec![Quantity::share("all answers at once", Claim::at_least(level.get())?)?];
    let mut widths = promised.alone.iter();
    for &set in mechanism.sets() {
        let covariance = mechanism.promised().covariance_matrix(set, set).map_err(refused)?;
        for ((answer, variance), alone) in covariance.diag().iter().enumerate().zip(&mut widths) {
            let within = (alone + 0.5) / variance.sqrt();
            let most = if *variance > 0.0 { 1.0 - 2.0 * normal::at_least(within) } else { 1.0 };
            quantities.push(Quantity::share(format!("{set:?} {answer}"), Claim::between(level.get(), most)?)?);
        }
    }
    Ok(quantities)
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { plan, level } = blueprint.spec()?;
    let (mechanism, level) = (Mechanism::new(&plan, None)?, Probability::new(level).map_err(refused)?);
    scenario(blueprint, quantities(&mechanism, level)?, |fault| {
        OneTable::new(&plan, mechanism.clone(), Widths::of(&mechanism, level, fault)?)
    })
}
