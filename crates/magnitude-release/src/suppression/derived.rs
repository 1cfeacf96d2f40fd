//! Sums of withheld cells that one relation gives away: a published total less its published
//! parts. Such a sum is judged as if it were published, which it is.

use std::collections::BTreeSet;

use crate::table::magnitude::MagnitudeTable;

/// For each relation whose total is published, its withheld parts, if there are at least two. One
/// alone is the cell itself.
pub(crate) fn derived_sums(table: &MagnitudeTable, is_withheld: &[bool]) -> Vec<Vec<usize>> {
    let mut found = BTreeSet::new();
    for relation in &table.additive.relations {
        let is_total_withheld = relation.terms.iter().any(|&(cell, is_taken)| is_taken && is_withheld[cell]);
        let parts: Vec<usize> = relation
            .terms
            .iter()
            .filter(|&&(cell, is_taken)| !is_taken && is_withheld[cell])
            .map(|own| own.0)
            .collect();
        if !is_total_withheld && parts.len() > 1 {
            found.insert(parts);
        }
    }
    found.into_iter().collect()
}
