//! Whatever a release says about its noise and its cost is the same for neighbouring data.
//!
//! Two tables that differ in one row are released under the same generator. Numbers of people,
//! and the digests of files that hold them, may differ; every other byte of the published files
//! must not.

use std::collections::BTreeMap;

use disclosure_jobs::disclosure::privacy_core::prf::Secret;
use disclosure_jobs::input::{CsvSource, MemoryFiles};
use disclosure_jobs::ledger::{MemoryLedger, Uncounted};
use disclosure_jobs::limits::Limits;
use disclosure_jobs::observer::Silent;
use disclosure_jobs::pipeline::{Job, Manifest};
use disclosure_jobs::sink::MemorySink;
use disclosure_jobs::{JobError, exact, filter, marginals, reports};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::Value;

type Files = BTreeMap<String, Vec<u8>>;

/// Columns of tables that hold numbers of people, or follow from them.
const NUMBERS: [&str; 5] = ["value", "ci95_low", "ci95_high", "estimate", "rows"];

const COLUMNS: &str = "[[attribute]]\nname = \"x\"\nlabels = [\"a\", \"b\", \"s\"]\n\
                       [[attribute]]\nname = \"y\"\nlabels = [\"a\", \"b\", \"s\"]\n\
                       [[attribute]]\nname = \"v\"\nlabels = [\"n\", \"y\"]\n";

/// Small cells of both margins get noise; how many people there are of each kind is public.
const ON_SIZES: &str = "response = { column = \"v\", value = \"y\" }\nmargins = [[\"x\"], [\"y\"]]\n\
                        min_interval_width = 0\nrate_margin = 0.05\nmin_frequency = 20\ntarget = \"undisclosed\"\n\
                        forbid = [\"merging\"]\nepsilon = 1.0\n";

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::from_seed([7; 32])
}

/// Lines of x, y and v, with the number of each; half of every kind answer "y".
fn rows(kinds: &[(&str, usize)]) -> CsvSource {
    let of_kind = |&(kind, times): &(&str, usize)| -> String {
        (0..times).map(|number| format!("{kind},{}\n", ["n", "y"][number % 2])).collect()
    };
    let lines: String = kinds.iter().map(of_kind).collect();
    CsvSource::bytes("people.csv", format!("x,y,v\n{lines}").into_bytes())
}

/// Ten people have the small level of one attribute each, and `both` have that of both; of the
/// others, one may be missing.
fn people(both: usize, others: usize) -> CsvSource {
    rows(&[("a,a", others), ("a,b", 60), ("b,a", 60), ("b,b", 60), ("s,a", 10), ("a,s", 10), ("s,s", both)])
}

fn budget(neighbours: &str) -> String {
    format!("[budget]\nrho = 2.0\nneighbours = \"{neighbours}\"\n")
}

fn run(sections: &str, source: &CsvSource) -> Result<(Files, Manifest), JobError> {
    let files = MemoryFiles::default();
    let job = Job::parse(&format!("{sections}\n{COLUMNS}"), &files)?.with_secret(Secret::new(&[7; 32]).unwrap());
    let released = job.plan(source, &Silent)?.release(&mut Uncounted, &mut rng())?;
    let mut sink = MemorySink::default();
    let manifest = released.write(&mut sink, &Silent)?;
    Ok((sink.files().iter().filter(|(name, _)| name.starts_with("release/")).map(owned).collect(), manifest))
}

fn owned((name, bytes): (&String, &Vec<u8>)) -> (String, Vec<u8>) {
    (name.clone(), bytes.clone())
}

/// A file without its numbers of people.
fn settled(name: &str, bytes: &[u8]) -> String {
    match name.rsplit('.').next() {
        Some("json") => {
            let mut document: Value = serde_json::from_slice(bytes).unwrap();
            without_digests(&mut document);
            document.to_string()
        }
        Some("csv") => without_numbers(std::str::from_utf8(bytes).unwrap()),
        // Measured integers; their file has the same length only where the noise has.
        _ => "measurement".to_owned(),
    }
}

