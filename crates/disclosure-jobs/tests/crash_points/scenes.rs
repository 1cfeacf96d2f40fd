//! The jobs of the commands that write: each with what is there before it, and what it writes.

use std::path::Path;

use disclosure_jobs::JobError;
use disclosure_jobs::answers::Answers;
use disclosure_jobs::disclosure::privacy_core::accounting::Neighbours;
use disclosure_jobs::disclosure::privacy_core::prf::Secret;
use disclosure_jobs::input::{CsvSource, DataSource, MemoryFiles};
use disclosure_jobs::ledger::{ChargeRequest, ChargeSubject, FileLedger, Ledger, LedgerTerms, NewLedger};
use disclosure_jobs::limits::Limits;
use disclosure_jobs::observer::Silent;
use disclosure_jobs::privacy_data::storage::StorageRef;
use disclosure_jobs::privacy_data::{CsvOptions, FileOptions, TableFormat};
use disclosure_jobs::registry::{Registration, RegistryFile};
use disclosure_jobs::reports::{Counting, RoundSpec, Rounds};
use disclosure_jobs::secret::make_secret_on;
use disclosure_jobs::sink::{DirectorySink, FileSink, Sink};
use disclosure_jobs::{amounts, document, exact, filter, marginals, pipeline, reports};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use super::disk::Disk;

pub(crate) const LEDGER: &str = "/w/ledger";
pub(crate) const KEY: &str = "/w/key";
const NO_JOB: &str = "0000000000000000000000000000000000000000000000000000000000000000";
const TERMS: LedgerTerms = LedgerTerms { neighbours: Neighbours::AddRemove, rows_per_person: 1 };

/// How an output is found to be whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whole {
    /// It has a record with the digest of every file.
    Recorded,
    /// Its bytes are those of a run without a fault.
    Same,
}

/// A command that writes, on a disk.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) prepare: fn(&Disk),
    /// Runs the job; its last output is at the path.
    pub(crate) run: fn(&StorageRef, &Disk, &str) -> Result<(), JobError>,
    pub(crate) whole: Whole,
    /// Files that have to be there before the output may be.
    pub(crate) before: &'static [&'static str],
    /// Files that nobody but the owner may read, wherever they are there.
    pub(crate) for_owner: &'static [&'static str],
}

pub(crate) const SCENES: [Scene; 12] = [
    Scene { run: release_with_a_new_ledger, before: &[LEDGER], ..scene("resplan release --new-ledger") },
    Scene { prepare: with_a_ledger, run: release, before: &[LEDGER], ..scene("resplan release --ledger") },
    Scene { whole: Whole::Same, run: published, ..scene("frechet release") },
    Scene { prepare: with_a_ledger, run: private, before: &[LEDGER], ..scene("frechet release, decided privately") },
    Scene {
        prepare: with_a_ledger,
        run: pipeline,
        before: &[LEDGER, "/w/key", "/w/key.registry"],
        for_owner: &["/w/key", "/w/key.registry", "/w/out/manifest.json"],
        ..scene("run")
    },
    Scene {
        whole: Whole::Same,
        run: filtered,
        before: &["/w/key", "/w/key.registry", "/w/key.answers", "/w/audit.json"],
        for_owner: &["/w/key", "/w/key.registry", "/w/key.answers", "/w/audit.json"],
        ..scene("lcf filter --audit")
    },
    Scene {
        whole: Whole::Same,
        prepare: with_an_old_output,
        run: encoded,
        before: &["/w/memory"],
        for_owner: &["/w/memory"],
        ..scene("ldp encode --memory --force")
    },
    Scene { whole: Whole::Same, prepare: with_an_old_output, run: aggregated, ..scene("ldp aggregate --force") },
    Scene { whole: Whole::Same, run: summed, ..scene("magnitude release") },
    Scene { whole: Whole::Same, run: answered, ..scene("resplan answer -o") },
    Scene { whole: Whole::Same, prepare: with_an_old_output, run: synthetic, ..scene("synth --force") },
    Scene { whole: Whole::Same, run: learnt, ..scene("init -o") },
];

const fn scene(name: &'static str) -> Scene {
    Scene { name, prepare: with_nothing, run: learnt, whole: Whole::Recorded, before: &[], for_owner: &[] }
}

fn with_nothing(_: &Disk) {}

fn with_an_old_output(disk: &Disk) {
    disk.put("/w/out", b"what was there before");
}

/// A ledger with one charge.
fn with_a_ledger(disk: &Disk) {
    let mut ledger = FileLedger::on(&disk.storage(), Path::new(LEDGER));
    ledger.make(9.0, TERMS, &mut rng()).unwrap();
    let request = ChargeRequest {
        rho: 0.25,
        dominated_by: None,
        terms: TERMS,
        spec_sha256: NO_JOB,
        subject: ChargeSubject::default(),
    };
    let _ = ledger.charge(&request).unwrap();
    disk.settle();
}

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::from_seed([7; 32])
}

