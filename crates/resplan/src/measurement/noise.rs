//! The noise of every residual, exact.
//!
//! `sigma_B^2` the variance of residual B, `K` the product of its identity attributes'
//! categories, `t` how many others it has: the integer query over B gets discrete Gaussian noise
//! with `gamma^2 = sigma_B^2 K^2 4^(20 t)`.

use std::collections::BTreeMap;

use privacy_core::AttrSet;
use privacy_core::noise::{DiscreteGaussian, Rational, WideGaussian};
use privacy_core::stop::StopFlag;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use crate::error::Error;
use crate::measurement::lattice::{doublings_of, scaled_variance};
use crate::measurement::streams::for_streams;
use crate::planning::design::Design;

/// Laws that are kept for residuals that share them, at 7 KB each, and how many must share one.
const MOST_SHARED: usize = 256;
const SHARED_BY: usize = 4;

/// The noise of every residual of a plan, under one key. A law that several residuals share is
/// made once; others are made where they are used.
pub(crate) struct Noise<'a> {
    key: &'a [u8; 32],
    shared: BTreeMap<(u128, u128), DiscreteGaussian>,
    parameters: Vec<Option<Rational>>,
    doublings: Vec<u32>,
    stop: &'a StopFlag,
}

impl<'a> Noise<'a> {
    pub(crate) fn new(design: &Design, key: &'a [u8; 32], stop: &'a StopFlag) -> Result<Self, Error> {
        let mut users = BTreeMap::new();
        let (mut parameters, mut doublings) = (Vec::new(), Vec::new());
        for (set, sigma2) in design.residuals() {
            let gamma2 = (!sigma2.is_zero()).then(|| scaled_variance(design.axes(), set, sigma2)).transpose()?;
            doublings.push(doublings_of(design.axes(), set));
            if let Some(gamma2) = gamma2.filter(|_| doublings.last() == Some(&0)) {
                *users.entry((gamma2.numerator(), gamma2.denominator())).or_insert(0) += 1;
            }
            parameters.push(gamma2);
        }
        let several = users.into_iter().filter(|(_, users)| *users >= SHARED_BY).take(MOST_SHARED);
        let mut shared = BTreeMap::new();
        for ((n, d), _) in several {
            shared.insert((n, d), DiscreteGaussian::new(Rational::new(n, d)?)?);
        }
        Ok(Self { key, shared, parameters, doublings, stop })
    }

    /// How many cells get noise: what [`add_narrow`](Self::add_narrow) and
    /// [`add_wide`](Self::add_wide) report as done.
    pub(crate) fn cells(&self, design: &Design) -> u64 {
        let noisy = design.residuals().zip(&self.parameters).filter(|(_, gamma2)| gamma2.is_some());
        let size = |set| design.axes().measured(set).map(|axis| axis.residual_queries() as u64).product::<u64>();
        noisy.map(|((set, _), _)| size(set)).sum()
    }

    /// Adds noise to the integer residual at `position` over `set`, whose attributes are all
    /// identity.
    pub(crate) fn add_narrow(&self, set: AttrSet, position: usize, cells: &mut [i64]) -> Result<(), Error> {
        let Some(gamma2) = self.parameters[position] else { return Ok(()) };
        let own;
        let law = match self.shared.get(&(gamma2.numerator(), gamma2.denominator())) {
            Some(shared) => shared,
            None => {
                own = DiscreteGaussian::for_draws(gamma2, cells.len() as u64)?;
                &own
            }
        };
        // A stopped measurement returns nothing: what is left without noise is dropped with the
        // rest.
        let noisy = for_streams(position, cells, |stream, cells| match self.stop.is_set() {
            true => Ok(()),
            false => {
                let noisy = law.add_to(cells, &mut self.stream(stream));
                self.stop.advance(cells.len() as u64);
                noisy
            }
        });
        match noisy.iter().any(Result::is_err) {
            _ if self.stop.is_set() => Err(Error::Stopped),
            true => Err(Error::CountsTooLarge { set }),
            false => Ok(()),
        }
    }

