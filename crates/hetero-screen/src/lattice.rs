//! Coverage for any number of columns, between two bounds that are proved.
//!
//! `x_S = -ln p_S` is a sum over the columns of S. On a lattice of step `delta` every `-ln q` is
//! rounded down to `delta floor(...)` or up; the number of subsets at each multiple of `delta`
//! then follows column by column, and since coverage falls with `x`, rounding down bounds it from
//! above and rounding up from below. Beyond the last bin `c`
//!
//! ```text
//! sum over x_S > c of a e^(-m x_S)
//!     <= a e^(-(m - s) c) prod_j (1 + sum_v q_jv q_jv^s)   for every 0 <= s < m   (5)
//! ```
//!
//! and the bin is chosen so that this is nothing. Cost: columns times bins, and a few tails a
//! bin.

use privacy_core::stop::StopFlag;

use crate::released::{Bounds, Rule};
use crate::spec::ScreenSpec;
use crate::subsets::ColumnKind;

/// Coverage that may lie beyond the last bin.
const BEYOND: f64 = 1e-9;
/// Rounding errors of sums and exponentials, relative to a bound, made much of.
const SLACK: f64 = 1e-11;

/// To which multiple of the step logarithms go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    Down,
    Nearest,
    Up,
}

/// How many subsets have which match probability: at bin `b`, `exp(-b step)`.
#[derive(Clone, Debug)]
pub(crate) struct Histogram {
    pub(crate) step: f64,
    pub(crate) subsets: Vec<f64>,
}

/// Where the lattice ends: beyond `x`, subsets add at most this.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) x: f64,
    pub(crate) own: f64,
    pub(crate) all: f64,
}

impl End {
    /// The first place where (5) is at most [`BEYOND`], over a few exponents `s`.
    pub(crate) fn of(kinds: &[ColumnKind], bounds: &Bounds) -> Self {
        let m = bounds.power;
        if bounds.ln_all == f64::NEG_INFINITY {
            return Self { x: 1.0, own: 0.0, all: 0.0 };
        }
        // (5) holds for every exponent below m, so the best of a few may be taken. None is best
        // for all tables: a large one makes the product small, a small one the power of the last
        // bin.
        let places = (0..32).map(|i| {
            let s = m * f64::from(i) / 32.0;
            (bounds.ln_all - libm::log(BEYOND) + ln_product(kinds, s)) / (m - s)
        });
        let x = places.fold(f64::INFINITY, f64::min).max(1.0);
        Self { x, own: BEYOND * bounds.own_part(), all: BEYOND }
    }
}

/// `ln prod_j (1 + sum_v q_jv q_jv^s)`, the product of (5).
fn ln_product(kinds: &[ColumnKind], s: f64) -> f64 {
    let of_kind = kinds.iter().map(|kind| {
        let one: f64 = kind.kernel.iter().map(|v| v.share * libm::pow(v.frequency, s)).sum();
        kind.columns as f64 * libm::log1p(one)
    });
    of_kind.sum()
}

/// Sizes of a histogram, for a bin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// Numbers that it holds.
    pub(crate) numbers: f64,
    /// Additions that it takes, tails among them.
    pub(crate) steps: f64,
}

impl Size {
    pub(crate) fn of(spec: &ScreenSpec, rule: &Rule, kinds: &[ColumnKind]) -> Self {
        let orders = if spec.max_order() < spec.columns().len() { spec.max_order() + 1 } else { 1 };
        let values: f64 = kinds.iter().map(|kind| (kind.columns * kind.kernel.len()) as f64).sum();
        Self { numbers: orders as f64, steps: orders as f64 * values + rule.tail_steps() }
    }
}

impl Histogram {
    /// The subsets that are queried, up to `x`.
    pub(crate) fn of(
        spec: &ScreenSpec,
        kinds: &[ColumnKind],
        step: f64,
        x: f64,
        rounding: Rounding,
        stop: &StopFlag,
    ) -> Self {
        let bins = (x / step) as usize + 1;
        let limited = spec.max_order() < spec.columns().len();
        // Queries over few columns need the number of columns of each subset: one layer for each
        // order. Without a limit one layer holds all orders, which is a factor of `max_order`
        // less work.
        let mut layers = vec![vec![0.0; bins]; if limited { spec.max_order() + 1 } else { 1 }];
        layers[0][0] = 1.0;
        for kind in kinds {
            let shifts: Vec<(f64, usize)> =
                kind.kernel.iter().map(|v| (v.share, shift(v.frequency, step, rounding))).collect();
            for _ in (0..kind.columns).take_while(|_| !stop.is_set()) {
                if limited { add_column_by_order(&mut layers, &shifts) } else { add_column(&mut layers[0], &shifts) }
            }
        }
        if limited {
            let answered = layers.into_iter().enumerate().filter(|(order, _)| spec.answers_order(*order));
            let sum = answered.map(|(_, layer)| layer).reduce(|mut sum, layer| {
                sum.iter_mut().zip(layer).for_each(|(sum, subsets)| *sum += subsets);
                sum
            });
            return Self { step, subsets: sum.expect("some order is answered") };
        }
        let mut subsets = layers.swap_remove(0);
        // The empty subset is the only one at `x = 0` that no column can have moved: it is in bin
        // 0, once.
        subsets[0] -= f64::from(u8::from(!spec.has_empty_query()));
        Self { step, subsets }
    }

