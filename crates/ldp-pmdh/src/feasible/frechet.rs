//! Fréchet bounds of pairs.
