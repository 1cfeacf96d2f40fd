//! Readings of features that are answered together as one symbol.
//!
//! With chance `k` a report shows the true values of all features that it covers, else each is
//! uniform. A set `J` of columns, at most one per feature, of features with `m_J` combinations of
//! values, is supported (`b_J = 1`) with chance `p_J = (1 - k) / m_J` by those who do not have it
//! and `p_J + k` by those who do, whatever else was drawn:
//!
//! ```text
//! Z_J      = (b_J - p_J) / k                               E Z_J = x_J                  (1.14)
//! Z_J Z_K  = (b_U - p_J b_K - p_K b_J + p_J p_K) / k^2     for b_J b_K = b_U            (1.15)
//! ```
//!
//! `b_U = 0` where the sets name two values of one feature. So a covariance takes four counts,
//! whatever the sets are, and a variance is that of one column with the channel `(p_J, p_J + k)`.
//! Source: `docs/math/ldp-pmdh.md`, section 6.

use super::EstimateError;
use super::lattice::Lattice;
use super::sets::Together;
use super::source::Source;
use super::union::Union;
use crate::counts::Counts;
use ldp_client::Channel;

impl<C: Counts + ?Sized> Source<'_, C> {
    /// A set of columns of a joint symbol as one column; `None` if features are randomised by
    /// themselves, and for the set of nothing, which everybody has.
    pub(super) fn joint_column(&self, union: &Union) -> Result<Option<Lattice>, EstimateError> {
        let Some(channel) = self.joint_channel(&union.columns)? else { return Ok(None) };
        if union.columns.is_empty() {
            return Ok(None);
        }
        let counts = vec![self.covering_all(union)?, self.count(&union.columns, union)?];
        Ok(Some(Lattice { channels: vec![channel], counts }))
    }

    /// The sums over the reports that cover both sets of columns of a joint symbol; `None` if
    /// features are randomised by themselves.
    pub(super) fn joint_together(&self, union: &Union) -> Result<Option<Together>, EstimateError> {
        let (first, second) = (union.first_columns(), union.second_columns());
        let (Some(one), Some(other)) = (self.joint_channel(&first)?, self.joint_channel(&second)?) else {
            return Ok(None);
        };
        let reports = self.covering_all(union)?;
        let [c_first, c_second] = [self.count(&first, union)?, self.count(&second, union)?];
        // Of two values of a feature a report shows one at the most.
        let c_both = if union.contradict() { 0.0 } else { self.count(&union.columns, union)? };
        let reading = |count: f64, channel: Channel| (count - reports * channel.p()) / channel.gap();
        let (p, q) = (one.p(), other.p());
        let products = c_both - p * c_second - q * c_first + reports * p * q;
        let both = match self.joint_channel(&union.columns)? {
            Some(channel) if !union.contradict() => reading(c_both, channel),
            _ => 0.0,
        };
        Ok(Some(Together {
            reports,
            moment: products / (one.gap() * other.gap()),
            first: reading(c_first, one),
            second: reading(c_second, other),
            both,
        }))
    }

    fn joint_channel(&self, set: &[usize]) -> Result<Option<Channel>, EstimateError> {
        let channel = self.schema.joint_channel(set).transpose();
        channel.map_err(|_| EstimateError::NothingToRead { columns: set.len() })
    }

    /// Reports that cover all features of a union.
    fn covering_all(&self, union: &Union) -> Result<f64, EstimateError> {
        self.count(&[], union)
    }

    /// Reports that cover all features of a union and support some of its columns.
    fn count(&self, columns: &[usize], union: &Union) -> Result<f64, EstimateError> {
        // Without sampled features every report covers all, and no coverage is stored.
        let covering = if self.schema.is_sampled() { &union.features[..] } else { &[] };
        let count = self.counts.count(columns, covering);
        count.map(|count| count as f64).ok_or(EstimateError::OrderNotKept { order: union.features.len() })
    }
}
