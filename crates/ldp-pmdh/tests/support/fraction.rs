//! Exact fractions of 128-bit integers: additions, products, quotients, powers. Overflow panics.

use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fraction {
    above: i128,
    below: i128,
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// `above / below`.
pub(crate) fn fraction(above: i128, below: i128) -> Fraction {
    assert_ne!(below, 0, "a fraction has a denominator");
    let common = gcd(above, below) * below.signum();
    Fraction { above: above / common, below: below / common }
}

impl Fraction {
    pub(crate) const ZERO: Self = Self { above: 0, below: 1 };
    pub(crate) const ONE: Self = Self { above: 1, below: 1 };

    pub(crate) fn power(self, exponent: u32) -> Self {
        (0..exponent).fold(Self::ONE, |product, _| product * self)
    }

    pub(crate) fn to_f64(self) -> f64 {
        self.above as f64 / self.below as f64
    }
}

impl From<i128> for Fraction {
    fn from(whole: i128) -> Self {
        fraction(whole, 1)
    }
}

impl Add for Fraction {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let common = gcd(self.below, other.below);
        fraction(
            self.above * (other.below / common) + other.above * (self.below / common),
            self.below / common * other.below,
        )
    }
}

impl Neg for Fraction {
    type Output = Self;
    fn neg(self) -> Self {
        Self { above: -self.above, ..self }
    }
}

impl Sub for Fraction {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Fraction {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let (a, b) = (gcd(self.above, other.below).max(1), gcd(other.above, self.below).max(1));
        fraction((self.above / a) * (other.above / b), (self.below / b) * (other.below / a))
    }
}

#[allow(clippy::suspicious_arithmetic_impl, reason = "dividing is multiplying by the inverse")]
impl Div for Fraction {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        self * fraction(other.below, other.above)
    }
}

impl std::iter::Sum for Fraction {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::ZERO, Add::add)
    }
}

impl std::iter::Product for Fraction {
    fn product<I: Iterator<Item = Self>>(factors: I) -> Self {
        factors.fold(Self::ONE, Mul::mul)
    }
}
