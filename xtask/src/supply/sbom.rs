//! What is in the command, or in the wheel, as a CycloneDX document. It has no time and no random
//! number, so that two builds of one commit write the same.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::{External, Shipped};
use crate::workspace::{self, Error};

#[derive(serde::Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

/// A package of a lock file; without a source it is a member, by its path.
#[derive(serde::Deserialize)]
pub(super) struct Locked {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) source: Option<String>,
    pub(super) checksum: Option<String>,
}

/// The packages of a lock file.
pub(super) fn locked(path: &Path) -> Result<Vec<Locked>, Error> {
    let text = workspace::read(path)?;
    let failed = |source| Error::Toml { path: path.to_owned(), source: Box::new(source) };
    toml::from_str::<Lock>(&text).map(|lock| lock.package).map_err(failed)
}

pub(super) fn of(root: &Path, shipped: Shipped, externals: &[External]) -> Result<String, Error> {
    let checksums: BTreeMap<String, String> = locked(&root.join(shipped.workspace).join("Cargo.lock"))?
        .into_iter()
        .filter_map(|one| Some((format!("{}@{}", one.name, one.version), one.checksum?)))
        .collect();
    let mut text = serde_json::to_string_pretty(&document(shipped.name, externals, &checksums))?;
    text.push('\n');
    Ok(text)
}

fn reference(key: &str) -> String {
    format!("pkg:cargo/{key}")
}

fn document(name: &str, externals: &[External], checksums: &BTreeMap<String, String>) -> Value {
    let shipped: Vec<&External> = externals.iter().filter(|one| one.is_shipped).collect();
    let keys: std::collections::BTreeSet<String> = shipped.iter().map(|one| one.key()).collect();
    let compiler = std::process::Command::new("rustc").arg("--version").output();
    let compiler =
        compiler.map_or_else(|_| String::new(), |said| String::from_utf8_lossy(&said.stdout).trim().to_owned());
    let main = json!({
        "type": "application", "name": name, "version": env!("CARGO_PKG_VERSION"), "bom-ref": name,
        "licenses": [{ "expression": "MIT OR Apache-2.0" }],
    });
    let mut depends = vec![json!({
        "ref": name,
        "dependsOn": shipped.iter().filter(|one| !one.members.is_empty()).map(|one| reference(&one.key()))
            .collect::<Vec<_>>(),
    })];
    depends.extend(shipped.iter().map(|one| {
        let needs: Vec<String> = one.needs.iter().filter(|key| keys.contains(*key)).map(|key| reference(key)).collect();
        json!({ "ref": reference(&one.key()), "dependsOn": needs })
    }));
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": main, "properties": [{ "name": "rustc", "value": compiler }] },
        "components": shipped.iter().map(|one| component(one, checksums)).collect::<Vec<_>>(),
        "dependencies": depends,
    })
}

fn component(one: &External, checksums: &BTreeMap<String, String>) -> Value {
    let key = one.key();
    // The slash of old manifests means OR.
    let licence = one.licence.replace('/', " OR ");
    let hashes: Vec<Value> =
        checksums.get(&key).map(|sum| json!({ "alg": "SHA-256", "content": sum })).into_iter().collect();
    json!({
        "type": "library", "name": one.name, "version": one.version, "purl": reference(&key),
        "bom-ref": reference(&key), "licenses": [{ "expression": licence }], "hashes": hashes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn components_have_their_licence_their_digest_and_what_they_need() {
        let one = |name: &str, needs: &[&str], is_shipped| External {
            name: name.to_owned(),
            version: "1.2.3".to_owned(),
            licence: "MIT/Apache-2.0".to_owned(),
            is_shipped,
            members: BTreeSet::from(["disclosure-jobs".to_owned()]),
            needed_by: BTreeSet::new(),
            needs: needs.iter().map(|name| (*name).to_owned()).collect(),
            lines: 0,
            unsafe_lines: 0,
            authors: Vec::new(),
            folder: std::path::PathBuf::new(),
        };
        let externals = [one("a", &["b@1.2.3", "test@1.2.3"], true), one("b", &[], true), one("test", &[], false)];
        let sums = BTreeMap::from([("a@1.2.3".to_owned(), "00ff".to_owned())]);
        let document = document("disclosure", &externals, &sums);
        assert!(document["metadata"]["properties"][0]["value"].as_str().is_some_and(|said| said.starts_with("rustc ")));
        assert_eq!(document["components"].as_array().map(Vec::len), Some(2), "tests are not shipped");
        assert_eq!(document["components"][0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(document["components"][0]["hashes"][0]["content"], "00ff");
        assert_eq!(document["dependencies"][1]["dependsOn"], json!(["pkg:cargo/b@1.2.3"]));
    }
}