fn none() -> MemoryFiles {
    MemoryFiles::default()
}

const NOISY: &str = "marginals = [[\"sex\"]]\nneighbours = \"add-remove\"\n[privacy]\nrho = 0.5\n\
                     [[attribute]]\nname = \"sex\"\nlabels = [\"f\", \"m\"]\n";

fn noisy(ledger: &mut dyn Ledger, mut sink: impl FnMut() -> Result<DirectorySink, JobError>) -> Result<(), JobError> {
    let planned = marginals::Job::parse(NOISY, &none())?.plan(&Limits::default(), &Silent)?;
    ledger.check(&planned.charge_request())?;
    let mut sink = sink()?;
    let ready = planned.read(&CsvSource::bytes("rows.csv", &b"sex\nf\nm\nm\nf\n"[..]), &Silent)?;
    ready.release(ledger, &mut rng())?.write(&mut sink, &Silent).map(drop)
}

fn release_with_a_new_ledger(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let mut ledger = NewLedger::on(storage, Path::new(LEDGER), 9.0, &mut rng());
    noisy(&mut ledger, || DirectorySink::create_on(storage, Path::new(out)))
}

fn release(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let mut ledger = FileLedger::on(storage, Path::new(LEDGER));
    noisy(&mut ledger, || DirectorySink::create_on(storage, Path::new(out)))
}

const LABELS: &str = "[[attribute]]\nname = \"a\"\nlabels = [\"x\", \"y\"]\n\
                      [[attribute]]\nname = \"b\"\nlabels = [\"p\", \"q\", \"r\"]\n";
const CELLS: &[u8] = b"a,b,n\nx,p,2\nx,q,70\nx,r,90\ny,p,80\ny,q,75\ny,r,60\n";

fn loaded(more: &str) -> Result<exact::LoadedJob, JobError> {
    let text = format!(
        "data = \"d.csv\"\ncount = \"n\"\nmargins = [[\"a\"], [\"b\"], [\"a\", \"b\"]]\ntau = 0\nkappa = 3\n{more}{LABELS}"
    );
    exact::Job::parse(&text, "test", &none())?.load(&CsvSource::bytes("d.csv", CELLS), &Silent)
}

fn published(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let mut sink = DirectorySink::create_on(storage, Path::new(out))?;
    let planned = loaded("decide_on = \"counts\"\n")?.plan(&Silent)?;
    planned.release(&mut rng())?.write(&mut sink).map(drop)
}

fn private(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let pattern = "pattern = { epsilon = 1.0, delta = 1e-6, neighbours = \"add-remove\", rows_per_person = 1 }\n";
    let job = loaded(&format!("decide_on = \"private\"\n{pattern}"))?;
    let mut sink = DirectorySink::create_on(storage, Path::new(out))?;
    let planned = job.plan_privately()?;
    let mut ledger = FileLedger::on(storage, Path::new(LEDGER));
    ledger.check(&planned.charge_request())?;
    let released = planned.release(&mut ledger, &mut ChaCha20Rng::from_seed([1; 32]))?;
    released.write(&mut sink).map(drop)
}

fn secret(disk: &Disk) -> Result<Secret, JobError> {
    let bytes = disk.file(KEY).unwrap_or_default();
    Secret::new(&bytes).map_err(|_| JobError::new("E0407", "the secret must be exactly 32 bytes"))
}

