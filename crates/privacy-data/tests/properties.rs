//! Laws: what is written is read back, and counts do not depend on who counts them.

use privacy_core::{AttrSet, ContingencyTable, CountSource, Domain, Provenance};
use privacy_data::{
    AttributeSpec, BasisKind, BasisSpec, CsvField, CsvOptions, CsvTable, DomainFile, MISSING_LABEL, Microdata,
    MissingPolicy, Schema, csv_line, learn_domain, read_csv, tabulate_csv,
};
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;

/// Texts that try the quoting: separators, quotes, line breaks, formulas, spaces, other scripts,
/// what cannot be seen.
fn label() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        ",",
        "\"",
        "\n",
        "\r\n",
        "=",
        "+",
        "-",
        "@",
        "\t",
        " ",
        "é",
        "\u{feff}",
        "a",
        "0",
        "日",
        "'",
        "\\",
        "#",
        "\u{7f}",
        "\u{202e}",
        "\u{e0041}",
    ]);
    vec(part, 0..5).prop_map(|parts| parts.concat())
}

/// A schema of up to four attributes of such labels.
fn schema() -> impl Strategy<Value = Schema> {
    let attribute = btree_set(label(), 1..5).prop_map(Vec::from_iter).prop_shuffle();
    (vec(attribute, 1..4), btree_set(label().prop_filter("a name", |name| !name.is_empty()), 4)).prop_map(
        |(labels, names)| {
            let specs = names.into_iter().zip(labels).map(|(name, labels)| AttributeSpec::of_labels(name, labels));
            Schema::new(specs.collect(), Provenance::Public).unwrap()
        },
    )
}

/// Any number that TOML writes, and what it calls inf and nan.
fn number() -> impl Strategy<Value = f64> {
    let special =
        [0.0, -0.0, 1.0, 17.5, 1e16, 1e-7, f64::MAX, f64::MIN_POSITIVE, f64::INFINITY, -f64::INFINITY, f64::NAN];
    prop_oneof![0.0_f64..1e3, any::<f64>(), prop::sample::select(special.to_vec())]
}

/// An attribute with every key that a domain file may have, of any text and any numbers.
fn attribute() -> impl Strategy<Value = AttributeSpec> {
    let text = || prop_oneof![label(), any::<String>()];
    let categories = prop_oneof![
        prop_oneof![0_usize..40, any::<usize>()].prop_map(|size| AttributeSpec::of_size("", size)),
        btree_set(text(), 1..6).prop_map(|labels| AttributeSpec::of_labels("", labels)),
        vec(number(), 0..6).prop_map(|mut edges| {
            edges.sort_by(f64::total_cmp);
            AttributeSpec::of_bins("", edges)
        }),
        Just(AttributeSpec::of_labels("", [""; 0])),
        Just(AttributeSpec::default()),
    ];
    let weights = prop::option::of(vec(number(), 0..5));
    let kind = prop_oneof![
        Just(BasisKind::Identity),
        Just(BasisKind::Prefix),
        Just(BasisKind::Range),
        prop_oneof![2_usize..100, 2..=usize::MAX].prop_map(|branching| BasisKind::Hierarchical { branching }),
        text().prop_map(|file| BasisKind::Hierarchy { file }),
        text().prop_map(|file| BasisKind::Queries { file }),
    ];
    let basis = prop::option::of((kind, weights).prop_map(|(kind, weights)| BasisSpec { kind, weights }));
    let missing = prop::option::of(prop_oneof![Just(MissingPolicy::Error), Just(MissingPolicy::Category)]);
    let names = prop::option::of(vec(text(), 0..6));
    let texts = (text(), prop::option::of(text()), prop::option::of(text()), names, vec(text(), 0..4));
    (categories, texts, missing, basis).prop_map(|(categories, texts, missing, basis)| {
        let (name, column, other, names, missing_values) = texts;
        AttributeSpec { name, column, other, names, missing_values, missing, basis, ..categories }
    })
}

