//! Likelihood ratios by enumeration: where a view is one of few outcomes, no trial is needed.
//!
//! `P_x(o)`: the probability of outcome `o` under input `x`. The best attacker knows these laws,
//! and `epsilon = max ln(P_x(o) / P_y(o))` over all outcomes and pairs of inputs is what a view
//! tells at most: exact, not a bound.

use disclosure::privacy_core::param::Probability;

use super::claim::{Claim, Measurement};
use super::finding::{About, Finding, Runs};
use super::scenario::Scenario;
use crate::error::Error;

/// A mechanism with few outcomes.
pub trait Enumerable: Sync {
    /// The law of each input: `laws[x][o]`, every row as long as every other.
    ///
    /// # Errors
    /// What the mechanism refuses.
    fn laws(&self) -> Result<Vec<Vec<f64>>, Error>;
}

/// The largest log-likelihood ratio over outcomes and pairs of inputs, and how many outcomes of
/// all inputs were seen.
///
/// # Errors
/// [`Error::BadLaw`] unless there are two inputs at least, and every row is a law to within 1e-9
/// over the same outcomes.
pub fn epsilon_of(laws: &[Vec<f64>]) -> Result<(f64, u64), Error> {
    let outcomes = laws.first().map_or(0, Vec::len);
    if laws.len() < 2
        || !laws.iter().all(|law: &Vec<f64>| {
            law.len() == outcomes && law.iter().all(|p| *p >= 0.0) && (law.iter().sum::<f64>() - 1.0).abs() <= 1e-9
        })
    {
        return Err(Error::BadLaw);
    }
    let ratios = (0..outcomes).map(|outcome| {
        let column = laws.iter().map(|law| law[outcome]);
        let (least, most) = column.fold((f64::INFINITY, 0.0_f64), |(least, most), p| (least.min(p), most.max(p)));
        if most == 0.0 { 0.0 } else { (most / least).ln() }
    });
    Ok((ratios.fold(0.0, f64::max), (laws.len() * outcomes) as u64))
}

/// A scenario that is decided by enumeration.
#[derive(Clone, Debug)]
pub struct EnumeratedScenario<E> {
    /// Identifier, claim, source and names.
    pub about: About,
    /// The claimed epsilon.
    pub epsilon: f64,
    /// The mechanism.
    pub mechanism: E,
    /// The mechanism with a fault that breaks the promise.
    pub negative_control: E,
}

/// Of the quotient of two probabilities and a logarithm.
const ROUNDING: f64 = 1e-14;

/// What laws say of a claim, and how many outcomes were seen.
fn enumerated(claim: Claim, laws: &[Vec<f64>]) -> Result<(Measurement, u64), Error> {
    let (epsilon, outcomes) = epsilon_of(laws)?;
    // An outcome that excludes an input needs no margin, and infinity less infinity is no number.
    let slack = if epsilon.is_finite() { ROUNDING * (1.0 + epsilon) } else { 0.0 };
    Ok((Measurement::new(claim, [(epsilon - slack).max(0.0), epsilon + slack]), outcomes))
}

impl<E: Enumerable + Send> Scenario for EnumeratedScenario<E> {
    fn about(&self) -> &About {
        &self.about
    }

    fn run(&self, _: u64, _: u64, _: Probability) -> Result<Finding, Error> {
        let claim = Claim::at_most(self.epsilon)?;
        let laws = self.mechanism.laws()?;
        let (attacker, outcomes) = enumerated(claim, &laws)?;
        // Outside the data, nobody's value has a law: all inputs give the view of the first.
        // Blind, there is one outcome.
        let outside = vec![laws[0].clone(); laws.len()];
        let unseen = vec![vec![1.0]; laws.len()];
        let runs = Runs {
            attacker,
            negative_control: enumerated(claim, &self.negative_control.laws()?)?.0,
            outsiders: enumerated(claim, &outside)?.0,
            blind: enumerated(claim, &unseen)?.0,
        };
        Ok(Finding::of_loss(&self.about, "epsilon", runs, outcomes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_the_largest_of_all() {
        let (epsilon, outcomes) =
            epsilon_of(&[vec![0.5, 0.5, 0.0], vec![0.25, 0.75, 0.0], vec![0.6, 0.4, 0.0]]).unwrap();
        assert!((epsilon - 2.4_f64.ln()).abs() < 1e-15 && outcomes == 9);
        assert_eq!(epsilon_of(&[vec![1.0, 0.0], vec![0.5, 0.5]]).unwrap().0, f64::INFINITY);
    }

    #[test]
    fn what_is_no_law_is_refused() {
        for laws in [vec![vec![1.0]], vec![vec![1.0], vec![0.5]], vec![vec![1.0], vec![0.5, 0.5]], vec![]] {
            assert_eq!(epsilon_of(&laws), Err(Error::BadLaw));
        }
        assert!(epsilon_of(&[vec![f64::NAN, 1.0], vec![0.5, 0.5]]).is_err());
    }
}
