//! Makes the corpus: a few small files that each target accepts, and the SOURCES.toml of every
//! folder, which also lists what is there besides.
//!
//! ```sh
//! cargo run -p fuzz-targets --example corpus
//! ```
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program that ends where something is missing")]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use disclosure_jobs::digest::sha256;
use disclosure_jobs::disclosure::lcf::{DifferenceGuard, EntitySet, GroupState, Registry};
use disclosure_jobs::disclosure::ldp::{ChangedAnswer, Client, ResponseMemory};
use disclosure_jobs::disclosure::privacy_core::accounting::Neighbours;
use disclosure_jobs::disclosure::privacy_core::prf::Secret;
use disclosure_jobs::exact::BoundsOptions;
use disclosure_jobs::input::{CsvSource, MemoryFiles};
use disclosure_jobs::ledger::{LedgerTerms, MemoryLedger, Uncounted};
use disclosure_jobs::limits::Limits;
use disclosure_jobs::observer::Silent;
use disclosure_jobs::reports::{Counting, Rounds};
use disclosure_jobs::sink::MemorySink;
use disclosure_jobs::{exact, filter, marginals, pipeline, reports};
use fuzz_targets::{RAPPOR, SCHEMA, STORED_FILTER, TARGETS, fails, target_named};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

const NOISY: &str = "marginals = [[\"sex\", \"age\"]]\nneighbours = \"add-remove\"\n[privacy]\nrho = 0.5\n\
                     [[attribute]]\nname = \"sex\"\nlabels = [\"f\", \"m\"]\n[[attribute]]\nname = \"age\"\nsize = 3\n";
/// Every kind of basis, families of tables, weights and bounds.
const BASES: &str = "marginals = [{ set = [\"p\"], weight = 2.0, max_sd = 9.0 }, { up_to = 1 }, { exactly = 2, among = \"hierarchies\" }, { exactly = 2, with = [\"p\"], among = [\"p\", \"r\"], most_cells = 200 }]\n\
                     neighbours = \"add-remove\"\n[privacy]\nmu = 1.0\n\
                     [[attribute]]\nname = \"p\"\nsize = 3\nbasis = \"prefix\"\n\
                     [[attribute]]\nname = \"r\"\nbins = [0, 1.5, 3, 9]\nbasis = { name = \"range\", weights = [1, 1, 2, 1, 1, 3] }\n\
                     [[attribute]]\nname = \"t\"\nsize = 5\nbasis = { hierarchical = 2 }\n\
                     [[attribute]]\nname = \"h\"\nlabels = [\"a\", \"b\", \"c\", \"d\"]\nbasis = { hierarchy = \"h.csv\" }\n\
                     [[attribute]]\nname = \"q\"\nlabels = [\"a\", \"b\", \"c\"]\nbasis = { queries = \"q.csv\" }\n";
const ROWS: &str = "sex,age\nf,0\nm,2\nm,1\nf,0\n";
/// Features that are answered together.
const PARITIES: &str = "order = 2\nepsilon = 1.0\n[[feature]]\nname = \"a\"\nvalues = [\"0\", \"1\"]\nprotocol = \"parity\"\n\
                        [[feature]]\nname = \"b\"\nvalues = [\"0\", \"1\"]\nprotocol = \"parity\"\n";

/// Command lines of each kind of argument, and their files.
const COMMAND_LINES: [(&str, &str); 12] = [
    ("resplan.txt", "resplan plan s.toml --weights by-cells --target-sd 2.5 --json"),
    ("release.txt", "resplan release s.toml d.csv -o out --ledger l.jsonl --new-ledger 2 --force --tables parquet"),
    ("answer.txt", "resplan answer m.bin --marginal a,b --marginal c -o more"),
    ("frechet.txt", "frechet pattern --jj t.jj --steps 100"),
    ("lcf.txt", "lcf filter s.toml d.csv --secret-file k -o out --json"),
    ("odds.txt", "lcf odds --mean 8 --sd 1.5 --floor 2 --up-to 10"),
    ("ldp.txt", "ldp estimate s.toml a.bin --sets a,b;c --json"),
    ("screen.txt", "screen simulate s.toml --trials 10 --seed 1"),
    ("run.txt", "-q run j.toml -o out"),
    ("init.txt", "init d.csv --count n --separator ; --decimal ,"),
    ("help.txt", "help ldp plan"),
    ("explain.txt", "explain E0301"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn put(target: &str, name: &str, bytes: impl AsRef<[u8]>) {
    let target = target_named(target).unwrap();
    assert_eq!(fails(target, bytes.as_ref()), None, "{} {name}", target.name);
    let folder = root().join("corpus").join(target.name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), bytes).unwrap();
}

/// A file of the fixtures, at most its first lines.
fn fixture(name: &str, lines: usize) -> String {
    fs::read_to_string(root().join(name)).unwrap().split_inclusive('\n').take(lines).collect()
}

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::from_seed([7; 32]) // a corpus has no secrets
}

