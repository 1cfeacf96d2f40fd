#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod limits;

mod error;
mod explain;

mod basis;
mod coder;
mod schema;

mod dialect;
mod nearest;
mod parse;

mod bin_names;
mod domain_file;
mod domain_toml;

mod record;
mod records;

mod basis_file;
mod jj;
mod learn;
mod markup;
mod read;
mod texts;

mod coded;
mod microdata;
mod other_formats;
mod tabulate;

mod lines;
mod writer;

mod columnar;
mod tables;

pub mod storage;
pub mod unfinished;

mod target;

mod kept;
mod output;

pub use basis::{BasisKind, BasisSpec};
pub use basis_file::{QueryFile, TreeNodes, read_hierarchy, read_queries};
pub use bin_names::bin_names;
pub use coded::{CodedColumn, CodedColumnBuilder, CodedTable};
pub use columnar::{GROUP_ROWS, ParquetColumn, ParquetFile, ParquetLabels};
pub use dialect::{DecimalMark, Dialect, Form};
pub use domain_file::{DomainFile, LeftOut, LeftOutReason};
pub use domain_toml::quoted as toml_text;
pub use error::{DataError, Defect, SchemaError};
pub use explain::{EXPLANATIONS, explain};
pub use jj::{JjCell, JjDefect, JjError, JjFile, JjRelation, JjStatus, decimal_text, read_jj, read_jj_amounts};
pub use kept::{make_owner_folder, remove_if_there};
pub use learn::{LearnSpec, MAX_LEARNT_LABELS, learn_coded, learn_domain, learn_domain_with};
pub use limits::{MAX_CATEGORIES, MAX_DOMAIN_BYTES};
pub use lines::{CsvLines, Decimals, csv_fields};
pub use markup::{MarkupCounts, MarkupError, MarkupScan};
pub use microdata::{Microdata, RowsError};
pub use nearest::{did_you_mean, nearest};
pub use other_formats::{TextRowBuffer, count_of_field};
pub use output::{FileOptions, OutputDir, OutputError, write_atomic, write_atomic_with, write_private};
pub use parse::{TextError, TextPlace, parse_toml};
pub use read::{CsvOptions, fields_of_line, read_csv, tabulate_csv};
pub use record::Encoding;
pub use schema::{AttributeSpec, MISSING_LABEL, MissingPolicy, Schema};
pub use tables::{ColumnKind, TableFormat, TableWriter};
pub use tabulate::MAX_CELLS;
pub use texts::{TextRow, TextRows};
pub use writer::{CsvField, CsvTable, CsvWriter, cell_labels, combinations, csv_line};
