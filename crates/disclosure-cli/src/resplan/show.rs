//! A plan and a release as people read them.

use disclosure::core::Domain;
use disclosure::resplan::{Measured, NoisyMarginal, PlannedMarginal, Release};

use super::budget::EpsilonAtDelta;
use super::outputs::FileRecord;
use super::report::PlanReport;
use super::spec::NoiseKind;
use crate::error::Failure;
use crate::screen::{Align, Table, bar, count, one_line, short, short_up, with_error};

/// Most lines of the table of marginals.
const MOST_LINES: usize = 24;
/// Most one-way tables that are shown, and most categories of one.
const MOST_TABLES: usize = 6;
const MOST_CATEGORIES: usize = 16;

/// The plan: promise, cost, and a line for each marginal.
pub(super) fn show_plan(report: &PlanReport, files: Option<&[FileRecord]>) -> String {
    let bold = clap::builder::styling::Style::new().bold();
    let marginals = report.marginals.len();
    let mut text = format!(
        "\n  {bold}{}{bold:#}: {} table{}, {} number{}, root mean square error {}\n\n",
        one_line(&report.title),
        count(marginals as f64),
        if marginals == 1 { "" } else { "s" },
        count(report.cells),
        if report.cells == 1.0 { "" } else { "s" },
        short(report.rmse),
    );
    let line = |name: &str, words: String| format!("  {name:<11}{words}\n");
    let epsilon = |e: &EpsilonAtDelta| format!("epsilon {} at delta {:e}", short_up(e.epsilon), e.delta);
    let epsilons: Vec<String> = report.epsilon_at_delta.iter().map(epsilon).collect();
    text += &match report.noise {
        NoiseKind::Discrete => line("guarantee", format!("{}: {}", report.promise.statement, epsilons.join(", "))),
        NoiseKind::Continuous => line("promise", report.promise.statement.clone()),
    };
    text += &line(
        "against",
        format!("whoever sees it all; protects {} {}", report.promise.unit, report.promise.relation()),
    );
    text += &line(
        "noise",
        match report.noise {
            NoiseKind::Discrete => "discrete Gaussian, drawn exactly; unbiased, and all tables add up".to_owned(),
            NoiseKind::Continuous => "continuous, simulated".to_owned(),
        },
    );
    text += &line("intervals", "95 % for each number, from the noise alone (calibration)".to_owned());
    text.push('\n');
    text + &marginal_table(report, files)
}

fn marginal_table(report: &PlanReport, files: Option<&[FileRecord]>) -> String {
    let mut columns =
        vec![("table", Align::Left), ("cells", Align::Right), ("sd", Align::Right), ("± 95 %", Align::Right)];
    columns.extend(files.map(|_| ("file", Align::Left)));
    let mut table = Table::new(columns);
    for (number, marginal) in report.marginals.iter().enumerate().take(MOST_LINES) {
        let name = if marginal.attributes.is_empty() { "(total)".to_owned() } else { marginal.attributes.join(" × ") };
        let mut row = vec![name, count(marginal.queries), short(marginal.sd), short(marginal.ci95_half_width)];
        row.extend(files.and_then(|files| files.get(number)).map(|file| file.name.clone()));
        table.row(row);
    }
    let mut text = table.render();
    if report.marginals.len() > MOST_LINES {
        text += &format!("  … and {} more, in plan.json and in --json\n", report.marginals.len() - MOST_LINES);
    }
    text
}

/// The one-way tables, each number with its error and a bar.
pub(super) fn show_values(measured: &Measured<Release>, report: &PlanReport) -> Result<String, Failure> {
    let plan = measured.plan();
    let small = |m: &PlannedMarginal| m.attributes.len() == 1 && m.cells <= MOST_CATEGORIES as f64;
    let mut text = String::new();
    let planned = plan.marginals().zip(&report.marginals).filter(|(marginal, _)| small(marginal));
    for (marginal, planned) in planned.take(MOST_TABLES) {
        let answer = measured.marginal(marginal.attributes)?;
        text += &format!("\n{}", one_way(plan.domain(), &answer, planned.ci95_half_width));
    }
    Ok(text)
}

fn one_way(domain: &Domain, marginal: &NoisyMarginal, half_width: f64) -> String {
    let attribute = marginal.attributes.iter().next().map(|a| &domain.attributes()[a]);
    let (name, labels) = attribute.map_or(("", [].as_slice()), |a| (a.name(), a.labels()));
    let sd = marginal.variance.sqrt();
    let largest = marginal.values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let mut table = Table::new([
        (name.to_owned(), Align::Left),
        ("value".to_owned(), Align::Right),
        ("± 95 %".to_owned(), Align::Right),
        (String::new(), Align::Left),
    ]);
    for (label, &value) in labels.iter().zip(&marginal.values) {
        table.row([label.clone(), with_error(value, sd), short(half_width), bar(value / largest, 32)]);
    }
    table.render()
}
