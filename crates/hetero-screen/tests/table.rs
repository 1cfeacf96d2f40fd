//! Realised coverage against brute force over every query.

use hetero_screen::{
    CodedColumn, RealisedCoverage, Records, ScreenLimits, ScreenSpec, Suppression, TableScreen, UniformNoise,
};
use proptest::prelude::*;

#[derive(Clone, Debug)]
struct Table {
    cardinalities: Vec<usize>,
    columns: Vec<Vec<u32>>,
    labels: Vec<u32>,
    classes: usize,
    weights: Vec<u64>,
}

impl Table {
    fn records(&self) -> Records {
        let columns: Vec<CodedColumn<'_>> = self
            .columns
            .iter()
            .zip(&self.cardinalities)
            .map(|(codes, &cardinality)| CodedColumn { codes, cardinality })
            .collect();
        let target = CodedColumn { codes: &self.labels, cardinality: self.classes };
        Records::new(&columns, target, Some(&self.weights)).unwrap()
    }

    /// Coverage of each row by going over all subsets and all rows.
    fn brute_force(&self, spec: &ScreenSpec) -> Vec<(u64, u64)> {
        let rows = self.labels.len();
        let mut coverage = vec![(0, 0); rows];
        for subset in 0..1_u32 << self.columns.len() {
            if !spec.answers_order(subset.count_ones() as usize) {
                continue;
            }
            for (row, (own, all)) in coverage.iter_mut().enumerate() {
                let matches = |other: &usize| {
                    (0..self.columns.len())
                        .filter(|column| subset >> column & 1 == 1)
                        .all(|column| self.columns[column][row] == self.columns[column][*other])
                };
                let mut counts = vec![0; self.classes];
                (0..rows).filter(matches).for_each(|other| counts[self.labels[other] as usize] += self.weights[other]);
                let size = counts.iter().sum();
                *all += counts.iter().filter(|&&count| spec.suppression().releases(count, size)).count() as u64;
                *own += u64::from(spec.suppression().releases(counts[self.labels[row] as usize], size));
            }
        }
        coverage
    }
}

prop_compose! {
    fn tables()(cardinalities in prop::collection::vec(1_usize..5, 1..7), classes in 1_usize..4, rows in 2_usize..40)
        (columns in cardinalities.iter().map(|&d| prop::collection::vec(0..d as u32, rows)).collect::<Vec<_>>(),
         labels in prop::collection::vec(0..classes as u32, rows),
         weights in prop::collection::vec(1_u64..4, rows),
         cardinalities in Just(cardinalities), classes in Just(classes)) -> Table {
        Table { cardinalities, columns, labels, classes, weights }
    }
}

fn rules() -> impl Strategy<Value = (Suppression, usize, bool)> {
    let rule = prop_oneof![(0_u64..6).prop_map(Suppression::ClassCount), (0_u64..6).prop_map(Suppression::GroupSize)];
    (rule, 1_usize..7, any::<bool>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn every_row_is_covered_as_often_as_brute_force_says(table in tables(), (rule, order, empty) in rules()) {
        let records = table.records();
        let spec = records.model(rule, UniformNoise::uniform(2)).unwrap().with_max_order(order).unwrap();
        let spec = if empty { spec } else { spec.without_empty_query().unwrap() };
        let screen = TableScreen::of(&records, &spec, &ScreenLimits::default()).unwrap();
        let want = table.brute_force(&spec);
        for (row, &(own, all)) in want.iter().enumerate() {
            let risk = screen.row(row).unwrap();
            prop_assert_eq!((risk.own, risk.all), (own, all));
            prop_assert!((0.0..=1.0).contains(&risk.exposure) && risk.evidence >= 0.0);
        }
        let people: u64 = table.weights.iter().sum();
        let mean = want.iter().zip(&table.weights).map(|((own, _), w)| own * w).sum::<u64>() as f64 / people as f64;
        prop_assert!((screen.everybody.coverage.unwrap().mean - mean).abs() < 1e-9);
        prop_assert_eq!(screen.everybody.people, people);
        prop_assert_eq!(screen.classes.iter().map(|class| class.people).sum::<u64>(), people);
        let estimate = screen.estimate;
        prop_assert!(estimate.floor <= estimate.accuracy && estimate.accuracy <= estimate.ceiling.max(estimate.floor));
    }
}

/// Rows that are drawn from the model, from a fixed stream.
fn drawn(rows: usize, cardinalities: &[usize], classes: usize) -> Table {
    use rand_core::Rng;
    let mut rng = privacy_core::rng::SimRng::for_trial(1, "table", 0);
    let mut codes = |below: usize| (0..rows).map(|_| (rng.next_u64() % below as u64) as u32).collect::<Vec<u32>>();
    let columns = cardinalities.iter().map(|&d| codes(d)).collect();
    let labels = codes(classes);
    Table { cardinalities: cardinalities.to_vec(), columns, labels, classes, weights: vec![1; rows] }
}

#[test]
fn a_table_from_the_model_is_covered_as_the_model_says() {
    let records = drawn(3000, &[4, 4, 4, 4, 3], 2).records();
    let spec = records.model(Suppression::ClassCount(3), UniformNoise::uniform(2)).unwrap();
    let screen = TableScreen::of(&records, &spec, &ScreenLimits::default()).unwrap();
    let model =
        hetero_screen::screen(&spec, &hetero_screen::ScreenTargets::default(), &ScreenLimits::default()).unwrap();
    let mean = screen.everybody.coverage.unwrap().mean;
    assert!((mean / model.coverage.own_class.value - 1.0).abs() < 0.02, "{mean}");
    assert!((screen.estimate.evidence / model.estimate.evidence - 1.0).abs() < 0.05, "{:?}", screen.estimate);
    assert!((screen.estimate.accuracy - model.estimate.accuracy).abs() < 0.02);
    let wrong = spec.with_threshold(9).unwrap();
    let wrong = hetero_screen::Coverage::of(&wrong, &ScreenLimits::default()).unwrap().own_class.value;
    assert!((mean / wrong - 1.0).abs() > 0.05, "another threshold must be noticed: {wrong}");
}

#[test]
fn the_ranking_and_every_number_are_the_same_at_any_number_of_threads() {
    let records = drawn(500, &[3, 4, 5, 2, 3, 2], 3).records();
    let spec = records.model(Suppression::ClassCount(2), UniformNoise::uniform(1)).unwrap();
    let at = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| TableScreen::of(&records, &spec, &ScreenLimits::default()).unwrap().ranked())
    };
    let one = at(1);
    assert!(one.windows(2).all(|pair| pair[0].exposure >= pair[1].exposure));
    assert_eq!(one.len(), 500);
    for threads in [2, 3, 8, 64] {
        assert_eq!(at(threads), one, "{threads} threads");
    }
}

