//! A set flag ends every long call.

use hetero_screen::{
    Classes, CodedColumn, Column, Coverage, Error, RealisedCoverage, Records, ScreenLimits, ScreenSpec, Suppression,
    TableScreen, UniformNoise,
};
use privacy_core::stop::StopFlag;

/// Limits that allow years of work, under a flag that another thread sets in a moment.
fn stopped_soon() -> (ScreenLimits, std::thread::JoinHandle<()>) {
    let stop = StopFlag::new();
    let limits = ScreenLimits { groups: 1e30, visits: 1e18, bytes: 1e9, stop: stop.clone(), ..ScreenLimits::default() };
    let setter = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        stop.set();
    });
    (limits, setter)
}

#[test]
fn a_model_with_more_subsets_than_can_be_summed_ends() {
    // 2^40 groups of subsets.
    let columns = (2..42).map(|values| Column::uniform(values).unwrap()).collect();
    let classes = Classes::equal(2).unwrap();
    let spec =
        ScreenSpec::new(1 << 50, columns, classes, Suppression::ClassCount(3), UniformNoise::uniform(2)).unwrap();
    let (limits, setter) = stopped_soon();
    assert_eq!(Coverage::of(&spec, &limits).unwrap_err(), Error::Stopped);
    setter.join().unwrap();
}

#[test]
fn a_table_with_more_subsets_than_can_be_visited_ends() {
    // Rows that 40 columns of two values split slowly.
    let rows = 2_000_u32;
    let codes: Vec<Vec<u32>> = (0..40).map(|column| (0..rows).map(|row| mixed(row, column) & 1).collect()).collect();
    let labels: Vec<u32> = (0..rows).map(|row| mixed(row, 40) & 1).collect();
    let columns: Vec<CodedColumn<'_>> = codes.iter().map(|codes| CodedColumn { codes, cardinality: 2 }).collect();
    let records = Records::new(&columns, CodedColumn { codes: &labels, cardinality: 2 }, None).unwrap();
    let spec = records.model(Suppression::ClassCount(0), UniformNoise::uniform(2)).unwrap();
    let (limits, setter) = stopped_soon();
    assert_eq!(RealisedCoverage::of(&records, &spec, &limits).unwrap_err(), Error::Stopped);
    setter.join().unwrap();
    assert_eq!(TableScreen::of(&records, &spec, &limits).unwrap_err(), Error::Stopped, "the flag stays set");
}

#[test]
fn a_release_that_withholds_nothing_is_stopped_as_well() {
    let columns = vec![Column::uniform(2).unwrap(); 60];
    let classes = Classes::equal(2).unwrap();
    let spec = ScreenSpec::new(1000, columns, classes, Suppression::ClassCount(0), UniformNoise::uniform(2)).unwrap();
    let stop = StopFlag::new();
    let limits = ScreenLimits { groups: 1.0, stop: stop.clone(), ..ScreenLimits::default() };
    assert!(Coverage::of(&spec, &limits).is_ok());
    stop.set();
    assert_eq!(Coverage::of(&spec, &limits).unwrap_err(), Error::Stopped);
}

/// Bits of a row and a column that look random.
fn mixed(row: u32, column: u32) -> u32 {
    let mut bits = (u64::from(row) << 32 | u64::from(column)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (bits >> 40) as u32
}
