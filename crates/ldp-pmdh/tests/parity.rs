//! Reports about one feature or the parity of two, against the enumeration of every report: the
//! epsilon, the means and the covariances are those of the law itself.

use crate::support::{assert_reads_its_bytes, merged_in_any_order, moments};
use ldp_pmdh::estimate::{Estimator, Influence, Population, column_sets};
use ldp_pmdh::planner::{Budget, Design, FrequencyPrior, compare};
use ldp_pmdh::{
    Aggregator, Client, Counts, Parities, Protocol, ReportError, ReportReader, Schema, Simulator, StateDetail,
};
use privacy_core::Attribute;
use privacy_core::param::{Epsilon, Probability};
use privacy_core::rng::SimRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use testkit::law::{assert_law, refute_law};

fn schema(features: usize, epsilon: f64, alone: Option<f64>) -> Schema {
    let attributes = (0..features).map(|place| Attribute::codes(format!("f{place}"), 2).unwrap()).collect();
    let alone = alone.map(|alone| Probability::new(alone).unwrap());
    Schema::of_parities(attributes, Epsilon::new(epsilon).unwrap(), alone).unwrap()
}

/// Every question: sets of one feature and of two.
fn questions(features: usize) -> Vec<Vec<usize>> {
    let pairs = (0..features).flat_map(|j| (0..j).map(move |i| vec![i, j]));
    (0..features).map(|i| vec![i]).chain(pairs).collect()
}

fn parity(row: &[u32], question: &[usize]) -> u32 {
    question.iter().map(|&feature| row[feature]).sum::<u32>() % 2
}

/// Every report about a row, by question and answer, with its probability, from the definition.
fn law(schema: &Schema, row: &[u32]) -> Vec<((Vec<usize>, bool), f64)> {
    let Protocol::Parity { noise, alone } = schema.features()[0].protocol() else { panic!("parities") };
    let d = row.len() as f64;
    let mut law = Vec::new();
    for question in questions(row.len()) {
        let drawn = match question.len() {
            1 => alone.to_f64() / d,
            _ => alone.complement().to_f64() / (d * (d - 1.0) / 2.0),
        };
        let one = if parity(row, &question) == 1 { noise.q().to_f64() } else { noise.p().to_f64() };
        law.push(((question.clone(), true), drawn * one));
        law.push(((question, false), drawn * (1.0 - one)));
    }
    law
}

fn rows(features: usize) -> Vec<Vec<u32>> {
    (0..1_u32 << features).map(|row| (0..features).map(|i| row >> i & 1).collect()).collect()
}

#[test]
fn epsilon_is_that_of_the_worst_report_over_all_reports_and_rows() {
    for (features, alone) in [(2, None), (3, Some(0.9)), (4, None), (6, Some(0.1))] {
        for epsilon in [0.05, 1.0, 5.0] {
            let schema = schema(features, epsilon, alone);
            let laws: Vec<_> = rows(features).iter().map(|row| law(&schema, row)).collect();
            assert!(laws.iter().all(|law| (law.iter().map(|(_, p)| p).sum::<f64>() - 1.0).abs() < 1e-12));
            let pairs = laws.iter().flat_map(|a| laws.iter().map(move |b| (a, b)));
            let worst = pairs.flat_map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a.1 / b.1).ln())).fold(0.0, f64::max);
            let claimed = schema.epsilon_per_report();
            assert!((claimed - worst).abs() < 1e-9 && claimed <= epsilon, "{features} {epsilon}: {claimed} {worst}");
            assert!(epsilon - claimed < 1e-9, "it spends what was given: {claimed} of {epsilon}");
            assert_eq!(schema.epsilon_of_others(), claimed, "every further report costs as much");
        }
    }
}

/// How many reports are about each question, and how many of these answer 1.
struct Asked {
    parities: Parities,
    about: Vec<u64>,
    ones: Vec<u64>,
}

impl Asked {
    fn of(schema: &Schema, counted: impl Iterator<Item = (u64, u64)>) -> Self {
        let (about, ones) = counted.unzip();
        Self { parities: schema.parities().unwrap(), about, ones }
    }
}

impl Counts for Asked {
    fn reports(&self) -> u64 {
        self.about.iter().sum()
    }

