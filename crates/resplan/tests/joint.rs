//! Plans that measure all attributes together: their optimum, their cost, their noise, their files.

use std::sync::Arc;

use ndarray::{Array1, Array2, Dimension};
use privacy_core::accounting::{Neighbours, PrivacyCost};
use privacy_core::param::StdDev;
use privacy_core::table::TableSource;
use privacy_core::{AttrSet, CountSource, Domain};
use rand_core::SeedableRng;
use resplan::{
    Error, NonnegativeSpec, NormOrder, Objective, Plan, PlanLimits, PlanSpec, QueryBasis, QueryIndex, Strategy,
    Workload,
};
use serde_json::Value;
use testkit::fixtures::{json, relative_error};

fn plan(spec: PlanSpec) -> Plan {
    Plan::new(spec, &PlanLimits::default()).unwrap()
}

fn numbers<T>(value: &Value, number: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().unwrap().iter().map(number).collect()
}

fn matrix(rows: &Value) -> Array2<f64> {
    let rows = numbers(rows, |row| numbers(row, |entry| entry.as_f64().unwrap()));
    Array2::from_shape_vec((rows.len(), rows[0].len()), rows.concat()).unwrap()
}

/// A case of the golden file.
fn spec_of(case: &Value) -> PlanSpec {
    let sizes = numbers(&case["sizes"], |size| size.as_u64().unwrap() as usize);
    let basis = |(at, letter): (usize, &Value)| match letter.as_str().unwrap() {
        "P" => QueryBasis::Prefix,
        "R" => QueryBasis::Range,
        "Q" => QueryBasis::Queries(Arc::new(matrix(&case["queries"][at]))),
        _ => QueryBasis::Identity,
    };
    let bases = case["bases"].as_array().unwrap().iter().enumerate().map(basis).collect();
    let set = |set: &Value| AttrSet::from_iter(numbers(set, |a| a.as_u64().unwrap() as usize));
    let sets = numbers(&case["marginals"], set);
    let weights = numbers(&case["weights"], |weight| weight.as_f64().unwrap());
    let objective = match case["objective"].as_str().unwrap() {
        "max" => Objective::MaxVariance,
        "equal" => Objective::EqualError,
        _ => Objective::SumVariance,
    };
    let neighbours = if case["neighbours"] == "replace" { Neighbours::Replace } else { Neighbours::AddRemove };
    let workload = Workload::Sets(sets.into_iter().zip(weights).collect());
    let domain = Domain::of_cardinalities(&sizes).unwrap();
    PlanSpec { bases, objective, neighbours, ..PlanSpec::new(domain, workload, PrivacyCost::new(1.0).unwrap()) }
}

/// Semidefinite programs over all precision matrices, one of each kind many times.
#[test]
fn plans_are_within_a_thousandth_of_the_best_of_all_mechanisms() {
    let mut by_attribute = 0.0_f64;
    for case in json("resplan/joint_optima.json").as_array().unwrap() {
        let (spec, optimum) = (spec_of(case), case["optimum"].as_f64().unwrap());
        let found = plan(PlanSpec { strategy: Strategy::Joint, ..spec.clone() });
        let excess = found.objective_value() / optimum - 1.0;
        assert!(excess < 1e-3 && excess > -1e-5, "{excess:e}: {case}");
        assert!(found.pcost().get() <= 1.0);
        // Never less than the truth, and close to it.
        let gap = found.gap_to_any_mechanism().unwrap();
        assert!(gap >= excess - 1e-5 && gap <= excess.max(0.0) + 1.5e-3, "{gap:e} for {excess:e}: {case}");
        let each = plan(spec);
        by_attribute = by_attribute.max(each.objective_value() / optimum - 1.0);
    }
    // Control: a strategy for each attribute is not enough.
    assert!(by_attribute > 0.1, "{by_attribute}");
}

