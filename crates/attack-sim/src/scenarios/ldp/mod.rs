//! Scenarios of `ldp-pmdh`.
//!
//! - `likelihood-ratio` enumerates every report and every answer: epsilon of a report, exactly.
//! - `distinguisher` reads reports that the client made, byte by byte, and says which of two
//!   answers they are about.
//! - `repeated-worlds` holds estimates, error bars and intervals against the truth, over many
//!   rounds of reports.
//! - `any-split` divides reports between collectors in a random way: the merged counts must not
//!   tell.

mod device;
mod distinguisher;
mod flaw;
mod laws;
mod released;
mod schema;
mod split;
mod worlds;

use crate::builder::Attackers;

pub(super) const ATTACKERS: Attackers = &[
    ("likelihood-ratio", laws::build),
    ("distinguisher", distinguisher::build),
    ("repeated-worlds", worlds::build),
    ("any-split", split::build),
];
