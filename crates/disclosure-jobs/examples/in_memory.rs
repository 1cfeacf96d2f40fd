//! A release without a file system: bytes in, bytes out.
#![expect(clippy::print_stdout, reason = "an example prints what it made")]

use disclosure_jobs::disclosure::privacy_core::rng;
use disclosure_jobs::input::{CsvSource, MemoryFiles};
use disclosure_jobs::ledger::MemoryLedger;
use disclosure_jobs::limits::Limits;
use disclosure_jobs::marginals::Job;
use disclosure_jobs::observer::Silent;
use disclosure_jobs::sink::MemorySink;

const JOB: &str = r#"
title = "Who smokes"
marginals = [["age", "smoker"]]
neighbours = "add-remove"
domain = "domain.toml"
[privacy]
rho = 0.5
"#;
const DOMAIN: &str = "learnt_from_data = false
[[attribute]]\nname = \"age\"\nlabels = [\"young\", \"old\"]
[[attribute]]\nname = \"smoker\"\nlabels = [\"no\", \"yes\"]\n";
const ROWS: &str = "age,smoker\nyoung,no\nyoung,yes\nold,no\nold,no\n";

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files = MemoryFiles::default().with("domain.toml", DOMAIN);
    let planned = Job::parse(JOB, &files)?.plan(&Limits::default(), &Silent)?;
    println!("root mean square error: {:.2}", planned.rmse());
    let mut ledger = MemoryLedger::new(1.0, planned.charge_request().terms, &mut rng::system()?)?;
    let ready = planned.read(&CsvSource::bytes("rows.csv", ROWS.as_bytes()), &Silent)?;
    let released = ready.release(&mut ledger, &mut rng::system()?)?;
    let mut sink = MemorySink::default();
    released.write(&mut sink, &Silent)?;
    for (name, bytes) in sink.files() {
        println!("{name}: {} bytes", bytes.len());
    }
    Ok(())
}
