//! What a person says about columns before they are learnt.

use super::numbers::Numbers;

/// What a person says about some columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LearnSpec {
    /// Columns with the edges of their bins, in increasing order. Numbers above the last edge have
    /// a bin of their own.
    pub bins: Vec<(String, Vec<f64>)>,
    /// Columns with a number of bins, at least 2, of about as many rows each. The edges are values
    /// of the data.
    pub quantiles: Vec<(String, usize)>,
    /// Texts of missing values in any column, besides the empty field.
    pub missing: Vec<String>,
}

impl LearnSpec {
    /// The columns that get bins.
    pub(super) fn binned(&self) -> impl Iterator<Item = &str> {
        let given = self.bins.iter().map(|(name, _)| name);
        given.chain(self.quantiles.iter().map(|(name, _)| name)).map(String::as_str)
    }

    /// How the numbers of a column are collected; `None` where its values are labels.
    pub(super) fn bins_of(&self, name: &str) -> Option<Numbers> {
        let given = self.bins.iter().find(|(column, _)| column == name);
        let quantiles = || self.quantiles.iter().find(|(column, _)| column == name);
        match given {
            Some((_, edges)) => Some(Numbers::between(edges)),
            None => quantiles().map(|&(_, bins)| Numbers::in_quantiles(bins)),
        }
    }
}