/// Digests and lengths of files that hold numbers.
fn without_digests(document: &mut Value) {
    match document {
        Value::Object(fields) => {
            let is_csv = |value: &Value| value.as_str().is_some_and(|name| !name.ends_with("plan.json"));
            if fields.get("name").or(fields.get("path")).is_some_and(is_csv) {
                fields.remove("sha256");
                fields.remove("bytes");
            }
            fields.values_mut().for_each(without_digests);
        }
        Value::Array(items) => items.iter_mut().for_each(without_digests),
        _ => {}
    }
}

fn without_numbers(table: &str) -> String {
    let header: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let kept = |line: &str| -> String {
        let fields = line.split(',').zip(&header).filter(|(_, column)| !NUMBERS.contains(column));
        fields.map(|(field, _)| field.to_owned() + ",").collect()
    };
    table.lines().map(|line| kept(line) + "\n").collect()
}

#[track_caller]
fn same(first: &Files, second: &Files) {
    assert!(first.keys().eq(second.keys()));
    for (name, bytes) in first {
        assert_eq!(settled(name, bytes), settled(name, &second[name]), "{name}");
    }
}

/// The column of a table.
fn column(files: &Files, name: &str, column: &str) -> Vec<String> {
    let table = std::str::from_utf8(&files[name]).unwrap();
    let place = table.lines().next().unwrap().split(',').position(|header| header == column).unwrap();
    table.lines().skip(1).map(|line| line.split(',').nth(place).unwrap().to_owned()).collect()
}

fn moved(first: &Files, second: &Files, name: &str) -> Vec<i64> {
    let values = |files: &Files| -> Vec<i64> {
        column(files, name, "value").iter().map(|value| value.parse().unwrap()).collect()
    };
    values(first).into_iter().zip(values(second)).map(|(first, second)| second - first).collect()
}

#[test]
fn a_row_in_a_class_that_was_empty_moves_no_scale_and_no_cost() {
    // Where nobody has both small levels, a division among the people who are there gives each
    // noised cell twice what it gives them when one person does.
    for (neighbours, without, with) in
        [("add-remove", people(0, 60), people(1, 60)), ("replace", people(0, 60), people(1, 59))]
    {
        let job = format!("{}[exact]\n{ON_SIZES}[noisy]\nup_to = 1\n", budget(neighbours));
        let [(first, manifest), (second, other)] = [without, with].map(|source| run(&job, &source).unwrap());
        same(&first, &second);
        assert_eq!(manifest.budget, other.budget);
        assert_eq!(column(&first, "release/exact/0-x.csv", "status"), ["exact", "exact", "noised"]);
        // The same draws, so the published numbers differ by what the counts do, and the plan of
        // the noisy part is the same to the byte. The row that came answered "n".
        for name in ["release/exact/0-x.csv", "release/exact/1-y.csv"] {
            assert_eq!(moved(&first, &second, name)[2], 0, "{name}");
        }
        assert_eq!(first["release/noisy/plan.json"], second["release/noisy/plan.json"]);
    }
}

#[test]
fn noise_that_the_counts_ask_for_costs_what_no_noise_costs() {
    // A cell of 20 people may be published, one of 19 may not.
    let job = |neighbours| {
        let exact = ON_SIZES.replace("[\"y\"]", "[]") + "decide_on = \"counts\"\n";
        format!("{}[exact]\n{exact}[noisy]\nup_to = 1\n", budget(neighbours))
    };
    let at_least = |small: usize, others: usize| rows(&[("a,a", others), ("b,b", 60), ("s,s", small)]);
    for (neighbours, small, large) in
        [("add-remove", at_least(19, 60), at_least(20, 60)), ("replace", at_least(19, 61), at_least(20, 60))]
    {
        let [(noised, manifest), (exact, other)] = [small, large].map(|source| run(&job(neighbours), &source).unwrap());
        let count = |files: &Files| {
            let tables = ["release/exact/0-total.csv", "release/exact/1-x.csv"];
            let tables = tables.iter().filter(|name| files.contains_key(**name));
            tables.flat_map(|name| column(files, name, "status")).filter(|status| status == "noised").count()
        };
        assert!(count(&noised) > 0 && count(&exact) == 0, "the pattern follows from the counts");
        assert_eq!(manifest.budget, other.budget);
        let part = |files: Files, folder: &str| -> Files {
            files.into_iter().filter(|(name, _)| name.starts_with(folder)).collect()
        };
        same(&part(noised, "release/noisy/"), &part(exact, "release/noisy/"));
    }
}

