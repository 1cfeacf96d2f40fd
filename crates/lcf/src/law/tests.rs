//! What tests of several laws compare with, and the bounds of compositions.

pub(crate) mod composed;
mod composition;
pub(crate) mod exact;
