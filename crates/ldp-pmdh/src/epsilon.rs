//! Epsilon of one report, from the thresholds, never read low.
