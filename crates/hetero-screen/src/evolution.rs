//! An estimate of the accuracy that a solver reaches: state evolution, between a floor and a
//! ceiling.
//!
//! A row's released counts add up to evidence `Lambda`, which depends on how much is still
//! unknown about the other rows, `v`; what is left to know about a row after so much evidence is
//! a new `v`, (11). The fixed point is what solving all rows at once amounts to. `g` other rows
//! in a group, `a`, `b` whether a row's own class `r` and another one, `r'`, are released,
//! `sigma^2` by (8):
//!
//! ```text
//! two classes:  Lambda = sum_S E[ab / (g v + sigma^2 / 2) + (a (1 - b) + b (1 - a)) / (g v + sigma^2)]  (12)
//! more:         Lambda = sum_S E[a / (g v_r + sigma^2) + b / (g v_r' + sigma^2)]  (13)
//! ```
//!
//! Queries are nested and share their rows, so they tell less together than each alone:
//! [`NESTING`] of it.

use crate::channel::{self, Points};
use crate::evidence::mean_precision;
use crate::released::Rule;
use crate::sizes::Sizes;
use crate::spec::ScreenSpec;

/// The share of the evidence that counts. Fitted once, on the 128 measured settings of
/// `fixtures/screen/measured.json` (R from 50 to 300, two to seven columns, two to four classes);
/// fitted on either half of them, it is the same within 0.05.
pub(crate) const NESTING: f64 = 0.5;
const MOST_ROUNDS: u32 = 500;
const SETTLED: f64 = 1e-10;

/// Proportion of the labels that a solver is expected to reconstruct.
///
/// Kind: **proxy**. On 128 measured settings it is off by 0.04 on average, at most by 0.3; the
/// source's proxy by 0.25. Against a solver that uses released counts alone: one that also uses
/// what suppression tells is stronger.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Estimate {
    /// The estimate: `unbounded`, between `floor` and `ceiling`.
    pub accuracy: f64,
    /// Of a model, the accuracy of always guessing the most frequent class. Of an actual table,
    /// that of giving every row the label with the largest released count of its cell, for the best
    /// set of columns: exact for the table.
    pub floor: f64,
    /// Accuracy of a solver that knows the labels of all rows with identical features, but not
    /// whose they are.
    pub ceiling: f64,
    /// The fixed point of state evolution.
    pub unbounded: f64,
    /// Evidence at the fixed point, before the part that nesting takes away.
    pub evidence: f64,
}

/// Counts of one kind that may be released: how many queries, how many other rows they are about,
/// how telling noise leaves them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) queries: f64,
    pub(crate) others: f64,
    /// `sigma^2`.
    pub(crate) noise: f64,
}

/// The counts that a typical row's queries release: all that (12) and (13) need.
#[derive(Clone, Debug)]
pub(crate) struct Evidence {
    /// The classes that occur.
    pub(crate) shares: Vec<f64>,
    /// For each class r, counts of r in queries of rows of class r.
    pub(crate) own: Vec<Vec<Cell>>,
    /// For each class r', counts of r' in queries of rows of other classes, averaged over those,
    /// weighted by how many there are.
    pub(crate) other: Vec<Vec<Cell>>,
    /// For two classes: both counts of a query, each row class.
    pub(crate) both: Vec<Cell>,
}

impl Evidence {
    fn of(spec: &ScreenSpec, sizes: &Sizes) -> Self {
        let rule = Rule::of(spec);
        let occurring: Vec<usize> = (0..rule.kind_of.len()).filter(|&r| spec.classes().shares()[r] > 0.0).collect();
        let shares: Vec<f64> = occurring.iter().map(|&r| spec.classes().shares()[r]).collect();
        let kinds: Vec<usize> = occurring.iter().map(|&r| rule.kind_of[r]).collect();
        let mut evidence = Self::empty(shares);
        for (others, queries) in sizes.iter() {
            // Of every kind of class: released to its own rows, released to others, with the
            // noise of either.
            let at: Vec<(f64, f64, f64, f64)> = rule
                .kinds
                .iter()
                .map(|kind: &crate::released::Kind| {
                    let released = rule.released_in_group(kind, others);
                    let noise = |least| 1.0 / mean_precision(spec.noise(), others, kind.share, least);
                    let (least_own, least) = rule.least_counts();
                    (released.own.yes, released.other.yes, noise(least_own), noise(least))
                })
                .collect();
            let of_class: Vec<(f64, f64, f64, f64)> = kinds.iter().map(|&kind| at[kind]).collect();
            evidence.add(queries, others as f64, &of_class);
        }
        evidence
    }

