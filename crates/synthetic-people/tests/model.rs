//! The model against the definition on small domains, and the rows against the model.

use privacy_core::rng::SimRng;
use proptest::prelude::*;
use rand_core::Rng;
use synthetic_people::{Along, AttrSet, Error, FitSpec, Measurement, Model, ModelSpec, StructuralZero};

fn set(attributes: &[usize]) -> AttrSet {
    attributes.iter().copied().collect()
}

fn spec(sizes: &[usize], total: f64) -> ModelSpec {
    let fit = FitSpec { gap: 1e-9, most_steps: 20_000 };
    ModelSpec { fit, ..ModelSpec::new(sizes.to_vec(), total) }
}

/// The cell of a set that a cell of the whole domain belongs to.
fn place(sizes: &[usize], set: AttrSet, cell: usize) -> usize {
    let mut digits = vec![0; sizes.len()];
    let mut rest = cell;
    for attribute in (0..sizes.len()).rev() {
        digits[attribute] = rest % sizes[attribute];
        rest /= sizes[attribute];
    }
    set.iter().fold(0, |code, attribute| code * sizes[attribute] + digits[attribute])
}

fn sums(sizes: &[usize], set: AttrSet, joint: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; set.iter().map(|attribute| sizes[attribute]).product()];
    joint.iter().enumerate().for_each(|(cell, value)| sums[place(sizes, set, cell)] += value);
    sums
}

/// Largest entropy with these marginals, over the whole domain: by proportional fitting until
/// nothing moves, of which Csiszar (1975) proves that it ends there.
fn brute_force(sizes: &[usize], sets: &[AttrSet], truth: &[f64]) -> Vec<f64> {
    let cells = truth.len();
    let mut joint = vec![truth.iter().sum::<f64>() / cells as f64; cells];
    for _ in 0..20_000 {
        for &set in sets {
            let (have, want) = (sums(sizes, set, &joint), sums(sizes, set, truth));
            joint.iter_mut().enumerate().for_each(|(cell, value)| {
                let at = place(sizes, set, cell);
                *value *= if have[at] > 0.0 { want[at] / have[at] } else { 0.0 };
            });
        }
    }
    joint
}

fn people(sizes: &[usize], seed: u64) -> Vec<f64> {
    let mut rng = SimRng::for_trial(seed, "people", 0);
    (0..sizes.iter().product()).map(|_| (1 + rng.next_u64() % 97) as f64).collect()
}

#[test]
fn without_noise_the_model_is_that_of_largest_entropy() {
    let chain = (vec![3, 2, 4], vec![set(&[0, 1]), set(&[1, 2])]);
    let triangle = (vec![2, 3, 2], vec![set(&[0, 1]), set(&[1, 2]), set(&[0, 2])]);
    let cycle = (vec![2, 2, 3, 2], vec![set(&[0, 1]), set(&[1, 2]), set(&[2, 3]), set(&[0, 3])]);
    let islands = (vec![2, 3, 2, 1, 3], vec![set(&[0, 1]), set(&[2, 3])]);
    for (number, (sizes, sets)) in (0..).zip([chain, triangle, cycle, islands]) {
        let truth = people(&sizes, number);
        let total: f64 = truth.iter().sum();
        let measured: Vec<Measurement> =
            sets.iter().map(|&set| Measurement::cells(set, sums(&sizes, set, &truth), 1.0)).collect();
        let model = Model::fit(&spec(&sizes, total), &measured).unwrap();
        let want = brute_force(&sizes, &sets, &truth);
        let got = model.marginal(AttrSet::first(sizes.len()), 1e6).unwrap();
        for (got, want) in got.iter().zip(&want) {
            assert!((got - want).abs() < 1e-3 * total / want.max(1.0), "{sizes:?}: {got} for {want}");
        }
    }
}

/// The least squares of a table alone are its own cells, moved to the total: with one total the
/// difference is shared evenly.
#[test]
fn a_single_table_is_moved_to_the_total_and_no_further() {
    let measured = [Measurement::cells(set(&[0, 1]), vec![40.0, 30.0, 20.0, 16.0], 2.0)];
    let model = Model::fit(&spec(&[2, 2], 100.0), &measured).unwrap();
    let got = model.marginal(set(&[0, 1]), 10.0).unwrap();
    for (got, want) in got.iter().zip([38.5, 28.5, 18.5, 14.5]) {
        assert!((got - want).abs() < 1e-3, "{got} for {want}");
    }
    assert!((model.report().loss - 0.5 * 4.0 * 2.25 / 2.0).abs() < 1e-5, "{:?}", model.report());
}

