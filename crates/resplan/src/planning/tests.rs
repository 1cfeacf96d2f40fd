//! Costs and variances beside exact fractions.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bound;
mod budget;
mod margin;
mod rounding;

use std::sync::Arc;

use privacy_core::AttrSet;
use privacy_core::accounting::Neighbours;

use crate::planning::adjacency::Adjacency;
use crate::strategy::axes::Axes;
use crate::strategy::axis::Axis;
use crate::tests::exact::{Fraction, columns};

const ADD_REMOVE: Adjacency = Adjacency { neighbours: Neighbours::AddRemove, rows_per_person: 1 };
const REPLACE: Adjacency = Adjacency { neighbours: Neighbours::Replace, rows_per_person: 1 };

fn axes_of(axes: impl IntoIterator<Item = Axis>) -> Axes {
    Axes::new(axes.into_iter().map(Arc::new).collect())
}

/// `p` and `c` of every attribute.
fn all_columns(axes: &Axes) -> Vec<(Fraction, Fraction)> {
    axes.iter().map(columns).collect()
}

/// The product of `p` over a set, with `c` for the attributes in which two columns differ.
fn product(columns: &[(Fraction, Fraction)], set: AttrSet, differing: AttrSet) -> Fraction {
    set.iter().fold(Fraction::new(1, 1), |product, i| {
        let (p, c) = &columns[i];
        &product * if differing.contains(i) { c } else { p }
    })
}

/// What adding or removing a row costs.
fn single_cost(axes: &Axes, residuals: &[(AttrSet, f64)]) -> Fraction {
    let columns = all_columns(axes);
    residuals.iter().fold(Fraction::zero(), |sum, &(set, variance)| {
        &sum + &(&product(&columns, set, AttrSet::EMPTY) / &Fraction::of(variance))
    })
}

/// What replacing a row costs: the maximum over the sets of attributes that differ.
fn pair_cost(axes: &Axes, residuals: &[(AttrSet, f64)]) -> Fraction {
    let columns = all_columns(axes);
    let used = residuals.iter().fold(AttrSet::EMPTY, |all, (set, _)| all.union(*set));
    let costs = used.subsets().map(|differing| {
        residuals.iter().fold(Fraction::zero(), |sum, &(set, variance)| {
            let half = &product(&columns, set, AttrSet::EMPTY) - &product(&columns, set, differing);
            &sum + &(&(&half + &half) / &Fraction::of(variance))
        })
    });
    costs.max().unwrap()
}
