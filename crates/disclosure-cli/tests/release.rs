//! `disclosure resplan release`, from the outside.

use crate::support::{self, Bench, ROWS, fixture, numbers, spec};
use serde_json::Value;
use sha2::{Digest, Sha256};

#[test]
fn the_main_job_writes_every_table_with_its_error_and_a_record_of_it_all() {
    let bench = Bench::new();
    let (job, data) = (fixture("jobs/titanic.toml"), fixture("data/titanic.csv"));
    let words = ["resplan", "release", job.to_str().unwrap(), data.to_str().unwrap(), "-o", "out"];
    let run = bench.run(&words);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("Class × Survived") && run.out.contains("0.5-zCDP"));

    let record: Value = serde_json::from_str(&bench.read("out/release.json")).unwrap();
    assert_eq!(record["schema"], "disclosure.release/1");
    assert_eq!(record["promise"]["kind"], "guarantee");
    assert_eq!(record["promise"]["statement"], "0.5-zCDP");
    assert!(record["cost"]["rho"].as_f64().unwrap() <= 0.5);
    let files = record["files"].as_array().unwrap();
    assert_eq!(files.len(), 13);
    for file in files {
        let bytes = std::fs::read(bench.path("out").join(file["name"].as_str().unwrap())).unwrap();
        let digest: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(file["sha256"], digest.as_str());
        assert_eq!(file["bytes"], bytes.len());
    }

    // Tables add up to each other, and every interval is 1.96 standard deviations and half a step
    // around its value.
    let (both, class) = (bench.read("out/08-class_by_survived.csv"), bench.read("out/01-class.csv"));
    assert!(both.starts_with("Class,Survived,value,sd,ci95_low,ci95_high,status,reason\n1st,No,"));
    let sums: Vec<f64> = numbers(&both, 2).chunks(2).map(|pair| pair[0] + pair[1]).collect();
    for (sum, value) in sums.iter().zip(numbers(&class, 1)) {
        assert!((sum - value).abs() < 1e-4);
    }
    let (value, sd, low) = (numbers(&class, 1), numbers(&class, 2), numbers(&class, 3));
    for i in 0..4 {
        // Four cells: half a step of the noise is an eighth.
        assert!((value[i] - low[i] - 1.959_963_985 * sd[i] - 0.125).abs() < 1e-4);
    }
}

#[test]
fn two_releases_have_different_noise_and_the_same_plan() {
    let bench = Bench::new();
    let (spec, data) = (bench.write("s.toml", &spec("")), bench.write("d.csv", ROWS));
    for name in ["one", "two"] {
        assert_eq!(bench.run(&["resplan", "release", &spec, &data, "-o", name]).code, 0);
    }
    assert_eq!(bench.read("one/plan.json"), bench.read("two/plan.json"));
    let values = |name: &str| bench.read(&format!("{name}/3-sex_by_age.csv"));
    assert_ne!(values("one"), values("two"));
    assert_eq!(bench.run(&["resplan", "release", &spec, &data, "-o", "x", "--seed", "1"]).code, 2, "no seed here");
}

#[test]
fn a_directory_that_holds_files_is_left_alone() {
    let bench = Bench::new();
    let (spec, data) = (bench.write("s.toml", &spec("")), bench.write("d.csv", ROWS));
    std::fs::create_dir(bench.path("out")).unwrap();
    bench.write("out/mine.txt", "mine");
    let run = bench.run(&["resplan", "release", &spec, &data, "-o", "out"]);
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    assert!(run.err.contains("error[E0111]"));
    assert_eq!(bench.names(), ["d.csv", "out", "s.toml"]);
    assert_eq!(bench.read("out/mine.txt"), "mine");
}

#[test]
fn bad_data_ends_in_exit_code_3_and_leaves_nothing() {
    let bench = Bench::new();
    let spec = bench.write("s.toml", &spec(""));
    for (defect, code) in
        [("sex,age\nCANARY,0\n", "E0316"), ("sex,age\nf,CANARY\n", "E0317"), ("sex,age\nf\n", "E0303"), ("", "E0301")]
    {
        let data = bench.write("d.csv", defect);
        let run = bench.run(&["resplan", "release", &spec, &data, "-o", "out"]);
        assert_eq!((run.code, run.out.as_str()), (3, ""), "{defect:?}");
        assert!(run.err.contains(code) && run.err.contains("d.csv: line "), "{}", run.err);
        assert!(!run.err.contains("CANARY"), "{}", run.err);
        assert_eq!(bench.names(), ["d.csv", "s.toml"]);
    }
}

