//! Numbers with 256 bits behind the point, and the functions that laws are made of: what a rounded
//! formula is compared with.
//!
//! Sums are exact. Products, quotients and functions are off by some units in the last bits, far
//! below what a double or a draw out of `2^64` can show.

use std::ops::{Add, Div, Mul, Sub};

use dashu_int::IBig;
use rand_core::Rng;

use crate::law::draws::DRAWS;
use privacy_core::normal;
use privacy_core::param::Probability;
use privacy_core::rng::SimRng;

const BITS: usize = 256;

/// `1 / sqrt(2 pi)` in units of `10^-90`.
const DENSITY_AT_0: &str = "398942280401432677939946059934381868475858631164934657665925829670657925899301838501252333";

/// A whole number of units of `2^-256`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Exact(IBig);

impl From<u128> for Exact {
    fn from(integer: u128) -> Self {
        Self(IBig::from(integer) << BITS)
    }
}

impl From<f64> for Exact {
    /// Exact for numbers of `2^-203` and more, and for 0.
    fn from(v: f64) -> Self {
        let bits = v.abs().to_bits();
        let (exponent, fraction) = ((bits >> 52) as usize, bits & ((1 << 52) - 1));
        // v = (2^52 + fraction) 2^(exponent - 1075)
        let magnitude = if exponent == 0 { IBig::ZERO } else { IBig::from(fraction | 1 << 52) };
        let magnitude = (magnitude << (exponent + BITS)) >> 1075_usize;
        Self(if v < 0.0 { -magnitude } else { magnitude })
    }
}

impl Add for &Exact {
    type Output = Exact;

    fn add(self, other: Self) -> Exact {
        Exact(&self.0 + &other.0)
    }
}

impl Sub for &Exact {
    type Output = Exact;

    fn sub(self, other: Self) -> Exact {
        Exact(&self.0 - &other.0)
    }
}

impl Mul for &Exact {
    type Output = Exact;

    fn mul(self, other: Self) -> Exact {
        Exact((&self.0 * &other.0) >> BITS)
    }
}

impl Div for &Exact {
    type Output = Exact;

    fn div(self, other: Self) -> Exact {
        Exact((&self.0 << BITS) / &other.0)
    }
}

impl Exact {
    pub(crate) fn one() -> Self {
        Self::from(1_u128)
    }

    /// The nearest double, or one beside it.
    pub(crate) fn near(&self) -> f64 {
        self.0.to_f64().value() / 256_f64.exp2()
    }

    /// The greatest double that is not above it; for numbers that [`near`](Self::near) is next to.
    pub(crate) fn below(&self) -> f64 {
        if self.0 == IBig::ZERO {
            return 0.0; // smaller numbers than 2^-256 count as 0
        }
        let near = self.near().next_up();
        [near, near.next_down(), near.next_down().next_down()].into_iter().find(|&v| Self::from(v) <= *self).unwrap()
    }

    /// The least double that is not below it.
    pub(crate) fn above(&self) -> f64 {
        let below = self.below();
        if Self::from(below) == *self { below } else { below.next_up() }
    }

    /// The greatest integer that is not above it; it is not negative and below `2^128`.
    pub(crate) fn floor(&self) -> u128 {
        u128::try_from(&self.0 >> BITS).expect("a number of draws")
    }

    pub(crate) fn ceil(&self) -> u128 {
        let floor = self.floor();
        floor + u128::from(Self::from(floor) < *self)
    }

    pub(crate) fn power(&self, exponent: u32) -> Self {
        (0..u32::BITS).rev().fold(Self::one(), |power, bit| {
            let square = &power * &power;
            if exponent >> bit & 1 == 1 { &square * self } else { square }
        })
    }

    /// The root of a number above 0, by Newton's method: each step doubles the digits.
    pub(crate) fn root(&self) -> Self {
        let first = Self::from(self.near().sqrt());
        let half = Self::from(0.5);
        (0..4).fold(first, |root, _| &half * &(&root + &(self / &root)))
    }

