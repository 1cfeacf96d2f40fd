#[cfg(feature = "noise")]
mod replay;

use super::*;

fn delta(value: f64) -> Delta {
    Delta::new(value).unwrap()
}

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn responses(epsilons: &[f64]) -> DominatingPair {
    epsilons.iter().fold(DominatingPair::default(), |pair, &e| pair.compose(&DominatingPair::pure(epsilon(e))))
}

fn gaussian_pair(cost: f64) -> DominatingPair {
    DominatingPair::gaussian(PrivacyCost::new(cost).unwrap())
}

/// `sum over outcomes of (P - e^epsilon Q)_+` of randomised responses, outcome by outcome.
fn by_enumeration(epsilons: &[f64], at: f64) -> f64 {
    (0..1_u32 << epsilons.len())
        .map(|outcome| {
            let (mut p, mut q) = (1.0, 1.0);
            for (place, e) in epsilons.iter().enumerate() {
                let (often, seldom) = (1.0 / (1.0 + (-e).exp()), 1.0 / (1.0 + e.exp()));
                let (with, without) = if outcome >> place & 1 == 1 { (often, seldom) } else { (seldom, often) };
                (p, q) = (p * with, q * without);
            }
            (p - at.exp() * q).max(0.0)
        })
        .sum()
}

#[test]
fn a_gaussian_mechanism_alone_has_its_exact_curve() {
    for (c, d) in [(0.1, 1e-6), (1.0, 1e-9), (9.0, 1e-3)] {
        let pair = gaussian_pair(0.75 * c).compose(&gaussian_pair(0.25 * c));
        let (got, want) =
            (pair.epsilon(delta(d)).unwrap().get(), gaussian::epsilon(PrivacyCost::new(c).unwrap(), delta(d)).unwrap());
        assert!(got >= want.get() * (1.0 - 1e-12) && got <= want.get() * (1.0 + 1e-11), "{c} {d}");
        let there = pair.delta(epsilon(got)).unwrap().get();
        assert!(there <= d && there > 0.999 * d);
    }
}

#[test]
fn randomised_responses_have_the_deltas_of_their_outcomes() {
    let epsilons = [0.5, 0.25, 1.0, 0.5, 0.1, 2.0];
    for at in [0.01, 0.3, 1.0, 2.2, 4.0, 4.3] {
        let (got, want) = (responses(&epsilons).delta(epsilon(at)).unwrap().get(), by_enumeration(&epsilons, at));
        assert!(got >= want && got <= want + 1e-14, "{at}: {got} for {want}");
    }
    // Beyond the sum of all epsilons nothing is left.
    assert!(responses(&epsilons).delta(epsilon(4.351)).unwrap().get() < 1e-15);
    let one = responses(&[1.0]).epsilon(delta(1e-9)).unwrap().get();
    assert!(one <= 1.0 && one > 1.0 - 1e-8);
}

#[test]
fn a_gaussian_and_a_response_compose_by_convolution() {
    // The pair of laws on the line and one bit, integrated numerically.
    let (c, e, at) = (1.0_f64, 0.7_f64, 1.5_f64);
    let (often, seldom) = (1.0 / (1.0 + (-e).exp()), 1.0 / (1.0 + e.exp()));
    let law = |x: f64, mean: f64| (-0.5 * (x - mean).powi(2)).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let step = 1e-4;
    let mut want = 0.0;
    for place in -120_000..120_000 {
        let x = (f64::from(place) + 0.5) * step;
        let (with, without) = (law(x, c.sqrt()), law(x, 0.0));
        want += step * (often * with - at.exp() * seldom * without).max(0.0);
        want += step * (seldom * with - at.exp() * often * without).max(0.0);
    }
    let pair = gaussian_pair(c).compose(&responses(&[e]));
    let got = pair.delta(epsilon(at)).unwrap().get();
    assert!((got - want).abs() < 1e-9, "{got} for {want}");
    let by_zcdp = crate::accounting::zcdp::epsilon(crate::param::Rho::new(0.5 * (c + e * e)).unwrap(), delta(1e-6));
    assert!(pair.epsilon(delta(1e-6)).unwrap() < by_zcdp.unwrap());
}

