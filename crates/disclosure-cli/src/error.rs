//! How the command reports a failure.

use std::process::ExitCode;

use clap::builder::styling::AnsiColor;
use clap::error::ErrorKind;

use crate::display::printable;
use crate::files::{write_error, write_error_text};

pub(crate) use disclosure_jobs::JobError as Failure;

/// The failure of a command line that is invalid.
pub(crate) fn invalid_command_line(wrong: &clap::Error) -> Failure {
    let text = wrong.render().to_string();
    let said = text.lines().take_while(|line| !line.starts_with("Usage")).flat_map(str::split_whitespace);
    Failure::new("E0200", said.collect::<Vec<_>>().join(" ").trim_start_matches("error: "))
}

/// What clap says of an invalid command line, with the code of the failure.
pub(crate) fn invalid_text(wrong: &clap::Error) -> String {
    let text = wrong.render().ansi().to_string();
    match wrong.kind() {
        // Where a subcommand is missing, its help is all there is.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => text,
        _ => text.replacen("error:", "error[E0200]:", 1) + "  more: disclosure explain E0200\n",
    }
}

/// The document of a failure, in one line.
pub(crate) fn json_line(failure: &Failure) -> String {
    serde_json::to_string(&failure.document()).expect("an error document has string keys")
}

/// Writes a failure to the standard error, and gives the exit code.
pub(crate) fn report(failure: &Failure, json: bool) -> ExitCode {
    if json {
        write_error(&json_line(failure));
    } else {
        let red = AnsiColor::Red.on_default().bold();
        // File names and names in specifications must not steer the terminal.
        write_error_text(&format!("{red}error[{}]{red:#}: {}", failure.code(), printable(failure.message())));
        if let Some(next) = failure.next_step() {
            write_error_text(&format!("  next: {}", printable(next)));
        }
        write_error_text(&format!("  more: disclosure explain {}", failure.code()));
    }
    ExitCode::from(failure.exit_code())
}
