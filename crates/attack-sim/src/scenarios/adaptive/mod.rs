//! Scenarios of `adaptive-marginals`: what choices and noised tables together say of one person.
//!
//! Attackers run the release path of the crate itself. One looks at the first choice, which an
//! exact comparison of errors would give away; one adds up the likelihood ratios of all noised
//! tables, whose budget many rounds share.

mod release;

use crate::builder::Attackers;

pub(super) const ATTACKERS: Attackers = &[("first-choice", release::first_choice), ("all-tables", release::all_tables)];