#[test]
fn merged_losses_are_never_below_the_exact_ones() {
    // 200 responses of two kinds: many sums are equal, and equal sums are one.
    let mixed: Vec<f64> = (0..200).map(|place| if place % 2 == 0 { 0.05 } else { 0.08 }).collect();
    let exact = responses(&mixed).losses().unwrap();
    assert!(exact.len() <= MOST_LOSSES && (exact.iter().map(|l| l.probability).sum::<f64>() - 1.0).abs() < 1e-9);
    // 14 different ones: merged, and still near 2^14 enumerated outcomes.
    let different: Vec<f64> = (1..=14).map(|place| 0.1 + 0.01 * f64::from(place * place)).collect();
    for at in [1.0, 3.0, 8.0] {
        let (got, want) = (responses(&different).delta(epsilon(at)).unwrap().get(), by_enumeration(&different, at));
        assert!(got >= want && got <= want + 0.02, "{at}: {got} for {want}");
    }
}

#[test]
fn what_is_out_of_range_has_no_answer() {
    let huge = gaussian_pair(f64::MAX).compose(&gaussian_pair(f64::MAX));
    assert!(huge.delta(epsilon(1.0)).is_err() && huge.epsilon(delta(1e-6)).is_err());
    assert!(DominatingPair::default().epsilon(delta(1e-9)).unwrap().get() < 1e-300);
    assert!(responses(&[1e308, 1e308]).epsilon(delta(1e-9)).is_err());
}

#[test]
fn a_pair_says_what_it_is_made_of() {
    let pair = gaussian_pair(0.25).compose(&responses(&[0.5, 2.0]));
    assert_eq!((pair.gaussian_cost(), pair.pure_epsilons()), (0.25, &[0.5, 2.0][..]));
}

#[test]
fn a_delta_that_suffices_to_the_last_bit_needs_no_epsilon() {
    let pair = responses(&[0.5]);
    let d = pair.delta(epsilon(LEAST)).unwrap();
    assert_eq!(pair.epsilon(d).unwrap().get(), LEAST);
}

#[test]
fn an_epsilon_is_found_to_its_share_of_a_small_sum() {
    let pair = responses(&[3e-4, 5e-4]);
    let d = 1e-4;
    let found = pair.epsilon(delta(d)).unwrap().get();
    let losses = pair.losses().unwrap();
    assert!(pair.delta_of(&losses, found) <= d && pair.delta_of(&losses, found - 2e-13 * 8e-4) > d);
}

#[test]
fn as_many_responses_as_may_be_have_an_answer_and_one_more_has_none() {
    let most = responses(&vec![1e-3; MOST_RESPONSES]);
    assert!(most.losses().is_some());
    assert!(most.compose(&responses(&[1e-3])).losses().is_none());
}

#[test]
fn losses_are_merged_only_where_they_are_too_many() {
    let even = |count: u32| (0..count).map(|place| Loss { value: f64::from(place), probability: 1.0 }).collect();
    let kept = |losses: Vec<Loss>| merged(losses).iter().map(|l| (l.value, l.probability)).collect::<Vec<_>>();
    assert_eq!(kept(even(1024)).len(), 1024);
    // The step is 2 2047 / 1024, which is just below 4: four of them are one, the largest.
    let four = kept(even(2048));
    assert_eq!((four.len(), four[0], four[511]), (512, (3.0, 4.0), (2047.0, 4.0)));
}

#[cfg(feature = "serde")]
#[test]
fn a_stored_pair_is_checked() {
    let pair = gaussian_pair(0.5).compose(&responses(&[1.0]));
    let text = serde_json::to_string(&pair).unwrap();
    assert_eq!(text, r#"{"gaussian_cost":0.5,"pure_epsilons":[1.0]}"#);
    assert_eq!(serde_json::from_str::<DominatingPair>(&text).unwrap(), pair);
    let nothing = serde_json::to_string(&DominatingPair::default()).unwrap();
    assert_eq!(serde_json::from_str::<DominatingPair>(&nothing).unwrap(), DominatingPair::default());
    for bad in [r#"{"gaussian_cost":-1}"#, r#"{"gaussian_cost":1,"pure_epsilons":[0]}"#, r#"{"gaussian_cost":null}"#] {
        assert!(serde_json::from_str::<DominatingPair>(bad).is_err(), "{bad}");
    }
}