    /// The bins that hold something: how many subsets, and their match probability.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let held = self.subsets.iter().enumerate().filter(|(_, subsets)| **subsets > 0.0);
        held.map(|(bin, &subsets)| (subsets, libm::exp(-(bin as f64) * self.step)))
    }
}

fn shift(frequency: f64, step: f64, rounding: Rounding) -> usize {
    let steps = -libm::log(frequency) / step;
    (match rounding {
        Rounding::Down => steps.floor(),
        Rounding::Nearest => steps.round(),
        Rounding::Up => steps.ceil(),
    }) as usize
}

/// `h(b) += sum_v share_v h(b - shift_v)`, in place from the far end.
fn add_column(bins: &mut [f64], shifts: &[(f64, usize)]) {
    let stay: f64 = shifts.iter().filter(|(_, shift)| *shift == 0).map(|(share, _)| share).sum();
    let moving: Vec<(f64, usize)> = shifts.iter().copied().filter(|(_, shift)| *shift > 0).collect();
    let nearest = moving.iter().map(|(_, shift)| *shift).min().unwrap_or(bins.len()).min(bins.len()).max(1);
    // In place, a bin must read others before this column was added to them. From the far end, in
    // blocks no longer than the shortest shift, a block reads only bins before itself, which are
    // still old; and inside a block the adds vectorise.
    let mut end = bins.len();
    while end > 0 {
        let start = end.saturating_sub(nearest);
        let (before, block) = bins[..end].split_at_mut(start);
        // Values whose logarithm rounds to 0 steps leave a subset where it is; they come first,
        // while the block is old.
        if stay > 0.0 {
            block.iter_mut().for_each(|bin| *bin += stay * *bin);
        }
        for &(share, shift) in &moving {
            add_shifted(block, start, before, share, shift);
        }
        end = start;
    }
}

/// Adds `share * source[b - shift]` to the bins from `start` on.
fn add_shifted(block: &mut [f64], start: usize, source: &[f64], share: f64, shift: usize) {
    let skip = shift.saturating_sub(start).min(block.len());
    let from = (start + skip).saturating_sub(shift);
    let source = source.get(from..).unwrap_or(&[]);
    block[skip..].iter_mut().zip(source).for_each(|(bin, subsets)| *bin += share * subsets);
}

/// The same with a layer for each order of subsets.
fn add_column_by_order(layers: &mut [Vec<f64>], shifts: &[(f64, usize)]) {
    // From the highest order down, so that the layer below is still without this column.
    for order in (1..layers.len()).rev() {
        let (lower, upper) = layers.split_at_mut(order);
        for &(share, shift) in shifts {
            add_shifted(&mut upper[0], 0, &lower[order - 1], share, shift);
        }
    }
}

/// Sums of coverage over the bins.
#[derive(Clone, Debug)]
pub(crate) struct Sums {
    /// For rows of each kind of class.
    pub(crate) own: Vec<f64>,
    pub(crate) all: f64,
}

impl Sums {
    pub(crate) fn of(rule: &Rule, histogram: &Histogram, stop: &StopFlag) -> Self {
        let mut sums = Self { own: vec![0.0; rule.kinds.len()], all: 0.0 };
        for (subsets, p) in histogram.groups().take_while(|_| !stop.is_set()) {
            for ((kind, released), own) in rule.at(p).zip(&mut sums.own) {
                *own += subsets * released.own.yes;
                sums.all += subsets * kind.classes * released.own.mix(kind.share, released.other).yes;
            }
        }
        sums
    }

    /// One's own coverage, averaged over the classes.
    pub(crate) fn mean_own(&self, rule: &Rule) -> f64 {
        self.own.iter().zip(&rule.kinds).map(|(own, kind)| kind.classes * kind.share * own).sum()
    }
}

/// Bounds on coverage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brackets {
    /// Of one's own class: from, to.
    pub(crate) own: (f64, f64),
    /// Of all classes.
    pub(crate) all: (f64, f64),
}

/// The brackets at one step.
pub(crate) fn brackets(
    spec: &ScreenSpec,
    rule: &Rule,
    kinds: &[ColumnKind],
    end: &End,
    step: f64,
    stop: &StopFlag,
) -> Brackets {
    // Coverage falls with `x`: logarithms rounded up give less of it, rounded down more.
    let [low, high] = [Rounding::Up, Rounding::Down]
        .map(|rounding| Sums::of(rule, &Histogram::of(spec, kinds, step, end.x, rounding, stop), stop));
    // What is cut off at the end is missing from both sums: it widens the upper bound alone.
    let mut own = widened(low.mean_own(rule), high.mean_own(rule) + end.own);
    let mut all = widened(low.all, high.all + end.all);
    if rule.needed() == 0 {
        // One's own count is certain, beyond the last bin too: what is missing there are whole
        // subsets.
        let subsets = spec.subsets();
        all = (all.0 + subsets - low.mean_own(rule), all.1 + subsets - high.mean_own(rule));
        own = (subsets, subsets);
    }
    Brackets { own, all }
}

/// Bounds that rounding errors of the sums do not break.
fn widened(low: f64, high: f64) -> (f64, f64) {
    (low * (1.0 - SLACK), high * (1.0 + SLACK))
}
