//! `release.json` of adaptive marginals.

use adaptive_marginals::{Measurement, Round};
use disclosure::privacy_core::promise::Promise;
use serde::{Deserialize, Serialize};

use super::answer_errors::{AnswerError, RowErrors};
use super::plan_document::AdaptivePlanDocument;
use super::released::{AdaptiveReleased, names};
use crate::document::Imprint;
use crate::error::JobError;
use crate::limits::FEWER_ROWS;
use crate::marginals::{ReleaseCost, TableFile};
use crate::synthetic::FitSummary;

/// The format of [`AdaptiveReleaseDocument`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AdaptiveReleaseSchema {
    /// The first version.
    #[serde(rename = "disclosure.adaptive-release/1")]
    V1,
}

/// A release of adaptive marginals: its promise, its cost, what was chosen, and its files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AdaptiveReleaseDocument {
    /// The format of this document.
    pub schema: AdaptiveReleaseSchema,
    /// What is promised.
    pub promise: Promise,
    /// What the rows and the tables are and what they are not, in plain sentences.
    pub statements: Vec<String>,
    /// What was charged: the whole budget of the job.
    pub cost: ReleaseCost,
    /// What choices and noise have cost of it, in rho, rounded up.
    pub used_rho: f64,
    /// The title of the job.
    pub title: String,
    /// Who answers for it, and its date.
    #[serde(flatten)]
    pub imprint: Imprint,
    /// The rounds, in order.
    pub rounds: Vec<RoundSummary>,
    /// How many rows `rows.csv` has.
    pub rows: usize,
    /// The number of people as the noised marginals have it; that of the data where it is public.
    pub measured_total: f64,
    /// The tables of the model, by their attributes.
    pub cliques: Vec<Vec<String>>,
    /// How well the model fits.
    pub fit: FitSummary,
    /// The marginals that were measured, beside the rows.
    pub marginals: Vec<AdaptiveTable>,
    /// The marginals of the job, measured or not: how far the rows are at most from the exact
    /// ones.
    #[serde(default)]
    pub answers: Vec<AnswerError>,
    /// SHA-256 of the spec and its domain file.
    pub spec_sha256: String,
    /// Hash of the ledger's line that was charged; null without a ledger.
    pub ledger_hash: Option<String>,
    /// The version of the program.
    pub version: String,
    /// What the promise leaves open.
    pub not_covered: Vec<String>,
    /// Every other file of the release.
    pub files: Vec<TableFile>,
}

/// A round: a marginal that was chosen and measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundSummary {
    /// Its attributes.
    pub attributes: Vec<String>,
    /// Standard deviation of the noise of a cell, in counts.
    pub sd: f64,
    /// Epsilon of the choice; `null` for the attributes that are measured first.
    pub epsilon: Option<f64>,
}

/// A marginal that was measured: the rows beside the noised table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdaptiveTable {
    /// Its attributes.
    pub attributes: Vec<String>,
    /// How often it was measured: the table is the mean of least variance.
    pub measured: usize,
    /// Standard deviation of the noise of a cell, in counts.
    pub sd: f64,
    /// Half the sum of the differences between the rows and the noised table, as a share of the
    /// measured total: what noise and model make of it together.
    pub distance: f64,
    /// What the noise of the table alone adds to it on average, at most.
    pub noise: f64,
    /// The rows are not further from the exact table than this, in the same unit; a bound of 1 or
    /// more says nothing. With probability 95 % over the coins of the release this and all other
    /// bounds hold, those of `answers` among them. A guarantee, for data that keep to the
    /// structural zeros.
    pub error_bound95: f64,
}

const NOT_COVERED: [&str; 4] = [
    "sampling error and errors in the data",
    "other releases from the same data, unless a ledger counts them",
    "what is true of the group to which a person belongs, with or without that person's row",
    "the error of the rows in marginals that are not within one of the job's marginals",
];

