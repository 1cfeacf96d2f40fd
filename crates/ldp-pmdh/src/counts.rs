//! The one question that estimates ask: how many reports support every column of a set.

/// Observed counts of support columns, whichever way they are kept.
///
/// A support column is one bit that the collector reads off a report: see `Schema::columns`. With
/// sampled features a report covers only some features, and estimates need counts among the
/// reports that cover a set of features; without sampling every report covers all, and `covering`
/// changes nothing.
///
/// A report of a parity schema is about one question, a feature or two: then `covering` and the
/// features of `columns` together are a question, and a count is of the reports about exactly that;
/// with `columns`, which are all of its features, of those whose answer is 1.
pub trait Counts {
    /// How many reports were counted, `N`.
    fn reports(&self) -> u64;

    /// How many reports support every column of `columns` and cover every feature of `covering`
    /// (positions in the schema's order, increasing, none twice); with both empty it is `N`.
    /// `None` if such a count is not kept.
    fn count(&self, columns: &[usize], covering: &[usize]) -> Option<u64>;

    /// Counts of every subset of `columns` among the reports that cover `covering`: entry `m` is
    /// the count of the columns whose bit is set in `m`, bit `i` standing for `columns[i]`.
    /// `2^columns.len()` numbers. `None` if one is not kept.
    fn lattice(&self, columns: &[usize], covering: &[usize]) -> Option<Vec<u64>> {
        let members =
            |mask: usize| columns.iter().enumerate().filter(move |(i, _)| mask >> i & 1 == 1).map(|(_, &c)| c);
        (0..1_usize << columns.len()).map(|mask| self.count(&members(mask).collect::<Vec<_>>(), covering)).collect()
    }
}
