//! What can be wrong with data and schemas: where it is, a stable code, and never a value.
//!
//! The first digits of a code say whose turn it is: `E01` the file system, `E02` the words of a
//! schema, `E03` the data, `E06` a limit on work and memory. Errors of rows and outputs are
//! beside their types. [`explain`](crate::explain()) has a paragraph on each.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

use privacy_core::domain::DomainError;
use privacy_core::table::CountError;

use crate::limits::{MAX_CATEGORIES, MAX_DOMAIN_BYTES};
use crate::parse::TextError;

/// Gives every variant of an error its code; a variant without one does not compile.
macro_rules! stable_codes {
    ($error:ident { $($variant:ident => $code:literal),+ $(,)? }) => {
        impl $error {
            #[cfg(test)]
            pub(crate) const CODES: &[&str] = &[$($code),+];

            /// The stable code of this error; [`explain`](crate::explain()) says more about it.
            #[must_use]
            pub fn code(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $code),+ }
            }
        }
    };
}
pub(crate) use stable_codes;

/// A defect of a data file, and where it is.
#[derive(Debug)]
pub struct DataError {
    line: u64,
    column: Option<usize>,
    attribute: Option<String>,
    defect: Defect,
}

impl DataError {
    pub(crate) fn at_line(line: u64, defect: Defect) -> Self {
        Self { line, column: None, attribute: None, defect }
    }

    pub(crate) fn at_field(line: u64, column: usize, defect: Defect) -> Self {
        Self { line, column: Some(column), attribute: None, defect }
    }

    pub(crate) fn of(self, attribute: &str) -> Self {
        Self { attribute: Some(attribute.to_owned()), ..self }
    }

    /// The physical line in the file, from 1; the header is on line 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The number of the field in its record, from 1; `None` when the whole record is meant.
    #[must_use]
    pub fn column(&self) -> Option<usize> {
        self.column
    }

    /// The name of the column in the schema; never a name that stands in the data alone.
    #[must_use]
    pub fn attribute(&self) -> Option<&str> {
        self.attribute.as_deref()
    }

    /// What is wrong there.
    #[must_use]
    pub fn defect(&self) -> &Defect {
        &self.defect
    }

    /// The stable code; [`explain`](crate::explain()) says more about it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.defect.code()
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if let Some(column) = self.column {
            write!(f, ", field {column}")?;
        }
        if let Some(attribute) = &self.attribute {
            write!(f, " (column {attribute:?})")?;
        }
        write!(f, ": {}", self.defect)
    }
}

/// The message holds the defect, so the sources begin behind it.
impl Error for DataError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.defect.source()
    }
}