impl AdaptiveReleaseDocument {
    pub(super) fn new(released: &AdaptiveReleased, files: Vec<TableFile>) -> Result<Self, JobError> {
        let AdaptiveReleased { details, plan, domain, release, rows, rows_per_person, receipt, .. } = released;
        let (model, report) = (release.model(), release.model().report());
        let rounds = release.rounds().iter();
        let mut not_covered = NOT_COVERED.map(str::to_owned).to_vec();
        let person = details.columns.person.as_ref();
        not_covered.extend(person.map(|own| own.left_out(*rows_per_person)));
        let errors = RowErrors::new(domain, release, rows)?;
        let marginals = release.measurements().iter().map(|one| AdaptiveTable::new(released, &errors, one));
        Ok(Self {
            schema: AdaptiveReleaseSchema::V1,
            promise: plan.promise.clone(),
            statements: statements(plan, details.rows.is_none() && (rows.len() as f64) < model.total().round()),
            cost: ReleaseCost {
                pcost: 2.0 * plan.rho,
                rho: plan.rho,
                epsilon_at_delta: plan.epsilon_at_delta.clone(),
                mu: None,
                rounded: "up: the release never costs more than this".to_owned(),
            },
            used_rho: release.spent().get(),
            title: plan.title.clone(),
            imprint: details.imprint.clone(),
            rounds: rounds.map(|round| RoundSummary::new(released, round)).collect(),
            rows: rows.len(),
            measured_total: model.total(),
            cliques: model.cliques().map(|clique| names(domain, clique)).collect(),
            fit: FitSummary {
                loss: report.loss,
                gap: report.gap,
                steps: report.steps,
                measurements: release.measurements().len(),
            },
            marginals: marginals.collect::<Result<_, _>>()?,
            answers: released.workload.iter().map(|&set| errors.about(set)).collect::<Result<_, _>>()?,
            spec_sha256: details.spec_sha256.clone(),
            ledger_hash: receipt.hash().map(str::to_owned),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            not_covered,
            files,
        })
    }
}

/// What rows and tables are, and what they are not.
fn statements(plan: &AdaptivePlanDocument, has_fewer_rows: bool) -> Vec<String> {
    let mut statements = vec![
        format!(
            "The choice of the measured marginals, their noise and the rows together are {}.",
            plan.promise.guarantee.trim_end_matches(" for the choice of tables and the noise together")
        ),
        "The rows are synthetic: none is a person in the data, although one may resemble a person.".to_owned(),
        "Beyond what was measured, the model assumes that attributes are independent given the attributes that its \
         tables share."
            .to_owned(),
        "The rows are not a sample: standard errors that treat them as one are too small.".to_owned(),
        format!(
            "The bounds on the errors of the rows hold together, with a probability of 95 % over the random draws of \
             the release, for every table{}.",
            if plan.structural_zeros.is_empty() {
                ""
            } else {
                " in which nobody has a combination that the job declares impossible"
            }
        ),
    ];
    if !plan.structural_zeros.is_empty() {
        statements.push(
            "No row has a combination that the job declares impossible; this was declared, not learnt from the data."
                .to_owned(),
        );
    }
    statements.extend(has_fewer_rows.then(|| FEWER_ROWS.to_owned()));
    statements
}

impl RoundSummary {
    fn new(released: &AdaptiveReleased, round: &Round) -> Self {
        Self { attributes: names(&released.domain, round.set), sd: round.variance.sqrt(), epsilon: round.epsilon }
    }
}

impl AdaptiveTable {
    fn new(released: &AdaptiveReleased, errors: &RowErrors<'_>, measurement: &Measurement) -> Result<Self, JobError> {
        let AdaptiveReleased { domain, release, .. } = released;
        let total = release.model().total();
        let answer = errors.answer(measurement.set);
        let distance: f64 = measurement.values.iter().zip(answer).map(|(a, b)| (a - b).abs()).sum();
        let measured = release.rounds().iter().filter(|round| round.set == measurement.set).count();
        // Cells that nobody has are without noise and without people.
        let (cells, sd) = (released.possible.count(measurement.set), measurement.variance.sqrt());
        Ok(Self {
            attributes: names(domain, measurement.set),
            measured,
            sd,
            distance: distance / (2.0 * total),
            noise: cells * sd / (2.0 * total),
            error_bound95: errors.about(measurement.set)?.error_bound95,
        })
    }
}
