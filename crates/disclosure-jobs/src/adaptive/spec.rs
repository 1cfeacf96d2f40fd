//! SPEC.toml: which marginals are to be accurate, under which budget.

use std::collections::BTreeMap;
use std::path::PathBuf;

use disclosure::privacy_core::accounting::Neighbours;
use privacy_data::{AttributeSpec, TableFormat};
use serde::Deserialize;

use super::zeros::{HierarchySpec, Labels};
use crate::budget::PrivacySpec;
use crate::input::EncodingName;
use crate::marginals::MarginalSpec;
use crate::persons::ExcessRows;

/// A spec as it is written. Unknown fields are refused.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdaptiveJobSpec {
    /// Name of the release for people; the name of the file by default.
    pub(super) title: Option<String>,
    /// Who answers for the release.
    pub(super) owner: Option<String>,
    /// The date of the release, as people write it; the day on which it is made by default.
    pub(super) date: Option<String>,
    /// The marginals that are to be accurate: sets of attributes, and families of sets. A weight is
    /// a whole number of 1 to 1,000,000. Instead of `up_to`.
    pub(super) marginals: Option<Vec<MarginalSpec>>,
    /// Every set of at most this number of attributes. Instead of `marginals`.
    pub(super) up_to: Option<usize>,
    /// The most rounds, 1 to 100,000: the first ones have an equal share of the budget each. 16 for
    /// each attribute by default.
    pub(super) rounds: Option<u32>,
    /// Share of the budget for noise, the rest being for choices: above 0, below 1. 0.85 by
    /// default.
    pub(super) noise_share: Option<f64>,
    /// The most cells of all tables of the model together. 10 million by default, which are 80 MB.
    pub(super) model_cells: Option<f64>,
    /// Labels that nobody has together: one label, or a list of them, for each of some attributes.
    /// No row has them, and no measured table says anything about them.
    #[serde(default)]
    pub(super) structural_zeros: Vec<BTreeMap<String, Labels>>,
    /// Attributes that say in large what another one says in detail: each label of `child` is
    /// within one label of `parent`, by `groups` or the lines of a `file`.
    #[serde(default)]
    pub(super) hierarchies: Vec<HierarchySpec>,
    /// How many synthetic rows are written; by default as many people as were measured.
    pub(super) rows: Option<u32>,
    /// How the rows and the tables are written: `csv` (the default) or `parquet`.
    #[serde(default)]
    pub(super) tables: TableFormat,
    /// Which two tables must look alike: `add-remove` or `replace`.
    pub(super) neighbours: Neighbours,
    /// Most rows of one person, 1 by default; the cost grows with its square.
    pub(super) rows_per_person: Option<u32>,
    /// The column that says who is the same person: at most `rows_per_person` rows of each are
    /// counted, and all rows of a person are the unit of the promise. It need not be an attribute.
    pub(super) person: Option<String>,
    /// What becomes of the rows of a person beyond `rows_per_person`: `drop` (the default) leaves
    /// some out, `refuse` ends with an error.
    pub(super) excess_rows: Option<ExcessRows>,
    /// The column with counts, if a line stands for several rows.
    pub(super) count: Option<String>,
    /// How the data spell text: `utf-8` (the default) or `latin1`.
    pub(super) encoding: Option<EncodingName>,
    /// The budget: `rho`, `pcost`, or `epsilon` with `delta`. Choices have no bound in `mu`.
    pub(super) privacy: PrivacySpec,
    /// A domain file beside the specification, instead of `[[attribute]]` tables.
    pub(super) domain: Option<PathBuf>,
    /// The attributes of the data, instead of a domain file.
    #[serde(default, rename = "attribute")]
    pub(super) attributes: Vec<AttributeSpec>,
}
