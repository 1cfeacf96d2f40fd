//! Rows of text: a file, bytes in memory, or a stream that can be read once; compressed, or a sheet
//! of a workbook.

use std::cell::{OnceCell, RefCell};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use disclosure::privacy_core::stop::StopFlag;
use privacy_data::{
    CsvOptions, Dialect, DomainFile, LearnSpec, Microdata, Schema, TextRows, learn_domain_with, read_csv,
};

use super::files::open_file;
use super::format::FormatSpec;
use super::packed::{HEAD, Packing, packing, unpacked};
use super::snapshot::{Snapshot, SnapshotReader};
use super::stoppable::StoppableReader;
use super::unchanged::FirstState;
use super::workbook::{Sheet, sheet_as_csv};
use super::{DataSource, EachRow, TextColumns};
use crate::error::JobError;

/// A table in CSV, plain or compressed (gzip, Zstandard), or a sheet of a workbook (XLSX): the
/// first bytes say which.
pub struct CsvSource {
    name: PathBuf,
    bytes: Bytes,
    format: FormatSpec,
    /// The text of a workbook, once it was read.
    sheet: OnceCell<Sheet>,
    /// Most mebibytes that are held.
    max_mib: u64,
    /// Ends reading.
    stop: StopFlag,
}

enum Bytes {
    /// Opened anew by every call, and the same as at the first.
    File(Rc<FirstState>),
    Memory(Rc<[u8]>),
    /// In memory as far as they were read.
    Snapshot(Rc<RefCell<Snapshot>>),
    /// A stream, until its first use.
    Once(RefCell<Option<Box<dyn Read>>>),
}

impl std::fmt::Debug for CsvSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CsvSource").field("name", &self.name).finish_non_exhaustive()
    }
}

impl CsvSource {
    fn of(name: PathBuf, bytes: Bytes) -> Self {
        let (format, sheet, stop) = (FormatSpec::default(), OnceCell::new(), StopFlag::never());
        Self { name, bytes, format, sheet, max_mib: u64::MAX, stop }
    }

    /// The same rows, with a form that overrules what a job declares.
    #[must_use]
    pub fn with_format(self, format: FormatSpec) -> Self {
        Self { format, ..self }
    }

    /// The same rows; once the flag is set, calls that read them end with
    /// [`JobError::stopped`].
    #[must_use]
    pub fn with_stop(self, stop: StopFlag) -> Self {
        Self { stop, ..self }
    }

    /// The same rows; a workbook whose text is larger is refused with E0661.
    #[must_use]
    pub fn with_max_mib(self, max_mib: u64) -> Self {
        Self { max_mib, ..self }
    }

