//! Confidence intervals, and small counts.
