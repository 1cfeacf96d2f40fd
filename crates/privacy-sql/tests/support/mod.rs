//! Seeded tables with everything that is hard, as CSV, Parquet, Arrow, and a folder of partitions.
#![allow(dead_code, reason = "every file of tests uses some of it")]
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, Int32Array, StringArray};
use datafusion::arrow::ipc::writer::FileWriter;
use datafusion::arrow::record_batch::RecordBatch;
use disclosure_jobs::JobError;
use disclosure_jobs::input::{FormatSpec, SourceRequest};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use privacy_core::Provenance;
use privacy_core::stop::StopFlag;
use privacy_data::{AttributeSpec, MissingPolicy, Schema};
use privacy_sql::{EngineSource, FileOpener};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

/// Labels that end a query, a quote, a line or a text, and some that look alike.
pub(crate) const HOSTILE: [&str; 9] = [
    "plain",
    "'; DROP TABLE data; --",
    "a \"quoted\" label",
    "two\nlines, and a comma",
    "größe",
    "gro\u{308}ße",
    "раура\u{443}",
    "100% $1 {} \\",
    "a label that is much longer than twelve bytes",
];

/// A table in columns.
pub(crate) struct Table {
    pub(crate) town: Vec<Option<&'static str>>,
    pub(crate) age: Vec<Option<i32>>,
    pub(crate) income: Vec<f64>,
    pub(crate) many: Vec<String>,
    pub(crate) user: Vec<Option<i32>>,
}

impl Table {
    /// As many rows from a seed: NULLs, skew, groups of one, categories that nobody has.
    pub(crate) fn seeded(seed: u8, rows: usize) -> Self {
        let mut rng = ChaCha20Rng::from_seed([seed; 32]);
        let mut draw = |below: u32| rng.next_u32() % below;
        let mut table = Self { town: vec![], age: vec![], income: vec![], many: vec![], user: vec![] };
        for _ in 0..rows {
            // The last label is nobody's, the first that of most.
            let town = (draw(8) * draw(8) / 8) as usize;
            table.town.push((draw(20) > 0).then(|| HOSTILE[town]));
            table.age.push((draw(30) > 0).then(|| draw(90) as i32));
            table.income.push(f64::from(draw(4000)) / 4.0);
            table.many.push(format!("c{}", draw(1000)));
            table.user.push((draw(25) > 0).then(|| draw(1 + rows as u32 / 3) as i32));
        }
        table
    }

    pub(crate) fn rows(&self) -> usize {
        self.age.len()
    }

    pub(crate) fn csv(&self) -> String {
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let number = |number: Option<i32>| number.map_or_else(String::new, |number| number.to_string());
        let mut csv = String::from("\"to\"\"wn; --\",age,income,many,user\n");
        for row in 0..self.rows() {
            let town = self.town[row].map_or_else(String::new, quoted);
            let (age, income) = (number(self.age[row]), self.income[row]);
            csv.push_str(&format!("{town},{age},{income},{},{}\n", self.many[row], number(self.user[row])));
        }
        csv
    }

    pub(crate) fn batch(&self) -> RecordBatch {
        let town: ArrayRef = Arc::new(StringArray::from(self.town.clone()));
        let age: ArrayRef = Arc::new(Int32Array::from(self.age.clone()));
        let income: ArrayRef = Arc::new(Float64Array::from(self.income.clone()));
        let many: ArrayRef = Arc::new(StringArray::from(self.many.clone()));
        let user: ArrayRef = Arc::new(Int32Array::from(self.user.clone()));
        let columns = [
            (TOWN, town, true),
            ("age", age, true),
            ("income", income, true),
            ("many", many, true),
            ("user", user, true),
        ];
        RecordBatch::try_from_iter_with_nullable(columns).unwrap()
    }
}

/// A column whose name ends an identifier of SQL and a statement.
pub(crate) const TOWN: &str = "to\"wn; --";

/// The schema of the table, with a category for missing values where it has some.
pub(crate) fn attributes() -> Vec<AttributeSpec> {
    let missing = Some(MissingPolicy::Category);
    vec![
        AttributeSpec { missing, ..AttributeSpec::of_labels(TOWN, HOSTILE) },
        AttributeSpec { missing, ..AttributeSpec::of_size("age", 90) },
        AttributeSpec::of_bins("income", [0.0, 0.5, 10.25, 500.0, 1000.0]),
        AttributeSpec::of_labels("many", (0..1000).map(|label| format!("c{label}"))),
    ]
}

pub(crate) fn schema() -> Schema {
    Schema::new(attributes(), Provenance::Public).unwrap()
}

/// Row groups of a few rows, so that partitions share them.
pub(crate) fn write_parquet(path: &Path, batch: &RecordBatch) {
    let rows = (batch.num_rows() / 7).max(1);
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(rows)).build();
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

pub(crate) fn write_arrow(path: &Path, batch: &RecordBatch) {
    let mut writer = FileWriter::try_new(File::create(path).unwrap(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}

/// The source at a path, read by this many threads.
pub(crate) fn source(path: &Path, threads: usize) -> Result<EngineSource, JobError> {
    source_with(path, threads, &FormatSpec::default())
}

pub(crate) fn source_with(path: &Path, threads: usize, format: &FormatSpec) -> Result<EngineSource, JobError> {
    let stop = StopFlag::never();
    let request = SourceRequest { name: path, format, stop: &stop };
    FileOpener::with_threads(threads).source(&request).map(|source| source.expect("a file of columns"))
}
