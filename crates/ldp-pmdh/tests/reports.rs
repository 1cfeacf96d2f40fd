//! Clients, aggregators and their files: what is made is read, and what no client makes is
//! refused.

use ldp_pmdh::{
    Aggregator, BitNoise, Client, Counts, Feature, FormatError, Kernel, Protocol, REPORTS_HEADER_BYTES, ReportError,
    ReportsHeader, RowError, STATE_HEADER_BYTES, Schema, State, StateDetail, StateError, Tally,
};
use privacy_core::Attribute;
use privacy_core::param::{Epsilon, Probability};
use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use sha2::{Digest, Sha256};

const ROOM: f64 = 1e9;

fn eps(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn feature(name: &str, values: usize, protocol: Protocol) -> Feature {
    Feature::new(Attribute::codes(name, values).unwrap(), protocol).unwrap()
}

fn bits(p: f64, q: f64) -> BitNoise {
    BitNoise::new(Probability::new(p).unwrap(), Probability::new(q).unwrap()).unwrap()
}

/// One feature of every protocol; 15 support columns.
fn every_protocol() -> Schema {
    let rappor = Protocol::Rappor { permanent: bits(0.1, 0.9), instantaneous: bits(0.3, 0.7) };
    let features = vec![
        feature("rr", 2, Protocol::RandomisedResponse(bits(0.1, 0.8))),
        feature("ue", 3, Protocol::UnaryEncoding(bits(0.2, 0.6))),
        feature("grr", 3, Protocol::generalised_response(eps(1.0), 3).unwrap()),
        feature("lh", 6, Protocol::local_hashing(eps(1.5), None).unwrap()),
        feature("rappor", 2, rappor),
    ];
    Schema::new(features).unwrap()
}

fn binary(count: usize) -> Schema {
    let one = |i: usize| feature(&format!("b{i}"), 2, Protocol::RandomisedResponse(bits(0.1, 0.8)));
    Schema::new((0..count).map(one).collect()).unwrap()
}

fn row_of(schema: &Schema, i: u64) -> Vec<u32> {
    let value = |(j, feature): (usize, &Feature)| {
        let mixed = i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7 * j as u32 + 11);
        (mixed % feature.attribute().cardinality() as u64) as u32
    };
    schema.features().iter().enumerate().map(value).collect()
}

fn reports(schema: &Schema, count: u64, seed: u8) -> Vec<u8> {
    let client = Client::new(schema.clone());
    let mut rng = ChaCha20Rng::from_seed([seed; 32]);
    let mut reports = Vec::new();
    (0..count).for_each(|i| client.randomise_into(&row_of(schema, i), &mut reports, &mut rng).unwrap());
    reports
}

fn state(schema: &Schema, keep: StateDetail, reports: &[u8]) -> State {
    let mut aggregator = Aggregator::new(schema.clone(), keep, ROOM).unwrap();
    aggregator.push_all(reports).unwrap();
    aggregator.finish().unwrap()
}

#[test]
fn every_way_of_keeping_gives_the_same_counts() {
    for schema in [every_protocol(), every_protocol().with_features_per_person(3).unwrap()] {
        let reports = reports(&schema, 700, 1);
        let [full, sets, raw] =
            [StateDetail::Full, StateDetail::UpTo(3), StateDetail::Reports].map(|keep| state(&schema, keep, &reports));
        let columns = schema.columns().len();
        for (a, b) in (0..columns).flat_map(|a| (0..columns).map(move |b| (a, b))) {
            for covering in [vec![], vec![0], vec![0, 4]] {
                let set = if a == b { vec![a] } else { vec![a.min(b), a.max(b)] };
                let expected = full.count(&set, &covering).unwrap();
                assert_eq!(raw.count(&set, &covering), Some(expected));
                assert!(sets.count(&set, &covering).is_none_or(|count| count == expected));
                if set.len() + covering.len() <= 3 {
                    assert!(sets.count(&set, &covering).is_some());
                }
            }
        }
        assert_eq!(full.count(&[], &[]), Some(700));
        assert_eq!(full.count(&[columns], &[]), None);
        assert_eq!(sets.count(&[0, 1, 2, 3], &[]), None);
        let lattices = [&full, &raw].map(|state| state.lattice(&[0, 2, 5], &[1]));
        assert_eq!(lattices[0], lattices[1]);
    }
}

