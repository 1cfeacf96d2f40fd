//! Refusals, laws and stability of the attack on labels.

use label_attack::{
    AttackLimits, Error, Evidence, FeatureTable, Features, LabelGuess, LabelProblem, LabelRelease, LabelSource,
    LabelView, LabelWorld, Population, Values, attack_labels, predict_labels, simulate_labels,
};
use privacy_core::rng::SimRng;
use privacy_core::stop::StopFlag;
use proptest::prelude::*;

fn limits() -> AttackLimits {
    AttackLimits { visits: 50_000, ..AttackLimits::default() }
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let uniform =
        |rows, cardinalities: &[u32], shares: &[f64]| Population::new(rows, Features::uniform(cardinalities), shares);
    assert!(matches!(uniform(0, &[2], &[1.0, 1.0]), Err(Error::Empty { rows: 0, columns: 1 })));
    assert!(matches!(uniform(5, &[], &[1.0, 1.0]), Err(Error::Empty { columns: 0, .. })));
    assert!(matches!(uniform(5, &[2; 129], &[1.0, 1.0]), Err(Error::TooManyColumns { columns: 129 })));
    assert!(matches!(uniform(5, &[2, 0], &[1.0, 1.0]), Err(Error::BadShares { .. })));
    assert!(matches!(uniform(5, &[2], &[1.0]), Err(Error::BadClasses { classes: 1 })));
    for bad in [[f64::NAN, 1.0], [-1.0, 2.0], [0.0, 0.0], [f64::INFINITY, 1.0]] {
        assert!(matches!(uniform(5, &[2], &bad), Err(Error::BadShares { .. })), "{bad:?}");
        let column = Features::Independent(vec![Values::Shares(bad.to_vec())]);
        assert!(matches!(Population::new(5, column, &[1.0, 1.0]), Err(Error::BadShares { .. })));
    }
    let crowded = Population::new(9, Features::Distinct(vec![2, 2, 2]), &[1.0, 1.0]);
    assert!(matches!(crowded, Err(Error::TooFewCombinations { rows: 9, combinations: 8 })));
    assert!(matches!(LabelRelease::new(1 << 40, 0), Err(Error::TooLarge { name: "suppress_below", .. })));
    assert!(matches!(LabelRelease::new(0, u64::MAX), Err(Error::TooLarge { name: "noise", .. })));
}

#[test]
fn tables_of_odd_shape_are_refused() {
    assert!(matches!(FeatureTable::new(vec![]), Err(Error::Empty { .. })));
    assert!(matches!(FeatureTable::new(vec![vec![1, 2], vec![1]]), Err(Error::Ragged { column: 1, got: 1, rows: 2 })));
    let features = FeatureTable::new(vec![vec![0, 1]]).unwrap();
    let of = |labels: Vec<u32>| LabelWorld::of_table(features.clone(), labels, &[1.0, 1.0]);
    assert!(matches!(of(vec![0]), Err(Error::Ragged { column: 1, .. })));
    assert!(matches!(of(vec![0, 2]), Err(Error::UnknownLabel { row: 1, classes: 2 })));
}

#[test]
fn releases_that_are_too_large_are_refused_before_memory_is_taken() {
    let population = Population::new(1000, Features::uniform(&[2; 100]), &[1.0, 1.0]).unwrap();
    let release = LabelRelease::new(3, 2).unwrap();
    let got = simulate_labels(&LabelSource::Population(population), &release, &limits(), 1, 1);
    assert!(matches!(got, Err(Error::TooManyEntries { .. })), "{got:?}");
    let population = Population::new(1 << 40, Features::uniform(&[2; 2]), &[1.0, 1.0]).unwrap();
    let got = simulate_labels(&LabelSource::Population(population.clone()), &release, &limits(), 1, 1);
    assert!(matches!(got, Err(Error::TooManyRows { .. })), "{got:?}");
    assert_eq!(simulate_labels(&LabelSource::Population(population), &release, &limits(), 0, 1), Err(Error::NoTrial));
}

