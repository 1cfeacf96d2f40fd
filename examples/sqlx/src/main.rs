//! A database behind sqlx as a `CountSource`: noisy tables of all pairs of columns of SQLite.
//! `sqlx::PgPool` takes the same lines. Run `cargo run` in `examples/sqlx`.

use privacy_core::param::{Probability, Rho};
use privacy_core::table::CountError;
use privacy_core::{AttrSet, Attribute, ContingencyTable, CountSource, Domain, accounting::PrivacyCost};
use resplan::{Plan, PlanLimits, PlanSpec, Workload};
use sqlx::{AssertSqlSafe, Row, SqlitePool, sqlite::SqlitePoolOptions};

struct Database {
    domain: Domain,
    pool: SqlitePool,
    runtime: tokio::runtime::Runtime,
}

impl CountSource for Database {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    /// All tables are of one transaction; a label that the domain lacks is an error.
    fn marginals(&self, sets: &[AttrSet]) -> Result<Vec<ContingencyTable>, CountError> {
        let source = |error: sqlx::Error| CountError::Source(Box::new(error));
        self.runtime.block_on(async {
            let (mut snapshot, mut tables) = (self.pool.begin().await.map_err(source)?, Vec::new());
            for &set in sets {
                // Identifiers in quotes, NULL as a category, and a group where there is no label.
                let names = self.domain.names(set).map(|name| name.replace('"', "\"\""));
                let labels: String = names.map(|name| format!(", COALESCE(\"{name}\", 'not stated')")).collect();
                let statement = format!("SELECT COUNT(*){labels} FROM people GROUP BY 1 = 1{labels}");
                let asked = sqlx::query(AssertSqlSafe(statement)).fetch_all(&mut *snapshot);
                let rows = asked.await.map_err(source)?;
                let groups = rows.iter().map(|row| {
                    let labels = (1..=set.len()).map(|column| row.get(column)).collect::<Vec<&str>>();
                    (labels, row.get::<i64, _>(0).unsigned_abs())
                });
                tables.push(ContingencyTable::from_groups(&self.domain, set, groups)?);
            }
            Ok(tables)
        })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let pool = runtime.block_on(SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:"))?;
    let rows = "CREATE TABLE people AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4999) \
        SELECT iif(i % 2, 'm', 'f') AS sex, iif(i % 11 % 5 = 4, NULL, iif(i % 11 % 5 = 2, 'yes', 'no')) AS smokes FROM n";
    runtime.block_on(sqlx::query(rows).execute(&pool))?;
    let smokes = Attribute::new("smokes", ["no", "yes", "not stated"])?;
    let database = Database { domain: Domain::new(vec![Attribute::new("sex", ["f", "m"])?, smokes])?, pool, runtime };

    let cost = PrivacyCost::from_rho(Rho::new(0.5)?)?;
    let plan = Plan::new(PlanSpec::new(database.domain.clone(), Workload::UpTo(2), cost), &PlanLimits::default())?;
    let measured = plan.measure(&database, &mut privacy_core::rng::system()?)?;
    for answer in measured.marginal(database.domain.all())?.answers(measured.design(), Probability::new(0.95)?)? {
        println!("{:<14} {:>6.0}  ({:.0} to {:.0})", answer.labels.join(", "), answer.value, answer.low, answer.high);
    }
    Ok(())
}
