//! Intervals and verdicts of random patterns, recomputed elsewhere by linear programs, one for
//! every coalition.

use magnitude_release::{
    AmountStatus, Axis, AxisNode, Cube, Dominance, Error, MagnitudeTable, MinFrequency, Record, SensitivityRule, Share,
    SuppressionProblem, certificate, plan,
};
use serde_json::Value;
use testkit::fixtures::json;

fn table(case: &Value) -> MagnitudeTable {
    let axis = |nodes: &Value| {
        let node = |(index, parent): (usize, &Value)| AxisNode {
            label: index.to_string(),
            parent: parent.as_u64().map(|parent| usize::try_from(parent).unwrap()),
        };
        Axis::new("axis", nodes.as_array().unwrap().iter().enumerate().map(node).collect()).unwrap()
    };
    let axes: Vec<Axis> = case["axes"].as_array().unwrap().iter().map(axis).collect();
    let sizes = axes.len();
    let record = |record: &Value| {
        let numbers: Vec<i64> = record.as_array().unwrap().iter().map(|number| number.as_i64().unwrap()).collect();
        let leaves = numbers[..sizes].iter().map(|&leaf| usize::try_from(leaf).unwrap()).collect();
        Record { leaves, respondent: u32::try_from(numbers[sizes]).unwrap(), amount: numbers[sizes + 1] }
    };
    let records: Vec<Record> = case["records"].as_array().unwrap().iter().map(record).collect();
    MagnitudeTable::from_records(Cube::new(axes).unwrap(), &records).unwrap()
}

fn percent(value: &Value) -> Share {
    Share::of_percent("share", value.as_f64().unwrap()).unwrap()
}

fn count(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

fn rule(case: &Value) -> SensitivityRule {
    let p = case["p"].as_f64().map(|_| percent(&case["p"]));
    let dominance =
        case["dominance"].as_array().map(|own| Dominance { largest: count(&own[0]), share: percent(&own[1]) });
    let frequency = case["frequency"].as_array();
    let frequency = frequency.map(|own| MinFrequency { at_least: count(&own[0]), range: percent(&own[1]) });
    SensitivityRule::new(p, dominance.into_iter().collect(), frequency, count(&case["coalition"])).unwrap()
}

/// The intervals of a reader, the statuses of every sensitive cell and sum, and the certificates.
fn check(name: &str, case: &Value) -> [usize; 2] {
    let (table, rule) = (table(case), rule(case));
    let mut is_withheld = vec![false; table.cube().cells()];
    case["withheld"].as_array().unwrap().iter().for_each(|cell| is_withheld[count(cell)] = true);
    let problem = SuppressionProblem::new(&table, &rule);
    let (intervals, certificates) = problem.certificates(&is_withheld).unwrap();
    let wanted = case["intervals"].as_array().unwrap();
    assert_eq!(intervals.len(), wanted.len(), "{name}");
    let mut bounds = 0;
    for (interval, wanted) in intervals.iter().zip(wanted) {
        let place = format!("{name}, cell {}", interval.cell);
        assert_eq!((interval.cell, interval.is_proved), (count(&wanted[0]), true), "{place}");
        for (end, wanted) in [(interval.lower, &wanted[1]), (interval.upper, &wanted[2])] {
            assert_eq!(end.is_some(), wanted.as_f64().is_some(), "{place}");
            if let (Some(end), Some(wanted)) = (end, wanted.as_f64()) {
                assert!((end.value() - wanted).abs() < 1e-5, "{place}: {} instead of {wanted}", end.value());
                bounds += 1;
            }
        }
    }
    let mut file = Vec::new();
    certificates.write_json(&mut file).unwrap();
    assert_eq!(certificate::verify(&file).unwrap().bounds, bounds, "{name}");
    let audit = problem.audit(&is_withheld).unwrap();
    let found = audit.findings.iter().map(|finding| match finding.cell {
        Some(cell) => (vec![cell], finding.status),
        None => (finding.parts.clone(), finding.status),
    });
    let status = |is_exposed| if is_exposed { AmountStatus::Exposed } else { AmountStatus::Protected };
    let wanted = case["findings"].as_array().unwrap().iter().map(|finding| {
        let cells =
            finding[0].as_array().map_or_else(|| vec![count(&finding[0])], |cells| cells.iter().map(count).collect());
        (cells, status(finding[1].as_bool().unwrap()))
    });
    let (found, wanted): (Vec<_>, Vec<_>) = (found.collect(), wanted.collect());
    assert_eq!(found, wanted, "{name}");
    [AmountStatus::Protected, AmountStatus::Exposed].map(|status| audit.count(status))
}

#[test]
fn random_patterns_are_judged_as_by_linear_programs_for_every_coalition() {
    let file = json("magnitude/random_patterns.json");
    let mut all = [0; 2];
    for (index, case) in file["cases"].as_array().unwrap().iter().enumerate() {
        let counted = check(&format!("case {index}"), case);
        all = [all[0] + counted[0], all[1] + counted[1]];
    }
    // Both verdicts are well represented, or agreement would mean little.
    assert!(all[0] > 100 && all[1] > 100, "{all:?}");
}

#[test]
fn every_plan_survives_its_own_audit_() {
    let file = json("magnitude/random_patterns.json");
    let (mut planned, mut refused) = (0, 0);
    for case in file["cases"].as_array().unwrap() {
        let (table, rule) = (table(case), rule(case));
        let problem = SuppressionProblem::new(&table, &rule);
        match plan(&problem) {
            Ok(plan) => {
                assert!(plan.audit().is_protected());
                planned += 1;
            }
            Err(Error::Unprotectable { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(planned > 9 * refused, "{planned} planned, {refused} refused");
}
