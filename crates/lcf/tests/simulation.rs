//! The same tables by simulation through identifiers, keyed hashes, sets, seeds and draws; and
//! attackers who ask twice.
//!
//! A cell is rejected at an exact two-sided p-value below 1e-9 over the number of cells.

use std::sync::LazyLock;

use lcf::{
    ClampedNormal, ColumnRule, DrawMode, EntityColumn, EntitySet, Identifier, LowCountFilter, MembershipPosterior,
    ThresholdTable, unclamped_reporting_probability,
};
use privacy_core::param::{Probability, StdDev};
use privacy_core::prf::Secret;
use privacy_core::rng::SimRng;
use rand_core::Rng;
use serde_json::Value;
use testkit::ERROR_RATE;
use testkit::fixtures;
use testkit::tails::binomial_p_value;

const TRIALS: usize = 100_000;
const LARGEST: usize = 10;

fn secret() -> Secret {
    Secret::new(&[0x5a; 32]).unwrap()
}

/// Draws of random sets of 0, 1, ..., 10 users: what every filter under this secret draws for
/// them.
static DRAWS: LazyLock<Vec<Vec<u64>>> = LazyLock::new(|| {
    let (hasher, draws) = (secret().entity_hasher("user"), secret().sticky_draw());
    let of_size = |n: usize| {
        let mut rng = SimRng::for_trial(2021, "lcf tables", n as u64);
        // Random numbers of 64 bits do not repeat within a set.
        let mut user = || Identifier::from(rng.next_u64()).hash(&hasher);
        (0..TRIALS).map(|_| draws.draw((0..n).fold(0, |seed, _| seed ^ user()))).collect()
    };
    (0..=LARGEST).map(of_size).collect()
});

fn decimal(value: &Value) -> f64 {
    value.as_str().map_or_else(|| value.as_f64().unwrap(), |text| text.parse().unwrap())
}

fn law(case: &Value) -> (f64, StdDev) {
    (decimal(&case["mean"]), StdDev::new(decimal(&case["sd"])).unwrap())
}

/// How many cells of the printed report probabilities a simulation contradicts, when it is
/// compared with a mean that is `shift` off.
fn contradicted_reports(shift: f64) -> usize {
    let golden = fixtures::json("lcf/seed_tables.json");
    let cells = golden["report_probability"].as_array().unwrap();
    let contradicted = |case: &&Value| {
        let ((mean, sd), n) = (law(case), case["n"].as_u64().unwrap() as usize);
        // The tables are of a filter with bound 0, which cannot be made: its draws are compared
        // here.
        let chance = |mean: f64| unclamped_reporting_probability(n as f64, mean, sd).reported;
        let draws = chance(mean) * 2_f64.powi(64);
        let reported = DRAWS[n].iter().filter(|&&draw| (draw as f64) < draws).count();
        binomial_p_value(TRIALS as u64, chance(mean + shift), reported as u64) < ERROR_RATE / cells.len() as f64
    };
    cells.iter().filter(contradicted).count()
}

/// The same for the decisions about N or N + 1: how likely a report is, and how often each
/// decision is right.
fn contradicted_decisions(shift: f64) -> usize {
    let golden = fixtures::json("lcf/seed_tables.json");
    let cells = golden["one_more"].as_array().unwrap();
    let error_rate = ERROR_RATE / (3 * cells.len()) as f64;
    let contradicted = |case: &&Value| {
        let ((mean, sd), n) = (law(case), case["n"].as_u64().unwrap());
        let filter = |mean| ThresholdTable::new(ClampedNormal::new(mean, sd, decimal(&case["bound"])).unwrap());
        let [[suppressed_n, suppressed_n1], [reported_n, reported_n1]] = decisions(&filter(mean), n);
        let claimed: MembershipPosterior = filter(mean + shift).membership_posterior(n);
        let (reported, suppressed) = (reported_n + reported_n1, suppressed_n + suppressed_n1);
        let fits = |trials: u64, p: f64, count: u64| binomial_p_value(trials, p, count) >= error_rate;
        !(fits(TRIALS as u64, claimed.p_reported, reported)
            && claimed.p_n_given_suppressed.is_none_or(|p| fits(suppressed, p, suppressed_n))
            && claimed.p_n1_given_reported.is_none_or(|p| fits(reported, p, reported_n1)))
    };
    cells.iter().filter(contradicted).count()
}

/// Groups of `n` or `n + 1` at the toss of a coin: how many were suppressed and reported, of each
/// size.
fn decisions(thresholds: &ThresholdTable, n: u64) -> [[u64; 2]; 2] {
    let mut coin = SimRng::for_trial(2021, "lcf coins", n);
    let mut counts = [[0; 2]; 2];
    for trial in 0..TRIALS {
        let more = usize::from(coin.next_u64() >> 63 == 1);
        let reported = thresholds.is_reported(n + more as u64, DRAWS[n as usize + more][trial]);
        counts[usize::from(reported)][more] += 1;
    }
    counts
}

#[test]
fn simulated_report_probabilities_are_the_closed_form() {
    assert_eq!(contradicted_reports(0.0), 0);
}

#[test]
fn simulated_report_probabilities_contradict_a_mean_that_is_slightly_off() {
    assert!(contradicted_reports(0.03) > 20);
    assert!(contradicted_reports(-0.03) > 20);
}

