//! Contingency tables of counts, and the one question every mechanism asks: the counts over a set
//! of attributes.

use std::collections::BTreeMap;

use ndarray::{ArrayD, Axis, IxDyn};

use crate::attrs::AttrSet;
use crate::domain::Domain;
use crate::stop::StopFlag;

/// Largest total of a table: every count, and every sum of counts, is exact as `f64`.
pub const MAX_TOTAL: u64 = 1 << 53;

/// Counts over a set of attributes, with one axis per attribute in increasing order, the last
/// fastest.
#[derive(Clone, PartialEq, Eq)]
pub struct ContingencyTable {
    attributes: AttrSet,
    counts: ArrayD<u64>,
    total: u64,
}

/// Why counts are refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CountError {
    /// The array has another shape than the domain gives to the set.
    #[error("a table over these attributes has shape {expected:?}, got {got:?}")]
    Shape {
        /// The shape that the domain says.
        expected: Vec<usize>,
        /// The shape of the array.
        got: Vec<usize>,
    },
    /// The counts add up to more than 2^53. Split the table, or count in larger units.
    #[error("the total of a table is at most 2^53")]
    TotalTooLarge,
    /// A marginal was asked over an attribute that the table or the domain does not have.
    #[error("the set {asked:?} is not within the attributes {have:?}")]
    UnknownAttribute {
        /// The set that was asked for.
        asked: AttrSet,
        /// The attributes there are.
        have: AttrSet,
    },
    /// A table over this set has too many cells for this machine's address space.
    #[error("a table over the attributes {set:?} has too many cells for memory")]
    TooManyCells {
        /// The set.
        set: AttrSet,
    },
    /// A group has another number of labels than the set has attributes. Give one label for each,
    /// in the order of the domain.
    #[error("group {} has {got} labels, the set has {expected} attributes", group + 1)]
    GroupLabels {
        /// Position of the group, from 0; the message counts from 1.
        group: usize,
        /// How many labels it has.
        got: usize,
        /// How many attributes the set has.
        expected: usize,
    },
    /// A group has a label that the attribute does not have. The label itself may be data and is
    /// not repeated here.
    #[error("group {} has a label that the attribute {attribute:?} does not have", group + 1)]
    UnknownLabel {
        /// The attribute.
        attribute: String,
        /// Position of the group, from 0; the message counts from 1.
        group: usize,
    },
    /// The same group is listed twice. Add the counts up, or look for a grouping by more columns
    /// than were meant.
    #[error("group {} was already listed", group + 1)]
    RepeatedGroup {
        /// Position of the second of the two, from 0; the message counts from 1.
        group: usize,
    },
    /// The engine that counts failed.
    #[error("the counts could not be read")]
    Source(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl ContingencyTable {
    /// A table over `attributes` of `domain`; `counts` has one axis an attribute, in increasing
    /// order.
    ///
    /// # Errors
    /// [`CountError::UnknownAttribute`], [`CountError::Shape`] and [`CountError::TotalTooLarge`].
    pub fn new(domain: &Domain, attributes: AttrSet, counts: ArrayD<u64>) -> Result<Self, CountError> {
        if !domain.contains(attributes) {
            return Err(CountError::UnknownAttribute { asked: attributes, have: domain.all() });
        }
        let expected = domain.shape(attributes);
        if counts.shape() != expected {
            return Err(CountError::Shape { expected, got: counts.shape().to_vec() });
        }
        let total = checked_total(counts.iter().copied())?;
        // Row-major from here on: every reader may walk the cells as one slice.
        let counts = if counts.is_standard_layout() { counts } else { counts.as_standard_layout().into_owned() };
        Ok(Self { attributes, counts, total })
    }

    /// The table whose cells, row-major with the last attribute fastest, are `cells`.
    ///
    /// # Errors
    /// As [`ContingencyTable::new`].
    pub fn from_cells(domain: &Domain, attributes: AttrSet, cells: Vec<u64>) -> Result<Self, CountError> {
        if !domain.contains(attributes) {
            return Err(CountError::UnknownAttribute { asked: attributes, have: domain.all() });
        }
        let (expected, got) = (domain.shape(attributes), cells.len());
        let counts = ArrayD::from_shape_vec(IxDyn(&expected), cells)
            .map_err(|_| CountError::Shape { expected, got: vec![got] })?;
        Self::new(domain, attributes, counts)
    }

    /// The table of the groups of a query such as
    /// `SELECT sex, ill, COUNT(*) FROM people GROUP BY sex, ill`: one label for each attribute of
    /// the set, in the order of the domain, and a count. Groups come in any order; a group that
    /// is not listed counts 0.
    ///
    /// A `GROUP BY` has no group for what an inner join or a `WHERE` left out, and a NULL has no
    /// label: give missing values a category of their own in every query. Otherwise tables of the
    /// same rows have different totals.
    ///
    /// # Errors
    /// [`CountError::UnknownAttribute`], [`CountError::TooManyCells`],
    /// [`CountError::GroupLabels`], [`CountError::UnknownLabel`], [`CountError::RepeatedGroup`],
    /// [`CountError::TotalTooLarge`].
    ///
    /// # Example
    /// ```
    /// use privacy_core::{Attribute, ContingencyTable, Domain};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let domain = Domain::new(vec![Attribute::new("sex", ["f", "m"])?, Attribute::new("ill", ["no", "yes"])?])?;
    /// let groups = [(["m", "no"], 30), (["f", "yes"], 4), (["f", "no"], 25)];
    /// let table = ContingencyTable::from_groups(&domain, domain.all(), groups)?;
    /// assert_eq!(table.cells(), [25, 4, 30, 0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_groups<L, S>(
        domain: &Domain,
        attributes: AttrSet,
        groups: impl IntoIterator<Item = (L, u64)>,
    ) -> Result<Self, CountError>
    where
        L: AsRef<[S]>,
        S: AsRef<str>,
    {
        if !domain.contains(attributes) {
            return Err(CountError::UnknownAttribute { asked: attributes, have: domain.all() });
        }
        let size = domain.cells(attributes).and_then(|cells| usize::try_from(cells).ok());
        let size = size.filter(|&size| size <= isize::MAX as usize / size_of::<u64>());
        let size = size.ok_or(CountError::TooManyCells { set: attributes })?;
        let codes: Vec<LabelCodes<'_>> =
            attributes.iter().map(|attribute| LabelCodes::new(domain, attribute)).collect();
        let (mut cells, mut listed) = (vec![0; size], vec![false; size]);
        for (group, (labels, count)) in groups.into_iter().enumerate() {
            let (labels, expected) = (labels.as_ref(), codes.len());
            if labels.len() != expected {
                return Err(CountError::GroupLabels { group, got: labels.len(), expected });
            }
            let position = labels.iter().zip(&codes).try_fold(0, |position, (label, codes)| {
                let code = codes.by_label.get(label.as_ref());
                let attribute = || codes.attribute.to_owned();
                let code = code.ok_or_else(|| CountError::UnknownLabel { attribute: attribute(), group })?;
                Ok(position * codes.by_label.len() + code)
            })?;
            if std::mem::replace(&mut listed[position], true) {
                return Err(CountError::RepeatedGroup { group });
            }
            cells[position] = count;
        }
        Self::from_cells(domain, attributes, cells)
    }

    /// The attributes, one per axis.
    #[must_use]
    pub fn attributes(&self) -> AttrSet {
        self.attributes
    }

    /// The counts.
    #[must_use]
    pub fn counts(&self) -> &ArrayD<u64> {
        &self.counts
    }

    /// The cells, row-major with the last attribute fastest.
    ///
    /// # Panics
    /// Never: every constructor leaves the counts row-major.
    #[must_use]
    pub fn cells(&self) -> &[u64] {
        self.counts.as_slice().expect("row-major since it was made")
    }

    /// The sum of all counts; at most [`MAX_TOTAL`].
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The marginal over `set`: the counts summed over every other attribute. One pass an axis.
    ///
    /// # Errors
    /// [`CountError::UnknownAttribute`] when `set` is not within the table's attributes.
    pub fn marginal(&self, set: AttrSet) -> Result<Self, CountError> {
        if !set.is_subset_of(self.attributes) {
            return Err(CountError::UnknownAttribute { asked: set, have: self.attributes });
        }
        let dropped = self.attributes.minus(set).iter().filter_map(|a| self.attributes.axis_of(a));
        let axes: Vec<usize> = dropped.collect();
        // The last axis first, so that the positions of the others stay true.
        let counts = axes.iter().rev().fold(None, |sum: Option<ArrayD<u64>>, &axis| {
            Some(sum.as_ref().unwrap_or(&self.counts).sum_axis(Axis(axis)))
        });
        let counts = counts.unwrap_or_else(|| self.counts.clone());
        let counts = if counts.is_standard_layout() { counts } else { counts.as_standard_layout().into_owned() };
        Ok(Self { attributes: set, counts, total: self.total })
    }
}

