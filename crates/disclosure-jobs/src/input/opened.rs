//! Data that are not text: openers are asked before data are read as a table of text.

use std::path::{Path, PathBuf};

use disclosure::privacy_core::stop::StopFlag;
use disclosure::privacy_core::{AttrSet, ContingencyTable};
use privacy_data::{CsvOptions, DomainFile, LearnSpec, Microdata, Schema};

use super::{CsvSource, DataSource, EachRow, FormatSpec, TextColumns};
use crate::error::JobError;

/// What is to be opened.
#[derive(Clone, Copy, Debug)]
pub struct SourceRequest<'a> {
    /// The path, or the address, of the data.
    pub name: &'a Path,
    /// What was declared about them.
    pub format: &'a FormatSpec,
    /// Ends reading, and hears how far it is.
    pub stop: &'a StopFlag,
}

/// Opens data of some kinds: Parquet files, a database.
pub trait SourceOpener: Send + Sync {
    /// The source, or `None` for data of another kind.
    ///
    /// # Errors
    /// Those of data of its kind that cannot be read.
    fn open(&self, request: &SourceRequest<'_>) -> Result<Option<Box<dyn DataSource>>, JobError>;
}

/// Data that were opened.
pub enum OpenedSource {
    /// Text, packed or not, or a workbook.
    Text(Box<CsvSource>),
    /// Anything else. It keeps a snapshot, or notices that its rows changed.
    Engine(Box<dyn DataSource>),
}

impl std::fmt::Debug for OpenedSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("OpenedSource").field(&self.name()).finish()
    }
}

impl OpenedSource {
    /// The data by the first opener that knows them; `None` where none does.
    ///
    /// # Errors
    /// Those of the opener.
    pub fn by(openers: &[Box<dyn SourceOpener>], request: &SourceRequest<'_>) -> Result<Option<Self>, JobError> {
        for opener in openers {
            if let Some(source) = opener.open(request)? {
                return Ok(Some(Self::Engine(source)));
            }
        }
        Ok(None)
    }

    /// The same rows for every later call: text is taken into memory.
    ///
    /// # Errors
    /// As [`CsvSource::into_snapshot`].
    pub fn into_snapshot(self, max_mib: u64) -> Result<Self, JobError> {
        match self {
            Self::Text(source) => Ok(Self::Text(Box::new(source.into_snapshot(max_mib)?))),
            Self::Engine(_) => Ok(self),
        }
    }

    fn inner(&self) -> &dyn DataSource {
        match self {
            Self::Text(source) => source.as_ref(),
            Self::Engine(source) => source.as_ref(),
        }
    }
}

impl DataSource for OpenedSource {
    fn name(&self) -> String {
        self.inner().name()
    }

    fn learn_domain_with(&self, options: &CsvOptions, learn: &LearnSpec) -> Result<DomainFile, JobError> {
        self.inner().learn_domain_with(options, learn)
    }

    fn read_rows(&self, schema: &Schema, options: &CsvOptions) -> Result<Microdata, JobError> {
        self.inner().read_rows(schema, options)
    }

    fn for_each_text_row(
        &self,
        columns: TextColumns<'_>,
        options: &CsvOptions,
        each: EachRow<'_>,
    ) -> Result<(), JobError> {
        self.inner().for_each_text_row(columns, options, each)
    }

    fn count_marginals(
        &self,
        schema: &Schema,
        options: &CsvOptions,
        sets: &[AttrSet],
    ) -> Result<Option<Vec<ContingencyTable>>, JobError> {
        self.inner().count_marginals(schema, options, sets)
    }
}

/// Whether data are named by an address, such as `postgres://server/base`, and not by a path.
#[must_use]
pub fn is_address(name: &Path) -> bool {
    let text = name.to_string_lossy();
    text.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-'))
    })
}

/// The file of a database that data are named by: `people.duckdb` of `duckdb:people.duckdb`.
#[must_use]
pub fn file_in_address(name: &Path) -> Option<&Path> {
    name.to_str()?.strip_prefix(DATABASE_FILE).map(Path::new)
}

/// What the name of a file of DuckDB begins with.
const DATABASE_FILE: &str = "duckdb:";

/// The data that a job names: an address and `-` as they are, a path as `located` finds it, also
/// the one behind `duckdb:`.
#[must_use]
pub fn data_named(name: &Path, located: impl FnOnce(&Path) -> PathBuf) -> PathBuf {
    if name == Path::new("-") || is_address(name) {
        return name.to_owned();
    }
    match file_in_address(name) {
        None => located(name),
        Some(file) => {
            let mut found = std::ffi::OsString::from(DATABASE_FILE);
            found.push(located(file));
            found.into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Known;

    impl SourceOpener for Known {
        fn open(&self, request: &SourceRequest<'_>) -> Result<Option<Box<dyn DataSource>>, JobError> {
            let known = request.name == Path::new("known");
            Ok(known.then(|| -> Box<dyn DataSource> { Box::new(CsvSource::bytes("known", &b"a\n1\n"[..])) }))
        }
    }

    #[test]
    fn the_first_opener_that_knows_the_data_opens_them() {
        let (format, stop) = (FormatSpec::default(), StopFlag::never());
        let openers: Vec<Box<dyn SourceOpener>> = vec![Box::new(Known)];
        let open = |name: &str| {
            OpenedSource::by(&openers, &SourceRequest { name: Path::new(name), format: &format, stop: &stop }).unwrap()
        };
        assert!(open("other").is_none());
        let known = open("known").unwrap().into_snapshot(0).unwrap();
        assert_eq!(known.learn_domain(&CsvOptions::default()).unwrap().attributes.len(), 1);
        assert!(format!("{known:?}").contains("known"));
    }

    #[test]
    fn an_address_stays_as_it_is_and_a_path_is_found_beside_the_job() {
        let beside = |name: &str| data_named(Path::new(name), |name| Path::new("jobs").join(name));
        assert_eq!(beside("postgres://server/base"), Path::new("postgres://server/base"));
        assert_eq!(beside("-"), Path::new("-"));
        assert_eq!(beside("duckdb:t.db"), Path::new("duckdb:jobs/t.db"));
        assert_eq!(file_in_address(Path::new("duckdb:a/t.db")), Some(Path::new("a/t.db")));
        assert_eq!(file_in_address(Path::new("t.duckdb")), None);
        for path in ["t.csv", "://x", "a b://c", "a/b://c"] {
            assert_eq!(beside(path), Path::new("jobs").join(path), "{path}");
        }
    }
}
