//! The keys of people: what a line of the data says, under the secret.

use disclosure::frechet::{KeyedCounts, KeyedTable};
use disclosure::privacy_core::prf::Secret;
use disclosure::privacy_core::{AttrSet, Domain};
use privacy_data::Microdata;

use crate::error::JobError;

/// The table over the named attributes, each person with a key of everything that the data say.
pub(super) fn keyed(rows: &Microdata, named: AttrSet, domain: Domain, secret: &Secret) -> Result<KeyedTable, JobError> {
    let all = rows.domain();
    let mut order: Vec<usize> = (0..all.len()).collect();
    // By name, so that the order of the columns does not matter.
    order.sort_by_key(|&attribute| all.attributes()[attribute].name());
    let columns: Vec<Vec<u32>> = (0..all.len()).map(|attribute| rows.codes(attribute).collect()).collect();
    let mut people = KeyedCounts::new(domain, secret)?;
    let (mut line, mut levels) = (Vec::new(), Vec::new());
    for row in 0..rows.rows() {
        line.clear();
        levels.clear();
        for &attribute in &order {
            let of = &all.attributes()[attribute];
            say(&mut line, of.name(), &of.labels()[columns[attribute][row] as usize]);
        }
        levels.extend(named.iter().map(|attribute| columns[attribute][row] as usize));
        people.add(&levels, &line, rows.weights().map_or(1, |weights| weights[row]))?;
    }
    Ok(people.finish()?)
}

/// A name and its label, each after its length, so that no two lines are spelt alike.
fn say(line: &mut Vec<u8>, name: &str, label: &str) {
    for word in [name, label] {
        line.extend_from_slice(&(word.len() as u64).to_le_bytes());
        line.extend_from_slice(word.as_bytes());
    }
}
