//! Screenings as people read them: the kind of promise and the estimate first, the source's
//! quantities after.

use disclosure_jobs::disclosure::privacy_core::promise::Promise;
use disclosure_jobs::screening::{
    Bracketed, CoverageMethod, Covered, Estimate, ModelDocument, RealisedTable, ReleaseRule, SafeSetting,
    SearchDocument, SuppressedBy, TableDocument,
};

use super::show_attack::best;
use crate::display::{Align, Table, bar, count, labelled, one_line, percent, short};

/// Most classes that are listed.
const MOST_CLASSES: usize = 12;
/// Width of a bar at 100 %.
pub(super) const BAR: usize = 32;

pub(super) fn show_model(report: &ModelDocument) -> String {
    let mut text = head(&report.title, &report.estimate) + &promise(&report.promise) + &release(&report.release);
    text += &estimate(&report.estimate, &[("source's proxy", report.proxy.expected_accuracy)]);
    text + &coverage(report)
}

pub(super) fn show_table(report: &TableDocument) -> String {
    let (model, realised) = (&report.model, &report.realised);
    let mut text = head(&model.title, &realised.estimate);
    if let Some(attacked) = &realised.attacked {
        text += &line("best", &best(&attacked.strongest));
    }
    text += &promise(&model.promise);
    text += &line("data", "computed from the table: keep this as confidential as the data");
    text += &line("target", &format!("{}, given {}", one_line(&report.target), one_line(&report.known.join(", "))));
    text += &release(&model.release);
    text += &table_estimate(model, realised);
    text += &classes(realised);
    let identical = &realised.identical_features;
    text += &format!(
        "\n  {} distinct feature combinations; {} people have a unique one, {} share theirs only with people of the same label, \
         and the largest is shared by {}\n",
        count(identical.sets as f64),
        count(identical.alone as f64),
        count(identical.unanimous as f64),
        count(identical.largest as f64)
    );
    text + &most_exposed(realised)
}

pub(super) fn show_search(report: &SearchDocument) -> String {
    let mut text = head(&report.title, &report.estimate) + &promise(&report.promise) + &release(&report.release);
    text += &line("target", &format!("at most {}", percent(report.target_accuracy)));
    text += "\n";
    let mut table = Table::new([
        ("setting that meets the target, others unchanged", Align::Left),
        ("now", Align::Right),
        ("new", Align::Right),
        ("expected", Align::Right),
        ("source's proxy", Align::Right),
        ("attacked", Align::Right),
        ("", Align::Left),
    ]);
    let mut row = |what: &str, now: u64, found: &Option<SafeSetting>| {
        let then = found.as_ref().map_or_else(|| "none".to_owned(), |found| count(found.value as f64));
        let estimates = found.as_ref().map(|found| [found.estimate.accuracy, found.expected_accuracy]);
        let accuracies = estimates.map_or_else(|| ["–", "–"].map(str::to_owned), |both| both.map(percent));
        let confirmation = found.as_ref().and_then(|found| found.confirmation);
        let attacked = confirmation.map_or_else(|| "–".to_owned(), |c| percent(c.strongest.mean));
        let verdict =
            confirmation.map_or("not attacked", |c| if c.keeps_target_accuracy { "confirmed" } else { "exceeded" });
        let attacked = [attacked, if found.is_some() { verdict.to_owned() } else { String::new() }];
        table.row([what.to_owned(), count(now as f64), then].into_iter().chain(accuracies).chain(attacked));
    };
    row("smallest suppress_below", report.release.suppress_below, &report.smallest_suppress_below);
    row("smallest noise", report.release.noise.into(), &report.smallest_noise);
    row("largest max_order", report.release.max_order as u64, &report.largest_max_order);
    text + &table.render()
}

fn head(title: &str, estimate: &Estimate) -> String {
    let bold = clap::builder::styling::Style::new().bold();
    let found = percent(estimate.accuracy);
    format!("\n  {bold}{}{bold:#}: a solver is expected to reconstruct {found} of the labels\n\n", one_line(title))
}

pub(super) fn promise(promise: &Promise) -> String {
    line(promise.kind.word(), &promise.guarantee) + &line("against", promise.against.as_deref().unwrap_or_default())
}

pub(super) fn release(release: &ReleaseRule) -> String {
    let ReleaseRule { rows, columns, classes, suppress_below, suppress, noise, clamp, max_order, empty_query, subsets } =
        release;
    let what = match suppress {
        SuppressedBy::GroupSize => "queries with a group size",
        SuppressedBy::ClassCount => "class counts",
    };
    let queries = match (max_order < columns, empty_query) {
        (false, true) => "every query".to_owned(),
        (false, false) => "every query except the total".to_owned(),
        (true, _) => format!("queries over at most {max_order} columns"),
    };
    let clamp = if *clamp { ", negative counts shown as 0" } else { "" };
    line(
        "release",
        &format!(
            "{} rows, {columns} known columns, {classes} classes; {queries}: {} per row",
            count(*rows as f64),
            count(*subsets)
        ),
    ) + &line(
        "",
        &format!("{what} below {} withheld, noise from −{noise} to {noise}{clamp}", count(*suppress_below as f64)),
    )
}