fn main() {
    tables();
    jobs();
    stored();
    records();
    randomised();
    for target in TARGETS {
        sources(&root().join("corpus").join(target.name));
    }
}

fn tables() {
    put("csv", "titanic.csv", fixture("data/titanic.csv", 12));
    put("csv", "visits.csv", fixture("data/visits.csv", 12));
    put("csv", "quoted.csv", "\"a\",\"b, c\"\r\n\"x\"\"y\",\"line\nbreak\"\r\n=1,é\r\n");
    put("csv_form", "semicolon.csv", "a;b\n1,5;x\n2,5;y\n");
    put("csv_form", "tab.csv", "a\tb\n1.5\tx\n2.5\ty\n");
    put("csv_form", "latin1.csv", b"a,b\nZo\xeb,1\n");
    put("packed", "plain.csv", ROWS);
    for entry in fs::read_dir(root().join("forms")).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap().to_str().unwrap().to_owned();
        let bytes = fs::read(&entry).unwrap();
        if name != "SOURCES.toml" && bytes.len() < 20_000 {
            put("packed", &name, bytes);
        }
    }
    put("domain_toml", "titanic.toml", fixture("data/titanic.domain.toml", 99));
    put("domain_toml", "anes96.toml", fixture("data/anes96.domain.toml", 99));
    let every = "learnt_from_data = true\ndomain_is_public = true\n[[attribute]]\nname = \"a\"\ncolumn = \"A\"\n\
                 labels = [\"x\", \"y\"]\nnames = [\"one\", \"two\"]\nother = \"rest\"\nmissing = \"category\"\n\
                 missing_values = [\"NA\"]\nbasis = { hierarchy = \"h.csv\", weights = [1.0, inf] }\n\
                 [[attribute]]\nname = \"b\"\nbins = [-inf, 0, 1.5, inf]\nbasis = \"prefix\"\n\
                 [[attribute]]\nname = \"c\"\nsize = 4\nbasis = { hierarchical = 3 }\n";
    put("domain_toml", "every-key.toml", every);
    put("domain_toml", "no-attribute.toml", "learnt_from_data = false\nattribute = []\n");
    put("domain_json", "sizes.json", "{\"age\": 85, \"sex\": 2, \"income>50K\": 3}");
    put("hierarchy", "two-levels.csv", "a;x;all\nb;x;all\nc;y;all\nd;y;all\n");
    put("queries", "three.csv", "a,b,c,d\n1,0,0,0\n0,1,-1,0.5\n");
    put("queries", "named.csv", "query,a,b,c,d\n\"first two\",1,1,0,0\nlast,0,0,0,1\n");
    put("basis", "three.csv", "a,b,c,d\n1,0,0,0\n0,1,-1,0.5\n");
    put("basis", "named.csv", "query,d,c,b,a\n\"first two\",1,1,0,0\nlast,0,0,0,1\nall,1,1,1,1\n");
    put("basis", "two-levels.csv", "a;x;all\nb;x;all\nc;y;all\nd;y;all\n");
    put("basis", "uneven.csv", "a;all\nb;b;x;all\nc;c;x;all\nd;y;x;all\n");
    for (name, words) in COMMAND_LINES {
        put("command_words", name, words.replace(' ', "\0"));
    }
    put("sql_identifiers", "plain.txt", "census.people\u{1f}age\u{1f}sex");
    put("sql_identifiers", "hostile.txt", "a\"b.\"; DROP TABLE people; --\u{1f}a'b\u{1f}\"\u{1f}a\nb\u{1f}$$\u{1f}/*");
    put("sql_identifiers", "query.txt", "SELECT age, 'it''s' FROM people -- all ;\n;\u{1f}age\u{1f}born");
    put("jj", "wp22.jj", fixture("frechet/wp22_optimal.jj", 999));
    put("jj", "wp22-other.jj", fixture("frechet/wp22_two_in_every_line.jj", 999));
}

