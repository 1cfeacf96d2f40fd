//! The first screen of a page: who released what and when, whether it is as it must be, what is
//! protected, one sentence per part, and the budget.

use disclosure_report::number::{short_down, short_up};
use disclosure_report::{Block, Cell, Page, Section, Share, Shares, Tone};

use super::sheet::Sheet;
use super::tables::number_with_error;
use crate::document::Imprint;

/// What the first screen says, in its order.
#[derive(Debug, Default)]
pub(super) struct Head {
    /// Terms and their values.
    facts: Vec<(String, Cell)>,
}

impl Head {
    /// Begins with the owner and the date, as far as the record has them.
    pub(super) fn new(imprint: &Imprint) -> Self {
        let facts = [("owner", &imprint.owner), ("date", &imprint.date)];
        let facts = facts.into_iter().filter_map(|(name, text)| Some((name.to_owned(), Cell::from(text.as_deref()?))));
        Self { facts: facts.collect() }
    }

    /// Adds the verdict.
    pub(super) fn verdict(self, tone: Tone, words: impl Into<String>) -> Self {
        self.fact("verdict", Cell::toned(tone, words))
    }

    /// Adds a term with its value.
    pub(super) fn fact(mut self, name: &str, value: impl Into<Cell>) -> Self {
        self.facts.push((name.to_owned(), value.into()));
        self
    }

    /// Adds the number of people, if a table of one noisy number tells it.
    pub(super) fn total<'a>(self, sheets: impl IntoIterator<Item = &'a Sheet>) -> Self {
        let total = sheets.into_iter().find(|sheet| sheet.names.is_empty() && sheet.line_count == 1);
        match total.and_then(|sheet| sheet.lines.first()).filter(|line| line.sd.is_some()) {
            Some(line) => self.fact("number of people", format!("{}, with noise", number_with_error(line))),
            None => self,
        }
    }

    /// The first screen of a page, with the bar of its budget if it has one.
    pub(super) fn onto(self, page: Page, budget: Option<Shares>) -> Page {
        let section = Section::default().with(Block::Facts(self.facts));
        page.overview(budget.into_iter().fold(section, Section::with))
    }
}

/// The bar of a budget: what each part spends, and what is left.
pub(super) fn budget_bar(rho: f64, spent: impl Iterator<Item = (String, f64)>, spent_rho: f64) -> Shares {
    let parts = spent.map(|(label, amount)| Share { label, amount, shown: format!("rho {}", short_up(amount)) });
    // What rounding leaves is nothing to spend.
    let left = if rho - spent_rho > 1e-6 * rho { rho - spent_rho } else { 0.0 };
    Shares {
        title: format!("Budget: rho {}, of which {} is spent", short_up(rho), short_up(spent_rho)),
        parts: parts.collect(),
        whole: Some(rho),
        left: Some(Share { label: "left".to_owned(), amount: left, shown: format!("rho {}", short_down(left)) }),
    }
}

/// The bar of a release that is all of its budget: what is left is the ledger's to say.
pub(super) fn spent_bar(rho: f64, is_counted: bool) -> Shares {
    let left = if is_counted { "see the ledger" } else { "unknown: not recorded in a ledger" };
    Shares {
        title: format!("Budget: rho {} is spent", short_up(rho)),
        parts: vec![Share { label: "this release".to_owned(), amount: rho, shown: format!("rho {}", short_up(rho)) }],
        whole: None,
        left: Some(Share { label: "left".to_owned(), amount: 0.0, shown: left.to_owned() }),
    }
}

/// The first clause of a promise as a sentence: what it is about fits on a line, the whole promise
/// is on its card.
pub(super) fn first_clause(promise: &str) -> String {
    /// Fewest characters before a colon that ends a clause; before it, a colon names a subject.
    const SUBJECT: usize = 60;
    let clause = promise.split(';').next().unwrap_or_default();
    let end = clause.match_indices(": ").map(|(place, _)| place).find(|&place| place >= SUBJECT);
    let clause = &clause[..end.unwrap_or(clause.len())];
    format!("{}.", clause.trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_is_shortened_to_its_first_clause() {
        assert_eq!(first_clause("no class is known; no rate is"), "no class is known.");
        assert_eq!(first_clause("noised cells: epsilon 0.5"), "noised cells: epsilon 0.5.");
        let long = "no number that the exact tables withhold, and no group that the filter withholds, is known exactly: it is proved";
        assert!(first_clause(long).ends_with("is known exactly."));
    }

    #[test]
    fn what_is_left_is_never_overstated() {
        let bar = budget_bar(1.0, [("noisy".to_owned(), 0.7)].into_iter(), 0.7);
        let left = bar.left.unwrap();
        assert_eq!(budget_bar(1.0, [].into_iter(), 1.0 - 1e-10).left.unwrap().shown, "rho 0");
        assert!(left.amount <= 0.3 + 1e-12 && left.shown == "rho 0.3", "{left:?}");
    }
}
