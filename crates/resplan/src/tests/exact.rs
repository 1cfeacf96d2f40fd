//! Fractions without rounding, and sums, products and quotients that are rounded by comparing
//! integers: what a cost is compared with.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Sub};

use dashu_int::IBig;
use ndarray::Array2;
use privacy_core::AttrSet;
use privacy_core::rng::{SimRng, below};

use crate::QueryBasis;
use crate::strategy::axis::{Axis, DIGITS, Residual};

/// A fraction, not in lowest terms; its denominator is above 0.
#[derive(Clone, Debug)]
pub(crate) struct Fraction {
    numerator: IBig,
    denominator: IBig,
}

impl Fraction {
    pub(crate) fn new(numerator: impl Into<IBig>, denominator: impl Into<IBig>) -> Self {
        Self { numerator: numerator.into(), denominator: denominator.into() }
    }

    pub(crate) fn zero() -> Self {
        Self::new(0, 1)
    }

    /// A finite number, exactly.
    pub(crate) fn of(v: f64) -> Self {
        let bits = v.abs().to_bits();
        let (exponent, fraction) = ((bits >> 52) as usize, bits & ((1 << 52) - 1));
        let magnitude = if exponent == 0 { IBig::from(fraction) } else { IBig::from(fraction | 1 << 52) };
        let numerator = if v < 0.0 { -magnitude } else { magnitude };
        // v = numerator 2^(exponent - 1075)
        match exponent.max(1) {
            large @ 1075.. => Self::new(numerator << (large - 1075), 1),
            small => Self::new(numerator, IBig::ONE << (1075 - small)),
        }
    }

    /// `2^exponent`.
    pub(crate) fn power_of_2(exponent: i32) -> Self {
        let power = IBig::ONE << exponent.unsigned_abs() as usize;
        if exponent < 0 { Self::new(1, power) } else { Self::new(power, 1) }
    }

    /// This and `units` of `2^-52` of `size` more.
    pub(crate) fn plus_units(&self, units: usize, size: &Self) -> Self {
        self + &(&(size * &Self::new(units, 1)) * &Self::power_of_2(-52))
    }
}

impl Add for &Fraction {
    type Output = Fraction;

    fn add(self, other: Self) -> Fraction {
        let sum = &self.numerator * &other.denominator + &other.numerator * &self.denominator;
        Fraction::new(sum, &self.denominator * &other.denominator)
    }
}

impl Sub for &Fraction {
    type Output = Fraction;

    fn sub(self, other: Self) -> Fraction {
        self + &Fraction::new(-other.numerator.clone(), other.denominator.clone())
    }
}

impl Mul for &Fraction {
    type Output = Fraction;

    fn mul(self, other: Self) -> Fraction {
        Fraction::new(&self.numerator * &other.numerator, &self.denominator * &other.denominator)
    }
}

impl Div for &Fraction {
    type Output = Fraction;

