//! Parquet and Arrow files, and folders of them, recognised by their first bytes and never by a
//! name.

mod folder;
mod watch;

use std::fs::File;
use std::future::Future;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::catalog::TableProvider;
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::arrow::ArrowFormat;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::error::DataFusionError;
use datafusion::execution::SessionState;
use disclosure_jobs::JobError;
use disclosure_jobs::input::{DataSource, SourceOpener, SourceRequest};
use url::Url;

use crate::session::{Session, unheard};
use crate::source::EngineSource;
use crate::table::TableRows;
use folder::Folder;
pub(crate) use watch::Watch;

/// Opens Parquet and Arrow files, and folders of them.
#[derive(Clone, Copy, Debug)]
pub struct FileOpener {
    threads: usize,
    /// Hears what is asked, as SQL.
    on_statement: fn(&str),
}

/// A format of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Parquet,
    Arrow,
}

impl Default for FileOpener {
    /// As many threads as the machine has.
    fn default() -> Self {
        Self::with_threads(std::thread::available_parallelism().map_or(1, usize::from))
    }
}

impl FileOpener {
    /// Queries use this many threads.
    #[must_use]
    pub fn with_threads(threads: usize) -> Self {
        Self { threads: threads.max(1), on_statement: unheard }
    }

    /// Shows what is asked, as SQL, before it is: no statement holds a value.
    #[must_use]
    pub fn with_statements_shown(self, on_statement: fn(&str)) -> Self {
        Self { on_statement, ..self }
    }

    /// The data at a path, or `None` for a file of another format.
    ///
    /// # Errors
    /// E0339 for a folder with other files, or a file that cannot be read; E0350 for a table that
    /// is named, or a form of text that is declared.
    pub fn source(&self, request: &SourceRequest<'_>) -> Result<Option<EngineSource>, JobError> {
        let Some(found) = Found::at(request.name)? else { return Ok(None) };
        Ok(Some(EngineSource::of(request.name, self.rows(&found, request)?)))
    }

    /// The rows of files that were found.
    pub(crate) fn rows(&self, found: &Found, request: &SourceRequest<'_>) -> Result<TableRows, JobError> {
        let format = request.format;
        if format.table.is_some() {
            return Err(JobError::new("E0350", "a table is named, but the data are files").within(request.name));
        }
        if [&format.separator, &format.decimal, &format.quote, &format.sheet].iter().any(|word| word.is_some()) {
            let error = JobError::new(
                "E0350",
                "separator, decimal, quote and sheet are only used with text files and workbooks",
            );
            return Err(error.within(request.name));
        }
        let watch = Watch::over(&found.files)?;
        let session = Session::new(self.threads, request.stop.clone())?.with_statements_shown(self.on_statement);
        let within = |error: JobError| if error.is_stop() { error } else { error.within(request.name) };
        let table = found.table(&session).map_err(within)?;
        let rows = TableRows::new(session, table, watch);
        match &format.query {
            None => Ok(rows),
            Some(query) => rows.with_query(query).map_err(within),
        }
    }
}

impl SourceOpener for FileOpener {
    fn open(&self, request: &SourceRequest<'_>) -> Result<Option<Box<dyn DataSource>>, JobError> {
        Ok(self.source(request)?.map(|source| -> Box<dyn DataSource> { Box::new(source) }))
    }
}

/// The format of a regular file, if it is one of columns.
pub(crate) fn kind_of(path: &Path) -> Option<Kind> {
    let mut head = [0; 6];
    // A pipe is read once, and not here.
    let file = File::open(path).ok().filter(|file| file.metadata().is_ok_and(|found| found.is_file()))?;
    let read = file.take(6).read(&mut head).ok()?;
    match &head[..read] {
        [b'P', b'A', b'R', b'1', ..] => Some(Kind::Parquet),
        b"ARROW1" => Some(Kind::Arrow),
        _ => None,
    }
}

/// A table, once its columns are known.
type TableFuture<'a> = Pin<Box<dyn Future<Output = Result<Arc<dyn TableProvider>, DataFusionError>> + Send + 'a>>;

/// Files of one format.
pub(crate) struct Found {
    pub(crate) kind: Kind,
    /// The file itself, or the folder.
    root: PathBuf,
    pub(crate) files: Vec<PathBuf>,
    /// What the names of files end in; nothing for a single file.
    ending: String,
    /// Columns that are in the names of folders: `year=2024`.
    partitions: Vec<String>,
}

impl Found {
    /// What there is at a path; `None` for nothing, and for a file of another format.
    pub(crate) fn at(path: &Path) -> Result<Option<Self>, JobError> {
        let absolute = |path: &Path| path.canonicalize().map_err(|source| JobError::reading(path, &source));
        if path.is_dir() {
            let root = absolute(path)?;
            let Folder { kind, files, ending, partitions } = Folder::read(&root).map_err(|error| error.within(path))?;
            return Ok(Some(Self { kind, root, files, ending, partitions }));
        }
        let Some(kind) = kind_of(path) else { return Ok(None) };
        let root = absolute(path)?;
        Ok(Some(Self { kind, files: vec![root.clone()], root, ending: String::new(), partitions: Vec::new() }))
    }

    fn table(&self, session: &Session) -> Result<Arc<dyn TableProvider>, JobError> {
        let state = session.context().state();
        session.wait(self.table_in(&state)?)
    }

    /// The table of the files, as this session reads them.
    pub(crate) fn table_in<'a>(&self, state: &'a SessionState) -> Result<TableFuture<'a>, JobError> {
        let format: Arc<dyn FileFormat> = match self.kind {
            Kind::Parquet => Arc::new(ParquetFormat::default()),
            Kind::Arrow => Arc::new(ArrowFormat),
        };
        let partitions = self.partitions.iter().map(|name| (name.clone(), DataType::Utf8)).collect();
        let options =
            ListingOptions::new(format).with_file_extension(&self.ending).with_table_partition_cols(partitions);
        // An address made of the path: no character of it is a pattern.
        let url =
            if self.ending.is_empty() { Url::from_file_path(&self.root) } else { Url::from_directory_path(&self.root) };
        let url = url.map_err(|()| JobError::new("E0339", "the path cannot be written as a URL"))?;
        Ok(Box::pin(async move {
            let url = ListingTableUrl::try_new(url, None)?;
            let schema = options.infer_schema(state, &url).await?;
            let config = ListingTableConfig::new(url).with_listing_options(options).with_schema(schema);
            let table: Arc<dyn TableProvider> = Arc::new(ListingTable::try_new(config)?);
            Ok::<_, DataFusionError>(table)
        }))
    }
}
