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

const ENUMS: &str = r#"
/// A line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    /// The first line.
    Open {
        /// The budget; `None` without [one](Budget).
        budget: Option<f64>,
    },
    Spend(Planned),
}
/// A [`Plan`] with its error.
#[derive(Serialize, Deserialize)]
pub struct Planned { #[serde(flatten)] pub plan: Plan, pub error: f64 }
/// A plan.
#[derive(Serialize, Deserialize)]
#[serde(tag = "plan", rename_all = "kebab-case")]
pub enum Plan {
    /// Without parts.
    Whole,
    /// In parts.
    Parts(Parts),
}
#[derive(Serialize, Deserialize)]
pub struct Parts {
    /// How many.
    pub number: u64,
}
"#;

/// A workspace whose only document is an enum.
fn workspace_of_enums() -> TempDir {
    let root = workspace();
    let library = root.path().join("crates/disclosure-jobs/src/lib.rs");
    fs::write(library, TYPES.replace("/// A report.", &[ENUMS, "/// A report."].concat())).unwrap();
    fs::write(root.path().join(LIST), LISTED.replace("\"Report\"", "\"Line\"")).unwrap();
    write(root.path()).unwrap();
    root
}

#[test]
fn a_flattened_enum_and_the_fields_of_a_case_are_in_the_schema() {
    let schema = schema(&workspace_of_enums());
    let planned = &schema["$defs"]["Planned"];
    assert_eq!(planned["required"], json!(["error"]));
    assert_eq!(planned["allOf"], json!([{ "$ref": "#/$defs/Plan" }]));
    let parts = &schema["$defs"]["Plan"]["anyOf"][1];
    assert_eq!(parts["required"], json!(["plan", "number"]), "those of the struct in the case");
    assert_eq!(parts["properties"]["number"]["type"], json!("integer"));
}

#[test]
fn an_enum_has_a_table_and_no_word_of_rust() {
    let root = workspace_of_enums();
    let page = fs::read_to_string(root.path().join(PAGE)).unwrap();
    for line in [
        "| one of | meaning |",
        "| {`open`: {`budget`: number or null}} | The first line. `budget`: The budget; `null` without one. |",
        "| {`spend`: `Planned`} |  |",
        "`Planned`. A `Plan` with its error.",
        "| | the fields of a `Plan` | |",
        "| {`plan`: `\"parts\"`, `number`: integer} | In parts. `number`: How many. |",
    ] {
        assert!(page.contains(line), "{line} in {page}");
    }
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
