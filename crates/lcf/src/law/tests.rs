//! What tests of several laws compare with, and the bounds of compositions.

pub(super) mod composed;
mod composition;
pub(super) mod exact;
