//! Exact tables, filtered groups, targets and the ledger: the same documents as the command line.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use axum::http::StatusCode;
use support::{Bench, files, people};

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
    assert!(check.contains("Stays where the data are") && check.contains("What is done about it"), "{check}");
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
