//! The budget of a pattern that is drawn, and what is promised of it.

use disclosure::frechet::{PatternBudget, PatternCost};
use disclosure::privacy_core::accounting::Neighbours;
use disclosure::privacy_core::param::{Delta, Epsilon};
use disclosure::privacy_core::promise::{Promise, PromiseKind};
use serde::{Deserialize, Serialize};

use crate::figures::short_up;

/// What the pattern may cost one person. There is no default.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PatternSpec {
    /// Epsilon of a person.
    pub(super) epsilon: Epsilon,
    /// Delta of a person, which covers that the release may be refused.
    pub(super) delta: Delta,
    /// What neighbouring tables differ in: `add-remove` or `replace`.
    pub(super) neighbours: Neighbours,
    /// The largest number of rows that one person may have.
    pub(super) rows_per_person: u32,
}

/// The budget of a pattern, and the digest under which a ledger records it.
#[derive(Clone, Debug)]
pub(super) struct PatternTerms {
    pub(super) budget: PatternBudget,
    pub(super) spec_sha256: String,
}

impl From<PatternSpec> for PatternBudget {
    fn from(spec: PatternSpec) -> Self {
        let PatternSpec { epsilon, delta, neighbours, rows_per_person } = spec;
        Self { epsilon, delta, neighbours, rows_per_person }
    }
}

/// What is promised about the choice of the numbers that leave, and what it costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatternStatement {
    /// What holds of the pattern: of which numbers are published, and in which groups.
    pub promise: Promise,
    /// What it costs one person.
    pub cost: PatternCost,
    /// The least count of a number that leaves, unless the noise lets out a smaller one that
    /// discloses nothing.
    pub least_count: u64,
    /// Hash of the ledger's line that was charged; null without a ledger, and before a release.
    pub ledger_hash: Option<String>,
}

impl PatternStatement {
    /// What is stated of a pattern with this cost and this least count.
    pub(super) fn new(cost: PatternCost, least_count: u64, ledger_hash: Option<String>) -> Self {
        Self { promise: promise_of(&cost), cost, least_count, ledger_hash }
    }
}

/// What is promised of a pattern with this cost.
fn promise_of(cost: &PatternCost) -> Promise {
    let (epsilon, delta) = (short_up(cost.epsilon), cost.delta);
    let statement = format!(
        "which numbers are published, and in which groups, is drawn with ({epsilon}, {delta:e})-differential privacy; that a \
         release is refused, which happens with a probability of at most {}, is covered by the delta; the published numbers \
         themselves are exact and not covered",
        short_up(cost.refusal_probability)
    );
    Promise::new(PromiseKind::Guarantee, statement)
        .with_neighbours(cost.neighbours)
        .with_unit(match cost.rows_per_person {
            1 => "a person with one row".to_owned(),
            rows => format!("a person with at most {rows} rows"),
        })
        .with_cost(format!("rho {}, and delta {delta:e} for a refusal", short_up(cost.rho)))
}
