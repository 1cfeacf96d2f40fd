//! Who may import whom: the arrows of `docs/architecture.md`.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::Breach;
use crate::workspace::{Member, OF_TESTS};

const MECHANISMS: &[&str] = &["hetero-screen", "ldp-pmdh", "lcf", "frechet-release", "magnitude-release", "resplan"];
const DATA: &[&str] = &["privacy-data"];

/// The members that `member` may import, or `None` if the table does not know it.
fn allowed(member: &str) -> Option<Vec<&'static str>> {
    Some(match member {
        "privacy-core" | "frechet-certificate" | "testkit" | "disclosure-report" | "fuzz-runner" => vec![],
        "privacy-data" => vec!["privacy-core"],
        "disclosure" => [&["privacy-core"], MECHANISMS, DATA].concat(),
        // Scenarios on real tables read them.
        "label-attack" => vec!["privacy-core", "hetero-screen", "frechet-release"],
        "attack-sim" => vec!["adaptive-marginals", "disclosure", "label-attack", "privacy-data", "synthetic-people"],
        "disclosure-jobs" => {
            [&["adaptive-marginals", "disclosure", "disclosure-report", "label-attack", "synthetic-people"], DATA]
                .concat()
        }
        "disclosure-web" => vec!["disclosure-jobs", "disclosure-report"],
        "disclosure-cli" => [&["disclosure", "disclosure-jobs", "disclosure-report", "disclosure-web"], DATA].concat(),
        "xtask" => vec!["attack-sim", "disclosure"],
        "fuzz-targets" => vec!["disclosure-cli", "disclosure-jobs", "disclosure-report", "fuzz-runner"],
        "ldp-client" | "synthetic-people" => vec!["privacy-core"],
        "ldp-pmdh" => vec!["privacy-core", "ldp-client"],
        // Its choices follow from the model.
        "adaptive-marginals" => vec!["privacy-core", "synthetic-people"],
        // Only the checker's format: a reader of certificates compiles nothing of the solver.
        "frechet-release" | "magnitude-release" => vec!["privacy-core", "frechet-certificate"],
        mechanism if MECHANISMS.contains(&mechanism) => vec!["privacy-core"],
        _ => return None,
    })
}

pub(crate) fn breaches(members: &[Member]) -> Vec<Breach> {
    // Benches measure whatever there is, and nobody imports them.
    members.iter().filter(|member| member.name != "benches").flat_map(|member| of(member, members)).collect()
}

fn of(member: &Member, members: &[Member]) -> Vec<Breach> {
    let tested = member.name.strip_suffix(OF_TESTS);
    let Some(normal) = allowed(tested.unwrap_or(&member.name)) else {
        return vec![Breach::new(
            &member.name,
            "is in no layer: give it one in docs/architecture.md and in xtask/src/arrows.rs",
        )];
    };
    let ours = |name: &str| members.iter().any(|member| member.name == name);
    let mut allowed: Vec<&str> = normal.clone();
    if member.name != "testkit" {
        allowed.push("testkit");
    }
    allowed.extend(tested);
    let imports = member.dependencies.iter().filter(|dependency| ours(&dependency.name));
    let forbidden = imports.filter(|dependency| {
        let allowed = if dependency.is_dev { &allowed } else { &normal };
        !allowed.contains(&dependency.name.as_str())
    });
    forbidden
        .map(|dependency| {
            let kind = if dependency.is_dev { " in its tests" } else { "" };
            let problem = format!(
                "may not import {}{kind}: see \"Who may import whom\" in docs/architecture.md",
                dependency.name
            );
            Breach::new(&member.name, problem)
        })
        .collect()
}

/// The page that draws the arrows.
pub(crate) const PAGE: &str = "docs/architecture.md";

/// Differences between this file and the table `| layer | crate | imports |` of the page.
pub(crate) fn differences(members: &[Member], page: &str) -> Vec<Breach> {
    let drawn = drawn(page);
    let ours: Vec<&str> =
        members.iter().map(|member| member.name.as_str()).filter(|name| !name.ends_with(OF_TESTS)).collect();
    let mut found = Vec::new();
    for name in &ours {
        let Some(imports) = drawn.get(*name) else {
            found.push(Breach::new(PAGE, format!("draws no arrows of {name}")));
            continue;
        };
        // What does not exist yet cannot be imported, so the page does not draw it.
        let allowed = allowed(name).unwrap_or_default().into_iter().filter(|other| ours.contains(other));
        let allowed: BTreeSet<&str> = allowed.collect();
        if *name != "benches" && *imports != allowed {
            let problem = format!("draws {name} -> {imports:?}, xtask/src/arrows.rs has {allowed:?}");
            found.push(Breach::new(PAGE, problem));
        }
    }
    let unknown = drawn.keys().filter(|name| !ours.contains(name));
    found.extend(unknown.map(|name| Breach::new(PAGE, format!("draws {name}, which is no member"))));
    found
}

/// The crates of the table with what they import: code spans of its second and third columns.
fn drawn(page: &str) -> BTreeMap<&str, BTreeSet<&str>> {
    let rows = page.lines().skip_while(|line| !line.starts_with("| layer |")).skip(2);
    let mut found = BTreeMap::new();
    for row in rows.take_while(|line| line.starts_with('|')) {
        let columns: Vec<&str> = row.split('|').collect();
        if let [_, _, names, imports, ..] = columns[..] {
            found.extend(spans(names).map(|name| (name, spans(imports).collect())));
        }
    }
    found
}

