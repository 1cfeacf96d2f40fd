//! Plans of least norm: which rows the program has, made when they are needed.
//!
//! A marginal over `n` attributes with `h` hull vertices each has `h^n` queries that may have the
//! largest variance. They are not listed: the program begins with one for each marginal, is
//! solved, and every marginal adds the query that is worst under the solution, until no query is
//! worse than those the program knows. The dual of a program with fewer rows is a bound for all
//! rows, so the gap that is reported is that of the whole.

use privacy_core::AttrSet;
use privacy_core::parallel;
use privacy_core::stop::StopFlag;
use rustc_hash::FxHashSet;

use crate::planning::closure::Closure;
use crate::planning::norm::{LeastNorm, Program, Sparse};
use crate::queries::basis::Form;
use crate::strategy::axes::Axes;
use crate::strategy::axis::Axis;

/// How close a program is solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Relative gap that is enough.
    gap: f64,
    /// Most steps of one program, and most rounds of adding rows.
    steps: usize,
    rounds: usize,
}

impl Effort {
    /// For programs with one row a marginal; some hundred steps suffice where marginals are many.
    const FULL: Self = Self { gap: 1e-7, steps: 5_000, rounds: 60 };
    /// For tables that are to have the same error, to nine digits.
    pub(crate) const TABLES: Self = Self { gap: 1e-10, steps: 20_000, rounds: 1 };
    /// For rows that are nearly alike, as neighbouring queries are.
    const QUERIES: Self = Self { gap: 2e-5, steps: 2_000, rounds: 30 };
    /// For a look at a strategy that may not be kept.
    pub(crate) const LOOK: Self = Self { gap: 1e-3, steps: 200, rounds: 12 };
}

/// Which variances of the queries are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Times the weights of the bases: those of the objective.
    Weighted,
    /// Those of the answers as they are: what bounds are about.
    Answers,
}

impl Scale {
    /// The forms of an attribute among which the largest variance is.
    fn largest(self, axis: &Axis) -> &[Form] {
        match self {
            Self::Weighted => axis.largest_loss(),
            Self::Answers => axis.largest(),
        }
    }
}

/// A workload whose residuals are known, with what each of them costs.
#[derive(Clone, Copy)]
pub(crate) struct Priced<'a> {
    pub(crate) axes: &'a Axes,
    pub(crate) workload: &'a [(AttrSet, f64)],
    pub(crate) closure: &'a Closure,
    pub(crate) cost: &'a [f64],
    pub(crate) budget: f64,
    pub(crate) scale: Scale,
    /// Ends every iteration; the caller looks at it before it uses what came out.
    pub(crate) stop: &'a StopFlag,
}

impl Priced<'_> {
    /// The least q-norm of the marginals' mean variances, each counted once for each answer.
    pub(crate) fn least_mean_norm(&self, order: f64) -> Option<LeastNorm> {
        let (mut rows, mut terms) = (Sparse::new(), Vec::new());
        for &(set, weight) in self.workload {
            let answers = self.axes.queries(set);
            self.axes.products(set, weight / answers, |attribute| self.axes.get(attribute).loss(), &mut terms);
            rows.push(self.priced(&terms));
        }
        let counts: Vec<f64> = self.workload.iter().map(|&(set, _)| self.axes.queries(set)).collect();
        self.program(&rows, &counts, order, Effort::FULL).solve(None)
    }

    /// The least largest variance of a query; `first` variances to begin with.
    pub(crate) fn least_maximum(&self, first: &[f64]) -> Option<LeastNorm> {
        let one_each = self.axes.iter().all(|axis| self.scale.largest(axis).len() == 1);
        self.least_maximum_by(first, if one_each { Effort::FULL } else { Effort::QUERIES })
    }

    /// The same, with as much effort as is said.
    pub(crate) fn least_maximum_by(&self, first: &[f64], effort: Effort) -> Option<LeastNorm> {
        let gap = effort.gap;
        let mut known: FxHashSet<(AttrSet, Vec<u16>)> = FxHashSet::default();
        let (mut rows, mut weights) = (Sparse::new(), None::<Vec<f64>>);
        let (mut variances, mut dual) = (first.to_vec(), 0.0_f64);
        let mut best = (f64::INFINITY, Vec::new());
        for _ in 0..effort.rounds {
            let worst = parallel::map(self.workload, |&(set, weight)| self.worst_query(set, weight, &variances));
            if self.stop.is_set() {
                break;
            }
            let largest = worst.iter().map(|(value, _)| *value).fold(0.0, f64::max);
            if rows.len() == 0 && largest == 0.0 {
                // Nothing that is asked has noise.
                return Some(LeastNorm { variances, gap: 0.0, dual: 0.0, weights: Vec::new() });
            }
            // What is first given need not keep the budget.
            if rows.len() > 0 && largest < best.0 {
                best = (largest, variances.clone());
            }
            // Only rows above the dual bound by half the gap can keep the certificate from being
            // reached.
            let before = rows.len();
            for (&(set, weight), (value, query)) in self.workload.iter().zip(worst) {
                if value > dual * (1.0 + gap / 2.0) && known.insert((set, query.clone())) {
                    rows.push(self.row(set, weight, &query));
                }
            }
            if best.0 <= dual * (1.0 + gap) || rows.len() == before {
                break;
            }
            // Begin where the last program ended: its rows are among those of this one.
            let counts = vec![1.0; rows.len()];
            let start = weights.take().map(|weights| with_new(weights, rows.len()));
            // Solved somewhat closer than the whole, so that the rows that are missing are what
            // is left of the gap.
            let closer = Effort { gap: gap / 2.0, ..effort };
            let found = self.program(&rows, &counts, f64::INFINITY, closer).solve(start)?;
            (variances, weights, dual) = (found.variances, Some(found.weights), dual.max(found.dual));
        }
        let (largest, variances) = best;
        let gap = if dual > 0.0 { (largest / dual - 1.0).max(0.0) } else { 0.0 };
        largest.is_finite().then(|| LeastNorm { variances, gap, dual, weights: weights.unwrap_or_default() })
    }

    /// The largest weighted variance of a query.
    pub(crate) fn largest(&self, variances: &[f64]) -> f64 {
        let worst = parallel::map(self.workload, |&(set, weight)| self.worst_query(set, weight, variances).0);
        worst.into_iter().fold(0.0, f64::max)
    }

    pub(crate) fn program<'a>(
        &'a self,
        rows: &'a Sparse,
        counts: &'a [f64],
        order: f64,
        effort: Effort,
    ) -> Program<'a> {
        let Effort { gap, steps: most_steps, .. } = effort;
        Program { rows, counts, cost: self.cost, budget: self.budget, order, gap, most_steps, stop: self.stop }
    }

    /// Residuals that cost nothing have variance 0 and are left out.
    pub(crate) fn priced(&self, terms: &[(AttrSet, f64)]) -> Vec<(u32, f64)> {
        let known = terms.iter().filter_map(|&(residual, term)| Some((self.closure.position(residual)?, term)));
        let priced = known.filter(|(at, _)| self.cost[*at] > 0.0);
        priced.map(|(at, term)| (at as u32, term)).collect()
    }

    /// The row of the query with these hull vertices, one for each attribute of `set`.
    pub(crate) fn row(&self, set: AttrSet, weight: f64, query: &[u16]) -> Vec<(u32, f64)> {
        let mut terms = Vec::new();
        self.axes.products(
            set,
            weight,
            |attribute| {
                let place = set.axis_of(attribute).expect("an attribute of the set");
                self.scale.largest(self.axes.get(attribute))[usize::from(query[place])]
            },
            &mut terms,
        );
        self.priced(&terms)
    }

    /// The largest weighted variance of a query about `set`, and the hull vertices of that query.
    pub(crate) fn worst_query(&self, set: AttrSet, weight: f64, variances: &[f64]) -> (f64, Vec<u16>) {
        if self.stop.is_set() {
            return (0.0, vec![0; set.len()]);
        }
        let (value, query) = worst_query(
            self.axes,
            set,
            |axis| self.scale.largest(axis),
            |residual| self.closure.number(residual, variances),
        );
        (weight * value, query)
    }
}