/// The estimate between floor and ceiling, with a bar each.
fn estimate(estimate: &Estimate, others: &[(&str, f64)]) -> String {
    let mut table = Table::new([("share of correct labels", Align::Left), ("", Align::Right), ("", Align::Left)]);
    let mut row = |what: &str, share: f64| table.row([what.to_owned(), percent(share), bar(share, BAR)]);
    row("guessing the most frequent class", estimate.floor);
    row("a solver (state evolution)", estimate.accuracy);
    row("ceiling: identical features", estimate.ceiling);
    others.iter().for_each(|(what, share)| row(what, *share));
    format!("\n{}", table.render())
}

/// What is read of the table, from the simplest reader to what nobody exceeds.
fn table_estimate(model: &ModelDocument, realised: &RealisedTable) -> String {
    let Estimate { floor, ceiling, .. } = realised.estimate;
    let mut table = Table::new([("share of correct labels", Align::Left), ("", Align::Right), ("", Align::Left)]);
    let mut row = |what: &str, share: f64| table.row([what.to_owned(), percent(share), bar(share, BAR)]);
    row("guessing the most frequent class", model.proxy.blind_accuracy);
    row("most frequent released label of each cell", floor);
    if let Some(attacked) = &realised.attacked {
        row(&format!("quick attackers, {} releases", attacked.releases), attacked.strongest.accuracy.mean);
    }
    row("ceiling: identical features", ceiling);
    row("if labels were independent (state evolution)", realised.labels_independent);
    row("if columns were independent as well", model.estimate.accuracy);
    row("source's proxy", model.proxy.expected_accuracy);
    format!("\n{}", table.render())
}

/// The source's quantities.
fn coverage(report: &ModelDocument) -> String {
    let proxy = &report.proxy;
    let mut table = Table::new([
        ("released counts per row", Align::Left),
        ("own class", Align::Right),
        ("all classes", Align::Right),
    ]);
    let bracket = |b: &Bracketed| format!("{} – {}", six(b.low), six(b.high));
    table.row(["mean".to_owned(), six(report.d_true), six(report.d_eff)]);
    if report.method == CoverageMethod::Lattice {
        table.row(["  between".to_owned(), bracket(&report.d_true_bracket), bracket(&report.d_eff_bracket)]);
    }
    let exact = report.var_true_exact.map_or_else(|| "not computed".to_owned(), short);
    table.row(["variance, exact".to_owned(), exact, String::new()]);
    table.row(["variance, subsets independent".to_owned(), short(report.var_true), short(report.var_eff)]);
    table.row(["weakest row".to_owned(), short(proxy.d_true_min), short(proxy.d_min)]);
    table.row(["evidence, mean".to_owned(), short(proxy.i_true), short(proxy.i_eff)]);
    table.row(["evidence, weakest row".to_owned(), short(proxy.i_true_min), short(proxy.i_min)]);
    table.row(["evidence that the bound requires".to_owned(), short(proxy.required_i_true_min), String::new()]);
    let mut text = format!("\n{}", table.render());
    let classes = report.d_true_by_class.iter().take(MOST_CLASSES).map(|d| short(*d)).collect::<Vec<_>>().join(", ");
    text += &format!("\n  own class, by class: {classes}\n");
    let met = if proxy.meets_target { "met" } else { "missed" };
    text += &format!(
        "  source's bound for the weakest row: failure probability at most {}, target {met}; interval {} – {} at {}\n",
        short(proxy.failure_bound),
        percent(proxy.accuracy_interval.low),
        percent(proxy.accuracy_interval.high),
        percent(proxy.accuracy_interval.level)
    );
    text
}

/// Realised coverage, class by class.
fn classes(realised: &RealisedTable) -> String {
    let right = ["people", "mean", "least", "tenth", "median", "most", "uncovered", "state evolution"];
    let columns = [("released counts of the own class", Align::Left)].into_iter();
    let mut table = Table::new(columns.chain(right.map(|name| (name, Align::Right))));
    let mut row = |name: &str, covered: &Covered| {
        let spread = match &covered.coverage {
            Some(spread) => {
                let numbers = [spread.least, spread.tenth, spread.median, spread.most].map(|n| count(n as f64));
                [vec![short(spread.mean)], numbers.to_vec()].concat()
            }
            None => vec!["–".to_owned(); 5],
        };
        let people = [name.to_owned(), count(covered.people as f64)];
        let rest = [count(covered.uncovered as f64), percent(covered.exposure)];
        table.row(people.into_iter().chain(spread).chain(rest));
    };
    row("all people", &realised.everybody);
    realised.classes.iter().take(MOST_CLASSES).for_each(|class| row(&class.class, &class.covered));
    let more = realised.classes.len().saturating_sub(MOST_CLASSES);
    let more = if more > 0 { format!("  … and {more} more classes, in --json\n") } else { String::new() };
    format!("\n{}{more}", table.render())
}

fn most_exposed(realised: &RealisedTable) -> String {
    let mut table = Table::new([
        ("most exposed: row of the data", Align::Right),
        ("own class", Align::Right),
        ("all classes", Align::Right),
        ("evidence", Align::Right),
        ("state evolution", Align::Right),
    ]);
    for row in &realised.most_exposed {
        let counts = [row.row as f64, row.d_true as f64, row.d_eff as f64].map(count);
        table.row(counts.into_iter().chain([short(row.evidence), percent(row.exposure)]));
    }
    format!("\n{}  … all rows with --rows FILE.csv\n", table.render())
}

pub(super) fn line(name: &str, words: &str) -> String {
    labelled(9, name, words)
}

/// Six significant digits or so, for numbers that are exact.
fn six(value: f64) -> String {
    if value < 1e6 { format!("{value:.4}") } else { count(value) }
}
