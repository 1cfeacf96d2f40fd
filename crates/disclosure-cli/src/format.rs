//! The form of a file of rows, and of tables that are written, on the command line.

use std::path::Path;

use disclosure_jobs::input::FormatSpec;
use disclosure_jobs::privacy_data::TableFormat;

/// What the command says about the form of the data; what it does not say is looked for.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct FormatArgs {
    /// Field separator: one character, or tab [default: detected]
    #[arg(long, help_heading = "Form of the data", value_name = "CHAR")]
    separator: Option<String>,
    /// Decimal mark of numbers: . or , [default: detected]
    #[arg(long, help_heading = "Form of the data", value_name = "CHAR")]
    decimal: Option<String>,
    /// Quote character around fields: one character, or none [default: "]
    #[arg(long, help_heading = "Form of the data", value_name = "CHAR")]
    quote: Option<String>,
    /// Sheet of a workbook [default: the first]
    #[arg(long, help_heading = "Form of the data", value_name = "NAME")]
    sheet: Option<String>,
    /// Table of a database [disclosure-sql]
    #[arg(long, help_heading = "Form of the data", value_name = "NAME")]
    table: Option<String>,
    /// Query whose rows are the data; it refers to a file or a folder as the table `data`
    /// [disclosure-sql]
    #[arg(long, help_heading = "Form of the data", value_name = "SQL", conflicts_with = "table")]
    query: Option<String>,
}

impl FormatArgs {
    /// The same, as jobs take it.
    pub(crate) fn spec(&self) -> FormatSpec {
        let Self { separator, decimal, quote, sheet, table, query } = self.clone();
        FormatSpec { separator, decimal, quote, sheet, table, query }
    }
}

/// What the command says about the form of tables.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct TablesArgs {
    /// Format of the tables [default: that of the job, otherwise csv]
    #[arg(long, value_name = "FORMAT")]
    tables: Option<Tables>,
}

/// The format of what a command without a job for it writes.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct OutputTablesArgs {
    /// Format of what -o writes [default: parquet for a file that ends in .parquet, otherwise csv]
    #[arg(long, value_name = "FORMAT", requires = "output")]
    tables: Option<Tables>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Tables {
    /// Comma-separated text (RFC 4180)
    Csv,
    /// Typed columns (Apache Parquet)
    Parquet,
}

impl From<Tables> for TableFormat {
    fn from(tables: Tables) -> Self {
        match tables {
            Tables::Csv => Self::Csv,
            Tables::Parquet => Self::Parquet,
        }
    }
}

impl TablesArgs {
    /// The requested format.
    pub(crate) fn format(self) -> Option<TableFormat> {
        self.tables.map(Into::into)
    }
}

impl OutputTablesArgs {
    /// The requested format; without one, what the name of a file says, and CSV for a directory.
    pub(crate) fn format_of(self, path: &Path) -> TableFormat {
        self.tables.map_or_else(|| TableFormat::of_path(path), Into::into)
    }
}
