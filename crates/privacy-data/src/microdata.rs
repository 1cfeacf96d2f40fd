//! Rows of codes, a column an attribute.

use privacy_core::Domain;
use privacy_core::table::MAX_TOTAL;

use crate::error::stable_codes;

/// Why integer codes are not the rows of a domain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RowsError {
    /// One column an attribute is needed.
    #[error("the domain has {expected} attributes, but {got} columns were given")]
    ColumnCount {
        /// Attributes of the domain.
        expected: usize,
        /// Columns given.
        got: usize,
    },
    /// All columns must be equally long.
    #[error("column {column} has {got} rows, but the first has {expected}")]
    Length {
        /// Position of the column, from 0.
        column: usize,
        /// Rows of the first column.
        expected: usize,
        /// Rows of this one.
        got: usize,
    },
    /// A code is not below the cardinality of its attribute. It is never dropped: correct it or
    /// widen the domain.
    #[error("row {row} of column {attribute:?} contains a code that is not below {cardinality}")]
    CodeOutOfRange {
        /// The row, from 0.
        row: usize,
        /// The attribute's name.
        attribute: String,
        /// Its cardinality.
        cardinality: usize,
    },
    /// One weight a row is needed.
    #[error("there are {expected} rows, but {got} weights")]
    WeightCount {
        /// How many rows there are.
        expected: usize,
        /// Weights given.
        got: usize,
    },
    /// The weights add up to more than 2^53. Split the table.
    #[error("the weights add up to more than 2^53")]
    TotalTooLarge,
}

stable_codes!(RowsError {
    ColumnCount => "E0331", Length => "E0332", CodeOutOfRange => "E0333", WeightCount => "E0334",
    TotalTooLarge => "E0335",
});

/// Codes of one column in the narrowest width that holds its cardinality.
#[derive(Clone, Debug)]
pub(crate) enum Column {
    Byte(Vec<u8>),
    Short(Vec<u16>),
    Word(Vec<u32>),
}

impl Default for Column {
    fn default() -> Self {
        Self::for_cardinality(0)
    }
}

impl Column {
    /// How many codes there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Byte(codes) => codes.len(),
            Self::Short(codes) => codes.len(),
            Self::Word(codes) => codes.len(),
        }
    }

    /// Makes room for codes below this cardinality; no room is taken away.
    pub(crate) fn widen(&mut self, cardinality: usize) {
        match self {
            Self::Byte(codes) if cardinality > 0x1_0000 => {
                *self = Self::Word(codes.iter().map(|&c| c.into()).collect());
            }
            Self::Byte(codes) if cardinality > 0x100 => *self = Self::Short(codes.iter().map(|&c| c.into()).collect()),
            Self::Short(codes) if cardinality > 0x1_0000 => {
                *self = Self::Word(codes.iter().map(|&c| c.into()).collect());
            }
            _ => {}
        }
    }

    /// Adds codes below the cardinality that the column was made for.
    pub(crate) fn extend(&mut self, more: impl Iterator<Item = u32>) {
        match self {
            Self::Byte(codes) => codes.extend(more.map(|code| code as u8)),
            Self::Short(codes) => codes.extend(more.map(|code| code as u16)),
            Self::Word(codes) => codes.extend(more),
        }
    }

    /// Adds `codes[place]` for each place; codes are below the cardinality that the column was made
    /// for.
    pub(crate) fn extend_mapped(&mut self, places: impl ExactSizeIterator<Item = usize>, codes: &[u32]) {
        // The narrow list first: one load and one store a row.
        match self {
            Self::Byte(own) => {
                let codes: Vec<u8> = codes.iter().map(|&code| code as u8).collect();
                own.extend(places.map(|place| codes[place]));
            }
            Self::Short(own) => {
                let codes: Vec<u16> = codes.iter().map(|&code| code as u16).collect();
                own.extend(places.map(|place| codes[place]));
            }
            Self::Word(own) => own.extend(places.map(|place| codes[place])),
        }
    }

    /// Other codes in place of these, `codes[old]`, all below a cardinality.
    pub(crate) fn recoded(&self, codes: &[u32], cardinality: usize) -> Self {
        let mut column = Self::for_cardinality(cardinality);
        let is_same = codes.iter().enumerate().all(|(old, &code)| code as usize == old);
        match (self, &column) {
            (Self::Byte(_), Self::Byte(_)) | (Self::Short(_), Self::Short(_)) | (Self::Word(_), Self::Word(_))
                if is_same =>
            {
                return self.clone();
            }
            (Self::Byte(old), _) => column.extend_mapped(old.iter().map(|&code| usize::from(code)), codes),
            (Self::Short(old), _) => column.extend_mapped(old.iter().map(|&code| usize::from(code)), codes),
            (Self::Word(old), _) => column.extend_mapped(old.iter().map(|&code| code as usize), codes),
        }
        column
    }

    fn for_cardinality(cardinality: usize) -> Self {
        match cardinality {
            0..=0x100 => Self::Byte(Vec::new()),
            0x101..=0x1_0000 => Self::Short(Vec::new()),
            _ => Self::Word(Vec::new()),
        }
    }

    /// Adds a code below the cardinality that the column was made for.
    pub(crate) fn push(&mut self, code: u32) {
        // The casts keep the code: the column is as wide as its cardinality.
        match self {
            Self::Byte(codes) => codes.push(code as u8),
            Self::Short(codes) => codes.push(code as u16),
            Self::Word(codes) => codes.push(code),
        }
    }

    pub(crate) fn get(&self, row: usize) -> u32 {
        match self {
            Self::Byte(codes) => u32::from(codes[row]),
            Self::Short(codes) => u32::from(codes[row]),
            Self::Word(codes) => codes[row],
        }
    }

    fn clear(&mut self) {
        match self {
            Self::Byte(codes) => codes.clear(),
            Self::Short(codes) => codes.clear(),
            Self::Word(codes) => codes.clear(),
        }
    }
}

