//! The attacker who reads noisy numbers beside exact ones.

pub(crate) mod attack;
pub(crate) mod evidence;
pub(crate) mod numbers;
