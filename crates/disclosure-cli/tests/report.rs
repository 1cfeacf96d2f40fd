//! Pages of releases, from the outside.

use crate::support::frechet::{frechet, votes};
use crate::support::{Bench, ROWS, spec};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// A release of noisy tables in `out`.
fn noisy(bench: &Bench, more: &str) {
    let job = bench.write("job.toml", &spec(more));
    let data = bench.write("rows.csv", ROWS);
    let run = bench.run(&["resplan", "release", &job, &data, "-o", "out", "-q"]);
    assert_eq!(run.code, 0, "{}", run.err);
}

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A directory as a run of the pipeline leaves it, with these files: path, text, whether it may
/// leave.
fn run_directory(bench: &Bench, files: &[(&str, &str, bool)]) -> Value {
    for (path, text, _) in files {
        std::fs::create_dir_all(bench.path("out").join(path).parent().unwrap()).unwrap();
        bench.write(&format!("out/{path}"), text);
    }
    let files: Vec<Value> = files
        .iter()
        .map(|(path, text, may_leave)| {
            json!({"path": path, "sha256": sha256(text), "bytes": text.len(), "may_leave": may_leave})
        })
        .collect();
    let part = |name: &str, kind: &str, promise: &str| {
        json!({"name": name, "kind": kind, "promise": promise, "against": "anyone who reads it", "unit": "a person",
               "not_covered": ["the weather"]})
    };
    let manifest = json!({
        "schema": "disclosure.run/1", "title": "A run", "version": "0.1.0", "job_sha256": "0",
        "parts": [part("noisy", "guarantee", "0.4-zCDP"), part("screen", "proxy", "a solver gets 0.61 right")],
        "budget": {"kind": "guarantee", "statement": "together: 0.4-zCDP", "neighbours": "add-remove", "unit": "a row",
                   "rho": 1.0, "spent_rho": 0.4, "spent": [{"part": "noisy", "rho": 0.4}],
                   "epsilon_at_delta": [{"epsilon": 4.5, "delta": 1e-6}], "ledger_hash": null},
        "targets": [
            {"name": "cells-pinned", "asked": 0, "found": 0, "met": true, "kind": "guarantee", "what": "known to an attacker"},
            {"name": "label-accuracy-attacked", "asked": 0.6, "found": 0.613, "met": false, "kind": "measured", "what": "labels"},
        ],
        "tables": [{"part": "exact", "attributes": ["sex"], "what": "exact", "numbers": 1.0, "noised": 0.0,
                    "withheld": 17, "sd": null}],
        "parameters": {"data": "rows.csv"},
        "files": files,
    });
    bench.write("out/manifest.json", &manifest.to_string());
    manifest
}

const EXACT: &str = "sex,value,sd,status,reason\nf,12,0.0,exact,counted\nm,,,suppressed,withheld\n";
const NOISY: &str = "age,value,sd,ci95_low,ci95_high,status,reason\n0,-3.25,2.0,-7.17,0.67,noised,noise\n1,40.5,2.0,36.58,44.42,noised,noise\n";
const GROUPS: &str = "town,clinic,rows\nBonn,eye,57\nBonn,heart,42\nTrier,eye,35\n";
const AUDIT: &str = r#"{"schema":"disclosure.frechet-audit/1","certified":1,"disclosed":1,"policy":{"beta":0.1},"classes":[
    {"class":{"sex":"f"},"lower":0,"upper":9,"posterior":[0.0,0.9],"verdict":"certified","why":"wide"},
    {"class":{"sex":"m","age":"1"},"lower":3,"upper":3,"posterior":[1.0,1.0],"verdict":"disclosed","why":"pinned"}]}"#;
const ATTACK: &str = r#"{"schema":"disclosure.run-attack/1","exact_numbers":{"statement":"open means open","against":"readers",
    "withheld_cells":{"open":1,"pinned":1,"unknown":0,"each":[{"of":{"sex":"m"},"verdict":"open","width":9},
    {"of":{"sex":"secret label"},"verdict":"pinned","width":0}]},"withheld_groups":{"each":[]}},
    "labels":{"schema":"disclosure.screen-simulate/1","blind_accuracy":{"mean":0.5,"standard_error":0.01},
    "ceiling_accuracy":{"mean":0.9,"standard_error":0.0},
    "attackers":[{"evidence":"with-suppressed","accuracy":{"mean":0.613,"standard_error":0.02}}]}}"#;

