//! `disclosure frechet verify`: certificates, checked from their file alone.
//!
//! With `s = +1` for an upper end and `-1` for a lower one, `c` the indicator of the cells of a claim, `A` the rows and
//! `y / D` the multipliers, every table within boxes `l <= x <= u` that fits the rows has
//!
//! ```text
//! (1)  D s c x  <=  sum_j max((D s c - y A)_j x_j over l_j..=u_j)  +  sum_i max(y_i r over lower_i..=upper_i) .
//! ```
//!
//! A claim `s c x <= s value` follows in whole numbers when `D (s value + 1)` is above the right side; with `c = 0` and a
//! negative right side no table is there. All of it is integers of 128 bits. None of the solver's code is used.

use serde::Serialize;

use super::args::VerifyArgs;
use super::certificates::{Certificates, Claim, End, Multipliers, Node, SCHEMA};
use crate::display::count;
use crate::error::Failure;
use crate::files::{print, print_json, read_text_at_most};

/// Longest file.
const LONGEST: u64 = 1 << 30;

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
    for (number, row) in file.rows.iter().enumerate() {
        if !is_set(&row.cells, file.capacities.len()) || row.lower > row.upper {
            return Err(flaw(format!("row {} is malformed", number + 1)));
        }
    }
    if let Some(number) = file.tables.iter().position(|table| !fits(file, table)) {
        return Err(flaw(format!("table {} does not fit the rows", number + 1)));
    }
    let mut attained = 0;
    for (number, claim) in file.claims.iter().enumerate() {
        let sharp = is_proved(file, claim);
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

fn is_set(cells: &[u32], all: usize) -> bool {
    cells.windows(2).all(|pair| pair[0] < pair[1]) && cells.last().is_none_or(|&last| (last as usize) < all)
}

/// Whether a table is whole, within the capacities, and has every row's sum.
fn fits(file: &Certificates, table: &[(u32, i64)]) -> bool {
    let cells: Vec<u32> = table.iter().map(|&(cell, _)| cell).collect();
    if !is_set(&cells, file.capacities.len()) {
        return false;
    }
    let mut counts = vec![0_i64; file.capacities.len()];
    table.iter().for_each(|&(cell, count)| counts[cell as usize] = count);
    let sum = |cells: &[u32]| -> i128 { cells.iter().map(|&cell| i128::from(counts[cell as usize])).sum() };
    counts.iter().zip(&file.capacities).all(|(count, most)| (0..=*most).contains(count))
        && file.rows.iter().all(|row| (i128::from(row.lower)..=i128::from(row.upper)).contains(&sum(&row.cells)))
}

/// What some cells hold in a table that fits.
fn held(cells: &[u32], table: &[(u32, i64)]) -> i128 {
    let count = |cell: &u32| table.binary_search_by_key(cell, |&(cell, _)| cell).map_or(0, |place| table[place].1);
    cells.iter().map(|cell| i128::from(count(cell))).sum()
}

/// Whether the witness attains what the proof bounds; `None` when it bounds less than is claimed.
fn is_proved(file: &Certificates, claim: &Claim) -> Option<bool> {
    let sign = if claim.side == End::Upper { 1 } else { -1 };
    is_set(&claim.cells, file.capacities.len()).then_some(())?;
    let (held, value) = (held(&claim.cells, file.tables.get(claim.witness)?), i128::from(claim.value));
    (sign * held <= sign * value).then_some(())?;
    let boxes: Vec<(i64, i64)> = file.capacities.iter().map(|&most| (0, most)).collect();
    // A tree reaches each of its nodes once; what is no tree runs out of visits.
    let mut visits = claim.proof.len();
    let mut waiting = vec![(0, boxes)];
    while let Some((place, boxes)) = waiting.pop() {
        visits = visits.checked_sub(1)?;
        match claim.proof.get(place)? {
            Node::Bound(dual) => {
                let limit = i128::from(dual.denominator).checked_mul(sign * value + 1)?;
                (right_side(file, claim, dual, &boxes, sign)? < limit).then_some(())?;
            }
            Node::Empty(dual) => (right_side(file, claim, dual, &boxes, 0)? < 0).then_some(())?,
            &Node::Split { cell, at_most, below, above } => {
                let &(lower, upper) = boxes.get(cell)?;
                let (mut left, mut right) = (boxes.clone(), boxes);
                left[cell] = (lower, upper.min(at_most));
                right[cell] = (lower.max(at_most.checked_add(1)?), upper);
                let halves = [(below, left), (above, right)];
                waiting.extend(halves.into_iter().filter(|(_, boxes)| boxes[cell].0 <= boxes[cell].1));
            }
        }
    }
    Some(held == value)
}

/// The right side of (1), the indicator of the cells multiplied by `scale`.
fn right_side(
    file: &Certificates,
    claim: &Claim,
    dual: &Multipliers,
    boxes: &[(i64, i64)],
    scale: i128,
) -> Option<i128> {
    (dual.denominator >= 1).then_some(())?;
    let mut reduced = vec![0_i128; boxes.len()];
    claim.cells.iter().for_each(|&cell| reduced[cell as usize] = scale * i128::from(dual.denominator));
    let mut total = 0_i128;
    for &(row, y) in &dual.numerators {
        let (row, y) = (file.rows.get(row)?, i128::from(y));
        row.cells.iter().for_each(|&cell| reduced[cell as usize] -= y);
        total = total.checked_add((y * i128::from(row.lower)).max(y * i128::from(row.upper)))?;
    }
    for (&cost, &(lower, upper)) in reduced.iter().zip(boxes) {
        let most = cost.checked_mul(i128::from(lower))?.max(cost.checked_mul(i128::from(upper))?);
        total = total.checked_add(most)?;
    }
    Some(total)
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

    #[test]
    fn a_proof_that_goes_in_circles_ends() {
        let circle = GOOD.replace("\"below\": 1, \"above\": 2", "\"below\": 0, \"above\": 0");
        assert!(checked(&circle).is_err());
    }
}
