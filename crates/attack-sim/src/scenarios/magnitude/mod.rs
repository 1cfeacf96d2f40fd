//! Scenarios of `magnitude-release`: can a respondent, with an engine of their own and the own
//! amounts, come closer to another respondent's amount than the rule allows?

mod respondents;

use crate::builder::Attackers;

pub(super) const ATTACKERS: Attackers = &[("respondents", respondents::build)];