fn full_run_directory(bench: &Bench) {
    let files = [
        ("release/exact/0-sex.csv", EXACT, true),
        ("release/noisy/0-age.csv", NOISY, true),
        ("release/filtered.csv", GROUPS, true),
        ("review/audit.json", AUDIT, false),
        ("review/attack.json", ATTACK, false),
        ("review/other.json", r#"{"schema":"disclosure.unheard-of/9","a_number":12.5,"list":[1,2]}"#, false),
    ];
    run_directory(bench, &files);
}

#[test]
fn the_page_of_noisy_tables_says_the_promise_first_then_cost_errors_tables_and_digests() {
    let bench = Bench::new();
    noisy(&bench, "title = \"Two <b> & more\"\nafter = [\"rounded\"]");
    let run = bench.run(&["report", "out", "-o", "page.html"]);
    assert_eq!((run.code, run.out.as_str()), (0, ""), "{}", run.err);
    assert!(run.err.contains("page.html") && run.err.contains("files match their recorded digests"), "{}", run.err);
    let page = bench.read("page.html");
    let places: Vec<usize> = [
        "What is promised",
        "What it costs",
        "How accurate it is",
        "Tables</bdi>",
        "Tables after the noise</bdi>",
        "Files</bdi>",
        "Glossary</bdi>",
    ]
    .map(|heading| page.rfind(heading).unwrap())
    .into();
    assert!(places.is_sorted(), "{places:?}");
    for words in [
        "Guarantee",
        "0.5-zCDP",
        "Calibration",
        "95 % intervals",
        "not recorded in a ledger",
        "sex × age",
        "root mean square",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(page.contains("Two &lt;b&gt; &amp; more") && !page.contains("<b>"));
    let table = bench.read("out/3-sex_by_age.csv");
    assert!(page.contains(&sha256(&table)) && page.contains(&sha256(&bench.read("out/release.json"))));
    let rest = page.replacen("http-equiv", "", 1);
    assert!(["http", "<script", "src=", "url("].iter().all(|word| !rest.contains(word)));
}

#[test]
fn the_page_of_exact_numbers_shows_what_is_withheld_and_what_goes_out_besides() {
    let bench = Bench::new();
    let few = "{ name = \"few\", where = { religion = \"b\", age = \"old\" }, interval = 200 }";
    let job = votes(&format!("target = \"undisclosed\"\npublish = [{few}]")).replace("\"axial\"", "[[\"religion\"]]");
    assert_eq!(frechet(&bench, "release", &job, &["-o", "out"]).code, 0);
    let run = bench.run(&["report", "out", "-o", "-"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    for words in [
        "Guarantee",
        "undisclosed: met",
        "Additional numbers",
        "0 to 199",
        "People with vote = A by religion",
        "500",
        "0-religion.csv",
    ] {
        assert!(run.out.contains(words), "{words}");
    }
    assert!(run.out.ends_with("</html>\n"));
}

#[test]
fn the_page_of_a_run_marks_what_stays_and_the_public_one_leaves_it_out() {
    let bench = Bench::new();
    full_run_directory(&bench);
    let owner = bench.run(&["report", "out", "-o", "-"]);
    assert_eq!(owner.code, 0, "{}", owner.err);
    let public = bench.run(&["report", "out", "-o", "-", "--public"]);
    assert_eq!(public.code, 0, "{}", public.err);
    let both = [
        "0.4-zCDP",
        "Epsilon at delta 1e-6",
        "Budget: rho 1, of which 0.4 is spent",
        "suppressed",
        "−3.2",
        "Bonn",
        "release/filtered.csv",
    ];
    for words in both {
        assert!(owner.out.contains(words) && public.out.contains(words), "{words}");
    }
    let manifest = sha256(&bench.read("out/manifest.json"));
    let kept = [
        "cells pinned",
        "missed",
        "solver gets 0.61",
        "secret label",
        "attack.json",
        "61.3 %",
        "unheard-of",
        "possible rates",
        "For the data owner only",
        "All tables</bdi>",
        "manifest.json",
        &sha256(AUDIT),
        &manifest,
        ">17<",
    ];
    for words in kept {
        assert!(owner.out.contains(words), "{words}");
        assert!(!public.out.contains(words), "{words}");
    }
    let shown = bench.json(&["report", "out", "-o", "p.html", "--json", "--public"]);
    assert_eq!(
        (shown["schema"].as_str(), shown["record"].as_str()),
        (Some("disclosure.report/1"), Some("disclosure.run/1"))
    );
    assert_eq!((shown["files_checked"].as_u64(), shown["has_owner_sections"].as_bool()), (Some(6), Some(false)));
    assert_eq!(shown["sha256"].as_str().unwrap(), sha256(&bench.read("p.html")));
}

#[test]
fn a_file_that_was_changed_or_is_missing_is_named_and_nothing_is_written() {
    let bench = Bench::new();
    for name in ["release/noisy/0-age.csv", "review/audit.json", "release/filtered.csv"] {
        full_run_directory(&bench);
        let text = bench.read(&format!("out/{name}"));
        let changed =
            [text.replacen('5', "6", 1), text.replacen('e', "f", 1), format!("{text}\n"), text[1..].to_owned()];
        for changed in changed.iter().filter(|changed| **changed != text) {
            bench.write(&format!("out/{name}"), changed);
            let run = bench.run(&["report", "out", "-o", "page.html", "--public"]);
            assert_eq!(run.code, 3, "{name}: {}", run.err);
            assert!(run.err.contains("E0387") && run.err.contains(name), "{}", run.err);
        }
        std::fs::remove_file(bench.path("out").join(name)).unwrap();
        let run = bench.run(&["report", "out", "-o", "page.html", "--json"]);
        assert_eq!(run.code, 3);
        assert!(run.err.contains("E0387") && run.err.contains("missing"), "{}", run.err);
        assert_eq!(bench.names(), ["out"]);
    }
}

#[test]
fn a_page_that_cannot_be_made_leaves_the_old_one_as_it_was() {
    let bench = Bench::new();
    noisy(&bench, "");
    bench.write("page.html", "the old page");
    bench.write("out/0-total.csv", "value\n1\n");
    assert_eq!(bench.run(&["report", "out", "-o", "page.html"]).code, 3);
    assert_eq!(bench.read("page.html"), "the old page");
    let run = bench.run(&["report", "out", "-o", "nowhere/page.html"]);
    assert_eq!(run.code, 3, "what is wrong with the release is said first");
}

#[test]
fn the_same_directory_gives_the_same_page() {
    let bench = Bench::new();
    noisy(&bench, "");
    for name in ["a.html", "b.html"] {
        assert_eq!(bench.run(&["report", "out", "-o", name]).code, 0);
    }
    assert_eq!(bench.read("a.html"), bench.read("b.html"));
}

#[test]
fn directories_that_are_no_release_are_refused_with_what_to_do() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("empty")).unwrap();
    let code = |directory: &str| {
        let run = bench.run(&["report", directory, "-o", "page.html", "--json"]);
        let error: Value = serde_json::from_str(run.err.trim()).unwrap();
        (error["code"].as_str().unwrap().to_owned(), run.code)
    };
    assert_eq!(code("empty"), ("E0386".into(), 3));
    assert_eq!(code("not-there"), ("E0104".into(), 1));
    std::fs::create_dir(bench.path("out")).unwrap();
    let records = [
        "no json, secret 12345",
        "{}",
        r#"{"schema":"disclosure.other/1"}"#,
        r#"{"schema":"disclosure.release/1","title":7}"#,
        r#"{"schema":"disclosure.run/1","title":"secret 12345","parts":[],"files":[{"path":"x","sha256":7}]}"#,
    ];
    for record in records {
        bench.write("out/release.json", record);
        assert_eq!(code("out"), ("E0386".into(), 3), "{record}");
        assert!(!bench.run(&["report", "out", "-o", "page.html"]).err.contains("12345"), "{record}");
    }
    assert_eq!(bench.names(), ["empty", "out"]);
}

#[test]
fn a_record_cannot_name_a_file_outside_of_its_directory() {
    let bench = Bench::new();
    bench.write("outside.csv", EXACT);
    let absolute = bench.path("outside.csv");
    for path in ["../outside.csv", absolute.to_str().unwrap(), "", "release/../../outside.csv"] {
        let mut manifest = run_directory(&bench, &[("release/filtered.csv", GROUPS, true)]);
        manifest["files"] = json!([{"path": path, "sha256": sha256(EXACT), "bytes": EXACT.len(), "may_leave": true}]);
        bench.write("out/manifest.json", &manifest.to_string());
        let run = bench.run(&["report", "out", "-o", "page.html"]);
        assert!(run.code == 3 && run.err.contains("E0386") && run.err.contains("entry 1"), "{path}: {}", run.err);
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_no_file_of_a_release() {
    let bench = Bench::new();
    noisy(&bench, "");
    bench.write("elsewhere.csv", &bench.read("out/0-total.csv"));
    std::fs::remove_file(bench.path("out/0-total.csv")).unwrap();
    std::os::unix::fs::symlink(bench.path("elsewhere.csv"), bench.path("out/0-total.csv")).unwrap();
    let run = bench.run(&["report", "out", "-o", "page.html"]);
    assert!(run.code == 3 && run.err.contains("E0387"), "{}", run.err);
}

#[test]
fn long_tables_are_cut_and_too_much_of_them_is_refused() {
    let bench = Bench::new();
    let lines: String = (0..500).map(|line| format!("town {line},{line}\n")).collect();
    let long = format!("town,rows\n{lines}");
    run_directory(&bench, &[("release/filtered.csv", &long, true)]);
    let run = bench.run(&["report", "out", "-o", "-", "--max-lines", "30"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.out.contains("The first 30 of 500 lines") && run.out.contains("town 29<") && !run.out.contains("town 30<")
    );
    let wide: String = (0..40).map(|_| format!("{},1\n", "x".repeat(1 << 19))).collect();
    run_directory(&bench, &[("release/filtered.csv", &format!("town,rows\n{wide}"), true)]);
    let run = bench.run(&["report", "out", "-o", "page.html"]);
    assert!(run.code == 6 && run.err.contains("E0671"), "{}", run.err);
    assert_eq!(bench.run(&["report", "out", "-o", "-", "--max-lines", "20"]).code, 0);
}

#[test]
fn columns_of_labels_may_have_any_name() {
    let bench = Bench::new();
    run_directory(&bench, &[("release/filtered.csv", "value,status,rows\n1,married,57\n2,single,78\n", true)]);
    let run = bench.run(&["report", "out", "-o", "-", "--public"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("57") && run.out.contains("78") && run.out.contains("married"), "{}", run.out);
}

#[test]
fn a_page_replaces_no_file_of_a_release_and_what_stays_does_not_go_where_things_leave() {
    let bench = Bench::new();
    run_directory(&bench, &[("release/filtered.csv", "town,rows\nBonn,9\n", true), ("review/audit.json", "{}", false)]);
    for page in ["out/manifest.json", "out/release/filtered.csv", "out/release/report.html"] {
        let run = bench.run(&["report", "out", "-o", page]);
        assert_eq!(run.code, 2, "{page}: {}", run.err);
    }
    assert_eq!(bench.run(&["report", "out", "-o", "-"]).code, 0);
    assert_eq!(bench.run(&["report", "out", "-o", "out/report.html"]).code, 0);
    assert_eq!(bench.run(&["report", "out", "-o", "out/release/report.html", "--public"]).code, 0);
}

#[test]
fn tables_that_no_release_writes_are_refused_with_their_line() {
    let bench = Bench::new();
    for (text, place) in
        [("town,rows\nBonn,many\n", "line 2"), ("town,rows\nBonn,1,2\n", "line 2"), ("town,rows\nBonn,inf\n", "line 2")]
    {
        run_directory(&bench, &[("release/filtered.csv", text, true)]);
        let run = bench.run(&["report", "out", "-o", "page.html"]);
        assert!(run.code == 3 && run.err.contains("E0388") && run.err.contains(place), "{text}: {}", run.err);
        assert!(!run.err.contains("many") && !run.err.contains("Bonn"), "{}", run.err);
    }
}

#[test]
fn labels_of_a_release_are_text_whatever_they_hold() {
    let bench = Bench::new();
    let hostile = "town,rows\n<script>alert(1)</script>,5\n\"\"\" onload=\"\"x\",6\n\u{202e}evil,7\n";
    run_directory(&bench, &[("release/filtered.csv", hostile, true)]);
    let run = bench.run(&["report", "out", "-o", "-"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("&lt;script&gt;") && !run.out.contains("<script"));
    assert!(
        run.out.contains("&quot; onload=&quot;x") && run.out.contains("\\u202Eevil") && !run.out.contains('\u{202e}')
    );
}

#[test]
fn the_page_and_a_document_about_it_do_not_share_the_standard_output() {
    let bench = Bench::new();
    noisy(&bench, "");
    assert_eq!(bench.run(&["report", "out", "-o", "-", "--json"]).code, 2);
}

/// The part of a page before its contents.
fn first_screen(page: &str) -> &str {
    &page[page.find("<header>").unwrap()..page.find("<nav").unwrap()]
}

/// Asserts that these words occur in this order.
fn assert_order(text: &str, words: &[&str]) {
    let mut from = 0;
    for word in words {
        let at = text[from..].find(word).unwrap_or_else(|| panic!("{word:?} is not there, or too early: {text}"));
        from += at + word.len();
    }
}

#[test]
fn the_first_screen_says_who_when_the_verdict_what_is_protected_every_part_the_budget_and_the_readers() {
    let bench = Bench::new();
    full_run_directory(&bench);
    let run = bench.run(&["report", "out", "-o", "-", "--public"]);
    let head = first_screen(&run.out);
    assert_order(head, &["A run", "Verdict", "What is protected", "a person", "Tables with noise"]);
    assert_order(head, &["1 table. Guarantee: 0.4-zCDP.", "Budget: rho 1", "rho 0.4", "left", "rho 0.6", "Anyone"]);
    assert!(!head.contains("61.3 %") && !head.contains("solver"), "{head}");

    let second = Bench::new();
    noisy(&second, "title = \"Two\"\nowner = \"Office of <b>\"\ndate = \"May 2026\"");
    let run = second.run(&["report", "out", "-o", "-"]);
    let head = first_screen(&run.out);
    assert_order(head, &["Two", "Owner", "Office of &lt;b&gt;", "Date", "May 2026", "Verdict"]);
    assert_order(
        head,
        &["Released. Guarantee: 0.5-zCDP.", "a row", "Number of people", "with noise", "root mean square error"],
    );
    assert_order(head, &["Budget: rho 0.5 is spent", "not recorded in a ledger", "Anyone"]);
}

#[test]
fn a_release_without_a_date_has_that_of_the_day_it_was_made() {
    let bench = Bench::new();
    noisy(&bench, "");
    let record: Value = serde_json::from_str(&bench.read("out/release.json")).unwrap();
    let date = record["date"].as_str().unwrap();
    assert!(date.len() == 10 && date.starts_with("20") && date.as_bytes()[4] == b'-', "{date}");
    assert!(record.get("owner").is_none());
}

#[test]
fn a_page_has_one_card_a_part_folds_its_tables_and_ends_with_a_glossary() {
    let bench = Bench::new();
    full_run_directory(&bench);
    let page = bench.run(&["report", "out", "-o", "-"]).out;
    let promises = &page[page.find("What is promised</bdi>").unwrap()..page.find("What it costs</bdi>").unwrap()];
    assert_eq!(promises.matches("<div class=\"promise").count(), 2, "one for the noise, one for the prediction");
    assert_eq!(promises.matches("Not covered: 1 point</summary>").count(), 2);
    assert!(!page.contains("<details open"), "tables and points are folded");
    assert!(page.rfind("Glossary</bdi>").unwrap() > page.rfind("Files</bdi>").unwrap());
    for term in ["Minimum frequency (kappa)", "ZCDP, rho", "zCDP, rho", "Low-count filter"] {
        // Terms of parts that the release does not have are not explained.
        let is_used = term == "zCDP, rho";
        assert_eq!(page.contains(&format!("<dt>{term}</dt>")), is_used, "{term}");
    }
}

#[test]
fn what_two_parts_tell_is_said_and_a_column_of_zeros_is_not() {
    let bench = Bench::new();
    let noisy =
        "sex,value,sd,ci95_low,ci95_high,status,reason\nf,11,2,7,15,noised,noise\nm,5000,2,4996,5004,noised,noise\n";
    let exact = EXACT.replace("m,,,suppressed,withheld", "m,9,0.0,exact,counted");
    let files = [("release/exact/0-sex.csv", exact.as_str(), true), ("release/noisy/0-sex.csv", noisy, true)];
    run_directory(&bench, &files);
    let page = bench.run(&["report", "out", "-o", "-", "--public"]).out;
    assert!(
        page.contains("Published twice</bdi>")
            && page.contains("People by sex: in release/exact/0-sex.csv, and again in")
    );
    let numbers = &page[page.find("lines in release/exact/0-sex.csv").unwrap()..];
    let table = &numbers[..numbers.find("</table>").unwrap()];
    assert!(!table.contains("<bdi>sd</bdi>") && table.contains("<bdi>value</bdi>"), "{table}");
    run_directory(&bench, &files[..1]);
    assert!(!bench.run(&["report", "out", "-o", "-", "--public"]).out.contains("Published twice"));
}
