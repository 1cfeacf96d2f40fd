//! Weights against the model that would hold everything, and rows against the weights.

use privacy_core::rng::SimRng;
use rand_core::Rng;
use synthetic_people::{AttrSet, Error, FitSpec, Measurement, Model, ModelSpec, Rows, StructuralZero, WeightedPeople};

const SIZES: [usize; 4] = [2, 3, 2, 3];
const EXACT: FitSpec = FitSpec { gap: 1e-8, most_steps: 400 };

fn set(attributes: &[usize]) -> AttrSet {
    attributes.iter().copied().collect()
}

fn rng(seed: u64) -> SimRng {
    SimRng::for_trial(seed, "weights", 0)
}

fn pairs() -> Vec<AttrSet> {
    AttrSet::first(4).subsets_of_size(2).collect()
}

fn sums(set: AttrSet, joint: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; set.iter().map(|attribute| SIZES[attribute]).product()];
    for (cell, value) in joint.iter().enumerate() {
        let digits = [cell / 18, cell / 6 % 3, cell / 3 % 2, cell % 3];
        sums[set.iter().fold(0, |code, a| code * SIZES[a] + digits[a])] += value;
    }
    sums
}

/// All pairs of people who depend on each other in every way.
fn measured(seed: u64) -> (f64, Vec<Measurement>) {
    let mut rng = rng(seed);
    let joint: Vec<f64> = (0..36).map(|_| (1 + rng.next_u64() % 97) as f64).collect();
    let cells = pairs().into_iter().map(|pair| Measurement::cells(pair, sums(pair, &joint), 1.0));
    (joint.iter().sum(), cells.collect())
}

fn spec(total: f64) -> ModelSpec {
    ModelSpec { fit: FitSpec { gap: 1e-9, most_steps: 20_000 }, ..ModelSpec::new(SIZES.to_vec(), total) }
}

/// A model of a chain: three of the six pairs.
fn chain(total: f64, measured: &[Measurement]) -> Model {
    let held = [set(&[0, 1]), set(&[1, 2]), set(&[2, 3])];
    let held: Vec<Measurement> = measured.iter().filter(|measured| held.contains(&measured.set)).cloned().collect();
    Model::fit(&spec(total), &held).unwrap()
}

/// Tilting the people of the chain by potentials of the other pairs gives nearly the distribution
/// of largest entropy with all pairs, which the junction tree finds as one table of everything.
fn weights_are_the_model(seed: u64) {
    let (total, measured) = measured(seed);
    let whole = Model::fit(&spec(total), &measured).unwrap();
    let chain = chain(total, &measured);
    let weighted = WeightedPeople::fit(&chain, 100_000, &measured, EXACT, &mut rng(1)).unwrap();
    let all = AttrSet::first(4);
    let (got, want) = (weighted.marginal(all, 1e3).unwrap(), whole.marginal(all, 1e3).unwrap());
    let off = |other: &[f64]| other.iter().zip(&want).map(|(a, b)| (a - b).abs()).sum::<f64>() / total;
    assert!(off(&got) < 0.02, "{}", off(&got));
    // The model that the people come from is not this one.
    assert!(off(&chain.marginal(all, 1e3).unwrap()) > 0.1);
    for measured in &measured {
        let got = weighted.marginal(measured.set, 1e3).unwrap();
        assert!(got.iter().zip(&measured.values).all(|(a, b)| (a - b).abs() < 0.05), "{:?}", measured.set);
    }
}

#[test]
fn weights_are_the_model_that_would_hold_everything() {
    weights_are_the_model(0);
}

#[test]
fn weights_of_other_people_are_their_model_too() {
    weights_are_the_model(1);
}

/// No weights of the same people are better than the loss less the gap, however early the fit
/// ended; without the gap, some are.
#[test]
fn the_gap_is_certified_for_these_people() {
    let (total, measured) = measured(5);
    let chain = chain(total, &measured);
    let loss_after = |most_steps| {
        let fit = FitSpec { gap: 1e-12, most_steps };
        WeightedPeople::fit(&chain, 5_000, &measured, fit, &mut rng(2)).unwrap().report()
    };
    let best = loss_after(2_000).loss;
    for steps in [0, 1, 3, 10, 40] {
        let report = loss_after(steps);
        assert!(report.loss - report.gap <= best + 1e-9, "{steps}: {report:?} {best}");
        assert!(report.loss > best, "{steps}");
    }
}

