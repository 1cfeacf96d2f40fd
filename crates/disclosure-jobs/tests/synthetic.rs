//! Synthetic people from a stored measurement.

use std::collections::BTreeMap;
use std::io::Cursor;

use disclosure_jobs::disclosure::privacy_core::promise::PromiseKind;
use disclosure_jobs::input::{CsvSource, MemoryFiles};
use disclosure_jobs::ledger::Uncounted;
use disclosure_jobs::limits::Limits;
use disclosure_jobs::marginals::{Job, Measurement};
use disclosure_jobs::observer::Silent;
use disclosure_jobs::privacy_data::TableFormat;
use disclosure_jobs::sink::MemorySink;
use disclosure_jobs::synthetic::{SynthesisRequest, SyntheticDocument, TooLarge};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

const ATTRIBUTES: &str = r#"
    [[attribute]]
    name = "sex"
    labels = ["f", "m"]
    [[attribute]]
    name = "age"
    labels = ["young", "middle", "old, retired"]
    [[attribute]]
    name = "works"
    labels = ["no", "yes"]
    [[attribute]]
    name = "region"
    labels = ["n", "e", "s", "w"]
"#;

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

/// 2,400 people: who is old does not work, women live in the north and the east more often.
fn people() -> String {
    let mut rows = "sex,age,works,region\n".to_owned();
    for number in 0..2400 {
        let (sex, age) = (["f", "m"][number % 2], ["young", "middle", "\"old, retired\""][number / 2 % 3]);
        let works = if number / 2 % 3 == 2 { "no" } else { ["no", "yes", "yes"][number / 6 % 3] };
        let region = if number % 2 == 0 { ["n", "e", "n", "s"] } else { ["s", "w", "w", "e"] }[number / 18 % 4];
        rows += &format!("{sex},{age},{works},{region}\n");
    }
    rows
}

fn measurement(keys: &str, rho: f64) -> Measurement<Cursor<Vec<u8>>> {
    let spec = format!("{keys}\nneighbours = \"add-remove\"\n[privacy]\nrho = {rho:?}\n{ATTRIBUTES}");
    let planned = Job::parse(&spec, &MemoryFiles::default()).unwrap().plan(&Limits::default(), &Silent).unwrap();
    let rows = CsvSource::bytes("rows.csv", people().into_bytes());
    let released = planned.read(&rows, &Silent).unwrap().release(&mut Uncounted, &mut rng(7)).unwrap();
    let mut sink = MemorySink::default();
    released.write(&mut sink, &Silent).unwrap();
    let file = Cursor::new(sink.files()["measurement.bin"].clone());
    Measurement::open("measurement.bin", file, &Limits::default()).unwrap()
}

/// The document, the lines of the CSV.
fn synthesise(keys: &str, rho: f64, request: &SynthesisRequest) -> (SyntheticDocument, Vec<String>) {
    let synthesis = measurement(keys, rho).synthesise(request, &mut rng(9)).unwrap();
    let mut sink = MemorySink::default();
    synthesis.write(TableFormat::Csv, &mut sink, "rows.csv").unwrap();
    let text = String::from_utf8(sink.files()["rows.csv"].clone()).unwrap();
    (synthesis.document().clone(), text.lines().map(str::to_owned).collect())
}

const CHAIN: &str = "marginals = [[\"sex\", \"region\"], [\"sex\", \"age\"], [\"age\", \"works\"]]";

