//! Counts of two columns that some table has.
//!
//! The counts `t_i`, `t_j` are brought within 0 and `N`, and then `t_ij` within
//! `max(0, t_i + t_j - N) ..= min(t_i, t_j)` (Frechet, Hoeffding). A count that was moved lies at
//! 0 or at `N` and leaves one value of `t_ij`, so that a regression of `t_ij` on what was moved
//! would change nothing. More than two columns bound each other further; that is not used.

/// Feasible counts near the estimates `[t_i, t_j, t_ij]`.
#[must_use]
pub fn frechet_pair(people: f64, counts: [f64; 3]) -> [f64; 3] {
    let [ti, tj, both] = counts;
    let (si, sj) = (ti.clamp(0.0, people), tj.clamp(0.0, people));
    let (low, high) = ((si + sj - people).max(0.0), si.min(sj));
    [si, sj, both.clamp(low.min(high), high)]
}