/// A fit that begins elsewhere, over another tree, ends where the fit from the start ends.
#[test]
fn a_fit_from_another_model_is_the_same_fit() {
    let sizes = [3, 2, 4, 2];
    let truth = people(&sizes, 11);
    let total: f64 = truth.iter().sum();
    let cells = |attributes: &[usize]| Measurement::cells(set(attributes), sums(&sizes, set(attributes), &truth), 4.0);
    let few = [cells(&[0, 1]), cells(&[1, 2])];
    let all = [cells(&[0, 1]), cells(&[1, 2]), cells(&[0, 2]), cells(&[3])];
    let spec = spec(&sizes, total);
    let start = Model::fit(&spec, &few).unwrap();
    let (warm, cold) = (start.fit_from(&spec, &all).unwrap(), Model::fit(&spec, &all).unwrap());
    let whole = AttrSet::first(4);
    let pairs = warm.marginal(whole, 1e3).unwrap().into_iter().zip(cold.marginal(whole, 1e3).unwrap());
    for (warm, cold) in pairs {
        assert!((warm - cold).abs() < 0.02, "{warm} {cold}");
    }
}

/// Negative counts are projected onto what people can have; the certificate is checked against
/// the projection that is known in closed form.
#[test]
fn negative_counts_become_zero_and_the_gap_is_certified() {
    let measured = [Measurement::cells(set(&[0]), vec![-20.0, 60.0, 40.0, 20.0], 1.0)];
    let loose = FitSpec { gap: 0.05, most_steps: 5 };
    // Onto the simplex of sum 100: 0, then 120 - 100 shared by three.
    let least = 0.5 * (400.0 + 3.0 * (20.0_f64 / 3.0).powi(2));
    for fit in [loose, spec(&[4], 100.0).fit] {
        let model = Model::fit(&ModelSpec { fit, ..spec(&[4], 100.0) }, &measured).unwrap();
        let report = model.report();
        assert!(report.loss >= least - 1e-9 && report.loss - report.gap <= least + 1e-9, "{report:?} {least}");
    }
    let model = Model::fit(&spec(&[4], 100.0), &measured).unwrap();
    let got = model.marginal(set(&[0]), 10.0).unwrap();
    assert!(got[0] < 0.05 && (got[1] - 53.333).abs() < 0.1, "{got:?}");
}

/// A residual and its total say what the cells say.
#[test]
fn residuals_and_queries_are_fitted_as_the_cells_they_come_from() {
    let sizes = [3, 2];
    let truth = people(&sizes, 9);
    let total: f64 = truth.iter().sum();
    let whole = |along: [Along; 2], values: Vec<f64>| Measurement {
        set: set(&[0, 1]),
        along: along.to_vec(),
        values,
        variance: 1.0,
    };
    // Prefix sums along the first attribute, orthonormal contrast along the second.
    let prefix = vec![1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0];
    let mut answers = Vec::new();
    for upto in 0..3 {
        for category in 0..2 {
            answers.push((0..=upto).map(|row| truth[row * 2 + category]).sum());
        }
    }
    let model = Model::fit(&spec(&sizes, total), &[whole([Along::Queries(prefix), Along::Cells], answers)]).unwrap();
    let got = model.marginal(set(&[0, 1]), 10.0).unwrap();
    assert!(got.iter().zip(&truth).all(|(a, b)| (a - b).abs() < 0.05), "{got:?} {truth:?}");
    let one = Measurement::centred(set(&[0]), vec![3.0, -1.0, -2.0], 1.0);
    let model = Model::fit(&spec(&sizes, 60.0), &[one]).unwrap();
    let got = model.marginal(set(&[0]), 10.0).unwrap();
    assert!(got.iter().zip([23.0, 19.0, 18.0]).all(|(a, b)| (a - b).abs() < 1e-3), "{got:?}");
}