#[test]
fn a_domain_learnt_from_the_data_is_refused_until_it_is_declared_public() {
    let bench = Bench::new();
    let data = bench.write("d.csv", ROWS);
    let learnt = bench.run(&["init", &data]);
    assert_eq!(learnt.code, 0);
    bench.write("domain.toml", &learnt.out);
    let spec =
        bench.write("s.toml", "up_to = 1\nneighbours = \"add-remove\"\ndomain = \"domain.toml\"\n[privacy]\nrho = 1\n");
    let words = ["resplan", "release", &spec, &data, "-o", "out"];
    let run = bench.run(&words);
    assert_eq!(run.code, 4, "{}", run.err);
    assert!(run.err.contains("E0401") && run.err.contains("domain_is_public = true"));
    assert_eq!(bench.names(), ["d.csv", "domain.toml", "s.toml"]);
    bench.write("domain.toml", &learnt.out.replace("domain_is_public = false", "domain_is_public = true"));
    assert_eq!(bench.run(&words).code, 0);
}

#[test]
fn a_release_over_the_limits_is_refused_before_the_data_is_opened() {
    let bench = Bench::new();
    let attributes: String = (0..100).map(|i| format!("[[attribute]]\nname = \"a{i}\"\nsize = 100\n")).collect();
    let text = format!("up_to = 5\nneighbours = \"add-remove\"\n[privacy]\nrho = 1\n{attributes}");
    let spec = bench.write("s.toml", &text);
    let run = bench.run(&["resplan", "release", &spec, "no-such-file.csv", "-o", "out"]);
    assert_eq!(run.code, 6, "{}", run.err);
    assert!(run.err.contains("E0611") && run.err.contains("--max-answers"));
    let tight = bench.write("t.toml", &support::spec(""));
    let run = bench.run(&["resplan", "plan", &tight, "--max-answers", "5"]);
    assert_eq!(run.code, 6);
    assert_eq!(bench.run(&["resplan", "plan", &tight, "--max-memory", "1"]).code, 6);
    assert_eq!(bench.run(&["resplan", "plan", &tight, "--max-marginals", "3"]).code, 6);
}

#[test]
fn a_ledger_is_spent_first_and_never_exceeded() {
    let bench = Bench::new();
    let (spec, data) = (bench.write("s.toml", &spec("")), bench.write("d.csv", ROWS));
    assert_eq!(bench.run(&["ledger", "open", "l", "--rho", "1.2", "--neighbours", "add-remove"]).code, 0);
    let release = |out: &str| bench.run(&["resplan", "release", &spec, &data, "-o", out, "--ledger", "l"]);
    assert_eq!(release("one").code, 0);
    let record: Value = serde_json::from_str(&bench.read("one/release.json")).unwrap();
    let shown = bench.json(&["ledger", "show", "l", "--json"]);
    assert_eq!(record["ledger_hash"], shown["hash"]);
    assert_eq!(shown["spent_rho"], record["cost"]["rho"]);
    assert_eq!(release("two").code, 0);
    let third = release("three");
    assert_eq!(third.code, 5, "{}", third.err);
    assert!(third.err.contains("E0501"));
    assert!(!bench.path("three").exists());
    // Bad data, a taken directory and a dry run cost nothing.
    let before = bench.read("l");
    assert_eq!(bench.run(&["ledger", "open", "m", "--rho", "9", "--neighbours", "add-remove"]).code, 0);
    let opened = bench.read("m");
    bench.write("bad.csv", "sex,age\nx,0\n");
    assert_eq!(bench.run(&["resplan", "release", &spec, "bad.csv", "-o", "x", "--ledger", "m"]).code, 3);
    assert_eq!(bench.run(&["resplan", "release", &spec, &data, "-o", "one", "--ledger", "m"]).code, 1);
    assert_eq!(bench.run(&["resplan", "release", &spec, &data, "-o", "x", "--ledger", "m", "--dry-run"]).code, 0);
    assert_eq!((bench.read("l"), bench.read("m")), (before, opened));
    assert!(!bench.path("x").exists());
    // Tampering is found before anything is drawn.
    bench.write("m", &bench.read("m").replace("9.0", "99.0"));
    let run = bench.run(&["resplan", "release", &spec, &data, "-o", "x", "--ledger", "m"]);
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(run.err.contains("E0351") && !bench.path("x").exists());
}

