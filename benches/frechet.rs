//! Sharp bounds for every cell: tables of the size that offices publish.

use std::path::Path;

use benches::{counts, domain};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use frechet_release::{Class, Knowledge, Limits, Solver, System};
use privacy_core::{AttrSet, ContingencyTable};

/// The true counts, who could be counted, and the published margins.
struct Instance {
    name: &'static str,
    sizes: Vec<usize>,
    counts: Vec<u64>,
    people: Option<Vec<u64>>,
    margins: Vec<AttrSet>,
    /// Whether bounds are sharp for whole numbers; if not, they are those of the linear programs.
    is_whole: bool,
}

impl Instance {
    fn knowledge(&self) -> Knowledge {
        let domain = domain(&self.sizes);
        let table = |counts: &[u64]| ContingencyTable::from_cells(&domain, domain.all(), counts.to_vec());
        let counts = table(&self.counts).expect("one count a cell");
        let mut knowledge = match &self.people {
            None => Knowledge::of_counts(domain.clone()),
            Some(people) => Knowledge::with_population(domain.clone(), &table(people).expect("one count a cell")),
        }
        .expect("a table within limits");
        for &axes in &self.margins {
            knowledge.publish_margin(&counts.marginal(axes).expect("axes of the table")).expect("a margin of it");
        }
        knowledge
    }

    fn limits(&self) -> Limits {
        let limits = Limits::default();
        Limits { nodes: if self.is_whole { limits.nodes } else { 0 }, ..limits }
    }

    fn classes(&self) -> Vec<Class> {
        let cells: usize = self.sizes.iter().product();
        let levels = |mut cell: usize| {
            let level = |&size: &usize| {
                let level = cell % size;
                cell /= size;
                level
            };
            let mut levels: Vec<usize> = self.sizes.iter().rev().map(level).collect();
            levels.reverse();
            levels
        };
        (0..cells).map(|cell| Class::cell(levels(cell))).collect()
    }
}

fn all_of(order: usize, axes: usize) -> Vec<AttrSet> {
    let sets = 0_u32..1 << axes;
    let of_order = sets.filter(|set| set.count_ones() as usize == order);
    of_order.map(|set| (0..axes).filter(|axis| set >> axis & 1 == 1).collect()).collect()
}

