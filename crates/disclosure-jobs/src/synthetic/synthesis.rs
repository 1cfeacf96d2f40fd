//! From a measurement to rows.

use std::io::{self, Read, Seek, Write};

use disclosure::privacy_core::promise::Promise;
use disclosure::privacy_core::{AttrSet, Domain};
use disclosure::resplan::{Design, Measured, QueryBasis, StoredMeasurement, StoredNoise};
use privacy_data::{
    ColumnKind, CsvField, CsvLines, GROUP_ROWS, ParquetColumn, ParquetFile, ParquetLabels, TableFormat, csv_fields,
    csv_line,
};
use rand_core::CryptoRng;
use synthetic_people::{ModelSpec, Rows};

use super::document::{FitSummary, SyntheticDocument, SyntheticMarginal, SyntheticSchema};
use super::fitted::{Fit, fit};
use super::model::{cell_variance, maximal, sizes, total};
use super::request::SynthesisRequest;
use super::unmeasured::{Simulated, unmeasured};
use crate::error::JobError;
use crate::limits::{FEWER_ROWS, check_rows, rows_within};
use crate::sink::Sink;

/// Probability that a bound on an error does not hold.
const OUTSIDE: f64 = 0.05;

/// Rows of people who do not exist, and what is known about them.
pub struct Synthesis {
    document: SyntheticDocument,
    domain: Domain,
    rows: Rows,
}

impl std::fmt::Debug for Synthesis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Synthesis").field("rows", &self.rows.len()).finish_non_exhaustive()
    }
}

impl Synthesis {
    /// What the rows promise, and how close they are to what was measured.
    #[must_use]
    pub fn document(&self) -> &SyntheticDocument {
        &self.document
    }

    /// Writes the rows in this format, with the columns and labels of the domain, and commits.
    ///
    /// # Errors
    /// What the sink reports.
    pub fn write(&self, format: TableFormat, sink: &mut dyn Sink, name: &str) -> Result<(), JobError> {
        sink.write_with(name, &mut |out| write_rows(format, &self.domain, &self.rows, out))?;
        sink.commit()
    }
}

/// Rows with the columns and labels of their domain.
pub(crate) fn write_rows(format: TableFormat, domain: &Domain, rows: &Rows, out: &mut dyn Write) -> io::Result<()> {
    match format {
        TableFormat::Csv => write_csv(domain, rows, out),
        TableFormat::Parquet => write_parquet(domain, rows, out),
    }
}

fn write_parquet(domain: &Domain, rows: &Rows, out: &mut dyn Write) -> io::Result<()> {
    let attributes = domain.attributes();
    let labels: Vec<ParquetLabels> =
        attributes.iter().map(|attribute| ParquetLabels::new(attribute.labels().iter())).collect();
    let mut file = ParquetFile::new(out, attributes.iter().map(|attribute| (attribute.name(), ColumnKind::Text)))?;
    for first in (0..rows.len()).step_by(GROUP_ROWS) {
        let group = first..rows.len().min(first + GROUP_ROWS);
        let columns = labels.iter().enumerate();
        let columns = columns.map(|(i, labels)| ParquetColumn::Labels(labels, &rows.column(i)[group.clone()]));
        file.write_group(&columns.collect::<Vec<_>>())?;
    }
    file.finish()
}

fn write_csv(domain: &Domain, rows: &Rows, out: &mut dyn Write) -> io::Result<()> {
    let attributes = domain.attributes();
    let mut lines = CsvLines::new(out);
    lines.end(&csv_line(attributes.iter().map(|attribute| CsvField::Text(attribute.name()))))?;
    let Some(last) = attributes.len().checked_sub(1) else { return lines.finish() };
    let columns = attributes.iter().enumerate().map(|(attribute, named)| {
        let texts = named.labels().iter().map(|label| field_of_row(label, attribute == last));
        (rows.column(attribute), texts.collect())
    });
    lines.rows(&columns.collect::<Vec<_>>())?;
    lines.finish()
}

/// A label with the comma or the line feed that follows it.
fn field_of_row(label: &str, is_last: bool) -> String {
    let field = [CsvField::Text(label)];
    if is_last { csv_line(field) } else { csv_fields(field) }
}

/// The rows of a request; `promise` is that of the measurement.
pub(crate) fn synthesise<R: Read + Seek>(
    stored: &mut StoredMeasurement<R>,
    promise: Option<Promise>,
    request: &SynthesisRequest,
    rng: &mut dyn CryptoRng,
) -> Result<Synthesis, JobError> {
    let measured = stored.read_all()?;
    let design = measured.design();
    let domain = design.domain().clone();
    let measured_total = total(&measured)?;
    let most_rows = rows_within(request.memory_bytes, domain.len());
    check_rows(request.rows, most_rows)?;
    let spec = ModelSpec {
        zeros: request.structural_zeros(&domain)?,
        most_cells: request.most_cells as f64,
        ..ModelSpec::new(sizes(&domain), measured_total)
    };
    let Fit { model, sets, given } = fit(&measured, &spec, request.too_large, rng)?;
    let rows = request.rows.unwrap_or(measured_total.round().min(f64::from(most_rows)) as u32);
    let drawn = model.rows(rows as usize, rng);
    let simulated = Simulated { model: &model, spec: &spec, measurements: &given, rows: request.rows };
    let report = model.report();
    let holds = |set: AttrSet| sets.iter().any(|other| set.is_subset_of(*other));
    let unmeasured = if request.errors { unmeasured(design, &simulated, &drawn, &sets, rng)? } else { Vec::new() };
    let mut statements = statements(promise.as_ref(), model.weighted_people().is_some(), request.errors);
    let has_fewer_rows = request.rows.is_none() && f64::from(rows) < measured_total.round();
    statements.extend(has_fewer_rows.then(|| FEWER_ROWS.to_owned()));
    let document = SyntheticDocument {
        schema: SyntheticSchema::V1,
        statements,
        promise,
        rows,
        measured_total,
        cliques: model.cliques().into_iter().map(|clique| names(&domain, clique)).collect(),
        weighted_people: model.weighted_people(),
        fit: FitSummary { loss: report.loss, gap: report.gap, steps: report.steps, measurements: given.len() },
        left_out: maximal(design).into_iter().filter(|set| !holds(*set)).map(|set| names(&domain, set)).collect(),
        marginals: marginals(&measured, &drawn, measured_total, holds)?,
        unmeasured,
    };
    Ok(Synthesis { document, domain, rows: drawn })
}

