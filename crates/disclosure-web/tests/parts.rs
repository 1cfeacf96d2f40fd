//! Exact tables, filtered groups, targets and the ledger: the same documents as the command line.

use crate::support::{self, Bench, files, people};
use axum::http::StatusCode;

/// Chooses ways, each with its fields.
fn ways(bench: &Bench, chosen: &[&str], more: &[(&str, &str)]) -> String {
    let fields: Vec<(&str, &str)> = chosen.iter().map(|way| (*way, "1")).chain(more.iter().copied()).collect();
    bench.choose("ways", &fields)
}

fn released(bench: &Bench) -> bool {
    let answer = bench.post("run", &[("title", ""), ("owner", ""), ("release", "1")]);
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    let ended = std::iter::repeat_with(|| bench.page("status")).find(|status| !status.contains("<progress"));
    ended.unwrap().contains("data-next=\"releases\"")
}

#[test]
fn exact_tables_are_audited_and_what_exposes_is_withheld() {
    let bench = Bench::with(&[("people.csv", &people(240))]);
    bench.open("people.csv");
    assert_eq!(ways(&bench, &["exact"], &[]), "exact");
    let rule = [("min_interval_width", "0"), ("min_frequency", "5")];
    let add = |columns: &[&str]| {
        let fields: Vec<(&str, &str)> = columns.iter().map(|column| ("attribute", *column)).collect();
        bench.choose("exact", &[&rule[..], &[("add", "1")], &fields].concat());
    };
    add(&["1", "2"]);
    add(&["3"]);
    assert!(bench.page("exact").contains("sex") && bench.page("run").contains("[exact]"));
    assert_eq!(bench.choose("check", &[]), "check");
    let check = bench.page("check");
    assert!(check.contains("For the data owner only") && check.contains("What is done about it"), "{check}");
    assert!(check.contains("exposed") || check.contains("published"), "the map has words: {check}");
    if released(&bench) {
        let made = files(&bench.path("disclosure-workbench/release-1"));
        assert!(made.iter().any(|(name, _)| name.starts_with("release/exact/")));
    } else {
        assert!(bench.page("status").contains("E04") && check.contains("missed"));
    }
    bench.choose("exact", &[&rule[..], &[("remove", "0")]].concat());
    assert!(!bench.page("check").contains("What is done about it"), "a check is of the choices that were checked");
}

#[test]
fn a_missed_target_is_shown_and_nothing_is_released() {
    let bench = Bench::with(&[("people.csv", &people(240))]);
    bench.open("people.csv");
    assert_eq!(ways(&bench, &["noise"], &[("max_rmse", "0,1"), ("max_posterior", "")]), "noise");
    bench.choose("check", &[]);
    assert!(bench.page("check").contains("A target is missed"));
    assert!(!released(&bench) && bench.page("status").contains("E0421"));
    assert!(!bench.path("disclosure-workbench/release-1").exists());
    let wrong = bench.post("ways", &[("noise", "1"), ("max_posterior", "2")]);
    assert!(wrong.text().contains("E0704"));
    assert!(bench.post("ways", &[]).text().contains("E0704"), "at least one way");
}

