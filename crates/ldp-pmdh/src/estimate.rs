//! Unbiased estimates of joint counts (Theorem 3.5).