#[test]
fn work_beyond_the_limits_is_refused_while_it_is_done() {
    let records = drawn(200, &[2; 40], 2).records();
    let spec = records.model(Suppression::ClassCount(1), UniformNoise::uniform(1)).unwrap();
    let few = ScreenLimits { visits: 1e5, ..ScreenLimits::default() };
    let refused = RealisedCoverage::of(&records, &spec, &few).unwrap_err();
    assert!(matches!(refused, hetero_screen::Error::TooLarge { .. }), "{refused}");
    let small = ScreenLimits { bytes: 1e3, ..ScreenLimits::default() };
    assert!(RealisedCoverage::of(&records, &spec, &small).is_err());
}

#[test]
fn tables_that_do_not_fit_are_refused() {
    use hetero_screen::Error;
    let (codes, labels) = (vec![0, 1, 2], vec![0, 1, 0]);
    let column = |cardinality| CodedColumn { codes: &codes, cardinality };
    let target = CodedColumn { codes: &labels, cardinality: 2 };
    let of = |columns: &[CodedColumn<'_>], target, weights: Option<&[u64]>| Records::new(columns, target, weights);
    assert!(matches!(of(&[column(2)], target, None), Err(Error::TableShape { column: 0, .. })));
    assert!(matches!(of(&[], target, None), Err(Error::Columns { columns: 0 })));
    let short = CodedColumn { codes: &labels[..2], cardinality: 2 };
    assert!(matches!(of(&[column(3)], short, None), Err(Error::TableShape { column: 0, .. })));
    assert!(matches!(of(&[column(3)], target, Some(&[1, 1])), Err(Error::TableShape { column: 1, .. })));
    assert!(matches!(of(&[column(3)], target, Some(&[u64::MAX, 1, 1])), Err(Error::Rows { .. })));
    assert!(matches!(of(&[column(3)], target, Some(&[1, 0, 0])), Err(Error::Rows { rows: 1 })));
    let records = of(&[column(3)], target, None).unwrap();
    assert_eq!(format!("{records:?}"), "Records { columns: 1, .. }");
}

#[test]
fn rows_that_stand_for_nobody_are_no_group() {
    let table = Table {
        cardinalities: vec![2, 2],
        columns: vec![vec![0, 0, 1], vec![0, 0, 1]],
        labels: vec![0, 1, 1],
        classes: 2,
        weights: vec![3, 2, 0],
    };
    let records = table.records();
    for rule in [Suppression::ClassCount(0), Suppression::GroupSize(0), Suppression::ClassCount(1)] {
        let spec = records.model(rule, UniformNoise::uniform(1)).unwrap();
        let screen = TableScreen::of(&records, &spec, &ScreenLimits::default()).unwrap();
        assert_eq!((screen.everybody.people, screen.row(0).unwrap().own), (5, 4));
        assert_eq!(screen.row(2).unwrap().exposure, 0.0);
        assert_eq!(screen.ranked().last().unwrap().row, 2);
    }
}
