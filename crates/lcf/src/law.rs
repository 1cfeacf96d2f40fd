//! Laws of the threshold.
