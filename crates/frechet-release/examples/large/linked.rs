//! Tables under all two-way margins.

use std::error::Error;

use frechet_release::{
    Class, DisclosureRule, DisclosureStatus, DisclosureTarget, Knowledge, Limits, ReleaseProblem, Scope, Solver, audit,
    plan,
};
use privacy_core::{ContingencyTable, Domain};

use crate::{Case, Draws, cpu_seconds};

type Failure = Box<dyn Error>;

fn table(case: &Case) -> Result<(Domain, ContingencyTable), Failure> {
    let mut draws = Draws(case.seed);
    let mut counts = vec![0_u64; case.sizes.iter().product()];
    for _ in 0..case.people {
        counts[case.sizes.iter().fold(0, |cell, &size| cell * size + draws.level(size))] += 1;
    }
    let domain = Domain::of_cardinalities(case.sizes)?;
    let table = ContingencyTable::from_cells(&domain, domain.all(), counts)?;
    Ok((domain, table))
}

/// A solver that knows all two-way margins, and the owner's table.
fn solver(domain: &Domain, table: &ContingencyTable) -> Result<Solver, Failure> {
    let mut knowledge = Knowledge::of_counts(domain.clone())?;
    for pair in domain.all().subsets_of_size(2) {
        knowledge.publish_margin(&table.marginal(pair)?)?;
    }
    let own: Vec<i64> = table.cells().iter().map(|&count| i64::try_from(count)).collect::<Result<_, _>>()?;
    Ok(Solver::with_table(knowledge, Limits::default(), &own)?)
}

pub(crate) fn audit_margins(case: &Case, width: u64) -> Result<(), Failure> {
    let (domain, table) = table(case)?;
    let start = cpu_seconds();
    let found = audit(&mut solver(&domain, &table)?, &DisclosureRule::new(width, 0.5, 1, Scope::Cells)?)?;
    let [disclosed, unknown] = [DisclosureStatus::Disclosed, DisclosureStatus::Unknown].map(|own| found.count(own));
    let (cells, seconds) = (found.findings.len(), cpu_seconds() - start);
    println!("{}: {cells} cells, {disclosed} disclosed, {unknown} unknown, {seconds:.2} CPU s", case.name);
    Ok(())
}

pub(crate) fn plan_release(case: &Case, width: u64) -> Result<(), Failure> {
    let (domain, table) = table(case)?;
    let start = cpu_seconds();
    let rule = DisclosureRule::new(width, 0.5, 3, Scope::Cells)?;
    let background = Knowledge::of_counts(domain.clone())?;
    let mut problem = ReleaseProblem::new(background, rule, DisclosureTarget::Undisclosed, Limits::default());
    for pair in domain.all().subsets_of_size(2) {
        problem = problem.request_margin(pair, 1.0)?;
    }
    let found = plan(&problem.allow_suppression().decide_on_counts(&table)?)?;
    let planned = cpu_seconds() - start;
    let statuses = || found.actions().iter().flat_map(|action| &action.statuses);
    let published = statuses().filter(|status| **status == frechet_release::CellStatus::Exact).count();
    let requested: u64 = domain.all().subsets_of_size(2).map(|pair| domain.cells(pair).unwrap_or(0)).sum();
    println!("{}: {published} of {requested} numbers published, {planned:.2} CPU s", case.name);
    let start = cpu_seconds();
    let audited = found.audit(&table)?;
    let [disclosed, unknown] = [DisclosureStatus::Disclosed, DisclosureStatus::Unknown].map(|own| audited.count(own));
    println!("audited: {disclosed} disclosed, {unknown} unknown, {:.2} CPU s", cpu_seconds() - start);
    Ok(())
}

/// Writes the rows and the sharp bounds of some cells as JSON.
pub(crate) fn bounds(case: &Case, asked: u64) -> Result<(), Failure> {
    let (domain, table) = table(case)?;
    let mut draws = Draws(case.seed);
    let cells: Vec<usize> = (0..asked).map(|_| draws.below(table.cells().len())).collect();
    let shape = domain.shape(domain.all());
    let levels = |cell: usize| {
        let mut rest = cell;
        let mut levels = shape.clone();
        for level in levels.iter_mut().rev() {
            (*level, rest) = (rest % *level, rest / *level);
        }
        levels
    };
    let classes: Vec<Class> = cells.iter().map(|&cell| Class::cell(levels(cell))).collect();
    let start = cpu_seconds();
    let mut solver = solver(&domain, &table)?;
    let ranges = solver.ranges(&classes)?;
    let seconds = cpu_seconds() - start;
    let row = |row: &frechet_release::Row| format!("[{:?},{}]", row.cells(), row.lower());
    let rows: Vec<String> = solver.knowledge().system().rows().iter().map(row).collect();
    let range = |(cell, own): (&usize, &frechet_release::CountRange)| {
        format!("[{cell},{},{},{}]", own.lower, own.upper, own.is_sharp)
    };
    let ranges: Vec<String> = cells.iter().zip(&ranges).map(range).collect();
    println!(
        "{{\"case\":\"{}\",\"cells\":{},\"seconds\":{seconds},\"rows\":[{}],\"bounds\":[{}]}}",
        case.name,
        table.cells().len(),
        rows.join(","),
        ranges.join(",")
    );
    Ok(())
}
