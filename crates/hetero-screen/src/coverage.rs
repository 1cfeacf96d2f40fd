//! Released coverage of a row: how many released counts touch it.
//!
//! `d_true` counts those of the row's own class, `d_eff` those of all classes; `d_r` is `d_true`
//! of a row of class r. All are sums over subsets of columns of (1) and (2) of `released.rs`. The
//! source's variances are `sum_S mu_S (1 - mu_S)` for `d_true`, (3), and for `d_eff`, with
//! `p_r(g)` the release of class r in a group of `g` others,
//! `sum_S [sum_r mu_r (1 - mu_r) + Var(sum_r p_r(G)) - sum_r Var(p_r(G))]`, (4). Both leave out
//! that subsets depend on each other: the exact variance is in `variance.rs`.

use privacy_core::stop::StopFlag;

use crate::error::Error;
use crate::lattice::{self, Brackets, End, Histogram, Rounding, Size, Sums};
use crate::limits::ScreenLimits;
use crate::released::{Bounds, Rule};
use crate::sizes::{Profile, for_each_size};
use crate::spec::ScreenSpec;
use crate::subsets::{ColumnKind, column_kinds, groups, visit};
use crate::tails::{Chance, two_tails};

/// The step of the lattice that finds out how wide brackets are, and that is used for everything
/// without a bracket.
const COARSE: f64 = 1e-3;
/// The width that brackets are to have, relative to what is between them.
const WIDTH: f64 = 4e-4;
/// Work of a tail for each of three shares, in additions: `ScreenLimits::groups` counts such
/// groups.
const ONE_TAIL: f64 = 180.0;
/// The widest step that is taken when a finer lattice is too much work.
const COARSEST: f64 = 0.01;
/// Groups that may be gone over when most of them are cut off.
const FEW: f64 = 300_000.0;

/// A number with bounds that are proved, up to rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Bracketed {
    /// The number.
    pub value: f64,
    /// It is at least this.
    pub low: f64,
    /// It is at most this.
    pub high: f64,
}

impl Bracketed {
    fn new(value: f64, low: f64, high: f64) -> Self {
        Self { value: value.clamp(low, high), low, high }
    }

    /// The width of the bracket relative to the number; 0 for 0.
    #[must_use]
    pub fn relative_width(&self) -> f64 {
        if self.high > self.low { (self.high - self.low) / self.value } else { 0.0 }
    }
}

/// How a coverage was summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum CoverageMethod {
    /// Over groups of equal subsets: exact.
    Groups,
    /// On a lattice of match probabilities, between bounds.
    Lattice,
}

/// Expected coverage of a row, in released counts, with what the model says of its spread.
///
/// Kind: **proxy**. It is the model's (independent columns, independent rows), exactly computed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Coverage {
    /// Released counts of all classes that touch a row, `d_eff`.
    pub all_classes: Bracketed,
    /// Released counts of the row's own class, `d_true`.
    pub own_class: Bracketed,
    /// The same for rows of each class, `d_r`. Rare classes are covered far less.
    pub by_class: Vec<f64>,
    /// Variance of `all_classes` when subsets are taken for independent, (4), in counts squared.
    pub variance_all: f64,
    /// Variance of `own_class` when subsets are taken for independent, (3). Too small: see
    /// [`own_variance`](crate::own_variance). With frequencies of values, given the values of the
    /// row.
    pub variance_own: f64,
    /// How it was summed.
    pub method: CoverageMethod,
}

impl Coverage {
    /// Computes the coverage that a release gives.
    ///
    /// # Errors
    /// [`Error::TooLarge`] when even the lattice is beyond `limits`.
    ///
    /// # Numerics
    /// [`CoverageMethod::Groups`]: relative error below 1e-12, 1e-10 for variances; beyond 4,096
    /// groups `variance_all` 1e-5. [`CoverageMethod::Lattice`]: within the brackets, which are
    /// narrowed to 0.04 % where the limits allow it; variances 1 %.
    ///
    /// # Cost
    /// A tail for each group of subsets and each share of a class: 30 equal columns 31 groups, 20
    /// different ones 2^20. Otherwise columns times bins of the lattice.
    pub fn of(spec: &ScreenSpec, limits: &ScreenLimits) -> Result<Self, Error> {
        Ok(measure(spec, Narrow::Yes, limits)?.0)
    }
}

/// Whether brackets are worth the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Narrow {
    Yes,
    No,
}

