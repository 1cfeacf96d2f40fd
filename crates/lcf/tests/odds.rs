//! What decisions reveal, by its definitions, from the probabilities of each size.

use lcf::{ClampedNormal, GroupSizes, HardThreshold, Inference, SizesError, ThresholdTable};
use privacy_core::param::StdDev;

fn tables() -> Vec<ThresholdTable> {
    let narrow = [(4.0, 0.5, 2.0), (8.0, 1.5, 2.0), (6.0, 3.0, 1.0)].map(|(mean, sd, bound)| {
        ThresholdTable::new(ClampedNormal::new(mean, StdDev::new(sd).unwrap(), bound).unwrap())
    });
    // The last draws are nearer to the mean than the first; and tails that are no draw.
    let uneven = [(4.7, 1.0, 2.5), (20.0, 0.5, 2.0)].map(|(mean, sd, bound)| {
        ThresholdTable::new(ClampedNormal::new(mean, StdDev::new(sd).unwrap(), bound).unwrap())
    });
    let hard = ThresholdTable::new(HardThreshold::at_least(5).unwrap());
    narrow.into_iter().chain(uneven).chain([hard]).collect()
}

/// The probabilities that a group of each size is reported.
fn reported(table: &ThresholdTable) -> Vec<f64> {
    (0..=table.cap()).map(|n| table.decision_probability(n).reported).collect()
}

#[test]
fn the_worst_size_of_an_exact_pair_is_where_answers_differ_most() {
    for table in tables() {
        let reported = reported(&table);
        let differ: Vec<f64> =
            reported.windows(2).map(|pair| pair[0] * (1.0 - pair[1]) + (1.0 - pair[0]) * pair[1]).collect();
        let worst = table.worst_sticky_size() as usize;
        assert!(differ.iter().all(|&other| other <= differ[worst] + 1e-12), "{worst}: {differ:?}");
        assert!(differ[..worst].iter().all(|&other| other < differ[worst]), "the smallest such size");
    }
}

#[test]
fn under_a_guard_answers_differ_at_the_floor_or_below_the_cap() {
    for table in tables() {
        let (floor, cap) = (table.floor() as usize, table.cap() as usize);
        let reported = reported(&table);
        let want = reported[floor].max(1.0 - reported[cap - 1]);
        assert!((table.edge_detection() - want).abs() < 1e-12, "{} {want}", table.edge_detection());
        assert!(reported[..floor].iter().all(|&p| p == 0.0) && reported[cap] == 1.0);
    }
}

/// The largest posterior of one size over the next, among decisions that both may lead to, and how
/// often such a decision is made for one of the two.
fn surest(sizes: &[(f64, f64)]) -> Option<(f64, f64)> {
    let both = sizes.iter().filter(|(_, wrong)| *wrong > 0.0);
    both.map(|&(right, wrong)| (right / (right + wrong), (right + wrong) / 2.0)).max_by(|a, b| a.0.total_cmp(&b.0))
}

fn assert_is(got: Option<Inference>, want: Option<(f64, f64)>) {
    let got = got.map(|inference| [inference.posterior, inference.probability]);
    match (got, want) {
        (Some([posterior, probability]), Some(want)) => {
            assert!((posterior - want.0).abs() < 1e-9 && (probability - want.1).abs() < 1e-9, "{got:?} {want:?}");
        }
        (got, want) => assert!(got.is_none() && want.is_none(), "{got:?} {want:?}"),
    }
}

#[test]
fn posteriors_are_the_largest_over_neighbouring_sizes() {
    for table in tables() {
        let (reported, odds) = (reported(&table), table.odds());
        let pairs = || reported.windows(2).map(|pair| (pair[0], pair[1]));
        assert_is(odds.posterior_when_reported, surest(&pairs().map(|(few, more)| (more, few)).collect::<Vec<_>>()));
        // Of 1 less a probability near 1 few digits are left.
        let suppressed: Vec<f64> = (0..=table.cap()).map(|n| table.decision_probability(n).suppressed).collect();
        assert!(suppressed.iter().zip(&reported).all(|(no, yes)| (no + yes - 1.0).abs() < 1e-12));
        let of_decisions: Vec<(f64, f64)> = suppressed.windows(2).map(|pair| (pair[0], pair[1])).collect();
        assert_is(odds.posterior_when_suppressed, surest(&of_decisions));
    }
}

#[test]
fn a_decision_proves_the_size_of_which_alone_it_may_be() {
    for table in tables() {
        let sizes: Vec<_> = (0..=table.cap()).map(|n| table.decision_probability(n)).collect();
        let pairs = || (0..).zip(sizes.windows(2).map(|pair| (pair[0], pair[1])));
        let odds = table.odds();
        let (by_report, more) = pairs()
            .find_map(|(n, (few, more))| (few.reported == 0.0 && more.reported > 0.0).then_some((n, more)))
            .unwrap();
        let (by_suppression, few) = pairs()
            .find_map(|(n, (few, more))| (few.suppressed > 0.0 && more.suppressed == 0.0).then_some((n, few)))
            .unwrap();
        let (reported, suppressed) = (odds.certain_when_reported, odds.certain_when_suppressed);
        assert_eq!((reported.n, reported.probability), (by_report, more.reported / 2.0), "{odds:?}");
        assert_eq!((suppressed.n, suppressed.probability), (by_suppression, few.suppressed / 2.0), "{odds:?}");
    }
    // Under a hard threshold suppressions below it reveal nothing: the first size stands for all.
    let hard = ThresholdTable::new(HardThreshold::at_least(5).unwrap()).odds();
    assert_eq!(hard.posterior_when_suppressed.map(|inference| (inference.n, inference.posterior)), Some((0, 0.5)));
}

#[test]
fn totals_of_group_sizes_are_exact_up_to_2_to_the_53() {
    assert!(GroupSizes::new([(1 << 53, 1)]).is_ok() && GroupSizes::new([(1, 1 << 52), (1 << 52, 1)]).is_ok());
    for sizes in [[(1 << 53, 1), (1, 1)], [(0, 1 << 53), (1, 1)], [(1 << 32, 1 << 32), (0, 0)]] {
        assert_eq!(GroupSizes::new(sizes).err(), Some(SizesError::TooMany), "{sizes:?}");
    }
}