    /// The same for any attributes.
    pub(crate) fn add_wide(&self, set: AttrSet, position: usize, cells: &mut [i128]) -> Result<(), Error> {
        let Some(gamma2) = self.parameters[position] else { return Ok(()) };
        let law = WideGaussian::new(gamma2, self.doublings[position])?;
        // A stopped measurement returns nothing: what is left without noise is dropped with the
        // rest.
        let noisy = for_streams(position, cells, |stream, cells| match self.stop.is_set() {
            true => Ok(()),
            false => {
                let noisy = law.add_to(cells, &mut self.stream(stream));
                self.stop.advance(cells.len() as u64);
                noisy
            }
        });
        match noisy.iter().any(Result::is_err) {
            _ if self.stop.is_set() => Err(Error::Stopped),
            true => Err(Error::CountsTooLarge { set }),
            false => Ok(()),
        }
    }

    fn stream(&self, stream: u64) -> ChaCha20Rng {
        let mut rng = ChaCha20Rng::from_seed(*self.key);
        rng.set_stream(stream);
        rng
    }
}

#[cfg(test)]
mod tests {
    use privacy_core::Domain;
    use privacy_core::accounting::{Neighbours, PrivacyCost};

    use super::*;
    use crate::{Plan, PlanLimits, PlanSpec, Workload};

    fn plan(sizes: &[usize], most: usize, neighbours: Neighbours) -> Plan {
        let domain = Domain::of_cardinalities(sizes).unwrap();
        let spec =
            PlanSpec { neighbours, ..PlanSpec::new(domain, Workload::UpTo(most), PrivacyCost::new(1.0).unwrap()) };
        Plan::new(spec, &PlanLimits::default()).unwrap()
    }

    fn noise<'a>(plan: &Plan, stop: &'a StopFlag) -> Noise<'a> {
        Noise::new(plan, &[0; 32], stop).unwrap()
    }

    /// Attributes of one size have one law; a table for it pays from four of them on.
    #[test]
    fn a_law_is_made_once_where_four_residuals_share_it() {
        let stop = StopFlag::never();
        for (sizes, shared) in [
            (vec![2; 3], 0),
            (vec![2; 4], 1),
            (vec![2; 7], 1),
            (vec![2, 2, 2, 3, 3, 3], 0),
            (vec![2, 2, 2, 2, 3, 3, 3, 3], 2),
        ] {
            let plan = plan(&sizes, 1, Neighbours::AddRemove);
            let noise = noise(&plan, &stop);
            assert_eq!(noise.shared.len(), shared, "{sizes:?}");
            for law in noise.shared.values() {
                let users = noise.parameters.iter().filter(|gamma2| **gamma2 == Some(law.sigma2())).count();
                assert!(users >= SHARED_BY, "{sizes:?}");
            }
        }
    }

    #[test]
    fn every_cell_of_a_residual_with_noise_is_counted() {
        let stop = StopFlag::never();
        // 1 for the total, which is public where a row is replaced; 2, 3, 5; 6, 10, 15.
        for (neighbours, cells) in [(Neighbours::AddRemove, 42), (Neighbours::Replace, 41)] {
            let plan = plan(&[2, 3, 5], 2, neighbours);
            assert_eq!(noise(&plan, &stop).cells(&plan), cells);
        }
    }

    /// Attributes that are not identity have a residual query less than categories, and their laws
    /// are not those of 64 bits.
    #[test]
    #[cfg(feature = "linalg")]
    fn noise_of_other_queries_is_counted_by_its_queries_and_never_shared() {
        let domain = Domain::of_cardinalities(&[4; 5]).unwrap();
        let spec = PlanSpec::new(domain, Workload::UpTo(1), PrivacyCost::new(1.0).unwrap());
        let spec = PlanSpec { bases: vec![crate::QueryBasis::Prefix; 5], ..spec };
        let (plan, stop) = (Plan::new(spec, &PlanLimits::default()).unwrap(), StopFlag::never());
        let noise = noise(&plan, &stop);
        assert_eq!((noise.cells(&plan), noise.shared.len()), (1 + 5 * 3, 0));
    }
}
