//! A release whose pattern is drawn under differential privacy: `decide_on = "private"`.
//!
//! Nothing about the pattern is known before the budget is charged: a plan states what it costs and
//! which counts may leave, and draws nothing.

use disclosure::frechet::{DecisionData, DrawnPattern, Error, PrivatePattern};
use disclosure::privacy_core::Provenance;
use disclosure::privacy_core::accounting::DominatingPair;
use disclosure::privacy_core::promise::Promise;
use disclosure::resplan;
use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};

use crate::error::JobError;
use crate::exact::algorithm_aware::AlgorithmAwareDocument;
use crate::exact::documents::RuleDocument;
use crate::exact::job::LoadedJob;
use crate::exact::pattern_terms::{PatternStatement, PatternTerms};
use crate::exact::promises;
use crate::exact::release::{Released, not_covered};
use crate::exact::schemas::PrivatePlanSchema;
use crate::ledger::{ChargeRequest, ChargeSubject, Ledger, LedgerTerms};

/// What a release would cost: no count is looked at, and nothing is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrivatePlanDocument {
    /// `disclosure.frechet-private-plan/1`.
    pub schema: PrivatePlanSchema,
    /// The title of the job.
    pub title: String,
    /// What the exact numbers promise.
    pub promise: Promise,
    /// When a class counts as disclosed.
    pub policy: RuleDocument,
    /// The choice of the numbers that leave.
    pub pattern: PatternStatement,
    /// The least count with noise of a cell of the finest table that may be published.
    pub threshold: i64,
    /// Among how many coarsenings of the hierarchies one is drawn; 1 without hierarchies.
    pub coarsenings: usize,
    /// What a reader who knows this program learns.
    pub algorithm_aware: AlgorithmAwareDocument,
    /// What the promise of the exact numbers leaves open.
    pub not_covered: Vec<String>,
}

/// A release whose pattern is not drawn yet.
#[derive(Debug)]
pub struct PrivatePlanned {
    job: LoadedJob,
    pattern: PrivatePattern,
    pair: Option<DominatingPair>,
    spec_sha256: String,
}

impl LoadedJob {
    /// Whether the pattern of a release is drawn under differential privacy.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.means.decision_data == DecisionData::Private
    }

    /// Checks a job with `decide_on = "private"`, and divides its budget. Only the domain is
    /// looked at.
    ///
    /// # Errors
    /// E0234 for a job that is not private; E0401 for a domain that was read off the data; E0236
    /// without data; E0239 for a budget that no noise has; E0621 above a limit.
    pub fn plan_privately(self) -> Result<PrivatePlanned, JobError> {
        let not_private = || JobError::new("E0234", "this is for decide_on = \"private\"");
        let PatternTerms { budget, spec_sha256 } = self.pattern.clone().ok_or_else(not_private)?;
        if self.problem.domain.provenance() == Provenance::LearntFromData {
            return Err(resplan::Error::DomainLearntFromData.into());
        }
        self.table()?;
        let pattern = PrivatePattern::new(&self.release_problem()?, &budget)?;
        let pair = pattern.cost().dominated_by().ok();
        Ok(PrivatePlanned { job: self, pattern, pair, spec_sha256 })
    }
}

impl PrivatePlanned {
    /// What the release would cost and promise.
    #[must_use]
    pub fn document(&self) -> PrivatePlanDocument {
        let algorithm_aware = AlgorithmAwareDocument::of_pattern(self.pattern.cost());
        PrivatePlanDocument {
            schema: PrivatePlanSchema::V1,
            title: self.job.title.clone(),
            promise: promises::of_release(&self.job),
            policy: RuleDocument::of(&self.job),
            pattern: self.statement(None),
            threshold: self.pattern.threshold(),
            coarsenings: self.pattern.coarsenings(),
            not_covered: not_covered(&self.job, &algorithm_aware),
            algorithm_aware,
        }
    }

    /// What a release asks of a ledger.
    #[must_use]
    pub fn charge_request(&self) -> ChargeRequest<'_> {
        let cost = self.pattern.cost();
        ChargeRequest {
            rho: cost.rho,
            dominated_by: self.pair.clone(),
            terms: LedgerTerms { neighbours: cost.neighbours, rows_per_person: cost.rows_per_person },
            spec_sha256: &self.spec_sha256,
            subject: ChargeSubject::new(&self.job.title, self.job.imprint.owner.as_deref(), self.tables()),
        }
    }

    /// The requested tables, by the names of their attributes.
    fn tables(&self) -> impl Iterator<Item = Vec<String>> {
        let domain = &self.job.problem.domain;
        self.job.disclosed.margins.keys().map(|&set| domain.names(set).map(str::to_owned).collect())
    }

    /// Charges the ledger, draws the pattern, and takes the exact numbers that it lets out.
    ///
    /// # Errors
    /// What the ledger refuses: nothing was drawn or charged then. E0426 when the noise let out
    /// what it should not, which the delta of the pattern covers: nothing is published, and the
    /// budget is spent.
    pub fn release(self, ledger: &mut dyn Ledger, rng: &mut dyn CryptoRng) -> Result<Released, JobError> {
        let receipt = ledger.charge(&self.charge_request())?;
        let table = self.job.table()?;
        let drawn = self.pattern.draw(table, rng).and_then(|drawn: DrawnPattern| drawn.release(table));
        let published = drawn.map_err(|error| receipt.spent(refusal(error)))?;
        let algorithm_aware = AlgorithmAwareDocument::of_pattern(self.pattern.cost());
        let pattern = Some(self.statement(receipt.hash().map(str::to_owned)));
        Ok(Released { job: self.job, published, algorithm_aware, pattern, receipt: Some(receipt) })
    }

    fn statement(&self, ledger_hash: Option<String>) -> PatternStatement {
        PatternStatement::new(*self.pattern.cost(), self.pattern.floor(), ledger_hash)
    }
}

fn refusal(error: Error) -> JobError {
    match error {
        Error::TargetMissed { .. } => {
            JobError::new("E0426", "because of the noise, a number would be published that discloses a class or is too small").next(
                "repeat the release: it draws and charges again; the delta of the pattern covers the probability of this failure",
            )
        }
        error => error.into(),
    }
}
