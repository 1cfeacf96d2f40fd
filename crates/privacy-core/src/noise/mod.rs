//! Exact integer noise from a [`CryptoRng`](rand_core::CryptoRng).
//!
//! Every sampler has *exactly* the law it names: probabilities are rational or `exp` of a
//! rational, and each decision compares random bits with such a number until the comparison is
//! certain. No floating-point rounding reaches an output, so the attacks on float noise (Mironov
//! 2012, Haney et al. 2022) have nothing to read. Timing is not constant: anyone who can time a
//! single draw learns something about it.
//!
//! Sources: Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy" (2020),
//! algorithms 1 to 3, which [`ReferenceGaussian`] follows line by line; [`DiscreteGaussian`] is
//! the same law by block rejection, explained in `docs/math/noise.md`, and [`WideGaussian`] the
//! same for noise beyond 64 bits.

mod rational;

mod bernoulli;
mod bits;
mod exp;

mod gaussian;
mod laplace;
mod wide;

mod block;
mod gamma;
mod integer;
mod shape;

#[cfg(feature = "rand_distr")]
mod simulated;

pub use bernoulli::{bernoulli, bernoulli_exp};
pub use gaussian::{DiscreteGaussian, ReferenceGaussian};
pub use laplace::DiscreteLaplace;
pub use rational::{Rational, RationalError};
#[cfg(feature = "rand_distr")]
pub use simulated::Simulated;
pub use wide::WideGaussian;

#[cfg(test)]
mod tests;
