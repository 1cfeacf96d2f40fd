//! The sticky filter, from the outside.

use std::collections::BTreeMap;

use crate::support::{Bench, Run, fixture, key};
use serde_json::Value;

const SPEC: &str = "group_by = [\"town\", \"clinic\"]\naid = [\"patient\"]\nalways_suppress_upper_bound = 2\nmean = 8.0\nsd = 1.5\n\
     counts = \"exact\"\n";

fn set_mode(path: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn lcf(bench: &Bench, what: &str, spec: &str, data: &str, more: &[&str]) -> Run {
    // Every call is another deployment: the registry of the one before is not there.
    let _ = std::fs::remove_file(bench.path("key.registry"));
    later(bench, what, spec, data, &[&["--register"], more].concat())
}

/// The same under the registry of an earlier call.
fn later(bench: &Bench, what: &str, spec: &str, data: &str, more: &[&str]) -> Run {
    let (spec, data, key) = (bench.write("spec.toml", spec), bench.write("data.csv", data), key(bench));
    bench.run(&[&["lcf", what, &spec, &data, "--secret-file", &key], more].concat())
}

fn visits() -> String {
    std::fs::read_to_string(fixture("data/visits.csv")).unwrap()
}

fn json(run: &Run) -> Value {
    assert_eq!(run.code, 0, "{}", run.err);
    serde_json::from_str(&run.out).unwrap()
}

/// Groups of the document by their labels.
fn groups(report: &Value) -> BTreeMap<String, u64> {
    let label = |group: &Value| {
        format!("{},{}", group["group"]["town"].as_str().unwrap(), group["group"]["clinic"].as_str().unwrap())
    };
    report["groups"].as_array().unwrap().iter().map(|g| (label(g), g["rows"].as_u64().unwrap())).collect()
}

/// Rows and distinct patients of every group, counted here.
fn counted() -> BTreeMap<String, (u64, std::collections::BTreeSet<String>)> {
    let mut groups = BTreeMap::new();
    for line in visits().lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let (rows, patients): &mut (u64, std::collections::BTreeSet<String>) =
            groups.entry(format!("{},{}", fields[2], fields[3])).or_default();
        *rows += 1;
        if !fields[0].is_empty() {
            patients.insert(fields[0].to_owned());
        }
    }
    groups
}

#[test]
fn what_is_shown_agrees_with_the_law_and_the_counts() {
    let bench = Bench::new();
    let report = json(&lcf(
        &bench,
        "filter",
        SPEC,
        &visits(),
        &["--json", "--rest", "--audit", bench.path("audit.json").to_str().unwrap()],
    ));
    assert_eq!(report["schema"], "disclosure.lcf-filter/2");
    assert!(report["promise"]["warning"].as_str().unwrap().contains("not differentially private"));
    let (shown, all) = (groups(&report), counted());
    for (group, (rows, patients)) in &all {
        match patients.len() {
            0..3 => assert!(!shown.contains_key(group), "{group}"),
            15.. => assert_eq!(shown.get(group), Some(rows)),
            _ => assert!(shown.get(group).is_none_or(|shown| shown == rows)),
        }
    }
    let suppressed: u64 = all.iter().filter(|(group, _)| !shown.contains_key(*group)).map(|(_, (rows, _))| rows).sum();
    assert_eq!(report["rest"]["rows"].as_u64(), Some(suppressed));
    let audit: Value = serde_json::from_str(&bench.read("audit.json")).unwrap();
    assert_eq!(
        (audit["schema"].as_str(), audit["groups"].as_array().unwrap().len()),
        (Some("disclosure.lcf-audit/1"), all.len())
    );
    for group in audit["groups"].as_array().unwrap() {
        let labels =
            format!("{},{}", group["group"]["town"].as_str().unwrap(), group["group"]["clinic"].as_str().unwrap());
        let class = match all[&labels].1.len() {
            0..3 => "below 3",
            3..15 => "3 to 14",
            _ => "15 or more",
        };
        assert_eq!((group["entities"].as_str(), group["aid"].as_str()), (Some(class), Some("patient")), "{labels}");
        assert_eq!(group["reported"].as_bool(), Some(shown.contains_key(&labels)));
    }
}

