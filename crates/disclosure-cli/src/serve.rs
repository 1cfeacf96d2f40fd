//! `disclosure serve`: the workbench in the browser, on this machine.

use std::fmt::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;

use disclosure_web::{Shell, Start, serve};
use rand::Rng;

use crate::error::Failure;
use crate::files::{openers, print, say, system_rng, today};
use crate::stop;

/// Random bytes of a token.
const TOKEN_BYTES: usize = 16;

/// Arguments of `disclosure serve`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  disclosure serve
  disclosure serve survey/people.csv
  disclosure-sql serve 'postgres://?service=census' --table people

Open the address that is printed; it is valid until you press Ctrl-C. Without DATA, choose a file in
the browser. Choices and releases are stored in the folder disclosure-workbench. The workbench opens
no files outside the folder, and no other machine can connect to it.")]
pub(crate) struct ServeArgs {
    /// The data to open (CSV, also compressed with gzip or Zstandard, or XLSX), inside the folder;
    /// with disclosure-sql also Parquet, Arrow, or the address of a database
    pub(crate) data: Option<PathBuf>,
    /// The folder whose files can be opened
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Table of a database [disclosure-sql]
    #[arg(long, value_name = "NAME", requires = "data")]
    pub(crate) table: Option<String>,
    /// Query whose rows are the data; it refers to a file or a folder as the table `data`
    /// [disclosure-sql]
    #[arg(long, value_name = "SQL", requires = "data", conflicts_with = "table")]
    pub(crate) query: Option<String>,
    /// The port on 127.0.0.1; 0 selects a free port
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
}

/// Serves the workbench until a signal ends it.
pub(crate) fn run(args: &ServeArgs) -> Result<(), Failure> {
    let failed = |source: std::io::Error| Failure::new("E0701", format!("port {}: {source}", args.port));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).map_err(failed)?;
    let generator = Box::new(|| system_rng().map(|rng| Box::new(rng) as disclosure_web::Rng));
    let shell = Shell { token: token()?, generator, today, openers: openers() };
    let (table, query) = (args.table.as_deref(), args.query.as_deref());
    let start = args.data.as_deref().map(|data| Start { data, table, query });
    serve(listener, &args.folder, start, shell, stop::flag().clone(), say_ready)
}

/// Prints the address.
fn say_ready(address: &str) -> Result<(), Failure> {
    print(format!("{address}\n").as_bytes())?;
    say(
        "The workbench is available at this address until you press Ctrl-C. Anyone on this machine who has the address can see the data.",
    );
    Ok(())
}

/// What nobody can guess, from the operating system.
fn token() -> Result<String, Failure> {
    let mut bytes = [0; TOKEN_BYTES];
    system_rng()?.fill_bytes(&mut bytes);
    let mut token = String::with_capacity(2 * TOKEN_BYTES);
    for byte in bytes {
        // A String takes everything.
        let _ = write!(token, "{byte:02x}");
    }
    Ok(token)
}
