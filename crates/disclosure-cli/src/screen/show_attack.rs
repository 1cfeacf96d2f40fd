//! Simulated attacks as people read them: what was reached first, beside chance, ceiling and
//! predictions.

use disclosure_jobs::screening::{
    AttackSummary, AttackerSummary, Evidence, MeanSummary, Method, SimulationDocument, StrongestSummary,
};

use super::show::{BAR, line, promise, release};
use crate::display::{Align, Table, bar, count, one_line, percent};

pub(super) fn show_simulation(report: &SimulationDocument) -> String {
    let attacks = &report.attacks;
    let bold = clap::builder::styling::Style::new().bold();
    let (title, reached) = (one_line(&report.title), percent(attacks.strongest.accuracy.mean));
    let mut text = format!("\n  {bold}{title}{bold:#}: a solver reconstructed {reached} of the labels\n\n");
    text += &line("best", &best(&attacks.strongest));
    text += &(promise(&report.promise) + &release(&report.release));
    if let Some(from) = &report.computed_from {
        text += &line("data", from);
    }
    let releases = if attacks.trials == 1 { "release" } else { "releases" };
    let released = count(attacks.released_counts.mean);
    text +=
        &line("trials", &format!("{} {releases} with seed {}, {released} counts each", attacks.trials, attacks.seed));
    text + &shares(report) + &methods(attacks) + &proofs(attacks)
}

/// Which attacker did best, and what that is more than guessing.
pub(super) fn best(strongest: &StrongestSummary) -> String {
    let who = match (strongest.method, strongest.evidence) {
        (Some(method), Some(Evidence::Released)) => format!("{} on released counts", method_name(method)),
        (Some(method), _) => {
            format!("{} on released counts and the bounds implied by suppression", method_name(method))
        }
        (None, _) => "guessing the most frequent class".to_owned(),
    };
    let (accuracy, gain) = (with_error(strongest.accuracy), with_error(strongest.gain));
    format!("{who}: {accuracy} of the labels, {gain} more than guessing")
}

/// What was reached between chance and ceiling, with a bar each.
fn shares(report: &SimulationDocument) -> String {
    let mut table = Table::new([("share of correct labels", Align::Left), ("", Align::Right), ("", Align::Left)]);
    let mut row = |what: &str, share: String, mean: f64| table.row([what.to_owned(), share, bar(mean, BAR)]);
    let attacks = &report.attacks;
    let mut measured = |what: &str, mean: MeanSummary| row(what, with_error(mean), mean.mean);
    measured("guessing the most frequent class", attacks.blind_accuracy);
    for attacker in &attacks.attackers {
        measured(&format!("solver, {}", evidence(attacker)), attacker.accuracy);
        measured("  its more confident half", attacker.top_half_accuracy);
        measured("  its most confident tenth", attacker.top_tenth_accuracy);
    }
    measured("ceiling: identical features", attacks.ceiling_accuracy);
    row("predicted (state evolution)", percent(report.estimate.accuracy), report.estimate.accuracy);
    row("predicted (source's proxy)", percent(report.expected_accuracy), report.expected_accuracy);
    format!("\n{}", table.render())
}

/// Each method for each kind of evidence.
fn methods(attacks: &AttackSummary) -> String {
    let columns = attacks.attackers.iter().map(|attacker| (evidence(attacker).to_owned(), Align::Right));
    let mut table = Table::new([("method".to_owned(), Align::Left)].into_iter().chain(columns));
    let Some(first) = attacks.attackers.iter().max_by_key(|attacker| attacker.methods.len()) else {
        return String::new();
    };
    for known in &first.methods {
        let accuracies = attacks.attackers.iter().map(|attacker| accuracy_of(attacker, known.method));
        table.row([method_name(known.method).to_owned()].into_iter().chain(accuracies));
    }
    format!("\n{}", table.render())
}

/// The accuracy of a method of an attacker, or a dash where it took no part.
fn accuracy_of(attacker: &AttackerSummary, method: Method) -> String {
    let found = attacker.methods.iter().find(|candidate| candidate.method == method);
    found.map_or_else(|| "–".to_owned(), |found| percent(found.accuracy.mean))
}

/// What is certain, and what depends on the machine.
fn proofs(attacks: &AttackSummary) -> String {
    let mut text = String::from("\n");
    for attacker in &attacks.attackers {
        let (proved, tried) = (attacker.exposed_share.mean, attacker.tried_share.mean);
        let proofs = match tried > 0.0 {
            true => format!("{} of the rows proved ({} tried)", percent(proved), percent(tried)),
            false => "too large to search for proofs".to_owned(),
        };
        let solved = percent(attacker.solved_share.mean);
        text += &format!(
            "  {}: {proofs}; labels consistent with every count found in {solved} of the trials\n",
            evidence(attacker)
        );
    }
    if attacks.attackers.iter().any(|attacker| attacker.timed_out > 0) {
        text += "  an integer program reached its time limit: results can differ between machines\n";
    }
    text
}

fn evidence(attacker: &AttackerSummary) -> &'static str {
    if attacker.evidence == Evidence::Released { "released counts" } else { "also suppressed counts" }
}

fn method_name(method: Method) -> &'static str {
    match method {
        Method::LeastSquares => "least squares",
        Method::Propagation => "belief propagation",
        Method::Feasible => "feasible labels",
        Method::Walk => "walk",
        Method::Average => "average",
        _ => "other",
    }
}

/// A share with its standard error, where there is one.
fn with_error(mean: MeanSummary) -> String {
    // Of a constant, only rounding is left.
    match mean.standard_error {
        Some(error) if error >= 5e-4 => format!("{:.1} ± {:.1} %", 100.0 * mean.mean, 100.0 * error),
        _ => percent(mean.mean),
    }
}
