//! Groups under a secret, and the pipeline that has such a part.

use std::path::Path;

use disclosure_jobs::answers::Answers;
use disclosure_jobs::input::CsvSource;
use disclosure_jobs::ledger::FileLedger;
use disclosure_jobs::observer::Silent;
use disclosure_jobs::privacy_data::TableFormat;
use disclosure_jobs::registry::{Registration, RegistryFile};
use disclosure_jobs::secret::make_secret_on;
use disclosure_jobs::sink::{DirectorySink, FileSink};
use disclosure_jobs::{document, filter, pipeline};

use super::*;

pub(crate) const GROUPS: &[Scene] = &[
    Scene {
        prepare: with_a_ledger,
        before: &[LEDGER, KEY, "/w/key.registry"],
        for_owner: &[KEY, "/w/key.registry", "/w/out/manifest.json"],
        ..recorded("run", released)
    },
    Scene {
        before: &[KEY, "/w/key.registry", "/w/key.answers", "/w/audit.json"],
        for_owner: &[KEY, "/w/key.registry", "/w/key.answers", "/w/audit.json"],
        ..same("lcf filter --audit", filtered)
    },
    Scene {
        before: &[KEY, "/w/key.registry"],
        for_owner: &[KEY, "/w/key.registry", "/w/out"],
        ..same("lcf group -o", grouped)
    },
];

fn released(storage: &StorageRef, disk: &Disk, out: &str) -> Result<(), JobError> {
    let text = "[budget]\nrho = 0.5\nneighbours = \"add-remove\"\nledger = \"ledger\"\n[noisy]\nmarginals = [[\"x\"]]\n\
                [filtered]\ngroup_by = [\"x\"]\naid = \"row\"\nlaw = { name = \"hard\", at_least = 5 }\n\
                [[attribute]]\nname = \"x\"\nlabels = [\"a\", \"b\"]\n";
    let files = none();
    make_secret_on(storage, Path::new(KEY), &Silent, &mut rng())?;
    let job = pipeline::Job::parse(text, &files)?.with_secret(secret(disk)?);
    let source = CsvSource::bytes("people.csv", [b"x\n".as_slice(), &b"a\nb\na\n".repeat(9)].concat());
    let mut ledger = FileLedger::on(storage, Path::new(LEDGER));
    let mut sink = DirectorySink::create_on(storage, Path::new(out))?;
    let planned = job.plan_against(&source, &ledger, &Silent)?;
    let registry = RegistryFile::on(storage, Path::new(KEY));
    registry.admit(&secret(disk)?, planned.claim().unwrap(), Registration::IfNone)?;
    planned.release(&mut ledger, &mut rng())?.write(&mut sink, &Silent).map(drop)
}

/// A job about towns, and the users who were there, as their column is declared.
fn job(user: &str) -> Result<filter::Job, JobError> {
    filter::Job::parse(&format!(
        "group_by = [\"town\"]\nentity = [{user}]\nmean = 8.0\nsd = 1.5\nalways_suppress_upper_bound = 2\n\
         draws = \"query\"\nguard = true\ncounts = \"hidden\"\n",
    ))
}

fn source() -> CsvSource {
    source_with(50)
}

/// With other few users, there is another answer.
fn source_with(first: u32) -> CsvSource {
    let rows: String = (0..20).map(|user| format!("a,{user}\n")).collect();
    // Eight users are as likely to be shown as not, so there is an answer to keep.
    let few: String = (first..first + 8).map(|user| format!("b,{user}\n")).collect();
    CsvSource::bytes("rows", format!("town,user\n{rows}{few}").into_bytes())
}

fn filtered(storage: &StorageRef, disk: &Disk, out: &str) -> Result<(), JobError> {
    let audit = FileOptions { replaces: true, ..FOR_OWNER };
    audit.check_on(storage, Path::new("/w/audit.json"))?;
    let mut sink = FileSink::new_on(storage, Path::new(out), NEW)?;
    let job = job("\"user\"")?;
    make_secret_on(storage, Path::new(KEY), &Silent, &mut rng())?;
    let secret = secret(disk)?;
    let law = job.filter(&secret, &Silent)?;
    let mut answers = Answers::open_on(storage, Path::new(KEY), &secret, &law)?;
    let grouped = job.group(&source(), &law, &Silent)?;
    let decided = job.decide(grouped, &law, Some(answers.guard()), &Silent)?;
    let registry = RegistryFile::on(storage, Path::new(KEY));
    registry.admit_answers(&secret, decided.claim(), Registration::IfNone, &answers)?;
    let bytes = document::json_of(&decided.audit());
    audit.write_on(storage, Path::new("/w/audit.json"), |file| file.write_all(&bytes))?;
    decided.release(None)?.write(TableFormat::Csv, &mut sink, "groups.csv").map(drop)
}

/// Answers about eight users from this one on, which nothing else is asked about.
pub(crate) fn asked(storage: &StorageRef, disk: &Disk, first: u32) -> Result<(), JobError> {
    let job = job("\"user\"")?;
    let secret = secret(disk)?;
    let law = job.filter(&secret, &Silent)?;
    let mut answers = Answers::open_on(storage, Path::new(KEY), &secret, &law)?;
    let grouped = job.group(&source_with(first), &law, &Silent)?;
    let decided = job.decide(grouped, &law, Some(answers.guard()), &Silent)?;
    RegistryFile::on(storage, Path::new(KEY)).admit_answers(&secret, decided.claim(), Registration::IfNone, &answers)
}

fn grouped(storage: &StorageRef, disk: &Disk, out: &str) -> Result<(), JobError> {
    FOR_OWNER.check_on(storage, Path::new(out))?;
    let job = job("{ column = \"user\", form = \"integer\" }")?;
    job.check_stored()?;
    make_secret_on(storage, Path::new(KEY), &Silent, &mut rng())?;
    let secret = secret(disk)?;
    let law = job.filter(&secret, &Silent)?;
    let table = job.group(&source(), &law, &Silent)?;
    let claim = table.claim(&law)?.without_publication();
    RegistryFile::on(storage, Path::new(KEY)).admit(&secret, &claim, Registration::IfNone)?;
    let bytes = table.to_bytes(&law)?;
    Ok(FOR_OWNER.write_on(storage, Path::new(out), |file| file.write_all(&bytes))?)
}
