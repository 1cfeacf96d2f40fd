//! The interval of a class, and how it was found.

use crate::table::class::Class;
use crate::table::knowledge::Knowledge;
use frechet_certificate::{Bound, Multipliers, Proof, Ratio, Side, SparseTable, Witness};

/// How an interval was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Method {
    /// The class is a sum of published cells.
    Published,
    /// Closed form when no cell is in two rows, such as one margin with capacities.
    OneWay,
    /// Closed form of two one-way margins.
    TwoWay,
    /// Closed form of one-way margins.
    Axial,
    /// Closed form along cliques and separators.
    Decomposable,
    /// The same, with parts that do not fall apart.
    Reducible,
    /// Two levels an axis and all margins but the table itself: one unknown number.
    Parity,
    /// Maximal flow in a two-way table with capacities.
    Network,
    /// Propagation between cells and their sums.
    Shuttle,
    /// A linear program.
    Lp,
    /// Cases over linear programs.
    Ilp,
}

/// The least and the largest count of a class over all tables that agree with what is known.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CountInterval {
    /// The least.
    pub lower: Bound,
    /// The largest.
    pub upper: Bound,
    /// How both were found: the later of the two in the order of [`Method`].
    pub method: Method,
}

/// The ends of a [`CountInterval`], without their proofs and tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CountRange {
    /// The least count.
    pub lower: i64,
    /// The largest count.
    pub upper: i64,
    /// The least and the largest count in tables that were found: both ends, where they are sharp.
    pub attained: (i64, i64),
    /// Whether both ends are attained by tables of whole numbers.
    pub is_sharp: bool,
    /// Whether whole numbers reach less far than real ones would, rounded.
    pub has_integer_gap: bool,
    /// How both were found.
    pub method: Method,
}

impl CountRange {
    /// Largest less least value: 0 when the class is exactly disclosed. An outer width unless both
    /// ends are sharp.
    #[must_use]
    pub fn width(&self) -> i64 {
        self.upper - self.lower
    }
}

impl From<&CountInterval> for CountRange {
    fn from(interval: &CountInterval) -> Self {
        Self {
            lower: interval.lower.value,
            upper: interval.upper.value,
            attained: (interval.lower.witness.value, interval.upper.witness.value),
            is_sharp: interval.is_sharp(),
            has_integer_gap: interval.has_integer_gap(),
            method: interval.method,
        }
    }
}

impl CountInterval {
    /// The sum of published cells that a class is, if it is one; any table of the fiber is a
    /// witness.
    pub(crate) fn published(knowledge: &Knowledge, class: &Class, table: &SparseTable) -> Option<Self> {
        let value = knowledge.published(class)?;
        let rows = knowledge.rows_of(class)?;
        let [lower, upper] = [Side::Lower, Side::Upper].map(|side| Bound {
            value,
            relaxed: Ratio::whole(value),
            proof: Proof::by_rows(Multipliers::integral(rows.iter().map(|&row| (row, side.sign())).collect())),
            witness: Witness { value, table: table.clone() },
        });
        Some(Self { lower, upper, method: Method::Published })
    }

    /// Largest less least value: 0 when the class is exactly disclosed. An outer width unless
    /// both ends are sharp.
    #[must_use]
    pub fn width(&self) -> i64 {
        self.upper.value - self.lower.value
    }

    /// Whether both ends are attained by tables of whole numbers.
    #[must_use]
    pub fn is_sharp(&self) -> bool {
        self.lower.is_sharp() && self.upper.is_sharp()
    }

    /// Whether whole numbers reach less far than real ones would, rounded.
    #[must_use]
    pub fn has_integer_gap(&self) -> bool {
        self.lower.relaxed.ceil() != self.lower.value || self.upper.relaxed.floor() != self.upper.value
    }
}
