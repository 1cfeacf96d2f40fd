//! The exact law of a sampler: run it on every string of coin flips up to a depth.
//!
//! `d` depth in bits, `mass(v)` the number of strings of `d` bits on which the sampler gives `v`,
//! in units of `2^-d`, `unresolved` the number of strings on which it wants more than `d` bits. A
//! sampler that is right gives, for every `v` of probability `p(v)`,
//!
//! ```text
//! mass(v) <= 2^d p(v) <= mass(v) + unresolved
//! ```
//!
//! and `unresolved + sum of mass(v) = 2^d`. No statistics: one string of flips gone wrong is
//! found.
//!
//! A run that stops after `j < d` bits stands for all `2^(d - j)` strings that begin with them,
//! so the walk costs one run a leaf, not one a string.

use std::collections::BTreeMap;
use std::fmt::Debug;

use crate::splitmix::SplitMix;

/// The coin flips of one run, handed out first to last.
pub struct Path {
    /// The flips to take, first first; flips past them are zeros, and written down here.
    flips: Vec<bool>,
    taken: usize,
    depth: usize,
    beyond: SplitMix,
}

impl Path {
    /// The next `n` flips, the first one in the highest place. Past the depth they are
    /// pseudo-random, so that a run that wants ever more still ends; it counts as unresolved.
    ///
    /// # Panics
    /// If `n > 64`.
    pub fn bits(&mut self, n: u32) -> u64 {
        assert!(n <= 64, "at most 64 flips at once");
        (0..n).fold(0, |bits, _| bits << 1 | u64::from(self.flip()))
    }

    /// The next flip.
    pub fn flip(&mut self) -> bool {
        self.taken += 1;
        if self.taken > self.depth {
            return self.beyond.next() >> 63 == 1;
        }
        if self.taken > self.flips.len() {
            self.flips.push(false);
        }
        self.flips[self.taken - 1]
    }

    /// Whether the run has taken more flips than the depth.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.taken > self.depth
    }

    /// The first string of flips after all those that begin with the ones taken, or `None` after
    /// the last.
    fn advance(mut self) -> Option<Vec<bool>> {
        self.flips.truncate(self.taken);
        while self.flips.pop()? {}
        self.flips.push(true);
        Some(self.flips)
    }
}

/// Runs a sampler on every string of `depth` flips, in lexicographic order; returns the mass of
/// each output and the unresolved mass, both in units of `2^-depth`. `None` from a run means that
/// it gave up: unresolved. At most `2^depth` runs.
///
/// # Panics
/// If `depth > 62`.
pub fn coin_tree<T: Ord>(depth: u32, mut run: impl FnMut(&mut Path) -> Option<T>) -> (BTreeMap<T, u64>, u64) {
    assert!(depth <= 62, "the masses are held in 64 bits");
    let (mut masses, mut unresolved) = (BTreeMap::new(), 0);
    let mut next = Some(Vec::new());
    let mut leaves = 0;
    while let Some(flips) = next {
        let mut path = Path { flips, taken: 0, depth: depth as usize, beyond: SplitMix::new(leaves) };
        leaves += 1;
        let outcome = run(&mut path);
        let taken = path.taken.min(path.depth);
        let units = 1_u64 << (path.depth - taken);
        match outcome {
            Some(value) if !path.is_exhausted() => *masses.entry(value).or_insert(0) += units,
            _ => unresolved += units,
        }
        next = path.advance();
    }
    (masses, unresolved)
}

/// Panics unless `mass(v) <= 2^d p(v) <= mass(v) + unresolved` for every output. `slack` is the
/// relative error allowed to `pmf`, the price of comparing an exact mass with a `f64`: 1e-12,
/// say.
///
/// An output that never came needs no look: had it a probability above the unresolved mass,
/// another would have too much.
///
/// # Panics
/// If a mass is out of its bracket, or nothing was resolved.
#[track_caller]
pub fn assert_mass_brackets<T: Ord + Debug>(
    masses: &BTreeMap<T, u64>,
    unresolved: u64,
    pmf: impl Fn(&T) -> f64,
    slack: f64,
) {
    assert!(!masses.is_empty(), "no run ended within the depth");
    if let Some(value) = first_out_of_bracket(masses, unresolved, &pmf, slack) {
        let total = masses.values().sum::<u64>() + unresolved;
        let (mass, p) = (masses[value], pmf(value));
        panic!("mass of {value:?}: {mass} to {mass} + {unresolved} of {total}, which does not hold {p}");
    }
}

