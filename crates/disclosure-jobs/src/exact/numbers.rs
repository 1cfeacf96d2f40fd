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
    /// Whether this release publishes it; other numbers are public before, or assumed to be known.
    pub is_published: bool,
}

impl ExactNumber {
    /// The number of all people.
    #[must_use]
    pub fn total(people: u64) -> Self {
        Self { fixed: Vec::new(), lower: people, upper: people, is_published: true }
    }
}

/// A class that the rule of an exact part is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyClass {
    /// Attributes and labels.
    pub labels: Vec<(String, String)>,
    /// The level of each attribute that is restricted.
    pub fixed: Vec<Levels>,
    /// How many people it has, where that is public.
    pub people: Option<u64>,
}

/// The public population table of an exact part, by attributes' names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicPopulation {
    /// The attribute of the response.
    pub response: String,
    /// The attributes of the table.
    pub profile: Vec<String>,
}

/// A number that leaves with discrete Laplace noise.
#[derive(Clone, Debug, PartialEq)]
pub struct NoisedNumber {
    /// The levels of each attribute that is restricted.
    pub fixed: Vec<Levels>,
    /// Scale of the noise, in counts.
    pub scale: f64,
    /// Index of its table, and of the cell in it.
    pub at: (usize, usize),
    /// The count without the noise.
    pub count: u64,
}

/// A number that was asked for and does not leave exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithheldNumber {
    /// Attributes and labels.
    pub labels: Vec<(String, String)>,
    /// The levels of each attribute that is restricted.
    pub fixed: Vec<Levels>,
}
