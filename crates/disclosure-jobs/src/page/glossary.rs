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
        "Two tables that differ by one protected unit. Under differential privacy, a release is nearly as likely from \
         one of them as from the other.",
    ),
    (
        "zCDP, rho",
        "Zero-concentrated differential privacy, and the number that measures it, which adds up over releases. A rho \
         of 0.1 is small. At 1, an attacker who knows everyone else and has even odds on whether one person is in the \
         data guesses correctly in at most 85.4 % of cases; 50 % is chance.",
    ),
    (
        "epsilon at delta",
        "The same budget stated in another way: any set of possible releases is at most exp(epsilon) times as likely \
         from one of two neighbouring tables as from the other, plus delta.",
    ),
    ("sd", "Standard deviation of the noise in a number: a typical distance from the number without noise."),
    (
        "95 % interval",
        "An interval that contains the number without noise in at least 95 % of releases, for each number separately.",
    ),
    (
        "unbiased",
        "Correct on average over the noise. Such values may be negative or fractional; sums of them are also correct \
         on average.",
    ),
];

const EXACT: [(&str, &str); 7] = [
    ("class", "People who share values of some attributes, for example women of one department."),
    (
        "consistent with the release",
        "A table of people is consistent with the release if every published number would be the same for it.",
    ),
    ("minimum interval width (tau)", "A count that is known to within this width is disclosed."),
    (
        "rate margin (beta)",
        "A rate that is known to be below this margin, or above 1 minus it, is disclosed: almost no one, or almost \
         everyone.",
    ),
    ("minimum frequency (kappa)", "The smallest number of people that a published number may be about."),
    (
        "suppressed, withheld",
        "Left out, because it would disclose something itself, or because other numbers could be derived with it.",
    ),
    ("noised", "Published with random noise added, whose standard deviation (sd) is stated."),
];

const GROUPS: [(&str, &str); 2] = [
    (
        "entity",
        "What the filter protects and counts: a person, or whatever the identifying columns of the data stand for.",
    ),
    (
        "low-count filter",
        "Publishes a group if it has enough entities. The threshold is noisy, and a secret key ensures that the same \
         query always gets the same answer.",
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
