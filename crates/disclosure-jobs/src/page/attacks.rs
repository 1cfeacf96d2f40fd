//! Documents about attacks: what solvers get right, and what can be derived about withheld
//! numbers.

use disclosure_report::number::{count, with_error};
use disclosure_report::{Amount, Bar, Bars, Block, Cell, Column, Table, Tone};

use super::review::{MOST_DRAWN, folded, labelled, left_out, truncation_note};
use super::views::{LabelAttack, Mean, Prediction};
use super::words::capitalized;
use crate::figures::percent;
use crate::pipeline::{AttackDocument, LinkageCounts, LinkageFinding, PosteriorDocument, PosteriorFigures};
use disclosure::frechet::LinkageStatus;

/// Guessing, the accuracy that a solver is expected to reach, and the most that it can.
pub(super) fn prediction(document: &Prediction) -> Vec<Block> {
    let realised = document.realised.as_ref().map(|realised| (&realised.estimate, "this table"));
    let estimates = [(&document.estimate, "the model")].into_iter().chain(realised);
    let bars = estimates.flat_map(|(estimate, subject)| {
        let shares = [(estimate.floor, "guessing"), (estimate.accuracy, "a solver"), (estimate.ceiling, "ceiling")];
        shares.map(|(share, label)| share_bar(format!("{label}, {subject}"), share, None))
    });
    let bars = bars.collect();
    let title = "Share of the labels that a solver is expected to get right".to_owned();
    vec![Bars { title, axis: "% of the labels".to_owned(), bars }.into()]
}

/// A share in percent, with two standard errors to either side if it was measured.
fn share_bar(label: String, share: f64, standard_error: Option<f64>) -> Bar {
    let value = 100.0 * share;
    match standard_error.filter(|&error| error > 0.0) {
        Some(error) => {
            let width = 200.0 * error;
            let shown = format!("{} ± {} %", with_error(value, width), with_error(width, width));
            Bar { label, amount: Amount::Estimate { value, low: value - width, high: value + width }, shown }
        }
        None => Bar { label, amount: Amount::Exact(value), shown: percent(share) },
    }
}

fn measured(label: impl Into<String>, mean: &Mean) -> Bar {
    share_bar(label.into(), mean.mean, mean.standard_error)
}

/// The accuracies that attackers reached, between guessing and the ceiling.
pub(super) fn labels(document: &LabelAttack) -> Vec<Block> {
    let mut bars = vec![measured("guessing", &document.blind_accuracy)];
    // First of the attackers what is judged: whichever was best on each release.
    bars.extend(document.strongest.iter().map(|best| measured("best attacker of each release", &best.accuracy)));
    let attackers = document.attackers.iter();
    bars.extend(
        attackers
            .map(|attacker| measured(format!("attacker: {}", attacker.evidence.replace('-', " ")), &attacker.accuracy)),
    );
    bars.push(measured("ceiling", &document.ceiling_accuracy));
    let axis = "% of the labels; error bars are two standard errors on either side".to_owned();
    vec![Bars { title: "Share of the labels that attackers got right".to_owned(), axis, bars }.into()]
}

/// The linkage attack on all exact numbers together, and the attack on labels.
pub(super) fn linkage(document: &AttackDocument<LabelAttack>, max_lines: usize) -> Vec<Block> {
    let exact = &document.exact_numbers;
    let mut blocks = vec![Block::Facts(vec![
        ("meaning".to_owned(), exact.statement.as_str().into()),
        ("against".to_owned(), exact.against.as_str().into()),
    ])];
    blocks.extend(statuses(&exact.withheld_cells, "withheld cells", max_lines));
    blocks.extend(statuses(&exact.withheld_groups, "withheld groups", max_lines));
    blocks.extend(document.noisy_numbers.iter().flat_map(posterior));
    blocks.extend(document.labels.iter().flat_map(labels));
    blocks
}

