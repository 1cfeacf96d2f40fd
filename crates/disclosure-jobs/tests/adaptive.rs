//! Adaptive marginals from a spec to files.

use std::collections::BTreeMap;

use disclosure_jobs::adaptive::{
    AdaptiveJob, AdaptivePlanned, AdaptiveReleaseDocument, AdaptiveTable, AnswerErrorBasis,
};
use disclosure_jobs::disclosure::privacy_core::accounting::Neighbours;
use disclosure_jobs::disclosure::privacy_core::promise::PromiseKind;
use disclosure_jobs::disclosure::privacy_core::stop::StopFlag;
use disclosure_jobs::input::{CsvSource, MemoryFiles};
use disclosure_jobs::ledger::{LedgerTerms, MemoryLedger, Uncounted};
use disclosure_jobs::limits::Limits;
use disclosure_jobs::observer::{Observer, Silent};
use disclosure_jobs::page::{PageLimits, StoredRelease};
use disclosure_jobs::sink::MemorySink;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

const ATTRIBUTES: &str = r#"
    [[attribute]]
    name = "sex"
    labels = ["f", "m"]
    [[attribute]]
    name = "age"
    labels = ["young", "old, retired"]
    [[attribute]]
    name = "works"
    labels = ["no", "yes"]
    [[attribute]]
    name = "region"
    labels = ["n", "e", "s", "w"]
"#;

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

/// 2,400 people: who is old does not work; nothing else depends on anything.
fn people() -> String {
    let mut rows = "sex,age,works,region\n".to_owned();
    for number in 0..2400 {
        let is_old = number / 2 % 3 == 2;
        let (sex, age) = (["f", "m"][number % 2], if is_old { "\"old, retired\"" } else { "young" });
        let works = if is_old { "no" } else { "yes" };
        rows += &format!("{sex},{age},{works},{}\n", ["n", "e", "s", "w"][number / 6 % 4]);
    }
    rows
}

fn spec(keys: &str, rho: f64) -> String {
    format!("{keys}\nneighbours = \"add-remove\"\n[privacy]\nrho = {rho:?}\n{ATTRIBUTES}")
}

fn planned(spec: &str) -> AdaptivePlanned {
    AdaptiveJob::parse(spec, &MemoryFiles::default()).unwrap().plan(&Limits::default()).unwrap()
}

fn release(spec: &str, seed: u8) -> (AdaptiveReleaseDocument, BTreeMap<String, Vec<u8>>) {
    let rows = CsvSource::bytes("rows.csv", people().into_bytes());
    let ready = planned(spec).read(&rows, &Silent).unwrap();
    let released = ready.release(&mut Uncounted, &Silent, &mut rng(seed)).unwrap();
    let mut sink = MemorySink::default();
    let document = released.write(&mut sink).unwrap();
    (document, sink.files().clone())
}

