//! A file of DuckDB that is opened for reading alone, and the rows of its statements.
//!
//! Every object of the library is owned by one value here and freed with it, in the order that the
//! library asks for: a result before its statement, a statement before its connection, and that
//! before the database.
#![allow(unsafe_code, reason = "the functions of a C library are called here")]

use std::ffi::{CStr, CString, c_char};
use std::ptr::null_mut;
use std::sync::Arc;

use datafusion::arrow::record_batch::RecordBatch;
use disclosure_jobs::JobError;
use privacy_core::stop::StopFlag;

use super::failure::{self, of_message};
use super::library::{Functions, Handle, RawResult, SUCCESS};
use super::vectors::{Column, batch};
use super::watcher::Watcher;

/// A statement that reads rows, by the numbers of `duckdb_statement_type`.
const SELECT: u32 = 1;

/// What a database may do: read its own file. It writes nothing, not even what does not fit into
/// memory, opens no other file and no address, loads no extension and no stored secret, and no
/// statement can change that.
const SETTINGS: [(&CStr, &CStr); 9] = [
    (c"access_mode", c"READ_ONLY"),
    // Before access to other files ends, since it is about one.
    (c"temp_directory", c""),
    (c"enable_external_access", c"false"),
    (c"autoinstall_known_extensions", c"false"),
    (c"autoload_known_extensions", c"false"),
    (c"allow_community_extensions", c"false"),
    (c"allow_persistent_secrets", c"false"),
    (c"preserve_insertion_order", c"true"),
    (c"lock_configuration", c"true"),
];

/// A database, which is closed when its last user is gone.
pub(super) struct Database {
    functions: Arc<Functions>,
    database: Handle,
}

// SAFETY: the library synchronises the use of a database by several threads; the address is
// neither changed nor freed before `Drop`.
unsafe impl Send for Database {}
// SAFETY: as above.
unsafe impl Sync for Database {}

impl Drop for Database {
    fn drop(&mut self) {
        // SAFETY: opened by `open`, and nobody holds a connection: these keep the database.
        unsafe { (self.functions.close)(&mut self.database) };
    }
}

impl Database {
    /// Opens a file of DuckDB.
    ///
    /// # Errors
    /// E0731 for what cannot be opened; the path and the library's words about it are left out.
    pub(super) fn open(functions: Arc<Functions>, path: &str) -> Result<Arc<Self>, JobError> {
        let path = CString::new(path).map_err(|_| failure::unopened("the path contains a NUL character"))?;
        let (mut config, mut database, mut message) = (null_mut(), null_mut(), null_mut::<c_char>());
        // SAFETY: the texts end in NUL and outlive the calls, the addresses are of variables of
        // this function, and the settings are freed once whatever happens.
        let (is_set, is_open) = unsafe {
            let mut is_set = (functions.create_config)(&mut config) == SUCCESS;
            for (name, value) in SETTINGS {
                is_set = is_set && (functions.set_config)(config, name.as_ptr(), value.as_ptr()) == SUCCESS;
            }
            let is_open = is_set && (functions.open_ext)(path.as_ptr(), &mut database, config, &mut message) == SUCCESS;
            (functions.destroy_config)(&mut config);
            (is_set, is_open)
        };
        if !is_set {
            return Err(JobError::new("E0730", "this version of DuckDB cannot be opened read-only"));
        }
        if !is_open {
            // SAFETY: a message ends in NUL, and is the caller's to free.
            let error = unsafe {
                let error = failure::of_opening(&text_of(message));
                (functions.free)(message.cast());
                error
            };
            return Err(error);
        }
        Ok(Arc::new(Self { functions, database }))
    }

    /// The rows of a statement of ours.
    ///
    /// # Errors
    /// E0349 for one that cannot be run; those of its rows.
    pub(super) fn rows(self: &Arc<Self>, statement: &str, stop: &StopFlag) -> Result<Rows, JobError> {
        self.prepare(statement)?.run(stop)
    }

    /// A statement of ours.
    ///
    /// # Errors
    /// E0349 for one that cannot be run, and one that does not read rows.
    pub(super) fn prepare(self: &Arc<Self>, statement: &str) -> Result<Statement, JobError> {
        let connection = Connection::of(self)?;
        let words =
            CString::new(statement).map_err(|_| JobError::new("E0349", "the statement contains a NUL character"))?;
        let functions = &self.functions;
        let mut prepared = null_mut();
        // SAFETY: the connection is open, the text ends in NUL, and the statement is freed by
        // `Statement` also where it has an error.
        let outcome = unsafe { (functions.prepare)(connection.handle, words.as_ptr(), &mut prepared) };
        let statement = Statement { connection, prepared };
        if outcome != SUCCESS {
            // SAFETY: the statement is not freed yet, and its message lives as long.
            return Err(of_message(&unsafe { text_of((functions.prepare_error)(prepared)) }));
        }
        // SAFETY: the statement was prepared.
        if unsafe { (functions.prepared_statement_type)(prepared) } != SELECT {
            return Err(JobError::new("E0349", "the query cannot be run: it is not a SELECT statement"));
        }
        Ok(statement)
    }

