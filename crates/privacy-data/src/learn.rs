//! A first `domain.toml` from a data file, marked as learnt.
//!
//! Rules, a column: all values `0, 1, 2, ...` in canonical spelling, the smallest 0 and the
//! largest below 1,000: `size`. Otherwise at most 1,000 distinct values of at most 256 bytes:
//! `labels`, in numeric order when all are integers, else in byte order. An empty field:
//! `missing = "category"`. Every other column is left out, and so is every column behind the
//! 128th attribute.

use std::collections::BTreeSet;
use std::io::Read;

use privacy_core::AttrSet;

use crate::coder::canonical_integer;
use crate::domain_file::{DomainFile, LeftOut, LeftOutReason};
use crate::error::{DataError, Defect};
use crate::read::{CsvOptions, header, missing_column, other_separator};
use crate::record::Record;
use crate::records::Records;
use crate::schema::{AttributeSpec, MISSING_LABEL, MissingPolicy};

/// Most distinct values of a column that is learnt.
pub const MAX_LEARNT_LABELS: usize = 1000;

/// Longest value of a column that is learnt, in bytes.
const MAX_LABEL_BYTES: usize = 256;

/// What was seen of one column.
struct Seen {
    name: String,
    labels: BTreeSet<String>,
    missing: bool,
    left_out: Option<LeftOutReason>,
}

impl Seen {
    fn new(name: String) -> Self {
        let left_out = name.is_empty().then_some(LeftOutReason::NoName);
        Self { name, labels: BTreeSet::new(), missing: false, left_out }
    }

    fn add(&mut self, field: &[u8]) {
        if self.left_out.is_some() {
            return;
        }
        let field = text(field);
        if field.is_empty() {
            self.missing = true;
        } else if field.len() > MAX_LABEL_BYTES {
            self.leave_out(LeftOutReason::LongText);
        } else if !self.labels.contains(field) {
            self.labels.insert(field.to_owned());
            if self.labels.len() > MAX_LEARNT_LABELS {
                self.leave_out(LeftOutReason::TooManyValues);
            }
        }
    }

    fn leave_out(&mut self, reason: LeftOutReason) {
        self.left_out = Some(reason);
        self.labels.clear();
    }

    /// The attribute, for a column that is not left out.
    fn into_spec(mut self) -> AttributeSpec {
        let missing = self.missing.then_some(MissingPolicy::Category);
        if self.missing {
            // This text already reads as the missing category.
            self.labels.remove(MISSING_LABEL);
        }
        let (size, labels) = match code_range(&self.labels) {
            Some(size) => (Some(size), None),
            None => (None, Some(in_order(self.labels))),
        };
        AttributeSpec { name: self.name, size, labels, missing, ..AttributeSpec::default() }
    }
}

/// The number of codes, when all labels are codes from 0 on.
fn code_range(labels: &BTreeSet<String>) -> Option<usize> {
    let codes: Option<BTreeSet<u64>> = labels.iter().map(|label| canonical_integer(label.as_bytes())).collect();
    let codes = codes?;
    let largest = usize::try_from(*codes.last()?).ok()?;
    (codes.contains(&0) && largest < MAX_LEARNT_LABELS).then_some(largest + 1)
}

/// Labels in numeric order when all are integers, in byte order otherwise.
fn in_order(labels: BTreeSet<String>) -> Vec<String> {
    let numbers: Option<Vec<i128>> = labels
        .iter()
        .map(|label: &String| {
            let digits = label.strip_prefix('-').unwrap_or(label);
            canonical_integer(digits.as_bytes()).and_then(|_| label.parse::<i128>().ok())
        })
        .collect();
    let mut ordered: Vec<String> = labels.into_iter().collect();
    if let Some(numbers) = numbers {
        let mut pairs: Vec<_> = numbers.into_iter().zip(ordered).collect();
        pairs.sort();
        ordered = pairs.into_iter().map(|(_, label)| label).collect();
    }
    ordered
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
    let mut records = Records::new(reader, options)?;
    if !records.advance()? {
        return Err(DataError::at_line(1, Defect::EmptyFile));
    }
    let (mut columns, count) = columns(records.record(), options)?;
    let mut rows = 0_u64;
    while records.advance()? {
        let record = records.record();
        if record.len() != columns.len() {
            let defect = Defect::FieldCount { expected: columns.len(), got: record.len() };
            return Err(DataError::at_line(record.line(), defect));
        }
        columns.iter_mut().enumerate().for_each(|(field, column)| column.add(record.field(field)));
        rows += 1;
    }
    if rows == 0 {
        return Err(DataError::at_line(1, Defect::NoRows));
    }
    domain_file(columns, count)
}

/// The columns of a header, and the position of the count column among them.
fn columns(record: &Record, options: &CsvOptions) -> Result<(Vec<Seen>, Option<usize>), DataError> {
    let positions = header(record)?;
    if other_separator(record) {
        return Err(DataError::at_line(1, Defect::Separator));
    }
    let count = options.count_column.as_deref().map(|name| {
        positions
            .get(name.as_bytes())
            .copied()
            .ok_or_else(|| DataError::at_line(1, missing_column(name, record)).of(name))
    });
    let columns = (0..record.len()).map(|field| Seen::new(text(record.field(field)).to_owned())).collect();
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
    Ok(DomainFile { learnt_from_data: true, domain_is_public: false, attributes, left_out })
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
    fn the_count_column_is_no_attribute() {
        let options = CsvOptions { count_column: Some("n".into()), ..CsvOptions::default() };
        let file = learn_domain("a,n\n0,7\n1,5\n".as_bytes(), &options).unwrap();
        assert_eq!(file.attributes, [AttributeSpec::of_size("a", 2)]);
        assert_eq!(learn_domain("a\n0\n".as_bytes(), &options).unwrap_err().code(), "E0308");
        assert_eq!(learn_domain("a;b\n0\n".as_bytes(), &CsvOptions::default()).unwrap_err().code(), "E0309");
        assert_eq!(learn("a;b\n0;1\n"), learn("a,b\n0,1\n"));
    }
}
