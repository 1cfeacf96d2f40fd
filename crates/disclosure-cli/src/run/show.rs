//! A pipeline as people read it: first the answer, on one screen; then, when it is asked for, every
//! promise in full, what leaves, and what attackers made of it.

use disclosure_jobs::budget::{BudgetDocument, EpsilonAtDelta};
use disclosure_jobs::disclosure::privacy_core::accounting::Neighbours;
use disclosure_jobs::disclosure::privacy_core::promise::PromiseKind;
use disclosure_jobs::pipeline::{
    Figure, Findings, LabelFindings, LinkageFinding, LinkageReport, LinkageStatus, Manifest, PartDocument, PartName,
    PosteriorFindings, TableDocument, TargetDocument,
};

use crate::display::refusal::show_refusal;
use crate::display::{Align, Table, count, hanging, labelled, one_line, percent, short, short_up, terminal_width};

/// Most tables, and most pinned numbers, that are listed in full.
const MOST: usize = 24;
/// Most pinned numbers on the first screen.
const MOST_AT_FIRST: usize = 6;

/// The answer, on one screen: the verdict, what each part lets out and promises, what it cost, and
/// the targets.
pub(super) fn show(manifest: &Manifest, findings: &Findings, is_met: bool) -> String {
    let mut text = title(manifest, is_met);
    for part in [PartName::Exact, PartName::Filtered, PartName::Noisy, PartName::Together] {
        text += &part_summary(part, manifest);
    }
    if let Some(document) = &manifest.budget {
        text += &labelled(NAME, "budget", &cost(document));
    }
    text += &persons(manifest);
    text += &attack_summary(findings);
    text += &targets(&manifest.targets, false);
    text + &refusal(findings) + &exposed(&findings.linkage, MOST_AT_FIRST)
}

/// Everything: each promise in full, with its attacker, and each table.
pub(super) fn show_details(manifest: &Manifest, findings: &Findings, is_met: bool) -> String {
    let mut text = title(manifest, is_met);
    text += &promises(&manifest.parts);
    if let Some(document) = &manifest.budget {
        text += &budget(document);
    }
    text += &persons(manifest);
    text += &tables(&manifest.tables);
    text += &attacks(findings.labels.as_ref(), &findings.linkage, findings.posterior.as_ref());
    text + &targets(&manifest.targets, true) + &refusal(findings) + &exposed(&findings.linkage, MOST)
}

/// Why the plan of the exact part misses its target, and which settings of `[exact]` would pass.
fn refusal(findings: &Findings) -> String {
    findings.plan.as_ref().and_then(|plan| plan.refusal.as_ref()).map_or_else(String::new, show_refusal)
}

/// How many rows of people with many are not counted.
fn persons(manifest: &Manifest) -> String {
    let persons = manifest.persons.as_ref();
    persons.map_or_else(String::new, |persons| {
        labelled(NAME, "persons", &format!("{} For the owner of the data only.", persons.sentence()))
    })
}

fn title(manifest: &Manifest, is_met: bool) -> String {
    let bold = clap::builder::styling::Style::new().bold();
    let verdict = if is_met { "every target is met" } else { "a target is missed, nothing is released" };
    format!("\n  {bold}{}{bold:#}: {verdict}\n\n", one_line(&manifest.title))
}

/// Column of the names of parts.
const NAME: usize = 10;

/// What a part lets out, and each of its guarantees in one sentence.
fn part_summary(part: PartName, manifest: &Manifest) -> String {
    let tables: Vec<&TableDocument> = manifest.tables.iter().filter(|table| table.part == part).collect();
    let guarantees = manifest.parts.iter().filter(|own| own.name == part && own.kind == PromiseKind::Guarantee);
    let facts = (!tables.is_empty()).then(|| what_leaves(part, &tables));
    let sentences = guarantees.map(|own| format!("guarantee: {}", first_sentence(&own.promise)));
    let lines = facts.into_iter().chain(sentences).enumerate();
    lines.map(|(place, words)| labelled(NAME, if place == 0 { part.name() } else { "" }, &words)).collect()
}

/// What is promised first; conditions and what follows from it are behind semicolons.
fn first_sentence(promise: &str) -> &str {
    promise.split("; ").next().unwrap_or(promise)
}

fn what_leaves(part: PartName, tables: &[&TableDocument]) -> String {
    let sum = |number: fn(&TableDocument) -> f64| tables.iter().map(|table| number(table)).sum::<f64>();
    let (numbers, noised) = (count(sum(|table| table.numbers)), count(sum(|table| table.noised)));
    let withheld = count(sum(|table| table.withheld as f64));
    let several = if tables.len() == 1 { "" } else { "s" };
    match part {
        PartName::Filtered => format!("{numbers} groups shown, {withheld} withheld"),
        PartName::Noisy => format!("{} table{several}, {numbers} numbers, all with noise", tables.len()),
        _ => format!(
            "{} table{several}, {numbers} numbers, {noised} of them with noise, {withheld} withheld",
            tables.len()
        ),
    }
}

/// What was spent, and what that means.
fn cost(report: &BudgetDocument) -> String {
    let spent = short_up(report.spent_rho);
    let epsilon = report.epsilon_at_delta.first();
    let epsilon = epsilon.map_or_else(String::new, |stated| format!(": {}", stated.statement()));
    let unit = report.promise.unit.as_deref().unwrap_or_default();
    format!("rho {spent} of {} spent{epsilon}; protects {unit}{}", short_up(report.rho), relation(report))
}

