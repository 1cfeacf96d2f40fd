//! Correlations, ratios, tests and sample sizes against values computed independently.

use crate::support::{number, numbers};
use ldp_pmdh::Channel;
use ldp_pmdh::derived::{
    ConfidenceSet, DerivedError, Pair, TestError, homogeneity, independence, reports_for_error,
    reports_for_independence,
};
use ldp_pmdh::estimate::{ConfidenceLevel, Covariance, Population, truth_from_counts};
use privacy_core::binomial::Binomial;
use privacy_core::param::Probability;
use testkit::fixtures::{json, relative_error};

fn channel() -> Channel {
    Channel::new(0.1, 0.8).unwrap()
}

fn pair(counts: &[f64], population: Population) -> Pair {
    let channels = [channel(); 2];
    let mut truth = counts.to_vec();
    truth_from_counts(&channels, &mut truth);
    let all = Covariance::new(&channels, &truth, population, 1e6).unwrap();
    let covariance = std::array::from_fn(|i| std::array::from_fn(|j| all.of(i + 1, j + 1)));
    Pair::new(truth[0], [truth[1], truth[2], truth[3]], covariance)
}

#[test]
fn correlation_conditional_fieller_and_pearson_are_the_golden_ones() {
    let golden = json("ldp/derived.json");
    let counts = numbers(&golden["c"]);
    let check = |got: f64, key: &str| assert!(relative_error(got, number(&golden[key])) < 1e-11, "{key}: {got}");
    let [fixed, sup] = [Population::Fixed, Population::Super].map(|population| pair(&counts, population));
    let level = ConfidenceLevel::NINETY_FIVE;
    check(fixed.correlation(level).unwrap().value, "phi");
    check(fixed.correlation(level).unwrap().standard_error, "phi_se_fp");
    check(sup.correlation(level).unwrap().standard_error, "phi_se_sp");
    check(fixed.second_given_first(level).unwrap().value, "cond_P2given1");
    check(fixed.second_given_first(level).unwrap().standard_error, "cond_se_fp");
    check(sup.second_given_first(level).unwrap().standard_error, "cond_se_sp");
    let ConfidenceSet::Within(fieller) = fixed.fieller(level) else { panic!("the denominator is far from 0") };
    let want = numbers(&golden["fieller95_fp"]);
    assert!(relative_error(fieller.low, want[0]) < 1e-11 && relative_error(fieller.high, want[1]) < 1e-11);
    // Cells of the reports: neither, first, second, both.
    let [n, a, b, both] = [counts[0], counts[1], counts[2], counts[3]].map(|c| c as u64);
    let test = independence(&[n - a - b + both, a - both, b - both, both], &[2, 2]).unwrap();
    check(test.pearson, "pearson_chi2_on_reports_df1");
    assert!(relative_error(test.p_value, number(&golden["p_value"])) < 1e-10 && test.degrees == 1);
}

#[test]
fn a_denominator_near_zero_gets_fiellers_set_and_a_bad_one_is_refused() {
    let few = pair(&[100.0, 13.0, 40.0, 8.0], Population::Super);
    let share = few.second_given_first(ConfidenceLevel::NINETY_FIVE).unwrap();
    assert!(share.is_rough && !matches!(share.set, ConfidenceSet::Within(_)), "{share:?}");
    let none = pair(&[100.0, 5.0, 40.0, 2.0], Population::Super);
    let [first, second, both] = none.feasible();
    assert!(first == 0.0 && both == 0.0 && second > 0.0, "{first} {second} {both}");
    assert_eq!(none.second_given_first(ConfidenceLevel::NINETY_FIVE), Err(DerivedError::MarginOutOfRange));
    assert_eq!(none.correlation(ConfidenceLevel::NINETY_FIVE), Err(DerivedError::MarginOutOfRange));
    assert_eq!(none.odds_ratio(ConfidenceLevel::NINETY_FIVE), Err(DerivedError::CellOutOfRange));
}

