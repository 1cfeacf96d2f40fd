//! Tables in Parquet are those in CSV, to the bit: every kind of release is written in both
//! formats under one generator, and read back.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;

use disclosure_jobs::JobError;
use disclosure_jobs::adaptive::AdaptiveJob;
use disclosure_jobs::disclosure::privacy_core::prf::Secret;
use disclosure_jobs::document::FileDigest;
use disclosure_jobs::input::{CsvSource, MemoryFiles};
use disclosure_jobs::ledger::Uncounted;
use disclosure_jobs::limits::Limits;
use disclosure_jobs::marginals::{Job, Measurement};
use disclosure_jobs::observer::Silent;
use disclosure_jobs::page::{PageLimits, StoredRelease};
use disclosure_jobs::pipeline;
use disclosure_jobs::privacy_data::TableFormat;
use disclosure_jobs::sink::MemorySink;
use disclosure_jobs::synthetic::SynthesisRequest;
use parquet::basic::Encoding;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

/// Labels with commas, quotes, line feeds, points, and letters of several alphabets.
const ATTRIBUTES: &str = r#"
    [[attribute]]
    name = "sex, of person"
    labels = ["f", "m"]
    [[attribute]]
    name = "a.ge"
    labels = ["jünger", "old, \"retired\"", "two\nlines"]
    [[attribute]]
    name = "région"
    labels = ["北", "=1+1", "", " w "]
"#;

type Files = BTreeMap<String, Vec<u8>>;

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::from_seed([7; 32])
}

fn people() -> CsvSource {
    let mut rows = "\"sex, of person\",a.ge,région\n".to_owned();
    for number in 0..240 {
        let age = ["jünger", "\"old, \"\"retired\"\"\"", "\"two\nlines\""][number / 2 % 3];
        // Eight people live in the last region.
        let region = ["北", "\"=1+1\"", "\"\"", "\" w \""][if number % 60 < 2 { 3 } else { number / 7 % 3 }];
        rows += &format!("{},{age},{region}\n", ["f", "m"][number % 2]);
    }
    CsvSource::bytes("rows.csv", rows.into_bytes())
}

fn noisy(keys: &str) -> Files {
    let spec = format!("{keys}\nneighbours = \"add-remove\"\n[privacy]\nrho = 0.25\n{ATTRIBUTES}");
    let planned = Job::parse(&spec, &MemoryFiles::default()).unwrap().plan(&Limits::default(), &Silent).unwrap();
    let released = planned.read(&people(), &Silent).unwrap().release(&mut Uncounted, &mut rng()).unwrap();
    let mut sink = MemorySink::default();
    released.write(&mut sink, &Silent).unwrap();
    sink.files().clone()
}

/// Lines of texts; `None` is an empty field that no quotes are around.
fn lines_of_csv(bytes: &[u8]) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes);
    reader.records().map(|line| line.unwrap().iter().map(str::to_owned).collect()).collect()
}

fn reader(bytes: &[u8]) -> SerializedFileReader<File> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    SerializedFileReader::new(file).unwrap()
}

/// Lines of fields below a line of names.
fn lines_of_parquet(bytes: &[u8]) -> (Vec<String>, Vec<Vec<Field>>) {
    let reader = reader(bytes);
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let names = schema.columns().iter().map(|column| column.name().to_owned()).collect();
    let rows = reader.get_row_iter(None).unwrap();
    (names, rows.map(|row| row.unwrap().get_column_iter().map(|(_, field)| field.clone()).collect()).collect())
}