#[test]
fn groups_are_filtered_under_a_secret_of_the_workbench() {
    let bench = Bench::with(&[("people.csv", &people(240))]);
    bench.open("people.csv");
    assert_eq!(ways(&bench, &["filter"], &[]), "filter");
    let law = |mean: &'static str| [("bound", "2"), ("mean", mean), ("sd", "1,5"), ("scale", "4")];
    let odds = |mean| bench.post("odds", &[&law(mean)[..], &[("fragment", "1")]].concat()).text();
    assert!(odds("8").contains("shown half of the time") && odds("8") != odds("20"));
    assert!(odds("1").contains("E0704"), "the mean is above the bound");
    assert_eq!(bench.choose("filter", &[&law("8")[..], &[("attribute", "0"), ("attribute", "1")]].concat()), "check");
    bench.choose("check", &[]);
    assert!(bench.page("check").contains("groups shown"));
    assert!(released(&bench), "{}", bench.page("status"));
    assert!(bench.path("disclosure-workbench/release-1/release/filtered.csv").exists());
    assert!(bench.page("run").contains("--secret-file disclosure-workbench/key"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |name: &str| std::fs::metadata(bench.path(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode("disclosure-workbench/key"), 0o600);
        assert_eq!(mode("disclosure-workbench"), 0o700);
    }
    // The same table under the same secret may leave again; other groups of it as well, or the
    // refusal says why.
    assert!(released(&bench) || bench.page("status").contains("E0409"));
    // A registry that was lost is not made again: the same people could be drawn under other terms.
    std::fs::remove_file(bench.path("disclosure-workbench/key.registry")).unwrap();
    assert!(!released(&bench));
    let status = bench.page("status");
    assert!(status.contains("E0408") && status.contains("put KEY.registry back"), "{status}");
    assert!(!bench.path("disclosure-workbench/key.registry").exists());
    // Without a release that was drawn under it, the key is new.
    for number in 1.. {
        let job = bench.path(&format!("disclosure-workbench/job-{number}.toml"));
        let Ok(text) = std::fs::read_to_string(&job) else { break };
        assert!(text.contains("\n[filtered]\n"));
        std::fs::write(&job, text.replace("\n[filtered]\n", "\n[noisy]\n")).unwrap();
    }
    assert!(released(&bench), "{}", bench.page("status"));
}

#[test]
fn the_ledger_counts_releases_and_refuses_more_than_its_budget() {
    let bench = Bench::with(&[("people.csv", &people(240))]);
    bench.open("people.csv");
    assert_eq!(ways(&bench, &["noise"], &[("ledger", "1"), ("ledger_rho", "0.9")]), "noise");
    assert!(bench.page("run").contains("--new-ledger --rho 0.9"));
    assert!(released(&bench), "{}", bench.page("status"));
    let ledger = bench.page("ways");
    assert!(ledger.contains("spent 0.5 by 1 release, left 0.4"), "{ledger}");
    assert!(!released(&bench) && bench.page("status").contains("E0501"));
    assert!(!bench.path("disclosure-workbench/release-2").exists());
}

#[test]
fn where_a_whole_table_is_withheld_another_way_to_decide_is_offered() {
    let bench = Bench::with(&[("people.csv", &people(60))]);
    bench.open("people.csv");
    ways(&bench, &["exact"], &[]);
    let rule = [("min_interval_width", "0"), ("min_frequency", "5"), ("add", "1")];
    bench.choose("exact", &[&rule[..], &[("attribute", "1"), ("attribute", "2"), ("attribute", "3")]].concat());
    assert!(bench.page("exact").contains("value=\"robust\" checked"), "the careful one is the default");
    bench.choose("check", &[]);
    let check = bench.page("check");
    assert!(check.contains("Another way to decide") && check.contains("Nothing leaves of"), "{check}");
    assert!(check.contains("Decide this way: on the counts") && check.contains("learns something about them"));
    assert_eq!(bench.choose("decide", &[("decide_on", "counts")]), "check");
    assert!(
        bench.page("run").contains("decide_on = &quot;counts&quot;")
            || bench.page("run").contains("decide_on = \"counts\"")
    );
    assert!(!bench.page("check").contains("Another way to decide"), "a check is of the choices that were checked");
    bench.choose("undo", &[]);
    assert!(bench.page("check").contains("Another way to decide"), "undo takes the choice back");
    for wrong in ["", "private", "x"] {
        let answer = bench.post("decide", &[("decide_on", wrong)]);
        assert!(wrong.is_empty() || answer.text().contains("E0704"), "{wrong}");
    }
}

#[test]
fn an_attack_on_a_column_is_part_of_a_release_that_it_may_refuse() {
    let bench = Bench::with(&[("people.csv", &people(60))]);
    bench.open("people.csv");
    let asked = [("target", "3"), ("known", "1"), ("known", "2")];
    bench.choose("screening", &asked);
    assert!(bench.page("screening").contains("Make it part of the check"));
    let limit = |accuracy| [("part", "1"), ("suppress_below", "5"), ("noise", "2"), ("target_accuracy", accuracy)];
    let keep = |accuracy: &'static str| bench.choose("screen", &[&asked[..], &limit(accuracy)].concat());
    assert_eq!(keep("0,01"), "screening");
    assert!(bench.page("run").contains("[screen]"), "{}", bench.page("run"));
    bench.choose("check", &[]);
    let check = bench.page("check");
    assert!(check.contains("The attack on one column") && check.contains("A target is missed"), "{check}");
    assert!(!released(&bench) && bench.page("status").contains("E0421"));
    keep("0,999");
    assert!(bench.page("run").contains("target_accuracy = 0.999"));
    bench.choose("screen", &[("part", "0")]);
    assert!(!bench.page("run").contains("[screen]"));
    for wrong in [[("target", "9"), ("known", "1")], [("target", "3"), ("known", "77")]] {
        let answer = bench.post("screen", &[&wrong[..], &limit("0.5")].concat());
        assert!(answer.text().contains("E0704"), "{wrong:?}");
    }
    assert!(bench.post("screen", &[&asked[..], &limit("1")].concat()).text().contains("E0704"));
}

#[test]
fn the_ledger_counts_synthetic_rows_and_refuses_more_than_its_budget() {
    let bench = Bench::with(&[("people.csv", &people(240))]);
    bench.open("people.csv");
    bench.keep_columns(&[("treatment.0", "out")]);
    ways(&bench, &["noise"], &[("ledger", "1"), ("ledger_rho", "0.9")]);
    assert_eq!(bench.choose("ways", &[("alone", "rows")]), "rows");
    assert!(bench.page("run").contains("--ledger disclosure-workbench/ledger.jsonl --new-ledger --rho 0.9"));
    assert!(released(&bench), "{}", bench.page("status"));
    assert!(bench.page("ways").contains("spent 0.5 by 1 release"));
    assert!(!released(&bench) && bench.page("status").contains("E0501"));
    assert!(!bench.path("disclosure-workbench/release-2").exists());
    // Tables again: no other way is left over.
    assert_eq!(ways(&bench, &["noise"], &[]), "noise");
    assert_eq!(bench.get("rows").location(), format!("/{}/ways", support::TOKEN));
}
