//! Probability that a group is reported.
