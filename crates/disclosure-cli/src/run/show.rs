//! A pipeline as people read it: promises first, then the budget, what leaves, and what attackers
//! made of it.

use disclosure_jobs::budget::BudgetDocument;
use disclosure_jobs::disclosure::privacy_core::accounting::Neighbours;
use disclosure_jobs::pipeline::{
    Figure, Findings, LabelFindings, LinkageFinding, LinkageReport, LinkageStatus, Manifest, PartDocument,
    PosteriorFindings, TableDocument, TargetDocument,
};

use crate::display::{Align, Table, count, one_line, percent, short, short_up};
use crate::explain::wrap;

/// Most tables, and most pinned numbers, that are listed.
const MOST: usize = 24;

pub(super) fn show(manifest: &Manifest, findings: &Findings, is_met: bool) -> String {
    let bold = clap::builder::styling::Style::new().bold();
    let verdict = if is_met { "every target is met" } else { "a target is missed, nothing leaves" };
    let mut text = format!("\n  {bold}{}{bold:#}: {verdict}\n\n", one_line(&manifest.title));
    text += &promises(&manifest.parts);
    if let Some(document) = &manifest.budget {
        text += &budget(document);
    }
    text += &tables(&manifest.tables);
    text += &attacks(findings.labels.as_ref(), &findings.linkage, findings.posterior.as_ref());
    text + &targets(&manifest.targets) + &exposed(&findings.linkage)
}

/// Widest text behind a name and a kind.
const WIDEST: usize = 100;

fn line(name: &str, kind: &str, words: &str) -> String {
    let lines = wrap(&one_line(words), WIDEST).join(&format!("\n{:24}", ""));
    format!("  {name:<10}{kind:<12}{lines}\n")
}

fn promises(parts: &[PartDocument]) -> String {
    let mut text = String::new();
    let mut before = "";
    for part in parts {
        let name = if part.name.name() == before { "" } else { part.name.name() };
        before = part.name.name();
        text += &line(name, part.kind.word(), &part.promise);
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
        Some(Neighbours::AddRemove) => ", added or removed",
        Some(Neighbours::Replace) => ", replaced by another",
        None => "",
    };
    let spent: Vec<String> = report.spent.iter().map(|s| format!("{} {}", s.part, short_up(s.rho))).collect();
    let parts = if spent.is_empty() { "nothing".to_owned() } else { spent.join(", ") };
    let unit = report.promise.unit.as_deref().unwrap_or_default();
    let statement = format!("{}; {}", report.promise.guarantee, epsilons.join(", "));
    line("budget", report.promise.kind.word(), &statement)
        + &line("", "protects", &format!("{unit}{relation}"))
        + &line("", "spent", &format!("{parts} of rho {}", short_up(report.rho)))
}

fn tables(tables: &[TableDocument]) -> String {
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
        table.row([report.part.name().to_owned(), name].into_iter().chain(numbers).chain([report.what.clone()]));
    }
    let more = match tables.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!("  … and {more} more tables, in --json\n"),
    };
    format!("\n{}{more}", table.render())
}

fn attacks(labels: Option<&LabelFindings>, linkage: &LinkageReport, posterior: Option<&PosteriorFindings>) -> String {
    let has_linkage = !linkage.cells.is_empty() || !linkage.groups.is_empty();
    if labels.is_none() && !has_linkage {
        return String::new();
    }
    let mut table = Table::new([("attack", Align::Left), ("what it reached", Align::Left)]);
    if let Some(labels) = labels {
        let [reached, blind, ceiling] = [labels.attacked, labels.blind, labels.ceiling].map(percent);
        let words = format!("{reached} right over {} releases; {blind} by guessing, {ceiling} at most", labels.trials);
        table.row(["solvers on the labels of [screen]".to_owned(), words]);
    }
    if has_linkage {
        let attack = format!("bounds from {} exact numbers together", count(linkage.numbers as f64));
        let [cells, groups] = [&linkage.cells, &linkage.groups].map(|findings| known(findings));
        table.row([attack, format!("{cells} withheld numbers and {groups} withheld groups known")]);
    }
    if let Some(posterior) = posterior {
        table.row(["best guesses at withheld numbers, noisy ones read too".to_owned(), believed(posterior)]);
    }
    format!("\n{}", table.render())
}

fn believed(posterior: &PosteriorFindings) -> String {
    let figures = posterior.simulated.unwrap_or(posterior.blind);
    let [right, blind, sure] = [figures.guessed_right, posterior.blind.guessed_right, figures.nearly_sure].map(percent);
    format!("{right} right, {blind} from exact numbers alone; {sure} are at least 0.95 sure")
}

fn known(findings: &[LinkageFinding]) -> String {
    let known = findings.iter().filter(|finding| finding.is_exposed()).count();
    format!("{} of {}", count(known as f64), count(findings.len() as f64))
}

fn targets(targets: &[TargetDocument]) -> String {
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
    targets.iter().for_each(|target| table.row(target_row(target)));
    format!("\n{}", table.render())
}

fn target_row(target: &TargetDocument) -> [String; 6] {
    let is_share = target.name.starts_with("label-accuracy");
    let most = if matches!(target.asked, Figure::Word(_)) { "" } else { "≤ " };
    [
        target.name.clone(),
        format!("{most}{}", figure(&target.asked, is_share)),
        figure(&target.found, is_share),
        if target.met { "met" } else { "MISSED" }.to_owned(),
        target.kind.word().to_owned(),
        target.what.clone(),
    ]
}

fn figure(figure: &Figure, is_share: bool) -> String {
    match figure {
        Figure::Number(share) if is_share => percent(*share),
        Figure::Number(number) => short(*number),
        Figure::Count(number) => count(*number as f64),
        Figure::Word(word) => word.clone(),
    }
}

/// What is known that should not be, by name: the data owner reads this.
fn exposed(linkage: &LinkageReport) -> String {
    let classes = linkage.policy.iter().flat_map(|policy| &policy.exposed);
    let findings = linkage.cells.iter().chain(&linkage.groups).filter(|finding| finding.is_exposed()).chain(classes);
    let differences = linkage.policy.iter().flat_map(|policy| &policy.differences);
    let exposed: Vec<String> = findings
        .map(exposed_line)
        .chain(differences.map(|difference| format!("  {}: known by subtraction\n", one_line(&difference.name))))
        .collect();
    if exposed.is_empty() {
        return String::new();
    }
    let lines: String = exposed.iter().take(MOST).map(String::as_str).collect();
    match exposed.len().saturating_sub(MOST) {
        0 => format!("\n{lines}"),
        more => format!("\n{lines}  … and {more} more, in review/attack.json once the targets allow it\n"),
    }
}

fn exposed_line(finding: &LinkageFinding) -> String {
    let labels: Vec<String> = finding.labels.iter().map(|(name, label)| format!("{name} {label}")).collect();
    let how = if finding.status == LinkageStatus::Pinned { "known" } else { "not decided within the limits" };
    format!("  {}: {how}\n", one_line(&labels.join(", ")))
}
