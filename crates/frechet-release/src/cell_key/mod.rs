//! The cell-key method: every count of a table moves by a deviation that the secret and the
//! people in the cell decide, so that one cell has one number wherever it is published.

pub(crate) mod perturbation;

mod entropy;
pub(crate) mod method;
pub(crate) mod records;
