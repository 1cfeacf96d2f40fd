//! `disclosure run`, from the outside.

use std::collections::BTreeSet;

use crate::support::{Bench, Run, key, numbers};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Ten people in `a`, 3 in `b` of whom one has `y`, and 30 in `c`: groups by `x` of 9 or fewer
/// may vanish.
fn people() -> String {
    let rows = |x: &str, y: &str, times: usize| format!("{x},{y}\n").repeat(times);
    format!("x,y\n{}{}{}{}", rows("a", "n", 40), rows("b", "n", 2), rows("b", "y", 1), rows("c", "n", 30))
}

const COLUMNS: &str = "[[attribute]]\nname = \"x\"\nlabels = [\"a\", \"b\", \"c\"]\n\n\
                       [[attribute]]\nname = \"y\"\nlabels = [\"n\", \"y\"]\n";
const FILTER: &str = "[filtered]\ngroup_by = [\"x\"]\naid = \"row\"\nlaw = { name = \"hard\", at_least = 5 }\n\
                      counts = \"exact\"\n";
const TOTAL: &str = "[exact]\nmargins = [[]]\ntau = 0\nkappa = 1\ndecide_on = \"counts\"\n";
const NOISE: &str = "[budget]\nrho = 0.5\nneighbours = \"add-remove\"\n[noisy]\nup_to = 1\n";

/// Runs a job over the people; the files of the bench beside it.
fn job(bench: &Bench, sections: &str, more: &[&str]) -> Run {
    bench.write("people.csv", &people());
    let text = format!("title = \"T\"\ndata = \"people.csv\"\n{sections}\n{COLUMNS}");
    let job = bench.write("job.toml", &text);
    let mut words = [&["run", &job, "-o", "out"], more].concat();
    if words.contains(&"--secret-file") && !words.contains(&"--new-secret") {
        // Every job is another deployment: the registry of the one before is not there.
        let _ = std::fs::remove_file(bench.path("key.registry"));
        words.push("--register");
    }
    bench.run(&words)
}

fn manifest(bench: &Bench, directory: &str) -> Value {
    serde_json::from_str(&bench.read(&format!("{directory}/manifest.json"))).unwrap()
}

#[test]
fn the_manifest_names_every_file_with_its_digest_and_whether_it_may_leave() {
    let bench = Bench::new();
    let key = key(&bench);
    let run = job(&bench, &format!("{NOISE}{FILTER}"), &["--secret-file", &key]);
    assert_eq!(run.code, 0, "{}", run.err);
    let mut listed = BTreeSet::from(["manifest.json".to_owned()]);
    for file in manifest(&bench, "out")["files"].as_array().unwrap() {
        let path = file["path"].as_str().unwrap();
        let bytes = std::fs::read(bench.path("out").join(path)).unwrap();
        let digest: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!((&file["sha256"], &file["bytes"]), (&Value::from(digest), &Value::from(bytes.len())), "{path}");
        assert_eq!(file["may_leave"], path.starts_with("release/"), "{path}");
        assert!(listed.insert(path.to_owned()));
    }
    let mut found = BTreeSet::new();
    let mut folders = vec![bench.path("out")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => drop(found.insert(path.strip_prefix(bench.path("out")).unwrap().to_str().unwrap().to_owned())),
            }
        }
    }
    assert_eq!(listed, found);
}

#[test]
fn a_total_beside_all_groups_but_one_gives_that_one_away() {
    let bench = Bench::new();
    let key = key(&bench);
    // By itself the filter withholds the 3 in b, and the total tells nothing about them.
    assert_eq!(job(&bench, FILTER, &["--secret-file", &key]).code, 0);
    assert_eq!(bench.read("out/release/filtered.csv"), "x,rows\na,40\nc,30\n");
    std::fs::remove_dir_all(bench.path("out")).unwrap();
    let both = format!("{TOTAL}{FILTER}");
    let run = job(&bench, &both, &["--secret-file", &key]);
    assert_eq!(run.code, 4, "{}\n{}", run.out, run.err);
    assert!(run.err.contains("E0421") && run.err.contains("groups-pinned"), "{}", run.err);
    assert!(run.out.contains("x b: known"), "{}", run.out);
    assert!(!bench.path("out").exists(), "nothing was written");
    assert_eq!(bench.names(), ["job.toml", "key", "people.csv"], "no registry for it either");
    // The owner may allow it, and then it is shown as found.
    let run = job(&bench, &format!("{both}[targets]\nmax_pinned_groups = 1\n"), &["--secret-file", &key]);
    assert_eq!(run.code, 0, "{}", run.err);
    let manifest = manifest(&bench, "out");
    let target = manifest["targets"].as_array().unwrap().iter().find(|t| t["name"] == "groups-pinned").unwrap();
    assert_eq!((&target["asked"], &target["found"]), (&Value::from(1), &Value::from(1)));
}

