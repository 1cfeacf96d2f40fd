//! A table that several workers read in parts, filtered once: each worker keeps bounded states of
//! its own rows, the states are merged, and the filter decides.
//!
//! ```sh
//! cargo run -p lcf --example streaming
//! ```
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;
use std::thread;

use lcf::{
    ClampedNormal, ColumnRule, DrawMode, EntityColumn, GroupLimits, GroupNumber, Identifier, LabelledGroups,
    LabelledTable, LowCountFilter, NumberNoise, TableOptions, ThresholdTable,
};
use privacy_core::param::StdDev;
use privacy_core::prf::Secret;
use rand_core::Rng;

/// A row: town, clinic, patient.
type Row = (&'static str, &'static str, u64);

fn main() -> Result<(), Box<dyn Error>> {
    // A service reads these bytes from a file that only it can read, and keeps them as long as
    // the data: another secret would draw small groups again.
    let mut key = [0; 32];
    privacy_core::rng::system()?.fill_bytes(&mut key);
    let secret = Secret::new(&key)?;

    // At most 2 patients are never reported; groups of 8 are reported half of the time.
    let thresholds = ThresholdTable::new(ClampedNormal::new(8.0, StdDev::new(1.5)?, 2.0)?);
    let patients = EntityColumn { kind: "patient".to_owned(), thresholds };
    let filter = LowCountFilter::new(vec![patients], ColumnRule::WorkingColumn, DrawMode::Query, &secret)?;
    // A number of patients beside every group that is shown: rounded, the same in every query.
    let filter = filter.with_number(GroupNumber::Rounded(NumberNoise::rounding(10)?))?;

    // Any split of the rows gives the same answer: states merge by union.
    let parts = [rows(0..40), rows(25..70)];
    let states = thread::scope(|scope| {
        let workers: Vec<_> = parts.iter().map(|part| scope.spawn(|| read_part(&filter, part))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).collect::<Vec<_>>()
    });
    let mut groups = LabelledGroups::new(["town", "clinic"], &filter, GroupLimits::default());
    for state in states {
        // From another machine the state comes as bytes: the digest in them says which filter it
        // fits, and the seal that it was made under the secret.
        let state = LabelledTable::from_bytes(&state?.to_bytes(&filter)?, &filter)?;
        groups.merge(&state)?;
    }

    let filtered = filter.apply(groups.into_table(), TableOptions::of(filter.mode()))?;
    for group in filtered.reported() {
        let patients = group.number.unwrap_or_default();
        println!("{}: about {patients} patients", group.labels().collect::<Vec<_>>().join(", "));
    }
    Ok(())
}

/// The state of one worker, in memory that does not grow with its rows.
fn read_part(filter: &LowCountFilter, rows: &[Row]) -> Result<LabelledTable, lcf::Error> {
    let hasher = filter.hasher(0)?;
    let mut groups = LabelledGroups::new(["town", "clinic"], filter, GroupLimits::default());
    for &(town, clinic, patient) in rows {
        let mut group = groups.row([town, clinic])?;
        group.insert_with(0, || Identifier::from(patient).hash(hasher))?;
    }
    Ok(groups.into_table())
}

/// Visits of these patients; a patient in two parts is one patient.
fn rows(patients: std::ops::Range<u64>) -> Vec<Row> {
    let clinic = |patient: u64| if patient.is_multiple_of(20) { "skin" } else { "eye" };
    patients.map(|patient| ("Bonn", clinic(patient), patient)).collect()
}