/// Coded rows in memory, each with an optional weight; answers marginals as a
/// [`CountSource`](privacy_core::CountSource).
#[derive(Clone)]
pub struct Microdata {
    domain: Domain,
    columns: Vec<Column>,
    weights: Option<Vec<u64>>,
    rows: usize,
    total: u64,
}

impl Microdata {
    /// No row yet, of this domain.
    pub(crate) fn empty(domain: Domain, weighted: bool) -> Self {
        let columns = domain.attributes().iter().map(|a| Column::for_cardinality(a.cardinality())).collect();
        Self { domain, columns, weights: weighted.then(Vec::new), rows: 0, total: 0 }
    }

    /// Columns as long as each other, whose codes are of the domain, and weights with their sum.
    pub(crate) fn of_columns(domain: Domain, columns: Vec<Column>, weights: Option<Vec<u64>>, total: u64) -> Self {
        let rows = columns.first().map_or(0, Column::len);
        Self { domain, columns, weights, rows, total }
    }

    pub(crate) fn columns(&self) -> &[Column] {
        &self.columns
    }

    pub(crate) fn columns_mut(&mut self) -> &mut [Column] {
        &mut self.columns
    }

    /// Closes a row whose codes were pushed. The caller keeps the total at most 2^53.
    pub(crate) fn finish_row(&mut self, weight: u64) {
        self.rows += 1;
        self.total += weight;
        if let Some(weights) = &mut self.weights {
            weights.push(weight);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.columns.iter_mut().for_each(Column::clear);
        if let Some(weights) = &mut self.weights {
            weights.clear();
        }
        (self.rows, self.total) = (0, 0);
    }

    /// Rows from codes, `columns[attribute][row]`.
    ///
    /// ```
    /// use privacy_core::{Attribute, CountSource, Domain};
    /// use privacy_data::Microdata;
    ///
    /// let domain = Domain::new(vec![Attribute::new("sex", ["f", "m"])?, Attribute::new("eye", ["blue", "brown"])?])?;
    /// let sets = [domain.set_of(&["sex"])?];
    /// let people = Microdata::from_codes(domain, vec![vec![0, 1, 1], vec![0, 0, 1]])?;
    /// assert_eq!(people.marginals(&sets)?[0].cells(), [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RowsError::ColumnCount`], [`RowsError::Length`], and [`RowsError::CodeOutOfRange`] at
    /// the first such code: none is dropped or clamped.
    pub fn from_codes(domain: Domain, columns: Vec<Vec<u32>>) -> Result<Self, RowsError> {
        if columns.len() != domain.len() {
            return Err(RowsError::ColumnCount { expected: domain.len(), got: columns.len() });
        }
        let rows = columns.first().map_or(0, Vec::len);
        let mut data = Self::empty(domain, false);
        for (position, codes) in columns.iter().enumerate() {
            if codes.len() != rows {
                return Err(RowsError::Length { column: position, expected: rows, got: codes.len() });
            }
            let attribute = &data.domain.attributes()[position];
            let cardinality = attribute.cardinality();
            if let Some(row) = codes.iter().position(|&code| code as usize >= cardinality) {
                return Err(RowsError::CodeOutOfRange { row, attribute: attribute.name().to_owned(), cardinality });
            }
            codes.iter().for_each(|&code| data.columns[position].push(code));
        }
        (data.rows, data.total) = (rows, rows as u64);
        Ok(data)
    }

    /// The same rows, each standing for as many people as its weight says.
    ///
    /// # Errors
    /// [`RowsError::WeightCount`] and [`RowsError::TotalTooLarge`].
    pub fn with_weights(self, weights: Vec<u64>) -> Result<Self, RowsError> {
        if weights.len() != self.rows {
            return Err(RowsError::WeightCount { expected: self.rows, got: weights.len() });
        }
        let sum = weights.iter().try_fold(0_u64, |sum, &weight| sum.checked_add(weight));
        let total = sum.filter(|&total| total <= MAX_TOTAL).ok_or(RowsError::TotalTooLarge)?;
        Ok(Self { weights: Some(weights), total, ..self })
    }

    /// The domain that the codes refer to.
    #[must_use]
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many people the rows stand for: the sum of the weights, or the number of rows. At most
    /// 2^53.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The weight of each row, when the rows have weights.
    #[must_use]
    pub fn weights(&self) -> Option<&[u64]> {
        self.weights.as_deref()
    }

    /// The code of one attribute in one row.
    ///
    /// # Panics
    /// If `attribute` is not of the domain, or there is no such row.
    #[must_use]
    pub fn code(&self, attribute: usize, row: usize) -> u32 {
        self.columns[attribute].get(row)
    }

    /// The rows for which `is_kept` says so, in their order, with their weights.
    ///
    /// # Panics
    /// If `is_kept` is not as long as there are rows.
    #[must_use]
    pub fn kept(&self, is_kept: &[bool]) -> Self {
        assert_eq!(is_kept.len(), self.rows, "one entry a row");
        let mut kept = Self::empty(self.domain.clone(), self.weights.is_some());
        for (row, _) in is_kept.iter().enumerate().filter(|(_, is_kept)| **is_kept) {
            for (column, codes) in kept.columns.iter_mut().zip(&self.columns) {
                column.push(codes.get(row));
            }
            kept.finish_row(self.weights.as_ref().map_or(1, |weights| weights[row]));
        }
        kept
    }

    /// The codes of one attribute, row by row.
    ///
    /// # Panics
    /// If `attribute` is not of the domain.
    pub fn codes(&self, attribute: usize) -> impl ExactSizeIterator<Item = u32> {
        let column = &self.columns[attribute];
        (0..self.rows).map(|row| column.get(row))
    }
}

/// Shapes may be shown, codes may not.
impl std::fmt::Debug for Microdata {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let attributes: Vec<&str> = self.domain.names(self.domain.all()).collect();
        f.debug_struct("Microdata").field("attributes", &attributes).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_out_of_range_is_an_error_with_its_row_and_column() {
        let domain = || Domain::of_cardinalities(&[2, 300, 70_000]).unwrap();
        let good = vec![vec![0, 1], vec![299, 256], vec![69_999, 65_536]];
        let data = Microdata::from_codes(domain(), good.clone()).unwrap();
        for (attribute, codes) in good.iter().enumerate() {
            assert_eq!(&data.codes(attribute).collect::<Vec<_>>(), codes);
        }
        let mut bad = good.clone();
        bad[1][1] = 300;
        let error = Microdata::from_codes(domain(), bad).unwrap_err();
        assert_eq!(error, RowsError::CodeOutOfRange { row: 1, attribute: "a1".into(), cardinality: 300 });
        assert_eq!(Microdata::from_codes(domain(), vec![vec![]]).unwrap_err().code(), "E0331");
        let ragged = vec![vec![0], vec![0, 1], vec![0]];
        let error = Microdata::from_codes(domain(), ragged).unwrap_err();
        assert_eq!(error, RowsError::Length { column: 1, expected: 1, got: 2 });
    }

