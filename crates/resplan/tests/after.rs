//! After the noise: what adjusted and rounded tables promise.

use ndarray::{ArrayD, Axis, LinalgScalar};
use privacy_core::accounting::PrivacyCost;
use privacy_core::table::TableSource;
use privacy_core::{AttrSet, CountSource, Domain};
use proptest::prelude::*;
use resplan::{
    Adjusted, Error, Measured, Neighbours, NonnegativeSpec, Plan, PlanLimits, PlanSpec, PostProcessing, QueryBasis,
    SimulatedNoise, Workload,
};

/// A table most of whose cells are empty: counts fall with the product of the codes.
fn sparse(sizes: &[usize], scale: f64) -> TableSource {
    let domain = Domain::of_cardinalities(sizes).unwrap();
    let count = |mut cell: usize| {
        let mut product = 1.0;
        for &size in sizes.iter().rev() {
            product *= ((cell % size) as f64 + 1.0).powi(2);
            cell /= size;
        }
        (scale / product) as u64
    };
    TableSource::new(domain, (0..sizes.iter().product()).map(count).collect()).unwrap()
}

fn simulated(
    source: &TableSource,
    bases: Vec<QueryBasis>,
    workload: Workload,
    neighbours: Neighbours,
    trial: u64,
) -> Measured<SimulatedNoise> {
    let spec = PlanSpec {
        bases,
        neighbours,
        ..PlanSpec::new(source.domain().clone(), workload, PrivacyCost::new(0.5).unwrap())
    };
    Plan::new(spec, &PlanLimits::default()).unwrap().simulate(source, 11, trial).unwrap()
}

fn adjusted<Origin>(measured: &Measured<Origin>) -> Adjusted<'_, Origin> {
    measured.nonnegative(NonnegativeSpec::default()).unwrap()
}