    fn count(&self, columns: &[usize], covering: &[usize]) -> Option<u64> {
        // Columns are features here.
        let mut features = [columns, covering].concat();
        features.sort_unstable();
        features.dedup();
        if features.is_empty() {
            return Some(self.reports());
        }
        let question = self.parities.question(&features)?;
        Some(if columns.is_empty() { self.about[question] } else { self.ones[question] })
    }
}

/// All ways to ask people, a given number of them each question.
fn assignments(left: &mut Vec<usize>, people: usize, asked: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
    if asked.len() == people {
        all.push(asked.clone());
        return;
    }
    for question in 0..left.len() {
        if left[question] > 0 {
            left[question] -= 1;
            asked.push(question);
            assignments(left, people, asked, all);
            asked.pop();
            left[question] += 1;
        }
    }
}

/// Seven people, of whom three are asked about one feature and two each about the other and about
/// the parity, in every way, with every answer: no estimate is biased, and no covariance.
#[test]
fn estimates_and_covariances_are_unbiased_over_all_reports() {
    let schema = schema(2, 1.2, None);
    let channel = schema.parities().unwrap().channel();
    let people = [[0, 1], [1, 1], [1, 1], [1, 0], [0, 0], [1, 1], [0, 1]];
    let questions = questions(2);
    let mut all = Vec::new();
    assignments(&mut vec![3, 2, 2], people.len(), &mut Vec::new(), &mut all);
    assert_eq!(all.len(), 210);
    // Outcomes with the same counts are one.
    let mut outcomes: std::collections::BTreeMap<[u64; 3], f64> = std::collections::BTreeMap::new();
    for asked in &all {
        for answers in 0..1_u32 << people.len() {
            let (mut ones, mut probability) = ([0; 3], 1.0 / all.len() as f64);
            for (person, (row, &question)) in people.iter().zip(asked).enumerate() {
                let one = if parity(row, &questions[question]) == 1 { channel.q() } else { channel.p() };
                let answer = answers >> person & 1 == 1;
                ones[question] += u64::from(answer);
                probability *= if answer { one } else { 1.0 - one };
            }
            *outcomes.entry(ones).or_default() += probability;
        }
    }
    assert!((outcomes.values().sum::<f64>() - 1.0).abs() < 1e-12);
    let sets: [&[usize]; 4] = [&[], &[0], &[1], &[0, 1]];
    let truth = |set: &[usize]| people.iter().filter(|row| set.iter().all(|&i| row[i] == 1)).count() as f64;
    let counted =
        |(ones, probability): (&_, &f64)| (Asked::of(&schema, [3, 2, 2].into_iter().zip(*ones)), *probability);
    let outcomes: Vec<(Asked, f64)> = outcomes.iter().map(counted).collect();
    for first in sets {
        for second in sets {
            let all = outcomes.iter().map(|(counts, probability)| (counts, *probability));
            let [one, other, product, claimed] = moments(&schema, all, first, second);
            assert!((one - truth(first)).abs() < 1e-10, "{first:?}: {one}");
            assert!((product - one * other - claimed).abs() < 1e-10, "{first:?} {second:?}: {claimed}");
        }
    }
}

/// People who are drawn independently from one law: the answers to each question are, too. The
/// expected covariance over all answers is the covariance of the law, for pairs that share a
/// feature as well.
#[test]
fn the_population_covariance_is_unbiased_over_all_answers() {
    let schema = schema(3, 0.8, Some(0.4));
    let channel = schema.parities().unwrap().channel();
    let (about, shares): ([u64; 6], [f64; 6]) = ([2, 3, 2, 4, 2, 3], [0.7, 0.2, 0.5, 0.6, 0.35, 0.9]);
    let one = shares.map(|share| channel.p() + channel.gap() * share);
    // What each count of ones has for a probability.
    let binomial = |n: u64, k: u64, p: f64| {
        let choose = (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64);
        choose * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32)
    };
    let mut outcomes = vec![(Vec::new(), 1.0)];
    for (n, p) in about.into_iter().zip(one) {
        let with = |(ones, probability): &(Vec<u64>, f64)| {
            let longer = |k| ([&ones[..], &[k]].concat(), probability * binomial(n, k, p));
            (0..=n).map(longer).collect::<Vec<_>>()
        };
        outcomes = outcomes.iter().flat_map(with).collect();
    }
    let people = about.iter().sum::<u64>() as f64;
    let sets = column_sets(&schema, 2, 100).unwrap();
    for first in &sets {
        for second in &sets {
            let mut sums = [0.0; 4];
            for (ones, probability) in &outcomes {
                let counts = Asked::of(&schema, about.into_iter().zip(ones.iter().copied()));
                let estimator = Estimator::new(&schema, &counts);
                let share = |set: &[usize]| {
                    let mean = |question: &[usize]| {
                        let question = schema.parities().unwrap().question(question).unwrap();
                        (ones[question] as f64 / about[question] as f64 - channel.p()) / channel.gap()
                    };
                    match *set {
                        [i] => mean(&[i]),
                        [i, j] => (mean(&[i]) + mean(&[j]) - mean(&[i, j])) / 2.0,
                        _ => 1.0,
                    }
                };
                let [one, other] = [first, second].map(|set| people * share(set));
                let claimed = estimator.covariance(first, second).unwrap();
                for (sum, value) in sums.iter_mut().zip([one, other, one * other, claimed]) {
                    *sum += probability * value;
                }
            }
            let [one, other, product, claimed] = sums;
            assert!((product - one * other - claimed).abs() < 1e-8, "{first:?} {second:?}: {product} {claimed}");
        }
    }
}

