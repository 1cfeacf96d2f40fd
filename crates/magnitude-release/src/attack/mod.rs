//! What attackers can bound: linear programs over shifts from the truth, proofs of their ends, and
//! the audit of every coalition.

pub(crate) mod attacked;
pub(crate) mod audit;
pub(crate) mod coalitions;
pub(crate) mod intervals;
pub(crate) mod program;
pub(crate) mod proof;
pub(crate) mod tableau;
