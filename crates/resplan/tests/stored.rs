//! Plans and measurements in files.

use std::io::Cursor;
use std::sync::Arc;

use ndarray::array;
use privacy_core::accounting::PrivacyCost;
use privacy_core::param::StdDev;
use privacy_core::table::TableSource;
use privacy_core::{AttrSet, Attribute, Domain};
use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};
use resplan::{
    Neighbours, NonnegativeSpec, Objective, Plan, PlanFile, PlanLimits, PlanSpec, QueryBasis, StoredError,
    StoredMeasurement, StoredOrigin, TreeNodes, Workload,
};

fn domain() -> Domain {
    let labels = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    Domain::new(vec![
        Attribute::new("a", labels(&["x", "y", "z"])).unwrap(),
        Attribute::codes("b", 4).unwrap(),
        Attribute::codes("c", 3).unwrap(),
        Attribute::codes("d", 2).unwrap(),
        Attribute::codes("e", 1).unwrap(),
        Attribute::codes("f", 3).unwrap(),
    ])
    .unwrap()
}

fn plan() -> Plan {
    let labels: Vec<String> = (0..4).map(|c| c.to_string()).collect();
    let spec = PlanSpec {
        bases: vec![
            QueryBasis::Prefix,
            QueryBasis::Hierarchical(Arc::new(TreeNodes::balanced(&labels, 2).unwrap())),
            QueryBasis::Queries(Arc::new(array![[1.0, 0.5, 0.0], [0.1, 0.0, -3.0]])),
            QueryBasis::Identity,
            QueryBasis::Identity,
            QueryBasis::Weighted(Box::new(QueryBasis::Range), Arc::new(vec![1.0, 2.0, 1.0, 1.0, 0.5, 1.0])),
        ],
        objective: Objective::MaxVariance,
        neighbours: Neighbours::Replace,
        rows_per_person: 2,
        ..PlanSpec::new(domain(), Workload::UpTo(2), PrivacyCost::new(0.7).unwrap())
    };
    Plan::new(spec, &PlanLimits::default()).unwrap()
}

fn read(text: &str) -> Result<Plan, StoredError> {
    PlanFile::from_json(text)?.plan(&PlanLimits::default())
}

#[test]
fn a_plan_comes_back_as_it_was() {
    let plan = plan();
    let text = serde_json::to_string(&plan.to_file()).unwrap();
    let back = read(&text).unwrap();
    assert!(back.residuals().eq(plan.residuals()));
    assert!(back.marginals().eq(plan.marginals()));
    assert_eq!((back.pcost().get(), back.objective()), (plan.pcost().get(), plan.objective()));
    assert_eq!(back.domain(), plan.domain());
    assert_eq!(serde_json::to_string(&back.to_file()).unwrap(), text);
    // A strategy is near the best of its kind, by a gap that is proved.
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let gaps: Vec<f64> =
        file["strategies"].as_array().unwrap().iter().map(|strategy| strategy["gap"].as_f64().unwrap()).collect();
    assert!(gaps.len() == 4 && gaps.iter().all(|gap| (0.0..1e-3).contains(gap)), "{gaps:?}");
    assert!(gaps.iter().any(|&gap| gap > 0.0), "{gaps:?}");
}

/// 3/5 is between two numbers, and the lower one is nearer: the cost is the other.
#[test]
fn the_cost_of_a_fraction_is_rounded_up() {
    let domain = Domain::of_cardinalities(&[2]).unwrap();
    let spec = PlanSpec::new(domain, Workload::from_sets([AttrSet::EMPTY]), PrivacyCost::new(1.0).unwrap());
    let plan = Plan::new(spec, &PlanLimits::default()).unwrap();
    let mut file = serde_json::to_value(plan.to_file()).unwrap();
    file["residuals"][0]["sigma2"] = serde_json::json!(["5", "3"]);
    assert_eq!(read(&file.to_string()).unwrap().pcost().get(), 0.6_f64.next_up());
    // Noise that is too wide to be drawn costs next to nothing, and is refused all the same.
    file["residuals"][0]["sigma2"] = serde_json::json!([u128::MAX.to_string(), "1"]);
    assert!(matches!(read(&file.to_string()), Err(StoredError::Plan(_))));
}

