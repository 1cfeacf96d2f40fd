//! Tables of counts: released, decided privately, rounded, perturbed, and judged.

use std::path::Path;

use disclosure_jobs::exact::{
    AuditOptions, BoundsOptions, Certificates, Job, LoadedJob, Pattern, PatternOptions, Perturbed,
};
use disclosure_jobs::input::CsvSource;
use disclosure_jobs::ledger::{FileLedger, Ledger};
use disclosure_jobs::observer::Silent;
use disclosure_jobs::registry::{Registration, RegistryFile};
use disclosure_jobs::secret::make_secret_on;
use disclosure_jobs::sink::DirectorySink;

use super::*;

pub(crate) const TABLES: &[Scene] = &[
    same("frechet release", published),
    Scene { prepare: with_a_ledger, before: &[LEDGER], ..recorded("frechet release, decided privately", private) },
    same("frechet round", rounded),
    Scene {
        before: &[KEY, "/w/key.registry"],
        for_owner: &[KEY, "/w/key.registry"],
        ..same("frechet perturb --new-secret", perturbed)
    },
    Scene { for_owner: &["/w/out"], ..same("frechet bounds --certificates", bounded) },
    Scene { for_owner: &["/w/out"], ..same("frechet audit --certificates", audited) },
    Scene { for_owner: &["/w/out"], ..same("frechet audit --jj --certificates", pattern) },
];

const LABELS: &str = "[[attribute]]\nname = \"a\"\nlabels = [\"x\", \"y\"]\n\
                      [[attribute]]\nname = \"b\"\nlabels = [\"p\", \"q\", \"r\"]\n";
const CELLS: &[u8] = b"a,b,n\nx,p,2\nx,q,70\nx,r,90\ny,p,80\ny,q,75\ny,r,60\n";
const ALL_MARGINS: &str = "[[\"a\"], [\"b\"], [\"a\", \"b\"]]";
const ONE_TABLE: &str = "[[\"a\", \"b\"]]";

/// A job about the cells, and more keys of it.
fn job(margins: &str, more: &str) -> Result<Job, JobError> {
    let text = format!("data = \"d.csv\"\ncount = \"n\"\nmargins = {margins}\n{more}{LABELS}");
    Job::parse(&text, "test", &none())
}

fn source() -> CsvSource {
    CsvSource::bytes("d.csv", CELLS)
}

fn loaded(more: &str) -> Result<LoadedJob, JobError> {
    job(ALL_MARGINS, &format!("tau = 0\nkappa = 3\n{more}"))?.load(&source(), &Silent)
}

fn published(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let mut sink = DirectorySink::create_on(storage, Path::new(out))?;
    loaded("")?.plan(&Silent)?.release(&mut rng())?.write(&mut sink).map(drop)
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

fn rounded(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let job = job(ONE_TABLE, "min_interval_width = 3\nmin_frequency = 1\n")?.load(&source(), &Silent)?;
    let mut sink = DirectorySink::create_on(storage, Path::new(out))?;
    job.round(5, &mut rng(), &Silent)?.write(&mut sink).map(drop)
}

fn perturbed(storage: &StorageRef, disk: &Disk, out: &str) -> Result<(), JobError> {
    let mut sink = DirectorySink::create_on(storage, Path::new(out))?;
    make_secret_on(storage, Path::new(KEY), &Silent, &mut rng())?;
    let design = "[cell_key]\nmax_deviation = 5\nvariance = 3.0\nsmallest_published = 3\n";
    let job = job(ONE_TABLE, &format!("min_interval_width = 1\nmin_frequency = 1\n{design}"))?;
    let perturbed: Perturbed = job.perturb(&source(), &secret(disk)?, &Silent)?;
    let registry = RegistryFile::on(storage, Path::new(KEY));
    registry.admit(&secret(disk)?, &perturbed.claim(), Registration::IfNone)?;
    perturbed.write(&mut sink).map(drop)
}

fn certified(storage: &StorageRef, out: &str, certificates: Option<&Certificates>) -> Result<(), JobError> {
    let certificates = certificates.expect("certificates were asked for");
    Ok(FOR_OWNER.write_on(storage, Path::new(out), |file| certificates.write_json(file))?)
}

fn bounded(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    FOR_OWNER.check_on(storage, Path::new(out))?;
    let options = BoundsOptions { count_tables: None, certificates: true };
    let (_, certificates) = loaded("")?.bounds(options, &Silent)?;
    certified(storage, out, certificates.as_ref())
}

fn audited(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    FOR_OWNER.check_on(storage, Path::new(out))?;
    let options = AuditOptions { draws: None, certificates: true, algorithm_aware: false };
    let (_, certificates) = loaded("")?.audit(options, &Silent)?;
    certified(storage, out, certificates.as_ref())
}

/// Three numbers and their total; two of them are withheld.
const JJ: &str = "0\n4\n0 2 2 u 0 90 1 1 1\n1 18 18 x 0 90 0 0 0\n2 70 70 s 0 90 0 0 0\n3 90 90 s 0 90 0 0 0\n1\n\
                  0 4 : 3 (-1) 0 (1) 1 (1) 2 (1)\n";

fn pattern(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    FOR_OWNER.check_on(storage, Path::new(out))?;
    let options = PatternOptions { certificates: true, ..PatternOptions::default() };
    let (_, certificates) = Pattern::parse(JJ, "own.jj")?.audit(options, &Silent)?;
    certified(storage, out, certificates.as_ref())
}
