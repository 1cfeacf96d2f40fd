//! Files of DuckDB that the tests write by its library. Without it, tests say so and pass, unless
//! `DISCLOSURE_REQUIRE_DUCKDB` is set.
#![allow(dead_code, reason = "every file of tests uses some of it")]
#![allow(unsafe_code, reason = "three functions of a C library are called here")]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test ends where something is missing")]

use std::ffi::{CString, OsString, c_char, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

use disclosure_jobs::input::{FormatSpec, SourceRequest};
use libloading::Library;
use privacy_core::stop::StopFlag;
use privacy_sql::{DuckdbOpener, EngineSource};
use tempfile::TempDir;

use crate::support::{TOWN, Table};

type Handle = *mut c_void;

/// A file in a folder of its own, and the library that wrote it.
pub(crate) struct DuckFile {
    folder: TempDir,
    library: Library,
}

/// The library, if there is one.
fn library_name() -> OsString {
    std::env::var_os("DISCLOSURE_DUCKDB_LIBRARY").unwrap_or_else(|| libloading::library_filename("duckdb"))
}

impl DuckFile {
    /// An empty database; `None`, said aloud, where there is no library.
    pub(crate) fn new() -> Option<Self> {
        // SAFETY: the library is DuckDB's.
        let library = unsafe { Library::new(library_name()) };
        let Ok(library) = library else {
            assert!(std::env::var_os("DISCLOSURE_REQUIRE_DUCKDB").is_none(), "no library of DuckDB can be loaded");
            eprintln!("SKIPPED: no library of DuckDB can be loaded (set DISCLOSURE_DUCKDB_LIBRARY)");
            return None;
        };
        let file = Self { folder: tempfile::tempdir().unwrap(), library };
        file.execute("SELECT 1");
        Some(file)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("t.duckdb")
    }

    /// What the command takes as DATA.
    pub(crate) fn address(&self) -> PathBuf {
        PathBuf::from(format!("duckdb:{}", self.path().display()))
    }

    /// Opens the file, runs statements, and closes it again.
    pub(crate) fn execute(&self, statements: &str) {
        let path = CString::new(self.path().display().to_string()).unwrap();
        let words = CString::new(statements).unwrap();
        let (mut database, mut connection): (Handle, Handle) = (null_mut(), null_mut());
        // SAFETY: the functions have these declarations in the C API of DuckDB; what is opened is
        // closed, and nothing asks for the rows of an answer.
        unsafe {
            type Open = unsafe extern "C" fn(*const c_char, *mut Handle) -> c_uint;
            type Connect = unsafe extern "C" fn(Handle, *mut Handle) -> c_uint;
            type Query = unsafe extern "C" fn(Handle, *const c_char, *mut c_void) -> c_uint;
            type Close = unsafe extern "C" fn(*mut Handle);
            let open = self.library.get::<Open>(b"duckdb_open\0").unwrap();
            let connect = self.library.get::<Connect>(b"duckdb_connect\0").unwrap();
            let query = self.library.get::<Query>(b"duckdb_query\0").unwrap();
            let disconnect = self.library.get::<Close>(b"duckdb_disconnect\0").unwrap();
            let close = self.library.get::<Close>(b"duckdb_close\0").unwrap();
            assert_eq!(open(path.as_ptr(), &mut database), 0);
            assert_eq!(connect(database, &mut connection), 0);
            let outcome = query(connection, words.as_ptr(), null_mut());
            disconnect(&mut connection);
            close(&mut database);
            assert_eq!(outcome, 0, "{statements}");
        }
    }

    /// The seeded table under a name, which is written as SQL has it.
    pub(crate) fn fill(&self, name: &str, table: &Table) {
        let csv = self.folder.path().join("t.csv");
        std::fs::write(&csv, table.csv()).unwrap();
        let town = TOWN.replace('"', "\"\"");
        self.execute(&format!(
            "CREATE TABLE {name} (\"{town}\" VARCHAR, age INTEGER, income DOUBLE, many VARCHAR, \"user\" INTEGER);\n\
             COPY {name} FROM '{}' (HEADER, QUOTE '\"', ESCAPE '\"')",
            csv.display()
        ));
        std::fs::remove_file(csv).unwrap();
    }

    /// The rows of a table, as the command reads them.
    pub(crate) fn table(&self, name: &str) -> EngineSource {
        let (stop, format) = (StopFlag::never(), FormatSpec { table: Some(name.to_owned()), ..FormatSpec::default() });
        let request = SourceRequest { name: &self.address(), format: &format, stop: &stop };
        DuckdbOpener::default().with_threads(2).source(&request).unwrap().unwrap()
    }
}