    #[test]
    fn weights_are_as_many_as_rows_and_at_most_2_to_the_53_together() {
        let data = Microdata::from_codes(Domain::of_cardinalities(&[2]).unwrap(), vec![vec![0, 1]]).unwrap();
        assert_eq!((data.rows(), data.total()), (2, 2));
        assert_eq!(data.clone().with_weights(vec![MAX_TOTAL, 0]).unwrap().total(), MAX_TOTAL);
        assert_eq!(data.clone().with_weights(vec![MAX_TOTAL, 1]).unwrap_err(), RowsError::TotalTooLarge);
        assert_eq!(data.clone().with_weights(vec![u64::MAX, 2]).unwrap_err(), RowsError::TotalTooLarge);
        assert_eq!(data.with_weights(vec![1]).unwrap_err().code(), "E0334");
    }

    #[test]
    fn rows_are_kept_with_their_codes_and_weights() {
        let domain = Domain::of_cardinalities(&[2, 300]).unwrap();
        let data = Microdata::from_codes(domain, vec![vec![0, 1, 0], vec![299, 7, 8]]).unwrap();
        let kept = data.clone().with_weights(vec![5, 6, 7]).unwrap().kept(&[true, false, true]);
        assert_eq!((kept.rows(), kept.total(), kept.weights()), (2, 12, Some(&[5, 7][..])));
        assert_eq!((kept.code(1, 0), kept.code(1, 1)), (299, 8));
        assert_eq!(data.kept(&[false; 3]).total(), 0);
    }

    #[test]
    fn debug_shows_no_code() {
        let data = Microdata::from_codes(Domain::of_cardinalities(&[5_000]).unwrap(), vec![vec![4_242]]).unwrap();
        assert_eq!(format!("{data:?}"), "Microdata { attributes: [\"a0\"], .. }");
    }
}
