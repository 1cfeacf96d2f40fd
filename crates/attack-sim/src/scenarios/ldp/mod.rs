//! Scenarios of `ldp-pmdh`.

use super::Attackers;

pub(super) const ATTACKERS: Attackers = &[];
