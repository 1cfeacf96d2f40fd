//! Columns of a batch to codes. Every distinct value is coded once by the schema, so the codes are
//! those of a file of text; after that it is a look-up.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::DataType;
use disclosure_jobs::JobError;
use privacy_data::{Defect, Schema, count_of_field};
use rustc_hash::FxHashMap;

use crate::text::Texts;
use crate::unfit::Unfit;

/// Codes that stand for no category.
const MISSING: u32 = u32::MAX;
const UNKNOWN: u32 = u32::MAX - 1;
const UNSEEN: u32 = u32::MAX - 2;

/// Small integers that are looked up in an array.
const SMALL: usize = 1 << 12;

/// Most distinct values that are remembered; the others are coded anew.
const MOST_REMEMBERED: usize = 1 << 16;

/// Codes one column, batch after batch.
pub struct ColumnCoder {
    attribute: usize,
    small: Vec<u32>,
    integers: FxHashMap<i64, u32>,
    /// Texts of at most twelve bytes, as string views hold them.
    views: FxHashMap<u128, u32>,
    texts: FxHashMap<String, u32>,
    null: u32,
    /// The view that was coded last: columns are often sorted, or have long runs.
    last: Option<(u128, u32)>,
}

impl ColumnCoder {
    /// Codes the column of an attribute of a schema; nothing is remembered yet.
    ///
    /// # Panics
    /// If `attribute` is not of the domain.
    #[must_use]
    pub fn new(schema: &Schema, attribute: usize) -> Self {
        Self {
            attribute,
            small: vec![UNSEEN; SMALL],
            integers: FxHashMap::default(),
            views: FxHashMap::default(),
            texts: FxHashMap::default(),
            null: code(schema, attribute, ""),
            last: None,
        }
    }

    /// Replaces `codes` by those of a column, and counts the rows that have none; these have the
    /// code 0. Every call takes the same schema.
    ///
    /// # Errors
    /// E0337 for a type that has no texts.
    pub fn codes(&mut self, schema: &Schema, column: &ArrayRef, codes: &mut Vec<u32>) -> Result<Unfit, JobError> {
        codes.clear();
        codes.reserve(column.len());
        match column.data_type() {
            DataType::Int8 => self.integers::<Int8Type>(schema, column.as_primitive(), codes),
            DataType::Int16 => self.integers::<Int16Type>(schema, column.as_primitive(), codes),
            DataType::Int32 => self.integers::<Int32Type>(schema, column.as_primitive(), codes),
            DataType::Int64 => self.integers::<Int64Type>(schema, column.as_primitive(), codes),
            DataType::UInt8 => self.integers::<UInt8Type>(schema, column.as_primitive(), codes),
            DataType::UInt16 => self.integers::<UInt16Type>(schema, column.as_primitive(), codes),
            DataType::UInt32 => self.integers::<UInt32Type>(schema, column.as_primitive(), codes),
            DataType::Utf8View => self.views(schema, column, codes),
            DataType::Dictionary(..) => self.dictionary(schema, column, codes)?,
            _ => self.others(schema, column, codes)?,
        }
        Ok(self.take_unfit(codes))
    }

    /// Counts the rows without a category, and gives them the code 0.
    fn take_unfit(&self, codes: &mut [u32]) -> Unfit {
        // One comparison a row in the usual case, which the compiler makes a vector loop.
        let most = codes.iter().copied().max().unwrap_or(0);
        let mut unfit = Unfit::default();
        if most < UNSEEN {
            return unfit;
        }
        for code in codes.iter_mut().filter(|code| **code >= UNSEEN) {
            match *code {
                MISSING => unfit.missing += 1,
                _ => unfit.unknown += 1,
            }
            *code = 0;
        }
        unfit
    }

    fn integers<T>(&mut self, schema: &Schema, column: &PrimitiveArray<T>, codes: &mut Vec<u32>)
    where
        T: ArrowPrimitiveType,
        T::Native: Into<i64>,
    {
        let has_null = column.null_count() > 0;
        for (row, &value) in column.values().iter().enumerate() {
            if has_null && column.is_null(row) {
                codes.push(self.null);
                continue;
            }
            let value: i64 = value.into();
            let small = usize::try_from(value).ok().filter(|&small| small < SMALL);
            codes.push(match small {
                Some(small) if self.small[small] != UNSEEN => self.small[small],
                Some(small) => {
                    self.small[small] = code(schema, self.attribute, &value.to_string());
                    self.small[small]
                }
                None => remembered(&mut self.integers, value, |value| code(schema, self.attribute, &value.to_string())),
            });
        }
    }

