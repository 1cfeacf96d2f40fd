//! Estimates when every person reports a random subset of features.
