//! Specifications as text and back, and reports as text.

use std::sync::Arc;

use ndarray::array;
use privacy_core::accounting::PrivacyCost;
use privacy_core::param::{Probability, StdDev};
use privacy_core::table::TableSource;
use privacy_core::{AttrSet, Attribute, Domain};
use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};
use resplan::{
    Neighbours, NonnegativeSpec, NormOrder, Objective, Plan, PlanLimits, PlanSpec, QueryBasis, QueryIndex, Strategy,
    Tilt, TreeNodes, Trust, Workload,
};
use serde_json::{Value, json};

fn domain() -> Domain {
    Domain::new(vec![Attribute::new("sex", ["f", "m"]).unwrap(), Attribute::codes("age", 3).unwrap()]).unwrap()
}

fn round_trip<T>(value: &T) -> T
where
    T: serde::Serialize + serde::de::DeserializeOwned,
{
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

#[test]
fn specifications_come_back_as_they_were() {
    let labels = domain().attributes()[1].labels().to_vec();
    let bases = [
        QueryBasis::Identity,
        QueryBasis::Prefix,
        QueryBasis::Range,
        QueryBasis::Hierarchical(Arc::new(TreeNodes::balanced(&labels, 2).unwrap())),
        QueryBasis::Queries(Arc::new(array![[1.0, 0.5, 0.0], [0.1, 0.0, -3.0]])),
        QueryBasis::Weighted(Box::new(QueryBasis::Prefix), Arc::new(vec![1.0, 2.0, 0.5])),
    ];
    let workloads = [Workload::UpTo(2), Workload::Exactly(1), Workload::from_sets([AttrSet::single(1)])];
    let objectives =
        [Objective::SumVariance, Objective::MaxVariance, Objective::NormVariance(NormOrder::new(4.0).unwrap())];
    let strategies =
        [Strategy::Automatic, Strategy::Tilted(Tilt::new(2.5).unwrap()), Strategy::Orthogonal, Strategy::Isotropic];
    for (number, basis) in bases.into_iter().enumerate() {
        let spec = PlanSpec {
            bases: vec![QueryBasis::Identity, basis],
            strategy: strategies[number % 4],
            objective: objectives[number % 3],
            bounds: vec![(AttrSet::first(2), StdDev::new(3.5).unwrap())],
            neighbours: Neighbours::Replace,
            rows_per_person: 3,
            ..PlanSpec::new(domain(), workloads[number % 3].clone(), PrivacyCost::new(0.25).unwrap())
        };
        assert_eq!(round_trip(&spec), spec);
    }
    let after = NonnegativeSpec { trust: Trust::new(3.0).unwrap(), ..NonnegativeSpec::default() };
    assert_eq!(round_trip(&after), after);
    let limits = PlanLimits { marginals: 5.0, ..PlanLimits::default() };
    assert_eq!(round_trip(&limits), limits);
    let index = QueryIndex { attributes: AttrSet::first(2), queries: vec![1, 2] };
    assert_eq!(round_trip(&index), index);
}

#[test]
fn text_that_is_out_of_range_is_refused() {
    let of = |value: Value| serde_json::from_value::<PlanSpec>(value);
    let good =
        serde_json::to_value(PlanSpec::new(domain(), Workload::UpTo(1), PrivacyCost::new(1.0).unwrap())).unwrap();
    assert!(of(good.clone()).is_ok());
    for (field, bad) in [
        ("budget", json!(0.0)),
        ("objective", json!({ "norm-variance": 0.5 })),
        ("strategy", json!({ "tilted": -1.0 })),
        ("surprise", json!(1)),
        ("workload", json!({ "sets": [[[200], 1.0]] })),
        ("bases", json!([{ "hierarchical": [["a", []]] }, "identity"])),
        ("domain", json!({ "attributes": [{ "name": "a", "labels": ["x", "x"] }], "provenance": "public" })),
    ] {
        let mut spec = good.clone();
        spec[field] = bad;
        assert!(of(spec).is_err(), "{field}");
    }
}

#[test]
fn reports_are_written() {
    let plan =
        Plan::new(PlanSpec::new(domain(), Workload::UpTo(2), PrivacyCost::new(1.0).unwrap()), &PlanLimits::default());
    let plan = plan.unwrap();
    let planned = serde_json::to_value(plan.marginals().collect::<Vec<_>>()).unwrap();
    assert_eq!(planned[3]["attributes"], json!([0, 1]));
    assert!(planned[3]["mean_variance"].as_f64().unwrap() > 0.0);
    let source = TableSource::new(domain(), vec![5, 0, 2, 9, 9, 1]).unwrap();
    let measured = plan.measure(&source, &mut ChaCha20Rng::from_seed([1; 32])).unwrap(); // tests only
    let table = measured.marginal(AttrSet::first(2)).unwrap();
    let written = serde_json::to_value(&table).unwrap();
    assert_eq!(written["values"]["dim"], json!([2, 3]));
    assert!(written["variances"]["equal"].as_f64().unwrap() > 0.0);
    let answers = table.answers(measured.design(), Probability::new(0.95).unwrap()).unwrap();
    assert_eq!(answers[5].labels, ["m", "2"]);
    assert!(answers.iter().all(|answer| answer.low < answer.value && answer.value < answer.high));
    let written = serde_json::to_value(&answers).unwrap();
    assert_eq!(written[4]["labels"], json!(["m", "1"]));
    let adjusted = measured.nonnegative(NonnegativeSpec::default()).unwrap();
    let adjusted = serde_json::to_value(adjusted.marginal(AttrSet::single(0)).unwrap()).unwrap();
    assert_eq!(adjusted["label"], json!("non-negative"));
}
