//! Every subset of the columns, those that are alike at once.
//!
//! Columns of one kind (the same frequencies) are interchangeable, so a kind of multiplicity
//! `M` contributes how many of its columns a subset uses, and with which frequencies: `M! / (k_0!
//! k_1! ... k_V!)` subsets at a time, `k_0` columns not used. 30 equal columns are 31 groups
//! instead of 2^30 subsets. Where coverage falls with `p^m`, a branch whose whole contribution is
//! below [`NEGLIGIBLE`] is cut off, and what it could have been is added up.

use privacy_core::stop::StopFlag;

use crate::laws::Match;
use crate::released::Bounds;
use crate::spec::ScreenSpec;

/// What may be cut off, in coverage; summed into the bracket.
const NEGLIGIBLE: f64 = 1e-18;

/// Columns with the same frequencies.
#[derive(Clone, Debug)]
pub(crate) struct ColumnKind {
    pub(crate) columns: usize,
    pub(crate) kernel: Vec<Match>,
}

/// The kinds of columns, most frequent values first.
pub(crate) fn column_kinds(spec: &ScreenSpec) -> Vec<ColumnKind> {
    let mut kernels: Vec<Vec<Match>> = spec.columns().iter().map(|column| column.kernel()).collect();
    kernels.sort_by(|a, b| {
        let by_mean = mean_frequency(b).total_cmp(&mean_frequency(a));
        by_mean.then_with(|| values(a).partial_cmp(&values(b)).expect("frequencies are numbers"))
    });
    let same = kernels.chunk_by(|a, b| a == b);
    same.map(|run| ColumnKind { columns: run.len(), kernel: run[0].clone() }).collect()
}

/// The probability that two rows match in a column.
fn mean_frequency(kernel: &[Match]) -> f64 {
    kernel.iter().map(|m| m.share * m.frequency).sum()
}

fn values(kernel: &[Match]) -> Vec<(f64, f64)> {
    kernel.iter().map(|m| (m.frequency, m.share)).collect()
}

/// How many groups of subsets there are, queries over few columns or not.
pub(crate) fn groups(kinds: &[ColumnKind]) -> f64 {
    kinds.iter().map(|kind| compositions(kind.columns, kind.kernel.len())).product()
}

/// How many ways there are to put `columns` alike into `states` and the rest aside: `columns +
/// states` choose `states`.
pub(crate) fn compositions(columns: usize, states: usize) -> f64 {
    (1..=states).map(|i| (columns + i) as f64 / i as f64).product::<f64>().round()
}

/// A group of subsets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    /// How many subsets, weighted by the share of rows whose values are so frequent.
    pub(crate) weight: f64,
    /// Probability that another row matches.
    pub(crate) p: f64,
}

/// What was cut off: at most so much coverage.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CutOff {
    pub(crate) own: f64,
    pub(crate) all: f64,
}

/// Visits every group that may matter; all of them without `bounds`. A set flag ends it early:
/// callers look at the flag.
pub(crate) fn visit(
    spec: &ScreenSpec,
    kinds: &[ColumnKind],
    bounds: Option<Bounds>,
    stop: &StopFlag,
    f: impl FnMut(Group),
) -> CutOff {
    // A certain count is never negligible.
    let bounds = bounds.filter(|bounds| !bounds.own_is_certain);
    let power = |m: &Match| bounds.map_or(1.0, |bounds| libm::pow(m.frequency, bounds.power));
    // The whole branch below a group multiplies its bound by at most this:
    // `prod (1 + E[frequency^m])`.
    let mut rest = vec![1.0; kinds.len() + 1];
    for (i, kind) in kinds.iter().enumerate().rev() {
        let one: f64 = kind.kernel.iter().map(|m| m.share * power(m)).sum();
        rest[i] = rest[i + 1] * libm::pow(1.0 + one, kind.columns as f64);
    }
    // The bound is `(p scale)^m`.
    let scale = bounds.map_or(0.0, |bounds| libm::exp(bounds.ln_all / bounds.power));
    let mut walk = Walk { spec, kinds, bounds, scale, rest, cut: CutOff::default(), stop, f };
    walk.kind(0, Group { weight: 1.0, p: 1.0 }, 0);
    walk.cut
}

