//! Jobs and their data from files and standard streams, and certificates to a file.

use std::path::Path;

use disclosure_jobs::disclosure::privacy_core::prf::Secret;
use disclosure_jobs::exact::{Certificates, Job, LoadedJob, Perturbed, Scope};
use disclosure_jobs::input::{FileSystem, Files, OpenedSource, data_named};
use disclosure_jobs::observer::Observer;

use super::show::show_slack;
use crate::error::Failure;
use crate::files::{OutputFile, data_source, print_json, print_text, read_text, say};

/// Reads a job and its data. Files that the job names are relative to it; `-` is the standard
/// input.
pub(super) fn load(spec: &Path, observer: &dyn Observer) -> Result<LoadedJob, Failure> {
    let loaded = parse(spec).and_then(|(job, files)| match job.data().map(Path::to_owned) {
        None => job.load_without_data(observer),
        Some(data) => {
            let source = data_source(&data_named(&data, |data| files.shown(data)), job.format().clone())?;
            job.load(&source, observer)
        }
    });
    loaded.map_err(|failure| failure.within(spec))
}

/// Reads a job, and perturbs its table by keys of a secret, which is asked for once the job is
/// read: none is made for a job that is refused.
pub(super) fn perturb(
    spec: &Path,
    secret: impl FnOnce() -> Result<Secret, Failure>,
    observer: &dyn Observer,
) -> Result<(Secret, Perturbed), Failure> {
    let (job, files) = parse(spec).map_err(|failure| failure.within(spec))?;
    let secret = secret()?;
    let perturbed = data_of(&job, &files).and_then(|source| job.perturb(&source, &secret, observer));
    Ok((secret, perturbed.map_err(|failure| failure.within(spec))?))
}

/// The data that a job of the cell-key method names.
fn data_of(job: &Job, files: &FileSystem) -> Result<OpenedSource, Failure> {
    let data = job.data();
    let data = data.ok_or_else(|| Failure::new("E0236", "the cell-key method requires data = \"table.csv\""))?;
    data_source(&data_named(data, |data| files.shown(data)), job.format().clone())
}

fn parse(spec: &Path) -> Result<(Job, FileSystem), Failure> {
    let text = read_text(spec)?;
    let stem = spec.file_stem().map_or_else(|| "audit".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let files = FileSystem::beside(spec);
    Ok((Job::parse(&text, &stem, &files)?, files))
}

/// Writes certificates to a file, whole or not at all.
pub(super) fn write_certificates(file: OutputFile<'_>, certificates: &Certificates) -> Result<(), Failure> {
    file.write_with(|out| certificates.write_json(out))
}

/// Says what was written, and that it must not be published.
pub(super) fn say_certificates_written(path: &Path) {
    say(&format!(
        "Wrote the certificates. Check them with: disclosure frechet verify {}\nThey contain tables consistent with the release, possibly \
         the true one: keep the file as confidential as the data.",
        path.display()
    ));
}

/// Shows the slack when it was asked for and numbers contradict each other; the failure stays
/// one.
pub(super) fn with_slack(
    failure: Failure,
    job: &LoadedJob,
    (is_asked, is_json): (bool, bool),
    scope: Scope,
    observer: &dyn Observer,
) -> Failure {
    if !is_asked || !failure.has_code("E0371") {
        return failure;
    }
    let shown = job.slack(scope, observer).and_then(|document| match is_json {
        true => print_json(&document),
        false => print_text(&show_slack(&document)),
    });
    match shown {
        Ok(()) => failure,
        Err(other) => other,
    }
}
