//! What commands write, and what they say while they do: files that are there stay, files for the
//! owner are theirs alone, and lines fit the terminal.

use crate::support::{Bench, ROWS, fixture, key, spec};
use serde_json::Value;

const SCHEMA: &str =
    "order = 2\n[[feature]]\nname = \"sex\"\nvalues = [\"f\", \"m\"]\nprotocol = \"rr\"\nepsilon = 1.0\n";

#[test]
fn no_file_is_replaced_unless_that_is_asked_for() {
    let bench = Bench::new();
    let (schema, data) = (bench.write("schema.toml", SCHEMA), bench.write("data.csv", ROWS));
    let plan = bench.write("spec.toml", &spec(""));
    let key = key(&bench);
    let visits = [fixture("jobs/lcf-visits.toml"), fixture("data/visits.csv")];
    let [job, visits] = visits.map(|path| path.to_str().unwrap().to_owned());
    let filter = ["lcf", "filter", &job, &visits, "--secret-file", &key, "--register"];
    for words in [
        vec!["ldp", "encode", &schema, &data, "-o", "there"],
        vec!["resplan", "plan", &plan, "-o", "there"],
        [&filter[..], &["-o", "there"]].concat(),
        [&filter[..], &["--audit", "there"]].concat(),
    ] {
        bench.write("there", "precious");
        let run = bench.run_narrow(&words);
        assert_eq!(run.code, 1, "{words:?}: {}", run.err);
        assert!(run.err.contains("E0117") && run.err.contains("--force"), "{words:?}: {}", run.err);
        assert_eq!(bench.read("there"), "precious", "{words:?}");
        // Refused before the work: the registry of the secret was not made.
        assert!(!bench.path("key.registry").exists(), "{words:?}");
        let run = bench.run_narrow(&[&words[..], &["--force"]].concat());
        assert_eq!(run.code, 0, "{words:?}: {}", run.err);
        assert_ne!(std::fs::read(bench.path("there")).unwrap(), b"precious", "{words:?}");
        let _ = std::fs::remove_file(bench.path("key.registry"));
    }
}

#[test]
fn a_program_finds_nothing_on_the_standard_error_but_the_document_of_a_failure() {
    let bench = Bench::new();
    let (plan, data) = (bench.write("spec.toml", &spec("")), bench.write("data.csv", &ROWS.replace(',', ";")));
    let words = ["resplan", "release", &plan, &data, "-o", "out", "--separator", ";"];
    let said = bench.run(&words);
    assert!(said.code == 0 && !said.err.is_empty(), "{}", said.err);
    let run = bench.run(&[&words[..4], &["-o", "other", "--separator", ";", "--json"]].concat());
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    serde_json::from_str::<Value>(&run.out).unwrap();
    let run = bench.run(&[&words[..], &["--json"]].concat());
    let error: Value = serde_json::from_str(&run.err).unwrap();
    assert_eq!((run.code, error["code"].as_str()), (1, Some("E0111")), "{}", run.err);
}

#[test]
fn a_program_finds_notes_in_the_document() {
    let bench = Bench::new();
    let (plan, data) = (bench.write("spec.toml", &spec("")), bench.write("data.csv", &ROWS.replace(',', ";")));
    let noted = bench.json(&["resplan", "release", &plan, &data, "-o", "out", "--json"]);
    assert!(noted["notes"][0].as_str().unwrap().contains("separated by semicolons"), "{noted}");
    bench.write("plain.csv", ROWS);
    let plain = bench.json(&["resplan", "release", &plan, "plain.csv", "-o", "other", "--json"]);
    assert!(plain.get("notes").is_none(), "{plain}");
}

#[test]
fn quiet_commands_say_nothing_but_what_is_asked_for() {
    let bench = Bench::new();
    let (plan, data) = (bench.write("spec.toml", &spec("")), bench.write("data.csv", &ROWS.replace(',', ";")));
    for words in [
        &["--quiet", "resplan", "plan", &plan][..],
        &["resplan", "release", &plan, &data, "-o", "out", "-q"],
        &["report", "out", "-o", "page.html", "--quiet"],
    ] {
        let run = bench.run(words);
        assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""), "{words:?}");
    }
    assert!(bench.path("page.html").exists());
    let domain = bench.run(&["init", &data, "--quiet"]);
    assert!(domain.out.contains("[[attribute]]") && domain.err.is_empty(), "{}", domain.err);
    assert_eq!(bench.json(&["resplan", "plan", &plan, "--json", "--quiet"])["schema"], "disclosure.resplan-plan/1");
    let failed = bench.run(&["resplan", "plan", "absent.toml", "--quiet"]);
    assert!(failed.code == 1 && failed.err.contains("E0104"), "{}", failed.err);
}

