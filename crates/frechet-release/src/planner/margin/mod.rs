//! Margins that may be published: each axis recoded into groups of levels.

pub(crate) mod recoded_margin;
pub(crate) mod recoding;