/// The codes of one attribute by their labels.
struct LabelCodes<'a> {
    attribute: &'a str,
    by_label: BTreeMap<&'a str, usize>,
}

impl<'a> LabelCodes<'a> {
    fn new(domain: &'a Domain, attribute: usize) -> Self {
        let attribute = &domain.attributes()[attribute];
        let by_label = attribute.labels().iter().zip(0..).collect();
        Self { attribute: attribute.name(), by_label }
    }
}

/// Shapes may be shown, counts may not.
impl std::fmt::Debug for ContingencyTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ContingencyTable")
            .field("attributes", &self.attributes)
            .field("shape", &self.counts.shape())
            .finish_non_exhaustive()
    }
}

/// The sum of counts, or an error above [`MAX_TOTAL`].
fn checked_total(counts: impl Iterator<Item = u64>) -> Result<u64, CountError> {
    counts
        .into_iter()
        .try_fold(0_u64, |total, count| total.checked_add(count).filter(|&t| t <= MAX_TOTAL))
        .ok_or(CountError::TotalTooLarge)
}

/// A source of counts: a table in memory, coded rows, or an SQL engine.
///
/// A source only counts. It draws no noise and holds no secret.
///
/// # Snapshot
/// All answers of a source count the same rows. An engine whose table may change answers from one
/// snapshot: one transaction of isolation level `REPEATABLE READ` or stricter, or a copy. Every
/// row is counted in every table: missing values are a category of their own, and joins drop no
/// row. Callers compare what the answers have in common and refuse answers whose totals or shared
/// marginals differ; rows that are missing from all of them alike they cannot see.
///
/// # Batches
/// A caller asks for several sets at once, as many as it can hold in memory, and may ask again
/// for others: a source may answer a call in one pass over its rows, and keeps nothing between
/// calls.
///
/// # Async code
/// A source answers synchronously. Where counts come from asynchronous queries, count first and
/// hand over the tables: `resplan::Plan::check_tables`.
pub trait CountSource: Sync {
    /// The domain that sets refer to.
    fn domain(&self) -> &Domain;

