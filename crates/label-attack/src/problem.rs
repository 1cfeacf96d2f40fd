//! The released counts as a problem: a number of rows of each class in each unit, and intervals
//! for sums over sets of units.
//!
//! A unit is all rows with the same known columns, `n_i` of them. A set is the rows of one or
//! more queries, `g` rows. A layer is a class whose numbers are unknowns: all classes, or with
//! two classes the second alone, since the first is the rest. Uniform noise makes every number in
//! `count - e ..= count + e` equally likely, so the intersection of intervals is all that
//! repeated answers about one set reveal.

use privacy_core::stop::StopFlag;
use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::incidence::Incidence;
use crate::setting::Suppression;
use crate::view::LabelView;

/// Which evidence an attacker uses: released counts only, or also that withheld counts are small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Evidence {
    /// Released counts only: each confines its class to `count - e ..= count + e`.
    Released,
    /// Withheld counts too: they are below the threshold, and released ones are not.
    WithSuppressed,
}

/// Intervals for sums over sets of units, merged and tightened.
#[derive(Clone, Debug)]
pub struct LabelProblem {
    /// Rows of each unit.
    pub(crate) sizes: Vec<u32>,
    pub(crate) unit_of_row: Vec<u32>,
    pub(crate) shares: Vec<f64>,
    /// Distinct sets of units.
    pub(crate) sets: Incidence,
    /// The sets of each unit.
    pub(crate) sets_of: Incidence,
    pub(crate) layers: usize,
    /// By set, then layer.
    pub(crate) bounds: Vec<Bounds>,
    /// Rows of each set.
    pub(crate) rows_of: Vec<u32>,
    /// How many queries each set was.
    pub(crate) repeats: Vec<u32>,
}

/// An interval for a number of rows, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) lower: i64,
    pub(crate) upper: i64,
}

impl Bounds {
    /// How far a number is outside.
    pub(crate) fn excess(self, value: i64) -> i64 {
        (self.lower - value).max(value - self.upper).max(0)
    }

    fn within(self, other: Self) -> Self {
        Self { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper) }
    }
}

impl LabelProblem {
    /// What a view implies: queries about the same rows merged, the bounds of each class
    /// tightened by those of the others, and sets about which nothing is known dropped.
    ///
    /// # Panics
    /// Never: nobody sets the flag that could stop it.
    #[must_use]
    pub fn of(view: &LabelView, evidence: Evidence) -> Self {
        Self::until(view, evidence, &StopFlag::never()).expect("nobody sets this flag")
    }

    /// The same, unless the flag is set before the end.
    pub(crate) fn until(view: &LabelView, evidence: Evidence, stop: &StopFlag) -> Result<Self, Error> {
        let classes = view.class_shares().len();
        let sizes = &view.units.sizes;
        let mut merged: FxHashMap<&[u32], usize> = FxHashMap::default();
        let (mut members, mut bounds, mut repeats) = (Vec::new(), Vec::new(), Vec::new());
        for (units, answers) in view.queries() {
            if stop.is_set() {
                return Err(Error::Stopped);
            }
            let rows = units.iter().map(|&unit| i64::from(sizes[unit as usize])).sum();
            let set = *merged.entry(units).or_insert_with(|| {
                members.push((units, rows));
                repeats.push(0);
                bounds.resize(bounds.len() + classes, Bounds { lower: 0, upper: rows });
                members.len() - 1
            });
            repeats[set] += 1;
            for (bound, answer) in bounds[set * classes..].iter_mut().zip(answers) {
                *bound = bound.within(revealed(view, evidence, *answer));
            }
        }
        let mut problem = Self::without_sets(view);
        for (set, &(units, rows)) in members.iter().enumerate() {
            if stop.is_set() {
                return Err(Error::Stopped);
            }
            let of_set = &mut bounds[set * classes..][..classes];
            tighten(of_set, rows);
            let of_layers = &of_set[classes - problem.layers..];
            if of_layers.iter().any(|bound| bound.lower > 0 || bound.upper < rows) {
                problem.sets.push(units.iter().copied());
                problem.bounds.extend_from_slice(of_layers);
                problem.rows_of.push(rows as u32);
                problem.repeats.push(repeats[set]);
            }
        }
        problem.sets_of = problem.sets.transposed(sizes.len());
        Ok(problem)
    }

