//! What comes before a release and after it: a domain, a screening, a page.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use disclosure_jobs::input::{CsvSource, DataSource, MemoryFiles, job_skeleton};
use disclosure_jobs::ledger::Uncounted;
use disclosure_jobs::observer::Silent;
use disclosure_jobs::page::{PageLimits, StoredRelease};
use disclosure_jobs::pipeline;
use disclosure_jobs::privacy_data::storage::Storage;
use disclosure_jobs::privacy_data::{CsvOptions, make_owner_folder, remove_if_there};
use disclosure_jobs::screening::{GridPoint, ScreenLimits, ScreeningJob, write_grid};
use disclosure_jobs::sink::{DirectorySink, MemorySink, Sink};
use disclosure_report::{Page, render};

use super::*;

pub(crate) const START: &[Scene] = &[
    same("init -o", learnt),
    Scene { for_owner: &["/w/out"], ..same("screen table --rows", screened) },
    Scene { prepare: with_an_old_output, ..same("screen search --grid --force", searched) },
    Scene { for_owner: &["/w/out"], ..same("report -o", page_for_owner) },
    Scene {
        prepare: with_a_home,
        before: &["/w/home/bench/project.json", "/w/home/bench/release-1.toml"],
        for_owner: &["/w/home/bench", "/w/home/bench/project.json", "/w/home/bench/release-1.toml"],
        ..same("serve", worked)
    },
    Scene { prepare: with_an_old_output, ..same("report --public -o --force", public_page) },
];

fn learnt(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let source = CsvSource::bytes("rows.csv", &b"sex,age\nf,1\nm,2\n"[..]);
    let domain = source.learn_domain_with(&CsvOptions::default(), &Default::default())?;
    let mut sink = DirectorySink::create_on(storage, Path::new(out))?;
    sink.write("domain.toml", domain.to_toml().as_bytes())?;
    sink.write("job.toml", job_skeleton(&domain, "rows.csv", "rows").as_bytes())?;
    sink.commit()
}

/// Every row of a table, the most exposed first, as `write_rows` has them.
fn exposed_rows() -> &'static [u8] {
    static ROWS: OnceLock<Vec<u8>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let text = "target = \"vote\"\nknown = [\"sex\", \"age\"]\nsuppress_below = 2\nnoise = 0\n";
        let job = ScreeningJob::parse(text, Path::new("screen.toml")).unwrap();
        let source = CsvSource::bytes("rows.csv", &b"sex,age,vote\nf,1,l\nf,1,r\nm,2,l\nm,1,r\n"[..]);
        let table = job.read_table(&none(), &source, &Silent).unwrap();
        let mut rows = Vec::new();
        table.screen(&ScreenLimits::default(), &Silent).unwrap().write_rows(&mut rows).unwrap();
        rows
    })
}

/// A folder that nothing is synced in but what is made in it.
fn with_a_home(disk: &Disk) {
    disk.make_directory(Path::new("/w/home"), None).unwrap();
    disk.settle();
}

/// The folder of the workbench, its project and the job of a release, as they are kept before the
/// release is made.
fn worked(storage: &StorageRef, disk: &Disk, out: &str) -> Result<(), JobError> {
    let kept = FileOptions { replaces: true, ..FOR_OWNER };
    make_owner_folder(storage, Path::new("/w/home/bench"))?;
    for file in ["/w/home/bench/project.json", "/w/home/bench/release-1.toml"] {
        kept.write_on(storage, Path::new(file), |bytes| bytes.write_all(b"choices"))?;
    }
    remove_if_there(storage, Path::new("/w/home/bench/release-1.domain.toml"))?;
    learnt(storage, disk, out)
}

fn screened(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    FOR_OWNER.check_on(storage, Path::new(out))?;
    Ok(FOR_OWNER.write_on(storage, Path::new(out), |file| file.write_all(exposed_rows()))?)
}

fn searched(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    static POINTS: OnceLock<Vec<GridPoint>> = OnceLock::new();
    REPLACING.check_on(storage, Path::new(out))?;
    let points = POINTS.get_or_init(|| {
        let text = "rows = 20\ncardinalities = [2, 2]\nclasses = 2\nsuppress_below = 2\nnoise = 0\n\
                    target_accuracy = 0.99\n[grid]\nsuppress_below = [2, 3]\nnoise = [0, 1]\n";
        let job = ScreeningJob::parse(text, Path::new("screen.toml")).unwrap();
        job.grid(&ScreenLimits::default(), &Silent).unwrap()
    });
    Ok(REPLACING.write_on(storage, Path::new(out), |file| write_grid(points, file))?)
}

/// The page of a release that has sections for the owner of the data.
fn page() -> &'static Page {
    static PAGE: OnceLock<Page> = OnceLock::new();
    PAGE.get_or_init(|| {
        let text = "[budget]\nrho = 0.5\nneighbours = \"add-remove\"\n[noisy]\nmarginals = [[\"x\"]]\n\
                    [[attribute]]\nname = \"x\"\nlabels = [\"a\", \"b\"]\n";
        let (files, mut memory) = (none(), MemorySink::default());
        let source = CsvSource::bytes("people.csv", [b"x\n".as_slice(), &b"a\nb\na\n".repeat(9)].concat());
        let planned = pipeline::Job::parse(text, &files).unwrap().plan(&source, &Silent).unwrap();
        let _ = planned.release(&mut Uncounted, &mut rng()).unwrap().write(&mut memory, &Silent).unwrap();
        let files = memory
            .files()
            .iter()
            .fold(MemoryFiles::default(), |files, (name, bytes)| files.with(PathBuf::from(name), bytes.clone()));
        StoredRelease::read(&files, PageLimits::default()).unwrap().page()
    })
}

fn page_for_owner(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    assert!(page().has_owner_sections(), "the page is for the owner");
    let html = render(page());
    FOR_OWNER.check_on(storage, Path::new(out))?;
    Ok(FOR_OWNER.write_on(storage, Path::new(out), |file| file.write_all(html.as_bytes()))?)
}

fn public_page(storage: &StorageRef, _: &Disk, out: &str) -> Result<(), JobError> {
    let html = render(&page().clone().public());
    REPLACING.check_on(storage, Path::new(out))?;
    Ok(REPLACING.write_on(storage, Path::new(out), |file| file.write_all(html.as_bytes()))?)
}