/// The counts of a fixture.
fn fixture(name: &str) -> Vec<u64> {
    fn flat(value: &serde_json::Value) -> Vec<u64> {
        match value {
            serde_json::Value::Array(list) => list.iter().flat_map(flat).collect(),
            number => vec![number.as_u64().expect("a count")],
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/frechet").join(name);
    let text = std::fs::read_to_string(path).expect("a fixture");
    flat(&serde_json::from_str::<serde_json::Value>(&text).expect("JSON")["counts"])
}

fn instances() -> [Instance; 4] {
    let precinct = vec![7, 2, 8, 50];
    let people = counts(precinct.iter().product(), 40);
    let votes = people.iter().zip(counts(people.len(), 1_000)).map(|(&n, u)| n * u / 1_000).collect();
    let rochdale = |order, is_whole, name| Instance {
        name,
        sizes: vec![2; 8],
        counts: fixture("rochdale_2x8.json"),
        people: None,
        margins: all_of(order, 8),
        is_whole,
    };
    [
        Instance {
            name: "10x10x10/all two-way",
            sizes: vec![10; 3],
            counts: fixture("peer_gausssuppression_10x10x10.json"),
            people: None,
            margins: all_of(2, 3),
            is_whole: true,
        },
        Instance {
            name: "7x2x8x50/axial with composition",
            sizes: precinct,
            counts: votes,
            people: Some(people),
            margins: all_of(1, 4),
            is_whole: true,
        },
        rochdale(3, false, "rochdale/three-way LP"),
        rochdale(3, true, "rochdale/three-way whole"),
    ]
}

fn cells(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("frechet/cells");
    group.sample_size(10);
    for instance in instances() {
        let (knowledge, classes) = (instance.knowledge(), instance.classes());
        group.throughput(Throughput::Elements(classes.len() as u64));
        group.bench_function(BenchmarkId::new(instance.name, "one by one"), |bench| {
            bench.iter(|| {
                let mut solver = Solver::new(knowledge.clone(), instance.limits()).expect("numbers that agree");
                classes.iter().for_each(|class| drop(solver.interval(class).expect("a class of the table")));
            });
        });
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            group.bench_function(BenchmarkId::new(instance.name, format!("{threads} threads")), |bench| {
                bench.iter(|| {
                    let mut solver = Solver::new(knowledge.clone(), instance.limits()).expect("numbers that agree");
                    pool.install(|| solver.intervals(&classes).expect("classes of the table"))
                });
            });
        }
    }
    group.finish();
}

/// The largest count of one cell by a library that solves each program from the start;
/// frechet-release, for the same cells, does too, and finds both ends, whole, with their
/// certificates.
fn one_cell(criterion: &mut Criterion) {
    const ASKED: [usize; 4] = [0, 333, 666, 999];
    let instance = &instances()[0];
    let (knowledge, classes) = (instance.knowledge(), instance.classes());
    let system = knowledge.system().clone();
    let mut group = criterion.benchmark_group("frechet/four cells of 10x10x10");
    group.sample_size(10);
    group.bench_function("frechet-release, both ends", |bench| {
        bench.iter(|| {
            for cell in ASKED {
                let mut solver = Solver::new(knowledge.clone(), instance.limits()).expect("numbers that agree");
                solver.interval(&classes[cell]).expect("a class of the table");
            }
        });
    });
    group.bench_function("microlp, one end", |bench| {
        bench.iter(|| ASKED.map(|cell| largest(&system, cell)));
    });
    group.finish();
}

/// The largest real count of a cell.
fn largest(system: &System, asked: usize) -> f64 {
    let mut problem = microlp::Problem::new(microlp::OptimizationDirection::Maximize);
    let cells = 0..system.capacity().len();
    let variables: Vec<_> =
        cells.map(|cell| problem.add_var(f64::from(u8::from(cell == asked)), (0.0, f64::INFINITY))).collect();
    for row in system.rows() {
        let terms: Vec<_> = row.cells().iter().map(|&cell| (variables[cell as usize], 1.0)).collect();
        problem.add_constraint(terms, microlp::ComparisonOp::Eq, row.lower() as f64);
    }
    match problem.solve() {
        Ok(microlp::SolveOutcome::Solution(solution)) => solution.objective(),
        _ => panic!("the true table is a solution, and the counts are bounded"),
    }
}

/// Which cells of a two-way table with its composition are known exactly: one pass over a
/// million.
fn pinned(criterion: &mut Criterion) {
    let side = 1_000;
    let people: Vec<u64> = counts(side * side, 30).iter().map(|&n| n + 1).collect();
    // Full rows in full columns, nobody in the others: those cells cannot move.
    let vote = |(cell, &n): (usize, &u64)| match (cell / side < 100, cell % side < 200) {
        (true, true) => n,
        (false, false) => 0,
        _ => n / 2,
    };
    let instance = Instance {
        name: "1000x1000",
        sizes: vec![side; 2],
        counts: people.iter().enumerate().map(vote).collect(),
        people: Some(people),
        margins: all_of(1, 2),
        is_whole: true,
    };
    let knowledge = instance.knowledge();
    let mut group = criterion.benchmark_group("frechet/pinned");
    group.sample_size(10);
    group.bench_function(instance.name, |bench| {
        bench.iter(|| {
            let mut solver = Solver::new(knowledge.clone(), instance.limits()).expect("numbers that agree");
            solver.exactly_disclosed_cells().expect("a two-way table")
        });
    });
    group.finish();
}

criterion_group!(benches, cells, one_cell, pinned);
criterion_main!(benches);
