//! `disclosure frechet verify`: certificates, checked from their file alone (`proved.rs`).

use serde::Serialize;

use super::args::VerifyArgs;
use super::certificates::{Certificates, SCHEMA};
use super::proved::Checker;
use crate::display::count;
use crate::error::Failure;
use crate::files::{print, print_json, read_text_at_most};

/// Longest file.
const LONGEST: u64 = 1 << 30;
/// Cells that are added or compared, all tables and proofs together: half a minute.
const MOST_WORK: u64 = 1 << 33;

/// What was found.
#[derive(Debug, Serialize)]
struct Checked {
    schema: &'static str,
    rows: usize,
    cells: usize,
    tables: usize,
    /// Bounds that follow from the rows.
    bounds: usize,
    /// Those that a table attains: no better bound follows.
    attained: usize,
}

/// Checks every claim of a file.
pub(super) fn run(args: &VerifyArgs) -> Result<(), Failure> {
    let text = read_text_at_most(&args.certificates, |_| LONGEST)?;
    let checked = parse(&text).and_then(|file| check(&file)).map_err(|failure| failure.within(&args.certificates))?;
    if args.json {
        return print_json(&checked);
    }
    let [bounds, attained] = [checked.bounds, checked.attained].map(|number| count(number as f64));
    let (rows, tables) = (several(checked.rows, "row"), several(checked.tables, "table"));
    print(format!("{bounds} bounds follow from {rows}; {attained} are attained, by {tables}\n").as_bytes())
}

fn several(number: usize, what: &str) -> String {
    format!("{} {what}{}", count(number as f64), if number == 1 { "" } else { "s" })
}

fn parse(text: &str) -> Result<Certificates, Failure> {
    // What the parser says of a value may show it.
    let file: Certificates = serde_json::from_str(text).map_err(|error| {
        let message = format!("line {}, column {}: no certificates of this version", error.line(), error.column());
        Failure::new("E0373", message)
    })?;
    match file.schema == SCHEMA {
        true => Ok(file),
        false => Err(Failure::new("E0373", "no certificates of this version")),
    }
}

fn check(file: &Certificates) -> Result<Checked, Failure> {
    let flaw = |words: String| Failure::new("E0374", words);
    let mut checker = Checker::new(file).map_err(|malformed| flaw(format!("{malformed} is malformed")))?;
    if checker.work() > MOST_WORK {
        let next = "write the certificates of fewer classes to a file: classes = \"pairs\" or \"cells\" in the job";
        return Err(Failure::new("E0621", "these proofs take more than 2^33 additions to check").next(next));
    }
    if let Some(number) = (0..file.tables.len()).find(|&table| !checker.fits(table)) {
        return Err(flaw(format!("table {} does not fit the rows", number + 1)));
    }
    let mut attained = 0;
    for (number, claim) in file.claims.iter().enumerate() {
        let sharp = checker.is_proved(claim);
        attained += usize::from(sharp.ok_or_else(|| flaw(format!("claim {} is not proved", number + 1)))?);
    }
    Ok(Checked {
        schema: "disclosure.frechet-verify/1",
        rows: file.rows.len(),
        cells: file.capacities.len(),
        tables: file.tables.len(),
        bounds: file.claims.len(),
        attained,
    })
}

#[cfg(test)]
mod tests {
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

    fn checked(text: &str) -> Result<(usize, usize), Failure> {
        let found = check(&parse(text)?)?;
        Ok((found.bounds, found.attained))
    }

    #[test]
    fn what_is_proved_passes_and_what_is_attained_is_counted() {
        assert_eq!(checked(GOOD).unwrap(), (3, 2));
    }

    #[test]
    fn nothing_passes_that_is_not_proved() {
        let wrong = [
            ("\"value\": 5, \"witness\": 1", "\"value\": 4, \"witness\": 1"),
            ("\"value\": 0,", "\"value\": 1,"),
            ("[[1, 5]]", "[[1, 4]]"),
            ("[[0, 5]]]", "[[0, 5], [0, 5]]]"),
            ("[[0, 5]]]", "[[7, 5]]]"),
            ("\"numerators\": [[0, 1]]}}]},", "\"numerators\": [[0, 2]]}}]},"),
            ("\"numerators\": [[0, 1]]}}]},", "\"numerators\": [[1, 1]]}}]},"),
            ("\"denominator\": 1, \"numerators\": []", "\"denominator\": 0, \"numerators\": []"),
            ("\"witness\": 1", "\"witness\": 2"),
            ("\"below\": 1", "\"below\": 0"),
            ("\"above\": 2", "\"above\": 3"),
            ("\"cell\": 1, \"at_most\": 0", "\"cell\": 1, \"at_most\": 9223372036854775807"),
            ("\"cells\": [0], \"side\": \"lower\"", "\"cells\": [5], \"side\": \"lower\""),
            ("\"lower\": 5, \"upper\": 5", "\"lower\": 6, \"upper\": 5"),
        ];
        for (from, to) in wrong {
            let text = GOOD.replacen(from, to, 1);
            assert_ne!(text, GOOD, "{from}");
            assert!(checked(&text).is_err(), "{from} -> {to}");
        }
    }