/// Rows of codes of a domain, from numbers that know nothing of it.
fn rows_of(domain: &Domain, numbers: &[u32]) -> Vec<Vec<u32>> {
    let column = |attribute| {
        let size = domain.cardinality(attribute) as u32;
        numbers.iter().map(move |n| (n >> (3 * attribute)) % size).collect()
    };
    (0..domain.len()).map(column).collect()
}

/// The counts over `set`, cell by cell, the slow way.
fn brute_force(data: &Microdata, set: AttrSet) -> Vec<u64> {
    let shape = data.domain().shape(set);
    let mut cells = vec![0; shape.iter().product()];
    let columns: Vec<Vec<u32>> = set.iter().map(|attribute| data.codes(attribute).collect()).collect();
    for row in 0..data.rows() {
        let cell = columns.iter().zip(&shape).fold(0, |cell, (column, size)| cell * size + column[row] as usize);
        cells[cell] += data.weights().map_or(1, |weights| weights[row]);
    }
    cells
}

fn counted_on(threads: usize, data: &Microdata, sets: &[AttrSet]) -> Vec<ContingencyTable> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| data.marginals(sets)).unwrap()
}

proptest! {
    #[test]
    fn rows_that_are_written_are_read_back(schema in schema(), numbers in vec(any::<u32>(), 1..40)) {
        let domain = schema.domain().clone();
        let columns = rows_of(&domain, &numbers);
        let mut text = csv_line(domain.names(domain.all()).map(CsvField::Text));
        let label = |a: usize, row: usize| domain.attributes()[a].labels().get(columns[a][row] as usize).unwrap();
        for row in 0..numbers.len() {
            text += &csv_line((0..domain.len()).map(|a| CsvField::Text(label(a, row))));
        }
        let data = read_csv(text.as_bytes(), &schema, &CsvOptions::default()).unwrap();
        for (attribute, codes) in columns.iter().enumerate() {
            prop_assert_eq!(&data.codes(attribute).collect::<Vec<_>>(), codes);
        }
        // Another program reads the same fields.
        let mut reader = csv::ReaderBuilder::new().from_reader(text.as_bytes());
        for (row, record) in reader.records().enumerate() {
            let record = record.unwrap();
            for attribute in 0..domain.len() {
                prop_assert_eq!(&record[attribute], label(attribute, row));
            }
        }
    }

    #[test]
    fn tables_that_are_written_are_read_back(schema in schema(), seed: u64) {
        let domain = schema.domain();
        let cells = domain.cells(domain.all()).unwrap();
        let counts = (0..cells).map(|cell| (cell + 1).wrapping_mul(seed) >> 40).collect();
        let table = ContingencyTable::from_cells(domain, domain.all(), counts).unwrap();
        let text = CsvTable::of_counts(domain, &table, "the count").into_text();
        let options = CsvOptions { count_column: Some("the count".into()), ..CsvOptions::default() };
        let data = read_csv(text.as_bytes(), &schema, &options).unwrap();
        prop_assert_eq!(&data.marginals(&[domain.all()]).unwrap()[0], &table);
        prop_assert_eq!(data.total(), table.total());
    }

    #[test]
    fn marginals_are_brute_force_counts_at_any_thread_count(
        shape in prop_oneof![vec(1_usize..7, 1..6), Just(vec![300, 2, 3]), Just(vec![3, 70_000])],
        numbers in vec(any::<u32>(), 0..9000),
        weights in prop::option::of(any::<u32>()),
    ) {
        let domain = Domain::of_cardinalities(&shape).unwrap();
        let mut data = Microdata::from_codes(domain.clone(), rows_of(&domain, &numbers)).unwrap();
        if let Some(seed) = weights {
            let weights = numbers.iter().map(|&n| u64::from(n ^ seed)).collect();
            data = data.with_weights(weights).unwrap();
        }
        let sets: Vec<AttrSet> = domain.all().subsets().collect();
        let tables = counted_on(1, &data, &sets);
        for (table, &set) in tables.iter().zip(&sets) {
            prop_assert_eq!(table.cells(), brute_force(&data, set));
            prop_assert_eq!((table.attributes(), table.total()), (set, data.total()));
        }
        for threads in [2, 3, 8, 64] {
            prop_assert_eq!(&counted_on(threads, &data, &sets), &tables);
        }
    }

    #[test]
    fn domains_that_are_written_are_read_back(attributes in vec(attribute(), 0..4), learnt: bool, is_public: bool) {
        let mut file = DomainFile::of(attributes);
        (file.learnt_from_data, file.domain_is_public) = (learnt, is_public);
        let text = file.to_toml();
        // As they are written: what is not a number is not equal to itself.
        prop_assert_eq!(format!("{:?}", DomainFile::parse(&text).unwrap()), format!("{file:?}"), "{}", text);
    }

    #[test]
    fn what_was_learnt_from_a_file_reads_that_file(
        values in vec((prop_oneof!["[a-c]{0,2}", Just("(missing)".to_owned())], -3_i32..9, 0_u32..4, label()), 1..60),
    ) {
        let mut text = String::from("word,signed,code,text\n");
        for (word, signed, code, any) in &values {
            let numbers = [i128::from(*signed), i128::from(*code)].map(CsvField::Integer);
            text += &csv_line([CsvField::Text(word), numbers[0], numbers[1], CsvField::Text(any)]);
        }
        let options = CsvOptions::default();
        let learnt = learn_domain(text.as_bytes(), &options).unwrap();
        let schema = DomainFile::parse(&learnt.to_toml()).unwrap().into_schema().unwrap();
        prop_assert_eq!(schema.domain().provenance(), Provenance::LearntFromData);
        let data = read_csv(text.as_bytes(), &schema, &options).unwrap();
        prop_assert_eq!(data.rows(), values.len());
        for (row, (word, signed, code, any)) in values.iter().enumerate() {
            for (attribute, text) in [word.clone(), signed.to_string(), code.to_string(), any.clone()].iter().enumerate() {
                let label = &schema.domain().attributes()[attribute].labels()[data.codes(attribute).nth(row).unwrap() as usize];
                prop_assert_eq!(label, if text.is_empty() { MISSING_LABEL } else { text });
            }
        }
    }
}

