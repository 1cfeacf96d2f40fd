//! Covariances of estimates (Theorem 3.6), as an implicit view and dense.
