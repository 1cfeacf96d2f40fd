//! The client: one row, one randomised report.
