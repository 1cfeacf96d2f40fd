#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
mod explain;

mod coder;
mod schema;

mod parse;

mod domain_file;
mod domain_toml;

mod record;
mod records;

mod learn;
mod read;

mod microdata;
mod tabulate;

mod writer;

mod target;

mod output;

pub use domain_file::{DomainFile, LeftOut, LeftOutReason, MAX_DOMAIN_BYTES};
pub use error::{DataError, Defect, SchemaError};
pub use explain::{EXPLANATIONS, explain};
pub use learn::{MAX_LEARNT_LABELS, learn_domain};
pub use microdata::{Microdata, RowsError};
pub use output::{OutputDir, OutputError, write_atomic};
pub use parse::{TextError, TextPlace, parse_toml};
pub use read::{CsvOptions, read_csv, tabulate_csv};
pub use record::Encoding;
pub use schema::{AttributeSpec, BasisSpec, MAX_CATEGORIES, MISSING_LABEL, MissingPolicy, Schema};
pub use tabulate::MAX_CELLS;
pub use writer::{CsvField, CsvTable, cell_labels, csv_line};
