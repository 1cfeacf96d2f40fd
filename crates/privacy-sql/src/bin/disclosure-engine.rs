//! The parts of a cluster that counts for `disclosure-sql`: a scheduler, and executors.
//!
//! Nothing is logged: messages of an engine about rows may hold values.
#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use disclosure_jobs::JobError;
use disclosure_jobs::panics::say_where_alone;
use disclosure_jobs::secret::read_secret;
use privacy_sql::{ExecutorSpec, Listening, SchedulerSpec, run_executor, run_scheduler};

/// Stack of a thread: plans are walked by recursion.
const STACK: usize = 16 << 20;

/// The parts of a cluster that counts for disclosure-sql.
#[derive(Parser)]
#[command(
    version,
    after_help = "\
disclosure-engine scheduler
disclosure-engine executor --secret-file key
disclosure-sql resplan release spec.toml ballista://127.0.0.1:50050/lake/people -o tables"
)]
struct Command {
    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand)]
enum Part {
    /// Plan queries, and share them among executors
    Scheduler(SchedulerArguments),
    /// Read files and count
    Executor(ExecutorArguments),
}

#[derive(Args)]
struct SchedulerArguments {
    /// Where to listen
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050")]
    listen: String,
    #[command(flatten)]
    network: Network,
}

#[derive(Args)]
struct ExecutorArguments {
    /// Where the scheduler listens
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050")]
    scheduler: String,
    /// Where to give data to other executors and to the scheduler
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50051")]
    listen: String,
    /// The port for orders of the scheduler: one more than that of --listen unless it is given
    #[arg(long, value_name = "PORT")]
    order_port: Option<u16>,
    /// The secret of lcf_state: 32 bytes that only the owner can read
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
    /// Where states are kept between the stages of a query; a new folder in it is removed at the
    /// end
    #[arg(long, value_name = "FOLDER")]
    work_folder: Option<PathBuf>,
    /// How many parts of the rows are counted at once: as many as the machine has cores unless it
    /// is given
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Memory of the executor in MiB: seven tenths of the machine's unless it is given
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
    #[command(flatten)]
    network: Network,
}

#[derive(Args)]
struct Network {
    /// Allow addresses of private networks: everybody on them is trusted with the data
    #[arg(long)]
    trusted_network: bool,
}

fn main() -> ExitCode {
    say_where_alone();
    let outcome = match Command::parse().part {
        Part::Scheduler(arguments) => scheduler(&arguments),
        Part::Executor(arguments) => executor(arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("{}: {error}", error.code()));
            ExitCode::from(error.exit_code())
        }
    }
}

fn scheduler(arguments: &SchedulerArguments) -> Result<(), JobError> {
    let listening = Listening::new(&arguments.listen, arguments.network.trusted_network)?;
    say(&format!("the scheduler listens at {}", arguments.listen));
    runtime()?.block_on(run_scheduler(SchedulerSpec { listening }, terminated()))?;
    say("the scheduler has ended");
    Ok(())
}

fn executor(arguments: ExecutorArguments) -> Result<(), JobError> {
    let is_trusted = arguments.network.trusted_network;
    let data = Listening::new(&arguments.listen, is_trusted)?;
    let orders = data.with_port(arguments.order_port.unwrap_or_else(|| data.port().wrapping_add(1)));
    let scheduler = Listening::new(&arguments.scheduler, is_trusted)?;
    let secret = arguments.secret_file.as_deref().map(read_secret).transpose()?;
    // Only the owner can read it, and it is removed when this function ends.
    let mut folder = tempfile::Builder::new();
    let folder = folder.prefix("disclosure-engine");
    let folder = match &arguments.work_folder {
        Some(parent) => folder.tempdir_in(parent),
        None => folder.tempdir(),
    };
    let parent = arguments.work_folder.unwrap_or_else(std::env::temp_dir);
    let folder = folder.map_err(|source| JobError::reading(&parent, &source))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let spec = ExecutorSpec {
        data,
        orders,
        scheduler,
        work_folder: folder.path().to_owned(),
        threads: arguments.threads.unwrap_or(cores),
        memory_bytes: arguments.memory.map(|mebibytes| mebibytes.saturating_mul(1 << 20)),
        secret,
    };
    say(&format!("the executor listens at {}", arguments.listen));
    runtime()?.block_on(run_executor(spec))?;
    say("the executor has ended");
    Ok(())
}

fn runtime() -> Result<tokio::runtime::Runtime, JobError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().thread_stack_size(STACK).enable_all().build();
    runtime.map_err(|_| JobError::new("E0339", "the system gave the engine no threads"))
}

/// Ends when the process is asked to end.
async fn terminated() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        // Without a handler the signal ends the process at once.
        let Ok(mut signals) = signal(SignalKind::terminate()) else { return std::future::pending().await };
        tokio::select! {
            _ = signals.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
    }
    #[cfg(not(unix))]
    {
        let _ = tokio::signal::ctrl_c().await;
    }
}

#[expect(clippy::print_stderr, reason = "words of a program")]
fn say(words: &str) {
    eprintln!("disclosure-engine: {words}");
}