#[test]
fn answers_stay_when_rows_are_shuffled_repeated_and_regrouped_and_change_with_the_secret() {
    let bench = Bench::new();
    let first = json(&lcf(&bench, "filter", SPEC, &visits(), &["--json"]));
    let mut lines: Vec<String> = visits().lines().map(str::to_owned).collect();
    lines[1..].reverse();
    let reversed = json(&lcf(&bench, "filter", SPEC, &(lines.join("\r\n") + "\r\n"), &["--json"]));
    assert_eq!(first, reversed);
    let doubled = [&lines[..], &lines[1..]].concat().join("\n");
    let doubled = groups(&json(&lcf(&bench, "filter", SPEC, &doubled, &["--json"])));
    assert!(groups(&first).keys().eq(doubled.keys()), "the same people, whatever they repeat");
    let other_order = SPEC.replace("[\"town\", \"clinic\"]", "[\"clinic\", \"town\"]");
    assert_eq!(groups(&first), groups(&json(&lcf(&bench, "filter", &other_order, &visits(), &["--json"]))));
    // Sixteen secrets decide about the groups in the noisy stretch: all alike with probability
    // below 1e-4.
    let with = |byte: u8| {
        let (spec, data) = (bench.write("spec.toml", SPEC), bench.write("data.csv", &visits()));
        let _ = (std::fs::remove_file(bench.path("other")), std::fs::remove_file(bench.path("other.registry")));
        let key = bench.write("other", &char::from(byte).to_string().repeat(32));
        set_mode(&key, 0o400);
        groups(&bench.json(&["lcf", "filter", &spec, &data, "--secret-file", &key, "--register", "--json"]))
    };
    assert!((b'a'..=b'p').any(|byte| with(byte) != groups(&first)));
}

