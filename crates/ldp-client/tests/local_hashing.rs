//! A report of local hashing, read: a seed and one of the buckets.

use ldp_client::{Feature, Protocol, ReportError, ReportReader, Schema};
use privacy_core::Attribute;
use privacy_core::param::Epsilon;

const VALUES: usize = 6;

fn reader(buckets: u32) -> ReportReader {
    let protocol = Protocol::local_hashing(Epsilon::new(1.0).unwrap(), Some(buckets)).unwrap();
    let feature = Feature::new(Attribute::codes("colour", VALUES).unwrap(), protocol).unwrap();
    ReportReader::new(&Schema::new(vec![feature]).unwrap())
}

/// The values that a report supports, one a bit.
fn supported(reader: &mut ReportReader, seed: u64, bucket: u8) -> Result<u64, ReportError> {
    let mut row = [0];
    let report = [&seed.to_le_bytes()[..], &[bucket]].concat();
    reader.read(&report, &mut row).map(|()| row[0])
}

#[test]
fn under_every_seed_each_value_is_in_one_bucket() {
    let mut reader = reader(3);
    let mut sizes = [0_u32; 3];
    for seed in 0..500_u64 {
        let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let buckets = [0, 1, 2].map(|bucket| supported(&mut reader, seed, bucket).unwrap());
        assert_eq!(buckets[0] | buckets[1] | buckets[2], (1 << VALUES) - 1, "{seed}");
        assert_eq!(buckets.map(u64::count_ones).iter().sum::<u32>(), VALUES as u32, "{seed}");
        sizes.iter_mut().zip(buckets).for_each(|(size, values)| *size += values.count_ones());
    }
    // 3,000 values in three buckets: 1,000 each, five standard deviations are 129.
    assert!(sizes.iter().all(|size| size.abs_diff(1_000) < 130), "{sizes:?}");
}

#[test]
fn a_bucket_that_is_not_there_is_refused() {
    assert_eq!(supported(&mut reader(3), 5, 3), Err(ReportError::Symbol { feature: 0 }));
    assert!(supported(&mut reader(4), 5, 3).is_ok());
    assert_eq!(supported(&mut reader(4), 5, 4), Err(ReportError::Padding));
}
