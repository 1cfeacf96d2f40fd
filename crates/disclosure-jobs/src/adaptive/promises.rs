//! What a release promises.

use adaptive_marginals::AdaptivePlan;
use disclosure::privacy_core::promise::{Promise, PromiseKind};

use super::job::Details;
use crate::figures::short_up;

/// The promise of a plan.
pub(super) fn promise(details: &Details, plan: &AdaptivePlan) -> Promise {
    let spec = plan.spec();
    let unit = match (&details.columns.person, spec.rows_per_person, details.columns.count.as_deref()) {
        (Some(person), rows, _) => person.unit(rows),
        (None, 1, None) => "a row of the data".to_owned(),
        (None, 1, Some(column)) => format!("one person counted in column {column:?}"),
        (None, rows, None) => format!("a person with at most {rows} rows"),
        (None, rows, Some(column)) => format!("a person counted at most {rows} times in column {column:?}"),
    };
    let guarantee = format!("{}-zCDP for the choice of tables and the noise together", short_up(spec.rho.get()));
    Promise::new(PromiseKind::Guarantee, guarantee).with_neighbours(spec.neighbours).with_unit(unit)
}