/// What is wrong at one place of a data file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Defect {
    /// The file could not be read to its end. Check the disk or the pipe.
    #[error("the file could not be read to its end")]
    Read(#[source] io::Error),
    /// The count column is also the column of an attribute. Drop one of the two roles.
    #[error("the count column is also the column of an attribute")]
    CountIsAttribute,
    /// Nothing in the file. Check the export.
    #[error("the file is empty; a header line is expected")]
    EmptyFile,
    /// A header and no row. Check the export.
    #[error("the file has a header but no rows")]
    NoRows,
    /// A record has more or fewer fields than the header. Repair the line; a short last line is a
    /// cut-off file.
    #[error("the record has {got} fields, but the header has {expected}")]
    FieldCount {
        /// Fields of the header.
        expected: usize,
        /// Fields of the record.
        got: usize,
    },
    /// Bytes that are not UTF-8. Say that the file is Latin-1, or convert it.
    #[error("the field is not valid UTF-8; if the file is Latin-1 (Windows-1252), declare it")]
    NotUtf8,
    /// A zero byte: a damaged or binary file, or UTF-16 without a byte order mark. Convert to
    /// UTF-8.
    #[error("the field contains a NUL byte; is the file UTF-16 or binary?")]
    NulByte,
    /// The file begins with the byte order mark of UTF-16 or UTF-32. Convert to UTF-8.
    #[error("the file is UTF-16 or UTF-32; convert it to UTF-8")]
    Utf16,
    /// The file is of another format: a workbook, a Parquet file, compressed. Read it with the
    /// program that wrote it, and export text.
    #[error("this is {format}, not a text file with one row per line")]
    OtherFormat {
        /// What its first bytes say.
        format: &'static str,
    },
    /// A separator and a quote that are the same byte, a line break, or not ASCII.
    #[error("the separator and the quote must be two different ASCII characters other than line breaks")]
    Dialect,
    /// Two columns have the same name. Rename one in the header.
    #[error("field {first} of the header has the same name")]
    DuplicateColumn {
        /// Number of the first field with that name, from 1.
        first: usize,
    },
    /// The header lacks a column of the schema. Correct `name` or `column`, or add a header line.
    #[error(
        "none of the {found} columns in the header has this name; {}",
        similar.map_or_else(|| "is the first line a header?".to_owned(), |n| format!("column {n} has a similar name"))
    )]
    MissingColumn {
        /// Columns of the header.
        found: usize,
        /// The position, from 1, of a column whose name differs by a few letters. Its name is in
        /// the file, whose first line may be a row: so it is not shown.
        similar: Option<usize>,
    },
    /// The header is one field with another separator in it, and the lines below do not all split
    /// there. Declare the separator, or repair the lines.
    #[error("the header has only one column; declare the separator if it is a semicolon, a tab or a vertical bar")]
    Separator,
    /// A quoted field that the file never closes. The place is where it opens.
    #[error("the quote that opens here is never closed")]
    UnclosedQuote,
    /// A quote inside a field that is not quoted. Quote the field and double the quotes in it.
    #[error("an unquoted field contains a quote; quote the field and double its quotes")]
    StrayQuote,
    /// A character between a closing quote and the separator. Double the quotes inside the field,
    /// or close a quote that runs into a later one. The place is where the field opens.
    #[error("text follows the closing quote of this field; double the quotes inside a quoted field")]
    TextAfterQuote,
    /// A carriage return without a line feed, outside quotes. End lines with LF or CR LF.
    #[error("a carriage return is not followed by a line feed; end lines with LF or CR LF")]
    BareCarriageReturn,
    /// A line with nothing on it. Remove it; an empty value in a one-column file is written `""`.
    #[error("the line is blank; remove it, or write \"\" for an empty value")]
    BlankLine,
    /// No value, and the attribute does not say what to do. Set `missing = "category"` or repair
    /// the row.
    #[error("the value is missing; repair the row or set missing = \"category\"")]
    MissingValue,
    /// A value that is not a label of the attribute. Add it to `labels` or set `other`.
    #[error("the value is not a label of the domain; add it to labels, or set other")]
    UnknownLabel,
    /// A value that is not a code: digits alone, no sign, space, leading zero, point or exponent.
    #[error("the value is not a code; codes are written as 0, 1, 2, ... only")]
    NotACode,
    /// A code beyond `size`. Raise `size` if the code is right.
    #[error("the code is not below the size {size} of the attribute")]
    CodeOutOfRange {
        /// The size in the schema.
        size: usize,
    },
    /// A value for `bins` that is no finite decimal number.
    #[error("the value is not a finite decimal number; declare the decimal mark if it is a comma")]
    NotANumber,
    /// A number below the first or above the last edge. Widen `bins`; `-inf` and `inf` are
    /// allowed there.
    #[error("the number is outside the bins; widen them (edges can be -inf and inf)")]
    OutsideBins,
    /// A count that is not a plain non-negative integer.
    #[error("the count is not a non-negative integer written in digits")]
    NotACount,
    /// The counts add up to more than 2^53. Split the table.
    #[error("the counts add up to more than 2^53")]
    TotalTooLarge,
    /// No column looks categorical. Write the domain by hand, with bins for numbers.
    #[error("every column has too many distinct values to be learnt; write the domain by hand")]
    NothingToLearn,
    /// A field longer than the limit. Raise the limit if the field is meant.
    #[error("the field is longer than {limit} bytes")]
    FieldTooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// A record longer than the limit. Raise the limit if the record is meant.
    #[error("the record is longer than {limit} bytes")]
    RecordTooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// More fields than the limit. Raise the limit if the columns are meant.
    #[error("the record has more than {limit} fields")]
    TooManyColumns {
        /// The limit.
        limit: usize,
    },
    /// A field that should be a category of the attribute is not one. Compare the spelling.
    #[error("the field is not a category of the attribute")]
    NotACategory,
    /// A hierarchy has two lines for one category. Remove one.
    #[error("the category already has a line, line {first}")]
    CategoryTwice {
        /// The first of the two lines.
        first: u64,
    },
    /// A file of queries or a hierarchy does not have every category of its attribute. Add it.
    #[error("category number {position} of the attribute is missing")]
    CategoryLeftOut {
        /// Its position in the attribute, from 1.
        position: usize,
    },
    /// A node or a query without a name. Give it one.
    #[error("the name of a node or a query is empty")]
    NoName,
    /// Two queries have the same name. Rename one.
    #[error("line {first} has a query with the same name")]
    NameTwice {
        /// The line of the first.
        first: u64,
    },
    /// One name stands at two places of a tree. Rename one of the two nodes.
    #[error("the name has another parent on line {first}; a name must identify one node")]
    OtherParent {
        /// The line where it was given the other one.
        first: u64,
    },
    /// A category stands above another, so that its name would mean two things. Rename the node.
    #[error("a category is the parent of another; give the node a name that is not a category")]
    CategoryAsParent,
    /// An identifier that should be an integer is not one. Repair the row, or read the column as
    /// text.
    #[error("the identifier is not an integer")]
    NotAnInteger,
    /// A marginal that was asked for cannot be held or is not of the domain.
    #[error("the marginals cannot be counted")]
    Count(#[source] CountError),
}

