//! A database behind sqlx as a `CountSource`: noisy tables of all pairs of columns.
//!
//! ```sh
//! cd examples/sqlx && cargo run
//! ```
//!
//! Here the database is SQLite in memory; one of `sqlx::PgPool` takes the same lines.

use std::error::Error;

use privacy_core::accounting::PrivacyCost;
use privacy_core::param::{Probability, Rho};
use privacy_core::table::CountError;
use privacy_core::{AttrSet, Attribute, ContingencyTable, CountSource, Domain};
use resplan::{Plan, PlanLimits, PlanSpec, Workload};
use sqlx::{AssertSqlSafe, Row, SqlitePool};
use tokio::runtime::Runtime;

struct Database {
    domain: Domain,
    pool: SqlitePool,
    runtime: Runtime,
}

impl CountSource for Database {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    /// All tables in one transaction: of the same rows.
    fn marginals(&self, sets: &[AttrSet]) -> Result<Vec<ContingencyTable>, CountError> {
        let counted = self.runtime.block_on(async {
            let mut snapshot = self.pool.begin().await?;
            let mut counted = Vec::new();
            for &set in sets {
                counted.push(sqlx::query(AssertSqlSafe(self.statement(set))).fetch_all(&mut *snapshot).await?);
            }
            Ok(counted)
        });
        let counted = counted.map_err(|error: sqlx::Error| CountError::Source(Box::new(error)))?;
        sets.iter()
            .zip(counted)
            .map(|(&set, rows)| {
                let groups = rows.iter().map(|row| {
                    let labels: Vec<&str> = (0..set.len()).map(|column| row.get(column)).collect();
                    (labels, row.get::<i64, _>(set.len()).unsigned_abs())
                });
                // A label that the domain lacks is an error, and never left out.
                ContingencyTable::from_groups(&self.domain, set, groups)
            })
            .collect()
    }
}

impl Database {
    /// Identifiers in quotes, NULL as a category, and no value.
    fn statement(&self, set: AttrSet) -> String {
        let names = self.domain.names(set).map(|name| format!("\"{}\"", name.replace('"', "\"\"")));
        let columns: Vec<String> = names.map(|name| format!("COALESCE({name}, 'not stated')")).collect();
        let groups = columns.join(", ");
        match set.is_empty() {
            true => "SELECT COUNT(*) FROM people".to_owned(),
            false => format!("SELECT {groups}, COUNT(*) FROM people GROUP BY {groups}"),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let pool = runtime.block_on(async {
        let options = sqlx::sqlite::SqlitePoolOptions::new().max_connections(1);
        let pool = options.connect("sqlite::memory:").await?;
        let rows = "CREATE TABLE people AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4999) \
            SELECT CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END AS sex, \
            CASE i % 11 % 5 WHEN 2 THEN 'yes' WHEN 4 THEN NULL ELSE 'no' END AS smokes FROM n";
        sqlx::query(rows).execute(&pool).await?;
        Ok::<_, sqlx::Error>(pool)
    })?;
    let domain =
        Domain::new(vec![Attribute::new("sex", ["f", "m"])?, Attribute::new("smokes", ["no", "yes", "not stated"])?])?;
    let database = Database { domain: domain.clone(), pool, runtime };

    let cost = PrivacyCost::from_rho(Rho::new(0.5)?)?;
    let plan = Plan::new(PlanSpec::new(domain, Workload::UpTo(2), cost), &PlanLimits::default())?;
    // All tables are of one snapshot, and nothing is spent until they were checked.
    let tables = plan.check_tables(database.marginals(&plan.batches().concat())?)?;
    let measured = plan.measure_tables(tables, &mut privacy_core::rng::system()?)?;
    let smokers = measured.marginal(database.domain.all())?;
    for answer in smokers.answers(measured.design(), Probability::new(0.95)?)? {
        println!("{:<14} {:>6.0}  ({:.0} to {:.0})", answer.labels.join(", "), answer.value, answer.low, answer.high);
    }
    Ok(())
}
