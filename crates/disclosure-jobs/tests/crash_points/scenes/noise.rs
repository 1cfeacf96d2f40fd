//! Noisy marginals, what is made of them, and the ledger that they are charged to.

use std::io::Cursor;
use std::path::Path;
use std::sync::OnceLock;

use disclosure_jobs::adaptive::AdaptiveJob;
use disclosure_jobs::input::CsvSource;
use disclosure_jobs::ledger::{FileLedger, Ledger, NewLedger, Uncounted};
use disclosure_jobs::limits::Limits;
use disclosure_jobs::marginals::{Job, Measurement, Planned, Ready};
use disclosure_jobs::observer::Silent;
use disclosure_jobs::privacy_data::TableFormat;
use disclosure_jobs::sink::{DirectorySink, FileSink, MemorySink};

use super::*;

pub(crate) const NOISE: &[Scene] = &[
    same("resplan plan -o", planned),
    Scene { before: &[LEDGER], ..recorded("resplan release --new-ledger", released_with_a_new_ledger) },
    Scene { prepare: with_a_ledger, before: &[LEDGER], ..recorded("resplan release --ledger", released) },
    Scene { for_owner: &["/w/out"], ..same("resplan simulate -o", simulated) },
    same("resplan answer -o", answered),
    same("resplan answer --export-mbi", exported),
    Scene { prepare: with_an_old_output, ..same("synth --force", synthetic) },
    Scene { before: &[LEDGER], ..recorded("adaptive release --new-ledger", adaptive_with_a_new_ledger) },
    Scene { prepare: with_a_ledger, before: &[LEDGER], ..recorded("adaptive release --ledger", adaptive) },
    same("ledger open", opened),
];

const NOISY: &str = "marginals = [[\"sex\"]]\nneighbours = \"add-remove\"\n[privacy]\nrho = 0.5\n\
                     [[attribute]]\nname = \"sex\"\nlabels = [\"f\", \"m\"]\n";
const ROWS: &[u8] = b"sex\nf\nm\nm\nf\nf\nf\nm\n";

fn plan() -> Result<Planned, JobError> {
    Job::parse(NOISY, &none())?.plan(&Limits::default(), &Silent)
}

fn ready() -> Result<Ready, JobError> {
    plan()?.read(&CsvSource::bytes("rows.csv", ROWS), &Silent)
}

fn planned(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let out = Path::new(out);
    NEW.check_on(storage, out)?;
    let text = plan()?.to_stored();
    Ok(NEW.write_on(storage, out, |file| file.write_all(text.as_bytes()))?)
}

fn noisy(storage: &StorageRef, ledger: &mut dyn Ledger, out: &str) -> Result<(), JobError> {
    ledger.check(&plan()?.charge_request())?;
    let mut sink = DirectorySink::create_on(storage, Path::new(out))?;
    ready()?.release(ledger, &mut rng())?.write(&mut sink, &Silent).map(drop)
}

fn released_with_a_new_ledger(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    noisy(storage, &mut NewLedger::on(storage, Path::new(LEDGER), 9.0, &mut rng()), out)
}

fn released(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    noisy(storage, &mut FileLedger::on(storage, Path::new(LEDGER)), out)
}

fn simulated(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let mut sink = FileSink::new_on(storage, Path::new(out), FOR_OWNER)?;
    ready()?.write_simulated(1, 0, &mut sink, "measurement")
}

/// A measurement in memory, as a release has written it.
fn measurement() -> Result<Measurement<Cursor<Vec<u8>>>, JobError> {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    let bytes = BYTES.get_or_init(|| {
        let mut memory = MemorySink::default();
        let _ = ready().unwrap().release(&mut Uncounted, &mut rng()).unwrap().write(&mut memory, &Silent).unwrap();
        memory.files()["measurement.bin"].clone()
    });
    Measurement::open("measurement.bin", Cursor::new(bytes.clone()), &Limits::default())
}

fn answered(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let mut measurement = measurement()?;
    let requests = measurement.all();
    measurement.write(&requests, TableFormat::Csv, &mut DirectorySink::create_on(storage, Path::new(out))?).map(drop)
}

fn exported(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let mut sink = FileSink::new_on(storage, Path::new(out), NEW)?;
    measurement()?.export_mbi(&mut sink, "residuals.json", &Limits::default())
}

fn synthetic(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let mut sink = FileSink::new_on(storage, Path::new(out), REPLACING)?;
    let synthesis = measurement()?.synthesise(&Default::default(), &mut rng())?;
    synthesis.write(TableFormat::Parquet, &mut sink, "rows.parquet")
}

const ADAPTIVE: &str = "up_to = 1\nrounds = 2\nrows = 3\nneighbours = \"add-remove\"\n[privacy]\nrho = 0.5\n\
                        [[attribute]]\nname = \"sex\"\nlabels = [\"f\", \"m\"]\n";

fn adapted(storage: &StorageRef, ledger: &mut dyn Ledger, out: &str) -> Result<(), JobError> {
    let planned = AdaptiveJob::parse(ADAPTIVE, &none())?.plan(&Limits::default())?;
    ledger.check(&planned.charge_request())?;
    let mut sink = DirectorySink::create_on(storage, Path::new(out))?;
    let ready = planned.read(&CsvSource::bytes("rows.csv", ROWS), &Silent)?;
    ready.release(ledger, &Silent, &mut rng())?.write(&mut sink).map(drop)
}

fn adaptive_with_a_new_ledger(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    adapted(storage, &mut NewLedger::on(storage, Path::new(LEDGER), 9.0, &mut rng()), out)
}

fn adaptive(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    adapted(storage, &mut FileLedger::on(storage, Path::new(LEDGER)), out)
}

fn opened(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    Ok(FileLedger::on(storage, Path::new(out)).make(9.0, TERMS, &mut rng())?)
}
