//! A plan and a release as people read them.

use disclosure::core::AttrSet;
use disclosure::resplan::{NoisyMarginal, Plan, PlannedMarginal};

use super::budget::EpsilonAtDelta;
use super::names::AnswerNames;
use super::outputs::FileRecord;
use super::report::{AttributeReport, MarginalReport, PlanReport};
use super::spec::NoiseKind;
use super::table::{Answers, Line, Status};
use crate::display::{Align, Table, bar, count, one_line, short, short_up, with_error};
use crate::error::Failure;

/// Most lines of the table of marginals.
const MOST_LINES: usize = 24;
/// Most attributes whose queries are told.
const MOST_ATTRIBUTES: usize = 8;
/// Most one-way tables that are shown, and most answers of one.
const MOST_TABLES: usize = 6;
const MOST_ANSWERS: usize = 16;

/// The plan: promise, cost, and a line for each marginal.
pub(super) fn show_plan(report: &PlanReport, files: Option<&[FileRecord]>) -> String {
    let bold = clap::builder::styling::Style::new().bold();
    let marginals = report.marginals.len();
    let mut text = format!(
        "\n  {bold}{}{bold:#}: {} table{}, {} number{}, root mean square error {}\n\n",
        one_line(&report.title),
        count(marginals as f64),
        if marginals == 1 { "" } else { "s" },
        count(report.answers),
        if report.answers == 1.0 { "" } else { "s" },
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
        format!("whoever sees it all; protects {}, {}", report.promise.unit, report.promise.relation()),
    );
    text += &line(
        "noise",
        match report.noise {
            NoiseKind::Discrete => "discrete Gaussian, drawn exactly; unbiased, and all tables add up".to_owned(),
            NoiseKind::Continuous => "continuous, simulated".to_owned(),
        },
    );
    text += &line("intervals", "95 % for each number, from the noise alone (calibration)".to_owned());
    if !report.after.is_empty() {
        let names: Vec<&str> = report.after.iter().map(|after| after.name()).collect();
        text += &line("besides", format!("{} tables, no longer unbiased", names.join(" and ")));
    }
    let asked = report.attributes.iter().filter(|attribute| attribute.basis != "identity" || attribute.weighted);
    for (number, attribute) in asked.enumerate() {
        match number {
            0..MOST_ATTRIBUTES => text += &line("queries", queries(attribute, &report.strategy)),
            MOST_ATTRIBUTES => text += &line("", "… and more attributes, in plan.json and in --json".to_owned()),
            _ => break,
        }
    }
    text.push('\n');
    text + &marginal_table(&report.marginals, files)
}

/// What is asked about an attribute, and how far its strategy may be from the best of its kind.
fn queries(attribute: &AttributeReport, strategy: &str) -> String {
    let AttributeReport { name, basis, weighted, queries, strategy_gap, .. } = attribute;
    let weighted = if *weighted { "weighted " } else { "" };
    let quality = match strategy {
        // There is one of its kind.
        "isotropic" => "isotropic strategy, for comparison".to_owned(),
        _ => format!("strategy within {} % of the best of its kind", short(100.0 * strategy_gap)),
    };
    format!("{}: {weighted}{basis}, {} answers; {quality}", one_line(name), count(*queries as f64))
}

/// A line for each marginal.
pub(super) fn marginal_table(marginals: &[MarginalReport], files: Option<&[FileRecord]>) -> String {
    let numbers = ["answers", "sd", "± 95 %", "all at once"].map(|name| (name, Align::Right));
    let mut columns = vec![("table", Align::Left)];
    columns.extend(numbers);
    columns.extend(files.map(|_| ("file", Align::Left)));
    let mut table = Table::new(columns);
    for (number, marginal) in marginals.iter().enumerate().take(MOST_LINES) {
        let mut row = vec![name_of(&marginal.attributes), count(marginal.queries)];
        row.extend([marginal.sd, marginal.ci95_half_width, marginal.ci95_simultaneous_half_width].map(short));
        row.extend(files.and_then(|files| files.get(number)).map(|file| file.name.clone()));
        table.row(row);
    }
    let mut text = table.render();
    if marginals.len() > MOST_LINES {
        text += &format!("  … and {} more, in plan.json and in --json\n", marginals.len() - MOST_LINES);
    }
    text
}

/// What a marginal is called.
pub(super) fn name_of(attributes: &[String]) -> String {
    if attributes.is_empty() { "(total)".to_owned() } else { attributes.join(" × ") }
}

/// The one-way tables, each number with its error and a bar.
pub(super) fn show_one_way(
    plan: &Plan,
    names: &AnswerNames,
    noised: Status,
    mut marginal: impl FnMut(AttrSet) -> Result<NoisyMarginal, Failure>,
) -> Result<String, Failure> {
    let small = |m: &PlannedMarginal| m.attributes.len() == 1 && m.queries <= MOST_ANSWERS as f64;
    let mut text = String::new();
    for planned in plan.marginals().filter(small).take(MOST_TABLES) {
        let answers = Answers::new(plan, names, marginal(planned.attributes)?, noised)?;
        text += &format!("\n{}", show_answers(plan, &answers, None, MOST_ANSWERS));
    }
    Ok(text)
}

/// The first answers of a marginal or the one at a place, each with its error and a bar.
pub(super) fn show_answers(plan: &Plan, answers: &Answers<'_>, place: Option<usize>, most: usize) -> String {
    let lines: Vec<Line<'_>> = answers.lines_at(place).take(most).collect();
    let largest = lines.iter().map(|line| line.value).fold(f64::MIN_POSITIVE, f64::max);
    let mut columns: Vec<(String, Align)> =
        plan.domain().names(answers.attributes()).map(|name| (name.to_owned(), Align::Left)).collect();
    columns
        .extend([("value", Align::Right), ("± 95 %", Align::Right), ("", Align::Left)].map(|(n, a)| (n.to_owned(), a)));
    let mut table = Table::new(columns);
    for Line { of, value, sd, ci95_high, .. } in lines {
        let numbers = [with_error(value, sd), short(ci95_high - value), bar(value / largest, 32)];
        table.row(of.into_iter().map(str::to_owned).chain(numbers));
    }
    let left = if place.is_some() { 0 } else { answers.len().saturating_sub(most) };
    let more = match left {
        0 => String::new(),
        left => format!("  … and {} more, with -o DIR or --json\n", count(left as f64)),
    };
    table.render() + &more
}