/// A table summed over the attributes of `from` that are not in `set`.
fn summed<T: LinalgScalar>(cells: ArrayD<T>, from: AttrSet, set: AttrSet) -> ArrayD<T> {
    let dropped: Vec<usize> = from.minus(set).iter().filter_map(|a| from.axis_of(a)).collect();
    dropped.iter().rev().fold(cells, |cells, &axis| cells.sum_axis(Axis(axis)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn adjusted_tables_are_non_negative_and_add_up_to_each_other(
        sizes in proptest::collection::vec(1_usize..6, 1..5), kinds in proptest::collection::vec(0_usize..3, 5),
        order in 1_usize..4, scale in 0.0_f64..300.0, replace: bool, trial in 0_u64..1000,
    ) {
        let source = sparse(&sizes, scale);
        let bases = kinds[..sizes.len()].iter().map(|&kind| [QueryBasis::Identity, QueryBasis::Prefix, QueryBasis::Range][kind].clone());
        let neighbours = if replace { Neighbours::Replace } else { Neighbours::AddRemove };
        let measured = simulated(&source, bases.collect(), Workload::UpTo(order), neighbours, trial);
        let adjusted = adjusted(&measured);
        let total = adjusted.cells(AttrSet::EMPTY).unwrap().sum();
        prop_assert_eq!(total, measured.cells(AttrSet::EMPTY).unwrap().sum().max(0.0), "the total is kept");
        for planned in measured.design().marginals() {
            let cells = adjusted.cells(planned.attributes).unwrap();
            prop_assert!(cells.iter().all(|&cell| cell >= 0.0));
            for set in planned.attributes.subsets() {
                let (sums, direct) = (summed(cells.clone(), planned.attributes, set), adjusted.cells(set).unwrap());
                for (sum, cell) in sums.iter().zip(&direct) {
                    prop_assert!((sum - cell).abs() <= 1e-9 * total, "{} of {}", (sum - cell).abs(), total);
                }
            }
        }
    }

    #[test]
    fn rounded_tables_are_whole_and_keep_their_sums(
        sizes in proptest::collection::vec(1_usize..7, 2..5), scale in 0.0_f64..300.0, trial in 0_u64..1000, unbiased: bool,
    ) {
        let source = sparse(&sizes, scale);
        let bases = vec![QueryBasis::Identity; sizes.len()];
        let measured = simulated(&source, bases, Workload::UpTo(3), Neighbours::AddRemove, trial);
        let adjusted = adjusted(&measured);
        let rounded = |set| if unbiased { measured.rounded(set) } else { adjusted.rounded(set) }.unwrap();
        let cells = |set| if unbiased { measured.cells(set) } else { adjusted.cells(set) }.unwrap();
        let total = rounded(AttrSet::EMPTY).cells.sum();
        prop_assert!((total as f64 - cells(AttrSet::EMPTY).sum()).abs() <= 0.5);
        for planned in measured.design().marginals() {
            let set = planned.attributes;
            let table = rounded(set);
            prop_assert_eq!(table.cells.sum(), total);
            prop_assert!(unbiased || table.cells.iter().all(|&cell| cell >= 0));
            let far = table.cells.iter().zip(&cells(set)).filter(|&(&y, &x)| (y as f64 - x).abs() >= 1.0).count();
            prop_assert!(far == table.beyond && (far == 0 || set.len() == 2));
            prop_assert_eq!(&table.values, &table.cells.mapv(|cell| cell as f64));
            let consistent = table.label == PostProcessing::RoundedConsistent;
            prop_assert_eq!(consistent, set.len() <= 2);
            for part in set.subsets().filter(|_| consistent) {
                prop_assert_eq!(summed(table.cells.clone(), set, part), rounded(part).cells);
            }
        }
    }

    #[test]
    fn what_has_no_negative_cell_is_left_as_it_is(sizes in proptest::collection::vec(2_usize..5, 1..4), trial in 0_u64..1000) {
        let domain = Domain::of_cardinalities(&sizes).unwrap();
        let source = TableSource::new(domain.clone(), vec![1_000_000; sizes.iter().product()]).unwrap();
        let measured = simulated(&source, vec![QueryBasis::Prefix; sizes.len()], Workload::UpTo(2), Neighbours::AddRemove, trial);
        let adjusted = adjusted(&measured);
        prop_assert_eq!((adjusted.steps(), adjusted.share_moved(), adjusted.largest_violation()), (0, 0.0, 0.0));
        for planned in measured.design().marginals() {
            let set = planned.attributes;
            prop_assert_eq!(adjusted.cells(set).unwrap(), measured.cells(set).unwrap());
            prop_assert_eq!(adjusted.marginal(set).unwrap().values, measured.marginal(set).unwrap().values);
        }
    }
}

#[test]
fn answers_of_other_bases_follow_from_the_adjusted_cells() {
    let source = sparse(&[6, 4], 80.0);
    let measured =
        simulated(&source, vec![QueryBasis::Prefix, QueryBasis::Identity], Workload::UpTo(2), Neighbours::AddRemove, 3);
    let (adjusted, set) = (adjusted(&measured), AttrSet::first(2));
    let mut sums = adjusted.cells(set).unwrap();
    sums.accumulate_axis_inplace(Axis(0), |&before, sum| *sum += before);
    let answers = adjusted.marginal(set).unwrap();
    assert!(adjusted.steps() > 0 && answers.label == PostProcessing::NonNegative);
    assert!(answers.values.iter().zip(&sums).all(|(a, b)| (a - b).abs() <= 1e-9 * sums.sum()));
    let rounded = adjusted.rounded(set).unwrap();
    assert!(rounded.values.iter().all(|answer| answer.fract() == 0.0));
    let last = rounded.values.index_axis(Axis(0), 5);
    assert_eq!(
        last.iter().map(|&sum| sum as i64).collect::<Vec<_>>(),
        rounded.cells.sum_axis(Axis(0)).into_raw_vec_and_offset().0
    );
}

#[test]
fn the_public_total_stays_exact() {
    let source = sparse(&[9, 8, 7], 60.0);
    let people = source.marginals(&[AttrSet::EMPTY]).unwrap()[0].total() as f64;
    let measured = simulated(&source, vec![QueryBasis::Identity; 3], Workload::UpTo(3), Neighbours::Replace, 4);
    let adjusted = adjusted(&measured);
    assert!(adjusted.steps() > 0);
    assert_eq!(adjusted.cells(AttrSet::EMPTY).unwrap().sum(), people);
    assert_eq!(adjusted.rounded(AttrSet::first(3)).unwrap().cells.sum() as f64, people);
}

#[test]
fn only_planned_marginals_and_their_subsets_are_answered() {
    let source = sparse(&[3, 3, 3], 10.0);
    let measured = simulated(&source, vec![QueryBasis::Identity; 3], Workload::UpTo(2), Neighbours::AddRemove, 5);
    let adjusted = adjusted(&measured);
    for set in [AttrSet::first(3), AttrSet::single(3)] {
        assert!(matches!(adjusted.cells(set), Err(Error::NotMeasured { .. })));
        assert!(matches!(adjusted.marginal(set), Err(Error::NotMeasured { .. })));
        assert!(matches!(adjusted.rounded(set), Err(Error::NotMeasured { .. })));
        assert!(matches!(measured.rounded(set), Err(Error::NotMeasured { .. })));
    }
}

#[test]
fn nothing_about_the_data_is_in_debug() {
    let source = sparse(&[4, 4], 50_000_000.0);
    let measured = simulated(&source, vec![QueryBasis::Identity; 2], Workload::UpTo(2), Neighbours::Replace, 6);
    let people = source.marginals(&[AttrSet::EMPTY]).unwrap()[0].total();
    let shown = format!("{:?}", adjusted(&measured));
    assert!(shown.starts_with("Adjusted") && !shown.contains(&people.to_string()), "{shown}");
}

#[test]
fn the_same_bits_at_any_thread_count() {
    // So few cells that other threads are left alone, and more.
    for sizes in [[9, 8, 7, 6], [16, 15, 12, 10]] {
        let source = sparse(&sizes, 200.0);
        let measured = simulated(&source, vec![QueryBasis::Identity; 4], Workload::UpTo(3), Neighbours::AddRemove, 7);
        let tables = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let adjusted = adjusted(&measured);
                measured.design().marginals().map(|m| adjusted.cells(m.attributes).unwrap()).collect::<Vec<_>>()
            })
        };
        let one = tables(1);
        assert!([2, 3, 8, 64].into_iter().all(|threads| tables(threads) == one), "{sizes:?}");
    }
}

