//! Groups that are stored by `lcf group`, from the outside.

use crate::support::{Bench, Run, fixture};

const SPEC: &str = "group_by = [\"town\", \"clinic\"]\naid = [{ column = \"patient\", form = \"integer\" }]\n\
     always_suppress_upper_bound = 2\nmean = 8.0\nsd = 1.5\n";

/// The visits in parts: every third line, with the header.
fn parts() -> [String; 3] {
    let visits = std::fs::read_to_string(fixture("data/visits.csv")).unwrap();
    let (header, rows) = visits.split_once('\n').unwrap();
    std::array::from_fn(|part| {
        let rows: Vec<&str> = rows.lines().skip(part).step_by(3).collect();
        format!("{header}\n{}\n", rows.join("\n"))
    })
}

fn lcf(bench: &Bench, what: &str, spec: &str, data: &str, more: &[&str]) -> Run {
    let (spec, key) = (bench.write("spec.toml", spec), at(bench, "key"));
    bench.run(&[&["lcf", what, &spec, data, "--secret-file", &key, "--new-secret"], more].concat())
}

fn at(bench: &Bench, name: &str) -> String {
    bench.path(name).to_str().unwrap().to_owned()
}

fn code(run: &Run) -> (String, i32) {
    (run.err.split("error[").nth(1).and_then(|rest| rest.get(..5)).unwrap_or("none").to_owned(), run.code)
}

/// Stores the three parts, each with those before.
fn store(bench: &Bench, spec: &str) -> String {
    let mut before: Option<String> = None;
    for (number, part) in parts().iter().enumerate() {
        let (data, out) = (bench.write("part.csv", part), at(bench, &format!("{number}.groups")));
        let add: Vec<&str> = before.iter().flat_map(|path| ["--add", path]).collect();
        let run = lcf(bench, "group", spec, &data, &[&["-o", &out], &add[..]].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        before = Some(out);
    }
    before.unwrap()
}

#[test]
fn groups_that_were_stored_in_parts_are_decided_like_the_whole_file() {
    for more in ["", "counts = \"rounded\"\n", "draws = \"publish\"\ngroups_per_entity = 2\n", "guard = true\n"] {
        let (bench, spec) = (Bench::new(), format!("{SPEC}{more}"));
        let stored = store(&bench, &spec);
        let visits = fixture("data/visits.csv").to_str().unwrap().to_owned();
        let whole = lcf(&bench, "filter", &spec, &visits, &["--json"]);
        assert!(whole.code == 0 && whole.out.contains("\"town\""), "{}", whole.err);
        assert_eq!(lcf(&bench, "filter", &spec, &stored, &["--json"]).out, whole.out, "{more}");
        let explain = |data: &str| lcf(&bench, "explain", &spec, data, &["--group", "Bonn,eye"]).out;
        assert_eq!(explain(&stored), explain(&visits));
    }
}

#[test]
fn only_their_owner_reads_stored_groups_and_changed_ones_are_refused() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    let stored = store(&bench, SPEC);
    assert_eq!(std::fs::metadata(&stored).unwrap().permissions().mode() & 0o777, 0o600);
    let other = SPEC.replace("[\"town\", \"clinic\"]", "[\"clinic\", \"town\"]");
    assert_eq!(code(&lcf(&bench, "filter", &other, &stored, &[])), ("E0375".to_owned(), 3));
    let mut bytes = std::fs::read(&stored).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&stored, &bytes).unwrap();
    assert_eq!(code(&lcf(&bench, "filter", SPEC, &stored, &[])), ("E0375".to_owned(), 3));
    std::fs::write(&stored, &bytes[..middle]).unwrap();
    assert_eq!(code(&lcf(&bench, "filter", SPEC, &stored, &[])), ("E0375".to_owned(), 3));
}

#[test]
fn parts_that_could_disagree_on_who_is_who_are_not_stored() {
    let bench = Bench::new();
    let data = bench.write("part.csv", &parts()[0]);
    let out = at(&bench, "0.groups");
    for entity in ["[\"patient\"]", "\"row\""] {
        let spec = SPEC.replace("[{ column = \"patient\", form = \"integer\" }]", entity);
        assert_eq!(code(&lcf(&bench, "group", &spec, &data, &["-o", &out])), ("E0285".to_owned(), 2), "{entity}");
    }
    // Under one secret all parts are read by one form.
    store(&bench, SPEC);
    let text = SPEC.replace("\"integer\"", "\"text\"");
    assert_eq!(code(&lcf(&bench, "group", &text, &data, &["-o", &out])), ("E0408".to_owned(), 4));
}
