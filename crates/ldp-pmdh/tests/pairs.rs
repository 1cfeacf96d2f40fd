//! Fieller's set, rough estimates and possible counts of a pair, from their definitions.

use ldp_pmdh::derived::{ConfidenceSet, Derived, DerivedError, Pair};
use ldp_pmdh::estimate::ConfidenceLevel;

const LEVEL: ConfidenceLevel = ConfidenceLevel::NINETY_FIVE;

/// Counts, variances of the first column and of both, and their covariance.
struct Ratio {
    counts: [f64; 3],
    first: f64,
    both: f64,
    together: f64,
}

impl Ratio {
    fn pair(&self) -> Pair {
        let Self { counts, first, both, together } = *self;
        Pair::new(1000.0, counts, [[first, 0.0, together], [0.0, 90.0, 0.0], [together, 0.0, both]])
    }

    /// Whether `t_ij - r t_i` is within its noise.
    fn is_consistent(&self, ratio: f64, level: ConfidenceLevel) -> bool {
        let [first, _, both] = self.counts;
        let variance = self.both - 2.0 * ratio * self.together + ratio * ratio * self.first;
        (both - ratio * first).powi(2) <= level.half_width().powi(2) * variance
    }
}

fn is_in(set: ConfidenceSet, ratio: f64) -> bool {
    match set {
        ConfidenceSet::Within(interval) => interval.contains(ratio),
        ConfidenceSet::Outside(gap) => !(gap.low < ratio && ratio < gap.high),
        _ => true,
    }
}

/// A denominator far from 0, one that may be 0, and one of which nothing is known.
#[test]
fn fiellers_set_holds_the_ratios_that_are_within_their_noise() {
    let cases = [(400.0, 120.0), (60.0, 25.0), (20.0, 70.0), (9.0, 200.0), (-15.0, 45.0), (12.0, 8.0), (3.0, -80.0)];
    let (mut within, mut outside, mut everything) = (0, 0, 0);
    for (first, both) in cases {
        for together in [0.0, 60.0, -35.0] {
            let ratio = Ratio { counts: [first, 300.0, both], first: 144.0, both: 100.0, together };
            for level in [0.5, 0.95, 0.999].map(|level| ConfidenceLevel::new(level).unwrap()) {
                let set = ratio.pair().fieller(level);
                match set {
                    ConfidenceSet::Within(_) => within += 1,
                    ConfidenceSet::Outside(_) => outside += 1,
                    _ => everything += 1,
                }
                for r in (-4000..4000).map(|i| (f64::from(i) + 0.37) * 0.02) {
                    assert_eq!(is_in(set, r), ratio.is_consistent(r, level), "{first} {both} {together} {r} {set:?}");
                }
            }
        }
    }
    assert!(within > 5 && outside > 5 && everything > 5, "{within} {outside} {everything}");
}

/// All four numbers of a pair with these counts among 1000 people, each with this standard error.
fn derived(counts: [f64; 3], error: f64) -> [Result<Derived, DerivedError>; 4] {
    let v = error * error;
    let pair = Pair::new(1000.0, counts, [[v, 0.0, 0.0], [0.0, v, 0.0], [0.0, 0.0, v]]);
    [pair.correlation(LEVEL), pair.lift(LEVEL), pair.odds_ratio(LEVEL), pair.second_given_first(LEVEL)]
}

/// Three standard errors of 10 from 0, and from all.
#[test]
fn a_number_is_rough_where_a_count_is_within_three_errors_of_zero_or_all() {
    // Correlation, lift, odds, share.
    for (counts, rough) in [
        ([500.0, 400.0, 200.0], [false; 4]),
        ([31.0, 400.0, 20.0], [false, true, true, false]),
        ([31.0, 400.0, 30.5], [false; 4]),
        ([29.0, 400.0, 20.0], [true; 4]),
        ([400.0, 29.0, 20.0], [true, true, true, false]),
        ([969.0, 500.0, 480.0], [false; 4]),
        ([971.0, 500.0, 480.0], [true, true, true, false]),
        ([500.0, 971.0, 480.0], [true, true, true, false]),
    ] {
        let found = derived(counts, 10.0).map(|derived| derived.unwrap().is_rough);
        assert_eq!(found, rough, "{counts:?}");
    }
}

/// A pair larger than its columns: the estimates of no table.
#[test]
fn a_correlation_beyond_one_is_rough_and_its_interval_is_not() {
    for (counts, value) in [([400.0, 400.0, 410.0], 1.0), ([500.0, 500.0, -10.0], -1.0)] {
        let found = derived(counts, 10.0)[0].unwrap();
        assert!(found.is_rough && found.value * value > 1.0, "{found:?}");
        let ConfidenceSet::Within(interval) = found.set else { panic!("{found:?}") };
        assert!(interval.low >= -1.0 && interval.high <= 1.0 && interval.contains(value), "{found:?}");
        let inner = if value > 0.0 { interval.low } else { -interval.high };
        assert!(inner > 0.5 && inner < 1.0, "{found:?}");
    }
    let wide = derived([500.0, 400.0, 200.0], 600.0)[0].unwrap();
    let ConfidenceSet::Within(interval) = wide.set else { panic!("{wide:?}") };
    assert_eq!((interval.low, interval.high), (-1.0, 1.0));
}

/// A column that is brought to 0 or to all leaves no choice for the pair, whatever the covariance:
/// nobody has it, or everybody who has the other column.
#[test]
fn a_pair_of_a_column_that_nobody_or_everybody_has_is_known() {
    let covariance = [[90.0, 25.0, 40.0], [25.0, 60.0, 30.0], [40.0, 30.0, 70.0]];
    for (counts, want) in [
        ([-12.0, 400.0, 150.0], [0.0, 400.0, 0.0]),
        ([500.0, -8.0, 90.0], [500.0, 0.0, 0.0]),
        ([1015.0, 500.0, 470.0], [1000.0, 500.0, 500.0]),
        ([1015.0, 1008.0, 900.0], [1000.0, 1000.0, 1000.0]),
        ([700.0, 600.0, 250.0], [700.0, 600.0, 300.0]),
        ([700.0, 600.0, 650.0], [700.0, 600.0, 600.0]),
    ] {
        assert_eq!(Pair::new(1000.0, counts, covariance).feasible(), want);
    }
}
