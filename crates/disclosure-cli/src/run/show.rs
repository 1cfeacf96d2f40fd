//! A trip as people read it: promises first, then the budget, what leaves, and what attackers made of it.

use serde_json::Value;

use disclosure_jobs::budget::BudgetDocument;

use super::findings::Labels;
use super::joint::{Joint, Verdict};
use super::manifest::{Manifest, PartReport, TableReport};
use super::targets::TargetReport;
use crate::display::{Align, Table, count, one_line, short, short_up};
use crate::explain::wrap;

/// Most tables, and most pinned numbers, that are listed.
const MOST: usize = 24;

pub(super) fn show(manifest: &Manifest, labels: Option<&Labels>, joint: &Joint, is_met: bool) -> String {
    let bold = clap::builder::styling::Style::new().bold();
    let verdict = if is_met { "every target is met" } else { "a target is missed, nothing leaves" };
    let mut text = format!("\n  {bold}{}{bold:#}: {verdict}\n\n", one_line(&manifest.title));
    text += &promises(&manifest.parts);
    if let Some(report) = &manifest.budget {
        text += &budget(report);
    }
    text += &tables(&manifest.tables);
    text += &attacks(labels, joint);
    text + &targets(&manifest.targets) + &pinned(joint)
}

/// Widest text behind a name and a kind.
const WIDEST: usize = 100;

fn line(name: &str, kind: &str, words: &str) -> String {
    let lines = wrap(&one_line(words), WIDEST).join(&format!("\n{:24}", ""));
    format!("  {name:<10}{kind:<12}{lines}\n")
}

fn promises(parts: &[PartReport]) -> String {
    let mut text = String::new();
    let mut before = "";
    for part in parts {
        let name = if part.name == before { "" } else { part.name };
        before = part.name;
        text += &line(name, part.kind, &part.promise);
        if !name.is_empty() {
            text += &line("", "against", &part.against);
        }
    }
    text
}

fn budget(report: &BudgetDocument) -> String {
    let epsilons: Vec<String> = report
        .epsilon_at_delta
        .iter()
        .map(|e| format!("epsilon {} at delta {:e}", short_up(e.epsilon), e.delta))
        .collect();
    let relation = match report.promise.neighbours {
        Some(disclosure::core::accounting::Neighbours::Replace) => "replaced by another",
        _ => "added or removed",
    };
    let spent: Vec<String> = report.spent.iter().map(|s| format!("{} {}", s.part, short_up(s.rho))).collect();
    let parts = if spent.is_empty() { "nothing".to_owned() } else { spent.join(", ") };
    line("budget", report.promise.kind.word(), &format!("{}; {}", report.promise.guarantee, epsilons.join(", ")))
        + &line("", "protects", &format!("{}, {relation}", report.promise.unit.as_deref().unwrap_or_default()))
        + &line("", "spent", &format!("{parts} of rho {}", short_up(report.rho)))
}

fn tables(tables: &[TableReport]) -> String {
    let mut table = Table::new([
        ("part", Align::Left),
        ("table", Align::Left),
        ("numbers", Align::Right),
        ("withheld", Align::Right),
        ("what", Align::Left),
    ]);
    for report in tables.iter().take(MOST) {
        let name = if report.attributes.is_empty() { "(total)".to_owned() } else { report.attributes.join(" × ") };
        let numbers = [count(report.numbers), count(report.withheld as f64)];
        table.row([report.part.to_owned(), name].into_iter().chain(numbers).chain([report.what.clone()]));
    }
    let more = match tables.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!("  … and {more} more tables, in --json\n"),
    };
    format!("\n{}{more}", table.render())
}

fn attacks(labels: Option<&Labels>, joint: &Joint) -> String {
    let mut table = Table::new([("attack", Align::Left), ("what it reached", Align::Left)]);
    if let Some(labels) = labels {
        let [reached, blind, ceiling] = [labels.accuracies.attacked, labels.blind, labels.ceiling].map(percent);
        let words = format!("{reached} right over {} releases; {blind} by guessing, {ceiling} at most", labels.trials);
        table.row(["solvers on the labels of [screen]".to_owned(), words]);
    }
    if !joint.cells.is_empty() || !joint.groups.is_empty() {
        let known = |found: &[super::joint::Found]| {
            let known = found.iter().filter(|found| found.verdict != Verdict::Open).count();
            format!("{} of {}", count(known as f64), count(found.len() as f64))
        };
        let what = format!("bounds from {} exact numbers together", count(joint.numbers as f64));
        table.row([
            what,
            format!("{} withheld numbers and {} withheld groups known", known(&joint.cells), known(&joint.groups)),
        ]);
    }
    match labels.is_some() || !joint.cells.is_empty() || !joint.groups.is_empty() {
        true => format!("\n{}", table.render()),
        false => String::new(),
    }
}

fn targets(targets: &[TargetReport]) -> String {
    if targets.is_empty() {
        return String::new();
    }
    let mut table = Table::new([
        ("target", Align::Left),
        ("asked", Align::Right),
        ("found", Align::Right),
        ("", Align::Left),
        ("kind", Align::Left),
        ("of what", Align::Left),
    ]);
    for target in targets {
        let is_share = target.name.starts_with("label-accuracy");
        let shown = |value: &Value| match value.as_f64() {
            Some(share) if is_share => percent(share),
            Some(number) if value.is_u64() => count(number),
            Some(number) => short(number),
            None => value.as_str().unwrap_or_default().to_owned(),
        };
        let most = if target.asked.is_number() { "≤ " } else { "" };
        let met = if target.met { "met" } else { "MISSED" };
        let words = [met, target.kind, target.what.as_str()].map(str::to_owned);
        let numbers = [format!("{most}{}", shown(&target.asked)), shown(&target.found)];
        table.row([target.name.to_owned()].into_iter().chain(numbers).chain(words));
    }
    format!("\n{}", table.render())
}

/// What is known that should not be, by name: its owner reads this.
fn pinned(joint: &Joint) -> String {
    let known = || joint.cells.iter().chain(&joint.groups).filter(|found| found.verdict != Verdict::Open);
    let mut text = String::new();
    for found in known().take(MOST) {
        let labels: Vec<String> = found.of.iter().map(|(name, label)| format!("{name} {label}")).collect();
        let how = if found.verdict == Verdict::Pinned { "known" } else { "not decided within the limits" };
        text += &format!("  {}: {how}\n", one_line(&labels.join(", ")));
    }
    match known().count().saturating_sub(MOST) {
        _ if text.is_empty() => text,
        0 => format!("\n{text}"),
        more => format!("\n{text}  … and {more} more, in review/attack.json once the targets allow it\n"),
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