/// Sums of squared errors over all cells of all tables of each size: unbiased, and after `after`.
fn errors(
    source: &TableSource,
    measured: &Measured<SimulatedNoise>,
    after: impl Fn(AttrSet) -> ArrayD<f64>,
) -> Vec<(f64, f64)> {
    let mut errors = vec![(0.0, 0.0); 4];
    for planned in measured.design().marginals() {
        let set = planned.attributes;
        let exact = source.marginals(&[set]).unwrap()[0].counts().mapv(|count| count as f64);
        let squares = |cells: ArrayD<f64>| (cells - &exact).mapv(|error| error * error).sum();
        errors[set.len()].0 += squares(measured.cells(set).unwrap());
        errors[set.len()].1 += squares(after(set));
    }
    errors
}

/// A table of mostly empty cells, like a census: 97 % of the cells of its 3-way tables hold
/// nobody.
#[test]
fn adjusted_sparse_tables_are_nearer_to_the_truth_and_plain_clamping_is_inconsistent() {
    let source = sparse(&[16, 14, 12, 10], 9_000.0);
    let mut sums = [(0.0, 0.0); 4];
    for trial in 0..8 {
        let measured =
            simulated(&source, vec![QueryBasis::Identity; 4], Workload::UpTo(3), Neighbours::AddRemove, trial);
        let adjusted = adjusted(&measured);
        for (sum, error) in sums.iter_mut().zip(errors(&source, &measured, |set| adjusted.cells(set).unwrap())) {
            *sum = (sum.0 + error.0, sum.1 + error.1);
        }
        // The twin: every table clamped by itself is non-negative, and adds up to nothing that is
        // published.
        let clamped = |set| measured.cells(set).unwrap().mapv(|cell| cell.max(0.0));
        let (three, one) = (AttrSet::first(3), AttrSet::single(0));
        let apart = summed(clamped(three), three, one) - clamped(one);
        assert!(apart.iter().any(|gap| gap.abs() > 100.0));
    }
    assert!(sums[3].1 < 0.25 * sums[3].0, "3-way: {} of {}", sums[3].1, sums[3].0);
    assert!(sums[2].1 < 0.8 * sums[2].0, "2-way: {} of {}", sums[2].1, sums[2].0);
    assert!(sums[1].1 < 1.1 * sums[1].0, "1-way is not spoilt: {} of {}", sums[1].1, sums[1].0);
}
