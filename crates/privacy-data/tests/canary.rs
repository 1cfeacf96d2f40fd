//! No error shows what a file holds: neither its message, nor its sources, nor its `Debug`.

use std::error::Error;

use crate::common::mutants;
use privacy_core::{AttrSet, CountSource, Provenance};
use privacy_data::{
    AttributeSpec, CsvOptions, DomainFile, Encoding, MissingPolicy, Schema, learn_domain, read_csv, read_hierarchy,
    read_queries, tabulate_csv,
};

/// In every text cell, and nowhere in a schema's names.
const WORD: &str = "qzxcanary";
/// In every number.
const NUMBER: &str = "7919";

fn file() -> String {
    let mut text = format!("word,code,\"{WORD}-head\",number,{WORD}-other\n");
    for row in 0..6 {
        text += &format!("{WORD}{row},{NUMBER},\"{WORD}, \"\"{row}\"\"\",{NUMBER}.{row},{NUMBER}\n");
    }
    text
}

fn schema(strict: bool) -> Schema {
    let labels = (0..if strict { 3 } else { 6 }).map(|row| format!("{WORD}{row}"));
    let attributes = vec![
        AttributeSpec::of_labels("word", labels),
        AttributeSpec::of_size("code", if strict { 6_000 } else { 8_000 }),
        AttributeSpec::of_bins("number", [0.0, if strict { 7_919.35 } else { 1e4 }]),
    ];
    Schema::new(attributes, Provenance::Public).unwrap()
}

/// Everything an error could print: message, sources, `Debug`.
fn everything(error: &dyn Error) -> String {
    let mut text = format!("{error}\n{error:?}\n{error:#?}");
    let mut source = error.source();
    while let Some(inner) = source {
        text += &format!("\n{inner}\n{inner:?}");
        source = inner.source();
    }
    text
}

fn assert_silent(error: &dyn Error) {
    let text = everything(error).to_lowercase();
    // Mutations cut canaries: parts would be leaks as well.
    for part in ["canary", "qzx", "7919", "791", "919"] {
        assert!(!text.contains(part), "{part}: {text}");
    }
}

#[test]
fn no_error_of_a_mutated_file_shows_a_cell_or_a_header() {
    let good = file().into_bytes();
    let (open, strict) = (schema(false), schema(true));
    let utf8 = CsvOptions::default();
    let latin1 = CsvOptions { encoding: Encoding::Latin1, ..CsvOptions::default() };
    let counted = CsvOptions { count_column: Some("number".into()), ..CsvOptions::default() };
    let tight = CsvOptions { max_field_bytes: 11, max_record_bytes: 60, max_columns: 5, ..CsvOptions::default() };
    let mut errors = 0;
    for mutant in mutants(&good, 5) {
        for (schema, options) in [(&open, &utf8), (&strict, &latin1), (&open, &counted), (&open, &tight)] {
            let bytes = mutant.as_slice();
            let read = read_csv(bytes, schema, options).map(drop);
            let counted = tabulate_csv(bytes, schema, options, &[AttrSet::single(0)]).map(drop);
            let learnt = learn_domain(bytes, options).map(drop);
            for error in [read.err(), counted.err(), learnt.err()].into_iter().flatten() {
                assert_silent(&error);
                errors += 1;
            }
        }
    }
    assert!(errors > 10_000, "{errors}");
}

#[test]
#[should_panic(expected = "canary: ")]
fn a_leak_in_the_source_of_an_error_is_found() {
    #[derive(Debug)]
    struct Outer(std::io::Error);
    impl std::fmt::Display for Outer {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("nothing to see")
        }
    }
    impl Error for Outer {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.0)
        }
    }
    assert_silent(&Outer(std::io::Error::other(format!("cell {WORD}1"))));
}

#[test]
fn the_unmutated_file_is_read_so_that_the_errors_come_from_the_mutations() {
    let data = read_csv(file().as_bytes(), &schema(false), &CsvOptions::default()).unwrap();
    assert_eq!(data.rows(), 6);
    assert!(everything(&read_csv(file().as_bytes(), &schema(true), &CsvOptions::default()).unwrap_err()).len() > 20);
}

#[test]
fn no_error_of_a_learnt_schema_shows_a_label() {
    let written = learn_domain(file().as_bytes(), &CsvOptions::default()).unwrap().to_toml();
    assert!(written.contains(WORD) && written.contains(NUMBER), "a schema holds labels; its errors may not");
    let mut errors = 0;
    for mutant in mutants(written.as_bytes(), 5) {
        let Ok(text) = String::from_utf8(mutant) else { continue };
        // A key of the schema is the schema's own word, so only values are looked for.
        let names_a_field = |error: &dyn Error| error.to_string().contains("unknown field");
        match DomainFile::parse(&text).and_then(DomainFile::into_schema) {
            Err(error) if !names_a_field(&error) && !error.to_string().contains("attribute") => {
                assert_silent(&error);
                errors += 1;
            }
            _ => {}
        }
    }
    assert!(errors > 500, "{errors}");
}

#[test]
fn no_debug_of_data_or_tables_shows_a_cell_or_a_count() {
    let missing = AttributeSpec { missing: Some(MissingPolicy::Category), ..AttributeSpec::of_size("number", 2) };
    let schema = Schema::new(vec![missing], Provenance::Public).unwrap();
    let options = CsvOptions { count_column: Some("n".into()), ..CsvOptions::default() };
    let text = format!("number,n\n0,{NUMBER}\n,{NUMBER}\n");
    let data = read_csv(text.as_bytes(), &schema, &options).unwrap();
    let tables = data.marginals(&[schema.domain().all()]).unwrap();
    assert_eq!(tables[0].cells(), [7_919, 0, 7_919]);
    assert!(!format!("{data:?}{tables:?}").contains(NUMBER));
}

#[test]
fn no_error_of_a_file_of_queries_or_a_hierarchy_shows_what_stands_there() {
    let labels = ["a", "b", "c"].into_iter().collect();
    let queries = format!("query,a,c,b\n{WORD}1,1,{NUMBER},0\n{WORD}2,0.5,-1e3,2\n");
    let tree = format!("a;{WORD}1;{WORD}2\nc;{WORD}2\nb;{WORD}1;{WORD}2\n");
    assert!(read_queries(queries.as_bytes(), &labels).is_ok() && read_hierarchy(tree.as_bytes(), &labels).is_ok());
    let mut errors = 0;
    for mutant in mutants(queries.as_bytes(), 1) {
        if let Err(error) = read_queries(&mutant, &labels) {
            assert_silent(&error);
            errors += 1;
        }
    }
    for mutant in mutants(tree.as_bytes(), 1) {
        if let Err(error) = read_hierarchy(&mutant, &labels) {
            assert_silent(&error);
            errors += 1;
        }
    }
    assert!(errors > 1000, "{errors}");
}
