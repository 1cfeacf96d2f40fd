//! Data and what describes them: CSV in any form, packed files, domains, hierarchies, queries, JJ.

use disclosure_jobs::disclosure::privacy_core::Provenance;
use disclosure_jobs::disclosure::privacy_core::labels::Labels;
use disclosure_jobs::input::{CsvSource, DataSource};
use disclosure_jobs::privacy_data::{
    AttributeSpec, CsvOptions, Dialect, DomainFile, Encoding, MISSING_LABEL, Schema, fields_of_line, learn_domain,
    read_csv, read_hierarchy, read_jj, read_jj_amounts, read_queries, tabulate_csv,
};

/// A table in the standard form. What is accepted reads as another reader reads it, and every row
/// has a code in the domain that was learnt from it.
pub(crate) fn csv(bytes: &[u8]) -> bool {
    let options = CsvOptions { dialect: Dialect::STANDARD, ..CsvOptions::default() };
    let _ = std::str::from_utf8(bytes).map(fields_of_line);
    let Ok(file) = learn_domain(bytes, &options) else { return false };
    let written = file.to_toml();
    let Ok(schema) = DomainFile::parse(&written).and_then(DomainFile::into_schema) else { return false };
    let data = read_csv(bytes, &schema, &options).expect("a domain reads the file that it was learnt from");
    same_fields(bytes, &schema, &file, &data);
    let domain = data.domain();
    let Ok(set) = domain.set_of(&[domain.attributes()[0].name()]) else { return false };
    let counts = tabulate_csv(bytes, &schema, &options, &[set]).expect("the same rows");
    assert_eq!(counts[0].total(), data.rows() as u64, "every row is in the table");
    true
}

/// Our codes stand for the fields that the crate `csv` reads.
fn same_fields(bytes: &[u8], schema: &Schema, file: &DomainFile, data: &disclosure_jobs::privacy_data::Microdata) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = csv::ReaderBuilder::new().from_reader(bytes);
    let header = reader.byte_headers().expect("the header was read").clone();
    let place = |spec: &AttributeSpec| header.iter().position(|name| name == spec.column().as_bytes());
    let Some(places) = file.attributes.iter().map(place).collect::<Option<Vec<usize>>>() else { return };
    let mut rows = 0;
    for (row, record) in reader.byte_records().enumerate() {
        let record = record.expect("what we read, others read");
        for (attribute, &place) in places.iter().enumerate() {
            let code = data.codes(attribute).nth(row).expect("as many rows") as usize;
            let (label, field) = (&schema.domain().attributes()[attribute].labels()[code], &record[place]);
            let is_same = label.as_bytes() == field || label == MISSING_LABEL && field.is_empty();
            assert!(is_same, "row {row}, attribute {attribute}");
        }
        rows += 1;
        // What follows is of the same kind, and codes are found by counting.
        if rows == 100 {
            return;
        }
    }
    assert_eq!(rows, data.rows(), "as many rows as another reader finds");
}

/// A table in the form that is found out from its head: separators, marks, encodings.
pub(crate) fn csv_in_any_form(bytes: &[u8]) -> bool {
    let mut is_accepted = false;
    for encoding in [Encoding::Utf8, Encoding::Latin1] {
        let options = CsvOptions { encoding, ..CsvOptions::default() };
        let Ok(file) = learn_domain(bytes, &options) else { continue };
        let Ok(schema) = file.into_schema() else { continue };
        read_csv(bytes, &schema, &options).expect("a domain reads the file that it was learnt from");
        is_accepted = true;
    }
    let source = CsvSource::bytes("any", bytes);
    let _ = source.form();
    is_accepted
}

/// A file that may be compressed, or a workbook.
pub(crate) fn packed(bytes: &[u8]) -> bool {
    let source = CsvSource::bytes("any", bytes);
    let _ = source.form();
    source.learn_domain(&CsvOptions::default()).is_ok()
}

/// A `domain.toml`: what is accepted is read back as it is written.
pub(crate) fn domain_toml(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let Ok(file) = DomainFile::parse(text) else { return false };
    let written = file.to_toml();
    let back = DomainFile::parse(&written).expect("what is written is read");
    assert_eq!(format!("{back:?}"), format!("{file:?}"), "and is the same");
    let (first, second) = (file.into_schema(), back.into_schema());
    match (first, second) {
        (Ok(first), Ok(second)) => assert_eq!(first.domain(), second.domain()),
        (first, second) => assert_eq!(first.is_err(), second.is_err()),
    }
    true
}

/// A `domain.json` of another program.
pub(crate) fn domain_json(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let Ok(file) = DomainFile::parse_json(text) else { return false };
    let back = DomainFile::parse(&file.to_toml()).expect("what is written is read");
    assert_eq!(back.attributes, file.attributes);
    assert_eq!(file.provenance(), Provenance::LearntFromData);
    file.into_schema().is_ok()
}

fn labels() -> Labels {
    ["a", "b", "c", "d"].into_iter().collect()
}

/// A file of a hierarchy over four categories.
pub(crate) fn hierarchy(bytes: &[u8]) -> bool {
    read_hierarchy(bytes, &labels()).is_ok_and(|tree| !format!("{tree:?}").is_empty())
}

/// A file of queries about four categories.
pub(crate) fn queries(bytes: &[u8]) -> bool {
    let Ok(file) = read_queries(bytes, &labels()) else { return false };
    assert_eq!(file.names.len(), file.rows.len());
    assert!(file.rows.iter().all(|row| row.len() == 4 && row.iter().all(|weight| weight.is_finite())));
    true
}

/// A JJ file, of counts and of amounts.
pub(crate) fn jj(bytes: &[u8]) -> bool {
    let is_accepted = read_jj(bytes).is_ok();
    for decimals in [0, 2, 9] {
        let _ = read_jj_amounts(bytes, decimals);
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let _ = disclosure_jobs::exact::Pattern::parse(text, "any");
    let _ = disclosure_jobs::amounts::Pattern::parse(text, "any", 1);
    is_accepted
}
