//! Scenarios of `ldp-pmdh`.
//!
//! - `likelihood-ratio` enumerates every report and every answer: epsilon of a report, exactly.
//! - `distinguisher` reads reports that the client made, byte by byte, and says which of two
//!   answers they are about.
//! - `averaging-rounds` averages the reports of many rounds that are made from a stored permanent
//!   stage.
//! - `repeated-worlds` holds estimates, error bars and intervals against the truth, over many
//!   rounds of reports.
//! - `false-reports` sends reports that no client made, to move a count as far as it goes.
//! - `false-groups` does so where features are reported in groups, as a plan recommends.
//! - `any-split` divides reports between collectors in a random way: the merged counts must not
//!   tell.

mod collected;
mod device;
mod distinguisher;
mod false_groups;
mod false_reports;
mod flaw;
mod laws;
mod released;
mod rounds;
mod schema;
mod split;
mod worlds;

use crate::builder::Attackers;

pub(super) const ATTACKERS: Attackers = &[
    ("likelihood-ratio", laws::build),
    ("distinguisher", distinguisher::build),
    ("averaging-rounds", rounds::build),
    ("repeated-worlds", worlds::build),
    ("false-reports", false_reports::build),
    ("false-groups", false_groups::build),
    ("any-split", split::build),
];
