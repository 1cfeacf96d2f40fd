//! Documents as bytes, and records of the files that hold them.

use serde::{Deserialize, Serialize};

use crate::digest::sha256;

/// A file that was written: its name below the place that was written to, its digest, its size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDigest {
    /// The name, with `/` between folders.
    pub name: String,
    /// SHA-256 of its bytes, 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// How many bytes it has.
    pub bytes: u64,
}

impl FileDigest {
    /// The record of a file with these bytes.
    #[must_use]
    pub fn of_bytes(name: impl Into<String>, bytes: &[u8]) -> Self {
        Self { name: name.into(), sha256: sha256(bytes), bytes: bytes.len() as u64 }
    }
}

/// A JSON document as the bytes of a file: indented, with a line feed at its end.
///
/// # Panics
/// Never for the documents of this crate, whose keys are strings and whose numbers are finite or
/// `null`.
#[must_use]
pub fn json_of(document: &impl Serialize) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(document).expect("documents here have string keys and finite numbers");
    text.push(b'\n');
    text
}

/// Name of the file of a table: its number, and its attributes as far as a file name can hold
/// them.
#[must_use]
pub fn file_name(number: usize, total: usize, attributes: &[String]) -> String {
    let digits = total.saturating_sub(1).max(1).ilog10() as usize + 1;
    let plain = |name: &String| -> String {
        let keep = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        name.chars().map(keep).take(24).collect()
    };
    let names: Vec<String> = attributes.iter().map(plain).collect();
    // A name of nothing but other characters says nothing.
    let said = names.iter().map(|name| if name.chars().all(|c| c == '-') { "attribute" } else { name.as_str() });
    let stem = if names.is_empty() { "total".to_owned() } else { said.collect::<Vec<_>>().join("_by_") };
    format!("{number:0digits$}-{}.csv", stem.chars().take(160).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_safe_and_sort_as_the_workload() {
        let names = |parts: &[&str]| parts.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>();
        assert_eq!(file_name(0, 1, &[]), "0-total.csv");
        assert_eq!(file_name(7, 11, &names(&["Age", "Hours/Week"])), "07-age_by_hours-week.csv");
        assert_eq!(file_name(3, 1000, &names(&["../../etc"])), "003-------etc.csv");
        assert!(file_name(3, 10, &vec!["x".repeat(300); 20]).len() < 200);
    }
}
