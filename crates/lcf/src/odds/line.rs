//! What the whole line of a group reveals in query mode: whether it is shown, and its number.
//!
//! `p`, `q = 1 - p` for `N` entities and `p'`, `q'` for `N + 1`; `V` the number beside a group of
//! `N` and `V'` beside one of `N + 1`, `b` its base.
//!
//! **One line.** The attacker knows that there are `N` or `N + 1` entities, equally likely, and
//! sees a suppression, or a number `v` with probability `p P(V = v)` or `p' P(V' = v)`. A line
//! that one of the two sizes cannot have is a proof.
//!
//! **A pair of lines**, with and without a victim. If it is in neither, both lines are equal. If
//! it is there, they differ with probability
//!
//! ```text
//! (19)  1 - q q' - p p' (N c + d) / (N + 1)
//!       c = P(V = V') with the same noise,  1 - 1/b but for the floor      the least hash stays
//!       d = P(V = V') with new noise,  sum over v of P(V = v) P(V' = v)    the victim has it
//! ```
//!
//! since the draws of two sets are independent, and the noise is that of the least hash.

use std::collections::BTreeMap;

use super::averaging::numbers_for_99_percent;
use crate::law::threshold_table::ThresholdTable;
use crate::number::{GroupNumber, NumberNoise};

/// The most that whole lines of groups reveal about one entity in query mode, over all sizes: a
/// calibration. Prior: `N` and `N + 1` equally likely.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LineOdds {
    /// The largest probability of a line that proves which of two sizes a group has.
    pub certainty: f64,
    /// The largest posterior short of a proof, among lines that occur once in 10^9 or more.
    pub posterior: f64,
    /// The size at which lines with and without a victim differ most often.
    pub worst: LinePair,
    /// The same among groups that are reported whatever the draw: what the number alone reveals.
    pub certain_groups: LinePair,
    /// Numbers beside large sets, each with other known entities besides the same unknown group,
    /// until its size is found but for an error of 1 %; none where numbers are hidden.
    pub numbers_for_99_percent: Option<u64>,
}

/// Two lines of a group, with and without a victim.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LinePair {
    /// The smaller size, `N`.
    pub n: u64,
    /// Probability that the lines differ if the victim is there; otherwise they never do.
    pub detection: f64,
    /// Pairs with other entities until the victim is found with 99 %; none where lines never
    /// differ.
    pub pairs_for_99_percent: Option<u64>,
}

/// Lines that are rarer are not looked at for posteriors.
const RARE: f64 = 1e-9;
/// Tails of the noise beyond this many scales have less than 1e-15.
const SCALES: f64 = 36.0;

impl ThresholdTable {
    /// The most that lines with this number reveal.
    #[must_use]
    pub fn line_odds(&self, number: &GroupNumber) -> LineOdds {
        let line = Line { thresholds: self, law: NumberLaw::new(number), floor: self.floor() };
        let (first, base) = (self.floor().saturating_sub(1), line.law.base());
        // From here on neither the threshold nor the floor matters, and sizes repeat by the base.
        let free = self.cap() + base + line.law.reach();
        let mut odds = LineOdds {
            certainty: 0.0,
            posterior: 0.5,
            worst: LinePair { n: first, detection: 0.0, pairs_for_99_percent: None },
            certain_groups: LinePair { n: self.cap(), detection: 0.0, pairs_for_99_percent: None },
            numbers_for_99_percent: numbers_for_99_percent(&line.law),
        };
        for n in sizes(first, self.cap(), free, base) {
            line.look_at(n, &mut odds);
        }
        odds
    }
}

impl ThresholdTable {
    /// A pair of lines at this size.
    #[must_use]
    pub fn line_pair(&self, number: &GroupNumber, n: u64) -> LinePair {
        let line = Line { thresholds: self, law: NumberLaw::new(number), floor: self.floor() };
        let [q, q1] = [n, n + 1].map(|n| self.decision_probability(n).suppressed);
        line.pair(n, &line.shown(n), &line.shown(n + 1), q * q1)
    }
}

/// All sizes with a draw, those of a period of the base above them, and one of each residue where
/// the floor is out of reach: between, lines change with the distance of the floor alone.
fn sizes(first: u64, cap: u64, free: u64, base: u64) -> impl Iterator<Item = u64> {
    let near = cap + 2 * base;
    (first..near).chain(free.max(near)..free.max(near) + base)
}

/// The law of lines.
struct Line<'a> {
    thresholds: &'a ThresholdTable,
    law: NumberLaw,
    floor: u64,
}

/// The law of the number of `n` entities.
pub(super) enum NumberLaw {
    /// Always the same number.
    Hidden,
    /// Another number for every size.
    Exact,
    Noisy(Noise),
}

pub(super) struct Noise {
    base: u64,
    /// The largest noise that matters.
    reach: i64,
    /// P(Z < z) for z = -reach, 1 - reach, ... up to reach + 1.
    below: Vec<f64>,
}

impl NumberLaw {
    pub(super) fn new(number: &GroupNumber) -> Self {
        match number {
            GroupNumber::Hidden => Self::Hidden,
            GroupNumber::Exact(_) => Self::Exact,
            GroupNumber::Rounded(noise) | GroupNumber::Noisy(noise) => Self::Noisy(Noise::new(noise)),
        }
    }

    pub(super) fn base(&self) -> u64 {
        if let Self::Noisy(noise) = self { noise.base } else { 1 }
    }

    /// How far a number can be from the truth.
    pub(super) fn reach(&self) -> u64 {
        if let Self::Noisy(noise) = self { noise.base + noise.reach.unsigned_abs() } else { 0 }
    }
}

