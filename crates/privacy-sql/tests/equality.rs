//! A file of columns is the same rows as its text: codes, tables, texts, learnt domains.
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use disclosure_jobs::JobError;
use disclosure_jobs::input::{CsvSource, DataSource, FormatSpec, TextColumns};
use privacy_core::{AttrSet, ContingencyTable, CountSource};
use privacy_data::{CsvOptions, Microdata, Schema, TextRow};
use support::{TOWN, Table, schema, source, source_with, write_arrow, write_parquet};

fn options() -> CsvOptions {
    CsvOptions::default()
}

/// The total, all single attributes, all pairs, and three attributes at once.
fn sets() -> Vec<AttrSet> {
    let singles = (0..4).map(AttrSet::single);
    let pairs = (0..4).flat_map(|a| (a + 1..4).map(move |b| AttrSet::single(a).with(b)));
    [AttrSet::EMPTY].into_iter().chain(singles).chain(pairs).chain([AttrSet::first(3)]).collect()
}

fn cells(tables: &[ContingencyTable]) -> Vec<&[u64]> {
    tables.iter().map(ContingencyTable::cells).collect()
}

fn codes(rows: &Microdata) -> Vec<Vec<u32>> {
    (0..rows.domain().len()).map(|attribute| rows.codes(attribute).collect()).collect()
}

fn texts(source: &dyn DataSource, columns: TextColumns<'_>) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let mut keep = |row: &TextRow<'_>| -> Result<(), JobError> {
        all.push(row.fields().map(str::to_owned).collect());
        Ok(())
    };
    source.for_each_text_row(columns, &options(), &mut keep).unwrap();
    all
}

/// The table in every form of columns: one Parquet file, one Arrow file, a folder of parts.
fn written(directory: &Path, table: &Table) -> Vec<PathBuf> {
    let (parquet, arrow, folder) = (directory.join("t.parquet"), directory.join("t"), directory.join("parts"));
    let batch = table.batch();
    write_parquet(&parquet, &batch);
    write_arrow(&arrow, &batch);
    std::fs::create_dir(&folder).unwrap();
    let third = batch.num_rows() / 3;
    for (part, (start, rows)) in [(0, third), (third, 0), (third, batch.num_rows() - third)].into_iter().enumerate() {
        write_parquet(&folder.join(format!("part {part}.pq")), &batch.slice(start, rows));
    }
    vec![parquet, arrow, folder]
}

fn check(seed: u8, rows: usize) {
    let table = Table::seeded(seed, rows);
    let directory = tempfile::tempdir().unwrap();
    let text = CsvSource::bytes("t.csv", table.csv().into_bytes());
    let schema = schema();
    let expected = text.read_rows(&schema, &options()).unwrap();
    let marginals = expected.marginals(&sets()).unwrap();
    let all_texts = texts(&text, TextColumns::NamedThenAll(&["user", TOWN]));
    for path in written(directory.path(), &table) {
        for threads in [1, 2, 8] {
            let source = source(&path, threads).unwrap();
            let counted = source.count_marginals(&schema, &options(), &sets()).unwrap().unwrap();
            assert_eq!(cells(&counted), cells(&marginals), "{}: {threads} threads", path.display());
            assert_eq!(codes(&source.read_rows(&schema, &options()).unwrap()), codes(&expected));
            let counts = source.counts(Arc::new(schema.clone()), &options());
            assert_eq!(counts.marginals(&[AttrSet::EMPTY]).unwrap()[0].cells(), [rows as u64]);
        }
        let source = source(&path, 2).unwrap();
        assert_eq!(texts(&source, TextColumns::NamedThenAll(&["user", TOWN])), all_texts);
        let learnt = source.learn_domain(&options()).unwrap();
        assert_eq!(learnt.to_toml(), text.learn_domain(&options()).unwrap().to_toml());
    }
}

#[test]
fn every_form_of_a_table_has_the_same_rows_and_counts() {
    check(1, 20_000);
    check(2, 997);
    check(3, 1);
}

#[test]
fn partitions_in_the_names_of_folders_are_columns() {
    let table = Table::seeded(4, 600);
    let directory = tempfile::tempdir().unwrap();
    let lake = directory.path().join("lake");
    for (year, start) in [(2023, 0), (2024, 200), (2025, 400)] {
        let folder = lake.join(format!("year={year}"));
        std::fs::create_dir_all(&folder).unwrap();
        write_parquet(&folder.join("a.parquet"), &table.batch().slice(start, 200));
    }
    std::fs::write(lake.join("_SUCCESS"), "").unwrap();
    let attributes = vec![privacy_data::AttributeSpec::of_labels("year", ["2023", "2024", "2025"])];
    let schema = Schema::new(attributes, privacy_core::Provenance::Public).unwrap();
    let source = source(&lake, 2).unwrap();
    let tables = source.count_marginals(&schema, &options(), &[AttrSet::single(0)]).unwrap().unwrap();
    assert_eq!(tables[0].cells(), [200, 200, 200]);
    assert!(source.columns().contains(&"year".to_owned()));
    assert_eq!(texts(&source, TextColumns::Named(&["year"]))[599], ["2025"]);
}

#[test]
fn a_count_column_weighs_rows() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.parquet");
    let table = Table::seeded(5, 500);
    write_parquet(&path, &table.batch().slice(0, 400));
    let some = table.age[..400].iter().all(Option::is_some);
    let options = CsvOptions { count_column: Some("age".to_owned()), ..options() };
    let only_many = Schema::new(vec![support::attributes().remove(3)], privacy_core::Provenance::Public).unwrap();
    let source = source(&path, 2).unwrap();
    let refused = source.count_marginals(&only_many, &options, &[AttrSet::EMPTY]);
    assert!(!some && refused.unwrap_err().has_code("E0336"), "a row without a count is no row of nobody");
    let query =
        FormatSpec { query: Some("SELECT many, age FROM data WHERE age IS NOT NULL".into()), ..FormatSpec::default() };
    let source = source_with(&path, 2, &query).unwrap();
    let tables = source.count_marginals(&only_many, &options, &[AttrSet::EMPTY, AttrSet::single(0)]).unwrap().unwrap();
    let expected: u64 = table.age[..400].iter().flatten().map(|&age| age as u64).sum();
    assert_eq!(tables.iter().map(ContingencyTable::total).collect::<Vec<_>>(), [expected; 2]);
    let rows = source.read_rows(&only_many, &options).unwrap();
    assert_eq!(rows.marginals(&[AttrSet::single(0)]).unwrap()[0].cells(), tables[1].cells());
}

#[test]
fn the_rows_of_a_query_are_the_data() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.parquet");
    let table = Table::seeded(6, 2000);
    write_parquet(&path, &table.batch());
    let query = "SELECT age % 2 AS odd, count(*) AS n FROM data WHERE age IS NOT NULL GROUP BY odd ORDER BY odd";
    let format = FormatSpec { query: Some(query.into()), ..FormatSpec::default() };
    let source = source_with(&path, 2, &format).unwrap();
    let odd = |parity| table.age.iter().flatten().filter(|&&age| age % 2 == parity).count().to_string();
    let expected = [["0".to_owned(), odd(0)], ["1".to_owned(), odd(1)]];
    assert_eq!(texts(&source, TextColumns::Named(&["odd", "n"])), expected);
}
