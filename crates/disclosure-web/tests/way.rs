//! The whole way: a file, its columns, tables, a budget, a release.

use std::path::Path;

use crate::support::{Bench, DAY, SEED, files, people, revision_of, shell};
use axum::http::StatusCode;
use disclosure_jobs::input::{CsvSource, FileSystem};
use disclosure_jobs::ledger::Uncounted;
use disclosure_jobs::observer::Silent;
use disclosure_jobs::pipeline::Job;
use disclosure_jobs::sink::{DirectorySink, MemorySink};
use disclosure_web::App;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

/// What `disclosure run` does with a job.
fn run_job(job: &Path, output: &Path) {
    let text = std::fs::read_to_string(job).unwrap();
    let files = FileSystem::beside(job);
    let job_title = job.file_stem().unwrap().to_str().unwrap();
    let parsed = Job::parse(&text, &files).unwrap().with_default_title(job_title);
    let data = job.parent().unwrap().join(parsed.data().unwrap());
    let source = CsvSource::file(data).with_format(parsed.format().clone());
    let planned = parsed.plan(&source, &Silent).unwrap().with_default_date(DAY);
    planned.require_targets().unwrap();
    let released = planned.release(&mut Uncounted, &mut ChaCha20Rng::from_seed(SEED)).unwrap();
    released.write(&mut DirectorySink::create(output).unwrap(), &Silent).unwrap();
    released.write(&mut MemorySink::default(), &Silent).unwrap();
}

#[test]
fn a_table_becomes_a_release_and_the_job_file_makes_the_same_one() {
    let bench = Bench::with(&[("deep/people.csv", &people(400))]);
    let listed = bench.page("");
    assert!(listed.contains("deep") && !listed.contains("people.csv"), "{listed}");
    let folder = bench.post("folder", &[("folder", "deep")]);
    assert!(folder.text().contains("deep/people.csv"));
    assert_eq!(bench.choose("open", &[("data", "deep/people.csv")]), "columns");
    let columns = bench.page("columns");
    assert!(columns.contains("For the data owner only") && columns.contains("Rows of each category"));
    assert!(columns.contains("Type: numbers, each a category") && columns.contains("Type: texts"));
    bench.keep_columns(&[("treatment.0", "bins"), ("edges.0", "18; 30; 45; 60")]);
    assert_eq!(bench.choose("tables", &[("up_to", "2")]), "tables");
    bench.choose("tables", &[("up_to", "2"), ("add", "1"), ("attribute", "0"), ("attribute", "1"), ("attribute", "2")]);
    assert_eq!(bench.choose("noise", &[("rho", "0,25"), ("weights", "equal-error"), ("nonnegative", "1")]), "noise");
    let noise = bench.page("noise");
    assert!(noise.contains("an attacker guesses right") && noise.contains("0.25-zCDP"), "{noise}");
    let run = bench.page("run");
    assert!(run.contains("disclosure run disclosure-workbench/job-1.toml -o out"), "{run}");
    assert_eq!(bench.choose("run", &[("title", "Survey"), ("owner", "Office"), ("release", "1")]), "releases");
    let releases = bench.page("releases");
    assert!(releases.contains("files are as the record says"), "{releases}");
    let (job, output) = (bench.path("disclosure-workbench/job-1.toml"), bench.path("out"));
    run_job(&job, &output);
    let (made, again) = (files(&bench.path("disclosure-workbench/release-1")), files(&output));
    assert!(made.len() > 12, "{}", made.len());
    assert_eq!(made, again, "the command line makes the same documents");
    // The page, as anybody may read it and as the owner does, and every file.
    let public = bench.post("report", &[("number", "1"), ("public", "1")]);
    assert!(public.text().contains("Survey") && !public.text().contains("For the data owner only"));
    let policy = public.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("sandbox") && !policy.contains("script-src"), "{policy}");
    for file in ["0", "1", &(made.len() - 1).to_string()] {
        let answer = bench.post("download", &[("number", "1"), ("file", file)]);
        assert_eq!(answer.status, StatusCode::OK, "{file}");
        assert!(answer.headers["content-disposition"].to_str().unwrap().starts_with("attachment; filename="));
        let known = std::fs::read(&job).unwrap();
        assert!(made.iter().any(|(_, bytes)| *bytes == answer.bytes) || answer.bytes == known, "{file}");
    }
}

#[test]
fn nothing_with_noise_leaves_before_the_labels_are_declared_public() {
    let bench = Bench::with(&[("people.csv", &people(100))]);
    assert_eq!(bench.choose("open", &[("data", "people.csv")]), "columns");
    assert!(bench.page("run").contains("may be known to anybody"));
    let answer = bench.post("run", &[("title", ""), ("owner", ""), ("release", "1")]);
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    let ended = std::iter::repeat_with(|| bench.page("status")).find(|status| !status.contains("<progress")).unwrap();
    assert!(ended.contains("E0401"), "{ended}");
    assert!(!bench.path("disclosure-workbench/release-1").exists());
}

