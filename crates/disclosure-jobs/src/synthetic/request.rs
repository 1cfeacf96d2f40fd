//! What is asked of a synthesis.

use disclosure::privacy_core::{AttrSet, Attribute, Domain};
use privacy_data::{did_you_mean, fields_of_line};
use synthetic_people::StructuralZero;

use crate::error::JobError;
use crate::input::meant_label;
use crate::limits::Limits;

/// How many rows, from how large a model.
#[derive(Clone, Debug, PartialEq)]
pub struct SynthesisRequest {
    /// How many rows; by default the measured total, rounded.
    pub rows: Option<u32>,
    /// The most memory for rows, in bytes. More rows than fit are refused, and fewer are drawn than
    /// a larger total that was measured.
    pub memory_bytes: u64,
    /// The most cells of a table of the model.
    pub most_cells: u64,
    /// What happens if the planned marginals make the model too large.
    pub too_large: TooLarge,
    /// Combinations that no row has, each as `NAME=LABEL` with commas between them.
    pub zeros: Vec<String>,
    /// Whether the error of pairs of attributes that were not measured is estimated: nineteen more
    /// fits.
    pub errors: bool,
}

/// What happens if the planned marginals make a model too large.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TooLarge {
    /// It is refused.
    #[default]
    Refuse,
    /// The model keeps the most informative of the planned marginals that fit.
    Choose,
    /// People are simulated from the model of the most informative ones, and weighted until all
    /// planned marginals fit.
    Weight,
}

impl Default for SynthesisRequest {
    /// As many rows as were measured, in at most 8 GiB, from tables of at most four million cells.
    fn default() -> Self {
        Self {
            rows: None,
            memory_bytes: Limits::default().memory_bytes,
            most_cells: 4_000_000,
            too_large: TooLarge::Refuse,
            zeros: Vec::new(),
            errors: false,
        }
    }
}

impl SynthesisRequest {
    /// The combinations that no row has.
    ///
    /// # Errors
    /// E0287 for what names no label of an attribute, or an attribute twice.
    pub(super) fn structural_zeros(&self, domain: &Domain) -> Result<Vec<StructuralZero>, JobError> {
        self.zeros.iter().map(|text| zero(text, domain)).collect()
    }
}

/// The question which attribute, or which of its labels, a field may have meant.
fn meant(field: &str, domain: &Domain) -> String {
    let (name, label) = field.split_once('=').unwrap_or((field, ""));
    match domain.index_of(name) {
        Ok(attribute) => meant_label(domain, attribute, label),
        Err(_) => did_you_mean(name, domain.attributes().iter().map(Attribute::name)),
    }
}

fn zero(text: &str, domain: &Domain) -> Result<StructuralZero, JobError> {
    let wrong = |meant: &str| {
        JobError::new("E0287", format!("--zero {text:?} is not a list of NAME=LABEL for different attributes{meant}"))
    };
    let fields = fields_of_line(text).map_err(|error| JobError::new("E0287", format!("--zero: {error}")))?;
    let mut chosen: Vec<(usize, usize)> = Vec::with_capacity(fields.len());
    for field in &fields {
        let found = domain.attributes().iter().enumerate().find_map(|(attribute, named)| {
            let label = field.strip_prefix(named.name())?.strip_prefix('=')?;
            Some((attribute, named.labels().position(label)?))
        });
        let (attribute, category) = found.ok_or_else(|| wrong(&meant(field, domain)))?;
        if chosen.iter().any(|(other, _)| *other == attribute) {
            return Err(wrong(""));
        }
        chosen.push((attribute, category));
    }
    chosen.sort_unstable();
    let set: AttrSet = chosen.iter().map(|(attribute, _)| *attribute).collect();
    Ok(StructuralZero { set, categories: chosen.into_iter().map(|(_, category)| category).collect() })
}
