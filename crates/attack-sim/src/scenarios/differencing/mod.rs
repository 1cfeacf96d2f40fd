//! Two releases, one person apart: do they isolate the person?

use super::Attackers;

pub(super) const ATTACKERS: Attackers = &[];
