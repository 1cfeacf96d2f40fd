//! Rows of CSV: a file, bytes in memory, or a stream that can be read once.

use std::cell::RefCell;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use privacy_data::{CsvOptions, DomainFile, Microdata, Schema, TextRows, learn_domain, read_csv};

use super::files::open_file;
use super::{DataSource, EachRow, TextColumns};
use crate::error::JobError;

/// A table in CSV.
pub struct CsvSource {
    name: PathBuf,
    bytes: Bytes,
}

enum Bytes {
    /// Opened anew by every call.
    File,
    /// A snapshot in memory.
    Memory(Rc<[u8]>),
    /// A stream, until its first use.
    Once(RefCell<Option<Box<dyn Read>>>),
}

impl std::fmt::Debug for CsvSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CsvSource").field("name", &self.name).finish_non_exhaustive()
    }
}

impl CsvSource {
    /// The file at `path`. Two calls read it twice.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { name: path.into(), bytes: Bytes::File }
    }

    /// Bytes in memory; messages call them `name`.
    pub fn bytes(name: impl Into<PathBuf>, bytes: impl Into<Rc<[u8]>>) -> Self {
        Self { name: name.into(), bytes: Bytes::Memory(bytes.into()) }
    }

    /// A stream that can be read once, so that its columns have to be declared; messages call it
    /// `name`.
    pub fn stream(name: impl Into<PathBuf>, reader: impl Read + 'static) -> Self {
        Self { name: name.into(), bytes: Bytes::Once(RefCell::new(Some(Box::new(reader)))) }
    }

    /// The whole of the source as a snapshot in memory, which every later call reads.
    ///
    /// # Errors
    /// E0104 for bytes that cannot be read, E0661 above `max_mib` mebibytes.
    pub fn into_snapshot(self, max_mib: u64) -> Result<Self, JobError> {
        let limit = max_mib.saturating_mul(1 << 20);
        let mut bytes = Vec::new();
        let read = self.reader()?.take(limit.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|source| JobError::reading(&self.name, &source))?;
        if bytes.len() as u64 > limit {
            let message = format!("the data are larger than {max_mib} MiB");
            return Err(JobError::new("E0661", message).within(&self.name));
        }
        Ok(Self::bytes(self.name, bytes))
    }

    fn reader(&self) -> Result<Box<dyn Read + '_>, JobError> {
        match &self.bytes {
            Bytes::File => Ok(Box::new(open_file(&self.name)?)),
            Bytes::Memory(bytes) => Ok(Box::new(&bytes[..])),
            Bytes::Once(reader) => match reader.borrow_mut().take() {
                Some(reader) => Ok(reader),
                None => {
                    let again = io::Error::other("the stream was read already");
                    Err(JobError::reading(&self.name, &again))
                }
            },
        }
    }

    fn within(&self, error: impl Into<JobError>) -> JobError {
        error.into().within(Path::new(&self.name))
    }
}

impl DataSource for CsvSource {
    fn name(&self) -> String {
        self.name.display().to_string()
    }

    fn learn_domain(&self, options: &CsvOptions) -> Result<DomainFile, JobError> {
        if let Bytes::Once(_) = self.bytes {
            let message = "data from the standard input is read once: write [[attribute]] tables";
            return Err(JobError::new("E0236", message));
        }
        learn_domain(self.reader()?, options).map_err(|error| self.within(error))
    }

    fn read_rows(&self, schema: &Schema, options: &CsvOptions) -> Result<Microdata, JobError> {
        read_csv(self.reader()?, schema, options).map_err(|error| self.within(error))
    }

    fn for_each_text_row(
        &self,
        columns: TextColumns<'_>,
        options: &CsvOptions,
        each: EachRow<'_>,
    ) -> Result<(), JobError> {
        let reader = self.reader()?;
        let rows = match columns {
            TextColumns::Named(names) => TextRows::new(reader, names.iter().copied(), options),
            TextColumns::NamedThenAll(names) => TextRows::with_every_column(reader, names.iter().copied(), options),
        };
        let mut rows = rows.map_err(|error| self.within(error))?;
        while let Some(row) = rows.advance().map_err(|error| self.within(error))? {
            each(&row).map_err(|error| self.within(error))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &[u8] = b"a,b\nx,1\ny,2\n";

    fn texts(source: &CsvSource, columns: TextColumns<'_>) -> Vec<Vec<String>> {
        let mut all = Vec::new();
        let mut keep = |row: &privacy_data::TextRow<'_>| -> Result<(), JobError> {
            all.push(row.fields().map(str::to_owned).collect());
            Ok(())
        };
        source.for_each_text_row(columns, &CsvOptions::default(), &mut keep).unwrap();
        all
    }

    #[test]
    fn a_file_and_its_bytes_are_the_same_rows() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.csv");
        std::fs::write(&path, ROWS).unwrap();
        for source in [CsvSource::file(&path), CsvSource::bytes("t", ROWS)] {
            assert_eq!(texts(&source, TextColumns::Named(&["b"])), [["1"], ["2"]]);
            assert_eq!(texts(&source, TextColumns::NamedThenAll(&["b"])), [["1", "x", "1"], ["2", "y", "2"]]);
            assert_eq!(source.learn_domain(&CsvOptions::default()).unwrap().attributes.len(), 2);
        }
    }

    #[test]
    fn a_stream_is_read_once_and_a_snapshot_of_it_is_not() {
        let stream = CsvSource::stream("-", ROWS);
        assert!(stream.learn_domain(&CsvOptions::default()).unwrap_err().has_code("E0236"));
        assert_eq!(texts(&stream, TextColumns::Named(&["a"])).len(), 2);
        assert!(stream.reader().is_err());
        let snapshot = CsvSource::stream("-", ROWS).into_snapshot(1).unwrap();
        snapshot.learn_domain(&CsvOptions::default()).unwrap();
        assert!(CsvSource::stream("-", ROWS).into_snapshot(0).unwrap_err().has_code("E0661"));
    }
}
