//! Files of certificates: what is accepted is true, no matter who wrote it; and writing and
//! reading keep every number.
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

use frechet_certificate::{
    Bound, Certificates, Claim, Collector, Flaw, Multipliers, Node, Proof, Ratio, Row, Side, SparseTable, Split,
    Witness, verify,
};
use serde_json::Value;

/// The cells of a bound, its side and value, the cells of a witness, and the proof.
type Case<'a> = (&'a [u32], Side, i64, &'a [(u32, i64)], Proof);

/// Three cells with at most 3, 3 and 2 people; the first two add up to 3 or 4, the last two to 3.
fn good() -> Certificates {
    let rows = vec![Row::new("a", vec![0, 1], 3, 4), Row::new("b", vec![1, 2], 3, 3)];
    let capacities = vec![3, 3, 2];
    let leaf = |numerators: &[(usize, i64)]| Multipliers { denominator: 2, numerators: numerators.to_vec() };
    let by_rows = |numerators: &[(usize, i64)]| Proof::by_rows(leaf(numerators));
    let cases = Proof {
        nodes: vec![
            Node::Split(Split { cell: 1, at_most: 0, below: 1, above: 2 }),
            // Without the second cell, the third would have 3 people.
            Node::Empty(leaf(&[(1, -2)])),
            Node::Bound(leaf(&[(0, 2)])),
        ],
    };
    let bounds: [Case<'_>; 5] = [
        (&[0], Side::Upper, 3, &[(0, 3), (1, 1), (2, 2)], by_rows(&[])),
        (&[0], Side::Lower, 0, &[(1, 3)], by_rows(&[])),
        (&[1], Side::Lower, 1, &[(0, 3), (1, 1), (2, 2)], by_rows(&[(1, -2)])),
        (&[0, 2], Side::Lower, 0, &[(1, 3)], by_rows(&[])),
        (&[0], Side::Upper, 3, &[(0, 3), (1, 1), (2, 2)], cases),
    ];
    let mut collector = Collector::new(&capacities, &rows).unwrap();
    for (cells, side, value, counts, proof) in bounds {
        let table = SparseTable::new(counts.to_vec());
        let held = cells.iter().map(|cell| counts.iter().find(|(own, _)| own == cell).map_or(0, |(_, n)| *n)).sum();
        let bound = Bound { value, relaxed: Ratio::whole(value), proof, witness: Witness { value: held, table } };
        collector.add(cells.to_vec(), side, &bound).unwrap();
    }
    collector.finish()
}

