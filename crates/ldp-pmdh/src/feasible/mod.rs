//! Answers that a table could have given, beside the unbiased ones.
