//! The target `engine_columns`: bytes choose types, values, absences, keys and slices, a schema,
//! and how identifiers are read. What is read of a column is compared with what is read of the
//! texts that its values have by rules of their own.

mod arrays;
mod texts;
#[path = "../../../../disclosure-arrow/tests/support/values.rs"]
mod values;

use arrow_array::ArrayRef;
use disclosure_jobs::JobError;
use fuzz_runner::{Choices, Grammar, Target};
use lcf::{Identifier, IdentifierField, IdentifierForm};
use privacy_core::Provenance;
use privacy_data::{AttributeSpec, Defect, MissingPolicy, Schema, count_of_field};
use privacy_sql_columns::{ColumnCoder, Texts, Unfit, for_each_identifier, weights};

use arrays::column;

/// Every target of this crate.
pub(crate) const TARGETS: &[Target] =
    &[Target { name: "engine_columns", grammar: Grammar::Binary, seal: None, run: engine_columns }];

/// A column in two batches whose structure the bytes choose: it is read as its texts are, or
/// refused by its type.
fn engine_columns(bytes: &[u8]) -> bool {
    let mut choices = Choices::new(bytes);
    let lengths = [choices.below(24), choices.below(24)];
    let made = column(&mut choices, &lengths);
    let Some(texts) = &made.texts else {
        made.chunks.iter().for_each(is_refused);
        return false;
    };
    let (first, second) = texts.split_at(lengths[0]);
    let chunks: Vec<(&ArrayRef, &[String])> = made.chunks.iter().zip([first, second]).collect();
    let schema = schema(&mut choices, texts);
    let field = identifiers(&mut choices, texts);
    let kept: Vec<bool> = match choices.below(2) {
        0 => vec![true; 24],
        _ => (0..24).map(|_| choices.below(3) > 0).collect(),
    };
    for (column, texts) in &chunks {
        has_texts(column, texts);
        has_weights(column, texts);
        has_identifiers(column, texts, &field, &kept);
    }
    if let Some(schema) = &schema {
        has_codes(&chunks, schema);
    }
    schema.is_some()
}

/// A column of a type without texts is refused by every reader, and the message names it.
fn is_refused(column: &ArrayRef) {
    let schema = Schema::new(vec![AttributeSpec::of_size("name", 2)], Provenance::Public).expect("a schema");
    let refusals: [JobError; 4] = [
        Texts::new(column, "name").err(),
        ColumnCoder::new(&schema, 0).codes(&schema, column, &mut Vec::new()).err(),
        weights(column, "name", &mut Vec::new()).err(),
        for_each_identifier(&IdentifierField::default(), column, "name", |_| true, |_, _| ()).err(),
    ]
    .map(|error| error.expect("a type without texts is refused"));
    for error in refusals {
        assert!(error.has_code("E0337") && error.message().contains("\"name\""), "{error}");
    }
}

fn has_texts(column: &ArrayRef, texts: &[String]) {
    let reader = Texts::new(column, "name").expect("a type with texts");
    let mut read = String::from("before");
    for (row, text) in texts.iter().enumerate() {
        read.truncate("before".len());
        reader.write(row, &mut read);
        assert_eq!(read.strip_prefix("before"), Some(text.as_str()), "row {row} of {column:?}");
    }
}

fn has_weights(column: &ArrayRef, texts: &[String]) {
    let counts: Vec<Option<u64>> = texts.iter().map(|text| count_of_field(text.as_bytes()).ok()).collect();
    let mut read = vec![9; 3];
    let unfit = weights(column, "name", &mut read).expect("a type with texts");
    assert!(read.iter().copied().eq(counts.iter().map(|count| count.unwrap_or(0))), "weights of {column:?}");
    let unknown = counts.iter().filter(|count| count.is_none()).count() as u64;
    assert_eq!(unfit, Unfit { missing: 0, unknown }, "weights of {column:?}");
}

/// One coder codes all batches, and all of them again, as the schema codes their texts.
fn has_codes(chunks: &[(&ArrayRef, &[String])], schema: &Schema) {
    let mut coder = ColumnCoder::new(schema, 0);
    for &(column, texts) in [chunks, chunks].concat().iter() {
        let mut unfit = Unfit::default();
        let expected: Vec<u32> = texts
            .iter()
            .map(|text| {
                schema.code(0, text.as_bytes()).unwrap_or_else(|defect| {
                    match defect {
                        Defect::MissingValue => unfit.missing += 1,
                        _ => unfit.unknown += 1,
                    }
                    0
                })
            })
            .collect();
        let mut codes = vec![9; 3];
        assert_eq!(coder.codes(schema, column, &mut codes).expect("a type with texts"), unfit, "{column:?}");
        assert_eq!(codes, expected, "{column:?}");
    }
}

