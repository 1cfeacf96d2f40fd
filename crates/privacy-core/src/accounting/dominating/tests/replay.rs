//! (13) and (14) step by step, every sum, product and quotient rounded by comparing integers.

use super::*;
use crate::accounting::tests::exact::{
    exp_above, exp_below, product_above, quotient_above, size, sum_above, sum_below,
};
use crate::rng::SimRng;

/// The probabilities of the losses `+e` and `-e`.
fn shares(e: f64) -> (f64, f64) {
    let least = sum_above(1.0, exp_below(-e)).next_down().next_down();
    (quotient_above(1.0, least), quotient_above(exp_above(-e), least))
}

/// The curve of the Gaussian mechanism at a negative epsilon, by (14).
fn beyond(above: f64, at: f64) -> f64 {
    let kept = (exp_below(at) * sum_below(1.0, -above)).next_down();
    sum_above(1.0, -kept).min(1.0)
}

#[test]
fn a_response_splits_every_loss_and_rounds_it_up() {
    let mut rng = SimRng::for_trial(1, "dominating rounding", 0);
    for _ in 0..100 {
        let e = size(&mut rng, (-5.0, 3.0));
        let losses =
            [(); 3].map(|()| Loss { value: size(&mut rng, (-3.0, 3.0)), probability: size(&mut rng, (-9.0, -1.0)) });
        let (often, seldom) = shares(e);
        let split = |loss: &Loss| {
            let with = |by: f64, share: f64| (sum_above(loss.value, by), product_above(loss.probability, share));
            [with(-e, seldom), with(e, often)]
        };
        let mut want: Vec<(f64, f64)> = losses.iter().flat_map(split).collect();
        want.sort_by(|a, b| a.0.total_cmp(&b.0));
        let found = with_response(&losses, e);
        assert_eq!(found.iter().map(|loss| (loss.value, loss.probability)).collect::<Vec<_>>(), want);
    }
}

#[test]
fn a_curve_at_a_negative_epsilon_is_rounded_up() {
    let mut rng = SimRng::for_trial(2, "dominating rounding", 0);
    for _ in 0..200 {
        let (c, e) = (size(&mut rng, (-6.0, 2.0)), size(&mut rng, (-6.0, 2.0)));
        let above = gaussian::delta(PrivacyCost::new(c).unwrap(), epsilon(e)).map_or(1.0, Delta::get);
        assert_eq!(gaussian_pair(c).gaussian_delta(e), above);
        assert_eq!(gaussian_pair(c).gaussian_delta(-e), beyond(above, -e), "{c:e} {e:e}");
        assert_eq!(DominatingPair::default().gaussian_delta(-e), beyond(0.0, -e), "{e:e}");
    }
    // Not by (14), which is rounded twice.
    assert_eq!(DominatingPair::default().gaussian_delta(0.0), 0.0);
}

#[test]
fn delta_is_a_sum_that_is_rounded_up() {
    let mut rng = SimRng::for_trial(3, "dominating rounding", 0);
    for _ in 0..60 {
        let pair = gaussian_pair(size(&mut rng, (-4.0, 1.0)));
        let losses =
            [(); 5].map(|()| Loss { value: size(&mut rng, (-3.0, 1.0)), probability: size(&mut rng, (-6.0, -2.0)) });
        let at = size(&mut rng, (-3.0, 1.0));
        let want = losses.iter().fold(0.0, |sum, loss| {
            sum_above(sum, product_above(loss.probability, pair.gaussian_delta(sum_below(at, -loss.value))))
        });
        assert_eq!(pair.delta_of(&losses, at), want);
    }
}

#[test]
fn costs_epsilons_and_merged_probabilities_add_up_upwards() {
    let mut rng = SimRng::for_trial(4, "dominating rounding", 0);
    for _ in 0..100 {
        let [a, b, c] = [(); 3].map(|()| size(&mut rng, (-9.0, -1.0)));
        let pair = gaussian_pair(a).compose(&gaussian_pair(b));
        assert_eq!(pair.gaussian_cost(), sum_above(a, b));
        let equal = [a, b, c].map(|probability| Loss { value: 1.0, probability });
        assert_eq!(merged(equal.to_vec())[0].probability, sum_above(sum_above(c, b), a));
        // No delta to speak of: all epsilons are needed.
        let all = responses(&[a, b, c]).epsilon(delta(1e-300)).unwrap().get();
        assert_eq!(all, sum_above(sum_above(a, b), c));
    }
}