/// Rows have the tables of the weights to within a few rows a cell.
#[test]
fn rows_have_the_measured_tables_of_the_weights() {
    let (total, measured) = measured(8);
    let chain = chain(total, &measured);
    let weighted = WeightedPeople::fit(&chain, 20_000, &measured, EXACT, &mut rng(3)).unwrap();
    let rows = weighted.rows(6_000, &mut rng(4));
    assert_eq!(rows.len(), 6_000);
    let furthest = |set: AttrSet, scale: f64| {
        let (counts, want) = (rows.counts(&SIZES, set), weighted.marginal(set, 1e3).unwrap());
        let off = counts.iter().zip(&want).map(|(a, b)| (a - b * scale).abs());
        off.fold(0.0, f64::max)
    };
    for pair in pairs() {
        assert!(furthest(pair, 6_000.0 / total) < 3.0, "{pair:?}: {}", furthest(pair, 6_000.0 / total));
        // A table that is a twentieth off would be noticed.
        assert!(furthest(pair, 1.05 * 6_000.0 / total) > 20.0);
    }
    assert!(weighted.rows(0, &mut rng(4)).is_empty());
    // As many rows as people and more: everybody more than once.
    assert_eq!(weighted.rows(50_000, &mut rng(4)).len(), 50_000);
}

#[test]
fn nobody_has_a_structural_zero() {
    let (total, measured) = measured(9);
    let zeros = vec![StructuralZero { set: set(&[0, 3]), categories: vec![1, 2] }];
    let model = Model::fit(&ModelSpec { zeros, ..spec(total) }, &measured[..1]).unwrap();
    let weighted = WeightedPeople::fit(&model, 5_000, &measured, FitSpec::default(), &mut rng(1)).unwrap();
    assert_eq!(weighted.marginal(set(&[0, 3]), 10.0).unwrap()[5], 0.0);
    assert_eq!(weighted.rows(1_000, &mut rng(1)).counts(&SIZES, set(&[0, 3]))[5], 0.0);
}

/// People by the weights, measured again, have the noise of the measurement: no less than the
/// tables that were fitted, and no more than a few standard deviations.
#[test]
fn a_simulated_release_is_fitted_by_weights_of_the_same_people() {
    let (total, measured) = measured(10);
    let chain = chain(total, &measured);
    let weighted = WeightedPeople::fit(&chain, 20_000, &measured, EXACT, &mut rng(1)).unwrap();
    let again = weighted.replicate(EXACT, &measured, 1.0, &mut rng(2)).unwrap();
    assert_eq!(again.people.len() as f64, total.round());
    assert_eq!(again.model.people(), 20_000);
    for pair in pairs() {
        let (people, fitted) = (again.people.counts(&SIZES, pair), again.model.marginal(pair, 1e3).unwrap());
        let off = people.iter().zip(&fitted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off > 1e-3 && off < 10.0, "{pair:?}: {off}");
    }
}

/// The tables and rows of a model, of weights, and of what is measured and fitted again.
fn all_of(threads: usize, measured: &[Measurement], total: f64) -> (Vec<Vec<f64>>, Vec<Rows>) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let chain = chain(total, measured);
        let weighted = WeightedPeople::fit(&chain, 2_000, measured, FitSpec::default(), &mut rng(1)).unwrap();
        let of_model = chain.replicate(&spec(total), &measured[..3], 1.0, &mut rng(2)).unwrap();
        let of_weights = weighted.replicate(FitSpec::default(), measured, 1.0, &mut rng(3)).unwrap();
        let all = AttrSet::first(4);
        let models = [&chain, &of_model.model].map(|model| model.marginal(all, 1e3).unwrap());
        let weights = [&weighted, &of_weights.model].map(|people| people.marginal(all, 1e3).unwrap());
        let rows = vec![chain.rows(900, &mut rng(4)), weighted.rows(900, &mut rng(5)), of_model.people];
        ([models, weights].concat(), [rows, vec![of_weights.people]].concat())
    })
}

#[test]
fn a_seed_gives_the_same_models_weights_and_rows_at_any_number_of_threads() {
    let (total, measured) = measured(12);
    let one = all_of(1, &measured, total);
    for threads in [2, 3, 8, 64] {
        assert!(all_of(threads, &measured, total) == one, "{threads} threads");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let (total, measured) = measured(11);
    let chain = chain(total, &measured);
    let fit = |measured: &[Measurement]| WeightedPeople::fit(&chain, 100, measured, FitSpec::default(), &mut rng(1));
    let wrong = Measurement::cells(set(&[0, 1]), vec![1.0; 5], 1.0);
    assert!(matches!(fit(&[wrong]), Err(Error::BadMeasurement { .. })));
    let unknown = Measurement::cells(set(&[4]), vec![1.0; 2], 1.0);
    assert!(matches!(fit(&[unknown]), Err(Error::UnknownAttribute { .. })));
    let weighted = fit(&measured).unwrap();
    assert!(matches!(weighted.marginal(set(&[4]), 1e3), Err(Error::UnknownAttribute { .. })));
    assert!(matches!(weighted.marginal(AttrSet::first(4), 35.0), Err(Error::TooWide { .. })));
    assert_eq!(format!("{weighted:?}"), "WeightedPeople { people: 100, .. }");
}
