//! The ways to publish besides noise, as a person chooses them.

use serde::{Deserialize, Serialize};

/// Exact tables, judged by what they disclose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Exact {
    /// The tables, by the names of their attributes.
    pub(crate) margins: Vec<Vec<String>>,
    /// Intervals of at most this width disclose, in counts.
    pub(crate) min_interval_width: u64,
    /// The smallest number of people that a published number may count.
    pub(crate) min_frequency: u64,
    /// What decides which numbers leave.
    #[serde(default)]
    pub(crate) decide_on: DecideOn,
}

impl Default for Exact {
    fn default() -> Self {
        Self { margins: Vec::new(), min_interval_width: 0, min_frequency: 5, decide_on: DecideOn::Robust }
    }
}

/// What decides which exact numbers leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DecideOn {
    /// The counts, with more withheld until knowing the rule adds nothing.
    #[default]
    Robust,
    /// The counts.
    Counts,
}

impl DecideOn {
    /// All, with their names in a job, their short names, and what they mean for readers.
    pub(crate) const ALL: [(Self, &str, &str, &str); 2] = [
        (
            Self::Robust,
            "robust",
            "Robust",
            "More is withheld, if necessary a whole table, until knowledge of this program and its rule discloses \
                no more than the published numbers alone.",
        ),
        (
            Self::Counts,
            "counts",
            "On the counts",
            "The fewest numbers are withheld. Which ones depends on the counts, so an attacker who knows this \
                program learns something about them, and the release says so.",
        ),
    ];

    /// Its name in a job.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(own, ..)| *own == self).map_or("robust", |(_, name, ..)| name)
    }

    /// The one of this name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, ..)| *known == name).map(|(own, ..)| *own)
    }
}

/// Groups behind a keyed, noisy threshold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Filter {
    /// The grouping columns, by name.
    pub(crate) group_by: Vec<String>,
    /// Groups of at most this many people are never shown.
    pub(crate) bound: f64,
    /// Mean of the threshold, in people.
    pub(crate) mean: f64,
    /// Standard deviation of the threshold, in people.
    pub(crate) sd: f64,
    /// Scale of the noise of the number beside a group; 0 for no number.
    pub(crate) scale: f64,
}

impl Default for Filter {
    fn default() -> Self {
        Self { group_by: Vec::new(), bound: 2.0, mean: 8.0, sd: 1.5, scale: 4.0 }
    }
}

/// What must hold for the release as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Targets {
    /// Largest root mean square error of the tables with noise, in counts.
    pub(crate) max_rmse: Option<f64>,
    /// Largest probability that a reader may give to one count of a withheld number.
    pub(crate) max_posterior: Option<f64>,
}

/// A prediction of, and an attack on, one column: part of what a release must pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Screen {
    /// The column that a solver is after.
    pub(crate) target: String,
    /// The columns that it knows of everybody.
    pub(crate) known: Vec<String>,
    /// Counts below this are withheld.
    pub(crate) suppress_below: u64,
    /// Noise is uniform on the whole numbers from minus this to this.
    pub(crate) noise: u32,
    /// The largest share of the column that a solver may get right.
    pub(crate) target_accuracy: f64,
}

/// A release that goes by itself, and not as a part of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Alone {
    /// Synthetic rows from a model of tables that are chosen under the budget.
    Rows(SyntheticRows),
    /// Randomised answers: a report for each row.
    Reports(Reports),
    /// A table of amounts, of which cells that disclose a respondent are withheld.
    Amounts(Amounts),
}

/// Synthetic rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SyntheticRows {
    /// The budget of choices and noise together, in rho of zCDP.
    pub(crate) rho: f64,
    /// The most rounds; `None` for the program's choice.
    pub(crate) rounds: Option<u32>,
    /// How many rows are drawn; `None` for as many as people are measured.
    pub(crate) rows: Option<u32>,
}

impl Default for SyntheticRows {
    fn default() -> Self {
        Self { rho: 0.5, rounds: None, rows: None }
    }
}

/// Randomised answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reports {
    /// The columns that are reported, by name.
    pub(crate) features: Vec<String>,
    /// Epsilon of each answer.
    pub(crate) epsilon: f64,
}

impl Default for Reports {
    fn default() -> Self {
        Self { features: Vec::new(), epsilon: 1.0 }
    }
}

/// A table of amounts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Amounts {
    /// The attributes that span the table, by name.
    pub(crate) axes: Vec<String>,
    /// The column of the amounts.
    pub(crate) amount: String,
    /// Digits after the decimal mark that amounts have at most.
    pub(crate) decimals: usize,
    /// Nobody may estimate the amount of a respondent to within this many per cent; `None` where
    /// that is not asked.
    pub(crate) p_percent: Option<f64>,
    /// Cells of fewer respondents are sensitive; `None` where that is not asked.
    pub(crate) min_frequency: Option<u32>,
    /// How many respondents pool what they know: 1 or 2.
    pub(crate) coalition: usize,
}

impl Default for Amounts {
    fn default() -> Self {
        let (axes, amount) = (Vec::new(), String::new());
        Self { axes, amount, decimals: 0, p_percent: Some(10.0), min_frequency: Some(3), coalition: 1 }
    }
}