    /// The file at `path`. Two calls read it twice, and end with E0338 if it changed in between or
    /// while they read.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::of(path.into(), Bytes::File(Rc::default()))
    }

    /// Bytes in memory; messages call them `name`.
    pub fn bytes(name: impl Into<PathBuf>, bytes: impl Into<Rc<[u8]>>) -> Self {
        Self::of(name.into(), Bytes::Memory(bytes.into()))
    }

    /// A stream that can be read once, so that its columns have to be declared; messages call it
    /// `name`.
    pub fn stream(name: impl Into<PathBuf>, reader: impl Read + 'static) -> Self {
        Self::of(name.into(), Bytes::Once(RefCell::new(Some(Box::new(reader)))))
    }

    /// What was found out about the form of the file and not declared, for a person to check:
    /// "gzip, fields separated by semicolons". A stream keeps its rows.
    ///
    /// # Errors
    /// E0104 for bytes that cannot be read, E0327 for a file of another format, E0230 for a
    /// declaration that cannot be.
    pub fn form(&self) -> Result<Option<String>, JobError> {
        let (packing, head, options) = self.head(&CsvOptions::default())?;
        let form = options.dialect.form(&head, (head.len() as u64) < HEAD).map_err(|error| self.within(error))?;
        let mut words: Vec<String> = packing.words().map(str::to_owned).into_iter().chain(form.describe()).collect();
        if let Some(sheet) = self.sheet.get().filter(|sheet| sheet.sheets > 1 && self.format.sheet.is_none()) {
            words.push(format!("the first of {} sheets", sheet.sheets));
        }
        Ok((!words.is_empty()).then(|| words.join(", ")))
    }

    /// The source as a snapshot in memory: the first call that reads on fills it, and every later
    /// one reads the same bytes. What is wrong with the first rows is found before all are held.
    ///
    /// # Errors
    /// E0104 for bytes that cannot be read, E0661 for a file above `max_mib` mebibytes, E0305 or
    /// E0306 for bytes that are no text. Calls that read the snapshot end with E0661 at the limit.
    pub fn into_snapshot(self, max_mib: u64) -> Result<Self, JobError> {
        let limit = max_mib.saturating_mul(1 << 20);
        let mut source = self.with_max_mib(max_mib);
        if source.sheet.get().is_none() {
            source.bytes = source.bytes_in_snapshot(limit)?;
            source.refuse_binary()?;
        }
        if source.size().is_some_and(|size| size > limit) { Err(source.too_large()) } else { Ok(source) }
    }

    /// The number of bytes, where it is known.
    fn size(&self) -> Option<u64> {
        match (&self.bytes, self.sheet.get()) {
            (_, Some(sheet)) => Some(sheet.text.len() as u64),
            (Bytes::File(_), None) => std::fs::metadata(&self.name).ok().map(|found| found.len()),
            (Bytes::Memory(bytes), None) => Some(bytes.len() as u64),
            (Bytes::Snapshot(snapshot), None) => Some(snapshot.borrow().size()),
            (Bytes::Once(_), None) => None,
        }
    }

    fn bytes_in_snapshot(&self, limit: u64) -> Result<Bytes, JobError> {
        let size = self.size().unwrap_or(0);
        let snapshot = match &self.bytes {
            Bytes::Memory(bytes) => return Ok(Bytes::Memory(Rc::clone(bytes))),
            Bytes::Snapshot(snapshot) => return Ok(Bytes::Snapshot(Rc::clone(snapshot))),
            Bytes::File(first) => Snapshot::new(Box::new(self.opened(first)?), size, limit).of_file(&self.name, first),
            Bytes::Once(reader) => {
                let reader = reader.borrow_mut().take();
                Snapshot::new(reader.ok_or_else(|| JobError::reading(&self.name, &read_already()))?, size, limit)
            }
        };
        Ok(Bytes::Snapshot(Rc::new(RefCell::new(snapshot))))
    }

    fn too_large(&self) -> JobError {
        JobError::new("E0661", format!("the data are larger than {} MiB", self.max_mib)).within(&self.name)
    }

    /// Refuses what no table begins with, before all of it is in memory: a device gives zeros
    /// without end.
    fn refuse_binary(&self) -> Result<(), JobError> {
        let (_, head, _) = self.head(&CsvOptions::default())?;
        if !head.contains(&0) {
            return Ok(());
        }
        let head = Self::bytes(self.name.clone(), head).with_format(self.format.clone());
        head.learn_domain(&CsvOptions::default()).map(|_| ())
    }

    /// The text, how it was packed, and the options that read it.
    fn text(&self, options: &CsvOptions) -> Result<(Packing, Box<dyn Read + '_>, CsvOptions), JobError> {
        let mut options = self.format.applied_to(options)?;
        if let Some(sheet) = self.sheet.get() {
            options.dialect = Dialect::STANDARD;
            return Ok((Packing::Workbook, Box::new(&sheet.text[..]), options));
        }
        let failed = |source: io::Error| self.or_reason(JobError::reading(&self.name, &source));
        let (packing, reader) = packing(self.raw()?).map_err(failed)?;
        if packing != Packing::Workbook {
            return Ok((packing, unpacked(packing, reader), options));
        }
        let sheet = sheet_as_csv(&self.name, reader, self.format.sheet.as_deref(), self.max_mib);
        let sheet = self.unless_changed(sheet.map_err(|error| self.or_reason(error))?)?;
        options.dialect = Dialect::STANDARD;
        Ok((packing, Box::new(&self.sheet.get_or_init(|| sheet).text[..]), options))
    }

    /// The first bytes of the text, which a stream gives again afterwards.
    fn head(&self, options: &CsvOptions) -> Result<(Packing, Vec<u8>, CsvOptions), JobError> {
        let failed = |source: io::Error| self.or_reason(JobError::reading(&self.name, &source));
        let mut head = Vec::new();
        let Bytes::Once(once) = &self.bytes else {
            let (packing, reader, options) = self.text(options)?;
            reader.take(HEAD).read_to_end(&mut head).map_err(failed)?;
            return Ok((packing, head, options));
        };
        let stream = once.borrow_mut().take().ok_or_else(|| failed(read_already()))?;
        let (packing, reader) = packing(stream).map_err(failed)?;
        if packing == Packing::Workbook {
            *once.borrow_mut() = Some(reader);
            let (packing, reader, options) = self.text(options)?;
            reader.take(HEAD).read_to_end(&mut head).map_err(failed)?;
            return Ok((packing, head, options));
        }
        let mut reader = unpacked(packing, reader);
        reader.by_ref().take(HEAD).read_to_end(&mut head).map_err(failed)?;
        *once.borrow_mut() = Some(Box::new(Cursor::new(head.clone()).chain(reader)));
        Ok((packing, head, self.format.applied_to(options)?))
    }

    /// The bytes as they are stored: a stage of as many units, where their number is known.
    fn raw(&self) -> Result<Box<dyn Read + '_>, JobError> {
        let (size, reader): (u64, Box<dyn Read + '_>) = match &self.bytes {
            Bytes::File(first) => {
                let file = self.opened(first)?;
                (std::fs::metadata(&self.name).map_or(0, |found| found.len()), Box::new(file))
            }
            Bytes::Memory(bytes) => (bytes.len() as u64, Box::new(&bytes[..])),
            Bytes::Snapshot(snapshot) => (snapshot.borrow().size(), Box::new(SnapshotReader::new(snapshot))),
            Bytes::Once(reader) => match reader.borrow_mut().take() {
                Some(reader) => (0, reader),
                None => return Err(JobError::reading(&self.name, &read_already())),
            },
        };
        self.stop.begin(size);
        Ok(Box::new(StoppableReader::new(reader, self.stop.clone())))
    }

    fn opened(&self, first: &FirstState) -> Result<File, JobError> {
        let file = open_file(&self.name)?;
        first.check_opened(&self.name, &file)?;
        Ok(file)
    }

    /// What was read of a file, unless it changed meanwhile.
    fn unless_changed<T>(&self, read: T) -> Result<T, JobError> {
        match (&self.bytes, self.sheet.get()) {
            (Bytes::File(first), None) => first.check_read(&self.name).map(|()| read),
            _ => Ok(read),
        }
    }

    /// What went wrong, and where: the flag if it is set, since a reader that it ended fails as if
    /// the file were broken.
    fn within(&self, error: impl Into<JobError>) -> JobError {
        let error = error.into();
        let others = self.sheet.get().filter(|sheet| sheet.sheets > 1 && self.format.sheet.is_none());
        let error = match others {
            Some(sheet) if error.has_code("E0301") || error.has_code("E0302") => {
                let sheets = sheet.sheets;
                error.next(format!("the first of {sheets} sheets was read; use --sheet NAME for another one"))
            }
            _ => error,
        };
        self.or_reason(error.within(Path::new(&self.name)))
    }

    /// Why a reader failed, where it was ended from here.
    fn or_reason(&self, error: JobError) -> JobError {
        match &self.bytes {
            _ if self.stop.is_set() => JobError::stopped(),
            Bytes::Snapshot(snapshot) if snapshot.borrow().is_too_large() => self.too_large(),
            Bytes::Snapshot(snapshot) => snapshot.borrow().changed().unwrap_or(error),
            _ => error,
        }
    }
}