/// A stopped call has no answer, at whichever look it is stopped; and there are many looks.
#[test]
fn a_set_flag_ends_every_stage_of_a_trial_at_its_next_look() {
    let population = Population::new(40, Features::uniform(&[3, 3, 2]), &[0.5, 0.3, 0.2]).unwrap();
    let (source, release) = (LabelSource::Population(population), LabelRelease::new(3, 1).unwrap());
    let trial = |stop: &StopFlag| {
        let limits = AttackLimits { visits: 20_000, iterations: 20, sweeps: 4, stop: stop.clone(), ..limits() };
        simulate_labels(&source, &release, &limits, 1, 5)
    };
    let whole = StopFlag::set_after(u64::MAX);
    trial(&whole).unwrap();
    let looks = whole.looks();
    assert!(looks > 5_000, "{looks} looks");
    for after in (0..looks).step_by(97).chain([looks - 1]) {
        let stop = StopFlag::set_after(after);
        assert_eq!(trial(&stop), Err(Error::Stopped), "stopped at look {after} of {looks}");
        assert!(stop.looks() < after + 1_000, "{} looks after it was set", stop.looks() - after);
    }
}

/// The longest stages are of least squares: their looks grow with the memberships that they visit.
#[test]
fn looks_at_the_flag_grow_with_the_work() {
    let looks = |rows: usize| {
        let population = Population::new(rows, Features::uniform(&[50, 50, 50]), &[1.0, 1.0]).unwrap();
        let stop = StopFlag::set_after(u64::MAX);
        let limits = AttackLimits { visits: 4 * rows as u64, sweep_cost: 0, proofs: 0, stop: stop.clone(), ..limits() };
        let release = LabelRelease::new(3, 1).unwrap();
        simulate_labels(&LabelSource::Population(population), &release, &limits, 1, 5).unwrap();
        stop.looks()
    };
    let (small, large) = (looks(400), looks(1_600));
    assert!(large > 2 * small, "{small} looks for 400 rows, {large} for 1600");
}

#[test]
fn a_seed_gives_the_same_trials_at_any_number_of_threads() {
    let population = Population::new(60, Features::uniform(&[3, 3, 2]), &[0.5, 0.3, 0.2]).unwrap();
    let (source, release) = (LabelSource::Population(population), LabelRelease::new(3, 1).unwrap());
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| simulate_labels(&source, &release, &limits(), 5, 9).unwrap())
    };
    let one = with(1);
    assert!(one == with(3) && one == with(64));
    assert_ne!(one, simulate_labels(&source, &release, &limits(), 5, 10).unwrap());
}

#[test]
fn debug_shows_no_label() {
    let features = FeatureTable::new(vec![vec![7, 7, 7]]).unwrap();
    let world = LabelWorld::of_table(features, vec![1, 0, 1], &[1.0, 1.0]).unwrap();
    assert_eq!(format!("{world:?}"), "LabelWorld { rows: 3, .. }");
}

