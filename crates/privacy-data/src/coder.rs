//! A field of the file to the code of its category.
//!
//! The order is fixed: a declared missing value, then what the attribute says (code, label or
//! number), then the domain's own labels (so that a table written with them reads back), then the
//! empty field as a missing value, then `other`. What none of them takes is refused.

use privacy_core::Attribute;
use rustc_hash::FxHashMap;

use crate::dialect::DecimalMark;
use crate::error::Defect;
use crate::schema::{AttributeSpec, MISSING_LABEL, MissingPolicy};

/// Reads the fields of one column.
#[derive(Clone, Debug)]
pub(crate) struct Coder {
    how: How,
    /// Keys are labels of the schema, not data: no hash flooding. Never iterated.
    labels: FxHashMap<Vec<u8>, u32>,
    missing_values: Vec<String>,
    missing: Option<u32>,
    other: Option<u32>,
}

#[derive(Clone, Debug)]
enum How {
    Codes { size: usize },
    Labels,
    Bins { edges: Vec<f64> },
}

impl Coder {
    /// The coder of a spec that makes `attribute`; the schema has checked both.
    pub(crate) fn new(spec: &AttributeSpec, attribute: &Attribute) -> Self {
        let how = match (spec.size, &spec.bins) {
            (Some(size), _) => How::Codes { size },
            (None, Some(edges)) => How::Bins { edges: edges.clone() },
            (None, None) => How::Labels,
        };
        // A schema has at most 2^20 categories and so do its codes. Numeric codes need no label,
        // unless they have names; what is written overrules a name.
        let codes = if spec.names.is_none() { spec.size.unwrap_or(0) } else { 0 };
        let intervals = spec.intervals();
        let named = attribute.labels().iter().zip(0_u32..).skip(codes);
        let written = spec.labels.iter().flatten().map(String::as_str).zip(0_u32..);
        let written = written.chain(intervals.iter().map(String::as_str).zip(0_u32..));
        let labels: FxHashMap<_, _> =
            named.chain(written).map(|(label, code)| (label.as_bytes().to_vec(), code)).collect();
        let code_of = |label: &str| labels.get(label.as_bytes()).copied();
        let missing = spec.missing.filter(|&policy| policy == MissingPolicy::Category);
        Self {
            how,
            missing: missing.and_then(|_| code_of(MISSING_LABEL)),
            other: spec.other.as_deref().and_then(code_of),
            missing_values: spec.missing_values.clone(),
            labels,
        }
    }

    /// The code of the category that a field falls into; numbers have this decimal mark.
    pub(crate) fn code(&self, field: &[u8], mark: DecimalMark) -> Result<u32, Defect> {
        if !self.missing_values.is_empty() && self.missing_values.iter().any(|v| v.as_bytes() == field) {
            return self.missing.ok_or(Defect::MissingValue);
        }
        let defect = match self.direct(field, mark) {
            Ok(code) => return Ok(code),
            Err(defect) => defect,
        };
        if let Some(&code) = self.labels.get(field) {
            return Ok(code);
        }
        if field.is_empty() {
            return self.missing.ok_or(Defect::MissingValue);
        }
        self.other.ok_or(defect)
    }

    fn direct(&self, field: &[u8], mark: DecimalMark) -> Result<u32, Defect> {
        match &self.how {
            How::Labels => self.labels.get(field).copied().ok_or(Defect::UnknownLabel),
            &How::Codes { size } => {
                let code = canonical_integer(field).ok_or(Defect::NotACode)?;
                let in_range = u32::try_from(code).ok().filter(|&c| (c as usize) < size);
                in_range.ok_or(Defect::CodeOutOfRange { size })
            }
            How::Bins { edges } => {
                let number = number(field, mark).ok_or(Defect::NotANumber)?;
                bin_of(edges, number).ok_or(Defect::OutsideBins)
            }
        }
    }
}

/// A non-negative integer in its one canonical spelling: digits, no leading zero. `None` for any
/// other spelling, and above `u64`.
pub(crate) fn canonical_integer(field: &[u8]) -> Option<u64> {
    if field.is_empty() || (field[0] == b'0' && field.len() > 1) {
        return None;
    }
    field.iter().try_fold(0_u64, |value, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    })
}

/// A finite number in this spelling.
pub(crate) fn number(field: &[u8], mark: DecimalMark) -> Option<f64> {
    match mark {
        DecimalMark::Point => decimal(field),
        // A point among decimal commas would separate thousands: refused, not guessed.
        DecimalMark::Comma if field.contains(&b'.') => None,
        DecimalMark::Comma => {
            let pointed: Vec<u8> = field.iter().map(|&byte| if byte == b',' { b'.' } else { byte }).collect();
            decimal(&pointed)
        }
    }
}

