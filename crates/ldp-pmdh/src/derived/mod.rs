//! What follows from estimates of one, two or more columns: correlations, ratios, tests, sample sizes.
