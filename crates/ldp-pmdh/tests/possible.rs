//! States whose counts no reports of clients have, in every kind of state.

use ldp_pmdh::{Aggregator, Feature, FormatError, Protocol, Schema, State, StateDetail, StateError, Tally};
use privacy_core::Attribute;
use privacy_core::param::Epsilon;
use sha2::{Digest, Sha256};

fn schema(asked: usize) -> Schema {
    let epsilon = Epsilon::new(1.0).unwrap();
    let grr = |name| {
        let protocol = Protocol::generalised_response(epsilon, 3).unwrap();
        Feature::new(Attribute::codes(name, 3).unwrap(), protocol).unwrap()
    };
    Schema::new(vec![grr("a"), grr("b")]).unwrap().with_features_per_person(asked).unwrap()
}

/// Reports about both features, or about one of them.
fn counted(schema: &Schema, detail: StateDetail) -> Vec<u8> {
    let mut aggregator = Aggregator::new(schema.clone(), detail, 1e9).unwrap();
    for i in 0..60_usize {
        let mut support = vec![false; 6 + if schema.is_sampled() { 2 } else { 0 }];
        let covers = |feature: usize| !schema.is_sampled() || i % 2 == feature;
        for feature in (0..2).filter(|&feature| covers(feature)) {
            support[3 * feature + (i / 2 + feature * (i / 5)) % 3] = true;
            if schema.is_sampled() {
                support[6 + feature] = true;
            }
        }
        aggregator.push_support(&support).unwrap();
    }
    aggregator.finish().unwrap().to_bytes()
}

/// The bytes with one count changed, and a checksum that fits.
fn with_more(bytes: &[u8], at: usize, more: i64) -> Vec<u8> {
    let mut changed = bytes[..bytes.len() - 32].to_vec();
    let count = u64::from_le_bytes(changed[at..at + 8].try_into().unwrap());
    changed[at..at + 8].copy_from_slice(&count.wrapping_add_signed(more).to_le_bytes());
    let checksum: [u8; 32] = Sha256::digest(&changed).into();
    [changed, checksum.to_vec()].concat()
}

#[test]
fn totals_of_a_generalised_response_are_those_of_its_reports() {
    for schema in [schema(2), schema(1)] {
        for detail in [StateDetail::UpTo(1), StateDetail::UpTo(2), StateDetail::UpTo(3)] {
            let bytes = counted(&schema, detail);
            assert!(State::from_bytes(&bytes, &schema).is_ok(), "{detail:?}");
            // Every single count, one less: no other count contradicts it by itself.
            for at in (52..bytes.len() - 32).step_by(8) {
                let changed = with_more(&bytes, at, -1);
                let refused = State::from_bytes(&changed, &schema).err();
                assert!(refused.is_some(), "{detail:?} {at}");
            }
        }
    }
}

#[test]
fn a_cell_of_a_full_table_has_one_symbol() {
    for schema in [schema(2), schema(1)] {
        let bytes = counted(&schema, StateDetail::Full);
        assert!(State::from_bytes(&bytes, &schema).is_ok());
        let cells = 1 << (if schema.is_sampled() { 8 } else { 6 });
        let first = (0..cells).find(|cell| bytes[52 + 8 * cell..60 + 8 * cell] != [0; 8]).unwrap();
        let mut refused = 0;
        for cell in 0..cells {
            // A report moves from its cell to this one: the total stays.
            let changed = with_more(&with_more(&bytes, 52 + 8 * first, -1), 52 + 8 * cell, 1);
            assert!(Tally::from_bytes(&changed).is_ok(), "without the schema it is consistent");
            refused += usize::from(matches!(State::from_bytes(&changed, &schema), Err(StateError::Inconsistent)));
        }
        // Nine pairs of symbols, or three of each feature that is covered alone.
        assert_eq!(refused, cells - if schema.is_sampled() { 6 } else { 9 });
    }
}

#[test]
fn the_same_reports_are_not_counted_twice() {
    let schema = schema(2);
    let client = ldp_pmdh::Client::new(schema.clone());
    let mut rng = privacy_core::rng::system().unwrap();
    let file = |rng: &mut _| {
        let reports = client.randomise_rows(&[0, 1, 2, 2, 1, 0].repeat(20), rng).unwrap();
        let header = ldp_pmdh::ReportsHeader::new(&schema, 60).to_bytes();
        [header.to_vec(), reports].concat()
    };
    let (one, other) = (file(&mut rng), file(&mut rng));
    let mut aggregator = Aggregator::new(schema.clone(), StateDetail::UpTo(2), 1e9).unwrap();
    aggregator.push_stream(&mut &one[..]).unwrap();
    aggregator.push_stream(&mut &other[..]).unwrap();
    let refused = aggregator.push_stream(&mut &one[..]).unwrap_err();
    assert!(matches!(refused, ldp_pmdh::StreamError::State(StateError::Repeated)));
    let mut allowing = Aggregator::new(schema.clone(), StateDetail::UpTo(2), 1e9).unwrap().allowing_repeats();
    assert_eq!([allowing.push_stream(&mut &one[..]).unwrap(), allowing.push_stream(&mut &one[..]).unwrap()], [60, 60]);
    // A reserved byte and a width are not damage.
    let mut reserved = one.clone();
    reserved[6] = 1;
    assert_eq!(ldp_pmdh::ReportsHeader::parse(&reserved, &schema), Err(FormatError::Reserved));
    let mut wide = one;
    wide[8] += 1;
    assert_eq!(ldp_pmdh::ReportsHeader::parse(&wide, &schema), Err(FormatError::ReportBytes { expected: 1, got: 2 }));
}
