//! What `resplan release` and `adaptive release` have in common: their arguments, and what is
//! checked before anything is charged.

use std::path::{Path, PathBuf};

use disclosure_jobs::input::OpenedSource;
use disclosure_jobs::ledger::{ChargeRequest, Ledger};
use disclosure_jobs::observer::Observer;
use disclosure_jobs::persons::PersonsDocument;
use disclosure_jobs::sink::{DirectorySink, StoppableSink, check_outside};

use crate::error::Failure;
use crate::files::{data_source_within, named, say, warn};
use crate::format::{FormatArgs, TablesArgs};
use crate::limits::LimitArgs;
use crate::new_ledger::{NewLedgerArgs, ledger_at};
use crate::observer::Terminal;

#[derive(Debug, clap::Args)]
pub(crate) struct ReleaseArgs {
    /// The specification of the release and its budget (TOML; - for standard input); with resplan,
    /// also a stored plan
    pub(crate) spec: PathBuf,
    /// The data (CSV, also compressed with gzip or Zstandard, or XLSX; - for standard input)
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// The directory to create; it must not exist, or must be empty
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) tables: TablesArgs,
    /// Charge the cost to this ledger (see `disclosure ledger open`)
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) new_ledger: NewLedgerArgs,
    /// Check everything, show the plan and its cost, and stop before any noise is drawn
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Print release.json instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a plan asks of the machine before its rows are read.
pub(crate) struct Request<'a> {
    /// What to say of a budget that protects little.
    pub(crate) warnings: Vec<String>,
    /// What the release asks of a ledger.
    pub(crate) charge: ChargeRequest<'a>,
    /// Whether a column says who is the same person.
    pub(crate) has_person: bool,
}

/// Where a release is charged, read from and written to. Nothing is charged, read or written yet.
pub(crate) struct Prepared {
    pub(crate) ledger: Box<dyn Ledger>,
    pub(crate) sink: StoppableSink<DirectorySink>,
    pub(crate) source: OpenedSource,
}

impl ReleaseArgs {
    /// Finds what is wrong with the ledger, the directory or the data before anything is charged.
    pub(crate) fn prepare(&self, request: &Request<'_>, observer: &Terminal) -> Result<Prepared, Failure> {
        warn(&request.warnings);
        // One stream is not two files.
        if [&self.spec, &self.data].iter().all(|path| path.as_path() == Path::new("-")) {
            named(&self.data)?;
        }
        check_outside(&self.output, self.ledger.as_deref().as_slice())?;
        let ledger = ledger_at(self.ledger.as_deref(), &self.new_ledger)?;
        ledger.check(&request.charge)?;
        let sink = StoppableSink::new(DirectorySink::create(named(&self.output)?)?, observer.stop_flag());
        let source = data_source_within(&self.data, self.format.spec(), self.limits.max_memory)?;
        // The rows and then their persons: a stream is read once.
        let source = if request.has_person { source.into_snapshot(self.limits.max_memory)? } else { source };
        Ok(Prepared { ledger, sink, source })
    }

    /// Says how many rows are not counted because a person has too many: in a dry run, since the
    /// words of a release are the same for all data.
    pub(crate) fn say_persons(&self, persons: Option<&PersonsDocument>) {
        let persons = persons.filter(|_| !self.json);
        persons.into_iter().for_each(|persons| say(&persons.words(self.dry_run)));
    }

    /// Says that other releases cost more, unless a ledger counts them.
    pub(crate) fn say_uncounted(&self) {
        if self.ledger.is_none() {
            say("Every further release from the same data adds to the cost. Use --ledger FILE to keep track.");
        }
    }
}
