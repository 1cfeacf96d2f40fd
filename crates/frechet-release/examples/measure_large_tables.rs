//! How long a table takes under all two-way margins, and what is left undecided.
//!
//! ```sh
//! cargo run --release -p frechet-release --example measure_large_tables -- 20,20,20 40000 audit
//! ```
//!
//! The levels of each axis, the number of people, and what is done: `ends` finds those of all
//! cells,
//! `audit` judges all cells (minimum width 0), `plan` plans the release of all two-way margins
//! on the
//! counts (minimum width 1, minimum frequency 3). People are independent; low levels are more
//! common
//! than high ones. `@FILE` instead of levels reads them from its first line and all counts from the
//! second. The first table is the owner's.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::time::Instant;

use frechet_release::{
    Class, DisclosureRule, DisclosureStatus, DisclosureTarget, Knowledge, Limits, ReleaseProblem, Scope, Solver, audit,
    plan,
};
use privacy_core::{AttrSet, ContingencyTable, Domain};

type Failure = Box<dyn std::error::Error>;

/// A linear congruential generator's high bits: the same people in any language.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    /// The smaller of two uniform levels.
    fn level(&mut self, size: usize) -> usize {
        let (a, b) = (self.below(size), self.below(size));
        a.min(b)
    }
}

fn random(sizes: &[usize], people: u64) -> Vec<u64> {
    let mut draws = Draws(12_345);
    let mut counts = vec![0_u64; sizes.iter().product()];
    for _ in 0..people {
        counts[sizes.iter().fold(0, |cell, &size| cell * size + draws.level(size))] += 1;
    }
    counts
}

fn sizes_of(line: &str) -> Result<Vec<usize>, std::num::ParseIntError> {
    line.split(',').map(str::parse).collect()
}

fn table(what: &str, people: u64) -> Result<(Domain, ContingencyTable), Failure> {
    let (sizes, counts) = match what.strip_prefix('@') {
        Some(file) => {
            let text = std::fs::read_to_string(file)?;
            let (first, rest) = text.split_once('\n').ok_or("two lines")?;
            (sizes_of(first)?, rest.split_whitespace().map(str::parse).collect::<Result<Vec<u64>, _>>()?)
        }
        None => {
            let sizes = sizes_of(what)?;
            let counts = random(&sizes, people);
            (sizes, counts)
        }
    };
    let domain = Domain::of_cardinalities(&sizes)?;
    let table = ContingencyTable::from_cells(&domain, domain.all(), counts)?;
    Ok((domain, table))
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (domain, table) = table(&arguments[0], arguments[1].parse()?)?;
    let pairs: Vec<AttrSet> = domain.all().subsets_of_size(2).collect();
    let start = Instant::now();
    if arguments[2] == "plan" {
        let rule = DisclosureRule::new(1, 0.5, 3, Scope::Cells)?;
        let background = Knowledge::of_counts(domain)?;
        let mut problem = ReleaseProblem::new(background, rule, DisclosureTarget::Undisclosed, Limits::default());
        for pair in pairs {
            problem = problem.request_margin(pair, 1.0)?;
        }
        let found = plan(&problem.allow_suppression().decide_on_counts(&table)?)?;
        found.actions().iter().for_each(|action| println!("{:?} {:?}", action.axes, action.treatment));
        println!("planned {:.2?}", start.elapsed());
        return Ok(());
    }
    let mut knowledge = Knowledge::of_counts(domain.clone())?;
    for pair in pairs {
        knowledge.publish_margin(&table.marginal(pair)?)?;
    }
    let truth: Vec<i64> = table.cells().iter().map(|&count| i64::try_from(count)).collect::<Result<_, _>>()?;
    let mut solver = Solver::with_table(knowledge, Limits::default(), &truth)?;
    if arguments[2] == "audit" {
        let found = audit(&mut solver, &DisclosureRule::new(0, 0.5, 1, Scope::Cells)?)?;
        let count = |status| found.count(status);
        let (disclosed, unknown) = (count(DisclosureStatus::Disclosed), count(DisclosureStatus::Unknown));
        println!("{} cells, {disclosed} disclosed, {unknown} unknown, {:.2?}", found.findings.len(), start.elapsed());
        return Ok(());
    }
    let levels = |cell: usize| {
        let (mut rest, mut levels) = (cell, domain.shape(domain.all()));
        for level in levels.iter_mut().rev() {
            (*level, rest) = (rest % *level, rest / *level);
        }
        levels
    };
    let cells: Vec<Class> = (0..truth.len()).map(|cell| Class::cell(levels(cell))).collect();
    let ranges = solver.ranges(&cells)?;
    let open = ranges.iter().filter(|range| !range.is_sharp).count();
    println!("{} cells, {open} not sharp, {:.2?}", cells.len(), start.elapsed());
    Ok(())
}
