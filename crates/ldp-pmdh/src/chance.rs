//! Probabilities as 64-bit thresholds: exactly what is sampled.
