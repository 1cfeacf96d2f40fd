//! Discrete Gaussian noise of very large scale: P(x) proportional to exp(-x^2 / (2 gamma^2)) on
//! the integers.
//!
//! `gamma^2 = sigma2 4^doublings`. A query whose weights were scaled to integers by a power of
//! two needs noise that is scaled with them.

use rand_core::CryptoRng;

use super::bits::{BitSource, RngBits};
use super::block::BlockTable;
use super::gamma::Gamma;
use super::rational::{Rational, RationalError};
use super::shape::Shape;

/// The discrete Gaussian law with parameter `gamma^2 = sigma2 4^doublings`, for `gamma` below
/// 2^112.
///
/// Draws are 128 bits wide, by the block rejection of
/// [`DiscreteGaussian`](super::DiscreteGaussian): with `doublings = 0`, a seed gives the stream
/// that it gives there.
///
/// # Guarantee
/// Added to an integer query of L2 sensitivity `D`: `D^2 / (2 gamma^2)`-zCDP, exactly. The
/// variance of a draw is at most `gamma^2`, and differs from it by less than 1e-6 of it once
/// `gamma >= 1`.
///
/// # Cost
/// A table of up to 7.2 KB, whatever `gamma` is; then two 64-bit words a round, three and a half
/// for the widest, and little more than a round a draw.
#[derive(Clone, Debug)]
pub struct WideGaussian {
    gamma: Gamma,
    blocks: BlockTable<i128>,
}

/// Values of `gamma` stay below 2 to this power, so that draws fit 128 bits, with room for what
/// they are added to.
const GAMMA_LIMIT_LOG2: i64 = 112;

impl WideGaussian {
    /// The law with `gamma^2 = sigma2 4^doublings`, in the unit of the query squared. For a real
    /// `sigma2`, see [`Rational::round_up`].
    ///
    /// # Errors
    /// [`RationalError::ZeroNoise`] for 0, [`RationalError::NoiseTooLarge`] for `gamma` from
    /// 2^112 on.
    ///
    /// # Panics
    /// Never: the shape that is chosen for a parameter suits it.
    pub fn new(sigma2: Rational, doublings: u32) -> Result<Self, RationalError> {
        Self::check(sigma2, doublings)?;
        let gamma = Gamma { sigma2, doublings };
        let blocks = BlockTable::new(gamma, Shape::for_gamma(gamma));
        Ok(Self { gamma, blocks: blocks.expect("under 200 blocks, tails from 6 gamma on, gamma below 2^112") })
    }

    /// Refuses what [`WideGaussian::new`] refuses, and builds nothing: for planning.
    ///
    /// # Errors
    /// As [`WideGaussian::new`].
    pub fn check(sigma2: Rational, doublings: u32) -> Result<(), RationalError> {
        Gamma { sigma2, doublings }.check(GAMMA_LIMIT_LOG2)
    }

    /// The parameter `sigma2` of `gamma^2 = sigma2 4^doublings`.
    #[must_use]
    pub fn sigma2(&self) -> Rational {
        self.gamma.sigma2
    }

    /// How often `sigma` is doubled to give `gamma`.
    #[must_use]
    pub fn doublings(&self) -> u32 {
        self.gamma.doublings
    }

    /// One draw.
    pub fn sample<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> i128 {
        self.draw(&mut RngBits::new(rng))
    }

    pub(super) fn draw(&self, source: &mut impl BitSource) -> i128 {
        self.blocks.draw(source)
    }

    /// Adds an independent draw to every cell.
    ///
    /// # Errors
    /// The index of the first cell that would leave the range of `i128`; cells before it have
    /// their noise.
    pub fn add_to<R: CryptoRng + ?Sized>(&self, cells: &mut [i128], rng: &mut R) -> Result<(), usize> {
        let mut source = RngBits::new(rng);
        for (index, cell) in cells.iter_mut().enumerate() {
            *cell = cell.checked_add(self.blocks.draw(&mut source)).ok_or(index)?;
        }
        Ok(())
    }
}