/// The first output whose mass contradicts `pmf`; see [`assert_mass_brackets`].
pub fn first_out_of_bracket<T: Ord>(
    masses: &BTreeMap<T, u64>,
    unresolved: u64,
    pmf: impl Fn(&T) -> f64,
    slack: f64,
) -> Option<&T> {
    let total = (masses.values().sum::<u64>() + unresolved) as f64;
    let outside = |value: &T, mass: u64| {
        let units = total * pmf(value);
        let room = slack * units;
        // Written so that a NaN is outside.
        !(mass as f64 - room <= units && units <= (mass + unresolved) as f64 + room)
    };
    masses.iter().find(|&(value, &mass)| outside(value, mass)).map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fair bit from a coin that shows heads with probability 3/4 (von Neumann): two unequal
    /// tosses.
    fn von_neumann(path: &mut Path) -> Option<bool> {
        loop {
            let (first, second) = (path.bits(2) > 0, path.bits(2) > 0);
            if first != second {
                return Some(first);
            }
        }
    }

    /// `true` with probability 1/3 = 0.010101... in binary: compares the digits of a uniform
    /// number with it.
    fn one_third(path: &mut Path) -> bool {
        let mut digit = false;
        loop {
            let flip = path.flip();
            if flip != digit {
                return digit;
            }
            digit = !digit;
        }
    }

    #[test]
    fn a_von_neumann_coin_is_exactly_fair() {
        let (masses, unresolved) = coin_tree(20, von_neumann);
        assert_eq!(masses[&true], masses[&false]);
        // A round of 4 bits fails with probability 10/16, and 5 rounds fit.
        assert_eq!(unresolved, 100_000);
        assert_eq!(masses[&true] * 2 + unresolved, 1 << 20);
        assert_mass_brackets(&masses, unresolved, |_| 0.5, 0.0);
    }

    #[test]
    fn a_coin_of_one_third_is_bracketed_and_a_wrong_one_is_not() {
        let (masses, unresolved) = coin_tree(30, |path| Some(one_third(path)));
        assert_eq!((masses[&true], masses[&false], unresolved), (((1 << 30) - 1) / 3, ((1 << 30) - 1) / 3 * 2, 1));
        assert_mass_brackets(&masses, unresolved, |&v| if v { 1.0 / 3.0 } else { 2.0 / 3.0 }, 1e-14);
        let wrong = |&v: &bool| if v { 1.0 / 3.0 + 2e-9 } else { 2.0 / 3.0 - 2e-9 };
        assert!(first_out_of_bracket(&masses, unresolved, wrong, 1e-14).is_some());
    }

    #[test]
    fn every_string_is_walked_once_and_in_order() {
        let mut seen = Vec::new();
        let (masses, unresolved) = coin_tree(10, |path| {
            let value = path.bits(10);
            seen.push(value);
            Some(value)
        });
        assert_eq!(seen, (0..1024).collect::<Vec<_>>());
        assert!(masses.values().all(|&m| m == 1) && unresolved == 0);
    }

    #[test]
    fn a_short_run_stands_for_all_strings_that_begin_like_it() {
        let (masses, unresolved) = coin_tree(62, |path| if path.flip() { Some(path.bits(2)) } else { Some(9) });
        assert_eq!(masses, BTreeMap::from([(9, 1 << 61), (0, 1 << 59), (1, 1 << 59), (2, 1 << 59), (3, 1 << 59)]));
        assert_eq!(unresolved, 0);
    }

    #[test]
    fn runs_that_want_too_much_end_and_are_unresolved() {
        let (masses, unresolved) = coin_tree(3, |path| {
            let value = path.bits(64);
            assert!(path.is_exhausted());
            Some(value)
        });
        assert!(masses.is_empty());
        assert_eq!(unresolved, 8);
        assert_eq!(coin_tree(0, |path| Some(path.flip())), (BTreeMap::new(), 1));
        assert_eq!(coin_tree(4, |path| path.flip().then_some(1)), (BTreeMap::from([(1, 8)]), 8));
    }

    #[test]
    #[should_panic(expected = "which does not hold")]
    fn a_mass_out_of_its_bracket_panics() {
        let (masses, unresolved) = coin_tree(8, |path| Some(path.flip()));
        assert_mass_brackets(&masses, unresolved, |_| f64::NAN, 1e-12);
    }
}
