//! When a cell of amounts is sensitive, and how far from the truth an attacker must stay.
//!
//! `T` the amount of a cell, `x_1 >= x_2 >= ...` its contributions, `n` how many there are, `A`
//! what a coalition of respondents contributes itself, `x_t` the largest contribution of anybody
//! outside the coalition. A coalition that knows `T` knows that `x_t <= T - A`.
//!
//! ```text
//! (1)  p %            T - A - x_t < p x_t            level  p x_t - (T - A - x_t)
//! (2)  (m, k)         x_1 + ... + x_m > k T          level  (x_1 + ... + x_m) / k - T
//! (3)  frequency      1 <= n < f                     level  r (T - A), at least one unit
//! ```
//!
//! The prior-posterior rule (p, q) is (1) with `p / q` in place of `p`. A cell is sensitive when
//! its level is positive for some coalition. When the cell is withheld, every coalition must
//! think `T + level` possible, and `T - level` or less, where `level` is the one for that
//! coalition: then its estimate of `x_t` from above is at least `(1 + p) x_t`.
//!
//! Source: Hundepool et al., "Statistical Disclosure Control" (2012), sections 4.2 and 4.3, for a
//! coalition of one; Cox (1981) and Robertson (2000) for respondents as attackers of withheld
//! cells. Levels for every coalition, of withheld cells too, are ours.

use crate::error::Error;
use crate::table::contributions::Contribution;

/// A positive share as a fraction, so that rules are decided without rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    numerator: i64,
    denominator: i64,
}

/// Hundredths of a per cent in a whole.
const WHOLE: i64 = 10_000;

impl Share {
    /// A number of per cent with at most two decimals, above 0 and at most 10,000.
    ///
    /// # Errors
    /// [`Error::Rule`] for any other number.
    pub fn of_percent(parameter: &'static str, percent: f64) -> Result<Self, Error> {
        let refusal = Error::Rule { parameter, range: "a percentage above 0 with at most two decimals" };
        let hundredths = (percent * 100.0).round();
        let is_exact = (hundredths - percent * 100.0).abs() < 1e-6;
        if percent > 0.0 && percent <= 10_000.0 && is_exact && hundredths >= 1.0 {
            Ok(Self { numerator: hundredths as i64, denominator: WHOLE })
        } else {
            Err(refusal)
        }
    }

    /// This share divided by another one: `p / q`.
    #[must_use]
    pub fn over(self, other: Self) -> Self {
        Self { numerator: self.numerator * other.denominator, denominator: self.denominator * other.numerator }
    }

    /// The share of an amount, rounded up.
    pub(crate) fn of(self, amount: i128) -> i128 {
        let product = amount * i128::from(self.numerator);
        -(-product).div_euclid(i128::from(self.denominator))
    }

    /// The amount of which this one is the share, rounded up.
    pub(crate) fn whole_of(self, amount: i128) -> i128 {
        let product = amount * i128::from(self.denominator);
        -(-product).div_euclid(i128::from(self.numerator))
    }

    fn is_whole_or_more(self) -> bool {
        self.numerator >= self.denominator
    }
}

/// The `m` largest contributions are more than the share `k` of a cell: (2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dominance {
    /// How many contributions are added up, at least 1.
    pub largest: usize,
    /// The share of the cell that they may make up, below 1.
    pub share: Share,
}

/// Fewer respondents than this make a cell sensitive: (3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MinFrequency {
    /// The smallest number of respondents that a published cell may have, at least 2.
    pub at_least: usize,
    /// How far from a cell with fewer an attacker must stay, as a share of what others contribute.
    pub range: Share,
}

/// The rule by which a cell is sensitive, and how closely attackers may bound it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SensitivityRule {
    p_percent: Option<Share>,
    dominance: Vec<Dominance>,
    min_frequency: Option<MinFrequency>,
    coalition: usize,
}

/// Largest number of respondents in a coalition.
pub const MOST_COALITION: usize = 2;

impl SensitivityRule {
    /// A rule with at least one part. `coalition` is how many respondents pool what they know: 1
    /// is one respondent, who knows the own amounts; 2 any two; 0 nobody, so that only readers
    /// without an amount of their own are attackers.
    ///
    /// # Errors
    /// [`Error::EmptyRule`], and [`Error::Rule`] for a part out of its range.
    pub fn new(
        p_percent: Option<Share>,
        dominance: Vec<Dominance>,
        min_frequency: Option<MinFrequency>,
        coalition: usize,
    ) -> Result<Self, Error> {
        if p_percent.is_none() && dominance.is_empty() && min_frequency.is_none() {
            return Err(Error::EmptyRule);
        }
        if dominance.iter().any(|own| own.largest == 0) {
            return refused("the number of contributions of a dominance rule", "at least 1");
        }
        if dominance.iter().any(|own| own.share.is_whole_or_more()) {
            return refused("the share of a dominance rule", "below 100 %");
        }
        if min_frequency.is_some_and(|own| own.at_least < 2) {
            return refused("the smallest number of respondents", "at least 2");
        }
        if coalition > MOST_COALITION {
            return refused("coalition", "0, 1 or 2");
        }
        Ok(Self { p_percent, dominance, min_frequency, coalition })
    }

    /// How many respondents pool what they know.
    #[must_use]
    pub fn coalition(&self) -> usize {
        self.coalition
    }

    /// The share of (1).
    #[must_use]
    pub fn p_percent(&self) -> Option<Share> {
        self.p_percent
    }

    /// The largest contributions that a table must list for this rule.
    #[must_use]
    pub fn contributions_needed(&self) -> usize {
        let of_dominance = self.dominance.iter().map(|own| own.largest).max().unwrap_or(0);
        of_dominance.max(self.coalition + 1)
    }

