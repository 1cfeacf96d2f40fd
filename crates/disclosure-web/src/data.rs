//! The data of the choices as a table: a file below the folder, or what an engine reads.

use std::path::{Path, PathBuf};

use disclosure_jobs::JobError;
use disclosure_jobs::disclosure::privacy_core::stop::StopFlag;
use disclosure_jobs::input::{CsvSource, FormatSpec, OpenedSource, SourceRequest, is_address};

use crate::app::App;
use crate::choices::{Choices, Relation};
use crate::folder::is_of_engine;

/// Where the data are, and what of them is read.
#[derive(Clone, Debug)]
pub(crate) struct Data {
    path: PathBuf,
    /// As the person chose them: messages say this, and not where the folder is.
    shown: String,
    format: FormatSpec,
}

impl Data {
    /// The data of the choices.
    ///
    /// # Errors
    /// E0703 for a file that is not below the folder, links inside of a folder included; E0714 for
    /// an address with a password; E0715 for an address or a file that this program cannot read.
    pub(crate) fn of(app: &App, choices: &Choices) -> Result<Self, JobError> {
        let shown = choices.data.clone().unwrap_or_default();
        let mut format = FormatSpec::default();
        match &choices.relation {
            None => {}
            Some(Relation::Table(table)) => format.table = Some(table.clone()),
            Some(Relation::Query(query)) => format.query = Some(query.clone()),
        }
        let (is_address, is_text_alone) = (is_address(Path::new(&shown)), app.shell.openers.is_empty());
        if is_address {
            check_address(&shown)?;
        }
        if is_text_alone && (is_address || choices.relation.is_some()) {
            return Err(needs_engine("this program cannot read databases"));
        }
        if is_text_alone && is_of_engine(&shown) {
            return Err(needs_engine("this program cannot read files of this kind"));
        }
        let path = match is_address {
            true => PathBuf::from(&shown),
            false if is_text_alone => app.folder.file(&shown)?,
            false => app.folder.file_or_tree(&shown)?,
        };
        Ok(Self { path, shown, format })
    }

    /// The data, opened. Text is no snapshot yet.
    ///
    /// # Errors
    /// E0715 for a database or a folder that no opener knows; those of the opener.
    pub(crate) fn open(&self, app: &App, stop: &StopFlag) -> Result<OpenedSource, JobError> {
        let Self { path, format, .. } = self;
        let request = SourceRequest { name: path, format, stop };
        let opened = OpenedSource::by(app.shell.openers, &request).map_err(|error| self.renamed(error))?;
        if let Some(source) = opened {
            return Ok(source);
        }
        if is_address(path) || path.is_dir() {
            return Err(needs_engine("this program cannot read data of this kind"));
        }
        let source = CsvSource::file(path).with_format(format.clone()).with_stop(stop.clone());
        Ok(OpenedSource::Text(Box::new(source)))
    }

    /// An error with the data as the person chose them.
    pub(crate) fn renamed(&self, error: JobError) -> JobError {
        let message = error.message().replace(&self.path.display().to_string(), &self.shown);
        let next = error.next_step().map(str::to_owned);
        let renamed = JobError::new(error.code(), message);
        match next {
            Some(next) => renamed.next(next),
            None => renamed,
        }
    }
}

fn needs_engine(what: &str) -> JobError {
    JobError::new("E0715", what).next("start `disclosure-sql serve`, which reads Parquet, Arrow and PostgreSQL")
}

/// Refuses an address that holds a password, before it is kept anywhere, and that of a cluster: it
/// has a path, and pages read the folder alone. The message has nothing of it.
fn check_address(address: &str) -> Result<(), JobError> {
    if address.to_ascii_lowercase().starts_with("ballista://") {
        return Err(JobError::new("E0715", "the pages ask no cluster: its address has a path outside of the folder")
            .next("the command takes the address: disclosure-sql resplan release SPEC.toml ballista://..."));
    }
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let has_login = authority.rsplit_once('@').is_some_and(|(login, _)| login.contains(':'));
    let lower = rest.to_ascii_lowercase();
    if has_login || ["password", "passwd", "pwd=", "secret"].iter().any(|word| lower.contains(word)) {
        let error = JobError::new("E0714", "the address contains a password, but addresses are shown on pages");
        return Err(error.next("leave it out, and write it to ~/.pgpass, readable only by you"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_with_a_password_is_refused_without_repeating_it() {
        for address in [
            "postgres://me:hunter2@localhost/base",
            "postgres://me:hunter2@[::1]:5432",
            "postgres://localhost/base?password=hunter2",
            "postgres://localhost/base?user=me&PASSWORD=hunter2",
            "postgres://me:hun@ter2@localhost/base",
        ] {
            let error = check_address(address).unwrap_err();
            assert!(error.has_code("E0714") && !error.to_string().contains("hunter2"), "{error}");
        }
        assert!(check_address("BALLISTA://127.0.0.1/etc").unwrap_err().has_code("E0715"));
        for address in ["postgres://me@localhost:5432/base", "postgres:///base?service=census", "postgres://localhost"]
        {
            assert!(check_address(address).is_ok(), "{address}");
        }
    }
}
