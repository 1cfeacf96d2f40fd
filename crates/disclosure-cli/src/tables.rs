//! How tables are written, as an argument of several commands.

use std::path::Path;

use disclosure_jobs::privacy_data::TableFormat;

/// What the command line says about the form of tables.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct TablesArgs {
    /// How tables are written; what the job says by default, which is csv where it says nothing
    #[arg(long, value_name = "FORMAT")]
    tables: Option<FormatName>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum FormatName {
    /// Text (RFC 4180)
    Csv,
    /// Columns with their types, for programs
    Parquet,
}

impl TablesArgs {
    /// The format that was asked for.
    pub(crate) fn format(self) -> Option<TableFormat> {
        self.tables.map(|name| match name {
            FormatName::Csv => TableFormat::Csv,
            FormatName::Parquet => TableFormat::Parquet,
        })
    }
}

/// The format of a single file: what was asked for, else what its name says.
pub(crate) fn format_of(tables: TablesArgs, path: &Path) -> TableFormat {
    tables.format().unwrap_or_else(|| TableFormat::of_path(path))
}
