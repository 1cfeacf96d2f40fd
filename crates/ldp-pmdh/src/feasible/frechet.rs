//! Counts of two columns that some table has.
//!
//! After the counts `t_i`, `t_j` are brought within 0 and `N`, `t_ij` follows as their normal law
//! says, and is brought within `max(0, t_i + t_j - N) ..= min(t_i, t_j)` (Frechet, Hoeffding).
//! More than two columns bound each other further; that is not used.

/// Feasible counts near the estimates `[t_i, t_j, t_ij]` with this covariance.
#[must_use]
pub fn frechet_pair(people: f64, counts: [f64; 3], covariance: &[[f64; 3]; 3]) -> [f64; 3] {
    let [ti, tj, both] = counts;
    let (si, sj) = (ti.clamp(0.0, people), tj.clamp(0.0, people));
    let [[vi, cij, _], [_, vj, _], [bi, bj, _]] = covariance;
    let determinant = vi * vj - cij * cij;
    // Singles that were moved pull the pair along, by its regression on them.
    let follows = if determinant > 0.0 {
        let (di, dj) = (si - ti, sj - tj);
        (bi * (vj * di - cij * dj) + bj * (vi * dj - cij * di)) / determinant
    } else {
        0.0
    };
    let (low, high) = ((si + sj - people).max(0.0), si.min(sj));
    [si, sj, (both + follows).clamp(low.min(high), high)]
}