    fn views(&mut self, schema: &Schema, column: &ArrayRef, codes: &mut Vec<u32>) {
        let column = column.as_string_view();
        for (row, &view) in column.views().iter().enumerate() {
            if column.is_null(row) {
                codes.push(self.null);
                continue;
            }
            // The lowest 32 bits of a view are its length; a short text is in it whole.
            if view as u32 > 12 {
                codes.push(self.text(schema, column.value(row)));
                continue;
            }
            if let Some((last, code)) = self.last
                && last == view
            {
                codes.push(code);
                continue;
            }
            let attribute = self.attribute;
            let code = remembered(&mut self.views, view, |_| code(schema, attribute, column.value(row)));
            self.last = Some((view, code));
            codes.push(code);
        }
    }

    /// Codes the values of a dictionary once, and looks the rows up.
    fn dictionary(&mut self, schema: &Schema, column: &ArrayRef, codes: &mut Vec<u32>) -> Result<(), JobError> {
        let dictionary = column.as_any_dictionary();
        let mut of_values = Vec::with_capacity(dictionary.values().len());
        self.others(schema, dictionary.values(), &mut of_values)?;
        if of_values.is_empty() {
            // Every row is NULL.
            codes.resize(column.len(), self.null);
            return Ok(());
        }
        let keys = dictionary.normalized_keys();
        let code_of = |(row, &key): (usize, &usize)| match column.is_null(row) {
            true => self.null,
            false => of_values[key],
        };
        codes.extend(keys.iter().enumerate().map(code_of));
        Ok(())
    }

    fn others(&mut self, schema: &Schema, column: &ArrayRef, codes: &mut Vec<u32>) -> Result<(), JobError> {
        let texts = Texts::new(column, &schema.columns()[self.attribute])?;
        let mut text = String::new();
        for row in 0..column.len() {
            text.clear();
            texts.write(row, &mut text);
            let code = if text.is_empty() { self.null } else { self.text(schema, &text) };
            codes.push(code);
        }
        Ok(())
    }

    fn text(&mut self, schema: &Schema, text: &str) -> u32 {
        if let Some(&code) = self.texts.get(text) {
            return code;
        }
        let code = code(schema, self.attribute, text);
        if self.texts.len() < MOST_REMEMBERED {
            self.texts.insert(text.to_owned(), code);
        }
        code
    }
}

/// The code of a value that may have been seen before.
fn remembered<K: Copy + Eq + std::hash::Hash>(
    seen: &mut FxHashMap<K, u32>,
    value: K,
    code: impl FnOnce(K) -> u32,
) -> u32 {
    if let Some(&code) = seen.get(&value) {
        return code;
    }
    let code = code(value);
    if seen.len() < MOST_REMEMBERED {
        seen.insert(value, code);
    }
    code
}

fn code(schema: &Schema, attribute: usize, text: &str) -> u32 {
    match schema.code(attribute, text.as_bytes()) {
        Ok(code) => code,
        Err(Defect::MissingValue) => MISSING,
        Err(_) => UNKNOWN,
    }
}

