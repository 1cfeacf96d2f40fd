//! Counts with their schema: what estimates are made from.

use std::sync::OnceLock;

use privacy_core::subsets::zeta_over_supersets;

use crate::counts::Counts;
use crate::detail::StateDetail;
use crate::error::StateError;
use crate::possible::is_possible;
use crate::store::position;
use crate::tally::{Kept, Tally};
use ldp_client::{FormatError, Parities, ReportReader, Schema};

/// Counts of reports under a schema.
#[derive(Clone, Debug)]
pub struct State {
    tally: Tally,
    /// The feature of each support column.
    feature_of: Vec<usize>,
    is_sampled: bool,
    parities: Option<Parities>,
    supersets: OnceLock<Vec<u64>>,
}

impl State {
    /// Counts that were made under this schema.
    ///
    /// # Errors
    /// [`FormatError::OtherSchema`]; [`StateError::Inconsistent`] if no reports of clients of the
    /// schema have these counts: a generalised response with no symbol or two, a value of a feature
    /// that is not covered, another number of features covered.
    pub fn new(tally: Tally, schema: &Schema) -> Result<Self, StateError> {
        let reader = ReportReader::new(schema);
        if tally.digest != schema.digest() {
            return Err(FormatError::OtherSchema.into());
        }
        if tally.columns != reader.stored_columns() || !is_possible(&tally, schema, &reader) {
            return Err(StateError::Inconsistent);
        }
        let feature_of = schema.columns().iter().map(|column| column.feature).collect();
        Ok(Self {
            tally,
            feature_of,
            is_sampled: schema.is_sampled(),
            parities: schema.parities(),
            supersets: OnceLock::new(),
        })
    }

    /// The counts without their schema.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// What is kept.
    #[must_use]
    pub fn detail(&self) -> StateDetail {
        self.tally.detail()
    }

    /// How often each combination of stored columns came, bit `i` of the index for column `i`; if
    /// a full table is kept.
    #[must_use]
    pub fn histogram(&self) -> Option<&[u64]> {
        match &self.tally.kept {
            Kept::Full(histogram) => Some(histogram),
            _ => None,
        }
    }

    /// Adds the counts of another state: see [`Tally::merge`].
    ///
    /// # Errors
    /// As [`Tally::merge`].
    pub fn merge(&mut self, other: &Self) -> Result<(), StateError> {
        self.tally.merge(&other.tally)?;
        self.supersets = OnceLock::new();
        Ok(())
    }

    /// The bytes of its file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.tally.to_bytes()
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// As [`Tally::from_bytes`] and [`State::new`].
    pub fn from_bytes(bytes: &[u8], schema: &Schema) -> Result<Self, StateError> {
        Self::new(Tally::from_bytes(bytes)?, schema)
    }

    /// The stored column of a question, or of its answer; nothing for no question at all.
    fn stored_question(&self, parities: Parities, columns: &[usize], covering: &[usize]) -> Option<Vec<usize>> {
        let own = columns.iter().map(|&column| self.feature_of.get(column).copied());
        let mut features = own.chain(covering.iter().map(|&feature| Some(feature))).collect::<Option<Vec<_>>>()?;
        features.sort_unstable();
        features.dedup();
        match (features.is_empty(), columns.len()) {
            (true, _) => Some(Vec::new()),
            (false, 0) => Some(vec![parities.questions() + parities.question(&features)?]),
            // The answer is about all of them or none.
            (false, answered) if answered == features.len() => Some(vec![parities.question(&features)?]),
            _ => None,
        }
    }

    /// The stored columns of a set of support columns and coverages, increasing; `None` if one
    /// does not exist.
    fn stored(&self, columns: &[usize], covering: &[usize]) -> Option<Vec<usize>> {
        let mut set = columns.to_vec();
        if columns.iter().any(|&column| column >= self.feature_of.len()) {
            return None;
        }
        if self.is_sampled {
            // A report that supports a column of a feature covers the feature: no coverage bit is
            // needed for it, so smaller orders suffice.
            for &feature in covering {
                if columns.iter().all(|&column| self.feature_of[column] != feature) {
                    set.push(self.feature_of.len() + feature);
                }
            }
        }
        set.sort_unstable();
        set.dedup();
        set.last().is_none_or(|&last| last < self.tally.columns).then_some(set)
    }
}

impl Counts for State {
    fn reports(&self) -> u64 {
        self.tally.reports
    }

    fn count(&self, columns: &[usize], covering: &[usize]) -> Option<u64> {
        let set = match self.parities {
            Some(parities) => self.stored_question(parities, columns, covering)?,
            None => self.stored(columns, covering)?,
        };
        if set.is_empty() {
            return Some(self.tally.reports);
        }
        match &self.tally.kept {
            Kept::Full(histogram) => {
                // The sums of all sets at once, on the first question: n 2^(n-1) additions.
                let supersets = self.supersets.get_or_init(|| {
                    let mut sums = histogram.clone();
                    zeta_over_supersets(&mut sums);
                    sums
                });
                Some(supersets[set.iter().fold(0, |mask, column| mask | 1 << column)])
            }
            Kept::UpTo { order, counts } => (set.len() <= *order).then(|| counts[position(self.tally.columns, &set)]),
            Kept::Reports(slices) => Some(slices.count(&set)),
        }
    }
}
