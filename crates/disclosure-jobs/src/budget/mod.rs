//! Privacy budgets: what a job may spend, in the currency of the user, and which part spends it.
//!
//! [`Budget`] is what `[privacy]` says, checked. [`JobBudget`] is `[budget]` of a job with
//! several parts: it is divided among them and charged to a [`Ledger`](crate::ledger::Ledger)
//! once.

mod cost;
mod job_budget;
pub(crate) mod warnings;

pub use cost::{Budget, CostTerms, EpsilonAtDelta, GaussianBudget, NoiseKind, PrivacySpec};
pub use job_budget::{BudgetDocument, BudgetSpec, JobBudget, PartCost};