#[test]
fn a_release_of_nothing_leaves_the_blind_guess() {
    let population = Population::new(40, Features::uniform(&[4, 4]), &[0.7, 0.2, 0.1]).unwrap();
    let mut rng = SimRng::for_trial(1, "nothing", 0);
    let world = LabelWorld::draw(&population, &mut rng);
    let view = LabelView::of(&world, &LabelRelease::new(1000, 0).unwrap(), &limits(), &mut rng).unwrap();
    assert_eq!(view.released(), 0);
    let attack = attack_labels(&view, Evidence::Released, &limits(), &mut rng).unwrap();
    assert_eq!(attack.guess.labels, LabelGuess::blind(40, &[0.7, 0.2, 0.1]).labels);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_truth_meets_every_interval_and_no_guess_beats_the_ceiling(
        seed in any::<u64>(),
        rows in 1_usize..60,
        cardinalities in prop::collection::vec(1_u32..5, 1..5),
        classes in 2_usize..5,
        threshold in 0_u64..8,
        noise in 0_u64..6,
        clamp: bool,
        group: bool,
        total: bool,
    ) {
        let mut rng = SimRng::for_trial(seed, "property", 0);
        let population = Population::new(rows, Features::uniform(&cardinalities), &vec![1.0; classes]).unwrap();
        let world = LabelWorld::draw(&population, &mut rng);
        let mut release = LabelRelease::new(threshold, noise).unwrap();
        (release.clamp_at_zero, release.with_total) = (clamp, total);
        if group {
            release.suppression = label_attack::Suppression::GroupSize;
        }
        let view = LabelView::of(&world, &release, &limits(), &mut rng).unwrap();
        for evidence in [Evidence::Released, Evidence::WithSuppressed] {
            let problem = LabelProblem::of(&view, evidence);
            prop_assert_eq!(problem.violation(world.labels()), 0);
            let attack = attack_labels(&view, evidence, &limits(), &mut rng).unwrap();
            for (method, guess) in &attack.members {
                prop_assert_eq!(guess.labels.len(), rows);
                prop_assert!(guess.confidence.iter().all(|share| (0.0..=1.0).contains(share)), "{:?}", method);
                prop_assert!(world.accuracy(&guess.labels) <= world.ceiling() + 1e-12, "{:?}", method);
            }
            prop_assert!(world.blind_accuracy() <= world.ceiling() + 1e-12);
        }
    }
}

/// Sets a flag after a moment, in another thread.
fn set_soon(flag: &StopFlag) -> std::thread::JoinHandle<()> {
    let flag = flag.clone();
    std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        flag.set();
    })
}

#[test]
fn a_set_flag_ends_an_attack_of_days() {
    let population = Population::new(100, Features::uniform(&[3, 3, 4]), &[0.6, 0.4]).unwrap();
    let (source, release) = (LabelSource::Population(population), LabelRelease::new(3, 1).unwrap());
    let stop = StopFlag::new();
    // Without the flag, the walk over solutions alone would visit 2^58 memberships.
    let limits = AttackLimits { visits: 1 << 60, stop: stop.clone(), ..limits() };
    let setter = set_soon(&stop);
    assert_eq!(simulate_labels(&source, &release, &limits, 1, 1), Err(Error::Stopped));
    setter.join().unwrap();
    let at_once = AttackLimits { stop, ..self::limits() };
    assert_eq!(simulate_labels(&source, &release, &at_once, 1, 1), Err(Error::Stopped), "it stays set");
    assert!(simulate_labels(&source, &release, &self::limits(), 1, 1).is_ok(), "another flag");
}

/// Labels that are the exclusive or of two columns, 20 rows of each kind: state evolution would say
/// guessing, and released counts say nearly everything.
#[test]
fn the_prediction_for_a_table_uses_what_its_labels_owe_to_the_known_columns() {
    let (a, b): (Vec<u32>, Vec<u32>) = (0..80).map(|row| (row / 40, row / 20 % 2)).unzip();
    let of = |labels: Vec<u32>| {
        let features = FeatureTable::new(vec![a.clone(), b.clone()]).unwrap();
        let world = LabelWorld::of_table(features, labels, &[0.5, 0.5]).unwrap();
        let release = LabelRelease::new(3, 2).unwrap();
        predict_labels(world, &release, &AttackLimits::quick(), 1).unwrap().unwrap()
    };
    let accuracy = |found: &[label_attack::LabelTrial], evidence| {
        found.iter().map(|trial| trial.strongest_with(evidence).0).sum::<f64>() / found.len() as f64
    };
    let xor = of(a.iter().zip(&b).map(|(a, b)| a ^ b).collect());
    assert_eq!((xor.trials.len(), xor.tables, xor.all_tables), (8, 4, 4));
    assert_eq!(accuracy(&xor.trials, Evidence::WithSuppressed), 1.0);
    // Every other row: nothing is owed, and nobody does better than the ceiling of a half.
    let independent = of((0..80).map(|row| row % 2).collect());
    assert!((accuracy(&independent.trials, Evidence::WithSuppressed) - 0.5).abs() < 1e-12);
    let released = accuracy(&xor.trials, Evidence::Released);
    assert!(released <= 1.0 && released > 0.9, "{released}");
}