/// 3 x 4 prefix sums, the total beside pairs that count a fiftieth: what measures it together
/// saves 2 %.
fn unequal(neighbours: Neighbours) -> PlanSpec {
    let domain = Domain::of_cardinalities(&[3, 4]).unwrap();
    let sets = vec![(AttrSet::EMPTY, 1.0), (AttrSet::first(2), 0.02)];
    PlanSpec {
        bases: vec![QueryBasis::Prefix; 2],
        strategy: Strategy::Joint,
        neighbours,
        ..PlanSpec::new(domain, Workload::Sets(sets), PrivacyCost::new(1.0).unwrap())
    }
}

/// The cost of a plan from its published queries alone: every person, or pair of people.
fn cost_of(plan: &Plan) -> f64 {
    let (block, queries) = plan.joint_queries().unwrap();
    let noise = |set: AttrSet| plan.residuals().find(|(other, _)| *other == set).unwrap().1.to_f64();
    let column = |cell: usize| queries.column(cell).to_owned();
    let cells = 0..queries.ncols();
    match plan.neighbours() {
        Neighbours::Replace => {
            let pairs = cells.clone().flat_map(|a| cells.clone().map(move |b| (a, b)));
            let length = |(a, b)| {
                let difference: Array1<f64> = column(a) - column(b);
                difference.dot(&difference) / noise(block)
            };
            pairs.map(length).fold(0.0, f64::max)
        }
        _ => cells.map(|a| column(a).dot(&column(a)) / noise(block) + 1.0 / noise(AttrSet::EMPTY)).fold(0.0, f64::max),
    }
}

#[test]
fn the_cost_is_that_of_the_worst_neighbours() {
    for neighbours in [Neighbours::AddRemove, Neighbours::Replace] {
        let plan = plan(unequal(neighbours));
        assert_eq!(plan.total_is_public(), neighbours == Neighbours::Replace);
        let (cost, stated) = (cost_of(&plan), plan.pcost().get());
        assert!(cost <= stated && stated < cost * (1.0 + 1e-9) && stated <= 1.0, "{neighbours:?}: {cost} {stated}");
        assert!(plan.gaussian_cost().unwrap().get() >= stated);
    }
}

