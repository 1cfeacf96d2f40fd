//! Files that are kept from one job to the next: who else may change one has changed what a later
//! job may release, so a job looks at the mode of the file it has open, and at the directories on
//! the way to it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{Bench, ROWS, Run, spec};

const FILTER: &str =
    "group_by = [\"town\"]\naid = [\"patient\"]\nalways_suppress_upper_bound = 2\nmean = 8.0\nsd = 1.5\nguard = true\n";
const SCHEMA: &str = "order = 1
\
    [[feature]]
name = \"city\"
values = [\"a\", \"b\", \"c\"]
protocol = \"rappor\"
\
    permanent = {p = 0.25, q = 0.75}
instantaneous = {p = 0.0, q = 1.0}
";

fn set(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// The code, exit code and next step of a refusal.
fn refused(run: &Run) -> (String, i32, String) {
    let error: Value = serde_json::from_str(run.err.lines().last().unwrap()).unwrap();
    let text = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
    (text("code"), run.code, text("next"))
}

fn exposed(place: &Path, change: &str) -> (String, i32, String) {
    ("E0419".into(), 4, format!("chmod {change} {}", place.display()))
}

#[test]
fn a_ledger_that_everybody_can_change_or_replace_is_refused_and_not_charged() {
    let bench = Bench::new();
    bench.write("spec.toml", &spec(""));
    bench.write("rows.csv", ROWS);
    fs::create_dir_all(bench.path("open/inner")).unwrap();
    let open = fs::canonicalize(bench.path("open")).unwrap();
    let ledger = open.join("inner/ledger");
    let path = ledger.to_str().unwrap();
    let made = |bench: &Bench| bench.run(&["ledger", "open", path, "--rho", "100", "--neighbours", "add-remove"]);
    set(&open, 0o777);
    let run = made(&bench);
    assert!(run.code == 4 && run.err.contains("E0419") && run.err.contains("chmod o-w"), "{}", run.err);
    assert_eq!(fs::read_dir(open.join("inner")).unwrap().count(), 0);
    set(&open, 0o755);
    assert_eq!(made(&bench).code, 0);
    let before = fs::read(&ledger).unwrap();
    let release =
        || bench.run(&["resplan", "release", "spec.toml", "rows.csv", "--ledger", path, "-o", "out", "--json"]);
    for (place, mode, normal) in [(&ledger, 0o666, 0o644), (&ledger, 0o602, 0o644), (&open, 0o777, 0o755)] {
        set(place, mode);
        assert_eq!(refused(&release()), exposed(place, "o-w"), "{mode:o}");
        assert_eq!(refused(&bench.run(&["ledger", "show", path, "--json"])), exposed(place, "o-w"), "{mode:o}");
        assert!(fs::read(&ledger).unwrap() == before && !bench.path("out").exists());
        set(place, normal);
    }
    set(&ledger, 0o664);
    set(&open, 0o1777);
    let run = release();
    assert_eq!(run.code, 0, "a group may share a ledger, and a sticky bit protects it: {}", run.err);
}

#[test]
fn files_for_their_owner_are_refused_once_others_can_read_them() {
    let bench = Bench::new();
    bench.write("filter.toml", FILTER);
    let patients: String = (0..40).map(|patient| format!("{patient},t{}\n", patient % 4)).collect();
    bench.write("visits.csv", &format!("patient,town\n{patients}"));
    let filter = || {
        let words = ["lcf", "filter", "filter.toml", "visits.csv", "--secret-file", "key", "--new-secret", "--json"];
        bench.run(&words)
    };
    let first = filter();
    assert_eq!(first.code, 0, "{}", first.err);
    bench.write("s.toml", SCHEMA);
    bench.write("people.csv", "city,who\na,p0\nb,p1\n");
    let encode = |output: &str| {
        let words = ["ldp", "encode", "s.toml", "people.csv", "-o", output, "--memory", "m", "--person", "who"];
        bench.run(&[&words[..], &["--json"]].concat())
    };
    assert_eq!(encode("may").code, 0);
    for name in ["key.registry", "key.answers", "m"] {
        let (file, before) = (bench.path(name), fs::read(bench.path(name)).unwrap());
        for mode in [0o644, 0o640, 0o620, 0o606] {
            set(&file, mode);
            let run = if name == "m" { encode("june") } else { filter() };
            assert_eq!(refused(&run), exposed(Path::new(name), "600"), "{name} {mode:o}");
            assert!(run.out.is_empty() && fs::read(&file).unwrap() == before && !bench.path("june").exists());
        }
        set(&file, 0o600);
    }
    assert_eq!(filter().out, first.out);
    assert_eq!(encode("june").code, 0);
}

/// Under a umask of 0 a system makes files that everybody can write to: the command does not.
#[test]
fn nothing_is_made_that_everybody_can_write_to() {
    let bench = Bench::new();
    bench.write("spec.toml", &spec(""));
    bench.write("rows.csv", ROWS);
    let script = "umask 0; \"$0\" ledger open ledger --rho 100 --neighbours add-remove \
        && \"$0\" resplan release spec.toml rows.csv --ledger ledger -o out && \"$0\" ledger show ledger";
    let mut run = Command::new("sh");
    run.args(["-c", script, env!("CARGO_BIN_EXE_disclosure")]).current_dir(bench.path(""));
    let run = run.output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let files = fs::read_dir(bench.path("out")).unwrap().map(|entry| entry.unwrap().path());
    for path in files.chain([bench.path("ledger"), bench.path("out")]) {
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o022, 0o020, "{} {mode:o}", path.display());
    }
}

/// A lock is made before a file is read: where others can put something in its place, nothing may
/// be made or waited for.
#[test]
fn no_lock_is_made_through_a_link_or_waited_for_in_a_pipe() {
    let bench = Bench::new();
    bench.write("spec.toml", &spec(""));
    bench.write("rows.csv", ROWS);
    bench.write("s.toml", SCHEMA);
    bench.write("people.csv", "city,who\na,p0\nb,p1\n");
    fs::create_dir(bench.path("place")).unwrap();
    let place = fs::canonicalize(bench.path("place")).unwrap();
    let made = bench.run(&["ledger", "open", "place/ledger", "--rho", "9", "--neighbours", "add-remove"]);
    assert_eq!(made.code, 0, "{}", made.err);
    let charge = ["resplan", "release", "spec.toml", "rows.csv", "--ledger", "place/ledger", "-o", "out", "--json"];
    let encode =
        ["ldp", "encode", "s.toml", "people.csv", "-o", "r", "--memory", "place/m", "--person", "who", "--json"];
    let key = ["lcf", "filter", "filter.toml", "rows.csv", "--secret-file", "place/key", "--new-secret", "--json"];
    bench.write("filter.toml", &FILTER.replace("town", "a").replace("patient", "b"));
    for lock in ["ledger.lock", "m.lock", "key.registry.lock"] {
        std::os::unix::fs::symlink(bench.path("planted"), place.join(lock)).unwrap();
    }
    for words in [&charge[..], &encode, &key] {
        let run = bench.run(words);
        assert!(run.code == 1 && run.err.contains("lock"), "{words:?} {}", run.err);
        set(&place, 0o777);
        let run = bench.run(words);
        assert!(["E0419", "E0407"].contains(&&*refused(&run).0) && run.code == 4, "{words:?} {}", run.err);
        set(&place, 0o755);
    }
    for lock in ["ledger.lock", "m.lock", "key.registry.lock"] {
        fs::remove_file(place.join(lock)).unwrap();
        assert!(Command::new("mkfifo").arg(place.join(lock)).status().unwrap().success());
    }
    for words in [&charge[..], &encode, &key] {
        let run = bench.run(words);
        assert!(run.code == 1 && run.err.contains("lock"), "{words:?} {}", run.err);
    }
    assert!(!bench.path("planted").exists() && !bench.path("out").exists() && !bench.path("r").exists());
    assert!(!bench.path("place/key").exists() && !bench.path("place/m").exists());
}

/// Another user could remove the memory, and every permanent stage would be drawn again.
#[test]
fn no_memory_and_no_key_begin_where_everybody_can_remove_them() {
    let bench = Bench::new();
    bench.write("s.toml", SCHEMA);
    bench.write("people.csv", "city,who\na,p0\nb,p1\n");
    bench.write("filter.toml", FILTER);
    bench.write("visits.csv", "patient,town\n1,a\n");
    fs::create_dir(bench.path("open")).unwrap();
    let open = fs::canonicalize(bench.path("open")).unwrap();
    set(&open, 0o777);
    let words = ["ldp", "encode", "s.toml", "people.csv", "-o", "r", "--memory", "open/m", "--person", "who", "--json"];
    assert_eq!(refused(&bench.run(&words)), exposed(&open, "o-w"));
    let words = ["lcf", "filter", "filter.toml", "visits.csv", "--secret-file", "open/key", "--new-secret", "--json"];
    let (code, exit, next) = refused(&bench.run(&words));
    assert!(code == "E0407" && exit == 4 && next.contains("chmod o-w"), "{next}");
    assert_eq!(fs::read_dir(&open).unwrap().count(), 0);
    // A key that is a link: what it points to counts.
    fs::write(open.join("key"), [7; 32]).unwrap();
    set(&open.join("key"), 0o600);
    std::os::unix::fs::symlink(open.join("key"), bench.path("key")).unwrap();
    let words = ["lcf", "filter", "filter.toml", "visits.csv", "--secret-file", "key", "--register", "--json"];
    assert_eq!(refused(&bench.run(&words)).0, "E0407");
    set(&open, 0o755);
    assert_eq!(bench.run(&words).code, 0);
}

/// The key, its registry, the memory of reports, a measurement: what is lost with them is drawn
/// again.
#[test]
fn no_output_takes_the_place_of_a_file_that_is_kept() {
    let bench = Bench::new();
    bench.write("s.toml", SCHEMA);
    bench.write("people.csv", "city,who\na,p0\nb,p1\n");
    bench.write("filter.toml", FILTER);
    bench.write("visits.csv", "patient,town\n1,a\n");
    let filter = ["lcf", "filter", "filter.toml", "visits.csv", "--secret-file", "key", "--new-secret"];
    let encode = ["ldp", "encode", "s.toml", "people.csv", "--memory", "m", "--person", "who", "-o"];
    assert_eq!(bench.run(&filter).code, 0);
    assert_eq!(bench.run(&[&encode[..], &["r"]].concat()).code, 0);
    let group = ["lcf", "group", "filter.toml", "visits.csv", "--secret-file", "key", "-o"];
    std::os::unix::fs::symlink(bench.path("."), bench.path("link")).unwrap();
    let kept = || {
        ["key", "key.registry", "m", "visits.csv", "filter.toml", "people.csv", "s.toml"]
            .map(|name| fs::read(bench.path(name)).unwrap())
    };
    let before = kept();
    for words in [
        [&filter[..], &["-o", "key"]].concat(),
        [&filter[..], &["-o", "key.registry.lock"]].concat(),
        [&filter[..], &["-o", "visits.csv"]].concat(),
        [&filter[..], &["--audit", "filter.toml"]].concat(),
        [&encode[..], &["people.csv"]].concat(),
        [&encode[..], &["./s.toml"]].concat(),
        [&filter[..], &["-o", "link/key"]].concat(),
        [&filter[..], &["--audit", "./key.registry"]].concat(),
        [&filter[..], &["-o", "x", "--audit", "./x"]].concat(),
        [&group[..], &["key"]].concat(),
        [&encode[..], &["m"]].concat(),
    ] {
        let (code, exit, _) = refused(&bench.run(&[&words[..], &["--force", "--json"]].concat()));
        assert_eq!((code.as_str(), exit), ("E0200", 2), "{words:?}");
        assert_eq!(kept(), before, "{words:?}");
    }
}

/// What is read is not what is written: not data, nor a job, what a job names, or a measurement.
#[test]
fn no_output_takes_the_place_of_a_file_that_was_read() {
    let bench = Bench::new();
    bench.write("spec.toml", &spec(""));
    bench.write("rows.csv", ROWS);
    for (name, fixture) in [
        ("exact.toml", "jobs/frechet-admissions.toml"),
        ("pattern.jj", "frechet/gausssuppression_10x10x10.jj"),
        ("amounts.toml", "jobs/magnitude-firms.toml"),
    ] {
        let text = fs::read_to_string(crate::support::fixture(fixture)).unwrap();
        bench.write(name, &text.replace("\"../data/", "\""));
    }
    for name in ["firms.csv", "ucb-admissions.csv", "ucb-admissions.domain.toml"] {
        fs::copy(crate::support::fixture(&format!("data/{name}")), bench.path(name)).unwrap();
    }
    assert_eq!(bench.run(&["resplan", "release", "spec.toml", "rows.csv", "-o", "out"]).code, 0);
    for (words, output) in [
        ("resplan plan spec.toml -o", "spec.toml"),
        ("resplan simulate spec.toml rows.csv --seed 1 -o", "rows.csv"),
        ("resplan simulate spec.toml rows.csv --seed 1 -o", "spec.toml"),
        ("resplan answer out/measurement.bin --export-mbi", "out/measurement.bin"),
        ("synth out/measurement.bin -o", "out/measurement.bin"),
        ("frechet bounds exact.toml --certificates", "exact.toml"),
        ("frechet bounds exact.toml --certificates", "ucb-admissions.csv"),
        ("frechet bounds exact.toml --certificates", "ucb-admissions.domain.toml"),
        ("frechet audit --jj pattern.jj --steps 10 --certificates", "pattern.jj"),
        ("magnitude plan amounts.toml --certificates", "firms.csv"),
    ] {
        let before = fs::read(bench.path(output)).unwrap();
        let words: Vec<&str> = words.split(' ').chain([output, "--force", "--json"]).collect();
        let (code, exit, _) = refused(&bench.run(&words));
        assert_eq!((code.as_str(), exit), ("E0200", 2), "{words:?}");
        assert_eq!(fs::read(bench.path(output)).unwrap(), before, "{words:?}");
    }
}

/// `FILE.lock` is a name that another file may have: it is not removed, and no output takes it.
#[test]
fn a_file_with_the_name_of_a_lock_stays_and_is_no_output() {
    let bench = Bench::new();
    bench.write("spec.toml", &spec(""));
    bench.write("rows.csv", ROWS);
    let open = |name: &str| bench.run(&["ledger", "open", name, "--rho", "100", "--neighbours", "add-remove"]);
    assert_eq!(open("L.lock").code, 0);
    let before = fs::read(bench.path("L.lock")).unwrap();
    let run = open("L");
    assert!(run.code == 1 && run.err.contains("not an empty regular file"), "{}", run.err);
    assert_eq!(fs::read(bench.path("L.lock")).unwrap(), before);
    fs::remove_file(bench.path("L.lock")).unwrap();
    assert_eq!(open("L").code, 0);
    let release = ["resplan", "release", "spec.toml", "rows.csv", "--ledger", "L", "--json", "-o"];
    assert_eq!(refused(&bench.run(&[&release[..], &["L.lock"]].concat())).0, "E0111");
    assert!(!bench.path("L.lock").exists());
    assert_eq!(bench.run(&[&release[..], &["out"]].concat()).code, 0);
    // `-` is a stream, and no ledger.
    let stream = ["resplan", "release", "spec.toml", "rows.csv", "--ledger", "-", "-o", "x", "--json"];
    assert_eq!(refused(&bench.run(&stream)).0, "E0200");
    assert_eq!(refused(&bench.run(&["resplan", "release", "-", "-", "-o", "x", "--json"])).1, 2);
}

/// A measurement is read at many places, so it is no pipe: nobody waits for one to be written.
#[test]
fn a_pipe_or_a_directory_is_no_measurement() {
    let bench = Bench::new();
    assert!(Command::new("mkfifo").arg(bench.path("pipe")).status().unwrap().success());
    for path in ["pipe", "."] {
        let answer = refused(&bench.run(&["resplan", "answer", path, "--json"]));
        assert_eq!((answer.0.as_str(), answer.1), ("E0104", 1));
        let synth = refused(&bench.run(&["synth", path, "-o", "x", "--json"]));
        assert_eq!((synth.0.as_str(), synth.1), ("E0104", 1));
    }
}

/// Without `--force` one of many writers has the name, and the others are refused.
#[test]
fn one_of_many_writers_has_a_name_that_was_free() {
    let bench = Bench::new();
    bench.write(
        "s.toml",
        "order = 1\n[[feature]]\nname = \"sex\"\nprotocol = \"rr\"\nepsilon = 1.0\nvalues = [\"f\", \"m\"]\n",
    );
    bench.write("people.csv", "sex\nf\nm\n");
    let codes: Vec<i32> = std::thread::scope(|scope| {
        // `run` replaces files.
        let write = || bench.run_narrow(&["ldp", "encode", "s.toml", "people.csv", "-o", "reports"]).code;
        let writers: Vec<_> = (0..16).map(|_| scope.spawn(write)).collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    assert_eq!(codes.iter().filter(|&&code| code == 0).count(), 1, "{codes:?}");
    assert!(codes.iter().all(|&code| code <= 1), "{codes:?}");
    assert!(bench.names().iter().all(|name| !name.contains("partial")));
}
