//! A first `domain.toml` from a data file, marked as learnt.
//!
//! Rules, a column: all values `0, 1, 2, ...` in canonical spelling, the smallest 0 and the
//! largest below 1,000: `size`. Otherwise at most 1,000 distinct values of at most 256 bytes:
//! `labels`, in numeric order when all are numbers, by their first number when each begins with
//! one, else in byte order. A missing value: `missing = "category"`. Every other column is left
//! out, and so is every column behind the 128th attribute. Columns of numbers may have bins, with
//! edges that a person gives or at quantiles.

mod coded;
mod numbers;
mod order;
mod spec;

pub use coded::learn_coded;
pub use spec::LearnSpec;

use std::collections::BTreeSet;
use std::io::Read;

use privacy_core::AttrSet;

use crate::coder::canonical_integer;
use crate::dialect::DecimalMark;
use crate::domain_file::{DomainFile, LeftOut, LeftOutReason};
use crate::error::{DataError, Defect};
use crate::read::{CsvOptions, header, missing_column, other_separator};
use crate::record::Record;
use crate::records::Records;
use crate::schema::{AttributeSpec, MISSING_LABEL, MissingPolicy};
use numbers::Numbers;
use order::in_order;

/// Most distinct values of a column that is learnt.
pub const MAX_LEARNT_LABELS: usize = 1000;

/// Longest value of a column that is learnt, in bytes.
const MAX_LABEL_BYTES: usize = 256;

/// What was seen of one column.
struct Seen {
    name: String,
    labels: BTreeSet<String>,
    /// The numbers of a column that gets bins.
    numbers: Option<Numbers>,
    missing: bool,
    /// Texts of missing values that occurred, in their order.
    missing_values: BTreeSet<String>,
    left_out: Option<LeftOutReason>,
}

impl Seen {
    fn new(name: String, learn: &LearnSpec) -> Self {
        let left_out = name.is_empty().then_some(LeftOutReason::NoName);
        let numbers = learn.bins_of(&name);
        Self { name, labels: BTreeSet::new(), numbers, missing: false, missing_values: BTreeSet::new(), left_out }
    }