    /// The marginal over each set, in the order of `sets`. All sets at once, so that a source may
    /// answer them in one pass; the caller bounds the cells it asks for.
    ///
    /// # Errors
    /// [`CountError`]; nothing is returned when one set fails.
    fn marginals(&self, sets: &[AttrSet]) -> Result<Vec<ContingencyTable>, CountError>;

    /// The same, or `None` where the flag was set meanwhile. A source that counts for long looks at
    /// the flag; this one does not.
    ///
    /// # Errors
    /// As [`marginals`](Self::marginals).
    fn marginals_until(&self, sets: &[AttrSet], _stop: &StopFlag) -> Result<Option<Vec<ContingencyTable>>, CountError> {
        self.marginals(sets).map(Some)
    }
}

/// A full table in memory, with its domain.
#[derive(Clone, Debug)]
pub struct TableSource {
    domain: Domain,
    table: ContingencyTable,
}

impl TableSource {
    /// A source that answers from `cells`, the full table over all attributes of `domain`,
    /// row-major.
    ///
    /// # Errors
    /// As [`ContingencyTable::new`].
    pub fn new(domain: Domain, cells: Vec<u64>) -> Result<Self, CountError> {
        let table = ContingencyTable::from_cells(&domain, domain.all(), cells)?;
        Ok(Self { domain, table })
    }
}

impl CountSource for TableSource {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn marginals(&self, sets: &[AttrSet]) -> Result<Vec<ContingencyTable>, CountError> {
        sets.iter().map(|&set| self.table.marginal(set)).collect()
    }
}