impl Noise {
    fn new(noise: &NumberNoise) -> Self {
        let scale = noise.scale().unwrap_or(0.0);
        let ratio = if scale > 0.0 { libm::exp(-1.0 / scale) } else { 0.0 };
        let at_zero = (1.0 - ratio) / (1.0 + ratio);
        let reach = (SCALES * scale).ceil() as i64;
        let mut below = vec![0.0];
        for z in -reach..=reach {
            let density = if z == 0 { at_zero } else { at_zero * libm::exp(-(z.unsigned_abs() as f64) / scale) };
            below.push(below[below.len() - 1] + density);
        }
        Self { base: noise.base().into(), reach, below }
    }

    /// P(Z + T = x).
    fn moved(&self, x: i64) -> f64 {
        let below = |z: i64| self.below[(z + self.reach).clamp(0, 2 * self.reach + 1) as usize];
        // T moves Z by 0 to b - 1, each as likely.
        (below(x + 1) - below(x + 1 - self.base as i64)) / self.base as f64
    }

    /// The numbers of `n` entities with their probabilities.
    pub(super) fn numbers(&self, n: u64, floor: u64) -> BTreeMap<u64, f64> {
        let (base, reach) = (self.base as i64, self.reach);
        let mut numbers = BTreeMap::new();
        for x in -reach..reach + base {
            let number = ((n as i64 + x).max(0) / base * base) as u64;
            *numbers.entry(number.max(floor)).or_insert(0.0) += self.moved(x);
        }
        numbers.retain(|_, p| *p > 0.0);
        numbers
    }

    /// `c` of (19): 1 less the noise that puts a multiple of the base above the floor between.
    fn same(&self, n: u64, floor: u64) -> f64 {
        let (n, base, reach) = (n as i64, self.base as i64, self.reach);
        let first = ((n - reach) / base).max(floor as i64 / base + 1);
        let last = (n + reach + base) / base + 1;
        let crossed: f64 = (first..=last).map(|multiple| self.moved(multiple * base - n - 1)).sum();
        1.0 - crossed
    }
}

/// The probability of a line with this number.
fn probability_of(lines: &BTreeMap<u64, f64>, number: u64) -> f64 {
    lines.get(&number).copied().unwrap_or(0.0)
}

impl Line<'_> {
    /// The lines of `n` entities that are shown, by their number.
    fn shown(&self, n: u64) -> BTreeMap<u64, f64> {
        let reported = self.thresholds.decision_probability(n).reported;
        let mut lines = match &self.law {
            NumberLaw::Hidden => BTreeMap::from([(0, 1.0)]),
            NumberLaw::Exact => BTreeMap::from([(n, 1.0)]),
            NumberLaw::Noisy(noise) => noise.numbers(n, self.floor),
        };
        lines.values_mut().for_each(|p| *p *= reported);
        lines.retain(|_, p| *p > 0.0);
        lines
    }

    fn look_at(&self, n: u64, odds: &mut LineOdds) {
        let (fewer, more) = (self.shown(n), self.shown(n + 1));
        let (q, q1) = (
            self.thresholds.decision_probability(n).suppressed,
            self.thresholds.decision_probability(n + 1).suppressed,
        );
        let numbers: std::collections::BTreeSet<u64> = fewer.keys().chain(more.keys()).copied().collect();
        let mut proofs = [0.0; 2];
        let of_lines =
            numbers.into_iter().map(|number| (probability_of(&fewer, number), probability_of(&more, number)));
        for (here, there) in of_lines.chain([(q, q1)]) {
            match (here > 0.0, there > 0.0) {
                (true, false) => proofs[0] += 0.5 * here,
                (false, true) => proofs[1] += 0.5 * there,
                (true, true) if here.min(there) > RARE => {
                    odds.posterior = odds.posterior.max(here.max(there) / (here + there));
                }
                _ => {}
            }
        }
        odds.certainty = odds.certainty.max(proofs[0] + proofs[1]);
        let pair = self.pair(n, &fewer, &more, q * q1);
        if pair.detection > odds.worst.detection {
            odds.worst = pair;
        }
        if n >= self.thresholds.cap() && pair.detection > odds.certain_groups.detection {
            odds.certain_groups = pair;
        }
    }

    /// (19); `suppressed` is `q q'`.
    fn pair(&self, n: u64, fewer: &BTreeMap<u64, f64>, more: &BTreeMap<u64, f64>, suppressed: f64) -> LinePair {
        let [p, p1] = [n, n + 1].map(|n| self.thresholds.decision_probability(n).reported);
        let same = match &self.law {
            NumberLaw::Hidden => p * p1,
            NumberLaw::Exact => 0.0,
            NumberLaw::Noisy(noise) => {
                let anew: f64 = fewer.iter().filter_map(|(v, p)| Some(p * more.get(v)?)).sum();
                (n as f64 * p * p1 * noise.same(n, self.floor) + anew) / (n as f64 + 1.0)
            }
        };
        let detection = (1.0 - suppressed - same).clamp(0.0, 1.0);
        // Rounding leaves a rest of 1e-16 where lines never differ.
        let differs = detection > 1e-12;
        let pairs = (libm::log(0.01) / libm::log1p(-detection)).ceil().max(1.0);
        let pairs = differs.then_some(if detection >= 1.0 { 1 } else { pairs as u64 });
        LinePair { n, detection: if differs { detection } else { 0.0 }, pairs_for_99_percent: pairs }
    }
}