#[test]
fn counts_that_exact_arithmetic_cannot_hold_are_refused_before_anything_is_spent() {
    let bench = Bench::new();
    let text = "marginals = [[\"a\", \"b\"]]\nneighbours = \"add-remove\"\ncount = \"n\"\n[privacy]\nrho = 1\n\
                [[attribute]]\nname = \"a\"\nsize = 100\n[[attribute]]\nname = \"b\"\nsize = 100\n";
    let (spec, data) = (bench.write("s.toml", text), bench.write("d.csv", "a,b,n\n0,0,9007199254740992\n"));
    assert_eq!(bench.run(&["ledger", "open", "l", "--rho", "9", "--neighbours", "add-remove"]).code, 0);
    let opened = bench.read("l");
    let run = bench.run(&["resplan", "release", &spec, &data, "-o", "out", "--ledger", "l", "--json"]);
    let error: Value = serde_json::from_str(&run.err).unwrap();
    assert_eq!((run.code, &error["code"], &error["spent"]), (6, &"E0612".into(), &false.into()));
    assert_eq!(bench.read("l"), opened);
    assert!(!run.err.contains("9007199254740992") && !bench.path("out").exists());
}

#[test]
fn the_total_is_exact_where_single_rows_are_replaced_and_only_there() {
    let bench = Bench::new();
    let data = bench.write("d.csv", ROWS);
    for (rows, status) in [("1", "exact"), ("2", "noised")] {
        let text = spec(&format!("rows_per_person = {rows}")).replace("add-remove", "replace");
        let spec = bench.write("s.toml", &text);
        assert_eq!(bench.run(&["resplan", "release", &spec, &data, "-o", rows]).code, 0);
        let total = bench.read(&format!("{rows}/0-total.csv"));
        assert!(total.lines().nth(1).unwrap().contains(status), "{total}");
        assert_eq!(total.contains("\n4.0,0.0,4.0,4.0,exact"), status == "exact", "{total}");
    }
}

#[test]
fn the_digest_of_a_spec_covers_its_domain_file() {
    let bench = Bench::new();
    let data = bench.write("d.csv", ROWS);
    let spec =
        bench.write("s.toml", "up_to = 1\nneighbours = \"add-remove\"\ndomain = \"domain.toml\"\n[privacy]\nrho = 1\n");
    let digest = |name: &str, labels: &str| {
        let text = format!("learnt_from_data = false\n[[attribute]]\nname = \"sex\"\nlabels = {labels}\n");
        bench.write("domain.toml", &text);
        assert_eq!(bench.run(&["resplan", "release", &spec, &data, "-o", name]).code, 0);
        let record: Value = serde_json::from_str(&bench.read(&format!("{name}/release.json"))).unwrap();
        let both = bench.read("s.toml") + &text;
        let want: String = Sha256::digest(both.as_bytes()).iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(record["spec_sha256"], want.as_str());
        want
    };
    assert_ne!(digest("one", "[\"f\", \"m\"]"), digest("two", "[\"m\", \"f\"]"));
}

#[test]
fn a_dash_is_no_place_to_write_to() {
    let bench = Bench::new();
    let (spec, data) = (bench.write("s.toml", &spec("")), bench.write("d.csv", ROWS));
    for words in [
        vec!["resplan", "release", &spec, &data, "-o", "-"],
        vec!["ledger", "open", "-", "--rho", "1", "--neighbours", "replace"],
    ] {
        assert_eq!(bench.run(&words).code, 2);
    }
    assert_eq!(bench.names(), ["d.csv", "s.toml"]);
}

#[test]
fn ledgers_of_another_promise_are_refused() {
    let bench = Bench::new();
    let (spec, data) = (bench.write("s.toml", &spec("rows_per_person = 3")), bench.write("d.csv", ROWS));
    for promise in [
        ["--neighbours", "replace", "--rows-per-person", "3"],
        ["--neighbours", "add-remove", "--rows-per-person", "1"],
    ] {
        let _ = std::fs::remove_file(bench.path("l"));
        let words: Vec<&str> = ["ledger", "open", "l", "--rho", "9"].into_iter().chain(promise).collect();
        assert_eq!(bench.run(&words).code, 0);
        let run = bench.run(&["resplan", "release", &spec, &data, "-o", "x", "--ledger", "l"]);
        assert_eq!(run.code, 4, "{}", run.err);
        assert!(run.err.contains("E0402"));
    }
}

