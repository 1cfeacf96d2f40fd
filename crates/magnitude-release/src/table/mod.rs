//! Tables of amounts: axes, cells with their sums, and who contributes how much.

pub(crate) mod additive;
pub(crate) mod axis;
pub(crate) mod contributions;
pub(crate) mod cube;
pub(crate) mod magnitude;