/// What the rows are, and what they are not.
fn statements(promise: Option<&Promise>, is_weighted: bool, has_estimates: bool) -> Vec<String> {
    let guarantee = match promise {
        Some(promise) => format!(
            "The rows are computed from the measurement and random numbers only, so they have its guarantee, {}, however many are drawn.",
            promise.guarantee
        ),
        None => "The measurement has simulated noise: do not publish any of this.".to_owned(),
    };
    let mut statements = vec![
        guarantee,
        "The rows are synthetic: none is a person in the data, although one may resemble a person.".to_owned(),
        if is_weighted { WEIGHTED } else { INDEPENDENT }.to_owned(),
        "The rows are not a sample: standard errors that treat them as one are too small.".to_owned(),
    ];
    if has_estimates {
        statements.push(ESTIMATES.to_owned());
    }
    statements
}

/// What a model adds to what was measured.
const INDEPENDENT: &str = "Beyond what was measured, the model assumes that attributes are independent given the attributes that its tables share.";

/// The same for weights.
const WEIGHTED: &str = "The rows are taken from people simulated from a model of the most informative planned marginals, which are weighted so that all planned marginals fit. Beyond these, the rows follow that model as closely as the weights allow.";

/// What estimates of errors that nothing was measured about are.
const ESTIMATES: &str = "Errors of tables that were not measured are a proxy: the effect of noise on releases simulated from the model, plus the strongest dependence of a measured pair. A pair with a stronger dependence beyond the model has a larger error.";

pub(super) fn names(domain: &Domain, set: AttrSet) -> Vec<String> {
    domain.names(set).map(str::to_owned).collect()
}

/// The planned marginals, the rows beside the unbiased tables.
fn marginals(
    measured: &Measured<StoredNoise>,
    rows: &Rows,
    total: f64,
    holds: impl Fn(AttrSet) -> bool,
) -> Result<Vec<SyntheticMarginal>, JobError> {
    let design = measured.design();
    let sizes = sizes(design.domain());
    let scale = if rows.is_empty() { 0.0 } else { total / rows.len() as f64 };
    let mut summaries = Vec::new();
    for planned in design.marginals().filter(|planned| !planned.attributes.is_empty()) {
        let set = planned.attributes;
        let unbiased = measured.cells(set)?;
        let counts = rows.counts(&sizes, set);
        let distance: f64 = unbiased.iter().zip(&counts).map(|(a, b)| (a - b * scale).abs()).sum();
        let cells = counts.len() as f64;
        let noise = cells * cell_variance(design, set)?.sqrt();
        let largest = largest_eigenvalue(design, set);
        let bound = largest.map(|largest| (distance + noise_bound(cells, largest)) / (2.0 * total));
        summaries.push(SyntheticMarginal {
            attributes: names(design.domain(), set),
            in_model: holds(set),
            distance: distance / (2.0 * total),
            noise: noise / (2.0 * total),
            // Rows and people are within 1 of each other anyway, but for the noise of their number.
            error_bound95: bound.filter(|bound| *bound < 1.0),
        });
    }
    Ok(summaries)
}

/// With probability 95 % the sum of the absolute noise of n cells is below this: it is the largest
/// of 2^n sums with signs, each sub-Gaussian with variance proxy n times the largest eigenvalue of
/// the cells' covariance. As in McKenna et al. (2022), theorem 3, for noise that need not be
/// independent.
fn noise_bound(cells: f64, largest_eigenvalue: f64) -> f64 {
    (2.0 * cells * largest_eigenvalue * (cells * std::f64::consts::LN_2 - OUTSIDE.ln())).sqrt()
}

/// The largest eigenvalue of the covariance of the cells over `set`: that of residual B is
/// `sigma_B^2` times the product of 1 / k over the other attributes. `None` for queries other than
/// categories, and where all attributes are measured together.
fn largest_eigenvalue(design: &Design, set: AttrSet) -> Option<f64> {
    let identity: Vec<bool> = design.attributes().map(|attribute| *attribute.basis == QueryBasis::Identity).collect();
    if design.joint_queries().is_some() || !set.iter().all(|attribute| identity[attribute]) {
        return None;
    }
    let domain = design.domain();
    let values = design.residuals().filter(|(residual, _)| residual.is_subset_of(set)).map(|(residual, sigma2)| {
        let others = set.minus(residual).iter().map(|attribute| domain.cardinality(attribute) as f64);
        sigma2.to_f64() / others.product::<f64>()
    });
    Some(values.fold(0.0, f64::max))
}