fn jobs() {
    put("job_noisy", "small.toml", NOISY);
    let every = "title = \"T\"\nowner = \"O\"\ndate = \"2026-11-23\"\nup_to = 2\nneighbours = \"replace\"\n\
                 rows_per_person = 2\nnoise = \"discrete\"\nobjective = \"max-variance\"\ndomain = \"domain.toml\"\n\
                 [privacy]\nepsilon = 1.0\ndelta = 1e-6\n";
    put("job_noisy", "every-key.toml", every);
    put("job_noisy", "bases.toml", BASES);
    put("job_noisy", "titanic.toml", fixture("jobs/titanic.toml", 99));
    put("job_exact", "titanic.toml", fixture("jobs/frechet-titanic.toml", 99));
    put("job_exact", "admissions.toml", fixture("jobs/frechet-admissions.toml", 99));
    put("job_filter", "visits.toml", fixture("jobs/lcf-visits.toml", 99));
    put("job_filter", "advise.toml", fixture("jobs/lcf-advise.toml", 99));
    put("job_reports", "voters.toml", fixture("jobs/ldp-voters.toml", 99));
    put("job_reports", "plan.toml", fixture("jobs/ldp-plan.toml", 99));
    put("job_reports", "rappor.toml", RAPPOR);
    put("job_amounts", "firms.toml", fixture("jobs/magnitude-firms.toml", 99));
    put("job_screening", "model.toml", fixture("jobs/screen-model.toml", 99));
    put("job_screening", "voters.toml", fixture("jobs/screen-voters.toml", 99));
    put("job_pipeline", "survey.toml", fixture("jobs/survey.toml", 199));
}

fn stored() {
    let planned = marginals::Job::parse(NOISY, &MemoryFiles::default()).unwrap();
    let planned = planned.plan(&Limits::default(), &Silent).unwrap();
    put("stored_plan", "small.json", planned.to_stored());
    let files = MemoryFiles::default()
        .with("h.csv", "a;x;all\nb;x;all\nc;y;all\nd;y;all\n")
        .with("q.csv", "a,b,c\n1,0,0\n0,1,-1\n");
    let bases = marginals::Job::parse(BASES, &files).unwrap().plan(&Limits::default(), &Silent).unwrap();
    put("stored_plan", "bases.json", bases.to_stored());
    let rows = "p,r,t,h,q\n0,1,4,a,a\n2,2,0,d,b\n1,8,3,b,c\n";
    let mut sink = MemorySink::default();
    let ready = bases.read(&CsvSource::bytes("rows.csv", rows.as_bytes()), &Silent).unwrap();
    ready.release(&mut Uncounted, &mut rng()).unwrap().write(&mut sink, &Silent).unwrap();
    put("measurement", "bases.bin", &sink.files()["measurement.bin"]);
    let mut sink = MemorySink::default();
    let ready = planned.read(&CsvSource::bytes("rows.csv", ROWS.as_bytes()), &Silent).unwrap();
    let terms = LedgerTerms { neighbours: Neighbours::AddRemove, rows_per_person: 1 };
    let mut ledger = MemoryLedger::new(2.0, terms, &mut rng()).unwrap();
    put("ledger", "opened.jsonl", ledger.chain().text());
    ready.release(&mut ledger, &mut rng()).unwrap().write(&mut sink, &Silent).unwrap();
    put("ledger", "one-charge.jsonl", ledger.chain().text());
    put("measurement", "small.bin", &sink.files()["measurement.bin"]);
    put("release", "noisy.txt", directory(&sink));

    let text = "data = \"d.csv\"\ncount = \"n\"\nmargins = [[\"a\"], [\"b\"]]\ntau = 0\nkappa = 3\n\
                decide_on = \"counts\"\n[[attribute]]\nname = \"a\"\nlabels = [\"x\", \"y\"]\n\
                [[attribute]]\nname = \"b\"\nlabels = [\"p\", \"q\"]\n";
    let load = || {
        let job = exact::Job::parse(text, "test", &MemoryFiles::default()).unwrap();
        job.load(&CsvSource::bytes("d.csv", &b"a,b,n\nx,p,9\nx,q,70\ny,p,80\ny,q,75\n"[..]), &Silent).unwrap()
    };
    let options = BoundsOptions { certificates: true, ..BoundsOptions::default() };
    if let (_, Some(certificates)) = load().bounds(options, &Silent).unwrap() {
        let mut bytes = Vec::new();
        certificates.write_json(&mut bytes).unwrap();
        put("certificates", "margins.json", bytes);
    }
    let mut sink = MemorySink::default();
    load().plan(&Silent).unwrap().release(&mut rng()).unwrap().write(&mut sink).unwrap();
    put("release", "exact.txt", directory(&sink));

    let text = "[budget]\nrho = 0.5\nneighbours = \"add-remove\"\n[noisy]\nmarginals = [[\"x\"]]\n\
                [[attribute]]\nname = \"x\"\nlabels = [\"a\", \"b\"]\n";
    put("job_pipeline", "small.toml", text);
    let files = MemoryFiles::default();
    let source = CsvSource::bytes("p.csv", [b"x\n".as_slice(), &b"a\nb\na\n".repeat(9)].concat());
    let planned = pipeline::Job::parse(text, &files).unwrap().plan(&source, &Silent).unwrap();
    let mut sink = MemorySink::default();
    planned.release(&mut Uncounted, &mut rng()).unwrap().write(&mut sink, &Silent).unwrap();
    put("release", "pipeline.txt", directory(&sink));
}

