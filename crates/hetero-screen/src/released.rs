//! How likely a row's queries are released: thinning.
//!
//! A row with label r, a subset of columns with match probability `p`, `n = R - 1` other rows. The row's own class count is
//! 1 plus a binomial `(n, p pi_r)`: the rows that match, thinned to those of the class. So it is released with probability
//! `P(Bin(n, p pi_r) >= T - 1)`, (1), and a class that is not the row's with `P(Bin(n, p pi_r) >= T)`, (2). Suppression by
//! the size of the group is the same with 1 in the place of `pi_r`, and (1) for every class. Derivations:
//! `docs/math/hetero-screen.md`.

use crate::spec::{ScreenSpec, Suppression};
use crate::tails::{Chance, two_tails};

/// Classes of one share.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    /// `pi_r`, of each.
    pub(crate) share: f64,
    /// How many classes have that share.
    pub(crate) classes: f64,
    /// By how much the rows that match are thinned: `pi_r`, or 1 when groups are suppressed by their size.
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

    /// `T - 1`: how many rows of one's own class must match besides oneself. 0 releases one's own count for certain.
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

    /// The same given that `others` other rows match: (1) and (2) with the size of the group known.
    pub(crate) fn released_in_group(&self, kind: &Kind, others: u64) -> Released {
        if self.by_size {
            let released = if others + 1 >= self.below { Chance::SURE } else { Chance { yes: 0.0, no: 1.0 } };
            return Released { own: released, other: released };
        }
        self.released_among(kind, others, 1.0)
    }

    /// The least numbers of other rows of the class in a released count, for a row of the class and for another one.
    pub(crate) fn least_counts(&self) -> (u64, u64) {
        if self.by_size { (0, 0) } else { (self.needed(), self.below) }
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
        let at =
            |m: u64, q: f64| libm::exp(m as f64 * libm::log(n * q) - privacy_core::special::ln_gamma(m as f64 + 1.0));
        let m = self.needed();
        let mut bounds = Bounds { power: m.max(1) as f64, own_power: m as f64, own: 0.0, all: 0.0 };
        for Kind { share, classes, thinning } in self.kinds.iter().filter(|kind| kind.share > 0.0) {
            let own = if m == 0 { 0.0 } else { at(m, *thinning) };
            let other = if self.by_size { own } else { at(m + 1, *thinning) };
            bounds.own += classes * share * own;
            bounds.all += classes * (share * own + (1.0 - share) * other);
        }
        Some(bounds)
    }
}

/// What is not certain of the coverage of a subset is at most `own p^power` for one's own class, and `all p^power` for all
/// classes: `P(Bin(n, q) >= m) <= (n q)^m / m!`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// At least 1.
    pub(crate) power: f64,
    /// `T - 1`; at 0 one's own count is certain, and `own` is 0.
    pub(crate) own_power: f64,
    pub(crate) own: f64,
    pub(crate) all: f64,
}
