//! The independent noisy numbers behind noisy tables, for an attacker who reads them beside the
//! numbers of other parts.

use disclosure::privacy_core::subsets::apply_kronecker;
use disclosure::privacy_core::{AttrSet, CountSource};
use disclosure::resplan::{Design, Measured};

use super::planned::Planned;
use super::released::Released;
use crate::error::JobError;

/// Products of queries along some attributes, each with independent noise of one variance.
#[derive(Clone, PartialEq)]
pub struct ResidualNumbers {
    /// The attributes by name, in the order of the domain; none for the total.
    pub attributes: Vec<String>,
    /// The queries along each: a coefficient for every label, one row a query.
    pub queries: Vec<Vec<Vec<f64>>>,
    /// Variance of the noise, in counts squared.
    pub variance: f64,
    /// The noisy numbers, row-major over the queries.
    pub values: Vec<f64>,
}

/// Debug output shows no number.
impl std::fmt::Debug for ResidualNumbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResidualNumbers").field("attributes", &self.attributes).finish_non_exhaustive()
    }
}

impl Planned {
    /// What a release might measure about tables over attributes that are `wanted`: with simulated
    /// noise, trial number `trial`. Not for publication.
    ///
    /// # Errors
    /// What the source reports; E0243 where all attributes are measured together.
    pub fn simulated_residuals(
        &self,
        source: &dyn CountSource,
        trial: u64,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<ResidualNumbers>, JobError> {
        residuals(&self.plan.simulate(source, 0, trial)?, wanted)
    }
}

impl Released {
    /// What was measured about tables over attributes that are `wanted`.
    ///
    /// # Errors
    /// E0243 where all attributes were measured together.
    pub fn residuals(&self, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<ResidualNumbers>, JobError> {
        residuals(&self.measured, wanted)
    }
}

/// Refuses what was measured for all attributes together: no section of a job is planned so.
fn check_by_attribute(design: &Design) -> Result<(), JobError> {
    match design.joint_queries() {
        Some(_) => {
            Err(JobError::new("E0243", "all attributes are measured together, so no table is measured separately"))
        }
        None => Ok(()),
    }
}

/// Residuals of other sets say nothing about a table over these attributes that these do not: they
/// are about how other attributes differ within its cells.
fn residuals<O>(measured: &Measured<O>, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<ResidualNumbers>, JobError> {
    let design = measured.design();
    check_by_attribute(design)?;
    let attributes = design.domain().attributes();
    let is_wanted = |set: AttrSet| set.iter().all(|attribute| wanted(attributes[attribute].name()));
    let mut found = Vec::new();
    // A total without noise is an exact number.
    let noisy = design.residuals().filter(|(set, sigma2)| !sigma2.is_zero() && is_wanted(*set));
    for (set, sigma2) in noisy {
        let residual = measured.residual(set)?.into_raw_vec_and_offset().0;
        let queries: Vec<_> = set.iter().map(|attribute| design.residual_queries(attribute)).collect();
        let views: Vec<_> = queries.iter().map(|queries| queries.view()).collect();
        found.push(ResidualNumbers {
            attributes: set.iter().map(|attribute| attributes[attribute].name().to_owned()).collect(),
            values: apply_kronecker(&views, &residual),
            queries: queries.iter().map(|matrix| matrix.rows().into_iter().map(|row| row.to_vec()).collect()).collect(),
            variance: sigma2.to_f64(),
        });
    }
    Ok(found)
}
