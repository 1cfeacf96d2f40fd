//! Coded rows from a file.

use std::error::Error;

/// The codes of each column: a line of names, and then one integer a column, from 0.
pub(crate) fn columns(path: &str) -> Result<Vec<Vec<u32>>, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let mut lines = text.lines();
    let names = lines.next().ok_or("the file is empty")?.split(',').count();
    let mut columns = vec![Vec::new(); names];
    for line in lines {
        for (column, field) in columns.iter_mut().zip(line.split(',')) {
            column.push(field.parse::<u32>()?);
        }
    }
    Ok(columns)
}

/// One more than the largest code of each column.
pub(crate) fn sizes(columns: &[Vec<u32>]) -> Vec<usize> {
    columns.iter().map(|column| column.iter().max().map_or(1, |&most| most as usize + 1)).collect()
}
