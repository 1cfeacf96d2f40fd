//! Parameters that meet a target.