    /// `e^x` for `x` up to a few hundred: the series at `x / 2^64`, squared 64 times.
    pub(crate) fn exp(&self) -> Self {
        let small = Self(&self.0 >> 64_usize);
        let (mut term, mut sum) = (Self::one(), Self::one());
        for n in 1..8_u128 {
            term = &(&term * &small) / &Self::from(n);
            sum = &sum + &term;
        }
        (0..64).fold(sum, |power, _| &power * &power)
    }

    /// `1 / density(x)`: a density far out would have few of its digits.
    fn inverse_density(&self) -> Self {
        let scale = IBig::from(10).pow(90);
        let at_0 = Self((DENSITY_AT_0.parse::<IBig>().expect("digits") << BITS) / scale);
        let half_square = &(self * self) * &Self::from(0.5);
        &half_square.exp() / &at_0
    }

    /// The normal distribution function, `1/2 + density(x) (x + x^3 / 3 + x^5 / (3 5) + ...)`, for
    /// `x` between -14 and 14.
    pub(crate) fn normal(&self) -> Self {
        let square = self * self;
        let (mut term, mut sum, mut odd) = (self.clone(), self.clone(), 1_u128);
        while term.0 != IBig::ZERO {
            odd += 2;
            term = Self((&square.0 * &term.0 / IBig::from(odd)) / (IBig::ONE << BITS));
            sum = &sum + &term;
        }
        &Self::from(0.5) + &(&sum / &self.inverse_density())
    }

    /// The `x` at which [`normal`](Self::normal) is this number, by Newton's method from a double.
    pub(crate) fn quantile(&self) -> Self {
        let upper = &Self::one() - self;
        let (tail, sign) = if *self < upper { (self, 1.0) } else { (&upper, -1.0) };
        let first = Exact::from(sign * normal::quantile(Probability::new(tail.near()).expect("a tail")));
        (0..3).fold(first, |x, _| &x - &(&(&x.normal() - self) * &x.inverse_density()))
    }
}

/// All draws.
pub(crate) fn all_draws() -> Exact {
    Exact::from(DRAWS)
}

/// A number whose logarithm to base 2 is uniform in a range.
pub(crate) fn size(rng: &mut SimRng, (low, high): (f64, f64)) -> f64 {
    let unit = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    (low + (high - low) * unit).exp2()
}

/// Reporting draws, of which few report, or few do not.
pub(crate) fn draws(rng: &mut SimRng) -> u64 {
    let few = size(rng, (0.0, 64.0)) as u64;
    // The bits that a double of this size does not have.
    let few = few ^ (rng.next_u64() & (few >> 53));
    if rng.next_u64() & 1 == 0 { few } else { few.wrapping_neg().max(1) }
}

/// A number of which 50 digits behind the point are given, with those before it.
fn decimal(digits: &str) -> Exact {
    Exact((digits.parse::<IBig>().unwrap() << BITS) / IBig::from(10).pow(50))
}

fn is_close(got: &Exact, want: &Exact) -> bool {
    (got - want).near().abs() < 1e-45
}

#[test]
fn functions_are_those_of_the_tables() {
    assert!(is_close(&Exact::one().exp(), &decimal("271828182845904523536028747135266249775724709369996")));
    assert!(is_close(&Exact::from(2_u128).root(), &decimal("141421356237309504880168872420969807856967187537695")));
    assert_eq!(Exact::from(0.75).power(3), Exact::from(0.421_875));
    // Next to no mass is beyond 13.9: the density, its constant and the series fit each other.
    let beyond = &Exact::one() - &Exact::from(13.9).normal();
    assert!((3.1e-44..3.2e-44).contains(&beyond.near()), "{beyond:?}");
    assert!((Exact::from(-3.0).normal().near() / 1.349_898_031_630_094_6e-3 - 1.0).abs() < 1e-15);
    for x in [-9.0, -1.0, 0.25, 8.5] {
        assert!(is_close(&Exact::from(x).normal().quantile(), &Exact::from(x)), "{x}");
    }
}
