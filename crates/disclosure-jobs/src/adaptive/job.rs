//! A spec that was checked: which marginals, from which columns, under which budget.

use adaptive_marginals::AdaptiveSpec;
use disclosure::privacy_core::AttrSet;
use disclosure::privacy_core::param::Rho;
use privacy_data::{BasisKind, DomainFile, TableFormat, parse_toml};

use super::spec::AdaptiveJobSpec;
use super::zeros::Excluded;
use crate::budget::{Budget, CostTerms, NoiseKind, PrivacySpec};
use crate::digest::sha256;
use crate::document::Imprint;
use crate::error::JobError;
use crate::input::{DeclaredDomain, Files};
use crate::marginals::{Columns, listed_sets};
use crate::persons::PersonColumn;

/// A job that was checked, before its plan is made. No row of the data was read.
#[derive(Debug)]
pub struct AdaptiveJob {
    pub(super) details: Details,
    pub(super) spec: AdaptiveSpec,
}

/// Everything about a job but what is measured.
#[derive(Debug)]
pub(super) struct Details {
    /// SHA-256 of the spec, followed by its domain file and the files of its hierarchies, if any.
    pub(super) spec_sha256: String,
    /// `None` until somebody names the job.
    pub(super) title: Option<String>,
    pub(super) imprint: Imprint,
    pub(super) cost_terms: CostTerms,
    pub(super) columns: Columns,
    /// How many rows are drawn; by default as many people as were measured.
    pub(super) rows: Option<u32>,
    pub(super) tables: TableFormat,
}

impl AdaptiveJob {
    /// Checks the text of a spec. Its domain file is one of `files`.
    ///
    /// # Errors
    /// A code of the 2xx range for what is wrong with the spec, and what opening a file reports.
    pub fn parse(text: &str, files: &dyn Files) -> Result<Self, JobError> {
        let spec: AdaptiveJobSpec = parse_toml(text).map_err(|error| JobError::new("E0210", error.to_string()))?;
        let one = || JobError::new("E0211", "give either [[attribute]] tables or domain = \"domain.toml\"");
        if spec.domain.is_some() && !spec.attributes.is_empty() {
            return Err(one());
        }
        let declared = DeclaredDomain::read(files, spec.domain.as_deref(), &spec.attributes)?.ok_or_else(one)?;
        check_categories_alone(&declared.file)?;
        let person = PersonColumn::of_spec(spec.person.clone(), spec.excess_rows, spec.count.as_deref())?;
        let encoding = spec.encoding.unwrap_or_default();
        let columns = Columns::new(declared.file, spec.count.clone(), encoding, person)?;
        let budget = budget(&spec.privacy)?;
        let domain = columns.schema.domain();
        let excluded = Excluded::new(&spec.structural_zeros, &spec.hierarchies, domain, files)?;
        let measured = measured(&spec, budget.cost.rho(), &columns)?;
        let details = Details {
            spec_sha256: sha256([text, &declared.text, &excluded.text].concat().as_bytes()),
            title: spec.title,
            imprint: Imprint { owner: spec.owner, date: spec.date },
            cost_terms: budget.terms,
            columns,
            rows: spec.rows,
            tables: spec.tables,
        };
        Ok(Self { details, spec: AdaptiveSpec { zeros: excluded.zeros, ..measured } })
    }
}

/// What the crate is asked for.
fn measured(spec: &AdaptiveJobSpec, rho: Rho, columns: &Columns) -> Result<AdaptiveSpec, JobError> {
    let domain = columns.schema.domain();
    let listed = listed_sets(spec.marginals.as_deref(), spec.up_to, domain)?;
    // The total is what every table adds up to.
    let listed = listed.into_iter().filter(|(set, _)| !set.is_empty());
    let workload = listed.map(|(set, weight)| Ok((set, whole(set, weight)?))).collect::<Result<_, JobError>>()?;
    let defaults = AdaptiveSpec::new(rho, spec.neighbours, workload);
    Ok(AdaptiveSpec {
        rows_per_person: spec.rows_per_person.unwrap_or(defaults.rows_per_person),
        rounds: spec.rounds,
        noise_share: spec.noise_share.unwrap_or(defaults.noise_share),
        model_cells: spec.model_cells.unwrap_or(defaults.model_cells),
        ..defaults
    })
}

/// The weight of a marginal as a whole number: scores are exact.
fn whole(set: AttrSet, weight: f64) -> Result<u32, JobError> {
    match weight.fract() == 0.0 && (1.0..=1e6).contains(&weight) {
        true => Ok(weight as u32),
        false => {
            let attributes = set.len();
            let message = format!("the weight of a marginal of {attributes} attributes is {weight}");
            Err(JobError::new("E0224", message).next("write integers from 1 to 1,000,000, because scores are exact"))
        }
    }
}

fn budget(spec: &PrivacySpec) -> Result<Budget, JobError> {
    match spec.mu {
        None => Budget::new(spec, NoiseKind::Discrete),
        Some(_) => Err(JobError::new("E0212", "the selection of marginals has a cost in rho but not in mu")
            .next("write rho = 0.5, or epsilon with delta")),
    }
}

/// Refuses attributes with queries other than their categories: those are what is measured here.
fn check_categories_alone(file: &DomainFile) -> Result<(), JobError> {
    let asks_more = |basis: &BasisKind| !matches!(basis, BasisKind::Identity);
    let attribute =
        file.attributes.iter().find(|attribute| attribute.basis.as_ref().is_some_and(|basis| asks_more(&basis.kind)));
    match attribute {
        None => Ok(()),
        Some(attribute) => {
            let message = format!("attribute {:?} has a basis, but only categories are measured here", attribute.name);
            Err(JobError::new("E0291", message).next("leave out basis, or use resplan"))
        }
    }
}