#[test]
fn a_reload_and_a_restart_lose_nothing_and_every_step_can_be_undone() {
    let bench = Bench::with(&[("people.csv", &people(100)), ("other.csv", "a;b\n1,5;x\n2,5;y\n")]);
    bench.open("people.csv");
    bench.choose("tables", &[("up_to", "2")]);
    bench.choose("noise", &[("rho", "0.125"), ("weights", "by-cells")]);
    let bench = bench.restarted();
    assert!(bench.page("noise").contains("0.125-zCDP"));
    assert_eq!(bench.choose("undo", &[("page", "noise")]), "noise");
    assert!(bench.page("noise").contains("0.5-zCDP"));
    bench.choose("redo", &[]);
    assert!(bench.page("noise").contains("0.125-zCDP"));
    assert_eq!(bench.choose("open", &[("data", "other.csv")]), "columns");
    let page = bench.page("");
    assert!(page.contains("fields separated by semicolons, decimal commas"), "{page}");
    bench.choose("undo", &[]);
    assert!(bench.page("noise").contains("0.125-zCDP"), "the other file is closed again");
}

#[test]
fn a_page_of_an_older_state_changes_nothing() {
    let bench = Bench::with(&[("people.csv", &people(100))]);
    bench.open("people.csv");
    let old = revision_of(&bench.page("noise"));
    bench.choose("noise", &[("rho", "0.25"), ("weights", "by-cells")]);
    let answer = bench.post_raw("noise", &format!("revision={old}&rho=1&weights=by-cells"));
    assert_eq!(answer.status, StatusCode::CONFLICT);
    assert!(answer.text().contains("E0707") && bench.page("noise").contains("0.25-zCDP"));
}

#[test]
fn a_release_is_made_once_however_often_its_button_is_pressed() {
    let bench = Bench::with(&[("people.csv", &people(100))]);
    bench.open("people.csv");
    let pressed = bench.form_of("run", &[("title", ""), ("owner", ""), ("release", "1")]);
    assert_eq!(bench.post_raw("run", &pressed).status, StatusCode::SEE_OTHER);
    bench.wait();
    // The same page, whose choices are still those that are kept.
    assert_eq!(bench.post_raw("run", &pressed).status, StatusCode::SEE_OTHER);
    let ended = std::iter::repeat_with(|| bench.page("status")).find(|status| !status.contains("<progress")).unwrap();
    assert!(ended.contains("E0707"), "{ended}");
    assert!(bench.path("disclosure-workbench/release-1").exists());
    assert!(!bench.path("disclosure-workbench/release-2").exists());
    assert!(App::open(bench.place.path(), 1, shell()).unwrap_err().has_code("E0727"));
    let again = bench.restarted();
    assert_eq!(again.choose("run", &[("title", ""), ("owner", ""), ("release", "1")]), "releases");
    assert!(again.path("disclosure-workbench/release-2").exists());
}

#[test]
fn the_slider_shows_and_keeps_a_budget() {
    let bench = Bench::with(&[("people.csv", &people(60))]);
    bench.open("people.csv");
    bench.choose("tables", &[("up_to", "3")]);
    let at = |rho: &str| bench.post("trade-off", &[("rho", rho), ("weights", "by-cells"), ("fragment", "1")]).text();
    let (little, much) = (at("0.001"), at("5"));
    assert!(little.contains("say little at this budget") && little.contains("For the data owner only"), "{little}");
    assert!(!much.contains("Warning") && at("6").contains("This gives one person little protection"));
    assert!(bench.page("noise").contains("0.5-zCDP"), "a slider that moves keeps nothing");
    let kept = bench.post("trade-off", &[("rho", "2"), ("weights", "by-cells"), ("fragment", "1"), ("keep", "1")]);
    assert!(kept.text().contains("data-revision") && bench.page("noise").contains("2-zCDP"));
    for wrong in ["0", "-1", "nan", "inf", "x", "1e400", ""] {
        let answer = bench.post("trade-off", &[("rho", wrong), ("weights", "by-cells"), ("fragment", "1")]);
        assert!(answer.text().contains("E0704") && !answer.text().contains("<html"), "{wrong}");
    }
}

#[test]
fn a_release_is_compared_with_its_digests_before_it_is_shown_and_a_large_one_by_a_job() {
    let bench = Bench::with(&[("people.csv", &people(100))]);
    bench.open("people.csv");
    bench.choose("run", &[("title", ""), ("owner", ""), ("release", "1")]);
    let release = bench.path("disclosure-workbench/release-1");
    let names: Vec<String> = files(&release).into_iter().map(|(name, _)| name).collect();
    let table = names.iter().find(|name| name.ends_with("-sex.csv")).unwrap();
    std::fs::write(release.join(table), "sex,value\nf,1\n").unwrap();
    let downloads =
        || (0..names.len()).map(|file| bench.post("download", &[("number", "1"), ("file", &file.to_string())]));
    assert_eq!(
        downloads().filter(|answer| String::from_utf8_lossy(&answer.bytes).contains("E0717")).count(),
        1,
        "it changed after it was read"
    );
    let bench = bench.restarted();
    assert!(bench.page("releases").contains("E0387"), "and is named when all are read again");
    // What is not of the record counts as well: reading is bounded by what is there.
    std::fs::write(release.join("more"), vec![b'x'; 9 << 20]).unwrap();
    assert!(bench.page("releases").contains("Read release 1"));
    let answer = bench.post("report", &[("number", "1"), ("public", "1")]);
    assert!(answer.location().ends_with("/job"), "a job reads it, and says what changed");
    assert!(bench.page("status").contains("E0387"));
}
