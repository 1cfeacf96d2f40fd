//! A PostgreSQL server of the tests' own, and its client. Where there is no program to start, tests
//! say so and pass, unless `DISCLOSURE_REQUIRE_POSTGRES` is set.
#![allow(dead_code, unused_imports, reason = "every file of tests uses some of it")]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test ends where something is missing")]

#[path = "postgres.rs"]
mod postgres;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use postgres::Postgres;
pub(crate) use postgres::{PASSWORD, private};
use privacy_sql::PostgresOpener;
use tokio::runtime::Runtime;
use tokio_postgres::{Client, Config, NoTls};

pub(crate) struct Server {
    postgres: Postgres,
    pub(crate) runtime: Runtime,
}

impl Server {
    /// A server that answers; `None`, said aloud, where none can be started.
    pub(crate) fn start() -> Option<Self> {
        Self::said(Self::try_start(false))
    }

    /// The same with a certificate for `localhost`, which [`authority`](Self::authority) signed.
    pub(crate) fn start_encrypted() -> Option<Self> {
        Self::said(Self::try_start(true))
    }

    fn said(started: Option<Self>) -> Option<Self> {
        if started.is_none() {
            assert!(std::env::var_os("DISCLOSURE_REQUIRE_POSTGRES").is_none(), "no PostgreSQL could be started");
            eprintln!("SKIPPED: no PostgreSQL server can be started (apt-get install postgresql)");
        }
        started
    }

    /// The certificate of who signed that of the server.
    pub(crate) fn authority(&self) -> PathBuf {
        self.postgres.folder.path().join("ca.crt")
    }

    fn try_start(is_encrypted: bool) -> Option<Self> {
        let postgres = Postgres::start(is_encrypted)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().ok()?;
        let server = Self { postgres, runtime };
        let deadline = Instant::now() + Duration::from_secs(60);
        while server.try_client("owner").is_none() {
            if Instant::now() > deadline {
                return None;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(server)
    }

    fn try_client(&self, user: &str) -> Option<Client> {
        let mut config = Config::new();
        config.host("127.0.0.1").port(self.port()).user(user).password(PASSWORD).dbname("postgres");
        let (client, connection) = self.runtime.block_on(config.connect(NoTls)).ok()?;
        self.runtime.spawn(async move {
            let _ = connection.await;
        });
        Some(client)
    }

    pub(crate) fn client(&self) -> Client {
        self.try_client("owner").unwrap()
    }

    /// Runs statements as the owner.
    pub(crate) fn execute(&self, statements: &str) {
        self.runtime.block_on(self.client().batch_execute(statements)).unwrap();
    }

    /// Fills a table from CSV, whose empty fields are NULL.
    pub(crate) fn fill(&self, table: &str, csv: &str) {
        use futures::SinkExt;
        let client = self.client();
        let bytes = csv.as_bytes().to_vec();
        self.runtime.block_on(async {
            let sink = client.copy_in(&format!("COPY {table} FROM STDIN (FORMAT csv, HEADER)")).await.unwrap();
            let mut sink = std::pin::pin!(sink);
            sink.send(std::io::Cursor::new(bytes)).await.unwrap();
            sink.finish().await.unwrap();
        });
    }

    pub(crate) fn port(&self) -> u16 {
        self.postgres.port
    }

    pub(crate) fn address(&self, user: &str) -> PathBuf {
        PathBuf::from(format!("postgres://{user}@127.0.0.1:{}/postgres", self.port()))
    }

    /// The same server by a name, with more behind it.
    pub(crate) fn address_at(&self, host: &str, query: &str) -> PathBuf {
        PathBuf::from(format!("postgres://owner@{host}:{}/postgres?{query}", self.port()))
    }

    pub(crate) fn password_file(&self) -> PathBuf {
        self.postgres.password_file()
    }

    /// An opener that knows the password file and nothing else of this machine.
    pub(crate) fn opener(&self) -> PostgresOpener {
        let file = self.password_file().display().to_string();
        PostgresOpener::default().with_variables(BTreeMap::from([("PGPASSFILE".to_owned(), file)]))
    }
}
