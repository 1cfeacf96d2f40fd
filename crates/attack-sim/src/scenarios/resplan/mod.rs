//! Scenarios of `resplan`.

use super::Attackers;

pub(super) const ATTACKERS: Attackers = &[];