#[test]
fn rows_have_the_columns_and_labels_of_the_domain_and_the_measured_tables() {
    let request = SynthesisRequest { rows: Some(2400), ..SynthesisRequest::default() };
    let (document, lines) = synthesise(CHAIN, 50.0, &request);
    assert_eq!((lines[0].as_str(), lines.len()), ("sex,age,works,region", 2401));
    let mut counts: BTreeMap<&str, i32> = BTreeMap::new();
    for line in &lines[1..] {
        let (sex, rest) = line.split_once(',').unwrap();
        assert!(["f", "m"].contains(&sex), "{line}");
        let (age, rest) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once("\",").unwrap(),
            None => rest.split_once(',').unwrap(),
        };
        let (works, region) = rest.split_once(',').unwrap();
        assert!(["no", "yes"].contains(&works) && ["n", "e", "s", "w"].contains(&region), "{line}");
        *counts.entry(if age == "old, retired" && works == "yes" { "odd" } else { age }).or_insert(0) += 1;
    }
    // 800 of each age, and nobody who is old works; noise has a standard deviation below 1.
    for age in ["young", "middle", "old, retired"] {
        assert!((counts[age] - 800).abs() < 12, "{counts:?}");
    }
    assert!(counts.get("odd").is_none_or(|odd| *odd < 8), "{counts:?}");
    assert_eq!(document.rows, 2400);
    for marginal in &document.marginals {
        assert!(marginal.in_model && marginal.distance < 0.01, "{marginal:?}");
        let bound = marginal.error_bound95.unwrap();
        assert!(marginal.distance <= bound && bound < 0.03, "{marginal:?}");
    }
    assert!(document.left_out.is_empty() && document.fit.gap.is_finite() && document.fit.loss > 0.0);
}

#[test]
fn the_promise_is_that_of_the_measurement() {
    let (document, lines) = synthesise(CHAIN, 0.5, &SynthesisRequest::default());
    let promise = document.promise.unwrap();
    assert_eq!((promise.kind, promise.guarantee.as_ref()), (PromiseKind::Guarantee, "0.5-zCDP"));
    assert!(document.statements[0].contains("0.5-zCDP") && document.statements[1].contains("synthetic"));
    // As many rows as were measured, which is not the exact number of people.
    assert_eq!(lines.len() as u32 - 1, document.rows);
    assert_eq!(f64::from(document.rows), document.measured_total.round());
}

#[test]
fn the_same_measurement_and_coins_give_the_same_rows_and_other_coins_do_not() {
    let rows = |seed: u8| {
        let synthesis = measurement(CHAIN, 0.5).synthesise(&SynthesisRequest::default(), &mut rng(seed)).unwrap();
        let mut sink = MemorySink::default();
        synthesis.write(TableFormat::Csv, &mut sink, "rows.csv").unwrap();
        sink.files()["rows.csv"].clone()
    };
    assert_eq!(rows(1), rows(1));
    assert_ne!(rows(1), rows(2));
}

#[test]
fn structural_zeros_have_no_row_and_wrong_ones_are_refused() {
    let zero = |text: &str| SynthesisRequest { zeros: vec![text.to_owned()], ..SynthesisRequest::default() };
    let (_, lines) = synthesise(CHAIN, 0.01, &zero("works=yes,\"age=old, retired\""));
    assert!(!lines.iter().any(|line| line.contains("\"old, retired\",yes")));
    for text in ["age=ancient", "height=tall", "sex=f,sex=m", "sex"] {
        let refused = measurement(CHAIN, 0.5).synthesise(&zero(text), &mut rng(1)).unwrap_err();
        assert!(refused.has_code("E0287"), "{text}: {refused}");
    }
    let nobody = SynthesisRequest { zeros: vec!["sex=f".into(), "sex=m".into()], ..SynthesisRequest::default() };
    assert!(measurement(CHAIN, 0.5).synthesise(&nobody, &mut rng(1)).unwrap_err().has_code("E0287"));
}

