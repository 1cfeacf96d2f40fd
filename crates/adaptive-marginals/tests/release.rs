//! Releases: what they cost, what they choose, how close they come.

use adaptive_marginals::{
    AdaptivePlan, AdaptiveRelease, AdaptiveSpec, Error, Measurement, PlanLimits, Round, StructuralZero,
};
use privacy_core::accounting::Neighbours;
use privacy_core::param::Rho;
use privacy_core::table::TableSource;
use privacy_core::{AttrSet, CountSource, Domain, Provenance};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

/// Five attributes, 6,000 people: 0 and 1 are nearly equal, 2 and 3 depend on each other a little,
/// 4 on nothing.
fn people() -> TableSource {
    let domain = Domain::of_cardinalities(&[3, 3, 2, 4, 2]).unwrap();
    let cells = (0..3 * 3 * 2 * 4 * 2_u64).map(|cell| {
        let (e, d, c, b, a) = (cell % 2, cell / 2 % 4, cell / 8 % 2, cell / 16 % 3, cell / 48);
        let near = if a == b { 60 } else { 4 };
        let little = if c == d % 2 { 3 } else { 2 };
        near * little * (1 + e) / 2
    });
    TableSource::new(domain, cells.collect()).unwrap()
}

fn spec(rho: f64, neighbours: Neighbours) -> AdaptiveSpec {
    let workload = AttrSet::first(5).subsets_of_size(2).map(|pair| (pair, 1)).collect();
    AdaptiveSpec { rounds: Some(16), ..AdaptiveSpec::new(Rho::new(rho).unwrap(), neighbours, workload) }
}

fn release(spec: AdaptiveSpec, seed: u8) -> AdaptiveRelease {
    let table = people();
    let plan = AdaptivePlan::new(table.domain().clone(), spec, &PlanLimits::default()).unwrap();
    plan.release(&table, &mut ChaCha20Rng::from_seed([seed; 32])).unwrap()
}

/// Half the sum of differences to the exact pairs, as a mean of shares.
fn error(release: &AdaptiveRelease) -> f64 {
    let table = people();
    let pairs: Vec<AttrSet> = AttrSet::first(5).subsets_of_size(2).collect();
    let exact = table.marginals(&pairs).unwrap();
    let total = exact[0].total() as f64;
    let errors = pairs.iter().zip(&exact).map(|(&pair, exact)| {
        let have = release.model().marginal(pair, 1e6).unwrap();
        exact.cells().iter().zip(have).map(|(&a, b)| (a as f64 - b).abs()).sum::<f64>() / (2.0 * total)
    });
    errors.sum::<f64>() / pairs.len() as f64
}

#[test]
fn every_attribute_is_measured_first_and_the_strongest_pair_is_chosen_next() {
    for seed in 0..5 {
        let release = release(spec(20.0, Neighbours::AddRemove), seed);
        let rounds = release.rounds();
        for (attribute, round) in rounds[..5].iter().enumerate() {
            assert_eq!((round.set, round.epsilon), (AttrSet::single(attribute), None));
        }
        // Far above every other score at this budget.
        assert_eq!(rounds[5].set, AttrSet::first(2));
        assert!(error(&release) < 0.01, "{}", error(&release));
    }
}

#[test]
fn choices_and_noise_cost_at_most_the_budget() {
    for (neighbours, squares) in [(Neighbours::AddRemove, 1.0), (Neighbours::Replace, 2.0)] {
        for rho in [0.02, 0.7] {
            let release = release(spec(rho, neighbours), 3);
            let cost: f64 = release
                .rounds()
                .iter()
                .map(|round| {
                    squares / (2.0 * round.variance) + round.epsilon.map_or(0.0, |epsilon| epsilon * epsilon / 8.0)
                })
                .sum();
            assert!(cost <= rho && release.spent().get() <= rho && cost > 0.98 * rho, "{cost} of {rho}");
            assert!((release.spent().get() - cost).abs() < 1e-12 * rho);
        }
    }
}

