//! Intervals and standard errors from parities against their definition, the end of "Intervals" in
//! `docs/math/ldp-pmdh.md`: questions that move with the share, and the ends by bisection.

use crate::support::{assert_close, norm_sub};
use ldp_pmdh::estimate::{ConfidenceInterval, ConfidenceLevel, Estimate, EstimateError, Estimator, Population};
use ldp_pmdh::{Channel, Counts, Schema};
use privacy_core::Attribute;
use privacy_core::param::Epsilon;

const POPULATIONS: [Population; 2] = [Population::Fixed, Population::Super];

/// How many reports are about the first feature, the second and their parity, how many of these
/// answer 1, and how many reports are about anything else.
struct Asked {
    about: [u64; 3],
    ones: [u64; 3],
    others: u64,
}

impl Asked {
    fn schema(epsilon: f64) -> Schema {
        let attributes = (0..3).map(|i| Attribute::codes(format!("f{i}"), 2).unwrap()).collect();
        Schema::of_parities(attributes, Epsilon::new(epsilon).unwrap(), None).unwrap()
    }
}

impl Counts for Asked {
    fn reports(&self) -> u64 {
        self.about.iter().sum::<u64>() + self.others
    }

    fn count(&self, columns: &[usize], covering: &[usize]) -> Option<u64> {
        let question = if columns.is_empty() { covering } else { columns };
        let counts = if columns.is_empty() { self.about } else { self.ones };
        match *question {
            [] => Some(self.reports()),
            [0] => Some(counts[0]),
            [1] => Some(counts[1]),
            [0, 1] => Some(counts[2]),
            _ => Some(self.others),
        }
    }
}

/// One question of a set: its weight, its reports, its estimated mean, and that of the nearest
/// possible table.
struct Question {
    weight: f64,
    reports: f64,
    mean: f64,
    there: f64,
}

struct Oracle {
    channel: Channel,
    everyone: f64,
    share: f64,
    nearest: f64,
    questions: Vec<Question>,
}

impl Oracle {
    fn of(schema: &Schema, asked: &Asked, set: &[usize]) -> Self {
        let channel = schema.parities().unwrap().channel();
        let means: Vec<f64> = (0..3)
            .map(|i| {
                let ones = asked.ones[i] as f64;
                (ones * channel.reading(true) + (asked.about[i] as f64 - ones) * channel.reading(false))
                    / asked.about[i] as f64
            })
            .collect();
        let pair = 0.5 * (means[0] + means[1] - means[2]);
        // Cells of the two features: neither, the first, the second, both.
        let cells = norm_sub(vec![1.0 - means[0] - means[1] + pair, means[0] - pair, means[1] - pair, pair]);
        let of_pair = [cells[1] + cells[3], cells[2] + cells[3], cells[1] + cells[2]];
        let (share, nearest, weighted) = match *set {
            [i] => (means[i], means[i].clamp(0.0, 1.0), vec![(i, 1.0, means[i].clamp(0.0, 1.0))]),
            _ => (pair, cells[3], vec![(0, 0.5, of_pair[0]), (1, 0.5, of_pair[1]), (2, -0.5, of_pair[2])]),
        };
        let question = |(i, weight, there)| Question { weight, reports: asked.about[i] as f64, mean: means[i], there };
        let questions = weighted.into_iter().map(question).collect();
        Self { channel, everyone: asked.reports() as f64, share, nearest, questions }
    }

    /// The variance of one question's part, if its mean were `x`.
    fn part(&self, question: &Question, x: f64) -> f64 {
        let one = self.channel.report_probability(x);
        question.weight.powi(2) * one * (1.0 - one) / self.channel.gap().powi(2) / question.reports
    }

    /// `V` of the share, if it were `share`: each question moves by its part of the variance.
    fn variance(&self, population: Population, share: f64) -> f64 {
        let all: f64 = self.questions.iter().map(|question| self.part(question, question.there)).sum();
        let moved = self.questions.iter().map(|question| {
            let part = self.part(question, question.there) / all;
            self.part(question, question.there + part * (share - self.nearest) / question.weight)
        });
        let rows = if population == Population::Fixed { share * (1.0 - share) / self.everyone } else { 0.0 };
        moved.sum::<f64>() - rows
    }