#[test]
fn a_model_that_is_too_large_names_its_attributes_or_keeps_the_strongest_tables() {
    let request = SynthesisRequest { most_cells: 8, ..SynthesisRequest::default() };
    let refused = measurement("up_to = 2", 50.0).synthesise(&request, &mut rng(1)).unwrap_err();
    assert!(refused.has_code("E0681") && refused.to_string().contains("\"region\""), "{refused}");
    let (document, _) = synthesise("up_to = 2", 50.0, &SynthesisRequest { too_large: TooLarge::Choose, ..request });
    let held = |one: &str, other: &str| {
        let names = [one.to_owned(), other.to_owned()];
        document.marginals.iter().any(|marginal| marginal.attributes == names && marginal.in_model)
    };
    // The pairs that depend on each other; no pair has room that would close a ring of three.
    assert!(held("sex", "region") && held("age", "works"), "{:?}", document.cliques);
    assert!(document.left_out.contains(&vec!["age".to_owned(), "region".to_owned()]));
    assert!(document.cliques.iter().all(|clique| clique.len() <= 2), "{:?}", document.cliques);
}

/// The distance of the rows from the measured table of a pair.
fn distance(document: &SyntheticDocument, one: &str, other: &str) -> f64 {
    let names = [one.to_owned(), other.to_owned()];
    document.marginals.iter().find(|marginal| marginal.attributes == names).unwrap().distance
}

/// With room for one pair at a time, the pairs of a ring of three fit all the same.
#[test]
fn weights_fit_all_planned_tables_where_the_model_would_be_too_large() {
    let choose = SynthesisRequest { most_cells: 8, too_large: TooLarge::Choose, ..SynthesisRequest::default() };
    let (chosen, _) = synthesise("up_to = 2", 50.0, &choose);
    assert_eq!(chosen.weighted_people, None);
    let weight = SynthesisRequest { too_large: TooLarge::Weight, ..choose };
    let (weighted, lines) = synthesise("up_to = 2", 50.0, &weight);
    assert_eq!((weighted.weighted_people, lines.len()), (Some(10_000), 2401));
    assert!(weighted.left_out.is_empty() && weighted.marginals.iter().all(|marginal| marginal.in_model));
    assert!(weighted.statements.iter().any(|statement| statement.contains("weighted so that all planned marginals")));
    // Sex and works are independent in the data but not given what the narrow model holds.
    for (one, other) in [("sex", "age"), ("sex", "works"), ("age", "region"), ("works", "region")] {
        assert!(distance(&weighted, one, other) < 0.01, "{one} {other}: {}", distance(&weighted, one, other));
    }
    // Where the model fits, weights are not needed.
    let (whole, _) = synthesise("up_to = 2", 50.0, &SynthesisRequest { most_cells: 1000, ..weight.clone() });
    assert_eq!(whole.weighted_people, None);
    // No row has what nobody can have.
    let zeros = SynthesisRequest { zeros: vec!["sex=f,works=yes".into()], ..weight };
    let (_, lines) = synthesise("up_to = 2", 0.5, &zeros);
    assert!(lines[1..].iter().all(|line| !(line.starts_with("f,") && line.contains(",yes,"))));
}

#[test]
fn prefix_queries_are_fitted_as_well() {
    let keys = CHAIN.to_owned();
    let spec = |attributes: &str| format!("{keys}\nneighbours = \"add-remove\"\n[privacy]\nrho = 50.0\n{attributes}");
    let prefix = ATTRIBUTES.replace("labels = [\"n\", \"e\", \"s\", \"w\"]", "$0\n    basis = \"prefix\"");
    let prefix = prefix.replace("$0", "labels = [\"n\", \"e\", \"s\", \"w\"]");
    let planned = Job::parse(&spec(&prefix), &MemoryFiles::default()).unwrap();
    let planned = planned.plan(&Limits::default(), &Silent).unwrap();
    let rows = CsvSource::bytes("rows.csv", people().into_bytes());
    let released = planned.read(&rows, &Silent).unwrap().release(&mut Uncounted, &mut rng(7)).unwrap();
    let mut sink = MemorySink::default();
    released.write(&mut sink, &Silent).unwrap();
    let file = Cursor::new(sink.files()["measurement.bin"].clone());
    let mut measurement = Measurement::open("m", file, &Limits::default()).unwrap();
    let synthesis = measurement.synthesise(&SynthesisRequest::default(), &mut rng(3)).unwrap();
    let table = &synthesis.document().marginals[0];
    assert_eq!(table.attributes, ["sex", "region"]);
    assert!(table.distance < 0.01 && table.error_bound95.is_none(), "{table:?}");
}

