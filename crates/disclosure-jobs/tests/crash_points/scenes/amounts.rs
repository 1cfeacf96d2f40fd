//! Tables of sums.

use std::path::Path;

use disclosure_jobs::amounts::{Job, Pattern, PlanOptions, Planned};
use disclosure_jobs::input::CsvSource;
use disclosure_jobs::observer::Silent;
use disclosure_jobs::sink::DirectorySink;

use super::*;

pub(crate) const AMOUNTS: &[Scene] = &[
    same("magnitude release", released),
    Scene {
        before: &["/w/proofs.json"],
        for_owner: &["/w/proofs.json", "/w/out"],
        ..same("magnitude plan --certificates --jj", planned)
    },
    Scene { for_owner: &["/w/out"], ..same("magnitude audit --certificates", audited) },
];

const JOB: &str = "data = \"firms.csv\"\naxes = [\"region\"]\namount = \"turnover\"\ndecimals = 0\n\
                   respondent = \"firm\"\n[rule]\np_percent = 10\n";
const FIRMS: &[u8] = b"region,firm,turnover\nsouth,F0,900\nnorth,F1,80\nnorth,F2,70\nnorth,F3,60\neast,F4,50\n\
                       east,F5,45\neast,F6,44\n";

fn plan() -> Result<Planned, JobError> {
    Job::parse(JOB, "firms", &none())?.load(&CsvSource::bytes("firms.csv", FIRMS), &Silent)?.plan(&Silent)
}

fn released(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let mut sink = DirectorySink::create_on(storage, Path::new(out))?;
    plan()?.write(&mut sink).map(drop)
}

fn planned(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let proofs = FileOptions { replaces: true, ..FOR_OWNER };
    proofs.check_on(storage, Path::new("/w/proofs.json"))?;
    FOR_OWNER.check_on(storage, Path::new(out))?;
    let planned = plan()?;
    let (_, certificates) = planned.document(PlanOptions { certificates: true }, &Silent)?;
    let certificates = certificates.expect("certificates were asked for");
    proofs.write_on(storage, Path::new("/w/proofs.json"), |file| certificates.write_json(file))?;
    Ok(FOR_OWNER.write_on(storage, Path::new(out), |file| planned.jj().write(planned.decimals(), file))?)
}

fn audited(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    FOR_OWNER.check_on(storage, Path::new(out))?;
    let (mut jj, planned) = (Vec::new(), plan()?);
    planned.jj().write(planned.decimals(), &mut jj).expect("memory takes everything");
    let text = String::from_utf8(jj).expect("the file is text");
    let (_, certificates) = Pattern::parse(&text, "own.jj", planned.decimals())?.audit(None, &Silent)?;
    Ok(FOR_OWNER.write_on(storage, Path::new(out), |file| certificates.write_json(file))?)
}