/// Compares a table with its twin, and returns how many fields of each kind there are: labels,
/// whole numbers, numbers, nothing.
fn compare(csv: &[u8], parquet: &[u8]) -> [usize; 4] {
    let lines = lines_of_csv(csv);
    let (names, rows) = lines_of_parquet(parquet);
    assert_eq!(lines[0], names);
    assert_eq!(lines.len() - 1, rows.len());
    let mut seen = [0; 4];
    for (texts, fields) in lines[1..].iter().zip(&rows) {
        assert_eq!(texts.len(), fields.len());
        for (text, field) in texts.iter().zip(fields) {
            let kind = match field {
                Field::Str(label) => {
                    assert_eq!(label, text);
                    0
                }
                Field::Long(number) => {
                    assert_eq!(number.to_string(), *text);
                    1
                }
                Field::Double(number) => {
                    assert_eq!(number.to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
                    2
                }
                Field::Null => {
                    assert_eq!(text, "");
                    3
                }
                other => panic!("{other:?}"),
            };
            seen[kind] += 1;
        }
    }
    seen
}

/// Compares two releases: the same tables by names with other ends, and the same of everything else
/// but the digests.
fn compare_all(csv: &Files, parquet: &Files) -> [usize; 4] {
    assert_eq!(csv.len(), parquet.len());
    let mut seen = [0; 4];
    for (name, bytes) in csv {
        let Some(stem) = name.strip_suffix(".csv") else {
            assert!(parquet.contains_key(name), "{name}");
            continue;
        };
        let kinds = compare(bytes, &parquet[&format!("{stem}.parquet")]);
        seen.iter_mut().zip(kinds).for_each(|(seen, kind)| *seen += kind);
    }
    seen
}

#[test]
fn marginals_have_the_same_noise_in_both_formats() {
    let keys = "up_to = 3\nafter = [\"nonnegative\", \"rounded\"]";
    let (csv, parquet) = (noisy(keys), noisy(&format!("{keys}\ntables = \"parquet\"")));
    let [labels, whole, numbers, none] = compare_all(&csv, &parquet);
    // 60 answers in 8 tables: four numbers each, and one in each of two adjusted tables.
    assert_eq!((whole, numbers, none), (0, 60 * 6, 0));
    assert!(labels > 60 * 4);
    for same in ["measurement.bin", "plan.json"] {
        assert_eq!(csv[same], parquet[same], "{same}");
    }
    // The negative control: other noise is seen.
    let other = csv["7-sex--of-person_by_a-ge_by_r-gion.csv"].clone();
    let text = String::from_utf8(other).unwrap().replacen('1', "2", 1);
    let twin = &parquet["7-sex--of-person_by_a-ge_by_r-gion.parquet"];
    assert!(std::panic::catch_unwind(|| compare(text.as_bytes(), twin)).is_err());
}

fn stored(files: &Files) -> Result<StoredRelease, JobError> {
    let files = files.iter().fold(MemoryFiles::default(), |files, (name, bytes)| files.with(name, bytes.clone()));
    StoredRelease::read(&files, PageLimits::default())
}

#[test]
fn the_record_lists_files_of_parquet_with_their_digests_and_the_page_names_them() {
    let mut files = noisy("up_to = 1\ntables = \"parquet\"");
    let record: serde_json::Value = serde_json::from_slice(&files["release.json"]).unwrap();
    for file in record["files"].as_array().unwrap() {
        let name = file["name"].as_str().unwrap();
        let digest = FileDigest::of_bytes(name, &files[name]);
        assert_eq!(digest.sha256, file["sha256"].as_str().unwrap());
    }
    let page = format!("{:?}", stored(&files).unwrap().page());
    assert!(page.contains("0-total.parquet") && page.contains("a Parquet file"));
    files.get_mut("0-total.parquet").unwrap()[8] ^= 1;
    assert!(stored(&files).is_err(), "a changed file is found");
}

#[test]
fn the_bytes_are_the_same_again_and_labels_have_dictionaries() {
    let keys = "up_to = 3\ntables = \"parquet\"";
    let files = noisy(keys);
    assert_eq!(files, noisy(keys));
    let reader = reader(&files["7-sex--of-person_by_a-ge_by_r-gion.parquet"]);
    let created = reader.metadata().file_metadata().created_by().unwrap();
    assert!(created.starts_with("disclosure version "), "{created}");
    let group = reader.metadata().row_group(0);
    for column in group.columns().iter().take(3) {
        assert!(column.encodings().any(|encoding| encoding == Encoding::RLE_DICTIONARY));
        assert!(column.dictionary_page_offset().is_some());
    }
}

#[test]
fn answers_of_a_stored_measurement_and_rows_of_people_are_the_same() {
    let files = noisy("up_to = 2");
    let open = || {
        let file = std::io::Cursor::new(files["measurement.bin"].clone());
        Measurement::open("measurement.bin", file, &Limits::default()).unwrap()
    };
    let written = |format: TableFormat| {
        let mut sink = MemorySink::default();
        let mut measurement = open();
        let requests = measurement.all();
        measurement.write(&requests, format, &mut sink).unwrap();
        let mut rows = MemorySink::default();
        let request = SynthesisRequest { rows: Some(500), ..SynthesisRequest::default() };
        let synthesis = measurement.synthesise(&request, &mut rng()).unwrap();
        synthesis.write(format, &mut rows, &format!("rows.{}", format.extension())).unwrap();
        (sink.files().clone(), rows.files().clone())
    };
    let (csv, parquet) = (written(TableFormat::Csv), written(TableFormat::Parquet));
    assert!(compare_all(&csv.0, &parquet.0)[2] > 100);
    assert_eq!(compare_all(&csv.1, &parquet.1), [1_500, 0, 0, 0]);
}

#[test]
fn adaptive_releases_are_the_same() {
    let files = |keys: &str| {
        let spec = format!(
            "up_to = 2\nrounds = 5\n{keys}\nneighbours = \"add-remove\"\n[privacy]\nrho = 1.0\n{ATTRIBUTES}\n\
             [[structural_zeros]]\n\"sex, of person\" = \"f\"\n\"a.ge\" = \"jünger\"\n"
        );
        let planned = AdaptiveJob::parse(&spec, &MemoryFiles::default()).unwrap().plan(&Limits::default()).unwrap();
        let ready = planned.read(&people(), &Silent).unwrap();
        let mut sink = MemorySink::default();
        ready.release(&mut Uncounted, &Silent, &mut rng()).unwrap().write(&mut sink).unwrap();
        sink.files().clone()
    };
    let parquet = files("tables = \"parquet\"");
    assert!(parquet.contains_key("rows.parquet"));
    assert!(compare_all(&files(""), &parquet)[0] > 600);
}

#[test]
fn every_part_of_a_pipeline_is_written_in_the_format_of_the_job() {
    let spec = |tables: &str| {
        format!(
            "{tables}\n[budget]\nrho = 0.5\nneighbours = \"add-remove\"\n[exact]\nmargins = [[\"a.ge\"]]\ntau = 0\n\
             min_frequency = 1\ndecide_on = \"counts\"\n[filtered]\n\
             group_by = [\"a.ge\"]\nentity = \"row\"\nalways_suppress_upper_bound = 2\nmean = 8.0\nsd = 1.5\n\
             counts = \"exact\"\n[noisy]\nup_to = 1\n{ATTRIBUTES}"
        )
    };
    let files = |text: &str, asked: Option<TableFormat>| {
        let files = MemoryFiles::default();
        let job = pipeline::Job::parse(text, &files).unwrap().with_secret(Secret::new(&[7; 32]).unwrap());
        let job = job.with_tables(asked);
        let released = job.plan(&people(), &Silent).unwrap().release(&mut Uncounted, &mut rng()).unwrap();
        let mut sink = MemorySink::default();
        released.write(&mut sink, &Silent).unwrap();
        sink.files().clone()
    };
    let (csv, parquet) = (spec(""), spec("tables = \"parquet\""));
    let written = files(&parquet, None);
    for part in ["exact/", "filtered.parquet", "noisy/"] {
        assert!(written.keys().any(|name| name.starts_with(&format!("release/{part}")) && name.ends_with(".parquet")));
    }
    let [labels, whole, numbers, _] = compare_all(&files(&csv, None), &written);
    assert!(labels > 0 && whole > 0 && numbers > 0);
    // What is asked for goes before what the job says.
    assert_eq!(files(&csv, Some(TableFormat::Parquet)).len(), written.len());
    assert!(files(&parquet, Some(TableFormat::Csv)).contains_key("release/filtered.csv"));
    let section = spec("").replace("[noisy]", "[noisy]\ntables = \"parquet\"");
    let refused = pipeline::Job::parse(&section, &MemoryFiles::default()).map(|job| job.plan(&people(), &Silent));
    assert!(!matches!(refused, Ok(Ok(_))), "the format belongs to the whole job");
}

#[test]
fn formats_that_are_none_are_refused_with_the_one_that_was_meant() {
    let spec =
        format!("up_to = 1\ntables = \"parqet\"\nneighbours = \"add-remove\"\n[privacy]\nrho = 1.0\n{ATTRIBUTES}");
    let error = Job::parse(&spec, &MemoryFiles::default()).unwrap_err();
    assert!(error.has_code("E0210") && error.to_string().contains("did you mean \"parquet\"?"), "{error}");
}
