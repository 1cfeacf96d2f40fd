//! Tables under all two-way margins.

use std::error::Error;

use frechet_release::{
    CellStatus, Class, DecisionData, DisclosureRule, DisclosureStatus, DisclosureTarget, Knowledge, Limits,
    MarginAction, PatternBudget, PrivatePattern, ReleasePlan, ReleaseProblem, ReplayLimits, Scope, Solver, audit, plan,
};
use privacy_core::accounting::Neighbours;
use privacy_core::param::{Delta, Epsilon};
use privacy_core::{ContingencyTable, Domain};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

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

/// A request of all two-way margins.
fn problem(domain: &Domain, width: u64) -> Result<ReleaseProblem, Failure> {
    let rule = DisclosureRule::new(width, 0.5, 3, Scope::Cells)?;
    let background = Knowledge::of_counts(domain.clone())?;
    let mut problem = ReleaseProblem::new(background, rule, DisclosureTarget::Undisclosed, Limits::default());
    for pair in domain.all().subsets_of_size(2) {
        problem = problem.request_margin(pair, 1.0)?;
    }
    Ok(problem.allow_suppression())
}

fn published(actions: &[MarginAction]) -> usize {
    let statuses = actions.iter().flat_map(|action| &action.statuses);
    statuses.filter(|status| **status == CellStatus::Exact).count()
}

fn requested(domain: &Domain) -> u64 {
    domain.all().subsets_of_size(2).map(|pair| domain.cells(pair).unwrap_or(0)).sum()
}

pub(crate) fn plan_release(case: &Case, basis: DecisionData, width: u64) -> Result<(), Failure> {
    let (domain, table) = table(case)?;
    let start = cpu_seconds();
    let problem = problem(&domain, width)?;
    let problem = match basis {
        DecisionData::Robust => problem.decide_robustly(&table)?,
        _ => problem.decide_on_counts(&table)?,
    };
    let found = plan(&problem)?;
    let (planned, requested) = (cpu_seconds() - start, requested(&domain));
    let published = published(found.actions());
    println!("{}: {published} of {requested} numbers published, {planned:.2} CPU s", case.name);
    audit_plan(&found, &table)?;
    replay(&found, &table)
}

fn audit_plan(found: &ReleasePlan, table: &ContingencyTable) -> Result<(), Failure> {
    let start = cpu_seconds();
    let audited = found.audit(table)?;
    let [disclosed, unknown] = [DisclosureStatus::Disclosed, DisclosureStatus::Unknown].map(|own| audited.count(own));
    println!("audited: {disclosed} disclosed, {unknown} unknown, {:.2} CPU s", cpu_seconds() - start);
    Ok(())
}

/// What a reader who knows the planner learns.
fn replay(found: &ReleasePlan, table: &ContingencyTable) -> Result<(), Failure> {
    let start = cpu_seconds();
    let is_robust = found.robustness().is_some();
    let limits = ReplayLimits::of_cells(table.cells().len());
    let report = found.robustness().map_or_else(|| found.replay(table, limits), Ok)?;
    let (known, withheld, disclosed) = (report.known, report.withheld, report.disclosed_classes);
    let kind = if is_robust { "of the plan itself" } else { "drawn" };
    println!(
        "reader: {known} of {withheld} withheld numbers known, {disclosed} classes disclosed, {} of {} tables ({kind}) \
         with the same plan, {:.2} CPU s",
        report.same,
        report.looked_at,
        cpu_seconds() - start
    );
    Ok(())
}

/// Draws private patterns at some epsilons.
pub(crate) fn draw_patterns(case: &Case, width: u64) -> Result<(), Failure> {
    let (domain, table) = table(case)?;
    for epsilon in [0.5, 1.0, 2.0, 4.0, 8.0] {
        let start = cpu_seconds();
        let budget = PatternBudget {
            epsilon: Epsilon::new(epsilon)?,
            delta: Delta::new(1e-6)?,
            neighbours: Neighbours::AddRemove,
            rows_per_person: 1,
        };
        let pattern = PrivatePattern::new(&problem(&domain, width)?, &budget)?;
        let drawn = pattern.draw(&table, &mut ChaCha20Rng::from_seed([7; 32]))?;
        let (published, requested) = (published(drawn.actions()), requested(&domain));
        let seconds = cpu_seconds() - start;
        println!("{}, epsilon {epsilon}: {published} of {requested} numbers, {seconds:.2} CPU s", case.name);
    }
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