/// An identifier of a row, as a value that outlives its text.
#[derive(Debug, PartialEq)]
enum Owned {
    Integer(i128),
    Text(String),
}

fn owned(identifier: Identifier<'_>) -> Owned {
    match identifier {
        Identifier::Integer(integer) => Owned::Integer(integer),
        Identifier::Text(text) => Owned::Text(text.to_owned()),
        Identifier::Bytes(_) => panic!("a column has no bytes"),
    }
}

/// The identifiers of the rows that are kept, up to the first that is not of its form.
fn has_identifiers(column: &ArrayRef, texts: &[String], field: &IdentifierField, kept: &[bool]) {
    let mut expected = Vec::new();
    let failed = texts.iter().enumerate().filter(|&(row, _)| kept[row]).find_map(|(row, text)| {
        let added = field.for_each(text, |identifier| {
            expected.push((row, owned(identifier.get())));
            Ok(())
        });
        added.err()
    });
    let mut read = Vec::new();
    let outcome = for_each_identifier(
        field,
        column,
        "name",
        |row| kept[row],
        |row, identifier| read.push((row, owned(identifier))),
    );
    assert_eq!(read, expected, "{field:?} of {column:?}");
    match (outcome, failed) {
        (Ok(()), None) => {}
        (Err(error), Some(_)) => assert!(error.has_code("E0397") && error.message().starts_with("name: "), "{error}"),
        (outcome, failed) => panic!("{field:?} of {column:?}: {outcome:?}, and of its texts {failed:?}"),
    }
}

/// One of the texts, or a text that may be none of them.
fn word(choices: &mut Choices<'_>, texts: &[String]) -> String {
    const WORDS: [&str; 8] = ["0", "1", "-1", "NA", "a1", "NaN", "true", "a label longer than twelve bytes"];
    match choices.below(2) {
        0 => WORDS[choices.below(WORDS.len())].to_owned(),
        _ => texts.get(choices.below(texts.len())).cloned().unwrap_or_default(),
    }
}

fn words(choices: &mut Choices<'_>, most: usize, texts: &[String]) -> Vec<String> {
    let mut words: Vec<String> = (0..choices.below(most + 1)).map(|_| word(choices, texts)).collect();
    words.sort();
    words.dedup();
    words
}

/// A schema of one attribute; none for choices that are no schema.
fn schema(choices: &mut Choices<'_>, texts: &[String]) -> Option<Schema> {
    let mut spec = match choices.below(4) {
        0 => AttributeSpec::of_size("name", 1 + choices.below(200)),
        1 => AttributeSpec::of_bins("name", edges(choices)),
        _ => {
            let labels = words(choices, 8, texts).into_iter().filter(|label| !label.is_empty());
            let labels: Vec<String> = labels.collect();
            let labels = if labels.is_empty() { vec!["a".to_owned()] } else { labels };
            let other = (choices.below(3) == 0).then(|| word(choices, texts)).filter(|other| !other.is_empty());
            AttributeSpec { other, ..AttributeSpec::of_labels("name", labels) }
        }
    };
    spec.missing = [None, Some(MissingPolicy::Error), Some(MissingPolicy::Category)][choices.below(3)];
    if choices.below(3) == 0 {
        spec.missing_values = words(choices, 2, texts);
        let is_label = |value: &String| spec.labels.as_ref().is_some_and(|labels| labels.contains(value));
        let missing_values = spec.missing_values.iter().filter(|&value| !is_label(value)).cloned();
        spec.missing_values = missing_values.collect();
    }
    Schema::new(vec![spec], Provenance::Public).ok()
}

fn edges(choices: &mut Choices<'_>) -> Vec<f64> {
    let mut edge = [-1e300, -4.0, -0.5, 0.0, 19_000.0][choices.below(5)];
    let mut edges = vec![edge];
    for _ in 0..=choices.below(6) {
        edge += [0.25, 1.0, 3.0, 1e6, 1e301][choices.below(5)];
        edges.push(edge);
    }
    edges.dedup();
    edges
}

/// How the identifiers of the column are read.
fn identifiers(choices: &mut Choices<'_>, texts: &[String]) -> IdentifierField {
    IdentifierField {
        form: [IdentifierForm::Integer, IdentifierForm::Auto, IdentifierForm::Text][choices.below(3)],
        separator: [None, None, Some(';'), Some('0'), Some('-')][choices.below(5)],
        null: if choices.below(2) == 0 { Default::default() } else { words(choices, 3, texts).into_iter().collect() },
    }
}
