//! Accounting of discrete Gaussian noise against the distributions of its privacy loss.

use privacy_core::accounting::{DominatingPair, PrivacyCost, discrete, gaussian, zcdp};
use privacy_core::param::{Delta, Epsilon, Rho};
use testkit::fixtures;

/// A composition of shifted discrete Gaussians and randomised responses.
struct Case {
    /// Parameter, shift, copies.
    parts: Vec<[f64; 3]>,
    pure: Vec<f64>,
    delta: Delta,
    /// Between these two lies the epsilon: privacy loss distributions rounded down and up.
    low: f64,
    high: f64,
}

fn cases() -> Vec<Case> {
    let all = fixtures::json("accounting/discrete.json");
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let case = |row: &serde_json::Value| Case {
        parts: row["parts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|part| ["gamma2", "shift", "copies"].map(|key| number(&part[key])))
            .collect(),
        pure: row["pure"].as_array().unwrap().iter().map(number).collect(),
        delta: Delta::new(number(&row["delta"])).unwrap(),
        low: number(&row["epsilon_low"]),
        high: number(&row["epsilon_high"]),
    };
    all["cases"].as_array().unwrap().iter().map(case).collect()
}

impl Case {
    /// Cost of continuous noise.
    fn cost(&self) -> f64 {
        self.parts.iter().map(|[gamma2, shift, copies]| copies * shift * shift / gamma2).sum()
    }

    fn pair(&self) -> DominatingPair {
        let pure = |pair: DominatingPair, &e: &f64| pair.compose(&DominatingPair::pure(Epsilon::new(e).unwrap()));
        let start = self.pure.iter().fold(DominatingPair::default(), pure);
        self.parts.iter().fold(start, |pair, &[gamma2, shift, copies]| {
            let cost = PrivacyCost::new(copies * shift * shift / gamma2).unwrap();
            pair.compose(&DominatingPair::gaussian(discrete::gaussian_cost(cost, gamma2).unwrap()))
        })
    }

    fn ours(&self) -> f64 {
        self.pair().epsilon(self.delta).unwrap().get()
    }

    fn by_zcdp(&self) -> f64 {
        let rho = 0.5 * (self.cost() + self.pure.iter().map(|e| e * e).sum::<f64>());
        zcdp::epsilon(Rho::new(rho).unwrap(), self.delta).unwrap().get()
    }
}

#[test]
fn an_epsilon_is_never_below_that_of_the_privacy_loss_distribution() {
    for case in cases() {
        let ours = case.ours();
        assert!(ours >= case.low, "{:?} {:?} {:?}: {ours} below {}", case.parts, case.pure, case.delta, case.low);
    }
}

/// With noise of some steps of the lattice the bound is within 3 % of the truth, where zCDP is up
/// to 20 % above it.
#[test]
fn the_epsilon_is_close_to_the_truth_and_closer_than_zcdp() {
    let (mut ours_above, mut zcdp_above): (f64, f64) = (0.0, 0.0);
    for case in cases().iter().filter(|case| case.parts.iter().all(|part| part[0] >= 4.0) && !case.parts.is_empty()) {
        ours_above = ours_above.max(case.ours() / case.high - 1.0);
        zcdp_above = zcdp_above.max(case.by_zcdp() / case.high - 1.0);
        assert!(case.ours() < case.by_zcdp(), "{:?} {:?}", case.parts, case.delta);
    }
    assert!(ours_above < 0.03, "{ours_above}");
    assert!(zcdp_above > 0.1, "{zcdp_above}");
}

/// The negative control: the curve of continuous noise with the same parameter reads low.
#[test]
fn the_curve_of_continuous_noise_is_below_the_truth() {
    let reads_low = |case: &&Case| {
        let continuous = gaussian::epsilon(PrivacyCost::new(case.cost()).unwrap(), case.delta).unwrap().get();
        continuous < case.low * (1.0 - 1e-3)
    };
    let gaussian_only = cases().into_iter().filter(|case| case.pure.is_empty()).collect::<Vec<_>>();
    let low = gaussian_only.iter().filter(reads_low).count();
    assert!(low >= 8, "{low} of {}", gaussian_only.len());
}

/// Every number with noise of its own composes: the cost is that of the sum of squares.
#[test]
fn many_small_shifts_cost_what_one_large_shift_costs_with_noise_of_many_steps() {
    let cost = PrivacyCost::new(1.0).unwrap();
    let wide = discrete::gaussian_cost(cost, 1e12).unwrap().get();
    assert!((1.0..1.0 + 1e-12).contains(&wide));
    let one = discrete::cost_factor(1.0).unwrap();
    assert!((one - 6.0 * (1.0 - (2.0_f64 / 3.0).sqrt())).abs() < 1e-15);
}
