//! Schemas and pages of a small workspace.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

const TYPES: &str = r#"
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
/// A report.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    pub schema: String,
    /// How many.
    #[serde(alias = "count")]
    pub number: u64,
    pub kind: Kind,
    pub rows: Vec<Row>,
    #[serde(default)]
    pub by_name: BTreeMap<String, Option<f64>>,
    #[serde(flatten)]
    pub more: More,
}
/// A kind.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind { FirstKind, Other { size: u32 } }
/// A row.
#[derive(Serialize, Deserialize)]
pub struct Row(pub f64, pub bool);
#[derive(Serialize, Deserialize)]
pub struct More { pub extra: Box<str>, pub interval: Interval }
"#;

const OTHER: &str = "/// Ends.\n#[cfg_attr(feature = \"serde\", derive(serde::Serialize, serde::Deserialize))]\n\
                     pub struct Interval { pub low: f64 }";

const LISTED: &str = "[[document]]\nname = \"disclosure.report/1\"\nlibrary = \"disclosure-jobs\"\ntype = \"Report\"\n\
                      about = \"A report.\"\nplace = \"`x --json`.\"\n";

fn workspace() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("crates/disclosure-jobs/src/lib.rs", TYPES);
    write("crates/lcf/src/lib.rs", OTHER);
    write("docs/formats.md", "# Formats\n");
    write(LIST, LISTED);
    root
}

fn schema(root: &TempDir) -> Value {
    let text = fs::read_to_string(root.path().join("docs/schemas/report-1.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_schema_says_what_serde_reads() {
    let root = workspace();
    assert_eq!(write(root.path()).unwrap(), ["docs/schemas/report-1.json", "docs/formats.md"]);
    let schema = schema(&root);
    let report = &schema["$defs"]["Report"];
    assert_eq!(report["properties"]["schema"], json!({ "const": "disclosure.report/1" }));
    assert_eq!(report["required"], json!(["schema", "kind", "rows", "extra", "interval"]));
    assert_eq!(report["additionalProperties"], json!(false));
    assert_eq!(report["properties"]["number"], json!({ "type": "integer", "description": "How many." }));
    assert!(report["properties"]["count"].is_object(), "a former name is accepted");
    assert_eq!(report["properties"]["rows"]["items"], json!({ "$ref": "#/$defs/Row" }));
    assert_eq!(schema["$defs"]["Row"]["prefixItems"].as_array().unwrap().len(), 2);
    assert_eq!(schema["$defs"]["Kind"]["anyOf"][0], json!({ "const": "first-kind" }));
    assert_eq!(schema["$defs"]["Kind"]["anyOf"][1]["required"], json!(["other"]));
    assert_eq!(schema["$defs"]["Interval"]["description"], json!("Ends."));
}

#[test]
fn the_page_has_a_table_for_each_type_and_keeps_its_head() {
    let root = workspace();
    write(root.path()).unwrap();
    let page = fs::read_to_string(root.path().join(PAGE)).unwrap();
    assert!(page.starts_with("# Formats\n<!--"), "{page}");
    for line in [
        "### `disclosure.report/1`",
        "| `number` (formerly `count`) | integer | How many. |",
        "| `by_name` | object of number or null, optional |  |",
        "`Interval`. Ends.",
        "| `low` | number |  |",
    ] {
        assert!(page.contains(line), "{line} in {page}");
    }
    assert!(write(root.path()).unwrap().is_empty());
}

#[test]
fn stale_files_and_documents_that_are_not_listed_are_breaches() {
    let root = workspace();
    write(root.path()).unwrap();
    assert_eq!(breaches(root.path()).unwrap(), []);
    let library = root.path().join("crates/disclosure-jobs/src/lib.rs");
    fs::write(&library, TYPES.replace("How many.", "How much.")).unwrap();
    assert_eq!(breaches(root.path()).unwrap().len(), 2);
    fs::write(&library, [TYPES, "const NEW: &str = \"disclosure.new/1\";"].concat()).unwrap();
    assert_eq!(breaches(root.path()).unwrap().len(), 1);
    fs::write(&library, TYPES).unwrap();
    fs::write(root.path().join("docs/schemas/gone-1.json"), "{}").unwrap();
    assert_eq!(breaches(root.path()).unwrap().len(), 1);
}
