//! How a bit and a symbol are randomised, as thresholds.
//!
//! Symbols: `e` epsilon, `d` how many symbols. Rounding is towards more noise, by a relative
//! `(1 + e) 2^-48` beyond what doubles need: then neither epsilon itself nor the bound that is
//! computed from the thresholds is above what was asked for.
//!
//! Sources: Ye, Barg 2018 (subset selection); Warner 1965; Erlingsson, Pihur, Korolova 2014
//! (symmetric unary encoding); Wang, Blocki, Li, Jha 2017 (optimised unary encoding, local
//! hashing).

use privacy_core::param::{Epsilon, Probability};
use privacy_core::round::{add_down, div_up, exp_down, mul_up};

use crate::channel::{Channel, ChannelError};
use crate::error::SchemaError;
use crate::probability::FixedProbability;

/// Randomised response of one bit: `p` = P(0 becomes 1) below `q` = P(1 stays 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitNoise {
    p: FixedProbability,
    q: FixedProbability,
}

impl BitNoise {
    /// The multiples of `2^-64` nearest to these probabilities.
    ///
    /// # Errors
    /// [`SchemaError::Uninformative`] unless `p < q` after rounding.
    pub fn new(p: Probability, q: Probability) -> Result<Self, SchemaError> {
        Self::from_fixed(FixedProbability::nearest(p), FixedProbability::nearest(q))
    }

    /// Exactly these.
    ///
    /// # Errors
    /// [`SchemaError::Uninformative`] unless `p < q`. A feature asks for more:
    /// [`Channel::LEAST_GAP`] between them.
    pub fn from_fixed(p: FixedProbability, q: FixedProbability) -> Result<Self, SchemaError> {
        if p < q { Ok(Self { p, q }) } else { Err(SchemaError::Uninformative) }
    }

    /// `p = 1 / (1 + e^epsilon)`, `q = 1 - p`: the best response of a single bit.
    ///
    /// # Errors
    /// [`SchemaError::Uninformative`] when epsilon is so small that `p` and `q` round to the
    /// same.
    pub fn symmetric(epsilon: Epsilon) -> Result<Self, SchemaError> {
        let p = share_up(1.0, epsilon.get());
        Self::from_fixed(p, p.complement())
    }

    /// `q = 1/2`, `p = 1 / (1 + e^epsilon)`: of one-hot blocks with this epsilon, the best for
    /// rare values.
    ///
    /// # Errors
    /// As [`BitNoise::symmetric`].
    pub fn optimised_unary(epsilon: Epsilon) -> Result<Self, SchemaError> {
        Self::from_fixed(share_up(1.0, epsilon.get()), FixedProbability::from_threshold(1 << 63))
    }

    /// The symmetric one-hot block with this epsilon: two bits differ, each has half of it.
    ///
    /// # Errors
    /// As [`BitNoise::symmetric`].
    pub fn symmetric_unary(epsilon: Epsilon) -> Result<Self, SchemaError> {
        let p = share_up(1.0, epsilon.get() / 2.0);
        Self::from_fixed(p, p.complement())
    }

    /// P(0 becomes 1).
    #[must_use]
    pub const fn p(self) -> FixedProbability {
        self.p
    }

    /// P(1 stays 1).
    #[must_use]
    pub const fn q(self) -> FixedProbability {
        self.q
    }

    /// The same in doubles, which may no longer tell `p` from `q`.
    pub(crate) fn channel(self) -> Result<Channel, ChannelError> {
        Channel::new(self.p.to_f64(), self.q.to_f64())
    }
}

/// The probability that one of `symbols` symbols is reported as it is, when every other comes
/// with the same probability and a report has this epsilon:
/// `e^epsilon / (e^epsilon + symbols - 1)`, rounded down.
pub(crate) fn truth_of_symbols(epsilon: Epsilon, symbols: u32) -> FixedProbability {
    share_up(f64::from(symbols - 1), epsilon.get()).complement()
}

/// The probability that a subset of `size` of `values` values has the true one when a report has
/// this epsilon: `w e^epsilon / (w e^epsilon + d - w)`, rounded down.
pub(crate) fn truth_of_subsets(epsilon: Epsilon, size: u32, values: u32) -> FixedProbability {
    share_up(div_up(f64::from(values - size), f64::from(size)), epsilon.get()).complement()
}

/// The probability that a combination of values is kept, when it is else uniform over `cells`
/// combinations and a report has this epsilon: `(e^epsilon - 1) / (e^epsilon - 1 + cells)`,
/// rounded down. `cells` is at least 2 and exact in a double.
pub(crate) fn keep_of_cells(epsilon: Epsilon, cells: f64) -> FixedProbability {
    // A draw that is not kept shows another combination with chance (cells - 1) / cells.
    share_times_up(cells - 1.0, epsilon.get(), div_up(cells, cells - 1.0)).complement()
}

/// `weight / (weight + e^epsilon)`, rounded up.
fn share_up(weight: f64, epsilon: f64) -> FixedProbability {
    share_times_up(weight, epsilon, 1.0)
}