fn written(certificates: &Certificates) -> Vec<u8> {
    let mut bytes = Vec::new();
    certificates.write_json(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_collected_file_verifies_and_shares_its_tables() {
    let file = good();
    let summary = file.verify().unwrap();
    assert_eq!((summary.bounds, summary.attained, summary.tables), (5, 5, 2));
    assert_eq!(verify(&written(&file)), Ok(summary));
}

#[test]
fn nothing_is_collected_that_does_not_verify() {
    let rows = [Row::new("a", vec![0], 2, 2)];
    let mut collector = Collector::new(&[9], &rows).unwrap();
    let witness = Witness { value: 2, table: SparseTable::new(vec![(0, 2)]) };
    let proof = Proof::by_rows(Multipliers::integral(vec![]));
    let bound = Bound { value: 2, relaxed: Ratio::whole(2), proof, witness };
    assert_eq!(collector.add(vec![0], Side::Upper, &bound), Err(Flaw::Weak));
    let file = collector.finish();
    assert!(file.claims.is_empty() && file.tables.is_empty());
}

#[test]
fn writing_and_reading_keep_every_byte() {
    let bytes = written(&good());
    assert_eq!(written(&Certificates::from_json(&bytes).unwrap()), bytes);
    let head = br#"{"schema":"disclosure.frechet-certificates/1","capacities":[3,3,2],"rows":[{"name":"a","cells":[0,1],"lower":3,"upper":4},"#;
    assert!(bytes.starts_with(head), "{}", String::from_utf8_lossy(&bytes));
    assert!(bytes.ends_with(b"}]}]}\n"));
}

#[test]
fn bounds_are_read_as_they_were_written() {
    let table = SparseTable::new(vec![(2, 7)]);
    let proof = Proof { nodes: good().claims[4].proof.nodes.clone() };
    let bound = Bound { value: 8, relaxed: Ratio::new(17, 2), proof, witness: Witness { value: 7, table } };
    let text = serde_json::to_string(&bound).unwrap();
    assert!(text.starts_with(r#"{"value":8,"relaxed":{"numerator":17,"denominator":2},"proof":[{"split":"#), "{text}");
    assert_eq!(serde_json::from_str::<Bound>(&text).unwrap(), bound);
}

/// Every number of the file in turn is changed. What is still accepted must be true of the
/// changed rows and capacities, as all of their tables show; and of what is false, nothing is
/// accepted.
#[test]
fn no_number_can_be_changed_so_that_the_file_proves_something_false() {
    let document: Value = serde_json::from_slice(&written(&good())).unwrap();
    let (mut refused, mut harmless) = (0, 0);
    for pointer in numbers(&document, "") {
        for change in [-3, -2, -1, 1, 2, 3, 1 << 40, i64::MAX - 3] {
            let mut tampered = document.clone();
            let number = tampered.pointer_mut(&pointer).unwrap();
            let Some(changed) = number.as_i64().unwrap().checked_add(change) else { continue };
            *number = changed.into();
            match Certificates::from_json(tampered.to_string().as_bytes()) {
                Ok(file) if file.verify().is_ok() => {
                    assert_true(&file, &pointer);
                    harmless += 1;
                }
                _ => refused += 1,
            }
        }
    }
    assert!(refused > 3 * harmless && harmless > 0, "{refused} refused, {harmless} harmless");
}

#[test]
fn every_claim_that_is_made_stronger_is_refused() {
    for index in 0..good().claims.len() {
        let mut file = good();
        let claim = &mut file.claims[index];
        claim.value -= claim.side.sign();
        assert!(file.verify().is_err(), "claim {index}");
    }
}

/// The places of all numbers of a document.
fn numbers(value: &Value, pointer: &str) -> Vec<String> {
    match value {
        Value::Number(_) => vec![pointer.to_owned()],
        Value::Array(values) => {
            values.iter().enumerate().flat_map(|(i, value)| numbers(value, &format!("{pointer}/{i}"))).collect()
        }
        Value::Object(fields) => {
            fields.iter().flat_map(|(name, value)| numbers(value, &format!("{pointer}/{name}"))).collect()
        }
        _ => Vec::new(),
    }
}

/// Asks every table of counts up to 9 that satisfies the rows whether it keeps every claim.
fn assert_true(file: &Certificates, pointer: &str) {
    let cells = u32::try_from(file.capacities.len()).unwrap();
    for number in 0..10_i64.pow(cells) {
        let table: Vec<i64> = (0..cells).map(|cell| number / 10_i64.pow(cell) % 10).collect();
        let is_within = table.iter().zip(&file.capacities).all(|(count, most)| count <= most);
        if is_within && file.rows.iter().all(|row| row.admits(&table)) {
            let holds = |claim: &Claim| {
                let sum: i64 = claim.cells.iter().map(|&cell| table[cell as usize]).sum();
                claim.side.sign() * sum <= claim.side.sign() * claim.value
            };
            assert!(file.claims.iter().all(holds), "{pointer}: {table:?}");
        }
    }
}

/// Four groups of 1,000, 1,000, 1,000 and 100 people, and the sums of two axes: nobody of the
/// first group is counted, and everybody of the last.
#[test]
fn the_file_of_the_example_verifies() {
    let summary = verify(include_bytes!("../examples/two-by-two.json")).unwrap();
    assert_eq!((summary.rows, summary.bounds, summary.attained), (4, 2, 2));
}