#[test]
fn two_groups_that_are_withheld_hide_each_other_from_the_total() {
    let bench = Bench::new();
    let key = key(&bench);
    // By x and y: the 2 and the 1 in b, and nobody with y elsewhere.
    let by_both = FILTER.replace("[\"x\"]", "[\"x\", \"y\"]");
    let run = job(&bench, &format!("{TOTAL}{by_both}"), &["--secret-file", &key]);
    assert_eq!(run.code, 0, "{}\n{}", run.out, run.err);
    let attack: Value = serde_json::from_str(&bench.read("out/review/attack.json")).unwrap();
    assert_eq!(attack["exact_numbers"]["withheld_groups"]["open"], 2);
}

#[test]
fn a_fact_that_the_attacker_holds_opens_what_two_groups_hid() {
    let bench = Bench::new();
    let key = key(&bench);
    // The 30 in c are withheld as well.
    let two = FILTER.replace("at_least = 5", "at_least = 35");
    assert_eq!(job(&bench, &format!("{TOTAL}{two}"), &["--secret-file", &key]).code, 0);
    std::fs::remove_dir_all(bench.path("out")).unwrap();
    let fact = |value: u64| format!("[[exact.known]]\nwhere = {{ x = \"c\" }}\nvalue = {value}\n");
    let run = job(&bench, &format!("{TOTAL}{}{two}", fact(30)), &["--secret-file", &key]);
    assert_eq!(run.code, 4, "{}\n{}", run.out, run.err);
    assert!(run.err.contains("groups-pinned") && run.out.contains("x b: known"), "{}{}", run.out, run.err);
    let run = job(&bench, &format!("{TOTAL}{}{two}", fact(29)), &["--secret-file", &key]);
    assert!(run.code == 3 && run.err.contains("E0372"), "what is not true of the data: {}", run.err);
}

#[test]
fn what_the_job_calls_public_opens_the_groups_within_it() {
    let bench = Bench::new();
    let key = key(&bench);
    let voted =
        "[exact]\nvote = { column = \"y\", value = \"y\" }\nmargins = [[\"x\"]]\ntau = 0\nbeta = 0.1\nkappa = 1\n";
    let run = job(&bench, &format!("{voted}{FILTER}"), &["--secret-file", &key]);
    assert_eq!(run.code, 4, "{}\n{}", run.out, run.err);
    assert!(run.err.contains("groups-pinned") && run.out.contains("x b: known"), "{}{}", run.out, run.err);
}

/// People by three columns of two labels, one of whom is alone in `1, 1, 1`.
fn three_columns() -> String {
    let rows = |row: &str, times: usize| format!("{row}\n").repeat(times);
    let cells = [("0,0,0", 9), ("0,0,1", 8), ("0,1,0", 7), ("0,1,1", 9), ("1,0,0", 8), ("1,0,1", 5), ("1,1,0", 9)];
    format!("a,b,c\n{}{}", cells.map(|(row, times)| rows(row, times)).concat(), rows("1,1,1", 1))
}

