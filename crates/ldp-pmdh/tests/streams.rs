//! Streams of reports longer than a batch, streams that are cut or too long, and sums of states
//! within a limit of memory.

use ldp_pmdh::{
    Aggregator, BitNoise, Counts, Feature, FormatError, Protocol, REPORTS_HEADER_BYTES, ReportsHeader, Schema,
    StateDetail, StateError, StreamError, Tally, TallyMerger,
};
use privacy_core::Attribute;
use privacy_core::param::Probability;

const ROOM: f64 = 1e9;

/// Unary encoding of 20 values: a report has three bytes, of which four bits are not used.
fn schema() -> Schema {
    let [p, q] = [0.25, 0.75].map(|value| Probability::new(value).unwrap());
    let noise = Protocol::UnaryEncoding(BitNoise::new(p, q).unwrap());
    Schema::new(vec![Feature::new(Attribute::codes("a", 20).unwrap(), noise).unwrap()]).unwrap()
}

const WIDTH: usize = 3;

/// Reports that support the column of their number, modulo 20.
fn reports(count: usize) -> Vec<u8> {
    (0..count).flat_map(|i| (1_u32 << (i % 20)).to_le_bytes()[..WIDTH].to_vec()).collect()
}

fn stream(announced: u64, reports: &[u8]) -> Vec<u8> {
    [&ReportsHeader::new(&schema(), announced).to_bytes()[..], reports].concat()
}

fn aggregator(detail: StateDetail) -> Aggregator {
    Aggregator::new(schema(), detail, ROOM).unwrap()
}

/// More reports than two batches of 65,536 bytes, and exactly as many as one has.
#[test]
fn a_stream_of_several_batches_is_counted_whole() {
    for count in [1, 21_845, 50_003] {
        let mut aggregator = aggregator(StateDetail::UpTo(1));
        assert_eq!(aggregator.push_stream(&mut &stream(count as u64, &reports(count))[..]).unwrap(), count as u64);
        let state = aggregator.finish().unwrap();
        assert_eq!(state.reports(), count as u64);
        for column in 0..20 {
            assert_eq!(state.count(&[column], &[]), Some((0..count).filter(|i| i % 20 == column).count() as u64));
        }
    }
}

#[test]
fn a_report_that_is_refused_has_its_place_in_the_whole_stream() {
    for place in [0, 100, 21_844, 21_845, 44_000] {
        let mut reports = reports(50_003);
        reports[WIDTH * place + 2] |= 0x80;
        let mut aggregator = aggregator(StateDetail::UpTo(1));
        match aggregator.push_stream(&mut &stream(50_003, &reports)[..]) {
            Err(StreamError::Report { position, .. }) => assert_eq!(position, place as u64),
            other => panic!("{other:?}"),
        }
        assert_eq!(aggregator.finish().unwrap().reports(), place as u64, "those before it are counted");
    }
}

#[test]
fn a_stream_that_is_cut_or_too_long_says_what_it_has_and_should_have() {
    let header = REPORTS_HEADER_BYTES as u64;
    for announced in [10, 30_000] {
        let expected = header + WIDTH as u64 * announced;
        let whole = stream(announced, &reports(announced as usize));
        assert_eq!(whole.len() as u64, expected);
        for bytes in [header as usize, header as usize + 7, whole.len() - 1] {
            let error = aggregator(StateDetail::Full).push_stream(&mut &whole[..bytes]).unwrap_err();
            assert!(is_length(&error, expected, bytes as u64), "{error:?} {bytes}");
        }
        let longer = [&whole[..], &[0; 5]].concat();
        let error = aggregator(StateDetail::Full).push_stream(&mut &longer[..]).unwrap_err();
        // It does not read to the end of what may have none: one byte is too much.
        assert!(is_length(&error, expected, expected + 1), "{error:?}");
    }
}

fn is_length(error: &StreamError, wanted: u64, had: u64) -> bool {
    let StreamError::State(StateError::Format(FormatError::Length { expected, got })) = error else { return false };
    *expected == wanted && *got == had
}

