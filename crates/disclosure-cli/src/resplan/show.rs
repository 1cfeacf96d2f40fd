//! A plan and a release as people read them.

use disclosure::privacy_core::accounting::Neighbours;
use disclosure_jobs::budget::{EpsilonAtDelta, NoiseKind};
use disclosure_jobs::marginals::{
    AnswerLine, Answers, AttributeSummary, BasisName, MarginalSummary, PlanDocument, Released, TableFile,
};

use crate::display::{Align, Table, bar, count, labelled, one_line, short, with_error};
use crate::error::Failure;

/// Most lines of the table of marginals.
const MOST_LINES: usize = 24;
/// Most attributes whose queries are shown.
const MOST_ATTRIBUTES: usize = 8;
/// Most one-way tables that are shown, and most answers of one.
const MOST_TABLES: usize = 6;
const MOST_ANSWERS: usize = 16;

/// The plan: promise, cost, and a line for each marginal.
pub(super) fn show_plan(plan: &PlanDocument, files: Option<&[TableFile]>) -> String {
    let mut text = title(plan);
    let epsilons: Vec<String> = plan.epsilon_at_delta.iter().map(EpsilonAtDelta::statement).collect();
    let guarantee = &plan.promise.guarantee;
    text += &match plan.noise {
        NoiseKind::Discrete => line("guarantee", &format!("{guarantee}: {}", epsilons.join(", "))),
        NoiseKind::Continuous => line("promise", guarantee),
    };
    let unit = plan.promise.unit.as_deref().unwrap_or_default();
    text += &line("against", &format!("anyone who sees the whole release; protects {unit}, {}", relation(plan)));
    text += &match plan.noise {
        NoiseKind::Discrete => line("noise", "discrete Gaussian, drawn exactly; unbiased, and all tables add up"),
        NoiseKind::Continuous => line("noise", "continuous, simulated"),
    };
    text += &line("intervals", "95 % for each number, from the noise alone (calibration)");
    if !plan.adjustments.is_empty() {
        let names: Vec<&str> = plan.adjustments.iter().map(|adjustment| adjustment.name()).collect();
        text += &line("also", &format!("{} tables, which are biased", names.join(" and ")));
    }
    text += &query_lines(plan);
    if !plan.measured_together.is_empty() {
        let names: Vec<_> = plan.measured_together.iter().map(|name| one_line(name)).collect();
        text += &line("measured", &format!("{} together, by one strategy", names.join(", ")));
    }
    text += &plan.gap_to_any_mechanism.map_or_else(String::new, |gap| optimum(plan, gap));
    text + "\n" + &marginal_table(&plan.marginals, files)
}

/// How far the plan may be from the best of all mechanisms.
fn optimum(plan: &PlanDocument, gap: f64) -> String {
    let percent = match 100.0 * gap {
        percent if percent < 0.001 => "0.001".to_owned(),
        percent => short(percent),
    };
    let mechanisms = "any unbiased mechanism with Gaussian noise at this cost";
    let what = match plan.objective.as_str() {
        "sum-variance" => "sum of variances",
        "max-variance" => "largest variance",
        "equal-error" => "largest error of a table",
        _ => "objective",
    };
    line("optimum", &format!("{what} certified to be within {percent} % of the minimum over {mechanisms}"))
}

fn title(plan: &PlanDocument) -> String {
    let bold = clap::builder::styling::Style::new().bold();
    let marginals = plan.marginals.len();
    format!(
        "\n  {bold}{}{bold:#}: {} table{}, {} number{}, root mean square error {}\n\n",
        one_line(&plan.title),
        count(marginals as f64),
        if marginals == 1 { "" } else { "s" },
        count(plan.answers),
        if plan.answers == 1.0 { "" } else { "s" },
        short(plan.rmse),
    )
}

fn line(name: &str, text: &str) -> String {
    labelled(11, name, text)
}

/// What neighbouring tables differ in.
pub(super) fn relation(plan: &PlanDocument) -> &'static str {
    match plan.promise.neighbours {
        Some(Neighbours::Replace) => "replaced by another",
        _ => "added or removed",
    }
}