/// Also where the first choice is the last round, and has more or less than a round of the middle.
#[test]
fn the_plan_states_the_epsilon_of_the_first_choice() {
    for rounds in [5, 6, 7, 9, 16, 40] {
        let spec = AdaptiveSpec { rounds: Some(rounds), ..spec(0.3, Neighbours::AddRemove) };
        let plan = AdaptivePlan::new(people().domain().clone(), spec.clone(), &PlanLimits::default()).unwrap();
        let release = release(spec, 4);
        let first = release.rounds().iter().find_map(|round| round.epsilon);
        assert_eq!(first, Some(plan.first_epsilon()), "{rounds} rounds");
    }
}

/// More of the budget, less error; and an adaptive release is better than its first tables alone.
#[test]
fn errors_fall_with_the_budget() {
    let mean = |rho| (0..4).map(|seed| error(&release(spec(rho, Neighbours::AddRemove), seed))).sum::<f64>() / 4.0;
    let (little, more, much) = (mean(0.001), mean(0.05), mean(5.0));
    assert!(little > 1.5 * more && more > 1.5 * much, "{little} {more} {much}");
}

#[test]
fn the_same_coins_give_the_same_release_of_whole_numbers() {
    let [one, other] = [0, 1].map(|_| release(spec(0.5, Neighbours::AddRemove), 9));
    assert_eq!(one.rounds(), other.rounds());
    assert_eq!(one.measurements(), other.measurements());
    assert_ne!(one.measurements(), release(spec(0.5, Neighbours::AddRemove), 10).measurements());
    for measurement in one.measurements() {
        let times = one.rounds().iter().filter(|round| round.set == measurement.set).count();
        assert!(times > 1 || measurement.values.iter().all(|value| value.fract() == 0.0), "{:?}", measurement.set);
    }
}

/// Rounds, noised tables, model and rows. The workload has more candidates than are scored at once.
fn released_on(threads: usize) -> (Vec<Round>, Vec<Measurement>, Vec<f64>, Vec<Vec<u32>>) {
    let workload = AttrSet::first(5).subsets_of_size(3).map(|triple| (triple, 1)).collect();
    let spec = AdaptiveSpec { workload, ..spec(0.5, Neighbours::AddRemove) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let release = release(spec, 12);
        let rows = release.model().rows(200, &mut ChaCha20Rng::from_seed([5; 32]));
        let columns = (0..5).map(|attribute| rows.column(attribute).to_vec()).collect();
        let model = release.model().marginal(AttrSet::first(5), 1e6).unwrap();
        (release.rounds().to_vec(), release.measurements().to_vec(), model, columns)
    })
}

#[test]
fn the_same_coins_give_the_same_release_at_any_number_of_threads() {
    let one = released_on(1);
    for threads in [2, 3, 8, 64] {
        assert!(released_on(threads) == one, "{threads} threads");
    }
}

/// A model that may not grow measures what fits, over and over.
#[test]
fn the_model_keeps_to_its_size() {
    let spec = AdaptiveSpec { model_cells: 18.5, ..spec(5.0, Neighbours::AddRemove) };
    let sizes = [3, 3, 2, 4, 2];
    for seed in 0..3 {
        let release = release(spec.clone(), seed);
        let cells = release.model().cliques().map(|clique| clique.iter().map(|at| sizes[at]).product::<usize>());
        assert!(cells.sum::<usize>() <= 18, "{:?}", release.rounds());
        assert!(release.rounds().len() > 5);
    }
}

/// Nobody has category 0 of attribute 0 with category 2 of attribute 1, or category 3 of attribute
/// 3 with category 1 of attribute 4.
fn zeros() -> Vec<StructuralZero> {
    let zero = |a: usize, b: usize, x: usize, y: usize| StructuralZero {
        set: AttrSet::single(a).with(b),
        categories: vec![x, y],
    };
    vec![zero(0, 1, 0, 2), zero(3, 4, 3, 1)]
}