#[test]
fn one_pair_costs_what_the_plan_says() {
    for (features, epsilon) in [(3, 0.5), (8, 1.0), (16, 2.0)] {
        let prior = FrequencyPrior { frequency: 0.3, pair_frequency: 0.09 };
        let comparison = compare(features, Budget::Total(epsilon), prior).unwrap();
        let planned =
            comparison.designs.iter().find(|planned| matches!(planned.design, Design::Parity { .. })).unwrap();
        let Design::Parity { alone } = planned.design else { panic!("parities") };
        let schema = schema(features, epsilon, Some(alone));
        let parities = schema.parities().unwrap();
        let (all, channel) = (1e12, parities.channel());
        let counted = questions(features).into_iter().map(|question| {
            let about = (all * parities.chance(question.len())).round();
            let share = if question.len() == 1 { 0.3 } else { 0.42 };
            (about as u64, (about * (channel.p() + channel.gap() * share)).round() as u64)
        });
        let counts = Asked::of(&schema, counted);
        let got = Estimator::new(&schema, &counts).covariance(&[0, 2], &[0, 2]).unwrap() / counts.reports() as f64;
        assert!((got / planned.variance - 1.0).abs() < 1e-6, "{features} {epsilon}: {got} {}", planned.variance);
        let influence = Influence::new(&schema, &[0, 2]).unwrap();
        assert!((influence.of_one() / planned.influence.of_one() - 1.0).abs() < 1e-9);
    }
}

/// One false report among very many, on the question that the fewest people are asked.
#[test]
fn one_false_report_moves_as_far_as_one_of_very_many() {
    for alone in [0.1, 0.5, 0.9] {
        let schema = schema(5, 1.0, Some(alone));
        for set in [&[1][..], &[1, 3]] {
            let influence = Influence::new(&schema, set).unwrap();
            let (one, many) = (influence.of_one(), influence.of_many(1, 1 << 50));
            assert!((many / one - 1.0).abs() < 1e-9, "{alone} {set:?}: {one} {many}");
        }
    }
}

/// False reports do what is stated and no more: everybody has the pair, and any division of the
/// false reports between the three questions moves it at most that far.
#[test]
fn false_reports_move_a_pair_as_far_as_stated() {
    let schema = schema(4, 1.0, None);
    let parities = schema.parities().unwrap();
    let channel = parities.channel();
    let influence = Influence::new(&schema, &[0, 1]).unwrap();
    let everyone = 1e6;
    for k in [1.0, 100.0, 1e4, 3e5, 9e5] {
        let honest = everyone - k;
        let moved = |parts: [f64; 3]| {
            let sizes = [1, 1, 2].map(|size| parities.chance(size) * honest);
            // Answers of 0 about the two features, of 1 about the parity.
            let [no, yes] = [false, true].map(|bit| channel.reading(bit));
            let mean =
                |i: usize, truth: f64, reading: f64| (sizes[i] * truth + parts[i] * reading) / (sizes[i] + parts[i]);
            everyone * (1.0 - 0.5 * (mean(0, 1.0, no) + mean(1, 1.0, no) - mean(2, 0.0, yes)))
        };
        let stated = influence.of_many(k as u64, everyone as u64);
        let steps = 60;
        let mut most = 0.0_f64;
        for i in 0..=steps {
            for j in 0..=steps - i {
                let [a, b] = [i, j].map(|part| k * f64::from(part) / f64::from(steps));
                most = most.max(moved([a, b, k - a - b]));
            }
        }
        assert!(most <= stated * (1.0 + 1e-9) && most > stated * 0.998, "{k}: {most} {stated}");
    }
}