#[test]
fn coverage_is_counted_when_features_are_sampled_and_only_then() {
    let schema = every_protocol();
    let all = state(&schema, StateDetail::UpTo(2), &reports(&schema, 50, 2));
    assert_eq!(all.count(&[], &[0, 3]), Some(50));
    let sampled = schema.with_features_per_person(2).unwrap();
    let some = state(&sampled, StateDetail::Full, &reports(&sampled, 5000, 2));
    // A pair of 5 features is covered with probability 1/10: binomial, sd 21; 7 of them.
    assert!(some.count(&[], &[0, 3]).unwrap().abs_diff(500) < 7 * 22);
    assert_eq!(some.count(&[], &[0, 1, 2]), Some(0));
}

/// The canonical example of merging: any split, any order, any grouping.
#[test]
fn merged_states_have_the_same_bytes_whatever_the_split_and_the_order() {
    let schema = every_protocol();
    let client = Client::new(schema.clone());
    let all = reports(&schema, 300, 3);
    let each: Vec<&[u8]> = all.chunks(client.report_bytes()).collect();
    for keep in [StateDetail::Full, StateDetail::UpTo(3), StateDetail::Reports] {
        let whole = state(&schema, keep, &all).to_bytes();
        let backwards: Vec<u8> = each.iter().rev().copied().flatten().copied().collect();
        assert_eq!(state(&schema, keep, &backwards).to_bytes(), whole);
        let part =
            |i: usize| state(&schema, keep, &each.iter().skip(i).step_by(3).copied().collect::<Vec<_>>().concat());
        let (mut left, mut right) = (part(0), part(2));
        left.merge(&part(1)).unwrap();
        left.merge(&part(2)).unwrap();
        right.merge(&part(0)).unwrap();
        right.merge(&part(1)).unwrap();
        assert_eq!(left.to_bytes(), whole);
        assert_eq!(right.to_bytes(), whole);
    }
}

#[test]
fn kernels_make_the_same_state_past_a_full_block() {
    let schema = binary(70);
    let reports = reports(&schema, 33_000, 4);
    let bytes = |kernel: Kernel| {
        let mut aggregator = Aggregator::new(schema.clone(), StateDetail::UpTo(2), ROOM).unwrap().with_kernel(kernel);
        aggregator.push_all(&reports).unwrap();
        aggregator.finish().unwrap().to_bytes()
    };
    let all: Vec<Vec<u8>> = Kernel::available().into_iter().map(bytes).collect();
    assert!(all.iter().all(|bytes| *bytes == all[0]));
    let one = state(&schema, StateDetail::Reports, &reports);
    let first = state(&schema, StateDetail::UpTo(2), &reports);
    for (i, j) in [(0, 1), (3, 69), (64, 65)] {
        assert_eq!(one.count(&[i, j], &[]), first.count(&[i, j], &[]));
    }
}

#[test]
fn states_survive_their_files() {
    let schema = every_protocol().with_features_per_person(4).unwrap();
    for keep in [StateDetail::Full, StateDetail::UpTo(2), StateDetail::Reports] {
        for count in [0, 1, 500] {
            let before = state(&schema, keep, &reports(&schema, count, 5));
            let bytes = before.to_bytes();
            assert_eq!(Tally::file_bytes(&bytes[..STATE_HEADER_BYTES]), Ok(bytes.len() as u64));
            let after = State::from_bytes(&bytes, &schema).unwrap();
            assert_eq!((after.to_bytes(), after.reports()), (bytes, count));
            assert_eq!(after.count(&[0], &[1]), before.count(&[0], &[1]));
        }
    }
}

#[test]
fn a_damaged_state_is_refused_at_every_byte() {
    let schema = binary(3);
    let bytes = state(&schema, StateDetail::UpTo(2), &reports(&schema, 20, 6)).to_bytes();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        assert!(State::from_bytes(&damaged, &schema).is_err(), "byte {at}");
        assert!(State::from_bytes(&bytes[..at], &schema).is_err(), "cut at {at}");
    }
    assert!(State::from_bytes(&[bytes, vec![0]].concat(), &schema).is_err());
}

#[test]
fn a_header_that_promises_too_much_takes_no_memory() {
    let schema = binary(3);
    let mut bytes = state(&schema, StateDetail::Reports, &reports(&schema, 20, 6)).to_bytes();
    bytes[12..20].copy_from_slice(&(1_u64 << 53).to_le_bytes());
    assert!(matches!(State::from_bytes(&bytes, &schema), Err(StateError::Format(FormatError::Length { .. }))));
    bytes[12..20].copy_from_slice(&u64::MAX.to_le_bytes());
    assert_eq!(State::from_bytes(&bytes, &schema).unwrap_err(), StateError::TooManyReports);
}

