//! Which sets of columns are asked for.

use disclosure::ldp::estimate::column_sets;
use disclosure::ldp::{Schema, StateDetail};
use privacy_data::did_you_mean;

use super::spec::Job;
use crate::error::JobError;

/// Most sets that are estimated at once.
const MAX_SETS: usize = 100_000;

/// Most columns that an error names.
const MOST_NAMED: usize = 6;

/// The sets of columns that are estimated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SetRequest {
    /// All single columns and all pairs, as far as the state keeps them.
    #[default]
    Pairs,
    /// All sets of up to this many columns, at most one per feature.
    UpTo(usize),
    /// These: commas within a set, semicolons between sets. A column is `feature`,
    /// `feature=value` or `#1`.
    Listed(String),
}

impl SetRequest {
    /// Refuses what no state answers, before one is read.
    ///
    /// # Errors
    /// E0266 for a column that is not there, E0645 for too many sets.
    pub fn check(&self, job: &Job) -> Result<(), JobError> {
        match self {
            // How many these are depends on the state.
            Self::Pairs => Ok(()),
            Self::UpTo(_) | Self::Listed(_) => self.columns(&job.schema, StateDetail::UpTo(1)).map(drop),
        }
    }

    /// The columns of every set.
    pub(super) fn columns(&self, schema: &Schema, detail: StateDetail) -> Result<Vec<Vec<usize>>, JobError> {
        let kept = match detail {
            // One question is about two features at the most.
            _ if schema.parities().is_some() => 2,
            StateDetail::UpTo(order) => order,
            _ => schema.features().len(),
        };
        let order = match self {
            Self::Listed(listed) => return listed.split(';').map(|set| columns_of(schema, set)).collect(),
            Self::UpTo(order) if schema.parities().is_some() => (*order).min(kept),
            Self::UpTo(order) => *order,
            Self::Pairs => 2.min(kept),
        };
        column_sets(schema, order.min(schema.features().len()), MAX_SETS)
            .map_err(|error| JobError::new("E0645", error.to_string()))
    }
}

/// Columns by name, `feature` or `feature=value`, or by number, `#1`.
fn columns_of(schema: &Schema, set: &str) -> Result<Vec<usize>, JobError> {
    let mut columns = set.split(',').map(|word| column(schema, word.trim())).collect::<Result<Vec<_>, _>>()?;
    columns.sort_unstable();
    Ok(columns)
}

fn column(schema: &Schema, word: &str) -> Result<usize, JobError> {
    let found = match word.strip_prefix('#').and_then(|number| number.parse::<usize>().ok()) {
        Some(number) => number.checked_sub(1).filter(|&column| column < schema.columns().len()),
        None => schema.column_named(word),
    };
    found.ok_or_else(|| unknown(schema, word))
}

fn unknown(schema: &Schema, word: &str) -> JobError {
    let names: Vec<String> = (0..schema.columns().len()).map(|column| schema.column_name(column)).collect();
    let meant = did_you_mean(word, names.iter().map(String::as_str));
    let (first, more) = (&names[..names.len().min(MOST_NAMED)], names.len() > MOST_NAMED);
    JobError::new("E0266", format!("column {word:?} does not exist{meant}")).next(format!(
        "columns are {}{}",
        first.join(", "),
        if more { ", ..." } else { "" }
    ))
}
