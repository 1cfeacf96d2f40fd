//! Which strategies there are. What each of them computes is stated in `precision`.

use crate::error::Error;

/// How the residual queries of the attributes are chosen. Identity attributes have one best
/// answer, which all of these give.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Strategy {
    /// Tilted, with a tilt for each attribute that makes the weighted sum of variances least.
    #[default]
    Automatic,
    /// The best of all mechanisms where the attributes of the workload have up to 256 cells
    /// together (64 where rows are replaced): one measurement of all cells, if it saves at least a
    /// two-thousandth. The default of the command `disclosure`. Otherwise as
    /// [`Strategy::Automatic`]; so it is for norms, for bounds on standard deviations, for very
    /// many queries under the largest variance, and for people with several rows that are
    /// replaced. See [`Design::joint_queries`](crate::Design::joint_queries).
    Joint,
    /// The best for the queries and, tau times, for the total.
    Tilted(Tilt),
    /// The best of those that spread the total evenly: for comparison.
    Orthogonal,
    /// All directions alike: for comparison.
    Isotropic,
}

/// The weight tau of the total in a tilted strategy: 0 to 1e6. The more attributes, the larger
/// the best one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "f64", into = "f64"))]
pub struct Tilt(f64);

impl Tilt {
    /// Accepts a number from 0 to 1e6.
    ///
    /// # Errors
    /// [`Error::BadTilt`] for anything else, NaN included.
    pub fn new(tau: f64) -> Result<Self, Error> {
        if (0.0..=1e6).contains(&tau) { Ok(Self(tau)) } else { Err(Error::BadTilt { tau }) }
    }

    /// The tilt, from 0 to 1e6.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Tilt {
    type Error = Error;

    fn try_from(tau: f64) -> Result<Self, Error> {
        Self::new(tau)
    }
}

impl From<Tilt> for f64 {
    fn from(tilt: Tilt) -> f64 {
        tilt.0
    }
}

impl Strategy {
    /// Whether tilts are chosen.
    pub(crate) fn is_chosen(self) -> bool {
        matches!(self, Self::Automatic | Self::Joint)
    }
}

/// A strategy with its parameters settled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Settled {
    Tilted(f64),
    Orthogonal,
    Isotropic,
}
