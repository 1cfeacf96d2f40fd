//! Features that are answered together as one symbol, against the enumeration of every report:
//! the epsilon, the means and the covariances are those of the law itself.

use crate::support::{Reports, assert_reads_its_bytes, merged_in_any_order, moments};
use ldp_pmdh::estimate::{Estimator, column_sets};
use ldp_pmdh::{Client, Counts, ReportReader, Schema, StateDetail};
use privacy_core::Attribute;
use privacy_core::param::Epsilon;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use testkit::law::{assert_law, refute_law};

fn schema(values: &[usize], asked: usize, epsilon: f64) -> Schema {
    let attribute = |(place, &values): (usize, &usize)| Attribute::codes(format!("f{place}"), values).unwrap();
    let attributes = values.iter().enumerate().map(attribute).collect();
    Schema::of_joint_symbol(attributes, asked, Epsilon::new(epsilon).unwrap()).unwrap()
}

/// Every row of answers.
fn rows(schema: &Schema) -> Vec<Vec<usize>> {
    schema.features().iter().fold(vec![Vec::new()], |rows, feature| {
        let values = feature.attribute().cardinality();
        rows.iter().flat_map(|row| (0..values).map(move |value| [row.clone(), vec![value]].concat())).collect()
    })
}

/// A report: the features that it covers, and the values it shows of these (0 of the others).
#[derive(Clone, PartialEq)]
struct Report {
    covers: Vec<bool>,
    shown: Vec<usize>,
}

/// Every report about a row, with its probability, from the definition: a set of features, alike;
/// the truth with chance `keep`, else every combination of their values, alike.
fn law(schema: &Schema, row: &[usize]) -> Vec<(Report, f64)> {
    let (features, asked) = (schema.features().len(), schema.features_per_person());
    let keep = schema.joint_keep().unwrap().to_f64();
    let sets: Vec<usize> = (0..1_usize << features).filter(|set| set.count_ones() as usize == asked).collect();
    let mut law = Vec::new();
    for &set in &sets {
        let covers: Vec<bool> = (0..features).map(|feature| set >> feature & 1 == 1).collect();
        let masked = |row: &[usize]| -> Vec<usize> {
            row.iter().zip(&covers).map(|(&value, &covered)| if covered { value } else { 0 }).collect()
        };
        let all: Vec<Vec<usize>> = rows(schema).iter().filter(|row| masked(row) == **row).cloned().collect();
        for shown in &all {
            let truth = if *shown == masked(row) { keep } else { 0.0 };
            let probability = (truth + (1.0 - keep) / all.len() as f64) / sets.len() as f64;
            law.push((Report { covers: covers.clone(), shown: shown.clone() }, probability));
        }
    }
    law
}

/// The support bits of a report.
fn bits(schema: &Schema, report: &Report) -> Vec<bool> {
    let columns = schema.columns().iter();
    columns.map(|column| report.covers[column.feature] && report.shown[column.feature] == column.value).collect()
}

#[test]
fn epsilon_is_that_of_the_worst_report_over_all_reports_and_rows() {
    for (values, asked) in [(&[2, 2, 2][..], 3), (&[2, 2, 2, 2], 2), (&[3, 2, 4], 2), (&[3, 2, 4], 3), (&[5], 1)] {
        for epsilon in [0.1, 1.0, 4.0] {
            let schema = schema(values, asked, epsilon);
            let laws: Vec<Vec<f64>> =
                rows(&schema).iter().map(|row| law(&schema, row).iter().map(|(_, p)| *p).collect()).collect();
            assert!(laws.iter().all(|law| (law.iter().sum::<f64>() - 1.0).abs() < 1e-12));
            let pairs = laws.iter().flat_map(|a| laws.iter().map(move |b| (a, b)));
            let worst = pairs.flat_map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a / b).ln())).fold(0.0, f64::max);
            let claimed = schema.epsilon_per_report();
            assert!((claimed - worst).abs() < 1e-9 && claimed <= epsilon, "{values:?} {asked}: {claimed} {worst}");
            assert!(epsilon - claimed < 1e-9, "it spends what was given: {claimed} of {epsilon}");
        }
    }
}

/// What some people's reports say, for every combination of reports: counts, and probability.
fn every_outcome(schema: &Schema, people: &[Vec<usize>]) -> Vec<(Reports, f64)> {
    let laws: Vec<_> = people.iter().map(|row| law(schema, row)).collect();
    let mut outcomes = vec![(Vec::new(), 1.0)];
    for law in &laws {
        let with = |(reports, probability): &(Vec<Report>, f64)| {
            let longer =
                |(report, p): &(Report, f64)| ([&reports[..], std::slice::from_ref(report)].concat(), probability * p);
            law.iter().map(longer).collect::<Vec<_>>()
        };
        outcomes = outcomes.iter().flat_map(with).collect();
    }
    let counted = |(reports, probability): (Vec<Report>, f64)| {
        let bits = reports.iter().map(|report| bits(schema, report)).collect();
        (Reports { bits, covers: reports.into_iter().map(|report| report.covers).collect() }, probability)
    };
    outcomes.into_iter().map(counted).collect()
}

