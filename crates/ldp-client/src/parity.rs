//! The questions of a parity schema: one feature, or whether exactly one of two is there.
//!
//! `d` features of two values. A report is about one question, drawn without looking at the
//! answers: with chance `alone` one of the `d` features, else one of the `d (d - 1) / 2` pairs, all
//! alike. Its answer is one bit: the feature, or the exclusive or of the two, through the noise.
//! Questions are numbered features first, then pairs `i < j`, by `j` and then by `i`.
//!
//! ```text
//! x_i x_j = (x_i + x_j - (x_i xor x_j)) / 2
//! ```
//!
//! Source: Barak, Chaudhuri, Dwork, Kale, McSherry, Talwar, "Privacy, accuracy, and consistency
//! too" (PODS 2007), the Fourier basis; Cormode, Kulkarni, Srivastava, "Marginal release under
//! local differential privacy" (SIGMOD 2018), drawn locally, all questions alike. The weights are
//! those of `docs/math/ldp-pmdh.md`, section 6.

use crate::channel::{Channel, ChannelError};
use crate::coins::Coins;
use crate::noise::BitNoise;
use crate::probability::FixedProbability;

/// The questions of a schema whose features are asked one at a time, or as the parity of two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parities {
    features: usize,
    noise: BitNoise,
    alone: FixedProbability,
    channel: Channel,
}

impl Parities {
    /// The questions about this number of features.
    ///
    /// # Errors
    /// If less than [`Channel::LEAST_GAP`] is between the chances of the noise.
    pub fn of(features: usize, noise: BitNoise, alone: FixedProbability) -> Result<Self, ChannelError> {
        Ok(Self { features, noise, alone, channel: noise.channel()? })
    }

    pub(crate) fn new(features: usize, noise: BitNoise, alone: FixedProbability, channel: Channel) -> Self {
        Self { features, noise, alone, channel }
    }

    /// The chance of one feature that reads the pairs best where nothing is known of them: every
    /// answer has the same variance then, and of `w` people about each of the `d` features and `v`
    /// about each pair `2 / w + 1 / v` is least.
    ///
    /// ```
    /// // 16 features: a feature is drawn sqrt(15) times as often as a pair.
    /// let alone = ldp_client::Parities::best_share_alone(16);
    /// let (feature, pair) = (alone / 16.0, (1.0 - alone) / 120.0);
    /// assert!((feature / pair - 15_f64.sqrt()).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn best_share_alone(features: usize) -> f64 {
        let (singles, pairs) = ((2.0 * features as f64).sqrt(), (pairs(features) as f64).sqrt());
        singles / (singles + pairs)
    }

    /// How many questions there are.
    #[must_use]
    pub fn questions(&self) -> usize {
        self.features + pairs(self.features)
    }

    /// The number of the question about one feature or two, in increasing order; `None` for other
    /// sets.
    #[must_use]
    pub fn question(&self, features: &[usize]) -> Option<usize> {
        match *features {
            [one] if one < self.features => Some(one),
            [one, other] if one < other && other < self.features => Some(self.features + pairs(other) + one),
            _ => None,
        }
    }

    /// The probability that a report is about one question of this number of features, 1 or 2; 0
    /// for others.
    #[must_use]
    pub fn chance(&self, features: usize) -> f64 {
        match features {
            1 => self.alone.to_f64() / self.features as f64,
            2 => self.alone.complement().to_f64() / pairs(self.features) as f64,
            _ => 0.0,
        }
    }

    /// How the bit of a report is randomised, whatever it is about.
    #[must_use]
    pub fn channel(&self) -> Channel {
        self.channel
    }

    /// The chance that a report is about one feature.
    #[must_use]
    pub fn alone(&self) -> FixedProbability {
        self.alone
    }

    /// Draws a question about a row, and its noisy answer.
    pub(crate) fn answer(&self, row: &[u32], coins: &mut Coins<'_>) -> (usize, bool) {
        let is_alone = coins.flip(self.alone);
        let one = coins.below(self.features as u32);
        let (question, truth) = if is_alone {
            (one as usize, row[one as usize])
        } else {
            // Two different ones: each pair in two orders.
            let other = coins.below_but(self.features as u32, one);
            let (low, high) = (one.min(other) as usize, one.max(other) as usize);
            (self.features + pairs(high) + low, row[low] ^ row[high])
        };
        (question, coins.flip_either(truth == 1, self.noise.q(), self.noise.p()))
    }
}

/// How many pairs the features have.
fn pairs(features: usize) -> usize {
    features * features.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use privacy_core::param::Epsilon;

    #[test]
    fn sixteen_features_are_drawn_the_root_of_fifteen_times_as_often_as_their_pairs() {
        let alone = Parities::best_share_alone(16);
        let (feature, pair) = (alone / 16.0, (1.0 - alone) / 120.0);
        assert!((feature / pair - 15_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn every_question_has_one_number() {
        let noise = BitNoise::symmetric(Epsilon::new(1.0).unwrap()).unwrap();
        let alone = FixedProbability::from_threshold(1 << 63);
        let parities = Parities::new(7, noise, alone, noise.channel().unwrap());
        let ones = (0..7).map(|i| vec![i]);
        let pairs = (0..7).flat_map(|j| (0..j).map(move |i| vec![i, j]));
        let numbers: Vec<usize> = ones.chain(pairs).map(|set| parities.question(&set).unwrap()).collect();
        assert_eq!(numbers, (0..parities.questions()).collect::<Vec<_>>());
        assert!(
            [&[][..], &[7], &[2, 2], &[3, 1], &[0, 7], &[0, 1, 2]].iter().all(|set| parities.question(set).is_none())
        );
        let all = 7.0 * parities.chance(1) + 21.0 * parities.chance(2);
        assert!((all - 1.0).abs() < 1e-15 && parities.chance(3) == 0.0);
    }
}
