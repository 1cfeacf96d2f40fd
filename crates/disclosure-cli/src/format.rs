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

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Tables {
    /// Comma-separated text (RFC 4180)
    Csv,
    /// Typed columns (Apache Parquet)
    Parquet,
}

impl TablesArgs {
    /// The format that was asked for.
    pub(crate) fn format(self) -> Option<TableFormat> {
        self.tables.map(|name| if matches!(name, Tables::Csv) { TableFormat::Csv } else { TableFormat::Parquet })
    }

    /// That of a single file: what was asked for, else what its name says.
    pub(crate) fn format_of(self, path: &Path) -> TableFormat {
        self.format().unwrap_or_else(|| TableFormat::of_path(path))
    }
}