/// A directory as the target of releases reads it; what is not text is left out.
fn directory(sink: &MemorySink) -> Vec<u8> {
    let mut all = Vec::new();
    for (name, bytes) in sink.files() {
        all.extend_from_slice(format!("== {name}\n").as_bytes());
        all.extend_from_slice(bytes);
    }
    all
}

fn records() {
    let secret = Secret::new(&[7; 32]).unwrap();
    let terms = vec![("kind".to_owned(), "user".to_owned()), ("law".to_owned(), "hard 5".to_owned())];
    let mut registry = Registry::new(terms);
    put("registry", "terms.txt", registry.to_text(&secret));
    registry.publish([1; 16]).unwrap();
    put("registry", "published.txt", registry.to_text(&secret));
    let job = filter::Job::parse(STORED_FILTER).unwrap();
    let law = job.filter(&secret, &Silent).unwrap();
    let rows: String = (0..20).map(|user| format!("a,{user}\n")).collect();
    let source = CsvSource::bytes("rows", format!("town,user\n{rows}b,77\n").into_bytes());
    let table = job.group(&source, &law, &Silent).unwrap();
    put("filter_table", "two-groups.bin", table.to_bytes(&law).unwrap());
    let set = |count: u64| {
        let mut set = EntitySet::new(law.cap());
        set.extend(1..=count);
        set
    };
    put("entity_set", "three.bin", set(3).to_bytes(&law));
    put("entity_set", "saturated.bin", set(1_000).to_bytes(&law));
    let mut guard = DifferenceGuard::new();
    put("filter_answers", "none.bin", guard.to_bytes(&law));
    for count in [3, 9, 10, 11] {
        guard.decide(&law, &[set(count)]).unwrap();
    }
    put("filter_answers", "four.bin", guard.to_bytes(&law));
    for (name, count) in [("three.bin", 3), ("many.bin", 1_000)] {
        let state = GroupState { rows: count + 1, sets: vec![set(count)] };
        put("group_state", name, state.to_bytes(&law).unwrap());
    }
}

fn randomised() {
    let job = reports::Job::parse(SCHEMA).unwrap();
    let source = CsvSource::bytes("rows.csv", &b"city,sex\na,f\nb,m\nc,m\na,f\n"[..]);
    let mut bytes = Vec::new();
    job.plan(&source, &Rounds::Unstated, &Silent).unwrap().release(&mut bytes, &Silent, &mut rng()).unwrap();
    put("ldp_reports", "four.bin", &bytes);
    let mut counting = Counting::new(&job, 1e7, &Silent).unwrap();
    counting.add_reports(&mut &*bytes).unwrap();
    put("ldp_state", "four.bin", counting.finish().unwrap().to_bytes());
    let client = Client::new(reports::Job::parse(RAPPOR).unwrap().schema().clone());
    put("ldp_response", "one.bin", client.memoize(&[2], &mut rng()).unwrap().to_bytes());
    put("ldp_schema", "rappor.bin", client.schema().to_bytes());
    put("ldp_schema", "two-features.bin", job.schema().to_bytes());
    put("ldp_schema", "parity.bin", reports::Job::parse(PARITIES).unwrap().schema().to_bytes());
    let mut memory = ResponseMemory::new(&client);
    put("ldp_memory", "nobody.bin", memory.to_bytes());
    memory.begin_round();
    for (person, answer) in [("p1", 0), ("p2", 2)] {
        memory.recall(&client, person, &[answer], ChangedAnswer::default(), &mut rng()).unwrap();
    }
    put("ldp_memory", "two.bin", memory.to_bytes());
}

/// Writes where the files of a folder come from, and their digests.
fn sources(folder: &Path) {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let mut text = String::from("schema = 1\n");
    for name in names.iter().filter(|name| *name != "SOURCES.toml") {
        let origin = match name.starts_with("found-") {
            true => "an input that once made the target fail",
            false => "cargo run -p fuzz-targets --example corpus",
        };
        let digest = sha256(&fs::read(folder.join(name)).unwrap());
        write!(
            text,
            "\n[[file]]\npath = \"{name}\"\nsource = \"this project\"\norigin = \"{origin}\"\n\
             licence = \"MIT OR Apache-2.0\"\nsha256 = \"{digest}\"\n"
        )
        .unwrap();
    }
    fs::write(folder.join("SOURCES.toml"), text).unwrap();
    println!("{}: {} files", folder.file_name().unwrap().to_str().unwrap(), names.len());
}
