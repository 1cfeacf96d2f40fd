//! A relation in a transaction that is kept until its readings end.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use disclosure_jobs::JobError;
use futures::{Stream, StreamExt};
use privacy_core::stop::StopFlag;
use privacy_sql_statements::{Relation, postgres as dialect};
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls};

use super::address::Settings;
use super::copy::CopyReader;
use super::encryption::Encryption;
use super::failure::of_server;
use crate::folding::folded;
use crate::marginals::Question;
use crate::source::{Engine, NextBatch, distinct};

/// How long the server has to answer before the flag of the job is looked at.
const PATIENCE: Duration = Duration::from_millis(50);

/// How long a connection may take to be made.
const CONNECTING: Duration = Duration::from_secs(20);

/// Most groups, by the cells of the whole domain, that the server counts; above, it sends its rows
/// and they are counted here.
const MOST_GROUPS: u64 = 1 << 16;

/// What is asked of a server, and how.
pub(crate) struct Asking {
    pub(crate) relation: Relation,
    /// Begins the transaction.
    pub(crate) begin: String,
    /// Hears every statement before it is sent.
    pub(crate) on_statement: fn(&str),
    pub(crate) stop: StopFlag,
}

/// Rows of a database.
pub(crate) struct DatabaseRows {
    runtime: Runtime,
    client: Client,
    asking: Asking,
    columns: Vec<String>,
    /// Only one statement at a time sets how many threads the server has.
    turn: Mutex<()>,
}

impl DatabaseRows {
    /// Connects, begins the transaction, and finds the columns.
    ///
    /// # Errors
    /// E0352 without a connection; those of the server.
    pub(crate) fn connect(settings: Settings, asking: Asking) -> Result<Self, JobError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|_| {
            JobError::new("E0339", "the operating system refused to start the thread of the connection")
        })?;
        let Settings { mut config, encryption } = settings;
        config.connect_timeout(CONNECTING);
        let waiting = Waiting { runtime: &runtime, stop: &asking.stop };
        // A connection ends with its client; what it says then is what its statements said.
        let client = match encryption {
            Encryption::None => {
                let (client, connection) = waiting.run(config.connect(NoTls))?;
                runtime.spawn(async move {
                    let _ = connection.await;
                });
                client
            }
            #[cfg(feature = "tls")]
            Encryption::By(roots) => {
                let (client, connection) = waiting.run(config.connect(super::tls::encryption(&roots)?))?;
                runtime.spawn(async move {
                    let _ = connection.await;
                });
                client
            }
        };
        (asking.on_statement)(&asking.begin);
        waiting.run(client.batch_execute(&asking.begin))?;
        if let Relation::Query(query) = &asking.relation {
            // One statement that returns rows: what is not cannot hide behind the parenthesis that
            // will stand around it.
            let statement = waiting.run(client.prepare(query))?;
            if statement.columns().is_empty() {
                return Err(JobError::new("E0349", "the query cannot be run: it returns no rows"));
            }
        }
        let without_rows = dialect::no_rows(&asking.relation);
        (asking.on_statement)(&without_rows);
        let statement = waiting.run(client.prepare(&without_rows))?;
        let columns: Vec<String> = statement.columns().iter().map(|column| column.name().to_owned()).collect();
        if let Some(name) =
            columns.iter().enumerate().find_map(|(at, name)| columns[..at].contains(name).then_some(name))
        {
            return Err(JobError::new("E0307", format!("two columns have the name {name:?}")));
        }
        Ok(Self { runtime, client, asking, columns, turn: Mutex::new(()) })
    }

    /// Whether every reading has the same rows in the same order.
    ///
    /// # Errors
    /// Those of the server.
    pub(crate) fn is_stored(&self) -> Result<bool, JobError> {
        let Some(name) = dialect::stored_name(&self.asking.relation) else { return Ok(false) };
        (self.asking.on_statement)(dialect::IS_STORED);
        let row = self.waiting().run(self.client.query_one(dialect::IS_STORED, &[&name]))?;
        row.try_get(0).map_err(|error| of_server(&error))
    }

    fn waiting(&self) -> Waiting<'_> {
        Waiting { runtime: &self.runtime, stop: &self.asking.stop }
    }

    /// The batches of a statement that copies texts with these names.
    fn copied(&self, statement: &str, names: &[&str], in_order: bool) -> Result<NextBatch<'_>, JobError> {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        (self.asking.on_statement)(statement);
        self.waiting().run(self.client.batch_execute(dialect::workers(in_order)))?;
        let stream = self.waiting().run(self.client.copy_out(statement))?;
        drop(turn);
        let mut stream = Box::pin(stream);
        let mut reader = CopyReader::new(names);
        let mut is_ended = false;
        Ok(Box::new(move || {
            while !is_ended {
                let chunk = self.waiting().run_stream(&mut stream)?;
                let batch = match chunk {
                    Some(chunk) => reader.add(&chunk)?,
                    None => {
                        is_ended = true;
                        reader.finish()?
                    }
                };
                if batch.is_some() {
                    return Ok(batch);
                }
            }
            Ok(None)
        }))
    }
}

impl Engine for DatabaseRows {
    fn columns(&self) -> Vec<String> {
        self.columns.clone()
    }

    fn batches(&self, columns: &[&str]) -> Result<NextBatch<'_>, JobError> {
        self.copied(&dialect::rows(&self.asking.relation, columns), columns, true)
    }

    /// Groups of the server where the domain is small, else its rows.
    fn state(&self, question: &Question) -> Result<Vec<u8>, JobError> {
        let columns: Vec<&str> = question.columns().collect();
        let columns = distinct(&columns);
        if question.has_at_most(MOST_GROUPS) {
            let weighted = question.weighted(COUNT);
            let names: Vec<&str> = columns.iter().copied().chain([COUNT]).collect();
            let groups = self.copied(&dialect::groups(&self.asking.relation, &columns), &names, false)?;
            let state = folded(&weighted, &names, groups, 1)?;
            // Where some row does not fit, the message has the number of rows and not of groups.
            if question.answer(&state).is_ok() {
                return Ok(state);
            }
        }
        let rows = self.copied(&dialect::rows(&self.asking.relation, &columns), &columns, false)?;
        folded(question, &columns, rows, threads())
    }
}

/// Threads that code and count rows, which one receives.
pub(super) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The name of the number of a group, which no identifier of the server has: it is too long.
const COUNT: &str = "number of rows in a group, counted by the server, which no column can be called";

/// Waits for the server, at most until the job is stopped.
struct Waiting<'a> {
    runtime: &'a Runtime,
    stop: &'a StopFlag,
}

impl Waiting<'_> {
    fn run<T>(&self, work: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T, JobError> {
        self.runtime.block_on(async {
            let mut work = std::pin::pin!(work);
            loop {
                if self.stop.is_set() {
                    return Err(JobError::stopped());
                }
                if let Ok(outcome) = tokio::time::timeout(PATIENCE, &mut work).await {
                    return outcome.map_err(|error| of_server(&error));
                }
            }
        })
    }

    fn run_stream<T, S>(&self, stream: &mut std::pin::Pin<Box<S>>) -> Result<Option<T>, JobError>
    where
        S: Stream<Item = Result<T, tokio_postgres::Error>>,
    {
        self.run(async { stream.next().await.transpose() })
    }
}