/// The coverage with the subsets behind it.
pub(crate) fn measure(
    spec: &ScreenSpec,
    brackets: Narrow,
    limits: &ScreenLimits,
) -> Result<(Coverage, Profile), Error> {
    let (rule, kinds) = (Rule::of(spec), column_kinds(spec));
    let bounds = rule.bounds();
    let all = groups(&kinds);
    let tails = all * rule.tail_steps() / ONE_TAIL;
    if tails <= limits.groups || bounds.is_some_and(|bounds| are_few(spec, &rule, &kinds, &bounds, limits)) {
        let measured = by_groups(spec, &rule, &kinds, bounds, &limits.stop);
        return limits.check_stop().map(|()| measured);
    }
    let Some(bounds) = bounds else {
        let measured = all_released(spec, &rule, &limits.stop);
        return limits.check_stop().map(|()| measured);
    };
    by_lattice(spec, &rule, &kinds, &bounds, brackets, limits)
}

/// Whether enough groups are cut off for the others to be summed one by one. A coarse lattice
/// counts them.
fn are_few(spec: &ScreenSpec, rule: &Rule, kinds: &[ColumnKind], bounds: &Bounds, limits: &ScreenLimits) -> bool {
    let end = End::of(kinds, bounds);
    let step = 0.02;
    if bounds.own_is_certain || Size::of(spec, rule, kinds).steps * end.x / step > 1e7 {
        return false;
    }
    // A branch is gone into as long as it may add 1e-18.
    let deepest = (end.x + libm::log(1e9) / bounds.power).min(1e4);
    let histogram = Histogram::of(spec, kinds, step, deepest, Rounding::Down, &limits.stop);
    histogram.subsets.iter().sum::<f64>() * rule.tail_steps() / ONE_TAIL <= FEW.min(limits.groups)
}

fn by_groups(
    spec: &ScreenSpec,
    rule: &Rule,
    kinds: &[ColumnKind],
    bounds: Option<Bounds>,
    stop: &StopFlag,
) -> (Coverage, Profile) {
    let mut sums = Sums { own: vec![0.0; rule.kinds.len()], all: 0.0 };
    let (mut variance, mut profile) = (0.0, Profile::default());
    let cut = visit(spec, kinds, bounds, stop, |group| {
        let mut own = Chance { yes: 0.0, no: 0.0 };
        for ((kind, released), sum) in rule.at(group.p).zip(&mut sums.own) {
            *sum += group.weight * released.own.yes;
            sums.all += group.weight * kind.classes * released.own.mix(kind.share, released.other).yes;
            own.yes += kind.classes * kind.share * released.own.yes;
            own.no += kind.classes * kind.share * released.own.no;
        }
        variance += group.weight * own.variance();
        profile.add(group);
    });
    let mean = sums.mean_own(rule);
    let brackets = Brackets { own: (mean, mean + cut.own), all: (sums.all, sums.all + cut.all) };
    (finish(rule, &sums, brackets, variance, &profile, CoverageMethod::Groups, stop), profile)
}

/// Nothing is withheld: every subset counts.
fn all_released(spec: &ScreenSpec, rule: &Rule, stop: &StopFlag) -> (Coverage, Profile) {
    let subsets = spec.subsets();
    let classes: f64 = rule.kinds.iter().map(|kind| kind.classes).sum();
    let sums = Sums { own: vec![subsets; rule.kinds.len()], all: classes * subsets };
    let brackets = Brackets { own: (subsets, subsets), all: (sums.all, sums.all) };
    let mut profile = Profile::default();
    // Larger than any table: how the subsets are spread no longer matters to anyone.
    profile.add(crate::subsets::Group { weight: subsets, p: 0.0 });
    (finish(rule, &sums, brackets, 0.0, &profile, CoverageMethod::Groups, stop), profile)
}

fn by_lattice(
    spec: &ScreenSpec,
    rule: &Rule,
    kinds: &[ColumnKind],
    bounds: &Bounds,
    narrow: Narrow,
    limits: &ScreenLimits,
) -> Result<(Coverage, Profile), Error> {
    let end = End::of(kinds, bounds);
    let Size { numbers, steps } = Size::of(spec, rule, kinds);
    // Half of the steps for three coarse histograms, half for two fine ones; steps of the lattice
    // that this allows.
    let memory = 16.0 * numbers * end.x / limits.bytes;
    let coarse = COARSE.max(3.0 * steps * end.x / (0.5 * limits.lattice_steps)).max(memory);
    ScreenLimits::check("bytes for a lattice of match probabilities", memory * limits.bytes / COARSEST, limits.bytes)?;
    let least = 6.0 * steps * end.x / COARSEST;
    ScreenLimits::check("steps on a lattice of match probabilities", least, limits.lattice_steps)?;
    let stop = &limits.stop;
    let nearest = Histogram::of(spec, kinds, coarse, end.x, Rounding::Nearest, stop);
    let mut sums = Sums::of(rule, &nearest, stop);
    let mut brackets = lattice::brackets(spec, rule, kinds, &end, coarse, stop);
    limits.check_stop()?;
    let widest = relative_width(brackets.own).max(relative_width(brackets.all));
    if widest > WIDTH && narrow == Narrow::Yes {
        // Widths are proportional to the step. Finer than the limits allow is left as it is.
        let affordable = (2.0 * steps * end.x / (0.5 * limits.lattice_steps)).max(memory);
        let step = (coarse * WIDTH / widest).max(affordable);
        if step < coarse {
            brackets = lattice::brackets(spec, rule, kinds, &end, step, stop);
        }
    }
    limits.check_stop()?;
    if rule.needed() == 0 {
        let missing = spec.subsets() - sums.mean_own(rule);
        sums.all += missing;
        sums.own.fill(spec.subsets());
    }
    let profile = Profile::of_histogram(&nearest);
    let variance = nearest.groups().map(|(subsets, p)| subsets * own_chance(rule, p).variance()).sum();
    let coverage = finish(rule, &sums, brackets, variance, &profile, CoverageMethod::Lattice, stop);
    limits.check_stop().map(|()| (coverage, profile))
}

