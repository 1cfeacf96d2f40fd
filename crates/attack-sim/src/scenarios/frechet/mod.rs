//! Scenarios of `frechet-release`.

use super::Attackers;

pub(super) const ATTACKERS: Attackers = &[];
