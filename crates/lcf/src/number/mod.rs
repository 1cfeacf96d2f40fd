//! The number beside a reported group: none, rounded, noisy or exact.

pub(crate) mod group_number;
pub(crate) mod noise;

pub use group_number::{Counted, GroupNumber};
pub use noise::NumberNoise;