#[test]
fn states_of_other_schemas_and_kinds_are_not_merged() {
    let (schema, other) = (binary(3), binary(4));
    let mut ours = state(&schema, StateDetail::Full, &reports(&schema, 5, 7));
    let before = ours.to_bytes();
    assert_eq!(ours.merge(&state(&other, StateDetail::Full, &[])), Err(FormatError::OtherSchema.into()));
    assert_eq!(ours.merge(&state(&schema, StateDetail::UpTo(2), &[])), Err(StateError::OtherKeep));
    assert_eq!(ours.to_bytes(), before);
    assert_eq!(State::from_bytes(&before, &other).unwrap_err(), FormatError::OtherSchema.into());
    assert!(matches!(State::from_bytes(b"LDPR", &schema), Err(StateError::Format(FormatError::OtherKind { .. }))));
}

#[test]
fn headers_of_reports_are_read_and_refused() {
    let schema = binary(9);
    let header = ReportsHeader::new(&schema, 7);
    let bytes = header.to_bytes();
    assert_eq!(ReportsHeader::parse(&bytes, &schema), Ok(header));
    assert_eq!((header.reports(), header.report_bytes()), (7, 2));
    assert!(matches!(
        ReportsHeader::parse(&bytes[..REPORTS_HEADER_BYTES - 1], &schema),
        Err(FormatError::Length { .. })
    ));
    assert_eq!(ReportsHeader::parse(&bytes, &binary(8)), Err(FormatError::OtherSchema));
    let with = |at: usize, byte: u8| {
        let mut bytes = bytes;
        bytes[at] = byte;
        ReportsHeader::parse(&bytes, &schema)
    };
    assert!(matches!(with(0, b'X'), Err(FormatError::OtherKind { .. })));
    assert_eq!(with(4, 2), Err(FormatError::Version { expected: 1, got: 2 }));
    assert_eq!(with(6, 1), Err(FormatError::Reserved));
    assert_eq!(with(8, 3), Err(FormatError::ReportBytes { expected: 2, got: 3 }));
    assert_eq!(with(20, bytes[20] ^ 1), Err(FormatError::OtherSchema));
}

#[test]
fn reports_that_no_client_makes_are_refused_with_the_reason() {
    let schema = every_protocol();
    let mut aggregator = Aggregator::new(schema.clone(), StateDetail::UpTo(2), ROOM).unwrap();
    let good = reports(&schema, 1, 8);
    // 1 + 3 bits, 2 of a symbol, 64 of a seed, 3 of a bucket, 2: 75 bits.
    assert_eq!(good.len(), 10);
    let mut with = |change: fn(&mut Vec<u8>)| {
        let mut report = good.clone();
        change(&mut report);
        aggregator.push(&report)
    };
    assert_eq!(with(|_| ()), Ok(()));
    assert_eq!(with(|r| r.push(0)), Err(ReportError::Width { expected: 10, got: 11 }));
    assert_eq!(with(Vec::clear), Err(ReportError::Width { expected: 10, got: 0 }));
    assert_eq!(with(|r| r[9] |= 0x80), Err(ReportError::Padding));
    assert_eq!(with(|r| r[0] |= 0x30), Err(ReportError::Symbol { feature: 2 }));
    assert_eq!(
        with(|r| {
            r[8] |= 0xc0;
            r[9] |= 1;
        }),
        Err(ReportError::Symbol { feature: 3 })
    );
    assert_eq!(aggregator.finish().unwrap().reports(), 1);
}

#[test]
fn reports_about_features_that_are_not_covered_are_refused() {
    let schema = binary(4).with_features_per_person(2).unwrap();
    let push = |report: u8| Aggregator::new(schema.clone(), StateDetail::Full, ROOM).unwrap().push(&[report]);
    assert_eq!(push(0b0011_0001), Ok(()));
    assert_eq!(push(0b0011_0100), Err(ReportError::NotCovered { feature: 2 }));
    assert_eq!(push(0b0111_0001), Err(ReportError::Coverage { expected: 2 }));
    assert_eq!(push(0b0001_0001), Err(ReportError::Coverage { expected: 2 }));
    let counted = state(&schema, StateDetail::UpTo(2), &[0b0011_0001, 0b1010_0000, 0b1001_1001]);
    let counts = [(vec![0], vec![]), (vec![0], vec![1]), (vec![0, 3], vec![]), (vec![], vec![1]), (vec![], vec![0, 1])];
    let found = counts.map(|(columns, covering)| counted.count(&columns, &covering).unwrap());
    assert_eq!(found, [2, 1, 1, 2, 1]);
}

