//! Simulated populations, reports and estimates.
