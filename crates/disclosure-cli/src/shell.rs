//! Completions and the manual page, both generated from the arguments.

use clap::CommandFactory;

use crate::args::Args;
use crate::error::Failure;
use crate::files::print;

/// Prints completions for a shell.
pub(crate) fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "disclosure", &mut text);
    print(&text)
}

/// Prints the manual page: the command, then each subcommand.
pub(crate) fn manual() -> Result<(), Failure> {
    let mut text = Vec::new();
    let mut command = Args::command();
    command.build();
    render(&command, &mut text)?;
    print(&text)
}

fn render(command: &clap::Command, text: &mut Vec<u8>) -> Result<(), Failure> {
    let failed = |source: std::io::Error| Failure::new("E0104", source.to_string());
    clap_mangen::Man::new(command.clone()).render(text).map_err(failed)?;
    let shown = command.get_subcommands().filter(|sub| sub.get_name() != "help");
    shown.into_iter().try_for_each(|sub| render(sub, text))
}