/// Answers of many simulated releases have the covariances that the plan states, across tables.
#[test]
fn released_answers_have_the_planned_covariances() {
    const TRIALS: u64 = 10_000;
    let plan = plan(unequal(Neighbours::AddRemove));
    let people = TableSource::new(plan.domain().clone(), (0..12).map(|cell| 5 + 3 * cell).collect()).unwrap();
    let sets = [AttrSet::EMPTY, AttrSet::single(0), AttrSet::single(1), AttrSet::first(2)];
    let exact = |set: AttrSet| -> Vec<f64> {
        let rows = (0..12_usize).map(|cell| ([cell / 4, cell % 4], (5 + 3 * cell) as f64));
        let inside = |digits: [usize; 2], at: &[usize]| set.iter().zip(at).all(|(a, &last)| digits[a] <= last);
        let sizes = [3, 4];
        let shape: Vec<usize> = set.iter().map(|a| sizes[a]).collect();
        let answers = ndarray::indices(shape).into_iter();
        answers.map(|at| rows.clone().filter(|(d, _)| inside(*d, at.slice())).map(|(_, n)| n).sum()).collect()
    };
    let truth: Vec<f64> = sets.iter().flat_map(|&set| exact(set)).collect();
    let mut sums = Array2::<f64>::zeros((truth.len(), truth.len()));
    for trial in 0..TRIALS {
        let measured = plan.simulate(&people, 17, trial).unwrap();
        let answers = sets.iter().flat_map(|&set| measured.marginal(set).unwrap().values.into_iter());
        let errors: Array1<f64> = answers.zip(&truth).map(|(answer, truth)| answer - truth).collect();
        let column = errors.view().insert_axis(ndarray::Axis(1));
        sums += &column.dot(&errors.view().insert_axis(ndarray::Axis(0)));
    }
    let got = sums / TRIALS as f64;
    let blocks = sets.map(|one| sets.map(|other| plan.covariance_matrix(one, other).unwrap()));
    let rows: Vec<Array2<f64>> = blocks
        .iter()
        .map(|row| ndarray::concatenate(ndarray::Axis(1), &row.each_ref().map(|b| b.view())).unwrap())
        .collect();
    let want = ndarray::concatenate(ndarray::Axis(0), &rows.iter().map(|r| r.view()).collect::<Vec<_>>()).unwrap();
    for ((i, j), &want_ij) in want.indexed_iter() {
        // An entry of a sample covariance has this standard deviation.
        let sd = ((want[[i, i]] * want[[j, j]] + want_ij * want_ij) / TRIALS as f64).sqrt();
        assert!((got[[i, j]] - want_ij).abs() < 5.0 * sd, "{i} {j}: {} for {want_ij}", got[[i, j]]);
        // Control: a tenth less would be seen on the diagonal.
        assert!(i != j || (got[[i, i]] - 0.85 * want_ij).abs() > 5.0 * sd);
    }
    let index = |set: AttrSet, queries: &[usize]| QueryIndex { attributes: set, queries: queries.to_vec() };
    let (one, other) = (index(AttrSet::single(0), &[1]), index(AttrSet::first(2), &[2, 1]));
    let entry = plan.covariance_matrix(one.attributes, other.attributes).unwrap()[[1, 9]];
    assert!(relative_error(plan.covariance(&one, &other).unwrap(), entry) < 1e-12);
    let variance = plan.combination_variance(&[(one.clone(), 1.0), (other.clone(), -1.0)]).unwrap();
    let parts = plan.covariance(&one, &one).unwrap() + plan.covariance(&other, &other).unwrap() - 2.0 * entry;
    assert!((variance - parts).abs() < 1e-9 * parts.abs().max(1.0));
    for set in sets {
        let diagonal = plan.covariance_matrix(set, set).unwrap().diag().to_owned();
        let variances = plan.variances(set).unwrap();
        assert!((0..diagonal.len()).all(|at| relative_error(variances.at(at), diagonal[at]) < 1e-9));
        assert!(relative_error(plan.mean_variance(set).unwrap(), diagonal.mean().unwrap()) < 1e-9);
    }
}

#[test]
fn exact_releases_add_up_and_adjusted_ones_have_no_negative_cell() {
    for neighbours in [Neighbours::AddRemove, Neighbours::Replace] {
        let plan = plan(unequal(neighbours));
        let people = TableSource::new(plan.domain().clone(), vec![0, 0, 3, 1, 0, 0, 0, 9, 0, 0, 2, 0]).unwrap();
        let checked = plan.duplicate().check_tables(people.marginals(&plan.batches().concat()).unwrap()).unwrap();
        assert_eq!(checked.total(), 15);
        let measured = plan.measure(&people, &mut rand_chacha::ChaCha20Rng::from_seed([5; 32])).unwrap();
        let cells = measured.cells(AttrSet::first(2)).unwrap();
        let rows = measured.cells(AttrSet::single(0)).unwrap();
        let total = measured.cells(AttrSet::EMPTY).unwrap().sum();
        assert!((cells.sum() - total).abs() < 1e-6 && (rows.sum() - total).abs() < 1e-6);
        assert!(neighbours == Neighbours::AddRemove || total == 15.0);
        // Prefix sums of the pair end with the total.
        let sums = measured.marginal(AttrSet::first(2)).unwrap();
        assert!((sums.values[[2, 3]] - total).abs() < 1e-6);
        assert!(matches!(measured.residual(AttrSet::single(0)), Err(Error::NotMeasured { .. })));
        let adjusted = measured.nonnegative(NonnegativeSpec::default()).unwrap();
        let (pair, row) = (adjusted.cells(AttrSet::first(2)).unwrap(), adjusted.cells(AttrSet::single(0)).unwrap());
        assert!(cells.iter().any(|&cell| cell < 0.0) && pair.iter().all(|&cell| cell >= 0.0));
        let total = total.max(0.0);
        assert!((pair.sum() - total).abs() < 1e-6 && (row.sum() - total).abs() < 1e-6 && adjusted.steps() > 0);
        let sum = |first: usize| (0..4).map(|last| pair[[first, last]]).sum::<f64>();
        assert!((0..3).all(|first| (sum(first) - row[first]).abs() < 1e-6));
    }
}