    /// Half of the step of the share by one answer.
    fn half_step(&self) -> f64 {
        let steps = self.questions.iter().map(|of| of.weight.abs() / of.reports / self.channel.gap());
        0.5 * steps.fold(0.0, f64::max)
    }

    /// The end above the estimate (`side` 1) or below it (-1), in people.
    fn end(&self, population: Population, level: ConfidenceLevel, side: f64) -> f64 {
        let step = self.half_step();
        let is_contradicted = |away: f64| {
            (away - step).powi(2) > level.half_width().powi(2) * self.variance(population, self.share + side * away)
        };
        let (mut within, mut beyond) = (step, 1e3);
        if is_contradicted(within) {
            // No variance is left there: everything beyond half a step is contradicted.
            assert!((0..2000).all(|i| is_contradicted(step + f64::from(i) * 1e-3)));
            beyond = within;
        }
        assert!(is_contradicted(beyond));
        for _ in 0..120 {
            let middle = 0.5 * (within + beyond);
            *(if is_contradicted(middle) { &mut beyond } else { &mut within }) = middle;
        }
        (self.share + side * within).clamp(0.0, 1.0) * self.everyone
    }

    /// Variances at the nearest table, and the unbiased ones (1.16), in people squared: fixed,
    /// super.
    fn variances(&self) -> [[f64; 2]; 2] {
        let n = self.everyone;
        let there = self.variance(Population::Super, self.nearest);
        let sample = self.questions.iter().map(|of| {
            let one = self.channel.report_probability(of.mean);
            of.weight.powi(2) * one * (1.0 - one) / (of.reports - 1.0) / self.channel.gap().powi(2)
        });
        let sample: f64 = sample.sum();
        let rows = |share: f64| share * (1.0 - share);
        let fixed = ((n - 1.0) * sample - rows(self.share)) / n;
        [[there - rows(self.nearest) / n, there], [fixed, sample]].map(|of| of.map(|variance| variance * n * n))
    }
}

/// Epsilons, and reports with their answers: usual ones, a table outside of what can be, few
/// answers of one kind, and an odd one out that asks the questions unequally often.
fn cases() -> Vec<(f64, Asked)> {
    [
        (1.0, [300, 250, 400], [140, 120, 190], 500),
        (3.0, [90, 160, 40], [50, 40, 21], 7),
        (2.0, [200, 210, 205], [30, 190, 120], 0),
        (4.0, [60, 70, 80], [3, 30, 29], 30),
        (4.0, [60, 70, 80], [30, 64, 41], 30),
        (5.0, [120, 50, 300], [119, 50, 3], 0),
        (6.0, [700, 30, 30], [2, 0, 1], 0),
    ]
    .map(|(epsilon, about, ones, others)| (epsilon, Asked { about, ones, others }))
    .into()
}

fn estimate(schema: &Schema, asked: &Asked, set: &[usize], population: Population, level: ConfidenceLevel) -> Estimate {
    Estimator::new(schema, asked).for_population(population).at_level(level).estimate(set).unwrap()
}

#[test]
fn an_interval_from_parities_holds_every_count_that_is_not_contradicted() {
    for (epsilon, asked) in cases() {
        let schema = Asked::schema(epsilon);
        for set in [&[0][..], &[1], &[0, 1]] {
            let oracle = Oracle::of(&schema, &asked, set);
            for population in POPULATIONS {
                for level in [0.95, 0.5, 0.9999].map(|level| ConfidenceLevel::new(level).unwrap()) {
                    let found = estimate(&schema, &asked, set, population, level);
                    let what = format!("{epsilon} {:?} {set:?} {population:?}", asked.ones);
                    assert_close(found.count, oracle.share * oracle.everyone, &what);
                    assert_close(found.interval.low, oracle.end(population, level, -1.0), &what);
                    assert_close(found.interval.high, oracle.end(population, level, 1.0), &what);
                }
            }
        }
    }
}