fn lines(files: &BTreeMap<String, Vec<u8>>, name: &str) -> Vec<String> {
    String::from_utf8(files[name].clone()).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn the_one_dependence_is_found_and_the_rows_have_it() {
    let (document, files) = release(&spec("up_to = 2\nrounds = 12\nrows = 1200", 20.0), 7);
    // Every attribute first, then what the model errs most on.
    let sets: Vec<Vec<&str>> =
        document.rounds.iter().map(|r| r.attributes.iter().map(String::as_str).collect()).collect();
    assert_eq!(sets[..5], [vec!["sex"], vec!["age"], vec!["works"], vec!["region"], vec!["age", "works"]]);
    assert!(document.rounds[..4].iter().all(|round| round.epsilon.is_none()) && document.rounds[4].epsilon.is_some());
    let rows = lines(&files, "rows.csv");
    assert_eq!((rows[0].as_str(), rows.len(), document.rows), ("sex,age,works,region", 1201, 1200));
    let odd = rows[1..].iter().filter(|row| row.contains("\"old, retired\",yes") || row.contains("young,no"));
    assert!(odd.count() < 24, "who is old does not work, all others do");
    let table =
        document.files.iter().find(|file| file.attributes.as_deref().is_some_and(|names| names == ["age", "works"]));
    let table = lines(&files, &table.unwrap().file.name);
    assert_eq!((table[0].as_str(), table.len()), ("age,works,value,sd,status", 5));
    assert!(table[1].starts_with("young,no,") && table[1].ends_with(",noised"), "{table:?}");
}

#[test]
fn release_json_says_what_was_promised_and_names_every_file() {
    let (document, files) = release(&spec("up_to = 2", 0.5), 7);
    assert_eq!(document.promise.kind, PromiseKind::Guarantee);
    assert_eq!(document.promise.guarantee.as_ref(), "0.5-zCDP for the choice of tables and the noise together");
    assert!(document.used_rho <= 0.5 && document.used_rho > 0.45, "{}", document.used_rho);
    assert!(document.statements[0].contains("0.5-zCDP") && document.statements[1].contains("synthetic"));
    let mut named: Vec<&str> = document.files.iter().map(|file| file.file.name.as_str()).collect();
    named.push("release.json");
    named.sort_unstable();
    assert_eq!(named, files.keys().map(String::as_str).collect::<Vec<_>>());
    let read: AdaptiveReleaseDocument = serde_json::from_slice(&files["release.json"]).unwrap();
    assert_eq!(read, document);
    assert_eq!(document.rows as f64, document.measured_total.round());
}

#[test]
fn the_same_coins_give_the_same_bytes_and_other_coins_do_not() {
    let job = spec("up_to = 2", 0.5);
    assert_eq!(release(&job, 3).1, release(&job, 3).1);
    assert_ne!(release(&job, 3).1["rows.csv"], release(&job, 4).1["rows.csv"]);
}

/// Of 120 tables of one attribute at most 5 % are further from the exact ones than stated; bounds
/// of a twentieth are passed by most.
#[test]
fn bounds_on_errors_hold_and_smaller_ones_do_not() {
    let (mut all, mut beyond, mut beyond_small) = (0, 0, 0);
    for seed in 0..30 {
        let (document, files) = release(&spec("up_to = 2\nrounds = 12", 0.05), seed);
        let rows = lines(&files, "rows.csv");
        for marginal in document.marginals.iter().filter(|marginal| marginal.attributes.len() == 1) {
            let bound = marginal.error_bound95;
            let column = ["sex", "age", "works", "region"].iter().position(|name| *name == marginal.attributes[0]);
            let shares = |rows: &[String]| {
                let mut shares: BTreeMap<String, f64> = BTreeMap::new();
                for row in &rows[1..] {
                    let plain = row.replace("\"old, retired\"", "old");
                    let label = plain.split(',').nth(column.unwrap()).unwrap().to_owned();
                    *shares.entry(label).or_default() += 1.0 / (rows.len() - 1) as f64;
                }
                shares
            };
            let people: Vec<String> = people().lines().map(str::to_owned).collect();
            let (exact, have) = (shares(&people), shares(&rows));
            let labels: std::collections::BTreeSet<&String> = exact.keys().chain(have.keys()).collect();
            let share = |shares: &BTreeMap<String, f64>, label: &String| shares.get(label).copied().unwrap_or(0.0);
            // The exact table as shares of the measured total, as the bound has it.
            let scale = 2400.0 / document.measured_total;
            let distance: f64 = labels.iter().map(|l| (share(&exact, l) * scale - share(&have, l)).abs()).sum();
            all += 1;
            beyond += u32::from(distance / 2.0 > bound);
            beyond_small += u32::from(distance / 2.0 > bound / 20.0);
        }
    }
    assert!(all >= 90, "{all}");
    assert!(f64::from(beyond) <= 0.05 * f64::from(all), "{beyond} of {all}");
    assert!(f64::from(beyond_small) > 0.3 * f64::from(all), "{beyond_small} of {all}");
}

#[test]
fn every_marginal_of_the_job_has_a_bound_whether_or_not_it_was_measured() {
    for (rho, seed) in [(0.002, 1), (0.05, 2), (2.0, 3)] {
        let (document, _) = release(&spec("up_to = 2\nrounds = 8", rho), seed);
        // Four attributes and six pairs; the empty marginal has no attribute.
        assert_eq!(document.answers.len(), 10);
        for answer in &document.answers {
            let measured = |table: &AdaptiveTable| answer.attributes.iter().all(|name| table.attributes.contains(name));
            let is_measured = document.marginals.iter().any(measured);
            assert!(
                answer.basis == AnswerErrorBasis::People || (answer.basis == AnswerErrorBasis::Measured) == is_measured
            );
            assert_eq!(answer.round.is_some(), answer.basis == AnswerErrorBasis::Choice);
            assert!(answer.round.is_none_or(|round| document.rounds[round - 1].epsilon.is_some()));
            let table = document.marginals.iter().find(|table| table.attributes == answer.attributes);
            assert!(table.is_none_or(|table| table.error_bound95 == answer.error_bound95));
            assert!(answer.error_bound95 > 0.0 && answer.error_bound95 < 2.0, "{answer:?}");
        }
        let least = document.answers.iter().map(|answer| answer.error_bound95).fold(f64::INFINITY, f64::min);
        assert!(rho < 1.0 || least < 0.02, "{least}");
    }
}

#[test]
fn the_plan_follows_from_the_spec_alone() {
    let document = planned(&spec("marginals = [[\"sex\", \"age\"], {set = [\"works\"], weight = 3}]", 0.5)).document();
    assert_eq!((document.candidates, document.candidate_cells, document.rounds), (4, 10.0, 64));
    assert_eq!(document.marginals.iter().map(|marginal| marginal.weight).collect::<Vec<_>>(), [1, 3]);
    // 0.85 rho over 64 rounds of sensitivity 1.
    assert!((document.first_sd.powi(2) - 64.0 / (2.0 * 0.85 * 0.5)).abs() < 0.1, "{}", document.first_sd);
    assert!((document.first_epsilon.powi(2) - 8.0 * 0.15 * 0.5 / 64.0).abs() < 1e-6);
}

#[test]
fn the_whole_budget_is_charged_before_anything_is_drawn() {
    struct Stopped(StopFlag);
    impl Observer for Stopped {
        fn stop_flag(&self) -> StopFlag {
            self.0.clone()
        }
    }
    let terms = LedgerTerms { neighbours: Neighbours::AddRemove, rows_per_person: 1 };
    let mut ledger = MemoryLedger::new(0.8, terms, &mut rng(1)).unwrap();
    let rows = CsvSource::bytes("rows.csv", people().into_bytes());
    let ready = || planned(&spec("up_to = 2", 0.5)).read(&rows, &Silent).unwrap();
    let observer = Stopped(StopFlag::new());
    observer.0.set();
    let stopped = ready().release(&mut ledger, &observer, &mut rng(2)).unwrap_err();
    assert!(stopped.is_stop() && stopped.is_after_spending(), "{stopped:?}");
    assert_eq!(ledger.chain().charges().len(), 1);
    let refused = ready().release(&mut ledger, &Silent, &mut rng(2)).unwrap_err();
    assert!(refused.has_code("E0501") && !refused.is_after_spending(), "{refused:?}");
}

/// Regions in two halves, each with its own sex: the third of the people that contradict it stay in
/// every count, and no row does.
const NESTED: &str = r#"
    up_to = 2
    structural_zeros = [{ age = "old, retired", works = "yes" }]
    hierarchies = [{ child = "region", parent = "sex", groups = { f = ["n", "e"], m = ["s", "w"] } }]
"#;

#[test]
fn rows_have_no_combination_that_nobody_has() {
    let (document, files) = release(&spec(NESTED, 0.2), 4);
    let rows = lines(&files, "rows.csv");
    let is_odd = |row: &&String| {
        let within = |regions: [&str; 2]| regions.iter().any(|region| row.ends_with(&format!(",{region}")));
        row.contains("\"old, retired\",yes") || !within(if row.starts_with('f') { ["n", "e"] } else { ["s", "w"] })
    };
    assert_eq!(rows[1..].iter().filter(is_odd).count(), 0);
    assert!(lines(&release(&spec("up_to = 2", 0.2), 4).1, "rows.csv")[1..].iter().any(|row| is_odd(&row)));
    // Where a table has such cells, they say so.
    let tables = document.files.iter().filter(|file| file.attributes.is_some());
    let text: String = tables.map(|file| String::from_utf8_lossy(&files[&file.file.name]).into_owned()).collect();
    assert!(text.contains("\"old, retired\",yes,0.0,0.0,structural-zero\n"), "age and works were measured together");
    assert!(document.statements.iter().any(|statement| statement.starts_with("No row has a combination")));
    let plan = planned(&spec(NESTED, 0.2)).document();
    let zeros: Vec<usize> = plan.structural_zeros.iter().map(|zeros| zeros.combinations).collect();
    assert_eq!(zeros, [1, 4]);
    let rows = CsvSource::bytes("rows.csv", people().into_bytes());
    let ready = planned(&spec(NESTED, 0.2)).read(&rows, &Silent).unwrap();
    // Half of the people are in a region of the other sex.
    assert_eq!(ready.impossible_rows(), 1200);
}

#[test]
fn a_hierarchy_may_be_a_file_which_is_in_the_digest() {
    let text = spec("up_to = 2\nhierarchies = [{ child = \"region\", parent = \"sex\", file = \"halves.csv\" }]", 0.2);
    let planned = |halves: &str| {
        let files = MemoryFiles::default().with("halves.csv", halves);
        AdaptiveJob::parse(&text, &files).and_then(|job| job.plan(&Limits::default()))
    };
    let [one, other] = ["n,f\ne,f\ns,m\nw,m\n", "n,f\ne,f\ns,m\nw,f\n"].map(|halves| planned(halves).unwrap());
    assert_ne!(one.charge_request().spec_sha256, other.charge_request().spec_sha256);
    assert!(planned("n,f\ne\n").unwrap_err().has_code("E0292"));
}

#[test]
fn a_release_has_a_page_with_its_rounds_and_errors() {
    let (document, files) = release(&spec(NESTED, 0.2), 5);
    let stored = files.iter().fold(MemoryFiles::default(), |files, (name, bytes)| files.with(name, bytes.clone()));
    let page = StoredRelease::read(&stored, PageLimits::default()).unwrap().page().public();
    let headings: Vec<&str> = page.sections.iter().map(|section| section.heading.as_str()).collect();
    assert_eq!(
        headings,
        [
            "What is promised",
            "What it costs",
            "What was chosen",
            "How accurate it is",
            "The model of the rows",
            "Tables",
            "Files",
            "Glossary"
        ]
    );
    let html = disclosure_report::render(&page);
    for round in &document.rounds {
        assert!(html.contains(&round.attributes.join(" × ")), "{:?}", round.attributes);
    }
    assert!(html.contains("0.2-zCDP") && html.contains("structural-zero"));
    // The rows are a file, and not on the page.
    assert!(!html.contains("sex,age,works,region"));
}

#[test]
fn what_cannot_be_is_refused_with_a_code() {
    let refused = |text: &str| {
        let job = AdaptiveJob::parse(text, &MemoryFiles::default());
        let planned = job.and_then(|job| job.plan(&Limits::default()));
        planned.err().map(|error| error.code().to_owned()).unwrap_or_default()
    };
    let rho = |keys: &str| refused(&spec(keys, 0.5));
    assert_eq!(rho("up_to = 2\nrounds = 0"), "E0291");
    assert_eq!(rho("up_to = 2\nrounds = 3"), "E0291");
    assert_eq!(rho("up_to = 2\nnoise_share = 1.0"), "E0291");
    assert_eq!(rho("up_to = 2\nmodel_cells = nan"), "E0291");
    assert_eq!(rho("up_to = 2\nrows_per_person = 0"), "E0291");
    assert_eq!(rho("marginals = [{set = [\"sex\"], weight = 1.5}]"), "E0224");
    assert_eq!(rho("marginals = [{set = [\"sex\"], max_sd = 1.5}]"), "E0229");
    assert_eq!(rho("marginals = [[]]"), "E0221");
    assert_eq!(rho("marginals = [[\"size\"]]"), "E0222");
    assert_eq!(rho("up_to = 2\nmarginals = [[\"sex\"]]"), "E0211");
    assert_eq!(rho("up_to = 2\ncolour = 1"), "E0210");
    assert_eq!(refused(&spec("up_to = 2", 1e-30)), "E0226");
    assert_eq!(refused(&spec("up_to = 2", 0.5).replace("rho = 0.5", "mu = 1.0")), "E0212");
    assert_eq!(
        refused(&spec("up_to = 2", 0.5).replace("[\"n\", \"e\", \"s\", \"w\"]", "[\"n\", \"s\"]\nbasis = \"prefix\"")),
        "E0291"
    );
    assert_eq!(rho("up_to = 2\nstructural_zeros = [{ size = \"large\" }]"), "E0292");
    assert_eq!(rho("up_to = 2\nstructural_zeros = [{ sex = \"x\" }]"), "E0292");
    assert_eq!(rho("up_to = 2\nstructural_zeros = [{}]"), "E0292");
    assert_eq!(rho("up_to = 2\nstructural_zeros = [{ sex = [\"f\", \"m\"] }]"), "E0292", "nobody is left");
    let hierarchy = |keys: &str| rho(&format!("up_to = 2\nhierarchies = [{{ child = \"region\", {keys} }}]"));
    assert_eq!(hierarchy("parent = \"sex\""), "E0292", "no groups");
    assert_eq!(hierarchy("parent = \"region\", groups = {}"), "E0292", "within itself");
    assert_eq!(hierarchy("parent = \"sex\", groups = { f = [\"n\", \"e\"], m = [\"s\"] }"), "E0292", "w is left out");
    assert_eq!(hierarchy("parent = \"sex\", groups = { f = [\"n\", \"e\", \"s\"], m = [\"s\", \"w\"] }"), "E0292");
    assert_eq!(hierarchy("parent = \"sex\", groups = { f = [\"n\", \"e\"], m = [\"s\", \"w\"] }"), "");
    let small = Limits { memory_bytes: 1000, ..Limits::default() };
    let job = AdaptiveJob::parse(&spec("up_to = 2\nmodel_cells = 100", 0.5), &MemoryFiles::default()).unwrap();
    assert!(job.plan(&small).unwrap_err().has_code("E0611"));
}

/// The number of rows depends on the data, so that a table of very many people may not end a run
/// that is paid for: there are as many rows as memory is for, 40 bytes each here.
#[test]
fn no_more_rows_are_drawn_than_memory_is_for() {
    let limits = Limits { memory_bytes: 40_000, ..Limits::default() };
    let planned = |rows: &str| {
        let spec = spec(&format!("up_to = 2\nmodel_cells = 100\ncount = \"n\"\n{rows}"), 50.0);
        AdaptiveJob::parse(&spec, &MemoryFiles::default()).unwrap().plan(&limits)
    };
    let data = "sex,age,works,region,n\nf,young,no,n,4294967296\nm,young,yes,s,7\n";
    let ready = planned("").unwrap().read(&CsvSource::bytes("rows.csv", data.as_bytes().to_vec()), &Silent).unwrap();
    let released = ready.release(&mut Uncounted, &Silent, &mut rng(3)).unwrap();
    let document = released.write(&mut MemorySink::default()).unwrap();
    assert_eq!(document.rows, 1000);
    assert!((document.measured_total - 4_294_967_303.0).abs() < 100.0, "{}", document.measured_total);
    assert!(document.statements.iter().any(|said| said.contains("fewer than the measured total")));
    assert!(planned("rows = 1000").is_ok());
    assert!(planned("rows = 1001").is_err_and(|error| error.has_code("E0611")));
}
