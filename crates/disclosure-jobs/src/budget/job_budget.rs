//! One budget for all noise of a job.
//!
//! The formulas are those of [`disclosure::privacy_core::accounting`]: an exact part with
//! epsilon-DP noise is charged [`PureNoise::rho`], the noisy part gets what remains, and the sum
//! stays within the budget. Charges follow from the job and its domain alone: a charge that
//! depended on rows would tell tables apart by itself, and through the noise of what is left.

use std::path::PathBuf;

use disclosure::frechet::DecisionData;
use disclosure::privacy_core::accounting::{
    BudgetAccountant, BudgetExceeded, Charge, DominatingPair, Neighbours, PrivacyCost, PureNoise,
};
use disclosure::privacy_core::promise::{Promise, PromiseKind};
use disclosure::privacy_core::round::mul_up;
use serde::{Deserialize, Serialize};

use super::{Budget, CostTerms, EpsilonAtDelta, NoiseKind, PrivacySpec, warnings};
use crate::error::JobError;
use crate::figures::{short_down, short_up};
use crate::ledger::{ChargeRequest, ChargeSubject, Ledger, LedgerTerms, Receipt};
use crate::persons::{ExcessRows, PersonColumn};

/// `[budget]` as it is written: what all noise of a job together may spend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetSpec {
    /// Rho of zero-concentrated differential privacy. Exactly one of `rho`, `mu`, `pcost` and
    /// `epsilon` with `delta` is given.
    pub rho: Option<f64>,
    /// Mu of Gaussian differential privacy.
    pub mu: Option<f64>,
    /// Privacy cost: twice rho.
    pub pcost: Option<f64>,
    /// Epsilon of approximate differential privacy, at `delta`.
    pub epsilon: Option<f64>,
    /// Delta of approximate differential privacy.
    pub delta: Option<f64>,
    /// What neighbouring tables differ in.
    pub neighbours: Neighbours,
    /// The largest number of rows that one person may have.
    #[serde(default = "one")]
    pub rows_per_person: u32,
    /// The column that says who is the same person: at most `rows_per_person` rows of each are
    /// counted in `[noisy]`, and all rows of a person are the unit of the promise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// What becomes of the rows of a person beyond `rows_per_person`: `drop` (the default) leaves
    /// some out of `[noisy]`, `refuse` ends with an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excess_rows: Option<ExcessRows>,
    /// A file that counts what releases from these data have spent.
    pub ledger: Option<PathBuf>,
}

fn one() -> u32 {
    1
}

/// The budget of a job, and what its parts were charged.
#[derive(Clone, Debug)]
#[must_use]
pub struct JobBudget {
    accountant: BudgetAccountant,
    /// What dominates all charged parts together; `None` once one of them has no such pair.
    pair: Option<DominatingPair>,
    cost_terms: CostTerms,
    terms: LedgerTerms,
    /// What decides which cells of the exact part are noised, where any may be.
    noised_cells: Option<DecisionData>,
    /// Who has which row, where a column says so.
    person: Option<PersonColumn>,
}

/// The budget of a job as programs read it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BudgetDocument {
    /// What is guaranteed, and for whom.
    #[serde(flatten)]
    pub promise: Promise,
    /// What may be spent.
    pub rho: f64,
    /// What is spent, rounded up.
    pub spent_rho: f64,
    /// What each part spends.
    pub spent: Vec<PartCost>,
    /// What that means in epsilon.
    pub epsilon_at_delta: Vec<EpsilonAtDelta>,
    /// What dominates all noise together: a Gaussian mechanism and randomised responses. Absent
    /// where none is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dominated_by: Option<DominatingPair>,
    /// Hash of the ledger's line; null without a ledger, and before the charge.
    pub ledger_hash: Option<String>,
}

/// What a part of a job spends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartCost {
    /// The part, as its section is named.
    pub part: String,
    /// Its cost, in rho of zCDP.
    pub rho: f64,
}

impl JobBudget {
    /// Checks `[budget]`; nothing is charged yet.
    ///
    /// # Errors
    /// E0212 unless exactly one budget is given, E0225 when a number is out of its range.
    pub fn new(spec: &BudgetSpec) -> Result<Self, JobError> {
        let &BudgetSpec { rho, mu, pcost, epsilon, delta, neighbours, rows_per_person, .. } = spec;
        let privacy = PrivacySpec { rho, mu, pcost, epsilon, delta };
        let budget = Budget::new(&privacy, NoiseKind::Discrete).map_err(|error| error.in_section("[budget]"))?;
        if rows_per_person == 0 {
            return Err(JobError::new("E0225", "[budget]: rows_per_person must be at least 1"));
        }
        Ok(Self {
            accountant: BudgetAccountant::new(budget.cost.rho()),
            pair: Some(DominatingPair::default()),
            cost_terms: budget.terms,
            terms: LedgerTerms { neighbours, rows_per_person },
            noised_cells: None,
            person: PersonColumn::of_spec(spec.person.clone(), spec.excess_rows, None)?,
        })
    }