#[test]
fn lift_and_odds_have_the_errors_of_numerical_derivatives() {
    let counts = [2000.0, 900.0, 640.0, 380.0];
    let fixed = pair(&counts, Population::Fixed);
    let channels = [channel(); 2];
    let mut truth = counts.to_vec();
    truth_from_counts(&channels, &mut truth);
    let covariance = Covariance::new(&channels, &truth, Population::Fixed, 1e6).unwrap();
    let lift = |t: &[f64]| t[0] * t[3] / (t[1] * t[2]);
    let odds = |t: &[f64]| t[3] * (t[0] - t[1] - t[2] + t[3]) / ((t[1] - t[3]) * (t[2] - t[3]));
    for (derived, value) in [
        (fixed.lift(ConfidenceLevel::NINETY_FIVE).unwrap(), &lift as &dyn Fn(&[f64]) -> f64),
        (fixed.odds_ratio(ConfidenceLevel::NINETY_FIVE).unwrap(), &odds),
    ] {
        assert!(relative_error(derived.value, value(&truth)) < 1e-12);
        let slope = |i: usize| {
            let step = |sign: f64| {
                let mut moved = truth.clone();
                moved[i] += sign * 1e-3;
                value(&moved)
            };
            (step(1.0) - step(-1.0)) / 2e-3
        };
        let slopes: Vec<f64> = (1..4).map(slope).collect();
        let variance: f64 = (0..3)
            .flat_map(|i| (0..3).map(move |j| (i, j)))
            .map(|(i, j)| slopes[i] * slopes[j] * covariance.of(i + 1, j + 1))
            .sum();
        assert!(relative_error(derived.standard_error, variance.sqrt()) < 1e-6);
        let ConfidenceSet::Within(interval) = derived.set else { panic!("an interval") };
        assert!(interval.low < derived.value && derived.value < interval.high && interval.low > 0.0);
    }
}

#[test]
fn independent_tables_have_statistic_zero_and_their_degrees_of_freedom() {
    // Three bits, exactly independent: 8 cells, 3 parameters.
    let weights = [[1, 3], [2, 2], [4, 1]];
    let cell =
        |cell: u64| weights.iter().enumerate().map(|(i, w): (usize, &[u64; 2])| w[(cell >> i & 1) as usize]).product();
    let test = independence(&(0..8).map(cell).collect::<Vec<u64>>(), &[2, 2, 2]).unwrap();
    assert_eq!(test.degrees, 4);
    assert!(test.pearson < 1e-12 && test.g.abs() < 1e-12 && test.p_value > 1.0 - 1e-12);
    // A symbol that nobody sent takes its degrees of freedom along.
    assert_eq!(independence(&[5, 1, 0, 3, 6, 0], &[3, 2]).unwrap().degrees, 1);
    assert_eq!(independence(&[5, 0, 7, 0], &[2, 2]), Err(TestError::NothingVaries));
    assert_eq!(independence(&[0; 4], &[2, 2]), Err(TestError::NothingVaries));
    assert_eq!(independence(&[1; 5], &[2, 2]), Err(TestError::WrongLength { expected: 4, got: 5 }));
    assert_eq!(homogeneity(&[10, 20, 30], &[20, 40, 60]).unwrap().degrees, 2);
    assert!(homogeneity(&[10, 20, 30], &[20, 40, 60]).unwrap().pearson < 1e-12);
    assert!(homogeneity(&[100, 20, 30], &[20, 40, 60]).unwrap().p_value < 1e-9);
}

/// Both statistics of a table with an empty cell: Pearson's statistic counts its expected count,
/// and it adds nothing to G.
#[test]
fn statistics_of_a_table_are_sums_over_its_cells() {
    let table = [[30_u64, 12], [0, 25], [14, 40]];
    let rows = table.map(|row| (row[0] + row[1]) as f64);
    let columns = [0, 1].map(|column| table.iter().map(|row| row[column]).sum::<u64>() as f64);
    let people = columns[0] + columns[1];
    let (mut pearson, mut g) = (0.0, 0.0);
    for (i, j) in (0..3).flat_map(|i| [(i, 0), (i, 1)]) {
        let (observed, expected) = (table[i][j] as f64, rows[i] * columns[j] / people);
        pearson += (observed - expected).powi(2) / expected;
        g += if table[i][j] == 0 { 0.0 } else { 2.0 * observed * f64::ln(observed / expected) };
    }
    let histogram = [0, 1].map(|column| table.map(|row| row[column])).concat();
    let test = independence(&histogram, &[3, 2]).unwrap();
    assert!(relative_error(test.pearson, pearson) < 1e-12 && relative_error(test.g, g) < 1e-12, "{test:?}");
}

