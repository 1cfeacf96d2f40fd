//! Every sentence that the statement of an exact release can contain, and when it is printed.
//!
//! A sentence of the guarantee is printed only where the attacker that is run before the release
//! checks it. What is not checked is said under what is not covered.

use disclosure::frechet::{DecisionData, DisclosureRule, DisclosureTarget};

use crate::exact::job::LoadedJob;

/// Where a sentence is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the statement of the promise.
    Guarantee,
    /// In the list of what the promise does not cover.
    NotCovered,
}

/// What must hold of a job for a sentence to be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The target is that every class is certified.
    Certified,
    /// The target is that no class is disclosed.
    Undisclosed,
    /// The number of people of every cell is public, so there are rates.
    Rates,
    /// The number of people is not public, so there are no rates.
    NoRates,
    /// The plan was decided on the counts.
    OnCounts,
    /// Noisy numbers may be published as well.
    Noise,
    /// The pattern was drawn under differential privacy.
    Private,
}

/// A sentence, and when it is printed: where all of its conditions hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Where it is printed.
    pub place: Place,
    /// What must hold; always printed where nothing must.
    pub when: &'static [Condition],
    /// The text, in which the numbers of the rule stand in braces.
    pub words: &'static str,
}

impl Sentence {
    /// The text with the numbers of a rule.
    #[must_use]
    pub fn with_rule(&self, rule: &DisclosureRule) -> String {
        let (closely, counts) = match rule.min_interval_width() {
            0 => ("exactly".to_owned(), "different counts for it".to_owned()),
            width => (format!("to within {width}"), format!("counts for it that differ by more than {width}")),
        };
        // A margin of 0.3 has a difference to 1 of 0.7, without the digits of binary fractions.
        let high = ((1.0 - rule.rate_margin()) * 1e12).round() / 1e12;
        self.words
            .replace("{closely}", &closely)
            .replace("{counts}", &counts)
            .replace("{low}", &rule.rate_margin().to_string())
            .replace("{high}", &high.to_string())
            .replace("{people}", &rule.min_frequency().to_string())
    }
}

/// What decides which sentences are printed, and with which numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circumstances {
    /// The disclosure rule of the job.
    pub rule: DisclosureRule,
    /// The target of the job.
    pub target: DisclosureTarget,
    /// Whether the number of people of every cell is public.
    pub has_rates: bool,
    /// The data on which the plan was decided.
    pub basis: DecisionData,
    /// Whether noisy numbers may be published.
    pub has_noise: bool,
}

const fn said(when: &'static [Condition], words: &'static str) -> Sentence {
    Sentence { place: Place::Guarantee, when, words }
}

const fn open(when: &'static [Condition], words: &'static str) -> Sentence {
    Sentence { place: Place::NotCovered, when, words }
}

/// All sentences, in the order in which they are printed.
pub const SENTENCES: [Sentence; 14] = [
    said(
        &[Condition::Certified],
        "in every table consistent with the release, every class in scope has a rate between {low} and {high}, and at \
         least {people} people",
    ),
    said(
        &[],
        "no class in scope that is not itself published is known {closely}: tables consistent with the release have {counts}",
    ),
    said(
        &[Condition::Undisclosed, Condition::Rates],
        "no class in scope has a rate below {low} in every table consistent with the release, or above {high} in every \
         one",
    ),
    said(
        &[Condition::Rates],
        "every count that is published exactly is about a group without people, or about at least {people} people with \
         a rate between {low} and {high}",
    ),
    said(&[Condition::NoRates], "every count that is published exactly is 0 or at least {people}"),
    open(&[], "an attacker who knows facts that the job does not list"),
    open(&[], "differential privacy: the exact numbers do not have it"),
    open(
        &[Condition::Undisclosed, Condition::Rates],
        "wide intervals that include no one or everyone: an attacker with some prior is still certain of a response",
    ),
    open(
        &[Condition::NoRates],
        "whether everyone in a group is alike: without a response there are no rates, and a published 0 next to a \
         published total says that no one, or everyone, in a group has a property",
    ),
    open(
        &[],
        "sums and differences of published counts: what they disclose about fewer than {people} people is judged only \
         if these people are a class in scope",
    ),
    open(
        &[Condition::OnCounts],
        "an attacker who knows this program and the disclosure rule: which numbers are withheld depends on the counts, \
         so running the program on every table consistent with the release excludes those for which it publishes \
         something else",
    ),
    open(
        &[Condition::Private],
        "a reader who weights the consistent tables by how likely each is to lead to this pattern: between tables that \
         differ in many people, the factor that the epsilon of the pattern allows grows with their number",
    ),
    open(
        &[Condition::Noise],
        "what the noisy numbers disclose in addition to the exact ones: they have a separate statement",
    ),
    open(&[], "other releases about the same people, unless the job lists their numbers as known"),
];

impl Circumstances {
    /// Those of a job.
    pub(super) fn of(job: &LoadedJob) -> Self {
        Self {
            rule: job.rule,
            target: job.target,
            has_rates: job.problem.people.is_some(),
            basis: job.means.decision_data,
            has_noise: job.means.noise.is_some(),
        }
    }

    /// Whether a condition holds.
    #[must_use]
    pub fn hold(&self, condition: Condition) -> bool {
        match condition {
            Condition::Certified => self.target == DisclosureTarget::Certified,
            Condition::Undisclosed => self.target == DisclosureTarget::Undisclosed,
            Condition::Rates => self.has_rates,
            Condition::NoRates => !self.has_rates,
            Condition::OnCounts => self.basis == DecisionData::Counts,
            Condition::Noise => self.has_noise,
            Condition::Private => self.basis == DecisionData::Private,
        }
    }

    /// The sentences of a place, in order, with the numbers of the rule.
    pub fn sentences(&self, place: Place) -> impl Iterator<Item = String> {
        let own = *self;
        let is_printed = move |sentence: &&Sentence| {
            sentence.place == place && sentence.when.iter().all(|&condition| own.hold(condition))
        };
        SENTENCES.iter().filter(is_printed).map(move |sentence| sentence.with_rule(&own.rule))
    }

    /// The sentences of the guarantee as one.
    pub(super) fn guarantee(&self) -> String {
        self.sentences(Place::Guarantee).collect::<Vec<_>>().join("; ")
    }

    /// What the promise leaves open.
    #[must_use]
    pub fn not_covered(&self) -> Vec<String> {
        self.sentences(Place::NotCovered).collect()
    }
}
