//! What a reader who knows this program and the policy learns from a release, in words and in
//! figures.

use disclosure::frechet::{DecisionData, PatternCost, ReleasePlan, ReplayLimits, ReplayReport};
use disclosure::privacy_core::promise::PromiseKind;
use serde::{Deserialize, Serialize};

use crate::error::JobError;
use crate::exact::job::LoadedJob;
use crate::figures::short_up;

/// What a reader learns who runs this program on every table consistent with a release, and keeps
/// those for which it publishes just this. A function of what is published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlgorithmAwareDocument {
    /// How it is known: `guarantee` where it holds for every such reader, `measured` where tables
    /// were drawn.
    pub kind: PromiseKind,
    /// In words.
    pub statement: String,
    /// The tables that were looked at; null where the plan looked at no counts, and where no
    /// number is published exactly.
    pub found: Option<ReplayReport>,
}

impl AlgorithmAwareDocument {
    /// Runs the reader on a plan; `effort` times as many tables as by default.
    pub(super) fn of(job: &LoadedJob, plan: &ReleasePlan, effort: u64) -> Result<Self, JobError> {
        let (basis, table) = (plan.decision_data(), job.table()?);
        let found = match basis {
            DecisionData::PublicSizes | DecisionData::Private => None,
            DecisionData::Robust => plan.robustness(),
            DecisionData::Counts => {
                let limits = ReplayLimits::of_cells(table.cells().len());
                let (tables, draws) = (limits.tables * effort, limits.draws * effort);
                Some(plan.replay(table, ReplayLimits { tables, draws })?)
            }
        };
        let kind = match (&found, basis) {
            (Some(found), DecisionData::Counts) if !found.is_whole => PromiseKind::Measured,
            _ => PromiseKind::Guarantee,
        };
        let statement = match &found {
            Some(found) => words_of(found, basis, job.rule.min_interval_width()),
            None if basis == DecisionData::PublicSizes => "which numbers are exact, in groups, with noise or withheld depends \
                                                           on public numbers and on the job alone, so knowing this program discloses nothing further"
                .to_owned(),
            None => "no number of the tables is published exactly, and this decision depends on the counts".to_owned(),
        };
        Ok(Self { kind, statement, found })
    }

    /// What a reader learns from a pattern that is drawn at this cost.
    pub(super) fn of_pattern(cost: &PatternCost) -> Self {
        let statement = format!(
            "every table consistent with the release leads this program to the same release with some probability, so running it \
             excludes none of them; for two that differ in d people, these probabilities differ by a factor of at most \
             exp({} d)",
            short_up(cost.epsilon)
        );
        Self { kind: PromiseKind::Guarantee, statement, found: None }
    }

    /// Whether such a reader learns what the policy forbids.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.found.is_some_and(|found| found.known > 0 || found.disclosed_classes > 0)
    }
}

fn words_of(found: &ReplayReport, basis: DecisionData, width: u64) -> String {
    let ReplayReport { looked_at, same, withheld, known, known_exactly, disclosed_classes, .. } = *found;
    let within = if width == 0 { "exactly".to_owned() } else { format!("to within {width}, {known_exactly} exactly") };
    if basis == DecisionData::Robust {
        return format!(
            "{same} of {looked_at} tables examined are consistent with the release and lead this program to the same release, \
             and among them every requested number that is not published exactly ranges over more than {width}, and no class \
             in scope is disclosed: knowing this program discloses nothing further"
        );
    }
    if found.is_whole {
        return format!(
            "{looked_at} tables are consistent with the release; running this program on each leaves {same}, in which {known} of {withheld} withheld numbers are known {within}; {disclosed_classes} classes in scope are disclosed"
        );
    }
    if same == 0 {
        return format!(
            "none of {looked_at} tables drawn from those consistent with the release leads this program to the same release: too few tables to say what a reader who knows the program learns"
        );
    }
    let sure = match found.probability_at_least {
        Some(probability) => format!(
            "; with 95 % confidence, a guess at each of them is right with a probability of at least {:.2}",
            (probability * 100.0).floor() / 100.0
        ),
        None => " (too few tables for a stronger statement)".to_owned(),
    };
    format!(
        "of {looked_at} tables drawn from those consistent with the release, this program makes the same release from {same}; in all of these, {known} of {withheld} withheld numbers are the same {within}, and {disclosed_classes} classes in scope \
         are disclosed{sure}"
    )
}