    /// The protection level of a cell against a coalition, in units; 0 where the cell may be
    /// published to it, and where nobody outside it contributes.
    ///
    /// `contributions` are those of the cell, the largest first.
    #[must_use]
    pub fn level(&self, contributions: &[Contribution], coalition: &[u32]) -> i64 {
        let total = sum(contributions.iter());
        let outside = || contributions.iter().filter(|own| !coalition.contains(&own.respondent));
        let (Some(target), others) = (outside().next(), sum(outside())) else { return 0 };
        let level = self.of_p_percent(others, i128::from(target.amount));
        let level = level.max(self.of_dominance(contributions, total));
        let level = level.max(self.of_frequency(contributions.len(), others));
        i64::try_from(level).unwrap_or(i64::MAX)
    }

    /// (1): `others` is `T - A`.
    fn of_p_percent(&self, others: i128, target: i128) -> i128 {
        self.p_percent.map_or(0, |p| p.of(target) - (others - target)).max(0)
    }

    /// (2).
    fn of_dominance(&self, contributions: &[Contribution], total: i128) -> i128 {
        let levels = self.dominance.iter().map(|own| {
            let largest = sum(contributions.iter().take(own.largest));
            own.share.whole_of(largest) - total
        });
        levels.max().unwrap_or(0).max(0)
    }

    /// (3).
    fn of_frequency(&self, respondents: usize, others: i128) -> i128 {
        match self.min_frequency {
            Some(own) if (1..own.at_least).contains(&respondents) => own.range.of(others).max(1),
            _ => 0,
        }
    }

    /// Whether some coalition makes the cell sensitive. Those with most to subtract are its
    /// largest contributors, so only they are looked at.
    #[must_use]
    pub fn is_sensitive(&self, contributions: &[Contribution]) -> bool {
        let top: Vec<u32> = contributions.iter().take(self.coalition + 1).map(|own| own.respondent).collect();
        let mut coalitions = vec![Vec::new()];
        if self.coalition >= 1 {
            coalitions.extend(top.iter().map(|&one| vec![one]));
        }
        if self.coalition >= 2 {
            let places = (0..top.len()).flat_map(|second| (0..second).map(move |first| (first, second)));
            coalitions.extend(places.map(|(first, second)| vec![top[first], top[second]]));
        }
        coalitions.iter().any(|coalition| self.level(contributions, coalition) > 0)
    }
}

fn refused<T>(parameter: &'static str, range: &'static str) -> Result<T, Error> {
    Err(Error::Rule { parameter, range })
}

fn sum<'a>(contributions: impl Iterator<Item = &'a Contribution>) -> i128 {
    contributions.map(|own| i128::from(own.amount)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(amounts: &[i64]) -> Vec<Contribution> {
        (0..).zip(amounts).map(|(respondent, &amount)| Contribution { respondent, amount }).collect()
    }

    fn percent(share: f64) -> Share {
        Share::of_percent("p_percent", share).unwrap()
    }

    #[test]
    fn shares_are_exact_and_refuse_what_they_cannot_hold() {
        assert_eq!(percent(10.0).of(101), 11);
        assert_eq!(percent(0.07).of(10_000), 7);
        assert_eq!(percent(85.0).whole_of(85), 100);
        assert_eq!(percent(10.0).over(percent(30.0)).of(300), 100);
        for wrong in [0.0, -1.0, 0.001, f64::NAN, f64::INFINITY, 10_000.01] {
            assert!(Share::of_percent("p_percent", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_p_percent_rule_asks_the_second_largest_about_the_largest() {
        let rule = SensitivityRule::new(Some(percent(10.0)), vec![], None, 1).unwrap();
        // 900 + 60 + 90: the second largest is 90, and 60 is not below a tenth of 900.
        assert_eq!(rule.level(&cell(&[900, 90, 90]), &[1]), 0);
        assert_eq!(rule.level(&cell(&[900, 90, 60]), &[1]), 30);
        assert!(rule.is_sensitive(&cell(&[900, 90, 60])));
        assert!(!rule.is_sensitive(&cell(&[900, 90, 90])));
        // Nobody outside: nothing to protect.
        assert_eq!(rule.level(&cell(&[900]), &[0]), 0);
        assert_eq!(rule.level(&cell(&[900]), &[]), 90);
    }

    #[test]
    fn two_respondents_together_know_more() {
        let one = SensitivityRule::new(Some(percent(10.0)), vec![], None, 1).unwrap();
        let two = SensitivityRule::new(Some(percent(10.0)), vec![], None, 2).unwrap();
        let three_large = cell(&[500, 400, 300, 20]);
        assert!(!one.is_sensitive(&three_large));
        assert!(two.is_sensitive(&three_large));
        assert_eq!(two.level(&three_large, &[1, 2]), 50 - 20);
    }

    #[test]
    fn empty_and_impossible_rules_are_refused() {
        let dominance = |largest, share| Dominance { largest, share: percent(share) };
        assert_eq!(SensitivityRule::new(None, vec![], None, 1), Err(Error::EmptyRule));
        for own in [dominance(0, 85.0), dominance(1, 100.0), dominance(2, 120.0)] {
            assert!(matches!(SensitivityRule::new(None, vec![own], None, 1), Err(Error::Rule { .. })));
        }
        let frequency = MinFrequency { at_least: 1, range: percent(30.0) };
        assert!(matches!(SensitivityRule::new(None, vec![], Some(frequency), 1), Err(Error::Rule { .. })));
        assert!(matches!(SensitivityRule::new(Some(percent(5.0)), vec![], None, 3), Err(Error::Rule { .. })));
    }
}
