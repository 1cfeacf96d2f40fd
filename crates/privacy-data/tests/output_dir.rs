//! Outputs appear whole or not at all, in their place and nowhere else.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use privacy_data::{FileOptions, OutputDir, OutputError, write_atomic, write_atomic_with, write_private};
use tempfile::tempdir;

fn entries(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn files_appear_together_on_commit_and_not_before() {
    let home = tempdir().unwrap();
    let target = home.path().join("release");
    let mut output = OutputDir::create(&target).unwrap();
    output.write("counts.csv", b"n\n1\n").unwrap();
    output.write("Plan-2_b.json", b"").unwrap();
    assert!(!target.exists());
    output.commit().unwrap();
    assert_eq!(entries(home.path()), ["release"]);
    assert_eq!(entries(&target), ["Plan-2_b.json", "counts.csv"]);
    assert_eq!(fs::read(target.join("counts.csv")).unwrap(), b"n\n1\n");
}

#[test]
fn files_in_folders_appear_with_the_rest() {
    let home = tempdir().unwrap();
    let target = home.path().join("release");
    let mut output = OutputDir::create(&target).unwrap();
    output.enter(&["out", "deep"]).unwrap();
    output.write("a.csv", b"1").unwrap();
    output.enter(&["out"]).unwrap();
    output.write("a.csv", b"2").unwrap();
    assert!(matches!(output.write("Deep", b""), Err(OutputError::FileTwice)), "the name of a folder");
    assert!(matches!(output.enter(&["out", "A.csv"]), Err(OutputError::FileTwice)), "the name of a file");
    for name in ["..", "", ".x", "a/b"] {
        assert!(matches!(output.enter(&[name]), Err(OutputError::FileName)), "{name:?}");
    }
    output.enter(&[]).unwrap();
    output.write("a.csv", b"3").unwrap();
    assert!(!target.exists());
    output.commit().unwrap();
    let read = |name: &str| fs::read(target.join(name)).unwrap();
    assert_eq!((read("out/deep/a.csv"), read("out/a.csv"), read("a.csv")), (b"1".into(), b"2".into(), b"3".into()));
    assert_eq!(entries(home.path()), ["release"]);
}

#[test]
fn an_empty_target_is_replaced_and_any_other_is_refused() {
    let home = tempdir().unwrap();
    let empty = home.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let mut output = OutputDir::create(&empty).unwrap();
    output.write("a", b"a").unwrap();
    output.commit().unwrap();
    assert_eq!(entries(&empty), ["a"]);
    assert!(matches!(OutputDir::create(&empty), Err(OutputError::NotEmpty { .. })));
    let file = home.path().join("file");
    fs::write(&file, b"old").unwrap();
    assert!(matches!(OutputDir::create(&file), Err(OutputError::WrongKind { .. })));
    assert!(matches!(OutputDir::create(&home.path().join("no/such/parent")), Err(OutputError::System { .. })));
    for nameless in ["..", "/", ".", ""] {
        assert!(matches!(OutputDir::create(Path::new(nameless)), Err(OutputError::NoName { .. })), "{nameless:?}");
    }
    assert_eq!(entries(home.path()), ["empty", "file"], "refusals leave nothing behind");
}

#[test]
fn a_target_that_fills_up_meanwhile_is_not_replaced() {
    let home = tempdir().unwrap();
    let target = home.path().join("release");
    let mut output = OutputDir::create(&target).unwrap();
    output.write("a", b"ours").unwrap();
    fs::create_dir(&target).unwrap();
    fs::write(target.join("a"), b"theirs").unwrap();
    assert!(matches!(output.commit(), Err(OutputError::NotEmpty { .. })));
    assert_eq!(fs::read(target.join("a")).unwrap(), b"theirs");
    assert_eq!(entries(home.path()), ["release"], "the partial directory is gone");
}

#[test]
fn dropped_before_commit_nothing_is_left() {
    let home = tempdir().unwrap();
    let mut output = OutputDir::create(&home.path().join("release")).unwrap();
    output.write("a", b"a").unwrap();
    assert_eq!(entries(home.path()).len(), 1, "a hidden sibling");
    assert!(entries(home.path())[0].starts_with(".release."));
    drop(output);
    assert!(entries(home.path()).is_empty());
}

#[test]
fn names_that_leave_the_directory_or_hide_in_it_are_refused() {
    let home = tempdir().unwrap();
    let mut output = OutputDir::create(&home.path().join("release")).unwrap();
    let long = "x".repeat(256);
    let bad = [
        "", ".", "..", ".hidden", "../out", "/etc/x", "a/b", "a\\b", "a b", "a\0", "a\n", "é", "C:x", "a*", "~", &long,
    ];
    for name in bad {
        assert!(matches!(output.write(name, b"x"), Err(OutputError::FileName)), "{name:?}");
    }
    output.write(&long[1..], b"longest").unwrap();
    output.write("a.csv", b"first").unwrap();
    for twice in ["a.csv", "A.CSV"] {
        assert!(matches!(output.write(twice, b"second"), Err(OutputError::FileTwice)));
    }
    output.commit().unwrap();
    assert_eq!(entries(&home.path().join("release")), ["a.csv", &long[1..]]);
    assert_eq!(fs::read(home.path().join("release/a.csv")).unwrap(), b"first");
}

#[test]
fn a_single_file_is_replaced_in_one_step() {
    let home = tempdir().unwrap();
    let path = home.path().join("report.html");
    write_atomic(&path, b"one").unwrap();
    write_atomic(&path, b"two").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert!(matches!(write_atomic(home.path(), b"x"), Err(OutputError::WrongKind { .. })));
    assert!(matches!(write_atomic(&path.join(".."), b"x"), Err(OutputError::NoName { .. })));
    assert_eq!(entries(home.path()), ["report.html"]);
}

#[test]
fn what_fails_half_way_leaves_nothing_at_the_target() {
    let home = tempdir().unwrap();
    let half = |out: &mut dyn Write| {
        out.write_all(b"half")?;
        Err(std::io::Error::other("enough"))
    };
    let path = home.path().join("report.html");
    write_atomic_with(&path, |out| out.write_all(b"whole")).unwrap();
    assert!(matches!(write_atomic_with(&path, half), Err(OutputError::System { .. })));
    assert_eq!(fs::read(&path).unwrap(), b"whole");
    let mut output = OutputDir::create(&home.path().join("release")).unwrap();
    output.write_with("a", |out| (0..3).try_for_each(|i| write!(out, "{i}"))).unwrap();
    assert!(matches!(output.write_with("b", half), Err(OutputError::System { .. })));
    drop(output);
    assert_eq!(entries(home.path()), ["report.html"]);
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(unix)]
#[test]
fn an_empty_directory_that_is_replaced_keeps_its_mode() {
    let home = tempdir().unwrap();
    let hidden = || home.path().join(entries(home.path()).into_iter().find(|name| name.starts_with('.')).unwrap());
    for kept in [0o700, 0o777, 0o2770, 0o750, 0o500] {
        let target = home.path().join(format!("{kept:o}"));
        fs::create_dir(&target).unwrap();
        set_mode(&target, kept);
        let mut output = OutputDir::create(&target).unwrap();
        output.write("a", b"a").unwrap();
        assert_eq!(mode(&hidden()) & !kept & 0o077, 0, "{kept:o}: no wider while it is written");
        output.commit().unwrap();
        assert_eq!((mode(&target), entries(&target)), (kept, vec!["a".to_owned()]));
    }
    // The mode of the moment counts.
    let late = home.path().join("late");
    let output = OutputDir::create(&late).unwrap();
    fs::create_dir(&late).unwrap();
    set_mode(&late, 0o711);
    output.commit().unwrap();
    assert_eq!(mode(&late), 0o711);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_keeps_its_mode() {
    let home = tempdir().unwrap();
    for kept in [0o600, 0o666, 0o640, 0o444, 0o755] {
        let path = home.path().join(format!("{kept:o}"));
        fs::write(&path, b"old").unwrap();
        set_mode(&path, kept);
        write_atomic(&path, b"new").unwrap();
        assert_eq!((mode(&path), fs::read(&path).unwrap().as_slice()), (kept, &b"new"[..]));
    }
}

#[cfg(unix)]
#[test]
fn a_private_file_is_for_its_owner_whatever_it_replaces() {
    let home = tempdir().unwrap();
    let path = home.path().join("memory");
    write_private(&path, b"new").unwrap();
    assert_eq!(mode(&path), 0o600);
    set_mode(&path, 0o644);
    write_private(&path, b"newer").unwrap();
    assert_eq!((mode(&path), fs::read(&path).unwrap().as_slice()), (0o600, &b"newer"[..]));
}

#[cfg(unix)]
#[test]
fn what_is_for_the_owner_in_a_directory_is_for_nobody_else() {
    let home = tempdir().unwrap();
    let target = home.path().join("release");
    let mut output = OutputDir::create(&target).unwrap();
    output.keep_for_owner("owner");
    output.keep_for_owner("audit.json");
    for folders in [&["owner", "deep"][..], &["other"], &[]] {
        output.enter(folders).unwrap();
        output.write("audit.json", b"{}").unwrap();
        output.write("table.csv", b"1").unwrap();
    }
    output.commit().unwrap();
    let is_open = |name: &str| mode(&target.join(name)) & 0o077 != 0;
    let shut = ["owner", "owner/deep", "owner/deep/audit.json", "owner/deep/table.csv", "audit.json"];
    assert_eq!(shut.map(is_open), [false; 5]);
    assert_eq!(["other", "other/audit.json", "other/table.csv", "table.csv"].map(is_open), [true; 4]);
}

#[test]
fn a_file_that_is_there_is_replaced_only_where_that_is_asked_for() {
    let home = tempdir().unwrap();
    let path = home.path().join("audit.json");
    let new = FileOptions::default();
    new.check(&path).unwrap();
    new.write_with(&path, |file| file.write_all(b"first")).unwrap();
    assert!(matches!(new.check(&path), Err(OutputError::Exists { .. })));
    assert!(matches!(new.write_with(&path, |file| file.write_all(b"second")), Err(OutputError::Exists { .. })));
    assert_eq!(fs::read(&path).unwrap(), b"first");
    let again = FileOptions { replaces: true, ..new };
    again.check(&path).unwrap();
    again.write_with(&path, |file| file.write_all(b"third")).unwrap();
    assert_eq!((fs::read(&path).unwrap(), entries(home.path())), (b"third".to_vec(), vec!["audit.json".to_owned()]));
}

#[test]
fn what_a_writer_left_behind_goes_with_the_next_output_of_that_name() {
    let home = tempdir().unwrap();
    for left in [".out.12-0.partial", ".other.12-0.partial", ".out.partial"] {
        fs::create_dir(home.path().join(left)).unwrap();
        fs::write(home.path().join(left).join("table.csv"), b"1").unwrap();
    }
    OutputDir::create(&home.path().join("out")).unwrap().commit().unwrap();
    // Elsewhere nobody can tell whether the writer is gone.
    let kept = [".other.12-0.partial", ".out.partial", "out"];
    assert!(cfg!(not(unix)) || entries(home.path()) == kept);
}

#[cfg(unix)]
#[test]
fn what_is_new_has_the_mode_of_a_new_file_or_directory() {
    let home = tempdir().unwrap();
    let [file, directory, ours] = ["file", "directory", "ours"].map(|name| home.path().join(name));
    fs::write(&file, b"x").unwrap();
    fs::create_dir(&directory).unwrap();
    write_atomic(&ours, b"x").unwrap();
    assert_eq!(mode(&ours), mode(&file));
    fs::remove_file(&ours).unwrap();
    let mut output = OutputDir::create(&ours).unwrap();
    output.write("a", b"a").unwrap();
    output.commit().unwrap();
    assert_eq!((mode(&ours), mode(&ours.join("a"))), (mode(&directory), mode(&file)));
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    use std::os::unix::fs::symlink;
    let home = tempdir().unwrap();
    let elsewhere = home.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(home.path().join("secret"), b"old").unwrap();
    for (link, to) in [("to-directory", "elsewhere"), ("to-file", "secret"), ("dangling", "nowhere")] {
        let link = home.path().join(link);
        symlink(home.path().join(to), &link).unwrap();
        // With a separator behind it, the system itself would follow the link.
        let with_slash = Path::new(&format!("{}/", link.display())).to_owned();
        for path in [&link, &with_slash] {
            assert!(matches!(OutputDir::create(path), Err(OutputError::Link { .. })), "{path:?}");
            assert!(matches!(write_atomic(path, b"x"), Err(OutputError::Link { .. })), "{path:?}");
        }
    }
    let mut late = OutputDir::create(&home.path().join("late")).unwrap();
    late.write("a", b"a").unwrap();
    symlink(&elsewhere, home.path().join("late")).unwrap();
    assert!(matches!(late.commit(), Err(OutputError::Link { .. })));
    assert!(entries(&elsewhere).is_empty());
    assert_eq!(fs::read(home.path().join("secret")).unwrap(), b"old");
}

/// Steps of an output; the child process dies behind one of them.
const STEPS: usize = 5;

fn output_up_to(step: usize, home: &Path) {
    let die_at = |at| {
        if at == step {
            std::process::abort();
        }
    };
    die_at(0);
    let mut output = OutputDir::create(&home.join("release")).unwrap();
    die_at(1);
    output.write("a", b"a").unwrap();
    die_at(2);
    output.write("b", b"b").unwrap();
    die_at(3);
    output.commit().unwrap();
    die_at(4);
}

#[test]
fn a_process_that_dies_leaves_the_whole_output_or_none() {
    if let Some(step) = std::env::var_os("DIE_AT") {
        let home = std::env::var_os("DIE_IN").unwrap();
        return output_up_to(step.to_str().unwrap().parse().unwrap(), Path::new(&home));
    }
    let mut found = BTreeMap::new();
    for step in 0..STEPS {
        let home = tempdir().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "output_dir::a_process_that_dies_leaves_the_whole_output_or_none"]);
        let status = child.env("DIE_AT", step.to_string()).env("DIE_IN", home.path()).output().unwrap().status;
        assert!(!status.success(), "the child dies at step {step}");
        let target = home.path().join("release");
        found.insert(step, if target.exists() { entries(&target) } else { Vec::new() });
        // A later run is not in the way of what the dead one left.
        if !target.exists() {
            OutputDir::create(&target).unwrap().commit().unwrap();
            assert!(target.exists());
        }
    }
    let whole = vec!["a".to_owned(), "b".to_owned()];
    assert_eq!(found, BTreeMap::from([(0, vec![]), (1, vec![]), (2, vec![]), (3, vec![]), (4, whole)]));
}