fn pipeline(storage: &StorageRef, disk: &Disk, out: &str) -> Result<(), JobError> {
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

fn filtered(storage: &StorageRef, disk: &Disk, out: &str) -> Result<(), JobError> {
    let audit = FileOptions { for_owner: true, replaces: true };
    audit.check_on(storage, Path::new("/w/audit.json"))?;
    let mut sink = FileSink::new_on(storage, Path::new(out), FileOptions::default())?;
    let job = filter::Job::parse(
        "group_by = [\"town\"]\nentity = [\"user\"]\nmean = 8.0\nsd = 1.5\nalways_suppress_upper_bound = 2\n\
         draws = \"query\"\nguard = true\ncounts = \"hidden\"\n",
    )?;
    make_secret_on(storage, Path::new(KEY), &Silent, &mut rng())?;
    let secret = secret(disk)?;
    let law = job.filter(&secret, &Silent)?;
    let mut answers = Answers::open_on(storage, Path::new(KEY), &secret, &law)?;
    let rows: String = (0..20).map(|user| format!("a,{user}\n")).collect();
    // Eight users are as likely to be shown as not, so there is an answer to keep.
    let few: String = (50..58).map(|user| format!("b,{user}\n")).collect();
    let source = CsvSource::bytes("rows", format!("town,user\n{rows}{few}").into_bytes());
    let grouped = job.group(&source, &law, &Silent)?;
    let decided = job.decide(grouped, &law, Some(answers.guard()), &Silent)?;
    let registry = RegistryFile::on(storage, Path::new(KEY));
    registry.admit_answers(&secret, decided.claim(), Registration::IfNone, &answers)?;
    let bytes = document::json_of(&decided.audit());
    audit.write_on(storage, Path::new("/w/audit.json"), |file| file.write_all(&bytes))?;
    decided.release(None)?.write(TableFormat::Csv, &mut sink, "groups.csv").map(drop)
}

const RAPPOR: &str = "order = 1\n[[feature]]\nname = \"city\"\nvalues = [\"a\", \"b\", \"c\"]\nprotocol = \"rappor\"\n\
                      permanent = {p = 0.25, q = 0.75}\ninstantaneous = {p = 0.1, q = 0.9}\n";
const REPLACING: FileOptions = FileOptions { for_owner: false, replaces: true };

fn encoded(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let job = reports::Job::parse(RAPPOR)?;
    REPLACING.check_on(storage, Path::new(out))?;
    let changed = Default::default();
    let rounds = Rounds::Remembered(RoundSpec { memory: "/w/memory".into(), person: "who".to_owned(), changed });
    let source = CsvSource::bytes("may.csv", &b"city,who\na,p1\nb,p2\nc,p3\na,p4\n"[..]);
    let ready = job.plan_on(storage, &source, &rounds, &Silent)?.draw_permanent(&mut rng())?;
    let mut rng = ChaCha20Rng::from_seed([9; 32]);
    REPLACING.write_on(storage, Path::new(out), |file| ready.release(file, &Silent, &mut rng).map(drop))?;
    Ok(())
}

fn aggregated(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let job = reports::Job::parse(RAPPOR)?;
    let mut bytes = Vec::new();
    let source = CsvSource::bytes("may.csv", &b"city\na\nb\nc\na\n"[..]);
    job.plan(&source, &Rounds::Once, &Silent)?.release(&mut bytes, &Silent, &mut rng())?;
    let mut counting = Counting::new(&job, 1e9, &Silent)?;
    counting.add_reports(&mut &*bytes)?;
    let state = counting.finish()?.to_bytes();
    REPLACING.write_on(storage, Path::new(out), |file| file.write_all(&state))?;
    Ok(())
}

fn summed(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let text = "data = \"firms.csv\"\naxes = [\"region\"]\namount = \"turnover\"\ndecimals = 0\nrespondent = \"firm\"\n\
                [rule]\np_percent = 10\n";
    let firms = "region,firm,turnover\nsouth,F0,900\nnorth,F1,80\nnorth,F2,70\nnorth,F3,60\neast,F4,50\neast,F5,45\n\
                 east,F6,44\n";
    let mut sink = DirectorySink::create_on(storage, Path::new(out))?;
    let source = CsvSource::bytes("firms.csv", firms.as_bytes());
    amounts::Job::parse(text, "firms", &none())?.load(&source, &Silent)?.plan(&Silent)?.write(&mut sink).map(drop)
}

/// A measurement in memory, as a release has written it.
fn measurement() -> Result<marginals::Measurement<std::io::Cursor<Vec<u8>>>, JobError> {
    let mut memory = disclosure_jobs::sink::MemorySink::default();
    let planned = marginals::Job::parse(NOISY, &none())?.plan(&Limits::default(), &Silent)?;
    let ready = planned.read(&CsvSource::bytes("rows.csv", &b"sex\nf\nm\nm\nf\nf\nf\nm\n"[..]), &Silent)?;
    let mut uncounted = disclosure_jobs::ledger::Uncounted;
    let _ = ready.release(&mut uncounted, &mut rng())?.write(&mut memory, &Silent)?;
    let bytes = memory.files()["measurement.bin"].clone();
    marginals::Measurement::open("measurement.bin", std::io::Cursor::new(bytes), &Limits::default())
}

fn answered(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let mut measurement = measurement()?;
    let requests = measurement.all();
    measurement.write(&requests, TableFormat::Csv, &mut DirectorySink::create_on(storage, Path::new(out))?).map(drop)
}

fn synthetic(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let mut sink = FileSink::new_on(storage, Path::new(out), REPLACING)?;
    let synthesis = measurement()?.synthesise(&Default::default(), &mut rng())?;
    synthesis.write(TableFormat::Parquet, &mut sink, "rows.parquet")
}

fn learnt(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let source = CsvSource::bytes("rows.csv", &b"sex,age\nf,1\nm,2\n"[..]);
    let domain = source.learn_domain_with(&CsvOptions::default(), &Default::default())?;
    let mut sink = DirectorySink::create_on(storage, Path::new(out))?;
    sink.write("domain.toml", domain.to_toml().as_bytes())?;
    sink.write("job.toml", disclosure_jobs::input::job_skeleton(&domain, "rows.csv", "rows").as_bytes())?;
    sink.commit()
}
