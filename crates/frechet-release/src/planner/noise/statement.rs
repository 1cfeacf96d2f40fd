//! What noise promises when other numbers are exact.
//!
//! `e_c` epsilon of noised number `c`. A changed answer moves every number that the person is in
//! by one, so it costs the sum of their `e_c`: sensitivity 1 a number. An exact number does not
//! change under any noise, so the statement is conditional on the exact numbers: it compares
//! tables that agree on all of them.
//!
//! ```text
//! basic      sum e_c
//! advanced   sqrt(2 ln(1/delta) sum e_c^2) + sum e_c (e^e_c - 1)      (Dwork, Rothblum, Vadhan 2010)
//! zCDP       rho = sum e_c^2 / 2, then to (epsilon, delta)            (Bun, Steinke 2016)
//! ```
//!
//! All three hold, so the least does. Sums are rounded up.

use privacy_core::accounting::zcdp;
use privacy_core::round;
use privacy_core::{param::Delta, param::Epsilon, param::Rho};

use crate::table::error::Error;

/// Which two tables the statement compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Change {
    /// Nothing is exact: one person is counted or not.
    OnePerson,
    /// Nothing is exact: one person gives another response.
    #[cfg_attr(feature = "serde", serde(rename = "one-vote"))]
    OneResponse,
    /// Exact numbers stay as they are: a counted person and one who is not exchange their
    /// answers.
    Exchange,
    /// Exact numbers stay as they are: two people exchange their responses.
    #[cfg_attr(feature = "serde", serde(rename = "exchange-of-votes"))]
    ExchangeOfResponses,
}

impl Change {
    pub(crate) fn of(has_exact: bool, has_responses: bool) -> Self {
        match (has_exact, has_responses) {
            (false, false) => Self::OnePerson,
            (false, true) => Self::OneResponse,
            (true, false) => Self::Exchange,
            (true, true) => Self::ExchangeOfResponses,
        }
    }

    /// How many cells of the full table it changes, by one each: the L1 sensitivity of a noised
    /// margin.
    #[must_use]
    pub const fn sensitivity(self) -> u32 {
        match self {
            Self::OnePerson => 1,
            Self::OneResponse | Self::Exchange => 2,
            Self::ExchangeOfResponses => 4,
        }
    }

    /// The change in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::OnePerson => "one person is counted or not; attributes are public",
            Self::OneResponse => "one person gives another response; attributes are public",
            Self::Exchange => {
                "a counted person and one who is not counted exchange their answers, and every exact number stays the \
                 same"
            }
            Self::ExchangeOfResponses => "two people exchange their responses, and every exact number stays the same",
        }
    }
}

/// Epsilons that hold at one delta, by three ways of adding up.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ComposedEpsilon {
    /// The delta of the last two.
    pub delta: Delta,
    /// The sum; holds with delta 0.
    pub basic: f64,
    /// Advanced composition.
    pub advanced: f64,
    /// By way of zCDP.
    pub zcdp: f64,
}

impl ComposedEpsilon {
    /// The least of the three.
    #[must_use]
    pub fn least(&self) -> f64 {
        self.basic.min(self.advanced).min(self.zcdp)
    }
}

/// Adds up mechanisms of these epsilons.
///
/// # Errors
/// [`Error::Accounting`] when a delta so small has no finite epsilon.
///
/// # Panics
/// If an epsilon is not positive and finite.
pub fn compose(epsilons: &[f64], delta: Delta) -> Result<ComposedEpsilon, Error> {
    assert!(epsilons.iter().all(|&e| e > 0.0 && e < f64::INFINITY), "epsilons are positive");
    let sum = |of: &dyn Fn(f64) -> f64| round::sum_up(&epsilons.iter().map(|&e| of(e)).collect::<Vec<f64>>());
    let squares = sum(&|e| round::mul_up(e, e));
    let log = round::ln_up(round::div_up(1.0, delta.get()));
    let root = round::sqrt_up(round::mul_up(2.0, round::mul_up(log, squares)));
    let advanced = round::add_up(root, sum(&|e| round::mul_up(e, round::sub_up(round::exp_up(e), 1.0))));
    let zcdp = match Rho::new(squares / 2.0) {
        Ok(rho) => zcdp::epsilon(rho, delta)?.get(),
        Err(_) => 0.0,
    };
    Ok(ComposedEpsilon { delta, basic: sum(&|e| e), advanced, zcdp })
}

/// What the noised numbers promise a person.
///
/// # Guarantee
/// Between two tables that differ by [`Change`], and agree on every exact number, probabilities
/// of the noised numbers differ by a factor of at most `exp(epsilon)`. Tables further apart:
/// `epsilon / sensitivity` for each step of one by which a cell of the full table differs. Not
/// covered: what the exact numbers reveal; which numbers have noise, where that was decided on
/// the counts; priors that tie people's answers together.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct NoiseStatement {
    /// The tables compared.
    pub change: Change,
    /// The L1 sensitivity of each noised margin under that change.
    pub sensitivity: u32,
    /// Whether some exchange of two answers keeps every exact number. If not, the smallest change
    /// that does is larger, and costs more.
    pub has_neighbours: bool,
    /// The promise, at delta 0; never reads low.
    pub epsilon: f64,
    /// The epsilon that was requested.
    pub budget: Epsilon,
    /// The promise at the requested delta.
    pub at_delta: Option<ComposedEpsilon>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_numbers_add_up_best_by_adding() {
        let got = compose(&[0.5; 4], Delta::new(1e-6).unwrap()).unwrap();
        assert!((got.basic - 2.0).abs() < 1e-12 && (got.advanced - 6.554).abs() < 1e-3, "{got:?}");
        assert!(got.zcdp < 5.76 && got.zcdp > 2.0, "no worse than the textbook conversion: {}", got.zcdp);
        assert_eq!(got.least(), got.basic);
        let many = compose(&[0.01; 5_000], Delta::new(1e-6).unwrap()).unwrap();
        assert!(many.zcdp < many.advanced && many.advanced < many.basic, "{many:?}");
        assert_eq!(many.least(), many.zcdp);
    }
}