fn truth(schema: &Schema, people: &[Vec<usize>], set: &[usize]) -> f64 {
    let has = |row: &&Vec<usize>| {
        set.iter().all(|&column| row[schema.columns()[column].feature] == schema.columns()[column].value)
    };
    people.iter().filter(has).count() as f64
}

/// Everybody answers everything: no estimate is biased, and no covariance, of any two sets, the
/// empty one and two values of one feature included.
#[test]
fn estimates_and_covariances_are_unbiased_over_all_reports() {
    let schema = schema(&[2, 3], 2, 1.2);
    let people = [vec![0, 2], vec![1, 1], vec![1, 2]];
    let outcomes = every_outcome(&schema, &people);
    assert_eq!(outcomes.len(), 216);
    let sets = [vec![vec![]], column_sets(&schema, 2, 100).unwrap()].concat();
    let mut compared = 0;
    for first in &sets {
        for second in &sets {
            let all = outcomes.iter().map(|(reports, probability)| (reports, *probability));
            let [one, other, product, claimed] = moments(&schema, all, first, second);
            assert!((one - truth(&schema, &people, first)).abs() < 1e-11, "{first:?}: {one}");
            assert!((product - one * other - claimed).abs() < 1e-10, "{first:?} {second:?}: {product} {claimed}");
            compared += 1;
        }
    }
    assert_eq!(compared, 64);
}

/// With drawn features the reading of a set is unbiased among those who are asked about it, and
/// the claimed covariance of the population is that of the readings: one report is enumerated.
#[test]
fn one_report_about_drawn_features_has_the_claimed_law() {
    let schema = schema(&[2, 2, 3], 2, 2.0);
    let sets = column_sets(&schema, 2, 100).unwrap();
    for row in rows(&schema) {
        let law = law(&schema, &row);
        for set in &sets {
            let channel = schema.joint_channel(set).unwrap().unwrap();
            let (mut covering, mut mean) = (0.0, 0.0);
            for (report, probability) in &law {
                let bits = bits(&schema, report);
                let is_covered = set.iter().all(|&column| report.covers[schema.columns()[column].feature]);
                let reading = channel.reading(set.iter().all(|&column| bits[column]));
                covering += if is_covered { *probability } else { 0.0 };
                mean += if is_covered { probability * reading } else { 0.0 };
            }
            let is_true = truth(&schema, std::slice::from_ref(&row), set);
            assert!((mean / covering - is_true).abs() < 1e-12, "{set:?} of {row:?}");
        }
    }
}