#[test]
fn support_bits_that_no_report_has_are_refused() {
    let schema = every_protocol();
    let mut aggregator = Aggregator::new(schema.clone(), StateDetail::UpTo(2), ROOM).unwrap();
    let mut support = vec![false; schema.columns().len()];
    assert_eq!(aggregator.push_support(&support), Err(ReportError::Symbol { feature: 2 }));
    support[schema.columns_of(2).start] = true;
    assert_eq!(aggregator.push_support(&support), Ok(()));
    assert!(matches!(aggregator.push_support(&support[1..]), Err(ReportError::Width { .. })));
    support[schema.columns_of(2).start + 1] = true;
    assert_eq!(aggregator.push_support(&support), Err(ReportError::Symbol { feature: 2 }));
}

#[test]
fn what_would_not_fit_is_refused_before_memory_is_taken() {
    let new = |schema: Schema, keep| Aggregator::new(schema, keep, ROOM).map(|_| ());
    assert_eq!(new(binary(21), StateDetail::Full), Err(StateError::TooManyColumns { limit: 20, columns: 21 }));
    let sampled = binary(11).with_features_per_person(1).unwrap();
    assert_eq!(new(sampled, StateDetail::Full), Err(StateError::TooManyColumns { limit: 20, columns: 22 }));
    assert_eq!(new(binary(2), StateDetail::UpTo(0)), Err(StateError::Order { got: 0 }));
    assert_eq!(new(binary(2), StateDetail::UpTo(7)), Err(StateError::Order { got: 7 }));
    assert!(matches!(new(binary(1000), StateDetail::UpTo(3)), Err(StateError::TooLarge { .. })));
    assert!(matches!(new(binary(1000), StateDetail::UpTo(6)), Err(StateError::TooLarge { .. })));
    assert_eq!(new(binary(1000), StateDetail::UpTo(2)), Ok(()));
    let raw = Aggregator::new(binary(1000), StateDetail::Reports, ROOM).unwrap();
    assert_eq!(raw.reserve(1_000_000), Ok(()));
    assert!(matches!(raw.reserve(u64::MAX), Err(StateError::TooLarge { .. })));
}

#[test]
fn rows_that_do_not_fit_are_refused_without_their_values() {
    let client = Client::new(every_protocol());
    let mut rng = ChaCha20Rng::from_seed([9; 32]);
    let short = client.randomise(&[0; 4], &mut rng);
    assert_eq!(short, Err(RowError::Length { expected: 5, got: 4 }));
    let off = client.randomise(&[0, 0, 4711, 0, 0], &mut rng).unwrap_err();
    assert!(matches!(&off, RowError::NoSuchValue { feature, values: 3 } if feature == "grr"));
    assert!(!off.to_string().contains("4711"));
    assert!(client.randomise_rows(&[0; 11], &mut rng).is_err());
    let memoized = client.memoize(&[1, 2, 2, 3, 1], &mut rng).unwrap();
    assert_eq!(format!("{memoized:?}"), "MemoizedResponse { .. }");
    let other = Client::new(every_protocol().with_features_per_person(4).unwrap());
    assert_eq!(other.report(&memoized, &mut rng), Err(RowError::OtherSchema));
}

#[test]
fn a_report_from_a_remembered_row_keeps_its_permanent_bits() {
    let noiseless = bits(0.0, 1.0);
    let rappor = Protocol::Rappor { permanent: bits(0.4, 0.6), instantaneous: noiseless };
    let client = Client::new(Schema::new(vec![feature("a", 200, rappor)]).unwrap());
    let mut rng = ChaCha20Rng::from_seed([10; 32]);
    let memoized = client.memoize(&[3], &mut rng).unwrap();
    let first = client.report(&memoized, &mut rng).unwrap();
    assert_eq!(client.report(&memoized, &mut rng).unwrap(), first);
    assert_ne!(client.randomise(&[3], &mut rng).unwrap(), first);
}

/// The bytes of a state that counted these streams, in any order.
fn state_of_files(schema: &Schema, keep: StateDetail, files: &[&[u8]]) -> Vec<u8> {
    let mut aggregator = Aggregator::new(schema.clone(), keep, ROOM).unwrap();
    let width = Client::new(schema.clone()).report_bytes();
    for file in files {
        let header = ReportsHeader::new(schema, (file.len() / width) as u64).to_bytes();
        aggregator.push_stream(&mut [&header[..], file].concat().as_slice()).unwrap();
    }
    aggregator.finish().unwrap().to_bytes()
}

