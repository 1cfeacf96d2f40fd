#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
mod limits;

mod labels;

pub mod game;
pub mod scenarios;

pub use error::Error;
pub use labels::{
    AttackScore, Evidence, ExactOutcome, Exposed, ExposedRow, FeatureTable, Features, LabelAttack, LabelGuess,
    LabelProblem, LabelRelease, LabelSource, LabelTrial, LabelView, LabelWorld, MeanOverTrials, Method, Population,
    Suppression, Values, attack_labels, exposed_rows, simulate_labels,
};
pub use limits::Limits;