#[test]
fn standard_errors_of_few_answers_are_not_below_those_of_the_nearest_table() {
    let mut larger = 0;
    for (epsilon, asked) in cases() {
        let schema = Asked::schema(epsilon);
        for set in [&[0][..], &[1], &[0, 1]] {
            let [there, raw] = Oracle::of(&schema, &asked, set).variances();
            let found = estimate(&schema, &asked, set, Population::Super, ConfidenceLevel::NINETY_FIVE);
            let questions = if set.len() == 1 { set.to_vec() } else { vec![0, 1, 2] };
            let is_few = |i: usize| asked.ones[i] < 10 || asked.about[i] - asked.ones[i] < 10;
            let is_small = questions.into_iter().any(is_few) || raw[0] <= 0.0;
            assert_eq!(found.small_count, is_small, "{:?} {set:?}", asked.ones);
            for (found, (raw, there)) in
                [found.se_fixed_population, found.se_super_population].into_iter().zip(raw.into_iter().zip(there))
            {
                let want = if is_small { raw.max(there) } else { raw };
                larger += usize::from(want > raw);
                assert_close(found, want.max(0.0).sqrt(), &format!("{epsilon} {:?} {set:?}", asked.ones));
            }
        }
    }
    assert!(larger >= 4, "{larger}");
}

/// Ten answers of either kind are enough, nine are not.
#[test]
fn a_question_is_small_below_ten_answers_of_a_kind() {
    let schema = Asked::schema(1.0);
    for (ones, is_small) in [(9, true), (10, false), (90, false), (91, true)] {
        let asked = Asked { about: [100, 100, 100], ones: [ones, 50, 50], others: 0 };
        let found = estimate(&schema, &asked, &[0], Population::Super, ConfidenceLevel::NINETY_FIVE);
        assert_eq!(found.small_count, is_small, "{ones}");
    }
}

#[test]
fn answers_that_randomisation_does_not_give_are_impossible() {
    let schema = Asked::schema(1.0);
    for (ones, is_impossible) in [(0, true), (60, false), (160, false), (250, true)] {
        let asked = Asked { about: [250, 100, 100], ones: [ones, 50, 50], others: 0 };
        let found = estimate(&schema, &asked, &[0], Population::Super, ConfidenceLevel::NINETY_FIVE);
        assert_eq!(found.impossible, is_impossible, "{ones}");
    }
}

#[test]
fn everyone_has_the_set_of_nothing() {
    for (epsilon, asked) in cases() {
        for population in POPULATIONS {
            let found = estimate(&Asked::schema(epsilon), &asked, &[], population, ConfidenceLevel::NINETY_FIVE);
            let people = asked.reports() as f64;
            assert_eq!((found.count, found.interval), (people, ConfidenceInterval { low: people, high: people }));
            assert_eq!((found.se_fixed_population, found.se_super_population), (0.0, 0.0));
            assert!(!found.small_count && !found.impossible);
        }
    }
}

/// The covariance of two features among the people who reported takes one report about their
/// parity.
#[test]
fn one_report_about_the_parity_is_enough_for_a_covariance_and_none_is_not() {
    let schema = Asked::schema(1.0);
    let covariance_of = |about| {
        let asked = Asked { about: [50, 60, about], ones: [20, 30, about], others: 0 };
        (Estimator::new(&schema, &asked).for_population(Population::Fixed).covariance(&[0], &[1]), asked)
    };
    assert_eq!(covariance_of(0).0, Err(EstimateError::TooFewReports { needed: 1 }));
    let (found, asked) = covariance_of(1);
    let [one, other, both] = [&[0][..], &[1], &[0, 1]].map(|set| Oracle::of(&schema, &asked, set).share);
    let want = -(both - one * other) * asked.reports() as f64;
    assert_close(found.unwrap(), want, "no question in common");
}