    pub(crate) fn empty(shares: Vec<f64>) -> Self {
        let none = vec![Vec::new(); shares.len()];
        Self { shares, own: none.clone(), other: none, both: Vec::new() }
    }

    /// Adds queries over `others` other rows; for each class its release to own and other rows,
    /// and the noise of either.
    fn add(&mut self, queries: f64, others: f64, classes: &[(f64, f64, f64, f64)]) {
        if let [_, _] = classes {
            for r in 0..2 {
                let ((a, _, own_noise, _), (_, b, _, other_noise)) = (classes[r], classes[1 - r]);
                let queries = queries * self.shares[r];
                let joint = 1.0 / (1.0 / own_noise + 1.0 / other_noise);
                self.both.extend([
                    Cell { queries: queries * a * b, others, noise: joint },
                    Cell { queries: queries * a * (1.0 - b), others, noise: own_noise },
                    Cell { queries: queries * b * (1.0 - a), others, noise: other_noise },
                ]);
            }
            return;
        }
        // A row of class r meets another class r' with weight pi_r pi_r' / (1 - pi_r), (13).
        let meets: f64 = self.shares.iter().map(|share| share / (1.0 - share)).sum();
        for (r, &(own, other, own_noise, other_noise)) in classes.iter().enumerate() {
            let share = self.shares[r];
            let met = share * (meets - share / (1.0 - share));
            self.own[r].push(Cell { queries: queries * share * own, others, noise: own_noise });
            self.other[r].push(Cell { queries: queries * met * other, others, noise: other_noise });
        }
    }

    /// `Lambda` when `v` is left to know of each class.
    pub(crate) fn at(&self, v: &[f64]) -> f64 {
        evidence_of(&self.both, v[0]) + evidence_of_classes(&self.own, v) + evidence_of_classes(&self.other, v)
    }

    /// The fixed point of (11): evidence, and what is left to know of each class.
    pub(crate) fn settle(&self) -> (f64, Vec<f64>) {
        let points = Points::new(self.shares.len());
        let mut v: Vec<f64> = self.shares.iter().map(|share| share * (1.0 - share)).collect();
        for _ in 0..MOST_ROUNDS {
            let next = channel::remaining(&self.shares, NESTING * self.at(&v), &points);
            let mut moved = 0.0_f64;
            for (v, next) in v.iter_mut().zip(next) {
                moved = moved.max((*v - next).abs());
                *v = 0.5 * (*v + next);
            }
            if moved < SETTLED {
                break;
            }
        }
        (self.at(&v), v)
    }
}

/// What counts reveal when `v` is unknown of each other row.
fn evidence_of(cells: &[Cell], v: f64) -> f64 {
    cells.iter().map(|cell| cell.queries / (cell.others * v + cell.noise)).sum()
}

fn evidence_of_classes(counts: &[Vec<Cell>], v: &[f64]) -> f64 {
    counts.iter().zip(v).map(|(cells, &v)| evidence_of(cells, v)).sum()
}

/// The estimate for a release: by state evolution over the sizes of the model's groups.
pub(crate) fn estimate(spec: &ScreenSpec, sizes: &Sizes, ceiling: f64) -> Estimate {
    let floor = spec.classes().largest_share();
    let evidence = Evidence::of(spec, sizes);
    // A share may be 1 to the last digit although others are above 0: no row is left to be
    // distinguished.
    if evidence.shares.len() < 2 || floor >= 1.0 {
        return Estimate { accuracy: 1.0, floor, ceiling: 1.0, unbounded: 1.0, evidence: 0.0 };
    }
    let (lambda, _) = evidence.settle();
    let unbounded = channel::accuracy(&evidence.shares, NESTING * lambda);
    Estimate { accuracy: unbounded.min(ceiling).max(floor), floor, ceiling, unbounded, evidence: lambda }
}
