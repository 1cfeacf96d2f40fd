//! One-hot blocks whose sum is known, by generalised least squares.
