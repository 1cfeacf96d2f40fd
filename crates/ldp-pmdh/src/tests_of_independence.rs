//! Tests of independence and homogeneity on reports, and the sample size they need.
