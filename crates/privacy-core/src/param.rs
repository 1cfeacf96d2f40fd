//! Parameters that are checked when they are made: a value of one of these types is finite and in
//! its range.
//!
//! NaN falls on the refusing side of every check. Deserialising goes through the same door as
//! `new`.

use std::fmt;

/// The error for a parameter outside its range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{name} must be {range}, got {got}")]
#[non_exhaustive]
pub struct ParamError {
    /// The parameter, as a user writes it.
    pub name: &'static str,
    /// The range, in words.
    pub range: &'static str,
    /// The refused number: a parameter, never data.
    pub got: f64,
}

macro_rules! parameter {
    ($(#[$doc:meta])* $type:ident, $name:literal, $range:literal, $check:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(try_from = "f64", into = "f64"))]
        pub struct $type(f64);

        impl $type {
            #[doc = concat!("Accepts a number that is ", $range, ".")]
            ///
            /// # Errors
            /// [`ParamError`] for anything else, NaN and infinities included.
            pub fn new(value: f64) -> Result<Self, ParamError> {
                let in_range: fn(f64) -> bool = $check;
                // `+ 0.0` turns a negative zero into zero, so equal parameters print alike.
                if in_range(value) { Ok(Self(value + 0.0)) } else {
                    Err(ParamError { name: $name, range: $range, got: value })
                }
            }

            /// The value.
            #[must_use]
            pub const fn get(self) -> f64 {
                self.0
            }
        }

        impl TryFrom<f64> for $type {
            type Error = ParamError;
            fn try_from(value: f64) -> Result<Self, ParamError> {
                Self::new(value)
            }
        }

        impl From<$type> for f64 {
            fn from(value: $type) -> f64 {
                value.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

parameter!(
    /// A probability, in `[0, 1]`.
    Probability, "probability", "between 0 and 1", |v| (0.0..=1.0).contains(&v)
);
parameter!(
    /// Epsilon of pure or approximate differential privacy, in nats; positive.
    Epsilon, "epsilon", "finite and above 0", |v| v > 0.0 && v < f64::INFINITY
);
parameter!(
    /// Delta of approximate differential privacy: strictly between 0 and 1.
    Delta, "delta", "above 0 and below 1", |v| v > 0.0 && v < 1.0
);
parameter!(
    /// Rho of zero-concentrated differential privacy (Bun and Steinke 2016); positive.
    Rho, "rho", "finite and above 0", |v| v > 0.0 && v < f64::INFINITY
);
parameter!(
    /// Mu of Gaussian differential privacy (Dong, Roth and Su 2022); positive.
    Mu, "mu", "finite and above 0", |v| v > 0.0 && v < f64::INFINITY
);
parameter!(
    /// A standard deviation in the unit of the quantity it describes; positive.
    StdDev, "standard deviation", "finite and above 0", |v| v > 0.0 && v < f64::INFINITY
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_and_infinities_are_refused_everywhere() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0] {
            assert!(Probability::new(bad).is_err());
            assert!(Epsilon::new(bad).is_err());
            assert!(Delta::new(bad).is_err());
            assert!(Rho::new(bad).is_err());
            assert!(Mu::new(bad).is_err());
            assert!(StdDev::new(bad).is_err());
        }
    }

    #[test]
    fn ends_of_each_range_are_decided() {
        assert!(Probability::new(0.0).is_ok() && Probability::new(1.0).is_ok());
        assert!(Probability::new(1.0 + f64::EPSILON).is_err());
        assert!(Delta::new(0.0).is_err() && Delta::new(1.0).is_err());
        assert!(Delta::new(f64::MIN_POSITIVE).is_ok());
        assert!(Epsilon::new(0.0).is_err() && Rho::new(-0.0).is_err());
        assert_eq!(Probability::new(-0.0).unwrap().to_string(), "0");
    }

    #[cfg(feature = "serde")]
    #[test]
    fn deserialising_goes_through_the_same_door() {
        assert!(serde_json::from_str::<Probability>("0.25").is_ok());
        assert!(serde_json::from_str::<Probability>("1.25").is_err());
        assert!(serde_json::from_str::<Rho>("0").is_err());
        assert_eq!(serde_json::to_string(&Rho::new(0.5).unwrap()).unwrap(), "0.5");
    }
}
