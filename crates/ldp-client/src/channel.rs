//! The channel of one support column.
//!
//! `q` the probability that a 1 stays 1, `p` that a 0 becomes 1; `d = q - p`. For a report bit
//! `b` and the truth `x`, `y = (b - p) / d` has `E y = x` and `E y^2 = alpha x + beta`, with
//! `alpha = (1 - 2p) / d`, `beta = p (1 - p) / d^2`.

/// How one bit of the truth becomes one bit of the report; `0 <= p < q <= 1`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "ChannelFields"))]
pub struct Channel {
    p: f64,
    q: f64,
}

/// Two probabilities that do not define a channel. Choose `0 <= p < q <= 1`, at least
/// [`LEAST_GAP`](Channel::LEAST_GAP) apart; to exchange the meaning of a bit, exchange its
/// values.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "p (0 becomes 1) must be below q (1 stays 1) by at least {least}, both between 0 and 1, got p = {p} and q = {q}",
    least = Channel::LEAST_GAP
)]
#[non_exhaustive]
pub struct ChannelError {
    /// Probability that a 0 becomes 1.
    pub p: f64,
    /// Probability that a 1 stays 1.
    pub q: f64,
}

/// A channel as it is written: it is checked on the way in.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ChannelFields {
    p: f64,
    q: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<ChannelFields> for Channel {
    type Error = ChannelError;

    fn try_from(fields: ChannelFields) -> Result<Self, ChannelError> {
        Self::new(fields.p, fields.q)
    }
}

impl Channel {
    /// Least `q - p`, an epsilon of about 2e-7 for a symmetric bit: with less, products over
    /// twenty columns leave the range of a double.
    pub const LEAST_GAP: f64 = 1e-7;

    /// The channel with `p` = P(0 becomes 1) and `q` = P(1 stays 1).
    ///
    /// # Errors
    /// [`ChannelError`] unless `0 <= p`, `q <= 1` and `q - p` is at least
    /// [`LEAST_GAP`](Self::LEAST_GAP).
    pub fn new(p: f64, q: f64) -> Result<Self, ChannelError> {
        if 0.0 <= p && q <= 1.0 && q - p >= Self::LEAST_GAP { Ok(Self { p, q }) } else { Err(ChannelError { p, q }) }
    }

    /// P(0 becomes 1).
    #[must_use]
    pub const fn p(self) -> f64 {
        self.p
    }

    /// P(1 stays 1).
    #[must_use]
    pub const fn q(self) -> f64 {
        self.q
    }

    /// `d = q - p`: what is left of a difference of 1.
    #[must_use]
    pub fn gap(self) -> f64 {
        self.q - self.p
    }

    /// `(1 - 2p) / d`.
    #[must_use]
    pub fn alpha(self) -> f64 {
        (1.0 - 2.0 * self.p) / self.gap()
    }

    /// `p (1 - p) / d^2`: variance of the unbiased bit of a person whose truth is 0.
    #[must_use]
    pub fn beta(self) -> f64 {
        self.p * (1.0 - self.p) / (self.gap() * self.gap())
    }

    /// The unbiased reading `y` of a report bit.
    #[must_use]
    pub fn reading(self, bit: bool) -> f64 {
        (f64::from(u8::from(bit)) - self.p) / self.gap()
    }

    /// Probability that a bit is reported as 1 when it is 1 with probability `frequency`.
    #[must_use]
    pub fn report_probability(self, frequency: f64) -> f64 {
        self.p + self.gap() * frequency
    }

    /// This channel first, then `second` on what it reported: RAPPOR's permanent and
    /// instantaneous stages, `p* = p (q2 - p2)
    /// + p2`, `q* = q (q2 - p2) + p2`.
    ///
    /// # Errors
    /// If less than [`LEAST_GAP`](Self::LEAST_GAP) is left.
    pub fn then(self, second: Self) -> Result<Self, ChannelError> {
        Self::new(second.report_probability(self.p), second.report_probability(self.q))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_that_tell_nothing_or_are_no_probabilities_are_refused() {
        for (p, q) in
            [(0.5, 0.5), (0.5, 0.5 + 1e-9), (0.8, 0.1), (-0.1, 0.5), (0.1, 1.1), (f64::NAN, 0.5), (0.1, f64::NAN)]
        {
            assert!(Channel::new(p, q).is_err(), "{p} {q}");
        }
        assert!(Channel::new(0.0, 1.0).is_ok());
        assert!(Channel::new(0.0, Channel::LEAST_GAP).is_ok());
    }

    #[test]
    fn moments_of_a_reading_are_those_of_its_two_values() {
        let channel = Channel::new(0.1, 0.8).unwrap();
        for (truth, one) in [(0.0, channel.p()), (1.0, channel.q())] {
            let moment = |k: i32| one * channel.reading(true).powi(k) + (1.0 - one) * channel.reading(false).powi(k);
            assert!((moment(1) - truth).abs() < 1e-15);
            assert!((moment(2) - (channel.alpha() * truth + channel.beta())).abs() < 1e-15);
        }
    }

    #[test]
    fn stages_compose_in_the_order_of_time() {
        // Erratum E1: with the operands swapped the probabilities are others.
        let (first, second) = (Channel::new(0.25, 0.75).unwrap(), Channel::new(0.1, 0.8).unwrap());
        let both = first.then(second).unwrap();
        let by_hand = |one: f64| one * second.q() + (1.0 - one) * second.p();
        assert!((both.p() - by_hand(0.25)).abs() < 1e-15 && (both.q() - by_hand(0.75)).abs() < 1e-15);
        let swapped = second.then(first).unwrap();
        assert!((both.p() - swapped.p()).abs() > 0.02, "composition does not commute here");
        // It does when p / (1 - q) is the same, and not only for p = 1 - q.
        let (a, b) = (Channel::new(0.1, 0.8).unwrap(), Channel::new(0.2, 0.6).unwrap());
        let (ab, ba) = (a.then(b).unwrap(), b.then(a).unwrap());
        assert!((ab.p() - ba.p()).abs() < 1e-15 && (ab.q() - ba.q()).abs() < 1e-15 && a.p() != 1.0 - a.q());
    }
}
