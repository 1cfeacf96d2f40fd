//! What every `Cargo.toml` of the workspace says: our lints, never published, our crates by path
//! only.

use crate::tidy::Breach;
use crate::workspace::Member;

pub(crate) fn breaches(members: &[Member]) -> Vec<Breach> {
    members.iter().flat_map(|member| of(member, members)).collect()
}

fn of(member: &Member, members: &[Member]) -> Vec<Breach> {
    let mut found = Vec::new();
    if !inherits_lints(&member.manifest) {
        found.push(Breach::new(&member.name, "does not inherit the lints: add `[lints] workspace = true`"));
    }
    if member.is_publishable {
        found.push(Breach::new(&member.name, "could be published: add `publish.workspace = true`"));
    }
    for dependency in &member.dependencies {
        let is_ours = members.iter().any(|other| other.name == dependency.name);
        if is_ours && !dependency.is_path_only {
            // Two of our names belong to others on crates.io: a version would fetch theirs.
            let problem = format!("names {} by version: write `{0}.workspace = true`", dependency.name);
            found.push(Breach::new(&member.name, problem));
        }
    }
    found
}

fn inherits_lints(manifest: &str) -> bool {
    let manifest: Option<toml::Table> = toml::from_str(manifest).ok();
    manifest.and_then(|m| m.get("lints")?.get("workspace")?.as_bool()).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Dependency;

    fn member(manifest: &str, is_publishable: bool, is_path_only: bool) -> Vec<Breach> {
        let dependencies = vec![
            Dependency { name: "lcf".to_owned(), is_dev: false, is_path_only },
            Dependency { name: "ndarray".to_owned(), is_dev: false, is_path_only: false },
        ];
        let named = |name: &str, manifest: &str, dependencies| Member {
            name: name.to_owned(),
            manifest: manifest.to_owned(),
            is_publishable: is_publishable && name == "disclosure",
            dependencies,
        };
        breaches(&[named("lcf", "lints.workspace = true", vec![]), named("disclosure", manifest, dependencies)])
    }

    #[test]
    fn a_manifest_in_order_passes_and_each_fault_alone_is_a_breach() {
        let lints = "[lints]\nworkspace = true";
        assert_eq!(member(lints, false, true), []);
        for (manifest, is_publishable, is_path_only, word) in [
            ("", false, true, "lints"),
            ("[lints]\nworkspace = false", false, true, "lints"),
            ("[lints.rust]\nunsafe_code = \"deny\"", false, true, "lints"),
            (lints, true, true, "publish"),
            (lints, false, false, "lcf"),
        ] {
            let found = member(manifest, is_publishable, is_path_only);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].problem.contains(word), "{}", found[0]);
        }
    }
}