struct Walk<'a, F> {
    spec: &'a ScreenSpec,
    kinds: &'a [ColumnKind],
    bounds: Option<Bounds>,
    scale: f64,
    rest: Vec<f64>,
    cut: CutOff,
    stop: &'a StopFlag,
    f: F,
}

impl<F: FnMut(Group)> Walk<'_, F> {
    /// Everything that the kinds from this one on can add to a group of `order` columns.
    fn kind(&mut self, kind: usize, group: Group, order: usize) {
        if kind == self.kinds.len() {
            if self.spec.answers_order(order) {
                (self.f)(group);
            }
        } else if !self.stop.is_set() && !self.is_negligible(group, self.rest[kind]) {
            self.values(kind, 0, self.kinds[kind].columns, group, order);
        }
    }

    /// Uses 0, 1, ... of the `left` columns of this kind with its frequency number `value`, then
    /// goes on.
    fn values(&mut self, kind: usize, value: usize, left: usize, mut group: Group, order: usize) {
        let Some(&Match { share, frequency }) = self.kinds[kind].kernel.get(value) else {
            return self.kind(kind + 1, group, order);
        };
        for used in 0..=left.min(self.spec.max_order() - order) {
            self.values(kind, value + 1, left - used, group, order + used);
            // The binomial coefficient by its ratio, then one more column.
            group.weight *= (left - used) as f64 / (used + 1) as f64 * share;
            group.p *= frequency;
        }
    }

    fn is_negligible(&mut self, group: Group, rest: f64) -> bool {
        let Some(bounds) = self.bounds else { return false };
        let base = group.p * self.scale;
        if base >= 1.0 {
            return false;
        }
        let bound = group.weight * rest * libm::pow(base, bounds.power);
        if bound > NEGLIGIBLE {
            return false;
        }
        self.cut.own += bounds.own_part() * bound;
        self.cut.all += bound;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Classes, Column};
    use crate::spec::{Suppression, UniformNoise};

    fn spec(columns: Vec<Column>) -> ScreenSpec {
        let (classes, noise) = (Classes::equal(2).unwrap(), UniformNoise::uniform(2));
        ScreenSpec::new(100, columns, classes, Suppression::ClassCount(3), noise).unwrap()
    }

    fn sums(spec: &ScreenSpec) -> (f64, f64, usize) {
        let (mut weight, mut p, mut count) = (0.0, 0.0, 0);
        visit(spec, &column_kinds(spec), None, &StopFlag::never(), |group| {
            weight += group.weight;
            p += group.weight * group.p;
            count += 1;
        });
        (weight, p, count)
    }

    #[test]
    fn groups_hold_every_subset_once() {
        let uniform = |d| Column::uniform(d).unwrap();
        let alike = spec(vec![uniform(4); 30]);
        let (weight, p, count) = sums(&alike);
        assert_eq!((weight, count), (f64::from(1 << 30), 31));
        assert!((p / 1.25_f64.powi(30) - 1.0).abs() < 1e-13);
        let mixed = spec(vec![uniform(2), uniform(5), uniform(2), uniform(3)]);
        assert_eq!((sums(&mixed).0, sums(&mixed).2), (16.0, 12));
        assert_eq!(groups(&column_kinds(&mixed)), 12.0);
    }

    #[test]
    fn frequencies_of_values_are_averaged_over_the_rows() {
        let column = Column::with_frequencies(&[0.6, 0.3, 0.1]).unwrap();
        let spec = spec(vec![column.clone(), column]);
        let (weight, p, count) = sums(&spec);
        let match_probability: f64 = 0.36 + 0.09 + 0.01;
        assert!((weight - 4.0).abs() < 1e-14);
        assert!((p - (1.0 + match_probability).powi(2)).abs() < 1e-14);
        assert_eq!(count, 10);
    }

    #[test]
    fn orders_that_are_not_answered_are_left_out() {
        let columns = vec![Column::uniform(3).unwrap(); 6];
        let short = spec(columns).with_max_order(2).unwrap();
        assert_eq!(sums(&short).0, 1.0 + 6.0 + 15.0);
        assert_eq!(sums(&short.without_empty_query().unwrap()).0, 21.0);
    }
}