fn relative_width((low, high): (f64, f64)) -> f64 {
    (high - low) / high
}

fn own_chance(rule: &Rule, p: f64) -> Chance {
    rule.at(p).fold(Chance { yes: 0.0, no: 0.0 }, |sum, (kind, released)| {
        let share = kind.classes * kind.share;
        Chance { yes: sum.yes + share * released.own.yes, no: sum.no + share * released.own.no }
    })
}

fn finish(
    rule: &Rule,
    sums: &Sums,
    brackets: Brackets,
    variance: f64,
    profile: &Profile,
    method: CoverageMethod,
    stop: &StopFlag,
) -> Coverage {
    Coverage {
        all_classes: Bracketed::new(sums.all, brackets.all.0, brackets.all.1),
        own_class: Bracketed::new(sums.mean_own(rule), brackets.own.0, brackets.own.1),
        by_class: rule.kind_of.iter().map(|&kind| sums.own[kind]).collect(),
        variance_all: variance_all(rule, profile, stop),
        variance_own: variance,
        method,
    }
}

/// (4).
fn variance_all(rule: &Rule, profile: &Profile, stop: &StopFlag) -> f64 {
    let classes: f64 = rule.kinds.iter().map(|kind| kind.classes).sum();
    let mut table = ReleaseTable::new(rule);
    let groups = profile.groups().take_while(|_| !stop.is_set()).map(|group| {
        // By size all classes are released or withheld together.
        let variance = if rule.below == 0 {
            0.0
        } else if rule.by_size {
            classes * variance_within(rule, group.p)
        } else {
            variance_within(rule, group.p) + table.covariance(group.p)
        };
        group.weight * variance
    });
    groups.sum()
}

/// The part of (4) within the classes, at match probability `p`.
fn variance_within(rule: &Rule, p: f64) -> f64 {
    let of_kinds =
        rule.at(p).map(|(kind, released)| kind.classes * released.own.mix(kind.share, released.other).variance());
    of_kinds.sum()
}

/// `p_r(g)`: release of every kind of class in a group of `g` others, remembered for small
/// groups.
struct ReleaseTable<'a> {
    rule: &'a Rule,
    known: Vec<Vec<f64>>,
}

impl<'a> ReleaseTable<'a> {
    const MOST: u64 = 8192;

    fn new(rule: &'a Rule) -> Self {
        Self { rule, known: Vec::new() }
    }

    fn withheld(rule: &Rule, size: u64) -> Vec<f64> {
        rule.kinds.iter().map(|kind| two_tails(size + 1, kind.thinning, rule.below)[0].no).collect()
    }

    fn with<T>(&mut self, size: u64, f: impl FnOnce(&[f64]) -> T) -> T {
        if size >= Self::MOST {
            return f(&Self::withheld(self.rule, size));
        }
        while self.known.len() as u64 <= size {
            self.known.push(Self::withheld(self.rule, self.known.len() as u64));
        }
        f(&self.known[size as usize])
    }

    /// `Var(sum_r p_r(G)) - sum_r Var(p_r(G))` over the sizes of groups at match probability `p`.
    fn covariance(&mut self, p: f64) -> f64 {
        let kinds = &self.rule.kinds;
        let mut nodes: Vec<(u64, f64)> = Vec::new();
        for_each_size(self.rule.others, p, |size, mass| nodes.push((size, mass)));
        let mut means = vec![0.0; kinds.len()];
        for &(size, mass) in &nodes {
            self.with(size, |withheld| means.iter_mut().zip(withheld).for_each(|(mean, w)| *mean += mass * w));
        }
        let mut covariance = 0.0;
        for &(size, mass) in &nodes {
            covariance += mass
                * self.with(size, |withheld| {
                    let apart =
                        withheld.iter().zip(&means).zip(kinds).map(|((w, mean), kind)| (w - mean, kind.classes));
                    let (sum, squares) =
                        apart.fold((0.0, 0.0), |(sum, squares), (x, n)| (sum + n * x, squares + n * x * x));
                    sum * sum - squares
                });
        }
        covariance
    }
}
