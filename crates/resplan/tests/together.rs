//! Plans that measure all attributes together: how many people they are exact for, and files
//! in which a block is malformed.

use privacy_core::accounting::{Neighbours, PrivacyCost};
use privacy_core::{AttrSet, Domain};
use resplan::{Error, Plan, PlanFile, PlanLimits, PlanSpec, QueryBasis, Strategy, Workload};
use serde_json::{Value, json};

/// Prefix sums, the total beside pairs that count a fiftieth.
fn plan(neighbours: Neighbours, pcost: f64) -> Plan {
    let domain = Domain::of_cardinalities(&[3, 4]).unwrap();
    let sets = Workload::Sets(vec![(AttrSet::EMPTY, 1.0), (AttrSet::first(2), 0.02)]);
    let spec = PlanSpec {
        bases: vec![QueryBasis::Prefix; 2],
        strategy: Strategy::Joint,
        neighbours,
        ..PlanSpec::new(domain, sets, PrivacyCost::new(pcost).unwrap())
    };
    let plan = Plan::new(spec, &PlanLimits::default()).unwrap();
    assert!(plan.joint_queries().is_some());
    plan
}

/// What is off grows with the people, and is compared with the noise.
#[test]
fn as_many_times_the_noise_lets_as_many_times_the_people_through() {
    // A hundredth of the noise, and a hundred times as much.
    for (neighbours, pcost, times) in [(Neighbours::AddRemove, 1e4, 0.01), (Neighbours::Replace, 1e-4, 100.0)] {
        let most = |pcost: f64| match plan(neighbours, pcost).check_total(u64::MAX) {
            Err(Error::TooManyPeople { most, .. }) => most,
            other => panic!("more than 2^63 people: {other:?}"),
        };
        let ratio = most(pcost) / most(1.0);
        assert!((ratio / times - 1.0).abs() < 0.01, "{neighbours:?} {pcost}: {ratio}");
    }
}

#[test]
fn blocks_that_no_plan_has_are_refused_as_such() {
    let whole = serde_json::to_value(plan(Neighbours::AddRemove, 1.0).to_file()).unwrap();
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut file = whole.clone();
        change(&mut file);
        PlanFile::from_json(&file.to_string()).unwrap().plan(&PlanLimits::default()).unwrap_err().to_string()
    };
    let labels = |count: usize| json!((0..count).map(|label| label.to_string()).collect::<Vec<_>>());
    let block = "the stored plan is invalid: the block of a joint strategy is not that of its marginals";
    let strategy = "the stored plan is invalid: a strategy does not fit its attribute";
    // Up to 256 cells; the strategy in the file has twelve.
    let resized = |a: usize, b: usize| {
        refused(&|file| {
            file["attributes"][0]["labels"] = labels(a);
            file["attributes"][1]["labels"] = labels(b);
        })
    };
    assert_eq!((resized(16, 16), resized(16, 17)), (strategy.to_owned(), block.to_owned()));
    assert_eq!(refused(&|file| file["joint"]["attributes"] = json!([])), block);
    let constant = refused(&|file| {
        let mut third = file["attributes"][0].clone();
        (third["name"], third["labels"]) = (json!("third"), labels(1));
        file["attributes"].as_array_mut().unwrap().push(third);
        file["joint"]["attributes"] = json!([0, 1, 2]);
    });
    assert_eq!(constant, block);
    // Norms and bounds are not planned so.
    assert_eq!(refused(&|file| file["objective"] = json!({ "norm": 2.0 })), block);
    assert_eq!(refused(&|file| file["bounds"] = json!([{ "attributes": [0, 1], "variance": 1e9 }])), block);
    let unknown = refused(&|file| file["joint"]["attributes"] = json!([0, 2]));
    assert!(unknown.contains("names attributes that the domain does not have"), "{unknown}");
}
