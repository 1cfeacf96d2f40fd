//! Every command that writes, with a fault at every operation of its storage: the process is gone,
//! the disk is full or broken, a signal comes, an answer is lost, the power fails.
//!
//! After each: the budget spent is at least what was released, an output is whole or absent, what
//! was there before is untouched, an error says what is true, and the next run works and leaves
//! nothing behind. Storages without the discipline are caught by the same judge.

mod disk;
mod faults;
mod flawed;
mod scenes;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use disclosure_jobs::JobError;
use disclosure_jobs::input::MemoryFiles;
use disclosure_jobs::ledger::{FileLedger, LedgerError};
use disclosure_jobs::page::{PageLimits, StoredRelease};
use disclosure_jobs::privacy_data::storage::StorageRef;

use disk::Disk;
use faults::{EINTR, Fault, KINDS, Kind};
use flawed::{FLAWS, Flaw};
use scenes::{AMOUNTS, GROUPS, KEY, LEDGER, NOISE, REPORTS, START, Scene, TABLES, Whole, asked};

const OUT: &str = "/w/out";
const OTHER: &str = "/w/out2";
/// A release of before, beside the target.
const OLD: &str = "/w/old";

type Files = BTreeMap<String, Vec<u8>>;

/// A scene that was run once without a fault.
struct Stage<'a> {
    scene: &'a Scene,
    /// The disk before the job.
    start: Disk,
    /// The target before the job, if it was there.
    before: Option<Files>,
    /// The target after a job that met no fault.
    after: Files,
    charges: usize,
    operations: u64,
}

impl<'a> Stage<'a> {
    fn set(scene: &'a Scene) -> Self {
        let start = Disk::new();
        start.put(OLD, b"released in May");
        (scene.prepare)(&start);
        let disk = start.copy();
        disk.begin(None);
        (scene.run)(&disk.storage(), &disk, OUT).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
        let after = disk.files(OUT).unwrap();
        let charges = charges(&start).unwrap();
        Self { scene, before: start.files(OUT), after, charges, operations: disk.operations(), start }
    }

    /// Runs the job with a fault and judges what is left; then runs it again.
    fn judge(&self, fault: Fault, storage: fn(&Disk) -> StorageRef) -> Result<(), String> {
        let disk = self.start.copy();
        disk.begin(Some(fault));
        let ended = (self.scene.run)(&storage(&disk), &disk, OUT);
        // The process is gone now in any case, and the disk works.
        let power = fault.power();
        power.into_iter().for_each(|power| disk.cut_power(power));
        disk.begin(None);
        self.whole(&disk, OUT)?;
        self.says_the_truth(&disk, fault, &ended)?;
        self.once_more(&disk, storage)
    }

    fn is_new(&self, disk: &Disk, out: &str) -> bool {
        let now = disk.files(out);
        now.is_some() && now != self.before
    }

    /// The output is whole, absent, or that of before; and paid for.
    fn whole(&self, disk: &Disk, out: &str) -> Result<(), String> {
        let charges = charges(disk).map_err(|error| format!("the ledger is lost: {error}"))?;
        if charges < self.charges {
            return Err("a charge is lost".to_owned());
        }
        if disk.file(OLD).as_deref() != Some(b"released in May") {
            return Err("a release of before was touched".to_owned());
        }
        if disk.file(KEY).is_some_and(|key| key.len() != 32) {
            return Err("half a secret".to_owned());
        }
        for file in self.scene.for_owner {
            if disk.mode(file).is_some_and(|mode| mode & 0o077 != 0) {
                return Err(format!("{file} can be read by others"));
            }
        }
        let Some(files) = disk.files(out) else {
            return if self.before.is_none() { Ok(()) } else { Err("what was there before is gone".to_owned()) };
        };
        if Some(&files) == self.before.as_ref() {
            return Ok(());
        }
        match self.scene.whole {
            Whole::Same if files != self.after => return Err("the output is not that of the job".to_owned()),
            Whole::Same => {}
            Whole::Recorded => recorded(&files)?,
        }
        if let Some(missing) = self.scene.before.iter().find(|file| disk.file(file).is_none()) {
            return Err(format!("the output is there, and {missing} is not"));
        }
        if self.scene.before.contains(&LEDGER) && charges == self.charges {
            return Err("a release that nobody paid for".to_owned());
        }
        Ok(())
    }

    /// What the job said of itself is so.
    fn says_the_truth(&self, disk: &Disk, fault: Fault, ended: &Result<(), JobError>) -> Result<(), String> {
        let is_new = self.is_new(disk, OUT);
        match ended {
            Ok(()) if is_new => return Ok(()),
            Ok(()) => return Err("the job says that it has written, and the output is not there".to_owned()),
            Err(_) if fault.is_silent() => return Ok(()),
            Err(_) => {}
        }
        let error = ended.as_ref().unwrap_err();
        if is_new && !error.has_code("E0121") {
            return Err(format!("an error, but the output is new: {error}"));
        }
        let charged = charges(disk).unwrap_or(0) > self.charges;
        if charged != error.is_after_spending() {
            return Err(format!("charged: {charged}, and the error says otherwise: {} {error}", error.code()));
        }
        match fault.kind {
            Kind::Refused(EINTR) | Kind::ShortWrites => Err(format!("no reason to fail: {error}")),
            _ => Ok(()),
        }
    }