    /// A chain of cases over many cells, the half that goes on last.
    fn chain(cells: usize, cases: usize) -> String {
        let bound = r#"{"bound": {"denominator": 1, "numerators": []}}"#;
        let case = |place: usize| {
            let (below, above) = (2 * place + 1, 2 * place + 2);
            format!(r#"{{"split": {{"cell": {place}, "at_most": 0, "below": {below}, "above": {above}}}}},{bound},"#)
        };
        let cases: String = (0..cases).map(case).collect();
        let capacities = vec!["1"; cells].join(",");
        format!(
            r#"{{"schema": "{SCHEMA}", "capacities": [{capacities}], "rows": [], "tables": [[]], "claims": [{{"cells": [0],
            "side": "lower", "value": 0, "witness": 0, "proof": [{cases}{bound}]}}]}}"#
        )
    }

    #[test]
    fn a_deep_proof_over_many_cells_takes_no_more_than_it_names() {
        let file = parse(&chain(200_000, 3_000)).unwrap();
        assert!(Checker::new(&file).unwrap().work() < 100_000);
        assert_eq!(checked(&chain(200_000, 3_000)).unwrap(), (1, 1));
        // Each case is as wide as its claim: were boxes not restored, the bound would be taken for proved.
        let wrong = chain(3, 2).replace("\"value\": 0", "\"value\": 1").replace("[[]]", "[[[0, 1]]]");
        assert!(checked(&wrong).is_err());
    }

    #[test]
    fn boxes_are_restored_between_the_halves_of_a_case() {
        // Of two cells with one person each: at most 1 in the first half, 2 in the second.
        let proof = |value: u64| {
            let bound = r#"{"bound": {"denominator": 1, "numerators": []}}"#;
            format!(
                r#"{{"schema": "{SCHEMA}", "capacities": [1, 1], "rows": [], "tables": [[[0, 1]]], "claims": [{{"cells": [0, 1],
                "side": "upper", "value": {value}, "witness": 0, "proof":
                [{{"split": {{"cell": 0, "at_most": 0, "below": 2, "above": 1}}}}, {bound}, {bound}]}}]}}"#
            )
        };
        assert_eq!(checked(&proof(2)).unwrap(), (1, 0));
        assert!(checked(&proof(1)).is_err());
        assert!(checked(&proof(1).replace("\"below\": 2, \"above\": 1", "\"below\": 1, \"above\": 2")).is_err());
    }

    #[test]
    fn more_work_than_is_done_is_refused_by_an_estimate() {
        let all = (0..100_000).map(|cell: u32| cell.to_string()).collect::<Vec<_>>().join(",");
        let capacities = vec!["1"; 100_000].join(",");
        let numerators = vec!["[0,1]"; 100_000].join(",");
        let text = format!(
            r#"{{"schema": "{SCHEMA}", "capacities": [{capacities}], "rows": [{{"name": "", "cells": [{all}], "lower": 0,
            "upper": 9}}], "tables": [[]], "claims": [{{"cells": [0], "side": "lower", "value": 0, "witness": 0, "proof":
            [{{"bound": {{"denominator": 1, "numerators": [{numerators}]}}}}]}}]}}"#
        );
        let refused = checked(&text).unwrap_err();
        assert!(refused.has_code("E0621"));
    }

    #[test]
    fn empty_tables_cost_nothing_and_must_fit_as_well() {
        let tables = vec!["[]"; 1_000].join(",");
        let file = |lower: u64| {
            format!(
                r#"{{"schema": "{SCHEMA}", "capacities": [1, 1], "rows": [{{"name": "", "cells": [0], "lower": {lower},
                "upper": 1}}], "tables": [{tables}], "claims": []}}"#
            )
        };
        assert_eq!(checked(&file(0)).unwrap(), (0, 0));
        assert!(checked(&file(1)).is_err());
        assert!(checked(&file(0).replace("\"capacities\": [1, 1]", "\"capacities\": [1, -1]")).is_err());
    }

    #[test]
    fn a_proof_that_goes_in_circles_ends() {
        let circle = GOOD.replace("\"below\": 1, \"above\": 2", "\"below\": 0, \"above\": 0");
        assert!(checked(&circle).is_err());
    }
}
