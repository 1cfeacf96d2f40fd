//! Correlation, conditional probabilities, lift and odds, with errors.