#[test]
fn a_state_remembers_its_files_and_every_byte_of_it_matters() {
    let schema = binary(3);
    for keep in [StateDetail::Full, StateDetail::UpTo(2), StateDetail::Reports] {
        let (a, b) = ([1_u8, 2, 3].as_slice(), [4_u8, 5].as_slice());
        let both = state_of_files(&schema, keep, &[a, b]);
        assert_eq!(state_of_files(&schema, keep, &[b, a]), both);
        let [a, b] = [a, b].map(|file| Tally::from_bytes(&state_of_files(&schema, keep, &[file])).unwrap());
        let mut merged = a.clone();
        merged.merge(&b).unwrap();
        assert_eq!((merged.to_bytes(), merged.sources(), merged.has_every_source()), (both.clone(), 2, true));
        assert!(merged.shares_source(&a) && merged.shares_source(&b) && !a.shares_source(&b));
        assert_eq!(Tally::file_bytes(&both[..STATE_HEADER_BYTES]), Ok(both.len() as u64));
        let plain = merged.clone().without_sources();
        assert!(plain.to_bytes()[4] == 1 && !plain.shares_source(&a) && plain.reports() == 5);
        for at in 0..both.len() {
            let mut changed = both.clone();
            changed[at] ^= 0x10;
            assert!(Tally::from_bytes(&changed).is_err() && Tally::from_bytes(&both[..at]).is_err(), "{at}");
        }
        // Sources that are not increasing, or none, under a checksum that fits.
        let end = both.len() - 32;
        let mut swapped = both[..end].to_vec();
        swapped[end - 64..].rotate_left(32);
        let mut none = both[..end - 64].to_vec();
        none[52] = 0;
        for mut content in [swapped, none] {
            let checksum: [u8; 32] = Sha256::digest(&content).into();
            content.extend(checksum);
            assert!(Tally::from_bytes(&content).is_err());
        }
    }
}

proptest! {
    /// Whatever the bytes, there is an answer; and what is accepted is counted.
    #[test]
    fn no_bytes_bring_an_aggregator_down(bytes in proptest::collection::vec(any::<u8>(), 0..40), sampled: bool) {
        let schema = if sampled { every_protocol().with_features_per_person(2).unwrap() } else { every_protocol() };
        let mut aggregator = Aggregator::new(schema, StateDetail::UpTo(2), ROOM).unwrap();
        let accepted = aggregator.push(&bytes).is_ok();
        prop_assert_eq!(aggregator.finish().unwrap().reports(), u64::from(accepted));
    }

    /// Any content, under a checksum that fits: it is refused, or makes a state that answers.
    #[test]
    fn no_content_brings_a_reader_of_states_down(content in proptest::collection::vec(any::<u8>(), 0..80), kind in 0..3) {
        let schema = if kind == 2 { every_protocol() } else { binary(3) };
        let keep = [StateDetail::Full, StateDetail::UpTo(2), StateDetail::Reports][kind as usize];
        let mut bytes = state(&schema, keep, &[]).to_bytes();
        // Without sources the header has 52 bytes.
        let room = bytes.len() - 32 - 52;
        bytes.truncate(52);
        let small = |byte: &u8| byte % 4;
        if keep == StateDetail::Reports {
            bytes[12] = (content.len() / 2) as u8;
            bytes.extend(&content[..content.len() / 2 * 2]);
        } else {
            bytes[12] = 4;
            bytes.extend((0..room).map(|i| if i % 8 == 0 { content.get(i / 8).map_or(0, small) } else { 0 }));
        }
        let checksum: [u8; 32] = Sha256::digest(&bytes).into();
        bytes.extend(checksum);
        match State::from_bytes(&bytes, &schema) {
            Ok(state) => prop_assert!(state.count(&[0, 1], &[]).unwrap() <= state.count(&[0], &[]).unwrap()),
            Err(error) => prop_assert_eq!(error, StateError::Inconsistent),
        }
    }

    #[test]
    fn no_bytes_bring_a_reader_of_states_down(bytes in proptest::collection::vec(any::<u8>(), 0..200), good: bool) {
        let schema = binary(3);
        let start = if good { state(&schema, StateDetail::UpTo(2), &[]).to_bytes()[..52].to_vec() } else { b"LDPS".to_vec() };
        prop_assert!(State::from_bytes(&[start.clone(), bytes.clone()].concat(), &schema).is_err());
        prop_assert!(ReportsHeader::parse(&[b"LDPR".to_vec(), bytes].concat(), &schema).is_err());
    }
}