/// Of many people who are like three of them, the covariance of the population is what the law
/// says: (1.8) with the readings of one report, at the shares of the law.
#[test]
fn the_population_covariance_is_that_of_the_law() {
    let schema = schema(&[2, 2, 2], 2, 1.5);
    let people = [vec![0, 1, 1], vec![1, 1, 0], vec![1, 1, 1]];
    // Enough reports of each kind for the shares to be those of the law to 1e-7.
    let (mut bits_of, mut covers, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for row in &people {
        for (report, probability) in law(&schema, row) {
            bits_of.push(bits(&schema, &report));
            covers.push(report.covers);
            weights.push((probability * 1e9 / 3.0).round() as u64);
        }
    }
    let counts = Weighted { reports: Reports { bits: bits_of, covers }, weights };
    let estimator = Estimator::new(&schema, &counts);
    let everyone = counts.reports() as f64;
    let sets = column_sets(&schema, 2, 100).unwrap();
    for first in &sets {
        for second in &sets {
            let mut sums = [0.0; 6];
            for ((bits, covers), &weight) in counts.reports.bits.iter().zip(&counts.reports.covers).zip(&counts.weights)
            {
                let covered = |set: &[usize]| set.iter().all(|&column| covers[schema.columns()[column].feature]);
                let reading = |set: &[usize]| {
                    let channel = schema.joint_channel(set).unwrap().unwrap();
                    channel.reading(set.iter().all(|&column| bits[column]))
                };
                let (w, [one, other]) = (weight as f64, [first, second].map(|set| covered(set)));
                let both = w * f64::from(u8::from(one && other));
                let values = [
                    w * f64::from(u8::from(one)),
                    w * f64::from(u8::from(other)),
                    both,
                    both * reading(first) * reading(second),
                    both * reading(first),
                    both * reading(second),
                ];
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
            }
            let [n_one, n_other, n_both, product, one, other] = sums;
            let of_readings = if n_both > 0.0 { product - one * other / n_both } else { 0.0 };
            let want = everyone / n_one * (everyone / n_other) * of_readings;
            let got = estimator.covariance(first, second).unwrap();
            assert!((got - want).abs() < 1e-6 * everyone, "{first:?} {second:?}: {got} for {want}");
        }
    }
    // The variance of a pair is what the planner says of this design: a share of 3 of the people,
    // at the frequencies of these three, pair by pair.
    let channel = schema.joint_channel(&[0, 1]).unwrap().unwrap();
    let share = 2.0 / 3.0;
    let planned = 3.0 * (channel.alpha() * share + channel.beta() - share * share);
    let got = estimator.covariance(&[0, 1], &[0, 1]).unwrap() / everyone;
    assert!((got / planned - 1.0).abs() < 1e-6, "{got} {planned}");
}

/// Reports that came several times.
struct Weighted {
    reports: Reports,
    weights: Vec<u64>,
}

impl Counts for Weighted {
    fn reports(&self) -> u64 {
        self.weights.iter().sum()
    }

    fn count(&self, columns: &[usize], covering: &[usize]) -> Option<u64> {
        let all = self.reports.bits.iter().zip(&self.reports.covers).zip(&self.weights);
        let counted = all.filter(|((bits, covers), _)| {
            columns.iter().all(|&column| bits[column]) && covering.iter().all(|&feature| covers[feature])
        });
        Some(counted.map(|(_, &weight)| weight).sum())
    }
}

/// Reports of the client, as stored bits of a full table: the law of the definition is accepted,
/// and refuted with the truth shown slightly more or less often.
#[test]
fn the_client_draws_the_law_of_the_definition() {
    let schema = schema(&[2, 2, 3], 2, 1.0);
    let row = [1_usize, 0, 2];
    let client = Client::new(schema.clone());
    let mut rng = ChaCha20Rng::from_seed([41; 32]);
    let mut reader = ReportReader::new(&schema);
    let mut sample = || {
        let mut stored = [0];
        reader.read(&client.randomise(&row.map(|value| value as u32), &mut rng).unwrap(), &mut stored).unwrap();
        stored[0] as i64
    };
    let samples: Vec<i64> = (0..200_000).map(|_| sample()).collect();
    let stored = |report: &Report| -> i64 {
        let all = [bits(&schema, report), report.covers.clone()].concat();
        all.iter().enumerate().map(|(i, &bit)| i64::from(bit) << i).sum()
    };
    let exact: Vec<(i64, f64)> = law(&schema, &row).iter().map(|(report, p)| (stored(report), *p)).collect();
    let of = |law: Vec<(i64, f64)>| {
        move |pattern: i64| law.iter().filter(|(own, _)| *own == pattern).map(|(_, p)| p).sum::<f64>()
    };
    let kept: Vec<i64> = stored_truths(&schema, &row).iter().map(stored).collect();
    let moved = |share: f64| {
        let others = (exact.len() - kept.len()) as f64;
        let change = |pattern: &i64| if kept.contains(pattern) { share / kept.len() as f64 } else { -share / others };
        exact.iter().map(|(pattern, p)| (*pattern, p + change(pattern))).collect::<Vec<_>>()
    };
    assert_law(&samples, of(exact.clone()));
    refute_law(&samples, of(moved(0.02)));
    refute_law(&samples, of(moved(-0.02)));
}

/// The reports that show a row as it is, one for each set of features.
fn stored_truths(schema: &Schema, row: &[usize]) -> Vec<Report> {
    let is_true = |report: &Report| {
        report.covers.iter().zip(&report.shown).zip(row).all(|((&covered, shown), value)| !covered || shown == value)
    };
    law(schema, row).into_iter().map(|(report, _)| report).filter(is_true).collect()
}

#[test]
fn states_merge_in_any_order_and_a_schema_reads_its_bytes_again() {
    let schema = schema(&[2, 3, 2, 2], 3, 3.0);
    assert_reads_its_bytes(&schema);
    let client = Client::new(schema.clone());
    let mut rng = ChaCha20Rng::from_seed([42; 32]);
    let reports: Vec<Vec<u8>> =
        (0..500_u32).map(|i| client.randomise(&[i % 2, i % 3, 1, 0], &mut rng).unwrap()).collect();
    for detail in [StateDetail::UpTo(2), StateDetail::Full, StateDetail::Reports] {
        let whole = merged_in_any_order(&schema, &reports, detail);
        // Three values of the second feature, of which a report shows exactly one.
        let estimator = Estimator::new(&schema, &whole);
        let columns: Vec<usize> = schema.columns_of(1).collect();
        let total: f64 = columns.iter().map(|&column| estimator.estimate(&[column]).unwrap().count).sum();
        assert!((total - 500.0).abs() < 1e-9, "{total}");
    }
}
