//! Who may import whom: the arrows of `docs/architecture.md`.

use crate::tidy::Breach;
use crate::workspace::Member;

const MECHANISMS: &[&str] = &["hetero-screen", "ldp-pmdh", "lcf", "frechet-release", "resplan"];
const DATA: &[&str] = &["privacy-data", "privacy-sql"];

/// The members that `member` may import, or `None` if the table does not know it.
fn allowed(member: &str) -> Option<Vec<&'static str>> {
    Some(match member {
        "privacy-core" | "frechet-certificate" | "testkit" | "disclosure-report" => vec![],
        "privacy-data" => vec!["privacy-core"],
        "privacy-sql" => vec!["privacy-core", "privacy-data"],
        "disclosure" => [&["privacy-core"], MECHANISMS, DATA].concat(),
        // Scenarios on real tables read them.
        "label-attack" => vec!["privacy-core", "hetero-screen", "frechet-release"],
        "attack-sim" => vec!["disclosure", "label-attack", "privacy-data"],
        "disclosure-jobs" => [&["disclosure", "disclosure-report", "label-attack"], DATA].concat(),
        "disclosure-cli" => [&["disclosure", "disclosure-jobs", "disclosure-report"], DATA].concat(),
        "xtask" => vec!["attack-sim", "disclosure"],
        "ldp-client" => vec!["privacy-core"],
        "ldp-pmdh" => vec!["privacy-core", "ldp-client"],
        // Only the checker's format: a reader of certificates compiles nothing of the solver.
        "frechet-release" => vec!["privacy-core", "frechet-certificate"],
        mechanism if MECHANISMS.contains(&mechanism) => vec!["privacy-core"],
        _ => return None,
    })
}

pub(crate) fn breaches(members: &[Member]) -> Vec<Breach> {
    // Benches measure whatever there is, and nobody imports them.
    members.iter().filter(|member| member.name != "benches").flat_map(|member| of(member, members)).collect()
}

fn of(member: &Member, members: &[Member]) -> Vec<Breach> {
    let Some(mut allowed) = allowed(&member.name) else {
        return vec![Breach::new(
            &member.name,
            "is in no layer: give it one in docs/architecture.md and in xtask/src/arrows.rs",
        )];
    };
    let ours = |name: &str| members.iter().any(|member| member.name == name);
    let normal: Vec<&str> = allowed.clone();
    if member.name != "testkit" {
        allowed.push("testkit");
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Dependency;

    fn member(name: &str, normal: &[&str], dev: &[&str]) -> Member {
        let dependency = |name: &&str, is_dev| Dependency { name: (*name).to_owned(), is_dev, is_path_only: true };
        let dependencies = normal.iter().map(|n| dependency(n, false)).chain(dev.iter().map(|n| dependency(n, true)));
        let dependencies = dependencies.collect();
        Member { name: name.to_owned(), manifest: String::new(), is_publishable: false, dependencies }
    }

    fn house() -> Vec<Member> {
        vec![
            member("privacy-core", &["ndarray"], &["testkit", "proptest"]),
            member("frechet-certificate", &["serde_core"], &[]),
            member("frechet-release", &["privacy-core", "frechet-certificate"], &["testkit"]),
            member("resplan", &["privacy-core"], &["testkit"]),
            member("lcf", &["privacy-core"], &["testkit"]),
            member("ldp-client", &["privacy-core"], &["testkit"]),
            member("ldp-pmdh", &["privacy-core", "ldp-client"], &["testkit"]),
            member("privacy-data", &["privacy-core", "csv"], &["testkit"]),
            member("privacy-sql", &["privacy-core", "privacy-data"], &[]),
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
        assert_eq!(breaches(&house()), []);
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
            ("ldp-client", &["ldp-pmdh"], &[]),
            ("ldp-pmdh", &["ldp-client", "resplan"], &[]),
            ("privacy-data", &["privacy-sql"], &[]),
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
            let mut members = house();
            members.retain(|member| member.name != name);
            members.push(member(name, normal, dev));
            let found = breaches(&members);
            assert_eq!(found.len(), 1, "{name} {normal:?} {dev:?}: {found:?}");
            assert_eq!(found[0].place, name);
        }
    }

    #[test]
    fn a_member_without_a_layer_is_a_breach() {
        let mut members = house();
        members.push(member("privacy-utils", &[], &[]));
        let found = breaches(&members);
        assert_eq!(found.len(), 1);
        assert!(found[0].problem.contains("docs/architecture.md"), "{}", found[0]);
    }
}
