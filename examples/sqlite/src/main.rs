//! Noisy tables of a SQLite database: SQL counts, `resplan` plans and adds the noise.
//!
//! ```sh
//! cd examples/sqlite && cargo run
//! ```
//!
//! Every table of the release is one `GROUP BY`. All of them run in one transaction, so that they
//! count the same rows, and a missing value is a category of its own, so that no group is
//! dropped. `check_tables` refuses what differs.

use std::error::Error;

use privacy_core::accounting::{PrivacyCost, zcdp};
use privacy_core::param::{Delta, Probability, Rho};
use privacy_core::{AttrSet, Attribute, ContingencyTable, Domain};
use resplan::{Plan, PlanLimits, PlanSpec, Workload};
use rusqlite::{Connection, Transaction};

fn main() -> Result<(), Box<dyn Error>> {
    let mut database = Connection::open_in_memory()?;
    fill(&database)?;

    // Names and labels are written down here, not read off the data: they are public.
    let domain = Domain::new(vec![
        Attribute::new("sex", ["f", "m"])?,
        Attribute::new("age", ["under 30", "30 to 59", "60 and over"])?,
        Attribute::new("smokes", ["no", "yes", "not stated"])?,
    ])?;

    // Every table of one and of two columns, and the total, at rho = 0.5 for one row added or
    // removed.
    let rho = Rho::new(0.5)?;
    let spec = PlanSpec::new(domain.clone(), Workload::UpTo(2), PrivacyCost::from_rho(rho)?);
    let plan = Plan::new(spec, &PlanLimits::default())?;
    println!("root mean square error {:.2}, known before any count", plan.rmse());
    println!("epsilon {:.2} at delta 1e-6", zcdp::epsilon(rho, Delta::new(1e-6)?)?.get());

    let snapshot = database.transaction()?;
    let sets = plan.batches().concat();
    let tables = sets.iter().map(|&set| count(&snapshot, &domain, set)).collect::<Result<Vec<_>, _>>()?;
    snapshot.finish()?;

    let tables = plan.check_tables(tables)?; // nothing is spent yet: after an error, count again
    let measured = plan.measure_tables(tables, &mut privacy_core::rng::system()?)?;

    let smokers = measured.marginal(domain.set_of(&["sex", "smokes"])?)?;
    for answer in smokers.answers(measured.design(), Probability::new(0.95)?)? {
        println!("{:<14} {:>6.0}  ({:.0} to {:.0})", answer.labels.join(", "), answer.value, answer.low, answer.high);
    }
    Ok(())
}

/// One table: `SELECT sex, smokes, COUNT(*) FROM people GROUP BY sex, smokes`, with NULL as a
/// category.
fn count(database: &Transaction<'_>, domain: &Domain, set: AttrSet) -> Result<ContingencyTable, Box<dyn Error>> {
    let columns: Vec<String> = domain.names(set).map(|name| format!("COALESCE({name}, 'not stated')")).collect();
    let groups = columns.join(", ");
    let mut query = database.prepare(&match set.is_empty() {
        true => "SELECT COUNT(*) FROM people".to_owned(),
        false => format!("SELECT {groups}, COUNT(*) FROM people GROUP BY {groups}"),
    })?;
    let rows = query.query_map([], |row| {
        let labels = (0..columns.len()).map(|column| row.get(column)).collect::<Result<Vec<String>, _>>()?;
        Ok((labels, row.get::<_, i64>(columns.len())?))
    })?;
    let mut counted = Vec::new();
    for row in rows {
        let (labels, count) = row?;
        counted.push((labels, u64::try_from(count)?));
    }
    Ok(ContingencyTable::from_groups(domain, set, counted)?)
}

/// 5,000 people, some of whom did not say whether they smoke.
fn fill(database: &Connection) -> rusqlite::Result<()> {
    database.execute("CREATE TABLE people (sex TEXT NOT NULL, age TEXT NOT NULL, smokes TEXT)", [])?;
    let mut insert = database.prepare("INSERT INTO people VALUES (?1, ?2, ?3)")?;
    for person in 0..5_000_u32 {
        let sex = if person % 2 == 0 { "f" } else { "m" };
        let age = ["under 30", "30 to 59", "60 and over"][(person / 2 % 7 % 3) as usize];
        let smokes = [Some("no"), Some("no"), Some("yes"), Some("no"), None][(person % 11 % 5) as usize];
        insert.execute((sex, age, smokes))?;
    }
    Ok(())
}