    /// What to say of a budget that protects little: sentences, none for a usual one.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let rho = self.accountant.budget().get();
        warnings::of_budget(rho, &self.cost_terms, &self.cost_terms.epsilons(2.0 * rho, None))
    }

    /// How costs are stated.
    #[must_use]
    pub fn cost_terms(&self) -> CostTerms {
        self.cost_terms
    }

    /// What every charge protects.
    #[must_use]
    pub fn terms(&self) -> LedgerTerms {
        self.terms
    }

    /// Who has which row, where a column says so.
    #[must_use]
    pub fn person(&self) -> Option<&PersonColumn> {
        self.person.as_ref()
    }

    /// Whether the noise of the exact part is charged.
    pub(crate) fn charges_exact(&self) -> bool {
        self.noised_cells.is_some()
    }

    /// What is charged so far, in rho of zCDP, rounded up.
    #[must_use]
    pub fn spent(&self) -> f64 {
        self.accountant.spent()
    }

    /// Charges the epsilon-DP noise of the exact part: `row_epsilon` of one row added or removed,
    /// for any choice of the cells that are noised.
    ///
    /// # Errors
    /// E0225 when its cost is out of range, E0502 when too little is left.
    pub fn charge_exact(&mut self, row_epsilon: f64, decision_data: DecisionData) -> Result<(), JobError> {
        let LedgerTerms { neighbours, rows_per_person } = self.terms;
        let noise = PureNoise { row_epsilon };
        let epsilon = noise.epsilon_per_person(neighbours, rows_per_person);
        let costs = epsilon.and_then(|epsilon| Ok((epsilon, noise.rho(neighbours, rows_per_person)?)));
        let (epsilon, rho) = costs.map_err(|error| JobError::new("E0225", format!("epsilon in [exact]: {error}")))?;
        self.charge("exact", rho.get(), Some(DominatingPair::pure(epsilon)))?;
        self.noised_cells = Some(decision_data);
        Ok(())
    }

    /// Charges a part this much, in rho of zCDP; `pair` is what dominates it, where that is known.
    ///
    /// # Errors
    /// E0502 when too little is left; nothing is charged then.
    pub fn charge(&mut self, part: &str, rho: f64, pair: Option<DominatingPair>) -> Result<(), JobError> {
        self.accountant.charge(part, rho).map_err(|BudgetExceeded { part, rho, remaining, .. }| {
            let (rho, remaining) = (short_up(rho), short_down(remaining));
            JobError::new("E0502", format!("[{part}] costs rho {rho}, but only {remaining} of [budget] remains"))
        })?;
        self.pair = self.pair.take().zip(pair).map(|(all, one)| all.compose(&one));
        Ok(())
    }

    /// What is left for the noisy part.
    ///
    /// # Errors
    /// E0502 when nothing is left.
    pub fn left(&self) -> Result<PrivacyCost, JobError> {
        let left = self.accountant.remaining_cost();
        left.map_err(|_| {
            JobError::new("E0502", "the noise of [exact] uses all of [budget] and leaves nothing for [noisy]")
        })
    }

    /// Finds out whether a ledger would refuse what the parts were charged.
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    pub fn check(&self, ledger: &dyn Ledger, job_sha256: &str) -> Result<(), JobError> {
        Ok(ledger.check(&self.request(job_sha256, ChargeSubject::default()))?)
    }

    /// Charges the sum to a ledger, before any noise is drawn. The ledger says what it was for.
    ///
    /// # Errors
    /// What the ledger refuses; nothing is charged then.
    pub fn commit(
        &self,
        ledger: &mut dyn Ledger,
        job_sha256: &str,
        subject: ChargeSubject,
    ) -> Result<Receipt, JobError> {
        Ok(ledger.charge(&self.request(job_sha256, subject))?)
    }

    fn request<'a>(&self, spec_sha256: &'a str, subject: ChargeSubject) -> ChargeRequest<'a> {
        let (rho, dominated_by, terms) = (self.spent(), self.pair.clone(), self.terms);
        ChargeRequest { rho, dominated_by, terms, spec_sha256, subject }
    }

    /// What the charges guarantee together.
    fn guarantee(&self) -> String {
        let rho = short_up(self.spent());
        let noise = "the scale of the noise and all costs depend only on the job and its domain";
        let cells = match self.noised_cells {
            None => {
                return format!(
                    "the noise of [exact] and [noisy] together is {rho}-zCDP, given that it is released; {noise}"
                );
            }
            Some(DecisionData::PublicSizes) => "depends on the population table, which the job declares public",
            Some(DecisionData::Counts | DecisionData::Robust | DecisionData::Private) => {
                "depends on the counts, which this does not cover"
            }
        };
        format!(
            "the noise of [exact] and [noisy] together is {rho}-zCDP, given that it is released, for any one choice of \
             the noised cells of [exact]; {noise}; the choice of these cells {cells}"
        )
    }

    /// The budget as programs read it. `count` is the column that says how many rows a line of
    /// the data stands for, `receipt` the receipt of the ledger once the budget is charged.
    #[must_use]
    pub fn document(&self, count: Option<&str>, receipt: Option<&Receipt>) -> BudgetDocument {
        let unit = match (self.terms.rows_per_person, count) {
            (rows, _) if self.person.is_some() => self.person.as_ref().map_or_else(String::new, |own| own.unit(rows)),
            (1, None) => "a row of the data".to_owned(),
            (1, Some(column)) => format!("one person counted in column {column:?}"),
            (rows, _) => format!("a person with at most {rows} rows"),
        };
        let spent = self.spent();
        let part_cost = |charge: &Charge| PartCost { part: charge.part.clone(), rho: charge.rho };
        let guarantee = self.guarantee();
        let promise = Promise::new(PromiseKind::Guarantee, guarantee);
        BudgetDocument {
            promise: promise.with_neighbours(self.terms.neighbours).with_unit(unit),
            rho: self.accountant.budget().get(),
            spent_rho: spent,
            spent: self.accountant.charges().iter().map(part_cost).collect(),
            epsilon_at_delta: self.cost_terms.epsilons(mul_up(2.0, spent), self.pair.as_ref()),
            dominated_by: self.pair.clone(),
            ledger_hash: receipt.and_then(Receipt::hash).map(str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    use super::*;
    use crate::ledger::{MemoryLedger, Uncounted};

    fn budget(rho: f64, neighbours: Neighbours, rows_per_person: u32) -> JobBudget {
        JobBudget::new(&spec(rho, neighbours, rows_per_person)).unwrap()
    }

    fn spec(rho: f64, neighbours: Neighbours, rows_per_person: u32) -> BudgetSpec {
        let (mu, pcost, epsilon, delta, ledger) = (None, None, None, None, None);
        let (person, excess_rows) = (None, None);
        BudgetSpec {
            rho: Some(rho),
            mu,
            pcost,
            epsilon,
            delta,
            neighbours,
            rows_per_person,
            person,
            excess_rows,
            ledger,
        }
    }

    #[test]
    fn the_budget_of_a_job_is_at_least_one_row_of_a_person() {
        assert!(JobBudget::new(&spec(1.0, Neighbours::AddRemove, 0)).is_err());
        assert!(JobBudget::new(&spec(f64::NAN, Neighbours::AddRemove, 1)).is_err());
    }

    #[test]
    fn parts_add_up_to_the_budget_and_never_above_it() {
        let mut budget = budget(1.0, Neighbours::AddRemove, 1);
        budget.charge_exact(1.0, DecisionData::Counts).unwrap();
        let left = budget.left().unwrap().rho().get();
        budget.charge("noisy", left, None).unwrap();
        assert!(budget.spent() <= 1.0 && budget.left().is_err() && budget.charge("noisy", 1e-9, None).is_err());
        let document = budget.document(None, None);
        assert!(document.epsilon_at_delta.len() == 2 && document.epsilon_at_delta[0].epsilon > 1.0);
        assert_eq!(document.spent.iter().map(|cost| cost.part.as_str()).collect::<Vec<_>>(), ["exact", "noisy"]);
    }

    #[test]
    fn the_sum_of_all_parts_is_charged_to_the_ledger_once() {
        let mut job = budget(1.0, Neighbours::Replace, 1);
        job.charge_exact(0.5, DecisionData::PublicSizes).unwrap();
        job.charge("noisy", 0.25, Some(DominatingPair::gaussian(PrivacyCost::new(0.51).unwrap()))).unwrap();
        let digest = "0".repeat(64);
        let mut ledger = MemoryLedger::new(0.8, job.terms(), &mut ChaCha20Rng::from_seed([7; 32])).unwrap();
        job.check(&ledger, &digest).unwrap();
        let receipt = job.commit(&mut ledger, &digest, ChargeSubject::default()).unwrap();
        assert_eq!((receipt.rho(), ledger.chain().charges().len()), (job.spent(), 1));
        assert_eq!(job.document(None, Some(&receipt)).ledger_hash.as_deref(), Some(ledger.chain().hash()));
        let pair = ledger.chain().dominated_by().unwrap();
        assert_eq!((pair.gaussian_cost(), pair.pure_epsilons()), (0.51, &[1.0][..]));
        let stated = job.document(None, None).epsilon_at_delta;
        assert!(stated.iter().all(|e| e.epsilon_by_zcdp.is_some_and(|other| other > e.epsilon)), "{stated:?}");
        assert!(
            job.check(&ledger, &digest).is_err() && job.commit(&mut ledger, &digest, ChargeSubject::default()).is_err()
        );
        assert!(job.commit(&mut Uncounted, &digest, ChargeSubject::default()).unwrap().hash().is_none());
    }
}
