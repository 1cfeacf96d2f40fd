//! Names of categories and bins, categories that were not seen, and pooled ones.

use crate::support::{self, Bench, TOKEN, people};
use axum::http::StatusCode;

const AS_WRITTEN: [(&str, &str); 2] = [("name.0", "f"), ("name.1", "m")];

fn bench() -> Bench {
    let bench = Bench::with(&[("people.csv", &people(120))]);
    bench.open("people.csv");
    bench
}

fn domain(bench: &Bench) -> String {
    bench.choose("run", &[("title", ""), ("owner", ""), ("release", "1")]);
    let newest = (1..9).rev().map(|n| bench.path(&format!("disclosure-workbench/domain-{n}.toml")));
    std::fs::read_to_string(newest.into_iter().find(|path| path.exists()).unwrap()).unwrap()
}

#[test]
fn names_are_what_a_release_says_and_can_be_undone() {
    let bench = bench();
    assert!(bench.page("columns").contains("labels-1"));
    let page = bench.page("labels-1");
    assert!(page.contains("name=\"name.0\" value=\"f\"") && page.contains("For the data owner only"), "{page}");
    assert_eq!(bench.choose("labels-1", &[("name.0", "women"), ("name.1", " "), ("added", "x\n\nx\n")]), "columns");
    assert!(bench.page("columns").contains("(changed)") && bench.page("labels-1").contains("value=\"women\""));
    let text = domain(&bench);
    assert!(
        text.contains("names = [\"women\", \"m\", \"x\"]") && text.contains("labels = [\"f\", \"m\", \"x\"]"),
        "{text}"
    );
    let release = bench.path("disclosure-workbench/release-1/release/noisy");
    let tables = support::files(&release);
    let sex = tables.iter().find(|(name, _)| name.ends_with("-sex.csv")).unwrap();
    assert!(String::from_utf8(sex.1.clone()).unwrap().contains("women"));
    assert_eq!(bench.choose("undo", &[("page", "columns")]), "columns", "a title that stays is no step");
    assert!(bench.page("labels-1").contains("value=\"f\"") && !bench.page("columns").contains("(changed)"));
    bench.choose("redo", &[]);
    assert!(bench.page("labels-1").contains("value=\"women\""));
    let bench = bench.restarted();
    assert!(bench.page("labels-1").contains("value=\"women\""));
}

#[test]
fn bins_have_names_and_rare_categories_are_pooled() {
    let bench = bench();
    bench.keep_columns(&[("treatment.0", "bins"), ("edges.0", "18; 30; 78")]);
    let page = bench.page("labels-0");
    assert!(page.contains("value=\"18 to 29\"") && !page.contains("pool into"), "{page}");
    bench.choose("labels-0", &[("name.0", "young"), ("name.1", ""), ("name.2", "30 and over")]);
    assert!(bench.page("columns").contains("young"));
    bench.choose("labels-2", &[("name.0", "r0"), ("name.1", "r1"), ("name.2", "r2"), ("name.3", "r3"), ("pool", "3")]);
    let text = domain(&bench);
    assert!(text.contains("\"young\"") && text.contains("other = \"other\""), "{text}");
    assert!(text.contains("labels = [\"r0\", \"r1\", \"r2\"]"), "{text}");
    // What became of the column changed: names of bins that are no longer there do nothing.
    bench.keep_columns(&[("treatment.0", "bins"), ("edges.0", "18; 50; 78")]);
    assert!(bench.page("labels-0").contains("value=\"18 to 49\""));
}

#[test]
fn names_that_cannot_be_are_refused_and_hostile_ones_act_nowhere() {
    let bench = bench();
    let same = bench.post("labels-1", &[("name.0", "m"), ("name.1", "m")]);
    assert_eq!(same.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", same.text());
    let long = "x".repeat(10_000);
    assert!(bench.post("labels-1", &[("name.0", &long)]).text().contains("E0704"));
    assert!(bench.page("labels-1").contains("value=\"f\""), "nothing was changed");
    let hostile = "\"><script>alert(1)</script>\u{202e}";
    bench.choose("labels-1", &[("name.0", hostile), ("name.1", "m"), ("added", "</textarea><script>x</script>")]);
    for page in ["labels-1", "columns", "tables", "noise", "run"] {
        let page = bench.page(page);
        assert!(!page.contains("<script>") && !page.contains("</textarea><script"), "{page}");
    }
    // A column that is no attribute leads back.
    assert_eq!(bench.get("labels-9").location(), format!("/{TOKEN}/columns"));
    assert_eq!(bench.get("labels-128").status, StatusCode::NOT_FOUND);
    assert!(bench.post("labels-9", &AS_WRITTEN).text().contains("E0704"));
    // The number in the address counts, whatever a form says.
    bench.choose("labels-1", &[("column", "2"), AS_WRITTEN[0], AS_WRITTEN[1]]);
    assert!(!bench.page("columns").contains("(changed)"));
}