#[test]
fn counting_while_reading_is_counting_after_reading() {
    // More rows than one block holds.
    let text = std::iter::once("a,b\n".to_owned())
        .chain((0..150_000_u64).map(|row| format!("{},{}\n", row * row % 20, row * 7 % 10)))
        .collect::<String>();
    let attributes = vec![AttributeSpec::of_size("b", 10), AttributeSpec::of_size("a", 20)];
    let schema = Schema::new(attributes, Provenance::Public).unwrap();
    let sets: Vec<AttrSet> = schema.domain().all().subsets().collect();
    let options = CsvOptions::default();
    let streamed = tabulate_csv(text.as_bytes(), &schema, &options, &sets).unwrap();
    let data = read_csv(text.as_bytes(), &schema, &options).unwrap();
    assert_eq!(streamed, data.marginals(&sets).unwrap());
    assert_eq!(streamed[0].cells(), [150_000]);

    let none = tabulate_csv("a,b\n".as_bytes(), &schema, &options, &sets).unwrap_err();
    assert_eq!(none.code(), "E0302");
    let late = format!("{text}20,0\n");
    let error = tabulate_csv(late.as_bytes(), &schema, &options, &sets).unwrap_err();
    assert_eq!((error.line(), error.code()), (150_002, "E0318"));
    let foreign = tabulate_csv(text.as_bytes(), &schema, &options, &[AttrSet::single(2)]).unwrap_err();
    assert_eq!(foreign.code(), "E0605");
}
