//! What a person has chosen: one state of the workbench. Undo is a list of these.

use disclosure_jobs::disclosure::privacy_core::accounting::Neighbours;
use serde::{Deserialize, Serialize};

use crate::labels::Labels;
use crate::parts::{Alone, Exact, Filter, Screen, Targets};

/// Everything that a person has chosen. A job file follows from it and from the columns that were
/// learnt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Choices {
    /// The data: a name relative to the folder, or the address of a database, without a password.
    pub(crate) data: Option<String>,
    /// What of a database is read.
    pub(crate) relation: Option<Relation>,
    /// Whether the bytes of the data spell text in ISO 8859-1.
    pub(crate) is_latin1: bool,
    /// The columns as they were learnt last: an index into the openings of the project.
    pub(crate) opened: Option<usize>,
    /// What becomes of each column, in the order of the header.
    pub(crate) columns: Vec<Column>,
    /// Texts of missing values, besides the empty field.
    pub(crate) missing: Vec<String>,
    /// The person's word that names and labels may be known to anybody.
    pub(crate) is_public: bool,
    /// The title of the release.
    pub(crate) title: String,
    /// Who answers for the release.
    pub(crate) owner: String,
    /// What is protected.
    pub(crate) unit: Unit,
    /// The tables that are wanted.
    pub(crate) tables: Tables,
    /// The tables with noise; `None` where there are none.
    pub(crate) noise: Option<Noise>,
    /// Exact tables; `None` where there are none.
    pub(crate) exact: Option<Exact>,
    /// Filtered groups; `None` where there are none.
    pub(crate) filter: Option<Filter>,
    /// An attack on one column, before anything leaves; `None` where none is made.
    pub(crate) screen: Option<Screen>,
    /// A release that goes by itself; no other way is chosen then.
    pub(crate) alone: Option<Alone>,
    /// What must hold for the release.
    pub(crate) targets: Targets,
    /// The whole budget of the ledger that counts releases, in rho; `None` where none counts.
    pub(crate) ledger: Option<f64>,
}

impl Default for Choices {
    fn default() -> Self {
        Self {
            data: None,
            relation: None,
            is_latin1: false,
            opened: None,
            columns: Vec::new(),
            missing: Vec::new(),
            is_public: false,
            title: String::new(),
            owner: String::new(),
            unit: Unit::default(),
            tables: Tables::default(),
            noise: Some(Noise::default()),
            exact: None,
            filter: None,
            screen: None,
            alone: None,
            targets: Targets::default(),
            ledger: None,
        }
    }
}

/// A column of the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Column {
    /// Its name in the header.
    pub(crate) name: String,
    /// What becomes of it.
    pub(crate) treatment: Treatment,
    /// What a person said of its categories.
    #[serde(default)]
    pub(crate) labels: Labels,
}

/// What is read of a database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Relation {
    /// A table, by name.
    Table(String),
    /// The rows of a query.
    Query(String),
}

/// What becomes of a column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Treatment {
    /// An attribute with the values of the data as its categories.
    #[default]
    Values,
    /// An attribute with bins between these edges.
    Bins(Vec<f64>),
    /// An attribute with this many bins of about as many rows each.
    Quantiles(usize),
    /// It says who is the same person, and is no attribute.
    Person,
    /// It is no attribute.
    LeftOut,
}

/// What a privacy guarantee protects.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Unit {
    /// What neighbouring tables differ in.
    pub(crate) neighbours: Neighbours,
    /// The largest number of rows of one person.
    pub(crate) rows_per_person: u32,
}

impl Default for Unit {
    fn default() -> Self {
        Self { neighbours: Neighbours::AddRemove, rows_per_person: 1 }
    }
}

/// The tables that are wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tables {
    /// Every table of at most this many attributes; 0 for none but those in `sets`.
    pub(crate) up_to: usize,
    /// Tables besides, by the names of their attributes.
    pub(crate) sets: Vec<Vec<String>>,
}

impl Default for Tables {
    fn default() -> Self {
        Self { up_to: 1, sets: Vec::new() }
    }
}

/// The budget of the tables with noise, and what it is spent for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Noise {
    /// The budget, in rho of zCDP.
    pub(crate) rho: f64,
    /// How much each table counts.
    pub(crate) weights: Weights,
    /// Whether tables without negative numbers are made besides.
    pub(crate) is_nonnegative: bool,
}

impl Default for Noise {
    fn default() -> Self {
        Self { rho: 0.5, weights: Weights::ByCells, is_nonnegative: false }
    }
}

/// How much each table counts when noise is planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Weights {
    /// Every number alike.
    ByCells,
    /// Every table alike.
    ByTables,
    /// The same root mean square error for all tables.
    EqualError,
}

impl Weights {
    /// All, with their names in a job and their meaning.
    pub(crate) const ALL: [(Self, &str, &str); 3] = [
        (Self::ByCells, "by-cells", "every number has the same weight"),
        (Self::ByTables, "by-tables", "every table has the same weight"),
        (Self::EqualError, "equal-error", "equal error for all tables"),
    ];

    /// Its name in a job.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(weights, ..)| *weights == self).map_or("by-cells", |(_, name, _)| name)
    }

    /// The one of this name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(weights, ..)| *weights)
    }
}

impl Choices {
    /// The column that says who is the same person.
    pub(crate) fn person(&self) -> Option<&str> {
        let column = self.columns.iter().find(|column| column.treatment == Treatment::Person);
        column.map(|column| column.name.as_str())
    }

    /// Whether the release draws noise under a budget.
    pub(crate) fn is_noised(&self) -> bool {
        self.noise.is_some() || matches!(self.alone, Some(Alone::Rows(_)))
    }

    /// The title, or the name of the data without its ending.
    pub(crate) fn shown_title(&self) -> &str {
        if let Some(Relation::Table(table)) = self.relation.as_ref().filter(|_| self.title.is_empty()) {
            return table;
        }
        match (self.title.as_str(), &self.data) {
            ("", Some(data)) => {
                let name = data.rsplit('/').next().unwrap_or(data);
                name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("release")
            }
            ("", None) => "release",
            (title, _) => title,
        }
    }
}
