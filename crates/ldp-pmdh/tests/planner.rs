//! Predicted variances against values computed independently, and against the protocols
//! themselves.

use ldp_pmdh::planner::{
    Budget, Design, FrequencyPrior, PlanError, ProtocolVariant as V, best_subset_size, best_unary, cell_variance,
    compare, compare_protocols, optimised_unary, pair_variance, randomised_response, subset_selection,
};
use testkit::fixtures::{json, relative_error};

const PRIOR: FrequencyPrior = FrequencyPrior { frequency: 0.3, pair_frequency: 0.09 };

/// Features, epsilon, and the variance of the best weights by the program of its own.
const PARITIES: [(usize, f64, f64); 4] = [
    (3, 0.5, 18.104_256_579_260_43),
    (16, 1.0, 79.522_954_844_539_71),
    (32, 2.0, 95.207_640_604_361_77),
    (64, 0.5, 3_282.041_807_529_210_5),
];

fn is_parity(design: Design) -> bool {
    matches!(design, Design::Parity { .. })
}

fn variance(
    comparison: &ldp_pmdh::planner::Comparison,
    features: usize,
    wanted: fn(Design, usize) -> bool,
) -> Option<f64> {
    comparison.designs.iter().find(|planned| wanted(planned.design, features)).map(|planned| planned.variance)
}