#[test]
fn the_required_reports_give_the_power_that_was_asked_for() {
    // The Pearson statistic of the expected table is its noncentrality.
    let (pi, pj, phi) = (0.3_f64, 0.4, 0.1);
    let needed = reports_for_independence(phi, (channel(), pi), (channel(), pj), 0.05, 0.8).unwrap();
    let both = pi * pj + phi * (pi * (1.0 - pi) * pj * (1.0 - pj)).sqrt();
    let mut cells = [1.0 - pi - pj + both, pi - both, pj - both, both].map(|share| share * needed as f64);
    ldp_pmdh::estimate::reports_from_cells(&[channel(); 2], &mut cells);
    let (n, one, two) = (needed as f64, cells[1] + cells[3], cells[2] + cells[3]);
    let expected = [(n - one) * (n - two) / n, one * (n - two) / n, (n - one) * two / n, one * two / n];
    let lambda: f64 = cells.iter().zip(expected).map(|(h, e)| (h - e) * (h - e) / e).sum();
    // Noncentrality 7.849 gives power 0.8 at 5 % with one degree of freedom.
    assert!((lambda - 7.848_861).abs() < 0.01, "{lambda}");
    assert!(reports_for_independence(0.2, (channel(), pi), (channel(), pj), 0.05, 0.8).unwrap() * 4 <= needed + 4);
    assert!(reports_for_independence(0.0, (channel(), pi), (channel(), pj), 0.05, 0.8).is_err());
    assert!(reports_for_independence(0.1, (channel(), 0.0), (channel(), pj), 0.05, 0.8).is_err());
    assert!(reports_for_independence(0.1, (channel(), pi), (channel(), pj), 0.05, 0.01).is_err());
    assert_eq!(reports_for_error(0.25, 0.005), Ok(10_000));
    assert!(reports_for_error(0.25, 0.0).is_err() && reports_for_error(f64::NAN, 0.1).is_err());
}

#[test]
fn the_test_of_independence_keeps_its_size_on_reports() {
    // 400 trials at 5 %: the number of rejections is binomial, judged at 1e-9.
    use rand_chacha::rand_core::Rng;
    let (mut rejected, trials, people) = (0_u64, 400_u64, 2000);
    let mut wrongly = 0_u64;
    for trial in 0..trials {
        let mut rng = privacy_core::rng::SimRng::for_trial(11, "independence", trial);
        let mut uniform = || rng.next_u64() as f64 * 2.0_f64.powi(-64);
        let (mut independent, mut dependent) = ([0_u64; 4], [0_u64; 4]);
        for _ in 0..people {
            let (one, other) = (uniform() < 0.3, uniform() < 0.5);
            let mut report = |bit: bool| uniform() < if bit { 0.8 } else { 0.1 };
            let (first, second) = (report(one), report(other));
            let same = report(one);
            independent[usize::from(first) + 2 * usize::from(second)] += 1;
            dependent[usize::from(first) + 2 * usize::from(same)] += 1;
        }
        rejected += u64::from(independence(&independent, &[2, 2]).unwrap().p_value < 0.05);
        wrongly += u64::from(independence(&dependent, &[2, 2]).unwrap().p_value < 0.05);
    }
    let law = Binomial::new(trials, Probability::new(0.05).unwrap()).unwrap();
    assert!(law.at_least(rejected) > 1e-9 && law.at_most(rejected) > 1e-9, "{rejected} of {trials}");
    assert!(law.at_least(wrongly) < 1e-9, "a dependence is seen: {wrongly} of {trials}");
}