    /// Refuses a text that is not one statement, whatever would stand behind it.
    ///
    /// # Errors
    /// E0349.
    pub(super) fn check_single(self: &Arc<Self>, text: &str) -> Result<(), JobError> {
        let connection = Connection::of(self)?;
        let words = CString::new(text).map_err(|_| JobError::new("E0349", "the query contains a NUL character"))?;
        let functions = &self.functions;
        let mut extracted = null_mut();
        // SAFETY: the connection is open, the text ends in NUL, and what is extracted is freed
        // after its message was copied.
        let (statements, message) = unsafe {
            let statements = (functions.extract_statements)(connection.handle, words.as_ptr(), &mut extracted);
            let message = text_of((functions.extract_statements_error)(extracted));
            (functions.destroy_extracted)(&mut extracted);
            (statements, message)
        };
        match statements {
            1 => Ok(()),
            0 if !message.is_empty() => Err(of_message(&message)),
            _ => Err(JobError::new("E0349", "the query cannot be run: it must be exactly one statement")),
        }
    }
}

/// The copy of a text that ends in NUL; nothing for none.
///
/// # Safety
/// The address is null, or that of such a text.
unsafe fn text_of(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: by the caller.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// A connection, on which one statement runs at a time.
struct Connection {
    database: Arc<Database>,
    handle: Handle,
}

impl Connection {
    fn of(database: &Arc<Database>) -> Result<Self, JobError> {
        let mut handle = null_mut();
        // SAFETY: the database is open, and stays open while `database` is held.
        match unsafe { (database.functions.connect)(database.database, &mut handle) } {
            SUCCESS => Ok(Self { database: Arc::clone(database), handle }),
            _ => Err(failure::unopened("DuckDB could not open a connection to its file")),
        }
    }

    fn functions(&self) -> &Functions {
        &self.database.functions
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: connected by `of`; its statements and results are freed, since they hold it.
        unsafe { (self.functions().disconnect)(&mut self.handle) };
    }
}

/// A statement that reads rows, checked and not yet run.
pub(super) struct Statement {
    connection: Connection,
    prepared: Handle,
}

impl Drop for Statement {
    fn drop(&mut self) {
        // SAFETY: prepared by `Database::prepare`, and its result is freed, since that holds it.
        unsafe { (self.connection.functions().destroy_prepare)(&mut self.prepared) };
    }
}

impl Statement {
    /// The columns of the rows.
    pub(super) fn columns(&self) -> Vec<Column> {
        let functions = self.connection.functions();
        // SAFETY: the statement is prepared, columns are asked for within their number, and names
        // are copied before they are freed.
        unsafe {
            let columns = (functions.prepared_statement_column_count)(self.prepared);
            (0..columns)
                .map(|place| {
                    let name = (functions.prepared_statement_column_name)(self.prepared, place);
                    let column = Column {
                        name: text_of(name),
                        kind: (functions.prepared_statement_column_type)(self.prepared, place),
                    };
                    (functions.free)(name.cast_mut().cast());
                    column
                })
                .collect()
        }
    }

    /// Runs it. Rows come as they are found, so that memory does not grow with their number.
    ///
    /// # Errors
    /// Those of the rows; E0108 where the job is stopped.
    pub(super) fn run(self, stop: &StopFlag) -> Result<Rows, JobError> {
        let columns = self.columns();
        let functions = Arc::clone(&self.connection.database.functions);
        // SAFETY: the connection is open, and `Rows` ends the watcher before it drops the connection.
        let watcher = unsafe { Watcher::over(functions, self.connection.handle, stop.clone()) };
        let mut rows = Rows { result: RawResult::EMPTY, columns, is_ended: false, watcher, statement: self };
        let functions = Arc::clone(&rows.statement.connection.database.functions);
        // SAFETY: the statement is prepared; `Rows` frees the result, also one with an error.
        let outcome = unsafe { (functions.execute_prepared_streaming)(rows.statement.prepared, &mut rows.result) };
        if outcome == SUCCESS { Ok(rows) } else { Err(rows.failure("")) }
    }
}

/// The rows of a statement that runs.
pub(super) struct Rows {
    result: RawResult,
    columns: Vec<Column>,
    /// Behind the last row the library takes another question for an error.
    is_ended: bool,
    watcher: Watcher,
    statement: Statement,
}

impl Drop for Rows {
    fn drop(&mut self) {
        // SAFETY: made by `Statement::run`; statement and connection are freed after it.
        unsafe { (self.statement.connection.functions().destroy_result)(&mut self.result) };
        // No interrupt may come when the connection is gone.
        self.watcher.end();
    }
}

impl Rows {
    /// The next rows; `None` behind the last.
    ///
    /// # Errors
    /// Those of the rows; E0108 where the job is stopped.
    pub(super) fn advance(&mut self) -> Result<Option<RecordBatch>, JobError> {
        if self.is_ended {
            return Ok(None);
        }
        let functions = Arc::clone(&self.statement.connection.database.functions);
        // SAFETY: the result is of a statement that ran.
        let mut chunk = unsafe { (functions.fetch_chunk)(self.result) };
        if chunk.is_null() {
            // SAFETY: as above; the message is the result's.
            let message = unsafe { text_of((functions.result_error)(&mut self.result)) };
            let is_whole = message.is_empty() && !self.watcher.is_stopped();
            self.is_ended = is_whole;
            return if is_whole { Ok(None) } else { Err(self.failure(&message)) };
        }
        // SAFETY: the chunk is of this result, has these columns, and is freed after its values
        // were copied.
        unsafe {
            let found = batch(&functions, chunk, &self.columns);
            (functions.destroy_data_chunk)(&mut chunk);
            found.map(Some)
        }
    }

    fn failure(&mut self, message: &str) -> JobError {
        if self.watcher.is_stopped() {
            return JobError::stopped();
        }
        if !message.is_empty() {
            return of_message(message);
        }
        let functions = self.statement.connection.functions();
        // SAFETY: the result was made by the library, and the message is the result's.
        of_message(&unsafe { text_of((functions.result_error)(&mut self.result)) })
    }
}
