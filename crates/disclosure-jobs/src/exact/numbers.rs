//! Numbers that a release discloses or withholds, by the names of attributes.

/// Levels of an attribute, by its name and by their indices.
pub type Levels = (String, Vec<usize>);

/// A number that leaves, or that the attacker knows: the people at these levels are between
/// `lower` and `upper`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExactNumber {
    /// The levels of each attribute that is restricted.
    pub fixed: Vec<Levels>,
    /// At least this many.
    pub lower: u64,
    /// At most this many.
    pub upper: u64,
}

impl ExactNumber {
    /// The number of all people.
    #[must_use]
    pub fn total(people: u64) -> Self {
        Self { fixed: Vec::new(), lower: people, upper: people }
    }
}

/// A number that was asked for and does not leave exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithheldNumber {
    /// Attributes and labels.
    pub labels: Vec<(String, String)>,
    /// The levels of each attribute that is restricted.
    pub fixed: Vec<Levels>,
}
