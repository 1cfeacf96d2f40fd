//! The subcommands: a document each, as a table or as JSON, and the exit code.

use std::path::Path;

use disclosure_jobs::amounts::{Certificates, Job, Pattern, PlanOptions, Planned};
use disclosure_jobs::exact::MAX_PATTERN_BYTES;
use disclosure_jobs::input::{FileSystem, Files, data_named};
use disclosure_jobs::observer::Observer;
use disclosure_jobs::sink::{DirectorySink, StoppableSink};

use super::args::{AuditArgs, PlanArgs, ReleaseArgs};
use super::show::{show_pattern, show_plan, show_release};
use crate::error::Failure;
use crate::files::{OutputFile, data_source, named, print_json, print_text, read_text, read_text_at_most, say};
use crate::observer::Terminal;

/// Plans, and writes what was asked for.
pub(super) fn plan(args: &PlanArgs) -> Result<(), Failure> {
    let observer = Terminal;
    let certificates = args.certificates.as_deref().map(|path| args.write.owner_file(path)).transpose()?;
    let jj = args.jj.as_deref().map(|path| args.write.owner_file(path)).transpose()?;
    let planned = planned(&args.spec, &observer)?;
    let options = PlanOptions { certificates: certificates.is_some() };
    let (document, proofs) = planned.document(options, &observer).map_err(|failure| failure.within(&args.spec))?;
    certificates.zip(proofs.as_ref()).map(|(file, own)| write_certificates(file, own)).transpose()?;
    jj.map(|file| file.write_with(|out| planned.jj().write(planned.decimals(), out))).transpose()?;
    match args.json {
        true => print_json(&document),
        false => print_text(&show_plan(&document)),
    }
}

/// Plans, and writes the table.
pub(super) fn release(args: &ReleaseArgs) -> Result<(), Failure> {
    let observer = Terminal;
    let mut sink = StoppableSink::new(DirectorySink::create(named(&args.output)?)?, observer.stop_flag());
    let released = planned(&args.spec, &observer)?.write(&mut sink);
    let document = released.map_err(|failure| failure.within(&args.spec))?;
    match args.json {
        true => print_json(&document)?,
        false => print_text(&show_release(&document))?,
    }
    say(&format!("Wrote {}. release.json records the guarantee.", args.output.display()));
    Ok(())
}

/// Judges a pattern; a sensitive cell that is not protected is a failure, after everything was
/// said.
pub(super) fn audit(args: &AuditArgs) -> Result<(), Failure> {
    let (observer, path) = (Terminal, args.file.as_path());
    let output = args.certificates.as_deref().map(|path| args.write.owner_file(path)).transpose()?;
    let text = read_text_at_most(path, |_| MAX_PATTERN_BYTES)?;
    let pattern = Pattern::parse(&text, &path.display().to_string(), args.decimals);
    let found = pattern.and_then(|pattern| pattern.audit(args.steps, &observer));
    let (document, certificates) = found.map_err(|failure| failure.within(path))?;
    output.map(|file| write_certificates(file, &certificates)).transpose()?;
    match args.json {
        true => print_json(&document)?,
        false => print_text(&show_pattern(&document))?,
    }
    document.check_target().map_err(|failure| failure.within(path))
}

fn planned(spec: &Path, observer: &Terminal) -> Result<Planned, Failure> {
    let text = read_text(spec)?;
    let stem = spec.file_stem().map_or_else(|| "amounts".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let files = FileSystem::beside(spec);
    let planned = Job::parse(&text, &stem, &files).and_then(|job| {
        let data = job.data();
        let source = data_source(&data_named(data, |data| files.shown(data)), job.format().clone())?;
        job.load(&source, observer)?.plan(observer)
    });
    planned.map_err(|failure| failure.within(spec))
}

fn write_certificates(file: OutputFile<'_>, certificates: &Certificates) -> Result<(), Failure> {
    file.write_with(|out| certificates.write_json(out))
}
