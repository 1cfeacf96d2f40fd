//! Reports that are randomised where the answers are, and states that count them.

use std::path::{Path, PathBuf};

use disclosure_jobs::input::CsvSource;
use disclosure_jobs::observer::Silent;
use disclosure_jobs::reports::{Counting, Job, RoundSpec, Rounds, merge};

use super::*;

pub(crate) const REPORTS: &[Scene] = &[
    Scene {
        prepare: with_an_old_output,
        before: &["/w/memory"],
        for_owner: &["/w/memory"],
        ..same("ldp encode --memory --force", encoded)
    },
    same("ldp encode", encoded_once),
    Scene { prepare: with_an_old_output, ..same("ldp aggregate --force", aggregated) },
    Scene { prepare: with_states, ..same("ldp merge", merged) },
    Scene { prepare: with_states_and_an_old_output, ..same("ldp merge --force", merged_again) },
];

const RAPPOR: &str = "order = 1\n[[feature]]\nname = \"city\"\nvalues = [\"a\", \"b\", \"c\"]\nprotocol = \"rappor\"\n\
                      permanent = {p = 0.25, q = 0.75}\ninstantaneous = {p = 0.1, q = 0.9}\n";
const STATES: [&str; 2] = ["/w/may.state", "/w/june.state"];

fn encoded(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let job = Job::parse(RAPPOR)?;
    REPLACING.check_on(storage, Path::new(out))?;
    let changed = Default::default();
    let rounds = Rounds::Remembered(RoundSpec { memory: "/w/memory".into(), person: "who".to_owned(), changed });
    let source = CsvSource::bytes("may.csv", &b"city,who\na,p1\nb,p2\nc,p3\na,p4\n"[..]);
    let ready = job.plan_on(storage, &source, &rounds, &Silent)?.draw_permanent(&mut rng())?;
    let mut rng = ChaCha20Rng::from_seed([9; 32]);
    REPLACING.write_on(storage, Path::new(out), |file| ready.release(file, &Silent, &mut rng).map(drop))?;
    Ok(())
}

fn encoded_once(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let job = Job::parse(RAPPOR)?;
    NEW.check_on(storage, Path::new(out))?;
    let source = CsvSource::bytes("may.csv", &b"city\na\nb\nc\na\n"[..]);
    let ready = job.plan_on(storage, &source, &Rounds::Once, &Silent)?.draw_permanent(&mut rng())?;
    let mut rng = rng();
    Ok(NEW.write_on(storage, Path::new(out), |file| ready.release(file, &Silent, &mut rng).map(drop))?)
}

/// A state that counts the reports of a seed.
fn state(seed: u8) -> Result<Vec<u8>, JobError> {
    let job = Job::parse(RAPPOR)?;
    let mut bytes = Vec::new();
    let source = CsvSource::bytes("may.csv", &b"city\na\nb\nc\na\n"[..]);
    let mut rng = ChaCha20Rng::from_seed([seed; 32]);
    job.plan(&source, &Rounds::Once, &Silent)?.release(&mut bytes, &Silent, &mut rng)?;
    let mut counting = Counting::new(&job, 1e9, &Silent)?;
    counting.add_reports(&mut &*bytes)?;
    Ok(counting.finish()?.to_bytes())
}

fn aggregated(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let state = state(7)?;
    REPLACING.write_on(storage, Path::new(out), |file| file.write_all(&state))?;
    Ok(())
}

fn with_states(disk: &Disk) {
    for (path, seed) in STATES.iter().zip(7..) {
        disk.put(path, &state(seed).unwrap());
    }
}

fn with_states_and_an_old_output(disk: &Disk) {
    with_states(disk);
    with_an_old_output(disk);
}

fn merged(storage: &StorageRef, disk: &Disk, out: &str) -> Result<(), JobError> {
    merged_with(storage, disk, out, NEW)
}

fn merged_again(storage: &StorageRef, disk: &Disk, out: &str) -> Result<(), JobError> {
    merged_with(storage, disk, out, REPLACING)
}

fn merged_with(storage: &StorageRef, disk: &Disk, out: &str, options: FileOptions) -> Result<(), JobError> {
    options.check_on(storage, Path::new(out))?;
    let files = STATES.iter().fold(none(), |files, path| {
        // A state that a fault has taken is one that the command does not find.
        files.with(PathBuf::from(path), disk.file(path).unwrap_or_default())
    });
    let merged = merge(&files, &STATES, false, 1e9, &Silent)?.to_bytes();
    Ok(options.write_on(storage, Path::new(out), |file| file.write_all(&merged))?)
}