/// Where nothing is saved, or nothing is known, the plan is that of a strategy for each attribute.
#[test]
fn other_plans_are_those_of_each_attribute() {
    let prefix = |sizes: &[usize]| {
        let domain = Domain::of_cardinalities(sizes).unwrap();
        let bases = vec![QueryBasis::Prefix; sizes.len()];
        PlanSpec { bases, ..PlanSpec::new(domain, Workload::UpTo(2), PrivacyCost::new(1.0).unwrap()) }
    };
    let categories = PlanSpec { bases: vec![QueryBasis::Identity; 2], ..unequal(Neighbours::AddRemove) };
    let several = PlanSpec { rows_per_person: 2, ..unequal(Neighbours::Replace) };
    let norm =
        PlanSpec { objective: Objective::NormVariance(NormOrder::new(3.0).unwrap()), ..unequal(Neighbours::AddRemove) };
    let bound = vec![(AttrSet::EMPTY, StdDev::new(100.0).unwrap())];
    let bounded = PlanSpec { bounds: bound, ..unequal(Neighbours::AddRemove) };
    for spec in [prefix(&[17, 17]), categories, several, norm, bounded] {
        let joint = plan(PlanSpec { strategy: Strategy::Joint, ..spec.clone() });
        let each = plan(PlanSpec { strategy: Strategy::Automatic, ..spec });
        assert!(joint.joint_queries().is_none() && joint.residuals().eq(each.residuals()));
    }
    // Two rows a person cost four times as much, whatever the mechanism.
    let one = plan(unequal(Neighbours::AddRemove)).objective_value();
    let two = plan(PlanSpec { rows_per_person: 2, ..unequal(Neighbours::AddRemove) });
    assert!(two.joint_queries().is_some() && relative_error(two.objective_value(), 4.0 * one) < 1e-4);
}

/// One query about each attribute, and the total: hardly anything is known of most directions.
fn few_directions() -> PlanSpec {
    let queries = QueryBasis::Queries(Arc::new(ndarray::array![[1.0, -2.0, 0.0, 1.0]]));
    let domain = Domain::of_cardinalities(&[4, 4]).unwrap();
    let sets = vec![(AttrSet::EMPTY, 1.0), (AttrSet::first(2), 0.02)];
    PlanSpec {
        bases: vec![queries, QueryBasis::Prefix],
        strategy: Strategy::Joint,
        ..PlanSpec::new(domain, Workload::Sets(sets), PrivacyCost::new(1.0).unwrap())
    }
}

