//! Bounds on the errors of answers: how often they fail, and what is refused.

use adaptive_marginals::{
    AdaptivePlan, AdaptiveRelease, AdaptiveSpec, BoundBasis, Error, JointConfidence, PlanLimits, StructuralZero,
};
use privacy_core::accounting::Neighbours;
use privacy_core::param::Rho;
use privacy_core::rng::SimRng;
use privacy_core::table::TableSource;
use privacy_core::{AttrSet, CountSource, Domain};
use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use testkit::tails::binomial_p_value;

const SIZES: [usize; 4] = [3, 3, 2, 4];

/// 2,160 people: the first two attributes are nearly equal, the others depend on each other a
/// little. Nobody has category 0 of the first with category 2 of the second.
fn people() -> TableSource {
    let cells = (0..SIZES.iter().product::<usize>() as u64).map(|cell| {
        let (d, c, b, a) = (cell % 4, cell / 4 % 2, cell / 8 % 3, cell / 24);
        let near = if a == b { 60 } else { 6 };
        if (a, b) == (0, 2) { 0 } else { near * (2 + u64::from(c == d % 2)) / 2 }
    });
    TableSource::new(Domain::of_cardinalities(&SIZES).unwrap(), cells.collect()).unwrap()
}

fn candidates() -> impl Iterator<Item = AttrSet> {
    (1..=3).flat_map(|size| AttrSet::first(4).subsets_of_size(size))
}

fn spec(rho: f64, neighbours: Neighbours) -> AdaptiveSpec {
    let workload = AttrSet::first(4).subsets_of_size(3).map(|set| (set, 1)).collect();
    AdaptiveSpec { rounds: Some(12), ..AdaptiveSpec::new(Rho::new(rho).unwrap(), neighbours, workload) }
}

fn release(spec: AdaptiveSpec, seed: u64) -> AdaptiveRelease {
    let table = people();
    let plan = AdaptivePlan::new(table.domain().clone(), spec, &PlanLimits::default()).unwrap();
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    plan.release(&table, &mut ChaCha20Rng::from_seed(bytes)).unwrap()
}

fn confidence(probability: f64) -> JointConfidence {
    JointConfidence::new(probability).unwrap()
}

fn distance(set: AttrSet, answer: &[f64]) -> f64 {
    let exact = &people().marginals(&[set]).unwrap()[0];
    exact.cells().iter().zip(answer).map(|(&a, b)| (a as f64 - b).abs()).sum()
}

/// Whether an error of any candidate is above `margin` times its bound.
fn is_any_beyond(release: &AdaptiveRelease, probability: f64, margin: f64) -> bool {
    let bounds = release.error_bounds(confidence(probability));
    candidates().any(|set| {
        let answer = release.model().marginal(set, 1e6).unwrap();
        distance(set, &answer) > margin * bounds.of_model(set).unwrap().l1
    })
}

const SEEDS: u64 = 240;

/// At an error rate of 1e-9: the share of releases with any error beyond its bound is not above
/// what is stated; with a quarter of the bounds it is.
#[test]
fn all_bounds_hold_together_as_often_as_stated_and_a_quarter_of_them_does_not() {
    let is_rejected = |beyond: u64| 2 * beyond > SEEDS && binomial_p_value(SEEDS, 0.5, beyond) < 1e-9;
    for (rho, neighbours) in [(0.02, Neighbours::AddRemove), (0.2, Neighbours::Replace)] {
        let (mut beyond, mut beyond_quarter) = (0, 0);
        for seed in 0..SEEDS {
            let release = release(spec(rho, neighbours), seed);
            beyond += u64::from(is_any_beyond(&release, 0.5, 1.0));
            beyond_quarter += u64::from(is_any_beyond(&release, 0.5, 0.25));
        }
        assert!(!is_rejected(beyond), "{beyond} of {SEEDS}");
        assert!(is_rejected(beyond_quarter), "{beyond_quarter} of {SEEDS}");
    }
}

