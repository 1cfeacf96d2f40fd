//! Counts of a few columns, from wherever they are kept.

use super::lattice::Lattice;
use super::union::Union;
use super::{EstimateError, MOST_TABLE_COLUMNS};
use crate::counts::Counts;
use ldp_client::Schema;

/// Counts with the schema that says what they are of.
#[derive(Debug)]
pub(super) struct Source<'a, C: ?Sized> {
    pub(super) schema: &'a Schema,
    pub(super) counts: &'a C,
}

impl<C: ?Sized> Clone for Source<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: ?Sized> Copy for Source<'_, C> {}

impl<C: Counts + ?Sized> Source<'_, C> {
    /// What is counted of one set: all its subsets, or the set as one column where features are
    /// answered together.
    pub(super) fn of_set(&self, union: &Union) -> Result<Lattice, EstimateError> {
        self.joint_column(union)?.map_or_else(|| self.lattice(union), Ok)
    }

    /// Counts of all subsets of a union, among the reports that cover all its features.
    pub(super) fn lattice(&self, union: &Union) -> Result<Lattice, EstimateError> {
        let columns = &union.columns;
        if columns.len() > MOST_TABLE_COLUMNS {
            return Err(EstimateError::TooManyColumns { columns: columns.len(), most: MOST_TABLE_COLUMNS });
        }
        // Without sampled features every report covers all, and no coverage is stored.
        let covering = if self.schema.is_sampled() { &union.features[..] } else { &[] };
        // Covariances of two values of a feature need their joint count, which is 0 for
        // generalised response and may lie beyond the order that is kept.
        let counts = match self.exclusive(columns) {
            None => self.counts.lattice(columns, covering),
            Some(exclusive) => self.lattice_without(&exclusive, columns, covering),
        };
        let counts = counts.ok_or(EstimateError::OrderNotKept { order: columns.len() })?;
        let channels = columns.iter().map(|&column| self.schema.columns()[column].channel).collect();
        Ok(Lattice { channels, counts: counts.into_iter().map(|count| count as f64).collect() })
    }

    /// Pairs of neighbours among the columns, as masks, that no report has both of: two values of
    /// a feature that is shown as one. A union has at most two columns of a feature, side by side.
    fn exclusive(&self, columns: &[usize]) -> Option<Vec<usize>> {
        let known = self.schema.columns();
        let exclusive = |i: &usize| {
            let feature = known[columns[*i]].feature;
            self.schema.features()[feature].supported() == Some(1) && known[columns[i + 1]].feature == feature
        };
        let pairs: Vec<usize> = (0..columns.len().saturating_sub(1)).filter(exclusive).map(|i| 3 << i).collect();
        (!pairs.is_empty()).then_some(pairs)
    }

    /// The counts of all subsets, where those with an exclusive pair need not be kept: they
    /// are 0.
    fn lattice_without(&self, exclusive: &[usize], columns: &[usize], covering: &[usize]) -> Option<Vec<u64>> {
        let members =
            |mask: usize| columns.iter().enumerate().filter(move |(i, _)| mask >> i & 1 == 1).map(|(_, &c)| c);
        let count = |mask: usize| match exclusive.iter().any(|pair| mask & pair == *pair) {
            true => Some(0),
            false => self.counts.count(&members(mask).collect::<Vec<_>>(), covering),
        };
        (0..1_usize << columns.len()).map(count).collect()
    }

    /// Reports that cover the features of a set.
    pub(super) fn covering(&self, set: &[usize]) -> Result<f64, EstimateError> {
        let mut features = Vec::new();
        if self.schema.is_sampled() {
            features.extend(set.iter().map(|&column| self.schema.columns()[column].feature));
            features.sort_unstable();
        }
        let count = self.counts.count(&[], &features);
        count.map(|count| count as f64).ok_or(EstimateError::OrderNotKept { order: features.len() })
    }
}
