//! What the tests of all conversions share.

pub(super) mod exact;