#[test]
fn neighbouring_tables_end_alike() {
    let bench = Bench::new();
    let spec = bench.write("s.toml", &spec("count = \"n\""));
    let words = |data: &str| bench.run(&["resplan", "release", &spec, data, "-o", "out", "--quiet"]);
    let mut seen = Vec::new();
    for (f, m) in [(3, 4), (2, 4), (3, 5), (0, 0), (1_000_000, 1)] {
        let data = bench.write("d.csv", &format!("sex,age,n\nf,0,{f}\nm,1,{m}\n"));
        let run = words(&data);
        seen.push((run.code, run.out, run.err));
        std::fs::remove_dir_all(bench.path("out")).unwrap();
    }
    assert!(seen.iter().all(|run| *run == (0, String::new(), String::new())), "{seen:?}");
    // A line stands for several people: the promise is for one of them.
    assert_eq!(words(&bench.path("d.csv").to_string_lossy()).code, 0);
    let record: Value = serde_json::from_str(&bench.read("out/release.json")).unwrap();
    assert_eq!(record["promise"]["unit"], "one person counted in column \"n\"");
}

#[test]
fn data_comes_from_the_standard_input_too() {
    let bench = Bench::new();
    let spec = bench.write("s.toml", &spec(""));
    assert_eq!(bench.run_with(&["resplan", "release", &spec, "-", "-o", "out"], ROWS).code, 0);
    let run = bench.run_with(&["resplan", "release", &spec, "-", "-o", "json", "--json"], ROWS);
    let record: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(record["promise"]["unit"], "a row of the data");
    assert_eq!(serde_json::from_str::<Value>(&bench.read("json/release.json")).unwrap(), record);
}

#[test]
fn labels_that_a_spreadsheet_would_compute_are_quoted() {
    let bench = Bench::new();
    let text = "up_to = 1\nneighbours = \"add-remove\"\n[privacy]\nrho = 1\n[[attribute]]\nname = \"x\"\nlabels = [\"=1+1\", \"-2\", \"a, b\"]\n";
    let (spec, data) = (bench.write("s.toml", text), bench.write("d.csv", "x\n=1+1\n\"a, b\"\n"));
    assert_eq!(bench.run(&["resplan", "release", &spec, &data, "-o", "out"]).code, 0);
    let written = bench.read("out/1-x.csv");
    for label in ["\n\"=1+1\",", "\n\"-2\",", "\n\"a, b\","] {
        assert!(written.contains(label), "{written}");
    }
}

#[test]
fn tables_after_the_noise_stand_beside_the_unbiased_ones_and_say_what_they_are() {
    let bench = Bench::new();
    let text = spec("after = [\"rounded\", \"nonnegative\"]").replace("rho = 0.5", "rho = 0.02");
    let (spec, data) = (bench.write("s.toml", &text), bench.write("d.csv", ROWS));
    assert_eq!(bench.run(&["resplan", "release", &spec, &data, "-o", "out"]).code, 0);
    let record: Value = serde_json::from_str(&bench.read("out/release.json")).unwrap();
    let files: Vec<&Value> = record["files"].as_array().unwrap().iter().collect();
    let estimates = |prefix: &str| -> Vec<&str> {
        let name = |file: &&&Value| file["name"].as_str().unwrap().starts_with(prefix);
        files.iter().filter(name).map(|file| file["estimate"].as_str().unwrap()).collect()
    };
    assert_eq!((estimates("nonnegative_").len(), estimates("rounded_").len()), (4, 4));
    assert!(estimates("nonnegative_").iter().chain(&estimates("rounded_")).all(|e| e.contains("no longer unbiased")));
    assert!(files[0]["estimate"].as_str().unwrap().starts_with("unbiased"));
    let [total, sex, both] = ["0-total", "1-sex", "3-sex_by_age"].map(|name| {
        let read = |kind: &str| bench.read(&format!("out/{kind}_{name}.csv"));
        [read("nonnegative"), read("rounded")]
    });
    for kind in [0, 1] {
        assert!(both[kind].starts_with("sex,age,value,estimate\n"));
        let (total, sex, both) = (numbers(&total[kind], 0), numbers(&sex[kind], 1), numbers(&both[kind], 2));
        assert!(total.iter().chain(&sex).chain(&both).all(|&value| value >= 0.0));
        // Noise of some twelve people to a cell: the numbers are written to a hundred thousandth.
        let adds_up = |parts: &[f64], whole: f64| (parts.iter().sum::<f64>() - whole).abs() < 1e-3;
        assert!(adds_up(&sex, total[0]) && adds_up(&both[..3], sex[0]) && adds_up(&both[3..], sex[1]));
        assert!(kind == 0 || both.iter().all(|value| value.fract() == 0.0));
    }
    assert_eq!(bench.json(&["resplan", "plan", &spec, "--json"])["after"][1], "rounded");
}