/// A key of the golden file and its design.
type Wanted = (&'static str, fn(Design, usize) -> bool);

#[test]
fn every_design_has_the_golden_variance() {
    let mut checked = 0;
    for case in json("ldp/planner.json").as_array().unwrap() {
        let (epsilon, features) = (case["eps"].as_f64().unwrap(), case["d"].as_u64().unwrap() as usize);
        let comparison = compare(features, Budget::Total(epsilon), PRIOR).unwrap();
        let wanted: [Wanted; 5] = [
            ("bitwise eps/d (PMDH, all orders)", |d, _| d == Design::Bits),
            ("sample pair, GRR(4)", |d, _| d == Design::JointSymbol { per_person: 2 }),
            ("sample s feats, RR eps/s", |d, _| matches!(d, Design::SampledBits { .. })),
            ("GRR joint 2^d", |d, features| d == Design::JointSymbol { per_person: features }),
            ("OUE joint 2^d", |d, _| d == Design::JointBlock),
        ];
        for (key, design) in wanted {
            let got = variance(&comparison, features, design);
            match case.get(key) {
                Some(want) => {
                    assert!(relative_error(got.unwrap(), want.as_f64().unwrap()) < 1e-11, "{key} {epsilon} {features}");
                }
                None => assert!(got.is_none(), "{key}"),
            }
        }
        // The golden value is that at the worst frequencies, means of all signs 0, with all
        // questions asked alike: so much more than with features asked more often than pairs.
        let parity = comparison.designs.iter().find(|planned| is_parity(planned.design)).unwrap();
        let hadamard = case["hadamard order<=2"].as_f64().unwrap();
        let (Design::Parity { alone }, d) = (parity.design, features as f64) else { panic!("parities") };
        let pairs = 0.5 * d * (d - 1.0);
        let weighted = (2.0 * d / alone + pairs / (1.0 - alone)) / (3.0 * (d + pairs));
        assert!(relative_error(parity.worst_variance, hadamard * weighted) < 1e-11, "{epsilon} {features}");
        // The weights are those of the frequencies of the prior, at which they are best.
        let uniform = d / (d + pairs);
        let at_prior = |alone: f64| {
            let coin = randomised_response(epsilon).unwrap();
            let [one, both] = [0.3, 0.42].map(|share| cell_variance(coin, share));
            0.25 * (2.0 * one * d / alone + both * pairs / (1.0 - alone))
        };
        assert!(relative_error(parity.variance, at_prior(alone)) < 1e-11);
        let others = [uniform, alone * 0.99, 1.0 - (1.0 - alone) * 0.99];
        assert!(others.iter().all(|&other| at_prior(other) >= parity.variance), "{epsilon} {features}");
        let best = comparison.designs.iter().find_map(|planned| match planned.design {
            Design::SampledBits { per_person } => Some(per_person as u64),
            _ => None,
        });
        assert_eq!(best, case["best s"].as_u64());
        assert!(comparison.designs.windows(2).all(|two| two[0].variance <= two[1].variance));
        assert!(comparison.price_of_splitting >= 1.0);
        checked += 1;
    }
    assert_eq!(checked, 25);
}

#[test]
fn splitting_a_total_budget_is_worse_than_asking_for_a_symbol_of_all_or_for_less() {
    for (epsilon, features, least) in [(1.0, 4, 20.0), (1.0, 8, 100.0), (4.0, 16, 10.0), (8.0, 8, 10.0)] {
        let comparison = compare(features, Budget::Total(epsilon), PRIOR).unwrap();
        assert!(comparison.price_of_splitting > least, "{epsilon} {features}: {}", comparison.price_of_splitting);
    }
    // With a budget for each feature there is nothing to split: 17.8, 1.48, 0.223, 0.094.
    for (epsilon, want) in [(0.5, 17.780_877_170_230_614), (1.0, 1.481_944_023_596_169_6), (2.0, 0.2229), (4.0, 0.0937)]
    {
        let comparison = compare(8, Budget::PerFeature(epsilon), PRIOR).unwrap();
        assert!((comparison.designs[0].variance / want - 1.0).abs() < 2e-3, "{}", comparison.designs[0].variance);
        assert_eq!((comparison.designs.len(), comparison.epsilon_per_report), (1, 8.0 * epsilon));
    }
}

#[test]
fn super_features_lie_between_bits_and_the_joint_symbol() {
    // Two groups of two, by hand: within a group a symbol of four, across groups two bits of such
    // symbols.
    let comparison = compare(4, Budget::Total(4.0), PRIOR).unwrap();
    let groups =
        comparison.designs.iter().find(|planned| matches!(planned.design, Design::SuperFeatures { .. })).unwrap();
    let two = variance_of_groups_of_two(2.0);
    assert!(groups.variance <= two * (1.0 + 1e-12), "{} {two}", groups.variance);
    let [bits, joint] = [Design::Bits, Design::JointSymbol { per_person: 4 }]
        .map(|wanted| comparison.designs.iter().find(|planned| planned.design == wanted).unwrap().variance);
    assert!(joint < groups.variance && groups.variance < bits);
}

/// The best design, its size and its variance by a program of its own, which goes through all
/// numbers of features that can be drawn.
#[test]
fn the_best_design_is_that_of_an_independent_search() {
    for (features, epsilon, per_person, want) in [
        (4, 2.0, 3, 1.490_509_813_584_309_6),
        (8, 4.0, 4, 0.871_133_207_059_324_5),
        (12, 6.0, 6, 0.587_652_417_813_688_3),
        (16, 8.0, 9, 0.460_401_067_397_892_94),
        (24, 3.0, 4, 21.205_195_918_036_3),
        (48, 10.0, 11, 2.275_507_657_569_119),
        (64, 8.0, 9, 7.734_737_932_284_601),
        (64, 12.0, 13, 2.512_852_718_322_536),
    ] {
        let best = compare(features, Budget::Total(epsilon), PRIOR).unwrap().designs[0];
        assert_eq!(best.design, Design::JointSymbol { per_person }, "{features} {epsilon}");
        assert!(relative_error(best.variance, want) < 1e-10, "{features} {epsilon}: {}", best.variance);
    }
    // With little epsilon parities, features asked more often than pairs.
    for (features, epsilon, want) in PARITIES {
        let best = compare(features, Budget::Total(epsilon), PRIOR).unwrap().designs[0];
        assert!(is_parity(best.design), "{features} {epsilon}");
        assert!(relative_error(best.variance, want) < 1e-10, "{features} {epsilon}: {}", best.variance);
        assert!(best.worst_variance > best.variance);
    }
    // And sets of the cells of three features.
    let best = compare(3, Budget::Total(1.0), PRIOR).unwrap().designs[0];
    assert_eq!(best.design, Design::JointSubset { size: 2 });
    assert!(relative_error(best.variance, 4.612_626_927_257_76) < 1e-10, "{}", best.variance);
}

#[test]
fn what_no_schema_holds_is_not_listed_and_frequencies_decide() {
    // A block of 2^17 bits, and 400 features with their pairs, are more columns than a schema has.
    let many = compare(400, Budget::Total(1.0), PRIOR).unwrap();
    assert!(many.designs.iter().all(|planned| !is_parity(planned.design) && planned.design != Design::JointBlock));
    let wide = compare(17, Budget::Total(1.0), PRIOR).unwrap();
    assert!(wide.designs.iter().all(|planned| planned.design != Design::JointBlock));
    for comparison in [&many, &wide, &compare(40, Budget::Total(60.0), PRIOR).unwrap()] {
        for planned in &comparison.designs {
            if let Design::SuperFeatures { bits } = planned.design {
                assert!(bits <= 16);
            }
            assert!(planned.worst_variance >= planned.variance * (1.0 - 1e-12), "{planned:?}");
        }
    }
    // Five features together are better than four where nothing is known about frequencies.
    let comparison = compare(8, Budget::Total(4.0), PRIOR).unwrap();
    assert_eq!(comparison.designs[0].design, Design::JointSymbol { per_person: 4 });
    assert_eq!(comparison.least_worst().design, Design::JointSymbol { per_person: 5 });
}

/// Four features in two groups, each a symbol of four with this epsilon.
fn variance_of_groups_of_two(epsilon: f64) -> f64 {
    let (e, k) = (f64::exp(epsilon), 4.0);
    let (q, p) = (e / (e + k - 1.0), 1.0 / (e + k - 1.0));
    let cell = ldp_pmdh::Channel::new(p, q).unwrap();
    let bit = ldp_pmdh::Channel::new(2.0 * p, q + p).unwrap();
    (2.0 * cell_variance(cell, 0.09) + 4.0 * pair_variance(bit, bit, PRIOR)) / 6.0
}

#[test]
fn the_papers_channel_is_beaten_by_the_symmetric_one_of_its_epsilon() {
    let papers = ldp_pmdh::Channel::new(0.1, 0.8).unwrap();
    let symmetric = randomised_response(8.0_f64.ln()).unwrap();
    assert!((symmetric.p() - 1.0 / 9.0).abs() < 1e-15);
    assert!((pair_variance(papers, papers, PRIOR) - 0.269).abs() < 5e-4);
    assert!((pair_variance(symmetric, symmetric, PRIOR) - 0.207).abs() < 5e-4);
}

#[test]
fn the_best_unary_encoding_moves_with_the_frequency() {
    let best = best_unary(4.0, 0.1).unwrap();
    assert!((best.p() - 0.046).abs() < 1e-3 && (best.q() - 0.727).abs() < 2e-3, "{best:?}");
    // Without the sampling of people: 0.129 against 0.176.
    let noise = |channel| cell_variance(channel, 0.1) - 0.09;
    assert!((noise(best) - 0.129).abs() < 1e-3 && (noise(optimised_unary(4.0).unwrap()) - 0.176).abs() < 1e-3);
    let (p, q) = (best.p(), best.q());
    assert!(((q * (1.0 - p) / (p * (1.0 - q))).ln() - 4.0).abs() < 1e-12, "it costs epsilon");
    let half = best_unary(2.0, 0.5).unwrap();
    assert!((half.p() + half.q() - 1.0).abs() < 1e-5, "symmetric at one half");
}

#[test]
fn protocols_are_ranked_and_local_hashing_has_the_law_of_unary_encoding() {
    let binary = compare_protocols(2, 1.0, 0.3).unwrap();
    // One symbol of two is one bit.
    assert!(matches!(binary[0].variant, V::OneBit | V::GeneralisedResponse) && binary[0].bits == 1);
    assert!((binary[0].variance / binary[1].variance - 1.0).abs() < 1e-12);
    let many = compare_protocols(1000, 1.0, 0.001).unwrap();
    let variance = |variant: V| many.iter().find(|planned| planned.variant == variant).unwrap().variance;
    assert!(variance(V::GeneralisedResponse) > 50.0 * variance(V::Optimised));
    // e^epsilon + 1 buckets, rounded to a whole number of them.
    assert!((variance(V::BestBuckets) / variance(V::Optimised) - 1.0).abs() < 0.01);
    assert!(many[0].variance <= many[1].variance);
}

/// Of all sizes, also where a frequent value moves the best one far from that of rare values.
#[test]
fn the_best_size_of_subsets_is_the_best_of_all() {
    for values in [2, 3, 5, 12, 40] {
        for epsilon in [0.1, 0.6, 1.0, 2.0, 4.0] {
            for frequency in [0.01, 0.3, 0.9] {
                let cost = |size: f64| {
                    subset_selection(f64::from(values), size, epsilon)
                        .map_or(f64::INFINITY, |channel| cell_variance(channel, frequency))
                };
                let found = best_subset_size(f64::from(values), epsilon, frequency);
                let least = (1..values).map(|size| cost(f64::from(size))).fold(f64::INFINITY, f64::min);
                assert!(cost(found) <= least * (1.0 + 1e-12), "{values} {epsilon} {frequency}: {found}");
                assert!(found >= 1.0 && found <= f64::from(values) - 1.0 && found.fract() == 0.0);
            }
        }
    }
}

/// A symbol of generalised response takes the bits that tell all values apart; local hashing one of
/// its buckets, and the seed.
#[test]
fn reports_have_the_bits_that_tell_their_symbols_apart() {
    for (values, bits) in [(2, 1), (3, 2), (4, 2), (5, 3), (1000, 10), (1024, 10), (1025, 11)] {
        let planned = compare_protocols(values, 2.0, 0.3).unwrap();
        let bits_of = |variant: V| planned.iter().find(|planned| planned.variant == variant).unwrap().bits;
        assert_eq!(bits_of(V::GeneralisedResponse), bits);
        assert_eq!([bits_of(V::Optimised), bits_of(V::Symmetric)], [values; 2]);
        // e^2 + 1 buckets, rounded to 8.
        assert_eq!(bits_of(V::BestBuckets), 64 + 3);
    }
}

#[test]
fn plans_at_the_limits_are_made() {
    for (frequency, pair_frequency) in [(0.3, 0.3), (0.75, 0.5)] {
        assert!(compare(3, Budget::Total(1.0), FrequencyPrior { frequency, pair_frequency }).is_ok());
    }
    assert!(compare(2, Budget::Total(100.0), PRIOR).is_ok() && compare(2, Budget::Total(100.1), PRIOR).is_err());
    let beyond = FrequencyPrior { frequency: 1.0, pair_frequency: 1.0 };
    assert_eq!(compare(3, Budget::Total(1.0), beyond), Err(PlanError::Frequencies));
}

#[test]
fn plans_that_cannot_be_are_refused() {
    assert_eq!(compare(1, Budget::Total(1.0), PRIOR), Err(PlanError::Features { got: 1 }));
    for epsilon in [0.0, -1.0, 101.0, f64::INFINITY] {
        assert_eq!(compare(4, Budget::Total(epsilon), PRIOR), Err(PlanError::Epsilon { got: epsilon }));
    }
    assert!(compare(4, Budget::Total(f64::NAN), PRIOR).is_err());
    let bad = [(0.0, 0.0), (0.3, 0.4), (0.9, 0.1), (f64::NAN, 0.1), (1.0, 0.5)];
    for (frequency, pair_frequency) in bad {
        assert_eq!(
            compare(4, Budget::Total(1.0), FrequencyPrior { frequency, pair_frequency }),
            Err(PlanError::Frequencies)
        );
    }
    assert!(matches!(compare(10_000, Budget::Total(1e-4), PRIOR), Err(PlanError::Channel(_))));
    assert!(compare_protocols(1, 1.0, 0.1).is_err() && compare_protocols(3, 1.0, 1.0).is_err());
}
