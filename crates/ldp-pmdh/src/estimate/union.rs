//! How two sets of columns meet.

use super::EstimateError;
use super::lattice::{Factor, LEFT_OUT, TAKEN};
use ldp_client::SupportColumn;

/// The columns of two sets, in order, and which of the two each is in.
pub(super) struct Union {
    pub(super) columns: Vec<usize>,
    in_first: Vec<bool>,
    in_second: Vec<bool>,
    /// Features of the columns, in order, none twice.
    pub(super) features: Vec<usize>,
}

impl Union {
    /// The union of two sets that list each feature at most once.
    pub(super) fn new(first: &[usize], second: &[usize], columns: &[SupportColumn]) -> Result<Self, EstimateError> {
        check(first, columns)?;
        check(second, columns)?;
        let mut union: Vec<usize> = first.iter().chain(second).copied().collect();
        // Columns of a feature are side by side, so in order the two values of one feature are
        // neighbours, and a feature is listed once after `dedup`.
        union.sort_unstable();
        union.dedup();
        let mut features: Vec<usize> = union.iter().map(|&column| columns[column].feature).collect();
        features.dedup();
        let within = |set: &[usize]| union.iter().map(|column| set.contains(column)).collect();
        Ok(Self { in_first: within(first), in_second: within(second), columns: union, features })
    }

    /// Whether both sets say something about a feature.
    pub(super) fn share_a_feature(&self) -> bool {
        self.columns.len() > self.features.len() || self.in_first.iter().zip(&self.in_second).any(|(a, b)| *a && *b)
    }

    /// Whether nobody can have both sets: two values of one feature.
    pub(super) fn contradict(&self) -> bool {
        self.columns.len() > self.features.len()
    }

    /// The columns of the first set.
    pub(super) fn first_columns(&self) -> Vec<usize> {
        self.members(&self.in_first)
    }

    /// The columns of the second set.
    pub(super) fn second_columns(&self) -> Vec<usize> {
        self.members(&self.in_second)
    }

    fn members(&self, is_in: &[bool]) -> Vec<usize> {
        self.columns.iter().zip(is_in).filter(|(_, is_in)| **is_in).map(|(&column, _)| column).collect()
    }

    pub(super) fn first(&self) -> Vec<Factor> {
        taken(&self.in_first)
    }

    pub(super) fn second(&self) -> Vec<Factor> {
        taken(&self.in_second)
    }

    /// Factors of the product of both: a column of both sets is read twice,
    /// `y^2 = alpha y + beta`.
    pub(super) fn product(&self, columns: &[SupportColumn]) -> Vec<Factor> {
        let both = self.in_first.iter().zip(&self.in_second).map(|(first, second)| *first && *second);
        let factor = |(&column, twice): (&usize, bool)| {
            let channel = columns[column].channel;
            if twice { [channel.beta(), channel.alpha()] } else { TAKEN }
        };
        self.columns.iter().zip(both).map(factor).collect()
    }
}

fn taken(members: &[bool]) -> Vec<Factor> {
    members.iter().map(|&member| if member { TAKEN } else { LEFT_OUT }).collect()
}

/// A set has columns that exist, at most one per feature.
fn check(set: &[usize], columns: &[SupportColumn]) -> Result<(), EstimateError> {
    let feature = |&column: &usize| match columns.get(column) {
        Some(known) => Ok(known.feature),
        None => Err(EstimateError::UnknownColumn { column, columns: columns.len() }),
    };
    let mut features = set.iter().map(feature).collect::<Result<Vec<usize>, _>>()?;
    features.sort_unstable();
    match features.windows(2).find(|two| two[0] == two[1]) {
        Some(two) => Err(EstimateError::RepeatedFeature { feature: two[0] }),
        None => Ok(()),
    }
}
