//! The command `disclosure`: decide what may be published about people, and publish it.
//!
//! Data goes to the standard output, words go to the standard error. One file a subcommand. The
//! command is a library so that another program, `disclosure-sql`, has the same subcommands over
//! data of more kinds: [`run_command`] takes what opens them. [`CommandLines`] runs nothing.
#![forbid(unsafe_code)]

mod adaptive;
mod args;
mod command_line;
mod display;
mod error;
mod explain;
mod files;
mod format;
mod frechet;
mod init;
mod interrupt;
mod lcf;
mod ldp;
mod ledger;
mod limits;
mod magnitude;
mod new_ledger;
mod observer;
mod release;
mod report;
mod resplan;
mod run;
mod screen;
#[cfg(feature = "serve")]
mod serve;
mod shell;
mod stop;
mod synth;

use std::ffi::OsString;
use std::process::ExitCode;

use disclosure_jobs::disclosure::privacy_core::parallel::start_threads;
use disclosure_jobs::ended::fault;
use disclosure_jobs::input::SourceOpener;
use disclosure_jobs::memory_image::leave_no_image;
use disclosure_jobs::panics::{caught_on_large_stack, say_where_alone};

use args::{Args, Command};
use command_line::asks_for_json;
use error::Failure;

pub use command_line::{CommandLines, Printed};

/// Runs a command line, the name of the program its first word, to its end: prints what it is asked
/// for, and gives the exit code. Data that are no text are opened by the first of `openers` that
/// knows them.
///
/// Called once a process: it handles signals, and may exit the process itself.
#[must_use]
pub fn run_command(words: &[OsString], openers: Vec<Box<dyn SourceOpener>>) -> ExitCode {
    files::open_data_with(openers);
    interrupt::install();
    leave_no_image();
    say_where_alone();
    let json = asks_for_json(words);
    if json {
        files::keep_errors_for_programs();
    }
    // What a limit of the shell leaves to the stack of the first thread may be little.
    interrupt::end(caught_on_large_stack(|| carry_out(words, json)).unwrap_or_else(|| Err(fault())))
}

fn carry_out(words: &[OsString], json: bool) -> Result<(), Failure> {
    match CommandLines::coloured().parse(words) {
        Ok(args) => {
            start_threads();
            run(args)
        }
        // Help and version are asked for, and end in 0.
        Err(asked) if !asked.use_stderr() => files::print(asked.render().ansi().to_string().as_bytes()),
        Err(wrong) if json => Err(error::invalid_command_line(&wrong)),
        Err(wrong) => {
            files::write_error(error::invalid_text(&wrong).trim_end());
            std::process::exit(2)
        }
    }
}

fn run(args: Args) -> Result<(), Failure> {
    if args.quiet {
        files::keep_quiet();
    }
    match args.command {
        Command::Resplan(command) => resplan::run(command),
        Command::Adaptive(command) => adaptive::run(command),
        Command::Frechet(command) => frechet::run(command),
        Command::Magnitude(command) => magnitude::run(command),
        Command::Lcf(command) => lcf::run(command),
        Command::Ldp(command) => ldp::run(command),
        Command::Screen(command) => screen::run(command),
        Command::Report(args) => report::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Synth(args) => synth::run(&args),
        Command::Init(args) => init::run(&args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(&args),
        Command::Ledger(command) => ledger::run(command),
        Command::Explain { code } => explain::run(&code),
        Command::Completions { shell } => shell::completions(shell),
        Command::Man => shell::manual(),
    }
}