#[test]
fn the_rule_of_the_exact_tables_is_asked_of_all_parts_together() {
    let bench = Bench::new();
    let key = key(&bench);
    bench.write("three.csv", &three_columns());
    let columns: String =
        ["a", "b", "c"].map(|name| format!("[[attribute]]\nname = \"{name}\"\nlabels = [\"0\", \"1\"]\n")).concat();
    let exact = "[exact]\nmargins = [[\"a\", \"b\"], [\"b\", \"c\"]]\ntau = 8\nkappa = 5\ndecide_on = \"counts\"\n";
    let filter = FILTER.replace("[\"x\"]", "[\"a\", \"c\"]");
    let run = |sections: &str, more: &[&str]| {
        let job = bench.write("job.toml", &format!("title = \"T\"\ndata = \"three.csv\"\n{sections}\n{columns}"));
        bench.run(&[&["run", &job, "-o", "out"], more].concat())
    };
    let alone = run(exact, &[]);
    assert_eq!(alone.code, 0, "{}\n{}", alone.out, alone.err);
    std::fs::remove_dir_all(bench.path("out")).unwrap();
    // All three two-way tables leave one unknown, which cannot be far from the person alone.
    let both = run(&format!("{exact}{filter}"), &["--secret-file", &key, "--register", "--details"]);
    assert_eq!(both.code, 4, "{}\n{}", both.out, both.err);
    assert!(both.err.contains("policy-together") && both.out.contains("a 1, b 1, c 1: known"), "{}", both.out);
    assert!(!bench.path("out").exists());
}

#[test]
fn what_is_left_of_a_total_is_judged_as_if_it_were_published() {
    let bench = Bench::new();
    let exact = |kappa: u64| {
        format!(
            "[exact]\nmargins = [[]]\ntau = 0\nkappa = {kappa}\ndecide_on = \"counts\"\n\
             [[exact.publish]]\nwhere = {{ x = \"a\" }}\n"
        )
    };
    // 73 people less the 40 in a: 33 in b and c together, of whom nobody knows more. Where 33 are too
    // few to be published, so is the total beside the 40.
    for (kappa, published) in [(35, 0.0), (30, 1.0)] {
        let run = job(&bench, &exact(kappa), &[]);
        assert_eq!(run.code, 0, "{}\n{}", run.out, run.err);
        assert_eq!(manifest(&bench, "out")["tables"][0]["numbers"], published, "kappa {kappa}");
        std::fs::remove_dir_all(bench.path("out")).unwrap();
    }
}

#[test]
fn every_missed_target_is_refused_with_nothing_written() {
    let bench = Bench::new();
    let strict = format!("{NOISE}[targets]\nmax_rmse = 0.1\n");
    let screen = "[screen]\ntarget = \"y\"\nsuppress_below = 0\nnoise = 0\ntarget_accuracy = 0.5\n";
    // All 40 in a answered alike.
    let exact =
        "[exact]\nvote = { column = \"y\", value = \"n\" }\nmargins = [[\"x\"]]\ntau = 0\nbeta = 0.1\nkappa = 3\n";
    for (sections, target) in [
        (strict, "noisy-rmse"),
        (format!("{NOISE}{screen}"), "label-accuracy-attacked"),
        (exact.to_owned(), "exact-policy"),
    ] {
        let run = job(&bench, &sections, &[]);
        assert_eq!(run.code, 4, "{target}: {}\n{}", run.out, run.err);
        assert!(run.err.contains("E0421") && run.err.contains(target), "{}", run.err);
        assert!(run.out.contains("MISSED"), "{}", run.out);
        assert_eq!(bench.names(), ["job.toml", "people.csv"], "{target}");
    }
}

#[test]
fn one_budget_pays_for_all_noise() {
    let bench = Bench::new();
    let voted = "[exact]\nvote = { column = \"y\", value = \"n\" }\nmargins = [[\"x\"]]\ntau = 0\nbeta = 0.001\nkappa = 20\n\
                 target = \"undisclosed\"\ndecide_on = \"counts\"\nepsilon = 4.0\n";
    // One row changes the noised cells by epsilon / 4, which costs 0.5.
    let run = job(&bench, &format!("{}{voted}", NOISE.replace("0.5", "0.4")), &[]);
    assert_eq!(run.code, 5, "{}\n{}", run.out, run.err);
    assert!(run.err.contains("E0502"), "{}", run.err);
    assert_eq!(bench.names(), ["job.toml", "people.csv"]);
}