/// `times weight / (weight + e^epsilon)`, rounded up.
fn share_times_up(weight: f64, epsilon: f64, times: f64) -> FixedProbability {
    let more = mul_up(times, 1.0 + (1.0 + epsilon) / (1_u64 << 48) as f64);
    let share = mul_up(div_up(weight, add_down(weight, exp_down(epsilon))), more).min(1.0);
    let numerator = (share * FixedProbability::ALWAYS.to_f64() * (1_u128 << 64) as f64).ceil() as u128;
    u64::try_from(numerator).map_or(FixedProbability::ALWAYS, FixedProbability::from_threshold)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::epsilon;
    use proptest::prelude::*;

    fn eps(value: f64) -> Epsilon {
        Epsilon::new(value).unwrap()
    }

    /// Never above what was asked, and close below it.
    fn costs_what_was_asked(asked: f64, symbols: u32) -> bool {
        let made = |bits: BitNoise, of: fn(FixedProbability, FixedProbability) -> f64| of(bits.p(), bits.q());
        let costs = [
            made(BitNoise::symmetric(eps(asked)).unwrap(), epsilon::binary),
            made(BitNoise::symmetric_unary(eps(asked)).unwrap(), epsilon::unary),
            made(BitNoise::optimised_unary(eps(asked)).unwrap(), epsilon::unary),
            epsilon::symbol(truth_of_symbols(eps(asked), symbols), symbols),
            epsilon::subset(truth_of_subsets(eps(asked), symbols / 2, symbols), symbols / 2, symbols),
            epsilon::joint(keep_of_cells(eps(asked), f64::from(symbols)), f64::from(symbols)),
        ];
        // A share that is larger by the factor 1 + (1 + e) 2^-48 costs at most so much less:
        // twice that of two bits near p = 1/2, which a small relative change moves most, and
        // `symbols` times that of a symbol. Doubles take half as much again.
        let noisier = 6.0 * f64::from(symbols) * (1.0 + asked) / (1_u64 << 48) as f64;
        // Thresholds have 64 bits: at a large epsilon the least chance has few of them left.
        let resolution = asked.exp() / 2_f64.powi(63);
        costs.iter().all(|&cost| cost <= asked && cost > asked - noisier - resolution)
    }

    proptest! {
        #[test]
        fn what_is_sampled_costs_what_was_asked(asked in 1e-6..30.0_f64, ln_asked in -13.8..3.4_f64, symbols in 2_u32..5000) {
            prop_assert!(costs_what_was_asked(asked, symbols), "{} {}", asked, symbols);
            prop_assert!(costs_what_was_asked(ln_asked.exp(), symbols), "{} {}", ln_asked.exp(), symbols);
        }
    }

    #[test]
    fn what_is_sampled_costs_what_was_asked_at_the_ends() {
        for asked in [1e-6, 1.1e-6, 1e-5, 1e-3, 0.5, 1.0, 19.415_561_463_553_6, 29.999, 30.0] {
            for symbols in [2, 3, 4450, 4999, 1 << 20] {
                assert!(costs_what_was_asked(asked, symbols), "{asked} {symbols}");
            }
        }
    }

    #[test]
    fn an_epsilon_out_of_reach_of_thresholds_is_refused_or_less() {
        assert!(matches!(BitNoise::symmetric(eps(1e-17)), Err(SchemaError::Uninformative)));
        let most = BitNoise::symmetric(eps(700.0)).unwrap();
        assert_eq!(most.p(), FixedProbability::from_threshold(1));
    }

    #[test]
    fn bits_of_equal_chances_tell_nothing() {
        let half = FixedProbability::from_threshold(1 << 63);
        assert!(matches!(BitNoise::from_fixed(half, half), Err(SchemaError::Uninformative)));
    }

    /// The margin of 2^-48 would hide a step that is rounded down: each is replayed.
    #[test]
    fn every_step_of_a_share_is_rounded_up() {
        let replayed = |weight: f64, epsilon: f64, times: f64| {
            let more = mul_up(times, 1.0 + (1.0 + epsilon) / 2_f64.powi(48));
            let share = mul_up(div_up(weight, add_down(weight, exp_down(epsilon))), more);
            FixedProbability::from_threshold((share * 2_f64.powi(64)).ceil() as u64)
        };
        for step in 1_u32..300 {
            let (asked, size) = (f64::from(step) / 37.0, step % 7 + 1);
            let (values, cells) = (size + step, f64::from(step + 2));
            assert_eq!(share_times_up(0.3 * cells, asked, 0.7), replayed(0.3 * cells, asked, 0.7), "{step}");
            let others = replayed(div_up(f64::from(step), f64::from(size)), asked, 1.0);
            assert_eq!(truth_of_subsets(eps(asked), size, values), others.complement(), "{step}");
            let others = replayed(cells - 1.0, asked, div_up(cells, cells - 1.0));
            assert_eq!(keep_of_cells(eps(asked), cells), others.complement(), "{step}");
        }
    }
}
