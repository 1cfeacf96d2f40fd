//! The glossary at the end of a page: the terms that the page uses, each in a plain sentence.

use disclosure_report::{Block, Cell, Section, StatementKind};

/// A group of terms, which one kind of release uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    /// Noise, its budget and its errors.
    Noise,
    /// Exact tables, and the rule by which they are judged.
    Exact,
    /// Groups behind a threshold.
    Groups,
}

const NOISE: [(&str, &str); 6] = [
    (
        "neighbours",
        "Two tables that differ by one protected unit. Differential privacy says that a release is nearly as likely from the one \
         as from the other.",
    ),
    (
        "zCDP, rho",
        "Zero-concentrated differential privacy, and its measure. It adds up over releases. 0.1 is little; at 1, somebody who \
         knows everyone else guesses whether one person is in the data right in at most 85.4 % of cases, where 50 % is chance.",
    ),
    (
        "epsilon at delta",
        "The same budget in another currency: but for a probability of delta, no release makes any fact about one unit more than \
         exp(epsilon) times as likely as it was.",
    ),
    ("sd", "Standard deviation of the noise of a number: a typical distance from the number without noise."),
    (
        "95 % interval",
        "Made so that it holds the number without noise in at least 95 of 100 releases, for each number by itself.",
    ),
    (
        "unbiased",
        "Right on average over the noise. Such values may be negative or fractional; sums of them stay right on average.",
    ),
];

const EXACT: [(&str, &str); 7] = [
    ("class", "People who share values of some attributes, for example women of one department."),
    ("consistent with the release", "Said of a table of people in which every published number would be the same."),
    ("tau", "A count that is known to within tau is disclosed."),
    (
        "beta",
        "A rate that is known to be below beta, or above 1 - beta, is disclosed: nearly nobody, or nearly everybody.",
    ),
    ("kappa", "The smallest number of people that a published number may be about."),
    (
        "suppressed, withheld",
        "Left out, because it would disclose something itself, or because other numbers could be found with it.",
    ),
    ("noised", "Published with random noise added, by the amount that its sd states."),
];

const GROUPS: [(&str, &str); 2] = [
    ("entity", "What a filter counts: a person, or whatever the identifying columns of the data stand for."),
    (
        "low-count filter",
        "Shows a group if it has enough entities. The threshold is noisy, and a secret key makes the same question get the same \
         answer.",
    ),
];

/// The section, with the kinds of statements and the terms of these topics.
pub(super) fn section(kinds: &[StatementKind], topics: &[Topic]) -> Section {
    let all = [
        StatementKind::Guarantee,
        StatementKind::Calibration,
        StatementKind::Proxy,
        StatementKind::Measurement,
        StatementKind::Nothing,
        StatementKind::Unknown,
    ];
    let kinds = all.into_iter().filter(|kind| kinds.contains(kind)).map(|kind| (kind.name(), kind.meaning()));
    let terms = [(Topic::Exact, &EXACT[..]), (Topic::Groups, &GROUPS[..]), (Topic::Noise, &NOISE[..])];
    let terms =
        terms.into_iter().filter(|(topic, _)| topics.contains(topic)).flat_map(|(_, terms)| terms.iter().copied());
    let facts = kinds.chain(terms).map(|(term, meaning)| (term.to_owned(), Cell::from(meaning)));
    Section::new("Glossary").with(Block::Facts(facts.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figure_for_rho_is_that_of_the_bound() {
        // Bretagnolle and Huber: the total variation distance is at most sqrt(1 - exp(-rho));
        // Pinsker: at most sqrt(rho / 2).
        let most = |rho: f64| 50.0 + 50.0 * (rho / 2.0).sqrt().min((-(-rho).exp_m1()).sqrt());
        assert!((most(1.0)..most(1.0) + 0.1).contains(&85.4), "{}", most(1.0));
        assert!(NOISE[1].1.contains("85.4 %"));
    }

    #[test]
    fn only_the_terms_of_the_page_are_explained() {
        let section = section(&[StatementKind::Guarantee], &[Topic::Groups]);
        let [Block::Facts(facts)] = &section.blocks[..] else { panic!("one list") };
        assert_eq!(facts.len(), 1 + GROUPS.len());
    }
}