/// The attributes that are asked for more than their categories.
fn query_lines(plan: &PlanDocument) -> String {
    let mut text = String::new();
    let asked = plan.attributes.iter().filter(|a| a.basis != BasisName::Identity || a.weighted);
    for (number, attribute) in asked.enumerate() {
        match number {
            0..MOST_ATTRIBUTES => text += &line("queries", &queries(attribute, plan)),
            MOST_ATTRIBUTES => text += &line("", "… and more attributes, in plan.json and in --json"),
            _ => break,
        }
    }
    text
}

/// What is asked about an attribute, and how far its strategy may be from the best of its kind.
fn queries(attribute: &AttributeSummary, plan: &PlanDocument) -> String {
    let AttributeSummary { name, basis, weighted, queries, strategy_gap, .. } = attribute;
    let basis = match basis {
        BasisName::Identity => "identity",
        BasisName::Prefix => "prefix",
        BasisName::Range => "range",
        BasisName::Hierarchical => "hierarchical",
        BasisName::Queries => "queries",
    };
    let weighted = if *weighted { "weighted " } else { "" };
    let quality = match plan.strategy.as_str() {
        _ if plan.measured_together.contains(name) => "measured together with the others".to_owned(),
        // There is one of its kind.
        "isotropic" => "isotropic strategy, for comparison".to_owned(),
        _ => format!("strategy within {} % of the best of its kind", short(100.0 * strategy_gap)),
    };
    format!("{}: {weighted}{basis}, {} answers; {quality}", one_line(name), count(*queries as f64))
}

/// A line for each marginal.
pub(super) fn marginal_table(marginals: &[MarginalSummary], files: Option<&[TableFile]>) -> String {
    let numbers = ["answers", "sd", "± 95 %", "all at once"].map(|name| (name, Align::Right));
    let mut columns = vec![("table", Align::Left)];
    columns.extend(numbers);
    columns.extend(files.map(|_| ("file", Align::Left)));
    let mut table = Table::new(columns);
    for (number, marginal) in marginals.iter().enumerate().take(MOST_LINES) {
        let mut row = vec![name_of(&marginal.attributes), count(marginal.queries)];
        row.extend([marginal.sd, marginal.ci95_half_width, marginal.ci95_simultaneous_half_width].map(short));
        row.extend(files.and_then(|files| files.get(number)).map(|table| table.file.name.clone()));
        table.row(row);
    }
    let mut text = table.render();
    if marginals.len() > MOST_LINES {
        text += &format!("  … and {} more, in plan.json and in --json\n", marginals.len() - MOST_LINES);
    }
    text
}

/// What a marginal is called.
pub(crate) fn name_of(attributes: &[String]) -> String {
    if attributes.is_empty() { "(total)".to_owned() } else { attributes.join(" × ") }
}

/// The one-way tables, each number with its error and a bar.
pub(super) fn show_one_way(released: &Released) -> Result<String, Failure> {
    let is_small = |m: &&MarginalSummary| m.attributes.len() == 1 && m.queries <= MOST_ANSWERS as f64;
    let mut text = String::new();
    for planned in released.plan().marginals.iter().filter(is_small).take(MOST_TABLES) {
        let answers = released.answers(&planned.attributes)?;
        text += &format!("\n{}", show_answers(&answers, None, MOST_ANSWERS));
    }
    Ok(text)
}

/// The first answers of a marginal or the one at an index, each with its error and a bar.
pub(super) fn show_answers(answers: &Answers<'_>, index: Option<usize>, most: usize) -> String {
    let lines: Vec<AnswerLine> = answers.lines_at(index).take(most).collect();
    let largest = lines.iter().map(|line| line.value).fold(f64::MIN_POSITIVE, f64::max);
    let mut columns: Vec<(String, Align)> = answers.attributes().into_iter().map(|name| (name, Align::Left)).collect();
    columns
        .extend([("value", Align::Right), ("± 95 %", Align::Right), ("", Align::Left)].map(|(n, a)| (n.to_owned(), a)));
    let mut table = Table::new(columns);
    for AnswerLine { names, value, sd, ci95_high, .. } in lines {
        let numbers = [with_error(value, sd), short(ci95_high - value), bar(value / largest, 32)];
        table.row(names.into_iter().chain(numbers));
    }
    let left = if index.is_some() { 0 } else { answers.len().saturating_sub(most) };
    let more = match left {
        0 => String::new(),
        left => format!("  … and {} more, with -o DIR or --json\n", count(left as f64)),
    };
    table.render() + &more
}