/// Reports of the client, as stored bits: the law of the definition is accepted, and refuted with
/// features asked slightly more or less often, or noise slightly smaller.
#[test]
fn the_client_draws_the_law_of_the_definition() {
    let schema = schema(3, 1.0, Some(0.55));
    let row = [1_u32, 0, 1];
    let client = Client::new(schema.clone());
    let mut rng = ChaCha20Rng::from_seed([51; 32]);
    let mut reader = ReportReader::new(&schema);
    assert_eq!((client.report_bytes(), reader.stored_columns()), (1, 12));
    let mut sample = || {
        let mut stored = [0];
        reader.read(&client.randomise(&row, &mut rng).unwrap(), &mut stored).unwrap();
        stored[0] as i64
    };
    let samples: Vec<i64> = (0..200_000).map(|_| sample()).collect();
    let of = |schema: &Schema| {
        let parities = schema.parities().unwrap();
        let stored = |(question, answer): &(Vec<usize>, bool)| -> i64 {
            let question = parities.question(question).unwrap();
            (1 << (parities.questions() + question)) | i64::from(*answer) << question
        };
        let law: Vec<(i64, f64)> = law(schema, &row).iter().map(|(report, p)| (stored(report), *p)).collect();
        move |pattern: i64| law.iter().filter(|(own, _)| *own == pattern).map(|(_, p)| p).sum::<f64>()
    };
    assert_law(&samples, of(&schema));
    for other in [(1.0, 0.58), (1.0, 0.52), (1.1, 0.55), (0.9, 0.55)] {
        refute_law(&samples, of(&self::schema(3, other.0, Some(other.1))));
    }
}

#[test]
fn states_merge_in_any_order_and_a_schema_reads_its_bytes_again() {
    let schema = schema(4, 3.0, None);
    assert_reads_its_bytes(&schema);
    let client = Client::new(schema.clone());
    let mut rng = ChaCha20Rng::from_seed([52; 32]);
    let reports: Vec<Vec<u8>> =
        (0..500_u32).map(|i| client.randomise(&[i % 2, 1, i % 3 / 2, 0], &mut rng).unwrap()).collect();
    let estimates =
        [StateDetail::UpTo(1), StateDetail::UpTo(2), StateDetail::Full, StateDetail::Reports].map(|detail| {
            let whole = merged_in_any_order(&schema, &reports, detail);
            assert!(ldp_pmdh::State::from_bytes(&whole.to_bytes(), &schema).is_ok());
            let estimator = Estimator::new(&schema, &whole);
            assert!(estimator.estimate(&[0, 1, 2]).is_err());
            estimator.estimate(&[0, 1]).unwrap()
        });
    assert!(estimates.iter().all(|estimate| *estimate == estimates[0]), "the same numbers from every kind of state");
}

#[test]
fn reports_that_no_client_makes_are_refused() {
    let schema = schema(3, 1.0, None);
    let mut aggregator = Aggregator::new(schema.clone(), StateDetail::UpTo(1), 1e6).unwrap();
    // Six questions in three bits, then the answer.
    for question in 0..8_u8 {
        for answer in 0..2_u8 {
            let expected = if question < 6 { Ok(()) } else { Err(ReportError::Question) };
            assert_eq!(aggregator.push(&[question | answer << 3]), expected);
        }
    }
    assert_eq!(aggregator.push(&[16]), Err(ReportError::Padding));
    let mut support = [false; 12];
    assert_eq!(aggregator.push_support(&support), Err(ReportError::Question));
    (support[6], support[0]) = (true, true);
    assert_eq!(aggregator.push_support(&support), Ok(()));
    support[1] = true;
    assert_eq!(aggregator.push_support(&support), Err(ReportError::Question));
    (support[1], support[7]) = (false, true);
    assert_eq!(aggregator.push_support(&support), Err(ReportError::Question));
    // Counts that no reports have: an answer more than questions, and questions more than reports.
    let state = aggregator.finish().unwrap();
    for (place, count) in [(0, 4_u64), (6, 2)] {
        let mut bytes = state.to_bytes();
        bytes[52 + 8 * place..60 + 8 * place].copy_from_slice(&count.to_le_bytes());
        let length = bytes.len() - 32;
        let checksum: [u8; 32] =
            sha2::Digest::finalize(sha2::Digest::chain_update(sha2::Sha256::default(), &bytes[..length])).into();
        bytes[length..].copy_from_slice(&checksum);
        assert!(ldp_pmdh::State::from_bytes(&bytes, &schema).is_err(), "{place}");
    }
}