fn read_already() -> io::Error {
    io::Error::other("the stream has already been read")
}

impl DataSource for CsvSource {
    fn name(&self) -> String {
        self.name.display().to_string()
    }

    fn learn_domain_with(&self, options: &CsvOptions, learn: &LearnSpec) -> Result<DomainFile, JobError> {
        if let Bytes::Once(_) = self.bytes {
            let message = "data from standard input can only be read once: write [[attribute]] tables";
            return Err(JobError::new("E0236", message));
        }
        let (_, reader, options) = self.text(options)?;
        let learnt = learn_domain_with(reader, &options, learn).map_err(|error| self.within(error))?;
        self.unless_changed(learnt)
    }

    fn read_rows(&self, schema: &Schema, options: &CsvOptions) -> Result<Microdata, JobError> {
        let (_, reader, options) = self.text(options)?;
        let rows = read_csv(reader, schema, &options).map_err(|error| self.within(error))?;
        self.unless_changed(rows)
    }

    fn for_each_text_row(
        &self,
        columns: TextColumns<'_>,
        options: &CsvOptions,
        each: EachRow<'_>,
    ) -> Result<(), JobError> {
        let (_, reader, options) = self.text(options)?;
        let rows = match columns {
            TextColumns::Named(names) => TextRows::new(reader, names.iter().copied(), &options),
            TextColumns::NamedThenAll(names) => TextRows::with_every_column(reader, names.iter().copied(), &options),
        };
        let mut rows = rows.map_err(|error| self.within(error))?;
        while let Some(row) = rows.advance().map_err(|error| self.within(error))? {
            each(&row).map_err(|error| self.within(error))?;
        }
        self.unless_changed(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use disclosure::privacy_core::stop::Progress;

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
    fn a_set_flag_ends_reading_in_the_middle_of_a_file() {
        let stop = StopFlag::new();
        let long = [ROWS, &b"z,3\n".repeat(100_000)].concat();
        let source = CsvSource::bytes("t", long).with_stop(stop.clone());
        let mut rows = 0;
        let mut count = |_: &privacy_data::TextRow<'_>| {
            rows += 1;
            stop.set();
            Ok(())
        };
        let ended = source.for_each_text_row(TextColumns::Named(&["b"]), &CsvOptions::default(), &mut count);
        assert!(ended.unwrap_err().has_code("E0108"));
        assert!((1..100_000).contains(&rows), "{rows}: rows that were read already may still come");
        let options = CsvOptions::default();
        assert!(source.learn_domain(&options).unwrap_err().has_code("E0108"));
        assert!(source.into_snapshot(64).unwrap_err().has_code("E0108"));
    }

    #[test]
    fn the_share_of_the_bytes_that_were_read_is_reported() {
        let progress = Arc::new(Progress::default());
        let stop = StopFlag::new().with_progress(Arc::clone(&progress));
        let long = [ROWS, &b"z,3\n".repeat(1_000_000)].concat();
        let source = CsvSource::bytes("t", long).with_stop(stop);
        let mut shares = Vec::new();
        let mut note = |_: &privacy_data::TextRow<'_>| {
            shares.extend(progress.share());
            Ok(())
        };
        source.for_each_text_row(TextColumns::Named(&["b"]), &CsvOptions::default(), &mut note).unwrap();
        assert!(shares.is_sorted());
        let (first, last) = (shares[0], shares[shares.len() - 1]);
        assert!(first < 0.1 && last > 0.9, "from {first} to {last}");
        let middle = shares[500_000];
        assert!((0.45..0.55).contains(&middle), "{middle} of the bytes are read at half of the rows");
        assert_eq!(progress.share(), None, "all is read");
    }