/// The proxy of pairs that were not measured, against the truth: how often it covers is what
/// `docs/math/synthetic-people.md` says of the same people.
#[test]
fn estimates_of_unmeasured_pairs_cover_people_who_are_like_the_model() {
    let request = SynthesisRequest { errors: true, ..SynthesisRequest::default() };
    let (document, lines) = synthesise(CHAIN, 0.5, &request);
    let pairs: Vec<&[String]> = document.unmeasured.iter().map(|pair| pair.attributes.as_slice()).collect();
    assert_eq!(pairs, [["sex", "works"], ["age", "region"], ["works", "region"]]);
    assert!(document.statements.last().unwrap().contains("a proxy"));
    let truth: Vec<Vec<String>> = people().lines().skip(1).map(fields).collect();
    let drawn: Vec<Vec<String>> = lines[1..].iter().map(|line| fields(line)).collect();
    for (pair, columns) in document.unmeasured.iter().zip([[0, 2], [1, 3], [2, 3]]) {
        let (exact, have) = (shares(&truth, columns), shares(&drawn, columns));
        let keys: std::collections::BTreeSet<_> = exact.keys().chain(have.keys()).collect();
        let share = |shares: &BTreeMap<_, f64>, key: &_| shares.get(key).copied().unwrap_or(0.0);
        let distance: f64 =
            keys.into_iter().map(|key| (share(&exact, key) - share(&have, key)).abs()).sum::<f64>() / 2.0;
        let (noise, estimate) = (pair.noise95, pair.error_estimate.unwrap());
        // These people are independent where the model says so, but for a little: 2,400 in turn.
        assert!(distance <= noise + 0.02 && noise < 0.1, "{pair:?}: {distance}");
        // Who is old does not work, a distance of 8 / 27 from independence.
        assert!((pair.dependence.unwrap() - 8.0 / 27.0).abs() < 0.04 && distance <= estimate, "{pair:?}: {distance}");
    }
    assert!(synthesise(CHAIN, 0.5, &SynthesisRequest::default()).0.unmeasured.is_empty());
}

fn fields(line: &str) -> Vec<String> {
    line.replace("\"old, retired\"", "old").split(',').map(str::to_owned).collect()
}

fn shares(rows: &[Vec<String>], [one, other]: [usize; 2]) -> BTreeMap<(String, String), f64> {
    let mut shares = BTreeMap::new();
    for row in rows {
        *shares.entry((row[one].clone(), row[other].clone())).or_insert(0.0) += 1.0 / rows.len() as f64;
    }
    shares
}

/// Four columns of values and six of a draw, 4 bytes each: 40 a row.
#[test]
fn no_more_rows_are_drawn_than_memory_is_for() {
    let request = SynthesisRequest { memory_bytes: 40_000, ..SynthesisRequest::default() };
    let (document, lines) = synthesise(CHAIN, 50.0, &request);
    assert_eq!((document.rows, lines.len()), (1000, 1001));
    assert!(document.statements.iter().any(|said| said.contains("fewer than the measured total")));
    let (document, _) = synthesise(CHAIN, 50.0, &SynthesisRequest { rows: Some(1000), ..request.clone() });
    assert!(!document.statements.iter().any(|said| said.contains("fewer than the measured total")));
    let asked = SynthesisRequest { rows: Some(1001), ..request };
    assert!(measurement(CHAIN, 50.0).synthesise(&asked, &mut rng(9)).is_err_and(|error| error.has_code("E0611")));
}
