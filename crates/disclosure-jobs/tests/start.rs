//! The job that `init` writes: it parses as it is, and so does every part of it that a person may
//! take out of its comment.

use disclosure_jobs::disclosure::privacy_core::rng;
use disclosure_jobs::error::JobError;
use disclosure_jobs::input::{CsvSource, DataSource, MemoryFiles, job_skeleton, learn_spec};
use disclosure_jobs::ledger::Uncounted;
use disclosure_jobs::observer::Silent;
use disclosure_jobs::pipeline::Job;
use disclosure_jobs::sink::MemorySink;
use privacy_data::CsvOptions;

const ROWS: &str = "age,sex,town\n17,0,Bonn\n33,1,Bonn\n70,0,Trier\n41,1,NA\n";

fn source() -> CsvSource {
    CsvSource::bytes("rows.csv", ROWS.as_bytes())
}

/// The domain as it is learnt, and the job.
fn start() -> (MemoryFiles, String) {
    let learn = learn_spec(&["age=0,18,65".to_owned()], &[], Some("NA")).unwrap();
    let domain = source().learn_domain_with(&CsvOptions::default(), &learn).unwrap();
    let job = job_skeleton(&domain, "data/it's \"here\".csv", "A start");
    let public = domain.to_toml().replace("domain_is_public = false", "domain_is_public = true");
    (MemoryFiles::default().with("domain.toml", public), job)
}

/// Whether a line can be taken out of its comment.
fn is_commented(line: &str) -> bool {
    line.strip_prefix('#').is_some_and(|rest| rest.starts_with(|c: char| c == '[' || c.is_ascii_lowercase()))
}

/// Uncomments the lines with these numbers.
fn uncommented(job: &str, wanted: impl Fn(usize) -> bool) -> String {
    let lines = job.lines().enumerate();
    let lines = lines.map(|(place, line)| if wanted(place) && is_commented(line) { &line[1..] } else { line });
    lines.map(|line| format!("{line}\n")).collect()
}

fn parse(job: &str, files: &MemoryFiles) -> Result<(), JobError> {
    Job::parse(job, files).map(drop)
}

#[test]
fn the_job_is_ready_and_every_line_of_it_can_be_uncommented() {
    let (files, job) = start();
    let planned = Job::parse(&job, &files).unwrap().plan(&source(), &Silent).unwrap();
    assert_eq!(planned.manifest().tables.len(), 3, "a table for each attribute");
    let lines: Vec<&str> = job.lines().collect();
    let commented: Vec<usize> = (0..lines.len()).filter(|&place| is_commented(lines[place])).collect();
    assert!(commented.len() > 25, "{}", commented.len());
    // A whole section at a time; above the sections, a line at a time.
    let starts: Vec<usize> = commented.iter().copied().filter(|&place| lines[place].starts_with("#[")).collect();
    assert_eq!(starts.len(), 4, "exact, filtered, screen, targets");
    for &place in commented.iter().filter(|&&place| place < starts[0]) {
        let text = uncommented(&job, |line| line == place);
        parse(&text, &files).unwrap_or_else(|error| panic!("{}: {error:?}", lines[place]));
    }
    for (index, &start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(lines.len());
        let text = uncommented(&job, |line| (start..end).contains(&line));
        parse(&text, &files).unwrap_or_else(|error| panic!("{}: {error:?}", lines[start]));
    }
    let sections = uncommented(&job, |line| line >= starts[0]);
    parse(&sections, &files).unwrap();
}

#[test]
fn tables_say_the_names_of_bins() {
    let (files, job) = start();
    let job = job.replace("rho = 0.5", "rho = 50.0");
    let planned = Job::parse(&job, &files).unwrap().plan(&source(), &Silent).unwrap();
    let (mut sink, mut rng) = (MemorySink::default(), rng::system().unwrap());
    let released = planned.release(&mut Uncounted, &mut rng).unwrap();
    released.write(&mut sink, &Silent).unwrap();
    let tables: Vec<String> = sink
        .files()
        .iter()
        .filter(|(name, _)| name.starts_with("release/noisy/") && name.ends_with(".csv"))
        .map(|(_, bytes)| String::from_utf8(bytes.clone()).unwrap())
        .collect();
    let age = tables.iter().find(|table| table.starts_with("age,")).unwrap();
    assert!(age.contains("\n0 to 17,") && age.contains("\n18 to 64,") && age.contains("\n65 and over,"), "{age}");
    assert!(tables.iter().any(|table| table.contains("\n(missing),")));
}
