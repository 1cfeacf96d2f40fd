//! How likely a row's queries are released: thinning.
//!
//! A row with label r, a subset of columns with match probability `p`, `n = R - 1` other rows.
//! The row's own class count is 1 plus a binomial `(n, p pi_r)`: the rows that match, thinned to
//! those of the class. So it is released with probability `P(Bin(n, p pi_r) >= T - 1)`, (1), and
//! a class that is not the row's with `P(Bin(n, p pi_r) >= T)`, (2). Suppression by the size of
//! the group is the same with 1 in the place of `pi_r`, and (1) for every class. Derivations:
//! `docs/math/hetero-screen.md`.

use crate::spec::{ScreenSpec, Suppression};
use crate::tails::{Chance, SMALL, two_tails};

/// Classes of one share.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    /// `pi_r`, of each.
    pub(crate) share: f64,
    /// How many classes have that share.
    pub(crate) classes: f64,
    /// By how much the rows that match are thinned: `pi_r`, or 1 when groups are suppressed by
    /// their size.
    pub(crate) thinning: f64,
}

/// The rule of release, for rows of all classes.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// `n`, rows besides one's own.
    pub(crate) others: u64,
    /// `T`.
    pub(crate) below: u64,
    /// Whether the size of the group decides.
    pub(crate) by_size: bool,
    pub(crate) kinds: Vec<Kind>,
    /// Which kind each class is.
    pub(crate) kind_of: Vec<usize>,
}

/// Whether a class count of a query is released.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Released {
    /// To a row of the class.
    pub(crate) own: Chance,
    /// To a row of another class.
    pub(crate) other: Chance,
}

impl Rule {
    pub(crate) fn of(spec: &ScreenSpec) -> Self {
        let by_size = matches!(spec.suppression(), Suppression::GroupSize(_));
        let mut kinds: Vec<Kind> = Vec::new();
        let mut kind_of = Vec::new();
        for &share in spec.classes().shares() {
            let known = kinds.iter().position(|kind| kind.share == share);
            let kind = known.unwrap_or(kinds.len());
            if known.is_none() {
                kinds.push(Kind { share, classes: 0.0, thinning: if by_size { 1.0 } else { share } });
            }
            kinds[kind].classes += 1.0;
            kind_of.push(kind);
        }
        Self { others: spec.rows() - 1, below: spec.suppression().below(), by_size, kinds, kind_of }
    }

    /// `T - 1`: how many rows of one's own class must match besides oneself. 0 releases one's own
    /// count for certain.
    pub(crate) fn needed(&self) -> u64 {
        self.below.saturating_sub(1)
    }

    /// (1) and (2) for a class of this kind, among `others` rows that match with probability `p`.
    pub(crate) fn released_among(&self, kind: &Kind, others: u64, p: f64) -> Released {
        if self.below == 0 {
            return Released { own: Chance::SURE, other: Chance::SURE };
        }
        let [own, other] = two_tails(others, p * kind.thinning, self.below - 1);
        Released { own, other: if self.by_size { own } else { other } }
    }

    /// The same given that `others` other rows match: (1) and (2) with the size of the group
    /// known.
    pub(crate) fn released_in_group(&self, kind: &Kind, others: u64) -> Released {
        if self.by_size {
            let released = if others + 1 >= self.below { Chance::SURE } else { Chance { yes: 0.0, no: 1.0 } };
            return Released { own: released, other: released };
        }
        self.released_among(kind, others, 1.0)
    }

    /// The least numbers of other rows of the class in a released count, for a row of the class
    /// and for another one.
    pub(crate) fn least_counts(&self) -> (u64, u64) {
        if self.by_size { (0, 0) } else { (self.needed(), self.below) }
    }

    /// How much work the tails at one match probability are, in additions.
    pub(crate) fn tail_steps(&self) -> f64 {
        let laws = if self.by_size { 1.0 } else { self.kinds.len() as f64 };
        laws * if self.needed() > SMALL { 3000.0 } else { 60.0 }
    }

    /// (1) and (2) for every kind, at match probability `p`.
    pub(crate) fn at<'a>(&'a self, p: f64) -> impl Iterator<Item = (&'a Kind, Released)> + 'a {
        let mut of_all: Option<Released> = None; // by size, all kinds are alike
        self.kinds.iter().map(move |kind| match of_all {
            Some(released) if self.by_size => (kind, released),
            _ => {
                let released = self.released_among(kind, self.others, p);
                of_all = Some(released);
                (kind, released)
            }
        })
    }

    /// What bounds (1) and (2) for small `p`; `None` where everything is released.
    pub(crate) fn bounds(&self) -> Option<Bounds> {
        if self.below == 0 || (self.by_size && self.below == 1) {
            return None;
        }
        let n = self.others as f64;
        let ln_at = |m: u64, q: f64| match m {
            0 => f64::NEG_INFINITY, // certain, and no part of the bound
            m => m as f64 * libm::log(n * q) - privacy_core::special::ln_gamma(m as f64 + 1.0),
        };
        let m = self.needed();
        let (mut own, mut all) = (Vec::new(), Vec::new());
        for Kind { share, classes, thinning } in &self.kinds {
            let ln_own = ln_at(m, *thinning);
            let ln_other = if self.by_size { ln_own } else { ln_at(m + 1, *thinning) };
            own.push((classes * share, ln_own));
            all.extend([(classes * share, ln_own), (classes * (1.0 - share), ln_other)]);
        }
        Some(Bounds { power: m.max(1) as f64, own_is_certain: m == 0, ln_own: ln_sum(&own), ln_all: ln_sum(&all) })
    }
}

/// What is not certain of the coverage of a subset is at most `e^ln_own p^power` for one's own
/// class, and `e^ln_all p^power` for all classes: `P(Bin(n, q) >= m) <= (n q)^m / m!`. In logs,
/// since `n^m` need not be an `f64`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// At least 1.
    pub(crate) power: f64,
    /// At `T = 1` one's own count is always released.
    pub(crate) own_is_certain: bool,
    pub(crate) ln_own: f64,
    /// At least `ln_own`.
    pub(crate) ln_all: f64,
}

impl Bounds {
    /// The bound for one's own class relative to that for all.
    pub(crate) fn own_part(&self) -> f64 {
        if self.ln_own == f64::NEG_INFINITY { 0.0 } else { libm::exp(self.ln_own - self.ln_all) }
    }
}

/// `ln sum factor e^ln`.
fn ln_sum(terms: &[(f64, f64)]) -> f64 {
    let terms = || terms.iter().filter(|(factor, _)| *factor > 0.0);
    let most = terms().map(|(_, ln)| *ln).fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    most + libm::log(terms().map(|(factor, ln)| factor * libm::exp(ln - most)).sum())
}
