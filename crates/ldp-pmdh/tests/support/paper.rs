//! The theorems in exact fractions, written as the source prints them, for columns with channels
//! of their own.

use super::fraction::{Fraction, fraction};

/// `(p, q)` of each column.
pub(crate) type Columns = Vec<(Fraction, Fraction)>;

pub(crate) fn three_columns() -> Columns {
    vec![(fraction(1, 10), fraction(4, 5)), (fraction(1, 4), fraction(3, 4)), (fraction(1, 5), fraction(1, 2))]
}

pub(crate) fn alike(n: usize) -> Columns {
    vec![(fraction(1, 10), fraction(4, 5)); n]
}

/// Members of a set that is a mask.
pub(crate) fn members(set: usize) -> impl Iterator<Item = usize> {
    (0..usize::BITS as usize).filter(move |i| set >> i & 1 == 1)
}

/// All subsets of a set.
pub(crate) fn subsets(set: usize) -> impl Iterator<Item = usize> {
    (0..=set).filter(move |subset| subset & !set == 0)
}

pub(crate) fn product(set: usize, factor: impl Fn(usize) -> Fraction) -> Fraction {
    members(set).map(factor).product()
}

/// Probability of report `y` from row `x`.
pub(crate) fn probability(columns: &Columns, x: usize, y: usize) -> Fraction {
    let of = |(i, &(p, q)): (usize, &(Fraction, Fraction))| {
        let one = if x >> i & 1 == 1 { q } else { p };
        if y >> i & 1 == 1 { one } else { Fraction::ONE - one }
    };
    columns.iter().enumerate().map(of).product()
}

/// 1 when a row has all columns of the set.
pub(crate) fn has(row: usize, set: usize) -> Fraction {
    if row & set == set { Fraction::ONE } else { Fraction::ZERO }
}

/// Theorem 3.5.
pub(crate) fn estimate(columns: &Columns, set: usize, c: &dyn Fn(usize) -> Fraction) -> Fraction {
    let scale = product(set, |i| Fraction::ONE / (columns[i].1 - columns[i].0));
    scale * subsets(set).map(|s| c(s) * product(set & !s, |i| -columns[i].0)).sum::<Fraction>()
}

/// Theorem 3.1.
pub(crate) fn mean(columns: &Columns, set: usize, t: &dyn Fn(usize) -> Fraction) -> Fraction {
    let term = |s: usize| t(s) * product(s, |i| columns[i].1 - columns[i].0) * product(set & !s, |i| columns[i].0);
    subsets(set).map(term).sum()
}

/// Theorem 3.3, and 3.2 for equal sets.
pub(crate) fn count_covariance(columns: &Columns, j: usize, k: usize, t: &dyn Fn(usize) -> Fraction) -> Fraction {
    let (union, both) = (j | k, j & k);
    let term = |s: usize| {
        let outside = product(union & !s, |i| columns[i].0);
        let inner = product(s & both, |i| columns[i].1 + columns[i].0) * product(both & !s, |i| columns[i].0);
        t(s) * product(s, |i| columns[i].1 - columns[i].0) * outside * (Fraction::ONE - inner)
    };
    subsets(union).map(term).sum()
}

/// Theorem 3.6.
pub(crate) fn covariance(columns: &Columns, j: usize, k: usize, c: &dyn Fn(usize) -> Fraction) -> Fraction {
    let (union, both) = (j | k, j & k);
    let gap = |i: usize| columns[i].1 - columns[i].0;
    let minus_p = |i: usize| -columns[i].0;
    let slope = |i: usize| Fraction::ONE - columns[i].0 - columns[i].0;
    let term = |s: usize| {
        let inner = product(both & !s, minus_p) * product(both & s, slope) - product(both, gap);
        c(s) * product(union & !s, minus_p) * inner
    };
    let scale = product(j, gap) * product(k, gap);
    subsets(union).map(term).sum::<Fraction>() / scale
}
