//! What the duration of a release tells about the rows: Welch's t of many durations in random
//! order, for two inputs each, and the difference of their means. Where the product draws noise, a
//! t of 4.5 or more fails; where it reads, groups or searches, the difference is the figure.
//! `cargo run --release -p benches --bin durations`
#![allow(clippy::print_stdout, reason = "a program that prints what it measured")]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use adaptive_marginals::{AdaptivePlan, AdaptiveSpec};
use benches::{SEED, counts, domain, lcf_filter};
use frechet_release::{Class, Knowledge, Limits, Solver};
use lcf::{GroupLimits, Groups, RowGroup};
use privacy_core::accounting::{Neighbours, PrivacyCost};
use privacy_core::param::Rho;
use privacy_core::table::TableSource;
use privacy_core::{ContingencyTable, Domain, Provenance};
use privacy_data::{AttributeSpec, CsvOptions, Schema, read_csv};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use resplan::{Plan, PlanLimits, PlanSpec, Workload};
use testkit::durations::{BAR, Durations};

/// Columns of the table that is read and grouped.
const SIZES: [usize; 2] = [20, 10];
const ROWS: usize = 2_000;

fn main() -> ExitCode {
    println!("{:44} {:>12} {:>12} {:>9} {:>8}", "", "first", "second", "relative", "t");
    let readers = [
        ("read: a hundredth more rows", text(ROWS, 0), text(ROWS + ROWS / 100, 0)),
        ("read: another answer of one person", text(ROWS, 0), text(ROWS, 1)),
    ];
    for (name, first, second) in readers {
        let inputs = [first, second];
        compare(name, 20_000, |which, _| assert!(black_box(read(&inputs[which])) >= ROWS));
    }
    let filter = lcf_filter();
    let hasher = filter.hasher(0).expect("the filter has this column");
    let of_groups = |groups: usize| (0..ROWS).map(|row| (row % groups) as u64).collect::<Vec<_>>();
    let grouped = [of_groups(10), of_groups(11)];
    compare("lcf: ten groups or eleven", 20_000, |which, _| {
        let identify = |row: usize, group: &mut RowGroup<'_>| group.insert_with(0, || hasher.hash_u64(row as u64));
        let mut groups = Groups::new(&filter, GroupLimits::default());
        groups.extend(grouped[which].iter().copied(), identify).expect("within the limits");
        drop(black_box(groups));
    });
    let tables = [bounded(0), bounded(1)];
    compare("frechet: bounds, one person moved", 2_000, |which, _| bounds(&tables[which]));
    adaptive();
    let is_silent = noise();
    if is_silent { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The noise of a plan over small and large counts; whether nothing was seen.
fn noise() -> bool {
    let sizes = [4, 4];
    let spec = PlanSpec::new(domain(&sizes), Workload::UpTo(2), PrivacyCost::new(0.5).expect("a cost"));
    let plan = Plan::new(spec, &PlanLimits::unlimited()).expect("a plan within limits");
    let source = |cells: Vec<u64>| TableSource::new(domain(&sizes), cells).expect("one count a cell");
    let mut is_silent = true;
    for (name, other) in [("resplan: no one, or a billion in a cell", 1_000_000_000), ("resplan: one person more", 1)] {
        let sources = [source(vec![0; 16]), source([vec![other], vec![0; 15]].concat())];
        let t = compare(name, 50_000, |which, rng| {
            drop(black_box(plan.duplicate().measure(&sources[which], rng).expect("measured")));
        });
        is_silent &= t.abs() < BAR;
    }
    is_silent
}

/// A release whose choices follow the data, and are published.
fn adaptive() {
    let spec = AdaptiveSpec::new(
        Rho::new(0.5).expect("a rho"),
        Neighbours::AddRemove,
        domain(&[2; 3]).all().subsets_of_size(2).map(|pair| (pair, 1)).collect(),
    );
    let limits = adaptive_marginals::PlanLimits::default();
    let source = |cells: Vec<u64>| TableSource::new(domain(&[2; 3]), cells).expect("one count a cell");
    let dependent = vec![300, 280, 20, 25, 15, 30, 290, 310];
    let sources = [source(vec![160; 8]), source(dependent)];
    compare("adaptive: independent columns, or not", 2_000, |which, rng| {
        let plan = AdaptivePlan::new(domain(&[2; 3]), spec.clone(), &limits).expect("a plan within limits");
        drop(black_box(plan.release(&sources[which], rng).expect("released")));
    });
}

/// Does both kinds of work in random order, prints the means of their durations, and gives t.
fn compare(name: &str, runs: usize, mut work: impl FnMut(usize, &mut ChaCha20Rng)) -> f64 {
    let (mut order, mut rng) = (ChaCha20Rng::from_seed([1; 32]), ChaCha20Rng::from_seed(SEED));
    let mut durations = Durations::default();
    for run in 0..runs + runs / 10 {
        let is_second = order.next_u32() & 1 == 1;
        let clock = Instant::now();
        work(usize::from(is_second), &mut rng);
        let microseconds = clock.elapsed().as_nanos() as f64 / 1e3;
        // The first tenth warms the machine up.
        if run >= runs / 10 {
            durations.push(is_second, microseconds);
        }
    }
    let ([first, second], t) = (durations.means(), durations.t());
    let relative = 100.0 * (second / first - 1.0);
    println!("{name:44} {first:>9.2} us {second:>9.2} us {relative:>8.2}% {t:>8.1}");
    t
}

/// A file of two columns; the answer of its last person may differ.
fn text(rows: usize, last: usize) -> String {
    let line = |row: usize| {
        let answer = if row + 1 == rows { last } else { row };
        format!("{},{}\n", answer % 10, answer / 10 % 10)
    };
    std::iter::once("a,b\n".to_owned()).chain((0..rows).map(line)).collect()
}

fn read(text: &str) -> usize {
    let attributes = ["a", "b"].iter().zip(SIZES).map(|(&name, size)| AttributeSpec::of_size(name, size)).collect();
    let schema = Schema::new(attributes, Provenance::Public).expect("two attributes are a schema");
    read_csv(text.as_bytes(), &schema, &CsvOptions::default()).expect("labels of the schema").rows()
}

/// A table of which the two-way margins are published, with one person moved.
fn bounded(moved: u64) -> Knowledge {
    let domain: Domain = domain(&[4, 4, 4]);
    let mut cells = counts(64, 40);
    cells[5] += 1;
    cells[5] -= moved;
    cells[6] += moved;
    let table = ContingencyTable::from_cells(&domain, domain.all(), cells).expect("one count a cell");
    let mut knowledge = Knowledge::of_counts(domain.clone()).expect("a table within limits");
    for pair in domain.all().subsets_of_size(2) {
        knowledge.publish_margin(&table.marginal(pair).expect("axes of the table")).expect("a margin of it");
    }
    knowledge
}

fn bounds(knowledge: &Knowledge) {
    let mut solver = Solver::new(knowledge.clone(), Limits::default()).expect("numbers that agree");
    for cell in 0..8 {
        let class = Class::cell(vec![cell / 4, cell % 4, 0]);
        drop(black_box(solver.interval(&class).expect("a class of the table")));
    }
}