fn spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Dependency;

    #[test]
    fn the_page_draws_the_arrows_of_this_file() {
        let root = crate::workspace::root();
        let workspace = crate::workspace::Workspace::load(&root).unwrap();
        let page = crate::workspace::read(&root.join(PAGE)).unwrap();
        assert_eq!(differences(&workspace.members, &page), []);
    }

    #[test]
    fn a_page_that_draws_something_else_is_a_breach() {
        let members = [member("privacy-core", &[], &[]), member("lcf", &[], &[])];
        let page = |rows: &str| format!("# A\n\n| layer | crate | imports |\n| --- | --- | --- |\n{rows}\n\nWords.");
        let core = "| 0 | `privacy-core` | nothing of ours |";
        assert_eq!(differences(&members, &page(&format!("{core}\n| 1 | `lcf` | `privacy-core` |"))), []);
        for rows in
            ["| 1 | `lcf` | |", "| 1 | `lcf` | `privacy-core`, `resplan` |", "", "| 1 | `lcf`, `x` | `privacy-core` |"]
        {
            assert_eq!(differences(&members, &page(&format!("{core}\n{rows}"))).len(), 1, "{rows}");
        }
    }

    fn member(name: &str, normal: &[&str], dev: &[&str]) -> Member {
        let dependency = |name: &&str, is_dev| Dependency { name: (*name).to_owned(), is_dev, is_path_only: true };
        let dependencies = normal.iter().map(|n| dependency(n, false)).chain(dev.iter().map(|n| dependency(n, true)));
        let dependencies = dependencies.collect();
        Member { name: name.to_owned(), manifest: String::new(), is_publishable: false, dependencies }
    }

    fn workspace() -> Vec<Member> {
        vec![
            member("privacy-core", &["ndarray"], &["testkit", "proptest"]),
            member("frechet-certificate", &["serde_core"], &[]),
            member("frechet-release", &["privacy-core", "frechet-certificate"], &["testkit"]),
            member("resplan", &["privacy-core"], &["testkit"]),
            member("resplan-tests", &[], &["privacy-core", "resplan", "testkit"]),
            member("lcf", &["privacy-core"], &["testkit"]),
            member("ldp-client", &["privacy-core"], &["testkit"]),
            member("ldp-pmdh", &["privacy-core", "ldp-client"], &["testkit"]),
            member("privacy-data", &["privacy-core", "csv"], &["testkit"]),
            member("disclosure", &["privacy-core", "resplan", "lcf", "privacy-data"], &[]),
            member("disclosure-report", &["unicode-width"], &[]),
            member("label-attack", &["privacy-core"], &["testkit"]),
            member("disclosure-jobs", &["disclosure", "label-attack", "privacy-data"], &[]),
            member("disclosure-cli", &["disclosure-jobs", "disclosure-report", "privacy-data"], &["testkit"]),
            member("attack-sim", &["disclosure", "label-attack"], &[]),
            member("xtask", &["attack-sim", "clap"], &["testkit"]),
            member("testkit", &["serde_json"], &[]),
            member("benches", &["testkit", "resplan", "disclosure-cli"], &[]),
        ]
    }

    #[test]
    fn the_house_as_drawn_is_in_order() {
        assert_eq!(breaches(&workspace()), []);
    }

    #[test]
    fn every_arrow_that_is_not_drawn_is_a_breach() {
        let planted: &[(&str, &[&str], &[&str])] = &[
            ("privacy-core", &["resplan"], &[]),
            ("privacy-core", &[], &["resplan"]),
            ("frechet-certificate", &["privacy-core"], &[]),
            ("resplan", &["frechet-certificate"], &[]),
            ("resplan", &["lcf"], &[]),
            ("resplan", &["privacy-data"], &[]),
            ("resplan", &["testkit"], &[]),
            ("resplan-tests", &["resplan"], &[]),
            ("resplan-tests", &[], &["resplan", "lcf"]),
            ("ldp-client", &["ldp-pmdh"], &[]),
            ("ldp-pmdh", &["ldp-client", "resplan"], &[]),
            ("privacy-data", &["disclosure-jobs"], &[]),
            ("disclosure", &["disclosure-cli"], &[]),
            ("disclosure-cli", &["resplan"], &[]),
            ("disclosure-cli", &["label-attack"], &[]),
            ("disclosure-jobs", &["attack-sim"], &[]),
            ("label-attack", &["disclosure"], &[]),
            ("attack-sim", &["privacy-core"], &[]),
            ("disclosure-report", &["disclosure"], &[]),
            ("xtask", &["resplan"], &[]),
            ("testkit", &[], &["privacy-core"]),
        ];
        for &(name, normal, dev) in planted {
            let mut members = workspace();
            members.retain(|member| member.name != name);
            members.push(member(name, normal, dev));
            let found = breaches(&members);
            assert_eq!(found.len(), 1, "{name} {normal:?} {dev:?}: {found:?}");
            assert_eq!(found[0].place, name);
        }
    }

    #[test]
    fn a_member_without_a_layer_is_a_breach() {
        let mut members = workspace();
        members.push(member("privacy-utils", &[], &[]));
        let found = breaches(&members);
        assert_eq!(found.len(), 1);
        assert!(found[0].problem.contains("docs/architecture.md"), "{}", found[0]);
    }
}