    #[test]
    fn what_a_file_looks_like_is_said_and_a_stream_keeps_its_rows() {
        let german = "a;b\nx;1,5\ny;2,5\n".as_bytes();
        for source in [CsvSource::bytes("t", german), CsvSource::stream("-", german)] {
            let form = source.form().unwrap().unwrap();
            assert_eq!(form, "fields separated by semicolons, decimal commas");
            assert_eq!(texts(&source, TextColumns::Named(&["b"])), [["1,5"], ["2,5"]]);
        }
        let plain = CsvSource::bytes("t", ROWS);
        assert_eq!(plain.form().unwrap(), None);
        let bars = FormatSpec { separator: Some("|".into()), ..FormatSpec::default() };
        let declared = CsvSource::bytes("t", &b"a|b;c\n1|2;3\n"[..]).with_format(bars);
        assert_eq!(texts(&declared, TextColumns::Named(&["b;c"])), [["2;3"]]);
    }

    #[test]
    fn a_stream_is_read_once_and_a_snapshot_of_it_is_not() {
        let stream = CsvSource::stream("-", ROWS);
        assert!(stream.learn_domain(&CsvOptions::default()).unwrap_err().has_code("E0236"));
        assert_eq!(texts(&stream, TextColumns::Named(&["a"])).len(), 2);
        assert!(stream.raw().is_err());
        let snapshot = CsvSource::stream("-", ROWS).into_snapshot(1).unwrap();
        snapshot.learn_domain(&CsvOptions::default()).unwrap();
        assert!(CsvSource::stream("-", ROWS).into_snapshot(0).unwrap_err().has_code("E0661"));
    }

    #[test]
    fn what_is_no_text_is_refused_by_its_first_bytes() {
        let endless = CsvSource::stream("-", io::repeat(0));
        assert!(endless.into_snapshot(u64::MAX).unwrap_err().has_code("E0305"));
        let wide = CsvSource::bytes("t", &b"\xff\xfea\0,\0b\0\n\0"[..]);
        assert!(wide.into_snapshot(64).unwrap_err().has_code("E0306"));
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("sparse.csv");
        std::fs::write(&path, ROWS).unwrap();
        File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
        assert!(CsvSource::file(&path).into_snapshot(64).unwrap_err().has_code("E0305"));
    }
}