    /// By a fraction above 0.
    fn div(self, other: Self) -> Fraction {
        assert!(other.numerator > IBig::ZERO, "a fraction above 0");
        Fraction::new(&self.numerator * &other.denominator, &self.denominator * &other.numerator)
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Fraction {}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

/// The least number that is not below a fraction; `near` is close to it.
fn least_above(near: f64, exact: &Fraction) -> f64 {
    let mut v = near;
    while Fraction::of(v) < *exact {
        v = v.next_up();
    }
    while Fraction::of(v.next_down()) >= *exact {
        v = v.next_down();
    }
    v
}

pub(crate) fn sum_above(a: f64, b: f64) -> f64 {
    least_above(a + b, &(&Fraction::of(a) + &Fraction::of(b)))
}

pub(crate) fn product_above(a: f64, b: f64) -> f64 {
    least_above(a * b, &(&Fraction::of(a) * &Fraction::of(b)))
}

/// `b` is above 0.
pub(crate) fn quotient_above(a: f64, b: f64) -> f64 {
    least_above(a / b, &(&Fraction::of(a) / &Fraction::of(b)))
}

/// The inner product of two columns of the residual queries of an attribute, by definition.
pub(crate) fn inner_product(axis: &Axis, a: usize, b: usize) -> Fraction {
    match axis.residual() {
        Residual::Centred => {
            let k = axis.size();
            Fraction::new(if a == b { k as i64 - 1 } else { -1 }, k)
        }
        Residual::Dense(dense) => {
            let products = dense.queries.rows().into_iter().map(|row| IBig::from(row[a]) * IBig::from(row[b]));
            Fraction::new(products.sum::<IBig>(), IBig::ONE << (2 * dense.digits as usize))
        }
    }
}

/// `p` and `c`: the longest column squared, and the least inner product of two columns.
pub(crate) fn columns(axis: &Axis) -> (Fraction, Fraction) {
    if let Residual::Centred = axis.residual() {
        // All columns are alike.
        return (inner_product(axis, 0, 0), inner_product(axis, 0, 1));
    }
    let k = axis.size();
    let longest = (0..k).map(|a| inner_product(axis, a, a)).max();
    let least = (0..k).flat_map(|a| (0..a).map(move |b| (a, b))).map(|(a, b)| inner_product(axis, a, b)).min();
    (longest.unwrap(), least.unwrap())
}

/// An attribute of some categories, or with integers for its residual queries: of both signs, or
/// all above 0, where no inner product is below 0.
pub(crate) fn some_axis(rng: &mut SimRng) -> Axis {
    match below(4, rng) {
        0 => Axis::identity(2 + below(8, rng)),
        1 => Axis::identity(2 + below(3_000, rng)),
        sign => dense_axis(2 + below(3, rng), sign == 2, rng),
    }
}

pub(crate) fn dense_axis(k: usize, is_positive: bool, rng: &mut SimRng) -> Axis {
    let (least, range) = if is_positive { (1, 1 << DIGITS) } else { (-(1 << DIGITS), 2 << DIGITS) };
    loop {
        let queries = Array2::from_shape_fn((k - 1, k), |_| least + below(range, rng) as i64);
        // Rows that depend on each other are refused.
        if let Ok(axis) = Axis::of_integers(QueryBasis::Prefix, queries, DIGITS, 0.0) {
            return axis;
        }
    }
}

/// A number whose logarithm to base 2 is uniform in a range.
pub(crate) fn size(rng: &mut SimRng, (low, high): (f64, f64)) -> f64 {
    let unit = below(1 << 53, rng) as f64 / (1_u64 << 53) as f64;
    (low + (high - low) * unit).exp2()
}

/// Some sets of the first `attributes`, each with a variance.
pub(crate) fn some_residuals(attributes: usize, rng: &mut SimRng) -> Vec<(AttrSet, f64)> {
    let all: Vec<AttrSet> = AttrSet::first(attributes).subsets().collect();
    let some: Vec<AttrSet> = all.iter().copied().filter(|_| below(4, rng) > 0).collect();
    let sets = if some.is_empty() { all } else { some };
    sets.into_iter().map(|set| (set, size(rng, (-3.0, 3.0)))).collect()
}

#[test]
fn fractions_and_roundings_are_those_of_small_numbers() {
    assert_eq!(Fraction::of(0.75), Fraction::new(3, 4));
    assert_eq!(Fraction::of(-3e300), &Fraction::zero() - &Fraction::of(3e300));
    assert_eq!(&Fraction::of(f64::from_bits(1)) * &Fraction::power_of_2(1074), Fraction::new(1, 1));
    assert!(
        Fraction::of(1.0 / 3.0) < Fraction::new(1, 3) && Fraction::of((1.0_f64 / 3.0).next_up()) > Fraction::new(1, 3)
    );
    assert_eq!(quotient_above(1.0, 3.0), (1.0_f64 / 3.0).next_up());
    assert_eq!((quotient_above(3.0, 4.0), product_above(0.5, 0.5), sum_above(0.5, 0.25)), (0.75, 0.25, 0.75));
    assert_eq!(sum_above(1.0, 1e-40), 1.0_f64.next_up());
}
