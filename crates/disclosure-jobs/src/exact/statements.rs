//! Every sentence that the statement of an exact release can contain, and when it is printed.
//!
//! A sentence of the guarantee is printed only where the attacker that is run before the release
//! checks it. What is not checked is said under what is not covered.

use disclosure::frechet::{DecisionData, DisclosureTarget};

use crate::exact::job::LoadedJob;

/// Where a sentence is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the statement of the promise.
    Guarantee,
    /// Among the things that the promise leaves open.
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
    /// Nobody knows how many people there are, so there are none.
    NoRates,
    /// The plan was decided on the counts.
    OnCounts,
    /// Numbers with noise may leave as well.
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
    /// The words.
    pub words: &'static str,
}

/// What decides about the sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Circumstances {
    /// The target of the job.
    pub target: DisclosureTarget,
    /// Whether the number of people of every cell is public.
    pub has_rates: bool,
    /// The data on which the plan was decided.
    pub basis: DecisionData,
    /// Whether numbers with noise may leave.
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
        "the rate of every class in scope stays within beta and 1 - beta in every table consistent with the release, and \
         every class has at least kappa people",
    ),
    said(
        &[],
        "no class in scope that is not itself published is known to within tau from the tables consistent with the release",
    ),
    said(
        &[Condition::Undisclosed, Condition::Rates],
        "no class in scope has a rate below beta, or above 1 - beta, in all of them",
    ),
    said(
        &[Condition::Rates],
        "every count that is published exactly is about nobody, or about at least kappa people with a rate within beta and \
         1 - beta",
    ),
    said(&[Condition::NoRates], "every count that is published exactly is 0 or at least kappa"),
    open(&[], "an attacker who holds facts that the job did not list"),
    open(&[], "differential privacy of the exact numbers: they have none"),
    open(
        &[Condition::Undisclosed, Condition::Rates],
        "a wide interval that includes nobody or everybody: some prior is still certain of a response",
    ),
    open(
        &[Condition::NoRates],
        "whether everybody of a group is alike: there are no rates without a response, and a published 0 beside a published \
         total says that nobody, or everybody, of a group has a property",
    ),
    open(
        &[],
        "sums and differences of published counts: what follows for fewer than kappa people by adding and subtracting them \
         is judged as a class in scope, and not at all where no class in scope has these people",
    ),
    open(
        &[Condition::OnCounts],
        "an attacker who knows this program and the policy: which numbers are withheld depends on the counts, so running the \
         program on every table consistent with the release excludes those for which it publishes something else",
    ),
    open(
        &[Condition::Private],
        "a reader who weighs the consistent tables by how likely each leads to this pattern, where they differ in many people: \
         the factor that the pattern's epsilon allows grows with their number",
    ),
    open(&[Condition::Noise], "what the numbers with noise add to the exact ones: they have a statement of their own"),
    open(&[], "other releases about the same people, unless the job lists their numbers as known"),
];

impl Circumstances {
    /// Those of a job.
    pub(super) fn of(job: &LoadedJob) -> Self {
        Self {
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

    /// The sentences of a place, in order.
    pub fn sentences(&self, place: Place) -> impl Iterator<Item = &'static str> {
        let own = *self;
        let is_printed = move |sentence: &&Sentence| {
            sentence.place == place && sentence.when.iter().all(|&condition| own.hold(condition))
        };
        SENTENCES.iter().filter(is_printed).map(|sentence| sentence.words)
    }

    /// The sentences of the guarantee as one.
    pub(super) fn guarantee(&self) -> String {
        self.sentences(Place::Guarantee).collect::<Vec<_>>().join("; ")
    }

    /// What the promise leaves open.
    #[must_use]
    pub fn not_covered(&self) -> Vec<String> {
        self.sentences(Place::NotCovered).map(str::to_owned).collect()
    }
}