/// Replaces `weights` by those of rows: non-negative integers, as the count column of a file has
/// them. Rows without one are counted as unknown, and have the weight 0.
///
/// # Errors
/// E0337 for a type that has no texts.
pub fn weights(column: &ArrayRef, name: &str, weights: &mut Vec<u64>) -> Result<Unfit, JobError> {
    let texts = Texts::new(column, name)?;
    let (mut unfit, mut text) = (Unfit::default(), String::new());
    weights.clear();
    for row in 0..column.len() {
        text.clear();
        texts.write(row, &mut text);
        weights.push(count_of_field(text.as_bytes()).unwrap_or_else(|_| {
            unfit.add(Unfit { missing: 0, unknown: 1 });
            0
        }));
    }
    Ok(unfit)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{BinaryArray, DictionaryArray, Float64Array, Int64Array, StringArray, StringViewArray};
    use privacy_core::Provenance;
    use privacy_data::{AttributeSpec, MissingPolicy};

    use super::*;

    fn codes(spec: AttributeSpec, column: impl Array + 'static) -> (Vec<u32>, Unfit) {
        let schema = Schema::new(vec![spec], Provenance::Public).unwrap();
        let (mut coder, column): (_, ArrayRef) = (ColumnCoder::new(&schema, 0), Arc::new(column));
        let mut codes = Vec::new();
        let unfit = coder.codes(&schema, &column, &mut codes).unwrap();
        let again = coder.codes(&schema, &column, &mut codes).unwrap();
        assert_eq!(unfit, again, "what is remembered is what was coded");
        (codes, unfit)
    }

    #[test]
    fn labels_are_coded_alike_in_every_form_of_a_column() {
        let spec = || AttributeSpec::of_labels("x", ["a", "é;'\"--", "a label longer than twelve bytes"]);
        let rows = vec![Some("é;'\"--"), Some("a"), Some("a"), Some("a label longer than twelve bytes")];
        let expected = (vec![1, 0, 0, 2], Unfit::default());
        assert_eq!(codes(spec(), StringArray::from(rows.clone())), expected);
        assert_eq!(codes(spec(), StringViewArray::from(rows.clone())), expected);
        assert_eq!(codes(spec(), rows.into_iter().collect::<DictionaryArray<Int32Type>>()), expected);
    }

    #[test]
    fn texts_that_views_only_refer_to_have_codes_of_their_own_in_every_batch() {
        let labels = ["twelve bytes0", "twelve bytes1"];
        let schema = Schema::new(vec![AttributeSpec::of_labels("x", labels)], Provenance::Public).unwrap();
        let (mut coder, mut codes) = (ColumnCoder::new(&schema, 0), Vec::new());
        // Each is the first text of a buffer of its own, with the same length and the same start.
        for (code, label) in (0..).zip(labels) {
            let column: ArrayRef = Arc::new(StringViewArray::from(vec![label]));
            coder.codes(&schema, &column, &mut codes).unwrap();
            assert_eq!(codes, [code]);
        }
    }

    #[test]
    fn a_dictionary_of_bytes_is_refused_without_an_entry_as_well() {
        let schema = Schema::new(vec![AttributeSpec::of_size("x", 2)], Provenance::Public).unwrap();
        let values = Arc::new(BinaryArray::new_null(0));
        let column: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::new(vec![None].into(), values));
        let error = ColumnCoder::new(&schema, 0).codes(&schema, &column, &mut Vec::new()).unwrap_err();
        assert!(error.has_code("E0337"));
    }

    #[test]
    fn rows_without_a_category_are_counted_by_kind() {
        let rows = vec![Some("a"), None, Some(""), Some("b"), Some("another label, a long one")];
        let spec = AttributeSpec::of_labels("x", ["a"]);
        let unfit = Unfit { missing: 2, unknown: 2 };
        for (_, found) in [
            codes(spec.clone(), StringArray::from(rows.clone())),
            codes(spec.clone(), StringViewArray::from(rows.clone())),
            codes(spec.clone(), rows.clone().into_iter().collect::<DictionaryArray<Int32Type>>()),
        ] {
            assert_eq!(found, unfit);
        }
        let none = vec![None::<&str>; 3].into_iter().collect::<DictionaryArray<Int32Type>>();
        assert_eq!(codes(spec.clone(), none).1, Unfit { missing: 3, unknown: 0 });
        let lenient = AttributeSpec { missing: Some(MissingPolicy::Category), other: Some("rest".into()), ..spec };
        assert_eq!(codes(lenient, StringViewArray::from(rows)), (vec![0, 2, 2, 1, 1], Unfit::default()));
    }

    #[test]
    fn numbers_are_codes_labels_or_in_bins() {
        let integers = || Int64Array::from(vec![Some(3), Some(0), None, Some(-1), Some(5000), Some(3)]);
        let unfit = Unfit { missing: 1, unknown: 2 };
        assert_eq!(codes(AttributeSpec::of_size("x", 4), integers()), (vec![3, 0, 0, 0, 0, 3], unfit));
        let labels = AttributeSpec::of_labels("x", ["3", "-1", "5000", "0"]);
        assert_eq!(codes(labels, integers()).0, [0, 3, 0, 1, 2, 0]);
        let bins = AttributeSpec::of_bins("x", [0.0, 1.5, 3.0]);
        let numbers = Float64Array::from(vec![0.1, 1.5, 3.0, 3.1, f64::NAN]);
        assert_eq!(codes(bins, numbers), (vec![0, 1, 1, 0, 0], Unfit { missing: 0, unknown: 2 }));
    }

    #[test]
    fn weights_are_counts() {
        let column: ArrayRef = Arc::new(Int64Array::from(vec![Some(7), Some(0), Some(-1), None]));
        let mut found = Vec::new();
        assert_eq!(weights(&column, "n", &mut found).unwrap(), Unfit { missing: 0, unknown: 2 });
        assert_eq!(found, [7, 0, 0, 0]);
    }
}
