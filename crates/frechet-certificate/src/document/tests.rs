use super::*;

/// Two cells that add up to 5: the first is at least 0 and at most 5.
const GOOD: &str = r#"{"schema": "disclosure.frechet-certificates/1", "capacities": [9, 9],
    "rows": [{"name": "total", "cells": [0, 1], "lower": 5, "upper": 5}],
    "tables": [[[1, 5]], [[0, 5]]],
    "claims": [
        {"cells": [0], "side": "lower", "value": 0, "witness": 0,
         "proof": [{"bound": {"denominator": 1, "numerators": []}}]},
        {"cells": [0], "side": "upper", "value": 5, "witness": 1,
         "proof": [{"bound": {"denominator": 1, "numerators": [[0, 1]]}}]},
        {"cells": [0], "side": "upper", "value": 5, "witness": 0,
         "proof": [{"split": {"cell": 1, "at_most": 0, "below": 1, "above": 2}},
                   {"bound": {"denominator": 1, "numerators": [[0, 1]]}},
                   {"bound": {"denominator": 1, "numerators": [[0, 1]]}}]}
    ]}"#;

/// A proof that uses nothing.
const NOTHING: &str = r#"{"bound": {"denominator": 1, "numerators": []}}"#;

/// Bounds, and those that are attained.
fn checked(text: &str) -> Result<(usize, usize), Refusal> {
    verify(text.as_bytes()).map(|found| (found.bounds, found.attained))
}

/// A file of one claim about the cells 0 and so on.
fn one_claim(capacities: &str, tables: &str, claim: &str) -> String {
    format!(
        r#"{{"schema": "{SCHEMA}", "capacities": [{capacities}], "rows": [], "tables": {tables}, "claims": [{{{claim}}}]}}"#
    )
}

#[test]
fn proved_bounds_pass_and_attained_ones_are_counted() {
    assert_eq!(checked(GOOD), Ok((3, 2)));
    let summary = verify(GOOD.as_bytes()).unwrap();
    assert_eq!(summary, Summary { rows: 1, cells: 2, tables: 2, bounds: 3, attained: 2 });
}

#[test]
fn each_fault_is_refused_where_it_is() {
    let claim = |index, flaw| Refusal::Claim { index, flaw };
    let wrong = [
        ("\"value\": 5, \"witness\": 1", "\"value\": 4, \"witness\": 1", claim(1, Flaw::Value)),
        ("\"value\": 0,", "\"value\": 1,", claim(0, Flaw::Value)),
        ("[[1, 5]]", "[[1, 4]]", Refusal::Table(0)),
        ("[[0, 5]]]", "[[0, 5], [0, 5]]]", Refusal::Table(1)),
        ("[[0, 5]]]", "[[7, 5]]]", Refusal::Table(1)),
        ("\"numerators\": [[0, 1]]}}]},", "\"numerators\": [[0, 2]]}}]},", claim(1, Flaw::Weak)),
        ("\"numerators\": [[0, 1]]}}]},", "\"numerators\": [[1, 1]]}}]},", claim(1, Flaw::Malformed)),
        ("\"denominator\": 1, \"numerators\": []", "\"denominator\": 0, \"numerators\": []", claim(0, Flaw::Malformed)),
        ("\"witness\": 1", "\"witness\": 2", claim(1, Flaw::Malformed)),
        ("\"below\": 1", "\"below\": 0", claim(2, Flaw::Malformed)),
        ("\"above\": 2", "\"above\": 3", claim(2, Flaw::Malformed)),
        ("\"at_most\": 0", "\"at_most\": 9223372036854775807", claim(2, Flaw::Overflow)),
        ("\"cells\": [0], \"side\": \"lower\"", "\"cells\": [5], \"side\": \"lower\"", claim(0, Flaw::Malformed)),
        ("\"lower\": 5, \"upper\": 5", "\"lower\": 6, \"upper\": 5", Refusal::System(crate::MalformedSystem::Row(0))),
        ("[9, 9]", "[9, -9]", Refusal::System(crate::MalformedSystem::Capacity(1))),
    ];
    for (from, to, refusal) in wrong {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD, "{from}");
        assert_eq!(checked(&text), Err(refusal), "{from} -> {to}");
    }
}

#[test]
fn what_is_no_file_of_certificates_is_refused_without_showing_it() {
    let unknown = GOOD.replacen("\"claims\"", "\"CANARY\": 1, \"claims\"", 1);
    let twice = GOOD.replacen("\"claims\"", "\"rows\": [], \"claims\"", 1);
    let missing = GOOD.replacen("\"name\": \"total\", ", "", 1);
    for text in ["", "[]", "{\"CANARY\": 7}", "{\"schema\": \"CANARY\"}", &unknown, &twice, &missing] {
        let refusal = checked(text).unwrap_err();
        assert!(matches!(refusal, Refusal::Format { .. }), "{text}: {refusal:?}");
        assert!(!refusal.to_string().contains("CANARY"));
    }
    assert_eq!(checked(&GOOD.replace("certificates/1", "certificates/2")), Err(Refusal::OtherSchema));
}