#[test]
fn a_new_ledger_is_made_by_the_release_and_a_missing_one_says_how() {
    let bench = Bench::new();
    let (job, data) = (bench.write("s.toml", &spec("")), bench.write("d.csv", ROWS));
    let release = |out: &str, more: &[&str]| {
        bench.run(&[&["resplan", "release", &job, &data, "-o", out, "--ledger", "d.ledger"], more].concat())
    };
    let missing = release("one", &[]);
    assert!(missing.err.contains("error[E0105]") && missing.err.contains("--new-ledger --rho R"), "{}", missing.err);
    assert_eq!(bench.names(), ["d.csv", "s.toml"], "no lock is left behind");
    let small = release("one", &["--new-ledger", "--rho", "0.1"]);
    assert_eq!((small.code, bench.names().len()), (5, 2), "{}", small.err);
    let dry = release("one", &["--new-ledger", "--rho", "0.6", "--dry-run"]);
    assert_eq!((dry.code, bench.names().len()), (0, 2), "{}", dry.err);
    assert_eq!(release("one", &["--new-ledger", "--rho", "0.6"]).code, 0);
    let shown = bench.json(&["ledger", "show", "d.ledger", "--json"]);
    assert_eq!(shown["releases"].as_array().map(Vec::len), Some(1), "{shown}");
    assert_eq!(release("two", &["--new-ledger", "--rho", "9"]).code, 5, "the budget of a ledger is not raised");
    let nowhere = bench.run(&["resplan", "release", &job, &data, "-o", "two", "--new-ledger", "--rho", "1"]);
    assert!(nowhere.code == 2 && nowhere.err.contains("--ledger FILE"), "{}", nowhere.err);
}

#[test]
fn a_ledger_within_the_output_is_refused_before_it_is_charged() {
    let bench = Bench::new();
    let (job, data) = (bench.write("s.toml", &spec("")), bench.write("d.csv", ROWS));
    std::fs::create_dir(bench.path("new")).unwrap();
    for ledger in ["new/ledger", "./new/a/../ledger", "new"] {
        let words = ["resplan", "release", &job, &data, "-o", "new", "--ledger", ledger, "--new-ledger", "--rho", "3"];
        let run = bench.run(&words);
        assert!(run.code == 1 && run.err.contains("E0111"), "{ledger}: {}", run.err);
    }
    assert_eq!(std::fs::read_dir(bench.path("new")).unwrap().count(), 0);
    let words = ["resplan", "release", &job, &data, "-o", "new", "--ledger", "newer", "--new-ledger", "--rho", "3"];
    let run = bench.run(&words);
    assert_eq!(run.code, 0, "a name that begins alike is outside: {}", run.err);
}

#[test]
fn a_person_is_a_column_and_the_owner_hears_how_many_rows_were_left_out() {
    let bench = Bench::new();
    let job = bench.write("s.toml", &spec("person = \"pid\"\nrows_per_person = 2"));
    let rows = "pid,sex,age\n1,f,0\n1,f,1\n1,f,2\n2,m,1\n1,f,0\n";
    let words = ["resplan", "release", &job, "-", "-o"];
    // A stream is read once: the command keeps what it reads.
    let run = bench.run_with(&[&words[..], &["out"]].concat(), rows);
    assert_eq!(run.code, 0, "{}", run.err);
    let sentence = "1 of 2 persons (column \"pid\") have more than 2 rows: 2 of 5 rows are not counted.";
    assert!(!run.err.contains("of 2 persons") && run.err.contains("--dry-run"), "{}", run.err);
    let looked = bench.run_with(&[&words[..], &["dry", "--dry-run"]].concat(), rows);
    assert!(looked.err.contains(sentence), "{}", looked.err);
    assert!(
        run.out.contains("a person (column \"pid\") with all of their rows, of which at most 2 are counted"),
        "{}",
        run.out
    );
    for name in ["release.json", "plan.json"] {
        assert!(!bench.read(&format!("out/{name}")).contains("of 5 rows"));
    }
    let job = bench.write("refuse.toml", &spec("person = \"pid\"\nrows_per_person = 2\nexcess_rows = \"refuse\""));
    let refused = bench.run_with(&["resplan", "release", &job, "-", "-o", "two"], rows);
    assert!(refused.code == 3 && refused.err.contains("E0330"), "{}", refused.err);
    assert!(!bench.names().contains(&"two".to_owned()));
}
