//! The keys of people: what a line of the data says, under the secret.

use disclosure::frechet::{KeyedCounts, KeyedTable};
use disclosure::privacy_core::prf::Secret;
use disclosure::privacy_core::{AttrSet, Attribute, Domain};
use privacy_data::Microdata;

use crate::error::JobError;

/// The table over the named attributes, each person with a key of everything that the data say.
pub(super) fn keyed(rows: &Microdata, named: AttrSet, domain: Domain, secret: &Secret) -> Result<KeyedTable, JobError> {
    let all = rows.domain();
    let mut order: Vec<usize> = (0..all.len()).collect();
    // By name, so that the order of the columns does not matter.
    order.sort_by_key(|&attribute| all.attributes()[attribute].name());
    let fields: Vec<Vec<Vec<u8>>> = order.iter().map(|&attribute| fields(&all.attributes()[attribute])).collect();
    let columns: Vec<Vec<u32>> = (0..all.len()).map(|attribute| rows.codes(attribute).collect()).collect();
    let mut people = KeyedCounts::new(domain, secret)?;
    let (mut line, mut levels) = (Vec::new(), Vec::new());
    for row in 0..rows.rows() {
        line.clear();
        levels.clear();
        for (fields, &attribute) in fields.iter().zip(&order) {
            line.extend_from_slice(&fields[columns[attribute][row] as usize]);
        }
        levels.extend(named.iter().map(|attribute| columns[attribute][row] as usize));
        people.add(&levels, &line, rows.weights().map_or(1, |weights| weights[row]))?;
    }
    Ok(people.finish()?)
}

/// What a line says of an attribute, for each of its levels.
fn fields(attribute: &Attribute) -> Vec<Vec<u8>> {
    attribute.labels().iter().map(|label| field(attribute.name(), label)).collect()
}

/// A name and its label, each after its length, so that no two lines are spelt alike.
fn field(name: &str, label: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for word in [name, label] {
        bytes.extend_from_slice(&(word.len() as u64).to_le_bytes());
        bytes.extend_from_slice(word.as_bytes());
    }
    bytes
}
