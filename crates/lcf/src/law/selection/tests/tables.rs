//! The share that is taken, and how long its table may be.

use super::super::*;

fn law(epsilon: f64, delta: f64, k: u32, pre_threshold: u32) -> Result<OptimalSelection, LawError> {
    let (epsilon, delta) = (Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap());
    OptimalSelection::new(epsilon, delta, NonZeroU32::new(k).unwrap(), pre_threshold)
}

/// The mean of the threshold, from the integers: the sum over all sizes of what suppresses them.
fn mean(share: SelectionShare) -> f64 {
    let suppressing: u128 = draws_of(share).map(|draws| ALL_DRAWS - u128::from(draws)).sum();
    suppressing as f64 / DRAWS
}

/// The draws of all sizes; a recurrence that does not climb is cut off.
fn draws_of(share: SelectionShare) -> impl Iterator<Item = u64> {
    share.draws().take(MAX_CAP as usize)
}

#[test]
fn the_mean_of_a_threshold_is_the_sum_of_what_suppresses() {
    let pure = SelectionShare::Pure { epsilon: 0.4, delta: 1e-6 };
    for share in [pure, SelectionShare::Gaussian { mu: 0.5, delta: 1e-6 }] {
        let (want, sizes) = (mean(share), draws_of(share).count());
        let found = share.mean_threshold(sizes + 1, f64::INFINITY).unwrap();
        assert!((found / want - 1.0).abs() < 1e-14, "{found} {want}");
        assert_eq!(share.mean_threshold(sizes, f64::INFINITY), None, "no room");
        assert_eq!(share.mean_threshold(sizes + 1, found), None, "not below its own mean");
        assert_eq!(share.mean_threshold(sizes + 1, found.next_up()), Some(found));
    }
}

#[test]
fn the_share_that_is_taken_has_the_least_mean_of_all() {
    for (epsilon, delta, k, number) in
        [(1.0, 1e-5, 1, 0.2), (1.0, 1e-5, 3, 0.0), (1.0, 1e-5, 12, 0.01), (3.0, 1e-3, 2, 0.1)]
    {
        let law = law(epsilon, delta, k, 2).unwrap().beside_number(number).unwrap();
        let all = shares(law.epsilon(), law.delta(), law.groups_per_entity(), number);
        let least = all.iter().map(|&share| mean(share)).fold(f64::INFINITY, f64::min);
        assert!(mean(law.share()) <= least * (1.0 + 1e-12), "{:?}", law.share());
        assert!(all.contains(&law.share()));
        let zcdp = zcdp_shares(law.epsilon(), law.delta(), law.groups_per_entity(), number);
        let least = zcdp.iter().map(|&share| mean(share)).fold(f64::INFINITY, f64::min);
        assert!(mean(law.zcdp_share().unwrap()) <= least * (1.0 + 1e-12), "{:?}", law.zcdp_share());
        assert_eq!(law.basic_share(), basic(law.epsilon(), law.delta(), law.groups_per_entity(), number));
    }
}

/// A table of `pre_threshold` sizes that are suppressed and those of the share has at most
/// `MAX_CAP` entries.
#[test]
fn the_longest_table_is_accepted_and_one_more_entry_is_not() {
    let sizes = law(1.0, 1e-5, 1, 2).unwrap().table().len() as u32 - 2;
    let longest = MAX_CAP as u32 - sizes;
    let last = law(1.0, 1e-5, 1, longest).unwrap();
    assert_eq!(last.table().len() as u64, MAX_CAP);
    assert_eq!(law(1.0, 1e-5, 1, longest + 1), Err(LawError::TableTooLong));
    // The same of a share that is given.
    let share = last.share();
    assert_eq!(last.with_share(share), Ok(last));
    let long = SelectionShare::Pure { epsilon: 0.9, delta: 1e-5 };
    assert!(draws_of(long).count() as u32 > sizes);
    assert_eq!(last.with_share(long), Err(LawError::TableTooLong));
}

#[test]
fn a_number_takes_some_of_epsilon_but_not_all_and_not_less_than_none() {
    let law = law(1.0, 1e-5, 2, 2).unwrap();
    assert_eq!(law.beside_number(0.0), Ok(law));
    let beside = law.beside_number(0.2).unwrap();
    assert!(beside.number_epsilon() == 0.2 && mean(beside.share()) > mean(law.share()));
    for number in [-0.1, f64::NAN, 1.5, f64::INFINITY] {
        assert_eq!(law.beside_number(number), Err(LawError::NumberTooCostly), "{number}");
    }
}

#[test]
fn a_table_has_both_probabilities_of_its_draws() {
    let table = law(1.0, 1e-5, 1, 4).unwrap().table();
    assert!(table[..4].iter().all(|&row| row == (0, ReportingProbability::NEVER)));
    for &(draws, probability) in &table[4..] {
        assert!(draws > 0);
        assert_eq!(probability.reported * DRAWS, draws as f64);
        assert_eq!(probability.suppressed * DRAWS, (ALL_DRAWS - u128::from(draws)) as f64);
    }
}