#[test]
fn the_charge_is_settled_before_a_row_is_read() {
    // No table of these rows is ever refused for its cost, and no row is needed to refuse.
    let job = format!("{}[exact]\n{ON_SIZES}[noisy]\nup_to = 1\n", budget("replace").replace("2.0", "0.1"));
    let nothing = CsvSource::bytes("people.csv", b"not a table".as_slice());
    assert!(run(&job, &nothing).unwrap_err().has_code("E0502"));
    let files = MemoryFiles::default();
    let job = format!("{}[exact]\n{ON_SIZES}", budget("replace"));
    let job = Job::parse(&format!("{job}{COLUMNS}"), &files).unwrap();
    let terms = serde_json::from_str("{\"neighbours\": \"replace\", \"rows_per_person\": 1}").unwrap();
    let ledger = MemoryLedger::new(1e-3, terms, &mut rng()).unwrap();
    assert!(job.plan_against(&nothing, &ledger, &Silent).unwrap_err().has_code("E0501"));
}

#[test]
fn categories_that_were_read_off_the_rows_get_no_noise_for_a_budget() {
    let job = format!("{}[exact]\n{ON_SIZES}", budget("add-remove"));
    let refused = Job::parse(&job, &MemoryFiles::default()).unwrap().plan(&people(0, 60), &Silent);
    assert!(refused.unwrap_err().has_code("E0401"));
}

#[test]
fn the_filter_of_a_pipeline_says_the_same_about_noise_and_cost() {
    let filtered =
        "[filtered]\ngroup_by = [\"x\"]\nentity = \"row\"\nalways_suppress_upper_bound = 2\nmean = 8.0\nsd = 1.5\n";
    let job = format!("{}{filtered}[noisy]\nup_to = 1\n", budget("add-remove"));
    let [(first, manifest), (second, other)] = [people(0, 60), people(1, 60)].map(|source| run(&job, &source).unwrap());
    assert_eq!(manifest.budget, other.budget);
    same(&first, &second);
}

fn exact_release(spec: &str, source: &CsvSource) -> Files {
    let job = exact::Job::parse(&format!("{spec}{COLUMNS}"), "tables", &MemoryFiles::default()).unwrap();
    let mut sink = MemorySink::default();
    job.plan(source, &Silent).unwrap().release(&mut rng()).unwrap().write(&mut sink).unwrap();
    sink.files().clone()
}

#[test]
fn an_exact_release_says_the_same_about_noise_when_an_answer_changes() {
    // The same people, one of whom answers otherwise: all that its statement lets differ.
    let answers = |last: &str| {
        let kinds = [("a,a", 60), ("a,b", 60), ("b,a", 60), ("b,b", 60), ("s,a", 10), ("a,s", 9)];
        let lines: String = kinds
            .iter()
            .flat_map(|&(kind, times)| (0..times).map(move |i| format!("{kind},{}\n", ["n", "y"][i % 2])))
            .collect();
        CsvSource::bytes("people.csv", format!("x,y,v\n{lines}a,s,{last}\n").into_bytes())
    };
    for more in ["", "decide_on = \"counts\"\n"] {
        let spec = ON_SIZES.to_owned() + more;
        let [first, second] = ["n", "y"].map(|last| exact_release(&spec, &answers(last)));
        same(&first, &second);
    }
}