    fn without_sets(view: &LabelView) -> Self {
        let shares = view.class_shares().to_vec();
        Self {
            sizes: view.units.sizes.clone(),
            unit_of_row: view.units.of_row.clone(),
            layers: if shares.len() == 2 { 1 } else { shares.len() },
            shares,
            sets: Incidence::new(),
            sets_of: Incidence::new(),
            bounds: Vec::new(),
            rows_of: Vec::new(),
            repeats: Vec::new(),
        }
    }

    /// How many units there are: rows with distinct known columns.
    #[must_use]
    pub fn units(&self) -> usize {
        self.sizes.len()
    }

    /// How many distinct sets of rows something is known about.
    #[must_use]
    pub fn sets(&self) -> usize {
        self.sets.len()
    }

    /// Memberships of units in sets.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.sets.entries()
    }

    /// How far the intervals are missed by labels, one for each row: the sum over sets and
    /// classes of the rows outside.
    ///
    /// # Panics
    /// If the number of labels is not the number of rows, or a label is no class.
    #[must_use]
    pub fn violation(&self, labels: &[u32]) -> u64 {
        assert_eq!(labels.len(), self.unit_of_row.len(), "one label for each row");
        assert!(labels.iter().all(|&label| (label as usize) < self.shares.len()), "labels are classes");
        self.sums(labels).iter().zip(&self.bounds).map(|(&sum, bound)| bound.excess(sum) as u64).sum()
    }

    /// The sums of labels, by set and layer.
    pub(crate) fn sums(&self, labels: &[u32]) -> Vec<i64> {
        let mut sums = vec![0; self.bounds.len()];
        for (&unit, &label) in self.unit_of_row.iter().zip(labels) {
            if let Some(layer) = self.layer_of(label) {
                self.sets_of.set(unit as usize).iter().for_each(|&set| sums[set as usize * self.layers + layer] += 1);
            }
        }
        sums
    }

    /// The layer that a class is, if it is one.
    pub(crate) fn layer_of(&self, class: u32) -> Option<usize> {
        (class as usize + self.layers).checked_sub(self.shares.len())
    }

    /// The class that a layer is.
    pub(crate) fn class_of(&self, layer: usize) -> usize {
        layer + self.shares.len() - self.layers
    }
}

/// The interval that one answer implies.
fn revealed(view: &LabelView, evidence: Evidence, answer: Option<i64>) -> Bounds {
    let (release, unknown) = (view.release(), Bounds { lower: 0, upper: i64::MAX });
    let (noise, threshold) = (release.noise as i64, release.suppress_below as i64);
    // The size of a group is public: that its counts are withheld tells nothing about labels.
    let uses_threshold = evidence == Evidence::WithSuppressed && release.suppression == Suppression::PerClass;
    match answer {
        Some(count) => {
            let least = if uses_threshold { threshold } else { 0 };
            Bounds { lower: (count - noise).max(least), upper: count + noise }
        }
        None if uses_threshold => Bounds { lower: 0, upper: (threshold - 1).max(0) },
        None => unknown,
    }
}

/// Classes of a set add up to its rows: what is known of the others bounds each.
fn tighten(of_set: &mut [Bounds], rows: i64) {
    let (least, most) = (of_set.iter().map(|b| b.lower).sum::<i64>(), of_set.iter().map(|b| b.upper).sum::<i64>());
    for bound in of_set {
        let (rest_least, rest_most) = (least - bound.lower, most - bound.upper);
        *bound = bound.within(Bounds { lower: rows - rest_most, upper: rows - rest_least });
    }
}