#[test]
fn schemas_that_cannot_be_are_refused() {
    let epsilon = Epsilon::new(1.0).unwrap();
    let of = |features: usize, values: usize, alone: Option<f64>| {
        let attributes = (0..features).map(|i| Attribute::codes(format!("f{i}"), values).unwrap()).collect();
        Schema::of_parities(attributes, epsilon, alone.map(|alone| Probability::new(alone).unwrap()))
    };
    assert!(of(361, 2, None).is_ok() && of(2, 2, Some(0.5)).is_ok());
    assert!(of(362, 2, None).is_err() && of(1, 2, None).is_err() && of(3, 3, None).is_err());
    assert!(of(3, 2, Some(0.0)).is_err() && of(3, 2, Some(1.0)).is_err());
    assert!(of(3, 2, None).unwrap().with_features_per_person(1).is_err());
}

/// Intervals of one column and of two, at shares of 0 and 1 and between, for people who are drawn
/// and for those who reported.
#[test]
fn intervals_cover() {
    let mut rng = SimRng::for_trial(15, "parity intervals", 0);
    let mut checked = 0;
    for (epsilon, people) in [(0.5, 400), (1.0, 150), (2.0, 1000), (4.0, 150), (8.0, 300)] {
        for cells in [
            [0.0, 0.0, 0.0, 1.0],
            [1.0, 0.0, 0.0, 0.0],
            [0.4, 0.3, 0.2, 0.1],
            [0.0, 0.5, 0.5, 0.0],
            [0.02, 0.0, 0.0, 0.98],
        ] {
            for population in [Population::Super, Population::Fixed] {
                let schema = schema(3, epsilon, None);
                let shares = coverage(&schema, people, cells, population, &mut rng);
                assert!(
                    shares.iter().all(|&share| share >= 0.93),
                    "{epsilon} {people} {cells:?} {population:?}: {shares:?}"
                );
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 50);
}

/// How often the intervals of the first feature and of the first two cover.
fn coverage(schema: &Schema, people: usize, cells: [f64; 4], population: Population, rng: &mut SimRng) -> [f64; 2] {
    let trials = 900;
    let uniform = |rng: &mut SimRng| (rng.next_u64() >> 11) as f64 * 2.0_f64.powi(-53);
    let mut covered = [0; 2];
    for _ in 0..trials {
        let mut aggregator = Aggregator::new(schema.clone(), StateDetail::UpTo(1), 1e6).unwrap();
        let mut simulator = Simulator::new(schema);
        let mut truth = [0.0; 2];
        for person in 0..people {
            let drawn = match population {
                Population::Super => uniform(rng),
                Population::Fixed => (person as f64 + 0.5) / people as f64,
            };
            let mut sum = 0.0;
            let cell = cells
                .iter()
                .position(|share| {
                    sum += share;
                    drawn < sum
                })
                .unwrap_or(3) as u32;
            let row = [cell & 1, cell >> 1, person as u32 % 2];
            truth[0] += f64::from(row[0]);
            truth[1] += f64::from(row[0] * row[1]);
            aggregator.push_support(simulator.report(&row, rng)).unwrap();
        }
        let state = aggregator.finish().unwrap();
        let estimator = Estimator::new(schema, &state).for_population(population);
        let wanted = match population {
            Population::Super => [cells[1] + cells[3], cells[3]].map(|share| share * people as f64),
            Population::Fixed => truth,
        };
        for (i, set) in [&[0][..], &[0, 1]].into_iter().enumerate() {
            covered[i] += usize::from(estimator.estimate(set).unwrap().interval.contains(wanted[i]));
        }
    }
    covered.map(|count| count as f64 / trials as f64)
}
