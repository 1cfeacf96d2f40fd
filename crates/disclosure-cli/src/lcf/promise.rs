//! What every output of the filter says first.

use disclosure::lcf::{ColumnRule, DrawMode, FilterDescription};
use serde::Serialize;

/// The first line of every output.
pub(super) const NOT_PRIVATE: &str = "Sticky interactive use is not differential privacy: \
     where two answers differ by one person, they can prove that person.";

/// The kinds of promise behind an output.
#[derive(Debug, Serialize)]
pub(super) struct Promise {
    pub(super) warning: &'static str,
    pub(super) guarantee: String,
    pub(super) calibration: &'static str,
    /// What the publication of one table promises besides; null in query mode.
    pub(super) publication: Option<&'static str>,
}

impl Promise {
    pub(super) fn of(filter: &FilterDescription) -> Self {
        let least: Vec<String> = filter
            .columns()
            .iter()
            .map(|column| format!("{} different entities of kind {:?}", column.thresholds.floor(), column.kind))
            .collect();
        let (joined, which) = match (filter.columns().len(), filter.rule()) {
            (1, _) => (least.concat(), ""),
            (_, ColumnRule::All) => (least.join(" and "), ""),
            (_, ColumnRule::WorkingColumn) => (least.join(" or "), ", of the kind that it has the fewest of"),
        };
        Self {
            warning: NOT_PRIVATE,
            guarantee: format!("every group that is shown has at least {joined}{which}"),
            calibration: match filter.mode() {
                DrawMode::Query => {
                    "whoever has not the secret sees each set of entities shown with the probability of the law, once and \
                     for all; the numbers of rows are exact"
                }
                DrawMode::Publish => {
                    "whoever has not the secret sees each group shown with the probability of the law, for one publication; \
                     the numbers of rows are exact"
                }
            },
            publication: (filter.mode() == DrawMode::Publish).then(|| match filter.columns().len() {
                1 => {
                    "guarantee: which groups one publication shows is (epsilon, delta)-differentially private as lcf odds says of \
                     this law, one entity added or removed, against whoever has not the secret; the numbers of rows are not covered"
                }
                _ => {
                    "no (epsilon, delta) is promised with several columns of identifiers: one entity more can change which decides"
                }
            }),
        }
    }
}
