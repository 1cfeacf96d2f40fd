//! The attributes of a table: as a specification declares them, or as its data look.

use std::path::{Path, PathBuf};

use disclosure::privacy_core::domain::DomainError;
use disclosure::privacy_core::{Attribute, Domain, Provenance};
use privacy_data::{AttributeSpec, CsvOptions, DomainFile, did_you_mean};

use super::{DataSource, Files, read_text};
use crate::error::JobError;
use crate::observer::Observer;

/// The attributes that a specification declares, in itself or in its domain file.
#[derive(Clone, Debug)]
pub struct DeclaredDomain {
    /// The attributes.
    pub file: DomainFile,
    /// The text of the domain file; empty without a domain file.
    pub text: String,
    /// Where files that the attributes name are looked for, relative to the job's files.
    pub directory: PathBuf,
}

impl DeclaredDomain {
    /// What a specification declares, if anything: `[[attribute]]` tables, or a domain file,
    /// which is TOML or, with the ending `.json`, JSON.
    ///
    /// # Errors
    /// E0236 for both at once; those of a file that cannot be read or is no domain.
    pub fn read(
        files: &dyn Files,
        domain: Option<&Path>,
        attributes: &[AttributeSpec],
    ) -> Result<Option<Self>, JobError> {
        match domain {
            Some(path) if attributes.is_empty() => {
                let text = read_text(files, path)?;
                let json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
                let parsed = if json { DomainFile::parse_json(&text) } else { DomainFile::parse(&text) };
                let file = parsed.map_err(|error| JobError::from(error).within(&files.shown(path)))?;
                let directory = path.parent().unwrap_or(Path::new("")).to_owned();
                Ok(Some(Self { file, text, directory }))
            }
            Some(_) => Err(JobError::new("E0236", "give [[attribute]] tables or domain = \"domain.toml\", not both")),
            None if attributes.is_empty() => Ok(None),
            None => {
                let file = DomainFile::of(attributes.to_vec());
                Ok(Some(Self { file, text: String::new(), directory: PathBuf::new() }))
            }
        }
    }
}

/// The declared attributes, or those that the data look like. Nothing here has a rule about where
/// labels come from, so the observer hears of it.
///
/// # Errors
/// Those of data that cannot be read.
pub fn declared_or_learnt(
    declared: Option<DomainFile>,
    source: &dyn DataSource,
    options: &CsvOptions,
    observer: &dyn Observer,
) -> Result<DomainFile, JobError> {
    match declared {
        Some(declared) => Ok(declared),
        None => learnt(source, options, observer),
    }
}

/// The attributes that the data look like; the observer hears what that means.
///
/// # Errors
/// Those of data that cannot be read.
pub fn learnt(source: &dyn DataSource, options: &CsvOptions, observer: &dyn Observer) -> Result<DomainFile, JobError> {
    let columns = source.learn_domain(options)?;
    observer.note(
        "The categories were learnt from the data, so a label is listed because someone has it. Write [[attribute]] tables with the labels that are possible.",
    );
    if !columns.left_out.is_empty() {
        let places: Vec<String> = columns.left_out.iter().map(|left| left.position.to_string()).collect();
        observer.note(&format!("Columns that are not categorical were left out: {}.", places.join(", ")));
    }
    Ok(columns)
}

/// The question whether a label of an attribute was meant, or nothing. Labels that were read off
/// the data are not for messages.
pub(crate) fn meant_label(domain: &Domain, attribute: usize, label: &str) -> String {
    match domain.provenance() {
        Provenance::Public => did_you_mean(label, domain.attributes()[attribute].labels().iter()),
        _ => String::new(),
    }
}

/// The failure of a name that is no attribute, with the attribute that may have been meant.
pub(crate) fn domain_error(code: &'static str, domain: &Domain, error: &DomainError) -> JobError {
    let meant = match error {
        DomainError::UnknownAttribute { name } => did_you_mean(name, domain.attributes().iter().map(Attribute::name)),
        _ => String::new(),
    };
    JobError::new(code, format!("{error}{meant}"))
}