/// Weights for more rows than there were: the new ones get a small share.
fn with_new(mut weights: Vec<f64>, rows: usize) -> Vec<f64> {
    let share = 0.1 * weights.iter().sum::<f64>() / rows as f64;
    weights.iter_mut().for_each(|weight| *weight = weight.max(1e-3 * share));
    weights.resize(rows, share);
    weights
}

/// The largest variance of a query about `set`, and which vertex of each attribute's hull attains
/// it. The variance is linear in the forms of each attribute: attribute after attribute, the
/// table of residuals is folded to half its size. What cannot be above the best so far is not
/// looked at.
pub(crate) fn worst_query<'a>(
    axes: &'a Axes,
    set: AttrSet,
    vertices: impl Fn(&'a Axis) -> &'a [Form],
    variance: impl Fn(AttrSet) -> f64,
) -> (f64, Vec<u16>) {
    let table: Vec<f64> = axes.residuals(set).into_iter().map(variance).collect();
    let along: Vec<(&[Form], bool)> = axes.of(set).map(|axis| (vertices(axis), axis.varies())).collect();
    let mut search = WorstQuerySearch { query: vec![0; along.len()], along, best: (f64::NEG_INFINITY, Vec::new()) };
    search.look(search.along.len(), &table);
    search.best
}

/// A search for the worst query of a marginal.
struct WorstQuerySearch<'a> {
    /// The vertices of each attribute, and whether it varies.
    along: Vec<(&'a [Form], bool)>,
    query: Vec<u16>,
    best: (f64, Vec<u16>),
}

impl WorstQuerySearch<'_> {
    /// Tries all queries about the first `rest` attributes; `table` has a number for each subset
    /// of those that vary, the last of which is the highest bit of a position.
    fn look(&mut self, rest: usize, table: &[f64]) {
        if rest == 0 {
            if table[0] > self.best.0 {
                self.best = (table[0], self.query.clone());
            }
            return;
        }
        let (vertices, varies) = self.along[rest - 1];
        for (vertex, &form) in vertices.iter().enumerate() {
            let folded = folded(table, form, varies);
            self.query[rest - 1] = vertex as u16;
            // Branch and bound: at the last attribute the bound is the value itself, so it is not
            // computed.
            if rest == 1 || self.bound(rest - 1, folded.clone()) > self.best.0 {
                self.look(rest - 1, &folded);
            }
        }
    }

    /// Above every query about the first `rest` attributes: each takes its largest numbers, which
    /// are at the ends of its hull.
    fn bound(&self, rest: usize, mut table: Vec<f64>) -> f64 {
        for &(vertices, varies) in self.along[..rest].iter().rev() {
            let (Some(first), Some(last)) = (vertices.first(), vertices.last()) else { return 0.0 };
            table = folded(&table, Form { with: last.with, without: first.without }, varies);
        }
        table[0]
    }
}

fn folded(table: &[f64], form: Form, varies: bool) -> Vec<f64> {
    if !varies {
        return table.iter().map(|value| form.without * value).collect();
    }
    // The last attribute that varies is the highest bit of a position: its residuals are the
    // second half.
    let (without, with) = table.split_at(table.len() / 2);
    without.iter().zip(with).map(|(without, with)| form.without * without + form.with * with).collect()
}
