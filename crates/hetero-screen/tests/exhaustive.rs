//! Every table of a tiny universe, weighted by its probability: coverage, variance and ceiling
//! have no room for an error.

use crate::support::spec;
use hetero_screen::{Column, Coverage, ScreenLimits, ScreenSpec, Suppression, ceiling, own_variance};

/// What is averaged over tables, for the first row.
#[derive(Default)]
struct Moments {
    own: f64,
    own_squared: f64,
    all: f64,
    majority: f64,
    by_class: Vec<[f64; 2]>,
}

/// One row: the values of its columns, and its class last.
type Row = Vec<usize>;

fn rows_of(spec: &ScreenSpec) -> Vec<(Row, f64)> {
    let mut rows = vec![(Vec::new(), 1.0)];
    let axes = spec.columns().iter().map(|c| (0..c.cardinality()).map(|v| c.frequency(v)).collect::<Vec<f64>>());
    for axis in axes.chain([spec.classes().shares().to_vec()]) {
        let longer = |(row, p): &(Row, f64)| {
            let (row, p) = (row.clone(), *p);
            axis.iter().enumerate().map(move |(v, q)| ([row.clone(), vec![v]].concat(), p * q)).collect::<Vec<_>>()
        };
        rows = rows.iter().flat_map(longer).collect();
    }
    rows
}

fn moments(spec: &ScreenSpec) -> Moments {
    let kinds = rows_of(spec);
    let rows = spec.rows() as u32;
    let mut moments = Moments { by_class: vec![[0.0; 2]; spec.classes().len()], ..Moments::default() };
    for mut number in 0..kinds.len().pow(rows) {
        let mut table = Vec::new();
        let mut p = 1.0;
        for _ in 0..rows {
            let (row, of) = &kinds[number % kinds.len()];
            table.push(row.as_slice());
            p *= of;
            number /= kinds.len();
        }
        add(&mut moments, spec, &table, p);
    }
    moments
}

fn add(moments: &mut Moments, spec: &ScreenSpec, table: &[&[usize]], p: f64) {
    let columns = spec.columns().len();
    let counts = |subset: u32| {
        let matches = |row: &&&[usize]| (0..columns).all(|c| subset >> c & 1 == 0 || row[c] == table[0][c]);
        let mut counts = vec![0_u64; spec.classes().len()];
        table.iter().filter(matches).for_each(|row| counts[row[columns]] += 1);
        counts
    };
    let (mut own, mut all) = (0.0, 0.0);
    for subset in (0..1 << columns).filter(|s: &u32| spec.answers_order(s.count_ones() as usize)) {
        let counts = counts(subset);
        let releases = |&count: &u64| spec.suppression().releases(count, counts.iter().sum());
        own += f64::from(u8::from(releases(&counts[table[0][columns]])));
        all += counts.iter().filter(|count| releases(count)).count() as f64;
    }
    let full = counts((1 << columns) - 1);
    moments.own += p * own;
    moments.own_squared += p * own * own;
    moments.all += p * all;
    moments.majority += p * *full.iter().max().unwrap() as f64 / full.iter().sum::<u64>() as f64;
    let of_class = &mut moments.by_class[table[0][columns]];
    *of_class = [of_class[0] + p, of_class[1] + p * own];
}

fn check(spec: &ScreenSpec) {
    let want = moments(spec);
    let coverage = Coverage::of(spec, &ScreenLimits::default()).unwrap();
    let variance = own_variance(spec, &coverage, &ScreenLimits::default()).unwrap();
    for (what, got, want) in [
        ("own", coverage.own_class.value, want.own),
        ("all", coverage.all_classes.value, want.all),
        ("variance", variance, want.own_squared - want.own * want.own),
    ] {
        assert!((got - want).abs() < 1e-11, "{what}: {got} {want} {spec:?}");
    }
    for (got, [share, own]) in coverage.by_class.iter().zip(&want.by_class) {
        assert!((got * share - own).abs() < 1e-11, "{got} {own} {spec:?}");
    }
    let is_binned = spec.columns().iter().any(|column| !column.is_uniform()); // its ceiling is by bins of match probability
    assert!((ceiling(spec) - want.majority).abs() < if is_binned { 5e-3 } else { 1e-11 }, "{spec:?}");
}

#[test]
fn every_rule_agrees_with_every_table_of_a_tiny_universe() {
    let uniform = |d| Column::uniform(d).unwrap();
    let skewed = Column::with_frequencies(&[0.7, 0.3]).unwrap();
    for columns in [vec![uniform(2), uniform(3)], vec![uniform(2), skewed.clone()], vec![skewed.clone(), skewed]] {
        for classes in [vec![0.5, 0.5], vec![0.8, 0.2]] {
            for below in 0..5 {
                let per_class = spec(3, columns.clone(), &classes, below, 1);
                let mut by_size = per_class.clone();
                if below > 0 {
                    let (columns, classes) = (columns.clone(), per_class.classes().clone());
                    by_size =
                        ScreenSpec::new(3, columns, classes, Suppression::GroupSize(below), per_class.noise()).unwrap();
                }
                for spec in [per_class, by_size] {
                    check(&spec);
                    check(&spec.clone().with_max_order(1).unwrap());
                    check(&spec.without_empty_query().unwrap());
                }
            }
        }
    }
}

#[test]
fn three_classes_too() {
    check(&spec(3, vec![Column::uniform(2).unwrap(); 2], &[0.5, 0.3, 0.2], 2, 1));
    check(&spec(4, vec![Column::uniform(2).unwrap()], &[0.5, 0.3, 0.2], 2, 1));
}