#[test]
fn a_plan_that_was_tampered_with_is_refused() {
    let text = serde_json::to_string(&plan().to_file()).unwrap();
    let value = || serde_json::from_str::<serde_json::Value>(&text).unwrap();
    let refused = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut file = value();
        change(&mut file);
        read(&file.to_string()).is_err()
    };
    // Less noise for the same price; none at all; a budget that it does not keep.
    assert!(refused(&|file| file["residuals"][3]["sigma2"] = serde_json::json!(["1", "1000"])));
    assert!(refused(&|file| file["residuals"][3]["sigma2"] = serde_json::json!(["0", "1"])));
    assert!(refused(&|file| file["residuals"][3]["sigma2"] = serde_json::json!(["1", "0"])));
    assert!(refused(&|file| file["pcost"] = serde_json::json!(0.1)));
    assert!(refused(&|file| file["residuals"][3]["attributes"] = serde_json::json!([0, 0])));
    // Larger queries: more is measured than is paid for.
    assert!(refused(&|file| file["strategies"][0]["rows"][0][0] = serde_json::json!(1 << 21)));
    assert!(refused(&|file| file["strategies"][0]["rows"][0] = serde_json::json!([0, 0, 0])));
    assert!(refused(&|file| file["strategies"][0]["rows"] = serde_json::json!([])));
    // Rows that depend on each other would not give the categories back; gaps are no less than 0.
    assert!(refused(&|file| file["strategies"][0]["rows"] = serde_json::json!([[1, 2, 3], [2, 4, 6]])));
    assert!(refused(&|file| file["strategies"][0]["digits"] = serde_json::json!(60)));
    assert!(refused(&|file| file["strategies"][0]["gap"] = serde_json::json!(-1.0)));
    assert!(refused(&|file| file["objective_gap"] = serde_json::json!(-5.0)));
    assert!(refused(&|file| file["attributes"][0]["strategy"] = serde_json::json!(99)));
    assert!(refused(&|file| file["attributes"][0]["labels"] = serde_json::json!(["x", "x", "z"])));
    assert!(refused(&|file| file["rows_per_person"] = serde_json::json!(0)));
    assert!(refused(&|file| file["marginals"][0]["weight"] = serde_json::json!(-1.0)));
    assert!(refused(&|file| file["schema"] = serde_json::json!("disclosure.resplan-stored-plan/2")));
    assert!(refused(&|file| file["surprise"] = serde_json::json!(1)));
    assert!(!refused(&|_| {}));
}

/// Attributes share what follows from a strategy only where both the strategy and the queries are
/// alike.
#[test]
fn attributes_with_one_basis_keep_their_own_strategies() {
    let spec = PlanSpec {
        bases: vec![QueryBasis::Prefix, QueryBasis::Prefix, QueryBasis::Range],
        ..PlanSpec::new(
            Domain::of_cardinalities(&[4, 3, 4]).unwrap(),
            Workload::UpTo(2),
            PrivacyCost::new(0.7).unwrap(),
        )
    };
    let plan = Plan::new(spec, &PlanLimits::default()).unwrap();
    let mut file = serde_json::to_value(plan.to_file()).unwrap();
    let back = read(&file.to_string()).unwrap();
    assert!(back.marginals().eq(plan.marginals()));
    // Ranges by the strategy of prefix sums: what is measured is the same, not what is answered.
    file["attributes"][2]["strategy"] = file["attributes"][0]["strategy"].clone();
    file["pcost"] = serde_json::json!(100.0);
    let forged = read(&file.to_string()).unwrap();
    let queries: Vec<usize> = forged.attributes().map(|attribute| attribute.queries).collect();
    assert_eq!(queries, [4, 3, 10]);
}

/// A plan with a bound, in which two attributes of one basis have one strategy.
#[test]
fn bounds_and_strategies_that_are_shared_come_back_and_have_to_fit() {
    let domain = Domain::of_cardinalities(&[4, 3, 4]).unwrap();
    let spec = PlanSpec {
        bases: vec![QueryBasis::Prefix, QueryBasis::Identity, QueryBasis::Prefix],
        bounds: vec![(AttrSet::single(1), StdDev::new(1.5).unwrap())],
        ..PlanSpec::new(domain, Workload::UpTo(1), PrivacyCost::new(0.7).unwrap())
    };
    let plan = Plan::new(spec, &PlanLimits::default()).unwrap();
    let text = serde_json::to_string(&plan.to_file()).unwrap();
    let back = read(&text).unwrap();
    assert!(back.residuals().eq(plan.residuals()) && back.marginals().eq(plan.marginals()));
    assert_eq!(serde_json::to_string(&back.to_file()).unwrap(), text);
    let refused = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut file = serde_json::from_str(&text).unwrap();
        change(&mut file);
        read(&file.to_string()).is_err()
    };
    for variance in [0.0, -30.0] {
        assert!(refused(&|file| file["bounds"][0]["variance"] = serde_json::json!(variance)), "{variance}");
    }
    assert!(refused(&|file| file["bounds"][0]["attributes"] = serde_json::json!([0, 2])), "of no marginal");
    assert!(refused(&|file| file["bounds"][0]["attributes"] = serde_json::json!([3])), "beyond the domain");
    // The strategy of four categories for three, and the other way round.
    assert!(refused(&|file| file["strategies"][0]["rows"][0] = serde_json::json!([1, 2, 3])), "a short row");
}