/// A finite decimal number, with an optional exponent: what statistical programs write.
pub(crate) fn decimal(field: &[u8]) -> Option<f64> {
    // Leaves out the words (nan, inf) that the standard library also reads.
    let plain = field.iter().all(|b| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    let text = std::str::from_utf8(field).ok().filter(|_| plain)?;
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The bin of a number: `[e0, e1)`, ..., the last one closed.
pub(crate) fn bin_of(edges: &[f64], number: f64) -> Option<u32> {
    let bins = edges.len() - 1;
    let below = edges.partition_point(|&edge| edge <= number);
    let bin = if number == edges[bins] { bins - 1 } else { below.checked_sub(1).filter(|&bin| bin < bins)? };
    u32::try_from(bin).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;
    use privacy_core::Provenance;

    fn coder(spec: AttributeSpec) -> Coder {
        Schema::new(vec![spec], Provenance::Public).unwrap().coders()[0].clone()
    }

    fn outcome(coder: &Coder, field: &str) -> Result<u32, &'static str> {
        coder.code(field.as_bytes(), DecimalMark::Point).map_err(|defect| defect.code())
    }

    #[test]
    fn codes_have_one_spelling() {
        let codes = coder(AttributeSpec::of_size("x", 11));
        assert_eq!([outcome(&codes, "0"), outcome(&codes, "10")], [Ok(0), Ok(10)]);
        for bad in ["01", "+1", "-1", " 1", "1 ", "1.0", "1e0", "2e0", "NaN", "inf", "0x1", "१", "00"] {
            assert_eq!(outcome(&codes, bad), Err("E0317"), "{bad:?}");
        }
        for large in ["11", "4294967296", "18446744073709551615"] {
            assert_eq!(outcome(&codes, large), Err("E0318"), "{large:?}");
        }
        assert_eq!(outcome(&codes, "18446744073709551616"), Err("E0317"));
        assert_eq!(outcome(&codes, ""), Err("E0315"));
    }

    #[test]
    fn labels_are_taken_byte_for_byte() {
        let labels = coder(AttributeSpec::of_labels("x", ["a,b", " a", "A"]));
        assert_eq!([" a", "a,b", "A"].map(|l| outcome(&labels, l)), [Ok(1), Ok(0), Ok(2)]);
        assert_eq!(["a", "A ", ""].map(|l| outcome(&labels, l)), [Err("E0316"), Err("E0316"), Err("E0315")]);
    }

    #[test]
    fn bins_are_half_open_and_the_last_is_closed() {
        let bins = coder(AttributeSpec::of_bins("x", [0.0, 10.0, 20.0]));
        let cases =
            [("0", 0), ("-0", 0), ("9.99", 0), ("10", 1), ("1e1", 1), ("20", 1), ("[0, 10)", 0), ("10 to 20", 1)];
        for (field, bin) in cases {
            assert_eq!(outcome(&bins, field), Ok(bin), "{field}");
        }
        for outside in ["-0.1", "20.000001", "1e300"] {
            assert_eq!(outcome(&bins, outside), Err("E0320"), "{outside}");
        }
        for word in ["nan", "NaN", "inf", "-inf", "infinity", "1e999", "ten", "1,5", " 1"] {
            assert_eq!(outcome(&bins, word), Err("E0319"), "{word}");
        }
        let open = coder(AttributeSpec::of_bins("x", [f64::NEG_INFINITY, 0.0, f64::INFINITY]));
        assert_eq!(["-1e308", "1e308"].map(|x| outcome(&open, x)), [Ok(0), Ok(1)]);
    }

    #[test]
    fn numbers_have_the_declared_decimal_mark_and_no_other() {
        let bins = coder(AttributeSpec::of_bins("x", [0.0, 10.0, 2000.0]));
        let code = |field: &str| bins.code(field.as_bytes(), DecimalMark::Comma).map_err(|defect| defect.code());
        assert_eq!(["9,99", "10", "1,5e1", "[0, 10)"].map(code), [0, 1, 1, 0].map(Ok));
        assert_eq!(["9.99", "1.234,5", "1,2,3"].map(code), ["E0319"; 3].map(Err));
    }

    #[test]
    fn missing_values_come_first_and_other_comes_last() {
        let spec = AttributeSpec {
            missing: Some(MissingPolicy::Category),
            missing_values: vec!["99".into()],
            ..AttributeSpec::of_bins("age", [0.0, 50.0, 120.0])
        };
        assert_eq!(["99", "", "(missing)", "98"].map(|x| outcome(&coder(spec.clone()), x)), [2, 2, 2, 1].map(Ok));
        let strict = coder(AttributeSpec { missing: None, ..spec });
        assert_eq!(outcome(&strict, "99"), Err("E0315"));
        let other = coder(AttributeSpec { other: Some("rest".into()), ..AttributeSpec::of_labels("x", ["a"]) });
        assert_eq!(["a", "b", "rest"].map(|x| outcome(&other, x)), [0, 1, 1].map(Ok));
        assert_eq!(outcome(&other, ""), Err("E0315"), "a missing value is not another label");
        let empty = coder(AttributeSpec::of_labels("x", ["", "a"]));
        assert_eq!(outcome(&empty, ""), Ok(0), "an empty label that is listed is a label");
    }
}
