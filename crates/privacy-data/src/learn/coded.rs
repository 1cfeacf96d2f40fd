//! The domain that coded columns look like: the rules for a file, a text at a time.

use super::{DomainFile, LearnSpec, Seen, domain_file};
use crate::coded::CodedTable;
use crate::dialect::DecimalMark;
use crate::error::DataError;
use crate::read::CsvOptions;

/// Writes down what the columns of a table look like, by the rules for a file. Every column has to
/// be coded.
///
/// # Errors
/// As for a file; the place of a number without a bin is line 1 and its column.
pub fn learn_coded(table: &CodedTable, options: &CsvOptions, learn: &LearnSpec) -> Result<DomainFile, DataError> {
    learn.binned().try_for_each(|name| table.position(name).map(|_| ()))?;
    let count = options.count_column.as_deref().map(|name| table.position(name)).transpose()?;
    let mut columns = Vec::with_capacity(table.header().len());
    for (field, name) in table.header().iter().enumerate() {
        let (column, mut seen) = (table.coded(name)?, Seen::new(name.clone(), learn));
        for (text, times) in column.texts().iter().zip(column.occurrences()) {
            // Only numbers in quantiles ask how often.
            let times = if seen.numbers.is_some() { times } else { times.min(1) };
            for _ in 0..times {
                let added = seen.add(text.as_bytes(), learn, DecimalMark::Point);
                added.map_err(|defect| DataError::at_field(1, field + 1, defect).of(name))?;
            }
        }
        columns.push(seen);
    }
    let quantiles = learn.quantiles.iter().map(|(name, _)| name.clone()).collect();
    Ok(DomainFile { quantile_bins: quantiles, ..domain_file(columns, count)? })
}