/// Noise does not depend on the counts: under one seed, answers about many people are those about
/// few, and the difference between the counts.
#[test]
fn answers_about_as_many_people_as_are_let_through_are_exact() {
    for spec in [unequal(Neighbours::AddRemove), unequal(Neighbours::Replace), few_directions()] {
        let plan = plan(spec);
        assert!(plan.joint_queries().is_some());
        let refused = |total: u64| matches!(plan.check_total(total), Err(Error::TooManyPeople { .. }));
        let most = (20..53).map(|power| 1_u64 << power).take_while(|&total| !refused(total)).last().unwrap();
        assert!(most > 1_000_000_000 && refused(1 << 53), "{most}");
        let cells = plan.domain().cells(plan.domain().all()).unwrap();
        let release = |each: u64| {
            let people = TableSource::new(plan.domain().clone(), (0..cells).map(|cell| each + cell % 3).collect());
            plan.duplicate().measure(&people.unwrap(), &mut rand_chacha::ChaCha20Rng::from_seed([9; 32]))
        };
        let each = most / cells - 2;
        let (few, many) = (release(0).unwrap(), release(each).unwrap());
        for set in [AttrSet::EMPTY, AttrSet::single(0), AttrSet::single(1), AttrSet::first(2)] {
            // What an answer adds up, as a multiple of the people in each cell.
            let sums = plan.attributes().enumerate().fold(vec![1.0], |sums: Vec<f64>, (attribute, planned)| {
                let k = plan.domain().cardinality(attribute);
                let weights = (0..planned.queries).map(|query| planned.basis.query(k, query).iter().sum::<f64>());
                let own = if set.contains(attribute) { weights.collect() } else { vec![k as f64] };
                sums.iter().flat_map(|sum| own.iter().map(move |own| sum * own)).collect()
            });
            let (small, large) = (few.marginal(set).unwrap().values, many.marginal(set).unwrap().values);
            let variances = plan.variances(set).unwrap();
            for (at, ((small, large), sum)) in small.iter().zip(&large).zip(sums).enumerate() {
                // Numbers of this size are spaced by the second term.
                let off = (large - small - sum * each as f64).abs() - 4.0 * f64::EPSILON * large.abs();
                assert!(off <= 0.011 * variances.at(at).sqrt(), "{set:?} {at}: {off} of {most}");
            }
        }
        assert!(matches!(release((1 << 52) / cells), Err(Error::TooManyPeople { .. })));
    }
}

#[test]
fn a_stored_plan_measures_the_same_and_forged_blocks_are_refused() {
    let plan = plan(unequal(Neighbours::AddRemove));
    let text = serde_json::to_string(&plan.to_file()).unwrap();
    let back = resplan::PlanFile::from_json(&text).unwrap().plan(&PlanLimits::default()).unwrap();
    assert!(back.residuals().eq(plan.residuals()) && back.pcost() == plan.pcost());
    assert!(relative_error(back.objective_value(), plan.objective_value()) < 1e-12 && back.gap() == plan.gap());
    assert_eq!(back.joint_queries(), plan.joint_queries());
    let whole: Value = serde_json::from_str(&text).unwrap();
    let gap = whole["strategies"][0]["gap"].as_f64().unwrap();
    assert!((0.0..1e-3).contains(&gap), "{gap}");
    let forged = |change: &dyn Fn(&mut Value)| {
        let mut file = whole.clone();
        change(&mut file);
        resplan::PlanFile::from_json(&file.to_string()).unwrap().plan(&PlanLimits::default())
    };
    assert!(forged(&|_| ()).is_ok());
    assert!(forged(&|file| file["joint"]["attributes"] = serde_json::json!([0])).is_err());
    assert!(forged(&|file| file["joint"]["strategy"] = serde_json::json!(7)).is_err());
    assert!(forged(&|file| file["marginals"][1]["attributes"] = serde_json::json!([0])).is_err());
    assert!(forged(&|file| drop(file.as_object_mut().unwrap().remove("joint"))).is_err());
    // A gap is computed anew, whatever the file says of it.
    let printed = |gap: f64| forged(&move |file| file["objective_gap"] = serde_json::json!(gap)).unwrap();
    for gap in [0.0, 0.5] {
        let plan_of_file = printed(gap);
        assert_eq!(plan_of_file.gap(), plan.gap());
        assert_eq!(plan_of_file.gap_to_any_mechanism(), plan.gap_to_any_mechanism());
    }
    // Control: a total with nine times the noise costs less, and is further off the optimum.
    let noisier = forged(&|file| {
        let total = &mut file["residuals"][0]["sigma2"][0];
        *total = serde_json::json!((9 * total.as_str().unwrap().parse::<u128>().unwrap()).to_string());
    });
    assert!(noisier.unwrap().gap() > 0.1);
    // Larger integers cost more than the file says.
    let larger = |file: &mut Value| {
        for row in file["strategies"][0]["rows"].as_array_mut().unwrap() {
            for entry in row.as_array_mut().unwrap() {
                *entry = serde_json::json!(entry.as_i64().unwrap() * 11 / 10);
            }
        }
    };
    assert!(forged(&larger).is_err());
}
