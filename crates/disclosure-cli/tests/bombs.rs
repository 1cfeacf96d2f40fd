//! Inputs that ask for more than anybody has: endless files, numbers at the edge of their types,
//! nesting without end, compressed floods. Each must be refused with a code within a second of
//! the processor and 64 MB of memory of its own; the system ends a command that takes more.

use std::fs::File;
use std::io::Write as _;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::support::workbook::{sheet, strings, styles, write_workbook};

/// Kilobytes that a command may ask for: all that it can write to, stacks of threads included.
const MEMORY: u32 = 65_536;

/// A command, and the exit code and error code it must end in.
struct Bomb {
    words: Vec<String>,
    ends: (i32, &'static str),
}

fn bomb(words: &str, exit: i32, code: &'static str) -> Bomb {
    Bomb { words: words.split_whitespace().map(str::to_owned).collect(), ends: (exit, code) }
}

fn fixture(name: &str) -> String {
    format!("{}/../../fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Runs the command under limits of the processor and of its memory, in kilobytes.
fn run_within(directory: &TempDir, words: &[String], memory: u32) -> (Option<i32>, String) {
    run_on(directory, words, memory, Stdio::null())
}

/// The same, with something on the standard input.
#[expect(clippy::print_stdout, reason = "what each took is a figure to read, and no test relies on it")]
fn run_on(directory: &TempDir, words: &[String], memory: u32, input: Stdio) -> (Option<i32>, String) {
    let limits = format!("ulimit -t 1 && ulimit -d {memory} && \"$0\" \"$@\"; ended=$?; times; exit $ended");
    let mut command = Command::new("sh");
    command.args(["-c", &limits, env!("CARGO_BIN_EXE_disclosure")]).args(words).current_dir(directory.path());
    // One arena: each further one reserves 64 MB without using them. Two threads, for their stacks.
    command.env("MALLOC_ARENA_MAX", "1").env("RAYON_NUM_THREADS", "2").stdin(input);
    let output = command.output().unwrap();
    // What the shell and the command took of the processor.
    println!("{}: {}", words.join(" "), String::from_utf8_lossy(&output.stdout).lines().last().unwrap());
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

fn all_are_refused(directory: &TempDir, bombs: &[Bomb]) {
    for bomb in bombs {
        let (exit, said) = run_within(directory, &bomb.words, MEMORY);
        let found = (exit, said.contains(bomb.ends.1));
        assert_eq!(found, (Some(bomb.ends.0), true), "{}: {said:.400}", bomb.words.join(" "));
        assert!(!directory.path().join("out").exists(), "{} left something", bomb.words.join(" "));
    }
}

fn write(directory: &TempDir, name: &str, text: impl AsRef<[u8]>) {
    std::fs::write(directory.path().join(name), text).unwrap();
}

/// The job of the Titanic with one thing changed.
fn titanic_with(directory: &TempDir, name: &str, from: &str, to: &str) {
    let job = std::fs::read_to_string(fixture("jobs/titanic.toml")).unwrap();
    assert!(job.contains(from), "{from}");
    write(directory, name, job.replacen(from, to, 1));
}

#[test]
fn an_endless_file_is_refused_wherever_a_file_is_read() {
    let directory = TempDir::new().unwrap();
    let (titanic, survey) = (fixture("jobs/titanic.toml"), fixture("jobs/survey.toml"));
    let (schema, voters) = (fixture("jobs/ldp-voters.toml"), fixture("jobs/screen-voters.toml"));
    let (visits, table) = (fixture("jobs/lcf-visits.toml"), fixture("data/titanic.csv"));
    let adaptive = fixture("jobs/titanic-adaptive.toml");
    all_are_refused(
        &directory,
        &[
            bomb(&format!("run {survey} /dev/zero -o out"), 3, "E0305"),
            bomb("run /dev/zero -o out", 2, "E0210"),
            bomb("resplan plan /dev/zero", 2, "E0210"),
            bomb(&format!("resplan release {titanic} /dev/zero -o out"), 3, "E0305"),
            bomb(&format!("resplan release {titanic} {table} -o out --ledger /dev/zero"), 1, "E0105"),
            bomb("resplan answer /dev/zero", 1, "E0104"),
            bomb("synth /dev/zero -o out", 1, "E0104"),
            bomb("adaptive plan /dev/zero", 2, "E0210"),
            bomb(&format!("adaptive release {adaptive} /dev/zero -o out"), 3, "E0305"),
            bomb("frechet audit /dev/zero", 2, "E0210"),
            bomb("frechet audit --jj /dev/zero", 2, "E0210"),
            bomb("frechet bounds /dev/zero", 2, "E0210"),
            bomb("frechet plan /dev/zero", 2, "E0210"),
            bomb("frechet diff /dev/zero /dev/zero", 2, "E0210"),
            bomb("frechet release /dev/zero -o out", 2, "E0210"),
            bomb("frechet verify /dev/zero", 2, "E0210"),
            bomb("magnitude audit /dev/zero", 2, "E0210"),
            bomb("magnitude plan /dev/zero", 2, "E0210"),
            bomb(&format!("lcf filter /dev/zero {table} --secret-file key"), 2, "E0210"),
            bomb(&format!("lcf filter {visits} /dev/zero --secret-file key --new-secret"), 3, "E0305"),
            bomb(&format!("lcf filter {visits} {table} --secret-file /dev/zero"), 4, "E0407"),
            bomb("lcf advise /dev/zero", 2, "E0210"),
            bomb(&format!("ldp encode /dev/zero {table} -o out"), 2, "E0210"),
            bomb(&format!("ldp encode {schema} /dev/zero -o out"), 3, "E0305"),
            bomb(&format!("ldp aggregate {schema} /dev/zero -o out"), 3, "E0391"),
            bomb("ldp merge /dev/zero /dev/zero -o out", 3, "E0391"),
            bomb(&format!("ldp estimate {schema} /dev/zero"), 3, "E0391"),
            bomb("ldp plan /dev/zero", 2, "E0210"),
            bomb("screen model /dev/zero", 2, "E0210"),
            bomb(&format!("screen table {voters} /dev/zero"), 3, "E0305"),
            bomb("init /dev/zero", 3, "E0305"),
            bomb("ledger show /dev/zero", 1, "E0105"),
            bomb("report /dev -o out", 3, "E0386"),
        ],
    );
}

#[test]
fn an_endless_file_is_refused_wherever_a_job_names_one() {
    let directory = TempDir::new().unwrap();
    let (visits, table) = (fixture("jobs/lcf-visits.toml"), fixture("data/titanic.csv"));
    for (name, field) in [
        ("queries", "name = 'z'\nlabels = ['a', 'b']\nbasis = { queries = '/dev/zero' }"),
        ("hierarchy", "name = 'z'\nlabels = ['a', 'b']\nbasis = { hierarchy = '/dev/zero' }"),
    ] {
        titanic_with(&directory, name, "[[attribute]]", &format!("[[attribute]]\n{field}\n[[attribute]]"));
    }
    for (name, job) in [("exact", "frechet-titanic"), ("keyed", "frechet-cell-key"), ("screen", "screen-voters")] {
        let text = std::fs::read_to_string(fixture(&format!("jobs/{job}.toml"))).unwrap();
        let named = text.lines().find(|line| line.starts_with("domain = ")).unwrap();
        write(&directory, name, text.replace(named, "domain = '/dev/zero'"));
    }
    let rappor = "order = 1\n[[feature]]\nname = 'c'\nvalues = ['1', '2']\nprotocol = 'rappor'\n\
        permanent = {p = 0.25, q = 0.75}\ninstantaneous = {p = 0.0, q = 1.0}\n";
    write(&directory, "rappor", rappor);
    let job = std::fs::read_to_string(&visits).unwrap();
    let job = job.replace("[\"patient\"]", "[{ column = \"patient\", form = \"text\" }]");
    write(&directory, "visits", job);
    write(&directory, "people.csv", "c,who\n1,p\n");
    all_are_refused(
        &directory,
        &[
            bomb("resplan plan queries", 2, "E0210"),
            bomb("resplan plan hierarchy", 2, "E0210"),
            bomb("frechet plan exact", 2, "E0210"),
            bomb("frechet perturb keyed -o out --secret-file key --new-secret", 2, "E0210"),
            bomb(&format!("screen table screen {table}"), 2, "E0210"),
            bomb("ldp encode rappor people.csv -o out --memory /dev/zero --person who", 3, "E0391"),
            bomb("lcf group visits /dev/zero -o out --secret-file key --new-secret", 3, "E0305"),
            bomb(&format!("lcf explain {visits} /dev/zero --group a,b --secret-file key --register"), 3, "E0305"),
        ],
    );
}

#[test]
fn numbers_at_the_edge_of_their_types_are_refused() {
    let directory = TempDir::new().unwrap();
    let rho = |value: &str, code: &'static str| {
        let name = format!("rho{value}.toml");
        titanic_with(&directory, &name, "rho = 0.5", &format!("rho = {value}"));
        bomb(&format!("resplan plan {name}"), 2, code)
    };
    let mut bombs = vec![
        rho("1e308", "E0225"),
        rho("5e-324", "E0226"),
        rho("1e-320", "E0226"),
        rho("1e400", "E0210"),
        rho("-1.0", "E0225"),
        rho("nan", "E0225"),
        rho("inf", "E0225"),
        rho("0.0", "E0225"),
        rho("99999999999999999999", "E0210"),
    ];
    for (name, size) in [("size63", i64::MAX.to_string()), ("size20", (1 << 21).to_string())] {
        titanic_with(
            &directory,
            name,
            "[[attribute]]",
            &format!("[[attribute]]\nname = 'z'\nsize = {size}\n[[attribute]]"),
        );
        bombs.push(bomb(&format!("resplan plan {name}"), 6, "E0604"));
    }
    write(&directory, "domain.json", r#"{"a": 1000000, "b": 1000000000000}"#);
    let head = "neighbours = 'add-remove'\n[privacy]\nrho = 1.0\n";
    write(&directory, "json", format!("up_to = 1\ndomain = 'domain.json'\n{head}"));
    bombs.push(bomb("resplan plan json", 6, "E0604"));
    let binary: String = (0..60).map(|number| format!("[[attribute]]\nname = 'a{number}'\nsize = 2\n")).collect();
    write(&directory, "all-of-60", format!("up_to = 60\n{head}{binary}"));
    bombs.push(bomb("resplan plan all-of-60", 6, "E0611"));
    let many: String = (0..5000).map(|number| format!("[[attribute]]\nname = 'a{number}'\nsize = 4\n")).collect();
    write(&directory, "many", format!("up_to = 3\n{head}{many}"));
    bombs.push(bomb("resplan plan many", 2, "E0207"));
    bombs.push(bomb("lcf odds --mean 1e300 --sd 1e300 --floor 0", 2, "E0277"));
    bombs.push(bomb("lcf odds --mean 1e9 --sd 1e9 --floor 2", 6, "E0655"));
    let model = std::fs::read_to_string(fixture("jobs/screen-model.toml")).unwrap();
    let lines = model.lines().map(|line| if line.starts_with("rows ") { "rows = 18446744073709551615" } else { line });
    write(&directory, "rows", lines.collect::<Vec<_>>().join("\n"));
    bombs.push(bomb("screen model rows", 2, "E0252"));
    let model = fixture("jobs/screen-model.toml");
    bombs.push(bomb(&format!("screen simulate {model} --seed 1 --trials 18446744073709551615"), 6, "E0636"));
    let (job, data) = (fixture("jobs/titanic.toml"), fixture("data/titanic.csv"));
    bombs.push(bomb(&format!("resplan simulate {job} {data} --seed 1 --trials 18446744073709551615"), 6, "E0647"));
    all_are_refused(&directory, &bombs);
}

/// Lists that are short to write and large to read; what may be read is refused for what it says.
#[test]
fn jobs_of_very_many_values_are_refused() {
    let directory = TempDir::new().unwrap();
    let job = |name: &str, value: &str, code: &'static str| {
        titanic_with(&directory, name, "[[attribute]]", &format!("{value}\n[[attribute]]"));
        bomb(&format!("resplan plan {name}"), 2, code)
    };
    let list = |value: &str, times: usize| format!("x = [{}]", value.repeat(times));
    let mut bombs = vec![
        job("numbers", &list("1,", 8_000_000), "E0210"),
        job("numbers-read", &list("1,", 280_000), "E0210"),
        job("tables", &list("{},", 5_000_000), "E0210"),
        job("tables-read", &list("{a=1},", 28_000), "E0210"),
        job("dots", &"x.a.b.c.d.e.f.g = 1\n".repeat(500_000), "E0210"),
        job("attributes", &"[[attribute]]\nname = 'z'\nsize = 2\n".repeat(400_000), "E0210"),
        job("attributes-read", &"[[attribute]]\nname = 'z'\nsize = 2\n".repeat(24_000), "E0207"),
    ];
    for (name, times, code) in [("marginals", 500_000, "E0210"), ("marginals-read", 80_000, "E0223")] {
        let list = format!("marginals = [{}]", "['Sex'],".repeat(times));
        titanic_with(&directory, name, "up_to = 2", &list);
        bombs.push(bomb(&format!("resplan plan {name}"), 2, code));
    }
    all_are_refused(&directory, &bombs);
}

/// What is listed or multiplied before it is used: queries, subsets, sums of a table of amounts.
#[test]
fn what_a_job_multiplies_is_counted_before_it_is_listed() {
    let directory = TempDir::new().unwrap();
    write(&directory, "q.csv", format!("a,b\n{}", "1,2\n".repeat(4_000_000)));
    write(&directory, "h.csv", format!("a{0}\nb{0}\n", ";x;y".repeat(2_000_000)));
    for (name, basis) in [("queries", "queries = 'q.csv'"), ("hierarchy", "hierarchy = 'h.csv'")] {
        let attribute = format!("[[attribute]]\nname = 'z'\nlabels = ['a', 'b']\nbasis = {{ {basis} }}\n");
        titanic_with(&directory, name, "[[attribute]]", &format!("{attribute}[[attribute]]"));
    }
    let head = "neighbours = 'add-remove'\n[privacy]\nrho = 0.5\n";
    let attributes = |number: usize, size: usize| -> String {
        (0..number).map(|name| format!("[[attribute]]\nname = 'a{name}'\nsize = {size}\n")).collect()
    };
    let all: Vec<String> = (0..40).map(|name| format!("'a{name}'")).collect();
    let all = format!("marginals = [[{}]]\n{head}", all.join(","));
    write(&directory, "subsets", format!("{all}{}", attributes(40, 2)));
    write(&directory, "subsets-of-one", format!("{all}{}", attributes(40, 1)));
    write(&directory, "triples", format!("up_to = 3\n{head}{}", attributes(100, 100)));
    let axes: Vec<String> = (0..10).map(|axis| format!("c{axis}")).collect();
    let row = |number: usize| {
        let codes: String = (0..10).map(|axis| format!("{},", (number * 7 + number / (axis + 1)) % 3)).collect();
        format!("{codes}f{number},5\n")
    };
    let rows: String = (0..300).map(row).collect();
    write(&directory, "amounts.csv", format!("{},firm,turnover\n{rows}", axes.join(",")));
    let job = std::fs::read_to_string(fixture("jobs/magnitude-firms.toml")).unwrap();
    let named = job.lines().find(|line| line.starts_with("axes = ")).unwrap();
    let quoted: Vec<String> = axes.iter().map(|axis| format!("'{axis}'")).collect();
    let job = job.replace(named, &format!("axes = [{}]", quoted.join(",")));
    write(&directory, "amounts", job.replace("../data/firms.csv", "amounts.csv"));
    all_are_refused(
        &directory,
        &[
            bomb("resplan plan queries", 6, "E0611"),
            bomb("resplan plan hierarchy", 6, "E0611"),
            bomb("adaptive plan subsets", 6, "E0611"),
            bomb("adaptive plan subsets-of-one", 6, "E0611"),
            bomb("adaptive plan triples", 6, "E0611"),
            bomb("magnitude plan amounts", 6, "E0640"),
        ],
    );
}

#[test]
fn nesting_without_end_is_refused() {
    let directory = TempDir::new().unwrap();
    write(&directory, "lists", format!("a = {}", "[".repeat(200_000)));
    write(&directory, "keys", format!("a{} = 1", ".a".repeat(200_000)));
    write(&directory, "tables", format!("a = {}", "{a=".repeat(100_000)));
    write(&directory, "json", "[".repeat(1_000_000));
    write(&directory, "objects", r#"{"a":"#.repeat(500_000));
    write(&directory, "cells", "0\n18446744073709551615\n");
    all_are_refused(
        &directory,
        &[
            bomb("resplan plan lists", 2, "E0210"),
            bomb("resplan plan keys", 2, "E0210"),
            bomb("frechet audit tables", 2, "E0210"),
            bomb("run lists -o out", 2, "E0210"),
            bomb("frechet verify json", 3, "E0373"),
            bomb("frechet verify objects", 3, "E0373"),
            bomb("frechet audit --jj cells", 3, "E0364"),
            bomb("magnitude audit cells", 3, "E0364"),
        ],
    );
}

#[test]
fn floods_of_bytes_are_refused_where_they_begin() {
    let directory = TempDir::new().unwrap();
    let job = fixture("jobs/titanic.toml");
    write(&directory, "columns.csv", "c,".repeat(1_000_000));
    write(&directory, "field.csv", [&b"Class,Sex,Age,Survived,n\n"[..], &vec![b'x'; 1 << 25]].concat());
    write(&directory, "quote.csv", [&b"Class,Sex,Age,Survived,n\n\""[..], &b"x\n".repeat(1 << 24)].concat());
    let file = File::create(directory.path().join("zeros.csv.gz")).unwrap();
    let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    (0..256).for_each(|_| packed.write_all(&vec![b'0'; 1 << 20]).unwrap());
    packed.finish().unwrap();
    let release = |name: &str| format!("resplan release {job} {name} -o out");
    all_are_refused(
        &directory,
        &[
            bomb(&release("columns.csv"), 3, "E0326"),
            bomb("init columns.csv", 3, "E0326"),
            bomb(&release("field.csv"), 3, "E0324"),
            bomb(&release("quote.csv"), 3, "E0324"),
            bomb(&release("zeros.csv.gz"), 3, "E0324"),
            bomb("init zeros.csv.gz", 3, "E0324"),
        ],
    );
}

/// A sheet up to its second row, and what ends one.
const ROWS: &str = "<worksheet><sheetData><row><c t='inlineStr'><is><t>a</t></is></c></row>";
const END: &str = "</sheetData></worksheet>";

#[test]
fn workbooks_that_swell_are_refused_before_they_are_unpacked() {
    let directory = TempDir::new().unwrap();
    let path = |name: &str| directory.path().join(name);
    let row = "<row><c><v>1</v></c></row>";
    let cell = "<worksheet><sheetData><row><c t='inlineStr'><is><t>";
    let end_of_cell = "</t></is></c></row></sheetData></worksheet>";
    let kilobyte = "x".repeat(1024);
    write_workbook(&path("cell.xlsx"), &[sheet(cell, &kilobyte, 1 << 16, end_of_cell)]);
    write_workbook(&path("cell-small.xlsx"), &[sheet(cell, &kilobyte, 3 << 10, end_of_cell)]);
    write_workbook(&path("rows.xlsx"), &[sheet(ROWS, row, 3_000_000, END)]);
    // Two megabytes of text.
    let wide = "<row><c t='inlineStr'><is><t>abcdefghijklmnopqrstuvwxyz</t></is></c></row>";
    write_workbook(&path("limit.xlsx"), &[sheet(ROWS, wide, 80_000, END)]);
    write_workbook(&path("nested.xlsx"), &[sheet("<worksheet>", "<a>", 5_000_000, "")]);
    let unused = [sheet(ROWS, "", 0, END), strings("<sst>", "<si><t>a</t></si>", 10_000_000)];
    write_workbook(&path("strings.xlsx"), &unused);
    let few = [sheet(ROWS, "", 0, END), strings("<sst>", "<si/>", 600_000)];
    write_workbook(&path("strings-small.xlsx"), &few);
    let claimed = [sheet(ROWS, "", 0, END), strings("<sst uniqueCount='40000000000'>", "", 0)];
    write_workbook(&path("claim.xlsx"), &claimed);
    let font = format!("<styleSheet><fonts><font><name val='{}'/></font></fonts><cellXfs>", kilobyte.repeat(800));
    write_workbook(&path("formats.xlsx"), &[sheet(ROWS, "", 0, END), styles(&font, "<xf fontId='0'/>", 20_000)]);
    let wide = "<worksheet><sheetData><row><c r='A1'><v>1</v></c><c r='FAA1'><v>1</v></c></row>";
    write_workbook(&path("sparse.xlsx"), &[sheet(wide, row, 20_000, END)]);
    let relation = "<Relationship Id='rId1' Type='worksheet' Target='worksheets/sheet1.xml'/>";
    write_workbook(&path("relations.xlsx"), &[sheet("<worksheet>", relation, 200_000, "</worksheet>")]);
    let comment = sheet("<worksheet><!--", "<<<<", 900_000, "--></worksheet>");
    write_workbook(&path("comment.xlsx"), &[comment]);
    all_are_refused(
        &directory,
        &[
            bomb("init cell.xlsx", 6, "E0661"),
            bomb("init cell-small.xlsx", 3, "E0324"),
            bomb("init rows.xlsx", 6, "E0661"),
            bomb("init nested.xlsx", 3, "E0328"),
            bomb("init strings.xlsx", 6, "E0661"),
            bomb("init strings-small.xlsx", 6, "E0661"),
            bomb("init claim.xlsx", 6, "E0661"),
            bomb("init formats.xlsx", 6, "E0661"),
            bomb("init sparse.xlsx", 6, "E0661"),
            bomb("init relations.xlsx", 6, "E0661"),
            bomb("init comment.xlsx", 3, "E0328"),
            bomb(&format!("run {} rows.xlsx -o out", fixture("jobs/survey.toml")), 6, "E0661"),
            bomb(&format!("run {} limit.xlsx -o out --max-memory 1", fixture("jobs/survey.toml")), 6, "E0661"),
        ],
    );
}

#[test]
fn an_endless_pipe_is_refused_by_its_first_rows() {
    let directory = TempDir::new().unwrap();
    let job = std::fs::read_to_string(fixture("jobs/titanic.toml")).unwrap();
    let rows = job.lines().filter(|line| !line.starts_with("count "));
    write(&directory, "person", format!("person = 'who'\n{}", rows.collect::<Vec<_>>().join("\n")));
    let survey = fixture("jobs/survey.toml");
    let header = "Class,Sex,Age,Survived,who\n";
    for (words, text, code) in [
        (&*format!("run {survey} - -o out --secret-file key --new-secret"), "a,b\n", "E0308"),
        ("resplan release person - -o out", "a,b\n", "E0308"),
        ("resplan release person - -o out", header, "E0316"),
        ("resplan simulate person - --trials 2 --seed 1", "a,b\n", "E0308"),
    ] {
        let mut endless = Command::new("yes").arg(text.trim_end()).stdout(Stdio::piped()).spawn().unwrap();
        let input = Stdio::from(endless.stdout.take().unwrap());
        let (exit, said) = run_on(&directory, &bomb(words, 3, code).words, MEMORY, input);
        endless.kill().unwrap();
        endless.wait().unwrap();
        assert_eq!((exit, said.contains(code)), (Some(3), true), "{words}: {said:.400}");
    }
}

/// A file that says to be a terabyte, and has nothing there.
fn lengthen(directory: &TempDir, name: &str) {
    let path = directory.path().join(name);
    File::options().append(true).create(true).open(path).unwrap().set_len(1 << 40).unwrap();
}

#[test]
fn files_with_holes_are_refused_by_their_length_or_by_the_first_nul() {
    let directory = TempDir::new().unwrap();
    let (titanic, table) = (fixture("jobs/titanic.toml"), fixture("data/titanic.csv"));
    let text = std::fs::read_to_string(fixture("jobs/lcf-visits.toml")).unwrap();
    let text = text.replace("[\"patient\"]", "[{ column = \"patient\", form = \"text\" }]");
    write(&directory, "visits", &text);
    let visits = fixture("data/visits.csv");
    for words in [
        format!("resplan plan {titanic} -o plan"),
        format!("resplan release {titanic} {table} -o released"),
        format!("lcf group visits {visits} --secret-file key --new-secret -o groups"),
        "ledger open ledger --rho 9 --neighbours add-remove".to_owned(),
    ] {
        let (exit, said) = run_within(&directory, &bomb(&words, 0, "").words, 10 * MEMORY);
        assert_eq!(exit, Some(0), "{words}: {said}");
    }
    for name in ["plan", "groups", "ledger", "released/release.json", "released/measurement.bin"] {
        lengthen(&directory, name);
    }
    all_are_refused(
        &directory,
        &[
            bomb(&format!("resplan release plan {table} -o out"), 2, "E0210"),
            bomb("lcf filter visits groups --secret-file key", 3, "E0375"),
            bomb("ledger show ledger", 1, "E0105"),
            bomb(&format!("resplan release {titanic} {table} -o out --ledger ledger"), 1, "E0105"),
            bomb("report released -o out", 3, "E0386"),
            bomb("resplan answer released/measurement.bin", 3, "E0362"),
        ],
    );
}

/// As many categories as a domain may have: what they multiply is refused before their labels are
/// copied.
#[test]
fn a_million_categories_are_refused_where_they_are_too_many() {
    let directory = TempDir::new().unwrap();
    let domain = "learnt_from_data = false\n[[attribute]]\nname = 'a'\nsize = 1000000\n\
        [[attribute]]\nname = 'b'\nsize = 2\n";
    write(&directory, "domain.toml", domain);
    write(&directory, "rows.csv", "a,b\n0,0\n999999,1\n");
    let job = "data = 'rows.csv'\ndomain = 'domain.toml'\nmargins = [['a', 'b']]\nmin_interval_width = 3\n\
        min_frequency = 1\n";
    write(&directory, "exact", job);
    write(&directory, "keyed", format!("{job}[cell_key]\nmax_deviation = 5\nvariance = 3.0\nsmallest_published = 3\n"));
    let head = "neighbours = 'add-remove'\n[privacy]\nrho = 0.5\n";
    let attributes = domain.replace("learnt_from_data = false\n", "").replace("size = 2", "size = 1000");
    write(&directory, "noisy", format!("up_to = 2\n{head}{attributes}"));
    all_are_refused(
        &directory,
        &[
            bomb("frechet audit exact", 6, "E0621"),
            bomb("frechet plan exact", 6, "E0621"),
            bomb("frechet release exact -o out", 6, "E0621"),
            bomb("frechet round exact --base 3 -o out", 4, "E0444"),
            bomb("frechet perturb keyed -o out --secret-file key --new-secret", 6, "E0621"),
            bomb("resplan plan noisy", 6, "E0611"),
            bomb("resplan release noisy rows.csv -o out", 6, "E0611"),
        ],
    );
}

#[test]
fn the_limit_of_memory_is_one_that_bites() {
    let directory = TempDir::new().unwrap();
    let large = "[[attribute]]\nname = 'z'\nsize = 1000000\n[[attribute]]";
    titanic_with(&directory, "large", "[[attribute]]", large);
    let words = bomb("resplan plan large", 0, "").words;
    assert_eq!(run_within(&directory, &words, 32 * MEMORY).0, Some(0));
    assert_ne!(run_within(&directory, &words, MEMORY).0, Some(0));
}