#[test]
fn scales_of_an_exact_release_on_counts_follow_from_its_specification() {
    // Any people at all: where a cell is noised, its sd is that of its margin.
    let spec = ON_SIZES.to_owned() + "decide_on = \"counts\"\n";
    let sources = [people(0, 60), people(1, 60), rows(&[("a,a", 19), ("b,b", 300)]), rows(&[("s,s", 18), ("a,b", 90)])];
    let mut sds: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for files in sources.map(|source| exact_release(&spec, &source)) {
        for name in ["0-x.csv", "1-y.csv"].into_iter().filter(|name| files.contains_key(*name)) {
            let noised = column(&files, name, "status").into_iter().zip(column(&files, name, "sd"));
            sds.entry(name).or_default().extend(noised.filter(|(status, _)| status == "noised").map(|(_, sd)| sd));
        }
    }
    assert_eq!(sds.len(), 2);
    for (name, mut sds) in sds {
        assert!(sds.len() > 3, "{name}");
        sds.dedup();
        assert_eq!(sds.len(), 1, "{name}: {sds:?}");
    }
}

#[test]
fn noisy_marginals_say_the_same_about_noise_and_cost() {
    for neighbours in ["add-remove", "replace"] {
        for basis in ["identity", "prefix"] {
            let spec = format!(
                "up_to = 2\nneighbours = \"{neighbours}\"\nafter = [\"nonnegative\", \"rounded\"]\n[privacy]\nrho = 0.5\n{}",
                COLUMNS.replacen("\"s\"]\n", &format!("\"s\"]\nbasis = \"{basis}\"\n"), 1)
            );
            let release = |source: CsvSource| -> Files {
                let job = marginals::Job::parse(&spec, &MemoryFiles::default()).unwrap();
                let ready = job.plan(&Limits::default(), &Silent).unwrap().read(&source, &Silent).unwrap();
                let mut sink = MemorySink::default();
                ready.release(&mut Uncounted, &mut rng()).unwrap().write(&mut sink, &Silent).unwrap();
                sink.files().clone()
            };
            let others = if neighbours == "replace" { 59 } else { 60 };
            let [first, second] = [people(0, 60), people(1, others)].map(release);
            same(&first, &second);
            assert_eq!(first["plan.json"], second["plan.json"]);
        }
    }
}

#[test]
fn filtered_groups_say_the_same_about_their_law() {
    let spec = "group_by = [\"x\"]\nentity = [\"y\"]\nalways_suppress_upper_bound = 2\nmean = 8.0\nsd = 1.5\n";
    let release = |more: &str| {
        let lines: String = (0..40).map(|user| format!("a,u{user}\n")).collect();
        let source = CsvSource::bytes("rows", format!("x,y\n{lines}{more}").into_bytes());
        let job = filter::Job::parse(spec).unwrap();
        let law = job.filter(&Secret::new(&[7; 32]).unwrap(), &Silent).unwrap();
        let released = job.plan(&source, &law, &Silent).unwrap().release(None).unwrap();
        let mut document = serde_json::to_value(released.document()).unwrap();
        document.as_object_mut().unwrap().remove("groups");
        document.to_string()
    };
    assert_eq!(release(""), release("a,u40\n"));
}

#[test]
fn randomised_reports_are_as_long_whatever_they_hold() {
    let spec = "order = 1\n[[feature]]\nname = \"v\"\nvalues = [\"n\", \"y\"]\nprotocol = \"rr\"\nepsilon = 1.0\n";
    let reports = |last: &str| {
        let source = CsvSource::bytes("rows.csv", format!("v\nn\ny\n{last}\n").into_bytes());
        let job = reports::Job::parse(spec).unwrap();
        let mut out = Vec::new();
        let document = job
            .plan(&source, &reports::Rounds::Unstated, &Silent)
            .unwrap()
            .release(&mut out, &Silent, &mut rng())
            .unwrap();
        (serde_json::to_value(&document).unwrap(), out.len())
    };
    assert_eq!(reports("n"), reports("y"));
}
