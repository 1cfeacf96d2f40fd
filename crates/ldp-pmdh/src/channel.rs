//! The channel of one support column.
//!
//! `q` the probability that a 1 stays 1, `p` that a 0 becomes 1; `d = q - p`. For a report bit `b` and the truth `x`,
//! `y = (b - p) / d` has `E y = x` and `E y^2 = alpha x + beta`, with `alpha = (1 - 2p) / d`, `beta = p (1 - p) / d^2`.

/// How one bit of the truth becomes one bit of the report; `0 <= p < q <= 1`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Channel {
    p: f64,
    q: f64,
}

/// Two probabilities that make no channel. Choose `0 <= p < q <= 1`; to exchange the meaning of a bit, exchange its values.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("p (0 becomes 1) must be below q (1 stays 1), both between 0 and 1, got p = {p} and q = {q}")]
#[non_exhaustive]
pub struct ChannelError {
    /// Probability that a 0 becomes 1.
    pub p: f64,
    /// Probability that a 1 stays 1.
    pub q: f64,
}

impl Channel {
    /// The channel with `p` = P(0 becomes 1) and `q` = P(1 stays 1).
    ///
    /// # Errors
    /// [`ChannelError`] unless `0 <= p < q <= 1`.
    pub fn new(p: f64, q: f64) -> Result<Self, ChannelError> {
        if 0.0 <= p && p < q && q <= 1.0 { Ok(Self { p, q }) } else { Err(ChannelError { p, q }) }
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_that_tell_nothing_or_are_no_probabilities_are_refused() {
        for (p, q) in [(0.5, 0.5), (0.8, 0.1), (-0.1, 0.5), (0.1, 1.1), (f64::NAN, 0.5), (0.1, f64::NAN)] {
            assert!(Channel::new(p, q).is_err(), "{p} {q}");
        }
        assert!(Channel::new(0.0, 1.0).is_ok());
    }
}
