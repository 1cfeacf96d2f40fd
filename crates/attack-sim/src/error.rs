//! Why a scenario cannot be built or judged.

/// Why a scenario is refused. Messages name parameters and sizes, never a label or a count of
/// people.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The table, the release rule or the attack on labels is refused. Its own message says which
    /// part.
    #[error(transparent)]
    Labels(#[from] label_attack::Error),
    /// The screening spec describes no world that can be drawn. Its own message says which part.
    #[error(transparent)]
    Screen(#[from] disclosure::screen::Error),
    /// Exact release refuses what a scenario asks of it. Its own message says why.
    #[error(transparent)]
    Frechet(#[from] disclosure::frechet::Error),
    /// A table of amounts is refused, or cannot be protected. Its own message says why.
    #[error(transparent)]
    Magnitude(#[from] disclosure::magnitude::Error),
    /// The low-count filter refuses what it is asked. Its own message says why.
    #[error(transparent)]
    Lcf(#[from] disclosure::lcf::Error),
    /// Simulation asks for at least one trial.
    #[error("at least one trial is needed")]
    NoTrial,
    /// A claimed number or rate is out of its range, or the ends are swapped.
    #[error("{name} is not a number in its range, or its ends are swapped")]
    BadClaim {
        /// Which number.
        name: &'static str,
    },
    /// A scenario refers to something that does not exist, or its parameters do not fit each
    /// other. Fix the location named in the message.
    #[error("{id}: {problem}")]
    Scenario {
        /// The scenario or the file.
        id: String,
        /// What is wrong.
        problem: String,
    },
    /// A trial measured infinity or NaN, of which no mean can be taken: a mistake of the audit or
    /// of the mechanism.
    #[error("{of}: a trial measured a number that is not finite")]
    NotANumber {
        /// The quantity.
        of: String,
    },
    /// A scenario measures nothing. Name a quantity, and claim something of it.
    #[error("a scenario has no quantity to measure")]
    NoQuantity,
    /// Laws to be enumerated are of at least two inputs, over the same outcomes, and each sums to
    /// 1.
    #[error("laws of outcomes must be of at least two inputs, over the same outcomes, and sum to 1")]
    BadLaw,
    /// A schema of reports is refused. Its own message says why.
    #[error(transparent)]
    Schema(#[from] disclosure::ldp::SchemaError),
    /// A row does not fit its schema. Its own message says why.
    #[error(transparent)]
    Row(#[from] disclosure::ldp::RowError),
    /// A report cannot be read. Its own message says why.
    #[error(transparent)]
    Report(#[from] disclosure::ldp::ReportError),
    /// Counts of reports cannot be kept or merged. Its own message says why.
    #[error(transparent)]
    State(#[from] disclosure::ldp::StateError),
    /// A question about counts of reports is refused. Its own message says why.
    #[error(transparent)]
    Estimate(#[from] disclosure::ldp::estimate::EstimateError),
}
