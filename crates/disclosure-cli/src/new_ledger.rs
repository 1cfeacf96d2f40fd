//! The ledger of a release: one that is there, or one that the release makes.

use std::path::Path;

use disclosure_jobs::ledger::{FileLedger, Ledger, NewLedger, Uncounted};

use crate::error::Failure;
use crate::files::{named, system_rng};

/// A ledger that a release makes if it is not there.
#[derive(Debug, clap::Args)]
pub(crate) struct NewLedgerArgs {
    /// Create the ledger if it does not exist, with the neighbouring relation and rows per person
    /// of this release
    #[arg(long, requires = "rho")]
    new_ledger: bool,
    /// The total budget of a new ledger, in rho of zCDP; it can never be raised
    #[arg(long, requires = "new_ledger")]
    rho: Option<f64>,
}

/// The ledger of a release; without a path it is not counted.
pub(crate) fn ledger_at(path: Option<&Path>, new: &NewLedgerArgs) -> Result<Box<dyn Ledger>, Failure> {
    let path = path.map(named).transpose()?;
    Ok(match (path, new.rho.filter(|_| new.new_ledger)) {
        (Some(path), Some(rho)) => Box::new(NewLedger::at(path, rho, &mut system_rng()?)),
        (Some(path), None) => Box::new(FileLedger::at(path)),
        (None, Some(_)) => {
            let failure = Failure::new("E0200", "--new-ledger needs the name of the ledger file to create");
            return Err(
                failure.next("add --ledger FILE, or write ledger = \"FILE\" in [budget] of a job of `disclosure run`")
            );
        }
        (None, None) => Box::new(Uncounted),
    })
}