#[test]
fn structural_zeros_have_no_probability_and_no_row() {
    let sizes = [2, 3, 2];
    let truth = people(&sizes, 4);
    let total: f64 = truth.iter().sum();
    let measured = [Measurement::cells(set(&[0, 1]), sums(&sizes, set(&[0, 1]), &truth), 4.0)];
    let zeros = vec![
        StructuralZero { set: set(&[0, 1]), categories: vec![1, 2] },
        StructuralZero { set: set(&[1, 2]), categories: vec![0, 1] },
    ];
    let model = Model::fit(&ModelSpec { zeros, ..spec(&sizes, total) }, &measured).unwrap();
    let table = model.marginal(set(&[0, 1, 2]), 100.0).unwrap();
    let rows = model.rows(5_000, &mut SimRng::for_trial(1, "zeros", 0)).counts(&sizes, set(&[0, 1, 2]));
    for cell in 0..12 {
        let is_zero = place(&sizes, set(&[0, 1]), cell) == 5 || place(&sizes, set(&[1, 2]), cell) == 1;
        assert_eq!(table[cell] == 0.0, is_zero, "{cell}");
        assert!(!is_zero || rows[cell] == 0.0);
    }
    let all = (0..2).map(|category| StructuralZero { set: set(&[0]), categories: vec![category] }).collect();
    assert_eq!(
        Model::fit(&ModelSpec { zeros: all, ..spec(&sizes, total) }, &measured).unwrap_err(),
        Error::NothingPossible
    );
}

#[test]
fn rows_have_the_tables_of_the_model_and_independence_where_it_has() {
    let sizes = [4, 3, 5, 2];
    let truth = people(&sizes, 7);
    let total: f64 = truth.iter().sum();
    let sets = [set(&[0, 1]), set(&[1, 2]), set(&[2, 3])];
    let measured: Vec<Measurement> =
        sets.iter().map(|&set| Measurement::cells(set, sums(&sizes, set, &truth), 1.0)).collect();
    let model = Model::fit(&spec(&sizes, total), &measured).unwrap();
    let rows = model.rows(100_000, &mut SimRng::for_trial(3, "rows", 0));
    let compare = |set: AttrSet| -> f64 {
        let (have, want) = (rows.counts(&sizes, set), model.marginal(set, 1e6).unwrap());
        have.iter().zip(want).map(|(have, want)| (have - want * 1e5 / total).abs()).fold(0.0, f64::max)
    };
    // The root within one row a cell, the others within a few; independent draws of some 10,000
    // rows a cell would be 100 off.
    for set in sets {
        assert!(compare(set) < 12.0, "{set:?}: {}", compare(set));
    }
    // What no table holds is independent given what tables share: some 2,000 rows a cell, with a
    // standard deviation below 45.
    assert!(compare(set(&[0, 3])) < 400.0 && compare(set(&[0, 1, 2, 3])) < 300.0);
}

#[test]
fn cliques_that_are_too_wide_are_named_and_other_requests_refused() {
    let pairs: Vec<Measurement> =
        AttrSet::first(4).subsets_of_size(2).map(|set| Measurement::cells(set, vec![1.0; 100], 1.0)).collect();
    let refused = Model::fit(&ModelSpec { most_cells: 5e3, ..spec(&[10; 4], 100.0) }, &pairs);
    let clique = AttrSet::first(4);
    assert_eq!(refused.unwrap_err(), Error::TooWide { clique, cells: 1e4, limit: 5e3 });
    for total in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Model::fit(&spec(&[10; 4], total), &[]), Err(Error::BadTotal { .. })));
    }
    let model = Model::fit(&spec(&[10; 4], 100.0), &[]).unwrap();
    assert!(model.marginal(set(&[0, 3]), 1e3).unwrap().iter().all(|cell| (cell - 1.0).abs() < 1e-12));
    assert!(matches!(model.marginal(set(&[4]), 1e3), Err(Error::UnknownAttribute { .. })));
    assert!(matches!(model.marginal(clique, 1e3), Err(Error::TooWide { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Where the measured tables agree, are positive and have the total, the model's marginals are
    /// theirs.
    #[test]
    fn marginals_of_the_model_are_the_measured_ones(
        sizes in prop::collection::vec(1_usize..4, 2..5),
        masks in prop::collection::vec(1_u128..32, 1..5),
        seed in 0_u64..1000,
    ) {
        let all = AttrSet::first(sizes.len());
        let sets: Vec<AttrSet> = masks.into_iter().map(|mask| AttrSet::from_bits(mask).intersection(all)).collect();
        let truth = people(&sizes, seed);
        let total: f64 = truth.iter().sum();
        let measured: Vec<Measurement> =
            sets.iter().map(|&set| Measurement::cells(set, sums(&sizes, set, &truth), 1.0)).collect();
        let model = Model::fit(&spec(&sizes, total), &measured).unwrap();
        for &set in &sets {
            let got = model.marginal(set, 1e6).unwrap();
            for (got, want) in got.iter().zip(sums(&sizes, set, &truth)) {
                prop_assert!((got - want).abs() < 0.02 + 1e-4 * want, "{got} for {want}");
            }
        }
    }
}
