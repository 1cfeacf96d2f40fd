//! DuckDB's own library, found when a file of DuckDB is opened: nothing of it is compiled here.
//!
//! The functions are those of its C API (`duckdb.h`), stable since 1.4 where it has them. Their
//! declarations are the one place that a compiler cannot check against the library.
#![allow(unsafe_code, reason = "functions of a C library are declared and looked up here")]

use std::ffi::{CStr, OsString, c_char, c_uint, c_void};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::Arc;

use disclosure_jobs::JobError;
use libloading::Library;

/// Names the library, where it is not where the system looks.
pub(crate) const VARIABLE: &str = "DISCLOSURE_DUCKDB_LIBRARY";

/// An object of the library: an address that only its functions look into.
pub(super) type Handle = *mut c_void;

/// What a function says that did what it was asked.
pub(super) const SUCCESS: c_uint = 0;

/// `duckdb_result`: what the library knows of an answer. Only `internal` is still in use; the
/// other fields keep its size.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct RawResult {
    columns: u64,
    rows: u64,
    changed: u64,
    column_data: Handle,
    message: *mut c_char,
    internal: Handle,
}

impl RawResult {
    pub(super) const EMPTY: Self = Self {
        columns: 0,
        rows: 0,
        changed: 0,
        column_data: std::ptr::null_mut(),
        message: std::ptr::null_mut(),
        internal: std::ptr::null_mut(),
    };
}

/// Declares the functions, and looks each up by its name behind `duckdb_`.
macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $answer:ty)?;)*) => {
        /// The functions of a library that is never unloaded.
        pub(super) struct Functions {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) $(-> $answer)?,)*
            _library: ManuallyDrop<Library>,
        }

        impl Functions {
            /// # Safety
            /// The library is DuckDB's: its functions have these arguments and answers.
            unsafe fn find(library: Library) -> Result<Self, libloading::Error> {
                $(
                    // SAFETY: the caller says whose library it is; the address is copied and stays
                    // valid, since the library is never unloaded.
                    let $name = unsafe {
                        *library.get::<unsafe extern "C" fn($($argument),*) $(-> $answer)?>(
                            concat!("duckdb_", stringify!($name), "\0").as_bytes(),
                        )?
                    };
                )*
                Ok(Self { $($name,)* _library: ManuallyDrop::new(library) })
            }
        }
    };
}

functions! {
    library_version() -> *const c_char;
    create_config(*mut Handle) -> c_uint;
    set_config(Handle, *const c_char, *const c_char) -> c_uint;
    destroy_config(*mut Handle);
    open_ext(*const c_char, *mut Handle, Handle, *mut *mut c_char) -> c_uint;
    close(*mut Handle);
    connect(Handle, *mut Handle) -> c_uint;
    disconnect(*mut Handle);
    interrupt(Handle);
    extract_statements(Handle, *const c_char, *mut Handle) -> u64;
    extract_statements_error(Handle) -> *const c_char;
    destroy_extracted(*mut Handle);
    prepare(Handle, *const c_char, *mut Handle) -> c_uint;
    prepare_error(Handle) -> *const c_char;
    destroy_prepare(*mut Handle);
    prepared_statement_type(Handle) -> c_uint;
    prepared_statement_column_count(Handle) -> u64;
    prepared_statement_column_name(Handle, u64) -> *const c_char;
    prepared_statement_column_type(Handle, u64) -> c_uint;
    execute_prepared_streaming(Handle, *mut RawResult) -> c_uint;
    result_error(*mut RawResult) -> *const c_char;
    fetch_chunk(RawResult) -> Handle;
    destroy_result(*mut RawResult);
    data_chunk_get_size(Handle) -> u64;
    data_chunk_get_vector(Handle, u64) -> Handle;
    vector_get_data(Handle) -> *mut c_void;
    vector_get_validity(Handle) -> *mut u64;
    destroy_data_chunk(*mut Handle);
    free(*mut c_void);
}

impl std::fmt::Debug for Functions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Functions").finish_non_exhaustive()
    }
}

/// The library: at `path`, or what the environment names, or where the system looks.
///
/// # Errors
/// E0730 where it cannot be loaded, or lacks a function that is needed.
pub(super) fn load(path: Option<&Path>) -> Result<Arc<Functions>, JobError> {
    let named = path.map(|path| path.as_os_str().to_owned()).or_else(|| std::env::var_os(VARIABLE));
    let is_named = named.is_some();
    let name = named.unwrap_or_else(|| libloading::library_filename("duckdb"));
    // SAFETY: loading runs the initialisers of the library that its user names or installed; they
    // are those of DuckDB, which have no conditions.
    let library = unsafe { Library::new(&name) }.map_err(|_| missing(is_named.then_some(&name)))?;
    // SAFETY: the functions have the names of DuckDB's and its stable declarations.
    let functions = unsafe { Functions::find(library) }.map_err(|_| {
        refused("the library is not DuckDB 1.4 or newer").next("use libduckdb 1.4 or newer from https://duckdb.org")
    })?;
    // SAFETY: the answer is a constant text of the library.
    let version = unsafe { CStr::from_ptr((functions.library_version)()) }.to_string_lossy().into_owned();
    if !is_supported(&version) {
        return Err(refused("this version of DuckDB is not supported").next("use libduckdb of DuckDB 1.4 to 2"));
    }
    Ok(Arc::new(functions))
}

/// Whether the declarations above are those of a version: the C API is stable within 1 and 2.
fn is_supported(version: &str) -> bool {
    let mut numbers = version.trim_start_matches('v').split(['.', '-']).map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(1)), Some(Ok(minor))) => minor >= 4,
        (Some(Ok(2)), Some(Ok(_))) => true,
        _ => false,
    }
}

fn refused(words: &str) -> JobError {
    JobError::new("E0730", words)
}

/// No library: the path that was named is the user's own and not repeated, since it says nothing
/// that the message does not.
fn missing(named: Option<&OsString>) -> JobError {
    let words = match named {
        Some(_) => "the named DuckDB library cannot be loaded",
        None => "the DuckDB library (libduckdb) is not installed on this machine",
    };
    refused(words).next(format!("install libduckdb 1.4 or newer, or set {VARIABLE} to its path; docs/engines.md"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_missing_or_another_one_is_refused_without_its_path() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("secret-name.so");
        for content in [None, Some("no library")] {
            if let Some(content) = content {
                std::fs::write(&path, content).unwrap();
            }
            let error = load(Some(&path)).err().unwrap();
            assert!(error.has_code("E0730") && !error.to_string().contains("secret-name"), "{error}");
            assert!(error.next_step().is_some_and(|next| next.contains(VARIABLE)));
        }
    }

    #[test]
    fn versions_whose_interface_is_declared_here_are_taken() {
        for version in ["v1.4.0", "v1.5.6", "v2.0.0", "v2.1.0-dev12"] {
            assert!(is_supported(version), "{version}");
        }
        for version in ["v1.3.2", "v0.10.0", "v3.0.0", "", "x", "v1"] {
            assert!(!is_supported(version), "{version}");
        }
    }
}
