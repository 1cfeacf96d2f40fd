//! Why a scenario cannot be built or judged.

/// What is refused. Messages name parameters and sizes, never a label or a count of people.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The table, the release rule or the attack on labels is refused. Its own message says which part.
    #[error(transparent)]
    Labels(#[from] label_attack::Error),
    /// The screening spec describes no world that can be drawn. Its own message says which part.
    #[error(transparent)]
    Screen(#[from] disclosure::screen::Error),
    /// Exact release refuses what a scenario asks of it. Its own message says why.
    #[error(transparent)]
    Frechet(#[from] disclosure::frechet::Error),
    /// The low-count filter refuses what it is asked. Its own message says why.
    #[error(transparent)]
    Lcf(#[from] disclosure::lcf::Error),
    /// Simulation asks for at least one trial.
    #[error("at least one trial is needed")]
    NoTrial,
    /// A claimed number is no number, a claimed rate is no rate, or the ends are swapped.
    #[error("{name} is not a number in its range, or its ends are swapped")]
    BadClaim {
        /// Which number.
        name: &'static str,
    },
    /// A scenario, or a file of them, asks for what there is not. Mend the named place.
    #[error("{id}: {problem}")]
    Scenario {
        /// The scenario or the file.
        id: String,
        /// What is wrong.
        problem: String,
    },
    /// A trial measured infinity or no number, of which no mean can be taken. It is a mistake of the game or of the mechanism.
    #[error("{of}: a trial measured what is no finite number")]
    NotANumber {
        /// The quantity.
        of: String,
    },
    /// A game measures nothing. Name a quantity, and claim something of it.
    #[error("a game has no quantity to measure")]
    NoQuantity,
    /// Laws to be enumerated must be of two inputs at least, over the same outcomes, and sum to 1.
    #[error("laws of outcomes must be of at least two inputs, over the same outcomes, and sum to 1")]
    BadLaw,
    /// Reports cannot be made, counted or read as a scenario asks. Its own message says why.
    #[error(transparent)]
    Ldp(#[from] crate::scenarios::LdpError),
}
