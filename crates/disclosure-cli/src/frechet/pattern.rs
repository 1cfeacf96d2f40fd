//! `disclosure frechet audit --jj`: the suppression pattern of another tool, as an attacker sees
//! it.

use std::path::Path;
use std::time::Duration;

use disclosure_jobs::exact::{MAX_PATTERN_BYTES, Pattern, PatternOptions};

use super::args::AuditArgs;
use super::load::{say_certificates_written, write_certificates};
use super::show_pattern::show_pattern;
use crate::error::Failure;
use crate::files::{print_json, print_text, read_text_at_most};
use crate::observer::Terminal;

/// Judges the pattern; a sensitive cell that is not protected is a failure, after everything was
/// said.
pub(super) fn audit(args: &AuditArgs, file: &Path) -> Result<(), Failure> {
    let observer = Terminal;
    let output = args.certificates.as_deref().map(|path| args.write.owner_file(path)).transpose()?;
    let text = read_text_at_most(file, |_| MAX_PATTERN_BYTES).map_err(|failure| failure.within(file))?;
    let options = PatternOptions {
        steps: args.steps,
        nodes: args.nodes,
        all_steps: args.all_steps,
        time: args.seconds.map(|seconds| Duration::from_secs(seconds.into())),
        certificates: args.certificates.is_some(),
    };
    let title = file.display().to_string();
    let found = Pattern::parse(&text, &title).and_then(|pattern| pattern.audit(options, &observer));
    let (document, certificates) = found.map_err(|failure| failure.within(file))?;
    let written = output.zip(certificates.as_ref());
    if let Some((output, certificates)) = written {
        write_certificates(output, certificates).map_err(|failure| failure.within(file))?;
    }
    match args.json {
        true => print_json(&document)?,
        false => print_text(&show_pattern(&document))?,
    }
    // A pattern without suppressed cells has nothing to prove.
    if let Some((output, _)) = written.filter(|_| !document.cells.is_empty()) {
        say_certificates_written(output.path());
    }
    document.check_target().map_err(|failure| failure.within(file))
}