#[test]
fn a_refusal_names_the_flaw_as_its_source() {
    use std::error::Error;

    let source = |refusal: Refusal| refusal.source().map(ToString::to_string);
    let flaw = Refusal::Claim { index: 0, flaw: Flaw::Weak };
    assert_eq!(source(flaw), Some(Flaw::Weak.to_string()));
    let malformed = crate::MalformedSystem::Row(0);
    assert_eq!(source(Refusal::System(malformed)), Some(crate::MalformedSystem::Row(0).to_string()));
    assert_eq!(source(Refusal::OtherSchema), None);
}

#[test]
fn work_is_every_cell_and_row_that_is_named() {
    let file = Certificates::from_json(GOOD.as_bytes()).unwrap();
    let work = file.work(&Checker::new(&file.capacities, &file.rows).unwrap());
    // A count and its row in each table; the cell of a claim at each node of its proof, and there
    // the two cells of the row, or the cell of the split.
    assert_eq!(work, 2 * 2 + 1 + (1 + 2) + (1 + 1) + 2 * (1 + 2));
}

/// A chain of cases over many cells, the half that goes on last.
fn chain(cells: usize, cases: usize) -> String {
    let case = |index: usize| {
        let (below, above) = (2 * index + 1, 2 * index + 2);
        format!(r#"{{"split": {{"cell": {index}, "at_most": 0, "below": {below}, "above": {above}}}}},{NOTHING},"#)
    };
    let cases: String = (0..cases).map(case).collect();
    let claim = format!(r#""cells": [0], "side": "lower", "value": 0, "witness": 0, "proof": [{cases}{NOTHING}]"#);
    one_claim(&vec!["1"; cells].join(","), "[[]]", &claim)
}

#[test]
fn a_deep_proof_over_many_cells_takes_no_more_than_it_names() {
    let file = Certificates::from_json(chain(200_000, 3_000).as_bytes()).unwrap();
    assert!(file.work(&Checker::new(&file.capacities, &file.rows).unwrap()) < 100_000);
    assert_eq!(checked(&chain(200_000, 3_000)), Ok((1, 1)));
    // Each case is as wide as its claim: if boxes were not restored, the bound would seem to be
    // proved.
    let wrong = chain(3, 2).replace("\"value\": 0", "\"value\": 1").replace("[[]]", "[[[0, 1]]]");
    assert!(checked(&wrong).is_err());
}

#[test]
fn boxes_are_restored_between_the_halves_of_a_case() {
    // Of two cells with one person each: at most 1 in the first half, 2 in the second.
    let file = |value: u64, below: u64, above: u64| {
        let split = format!(r#"{{"split": {{"cell": 0, "at_most": 0, "below": {below}, "above": {above}}}}}"#);
        let proof = format!(r#""proof": [{split}, {NOTHING}, {NOTHING}]"#);
        let claim = format!(r#""cells": [0, 1], "side": "upper", "value": {value}, "witness": 0, {proof}"#);
        one_claim("1, 1", "[[[0, 1]]]", &claim)
    };
    assert_eq!(checked(&file(2, 2, 1)), Ok((1, 0)));
    assert!(checked(&file(1, 2, 1)).is_err() && checked(&file(1, 1, 2)).is_err());
}

/// A file whose only table is empty and against its row, and whose only proof names that row again
/// and again.
fn repeated(cells: usize, times: usize) -> String {
    let all = (0..cells).map(|cell| cell.to_string()).collect::<Vec<_>>().join(",");
    let (capacities, numerators) = (vec!["1"; cells].join(","), vec!["[0,1]"; times].join(","));
    let row = format!(r#""rows": [{{"name": "", "cells": [{all}], "lower": 1, "upper": 9}}]"#);
    let proof = format!(r#"[{{"bound": {{"denominator": 1, "numerators": [{numerators}]}}}}]"#);
    let claim = format!(r#""cells": [], "side": "lower", "value": 0, "witness": 0, "proof": {proof}"#);
    one_claim(&capacities, "[[]]", &claim).replacen("\"rows\": []", &row, 1)
}

#[test]
fn more_work_than_the_limit_is_refused_by_an_estimate() {
    assert_eq!(MOST_WORK, 1 << (16 + 17));
    assert_eq!(checked(&repeated(1 << 16, (1 << 17) + 1)), Err(Refusal::TooMuchWork));
    assert_eq!(checked(&repeated(1 << 16, 1 << 17)), Err(Refusal::Table(0)), "as much as the limit is done");
}

#[test]
fn empty_tables_cost_nothing_and_must_satisfy_the_rows_as_well() {
    let tables = vec!["[]"; 1_000].join(",");
    let file = |lower: u64| {
        format!(
            r#"{{"schema": "{SCHEMA}", "capacities": [1, 1], "rows": [{{"name": "", "cells": [0], "lower": {lower},
            "upper": 1}}], "tables": [{tables}], "claims": []}}"#
        )
    };
    assert_eq!(checked(&file(0)), Ok((0, 0)));
    assert_eq!(checked(&file(1)), Err(Refusal::Table(0)));
}

#[test]
fn a_proof_that_goes_in_circles_ends() {
    let circle = GOOD.replace("\"below\": 1, \"above\": 2", "\"below\": 0, \"above\": 0");
    assert_eq!(checked(&circle), Err(Refusal::Claim { index: 2, flaw: Flaw::Malformed }));
}