#[test]
fn marginals_are_answered_from_a_file_as_from_the_measurement() {
    let plan = plan();
    let source = TableSource::new(domain(), (0..216).map(|i| i % 11).collect()).unwrap();
    let measured = plan.duplicate().measure(&source, &mut ChaCha20Rng::from_seed([2; 32])).unwrap();
    let mut bytes = Vec::new();
    measured.write_to(&mut bytes).unwrap();
    let mut stored = StoredMeasurement::open(Cursor::new(&bytes), &PlanLimits::default()).unwrap();
    assert_eq!(stored.origin(), StoredOrigin::Release);
    for marginal in measured.marginals() {
        let again = stored.marginal(marginal.attributes).unwrap();
        assert_eq!((again.values, again.variances), (marginal.values, marginal.variances));
    }
    assert_eq!(stored.cells(AttrSet::single(0)).unwrap(), measured.cells(AttrSet::single(0)).unwrap());
    assert!(stored.marginal(AttrSet::first(3)).is_err());
    let mut simulated = Vec::new();
    plan.simulate(&source, 1, 2).unwrap().write_to(&mut simulated).unwrap();
    let simulated = StoredMeasurement::open(Cursor::new(simulated), &PlanLimits::default()).unwrap();
    assert_eq!(simulated.origin(), StoredOrigin::Simulation);
}

#[test]
fn every_damaged_byte_and_every_cut_is_found() {
    let domain = Domain::of_cardinalities(&[2, 3]).unwrap();
    let mut spec = PlanSpec::new(domain.clone(), Workload::UpTo(2), PrivacyCost::new(1.0).unwrap());
    spec.bases[1] = QueryBasis::Prefix;
    let plan = Plan::new(spec, &PlanLimits::default()).unwrap();
    let source = TableSource::new(domain, vec![5; 6]).unwrap();
    let measured = plan.measure(&source, &mut ChaCha20Rng::from_seed([5; 32])).unwrap();
    let mut bytes = Vec::new();
    measured.write_to(&mut bytes).unwrap();
    let answers = |bytes: &[u8]| -> Result<(), StoredError> {
        let mut stored = StoredMeasurement::open(Cursor::new(bytes), &PlanLimits::default())?;
        stored.marginal(AttrSet::first(2)).map(|_| ())
    };
    answers(&bytes).unwrap();
    for place in 0..bytes.len() {
        for bit in [0, 7] {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << bit;
            assert!(answers(&damaged).is_err(), "bit {bit} of byte {place}");
        }
        assert!(answers(&bytes[..place]).is_err(), "cut off at {place}");
    }
    assert!(answers(&[bytes.as_slice(), &[0]].concat()).is_err(), "one byte more");
}

/// What is read back is adjusted and rounded as what was measured.
#[test]
fn a_stored_measurement_is_adjusted_as_the_measurement_is() {
    let source = TableSource::new(domain(), (0..216).map(|i| i % 3).collect()).unwrap();
    let measured = plan().measure(&source, &mut ChaCha20Rng::from_seed([9; 32])).unwrap();
    let mut bytes = Vec::new();
    measured.write_to(&mut bytes).unwrap();
    let mut stored = StoredMeasurement::open(Cursor::new(&bytes), &PlanLimits::default()).unwrap();
    let again = stored.read_all().unwrap();
    let spec = NonnegativeSpec::default();
    let (one, two) = (measured.nonnegative(spec.clone()).unwrap(), again.nonnegative(spec).unwrap());
    assert!(one.steps() > 0 && one.steps() == two.steps());
    for marginal in measured.design().marginals() {
        let set = marginal.attributes;
        assert_eq!(one.marginal(set).unwrap().values, two.marginal(set).unwrap().values);
        assert_eq!(one.rounded(set).unwrap().cells, two.rounded(set).unwrap().cells);
        assert_eq!(measured.rounded(set).unwrap().cells, again.rounded(set).unwrap().cells);
    }
}
