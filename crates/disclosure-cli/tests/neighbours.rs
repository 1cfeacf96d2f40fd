//! What a differentially private release says besides its numbers is the same for neighbouring
//! tables: the standard error and the exit code. A table without a row is refused, which
//! docs/threat-models.md says.

use crate::support::{Bench, spec};

/// Persons with up to five rows, of which two are counted, some of combinations that the adaptive
/// job declares impossible; the same for everybody.
fn rows(table: u64) -> Vec<String> {
    let mut state = table.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |end: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % end
    };
    let count = 2 + below(40);
    (0..count).map(|_| format!("{},{},{}\n", below(count / 2 + 1), ["f", "m"][below(2) as usize], below(3))).collect()
}

/// The words of a release of a table but for its number of files, and how it ended.
fn words(bench: &Bench, command: &[&str], rows: &[String]) -> (i32, String) {
    let data = format!("pid,sex,age\n{}", rows.concat());
    let run = bench.run_with(&[command, &["-", "-o", "out"]].concat(), &data);
    let _ = std::fs::remove_dir_all(bench.path("out"));
    // How many files there are follows from the choices of an adaptive release, which are drawn.
    (run.code, run.err.lines().filter(|line| !line.starts_with("Wrote ")).collect())
}

/// How many of some neighbouring tables are distinguished by what a command says.
fn distinguished(bench: &Bench, command: &[&str], tables: u64) -> usize {
    let pairs = (0..tables).map(|table| {
        let all = rows(table);
        let without = [&all[..all.len() / 2], &all[all.len() / 2 + 1..]].concat();
        words(bench, command, &all) != words(bench, command, &without)
    });
    pairs.filter(|&differ| differ).count()
}

#[test]
fn what_a_release_says_does_not_tell_neighbouring_tables_apart() {
    let bench = Bench::new();
    let plain = bench.write("plain.toml", &spec(""));
    let persons = bench.write("persons.toml", &spec("person = \"pid\"\nrows_per_person = 2"));
    let text = "up_to = 2\nrounds = 2\nstructural_zeros = [{ sex = \"f\", age = \"1\" }]\nneighbours = \"add-remove\"\n[privacy]\nrho = 0.5\n\
                [[attribute]]\nname = \"sex\"\nlabels = [\"f\", \"m\"]\n[[attribute]]\nname = \"age\"\nsize = 3\n";
    let adaptive = bench.write("adaptive.toml", text);
    assert_eq!(words(&bench, &["adaptive", "release", &adaptive], &rows(0)).0, 0);
    for (command, tables) in [
        (vec!["resplan", "release", &plain], 12),
        (vec!["resplan", "release", &persons], 12),
        (vec!["adaptive", "release", &adaptive], 4),
    ] {
        assert_eq!(distinguished(&bench, &command, tables), 0, "{command:?}");
    }
    // What is for the owner alone does.
    let looked = vec!["resplan", "release", &persons, "--dry-run"];
    assert!(distinguished(&bench, &looked, 12) > 6);
}
