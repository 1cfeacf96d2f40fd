//! Documents as bytes, and records of the files that hold them.

use privacy_data::TableFormat;
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
pub fn file_name(number: usize, total: usize, attributes: &[String], format: TableFormat) -> String {
    let digits = total.saturating_sub(1).max(1).ilog10() as usize + 1;
    let plain = |name: &String| -> String {
        let keep = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        name.chars().map(keep).take(24).collect()
    };
    let names: Vec<String> = attributes.iter().map(plain).collect();
    // A name of nothing but other characters says nothing.
    let said = names.iter().map(|name| if name.chars().all(|c| c == '-') { "attribute" } else { name.as_str() });
    let stem = if names.is_empty() { "total".to_owned() } else { said.collect::<Vec<_>>().join("_by_") };
    format!("{number:0digits$}-{}.{}", stem.chars().take(160).collect::<String>(), format.extension())
}

/// Who answers for a release, and when it was made: as the job says, which is as people write it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imprint {
    /// Who answers for the release; absent where the job does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The date of the release; absent where nobody said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

impl Imprint {
    /// Dates the release, unless the job does.
    pub(crate) fn date_by_default(&mut self, date: &str) {
        self.date.get_or_insert_with(|| date.to_owned());
    }
}

/// A job of noisy tables that was planned: the program that carries it out may name and date it,
/// where its spec does not.
pub trait Titled: Sized {
    /// The title, if the spec has one, and the imprint.
    fn heading_mut(&mut self) -> (&mut Option<String>, &mut Imprint);

    /// Names the job, unless its spec has a title.
    #[must_use]
    fn with_default_title(mut self, title: &str) -> Self {
        self.heading_mut().0.get_or_insert_with(|| title.to_owned());
        self
    }

    /// Dates the release, unless its spec does.
    #[must_use]
    fn with_default_date(mut self, date: &str) -> Self {
        self.heading_mut().1.date_by_default(date);
        self
    }
}

/// The day of a time in seconds since 1970, in UTC: for example `2026-11-23`.
///
/// The years are those of the Gregorian calendar, in eras of 400 years that begin on 1 March.
#[must_use]
pub fn date_of(seconds: u64) -> String {
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (400 * era + year, month + 3) } else { (400 * era + year + 1, month - 9) };
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_safe_and_sort_as_the_workload() {
        let names = |parts: &[&str]| parts.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>();
        let csv = TableFormat::Csv;
        assert_eq!(file_name(0, 1, &[], csv), "0-total.csv");
        assert_eq!(file_name(7, 11, &names(&["Age", "Hours/Week"]), csv), "07-age_by_hours-week.csv");
        assert_eq!(file_name(3, 1000, &names(&["../../etc"]), TableFormat::Parquet), "003-------etc.parquet");
        assert!(file_name(3, 10, &vec!["x".repeat(300); 20], csv).len() < 200);
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        // From `date -u -d @SECONDS +%F`.
        for (seconds, date) in [
            (0, "1970-01-01"),
            (86_399, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_709_164_800, "2024-02-29"),
            (1_735_689_599, "2024-12-31"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(date_of(seconds), date);
        }
    }
}