/// All three kinds occur, and people are within their bounds.
#[test]
fn what_was_not_measured_is_bounded_by_choices_or_by_people() {
    let (mut kinds, mut chosen) = ([0; 3], 0);
    for seed in 0..20 {
        // With the smaller budget (A7) is above the number of people.
        let rho = if seed % 2 == 0 { 0.02 } else { 2e-4 };
        let release = release(spec(rho, Neighbours::AddRemove), seed);
        let bounds = release.error_bounds(confidence(0.95));
        for set in candidates() {
            let is_measured = release.measurements().iter().any(|measured| set.is_subset_of(measured.set));
            match bounds.of_model(set).unwrap().basis {
                BoundBasis::Measured => {
                    assert!(is_measured);
                    kinds[0] += 1;
                }
                BoundBasis::Choice { round } => {
                    assert!(!is_measured && release.rounds()[round].epsilon.is_some());
                    kinds[1] += 1;
                    // The last choice of all is that of every candidate with room.
                    chosen += usize::from(round + 1 == release.rounds().len());
                }
                _ => kinds[2] += 1,
            }
        }
        let (least, most) = bounds.people();
        let total = people().marginals(&[AttrSet::EMPTY]).unwrap()[0].total() as f64;
        assert!(least < total && total < most && (rho < 0.01 || most - least < 0.5 * total), "{least} {most}");
    }
    assert!(kinds.iter().all(|&kind| kind > 0) && chosen > 0, "{kinds:?}");
}

#[test]
fn bounds_keep_to_structural_zeros_and_public_totals() {
    let zeros = vec![StructuralZero { set: AttrSet::first(2), categories: vec![0, 2] }];
    for (seed, rho) in [(1, 0.02), (2, 1.0), (3, 20.0)] {
        let with_zeros = AdaptiveSpec { zeros: zeros.clone(), ..spec(rho, Neighbours::Replace) };
        let release = release(with_zeros, seed);
        assert!(!is_any_beyond(&release, 0.999, 1.0));
        let total = release.model().total();
        assert_eq!(release.error_bounds(confidence(0.9)).people(), (total, total));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// More confidence and answers that are further away have larger bounds; and two answers have
    /// bounds that differ by no more than the answers.
    #[test]
    fn bounds_move_with_confidence_and_no_further_than_answers(
        seed in any::<u64>(), rho in 1e-3..3.0_f64, less in 0.5..0.9_f64, more in 0.9..0.999_999_f64,
    ) {
        let release = release(spec(rho, Neighbours::AddRemove), seed);
        let (less, more) = (release.error_bounds(confidence(less)), release.error_bounds(confidence(more)));
        let rows = release.model().rows(2000, &mut SimRng::for_trial(seed, "bounds", 0));
        for set in candidates() {
            let (model, rows) = (release.model().marginal(set, 1e6).unwrap(), rows.counts(&SIZES, set));
            let apart: f64 = model.iter().zip(&rows).map(|(a, b)| (a - b).abs()).sum();
            let (of_model, of_rows) = (less.of_model(set).unwrap().l1, less.of_answer(set, &rows).unwrap().l1);
            prop_assert!((of_model - of_rows).abs() <= apart * (1.0 + 1e-6) + 1e-6);
            prop_assert!(of_model <= more.of_model(set).unwrap().l1);
        }
    }
}

#[test]
fn what_bounds_cannot_be_about_is_refused() {
    for probability in [0.49, 1.0, f64::NAN, -1.0] {
        let refused = JointConfidence::new(probability);
        assert!(matches!(refused, Err(Error::Setting { name: "confidence", .. })), "{probability}");
    }
    let release = release(spec(0.1, Neighbours::AddRemove), 1);
    let bounds = release.error_bounds(confidence(0.5));
    assert_eq!(bounds.confidence().get(), 0.5);
    for set in [AttrSet::first(4), AttrSet::single(9), AttrSet::EMPTY] {
        assert!(matches!(bounds.of_model(set), Err(Error::NotACandidate { .. })), "{set:?}");
    }
    for answer in [&[1.0, 2.0][..], &[1.0, f64::NAN, 0.0], &[1.0, 2.0, f64::INFINITY]] {
        assert!(matches!(bounds.of_answer(AttrSet::single(0), answer), Err(Error::WrongAnswer { .. })));
    }
}