/// What a reader of the noisy numbers as well believes about withheld numbers.
fn posterior(document: &PosteriorDocument) -> Vec<Block> {
    let columns = [
        Column::words("from"),
        Column::numbers("largest probability"),
        Column::numbers("guessed correctly"),
        Column::numbers("at least 95 % certain"),
    ];
    let mut table = Table::new("How certain a reader of the noisy numbers is of withheld numbers".to_owned(), columns);
    let simulated = format!("{} releases with simulated noise", count(document.simulated_releases as f64));
    let lines = [
        ("the exact numbers alone".to_owned(), Some(document.exact_alone)),
        (simulated, document.simulated),
        ("this release".to_owned(), document.released),
    ];
    let lines = lines.into_iter().filter_map(|(name, figures)| Some((name, figures?)));
    table.rows = lines.map(|(name, figures)| posterior_row(name, &figures)).collect();
    vec![
        Block::Facts(vec![
            ("meaning".to_owned(), document.statement.as_str().into()),
            ("against".to_owned(), document.against.as_str().into()),
        ]),
        table.into(),
    ]
}

fn posterior_row(name: String, figures: &PosteriorFigures) -> Vec<Cell> {
    let shares = [figures.largest, figures.guessed_right, figures.nearly_sure];
    [name.into()].into_iter().chain(shares.map(|share| percent(share).into())).collect()
}

fn statuses(counts: &LinkageCounts, noun: &str, max_lines: usize) -> Vec<Block> {
    if counts.each.is_empty() {
        return Vec::new();
    }
    let mut each: Vec<&LinkageFinding> = counts.each.iter().collect();
    each.sort_by_key(|finding| match finding.status {
        LinkageStatus::Pinned => 0,
        LinkageStatus::Unknown => 1,
        LinkageStatus::Open => 2,
    });
    let tone = match (counts.pinned, counts.unknown) {
        (1.., _) => Tone::Bad,
        (0, 1..) => Tone::Warning,
        (0, 0) => Tone::Good,
    };
    let [open, pinned, unknown] = [counts.open, counts.pinned, counts.unknown].map(|number| count(number as f64));
    let note = format!("{}: {open} open, {pinned} disclosed, {unknown} undecided.", capitalized(noun));
    let chart = Bars {
        title: format!("Width of the feasible interval of {noun}{}", truncation_note(each.len())),
        axis: "people between the smallest and the largest feasible count".to_owned(),
        bars: each.iter().take(MOST_DRAWN).map(|finding| width_bar(finding)).collect(),
    };
    vec![Block::Note(tone, note), chart.into(), folded("All of them", status_table(&each, noun, max_lines))]
}

fn width_bar(finding: &LinkageFinding) -> Bar {
    let amount = finding.width.map_or(Amount::Withheld, |width| Amount::Exact(width as f64));
    Bar { label: labelled(&finding.labels), amount, shown: width(finding) }
}

fn width(finding: &LinkageFinding) -> String {
    finding.width.map_or_else(|| "no bound".to_owned(), |width| count(width as f64))
}

fn status_table(each: &[&LinkageFinding], noun: &str, max_lines: usize) -> Table {
    let columns = [Column::words("number"), Column::numbers("width"), Column::words("status")];
    let mut table = Table::new(format!("What an attacker can infer about {noun}"), columns);
    table.rows = each.iter().take(max_lines).map(|finding| status_row(finding)).collect();
    table.left_out = left_out(table.rows.len(), each.len());
    table
}

fn status_row(finding: &LinkageFinding) -> Vec<Cell> {
    let tone = if finding.status == LinkageStatus::Pinned { Tone::Bad } else { Tone::Plain };
    vec![labelled(&finding.labels).into(), width(finding).into(), Cell::toned(tone, status_word(finding.status))]
}

fn status_word(status: LinkageStatus) -> &'static str {
    match status {
        LinkageStatus::Open => "open",
        LinkageStatus::Pinned => "disclosed",
        LinkageStatus::Unknown => "unknown",
    }
}