#[test]
fn a_ledger_is_charged_once_for_all_parts_and_not_for_what_is_refused() {
    let bench = Bench::new();
    let words = ["ledger", "open", "l", "--rho", "0.7", "--neighbours", "add-remove"];
    assert_eq!(bench.run(&words).code, 0);
    let paid = NOISE.replace("rho = 0.5", "rho = 0.5\nledger = \"l\"");
    let left = |bench: &Bench| bench.json(&["ledger", "show", "l", "--json"])["left_rho"].as_f64().unwrap();
    assert_eq!(job(&bench, &format!("{paid}[targets]\nmax_rmse = 0.1\n"), &[]).code, 4);
    assert_eq!(job(&bench, &paid, &["--dry-run"]).code, 0);
    assert!((left(&bench) - 0.7).abs() < 1e-9 && !bench.path("out").exists());
    assert_eq!(job(&bench, &paid, &[]).code, 0);
    assert!((left(&bench) - 0.2).abs() < 1e-6);
    let hash = manifest(&bench, "out")["budget"]["ledger_hash"].clone();
    assert_eq!(hash, bench.json(&["ledger", "show", "l", "--json"])["hash"]);
    for record in ["release.json", "noisy/release.json"] {
        let left: Value = serde_json::from_str(&bench.read(&format!("out/release/{record}"))).unwrap();
        let own = if record == "release.json" { &left["budget"]["ledger_hash"] } else { &left["ledger_hash"] };
        assert!(own.is_null(), "the chain covers jobs, whose known numbers can be guessed at");
    }
    std::fs::remove_dir_all(bench.path("out")).unwrap();
    let run = job(&bench, &paid, &[]);
    assert_eq!(run.code, 5, "{}", run.err);
    assert!(run.err.contains("E0501") && !bench.path("out").exists());
}

#[test]
fn jobs_that_make_no_sense_are_refused_with_the_place() {
    let bench = Bench::new();
    for (sections, code, words) in [
        ("[noisy]\nup_to = 1\nupto = 2\n[budget]\nrho = 1\nneighbours = \"replace\"\n", "E0210", "line 5"),
        ("[surprise]\n", "E0210", "line 3"),
        ("", "E0244", "at least one of"),
        ("[noisy]\nup_to = 1\n", "E0244", "[budget]"),
        (
            "[exact]\nmargins = [[]]\ntau = 0\nkappa = 1\n[budget]\nrho = 1\nneighbours = \"replace\"\n",
            "E0244",
            "[budget]",
        ),
        ("[exact]\ntitle = \"x\"\nmargins = [[]]\ntau = 0\nkappa = 1\n", "E0243", "[exact]: title"),
        (
            "[noisy]\nup_to = 1\nneighbours = \"replace\"\n[budget]\nrho = 1\nneighbours = \"replace\"\n",
            "E0243",
            "neighbours",
        ),
        (
            "[noisy]\nup_to = 1\nnoise = \"continuous\"\n[budget]\nrho = 1\nneighbours = \"replace\"\n",
            "E0214",
            "[noisy]",
        ),
    ] {
        let run = job(&bench, sections, &[]);
        assert_eq!(run.code, 2, "{sections}: {}", run.err);
        assert!(run.err.contains(code) && run.err.contains(words) && run.err.contains("job.toml"), "{}", run.err);
        assert_eq!(bench.names(), ["job.toml", "people.csv"]);
    }
}

#[test]
fn the_secret_is_asked_for_by_the_filter_and_by_nothing_else() {
    let bench = Bench::new();
    let key = key(&bench);
    let run = job(&bench, FILTER, &[]);
    assert!(run.code == 2 && run.err.contains("E0245") && run.err.contains("--secret-file KEY"), "{}", run.err);
    let run = job(&bench, TOTAL, &["--secret-file", &key]);
    assert!(run.code == 2 && run.err.contains("E0245"), "{}", run.err);
    let merged = FILTER.replace("aid =", "low_effect = true\naid =");
    let run = job(&bench, &merged, &["--secret-file", &key]);
    assert!(run.code == 2 && run.err.contains("E0243"), "{}", run.err);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
        let run = job(&bench, FILTER, &["--secret-file", &key]);
        assert!(run.code == 4 && run.err.contains("E0407"), "{}", run.err);
    }
}

