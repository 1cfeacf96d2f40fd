//! Phrases that pages of different releases share.

use disclosure::privacy_core::accounting::{DominatingPair, Neighbours, PrivacyCost};
use disclosure::privacy_core::param::{Delta, Mu, Rho};
use disclosure::privacy_core::promise::{Promise, PromiseKind};
use disclosure_report::number::{count, short_up};
use disclosure_report::{Block, Cell, Lines, PromiseSection, Section, Series, StatementKind, Tone};

use crate::budget::EpsilonAtDelta;

/// The kind of a promise, as pages show it.
pub(super) fn statement_kind(kind: PromiseKind) -> StatementKind {
    match kind {
        PromiseKind::Guarantee => StatementKind::Guarantee,
        PromiseKind::Calibration => StatementKind::Calibration,
        PromiseKind::Proxy => StatementKind::Proxy,
        PromiseKind::Measured => StatementKind::Measurement,
        PromiseKind::None => StatementKind::Nothing,
    }
}

/// A promise of a document. `against` is the attacker where the document names none.
pub(super) fn promise_section(promise: &Promise, against: Option<&str>) -> PromiseSection {
    let section = PromiseSection::new(statement_kind(promise.kind), promise.guarantee.as_ref());
    let neighbours = promise.neighbours.map(neighbouring_relation);
    let against = promise.against.as_deref().or(against);
    let terms = [("neighbours", neighbours), ("protects", promise.unit.as_deref()), ("against", against)];
    terms.into_iter().fold(section, |section, (name, text)| match text {
        Some(text) => section.term(name, text),
        None => section,
    })
}

/// The neighbouring relation in words.
fn neighbouring_relation(neighbours: Neighbours) -> &'static str {
    match neighbours {
        Neighbours::AddRemove => "tables that differ by one unit, added or removed",
        Neighbours::Replace => "tables that differ by one unit, replaced by another",
    }
}

/// An (epsilon, delta) statement as a term and a number that is never below the cost.
pub(super) fn epsilon_fact(statement: &EpsilonAtDelta) -> (String, Cell) {
    (format!("epsilon at delta {:e}", statement.delta), short_up(statement.epsilon).into())
}

/// Whether a ledger counts what the release cost.
pub(super) fn ledger_entry(hash: Option<&str>) -> Block {
    match hash {
        Some(hash) => Block::Facts(vec![("ledger entry".to_owned(), Cell::toned(Tone::Machine, hash))]),
        None => Block::Note(
            Tone::Warning,
            "This release was not recorded in a ledger. The costs of all other releases from the same data have to be \
             added to it."
                .to_owned(),
        ),
    }
}

/// Epsilon as a function of delta, of which documents state two points.
pub(super) fn epsilon_curve(rho: f64, pair: Option<&DominatingPair>) -> Option<Lines> {
    let rho = Rho::new(rho).ok()?;
    Some(Lines {
        title: "Epsilon as a function of delta".to_owned(),
        across: "k, with delta = 10 to the power −k".to_owned(),
        up: "epsilon".to_owned(),
        is_logarithmic: false,
        series: vec![Series {
            name: "epsilon of this release".to_owned(),
            points: (2..=15).filter_map(|digits| epsilon_at(rho, pair, digits)).collect(),
        }],
    })
}

/// The smallest epsilon at delta `10^-digits`.
fn epsilon_at(rho: Rho, pair: Option<&DominatingPair>, digits: i32) -> Option<(f64, f64)> {
    let delta = Delta::new(10.0_f64.powi(-digits)).ok()?;
    Some((f64::from(digits), EpsilonAtDelta::new(Some(rho), pair, delta)?.epsilon))
}

/// What dominates a release of this mu of Gaussian differential privacy.
pub(super) fn pair_of_mu(mu: Option<f64>) -> Option<DominatingPair> {
    let cost = PrivacyCost::from_mu(Mu::new(mu?).ok()?).ok()?;
    Some(DominatingPair::gaussian(cost))
}

/// The name of a table over these attributes.
pub(super) fn table_name(attributes: &[String]) -> String {
    if attributes.is_empty() { "(total)".to_owned() } else { attributes.join(" × ") }
}

/// A number of things, with the noun in the right number.
pub(super) fn plural(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(number as f64), if number == 1 { one } else { many })
}

/// A text with a capital first letter.
pub(super) fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The section of a table that is left to its file.
pub(super) fn too_large(name: String, file: &str) -> Section {
    let reason = if file.ends_with(".parquet") { "is a Parquet file" } else { "is larger than 64 MiB" };
    Section::new(name).text(format!("The table {reason}. It is in {file}, whose digest was verified."))
}

/// The footer of a page.
pub(super) fn colophon(version: &str) -> String {
    format!("Made from a release of disclosure {version}.")
}
