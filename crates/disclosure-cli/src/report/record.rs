//! What records of different commands have in common.

use disclosure_report::{Block, Cell, PromiseSection, StatementKind, Tone};
use serde::Deserialize;

use crate::display::short_up;

/// What is promised, as documents write it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct PromiseRecord {
    pub(super) kind: String,
    pub(super) statement: String,
    pub(super) neighbours: Option<String>,
    pub(super) unit: Option<String>,
    pub(super) against: Option<String>,
}

impl PromiseRecord {
    /// The promise in words.
    pub(super) fn promise(self, against: Option<&str>, not_covered: Vec<String>) -> PromiseSection {
        let against = self.against.or_else(|| against.map(str::to_owned));
        let neighbours = self.neighbours.as_deref().map(neighbours_in_words);
        let terms = [("neighbours", neighbours), ("protects", self.unit), ("against", against)];
        let terms = terms.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?))).collect();
        PromiseSection {
            kind: StatementKind::from_word(&self.kind),
            subject: None,
            statement: self.statement,
            terms,
            not_covered,
        }
    }
}

/// The neighbouring relation in words.
pub(super) fn neighbours_in_words(word: &str) -> String {
    match word {
        "add-remove" => "tables of which one has one unit more than the other".to_owned(),
        "replace" => "tables that differ in one unit, replaced by another".to_owned(),
        other => other.to_owned(),
    }
}

/// A promise of (epsilon, delta).
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct EpsilonAtDelta {
    pub(super) epsilon: f64,
    pub(super) delta: f64,
}

impl EpsilonAtDelta {
    /// The promise as a name and a number, never below the cost.
    pub(super) fn fact(&self) -> (String, Cell) {
        (format!("epsilon at delta {:e}", self.delta), short_up(self.epsilon).into())
    }
}

/// Whether a ledger counts what the release cost.
pub(super) fn paid(ledger_hash: Option<&str>) -> Block {
    match ledger_hash {
        Some(hash) => Block::Facts(vec![("line of the ledger".to_owned(), Cell::toned(Tone::Machine, hash))]),
        None => Block::Note(
            Tone::Warning,
            "This release was not counted in a ledger: what others from the same data cost comes on top.".to_owned(),
        ),
    }
}

/// A name for a set of attributes.
pub(super) fn name_of(attributes: &[String]) -> String {
    if attributes.is_empty() { "(total)".to_owned() } else { attributes.join(" × ") }
}

/// How many there are, with the noun in the right number.
pub(super) fn several(count: usize, one: &str, many: &str) -> String {
    let noun = if count == 1 { one } else { many };
    format!("{} {noun}", crate::display::count(count as f64))
}