#[test]
fn a_ledger_says_what_every_charge_was_for() {
    let bench = Bench::new();
    let job = bench.write("spec.toml", &spec("title = \"Ages\"\nowner = \"Office\"\n"));
    let data = bench.write("data.csv", ROWS);
    let opened = bench.run(&["ledger", "open", "ledger", "--rho", "1", "--neighbours", "add-remove"]);
    assert_eq!(opened.code, 0, "{}", opened.err);
    let run = bench.run(&["resplan", "release", &job, &data, "-o", "out", "--ledger", "ledger"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let shown = bench.run(&["ledger", "show", "ledger"]);
    for words in ["Ages", "Office", "(total), sex, age, 1 more"] {
        assert!(shown.out.contains(words), "{words}: {}", shown.out);
    }
    let document = bench.json(&["ledger", "show", "ledger", "--json"]);
    let subject = &document["releases"][0]["subject"];
    assert_eq!((&subject["title"], &subject["owner"]), (&"Ages".into(), &"Office".into()));
    assert_eq!(subject["tables"], serde_json::json!([[], ["sex"], ["age"], ["sex", "age"]]));
    let narrow = bench.run_narrow(&["ledger", "show", "ledger"]);
    assert!(narrow.out.lines().all(|line| line.chars().count() <= 80), "{}", narrow.out);
}

#[test]
fn a_slip_of_the_pen_is_answered_with_what_was_meant() {
    let bench = Bench::new();
    let data = bench.write("data.csv", ROWS);
    for (text, meant) in [
        (spec("objectve = \"sum-variance\""), "did you mean \"objective\"?"),
        (spec("").replace("up_to = 2", "marginals = [[\"sexx\"]]"), "did you mean \"sex\"?"),
        (spec("").replace("name = \"age\"", "name = \"agee\""), "column 2 has a similar name"),
    ] {
        let job = bench.write("spec.toml", &text);
        let run = bench.run(&["resplan", "release", &job, &data, "-o", "out"]);
        assert!(run.code > 1 && run.err.contains(meant), "{meant}: {}", run.err);
    }
}

#[test]
fn parameters_that_protect_little_are_warned_about() {
    let bench = Bench::new();
    let warned = |text: &str| {
        let job = bench.write("spec.toml", text);
        let run = bench.run(&["resplan", "plan", &job]);
        assert_eq!(run.code, 0, "{}", run.err);
        run.err
    };
    assert!(!warned(&spec("")).contains("Warning"));
    let large = spec("").replace("rho = 0.5", "rho = 6.0");
    assert!(warned(&large).contains("Warning: rho 6 is above 5"));
    // A program reads warnings in the document, as its last field.
    bench.write("large.toml", &large);
    let document = bench.json(&["resplan", "plan", "large.toml", "--json"]);
    assert!(document["warnings"][0].as_str().unwrap().contains("rho 6 is above 5"), "{document}");
    bench.write("usual.toml", &spec(""));
    assert!(bench.json(&["resplan", "plan", "usual.toml", "--json"]).get("warnings").is_none());
    let said = warned(&spec("").replace("rho = 0.5", "epsilon = 20.0\ndelta = 0.01"));
    assert!(said.contains(" is above 10") && said.contains("delta 1e-2 is above 1e-5"), "{said}");
    let (schema, data) = (SCHEMA.replace("epsilon = 1.0", "epsilon = 12.0"), bench.write("data.csv", ROWS));
    let schema = bench.write("schema.toml", &schema);
    let run = bench.run(&["ldp", "encode", &schema, &data, "-o", "reports"]);
    assert!(run.code == 0 && run.err.contains("is above 10"), "{}", run.err);
}

/// A shell gives the rows of another command as a pipe with a name, `<(...)`.
#[cfg(unix)]
#[test]
fn rows_from_a_pipe_with_a_name_are_read_once() {
    let bench = Bench::new();
    bench.write("spec.toml", &spec(""));
    let words = ["resplan", "release", "spec.toml", "/dev/stdin", "-o", "out"];
    let run = bench.run_with(&words, ROWS);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(bench.path("out/release.json").exists());
}