#[test]
fn what_nobody_has_is_in_no_table_no_model_and_no_row() {
    let is_zero = |row: &[u32]| row[0] == 0 && row[1] == 2 || row[3] == 3 && row[4] == 1;
    let rows_of = |release: &AdaptiveRelease| {
        let mut coins = ChaCha20Rng::from_seed([3; 32]);
        let rows = release.model().rows(5_000, &mut coins);
        (0..rows.len()).filter(|&row| is_zero(&std::array::from_fn::<u32, 5, _>(|at| rows.column(at)[row]))).count()
    };
    for (seed, rho) in [(1, 0.01), (2, 0.5), (3, 20.0)] {
        let with_zeros = AdaptiveSpec { zeros: zeros(), ..spec(rho, Neighbours::AddRemove) };
        let release_of = release(with_zeros, seed);
        assert_eq!(rows_of(&release_of), 0);
        for StructuralZero { set, categories } in zeros() {
            let size = if set.contains(0) { 3 } else { 2 };
            let cell = categories[0] * size + categories[1];
            assert_eq!(release_of.model().marginal(set, 1e3).unwrap()[cell], 0.0);
            let measured = release_of.measurements().iter().find(|measured| measured.set == set);
            assert!(measured.is_none_or(|measured| measured.values[cell] == 0.0));
        }
        // The people have such rows: a job that does not exclude them gets them.
        assert!(rows_of(&release(spec(rho, Neighbours::AddRemove), seed)) > 0);
    }
}

#[test]
fn zeros_that_cannot_be_are_refused_before_anything_is_spent() {
    let refused = |zeros: Vec<StructuralZero>, model_cells: f64| {
        let spec = AdaptiveSpec { zeros, model_cells, ..spec(1.0, Neighbours::AddRemove) };
        AdaptivePlan::new(people().domain().clone(), spec, &PlanLimits::default()).unwrap_err()
    };
    let single = |category: usize| StructuralZero { set: AttrSet::single(2), categories: vec![category] };
    assert!(matches!(refused(vec![single(0), single(1)], 1e6), Error::Model(_)), "nobody is left");
    assert!(matches!(refused(vec![single(2)], 1e6), Error::Model(_)), "no such category");
    assert!(matches!(refused(zeros(), 15.0), Error::Setting { name: "model_cells", .. }));
}

#[test]
fn the_number_of_rows_is_public_where_rows_are_replaced() {
    let table = people();
    let total = table.marginals(&[AttrSet::EMPTY]).unwrap()[0].total() as f64;
    assert_eq!(release(spec(0.1, Neighbours::Replace), 2).model().total(), total);
    // Not where a person may have several rows: another person may have fewer of them.
    let several = AdaptiveSpec { rows_per_person: 2, ..spec(0.1, Neighbours::Replace) };
    assert_ne!(release(several, 2).model().total(), total);
    assert_ne!(release(spec(0.1, Neighbours::AddRemove), 2).model().total(), total);
}

#[test]
fn what_is_not_as_it_must_be_is_refused() {
    let domain = || people().domain().clone();
    let refused = |change: &dyn Fn(&mut AdaptiveSpec)| {
        let mut spec = spec(1.0, Neighbours::AddRemove);
        change(&mut spec);
        AdaptivePlan::new(domain(), spec, &PlanLimits::default()).unwrap_err()
    };
    for share in [0.0, 1.0, f64::NAN] {
        assert!(matches!(refused(&|spec| spec.noise_share = share), Error::Setting { name: "noise_share", .. }));
    }
    assert!(matches!(refused(&|spec| spec.rows_per_person = 0), Error::Setting { .. }));
    assert!(matches!(refused(&|spec| spec.rounds = Some(4)), Error::Setting { name: "rounds", .. }));
    assert!(matches!(refused(&|spec| spec.model_cells = f64::NAN), Error::Setting { .. }));
    assert!(matches!(refused(&|spec| spec.workload.clear()), Error::EmptyWorkload));
    let narrow = AdaptivePlan::new(domain(), spec(1.0, Neighbours::AddRemove), &PlanLimits { cells: 10.0 });
    assert!(matches!(narrow, Err(Error::TooManyCells { .. })));
    let learnt = domain().with_provenance(Provenance::LearntFromData);
    let learnt = AdaptivePlan::new(learnt, spec(1.0, Neighbours::AddRemove), &PlanLimits::default());
    assert!(matches!(learnt, Err(Error::DomainLearntFromData)));
    let other = TableSource::new(Domain::of_cardinalities(&[2]).unwrap(), vec![1, 2]).unwrap();
    let plan = AdaptivePlan::new(domain(), spec(1.0, Neighbours::AddRemove), &PlanLimits::default()).unwrap();
    let released = plan.release(&other, &mut ChaCha20Rng::from_seed([0; 32]));
    assert!(matches!(released, Err(Error::DomainMismatch)));
}
