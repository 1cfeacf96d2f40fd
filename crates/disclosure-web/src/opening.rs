//! Opening the data: what their form is, what their columns look like, and how many rows each
//! category has. All of it is for the owner of the data.

use std::path::Path;

use disclosure_jobs::JobError;
use disclosure_jobs::input::{CsvSource, DataSource, FormatSpec};
use disclosure_jobs::observer::{Observer, check_stop, during};
use disclosure_jobs::privacy_data::{CsvOptions, DomainFile, Encoding, LearnSpec, LeftOutReason, Microdata};

use crate::choices::{Choices, Column, Treatment};
use crate::project::Opening;

/// What a file is like, with what was said about some columns.
///
/// # Errors
/// Those of a file that cannot be read, with line and code; E0108 for a stop.
pub(crate) fn open(path: &Path, shown: &str, choices: &Choices, observer: &dyn Observer) -> Result<Opening, JobError> {
    let source = source(path, observer);
    let named = |error: JobError| rename(error, path, shown);
    let form = source.form().map_err(named)?;
    let options = options(choices);
    let learn = learn_spec(choices);
    let learnt = during(observer, "reading", || source.learn_domain_with(&options, &learn)).map_err(named)?;
    check_stop(observer)?;
    let schema = learnt.clone().into_schema()?;
    let rows = during(observer, "counting", || source.read_rows(&schema, &options)).map_err(named)?;
    let refused = learnt.left_out.iter().map(|left| (left.column.clone(), reason(left.reason).to_owned()));
    Ok(Opening {
        form,
        refused: refused.collect(),
        rows: rows.total(),
        counts: (0..schema.domain().len()).map(|attribute| counts(&rows, attribute)).collect(),
        domain: learnt.to_toml(),
    })
}

/// The file as a table.
pub(crate) fn source(path: &Path, observer: &dyn Observer) -> CsvSource {
    CsvSource::file(path).with_format(FormatSpec::default()).with_stop(observer.stop_flag())
}

/// Messages name the file as the person chose it, and not where the folder is.
fn rename(error: JobError, path: &Path, shown: &str) -> JobError {
    let message = error.message().replace(&path.display().to_string(), shown);
    let next = error.next_step().map(str::to_owned);
    let renamed = JobError::new(error.code(), message);
    match next {
        Some(next) => renamed.next(next),
        None => renamed,
    }
}

fn options(choices: &Choices) -> CsvOptions {
    let encoding = if choices.is_latin1 { Encoding::Latin1 } else { Encoding::Utf8 };
    CsvOptions { encoding, ..CsvOptions::default() }
}

/// What the person said about columns.
fn learn_spec(choices: &Choices) -> LearnSpec {
    let mut spec = LearnSpec { missing: choices.missing.clone(), ..LearnSpec::default() };
    for Column { name, treatment } in &choices.columns {
        match treatment {
            Treatment::Bins(edges) => spec.bins.push((name.clone(), edges.clone())),
            Treatment::Quantiles(bins) => spec.quantiles.push((name.clone(), *bins)),
            Treatment::Values | Treatment::Person | Treatment::LeftOut => {}
        }
    }
    spec
}

fn reason(reason: LeftOutReason) -> &'static str {
    match reason {
        LeftOutReason::TooManyValues => {
            "more than 1000 different values: an identifier, numbers that want bins, or free text"
        }
        LeftOutReason::LongText => "a value of more than 256 bytes: free text",
        LeftOutReason::NoName => "the header has no name for it",
        LeftOutReason::TooManyAttributes => "128 attributes stand before it, and a domain has no more",
        _ => "it cannot be an attribute",
    }
}

/// Rows of each category of an attribute.
fn counts(rows: &Microdata, attribute: usize) -> Vec<u64> {
    let mut counts = vec![0; rows.domain().cardinality(attribute)];
    let weights = rows.weights();
    for (row, code) in rows.codes(attribute).enumerate() {
        if let Some(count) = counts.get_mut(code as usize) {
            *count += weights.and_then(|weights| weights.get(row)).copied().unwrap_or(1);
        }
    }
    counts
}

/// The columns of an opening, with what the person said of those that were there before. A column
/// that cannot be an attribute is left out.
pub(crate) fn columns(opening: &Opening, before: &[Column]) -> Result<Vec<Column>, JobError> {
    let domain = opening.domain()?;
    let names = domain.attributes.iter().map(|attribute| (&attribute.name, Treatment::Values));
    let refused = opening.refused.iter().filter(|(name, _)| !name.is_empty());
    let names = names.chain(refused.map(|(name, _)| (name, Treatment::LeftOut)));
    Ok(names
        .map(|(name, default)| {
            let known = before.iter().find(|column| column.name == *name).map(|column| column.treatment.clone());
            // What cannot be values stays out, whatever was said.
            let treatment = match (known, &default) {
                (Some(Treatment::Values), Treatment::LeftOut) | (None, _) => default,
                (Some(treatment), _) => treatment,
            };
            Column { name: name.clone(), treatment }
        })
        .collect())
}

/// The attributes that the person wants: those that were learnt, without columns that are left out
/// or say who is the same person.
///
/// # Errors
/// Those of a project file that somebody changed; E0706 when no attribute is left.
pub(crate) fn wanted_domain(opening: &Opening, choices: &Choices) -> Result<DomainFile, JobError> {
    let mut domain = opening.domain()?;
    domain.domain_is_public = choices.is_public;
    domain.attributes.retain(|attribute| is_attribute(choices, &attribute.name));
    match domain.attributes.is_empty() {
        true => Err(JobError::new("E0706", "no column is an attribute: keep at least one")),
        false => Ok(domain),
    }
}

/// Whether a column is an attribute.
pub(crate) fn is_attribute(choices: &Choices, name: &str) -> bool {
    let column = choices.columns.iter().find(|column| column.name == name);
    column.is_some_and(|column| !matches!(column.treatment, Treatment::Person | Treatment::LeftOut))
}