#[test]
fn a_total_that_noisy_tables_tell_is_part_of_the_attack() {
    let bench = Bench::new();
    let key = key(&bench);
    let run = job(&bench, &format!("{NOISE}{FILTER}"), &["--secret-file", &key, "--dry-run"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let replaced = NOISE.replace("add-remove", "replace");
    let run = job(&bench, &format!("{replaced}{FILTER}"), &["--secret-file", &key]);
    assert!(run.code == 4 && run.err.contains("groups-pinned"), "{}", run.err);
    assert!(!bench.path("out").exists());
}

#[test]
fn that_withheld_groups_are_small_is_used_however_many_there_are() {
    let bench = Bench::new();
    let key = key(&bench);
    // In p0 there are 58 groups of 10, and two of 9, the most that is withheld: 598 less
    // 580 is 18.
    let rows: String = (0..60).map(|q| format!("p0,q{q}\n").repeat(if q < 58 { 10 } else { 9 })).collect();
    let others: String = (1..30).map(|p| format!("p{p},q0\n").repeat(10)).collect();
    bench.write("wide.csv", &format!("p,q\n{rows}{others}"));
    let labels = |letter: &str, count: usize| {
        let labels: Vec<String> = (0..count).map(|number| format!("\"{letter}{number}\"")).collect();
        format!("[[attribute]]\nname = \"{letter}\"\nlabels = [{}]\n", labels.join(", "))
    };
    let text = format!(
        "title = \"T\"\ndata = \"wide.csv\"\n{}{}[exact]\nmargins = [[\"p\"]]\ntau = 0\nkappa = 1\n\
         decide_on = \"counts\"\ntarget = \"undisclosed\"\n[filtered]\ngroup_by = [\"p\", \"q\"]\naid = \"row\"\n\
         law = {{ name = \"hard\", at_least = 10 }}\ncounts = \"exact\"\n",
        labels("p", 30),
        labels("q", 60)
    );
    let path = bench.write("wide.toml", &text);
    let run = bench.run(&["run", &path, "-o", "out", "--secret-file", &key]);
    assert!(run.code == 4 && run.err.contains("groups-pinned"), "{}\n{}", run.out, run.err);
}

#[test]
fn groups_by_the_vote_of_the_exact_part_are_refused() {
    let bench = Bench::new();
    let key = key(&bench);
    let exact = "[exact]\nvote = { column = \"y\", value = \"y\" }\nmargins = [[\"x\"]]\ntau = 0\nkappa = 1\n\
                 beta = 0.0\ndecide_on = \"counts\"\n";
    let by_vote = FILTER.replace("[\"x\"]", "[\"x\", \"y\"]");
    let run = job(&bench, &format!("{exact}{by_vote}"), &["--secret-file", &key]);
    assert!(run.code == 2 && run.err.contains("E0244") && run.err.contains("response"), "{}", run.err);
}

#[test]
fn a_new_secret_is_made_once_for_its_owner_and_then_kept() {
    let bench = Bench::new();
    let path = bench.path("new");
    let words = ["--secret-file", path.to_str().unwrap(), "--new-secret", "--dry-run"];
    let run = job(&bench, FILTER, &words);
    assert_eq!(run.code, 0, "{}", run.err);
    let secret = std::fs::read(&path).unwrap();
    assert_eq!(secret.len(), 32);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(job(&bench, FILTER, &words).code, 0);
    assert_eq!(std::fs::read(&path).unwrap(), secret);
    let other = bench.path("other");
    assert_eq!(job(&bench, FILTER, &["--secret-file", other.to_str().unwrap(), "--new-secret", "--dry-run"]).code, 0);
    assert_ne!(std::fs::read(&other).unwrap(), secret);
    let nowhere = bench.path("nowhere/key");
    let run = job(&bench, FILTER, &["--secret-file", nowhere.to_str().unwrap(), "--new-secret"]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert_eq!(job(&bench, FILTER, &["--new-secret"]).code, 2);
}

#[test]
fn exact_and_filtered_parts_are_the_same_each_time_and_noise_is_not() {
    let bench = Bench::new();
    let key = key(&bench);
    let draws = FILTER
        .replace("law = { name = \"hard\", at_least = 5 }", "mean = 8.0\nsd = 1.5\nalways_suppress_upper_bound = 2");
    let sections = format!("{NOISE}{draws}");
    let mut noisy = Vec::new();
    let mut filtered = BTreeSet::new();
    for _ in 0..2 {
        let run = job(&bench, &sections, &["--secret-file", &key, "--quiet"]);
        assert_eq!((run.code, run.out.as_str()), (0, ""), "{}", run.err);
        filtered.insert(bench.read("out/release/filtered.csv"));
        noisy.push(numbers(&bench.read("out/release/noisy/1-x.csv"), 1));
        std::fs::remove_dir_all(bench.path("out")).unwrap();
    }
    assert_eq!(filtered.len(), 1);
    assert_ne!(noisy[0], noisy[1]);
}

#[test]
fn rows_as_entities_do_not_depend_on_the_order_of_lines_or_columns() {
    let bench = Bench::new();
    let key = key(&bench);
    let draws = FILTER
        .replace("law = { name = \"hard\", at_least = 5 }", "mean = 8.0\nsd = 3.0\nalways_suppress_upper_bound = 2");
    // Groups of 3 to 13, most of them decided by a draw.
    let rows: Vec<(String, String)> =
        (3..=13).flat_map(|size| (0..size).map(move |i| (format!("g{size}"), format!("{}", i % 4)))).collect();
    let labels: Vec<String> = (3..=13).map(|size| format!("\"g{size}\"")).collect();
    let columns = format!("[[attribute]]\nname = \"x\"\nlabels = [{}]\n", labels.join(", "));
    let job = bench.write("job.toml", &format!("data = \"d.csv\"\n{draws}{columns}"));
    let mut shown = BTreeSet::new();
    for order in 0..2 {
        let lines: Vec<String> = match order {
            0 => rows.iter().map(|(x, y)| format!("{x},{y}\n")).collect(),
            _ => rows.iter().rev().map(|(x, y)| format!("{y},{x}\n")).collect(),
        };
        bench.write("d.csv", &format!("{}{}", ["x,z\n", "z,x\n"][order], lines.concat()));
        let run = bench.run(&["run", &job, "-o", "out", "--secret-file", &key, "--register"]);
        assert_eq!(run.code, 0, "{}", run.err);
        shown.insert(bench.read("out/release/filtered.csv"));
        std::fs::remove_dir_all(bench.path("out")).unwrap();
    }
    assert_eq!(shown.len(), 1, "{shown:?}");
    let shown = shown.pop_first().unwrap();
    assert!(shown.contains("g13,13") && !shown.contains("g3,"), "copies count by themselves: {shown}");
}

#[test]
fn a_dry_run_shows_everything_and_leaves_nothing() {
    let bench = Bench::new();
    let run = job(&bench, NOISE, &["--dry-run"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("0.5-zCDP") && run.err.contains("Dry run"), "{}{}", run.out, run.err);
    let document = job(&bench, NOISE, &["--dry-run", "--json"]);
    let document: Value = serde_json::from_str(&document.out).unwrap();
    assert_eq!(
        (&document["schema"], &document["files"]),
        (&Value::from("disclosure.run/1"), &Value::from(Vec::<u8>::new()))
    );
    assert_eq!(bench.names(), ["job.toml", "people.csv"]);
}

#[test]
fn no_withheld_count_is_in_what_leaves_nor_on_the_standard_error() {
    let bench = Bench::new();
    let key = key(&bench);
    // 7,919 stands for a count that nothing else has: it is withheld by the filter's rule.
    let rows = format!("x,y\n{}{}", "a,n\n".repeat(7_919), "c,y\n".repeat(8_000));
    let text = format!(
        "data = \"d.csv\"\n[filtered]\ngroup_by = [\"x\"]\naid = \"row\"\nlaw = {{ name = \"hard\", at_least = 7950 }}\n\
         counts = \"exact\"\n{COLUMNS}"
    );
    bench.write("d.csv", &rows);
    let job = bench.write("job.toml", &text);
    let run = bench.run(&["run", &job, "-o", "out", "--secret-file", &key, "--register"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(bench.read("out/release/filtered.csv"), "x,rows\nc,8000\n");
    for text in [
        run.out,
        run.err,
        bench.read("out/release/release.json"),
        bench.read("out/manifest.json"),
        bench.read("out/review/attack.json"),
    ] {
        assert!(!text.contains("7919") && !text.contains("7\u{202f}919"), "{text}");
    }
}

#[test]
fn a_directory_that_cannot_be_made_is_found_before_the_work() {
    let bench = Bench::new();
    bench.write("people.csv", &people());
    std::fs::create_dir(bench.path("out")).unwrap();
    bench.write("out/mine.txt", "mine");
    let run = job(&bench, NOISE, &[]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("E0111") && bench.read("out/mine.txt") == "mine", "{}", run.err);
    let run = job(&bench, NOISE, &["--max-memory", "0"]);
    assert!(run.code == 6 && run.err.contains("E0661"), "{}", run.err);
}