/// The bytes of a state that counted a stream of this many reports.
fn state(detail: StateDetail, count: usize) -> Vec<u8> {
    let mut aggregator = aggregator(detail);
    aggregator.push_stream(&mut &stream(count as u64, &reports(count))[..]).unwrap();
    aggregator.finish().unwrap().to_bytes()
}

fn is_too_large<T>(result: Result<T, StreamError>) -> bool {
    matches!(result, Err(StreamError::State(StateError::TooLarge { .. })))
}

/// A state is held twice while it is read: its bytes, and what is made of them.
#[test]
fn a_state_is_read_if_twice_its_bytes_fit() {
    let bytes = state(StateDetail::UpTo(2), 500);
    let needed = 2.0 * bytes.len() as f64;
    let (tally, read) = Tally::read_from(&mut &bytes[..], needed).unwrap();
    assert_eq!((tally.reports(), read), (500, bytes.len() as u64));
    assert!(is_too_large(Tally::read_from(&mut &bytes[..], needed - 1.0)));
    for wrong in [&bytes[..bytes.len() - 1], &[&bytes[..], &[0]].concat()] {
        assert!(matches!(Tally::read_from(&mut &wrong[..], ROOM), Err(StreamError::State(StateError::Format(_)))));
    }
}

/// Counts are added in place, so any number of them fits where one does; kept reports pile up.
#[test]
fn reports_of_merged_states_take_memory_and_counts_do_not() {
    for (detail, piles_up) in [(StateDetail::UpTo(2), false), (StateDetail::Reports, true)] {
        let states: Vec<Vec<u8>> = (400..406).map(|count| state(detail, count)).collect();
        let largest = states.iter().map(Vec::len).max().unwrap() as f64;
        let mut merger = TallyMerger::new(2.0 * largest);
        merger.add_stream(&mut &states[0][..]).unwrap();
        assert_eq!(is_too_large(merger.add_stream(&mut &states[1][..])), piles_up, "{detail:?}");
        // With room for all of their reports, for the sorted copy and for reading.
        let mut merger = TallyMerger::new(40.0 * largest);
        states.iter().for_each(|state| merger.add_stream(&mut &state[..]).unwrap());
        assert_eq!(merger.finish().unwrap().reports(), (400..406).sum::<u64>());
        // Of what is kept, the reports alone are as many bytes as the states.
        let mut merger = TallyMerger::new(5.0 * largest);
        let refused = states.iter().filter(|state| merger.add_stream(&mut &state[..]).is_err()).count();
        assert_eq!(refused > 0, piles_up, "{detail:?}");
    }
}

#[test]
fn a_state_is_added_once_unless_repeats_are_allowed_and_nothing_as_often_as_one_likes() {
    let empty = aggregator(StateDetail::UpTo(1)).finish().unwrap().to_bytes();
    // Of reports that were pushed one by one no source is known: the state stands for itself.
    let mut pushed = aggregator(StateDetail::UpTo(1));
    pushed.push_all(&reports(30)).unwrap();
    let pushed = pushed.finish().unwrap().to_bytes();
    for one in [state(StateDetail::UpTo(1), 70), pushed] {
        let mut merger = TallyMerger::new(ROOM);
        for bytes in [&one, &empty, &empty] {
            merger.add_stream(&mut &bytes[..]).unwrap();
        }
        let repeated = merger.add_stream(&mut &one[..]);
        assert!(matches!(repeated, Err(StreamError::State(StateError::Repeated))), "{repeated:?}");
        let once = merger.finish().unwrap().reports();
        let mut allowing = TallyMerger::new(ROOM).allowing_repeats();
        (0..3).for_each(|_| allowing.add_stream(&mut &one[..]).unwrap());
        assert_eq!(allowing.finish().unwrap().reports(), 3 * once);
    }
    assert!(TallyMerger::new(ROOM).finish().is_none());
}