    fn add(&mut self, field: &[u8], learn: &LearnSpec, mark: DecimalMark) -> Result<(), Defect> {
        if self.left_out.is_some() {
            return Ok(());
        }
        let field = text(field);
        if field.is_empty() {
            self.missing = true;
        } else if learn.missing.iter().any(|value| value == field) {
            self.missing = true;
            self.missing_values.insert(field.to_owned());
        } else if let Some(numbers) = &mut self.numbers {
            return numbers.add(field.as_bytes(), mark);
        } else if field.len() > MAX_LABEL_BYTES {
            self.leave_out(LeftOutReason::LongText);
        } else if !self.labels.contains(field) {
            self.labels.insert(field.to_owned());
            if self.labels.len() > MAX_LEARNT_LABELS {
                self.leave_out(LeftOutReason::TooManyValues);
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, reason: LeftOutReason) {
        self.left_out = Some(reason);
        self.labels.clear();
    }

    /// The attribute, for a column that is not left out.
    fn into_spec(mut self) -> AttributeSpec {
        let missing = self.missing.then_some(MissingPolicy::Category);
        let missing_values = self.missing_values.into_iter().collect();
        if self.missing {
            // This text already reads as the missing category.
            self.labels.remove(MISSING_LABEL);
        }
        let spec = match (self.numbers, code_range(&self.labels)) {
            (Some(numbers), _) => numbers.into_spec(self.name),
            (None, Some(size)) => AttributeSpec::of_size(self.name, size),
            (None, None) => AttributeSpec::of_labels(self.name, in_order(self.labels)),
        };
        AttributeSpec { missing, missing_values, ..spec }
    }
}

/// The number of codes, when all labels are codes from 0 on.
fn code_range(labels: &BTreeSet<String>) -> Option<usize> {
    let codes: Option<BTreeSet<u64>> = labels.iter().map(|label| canonical_integer(label.as_bytes())).collect();
    let codes = codes?;
    let largest = usize::try_from(*codes.last()?).ok()?;
    (codes.contains(&0) && largest < MAX_LEARNT_LABELS).then(|| largest + 1)
}

fn text(field: &[u8]) -> &str {
    std::str::from_utf8(field).expect("records are UTF-8 once read")
}

/// Reads a whole file and writes down what its columns look like, for a person to check.
///
/// The result says `learnt_from_data = true`. The count column is not an attribute. One pass;
/// memory in proportion to the distinct values kept, at most [`MAX_LEARNT_LABELS`] a column.
///
/// ```
/// use privacy_core::Provenance;
/// use privacy_data::{CsvOptions, learn_domain};
///
/// let file = "party,age\nleft,30\nright,41\nleft,30\n";
/// let domain = learn_domain(file.as_bytes(), &CsvOptions::default())?;
/// // A label is there because somebody has it: publishing it needs a person's decision.
/// assert_eq!(domain.provenance(), Provenance::LearntFromData);
/// assert_eq!(domain.attributes[0].labels.as_deref().unwrap(), ["left", "right"]);
/// # Ok::<(), privacy_data::DataError>(())
/// ```
///
/// # Errors
/// [`DataError`] for a defect of the file, and [`Defect::NothingToLearn`] when every column was
/// left out.
pub fn learn_domain(reader: impl Read, options: &CsvOptions) -> Result<DomainFile, DataError> {
    learn_domain_with(reader, options, &LearnSpec::default())
}

/// Does the same, with what a person says about some columns: bins, and texts of missing values.
///
/// Memory in proportion to the distinct numbers of columns with quantiles besides.
///
/// # Errors
/// As [`learn_domain`]; [`Defect::MissingColumn`] for bins of a column that the header does not
/// have, [`Defect::NotANumber`] and [`Defect::OutsideBins`] for a field that has no bin.
pub fn learn_domain_with(reader: impl Read, options: &CsvOptions, learn: &LearnSpec) -> Result<DomainFile, DataError> {
    learn_rows(Box::new(reader), options, learn)
}

fn learn_rows(reader: Box<dyn Read + '_>, options: &CsvOptions, learn: &LearnSpec) -> Result<DomainFile, DataError> {
    let mut records = Records::new(reader, options)?;
    if !records.advance()? {
        return Err(DataError::at_line(1, Defect::EmptyFile));
    }
    let (mut columns, count) = columns(records.record(), options, learn)?;
    let mark = records.form().decimal;
    let mut rows = 0_u64;
    while records.advance()? {
        let record = records.record();
        if record.len() != columns.len() {
            let defect = Defect::FieldCount { expected: columns.len(), got: record.len() };
            return Err(DataError::at_line(record.line(), defect));
        }
        for (field, column) in columns.iter_mut().enumerate() {
            let added = column.add(record.field(field), learn, mark);
            added.map_err(|defect| DataError::at_field(record.line(), field + 1, defect))?;
        }
        rows += 1;
    }
    if rows == 0 {
        return Err(DataError::at_line(1, Defect::NoRows));
    }
    let quantiles = learn.quantiles.iter().map(|(name, _)| name.clone()).collect();
    Ok(DomainFile { quantile_bins: quantiles, ..domain_file(columns, count)? })
}

/// The columns of a header, and the position of the count column among them.
fn columns(record: &Record, options: &CsvOptions, learn: &LearnSpec) -> Result<(Vec<Seen>, Option<usize>), DataError> {
    let positions = header(record)?;
    if other_separator(record) {
        return Err(DataError::at_line(1, Defect::Separator));
    }
    let find = |name: &str| {
        let place = positions.get(name.as_bytes()).copied();
        place.ok_or_else(|| DataError::at_line(1, missing_column(name, record)).of(name))
    };
    learn.binned().try_for_each(|name| find(name).map(|_| ()))?;
    let count = options.count_column.as_deref().map(find);
    let columns = (0..record.len()).map(|field| Seen::new(text(record.field(field)).to_owned(), learn)).collect();
    Ok((columns, count.transpose()?))
}

fn domain_file(columns: Vec<Seen>, count: Option<usize>) -> Result<DomainFile, DataError> {
    let (mut attributes, mut left_out) = (Vec::new(), Vec::new());
    for (field, column) in columns.into_iter().enumerate().filter(|&(field, _)| Some(field) != count) {
        match column.left_out {
            None if attributes.len() < AttrSet::MAX_ATTRIBUTES => attributes.push(column.into_spec()),
            reason => {
                let reason = reason.unwrap_or(LeftOutReason::TooManyAttributes);
                left_out.push(LeftOut { column: column.name, position: field + 1, reason });
            }
        }
    }
    if attributes.is_empty() {
        return Err(DataError::at_line(1, Defect::NothingToLearn));
    }
    Ok(DomainFile { learnt_from_data: true, left_out, ..DomainFile::of(attributes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learn(text: &str) -> DomainFile {
        learn_domain(text.as_bytes(), &CsvOptions::default()).unwrap()
    }

    #[test]
    fn codes_labels_and_missing_values_are_distinguished() {
        let file = learn("code,year,word,gap\n0,1999,b,-2\n3,-5,a,10\n1,20,,9\n");
        let year = AttributeSpec::of_labels("year", ["-5", "20", "1999"]);
        let missing = Some(MissingPolicy::Category);
        let word = AttributeSpec { missing, ..AttributeSpec::of_labels("word", ["a", "b"]) };
        let gap = AttributeSpec::of_labels("gap", ["-2", "9", "10"]);
        assert_eq!(file.attributes, [AttributeSpec::of_size("code", 4), year, word, gap]);
        assert!(file.learnt_from_data && !file.domain_is_public);
    }

    #[test]
    fn numbers_get_bins_with_names_and_missing_values_are_those_that_occur() {
        let learn = LearnSpec {
            bins: vec![("age".into(), vec![0.0, 18.0, 65.0])],
            quantiles: vec![("income".into(), 2)],
            missing: vec!["NA".into(), "?".into()],
        };
        let text = "age,income,sex\n17,1.5,0\nNA,2.5,1\n80,2.5,0\n18,7,1\n";
        let file = learn_domain_with(text.as_bytes(), &CsvOptions::default(), &learn).unwrap();
        let inf = f64::INFINITY;
        let age = AttributeSpec {
            names: Some(["0 to 17", "18 to 64", "65 and over"].map(str::to_owned).into()),
            missing: Some(MissingPolicy::Category),
            missing_values: vec!["NA".into()],
            ..AttributeSpec::of_bins("age", [0.0, 18.0, 65.0, inf])
        };
        let income = AttributeSpec {
            names: Some(["under 7", "7 and over"].map(str::to_owned).into()),
            ..AttributeSpec::of_bins("income", [-inf, 7.0, inf])
        };
        assert_eq!(file.attributes, [age, income, AttributeSpec::of_size("sex", 2)]);
        let written = file.to_toml();
        assert_eq!(written.matches("are quantiles of the data").count(), 1, "{written}");
        assert_eq!(DomainFile::parse(&written).unwrap().attributes, file.attributes);
        let refused = |text: &str, learn: &LearnSpec| {
            learn_domain_with(text.as_bytes(), &CsvOptions::default(), learn).unwrap_err().code()
        };
        assert_eq!(refused("age,income\n-1,2\n", &learn), "E0320");
        assert_eq!(refused("age,income\nold,2\n", &learn), "E0319");
        assert_eq!(refused("age\n1\n", &learn), "E0308", "income is no column");
    }

    #[test]
    fn columns_with_too_many_values_are_left_out_with_advice() {
        let rows: String =
            (0..=MAX_LEARNT_LABELS).map(|i| format!("{i},{},{}\n", i % 2, "t".repeat(i % 300))).collect();
        let file = learn(&format!("id\n# x = 1,bit,text\n{rows}").replace("id\n# x = 1", "\"id\n# x = 1\""));
        assert_eq!(file.attributes, [AttributeSpec::of_size("bit", 2)]);
        let reasons: Vec<_> = file.left_out.iter().map(|l| (l.position, l.reason)).collect();
        assert_eq!(reasons, [(1, LeftOutReason::TooManyValues), (3, LeftOutReason::LongText)]);
        let written = file.to_toml();
        assert!(written.contains("# Column 1 has more than 1000 distinct values."), "{written}");
        // A header cannot smuggle a line out of its comment.
        assert_eq!(DomainFile::parse(&written).unwrap().attributes, file.attributes);
        let all_out: String = (0..=MAX_LEARNT_LABELS).map(|i| format!("{i}\n")).collect();
        let error = learn_domain(format!("id\n{all_out}").as_bytes(), &CsvOptions::default()).unwrap_err();
        assert_eq!(error.code(), "E0323");
    }

    #[test]
    fn a_learnt_domain_has_no_more_attributes_than_a_domain_can_have() {
        let row = |cell: &dyn Fn(usize) -> String| (0..131).map(cell).collect::<Vec<_>>().join(",") + "\n";
        let header = row(&|i| if i == 1 { String::new() } else { format!("c{i}") });
        let file = learn(&(header + &row(&|_| "0".into())));
        assert_eq!((file.attributes.len(), file.attributes[127].name.as_str()), (128, "c128"));
        let left_out: Vec<_> = file.left_out.iter().map(|l| (l.position, l.reason)).collect();
        let too_many = LeftOutReason::TooManyAttributes;
        assert_eq!(left_out, [(2, LeftOutReason::NoName), (130, too_many), (131, too_many)]);
        let written = file.to_toml();
        let (head, _) = written.split_once("[[attribute]]").unwrap();
        assert!(head.contains("at most 128 attributes, so 2 further columns were left out"), "{head}");
        assert!(written.ends_with("# Column 131 (\"c130\") was left out: a domain has at most 128 attributes.\n"));
        assert_eq!(DomainFile::parse(&written).unwrap().into_schema().unwrap().domain().len(), 128);
    }

    #[test]
    fn the_largest_number_of_64_bits_is_a_label() {
        let file = learn_domain(&b"a\n0\n18446744073709551615\n"[..], &CsvOptions::default()).unwrap();
        assert_eq!(file.attributes[0].labels.as_ref().map(Vec::len), Some(2));
    }

    #[test]
    fn the_count_column_is_no_attribute() {
        let options = CsvOptions { count_column: Some("n".into()), ..CsvOptions::default() };
        let file = learn_domain("a,n\n0,7\n1,5\n".as_bytes(), &options).unwrap();
        assert_eq!(file.attributes, [AttributeSpec::of_size("a", 2)]);
        assert_eq!(learn_domain("a\n0\n".as_bytes(), &options).unwrap_err().code(), "E0308");
        assert_eq!(learn_domain("a;b\n0\n".as_bytes(), &CsvOptions::default()).unwrap_err().code(), "E0309");
        assert_eq!(learn("a;b\n0;1\n"), learn("a,b\n0,1\n"));
    }
}
