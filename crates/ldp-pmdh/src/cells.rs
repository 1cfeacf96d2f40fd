//! Cells of the joint table and their covariance (spec 1.6).