    /// The next run, of the same command to the same place, works and leaves nothing behind. Where
    /// the output is there, it is refused for nothing, and works at another place.
    fn once_more(&self, disk: &Disk, storage: fn(&Disk) -> StorageRef) -> Result<(), String> {
        let is_taken = self.before.is_none() && self.is_new(disk, OUT);
        let out = if is_taken { OTHER } else { OUT };
        if is_taken {
            let (files, charged) = (disk.files(OUT), charges(disk).unwrap_or(0));
            if (self.scene.run)(&storage(disk), disk, OUT).is_ok() || disk.files(OUT) != files {
                return Err("the next run replaces the output".to_owned());
            }
            if charges(disk).unwrap_or(0) != charged {
                return Err("the next run is refused, and paid for".to_owned());
            }
        }
        (self.scene.run)(&storage(disk), disk, out).map_err(|error| format!("the next run: {error}"))?;
        let names = disk.files("/w").unwrap();
        let left = names.keys().find(|name| name.contains(".partial") || name.ends_with(".lock"));
        if let Some(left) = left {
            return Err(format!("{left} is left behind by the next run"));
        }
        self.whole(disk, out).map_err(|problem| format!("after the next run: {problem}"))
    }
}

/// Charges of the ledger; 0 without one.
fn charges(disk: &Disk) -> Result<usize, LedgerError> {
    match disk.file(LEDGER) {
        None => Ok(0),
        Some(_) => Ok(FileLedger::on(&disk.storage(), Path::new(LEDGER)).read()?.charges().len()),
    }
}

/// Every file is the one that the record names, and there is no other.
fn recorded(files: &Files) -> Result<(), String> {
    let memory =
        files.iter().fold(MemoryFiles::default(), |all, (name, bytes)| all.with(PathBuf::from(name), bytes.clone()));
    let stored = StoredRelease::read(&memory, PageLimits::default()).map_err(|error| format!("torn: {error}"))?;
    match stored.files_checked() + 1 == files.len() {
        true => Ok(()),
        false => Err("the output has more files than its record".to_owned()),
    }
}

/// All faults of a scene: one of each kind at each operation, and after the last.
fn faults(stage: &Stage<'_>) -> impl Iterator<Item = Fault> {
    (0..=stage.operations).flat_map(|at| KINDS.map(|kind| Fault { kind, at }))
}

/// With a fault of each kind at each operation of these commands: at least this number of points,
/// so that an operation that goes past the storage is noticed.
fn survive(scenes: &[Scene], least: usize) {
    let mut points = 0;
    let mut problems = Vec::new();
    for scene in scenes {
        let stage = Stage::set(scene);
        for fault in faults(&stage) {
            points += 1;
            if let Err(problem) = stage.judge(fault, Disk::storage) {
                problems.push(format!("{}: {fault:?}: {problem}", scene.name));
            }
        }
    }
    assert!(problems.is_empty(), "{} of {points} points:\n{}", problems.len(), problems.join("\n"));
    assert!(points >= least, "{points} points, of at least {least}");
}

#[test]
fn noisy_marginals_and_ledgers_survive_every_fault_at_every_operation() {
    survive(NOISE, 3_972);
}

#[test]
fn tables_of_counts_survive_every_fault_at_every_operation() {
    survive(TABLES, 2_628);
}

#[test]
fn tables_of_sums_survive_every_fault_at_every_operation() {
    survive(AMOUNTS, 696);
}

#[test]
fn groups_under_a_secret_survive_every_fault_at_every_operation() {
    survive(GROUPS, 3_360);
}

#[test]
fn reports_and_states_survive_every_fault_at_every_operation() {
    survive(REPORTS, 1_008);
}

#[test]
fn domains_screenings_and_pages_survive_every_fault_at_every_operation() {
    survive(START, 1_404);
}

/// Answers know those before them, and no older ones.
#[test]
fn answers_survive_jobs_that_are_ended_in_a_row_at_the_same_operation() {
    let start = Stage::set(&GROUPS[1]).start;
    (GROUPS[1].run)(&start.storage(), &start, OUT).unwrap();
    let disk = start.copy();
    disk.begin(None);
    asked(&disk.storage(), &disk, 100).unwrap();
    let operations = disk.operations();
    let mut ended = 0;
    for (at, kind) in (0..operations).flat_map(|at| KINDS.map(|kind| (at, kind))) {
        let (disk, fault) = (start.copy(), Fault { kind, at });
        for first in [100, 200, 300] {
            disk.begin(Some(fault));
            ended += u64::from(asked(&disk.storage(), &disk, first).is_err());
            fault.power().into_iter().for_each(|power| disk.cut_power(power));
        }
        disk.begin(None);
        let next = asked(&disk.storage(), &disk, 400);
        assert!(next.is_ok(), "after three jobs that ended by {fault:?}: {next:?}");
    }
    assert!(ended > 20 * operations, "{ended} jobs, of {operations} operations each, were ended");
}

#[test]
fn a_storage_without_the_discipline_is_caught() {
    for flaw in FLAWS {
        let storage = match flaw {
            Flaw::FilesUnsynced => |disk: &Disk| Flaw::FilesUnsynced.storage(disk),
            Flaw::DirectoriesUnsynced => |disk: &Disk| Flaw::DirectoriesUnsynced.storage(disk),
            Flaw::WrittenInPlace => |disk: &Disk| Flaw::WrittenInPlace.storage(disk),
            Flaw::NotRetried => |disk: &Disk| Flaw::NotRetried.storage(disk),
            Flaw::LeftoversStay => |disk: &Disk| Flaw::LeftoversStay.storage(disk),
        };
        let is_caught = |scene: &Scene| {
            let stage = Stage::set(scene);
            faults(&stage).any(|fault| stage.judge(fault, storage).is_err())
        };
        // A directory of a release, and a file that is replaced.
        assert!([&NOISE[2], &REPORTS[0]].into_iter().any(is_caught), "{flaw:?}");
    }
}
