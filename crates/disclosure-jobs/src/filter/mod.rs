//! The low-count filter: which groups may be shown.

mod error;