#[test]
fn the_first_line_warns_and_the_csv_has_every_group() {
    let bench = Bench::new();
    let out = bench.path("out.csv");
    let run = lcf(&bench, "filter", SPEC, &visits(), &["-o", out.to_str().unwrap(), "--rest=(other)"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.lines().next().unwrap().contains("not differentially private"), "{}", run.out);
    let csv = bench.read("out.csv");
    assert!(csv.starts_with("town,clinic,rows\n") && csv.contains("\n(other),(other),"), "{csv}");
    let report = json(&lcf(&bench, "filter", SPEC, &visits(), &["--json"]));
    assert_eq!(csv.lines().count(), 2 + groups(&report).len());
    assert!(report["rest"].is_null(), "nobody asked for it");
}

#[test]
fn explanations_say_why_and_never_how_many() {
    let bench = Bench::new();
    let data = "town,clinic,patient\na,x,1\nb,x,1\nb,x,2\nc,x,\n";
    for (group, reason, entities) in
        [("a,x", "below-floor", "below 3"), ("b,x", "below-floor", "below 3"), ("c,x", "no-entity", "below 3")]
    {
        let report = json(&lcf(&bench, "explain", SPEC, data, &["--group", group, "--json"]));
        assert_eq!(report["schema"], "disclosure.lcf-explain/1");
        assert_eq!((report["reason"].as_str(), report["entities"].as_str()), (Some(reason), Some(entities)));
        assert_eq!(
            (report["reported"].as_bool(), report["decided_by"]["kind"].as_str()),
            (Some(false), Some("patient"))
        );
    }
    let words = lcf(&bench, "explain", SPEC, data, &["--group", "a,x"]);
    assert!(
        words.out.contains("not shown") && words.out.contains("too few entities to be shown under any threshold"),
        "{}",
        words.out
    );
    assert!(words.out.lines().next().unwrap().contains("not differentially private"));
    let other = lcf(&bench, "explain", SPEC, data, &["--group", "b,x"]);
    assert_eq!(words.out.replace("town = a", "town = b"), other.out, "one patient and two look alike");
}

#[test]
fn several_columns_kinds_arrays_and_null_words_protect_as_written() {
    let bench = Bench::new();
    // Nine users of two branches; the last column lists members, some of them nobody.
    let rows: String = (0..9).map(|i| format!("a,{i},{},{i};0{i};-\n", i % 2)).collect();
    let data = format!("g,user,branch,members\n{rows}");
    let filter = |aid: &str, more: &str| {
        let law = "law = { name = \"hard\", at_least = 5 }\n";
        let spec = format!("group_by = [\"g\"]\naid = [{aid}]\n{law}{more}");
        json(&lcf(&bench, "filter", &spec, &data, &["--json"]))["groups"].as_array().unwrap().len()
    };
    assert_eq!(filter("\"user\"", ""), 1);
    assert_eq!(filter("\"user\", \"branch\"", ""), 0, "two branches are too few");
    assert_eq!(filter("\"user\", { column = \"branch\", law = { name = \"hard\", at_least = 2 } }", ""), 1);
    assert_eq!(filter("\"user\", \"branch\"", "rule = \"all\"\n"), 0);
    let members = |more: &str| format!("{{ column = \"members\", form = \"text\", separator = \";\"{more} }}");
    let at_least = |aid: String, least: u32| {
        filter(&aid.replace(" }", &format!(", law = {{ name = \"hard\", at_least = {least} }} }}")), "")
    };
    assert_eq!((at_least(members(""), 19), at_least(members(""), 20)), (1, 0), "0 to 8, 00 to 08, and -");
    assert_eq!(at_least(members(", null = [\"-\"]"), 18), 1);
    assert_eq!(at_least(members(", null = [\"-\"]"), 19), 0);
    let integers = members(", null = [\"-\"]").replace("text", "integer");
    assert_eq!((at_least(integers.clone(), 9), at_least(integers, 10)), (1, 0), "01 and 1 are one");
}

#[test]
fn no_column_to_group_by_is_the_whole_table() {
    let bench = Bench::new();
    let spec = SPEC.replace("[\"town\", \"clinic\"]", "[]");
    let report = json(&lcf(&bench, "filter", &spec, &visits(), &["--json", "--rest"]));
    let rows = visits().lines().count() - 1;
    assert_eq!(report["groups"], serde_json::json!([{"group": {}, "rows": rows}]));
    assert!(report["rest"].is_null());
    let words = lcf(&bench, "explain", &spec, &visits(), &["--group", ""]);
    assert!(words.out.contains("the whole table: shown"), "{}", words.out);
    assert!(lcf(&bench, "filter", &spec, &visits(), &[]).out.contains("the whole table as one group"));
}

#[test]
fn low_effect_is_merged_by_three_columns_unless_switched_off() {
    let bench = Bench::new();
    let men: String = (0..20).map(|i| format!("math,man,prof,{i}\n")).collect();
    let data = format!("dept,sex,title,user\n{men}math,woman,prof,99\n");
    let spec = "group_by = [\"dept\", \"sex\", \"title\"]\naid = [\"user\"]\nlaw = { name = \"thin-uniform\", at_least = 4 }\n\
                counts = \"exact\"\n";
    let rows = |spec: &str| json(&lcf(&bench, "filter", spec, &data, &["--json"]))["groups"][0]["rows"].as_u64();
    assert_eq!((rows(spec), rows(&format!("{spec}low_effect = false\n"))), (Some(21), Some(20)));
    let why = json(&lcf(&bench, "explain", spec, &data, &["--group", "math,woman,prof", "--json"]));
    assert_eq!((why["merged"].as_bool(), why["reported"].as_bool()), (Some(true), Some(false)));
    // A mark on the group that took her would prove that somebody is not shown.
    let hidden = spec.replace("exact", "hidden");
    let published = |data: &str| {
        let [table, document] =
            [&["-o", "-"][..], &["--json"]].map(|words| lcf(&bench, "filter", &hidden, data, words));
        assert!(document.out.contains("\"may_hold_merged\": true"), "{}", document.out);
        (table.out, document.out)
    };
    assert_eq!(published(&data), published(&data.replace("math,woman,prof,99\n", "")));
}

fn refused(run: &Run) -> (String, i32) {
    let code = run.err.split("error[").nth(1).and_then(|rest| rest.get(..5)).unwrap_or("none").to_owned();
    assert!(run.out.is_empty(), "{}", run.out);
    (code, run.code)
}

#[test]
fn specs_and_words_that_make_no_sense_are_refused() {
    let bench = Bench::new();
    let law = "always_suppress_upper_bound = 2\nmean = 8.0\nsd = 1.5\n";
    let cases = [
        (SPEC.replace("= 2", "= 0.5"), "E0271"),
        (SPEC.replace("8.0", "2.0"), "E0271"),
        (SPEC.replace("1.5", "0.0"), "E0271"),
        (SPEC.replace("8.0", "nan"), "E0271"),
        (SPEC.replace("mean = 8.0\n", ""), "E0272"),
        (SPEC.replace(law, ""), "E0272"),
        (format!("{SPEC}law = {{ name = \"hard\", at_least = 5 }}\n"), "E0272"),
        (SPEC.replace("[\"patient\"]", "[]"), "E0273"),
        (SPEC.replace("[\"patient\"]", "[\"patient\", \"patient\"]"), "E0273"),
        (SPEC.replace("\"clinic\"", "\"town\""), "E0273"),
        (SPEC.replace("\"clinic\"", "\"rows\""), "E0273"),
        (format!("{SPEC}sead = 1\n"), "E0210"),
    ];
    for (spec, code) in cases {
        assert_eq!(refused(&lcf(&bench, "filter", &spec, &visits(), &[])), (code.into(), 2), "{spec}");
    }
    let hard = SPEC.replace(law, "law = { name = \"hard\", at_least = 1 }\n");
    assert_eq!(refused(&lcf(&bench, "filter", &hard, &visits(), &[])), ("E0271".into(), 2));
    for words in ["Bonn", "Bonn,eye,7", "\"Bonn,eye"] {
        assert_eq!(
            refused(&lcf(&bench, "explain", SPEC, &visits(), &["--group", words])),
            ("E0274".into(), 2),
            "{words}"
        );
    }
    for law in ["{ name = \"hard\", at_least = 70000 }", "{ name = \"elm\", at_least = 2, gap = 1.0, sd = 1e9 }"] {
        let long = format!("group_by = []\naid = [\"patient\"]\nlaw = {law}\n");
        assert_eq!(refused(&lcf(&bench, "filter", &long, &visits(), &[])), ("E0655".into(), 6), "{law}");
    }
    assert_eq!(refused(&lcf(&bench, "filter", &SPEC.replace("8.0", "1e9"), &visits(), &[])), ("E0655".into(), 6));
    let starred = |people: u32| -> String { (0..people).map(|at| format!("*,*,{at}\n")).collect() };
    let data = |people| format!("town,clinic,patient\nBonn,eye,1\n{}", starred(people));
    assert_eq!(refused(&lcf(&bench, "filter", SPEC, &data(15), &["--rest"])), ("E0275".into(), 2));
    assert_eq!(lcf(&bench, "filter", SPEC, &data(2), &["--rest"]).code, 0, "that it exists is not shown");
    let same = lcf(&bench, "filter", SPEC, &visits(), &["-o", "one", "--audit", "one"]);
    assert_eq!(refused(&same), ("E0200".into(), 2));
    let same = lcf(&bench, "filter", SPEC, &visits(), &["-o", "./one", "--audit", "one"]);
    assert_eq!(refused(&same), ("E0200".into(), 2));
    let dash = lcf(&bench, "filter", SPEC, &visits(), &["-o", "-"]);
    assert_eq!(refused(&dash), ("E0200".into(), 2));
}

#[test]
fn data_that_cannot_be_filtered_are_refused_without_a_word_of_them() {
    let bench = Bench::new();
    let integers = SPEC.replace("[\"patient\"]", "[{ column = \"patient\", form = \"integer\" }]");
    let cases = [
        (SPEC, "", "E0301"),
        (SPEC, "town,clinic,patient\n", "E0302"),
        (SPEC, "town,clinic,patient\nCANARY,x\n", "E0303"),
        (SPEC, "town,clinic\nCANARY,x\n", "E0308"),
        (SPEC, "town,clinic,patient\n\"CANARY,x,1\n", "E0310"),
        (&integers, "town,clinic,patient\na,x,1\na,x,CANARY\n", "E0397"),
        (&integers, "town,clinic,patient\na,x,1.0\n", "E0397"),
    ];
    for (spec, data, code) in cases {
        let run = lcf(&bench, "filter", spec, data, &[]);
        assert!(!run.err.contains("CANARY"), "{}", run.err);
        assert_eq!(refused(&run), (code.into(), 3), "{data}");
    }
    let place = lcf(&bench, "filter", &integers, cases[5].1, &[]);
    assert!(place.err.contains("line 3, field 3") && place.err.contains("patient"), "{}", place.err);
    let nobody = lcf(&bench, "explain", SPEC, &visits(), &["--group", "CANARY,eye"]);
    assert!(!nobody.err.contains("CANARY"), "{}", nobody.err);
    assert_eq!(refused(&nobody), ("E0398".into(), 3));
}

#[test]
fn secrets_that_others_can_read_or_of_another_length_are_refused_and_never_shown() {
    let bench = Bench::new();
    let (spec, data) = (bench.write("spec.toml", SPEC), bench.write("data.csv", &visits()));
    let filter = |key: &str| bench.run(&["lcf", "filter", &spec, &data, "--secret-file", key, "--register"]);
    let secret = "canary-canary-canary-canary-cana";
    for mode in [0o644, 0o640, 0o604, 0o622, 0o660] {
        let path = bench.write("open", secret);
        set_mode(&path, mode);
        let run = filter(&path);
        assert!(run.err.contains("chmod 600") && !run.err.contains("canary"), "{}", run.err);
        assert_eq!(refused(&run), ("E0407".into(), 4), "{mode:o}");
    }
    for length in [0, 31, 33, 64] {
        let path = bench.write("short", &"k".repeat(length));
        set_mode(&path, 0o600);
        assert_eq!(refused(&filter(&path)), ("E0407".into(), 4), "{length}");
    }
    assert_eq!(refused(&filter(bench.path("none").to_str().unwrap())), ("E0104".into(), 1));
    assert_eq!(refused(&filter(bench.path("").to_str().unwrap())), ("E0407".into(), 4), "a directory");
    assert_eq!(refused(&filter("/dev/zero")), ("E0407".into(), 4), "a device");
    let pipe = bench.path("pipe");
    assert!(std::process::Command::new("mkfifo").args(["-m", "600"]).arg(&pipe).status().unwrap().success());
    assert_eq!(refused(&filter(pipe.to_str().unwrap())), ("E0407".into(), 4), "a pipe that nobody writes to");
    let path = bench.write("good", secret);
    set_mode(&path, 0o600);
    let run = filter(&path);
    assert!(run.code == 0 && !run.out.contains("canary") && !run.err.contains("canary"));
}

#[test]
fn tables_beyond_the_limits_are_refused_and_no_file_is_left() {
    let bench = Bench::new();
    let out = bench.path("out.csv");
    for (limits, code) in [("groups = 3", "E0651"), ("mebibytes = 0", "E0652")] {
        let spec = format!("{SPEC}[limits]\n{limits}\n");
        let run = lcf(&bench, "filter", &spec, &visits(), &["-o", out.to_str().unwrap()]);
        assert_eq!(refused(&run), (code.into(), 6));
        assert!(!out.exists());
    }
}

#[test]
fn a_publication_merges_nothing_and_says_what_it_promises() {
    let bench = Bench::new();
    let unbounded = format!("{SPEC}draws = \"publish\"\n");
    let publish = format!("{unbounded}groups_per_entity = 3\n");
    let merged = format!("{publish}low_effect = true\n");
    assert_eq!(refused(&lcf(&bench, "filter", &merged, &visits(), &[])), ("E0281".into(), 2));
    assert_eq!(refused(&lcf(&bench, "filter", &publish, &visits(), &["--rest"])), ("E0281".into(), 2));
    let said =
        |spec: &str| json(&lcf(&bench, "filter", spec, &visits(), &["--json"]))["promise"]["publication"].clone();
    let promise = said(&publish);
    let promise = promise.as_str().unwrap();
    assert!(promise.contains("the exact counts are not covered") && promise.contains("at most 3 groups"), "{promise}");
    for wrong in [
        unbounded.clone(),
        format!("{SPEC}groups_per_entity = 3\n"),
        publish.replace("[\"patient\"]", "\"row\""),
        publish.replace("[\"patient\"]", "[\"patient\", \"doctor\"]"),
    ] {
        assert_eq!(refused(&lcf(&bench, "filter", &wrong, &visits(), &[])), ("E0282".into(), 2), "{wrong}");
    }
    let law = "law = { name = \"optimal-selection\", epsilon = 1.0, delta = 1e-5, pre_threshold = 2, groups_per_entity = 2 }\n";
    let other =
        format!("group_by = [\"town\"]\naid = [\"patient\"]\ndraws = \"publish\"\ngroups_per_entity = 3\n{law}");
    assert_eq!(refused(&lcf(&bench, "filter", &other, &visits(), &[])), ("E0282".into(), 2));
    let fits = other.replace("groups_per_entity = 3", "groups_per_entity = 2");
    assert!(said(&fits).as_str().unwrap().contains("(1, 0.00001)-differentially private"));
    let both = unbounded.replace("[\"patient\"]", "[\"patient\", \"doctor\"]");
    assert!(said(&both).as_str().unwrap().starts_with("no (epsilon, delta)"));
    assert!(said(SPEC).is_null());
    let men: String = (0..20).map(|i| format!("math,man,prof,{i}\n")).collect();
    let data = format!("dept,sex,title,user\n{men}math,woman,prof,99\n");
    let law = "law = { name = \"thin-uniform\", at_least = 4 }\ndraws = \"publish\"\ngroups_per_entity = 1\ncounts = \"exact\"\n";
    let spec = format!("group_by = [\"dept\", \"sex\", \"title\"]\naid = [\"user\"]\n{law}");
    let report = json(&lcf(&bench, "filter", &spec, &data, &["--json"]));
    assert_eq!(report["groups"][0]["rows"].as_u64(), Some(20), "nobody was merged into it");
}

#[test]
fn several_columns_without_a_kind_are_warned_about() {
    let bench = Bench::new();
    let with = |aid: &str| {
        let run = lcf(&bench, "filter", &SPEC.replace("[\"patient\"]", aid), &visits(), &[]);
        assert_eq!(run.code, 0, "{}", run.err);
        run.err
    };
    assert!(with("[\"patient\", \"doctor\"]").contains("no kind is given for \"patient\", \"doctor\""));
    let kinds = "[{ column = \"patient\", kind = \"user\" }, { column = \"doctor\", kind = \"user\" }]";
    assert!(!with(kinds).contains("kind"));
    assert!(!with("[\"patient\"]").contains("kind"));
}

#[test]
fn an_audit_warns_first_and_names_its_reasons() {
    let bench = Bench::new();
    let run = lcf(&bench, "filter", SPEC, &visits(), &["--audit", bench.path("audit.json").to_str().unwrap()]);
    assert_eq!(run.code, 0, "{}", run.err);
    let audit: Value = serde_json::from_str(&bench.read("audit.json")).unwrap();
    assert!(audit["promise"]["warning"].as_str().unwrap().contains("not differentially private"));
    let reasons = audit["summary"]["by_reason"].as_object().unwrap();
    assert_eq!(reasons.len(), 5);
    for (reason, groups) in reasons {
        let such =
            audit["groups"].as_array().unwrap().iter().filter(|group| group["reason"] == reason.as_str()).count();
        assert_eq!(groups.as_u64(), Some(such as u64), "{reason}");
    }
}

#[test]
fn a_secret_is_used_under_the_terms_of_its_first_job_alone() {
    let bench = Bench::new();
    let unregistered = later(&bench, "filter", SPEC, &visits(), &[]);
    assert_eq!(refused(&unregistered), ("E0408".into(), 4));
    assert!(unregistered.err.contains("--register"), "{}", unregistered.err);
    let first = json(&lcf(&bench, "filter", SPEC, &visits(), &["--json"]));
    assert_eq!(json(&later(&bench, "filter", SPEC, &visits(), &["--json"])), first);
    // Other groups and a title are a query; who is protected, and how, is not.
    let other_groups = SPEC.replace("[\"town\", \"clinic\"]", "[\"clinic\"]\ntitle = \"Clinics\"");
    assert_eq!(later(&bench, "filter", &other_groups, &visits(), &[]).code, 0);
    let renamed = visits().replacen("patient,", "person,", 1);
    for (spec, data, what) in [
        (SPEC.replace("[\"patient\"]", "[\"person\"]"), renamed, "kind of \"patient\""),
        (SPEC.replace("[\"patient\"]", "[{ column = \"patient\", kind = \"p\" }]"), visits(), "kind of \"patient\""),
        (SPEC.replace("[\"patient\"]", "[{ column = \"patient\", form = \"text\" }]"), visits(), "form of \"patient\""),
        (SPEC.replace("[\"patient\"]", "[\"patient\", \"doctor\"]"), visits(), "kind of \"doctor\""),
        (SPEC.replace("8.0", "8.5"), visits(), "thresholds of \"patient\""),
        (format!("{SPEC}low_effect = false\n"), visits(), "merges low-effect groups"),
    ] {
        let run = later(&bench, "filter", &spec, &data, &["--register"]);
        assert_eq!(refused(&run), ("E0408".into(), 4), "{spec}");
        assert!(run.err.contains(what), "{what}: {}", run.err);
    }
    bench.write("key.registry", &bench.read("key.registry").replace("patient", "person"));
    assert_eq!(refused(&later(&bench, "filter", SPEC, &visits(), &[])), ("E0408".into(), 4));
}

#[test]
fn rows_are_entities_of_one_file() {
    let bench = Bench::new();
    let spec = SPEC.replace("[\"patient\"]", "\"row\"");
    let first = json(&lcf(&bench, "filter", &spec, &visits(), &["--json"]));
    let reversed: Vec<String> = visits().lines().map(str::to_owned).collect();
    let reversed = [&reversed[..1], &reversed[1..].iter().rev().cloned().collect::<Vec<_>>()[..]].concat().join("\n");
    assert_eq!(json(&later(&bench, "filter", &spec, &reversed, &["--json"])), first);
    let with = |name: &str| -> String {
        let lines: Vec<String> = visits()
            .lines()
            .enumerate()
            .map(|(at, line)| format!("{line},{}", if at == 0 { name } else { "1" }))
            .collect();
        lines.join("\n")
    };
    for other in [with("c0"), with("c1"), visits().replacen("Bonn", "Berlin", 1)] {
        let run = later(&bench, "filter", &spec, &other, &[]);
        assert_eq!(refused(&run), ("E0408".into(), 4));
        assert!(run.err.contains("the rows"), "{}", run.err);
    }
}

#[test]
fn one_table_is_published_under_a_secret() {
    let bench = Bench::new();
    let spec = format!("{SPEC}draws = \"publish\"\ngroups_per_entity = 2\n");
    let first = json(&lcf(&bench, "filter", &spec, &visits(), &["--json"]));
    assert_eq!(json(&later(&bench, "filter", &spec, &visits(), &["--json"])), first);
    let newcomer = visits() + "999,E,Bonn,heart\n";
    assert_eq!(refused(&later(&bench, "filter", &spec, &newcomer, &[])), ("E0409".into(), 4));
    let other_groups = spec.replace("[\"town\", \"clinic\"]", "[\"clinic\"]");
    assert_eq!(refused(&later(&bench, "filter", &other_groups, &visits(), &[])), ("E0409".into(), 4));
    let looked = later(&bench, "explain", &spec, &newcomer, &["--group", "Bonn,heart"]);
    assert_eq!(looked.code, 0, "the owner may look: {}", looked.err);
}

#[test]
fn one_person_in_several_spellings_is_noticed_and_declared_forms_are_kept() {
    let bench = Bench::new();
    let filtered = |aid: &str, ids: &str, words: &[&str]| {
        let rows: String = ids.split('|').map(|id| format!("a,\"{id}\"\n")).collect();
        let spec = format!("group_by = [\"g\"]\naid = [{aid}]\nlaw = {{ name = \"hard\", at_least = 2 }}\n");
        lcf(&bench, "filter", &spec, &format!("g,user\n{rows}"), words)
    };
    let with = |aid: &str, ids: &str| filtered(aid, ids, &[]);
    let text = "{ column = \"user\", form = \"text\" }";
    let mixed = with(text, "7|07|+7|NULL|8");
    assert!(mixed.err.contains("2 identifiers are spelled as integers, 2 as numbers in another way, 1 are words"));
    assert!(!mixed.err.contains("07") && !mixed.err.contains("NULL"), "no values: {}", mixed.err);
    assert!(!with("\"user\"", "7|8|9").err.contains("spelled"));
    for undeclared in ["7|07|8", "7|NULL", "ann|Bob", "ann lee|bob  lee", "ann|\u{ff42}ob"] {
        let run = with("\"user\"", undeclared);
        assert!(run.code == 3 && run.err.contains("E0389") && run.err.contains("form ="), "{undeclared}: {}", run.err);
        assert_eq!(with(text, undeclared).code, 0, "declared");
    }
    let groups = |aid: &str, ids: &str| json(&filtered(aid, ids, &["--json"]))["groups"].as_array().unwrap().len();
    assert_eq!(groups("\"user\"", "7| 7|7 "), 0, "white space makes no people");
    assert_eq!(groups("\"user\"", "Am\u{e9}lie|Ame\u{301}lie"), 0, "nor does the way a letter was typed");
    let integers = "{ column = \"user\", form = \"integer\", null = [\"NULL\"] }";
    assert_eq!(groups(integers, "7|07|+7|NULL"), 0);
    for wrong in ["7.0", "7e0", "\u{ff17}", "NaN"] {
        let run = with(integers, &format!("7|{wrong}"));
        assert!(run.code == 3 && run.err.contains("E0397"), "{wrong}: {}", run.err);
        assert!(run.err.contains("line 3") && !run.err.contains(wrong), "{}", run.err);
    }
}
