//! The model of a measurement.
//!
//! What a plan measures are residuals: of every set of attributes what the smaller sets do not
//! say, with independent noise. They go into the fit as they are, each weighted by its variance.
//! Where one strategy measures all attributes together there is one measurement of all cells.

use disclosure::privacy_core::{AttrSet, Domain};
use disclosure::resplan::{Design, Measured, QueryBasis, StoredNoise};
use synthetic_people::{Along, Measurement, strongest};

use super::error::named;
use crate::error::JobError;

/// Largest number of attributes of a marginal that is chosen by its strength.
const LARGEST_CHOSEN: usize = 3;
/// How many standard deviations above what noise makes of a distance on average it must be.
const SPREADS: f64 = 3.0;

/// The number of categories of each attribute.
pub(super) fn sizes(domain: &Domain) -> Vec<usize> {
    domain.attributes().iter().map(|attribute| attribute.cardinality()).collect()
}

/// The number of people that was measured: at least one.
pub(super) fn total(measured: &Measured<StoredNoise>) -> Result<f64, JobError> {
    Ok(measured.cells(AttrSet::EMPTY)?.sum().max(1.0))
}

/// The planned marginals that are in no other planned marginal.
pub(super) fn maximal(design: &Design) -> Vec<AttrSet> {
    let planned: Vec<AttrSet> = design.marginals().map(|marginal| marginal.attributes).collect();
    let within_another = |set: &AttrSet| planned.iter().any(|other| other != set && set.is_subset_of(*other));
    planned.iter().copied().filter(|set| !within_another(set)).collect()
}

/// The residuals within `sets`, as measurements.
pub(super) fn measurements(measured: &Measured<StoredNoise>, sets: &[AttrSet]) -> Result<Vec<Measurement>, JobError> {
    let design = measured.design();
    let sizes = sizes(design.domain());
    let bases: Vec<QueryBasis> = design.attributes().map(|attribute| attribute.basis.clone()).collect();
    let mut measurements = Vec::new();
    for (set, sigma2) in design.residuals() {
        let is_within = sets.iter().any(|other| set.is_subset_of(*other)) || design.joint_queries().is_some();
        // The total is a parameter of the model; a residual without noise is the public total.
        if set.is_empty() || sigma2.is_zero() || !is_within {
            continue;
        }
        let along = match design.joint_queries() {
            Some((_, queries)) => vec![Along::Together(queries.into_iter().collect())],
            None => set.iter().map(|attribute| along(design, &bases[attribute], attribute)).collect(),
        };
        let measurement = Measurement::of_table(
            &sizes,
            set,
            along,
            measured.residual(set)?.into_raw_vec_and_offset().0,
            sigma2.to_f64(),
        );
        measurements.push(measurement.map_err(|error| named(error, design.domain()))?);
    }
    Ok(measurements)
}

/// What a residual measures along an attribute.
fn along(design: &Design, basis: &QueryBasis, attribute: usize) -> Along {
    match basis {
        QueryBasis::Identity => Along::Centred,
        _ => Along::Queries(design.residual_queries(attribute).into_iter().collect()),
    }
}

/// The planned marginals of up to three attributes that say most beyond smaller ones, as far as
/// the model has room for them: the distance of the noised table from what its parts say if they
/// were independent, less what noise makes of a distance. A function of noised tables alone.
pub(super) fn chosen(measured: &Measured<StoredNoise>, most_cells: f64) -> Result<Vec<AttrSet>, JobError> {
    let design = measured.design();
    let sizes = sizes(design.domain());
    let mut scored = Vec::new();
    let small = design.residuals().map(|(set, _)| set).filter(|set| (2..=LARGEST_CHOSEN).contains(&set.len()));
    for set in small {
        scored.push((set, strength(measured, set)?));
    }
    Ok(strongest(&sizes, &scored, most_cells))
}

/// How much more a table says than its parts, in people.
fn strength(measured: &Measured<StoredNoise>, set: AttrSet) -> Result<f64, JobError> {
    let table = people(measured, set)?;
    let attributes: Vec<usize> = set.iter().collect();
    // Of a pair: independence. Of three attributes: independence of two given the third, for the
    // third that explains most.
    let given: Vec<AttrSet> = match attributes.len() {
        2 => vec![AttrSet::EMPTY],
        _ => attributes.iter().map(|&attribute| AttrSet::single(attribute)).collect(),
    };
    let mut least = f64::INFINITY;
    for given in given {
        let others: Vec<AttrSet> = set.minus(given).iter().map(|attribute| given.with(attribute)).collect();
        let parts = [people(measured, others[0])?, people(measured, others[1])?, people(measured, given)?];
        least = least.min(distance(measured.design().domain(), set, &table, [others[0], others[1], given], &parts));
    }
    let (cells, sd) = (table.len() as f64, cell_variance(measured.design(), set)?.sqrt());
    // |z| of a normal z has mean sqrt(2 / pi) and variance 1 - 2 / pi.
    let share = std::f64::consts::FRAC_2_PI;
    let noise = sd * (cells * share.sqrt() + SPREADS * (cells * (1.0 - share)).sqrt());
    Ok(least - noise)
}

/// `sum of |table - one other / given|`.
fn distance(domain: &Domain, set: AttrSet, table: &[f64], sets: [AttrSet; 3], parts: &[Vec<f64>; 3]) -> f64 {
    let places = |digits: &[usize], part: AttrSet| {
        set.iter()
            .zip(digits)
            .filter(|(attribute, _)| part.contains(*attribute))
            .fold(0, |place, (attribute, digit)| place * domain.cardinality(attribute) + digit)
    };
    let shape: Vec<usize> = set.iter().map(|attribute| domain.cardinality(attribute)).collect();
    let mut digits = vec![0; shape.len()];
    let mut sum = 0.0;
    for cell in table {
        let [one, other, given] = std::array::from_fn(|part| parts[part][places(&digits, sets[part])]);
        let expected = if given > 0.0 { one * other / given } else { 0.0 };
        sum += (cell - expected).abs();
        for axis in (0..shape.len()).rev() {
            digits[axis] += 1;
            if digits[axis] < shape[axis] {
                break;
            }
            digits[axis] = 0;
        }
    }
    sum
}

/// The noised counts of the categories, without those below 0.
fn people(measured: &Measured<StoredNoise>, set: AttrSet) -> Result<Vec<f64>, JobError> {
    Ok(measured.cells(set)?.into_iter().map(|count| count.max(0.0)).collect())
}

/// The mean variance of the cells of a table.
pub(super) fn cell_variance(design: &Design, set: AttrSet) -> Result<f64, JobError> {
    Ok(design.mean_variance(set)?)
}