stable_codes!(Defect {
    Read => "E0101", CountIsAttribute => "E0209", Dialect => "E0230",
    EmptyFile => "E0301", NoRows => "E0302", FieldCount => "E0303", NotUtf8 => "E0304", NulByte => "E0305",
    Utf16 => "E0306", DuplicateColumn => "E0307", MissingColumn => "E0308", Separator => "E0309",
    UnclosedQuote => "E0310", StrayQuote => "E0311", TextAfterQuote => "E0312", BareCarriageReturn => "E0313",
    BlankLine => "E0314", MissingValue => "E0315", UnknownLabel => "E0316", NotACode => "E0317",
    CodeOutOfRange => "E0318", NotANumber => "E0319", OutsideBins => "E0320", NotACount => "E0321",
    TotalTooLarge => "E0322", NothingToLearn => "E0323",
    FieldTooLong => "E0324", RecordTooLong => "E0325", TooManyColumns => "E0326", OtherFormat => "E0327",
    NotACategory => "E0341", CategoryTwice => "E0342", CategoryLeftOut => "E0343", NoName => "E0344",
    NameTwice => "E0345", OtherParent => "E0346", CategoryAsParent => "E0347", NotAnInteger => "E0397", Count => "E0605",
});

/// Why a schema cannot be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// The schema file could not be read, or is not a regular file: a pipe, a device, a
    /// directory. Check its path.
    #[error("{} could not be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is longer than any schema within the limits. Use bins or coarser labels.
    #[error("the schema file is longer than {MAX_DOMAIN_BYTES} bytes")]
    FileTooLong,
    /// The text is not TOML, or a field is unknown or of the wrong type.
    #[error(transparent)]
    Toml(TextError),
    /// The text is not one JSON object of names and sizes.
    #[error(transparent)]
    Json(TextError),
    /// An attribute needs exactly one of `size`, `labels` and `bins`.
    #[error("attribute {attribute:?} needs exactly one of size, labels and bins")]
    Categories {
        /// The attribute's name.
        attribute: String,
    },
    /// Bins need at least two edges, each above the one before.
    #[error("the bins of attribute {attribute:?} need at least two edges, each above the one before")]
    BinEdges {
        /// The attribute's name.
        attribute: String,
    },
    /// `names` needs one name for each category that is written, none of which is written for
    /// another one.
    #[error(
        "name {position} of attribute {attribute:?} is invalid: give one name per category, different from the data values of other categories"
    )]
    Names {
        /// The attribute's name.
        attribute: String,
        /// Position in `names`, from 1, of the name that is wrong or missing.
        position: usize,
    },
    /// `other` collects labels; an attribute of codes or bins has none to collect.
    #[error("attribute {attribute:?} sets other, which requires labels")]
    OtherWithoutLabels {
        /// The attribute's name.
        attribute: String,
    },
    /// One string is both a category and a missing value. Remove it from one of the two.
    #[error("entry {position} of missing_values of attribute {attribute:?} is also a category")]
    MissingIsCategory {
        /// The attribute's name.
        attribute: String,
        /// Position in `missing_values`, from 1.
        position: usize,
    },
    /// Names or labels that a domain cannot have.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// A schema without attributes. Add one, or take the total from the count column.
    #[error("the schema has no attribute")]
    NoAttribute,
    /// More categories than the limit, over all attributes. Use bins.
    #[error("the attributes have more than {MAX_CATEGORIES} categories in total")]
    TooManyCategories,
}

stable_codes!(SchemaError {
    Read => "E0102", Toml => "E0201", Json => "E0202", Categories => "E0203", BinEdges => "E0204",
    OtherWithoutLabels => "E0205", Names => "E0286", MissingIsCategory => "E0206", Domain => "E0207", NoAttribute => "E0208",
    TooManyCategories => "E0604", FileTooLong => "E0606",
});