#[test]
fn simulated_decisions_are_right_as_often_as_the_closed_form_says() {
    assert_eq!(contradicted_decisions(0.0), 0);
}

#[test]
fn simulated_decisions_contradict_a_mean_that_is_slightly_off() {
    assert!(contradicted_decisions(0.05) > 20);
    assert!(contradicted_decisions(-0.05) > 20);
}

fn filter(thresholds: &ThresholdTable) -> LowCountFilter {
    let column = EntityColumn { kind: "user".to_owned(), thresholds: thresholds.clone() };
    LowCountFilter::new(vec![column], ColumnRule::WorkingColumn, DrawMode::Query, &secret()).unwrap()
}

fn set(filter: &LowCountFilter, users: &[u64]) -> EntitySet {
    let mut set = EntitySet::new(filter.cap());
    users.iter().for_each(|&user| set.insert(Identifier::from(user).hash(filter.hasher(0).unwrap())));
    set
}

#[test]
fn the_filter_decides_by_the_cutoff_of_the_number_and_the_draw_of_the_set() {
    let golden = fixtures::json("lcf/seed_tables.json");
    let draws = secret().sticky_draw();
    let mut rng = SimRng::for_trial(2021, "lcf decisions", 0);
    let mut by_draw = 0;
    for case in golden["one_more"].as_array().unwrap() {
        let ((mean, sd), n) = (law(case), case["n"].as_u64().unwrap());
        let thresholds = ThresholdTable::new(ClampedNormal::new(mean, sd, decimal(&case["bound"])).unwrap());
        let filter = filter(&thresholds);
        for _ in 0..50 {
            let users: Vec<u64> = (0..n).map(|_| rng.next_u64()).collect();
            let set = set(&filter, &users);
            let decision = filter.decide(std::slice::from_ref(&set), None).unwrap();
            let draw = set.seed().map_or(0, |seed| draws.draw(seed));
            assert_eq!(decision.is_reported(), thresholds.is_reported(n, draw), "{case}");
            by_draw += usize::from(decision.reason.is_by_draw());
        }
    }
    assert!(by_draw > 5_000, "{by_draw}");
}

/// How often the answers with and without a victim differ, in groups of 7 others, some of whom
/// are new each time.
fn answers_differ(thresholds: &ThresholdTable, victim_is_there: bool, pairs: u64) -> u64 {
    let filter = filter(thresholds);
    let victim = 1;
    let differ = |pair: &u64| {
        let mut rng = SimRng::for_trial(2019, "lcf equality", *pair);
        let mut users: Vec<u64> = (0..7).map(|_| rng.next_u64()).collect();
        let answer = |users: &[u64]| filter.decide(&[set(&filter, users)], None).unwrap().is_reported();
        let without = answer(&users);
        // "Or it is the victim": nobody else is added.
        users.extend(victim_is_there.then_some(victim));
        answer(&users) != without
    };
    (0..pairs).filter(differ).count() as u64
}

#[test]
fn sticky_equality_finds_the_victim_as_often_as_the_closed_form_says() {
    const PAIRS: u64 = 20_000;
    let thresholds = ThresholdTable::new(ClampedNormal::new(8.0, StdDev::new(1.5).unwrap(), 2.0).unwrap());
    let found = answers_differ(&thresholds, true, PAIRS);
    let claimed = thresholds.attacks(7, Probability::new(0.01).unwrap()).sticky_equality;
    assert!(binomial_p_value(PAIRS, claimed, found) > ERROR_RATE, "{found}");
    // Without stickiness the answers would differ as often without the victim: 2 p q.
    let alone = thresholds.reporting_probability(7);
    assert!(binomial_p_value(PAIRS, 2.0 * alone.reported * alone.suppressed, found) < ERROR_RATE, "{found}");
    assert_eq!(answers_differ(&thresholds, false, PAIRS), 0);
}

#[test]
fn as_many_fresh_draws_as_advised_tell_seven_from_eight() {
    // Draws of sets of 7 and of 8; the likelier size by the share that is reported. At most 1 %
    // errors.
    let thresholds = ThresholdTable::new(ClampedNormal::new(8.0, StdDev::new(1.5).unwrap(), 2.0).unwrap());
    let draws = thresholds.attacks(7, Probability::new(0.01).unwrap()).fresh_draws.unwrap() as usize;
    let (few, many) = (thresholds.reporting_probability(7), thresholds.reporting_probability(8));
    let evidence = |reports: usize| {
        let rest = (draws - reports) as f64;
        reports as f64 * (many.reported / few.reported).ln() + rest * (many.suppressed / few.suppressed).ln()
    };
    let (mut games, mut errors) = (0, 0);
    for n in [7_usize, 8] {
        for chunk in DRAWS[n].chunks_exact(draws) {
            let reports = chunk.iter().filter(|&&draw| thresholds.is_reported(n as u64, draw)).count();
            games += 1;
            errors += u64::from((evidence(reports) > 0.0) != (n == 8));
        }
    }
    // One in a hundred is not exceeded.
    assert!(testkit::tails::binomial_tails(games, 0.01, errors).1 > ERROR_RATE, "{errors} of {games}");
    assert!(games > 1_500, "{games}");
}
