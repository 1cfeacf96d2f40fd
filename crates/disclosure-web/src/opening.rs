//! Opening the data: what their form is, what their columns look like, and how many rows each
//! category has. All of it is for the owner of the data.

use std::sync::OnceLock;

use disclosure_jobs::JobError;
use disclosure_jobs::input::{DataSource, OpenedSource};
use disclosure_jobs::observer::{Observer, check_stop, during};
use disclosure_jobs::privacy_data::{CsvOptions, Encoding, LearnSpec, LeftOutReason, Microdata};

use crate::app::App;
use crate::choices::{Choices, Column, Treatment};
use crate::data::Data;
use crate::project::Opening;

/// What a table is like, with what was said about some columns.
///
/// # Errors
/// Those of data that cannot be read, with line and code; E0108 for a stop.
pub(crate) fn open(app: &App, data: &Data, choices: &Choices, observer: &dyn Observer) -> Result<Opening, JobError> {
    let source = data.open(app, &observer.stop_flag())?;
    let form = match &source {
        OpenedSource::Text(source) => source.form().map_err(|error| data.renamed(error))?,
        OpenedSource::Engine(_) => Some("columns with types".to_owned()),
    };
    let options = options(choices);
    let learn = learn_spec(choices);
    let learnt = during(observer, "reading", || source.learn_domain_with(&options, &learn))
        .map_err(|error| data.renamed(error))?;
    check_stop(observer)?;
    let schema = learnt.clone().into_schema()?;
    let rows =
        during(observer, "counting", || source.read_rows(&schema, &options)).map_err(|error| data.renamed(error))?;
    let refused = learnt.left_out.iter().map(|left| (left.column.clone(), reason(left.reason).to_owned()));
    Ok(Opening {
        form,
        refused: refused.collect(),
        rows: rows.total(),
        counts: (0..schema.domain().len()).map(|attribute| counts(&rows, attribute)).collect(),
        domain: learnt.to_toml(),
        parsed: OnceLock::new(),
    })
}

fn options(choices: &Choices) -> CsvOptions {
    let encoding = if choices.is_latin1 { Encoding::Latin1 } else { Encoding::Utf8 };
    CsvOptions { encoding, ..CsvOptions::default() }
}

/// What the person said about columns.
fn learn_spec(choices: &Choices) -> LearnSpec {
    let mut spec = LearnSpec { missing: choices.missing.clone(), ..LearnSpec::default() };
    for Column { name, treatment, .. } in &choices.columns {
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
            "more than 1000 different values: an identifier, numbers that need bins, or free text"
        }
        LeftOutReason::LongText => "a value of more than 256 bytes: free text",
        LeftOutReason::NoName => "the header has no name for it",
        LeftOutReason::TooManyAttributes => "there are 128 attributes before it, the limit of a domain",
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