/// What the attacks reached, a line each.
fn attack_summary(findings: &Findings) -> String {
    let linkage = &findings.linkage;
    let labels = findings.labels.as_ref().map(|labels| {
        format!("solvers got {} of the labels right, {} by guessing", percent(labels.attacked), percent(labels.blind))
    });
    let has_linkage = !linkage.cells.is_empty() || !linkage.groups.is_empty();
    let linkage = has_linkage.then(|| {
        let [cells, groups] = [&linkage.cells, &linkage.groups].map(|findings| known(findings));
        format!("all exact numbers together: {cells} withheld numbers and {groups} withheld groups known")
    });
    let posterior = findings.posterior.as_ref();
    let posterior =
        posterior.map(|own| format!("best guesses at withheld numbers, also using noisy ones: {}", believed(own)));
    let lines = labels.into_iter().chain(linkage).chain(posterior).enumerate();
    lines.map(|(place, words)| labelled(NAME, if place == 0 { "attacks" } else { "" }, &words)).collect()
}

/// Columns before the words of a promise.
const WORDS: usize = 22;

fn line(name: &str, kind: &str, words: &str) -> String {
    let start = format!("  {:<WORDS$}", format!("{name:<10}{kind}"));
    hanging(&start, &one_line(words), terminal_width())
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
    let epsilons: Vec<String> = report.epsilon_at_delta.iter().map(EpsilonAtDelta::statement).collect();
    let spent: Vec<String> = report.spent.iter().map(|s| format!("{} {}", s.part, short_up(s.rho))).collect();
    let parts = if spent.is_empty() { "nothing".to_owned() } else { spent.join(", ") };
    let unit = report.promise.unit.as_deref().unwrap_or_default();
    let statement = format!("{}; {}", report.promise.guarantee, epsilons.join(", "));
    line("budget", report.promise.kind.word(), &statement)
        + &line("", "protects", &format!("{unit}{}", relation(report)))
        + &line("", "spent", &format!("{parts} of rho {}", short_up(report.rho)))
}

fn relation(report: &BudgetDocument) -> &'static str {
    match report.promise.neighbours {
        Some(Neighbours::AddRemove) => ", added or removed",
        Some(Neighbours::Replace) => ", replaced by another",
        None => "",
    }
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
    let mut table = Table::new([("attack", Align::Left), ("result", Align::Left)]);
    if let Some(labels) = labels {
        let [reached, blind, ceiling] = [labels.attacked, labels.blind, labels.ceiling].map(percent);
        let words =
            format!("{reached} correct over {} releases; {blind} by guessing, {ceiling} at most", labels.trials);
        table.row(["solvers on the labels of [screen]".to_owned(), words]);
    }
    if has_linkage {
        let attack = format!("bounds from {} exact numbers together", count(linkage.numbers as f64));
        let [cells, groups] = [&linkage.cells, &linkage.groups].map(|findings| known(findings));
        table.row([attack, format!("{cells} withheld numbers and {groups} withheld groups known")]);
    }
    if let Some(posterior) = posterior {
        table.row(["best guesses at withheld numbers, also using noisy ones".to_owned(), believed(posterior)]);
    }
    format!("\n{}", table.render())
}

fn believed(posterior: &PosteriorFindings) -> String {
    let figures = posterior.simulated.unwrap_or(posterior.blind);
    let [right, blind, sure] = [figures.guessed_right, posterior.blind.guessed_right, figures.nearly_sure].map(percent);
    format!("{right} correct, {blind} from exact numbers alone; {sure} with a posterior of at least 0.95")
}

fn known(findings: &[LinkageFinding]) -> String {
    let known = findings.iter().filter(|finding| finding.is_exposed()).count();
    format!("{} of {}", count(known as f64), count(findings.len() as f64))
}

/// Each target, with what it is about when that is asked for.
fn targets(targets: &[TargetDocument], has_words: bool) -> String {
    if targets.is_empty() {
        return String::new();
    }
    let columns = [
        ("target", Align::Left),
        ("asked", Align::Right),
        ("found", Align::Right),
        ("", Align::Left),
        ("kind", Align::Left),
        ("of what", Align::Left),
    ];
    let shown = if has_words { columns.len() } else { columns.len() - 1 };
    let mut table = Table::new(columns.into_iter().take(shown));
    targets.iter().for_each(|target| table.row(target_row(target).into_iter().take(shown)));
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
fn exposed(linkage: &LinkageReport, most: usize) -> String {
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
    let lines: String = exposed.iter().take(most).map(String::as_str).collect();
    match exposed.len().saturating_sub(most) {
        0 => format!("\n{lines}"),
        more if most < MOST => format!("\n{lines}  … and {more} more, with --details\n"),
        more => format!("\n{lines}  … and {more} more, in review/attack.json once every target is met\n"),
    }
}

fn exposed_line(finding: &LinkageFinding) -> String {
    let labels: Vec<String> = finding.labels.iter().map(|(name, label)| format!("{name} {label}")).collect();
    let how = if finding.status == LinkageStatus::Pinned { "known" } else { "not decided within the limits" };
    format!("  {}: {how}\n", one_line(&labels.join(", ")))
}
