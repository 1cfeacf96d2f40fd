//! Scenarios of `lcf`.

use super::Attackers;

pub(super) const ATTACKERS: Attackers = &[];
