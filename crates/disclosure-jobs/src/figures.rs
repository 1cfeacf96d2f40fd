//! Numbers in sentences: no more digits than they deserve, and costs that never read low.

pub use disclosure_report::number::{count, short, short_down, short_up, with_error};

/// A number of things, in words: "1 table", "12 tables".
#[must_use]
pub fn number(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(number as f64), if number == 1 { one } else { many })
}

/// A share with one decimal.
#[must_use]
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
